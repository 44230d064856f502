//! A lesson by itself, without a window.

use super::{Answer, Phase};
use crate::app::action::{Action, Command};
use crate::app::settings::Settings;
use crate::app::state::{Effect, State};
use crate::device::DeviceInfo;
use crate::engine::Compared;
use crate::image::Picture;
use crate::measure::{Comparison, Places, Verdict};
use crate::model::Channels;
use crate::study::prediction::Change;
use crate::worker::Update;
use std::sync::Arc;

fn lesson(state: &mut State, answer: Answer) -> Vec<Effect> {
    state.apply(Action::Lesson(answer))
}

/// A ladder's first step on a device without local memory of its own, where each step is asked about.
fn begun() -> State {
    let mut state = State::new(Settings { asks_first: true, ..Settings::default() });
    let device = DeviceInfo { local_mem_is_dedicated: false, ..DeviceInfo::example() };
    let _ = state.apply(Action::Worker(Box::new(Update::Devices(Ok(vec![device])))));
    let picture = Arc::new(Picture::from_fn(64, 64, Channels::Rgb, |x, _, _| x as u8));
    let _ = state.apply(Action::PictureLoaded { name: "small".into(), path: None, picture, notes: Vec::new() });
    let _ = state.apply(Action::SetStep("mali-t600", 0));
    state
}

fn outcome(state: &mut State, verdict: Verdict, [low, ratio, high]: [f64; 3]) {
    let pair = state.lesson.open.as_ref().expect("a question").pair.clone();
    let compared = Compared {
        comparison: Comparison { ratio, low, high, verdict },
        places: Places::Shared,
        pairs: Vec::new(),
        busy: false,
        code: None,
    };
    let _ = state.apply(Action::Worker(Box::new(Update::Compared { id: 0, pair: Box::new(pair), compared })));
}

#[test]
fn a_step_is_asked_about_before_it_is_shown() {
    let mut state = begun();
    let before = state.choice().variant;
    assert!(state.apply(Action::Run(Command::NextStep)).is_empty(), "nothing runs before the guess");
    assert_eq!(state.choice().variant, before);
    let open = state.lesson.open.as_ref().expect("a question");
    assert_eq!((open.step, open.against), (1, 0));
    let _ = lesson(&mut state, Answer::Sure(true));
    let effects = lesson(&mut state, Answer::Guess(Change::MuchFaster));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Show(_))));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Bench(bench) if bench.study.total() == 3)));
    assert_eq!(state.choice().variant.to_string(), "padded+vectorize=5");
    // A second guess comes too late.
    assert!(lesson(&mut state, Answer::Guess(Change::Same)).is_empty());
    outcome(&mut state, Verdict::Faster, [1.6, 1.7, 1.8]);
    let Some(Phase::Seen(told)) = state.lesson.open.as_ref().map(|open| &open.phase) else { panic!("seen") };
    assert_eq!(told.predicted.truth, [Change::MuchFaster]);
    assert_eq!(told.predicted.guess.map(|guess| (guess.change, guess.is_sure)), Some((Change::MuchFaster, true)));
    assert_eq!(told.reasons.first().map(|reason| reason.rule.as_str()), Some("fewer-loads"));
}

#[test]
fn a_reason_is_chosen_once_and_counts() {
    let mut state = begun();
    let _ = state.apply(Action::Run(Command::NextStep));
    let _ = lesson(&mut state, Answer::Guess(Change::Faster));
    outcome(&mut state, Verdict::Faster, [1.6, 1.7, 1.8]);
    let Some(Phase::Seen(told)) = state.lesson.open.as_ref().map(|open| &open.phase) else { panic!("seen") };
    let question = told.question.clone().expect("other reasons are refuted");
    let truth = question.answers.iter().position(|answer| answer.refuted.is_none()).expect("one is true");
    let _ = lesson(&mut state, Answer::Reason(truth));
    let _ = lesson(&mut state, Answer::Reason((truth + 1) % question.answers.len()));
    assert_eq!(state.lesson.told.last().and_then(|told| told.predicted.has_right_reason), Some(true));
    // On to the next question.
    let _ = lesson(&mut state, Answer::Next);
    assert_eq!(state.lesson.open.as_ref().map(|open| open.step), Some(2));
}

#[test]
fn another_choice_closes_the_question_and_without_asking_steps_are_shown() {
    let mut state = begun();
    let _ = state.apply(Action::Run(Command::NextStep));
    let _ = state.apply(Action::SetStep("mali-t600", 3));
    assert!(state.lesson.open.is_none());
    let _ = lesson(&mut state, Answer::AskFirst(false));
    let effects = state.apply(Action::Run(Command::NextStep));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Show(_))));
    assert_eq!(state.settings.ladder.as_ref().map(|place| place.step), Some(4));
}

#[test]
fn a_step_that_the_device_cannot_run_is_left_out_with_the_reason() {
    let mut state = begun();
    let device = DeviceInfo { max_image_px: Some([8192, 8192]), ..DeviceInfo::example() };
    let _ = state.apply(Action::Worker(Box::new(Update::Devices(Ok(vec![device])))));
    let _ = state.apply(Action::SetFilter(crate::filters::by_name("epsilon").expect("epsilon")));
    let _ = state.apply(Action::SetStep("adreno-epsilon", 0));
    // Step 2 computes in half, which this device has not.
    let _ = state.apply(Action::Run(Command::NextStep));
    let open = state.lesson.open.as_ref().expect("a question");
    assert_eq!((open.step, open.against), (2, 0));
    assert_eq!(open.left_out.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [1]);
    assert!(open.left_out.iter().all(|(_, why)| !why.is_empty()));
}

#[test]
fn an_outcome_of_another_pair_is_not_taken() {
    let mut state = begun();
    let _ = state.apply(Action::Run(Command::NextStep));
    let pair = state.lesson.open.as_ref().expect("a question").pair.clone();
    let comparison = Comparison { ratio: 1.0, low: 0.9, high: 1.1, verdict: Verdict::Unclear };
    let compared = Compared { comparison, places: Places::Shared, pairs: Vec::new(), busy: false, code: None };
    // Before the guess even the right pair gives nothing away.
    let _ = state.apply(Action::Worker(Box::new(Update::Compared { id: 0, pair: Box::new(pair.clone()), compared: compared.clone() })));
    assert!(matches!(state.lesson.open.as_ref().map(|open| &open.phase), Some(Phase::Asked)));
    let _ = lesson(&mut state, Answer::Skip);
    let turned = (pair.1, pair.0);
    let _ = state.apply(Action::Worker(Box::new(Update::Compared { id: 0, pair: Box::new(turned), compared })));
    assert!(matches!(state.lesson.open.as_ref().map(|open| &open.phase), Some(Phase::Running(None))));
}
