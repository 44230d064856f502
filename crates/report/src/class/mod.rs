//! A class: the file that a student sends to a teacher, and the page that a teacher makes of many.
//!
//! | file | holds |
//! |---|---|
//! | `file` | the file: what it says that it is, its sum, and what is wrong with one |
//! | `gather` | what of many files belongs together, step by step |
//! | `strip` | a step as charts: one dot per device, and the votes |
//! | `page` | the page |
//! | `example` | made-up files, for who wants to try it before there is a class |
//!
//! The file holds what a session measured as a bundle has it, the predictions, and what became of the tasks of lessons. It holds no name but one that the
//! student gives, no path and no picture, and is the same in every language.

mod example;
mod file;
mod gather;
mod page;
mod strip;
#[cfg(test)]
mod tests;

pub use example::made_up;
pub use file::{of_bytes, read, write};
pub use gather::{Class, Student};
pub use page::html;

use base::error::{Error, Result};
use engine::device::DeviceInfo;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use study::PredictionRecord;
use study::bundle::Bundle;
use study::lessons::Item;

/// A longer alias is cut.
const MOST_ALIAS: usize = 40;

/// What a student sends to a teacher.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    /// Nobody measured this: it is for trying out what is made of such files.
    pub is_made_up: bool,
    /// When it was written: RFC 3339, UTC. Of two by the same student the later one counts.
    pub written: String,
    /// What the student's machine is called in bundles.
    pub machine: String,
    /// What the student wants to be called.
    pub alias: Option<String>,
    /// What the session measured.
    pub bundle: Bundle,
    /// The devices of the machine: predictions of earlier sessions name theirs by a hash alone.
    pub devices: Vec<DeviceInfo>,
    /// Predictions, of this session and of earlier ones, in the order made.
    pub predictions: Vec<Kept<PredictionRecord>>,
    /// What became of the tasks of lessons that were opened.
    pub lessons: Vec<Kept<LessonDone>>,
    /// What a newer version adds, as it was.
    pub other: Map<String, Value>,
}

impl Sent {
    /// The alias as files have it: in one line and short; `None` where nothing is left.
    #[must_use]
    pub fn alias_of(said: &str) -> Option<String> {
        let plain: String = said.split_whitespace().collect::<Vec<_>>().join(" ").chars().filter(|letter| !letter.is_control()).collect();
        let cut: String = plain.chars().take(MOST_ALIAS).collect();
        Some(cut.trim().to_owned()).filter(|alias| !alias.is_empty())
    }

    /// Who sent it.
    #[must_use]
    pub fn student(&self) -> Student {
        Student { alias: self.alias.clone(), machine: self.machine.clone() }
    }
}

/// What a teacher gets.
#[derive(Clone, Debug, PartialEq)]
pub enum HandedIn {
    /// A file for the teacher.
    Sent(Box<Sent>),
    /// A bundle, as `bench --bundle` writes it: measurements alone.
    Bundle(Bundle),
}

/// Reads many files; with them, what is wrong with those that cannot be read.
///
/// # Errors
/// Failed where none of them can be read, as the first of them.
pub fn read_all(paths: &[PathBuf]) -> Result<(Vec<HandedIn>, Vec<Error>)> {
    let (mut handed_in, mut faults) = (Vec::new(), Vec::new());
    for path in paths {
        match read(path) {
            Ok(file) => handed_in.push(file),
            Err(error) => faults.push(error),
        }
    }
    match faults.first() {
        Some(first) if handed_in.is_empty() => Err(first.clone()),
        _ => Ok((handed_in, faults)),
    }
}

/// A row of a file as this version understands it, and as it was written: what a newer version adds to it stays there.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept<T> {
    known: Option<T>,
    json: Value,
}

impl<T: Serialize> Kept<T> {
    /// One of our own.
    ///
    /// # Errors
    /// Never for plain data.
    pub fn of(row: T) -> Result<Self> {
        let json = serde_json::to_value(&row).map_err(|error| base::texts::failed("errors.class.not-made", &[("why", &error)]))?;
        Ok(Self { known: Some(row), json })
    }
}

impl<T> Kept<T> {
    /// What this version understands of it; `None` for a row of another version.
    #[must_use]
    pub fn known(&self) -> Option<&T> {
        self.known.as_ref()
    }
}

/// What became of the tasks of a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LessonDone {
    /// The lesson's name.
    pub lesson: String,
    /// Its tasks and questions, in the order of its screens.
    pub tasks: Vec<TaskDone>,
}

/// What became of a task or a question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskDone {
    /// The screen, from 0.
    pub screen: usize,
    /// What was asked.
    pub kind: TaskKind,
    /// What became of it.
    pub state: TaskState,
    /// The answer: its number, from 0, or the number that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<f64>,
    /// Whether the answer is right, where the lesson says which one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_right: Option<bool>,
}

/// What a screen asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskKind {
    /// One of several answers.
    Choose,
    /// A number.
    Number,
    /// To change what is shown until something holds.
    Task,
}

impl TaskKind {
    /// What a screen asks; `None` for predictions and experiments, which are rows of their own.
    #[must_use]
    pub fn of(item: &Item) -> Option<Self> {
        match item {
            Item::Choose(_) => Some(Self::Choose),
            Item::Number(_) => Some(Self::Number),
            Item::Task(_) => Some(Self::Task),
            Item::Predict | Item::Experiment(_) => None,
        }
    }
}

/// What became of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// It was reached, or answered.
    Done,
    /// It was passed over.
    Skipped,
    /// Neither.
    Open,
}
