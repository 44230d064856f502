//! A lesson's file as it is written. [`read`](fn@super::read) holds it to what the program knows.

use super::Needs;
use model::{BorderMode, Channels, HostMemory};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonRow {
    pub title: Spanned<String>,
    pub goal: Spanned<String>,
    pub minutes: u32,
    #[serde(default)]
    pub device: Needs,
    /// What screens show that say nothing else.
    pub filter: Option<Spanned<String>>,
    pub channels: Option<Spanned<Channels>>,
    pub border: Option<BorderMode>,
    pub picture: Option<Spanned<String>>,
    pub start: Option<ScreenRow>,
    #[serde(default, rename = "screen")]
    pub screens: Vec<ScreenRow>,
    pub end: Option<ScreenRow>,
    #[serde(default)]
    pub known: Vec<Spanned<String>>,
    pub teacher: Option<NotesRow>,
}

/// A teacher's notes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotesRow {
    pub goal: Option<Spanned<String>>,
    pub class: Option<Spanned<String>>,
    #[serde(default)]
    pub plan: Vec<StepRow>,
    pub draw: Option<Spanned<String>>,
    pub answers: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    pub errors: Vec<ErrorRow>,
    pub extension: Option<Spanned<String>>,
}

/// A part of a class.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRow {
    pub minutes: u32,
    pub what: Spanned<String>,
}

/// What students often believe.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorRow {
    pub error: Spanned<String>,
    pub say: Spanned<String>,
}

/// A screen.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScreenRow {
    pub title: Spanned<String>,
    pub text: Spanned<String>,
    #[serde(default)]
    pub device: Needs,
    pub show: Option<Spanned<ShowRow>>,
    pub predict: Option<Spanned<bool>>,
    pub choose: Option<Spanned<ChooseRow>>,
    pub number: Option<Spanned<NumberRow>>,
    pub task: Option<Spanned<TaskRow>>,
    pub experiment: Option<Spanned<String>>,
    pub record: Option<RecordRow>,
    pub then: Option<Spanned<String>>,
}

/// What is shown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShowRow {
    pub filter: Option<Spanned<String>>,
    pub channels: Option<Spanned<Channels>>,
    pub border: Option<BorderMode>,
    #[serde(default)]
    pub parameters: BTreeMap<String, f64>,
    pub variant: Spanned<String>,
    pub local: Option<Spanned<String>>,
    #[serde(default)]
    pub memory: HostMemory,
    pub against: Option<Spanned<String>>,
    pub against_local: Option<Spanned<String>>,
    pub against_memory: Option<HostMemory>,
    pub picture: Option<Spanned<String>>,
    pub panel: Option<Spanned<String>>,
    pub figure: Option<Spanned<String>>,
}

/// A question with answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChooseRow {
    pub question: Spanned<String>,
    pub right: Spanned<String>,
    #[serde(default)]
    pub wrong: Vec<WrongRow>,
}

/// A wrong answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrongRow {
    pub say: Spanned<String>,
    pub refuted: Spanned<String>,
}

/// A question for a number.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberRow {
    pub question: Spanned<String>,
    pub is: Spanned<String>,
    #[serde(default)]
    pub tolerance: f64,
}

/// Something to reach.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskRow {
    pub goal: Spanned<String>,
    pub when: Vec<Spanned<String>>,
    pub hint: Option<Spanned<String>>,
    #[serde(default)]
    pub local_size: bool,
    pub gap: Option<Spanned<GapRow>>,
}

/// What of a kernel is left for the learner to write.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GapRow {
    pub take: String,
    pub leave: String,
}

/// What another device did.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRow {
    pub page: Spanned<String>,
    pub ladder: Spanned<String>,
    pub step: Spanned<String>,
}
