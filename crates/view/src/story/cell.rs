//! What stands in one place of a table.

use crate::plot::units::{self, Unit};
use base::texts::{Words, filled};
use model::measure::{Comparison, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// What stands in one place of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// Nothing is to be said.
    Empty,
    /// What is not known, or was not measured.
    Missing,
    /// What is still to come.
    Awaited,
    /// A name, or words.
    Words(Words),
    /// A variant, or another name that the program knows.
    Code(String),
    /// Width and height of a picture in pixels.
    Size([usize; 2]),
    /// A number.
    Number(f64, Unit),
    /// A number with its interval: middle, low, high.
    Between([f64; 3], Unit),
    /// How two compared, with its verdict; whether other programs ran meanwhile.
    Compared(Comparison, bool),
    /// A verdict in words, and what it is worth.
    Verdict(Mark, Words),
    /// What could not be had, and why.
    Refused(Words),
    /// One below the other.
    Lines(Vec<Cell>),
    /// What is told where there is room for it.
    Explained(Box<Cell>, Words),
}

/// What a verdict is worth: its color, and the class of a style sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// As it was said.
    Confirmed,
    /// No such thing.
    NotSeen,
    /// The other way round.
    Reversed,
    /// Undecided.
    Unclear,
}

impl Mark {
    /// The class of the style sheet, and the word by which charts are filtered.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotSeen => "not-seen",
            Self::Reversed => "reversed",
            Self::Unclear => "unclear",
        }
    }
}

impl Cell {
    /// What it says, see [`Words::of`].
    #[must_use]
    pub fn of(said: &dyn Display) -> Self {
        Self::Words(Words::of(said))
    }

    /// The same where it is known.
    #[must_use]
    pub fn or_missing(said: Option<impl Display>) -> Self {
        said.map_or(Self::Missing, |said| Self::of(&said))
    }

    /// A number of something.
    #[must_use]
    pub const fn count(count: usize) -> Self {
        Self::Number(count as f64, Unit::Count)
    }

    /// Words, or nothing where there are none.
    #[must_use]
    pub fn words_or_empty(words: Option<Words>) -> Self {
        words.map_or(Self::Empty, Self::Words)
    }

    /// A number, where it is known.
    #[must_use]
    pub fn number(value: Option<f64>, unit: Unit) -> Self {
        value.map_or(Self::Missing, |value| Self::Number(value, unit))
    }

    /// A speed-up with its interval, without a verdict.
    #[must_use]
    pub const fn ratio(of: &Comparison) -> Self {
        Self::Between([of.ratio, of.low, of.high], Unit::Ratio)
    }

    /// The lines that it is told in, in the language that is spoken now.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Empty => Vec::new(),
            Self::Lines(cells) => cells.iter().flat_map(Self::lines).collect(),
            Self::Explained(cell, _) => cell.lines(),
            _ => vec![self.line()],
        }
    }

    fn line(&self) -> String {
        match self {
            Self::Empty | Self::Lines(_) | Self::Explained(..) => String::new(),
            Self::Missing => "–".to_owned(),
            Self::Awaited => "…".to_owned(),
            Self::Words(words) | Self::Verdict(_, words) => words.to_string(),
            Self::Code(code) => code.clone(),
            Self::Size([width, height]) => format!("{width} × {height}"),
            Self::Number(value, unit) => unit.text(*value),
            Self::Between(values, unit) => unit.between(*values),
            Self::Compared(comparison, _) => units::comparison(comparison),
            Self::Refused(why) => format!("– ({why})"),
        }
    }

    /// What is told of it where there is room.
    #[must_use]
    pub fn explained(&self) -> Option<String> {
        match self {
            Self::Compared(comparison, is_busy) => Some(verdict(comparison, *is_busy)),
            Self::Refused(why) => Some(filled("studies.ablation.not-compared", &[("why", why)])),
            Self::Explained(_, words) => Some(words.to_string()),
            _ => None,
        }
    }

    /// All of it in one line, with verdicts: for where nothing can be pointed at.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::Compared(comparison, is_busy) => format!("{} {}", self.line(), verdict(comparison, *is_busy)),
            Self::Lines(cells) => cells.iter().map(Self::told).collect::<Vec<_>>().join("; "),
            Self::Explained(cell, _) => cell.told(),
            _ => self.line(),
        }
    }

    /// What it is worth.
    #[must_use]
    pub fn mark(&self) -> Option<Mark> {
        match self {
            Self::Verdict(mark, _) => Some(*mark),
            Self::Compared(comparison, _) => match comparison.verdict {
                Verdict::Faster => Some(Mark::Confirmed),
                Verdict::Slower => Some(Mark::Reversed),
                Verdict::Same | Verdict::Unclear => None,
            },
            Self::Explained(cell, _) => cell.mark(),
            // Only where all of its lines agree.
            Self::Lines(cells) => {
                let mut marks = cells.iter().filter_map(Self::mark);
                let first = marks.next()?;
                marks.all(|mark| mark == first).then_some(first)
            }
            _ => None,
        }
    }
}

fn verdict(comparison: &Comparison, is_busy: bool) -> String {
    units::with_starts(units::verdict(comparison.verdict, is_busy), comparison)
}
