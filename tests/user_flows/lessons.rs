//! The table of verdicts, and readings that outlast the window.

use super::window::Window;
use egui::accesskit::Role;
use kernel_ladder::app::action::{Command, Export};
use kernel_ladder::app::experiments::Stand;
use kernel_ladder::app::labels;
use kernel_ladder::app::panes::Pane;
use std::path::Path;
use study::predict::Change;

#[test]
fn a_measured_ladder_is_a_table_of_verdicts() {
    let mut window = Window::settled();
    window.choose(Role::ComboBox, labels::ladder(), "Mali-T600 Laplace");
    window.click(Role::Button, Pane::Verdicts.title());
    assert!(
        window.has("3 Merged loads") && window.has("Guide: faster than step 2 (not tried at its size)") && window.has("not measured yet")
    );
    window.click(Role::Button, Pane::Source.title());
    assert!(!window.has("3 Merged loads"));
    window.click(Role::Button, Command::MeasureLadder.text().label);
    window.wait("the ladder", |state| state.pending.is_empty());
    // One stage at a fifth more than the second step.
    assert!(window.has("1.25×: confirmed"), "it comes by itself");
    window.click(Role::Button, "3 Merged loads");
    assert_eq!(window.state().ladder().map(|(_, step)| step), Some(2));
}

fn keeping(history: &Path) -> Window {
    let mut window = Window::keeping(history.parent().expect("in a folder"));
    window.wait("the history", |state| state.history.is_read());
    window.settle();
    // Written by a thread of its own.
    window.wait("the file", |state| lines(history) == state.history.kept().count());
    window
}

fn lines(history: &Path) -> usize {
    std::fs::read_to_string(history).map_or(0, |text| text.lines().count())
}

#[test]
fn readings_and_their_names_outlast_the_window_and_reach_the_exports() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = folder.path().join("data").join("history.jsonl");
    let mut window = keeping(&history);
    window.click(Role::Button, Pane::Readings.title());
    assert!(window.has("4 measurements"));
    window.write("Name of measurement 1", "my start");
    window.harness.key_press(egui::Key::Enter);
    window.harness.run_steps(3);
    assert_eq!(window.state().history.record(1).expect("a reading").name.as_deref(), Some("my start"));
    window.wait("the name", |_| std::fs::read_to_string(&history).is_ok_and(|text| text.contains("my start")));
    drop(window);
    let mut window = keeping(&history);
    window.click(Role::Button, Pane::Readings.title());
    assert!(window.has("8 measurements") && window.state().history.rows().len() == 4, "charts know this session's alone");
    window.write(labels::search_history(), "start laplace");
    assert!(window.has("1 of 8 measurements"));
    window.click(Role::Button, labels::export_menu());
    window.write(labels::export_path(), &folder.path().to_string_lossy());
    // The menu's own button would be the second of that name.
    window.click(Role::Button, labels::export_menu());
    window.click(Role::Button, Command::Export(Export::Csv).text().label);
    window.wait("the file", |state| state.notices.all().iter().any(|notice| notice.what == "File written"));
    let written = std::fs::read_to_string(folder.path().join("laplace-timings.csv")).expect("written");
    assert!(written.lines().count() == 9 && written.contains("my start"), "{written}");
}

#[test]
fn a_damaged_history_is_told_and_the_rest_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = folder.path().join("history.jsonl");
    drop(keeping(&history));
    let mut bytes = std::fs::read(&history).expect("kept");
    bytes.extend(b"{ this is no record\n");
    std::fs::write(&history, bytes).expect("written");
    let window = keeping(&history);
    assert_eq!(window.state().history.kept().count(), 8);
    assert!(window.state().notices.all().iter().any(|notice| notice.what == "1 measurement of the history could not be read"));
}

#[test]
fn readings_of_other_versions_are_shown_as_such_and_stay_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let history = folder.path().join("history.jsonl");
    drop(keeping(&history));
    let own = std::fs::read_to_string(&history).expect("kept");
    let first = own.lines().next().expect("a reading");
    let with = |from: &str, to: &str| {
        let other = first.replacen(from, to, 1);
        assert_ne!(other, first, "{from} is not in {first}");
        other
    };
    // An unknown filter, an unknown stage in a newer layout, and the layout before this one.
    let foreign = [with("\"filter\":\"laplace\"", "\"filter\": \"blur\""), with("\"schema\":2", "\"schema\":9,\"flux\":1.50")];
    let older = with("\"schema\":2", "\"schema\":1");
    std::fs::write(&history, format!("{}\n{older}\n{}\n{own}", foreign[0], foreign[1])).expect("written");
    let mut window = Window::keeping(folder.path());
    window.wait("the history", |state| state.history.is_read());
    window.settle();
    window.click(Role::Button, Pane::Readings.title());
    assert!(
        window.state().notices.all().iter().all(|notice| !notice.what.contains("could not be read")),
        "{:?}",
        window.state().notices.all()
    );
    assert_eq!((window.state().history.foreign().len(), window.state().history.kept().count()), (2, 9));
    assert!(window.has("11 measurements"));
    window.write("Name of measurement 9", "my start");
    window.harness.key_press(egui::Key::Enter);
    window.harness.run_steps(3);
    window.wait("the name", |_| std::fs::read_to_string(&history).is_ok_and(|text| text.contains("my start")));
    window.write(labels::search_history(), "newer");
    assert!(
        window.has("2 of 11 measurements")
            && window.has("needs a newer version or the folder of the filter 'blur'")
            && window.has("needs a newer version: records with layout 9")
    );
    let text = std::fs::read_to_string(&history).expect("there");
    assert!(foreign.iter().all(|line| text.lines().any(|kept| kept == line)), "{text}");
    let beside: Vec<_> = std::fs::read_dir(folder.path()).expect("listed").flatten().map(|entry| entry.file_name()).collect();
    assert!(!beside.iter().any(|name| name.to_string_lossy().contains("damaged")), "{beside:?}");
}

#[test]
fn a_test_of_an_explanation_is_asked_about_before_it_runs() {
    let mut window = Window::settled();
    window.open_lesson("Mali-T600 Laplace");
    for _ in 0..2 {
        window.click(Role::Button, "Next screen");
    }
    window.wait("the question", |state| state.lesson.open.is_some());
    window.click(Role::Button, &format!("4  {}", Change::Faster.label()));
    window.wait("the outcome", |state| state.lesson.told.len() == 1 && state.pending.is_empty());
    // The first of the reasons, by its key.
    window.harness.key_press(egui::Key::Num1);
    window.harness.run_steps(3);
    let button = "Test this explanation";
    window.click(Role::Button, button);
    assert!(window.has("What will it show?") && !window.has(button) && window.state().pending.is_empty(), "nothing runs before the answer");
    window.click(Role::Button, "They cost less than a quarter of the difference; where there is none, they cost time");
    let (ladder, step) = window.state().ladder().expect("a ladder");
    let pair = window.state().step_pair(ladder, step).expect("two steps");
    window.wait("the experiment", |state| {
        state.pending.is_empty() && matches!(state.experiments.of(&pair, "fewer-loads").map(|asked| &asked.stand), Some(Stand::Told(_)))
    });
    // This device's compiler drops what is added: that decides nothing.
    let answer = "they cost less than a quarter of the difference; where there is none, they cost time";
    assert!(window.has(&format!("You chose: {answer}. The result makes this neither right nor wrong.")));
    assert!(!window.has("What will it show?"));
}
