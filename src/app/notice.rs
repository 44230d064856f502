//! What the window tells the person: what happened, why, what to do, with long detail folded away.

use super::action::Command;
use base::error::Error;
use base::files::{Line, Lines};

/// How a notice is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Something is missing or not as it should be, and the program goes on.
    Warning,
    /// What was asked could not be done.
    Error,
}

/// What a notice is about: news on the same topic settles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The last request: gone as soon as a later one succeeds.
    Request,
    /// Whether there is a device.
    Devices,
    /// Drivers, devices and machines that are not as they should be.
    DeviceProblems,
    /// Files and clipboard.
    Files,
    /// Folders with filters.
    Filters,
    /// Settings that could not be read or kept.
    Settings,
    /// A large picture that is asked about.
    LargePicture,
    /// Readings of earlier sessions.
    History,
    /// Predictions of earlier sessions.
    Predictions,
}

/// One notice on the screen.
#[derive(Clone, Debug)]
pub struct Notice {
    /// Unique in the session.
    pub id: u64,
    /// What it is about.
    pub topic: Topic,
    /// How it is marked.
    pub severity: Severity,
    /// What happened.
    pub what: String,
    /// Why.
    pub why: String,
    /// What to do; may be empty.
    pub remedy: String,
    /// Folded away at first.
    pub detail: Option<String>,
    /// Buttons.
    pub ways_on: Vec<Command>,
}

impl Notice {
    /// A notice with an error's words, without buttons.
    #[must_use]
    pub fn from_error(topic: Topic, severity: Severity, error: Error) -> Self {
        let Error { what, why, remedy, detail, .. } = error;
        Self { id: 0, topic, severity, what, why, remedy, detail, ways_on: Vec::new() }
    }
}

/// More than these push the oldest out: the pictures must stay visible.
const MAX_NOTICES: usize = 4;

/// The notices on the screen, the oldest first.
#[derive(Debug, Default)]
pub struct Notices {
    all: Vec<Notice>,
    next_id: u64,
}

impl Notices {
    /// All, the oldest first.
    #[must_use]
    pub fn all(&self) -> &[Notice] {
        &self.all
    }

    /// Shows a notice; one with the same `what` gives way to it. The id is given here.
    pub fn push(&mut self, mut notice: Notice) {
        self.next_id += 1;
        notice.id = self.next_id;
        self.all.retain(|other| other.what != notice.what);
        self.all.push(notice);
        if self.all.len() > MAX_NOTICES {
            self.all.remove(0);
        }
    }

    /// Shows an error, unless it is the person's own cancel.
    pub fn error(&mut self, topic: Topic, error: Error, ways_on: Vec<Command>) {
        if !error.is_cancelled() {
            self.push(Notice { ways_on, ..Notice::from_error(topic, Severity::Error, error) });
        }
    }

    /// Shows something good to know.
    pub fn info(&mut self, topic: Topic, what: impl Into<String>, why: impl Into<String>) {
        self.push(Notice::from_error(topic, Severity::Info, Error::failed(what, why, "")));
    }

    /// Tells of a file's lines that could not be read, if there are any.
    pub fn damaged<T: Line>(&mut self, topic: Topic, kept: &Lines<T>) {
        if let Some(error) = kept.damage() {
            self.push(Notice::from_error(topic, Severity::Info, error));
        }
    }

    /// Takes a notice off the screen.
    pub fn dismiss(&mut self, id: u64) {
        self.all.retain(|notice| notice.id != id);
    }

    /// Takes the notices on this topic off the screen: what they told of is over.
    pub fn settle(&mut self, topic: Topic) {
        self.all.retain(|notice| notice.topic != topic);
    }
}
