//! What was seen of compiled code in this session, and what is asked for.

use crate::app::source_panel::Against;
use crate::app::state::State;
use crate::runner::{Look, Looked};
use base::texts::{filled, text};
use engine::compiled::Compiled;
use engine::{Target, Task};
use model::Variant;
use std::sync::Arc;

/// Far more than a person goes back and forth between; the oldest is forgotten first. A picture held by a task must not be held for a whole session.
const MAX_FOUND: usize = 24;

/// Answers of the worker, and the one that is awaited.
#[derive(Debug, Default)]
pub struct Looks {
    asked: Option<Look>,
    found: Vec<Arc<Looked>>,
}

impl Looks {
    /// What was seen where exactly this was asked.
    #[must_use]
    pub fn found(&self, look: &Look) -> Option<&Arc<Looked>> {
        self.found.iter().rev().find(|looked| looked.look.covers(look))
    }

    /// What was last seen of a task, whatever it was compared with.
    #[must_use]
    pub fn newest_of(&self, task: &Task) -> Option<&Arc<Looked>> {
        self.found.iter().rev().find(|looked| looked.look.task == *task)
    }

    /// What is known of a task's code, whichever of the two compared it was.
    #[must_use]
    pub fn compiled_of(&self, task: &Task) -> Option<&Compiled> {
        self.found.iter().rev().find_map(|looked| {
            let own = looked.compiled.as_ref().ok().filter(|_| looked.look.task == *task);
            let other = looked.against.as_ref().filter(|_| looked.look.against.as_ref() == Some(task));
            own.or_else(|| other?.as_ref().ok()).map(Arc::as_ref)
        })
    }

    /// Whether it is neither known nor awaited.
    #[must_use]
    pub fn is_new(&self, look: &Look) -> bool {
        !self.asked.as_ref().is_some_and(|asked| asked.covers(look)) && self.found(look).is_none()
    }

    /// The worker is asked: a newer wish replaces the one before it.
    pub(in crate::app) fn ask(&mut self, look: &Look) {
        self.asked = Some(look.clone());
    }

    /// The worker's answer.
    pub(in crate::app) fn take(&mut self, looked: Arc<Looked>) {
        if self.asked.as_ref() == Some(&looked.look) {
            self.asked = None;
        }
        if self.found.len() >= MAX_FOUND {
            self.found.remove(0);
        }
        self.found.push(looked);
    }

    /// Other devices or another picture: nothing that is known counts.
    pub(in crate::app) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Whether the worker may be asked for a look now: while pictures are being asked for, code has time.
pub fn is_at_rest(state: &State) -> bool {
    !state.is_old() && !state.is_show_pending()
}

/// What the shown task's code is compared with, or why there is nothing.
pub fn against(state: &State, shown: &Task, against: &Against) -> Result<Task, String> {
    let Target::Device { index, variant, local, host_memory } = shown.target else { return Err(text("code.panel.no-driver").to_owned()) };
    let with = |variant: Variant, local| Task { target: Target::Device { index, variant, local, host_memory }, ..shown.clone() };
    let other = match against {
        Against::Previous => previous(state, shown)?,
        Against::Naive => with(Variant::naive(), local),
        Against::Step(ladder, step) => {
            let filter = shown.filter();
            let step = filter.ladder(ladder).and_then(|ladder| ladder.steps.get(*step));
            let step = step.ok_or_else(|| filled("window.source.no-such-step", &[("filter", &filter.label())]))?;
            with(step.variant(), step.local_or(state.free_local()))
        }
    };
    if other.target == shown.target && other.spec == shown.spec {
        return Err(filled("code.panel.is-shown", &[("variant", &variant)]));
    }
    Ok(other)
}

fn previous(state: &State, shown: &Task) -> Result<Task, String> {
    let before = state.change.task.as_ref().filter(|before| matches!(before.target, Target::Device { .. }));
    let before = before.ok_or_else(|| text("window.source.nothing-switched"))?;
    if before.spec.filter != shown.spec.filter {
        return Err(text("window.source.filter-changed").to_owned());
    }
    // Code does not depend on what is in a picture.
    Ok(Task { picture: shown.picture.clone(), ..before.clone() })
}

#[cfg(test)]
mod tests {
    use super::{Against, Looks, against};
    use crate::app::settings::Settings;
    use crate::app::state::State;
    use crate::runner::{Look, Looked};
    use base::error::Error;
    use engine::{PictureRef, Target, Task};
    use kernels::filters::FilterIdExt as _;
    use model::{Channels, FilterId, HostMemory, LocalSize, Variant};
    use pictures::Picture;
    use std::sync::Arc;

    fn task(variant: &str) -> Task {
        let picture = PictureRef::new(Arc::new(Picture::from_fn(4, 4, Channels::Rgb, |_, _, _| 0)));
        let variant = Variant::parse(variant).expect("known");
        Task::new(picture, Target::Device { index: 0, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy })
    }

    #[test]
    fn what_is_asked_or_known_is_not_asked_again() {
        let mut looks = Looks::default();
        let [first, second] = ["naive", "padded"].map(|variant| Look { task: task(variant), against: None, with_lines: false });
        looks.ask(&first);
        assert!(!looks.is_new(&first) && looks.is_new(&second));
        // The worker drops what has not begun when something newer is asked.
        looks.ask(&second);
        assert!(looks.is_new(&first) && !looks.is_new(&second));
        looks.take(Arc::new(Looked::new(second.clone(), Err(Error::cancelled()), None)));
        assert!(!looks.is_new(&second) && looks.newest_of(&second.task).is_some() && looks.newest_of(&first.task).is_none());
        // An answer with lines is one without, but not the other way round.
        let lined = Look { with_lines: true, ..second.clone() };
        assert!(looks.is_new(&lined));
        looks.take(Arc::new(Looked::new(Look { with_lines: true, ..first.clone() }, Err(Error::cancelled()), None)));
        assert!(!looks.is_new(&first));
        looks.forget();
        assert!(looks.is_new(&second));
    }

    #[test]
    fn the_other_variant_is_over_the_same_picture_or_a_sentence_says_why_there_is_none() {
        let mut state = State::new(Settings::default());
        let shown = task("padded+vectorize=5");
        assert_eq!(against(&state, &shown, &Against::Previous), Err("no stage changed yet".to_owned()));
        state.change.task = Some(task("naive"));
        let before = against(&state, &shown, &Against::Previous).expect("one");
        assert_eq!((&before.picture, before.target), (&shown.picture, task("naive").target));
        assert_eq!(against(&state, &shown, &Against::Naive), Ok(before));
        assert!(against(&state, &task("naive"), &Against::Naive).expect_err("the same").contains("is the variant shown"));
        let step = against(&state, &task("naive"), &Against::Step("mali-t600".to_owned(), 1)).expect("a step");
        assert_eq!(step.target, shown.target);
        assert!(against(&state, &shown, &Against::Step("none".to_owned(), 1)).is_err());
        let filter = FilterId::Bilateral.filter();
        let other = Task { spec: filter.spec(Channels::Rgb, filter.default_border), ..shown };
        assert!(against(&state, &other, &Against::Previous).expect_err("two filters").contains("the filter was changed"));
    }
}
