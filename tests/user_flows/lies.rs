//! A lesson's task over a driver that works and then lies: a wrong answer is never taken for a right one.
//!
//! By default each lie begins with one call; with `KERNEL_LADDER_FULL=1` with each of those that a trial makes.

use super::window::Window;
use base::texts::{language, text};
use egui::accesskit::Role;
use engine::remote::Remote;
use kernel_ladder::app::labels;
use kernel_ladder::app::lessons_panel::Given;
use kernel_ladder::app::state::State;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use study::lessons::{Goal, Item};

#[path = "../faults/build.rs"]
mod build;

/// Its first screen has a gap, and is done once the output is bit-exact.
const LESSON: &str = "7-your-own-kernel";

/// What the functions are called, how they lie of outputs, and with which call they begin at the latest: a kernel whose output is wrong is launched once, and read
/// once with its guards.
const LIES: [(&str, &str, usize); 4] = [
    ("clEnqueueNDRangeKernel", "idle", 1),
    ("clEnqueueReadBuffer", "deaf", 2),
    ("clEnqueueNDRangeKernel", "flip", 1),
    ("clEnqueueReadBuffer", "mangle", 2),
];

/// The program over the layer, which reads of each call in `fault` what to do with it.
fn program_over(layer: &Path, folder: &Path) -> PathBuf {
    let (program, script) = (env!("CARGO_BIN_EXE_kernel-ladder"), folder.join("program"));
    let (layer, here) = (layer.display(), folder.display());
    let lines = format!(
        "#!/bin/sh\nexport OPENCL_DYLIB_PATH='{layer}' KERNEL_LADDER_FAULT='{here}/fault' KERNEL_LADDER_CACHE='{here}/cache'\n\
         KERNEL_LADDER_CONFINE=0 exec '{program}' \"$@\"\n"
    );
    std::fs::write(&script, lines).expect("written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("set");
    script
}

/// Whether what stands in the editor was tried, and that is over.
fn is_over(state: &State) -> bool {
    let tried = state.edited_task().and_then(|task| state.trials.of(&task).cloned());
    state.pending.is_empty() && tried.is_some_and(|tried| tried.fault.is_some() || tried.compared.is_some())
}

/// The lesson's task as it begins, with its gap open.
fn begun(program: &Path, data: &Path) -> (Window, Goal) {
    let program = program.to_owned();
    let mut window = Window::keeping_with(data, Box::new(move || Box::new(Remote::of_program(program.clone()))));
    window.wait("the lessons", |state| state.course.folder.is_some());
    window.settle();
    let lesson = window.state().course.shelf.find(LESSON, language()).expect("it is built in").clone();
    window.open_lesson(&lesson.title);
    let Some(Item::Task(goal)) = lesson.screens.first().and_then(|screen| screen.item.clone()) else { panic!("a task comes first") };
    window.wait("the gap", |state| state.draft().is_some_and(|draft| draft.contains("// Your code")));
    (window, goal)
}

/// Replaces what stands in the editor, and waits until it was tried.
fn answer(window: &mut Window, text: &str) {
    window.node(Role::MultilineTextInput, labels::edited_kernel()).focus();
    window.harness.run_steps(2);
    window.harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.harness.run_steps(2);
    window.node(Role::MultilineTextInput, labels::edited_kernel()).type_text(text);
    window.harness.run_steps(2);
    assert_eq!(window.state().draft().map(AsRef::as_ref), Some(text));
    window.wait("a trial", is_over);
    window.harness.run_steps(3);
}

/// Whether all holds, of what stands in the editor now, that the task asks for.
fn holds(window: &Window, goal: &Goal) -> bool {
    let state = window.state();
    let here = state.here().expect("a lesson");
    let facts = state.screen_facts(&here.lesson, here.screen().expect("a screen"));
    goal.is_reached(&facts)
}

fn is_done(window: &Window) -> bool {
    window.state().given() == Some(Given::Done) || window.has(text("lessons.item.reached"))
}

#[test]
fn a_lying_driver_makes_no_task_done_that_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(layer) = build::layer_in(folder.path()) else { return };
    let program = program_over(&layer, folder.path());

    // Without a lie: the wrong answer is wrong, and the right one is right.
    let (mut window, goal) = begun(&program, &folder.path().join("data"));
    window.wait("a trial", is_over);
    window.harness.run_steps(3);
    assert!(window.has(text("course.not-yet")) && !is_done(&window));
    let wrong = window.state().draft().expect("a draft").to_string();
    let gap = goal.gap.clone().expect("it has one");
    let right = wrong.replace(&gap.leave, &gap.take);
    assert_ne!(right, wrong);
    answer(&mut window, &right);
    assert!(holds(&window, &goal) && is_done(&window), "{:?}", window.state().trials.last().map(|tried| &tried.fault));
    drop(window);

    let is_full = std::env::var("KERNEL_LADDER_FULL").is_ok_and(|value| value == "1");
    let (mut met, mut unmet) = (0, Vec::new());
    for (function, mode, calls) in LIES {
        for call in if is_full { 1 } else { calls }..=calls {
            let (fault, done) = (folder.path().join("fault"), folder.path().join("fault.done"));
            let _ = std::fs::remove_file(&done);
            let (mut window, _) = begun(&program, &folder.path().join(format!("data {mode} {call}")));
            // Memory that holds what is right is where what is wrong could pass.
            answer(&mut window, &right);
            assert!(holds(&window, &goal), "before {mode}");
            std::fs::write(&fault, format!("{function} {call} {mode}\n")).expect("written");
            answer(&mut window, &format!("{wrong}\n// {call}\n"));
            assert!(!holds(&window, &goal), "{mode} from call {call} on");
            if done.exists() {
                met += 1;
            } else {
                unmet.push(format!("{mode} {call}"));
            }
            let _ = std::fs::remove_file(&fault);
        }
    }
    println!("{met} lies were met, and not {unmet:?}");
    assert!(unmet.is_empty(), "a lie that is not met tests nothing");
}
