//! Text tables for people: columns as wide as their widest cell.

use unicode_width::UnicodeWidthStr;

/// Where a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table that is filled row by row.
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Row>,
}

enum Row {
    Cells(Vec<String>),
    /// A first cell, and a sentence in place of all others.
    Sentence(String, String),
}

impl Table {
    /// Without rows.
    #[must_use]
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self { columns: columns.iter().map(|&(title, align)| (title.to_owned(), align)).collect(), rows: Vec::new() }
    }

    /// Adds a row with a cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(Row::Cells(cells));
    }

    /// Adds a row that has a sentence where its figures would be.
    pub fn sentence(&mut self, first: String, sentence: String) {
        self.rows.push(Row::Sentence(first, sentence));
    }

    /// The table with a line for its header and one for each row, without trailing blanks.
    #[must_use]
    pub fn render(&self) -> String {
        let header: Vec<String> = self.columns.iter().map(|(title, _)| title.clone()).collect();
        let mut widths: Vec<usize> = header.iter().map(|title| width(title)).collect();
        for row in &self.rows {
            let cells = match row {
                Row::Cells(cells) => cells.as_slice(),
                Row::Sentence(first, _) => std::slice::from_ref(first),
            };
            for (widest, cell) in widths.iter_mut().zip(cells) {
                *widest = (*widest).max(width(cell));
            }
        }
        let mut text = self.line(&header, &widths);
        for row in &self.rows {
            match row {
                Row::Cells(cells) => text += &self.line(cells, &widths),
                Row::Sentence(first, sentence) => {
                    let blanks = widths.first().map_or(0, |&widest| widest.saturating_sub(width(first)));
                    let line = [first, " ".repeat(blanks).as_str(), "  ", sentence].concat();
                    text.extend([line.trim_end(), "\n"]);
                }
            }
        }
        text
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, &widest), (_, align)) in cells.iter().zip(widths).zip(&self.columns) {
            let blanks = " ".repeat(widest.saturating_sub(width(cell)));
            line.extend(match align {
                Align::Left => [cell, blanks.as_str(), "  "],
                Align::Right => [&blanks, cell, "  "],
            });
        }
        format!("{}\n", line.trim_end())
    }
}

/// Columns that the text takes in a terminal: Chinese characters take two.
#[must_use]
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests {
    use super::{Align, Table};

    #[test]
    fn chinese_characters_are_two_columns_wide() {
        let mut table = Table::new(&[("变体", Align::Left), ("内核 ms", Align::Right), ("验证", Align::Left)]);
        table.row(vec!["naive".into(), "12.5".into(), "逐位一致".into()]);
        table.sentence("局部".into(), "不支持".into());
        assert_eq!(table.render(), "变体   内核 ms  验证\nnaive     12.5  逐位一致\n局部   不支持\n");
    }

    #[test]
    fn words_stand_left_and_numbers_right() {
        let mut table = Table::new(&[("name", Align::Left), ("ms", Align::Right), ("note", Align::Left)]);
        table.row(vec!["naïve".into(), "12.5".into(), String::new()]);
        table.sentence("local".into(), "unsupported: too large".into());
        table.row(vec!["a".into(), "1".into(), "busy".into()]);
        assert_eq!(table.render(), "name     ms  note\nnaïve  12.5\nlocal  unsupported: too large\na         1  busy\n");
    }
}
