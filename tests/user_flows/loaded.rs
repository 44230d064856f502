//! Whole lessons on the device that is there, while other programs use every core: they come to their ends, and what anybody can see is said.
//!
//!     cargo test --release --test user_flows -- --ignored --nocapture while_other_programs
//!
//! Not part of every test run: what it shows depends on how the machine shares its cores.

use self::load::Load;
use super::course::wait_for_experiment;
use super::window::Window;
use base::texts::{language, text};
use egui::accesskit::Role;
use engine::remote::Remote;
use kernel_ladder::app::lesson::Told;
use model::measure::Verdict;
use std::path::{Path, PathBuf};
use study::lessons::Item;
use study::predict::Change;
use study::testing::load;

/// A larger effect than this is plain to see, whatever else runs.
const PLAIN: f64 = 1.5;

/// Programs that compute and nothing else, one for each core; ended with the test.
fn load() -> Load {
    Load::begin(1, 1800)
}

fn window(folder: &Path) -> Window {
    let program = || PathBuf::from(env!("CARGO_BIN_EXE_kernel-ladder"));
    let mut window = Window::keeping_with(folder, Box::new(move || Box::new(Remote::of_program(program()))));
    window.wait("the predictions", |state| state.lesson.memory.is_read());
    window.settle();
    window
}

fn guess_faster(window: &mut Window) {
    window.click(Role::Button, &format!("4  {}", Change::Faster.label()));
}

/// What was seen, as a line, and whether a plain effect was left undecided.
fn look(name: &str, told: &Told) -> bool {
    let compared = &told.compared.comparison;
    println!(
        "{name}: {:.3} ({:.3} to {:.3}) {:?}, {} starts, busy: {}, scored: {}",
        compared.ratio,
        compared.low,
        compared.high,
        compared.verdict,
        compared.starts,
        told.compared.busy,
        !told.predicted.truth.is_empty()
    );
    assert!(told.compared.busy, "{name}: other programs ran, and it is not said");
    compared.ratio.max(1.0 / compared.ratio) > PLAIN && compared.verdict == Verdict::Unclear
}

/// Goes on to the next step.
fn next_step(window: &mut Window) {
    window.click(Role::Button, text("lessons.screen.next"));
}

/// Climbs the ladder that is open to its last step, and says how many plain effects were left undecided.
fn climb(window: &mut Window) -> usize {
    let steps = window.state().here().expect("it began").lesson.screens.len();
    while window.state().here().is_some_and(|here| here.index + 1 < steps) {
        let seen = window.state().lesson.told.len();
        next_step(window);
        window.wait("the question", |state| state.lesson.open.is_some() && state.pending.is_empty());
        guess_faster(window);
        window.wait("the outcome", |state| state.lesson.told.len() > seen && state.pending.is_empty());
    }
    let told = &window.state().lesson.told;
    println!("{} of {steps} steps were measured", told.len() + 1);
    assert_eq!(told.last().map(|told| told.predicted.step + 1), Some(steps), "the last step was measured");
    told.iter().filter(|told| look(&format!("step {}", told.predicted.step + 1), told)).count()
}

#[test]
#[ignore = "measures for minutes on a machine that it keeps busy"]
fn the_first_ladder_of_laplace_comes_to_its_end_while_other_programs_run() {
    let load = load();
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window(folder.path());
    window.open_lesson("Mali-T600 Laplace");
    window.settle();
    let undecided = climb(&mut window);
    drop(load);
    assert_eq!(undecided, 0, "plain effects that were left undecided");
}

/// Reads a lesson of the course to its last screen.
fn read(name: &str) {
    let load = load();
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window(folder.path());
    window.wait("the lessons", |state| state.course.folder.is_some());
    let lesson = window.state().course.shelf.find(name, language()).expect("it is built in").clone();
    window.open_lesson(&lesson.title);
    for (index, screen) in lesson.screens.iter().enumerate() {
        println!("screen {} of {}: {}", index + 1, lesson.screens.len(), screen.title);
        assert_eq!(window.state().here().map(|here| here.index), Some(index));
        match &screen.item {
            Some(Item::Predict) => {
                window.wait("the question", |state| state.lesson.open.is_some() && state.pending.is_empty());
                guess_faster(&mut window);
                window.wait("the outcome", |state| state.lesson.told_of(name, index).is_some() && state.pending.is_empty());
            }
            Some(Item::Choose(choose)) => {
                let right = choose.answers.iter().find(|(_, refuted)| refuted.is_none()).expect("one is right");
                window.node_ending(&right.0).click();
                window.harness.run_steps(3);
            }
            Some(Item::Experiment(rule)) => {
                window.click(Role::Button, text("experiments.ask.just-run"));
                wait_for_experiment(&mut window, rule);
            }
            Some(Item::Number(_) | Item::Task(_)) => window.click(Role::Button, text("lessons.item.skip")),
            None => {}
        }
        if index + 1 < lesson.screens.len() {
            // A question for the reason may still be open: the way on is beside the title, too.
            window.click(Role::Button, text("lessons.screen.next"));
        }
    }
    let undecided = (0..lesson.screens.len())
        .filter_map(|screen| Some((screen, window.state().lesson.told_of(name, screen)?)))
        .filter(|(screen, told)| look(&format!("screen {}", screen + 1), told))
        .count();
    drop(load);
    assert_eq!(undecided, 0, "plain effects that were left undecided");
}

#[test]
#[ignore = "measures for minutes on a machine that it keeps busy"]
fn the_first_lesson_comes_to_its_end_while_other_programs_run() {
    read("1-memory-access");
}

#[test]
#[ignore = "measures for minutes on a machine that it keeps busy"]
fn the_lesson_about_the_cpu_comes_to_its_end_while_other_programs_run() {
    read("2-cpu-device");
}
