//! One story with every block and every cell.

use crate::plot::{Curve, CurvePoint, Curves, Role, Scale};
use crate::story::{Block, Cell, Column, Figure, Group, Kind, Mark, Row, Step, Story, Table, Tone, Unit, said};
use base::texts::{Words, filled};
use model::measure::{Comparison, Verdict};

/// Words that are the same in every language.
#[must_use]
pub fn words(words: &str) -> Words {
    Words::Plain(words.to_owned())
}

/// A comparison: slower, with its interval.
#[must_use]
pub fn compared() -> Cell {
    Cell::Compared(Comparison { ratio: 0.5, low: 0.4, high: 0.6, verdict: Verdict::Slower, starts: 1 }, true)
}

/// A reason in place of a figure, with a sign that tables have to escape.
#[must_use]
pub fn refused() -> Cell {
    Cell::Refused(words("the | tile"))
}

/// Every block and every cell.
pub fn story() -> Story {
    let number = |name, head| Column::headed(name, Kind::Number, words(head));
    let mut table = Table::new(
        "times",
        vec![
            Column { name: "name".to_owned(), heads: vec![words("Name"), words("of it")], kind: Kind::Words },
            number("time", "Time"),
            number("ratio", "Ratio"),
            Column::new("seen", Kind::Words, "tables.ladder.seen"),
        ],
    );
    table.caption = Some(words("Times"));
    let cells = [
        [Cell::Code("naive".to_owned()), Cell::Number(1.5e6, Unit::Time), Cell::Between([2.0, 1.9, 2.1], Unit::Ratio), Cell::Empty],
        [
            Cell::Size([64, 48]),
            Cell::Number(12_345_678.0, Unit::Milliseconds),
            compared(),
            Cell::Verdict(Mark::Confirmed, Words::text("words.seen.confirmed")),
        ],
        [
            Cell::Words(words("a | b <c>")),
            Cell::Missing,
            refused(),
            Cell::Lines(vec![Cell::Words(words("one")), Cell::Number(2.0, Unit::Count)]),
        ],
        [
            Cell::Words(words("e")),
            Cell::Awaited,
            Cell::Between([1e3, 5e2, 2e3], Unit::Time),
            Cell::Explained(Box::new(Cell::Words(words("short"))), words("at length")),
        ],
    ];
    for cells in cells {
        table.row(Row::Cells(cells.into()));
    }
    let last = Group { title: Some(words("Others")), rows: vec![Row::Instead(Cell::Words(words("f")), words("it failed"))] };
    table.groups.push(last);
    let mut story = Story { title: Some(words("A title")), blocks: Vec::new() };
    story.say(Tone::Strong, words("The <conclusion>"));
    story.say(Tone::Plain, said(|| filled("words.claim.guide", &[("claim", &"faster")])));
    story.say(Tone::Warning, words("Beware"));
    story.push(Block::Heading(words("A heading")));
    story.push(Block::Table(table));
    story.say(Tone::Weak, words("How to read it"));
    let point = |x, y| CurvePoint { x, y, low: y, high: y, name: words("a point") };
    story.push(Block::Figure(Figure::Curves(Curves {
        curves: vec![Curve {
            label: words("a curve"),
            role: Role::Device,
            points: vec![point(1.0, 1.0), point(8.0, 3.0)],
            is_stepped: false,
        }],
        titles: ["across", "up"].map(words),
        units: [Unit::Count, Unit::Ratio],
        scale: Scale::Linear,
        levels: vec![1.0],
        marks: vec![(4.0, words("a mark"))],
        names: Vec::new(),
    })));
    story.push(Block::Figure(Figure::Waterfall { steps: vec![Step { label: words("a step"), worth: compared() }], whole: refused() }));
    story.push(Block::Code("x = 1 < 2;\n".to_owned()));
    story
}
