//! A story as Markdown. Its figures are left out: their numbers stand in its tables.

use super::{Block, Cell, Kind, Row, Story, Table, Tone};
use base::foreign;
use base::texts::Words;

/// The whole story.
#[must_use]
pub fn paint(story: &Story) -> String {
    let title = story.title.iter().map(|title| format!("# {}\n", escaped(title)));
    let blocks = story.blocks.iter().filter_map(|block| match block {
        Block::Heading(words) => Some(format!("## {}\n", escaped(words))),
        Block::Sentence(Tone::Strong, words) => Some(format!("**{}**\n", escaped(words))),
        Block::Sentence(Tone::Plain | Tone::Weak | Tone::Warning, words) => Some(format!("{}\n", escaped(words))),
        Block::Table(of) => Some(table(of)),
        Block::Code(code) => Some(format!("```\n{}\n```\n", code.trim_end())),
        Block::Figure(_) => None,
    });
    title.chain(blocks).collect::<Vec<_>>().join("\n")
}

/// A table.
#[must_use]
pub fn table(table: &Table) -> String {
    let heads = table.columns.iter().map(|column| column.heads.iter().map(escaped).collect::<Vec<_>>().join("<br>"));
    let rules = table.columns.iter().map(|column| match column.kind {
        Kind::Words => "---",
        Kind::Number => "--:",
    });
    format!("{}|{}|\n{}", line(&heads.collect::<Vec<_>>()), rules.collect::<Vec<_>>().join("|"), rows(table))
}

/// The rows alone: a long table may come as it is made.
#[must_use]
pub fn rows(table: &Table) -> String {
    let blank = |count: usize| vec![String::new(); table.columns.len().saturating_sub(count)];
    let mut text = String::new();
    for group in &table.groups {
        if let Some(title) = &group.title {
            text += &line(&[vec![format!("**{}**", escaped(title))], blank(1)].concat());
        }
        for row in &group.rows {
            text += &line(&match row {
                Row::Cells(cells) => cells.iter().map(cell).collect(),
                Row::Instead(first, why) => [vec![cell(first), escaped(why)], blank(2)].concat(),
            });
        }
    }
    text
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Code(code) => format!("`{}`", code.replace('|', "\\|")),
        Cell::Words(words) | Cell::Verdict(_, words) => escaped(words),
        Cell::Refused(why) => format!("– ({})", escaped(why)),
        Cell::Lines(cells) => cells.iter().map(self::cell).collect::<Vec<_>>().join("<br>"),
        Cell::Explained(cell, _) => self::cell(cell),
        _ => cell.told(),
    }
}

/// Our own texts as they are; what is in none (names, what a driver said) not as markup.
fn escaped(words: &Words) -> String {
    words.with_changed(&|piece| foreign::markdown(piece).into_owned()).to_string()
}
