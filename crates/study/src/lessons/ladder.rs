//! A ladder as a lesson: a screen for each step, which asks what the step will do, and tells what its guide says of it only after that.

use super::{Against, Item, Lesson, Needs, Part, Screen, Show};
use base::texts::{Language, filled, language, pair, text};
use kernels::filters::FilterIdExt;
use kernels::filters::{self, Ladder, Offer};
use model::{HostMemory, LocalSize, local_label, stages};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Before a ladder's name, where lessons are told by name.
const PREFIX: &str = "ladder:";

/// The name of a ladder's lesson.
#[must_use]
pub fn name_of(ladder: &Ladder) -> String {
    format!("{PREFIX}{}", ladder.name)
}

/// The ladder of a lesson's name; `None` for other lessons.
#[must_use]
pub fn ladder_of(name: &str) -> Option<&'static Ladder> {
    filters::ladder(name.strip_prefix(PREFIX)?)
}

/// The ladder as a lesson, in the language that is spoken now. Made once for each: the window asks for them in every frame.
/// `None` for a ladder that is none of the program's.
#[must_use]
pub fn of_ladder(ladder: &'static Ladder) -> Option<&'static Arc<Lesson>> {
    type Lessons = BTreeMap<&'static str, Arc<Lesson>>;
    fn all() -> Lessons {
        filters::ladders().map(|ladder| (ladder.name, Arc::new(lesson(ladder)))).collect()
    }
    static ENGLISH: LazyLock<Lessons> = LazyLock::new(all);
    static CHINESE: LazyLock<Lessons> = LazyLock::new(all);
    let lessons = match language() {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    };
    lessons.get(ladder.name)
}

fn lesson(ladder: &'static Ladder) -> Lesson {
    Lesson {
        title: ladder.label().to_owned(),
        goal: filled(
            if ladder.is_own { "course.ladder.goal-own" } else { "course.ladder.goal" },
            &[("filter", &ladder.filter.filter().label()), ("device", &ladder.device())],
        ),
        known: Vec::new(),
        minutes: u32::try_from(ladder.steps.len()).unwrap_or(u32::MAX),
        device: Needs::Any,
        teacher: None,
        screens: (0..ladder.steps.len()).filter_map(|index| screen(ladder, index)).collect(),
    }
}

fn screen(ladder: &'static Ladder, index: usize) -> Option<Screen> {
    let step = ladder.steps.get(index)?;
    let side = |index: usize| {
        let step = ladder.steps.get(index)?;
        Some(Against { variant: step.variant(), local: step.local_or(LocalSize::Driver), memory: HostMemory::Copy })
    };
    let own = side(index)?;
    let against = ladder.base(index).and_then(side);
    let texts = match against {
        Some(against) => changes(ladder, against, own),
        None => vec![ladder.source().to_owned(), ladder.filter.filter().summary().to_owned()],
    };
    let after = [Some(step.why().to_owned()), ladder.claim_line(index)].into_iter().flatten().filter(|line| !line.is_empty());
    Some(Screen {
        part: Part::Middle,
        title: ladder.step_title(index)?,
        text: texts,
        device: Needs::Any,
        show: Some(Show {
            spec: ladder.filter.filter().spec(ladder.channels, ladder.border),
            variant: own.variant,
            local: own.local,
            memory: own.memory,
            against,
            picture: None,
            panel: None,
            figure: None,
        }),
        item: against.map(|_| Item::Predict),
        record: None,
        then: after.collect(),
        step: Some(StepOf { ladder, step: index }),
    })
}

/// What a step changes, each stage with the idea behind it: nothing of what came of it elsewhere.
fn changes(ladder: &Ladder, before: Against, after: Against) -> Vec<String> {
    let filter = ladder.filter.filter();
    let mut lines = Vec::new();
    for stage in stages().filter(|stage| before.variant.value(stage.id) != after.variant.value(stage.id)) {
        let is_on = after.variant.is_on(stage.id);
        let reason = filter.offer(stage.id).filter(|_| is_on).map(Offer::reason);
        let value = stage.values.iter().find(|value| value.value == after.variant.value(stage.id)).filter(|value| !value.name.is_empty());
        let label = match (is_on, value) {
            (true, Some(value)) => pair(&stage.label(), &value.label()),
            (true, None) => stage.label().to_owned(),
            (false, _) => filled("course.ladder.off", &[("stage", &stage.label())]),
        };
        lines.push(reason.map_or_else(|| label.clone(), |reason| pair(&label, &reason)));
    }
    if before.local != after.local {
        let told = |local: LocalSize| match local {
            LocalSize::Driver => text("course.ladder.driver").to_owned(),
            LocalSize::Explicit(size) => local_label(size),
        };
        lines.push(filled("course.ladder.local", &[("before", &told(before.local)), ("after", &told(after.local))]));
    }
    if lines.is_empty() { vec![text("course.ladder.nothing").to_owned()] } else { lines }
}

/// A step of a ladder.
#[derive(Clone, Copy, Debug)]
pub struct StepOf {
    /// The ladder.
    pub ladder: &'static Ladder,
    /// The step, from 0.
    pub step: usize,
}

impl PartialEq for StepOf {
    fn eq(&self, other: &Self) -> bool {
        (self.ladder.name, self.step) == (other.ladder.name, other.step)
    }
}

#[cfg(test)]
mod tests {
    use super::{filters, ladder_of, name_of, of_ladder};
    use crate::lessons::Item;

    #[test]
    fn every_ladder_is_a_lesson_that_asks_before_it_tells() {
        for ladder in filters::ladders() {
            let lesson = of_ladder(ladder).expect("every one is a lesson");
            assert_eq!(lesson.screens.len(), ladder.steps.len(), "{}", ladder.name);
            assert!(ladder_of(&name_of(ladder)).is_some_and(|found| found.name == ladder.name));
            for (index, screen) in lesson.screens.iter().enumerate() {
                assert_eq!(screen.item.is_some(), index > 0, "{} {index}", ladder.name);
                let Some(Item::Predict) = screen.item else { continue };
                let step = &ladder.steps[index];
                let words = screen.text.join(" ");
                assert!(!words.is_empty() && !screen.then.is_empty(), "{} {index}", ladder.name);
                // What the guide says of the step, and what was published, come after the answer.
                let letters: Vec<char> = words.chars().collect();
                let has_figure = letters.windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1] == '×');
                assert!(!words.contains(step.why()) && !has_figure, "{} {index}: {words}", ladder.name);
            }
        }
        assert!(ladder_of("mine").is_none() && ladder_of("ladder:none").is_none());
    }
}
