//! Kernels that the person edits: what was typed, and what came of it.

use super::settings::Choice;
use super::source_panel::View;
use super::state::{Effect, Job, State};
use crate::engine::{Compared, KernelText, Target, Task};
use crate::model::{BorderMode, Budget, Channels, FilterId, Summary, Variant};
use crate::study::trial::Tried;
use crate::texts::text;
use crate::worker::{Means, Trial};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Sampling of a trial: short, as it follows every word that is typed.
const TRIAL: Budget = Budget { sample_ns: 300_000_000, max_samples: 400, ..Budget::GLANCE };

/// So many drafts are kept; the one that was typed in longest ago goes first.
const MOST_DRAFTS: usize = 40;

/// Whose kernel a draft takes the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftOf {
    filter: FilterId,
    channels: Channels,
    border: BorderMode,
    variant: Variant,
}

impl DraftOf {
    /// Of what is chosen.
    #[must_use]
    pub fn choice(choice: &Choice) -> Self {
        Self { filter: choice.spec.filter, channels: choice.spec.channels, border: choice.spec.border, variant: choice.variant }
    }
}

/// A kernel as it was typed. It is saved with the settings, so that no crash takes it away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    of: DraftOf,
    text: Arc<str>,
}

/// What is done in the editor.
#[derive(Clone, Debug, PartialEq)]
pub enum Editing {
    /// The text is this now.
    Type(Arc<str>),
    /// The variant's own kernel again.
    Revert,
    /// Try what was typed.
    Try,
    /// Try it once more, for longer: what was seen decides nothing.
    TryAgain,
    /// Run it in the simulator: what was typed, or the variant's own kernel.
    Simulate,
}

/// What came of drafts in this session.
#[derive(Debug, Default)]
pub struct Trials {
    /// The last one asked for.
    asked: Option<Trial>,
    /// The last one of which something is known.
    tried: Option<(Task, Tried)>,
    /// The person has ended it.
    is_given_up: bool,
    /// Typed and not asked for yet.
    is_typing: bool,
    /// What the simulator was asked for last.
    in_simulator: Option<Trial>,
    /// What the simulator said last.
    simulated: Option<(Task, Tried)>,
}

impl Trials {
    /// What is known of a task.
    #[must_use]
    pub fn of(&self, task: &Task) -> Option<&Tried> {
        self.tried.as_ref().filter(|(tried, _)| tried == task).map(|(_, tried)| tried)
    }

    /// What was known last, of whatever text: until more is known, its marks are better than none.
    #[must_use]
    pub fn last(&self) -> Option<&Tried> {
        self.tried.as_ref().map(|(_, tried)| tried)
    }

    /// What the simulator said of a task.
    #[must_use]
    pub fn simulated(&self, task: &Task) -> Option<&Tried> {
        self.simulated.as_ref().filter(|(simulated, _)| simulated == task).map(|(_, tried)| tried)
    }

    /// Whether the simulator is at work.
    #[must_use]
    pub fn is_simulating(&self) -> bool {
        self.in_simulator.is_some()
    }

    pub(super) fn take(&mut self, id: u64, tried: Tried) {
        if let Some(asked) = self.in_simulator.as_ref().filter(|asked| asked.id == id) {
            self.simulated = Some((asked.task.clone(), tried));
            return;
        }
        if let Some(asked) = self.asked.as_ref().filter(|asked| asked.id == id) {
            self.tried = Some((asked.task.clone(), tried));
        }
    }

    /// The person ends what is being tried, and does not want it again by itself.
    pub(super) fn give_up(&mut self) {
        self.is_given_up = true;
    }

    /// One that gave way to something else is asked for again.
    pub(super) fn end(&mut self, id: u64, is_cut_short: bool) {
        self.in_simulator.take_if(|asked| asked.id == id);
        if is_cut_short && !self.is_given_up && self.asked.as_ref().is_some_and(|asked| asked.id == id) {
            self.asked = None;
        }
    }
}

impl State {
    /// What was typed in the place of the chosen variant's kernel.
    #[must_use]
    pub fn draft(&self) -> Option<&Arc<str>> {
        let of = DraftOf::choice(self.choice());
        self.settings.drafts.iter().find(|draft| draft.of == of).map(|draft| &draft.text)
    }

    /// What was typed, while it is looked at.
    #[must_use]
    pub fn edited_source(&self) -> Option<&Arc<str>> {
        self.draft().filter(|_| self.settings.source.view == View::Edit)
    }

    /// The chosen task with what was typed; `None` where nothing was, or no device computes.
    #[must_use]
    pub fn edited_task(&self) -> Option<Task> {
        let task = self.task().filter(|task| matches!(task.target, Target::Device { .. }))?;
        Some(Task { text: KernelText::Edited(Arc::clone(self.draft()?)), ..task })
    }

    /// How much memory an edited kernel moves in GB/s, by the median of its runs beside the variant's own, and the roof that this is held to. `None` where the
    /// roofs are not measured yet, and where the roof is a cache's: a share of that says nothing of memory.
    #[must_use]
    pub fn edited_roof(&self, edited: &Task, compared: &Compared) -> Option<(f64, f64)> {
        let times = Summary::of(compared.pairs.iter().map(|pair| pair.second_ns).collect())?;
        // Bytes per nanosecond are GB/s.
        let rate = edited.bytes_moved() as f64 / times.median_ns;
        let (roof, is_cached) = self.device_roofs(self.device_of(edited)?)?.memory_roof(rate)?;
        (!is_cached).then_some((rate, roof))
    }

    /// The edited kernel where it is looked at, is right and was compared with the variant's own: it may be run again, to see its code.
    #[must_use]
    pub fn edited_to_look_at(&self) -> Option<Task> {
        self.edited_source()?;
        self.edited_task().filter(|task| self.trials.of(task).is_some_and(|tried| tried.compared.is_some()))
    }

    /// What the simulator would be asked: what was typed, or else the variant's own kernel; `None` where no device computes.
    #[must_use]
    pub fn task_to_simulate(&self) -> Option<Task> {
        self.edited_task().or_else(|| self.task().filter(|task| matches!(task.target, Target::Device { .. })))
    }

    /// Whether what was typed is still to be asked for, now that nothing else is.
    #[must_use]
    pub fn is_trial_due(&self) -> bool {
        let is_new = |task: &Task| self.trials.asked.as_ref().is_none_or(|asked| asked.task != *task);
        let is_at_rest = !self.trials.is_typing && !self.trials.is_simulating() && !self.is_old() && !self.is_show_pending();
        is_at_rest && self.edited_task().is_some_and(|task| is_new(&task))
    }

    fn try_for(&mut self, task: Task, budget: Budget) -> Vec<Effect> {
        let trial = Trial { id: self.post(Job::Bench(text("window.editor.trying").to_owned())), task, means: Means::Device(budget) };
        self.trials.is_given_up = false;
        self.trials.asked = Some(trial.clone());
        vec![Effect::Try(Box::new(trial))]
    }

    pub(super) fn edit(&mut self, editing: Editing) -> Vec<Effect> {
        let of = DraftOf::choice(self.choice());
        match editing {
            Editing::Type(text) => {
                self.settings.drafts.retain(|draft| draft.of != of);
                self.settings.drafts.insert(0, Draft { of, text });
                self.settings.drafts.truncate(MOST_DRAFTS);
                self.trials.is_typing = true;
                vec![Effect::TrySoon]
            }
            Editing::Revert => {
                self.settings.drafts.retain(|draft| draft.of != of);
                self.trials = Trials::default();
                Vec::new()
            }
            Editing::Try => {
                self.trials.is_typing = false;
                let Some(task) = self.edited_task() else { return Vec::new() };
                if self.trials.asked.as_ref().is_some_and(|asked| asked.task == task) {
                    return Vec::new();
                }
                // One that has not begun ends without a word.
                if let Some(before) = self.trials.asked.take() {
                    self.pending.retain(|pending| pending.id != before.id);
                }
                self.try_for(task, TRIAL)
            }
            Editing::TryAgain => self.edited_task().map_or_else(Vec::new, |task| self.try_for(task, TRIAL.again(1))),
            Editing::Simulate => {
                let Some(task) = self.task_to_simulate() else { return Vec::new() };
                let id = self.post(Job::Bench(text("window.editor.simulating").to_owned()));
                let trial = Trial { id, task, means: Means::Simulator };
                self.trials.in_simulator = Some(trial.clone());
                vec![Effect::Try(Box::new(trial))]
            }
        }
    }
}
