//! Two stories of the same kind as one: curves in one chart, tables with the columns of both.

use super::{Block, Cell, Column, Figure, Group, Row, Story, Table, Tone};
use crate::plot::{Curve, Curves, Role};
use base::texts::{Words, filled};

/// Both, each under what it is called: figures above, then tables, then what each says.
#[must_use]
pub fn beside(names: [&Words; 2], stories: [&Story; 2]) -> Story {
    let mut both = Story::default();
    both.say(Tone::Weak, Words::text("studies.kept.beside-note"));
    let [first, second] = stories.map(|story| story.figures().collect::<Vec<_>>());
    for index in 0..first.len().max(second.len()) {
        match [first.get(index), second.get(index)] {
            [Some(Figure::Curves(one)), Some(Figure::Curves(other))] if is_alike(one, other) => {
                both.push(Block::Figure(Figure::Curves(joined(names, [one, other]))));
            }
            figures => {
                for (name, figure) in names.into_iter().zip(figures).filter_map(|(name, figure)| Some((name, *figure?))) {
                    both.push(Block::Heading(name.clone()));
                    both.push(Block::Figure(figure.clone()));
                }
            }
        }
    }
    let [_, second] = stories;
    let mut others: Vec<&Table> = second.tables().collect();
    for table in stories[0].tables() {
        let same = others.iter().position(|other| other.name == table.name).map(|index| others.remove(index));
        both.push(Block::Table(same.map_or_else(|| table.clone(), |other| merged(names, [table, other]))));
    }
    both.blocks.extend(others.into_iter().cloned().map(Block::Table));
    for (name, story) in names.into_iter().zip(stories) {
        both.push(Block::Heading(name.clone()));
        both.blocks.extend(story.blocks.iter().filter(|block| matches!(block, Block::Sentence(..) | Block::Code(_))).cloned());
    }
    both
}

/// Whether both have the same axes.
fn is_alike(one: &Curves, other: &Curves) -> bool {
    (&one.titles, one.units, one.scale, &one.names) == (&other.titles, other.units, other.scale, &other.names)
}

/// The curves of both. What the second one has is in a color of its own, as it is of another time.
fn joined(names: [&Words; 2], [one, other]: [&Curves; 2]) -> Curves {
    let curve = |name: &Words, curve: &Curve, role: Role| Curve {
        label: Words::of(&filled("studies.kept.of-both", &[("name", &name.to_string()), ("what", &curve.label.to_string())])),
        role,
        ..curve.clone()
    };
    let first = one.curves.iter().map(|own| curve(names[0], own, own.role));
    let second = other.curves.iter().map(|own| curve(names[1], own, Role::Accent));
    let mut levels = one.levels.clone();
    levels.extend(other.levels.iter().filter(|level| !one.levels.contains(level)));
    let marks = [(names[0], one), (names[1], other)].into_iter().flat_map(|(name, curves)| {
        curves.marks.iter().map(move |(at, what)| {
            (*at, Words::of(&filled("studies.kept.of-both", &[("name", &name.to_string()), ("what", &what.to_string())])))
        })
    });
    Curves { curves: first.chain(second).collect(), levels, marks: marks.collect(), ..one.clone() }
}

/// Rows of both, which are the same where their first cells and groups are: first what names them, then the columns of one and of the other.
fn merged(names: [&Words; 2], [one, other]: [&Table; 2]) -> Table {
    let (Some(key), own) = split(one) else { return one.clone() };
    let (_, others) = split(other);
    let named = |name: &Words, column: &Column, ending: &str| {
        let mut heads = vec![name.clone()];
        heads.extend(column.heads.iter().cloned());
        Column { name: format!("{}_{ending}", column.name), heads, kind: column.kind }
    };
    let mut columns = vec![key.clone()];
    for index in 0..own.len().max(others.len()) {
        columns.extend(own.get(index).map(|column| named(names[0], column, "first")));
        columns.extend(others.get(index).map(|column| named(names[1], column, "second")));
    }
    let row = |cell: &Cell, first: Option<&Row>, second: Option<&Row>| {
        let cell_of = |row: Option<&Row>, index: usize| row.and_then(|row| row.parts().1.get(index).cloned()).unwrap_or(Cell::Missing);
        let mut cells = vec![cell.clone()];
        for index in 0..own.len().max(others.len()) {
            cells.extend(own.get(index).map(|_| cell_of(first, index)));
            cells.extend(others.get(index).map(|_| cell_of(second, index)));
        }
        Row::Cells(cells)
    };
    let mut left: Vec<(Option<&Words>, &Row)> =
        other.groups.iter().flat_map(|group| group.rows.iter().map(move |row| (group.title.as_ref(), row))).collect();
    let mut groups: Vec<Group> = Vec::new();
    for group in &one.groups {
        let mut rows = Vec::new();
        for first in &group.rows {
            let Some(cell) = first.parts().0 else { continue };
            let is_same = |(title, row): &(Option<&Words>, &Row)| *title == group.title.as_ref() && row.parts().0 == Some(cell);
            let second = left.iter().position(is_same).map(|index| left.remove(index).1);
            rows.push(row(cell, Some(first), second));
        }
        groups.push(Group { title: group.title.clone(), rows });
    }
    for (title, second) in left {
        let Some(cell) = second.parts().0 else { continue };
        let row = row(cell, None, Some(second));
        match groups.iter_mut().find(|group| group.title.as_ref() == title) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { title: title.cloned(), rows: vec![row] }),
        }
    }
    Table { name: one.name.clone(), caption: one.caption.clone(), columns, groups }
}

/// The column that names rows, and the others.
fn split(table: &Table) -> (Option<&Column>, &[Column]) {
    table.columns.split_first().map_or((None, &[]), |(first, others)| (Some(first), others))
}

#[cfg(test)]
mod tests {
    use super::beside;
    use crate::plot::{Curve, CurvePoint, Curves, Role, Scale};
    use crate::story::{Block, Cell, Figure, Kind, Story, Table, Unit, text};
    use base::texts::Words;

    fn story(rows: &[(&str, f64)], unit: Unit) -> Story {
        let mut table = Table::headed("times", [(Kind::Words, "variant"), (Kind::Number, "median")]);
        for (name, value) in rows {
            table.row([Cell::Code((*name).to_owned()), Cell::Number(*value, Unit::Count)]);
        }
        let points = vec![CurvePoint { x: 1.0, y: 2.0, low: 1.0, high: 3.0, name: "here".into() }];
        let curve = Curve { label: "a".into(), role: Role::Device, points, is_stepped: false };
        let curves = Curves {
            curves: vec![curve],
            titles: ["x".into(), "y".into()],
            units: [Unit::Count, unit],
            scale: Scale::Linear,
            levels: vec![1.0],
            marks: Vec::new(),
            names: Vec::new(),
        };
        Story { title: None, blocks: vec![Block::Table(table), Block::Figure(Figure::Curves(curves))] }
    }

    #[test]
    fn rows_of_the_same_name_stand_in_one_and_no_row_is_lost() {
        let (one, other) = (story(&[("a", 1.0), ("b", 2.0)], Unit::Count), story(&[("b", 3.0), ("c", 4.0)], Unit::Count));
        let names: [Words; 2] = ["A".into(), "B".into()];
        let both = beside([&names[0], &names[1]], [&one, &other]);
        let told = text::paint(&both);
        let row = |name: &str| {
            let line = told.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{name}: {told}"));
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!((row("a "), row("b "), row("c ")), (words("a 1 –"), words("b 2 3"), words("c – 4")));
        let curves: Vec<_> = both.figures().collect();
        assert!(matches!(curves.as_slice(), [Figure::Curves(joined)] if joined.curves.len() == 2 && joined.levels == [1.0]), "{curves:?}");
    }

    #[test]
    fn curves_over_other_axes_are_charts_of_their_own() {
        let names: [Words; 2] = ["A".into(), "B".into()];
        let both = beside([&names[0], &names[1]], [&story(&[], Unit::Count), &story(&[], Unit::Ratio)]);
        assert_eq!(both.figures().count(), 2);
    }

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }
}
