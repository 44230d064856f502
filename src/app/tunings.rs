//! What searches of this session and of earlier ones found on a device, to be offered again.

use super::action::Action;
use super::notice::Topic;
use super::state::{Effect, FileJob, State};
use super::studies::{Stand, Studied};
use base::files::{Lines, LinesJob};
use base::texts::text;
use egui::{RichText, Ui};
use engine::Task;
use engine::device::DeviceInfo;
use study::{Candidate, Kind, Sought, Tuning, telling};

/// Tunings that are known.
#[derive(Clone, Debug, Default)]
pub struct Tunings {
    /// The newest last.
    all: Vec<Tuning>,
    /// Whether those of earlier sessions are among them: what is appended before would be read once more.
    is_read: bool,
}

/// What a search found that is worth to be kept.
fn tuning_of(studied: &Studied, device: &DeviceInfo) -> Option<Tuning> {
    (studied.kind.keeps?.found)(&studied.task, device, &studied.findings)
}

impl State {
    /// Takes what earlier sessions found, and keeps what was found before it was there.
    pub(super) fn take_tunings(&mut self, kept: Lines<Tuning>) -> Vec<Effect> {
        self.notices.damaged(Topic::Files, &kept);
        let own = std::mem::replace(&mut self.tunings, Tunings { all: kept.lines, is_read: true }).all;
        own.into_iter().flat_map(|tuning| self.keep_tuning(tuning)).collect()
    }

    /// Keeps it, unless it is what is known already: a search that has nothing left to try ends as it did before. What was found on a busy machine is
    /// not kept beside what a quiet one found.
    fn keep_tuning(&mut self, tuning: Tuning) -> Vec<Effect> {
        let mut known = self.tunings.all.iter().rev().filter(|known| known.is_same_question(&tuning));
        if known.clone().next() == Some(&tuning) || (tuning.busy && known.any(|known| !known.busy)) {
            return Vec::new();
        }
        let append = || Effect::Files(FileJob::Tunings(LinesJob::Append(Box::new(tuning.clone()))));
        let effects = self.tunings.is_read.then(append).into_iter().collect();
        self.tunings.all.push(tuning);
        effects
    }

    /// Keeps what the study of that request found, if it is a search and is over.
    pub(super) fn keep_found(&mut self, id: u64) -> Vec<Effect> {
        let found = self.studies.done(id).and_then(|studied| tuning_of(studied, self.device_of(&studied.task)?));
        found.map_or_else(Vec::new, |tuning| self.keep_tuning(tuning))
    }

    /// What was found before that answers this question about what is chosen now.
    fn found_before(&self, sought: Sought) -> Option<&Tuning> {
        let task = self.task_on_device()?;
        let device = self.device_of(&task)?;
        Tuning::known(&self.tunings.all, sought, &task, device)
    }
}

/// What a search for the fastest variant or local size found before, with a button that runs it, until this session has searched to the end.
pub fn found_before_ui(ui: &mut Ui, state: &State, kind: &'static Kind, actions: &mut Vec<Action>) {
    if state.studied(kind).is_some_and(|studied| studied.stand == Stand::Done) {
        return;
    }
    let found = kind.keeps.and_then(|keeps| state.found_before(keeps.sought));
    let (Some(tuning), Some(task)) = (found, state.task_on_device()) else { return };
    let [found, worth] = telling::found_before(tuning);
    offer_ui(ui, state, &found, tuning.found, &task, actions);
    ui.label(worth);
}

/// What is `told` of a candidate, with a button that runs it on the picture of `like`, unless it is what is chosen.
pub fn offer_ui(ui: &mut Ui, state: &State, told: &str, candidate: Candidate, like: &Task, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(told).strong());
        let choice = state.choice();
        let is_chosen = (choice.variant, choice.local) == (candidate.variant, candidate.local);
        if !is_chosen && ui.button(text("studies.autotune.adopt")).clicked() {
            actions.push(run(candidate, like));
        }
    });
}

/// Variant and local size at once: what lies between them is nobody's choice.
pub fn run(candidate: Candidate, like: &Task) -> Action {
    Action::ShowTask(Box::new(candidate.task(like)))
}

#[cfg(test)]
mod tests {
    use crate::app::action::Action;
    use crate::app::settings::Settings;
    use crate::app::state::{Effect, FileJob, State};
    use crate::runner::Update;
    use crate::testing::compared_as;
    use crate::testing::records::on_device;
    use crate::testing::sessions::{self, news, searched};
    use base::files::{Lines, LinesJob};
    use engine::Compared;
    use engine::device::DeviceInfo;
    use model::LocalSize;
    use model::measure::{Comparison, Verdict};
    use study::LOCAL_SIZES;
    use study::{Finding, Sought};

    fn state() -> State {
        sessions::on_device(Settings::default(), DeviceInfo::example())
    }

    fn appended(effects: &[Effect]) -> usize {
        effects.iter().filter(|effect| matches!(effect, Effect::Files(FileJob::Tunings(LinesJob::Append(_))))).count()
    }

    const FASTER: Comparison = Comparison { ratio: 3.0, low: 2.9, high: 3.1, verdict: Verdict::Faster, starts: 1 };

    #[test]
    fn what_a_search_found_is_kept_and_offered() {
        let mut state = state();
        let _ = state.apply(Action::TuningsRead(Lines::default()));
        assert!(state.found_before(Sought::Variant).is_none());
        assert_eq!(appended(&searched(&mut state, FASTER)), 1);
        let found = state.found_before(Sought::Variant).expect("kept").clone();
        assert_eq!((found.found.variant.to_string().as_str(), found.found.local), ("coalesced", LocalSize::Explicit([64, 1])));
        assert!(state.found_before(Sought::LocalSize).is_none());
        // A later session reads it, and offers it as well.
        let mut later = self::state();
        let effects = later.apply(Action::TuningsRead(Lines { lines: vec![found.clone()], ..Lines::default() }));
        assert_eq!((appended(&effects), later.found_before(Sought::Variant)), (0, Some(&found)));
    }

    /// A search for the local size of naive that found 64 × 1; whether what compared it was disturbed.
    fn tuned(state: &mut State, is_busy: bool) -> Vec<Effect> {
        let _ = state.study(LOCAL_SIZES);
        let studied = state.studied(LOCAL_SIZES).expect("it runs");
        let (id, driver) = (studied.id, studied.task.clone());
        let best = driver.with_local(LocalSize::Explicit([64, 1]));
        for (task, time) in [(&driver, 9e6), (&best, 3e6)] {
            let _ = news(state, Update::Found(id, Finding::Record(task.clone(), Box::new(on_device("naive", time)))));
        }
        let compared = Compared { busy: is_busy, ..compared_as(FASTER) };
        let _ = news(state, Update::Found(id, Finding::Compared(Box::new((driver, best)), Ok(compared))));
        news(state, Update::Finished { id, result: Ok(()) })
    }

    #[test]
    fn a_local_size_of_a_busy_machine_is_kept_marked_until_a_quiet_one_finds_its_own() {
        let mut state = state();
        let _ = state.apply(Action::TuningsRead(Lines::default()));
        let is_busy = |state: &State| state.found_before(Sought::LocalSize).map(|found| found.busy);
        assert_eq!(appended(&tuned(&mut state, true)), 1);
        assert_eq!(is_busy(&state), Some(true));
        assert_eq!(appended(&tuned(&mut state, false)), 1);
        assert_eq!(is_busy(&state), Some(false));
        assert_eq!(appended(&tuned(&mut state, false)), 0, "nothing new");
        assert_eq!(appended(&tuned(&mut state, true)), 0, "a quiet machine's is better");
        assert_eq!(is_busy(&state), Some(false));
    }

    #[test]
    fn what_is_not_faster_is_not_kept_and_what_came_first_is_not_lost() {
        let mut state = state();
        let unclear = Comparison { ratio: 1.0, low: 0.9, high: 1.1, verdict: Verdict::Unclear, starts: 1 };
        assert_eq!(appended(&searched(&mut state, unclear)), 0);
        assert!(state.found_before(Sought::Variant).is_none());
        // Found before the file was read: it is written then.
        assert_eq!(appended(&searched(&mut state, FASTER)), 0);
        assert_eq!(appended(&state.apply(Action::TuningsRead(Lines::default()))), 1);
        assert!(state.found_before(Sought::Variant).is_some());
    }
}
