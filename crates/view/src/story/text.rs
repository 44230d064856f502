//! A story for a terminal. Its figures are left out: their numbers stand in its tables.

use super::columns::{self, Align};
use super::{Block, Kind, Row, Story, Table};

/// The whole story. Blocks of different kinds have an empty line between them.
#[must_use]
pub fn paint(story: &Story) -> String {
    let title = story.title.iter().map(|title| (false, format!("{title}\n")));
    let blocks = story.blocks.iter().filter_map(|block| match block {
        Block::Heading(words) => Some((false, format!("{words}\n"))),
        Block::Sentence(_, words) => Some((true, format!("{words}\n"))),
        Block::Table(of) => Some((false, table(of))),
        Block::Code(code) => Some((false, format!("{}\n", code.trim_end()))),
        Block::Figure(_) => None,
    });
    let mut text = String::new();
    let mut was_sentence = true;
    for (is_sentence, block) in title.chain(blocks) {
        // A sentence goes with what stands above it.
        if !(text.is_empty() || was_sentence && is_sentence) {
            text.push('\n');
        }
        text.push_str(&block);
        was_sentence = is_sentence;
    }
    text
}

/// A table with a line for its heads and one for each row.
#[must_use]
pub fn table(table: &Table) -> String {
    let heads: Vec<String> = table.columns.iter().map(|column| joined(&column.heads, " ")).collect();
    let aligns = table.columns.iter().map(|column| match column.kind {
        Kind::Words => Align::Left,
        Kind::Number => Align::Right,
    });
    let mut painted = columns::Table::new(&heads.iter().map(String::as_str).zip(aligns).collect::<Vec<_>>());
    for group in &table.groups {
        if let Some(title) = &group.title {
            painted.sentence(title.to_string(), String::new());
        }
        for row in &group.rows {
            match row {
                Row::Cells(cells) => painted.row(cells.iter().map(super::Cell::told).collect()),
                Row::Instead(first, why) => painted.sentence(first.told(), why.to_string()),
            }
        }
    }
    painted.render()
}

pub(super) fn joined(words: &[base::texts::Words], between: &str) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}
