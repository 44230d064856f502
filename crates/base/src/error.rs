//! The one error type: what happened, why, and what to do about it.

use crate::texts::{Words, filled, is_for_files, speaking_keys, spoken, text};
use serde::{Deserialize, Serialize};

/// Who can mend it; decides the exit code and how the window words the notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorKind {
    /// The request itself was wrong (exit code 2): an unknown name, a variant that is not allowed, a bad number.
    Usage,
    /// The request was fine and could not be carried out (exit code 1): a damaged file, a driver's refusal.
    Failed,
    /// As `Failed` (exit code 1), and what reported it cannot be used any more: the device is gone, or its context is spoiled.
    Lost,
    /// As `Failed` (exit code 1), and a copy of this program would mend it: another machine does not have it, or only in a version that this one cannot talk to.
    NoProgram,
    /// The person cancelled it. Never shown as a failure.
    Cancelled,
}

/// What happened, why, and what to do, in that order. Plain data: it crosses threads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{}", self.told())]
pub struct Error {
    /// Who can mend it.
    pub kind: ErrorKind,
    /// What happened, as a clause without a full stop ("The kernel did not build").
    pub what: String,
    /// Why, down to the root cause, with two numbers where a limit was passed.
    pub why: String,
    /// What the person can do; may be empty where nothing helps.
    pub remedy: String,
    /// Long detail that is folded away at first (a build log).
    pub detail: Option<String>,
    /// `what`, `why` and `remedy` by their keys, for what is kept of it in files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Box<[String; 3]>>,
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A request that could not be carried out (exit code 1).
    pub fn failed(what: impl Into<String>, why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, what, why, remedy)
    }

    /// A wrong request (exit code 2).
    pub fn usage(what: impl Into<String>, why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, what, why, remedy)
    }

    /// The same, where what reported it cannot be used any more.
    #[must_use]
    pub fn of_lost_device(self) -> Self {
        Self { kind: ErrorKind::Lost, ..self }
    }

    /// The same, where another machine does not have this program, or only in a version that this one cannot talk to.
    #[must_use]
    pub fn of_missing_program(self) -> Self {
        Self { kind: ErrorKind::NoProgram, ..self }
    }

    /// The person's own cancel.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, text("errors.cancelled.what"), text("errors.cancelled.why"), "")
    }

    fn new(kind: ErrorKind, what: impl Into<String>, why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { kind, what: what.into(), why: why.into(), remedy: remedy.into(), detail: None, keys: None }
    }

    /// All in a line.
    fn told(&self) -> String {
        // Files have it in no language, or in English.
        let [what, why, remedy] = match &self.keys {
            Some(keys) if is_for_files() => keys.each_ref().map(|text| spoken(text)),
            _ => [&self.what, &self.why, &self.remedy].map(String::clone),
        };
        let key = if remedy.is_empty() { "errors.told" } else { "errors.told-with-remedy" };
        filled(key, &[("what", &what), ("why", &why), ("remedy", &remedy)])
    }

    /// The same with its texts by their keys beside them.
    #[must_use]
    pub fn with_keys(self, keys: Option<[String; 3]>) -> Self {
        Self { keys: keys.map(Box::new), ..self }
    }

    /// What a process that speaks in keys reports, in the language that is spoken here.
    #[must_use]
    pub fn heard(self) -> Self {
        let keys = [self.what, self.why, self.remedy];
        let [what, why, remedy] = keys.each_ref().map(|text| spoken(text));
        let detail = self.detail.as_deref().map(spoken);
        Self { kind: self.kind, what, why, remedy, detail, keys: Some(Box::new(keys)) }
    }

    /// Why, without a language, for what is kept of it.
    #[must_use]
    pub fn why_in_words(&self) -> Words {
        let [_, why, _] = self.keys.as_deref().map_or([&self.what, &self.why, &self.remedy], <[String; 3]>::each_ref);
        Words::from(why.as_str())
    }

    /// What and why, without a language.
    #[must_use]
    pub fn reason_in_words(&self) -> Words {
        let [what, why, _] = self.keys.as_deref().map_or([&self.what, &self.why, &self.remedy], <[String; 3]>::each_ref);
        Words::from(speaking_keys(|| filled("errors.told", &[("what", what), ("why", why)])))
    }

    /// Adds long detail that is folded away at first.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Adds long detail behind what there is.
    #[must_use]
    pub fn with_more_detail(self, more: String) -> Self {
        let detail = self.detail.iter().cloned().chain([more]).collect::<Vec<_>>().join("\n");
        self.with_detail(detail)
    }

    /// True for the person's own cancel.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.kind == ErrorKind::Cancelled
    }
}
