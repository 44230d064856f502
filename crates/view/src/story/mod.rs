//! What a study, a ladder or a comparison has to tell, as one value: a [`Story`] of sentences, tables with typed columns, figures and code. It has no language:
//! sentences are texts by their keys ([`Words`]), figures of tables are numbers with a [`Unit`]. Whoever paints it chooses the language then, and what
//! programs read is the same in every one.
//!
//! | painter | for |
//! |---|---|
//! | [`text`] | terminals: columns as wide as their widest cell |
//! | [`markdown`] | pages of a repository |
//! | [`html`] | reports |
//! | [`paper`] | pages of A4, for PDF |
//! | [`json`], [`csv`] | programs |
//!
//! The window has one of its own.

mod beside;
pub mod cell;
pub mod csv;
pub mod figure;
pub mod html;
pub mod json;
pub mod markdown;
pub mod paper;
#[cfg(test)]
mod tests;
pub mod text;
mod words;

pub use crate::plot::units::Unit;
pub use beside::beside;
pub use cell::{Cell, Mark};
pub use figure::{Figure, Step};

use base::texts::{Words, speaking_keys};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// What there is to tell, from top to bottom.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// What it is about.
    pub title: Option<Words>,
    /// What follows.
    pub blocks: Vec<Block>,
}

/// A part of a story.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// What the blocks below have in common.
    Heading(Words),
    /// One sentence, or several that belong together.
    Sentence(Tone, Words),
    /// Rows of cells.
    Table(Table),
    /// A chart.
    Figure(Figure),
    /// Lines as they are.
    Code(String),
}

/// How much a sentence matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// As all others.
    #[default]
    Plain,
    /// What it all comes to.
    Strong,
    /// How to read what stands above.
    Weak,
    /// Not to be trusted, or to be looked at.
    Warning,
}

/// Rows of cells under the heads of their columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// For programs.
    pub name: String,
    /// For people.
    pub caption: Option<Words>,
    /// From left to right. The first one names the rows.
    pub columns: Vec<Column>,
    /// From top to bottom.
    pub groups: Vec<Group>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// For programs: a field of JSON, a column of CSV.
    pub name: String,
    /// For people; of several lines, one below the other.
    pub heads: Vec<Words>,
    /// What its cells are.
    pub kind: Kind,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Words, which begin at the left.
    Words,
    /// Numbers, which end at the right.
    Number,
}

/// Rows that belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// What they have in common.
    pub title: Option<Words>,
    /// From top to bottom.
    pub rows: Vec<Row>,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Row {
    /// A cell for each column.
    Cells(Vec<Cell>),
    /// A cell that names the row, and why there are no others.
    Instead(Cell, Words),
}

impl Story {
    /// The same with another block at its end.
    pub fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// Adds a sentence.
    pub fn say(&mut self, tone: Tone, words: Words) {
        self.push(Block::Sentence(tone, words));
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.blocks.iter().filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None })
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.blocks.iter().filter_map(|block| if let Block::Figure(figure) = block { Some(figure) } else { None })
    }
}

impl Column {
    /// With the text of that key as its head.
    #[must_use]
    pub fn new(name: &str, kind: Kind, head: &'static str) -> Self {
        Self::headed(name, kind, Words::text(head))
    }

    /// With these words as its head.
    #[must_use]
    pub fn headed(name: &str, kind: Kind, head: Words) -> Self {
        Self { name: name.to_owned(), heads: vec![head], kind }
    }
}

impl Table {
    /// Without rows.
    #[must_use]
    pub fn new(name: &str, columns: Vec<Column>) -> Self {
        Self { name: name.to_owned(), caption: None, columns, groups: vec![Group::default()] }
    }

    /// Without rows; columns have the texts of these keys as heads, and what is no key as it is. Programs know each by the last part of its key.
    #[must_use]
    pub fn headed(name: &str, heads: impl IntoIterator<Item = (Kind, &'static str)>) -> Self {
        let column = |(kind, head): (Kind, &'static str)| Column::new(head.rsplit('.').next().unwrap_or(head), kind, head);
        Self::new(name, heads.into_iter().map(column).collect())
    }

    /// The same with a caption.
    #[must_use]
    pub fn captioned(self, caption: &str) -> Self {
        Self { caption: Some(caption.into()), ..self }
    }

    /// Begins a group.
    pub fn group(&mut self, title: &dyn Display) {
        self.groups.push(Group { title: Some(Words::of(title)), rows: Vec::new() });
    }

    /// Adds a row to the last group.
    pub fn row(&mut self, row: impl Into<Row>) {
        match self.groups.last_mut() {
            Some(group) => group.rows.push(row.into()),
            None => self.groups.push(Group { title: None, rows: vec![row.into()] }),
        }
    }

    /// Adds a column, with the cell of each row.
    pub fn add(&mut self, column: Column, cell: impl Fn(usize) -> Cell) {
        self.columns.push(column);
        for (index, row) in self.groups.iter_mut().flat_map(|group| &mut group.rows).enumerate() {
            if let Row::Cells(cells) = row {
                cells.push(cell(index));
            }
        }
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flat_map(|group| &group.rows)
    }
}

impl From<Vec<Cell>> for Row {
    fn from(cells: Vec<Cell>) -> Self {
        Self::Cells(cells)
    }
}

impl<const COUNT: usize> From<[Cell; COUNT]> for Row {
    fn from(cells: [Cell; COUNT]) -> Self {
        Self::Cells(cells.into())
    }
}

impl Row {
    /// The cell that names it, and the others.
    #[must_use]
    pub fn parts(&self) -> (Option<&Cell>, &[Cell]) {
        match self {
            Self::Cells(cells) => cells.split_first().map_or((None, &[]), |(first, others)| (Some(first), others)),
            Self::Instead(first, _) => (Some(first), &[]),
        }
    }
}

/// What `say` says, without a language: texts that it looks up stay keys.
#[must_use]
pub fn said(say: impl FnOnce() -> String) -> Words {
    Words::from(speaking_keys(say))
}

/// The same where there is something to say.
#[must_use]
pub fn said_where(say: impl FnOnce() -> Option<String>) -> Option<Words> {
    speaking_keys(say).map(Words::from)
}
