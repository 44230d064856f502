//! Exports into a folder, as where no file dialog is installed.

use super::window::Window;
use egui::accesskit::Role;
use kernel_ladder::app::action::{Command, Export};
use kernel_ladder::app::labels;
use std::path::Path;

fn export(window: &mut Window, folder: &Path, export: Export) {
    window.click(Role::Button, labels::export_menu());
    if window.state().settings.export_folder.is_empty() {
        window.write(labels::export_path(), &folder.to_string_lossy());
    }
    window.click(Role::Button, Command::Export(export).text().label);
    window.wait(&format!("the file of {export:?}"), |state| state.notices.all().iter().any(|notice| notice.what == "File written"));
    let id = window.state().notices.all().last().expect("a notice").id;
    window.click(Role::Button, &format!("{} File written", labels::dismiss()));
    assert!(window.state().notices.all().iter().all(|notice| notice.id != id));
}

#[test]
fn pictures_timings_and_source_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::settled();
    // Nothing was predicted, and neither a lesson nor a project is open: those exports have tests of their own. The device of this test has no queue, so no timeline, and nothing was studied.
    let is_left_out = |what: &Export| {
        matches!(
            what,
            Export::PredictionsCsv
                | Export::PredictionsJson
                | Export::Handout
                | Export::Timeline(_)
                | Export::LocalSizes(_)
                | Export::Study(_)
                | Export::Project
                | Export::ProjectHeader
        )
    };
    let with_readings = Export::ALL.into_iter().filter(|what| !is_left_out(what));
    for what in with_readings {
        export(&mut window, folder.path(), what);
    }
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect(name);
    let picture = pictures::load(&folder.path().join("coffee-laplace-copy.png")).expect("a picture").picture;
    assert_eq!(picture.bytes(), window.state().shown.as_ref().expect("a result").executed.output.bytes());
    let wide = pictures::load(&folder.path().join("coffee-laplace-copy-side-by-side.png")).expect("a picture").picture;
    assert!(wide.width_px() >= 2 * picture.width_px());
    assert!(String::from_utf8_lossy(&read("laplace-timings.csv")).lines().count() >= 5);
    assert!(serde_json::from_slice::<serde_json::Value>(&read("laplace-timings.json")).is_ok());
    assert_eq!(read("laplace-copy-naive.cl"), window.state().shown_source().expect("a source").as_bytes());
    assert!(read("laplace-copy-timings.svg").windows(4).any(|bytes| bytes == b"<svg"));
    assert!(read("laplace-copy-timings.png").starts_with(b"\x89PNG"));
    // What the command line reads and writes.
    let bundle = study::bundle::read(&folder.path().join("laplace-bundle.json")).expect("a bundle");
    let (run, rows) = (&bundle.runs[0], window.state().history.rows());
    assert_eq!((bundle.runs.len(), run.cpu.len(), run.devices[0].readings.len()), (1, 3, rows.len() - 3));
    assert_eq!(run.recipe.picture, study::bundle::PictureOrigin::Sample("coffee.png".to_owned()));
    let handed_in = report::class::read(&folder.path().join("kernel-ladder-for-teacher.json")).expect("a file for the teacher");
    let report::class::HandedIn::Sent(sent) = handed_in else { panic!("it is no bundle") };
    assert_eq!((sent.alias.as_deref(), sent.is_made_up, sent.predictions.len()), (None, false, 0));
    assert_eq!(sent.bundle.runs[0].devices[0].readings.len(), run.devices[0].readings.len());
    assert_eq!(sent.bundle.devices().next().and_then(|(_, device)| device.machine.as_deref()), Some(sent.machine.as_str()));
    let html = String::from_utf8_lossy(&read("laplace-report.html")).into_owned();
    assert!(html.contains("<!DOCTYPE html>") && html.contains("naive") && html.contains("CPU SIMD"), "{html}");
    assert_eq!(html.matches("<img ").count(), 2, "the sample is made again");
}

#[test]
fn a_student_is_called_in_the_file_for_the_teacher_as_they_want() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::settled();
    window.click(Role::Button, labels::export_menu());
    window.write(labels::export_path(), &folder.path().to_string_lossy());
    window.write(labels::teacher_alias(), "Ann / 3 B");
    window.click(Role::Button, Command::Export(Export::Teacher).text().label);
    window.wait("the file", |state| state.notices.all().iter().any(|notice| notice.what == "File written"));
    let handed_in = report::class::read(&folder.path().join("Ann-3-B-for-teacher.json")).expect("a file for the teacher");
    let report::class::HandedIn::Sent(sent) = handed_in else { panic!("it is no bundle") };
    assert_eq!(sent.alias.as_deref(), Some("Ann / 3 B"));
}

#[test]
fn a_folder_that_is_not_there_gives_a_notice() {
    let mut window = Window::settled();
    window.click(Role::Button, labels::export_menu());
    window.write(labels::export_path(), "/nowhere/at/all");
    window.click(Role::Button, Command::Export(Export::Csv).text().label);
    window.wait("a notice", |state| state.notices.all().iter().any(|notice| notice.what == "The file was not saved"));
}
