//! Predictions that outlast the window: the trend, a step that is recalled, exports without names, votes of a class, forgetting.

use super::window::Window;
use base::texts::{filled, text};
use egui::accesskit::Role;
use kernel_ladder::app::action::{Command, Export};
use kernel_ladder::app::labels;
use kernel_ladder::app::nav::Section;
use kernel_ladder::app::panes::Pane;
use std::path::Path;
use study::predict::Change;

/// A window that keeps its predictions in `folder`.
fn keeping(folder: &Path) -> Window {
    let mut window = Window::keeping(folder);
    window.wait("the predictions", |state| state.lesson.memory.is_read());
    window.settle();
    window
}

fn lines(folder: &Path) -> Vec<String> {
    std::fs::read_to_string(folder.join("predictions.jsonl")).map_or_else(|_| Vec::new(), |text| text.lines().map(str::to_owned).collect())
}

/// Opens the first ladder of Laplace and has its second step asked.
fn ask(window: &mut Window) {
    window.open_lesson("Mali-T600 Laplace");
    window.click(Role::Button, "Next screen");
    window.wait("the question", |state| state.lesson.open.is_some());
}

/// Back to the panels.
fn lab(window: &mut Window) {
    window.click(Role::RadioButton, Section::Lab.label());
}

fn predict(window: &mut Window) {
    ask(window);
    window.click(Role::Button, &format!("4  {}", Change::Faster.label()));
    window.wait("the outcome", |state| state.lesson.told.len() == 1 && state.pending.is_empty());
    // Two stages more are two fifths less: 1 / 0.64.
    assert!(window.has("Your prediction, faster, is one category off"));
}

#[test]
fn a_prediction_outlasts_the_window_and_is_recalled_at_the_next_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = keeping(folder.path());
    predict(&mut window);
    lab(&mut window);
    window.click(Role::Button, Pane::Predictions.title());
    assert!(
        window.has("Steps predicted and scored: 1") && window.has("After 10 answers, this shows whether your confidence is meaningful")
    );
    window.wait("the file", |_| !lines(folder.path()).is_empty());
    drop(window);
    let mut window = keeping(folder.path());
    window.course_home();
    assert!(window.has(text("prediction.recall.heading")), "before the list");
    assert!(window.has("Mali-T600 Laplace, step 2 Vectorize: what was its effect on this device, compared with step 1 (Original)?"));
    window.click(Role::Button, Change::Same.label());
    assert!(window.has("Measured: 1.56×") && window.has("Your answer: same") && window.has("Your earlier prediction: faster"));
    window.click(Role::Button, text("prediction.recall.done"));
    assert!(!window.has(text("prediction.recall.heading")));
    lab(&mut window);
    window.click(Role::Button, Pane::Predictions.title());
    assert!(window.has("Steps predicted and scored: 1"), "what is recalled does not count");
}

#[test]
fn a_recalled_step_is_skipped_in_one_click_and_may_be_switched_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = keeping(folder.path());
    predict(&mut window);
    window.wait("the file", |_| !lines(folder.path()).is_empty());
    drop(window);
    let mut window = keeping(folder.path());
    window.course_home();
    window.click(Role::Button, text("prediction.recall.skip"));
    assert!(!window.has(text("prediction.recall.heading")));
    lab(&mut window);
    window.click(Role::Button, Pane::Predictions.title());
    window.click(Role::CheckBox, text("prediction.recall-at-start"));
    assert!(window.state().settings.never_recalls);
}

#[test]
fn predictions_are_exported_without_names_and_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = keeping(folder.path());
    window.click(Role::Button, Pane::Predictions.title());
    assert!(window.has(text("prediction.none")) && window.is_disabled(Role::Button, text("prediction.forget")));
    assert!(window.is_disabled(Role::Button, text("prediction.export-csv")));
    predict(&mut window);
    lab(&mut window);
    window.click(Role::Button, labels::export_menu());
    window.write(labels::export_path(), &folder.path().to_string_lossy());
    window.click(Role::Button, labels::export_menu());
    window.click(Role::Button, Pane::Predictions.title());
    for (export, file) in [(Export::PredictionsCsv, "predictions.csv"), (Export::PredictionsJson, "predictions.json")] {
        window.click(Role::Button, Command::Export(export).text().label);
        window.wait("the file", |_| folder.path().join(file).exists());
        let written = std::fs::read_to_string(folder.path().join(file)).expect("written");
        assert!(written.contains("mali-t600") && written.contains("much-faster"), "{written}");
        assert!(!written.contains("coffee") && !written.contains("Canned") && !written.contains('/'), "{written}");
    }
    window.click(Role::Button, text("prediction.forget"));
    assert!(window.has(text("prediction.forget-one-question")));
    window.click(Role::Button, text("prediction.forget-no"));
    assert_eq!(window.state().lesson.memory.records().len(), 1);
    window.click(Role::Button, text("prediction.forget"));
    window.click(Role::Button, text("prediction.forget-yes"));
    assert!(window.has(text("prediction.none")));
    window.wait("the file", |_| lines(folder.path()).is_empty());
    window.click(Role::CheckBox, text("prediction.keep"));
    assert!(window.state().settings.forgets_predictions);
}

#[test]
fn a_damaged_file_of_predictions_is_told_and_the_rest_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = keeping(folder.path());
    predict(&mut window);
    window.wait("the file", |_| !lines(folder.path()).is_empty());
    drop(window);
    let path = folder.path().join("predictions.jsonl");
    let mut bytes = std::fs::read(&path).expect("kept");
    bytes.extend(b"{ this is no prediction\n");
    std::fs::write(&path, &bytes).expect("written");
    let window = keeping(folder.path());
    assert_eq!(window.state().lesson.memory.records().len(), 1);
    assert!(window.has("1 prediction could not be read"));
    assert_eq!(std::fs::read(path.with_extension("damaged.jsonl")).expect("a copy"), bytes);
}

#[test]
fn a_class_votes_alone_and_in_pairs_before_the_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = keeping(folder.path());
    ask(&mut window);
    window.click(Role::CheckBox, text("prediction.vote.on"));
    let add = |change: Change| filled("prediction.vote.add", &[("change", &change.label())]);
    let to_talk = text("prediction.vote.to-talk");
    assert!(window.is_disabled(Role::Button, to_talk));
    for change in [Change::Same, Change::Faster, Change::Faster, Change::MuchFaster] {
        window.click(Role::Button, &add(change));
    }
    window.harness.key_press(egui::Key::Num5);
    window.harness.run_steps(2);
    assert!(window.has("Hands: 5") && window.has("counted") && window.has("2"), "only what is counted last shows its number");
    window.harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::Num5);
    window.harness.run_steps(2);
    assert!(window.has("Hands: 4"));
    window.click(Role::Button, to_talk);
    assert!(window.has(text("prediction.vote.talk")) && !window.has("Hands: 4"));
    window.click(Role::Button, text("prediction.vote.to-second"));
    assert!(window.has("Hands: 0"));
    for change in [Change::Faster, Change::MuchFaster, Change::MuchFaster, Change::MuchFaster] {
        window.click(Role::Button, &add(change));
    }
    window.click(Role::Button, text("prediction.vote.reveal"));
    window.wait("the outcome", |state| state.lesson.told.len() == 1 && state.pending.is_empty());
    assert!(window.has("Class: 25 % correct before discussion, 75 % after") && window.has(text("prediction.vote.too-hard")));
    lab(&mut window);
    window.click(Role::Button, Pane::Predictions.title());
    assert!(window.has(text("prediction.vote.heading")) && window.has("25 % → 75 %"));
    window.wait("the file", |_| lines(folder.path()).iter().any(|line| line.contains("[0,0,1,2,1]")));
}

#[test]
fn in_the_lab_the_next_step_is_shown_at_once() {
    let mut window = Window::settled();
    window.choose(Role::ComboBox, labels::ladder(), "Mali-T600 Laplace");
    window.settle();
    window.harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::ArrowRight);
    window.harness.run_steps(3);
    window.settle();
    assert!(window.state().lesson.open.is_none());
    assert_eq!(window.state().ladder().map(|(_, step)| step), Some(1));
}
