//! A baseline: what kernels took at a time, kept to be held to later. A build that makes one of them slower is then found by a command, and not by a person.
//!
//! | file | holds |
//! |---|---|
//! | `file` | the file: a bundle, with what the gate needs beside it |
//! | `fingerprint` | what the machine was and how it ran, and which of that must be the same |
//! | `rows` | the rows of a bundle as tasks for the devices there are now |
//! | `judging` | the same rows in new processes, and what follows |
//! | `telling` | that as a story |
//! | `history` | what comparisons came to, commit by commit |
//! | `junit` | that as JUnit XML |
//!
//! # Two questions
//!
//! **Has the kernel changed?** Its text is kept, and differs from today's. Then both texts run today, in interleaved pairs in new processes: whatever the machine, its clock
//! and its driver do meanwhile, they do to both. The ratio is of the texts alone.
//!
//! **Is it the same text?** Then nothing of it can have become slower but what runs it. Its median in each of the processes of then is held to its median in
//! as many processes of now ([`model::measure::Change::of_processes`]): this finds a slower driver setting, compiler or machine, and has their noise. No number of
//! processes within minutes shows how much a machine drifts within hours, so that such a row is only ruled on where a person asks for that, or where it is started in another way
//! than then.

mod file;
mod fingerprint;
mod history;
mod judging;
mod junit;
mod rows;
mod telling;
#[cfg(test)]
mod tests;

pub use file::{read, write};
pub use fingerprint::{Fingerprint, Power};
pub use history::{Entry, EntryRow, History, Then};
pub use judging::{Judged, Outcome, Outlook, Question, Terms, judge, overall, save};
pub use junit::junit;
pub use rows::{Rows, differences};
pub use telling::{row_sentence, story};

use crate::bundle::Bundle;
use model::measure::mostly_busy;
use model::{Budget, Record};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Fewer processes say too little about how they scatter.
pub const LEAST_PROCESSES: usize = 3;

/// What kernels took, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// The machine, and how it ran.
    pub fingerprint: Fingerprint,
    /// The rows, in the order of the readings of the bundle.
    pub rows: Vec<Row>,
    /// All that the benchmark brought.
    pub bundle: Bundle,
    /// What a newer version added.
    pub other: Map<String, Value>,
}

/// What a row of the bundle took in each process; nothing where it has no figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The processes, in the order in which they ran.
    pub processes: Vec<Process>,
    /// A hash of how it is built and started: options, work-items, layout of its pictures. Files of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
    /// What a newer version added.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The kernel time of a row in one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Process {
    /// Median.
    pub median_ns: f64,
    /// First quartile.
    pub lower_quartile_ns: f64,
    /// Third quartile.
    pub upper_quartile_ns: f64,
    /// Number of samples.
    pub count: usize,
    /// Whether other programs ran throughout.
    pub busy: bool,
    /// What a newer version added.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Process {
    /// Of a record; `None` where it has no kernel time.
    #[must_use]
    pub fn of(record: &Record) -> Option<Self> {
        let kernel = record.kernel()?;
        Some(Self {
            median_ns: kernel.median_ns,
            lower_quartile_ns: kernel.lower_quartile_ns,
            upper_quartile_ns: kernel.upper_quartile_ns,
            count: kernel.count,
            busy: record.is_busy(),
            other: Map::new(),
        })
    }
}

/// Medians of processes.
fn medians(processes: &[Process]) -> Vec<f64> {
    processes.iter().map(|process| process.median_ns).collect()
}

/// Whether other programs ran throughout in most of them.
fn is_busy(processes: &[Process]) -> bool {
    mostly_busy(processes.iter().map(|process| process.busy))
}

impl Baseline {
    /// In how many processes it was measured, and is measured again where nothing else is asked for.
    #[must_use]
    pub fn processes(&self) -> usize {
        let most = self.rows.iter().map(|row| row.processes.len()).max().unwrap_or(0);
        if most == 0 { Budget::STARTS } else { most }
    }
}
