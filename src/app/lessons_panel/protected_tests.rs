//! No question of any lesson or ladder has its answer on the screen before it is given: the whole view is drawn for each, with everything measured already,
//! and its words are searched.

use super::course::CourseAction;
use super::with_facts;
use crate::app::action::Action;
use crate::app::panes::Panels;
use crate::app::settings::Settings;
use crate::app::state::{Effect, FileJob, State};
use crate::runner::Update;
use crate::testing::compared_as;
use crate::testing::records::{measured, on_device_in};
use crate::testing::sessions::on_device;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use engine::Task;
use engine::device::{DeviceInfo, DeviceKind};
use kernels::filters;
use model::measure::{Comparison, Verdict};
use model::{Channels, Outcome, Record};
use pictures::Picture;
use std::sync::Arc;
use study::Finding;
use study::lessons::{Item, name_of};
use study::predict::Change;
use view::plot::units;

/// What the made-up measurement says, in words that are nowhere else.
const COMPARISON: Comparison = Comparison { ratio: 7.77, low: 7.71, high: 7.83, verdict: Verdict::Faster, starts: 7 };
const OUTCOME: [&str; 2] = ["7.77", "7.71"];
/// The kernel time of what a screen shows: of each screen another one, as earlier ones stay on the screen.
fn time_ns(screen: usize) -> f64 {
    1_053_000.0 + 117_000.0 * screen as f64
}

fn act(state: &mut State, action: CourseAction) {
    settle(state, Action::Course(action));
}

/// Acts, and opens the pictures that are asked for.
fn settle(state: &mut State, action: Action) {
    let mut effects = state.apply(action);
    while let Some(next) = effects.iter().find_map(picture_of) {
        effects = state.apply(next);
    }
    while let Some(id) = state.pending.first().map(|pending| pending.id) {
        let _ = state.apply(Action::Runner(Box::new(Update::Finished { id, result: Ok(()) })));
    }
}

fn picture_of(effect: &Effect) -> Option<Action> {
    let Effect::Files(job) = effect else { return None };
    let (name, [width, height]) = match job {
        FileJob::Generate(size) => ("generated".to_owned(), *size),
        FileJob::Sample(name) => (name.split('.').next()?.to_owned(), [600, 400]),
        _ => return None,
    };
    let picture = Picture::new(width, height, Channels::Rgb, vec![90; width * height * 3]).expect("a picture");
    Some(Action::PictureLoaded { name, path: None, picture: Arc::new(picture), notes: Vec::new() })
}

/// Both were measured, and interleaved.
fn measure(state: &mut State, pair: &(Task, Task), screen: usize) {
    for (task, time) in [(&pair.0, 8_181_000.0), (&pair.1, time_ns(screen))] {
        let record = Record { spec: task.spec.clone(), ..on_device_in("naive", Outcome::Measured(Box::new(measured(time)))) };
        let update = Update::Found(0, Finding::Record(task.clone(), Box::new(record)));
        let _ = state.apply(Action::Runner(Box::new(update)));
    }
    let update = Update::Found(0, Finding::Compared(Box::new(pair.clone()), Ok(compared_as(COMPARISON))));
    let _ = state.apply(Action::Runner(Box::new(update)));
}

/// All that the view says, each part once.
pub(super) fn words(state: &State, panels: &mut Panels) -> Vec<String> {
    let mut actions = Vec::new();
    let mut is_ready = false;
    let mut harness = Harness::builder().with_size([1400.0, 900.0]).build_ui(|ui| {
        // Fonts are there from the next frame on.
        if std::mem::replace(&mut is_ready, true) {
            super::course_ui(ui, panels, state, &mut actions);
        } else {
            crate::app::theme::install(ui.ctx());
        }
    });
    for _ in 0..4 {
        // The figure is laid out on a thread of its own.
        std::thread::sleep(std::time::Duration::from_millis(12));
        harness.step();
    }
    let nodes = harness.query_all_by(|node| node.label().is_some() || node.value().is_some());
    let said = nodes.flat_map(|node| [node.accesskit_node().label(), node.accesskit_node().value()]).flatten();
    let mut said: Vec<String> = said.filter(|words| !words.trim().is_empty()).collect();
    said.sort();
    said.dedup();
    said
}

/// Whether the number stands in the words by itself.
fn has_number(words: &str, number: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ',';
    words.match_indices(number).any(|(at, _)| {
        let before = words[..at].chars().next_back().is_some_and(is_part);
        let after = words[at + number.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}

/// Looks at every question of a lesson; how many there were.
fn look(state: &mut State, panels: &mut Panels, name: &str) -> usize {
    act(state, CourseAction::Open(name.to_owned()));
    let count = state.here().expect("a lesson").lesson.screens.len();
    let mut questions = 0;
    for index in 0..count {
        act(state, CourseAction::Go(index));
        let here = state.here().expect("a lesson");
        // Left out on this device.
        if here.index != index || here.is_over {
            continue;
        }
        let screen = here.screen().expect("a screen").clone();
        let lesson = Arc::clone(&here.lesson);
        let place = format!("{name}, screen {}", index + 1);
        if screen.show.as_ref().is_some_and(|show| state.why_not_shown(show).is_some()) {
            continue;
        }
        if let Some(pair) = state.screen_pair(&screen) {
            measure(state, &pair, index);
        }
        let facts = state.screen_facts(&lesson, &screen);
        let later: Vec<String> = screen.then.iter().map(|line| with_facts(line, &facts)).collect();
        match &screen.item {
            Some(Item::Predict) => {
                questions += 1;
                let open = state.lesson.open.as_ref().unwrap_or_else(|| panic!("{place}: nothing is asked"));
                let pair = open.pair.clone();
                measure(state, &pair, index);
                let said = words(state, panels);
                let time = units::time(time_ns(index));
                for part in &said {
                    assert!(!OUTCOME.iter().any(|figure| part.contains(figure)), "{place}: {part}");
                    assert!(!part.contains(&time), "{place}: {part}");
                    assert!(!later.iter().any(|line| part.contains(line.as_str())), "{place}: {part}");
                }
                // It is there once the answer is given.
                let _ = state.apply(Action::Lesson(crate::app::lesson::Answer::Guess(Change::Same)));
                measure(state, &pair, index);
                let said = words(state, panels).join("\n");
                assert!(OUTCOME.iter().any(|figure| said.contains(figure)) && said.contains(&time), "{place}: {said}");
            }
            Some(Item::Number(number)) => {
                questions += 1;
                let Some(truth) = number.is.value(&facts) else { continue };
                let truth = units::number(truth);
                // What the screen itself says may have the number for another reason: "a load of 32 lanes".
                let own: Vec<String> =
                    screen.text.iter().chain([&screen.title, &number.question]).map(|line| with_facts(line, &facts)).collect();
                for part in words(state, panels)
                    .iter()
                    .filter(|part| !own.iter().any(|own| own.contains(part.as_str()) || part.contains(own.as_str())))
                {
                    // Code is what is asked about.
                    let is_code = part.contains(';') || part.contains("__kernel");
                    // Each digit can be pressed, whatever the answer is.
                    let is_digit = part.len() == 1;
                    assert!(is_code || is_digit || is_chrome(part) || !has_number(part, &truth), "{place}, {truth}: {part}");
                    assert!(!later.iter().any(|line| part.contains(line.as_str())), "{place}: {part}");
                }
            }
            Some(Item::Choose(choose)) => {
                questions += 1;
                let refuted: Vec<String> =
                    choose.answers.iter().filter_map(|(_, refuted)| refuted.as_ref()).map(|line| with_facts(line, &facts)).collect();
                for part in words(state, panels) {
                    assert!(!refuted.iter().chain(&later).any(|line| part.contains(line.as_str())), "{place}: {part}");
                }
            }
            _ => {}
        }
    }
    questions
}

/// Places, devices and the zoom of pictures, which have numbers of their own.
fn is_chrome(part: &str) -> bool {
    part == "1:1" || part.starts_with("Screen ") || part.starts_with("Pixels ") || part.contains("units)") || part.contains("min, ")
}

#[test]
fn no_question_has_its_answer_on_the_screen_before_it_is_given() {
    let ladders: Vec<String> = filters::ladders().map(name_of).collect();
    let mut asked = 0;
    for kind in [DeviceKind::Gpu, DeviceKind::Cpu] {
        let device = DeviceInfo { kind, max_image_px: Some([16384, 16384]), ..DeviceInfo::example() };
        let mut state = on_device(Settings { is_still: true, ..Settings::default() }, device);
        let mut panels = Panels::new(&egui::Context::default()).expect("threads start");
        let lessons: Vec<String> = state.course.shelf.names().into_iter().map(str::to_owned).collect();
        // Ladders ask the same on every device.
        let ladders = if kind == DeviceKind::Gpu { ladders.clone() } else { Vec::new() };
        for name in lessons.iter().chain(&ladders) {
            asked += look(&mut state, &mut panels, name);
        }
    }
    assert!(asked > 120, "{asked} questions");
}
