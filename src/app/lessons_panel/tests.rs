//! A lesson by itself, without a window.

use super::course::{CourseAction, Given, LessonsJob};
use crate::app::action::Action;
use crate::app::lesson::{About, Answer, Phase};
use crate::app::nav::Section;
use crate::app::panes::Pane;
use crate::app::settings::Settings;
use crate::app::state::{Effect, FileJob, PASTED, State};
use crate::runner::Update;
use crate::testing::compared_as;
use crate::testing::sessions::{on_device, open, searched};
use egui_kittest::kittest::Queryable as _;
use engine::device::{DeviceInfo, DeviceKind};
use kernels::filters::FilterIdExt;
use model::measure::{Comparison, Verdict};
use model::{Channels, FilterId};
use pictures::Picture;
use std::sync::Arc;
use study::Finding;
use study::lessons::{Edition, panels};
use study::predict::Change;

const LESSON: &str = r#"
title = "Here"
goal = "See"
minutes = 5
filter = "laplace"
channels = "gray"

[[screen]]
title = "One"
text = "It loads {after.loads} times."
show = { variant = "coalesced", against = "naive", panel = "compiled" }
predict = true

[[screen]]
title = "Two"
text = "Count."
show = { variant = "naive", picture = "generated 96x64" }
number = { question = "How many loads?", is = "after.loads" }

[[screen]]
title = "Three"
text = "Change."
show = { variant = "naive" }
task = { goal = "Fewer loads", when = ["after.loads < 9"] }

[end]
title = "Four"
text = "Which?"
choose = { question = "Which?", right = "This", wrong = [{ say = "That", refuted = "no" }] }
"#;

fn act(state: &mut State, action: CourseAction) -> Vec<Effect> {
    state.apply(Action::Course(action))
}

fn read(editions: Vec<Edition>) -> Action {
    Action::LessonsRead { folder: "folder".into(), editions, written: None }
}

/// A GPU, over a person's own picture.
fn own_picture() -> State {
    let mut state = on_device(Settings::default(), DeviceInfo::example());
    let picture = Arc::new(Picture::from_fn(64, 64, Channels::Rgb, |x, _, _| x as u8));
    let _ = state.apply(Action::PictureLoaded { name: "small".into(), path: Some("small.png".into()), picture, notes: Vec::new() });
    state
}

/// The lesson on its first screen, on a GPU.
fn begun() -> State {
    let mut state = own_picture();
    let edition = Edition::of_text("mine.toml", Some("mine.toml".into()), LESSON);
    assert_eq!(edition.faults, []);
    let _ = state.apply(read(vec![edition]));
    let _ = act(&mut state, CourseAction::Open("mine".into()));
    state
}

fn value(state: &State, name: &str) -> Option<f64> {
    let here = state.here().expect("a lesson");
    state.screen_facts(&here.lesson, here.screen().expect("a screen")).get(name)
}

#[test]
fn screens_are_walked_and_kept() {
    let mut state = begun();
    assert_eq!(state.section, Section::Course);
    for (asked, index, is_over) in [(1, 1, false), (3, 3, false), (9, 3, true), (0, 0, false)] {
        let _ = act(&mut state, CourseAction::Go(asked));
        assert_eq!(state.here().map(|here| (here.index, here.is_over)), Some((index, is_over)));
    }
    let _ = act(&mut state, CourseAction::Go(2));
    let (settings, error) = Settings::load(&state.settings.to_text());
    assert_eq!((settings.course, error), (state.settings.course.clone(), None));
    let progress = state.progress("mine").expect("kept");
    assert_eq!((progress.screen, progress.furthest), (2, 3));
    let _ = act(&mut state, CourseAction::Leave);
    assert!(state.here().is_none());
    // A lesson that has become shorter is shown at its end.
    let shorter = LESSON.split("[[screen]]\ntitle = \"Two\"").next().expect("a part");
    let _ = state.apply(read(vec![Edition::of_text("mine.toml", Some("mine.toml".into()), shorter)]));
    let _ = act(&mut state, CourseAction::Open("mine".into()));
    assert_eq!(state.here().map(|here| here.index), Some(0));
}

#[test]
fn a_screen_shows_and_asks_by_itself() {
    let state = begun();
    // Before the guess it is what the variant is compared with that is shown.
    assert_eq!((state.choice().variant.to_string().as_str(), state.choice().spec.channels), ("naive", Channels::Gray));
    assert!(matches!(state.lesson.open.as_ref().map(|open| &open.about), Some(About::Screen { screen: 0, .. })));
    assert!(state.settings.ladder.is_none());
    assert_eq!((value(&state, "after.loads"), value(&state, "before.loads")), (Some(9.0), Some(9.0)));
}

#[test]
fn a_picture_is_loaded_first_and_facts_wait_for_it() {
    let mut state = begun();
    let effects = act(&mut state, CourseAction::Go(1));
    assert!(matches!(effects.as_slice(), [Effect::Files(FileJob::Generate([96, 64]))]), "{effects:?}");
    assert_eq!(value(&state, "after.loads"), None, "another picture is open");
    let effects = open(&mut state, "generated", [96, 64]);
    assert!(matches!(effects.as_slice(), [Effect::Show(show)] if show.task.spec.channels == Channels::Gray), "{effects:?}");
    assert_eq!((value(&state, "after.loads"), value(&state, "after.work_items")), (Some(9.0), Some(96.0 * 64.0)));
    let _ = act(&mut state, CourseAction::Give(Given::Number(9.0)));
    assert_eq!(state.given(), Some(Given::Number(9.0)));
    let _ = act(&mut state, CourseAction::Again);
    assert_eq!(state.given(), None);
}

#[test]
fn a_small_picture_stays_open_where_it_was_pasted() {
    let mut state = begun();
    let show = state.here().and_then(|here| here.screen()?.show.clone()).expect("the screen shows something");
    for (name, stays) in [(PASTED, true), ("small", false)] {
        let _ = open(&mut state, name, [64, 64]);
        assert_eq!(state.has_picture(&show), stays, "{name}");
    }
}

#[test]
fn a_prediction_goes_the_way_of_ladders() {
    let mut state = begun();
    assert!(matches!(state.lesson.open.as_ref().map(|open| &open.about), Some(About::Screen { screen: 0, .. })));
    let effects = state.apply(Action::Lesson(Answer::Guess(Change::Faster)));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Bench(bench) if bench.study.total() == 3)), "{effects:?}");
    assert_eq!(state.choice().variant.to_string(), "coalesced");
    let pair = state.lesson.open.as_ref().expect("a question").pair.clone();
    let comparison = Comparison { ratio: 2.0, low: 1.9, high: 2.1, verdict: Verdict::Faster, starts: 1 };
    let compared = compared_as(comparison);
    let _ = state.apply(Action::Runner(Box::new(Update::Found(0, Finding::Compared(Box::new(pair), Ok(compared))))));
    assert!(matches!(state.lesson.open.as_ref().map(|open| &open.phase), Some(Phase::Seen(_))));
    // It is kept as those of ladders are; no step of a ladder is recalled for it.
    let kept = state.lesson.memory.records().first().expect("kept");
    assert_eq!((kept.predicted.ladder.as_str(), kept.step_key.as_str(), kept.place().is_none()), ("mine", "naive > coalesced", true));
    let told = state.lesson.told_of("mine", 0).expect("told");
    assert_eq!(told.predicted.truth, [Change::MuchFaster]);
    assert_eq!((value(&state, "speed_up"), value(&state, "least_speed_up")), (Some(2.0), Some(1.9)));
    // On to the next screen: the question is closed, and what was seen stays.
    let _ = act(&mut state, CourseAction::Go(1));
    assert!(state.lesson.open.is_none() && state.lesson.told_of("mine", 0).is_some());
}

#[test]
fn a_task_is_about_what_is_chosen_now() {
    let mut state = begun();
    let _ = act(&mut state, CourseAction::Go(2));
    assert_eq!(state.given(), Some(Given::Begun));
    assert_eq!((value(&state, "before.loads"), value(&state, "after.loads")), (Some(9.0), Some(9.0)));
    let variant = model::Variant::parse("padded+vectorize=4").expect("known");
    let _ = state.apply(Action::SetVariant(variant));
    assert_eq!(value(&state, "before.loads"), Some(9.0));
    assert!(value(&state, "after.loads").is_some_and(|loads| loads < 9.0));
    let effects = act(&mut state, CourseAction::Measure);
    // Both, interleaved, and the CPU beside them.
    assert!(matches!(effects.as_slice(), [Effect::Bench(bench)] if bench.study.total() == 4), "{effects:?}");
    let _ = state.apply(Action::SetFilter(FilterId::Copy.filter()));
    assert_eq!(value(&state, "after.loads"), None, "another filter");
}

#[test]
fn what_is_most_likely_right_is_never_told_not_yet() {
    let goal = study::why::Condition::try_from("least_speed_up >= 2".to_owned()).expect("a condition");
    let holds = |low: f64, ratio: f64| {
        let mut facts = study::why::Facts::default();
        facts.add_comparison(&Comparison { ratio, low, high: 2.0 * ratio, verdict: Verdict::Unclear, starts: 1 }, None);
        (goal.holds(&facts), goal.holds(&facts.most_likely()))
    };
    assert_eq!(holds(2.1, 3.0), (Some(true), Some(true)));
    assert_eq!(holds(0.9, 15.0), (Some(false), Some(true)), "most likely reached, and not sure");
    assert_eq!(holds(0.9, 1.5), (Some(false), Some(false)));
    // On the screen, with a way to be sure.
    let lesson = LESSON.replace("after.loads < 9", "least_speed_up >= 2");
    let mut state = own_picture();
    let _ = state.apply(read(vec![Edition::of_text("mine.toml", Some("mine.toml".into()), &lesson)]));
    let _ = act(&mut state, CourseAction::Open("mine".to_owned()));
    let _ = act(&mut state, CourseAction::Go(2));
    let _ = state.apply(Action::SetVariant(model::Variant::parse("padded+vectorize=4").expect("known")));
    let here = state.here().expect("a lesson");
    let pair = state.screen_pair(here.screen().expect("a screen")).expect("shown and chosen");
    let compared = compared_as(Comparison { ratio: 15.0, low: 0.9, high: 20.0, verdict: Verdict::Unclear, starts: 1 });
    let _ = state.apply(Action::Runner(Box::new(Update::Found(0, Finding::Compared(Box::new(pair.clone()), Ok(compared))))));
    assert_eq!(state.goal_comparison(false).as_deref(), Some("15.0× (0.9–20.0)"));
    while let Some(id) = state.pending.first().map(|pending| pending.id) {
        let _ = state.apply(Action::Runner(Box::new(Update::Finished { id, result: Ok(()) })));
    }
    let mut panels = crate::app::panes::Panels::new(&egui::Context::default()).expect("threads start");
    let mut actions = Vec::new();
    let mut harness =
        egui_kittest::Harness::builder().with_size([1200.0, 700.0]).build_ui(|ui| super::course_ui(ui, &mut panels, &state, &mut actions));
    harness.run();
    harness.get_by_label("Probably reached: 15.0× (0.9–20.0). The lower end of the interval is below the goal.");
    assert!(harness.query_by_label_contains("Not yet").is_none());
    // The stages beside it have one, too.
    harness.query_all_by_label("Measure again").next().expect("a button").click();
    harness.run();
    drop(harness);
    assert!(actions.iter().any(|action| matches!(action, Action::Course(CourseAction::MeasureAgain))), "{actions:?}");
    let effects = act(&mut state, CourseAction::MeasureAgain);
    assert!(matches!(effects.as_slice(), [Effect::Bench(bench)] if bench.study.total() == 1), "{effects:?}");
}

#[test]
fn what_the_device_cannot_run_is_said() {
    let mut state = begun();
    let here = state.here().expect("a lesson");
    let show = here.screen().and_then(|screen| screen.show.clone()).expect("a show");
    assert_eq!(state.why_not_shown(&show), None);
    let image = study::lessons::Show { variant: model::Variant::parse("coalesced+image").expect("known"), ..show.clone() };
    // The example device has no image objects.
    assert!(state.why_not_shown(&image).is_some_and(|why| !why.is_empty()));
    let cpu = DeviceInfo { kind: DeviceKind::Cpu, ..DeviceInfo::example() };
    assert!(
        study::lessons::Needs::Cpu.is_met_by(&cpu)
            && !study::lessons::Needs::Gpu.is_met_by(&cpu)
            && study::lessons::Needs::Any.is_met_by(&cpu)
    );
    let _ = state.apply(Action::Runner(Box::new(Update::Devices(Ok(Vec::new())))));
    assert!(state.why_not_shown(&show).is_some());
    assert!(act(&mut state, CourseAction::Predict).is_empty() && state.lesson.open.is_none());
}

#[test]
fn the_folder_is_read_by_the_file_thread() {
    let mut state = begun();
    assert!(matches!(act(&mut state, CourseAction::Reload).as_slice(), [Effect::Files(FileJob::Lessons(LessonsJob::Read))]));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lessons");
    assert!(matches!(LessonsJob::Read.run(&path), Action::LessonsRead { editions, written: None, .. } if editions.is_empty()));
    let Action::LessonsRead { folder: read, editions, .. } = LessonsJob::WriteExample.run(&path) else { panic!("read") };
    assert_eq!((read, editions.len()), (path, 1));
}

#[test]
fn the_way_of_a_search_becomes_a_lesson_of_the_persons_own() {
    let mut state = on_device(Settings::default(), DeviceInfo::example());
    assert_eq!(act(&mut state, CourseAction::WriteWay).len(), 0, "nothing was searched");
    let _ = searched(&mut state, Comparison { ratio: 3.0, low: 2.9, high: 3.1, verdict: Verdict::Faster, starts: 1 });
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["fastest-laplace-rgb", "fastest-laplace-rgb-2"] {
        let effects = act(&mut state, CourseAction::WriteWay);
        let [Effect::Files(FileJob::Lessons(job))] = effects.as_slice() else { panic!("{effects:?}") };
        let _ = state.apply(job.run(folder.path()));
        assert!(folder.path().join(format!("{name}.toml")).exists());
        let here = state.here().expect("it is open");
        // Coalesced mapping, the local work size, and both together.
        assert_eq!((here.name, here.lesson.screens.len()), (name, 3));
    }
}

#[test]
fn every_panel_that_lessons_name_is_there() {
    for name in panels() {
        assert!(Pane::named(name).is_some(), "{name}");
    }
    assert_eq!(Pane::named("crystal ball"), None);
}

#[test]
fn a_lessons_gap_runs_unasked_where_the_lesson_is_built_in_alone() {
    for path in [None, Some("mine.toml".into())] {
        let is_own = path.is_some();
        let mut state = on_device(Settings::default(), DeviceInfo::example());
        let _ = open(&mut state, "generated", [2048, 2048]);
        let edition = Edition::of_text("mine.toml", path, study::lessons::EXAMPLE);
        let screen = edition.lesson.as_ref().expect("right").screens.iter().position(|screen| screen.gap().is_some()).expect("a gap");
        let _ = state.apply(read(vec![edition]));
        let _ = act(&mut state, CourseAction::Open("mine".into()));
        let _ = act(&mut state, CourseAction::Go(screen));
        assert!(state.draft().is_some_and(|draft| draft.contains("// Your code")), "it is shown");
        assert_eq!((state.waits_for_consent().is_some(), state.edited_task().is_none()), (is_own, is_own));
        if is_own {
            let _ = state.apply(Action::Edit(crate::app::editing::Editing::Agree));
            assert!(state.edited_task().is_some(), "one answer for the folder");
            assert!(state.trust.covers(&base::trust::Origin::folder(std::path::Path::new("folder"))));
        }
    }
}

/// The words of the whole view, as soon as these are among them.
fn words_with(state: &State, wanted: &str) -> String {
    let mut panels = crate::app::panes::Panels::new(&egui::Context::default()).expect("threads start");
    // The figure is laid out on a thread of its own.
    let mut said = (0..50).map(|_| super::protected_tests::words(state, &mut panels).join("\n"));
    said.find(|said| said.contains(wanted)).unwrap_or_else(|| panic!("'{wanted}' is not shown"))
}

#[test]
fn a_figure_plays_in_the_place_of_the_panel_and_counts_nothing_that_is_asked_for() {
    let lesson = LESSON.replace(
        "show = { variant = \"naive\", picture",
        "show = { variant = \"naive\", figure = \"reduction-tree\", panel = \"source\", picture",
    );
    let mut state = on_device(Settings { is_still: true, ..Settings::default() }, DeviceInfo::example());
    let edition = Edition::of_text("mine.toml", Some("mine.toml".into()), &lesson);
    assert_eq!(edition.faults, []);
    let _ = state.apply(read(vec![edition]));
    let _ = act(&mut state, CourseAction::Open("mine".into()));
    let _ = act(&mut state, CourseAction::Go(1));
    let _ = open(&mut state, "generated", [96, 64]);
    let before = words_with(&state, "The right half is added to the left half");
    assert!(!before.contains("dditions: ") && !before.contains("16 values, 4 levels"), "{before}");
    // The code is below the figure.
    assert!(before.contains("__kernel"), "{before}");
    let _ = act(&mut state, CourseAction::Give(Given::Number(9.0)));
    let after = words_with(&state, "Additions: 15, levels: 4, barriers: 5");
    assert!(after.contains("16 values, 4 levels"), "{after}");
}
