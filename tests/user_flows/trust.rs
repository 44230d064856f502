//! Kernels of strangers: nothing of them runs before the person agreed, once.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use kernel_ladder::app::labels;
use kernel_ladder::app::nav::Section;
use std::fs;
use std::path::Path;
use std::time::Duration;
use study::lessons::EXAMPLE;

const THEIRS: &str = "__kernel void theirs() {}\n";

fn keeping(folder: &Path) -> Window {
    let mut window = Window::keeping(&folder.join("data"));
    window.wait("the lessons", |state| state.course.folder.is_some());
    window.settle();
    window
}

fn open(window: &mut Window, path: &Path) {
    window.click(Role::Button, labels::picture_menu());
    window.write(labels::path_field(), &path.to_string_lossy());
    window.click(Role::Button, labels::open_path());
    window.wait("the kernel", |state| state.draft().is_some());
}

/// Longer than it takes until what was typed is tried.
fn rest(window: &mut Window) {
    for _ in 0..10 {
        std::thread::sleep(Duration::from_millis(80));
        window.harness.run_steps(3);
    }
}

fn nothing_ran(window: &mut Window) {
    rest(window);
    let state = window.state();
    assert!(state.pending.is_empty() && state.trials.last().is_none(), "{:?}", state.pending);
    assert!(window.is_disabled(Role::Button, labels::simulate_kernel()));
}

#[test]
fn a_kernel_of_a_file_runs_after_one_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("theirs.cl");
    fs::write(&path, THEIRS).expect("written");
    let mut window = keeping(folder.path());
    open(&mut window, &path);
    nothing_ran(&mut window);
    window.click(Role::Button, labels::run_kernel());
    window.wait("a trial", |state| state.trials.last().is_some() && state.pending.is_empty());
    assert!(!window.has(labels::run_kernel()));
    window.wait("the answer in its file", |_| {
        fs::read_to_string(folder.path().join("data").join("agreed.jsonl")).is_ok_and(|text| text.ends_with('\n'))
    });
    drop(window);
    // The same text at the next start is known; another one is not.
    let mut window = keeping(folder.path());
    open(&mut window, &path);
    window.wait("a trial", |state| state.trials.last().is_some() && state.pending.is_empty());
    drop(window);
    // Without the draft that was kept, which would run again.
    let other = tempfile::tempdir().expect("a folder");
    let [from, to] = [folder.path(), other.path()].map(|folder| folder.join("data").join("agreed.jsonl"));
    fs::create_dir_all(other.path().join("data")).expect("made");
    fs::copy(from, to).expect("copied");
    fs::write(&path, THEIRS.replace("theirs", "others")).expect("written");
    let mut window = keeping(other.path());
    open(&mut window, &path);
    nothing_ran(&mut window);
    assert!(window.has(labels::run_kernel()));
}

#[test]
fn the_gap_of_a_lesson_runs_once_its_folder_is_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    let lessons = folder.path().join("data").join("lessons");
    fs::create_dir_all(&lessons).expect("made");
    fs::write(lessons.join("theirs.toml"), EXAMPLE.replace("generated 2048x2048", "generated 96x64")).expect("written");
    fs::write(lessons.join("bad.toml"), vec![b'#'; 2 << 20]).expect("written");
    let mut window = keeping(folder.path());
    window.click(Role::RadioButton, Section::Course.label());
    assert!(window.state().course.shelf.editions().iter().any(|edition| edition.name == "bad" && edition.faults.len() == 1));
    window.click(Role::Button, "Loads and segments");
    while !window.has("Your own line") {
        window.click(Role::Button, "Next screen");
    }
    window.wait("the gap", |state| state.draft().is_some_and(|draft| draft.contains("// Your code")));
    window.settle();
    nothing_ran(&mut window);
    assert!(window.has("Not run yet: press 'Trust this folder' in the editor first"));
    window.click(Role::Button, labels::trust_folder());
    window.wait("a trial", |state| state.trials.last().is_some() && state.pending.is_empty());
    assert!(!window.has(labels::trust_folder()));
}

#[test]
fn a_kernel_at_the_start_has_a_picture_to_run_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("theirs.cl");
    fs::write(&path, THEIRS).expect("written");
    let mut window = Window::open([1400.0, 900.0], Box::new(|| Box::new(Canned::with_device())), Some(path));
    window.wait("the picture and the kernel", |state| state.shown.is_some() && state.draft().is_some());
    assert!(window.has(labels::run_kernel()));
}
