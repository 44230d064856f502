//! Kernels that the person edits: what was typed, and what came of it.

use super::settings::Choice;
use super::source_panel::View;
use super::state::{Effect, FileJob, Job, State};
use crate::runner::{Means, Trial};
use base::files::LinesJob;
use base::texts::text;
use base::trust::Origin;
use engine::{Compared, KernelText, Target, Task};
use kernels::kernel_source::Mark;
use model::{BorderMode, Budget, Channels, FilterId, Summary, Variant};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use study::trial::Tried;

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
///
/// Several drafts may be of one variant: a file that is opened does not take the place of what was typed. The first of them is the one that is edited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    of: DraftOf,
    text: Arc<str>,
    /// Where it began. A version that did not ask what runs has kept none.
    #[serde(default)]
    origin: Option<Origin>,
    /// It is as its file has it: nothing is lost where it goes.
    #[serde(default)]
    is_as_read: bool,
}

impl Draft {
    /// The same, of this definition where it was of an earlier one of the same filter.
    pub fn follow(&mut self, filter: FilterId) {
        if self.of.filter.name() == filter.name() {
            self.of.filter = filter;
        }
    }

    /// The same, where nothing says where it began: text of a stranger's, until the person agrees to it.
    #[must_use]
    pub fn with_known_origin(mut self) -> Self {
        self.origin.get_or_insert_with(|| Origin::text(&self.text));
        self
    }
}

/// What is done in the editor.
#[derive(Clone, Debug, PartialEq)]
pub enum Editing {
    /// The text is this now.
    Type(Arc<str>),
    /// The variant's own kernel again, or what was here before a file was opened.
    Revert,
    /// What was here before this text; the two change places.
    Back,
    /// What waits may run, now and later.
    Agree,
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

    /// What the compiler said last of the kernel that `now` edits, where it still belongs to this text of it: of a line that has changed since then, nothing is
    /// known until the text is tried.
    #[must_use]
    pub fn marks_in(&self, now: &Task, text: &str) -> Vec<Mark> {
        let is_of_one = |task: &Task| task.spec == now.spec && task.target == now.target;
        let Some((task, known)) = self.tried.as_ref().filter(|(task, _)| is_of_one(task)) else { return Vec::new() };
        let KernelText::Edited(tried) = &task.text else { return Vec::new() };
        let (before, now): (Vec<&str>, Vec<&str>) = (tried.lines().collect(), text.lines().collect());
        let is_same = |mark: &&Mark| before.get(mark.line.wrapping_sub(1)) == now.get(mark.line.wrapping_sub(1));
        known.marks.iter().filter(is_same).cloned().collect()
    }

    /// What was known last, of whatever text: until more is known, its pictures are better than none.
    #[must_use]
    pub fn last(&self) -> Option<&Tried> {
        self.tried.as_ref().map(|(_, tried)| tried)
    }

    /// What the simulator said of a task.
    #[must_use]
    pub fn simulated(&self, task: &Task) -> Option<&Tried> {
        self.simulated.as_ref().filter(|(simulated, _)| simulated == task).map(|(_, tried)| tried)
    }

    /// Whether something was typed, or opened, that was not asked for yet.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.is_typing
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
        self.drafts_here().next().map(|draft| &draft.text)
    }

    /// The drafts of the chosen variant, the one that is edited first.
    fn drafts_here(&self) -> impl Iterator<Item = &Draft> {
        let of = DraftOf::choice(self.choice());
        self.settings.drafts.iter().filter(move |draft| draft.of == of)
    }

    /// Whether something was here before this text was opened.
    #[must_use]
    pub fn has_text_before(&self) -> bool {
        self.drafts_here().nth(1).is_some()
    }

    /// Where the draft began, where the person has not agreed to run what began there.
    #[must_use]
    pub fn waits_for_consent(&self) -> Option<&Origin> {
        let origin = self.drafts_here().next()?.origin.as_ref()?;
        (!self.trust.covers(origin)).then_some(origin)
    }

    /// What was typed, while it is looked at.
    #[must_use]
    pub fn edited_source(&self) -> Option<&Arc<str>> {
        self.draft().filter(|_| self.settings.source.view == View::Edit)
    }

    /// The chosen task with what was typed; `None` where nothing was, no device computes, or the person has not agreed to run it. This is the only way by which
    /// a draft reaches the engine.
    #[must_use]
    pub fn edited_task(&self) -> Option<Task> {
        if self.waits_for_consent().is_some() {
            return None;
        }
        let task = self.task().filter(|task| matches!(task.target, Target::Device { .. }))?;
        Some(Task { text: KernelText::Edited(Arc::clone(self.draft()?)), ..task })
    }

    /// How much memory an edited kernel moves in GB/s, by the median of its runs beside the variant's own, and the roof that this is held to. `None` where the
    /// roofs are not measured yet, and where a cache holds what they go through: a share of its roof says nothing of memory.
    #[must_use]
    pub fn edited_roof(&self, edited: &Task, compared: &Compared) -> Option<(f64, f64)> {
        let times = Summary::of(compared.pairs.iter().map(|pair| pair.second_ns).collect())?;
        // Bytes per nanosecond are GB/s.
        let rate = edited.bytes_moved() as f64 / times.median_ns;
        let (roof, is_cached) = self.device_roofs(self.device_of(edited)?)?.memory_roof(edited.touched_bytes())?;
        (!is_cached).then_some((rate, roof))
    }

    /// The edited kernel where it is looked at, is right and was compared with the variant's own: it may be run again, to see its code.
    #[must_use]
    pub fn edited_to_look_at(&self) -> Option<Task> {
        self.edited_source()?;
        self.edited_task().filter(|task| self.trials.of(task).is_some_and(|tried| tried.compared.is_some()))
    }

    /// What the simulator would be asked: what was typed, or else the variant's own kernel; `None` where no device computes, or what was typed may not run.
    #[must_use]
    pub fn task_to_simulate(&self) -> Option<Task> {
        if self.waits_for_consent().is_some() {
            return None;
        }
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

    /// Opens a text of a file or a lesson in the place of the chosen variant's kernel. What was typed there stays, behind it.
    pub(super) fn open_kernel(&mut self, text: Arc<str>, origin: Origin) -> Vec<Effect> {
        let of = DraftOf::choice(self.choice());
        let drafts = &mut self.settings.drafts;
        if let Some(place) = drafts.iter().position(|draft| draft.of == of && draft.text == text) {
            let known = drafts.remove(place);
            drafts.insert(0, known);
        } else {
            drafts.extract_if(.., |draft| draft.of == of && draft.is_as_read).for_each(drop);
            drafts.insert(0, Draft { of, text, origin: Some(origin), is_as_read: true });
        }
        self.try_soon()
    }

    /// Tries what stands in the editor once nothing was typed for a moment.
    fn try_soon(&mut self) -> Vec<Effect> {
        self.settings.drafts.truncate(MOST_DRAFTS);
        self.trials.is_typing = true;
        vec![Effect::TrySoon]
    }

    pub(super) fn edit(&mut self, editing: Editing) -> Vec<Effect> {
        let of = DraftOf::choice(self.choice());
        let place = self.settings.drafts.iter().position(|draft| draft.of == of);
        match editing {
            Editing::Type(text) => {
                let drafts = &mut self.settings.drafts;
                // The editor's undo may bring back the text before the file: that is another draft.
                let other = drafts.iter().rposition(|draft| draft.of == of && draft.text == text).filter(|other| Some(*other) != place);
                let draft = match (other, place) {
                    (Some(other), _) => drafts.remove(other),
                    (None, Some(place)) => Draft { text, is_as_read: false, ..drafts.remove(place) },
                    (None, None) => Draft { of, text, origin: Some(Origin::Here), is_as_read: false },
                };
                drafts.insert(0, draft);
                self.try_soon()
            }
            Editing::Revert => {
                if let Some(place) = place {
                    self.settings.drafts.remove(place);
                }
                self.trials = Trials::default();
                // In a task it is the gap that was there: the variant's own kernel is its solution.
                self.begin_exercise_again()
            }
            Editing::Back => {
                let drafts = &mut self.settings.drafts;
                if let (Some(place), Some(last)) = (place, drafts.iter().rposition(|draft| draft.of == of)) {
                    // Behind all others of this variant, so that pressing on comes by each of them.
                    let draft = drafts.remove(place);
                    drafts.insert(last, draft);
                }
                self.try_soon()
            }
            Editing::Agree => {
                let Some(origin) = self.waits_for_consent().cloned() else { return Vec::new() };
                let agreed = self.trust.agree(origin);
                let mut effects = self.try_soon();
                effects.push(Effect::Files(FileJob::Agreed(LinesJob::Append(Box::new(agreed)))));
                effects
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

#[cfg(test)]
mod tests {
    use super::Editing;
    use crate::app::action::Action;
    use crate::app::settings::Settings;
    use crate::app::state::{Effect, FileJob, State};
    use crate::testing::sessions::{on_device, open};
    use base::files::{Lines, LinesJob};
    use base::trust::{Agreed, Origin};
    use engine::KernelText;
    use engine::device::DeviceInfo;
    use std::sync::Arc;

    fn begun(settings: Settings) -> State {
        let mut state = on_device(settings, DeviceInfo::example());
        let _ = open(&mut state, "small", [4, 4]);
        state
    }

    /// The next session with the same settings, as they are saved.
    fn restarted(state: &State) -> State {
        let (settings, damage) = Settings::load(&state.settings.to_text());
        assert_eq!(damage, None);
        begun(settings)
    }

    fn read(state: &mut State, text: &str) {
        let _ = state.apply(Action::KernelRead(text.into(), Origin::text(text)));
    }

    fn edit(state: &mut State, editing: Editing) -> Vec<Effect> {
        state.apply(Action::Edit(editing))
    }

    fn text(state: &State) -> String {
        state.draft().expect("a draft").to_string()
    }

    /// What would be run, by every way there is.
    fn runs(state: &mut State) -> Option<String> {
        let _ = edit(state, Editing::Type(Arc::clone(state.draft().expect("a draft"))));
        let runs = |effects: Vec<Effect>| {
            effects.into_iter().find_map(|effect| match effect {
                Effect::Try(trial) => match trial.task.text {
                    KernelText::Edited(text) => Some(text.to_string()),
                    _ => Some(String::new()),
                },
                _ => None,
            })
        };
        let tried = edit(state, Editing::Try);
        let simulated = edit(state, Editing::Simulate);
        let [tried, simulated] = [runs(tried), runs(simulated)];
        assert_eq!(tried.is_some(), simulated.is_some(), "both or none");
        assert_eq!(tried.is_some(), state.edited_task().is_some());
        tried
    }

    fn agreed(effects: Vec<Effect>) -> Agreed {
        let kept = effects.into_iter().find_map(|effect| match effect {
            Effect::Files(FileJob::Agreed(LinesJob::Append(agreed))) => Some(*agreed),
            _ => None,
        });
        kept.expect("it is kept")
    }

    #[test]
    fn a_files_text_runs_once_the_person_agreed_and_what_they_type_runs_unasked() {
        let mut state = begun(Settings::default());
        let _ = edit(&mut state, Editing::Type("mine".into()));
        assert_eq!(runs(&mut state).as_deref(), Some("mine"));
        read(&mut state, "theirs");
        assert_eq!((runs(&mut state), state.waits_for_consent()), (None, Some(&Origin::text("theirs"))));
        // A letter more does not make it the person's own.
        let _ = edit(&mut state, Editing::Type("theirs!".into()));
        assert_eq!(runs(&mut state), None);
        // Nor does the next start.
        let mut state = restarted(&state);
        assert_eq!((text(&state).as_str(), runs(&mut state)), ("theirs!", None));
        let kept = agreed(edit(&mut state, Editing::Agree));
        assert_eq!(runs(&mut state).as_deref(), Some("theirs!"));
        let mut state = restarted(&state);
        assert_eq!(runs(&mut state), None, "what was agreed to is not read yet");
        let _ = state.apply(Action::AgreedRead(Lines { lines: vec![kept], ..Lines::default() }));
        assert_eq!(runs(&mut state).as_deref(), Some("theirs!"));
        read(&mut state, "theirs of today");
        assert_eq!(runs(&mut state), None, "another text is another question");
    }

    #[test]
    fn a_draft_of_a_version_that_did_not_ask_is_asked_about() {
        let mut state = begun(Settings::default());
        let _ = edit(&mut state, Editing::Type("once".into()));
        let mut saved = serde_json::to_value(&state.settings).expect("plain data");
        for draft in saved["drafts"].as_array_mut().expect("drafts") {
            draft.as_object_mut().expect("a draft").retain(|name, _| ["of", "text"].contains(&name.as_str()));
        }
        let mut state = begun(Settings::load(&saved.to_string()).0);
        assert_eq!((runs(&mut state), state.waits_for_consent()), (None, Some(&Origin::text("once"))));
    }

    #[test]
    fn a_file_takes_the_place_of_no_edit() {
        let mut state = begun(Settings::default());
        let _ = edit(&mut state, Editing::Type("typed yesterday".into()));
        // The next start, with a file.
        let mut state = restarted(&state);
        assert!(!state.has_text_before());
        read(&mut state, "own.cl");
        assert!(text(&state) == "own.cl" && state.has_text_before());
        let _ = edit(&mut state, Editing::Back);
        assert_eq!((text(&state).as_str(), runs(&mut state).as_deref()), ("typed yesterday", Some("typed yesterday")));
        let _ = edit(&mut state, Editing::Back);
        assert_eq!(text(&state), "own.cl");
        // The editor's own undo types the text before.
        let _ = edit(&mut state, Editing::Type("typed yesterday".into()));
        assert_eq!(state.waits_for_consent(), None);
        let _ = edit(&mut state, Editing::Back);
        // A file that was only opened is in its file; one that was edited is nowhere else.
        read(&mut state, "own.cl as saved since");
        let _ = edit(&mut state, Editing::Type("own.cl, edited".into()));
        read(&mut state, "third.cl");
        let mut texts = Vec::new();
        for _ in 0..4 {
            texts.push(text(&state));
            let _ = edit(&mut state, Editing::Back);
        }
        assert_eq!(texts, ["third.cl", "own.cl, edited", "typed yesterday", "third.cl"]);
        // Reverting ends with the variant's own kernel, and comes by all of them.
        for _ in 0..3 {
            let _ = edit(&mut state, Editing::Revert);
        }
        assert_eq!(state.draft(), None);
    }
}
