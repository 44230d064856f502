//! Predictions of this session and of earlier ones: what is kept, completed, recalled and forgotten.

use crate::app::notice::Topic;
use crate::app::panes::Pane;
use crate::app::state::{Effect, FileJob, State};
use base::files::{Lines, LinesJob};
use study::predict::{Change, apart, is_decided};
use study::trend::Trend;
use study::{PredictionRecord, complete};

/// All predictions of the person.
#[derive(Debug, Default)]
pub struct Memory {
    records: Vec<PredictionRecord>,
    /// So many of them are of earlier sessions.
    earlier: usize,
    /// Whether what earlier sessions left is known; before that nothing is written, or numbers would be given twice.
    is_read: bool,
    /// Of `records`: computed when they change, as the panel asks for it in every frame.
    trend: Option<Trend>,
    /// The step of an earlier session that is asked once after the start.
    pub recall: Option<Recall>,
    /// Whether the person is asked if all is to be forgotten.
    pub is_forget_asked: bool,
}

/// A step of an earlier session that is asked about.
#[derive(Debug)]
pub struct Recall {
    /// What was predicted and seen then.
    pub record: PredictionRecord,
    /// What the person remembers; `None` until it is said.
    pub answer: Option<Change>,
}

/// What a person does with what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remember {
    /// Keep predictions from now on, or do not.
    Keep(bool),
    /// Recall a step at each start, or do not.
    AtStart(bool),
    /// Says what the recalled step did.
    Recalled(Change),
    /// Passes the recalled step over, or goes on after it.
    RecallOver,
    /// Looks at how they do over all ladders.
    Look,
    /// Asks whether all is to be forgotten, or takes that back.
    AskForget(bool),
    /// Forgets everything.
    Forget,
}

impl Memory {
    /// All, in the order in which they were made.
    #[must_use]
    pub fn records(&self) -> &[PredictionRecord] {
        &self.records
    }

    /// How they do; `None` where none was scored.
    #[must_use]
    pub fn trend(&self) -> Option<&Trend> {
        self.trend.as_ref()
    }

    /// Whether what earlier sessions left is known.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.is_read
    }

    fn changed(&mut self) {
        self.trend = Trend::of(&self.records);
    }
}

/// The step to recall: one that was recalled least often, of these one that was guessed farthest from what was seen, of these the newest.
fn to_recall(records: &[PredictionRecord]) -> Option<&PredictionRecord> {
    let is_fit = |record: &&PredictionRecord| is_decided(&record.predicted.truth) && record.place().is_some();
    let miss = |record: &PredictionRecord| record.predicted.guess.and_then(|guess| apart(&[guess.change], &record.predicted.truth));
    records.iter().filter(is_fit).min_by_key(|record| (record.recalls.len(), std::cmp::Reverse((miss(record), record.order))))
}

fn append(record: &PredictionRecord) -> Effect {
    Effect::Files(FileJob::Predictions(LinesJob::Append(Box::new(record.clone()))))
}

impl State {
    /// Takes the predictions of earlier sessions in, and keeps what was predicted before they were there.
    pub(in crate::app) fn take_predictions(&mut self, kept: Lines<PredictionRecord>) -> Vec<Effect> {
        self.notices.damaged(Topic::Predictions, &kept);
        let memory = &mut self.lesson.memory;
        let own = std::mem::replace(&mut memory.records, complete(kept.lines));
        (memory.earlier, memory.is_read) = (memory.records.len(), true);
        memory.changed();
        let effects = own.into_iter().flat_map(|record| self.keep_prediction(record)).collect();
        let is_asked = !self.settings.never_recalls && self.lesson.open.is_none();
        if is_asked && let Some(record) = to_recall(&self.lesson.memory.records) {
            self.lesson.memory.recall = Some(Recall { record: record.clone(), answer: None });
        }
        effects
    }

    /// Keeps a prediction under the next number.
    pub(super) fn keep_prediction(&mut self, record: PredictionRecord) -> Vec<Effect> {
        if self.settings.forgets_predictions {
            return Vec::new();
        }
        let memory = &mut self.lesson.memory;
        let order = memory.records.iter().map(|record| record.order).max().unwrap_or(0).saturating_add(1);
        let record = PredictionRecord { order, ..record };
        let effects = memory.is_read.then(|| append(&record)).into_iter().collect();
        memory.records.push(record);
        memory.changed();
        effects
    }

    /// Adds to the newest prediction of a ladder's step, or a lesson's screen, of this session; nothing where it was not kept.
    pub(super) fn complete_prediction(&mut self, name: &str, step: usize, add: impl FnOnce(&mut PredictionRecord)) -> Vec<Effect> {
        if self.settings.forgets_predictions {
            return Vec::new();
        }
        let memory = &mut self.lesson.memory;
        let earlier = memory.earlier;
        let is_of = |record: &&mut PredictionRecord| (record.predicted.ladder.as_str(), record.predicted.step) == (name, step);
        let Some(record) = memory.records.iter_mut().skip(earlier).rev().find(is_of) else { return Vec::new() };
        add(record);
        let effects = memory.is_read.then(|| append(record)).into_iter().collect();
        memory.changed();
        effects
    }

    /// Acts on what a person does with what is kept.
    pub(in crate::app) fn remember(&mut self, what: Remember) -> Vec<Effect> {
        let memory = &mut self.lesson.memory;
        match what {
            Remember::Keep(keeps) => self.settings.forgets_predictions = !keeps,
            Remember::AtStart(recalls) => {
                self.settings.never_recalls = !recalls;
                memory.recall = memory.recall.take().filter(|_| recalls);
            }
            Remember::Recalled(change) => {
                if let Some(recall) = memory.recall.as_mut().filter(|recall| recall.answer.is_none()) {
                    recall.answer = Some(change);
                    return self.note_recall(Some(change));
                }
            }
            Remember::RecallOver => {
                let is_skipped = memory.recall.as_ref().is_some_and(|recall| recall.answer.is_none());
                let effects = if is_skipped { self.note_recall(None) } else { Vec::new() };
                self.lesson.memory.recall = None;
                return effects;
            }
            Remember::Look => self.bring_in_front(Pane::Predictions),
            Remember::AskForget(asks) => memory.is_forget_asked = asks,
            Remember::Forget => {
                let is_read = memory.is_read;
                *memory = Memory { is_read, ..Memory::default() };
                return if is_read { vec![Effect::Files(FileJob::Predictions(LinesJob::Clear))] } else { Vec::new() };
            }
        }
        Vec::new()
    }

    /// Notes what was remembered beside the prediction: it is no part of the trend, as it tells of memory.
    fn note_recall(&mut self, answer: Option<Change>) -> Vec<Effect> {
        let memory = &mut self.lesson.memory;
        let Some(recall) = &memory.recall else { return Vec::new() };
        let Some(record) = memory.records.iter_mut().find(|record| record.is_same_answer(&recall.record)) else { return Vec::new() };
        record.recalls.push(answer);
        if self.settings.forgets_predictions { Vec::new() } else { vec![append(record)] }
    }
}
