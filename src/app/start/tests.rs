//! Start by itself, without a window.

use super::{SWITCHES, StartAction};
use crate::app::action::Action;
use crate::app::lessons_panel::CourseAction;
use crate::app::nav::Section;
use crate::app::settings::Settings;
use crate::app::state::{Effect, FileJob, PASTED, State};
use crate::runner::Update;
use crate::testing::compared_as;
use crate::testing::sessions::{news, open};
use engine::Task;
use engine::device::DeviceInfo;
use kernels::filters::FilterIdExt;
use kernels::filters::SettingExt;
use kernels::filters::VariantExt;
use model::measure::{Comparison, Verdict};
use model::{Channels, Setting};
use pictures::Picture;
use std::sync::Arc;
use study::Finding;

/// At its first start, on one device, before there is a picture.
fn begun() -> State {
    let mut state = State::new(Settings::default());
    state.section = Section::Start;
    assert!(news(&mut state, Update::Devices(Ok(vec![DeviceInfo::example()]))).is_empty(), "there is no picture to run on");
    state
}

fn loaded(state: &mut State, side: usize, is_own: bool) -> Vec<Effect> {
    let picture = Arc::new(Picture::from_fn(side, side, Channels::Rgb, |x, _, _| x as u8));
    let path = is_own.then(|| "own.png".into());
    state.apply(Action::PictureLoaded { name: "coffee-enlarged".into(), path, picture, notes: Vec::new() })
}

/// What is being measured, by the request's number.
fn asked(effects: &[Effect]) -> u64 {
    let bench = effects.iter().find_map(|effect| if let Effect::Bench(bench) = effect { Some(bench) } else { None });
    let bench = bench.expect("a measurement");
    assert_eq!(bench.study.total(), 3, "both by themselves, and interleaved");
    bench.id
}

fn outcome(state: &mut State, id: u64, index: usize, low: f64) -> Vec<Effect> {
    let pair: (Task, Task) = state.switch_pair(&SWITCHES[index]).expect("it runs");
    let compared = compared_as(Comparison { ratio: low * 1.1, low, high: low * 1.2, verdict: Verdict::Faster, starts: 1 });
    let _ = news(state, Update::Found(id, Finding::Compared(Box::new(pair), Ok(compared))));
    news(state, Update::Finished { id, result: Ok(()) })
}

#[test]
fn every_switch_is_two_variants_that_a_device_can_run() {
    for switch in &SWITCHES {
        let [before, after] = switch.variants().expect("known");
        assert_ne!(before, after);
        let setting = Setting::of(&switch.spec());
        for variant in [before, after] {
            variant.check(switch.filter.filter(), setting).unwrap_or_else(|error| panic!("{}: {error}", switch.key));
        }
        assert!(!switch.title().is_empty() && switch.label(false) != switch.label(true));
    }
}

#[test]
fn a_sample_is_asked_for_as_large_as_a_photo_and_an_own_photo_is_taken_as_it_is() {
    let mut state = begun();
    let effects = loaded(&mut state, 600, false);
    assert!(matches!(effects.as_slice(), [Effect::Files(FileJob::Enlarged(name))] if name == "coffee.png"), "{effects:?}");
    let _ = asked(&loaded(&mut state, 1500, false));
    let mut state = begun();
    let _ = asked(&loaded(&mut state, 600, true));
    let mut state = begun();
    let _ = asked(&open(&mut state, PASTED, [600, 600]));
}

#[test]
fn a_switch_that_does_much_is_taken_at_once() {
    let mut state = begun();
    let id = asked(&loaded(&mut state, 1500, false));
    assert!(state.start.shown().is_none() && state.start.trying().is_some());
    let effects = outcome(&mut state, id, 0, 5.0);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Bench(_))), "{effects:?}");
    assert_eq!(state.start.shown().map(|tried| tried.switch.key), Some("along-gray"));
    assert_eq!(state.choice().variant.to_string(), "naive");
    // A press shows the other side, and says so from then on.
    let effects = state.apply(Action::Start(StartAction::Put(true)));
    assert!(matches!(effects.as_slice(), [Effect::Show(_)]) && state.start.pressed.is_some());
    assert_eq!(state.choice().variant.to_string(), "coalesced");
}

#[test]
fn where_a_switch_does_little_the_next_is_tried_and_the_best_is_taken() {
    let mut state = begun();
    let mut id = asked(&loaded(&mut state, 1500, false));
    for (index, low) in [(0, 1.1), (1, 1.4), (2, 2.2)] {
        id = asked(&outcome(&mut state, id, index, low));
    }
    let _ = outcome(&mut state, id, 3, 1.9);
    assert_eq!(state.start.shown().map(|tried| tried.switch.key), Some("wide"));
    assert_eq!(state.start.tried.len(), SWITCHES.len());
}

#[test]
fn what_is_stopped_says_so_and_is_measured_again_when_asked() {
    let mut state = begun();
    let id = asked(&loaded(&mut state, 1500, false));
    let _ = news(&mut state, Update::Finished { id, result: Err(base::error::Error::cancelled()) });
    assert!(state.start.is_stopped && state.start.trying().is_none() && state.start.shown().is_none());
    let _ = asked(&state.apply(Action::Start(StartAction::Again)));
    assert!(!state.start.is_stopped);
}

#[test]
fn another_picture_is_measured_anew_and_the_lab_gets_the_sample_as_it_is() {
    let mut state = begun();
    let id = asked(&loaded(&mut state, 1500, false));
    let _ = outcome(&mut state, id, 0, 5.0);
    let effects = state.apply(Action::GoTo(Section::Lab));
    assert!(matches!(effects.as_slice(), [Effect::Files(FileJob::Sample(name))] if name == "coffee.png"), "{effects:?}");
    let _ = state.apply(Action::GoTo(Section::Start));
    let _ = asked(&loaded(&mut state, 1600, true));
    assert!(state.start.shown().is_none());
}

#[test]
fn without_a_device_nothing_is_measured() {
    let mut state = State::new(Settings::default());
    state.section = Section::Start;
    let _ = news(&mut state, Update::Devices(Ok(Vec::new())));
    let effects = loaded(&mut state, 1500, false);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Bench(_))), "{effects:?}");
}

#[test]
fn a_lesson_that_was_gone_on_to_keeps_its_question_when_start_is_done() {
    let mut state = begun();
    let id = asked(&loaded(&mut state, 1500, false));
    let _ = state.apply(Action::Course(CourseAction::Open("0-one-switch".to_owned())));
    let picture = Arc::new(Picture::from_fn(2048, 2048, Channels::Rgb, |x, _, _| x as u8));
    let _ = state.apply(Action::PictureLoaded { name: "generated".into(), path: None, picture, notes: Vec::new() });
    let _ = state.apply(Action::Course(CourseAction::Go(2)));
    let asked_about = |state: &State| state.lesson.open.as_ref().map(|open| open.pair.clone());
    let pair = asked_about(&state).expect("a question");
    let effects = outcome(&mut state, id, 0, 5.0);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Show(_))), "{effects:?}");
    assert_eq!(asked_about(&state), Some(pair));
    // Start has what was found when the person comes back.
    assert_eq!(state.start.shown().map(|tried| tried.switch.key), Some("along-gray"));
}
