//! Undo and redo of what is chosen: filter, stages, parameters, local work size, place on a ladder.

use super::action::{Action, Command};
use super::settings::{Choice, LadderPlace, Place};
use super::state::State;

/// So many steps are kept.
const MOST: usize = 100;

/// What is undone and redone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chosen {
    choice: Choice,
    place: Place,
    ladder: Option<LadderPlace>,
}

/// The steps of this session.
#[derive(Debug, Default)]
pub struct Undo {
    /// What was chosen before each step, the newest last.
    before: Vec<Chosen>,
    /// What was undone, the newest last.
    after: Vec<Chosen>,
    /// What a slider changed in the last step, while it has not come to rest.
    sliding: Option<Dragged>,
}

/// What an action drags.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dragged {
    Parameter(&'static str),
    Local,
}

impl Dragged {
    pub(super) fn of(action: &Action) -> Option<Self> {
        match action {
            Action::SetParameter(name, _) => Some(Self::Parameter(name)),
            Action::SetLocal(_) => Some(Self::Local),
            _ => None,
        }
    }
}

impl Undo {
    /// Whether there is a step to undo.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.before.is_empty()
    }

    /// Whether there is a step to redo.
    #[must_use]
    pub fn can_redo(&self) -> bool {
        !self.after.is_empty()
    }

    fn push(&mut self, before: Chosen) {
        self.before.push(before);
        if self.before.len() > MOST {
            self.before.remove(0);
        }
        self.after.clear();
    }
}

impl State {
    fn chosen(&self) -> Chosen {
        Chosen { choice: self.choice().clone(), place: self.place, ladder: self.settings.ladder.clone() }
    }

    /// What is chosen before an action that a person may want to undo; `None` for news, which nobody has done.
    pub(super) fn chosen_before(&self, action: &Action) -> Option<Chosen> {
        let is_news = matches!(action, Action::Runner(_) | Action::PictureLoaded { .. } | Action::Render | Action::Retake);
        let is_own = matches!(action, Action::Run(Command::Undo | Command::Redo));
        (!is_news && !is_own).then(|| self.chosen())
    }

    /// Keeps the step that an action was, once it was acted on. What is dragged makes one step until it rests.
    pub(super) fn note_step(&mut self, before: Option<Chosen>, dragged: Option<Dragged>) {
        if !self.is_unasked {
            self.undo.sliding = None;
        }
        let Some(before) = before.filter(|before| *before != self.chosen()) else { return };
        if dragged.is_none() || self.undo.sliding != dragged {
            self.undo.push(before);
        }
        self.undo.sliding = dragged;
    }

    /// Takes what was chosen before or after; called by [`State::choose`], which computes it.
    pub(super) fn take_chosen(&mut self, is_undo: bool) {
        let now = self.chosen();
        let Undo { before, after, sliding } = &mut self.undo;
        let (from, to) = if is_undo { (before, after) } else { (after, before) };
        let Some(Chosen { choice, place, ladder }) = from.pop() else { return };
        to.push(now);
        *sliding = None;
        self.settings.choice = choice;
        self.settings.ladder = ladder;
        // A device that was there may be gone.
        let is_there = match place {
            Place::Cpu(_) => true,
            Place::Device(index) => self.device_list().iter().any(|device| device.index == index),
        };
        if is_there {
            self.place = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MOST;
    use crate::app::action::{Action, Command};
    use crate::app::settings::Settings;
    use crate::app::state::{Effect, State};
    use crate::testing::sessions::{on_device, open};
    use engine::device::DeviceInfo;
    use kernels::filters::FilterIdExt as _;
    use model::{FilterId, LocalSize, StageId};

    fn begun() -> State {
        let mut state = on_device(Settings::default(), DeviceInfo::example());
        let _ = open(&mut state, "small", [4, 4]);
        state
    }

    fn seen(state: &State) -> (FilterId, String, LocalSize, Option<usize>) {
        let choice = state.choice();
        (choice.spec.filter, choice.variant.to_string(), choice.local, state.settings.ladder.as_ref().map(|place| place.step))
    }

    #[test]
    fn what_was_chosen_comes_back_step_by_step_and_is_computed() {
        let mut state = begun();
        assert!(state.why_not(Command::Undo).is_some() && state.why_not(Command::Redo).is_some());
        let ladder = FilterId::Laplace.filter().ladders().first().expect("a ladder");
        let mut all = vec![seen(&state)];
        for action in [
            Action::SetStage(StageId::Coalesced, 1),
            Action::SetLocal(LocalSize::Explicit([16, 4])),
            Action::SetStep(ladder.name, 1),
            Action::LeaveLadder,
            Action::SetFilter(FilterId::Bilateral.filter()),
        ] {
            let _ = state.apply(action);
            all.push(seen(&state));
        }
        for expected in all.iter().rev().skip(1) {
            let effects = state.apply(Action::Run(Command::Undo));
            assert_eq!(seen(&state), *expected);
            // The step off a ladder computes the same as before it.
            assert!(expected.3.is_some() || effects.iter().any(|effect| matches!(effect, Effect::Show(_))), "{expected:?}");
        }
        assert!(state.why_not(Command::Undo).is_some());
        for expected in all.iter().skip(1) {
            let _ = state.apply(Action::Run(Command::Redo));
            assert_eq!(seen(&state), *expected);
        }
        // Another step makes what was undone unreachable.
        let _ = state.apply(Action::Run(Command::Undo));
        let _ = state.apply(Action::SetLocal(LocalSize::Explicit([2, 2])));
        assert!(state.why_not(Command::Redo).is_some());
    }

    #[test]
    fn a_drag_is_one_step_and_steps_are_bounded() {
        let mut state = begun();
        let local = |side| Action::SetLocal(LocalSize::Explicit([side, 1]));
        for side in [2, 4, 8] {
            let _ = state.apply(local(side));
        }
        let _ = state.apply(Action::Render);
        let _ = state.apply(local(16));
        let _ = state.apply(Action::Run(Command::Undo));
        assert_eq!(state.choice().local, LocalSize::Explicit([8, 1]));
        let _ = state.apply(Action::Run(Command::Undo));
        assert_eq!(state.choice().local, LocalSize::Driver, "the whole drag");
        for step in 0..2 * MOST {
            let _ = state.apply(Action::SetStage(StageId::Coalesced, u8::from(step % 2 == 0)));
        }
        let undone = (0..2 * MOST)
            .take_while(|_| state.why_not(Command::Undo).is_none() && !state.apply(Action::Run(Command::Undo)).is_empty())
            .count();
        assert!(undone <= MOST && state.why_not(Command::Undo).is_some(), "{undone}");
    }

    #[test]
    fn news_is_no_step() {
        let mut state = begun();
        let _ = open(&mut state, "other", [8, 8]);
        assert!(state.why_not(Command::Undo).is_some());
    }
}
