//! Pictures: sample, path field, drop, recent files, damaged files.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use kernel_ladder::app::labels;
use model::Channels;
use pictures::{Picture, save};
use std::path::{Path, PathBuf};

fn small_picture(folder: &Path, name: &str, channels: Channels) -> PathBuf {
    let path = folder.join(name);
    save(&path, &Picture::from_fn(61, 33, channels, |x, y, channel| (x * 3 + y * 5 + channel * 7) as u8)).expect("saved");
    path
}

fn open_by_path(window: &mut Window, path: &Path) {
    window.click(Role::Button, labels::picture_menu());
    window.write(labels::path_field(), &path.to_string_lossy());
    window.click(Role::Button, labels::open_path());
}

#[test]
fn the_first_result_is_the_sample_verified_and_measured_beside_the_cpu() {
    let window = Window::settled();
    assert_eq!(window.state().picture.as_ref().expect("a sample").name, "coffee");
    assert!(window.has("bit-exact"));
    assert_eq!(window.state().history.rows().len(), 4, "the variant and three CPU competitors");
}

#[test]
fn a_picture_is_opened_through_the_path_field_and_remembered() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = small_picture(folder.path(), "small.png", Channels::Rgb);
    let mut window = Window::settled();
    open_by_path(&mut window, &path);
    window.wait("the picture", |state| state.picture.as_ref().is_some_and(|opened| opened.name == "small"));
    window.settle();
    let shown = window.state().shown.as_ref().expect("a result");
    assert_eq!((shown.executed.output.width_px(), shown.executed.output.height_px()), (61, 33));
    window.choose(Role::Button, labels::picture_menu(), "Camera (512 × 512 gray)");
    window.wait("the sample", |state| state.picture.as_ref().is_some_and(|opened| opened.name == "camera"));
    window.choose(Role::Button, labels::picture_menu(), "small.png");
    window.wait("the recent file", |state| state.picture.as_ref().is_some_and(|opened| opened.name == "small"));
}

#[test]
fn a_gray_picture_is_computed_in_gray() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = small_picture(folder.path(), "gray.png", Channels::Gray);
    let mut window = Window::settled();
    open_by_path(&mut window, &path);
    window.wait("gray", |state| state.choice().spec.channels == Channels::Gray);
    window.settle();
    assert_eq!(window.state().shown.as_ref().expect("a result").executed.output.channels(), Channels::Gray);
}

#[test]
fn a_damaged_file_gives_a_notice_and_the_window_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("damaged.png");
    std::fs::write(&path, b"\x89PNG\r\n\x1a\nnothing more").expect("written");
    let mut window = Window::settled();
    open_by_path(&mut window, &path);
    window.wait("a notice", |state| !state.notices.all().is_empty());
    let what = window.state().notices.all().first().expect("a notice").what.clone();
    assert!(window.has("bit-exact"), "the last result stays");
    window.click(Role::Button, &format!("{} {what}", labels::dismiss()));
    assert!(window.state().notices.all().is_empty());
}

#[test]
fn a_start_with_a_file_that_is_not_there_shows_the_sample_and_says_so() {
    let missing = Some(PathBuf::from("/nowhere/at/all.png"));
    let mut window = Window::open([1400.0, 900.0], Box::new(|| Box::new(Canned::with_device())), missing);
    window.settle();
    assert_eq!(window.state().picture.as_ref().expect("the sample").name, "coffee");
    assert_eq!(window.state().notices.all().len(), 1);
}

#[test]
fn a_dropped_file_and_a_pasted_path_are_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let dropped = small_picture(folder.path(), "dropped.png", Channels::Rgb);
    let pasted = small_picture(folder.path(), "pasted here.png", Channels::Rgb);
    let mut window = Window::settled();
    window.harness.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(dropped)));
    window.wait("the dropped file", |state| state.picture.as_ref().is_some_and(|opened| opened.name == "dropped"));
    window.harness.event(egui::Event::Paste(format!("file://{}", pasted.to_string_lossy().replace(' ', "%20"))));
    window.wait("the pasted path", |state| state.picture.as_ref().is_some_and(|opened| opened.name == "pasted here"));
}

#[test]
fn a_pasted_picture_is_opened() {
    let mut window = Window::settled();
    let image = egui::ColorImage::filled([7, 5], egui::Color32::from_rgb(10, 20, 30));
    window.harness.event(egui::Event::PasteImage(std::sync::Arc::new(image)));
    window.wait("the pasted picture", |state| state.picture.as_ref().is_some_and(|opened| opened.name == "pasted"));
    let picture = &window.state().picture.as_ref().expect("a picture").picture.picture;
    assert_eq!((picture.width_px(), picture.height_px(), picture.pixel(6, 4)), (7, 5, Some(&[10, 20, 30][..])));
}

/// A file that hangs at the pointer.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}
