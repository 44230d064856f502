//! A story for a terminal. Its figures are left out: their numbers stand in its tables.

use super::{Block, Cell, Kind, Row, Story, Table};
use unicode_width::UnicodeWidthStr;

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

/// A table with a line for its heads and one for each row, columns as wide as their widest cell.
#[must_use]
pub fn table(table: &Table) -> String {
    let heads = table.columns.iter().map(|column| joined(&column.heads, " ")).collect();
    // Cells, and what stands in the place of those that are not there.
    let mut lines: Vec<(Vec<String>, String)> = vec![(heads, String::new())];
    for group in &table.groups {
        lines.extend(group.title.iter().map(|title| (vec![title.to_string()], String::new())));
        lines.extend(group.rows.iter().map(|row| match row {
            Row::Cells(cells) => (cells.iter().map(Cell::told).collect(), String::new()),
            Row::Instead(first, why) => (vec![first.told()], why.to_string()),
        }));
    }
    let mut widths = vec![0; table.columns.len()];
    for (cells, _) in &lines {
        widths.iter_mut().zip(cells).for_each(|(widest, cell)| *widest = width(cell).max(*widest));
    }
    let mut text = String::new();
    for (cells, instead) in &lines {
        let mut line = String::new();
        for ((cell, widest), column) in cells.iter().zip(&widths).zip(&table.columns) {
            let blanks = " ".repeat(widest.saturating_sub(width(cell)));
            line.extend(match column.kind {
                Kind::Words => [cell, blanks.as_str(), "  "],
                Kind::Number => [&blanks, cell, "  "],
            });
        }
        text.extend([(line + instead).trim_end(), "\n"]);
    }
    text
}

/// Columns that the text takes in a terminal: Chinese characters take two.
#[must_use]
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

pub(super) fn joined(words: &[base::texts::Words], between: &str) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::table;
    use crate::story::Kind::{Number, Words};
    use crate::story::{Cell, Row, Table};

    fn of(heads: [&'static str; 3], cells: [&'static str; 3], instead: [&'static str; 2]) -> Table {
        let mut table = Table::headed("table", [Words, Number, Words].into_iter().zip(heads));
        table.row(cells.map(|cell| Cell::of(&cell)));
        let [first, why] = instead;
        table.row(Row::Instead(Cell::of(&first), why.into()));
        table
    }

    #[test]
    fn chinese_characters_are_two_columns_wide() {
        let table = table(&of(["变体", "内核 ms", "验证"], ["naive", "12.5", "逐位一致"], ["局部", "不支持"]));
        assert_eq!(table, "变体   内核 ms  验证\nnaive     12.5  逐位一致\n局部   不支持\n");
    }

    #[test]
    fn words_stand_left_and_numbers_right() {
        let mut of = of(["name", "ms", "note"], ["naïve", "12.5", ""], ["local", "unsupported: too large"]);
        of.row(["a", "1", "busy"].map(|cell| Cell::of(&cell)));
        assert_eq!(table(&of), "name     ms  note\nnaïve  12.5\nlocal  unsupported: too large\na         1  busy\n");
    }
}
