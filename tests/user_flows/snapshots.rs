//! A few pictures of the window, light and dark, large and small. `UPDATE_SNAPSHOTS=1` writes them anew.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use egui_kittest::SnapshotOptions;
use engine::Backend;
use engine::device::NoDevice;
use kernel_ladder::app::action::Command;
use kernel_ladder::app::labels;
use kernel_ladder::app::settings::Theme;
use model::Channels;
use pictures::{Picture, save};

/// The only place where thresholds are set: text is rasterized a little differently by other versions of the software renderer, and a
/// changed control is thousands of pixels.
fn options() -> SnapshotOptions {
    SnapshotOptions::new().threshold(1.0).max_failed_pixels(200).output_path("tests/user_flows/snapshots")
}

fn take(window: &mut Window, name: &str) {
    // The source scrolls to its kernel over some frames.
    window.harness.run_steps(60);
    window.harness.remove_cursor();
    // The view thread makes the pictures' colors; nothing in the state says when they are there.
    for _ in 0..20 {
        std::thread::sleep(std::time::Duration::from_millis(10));
        window.harness.step();
    }
    window.harness.snapshot_options(name, &options());
}

/// A window of this size over a smooth picture, whose snapshot is small as a file.
fn smooth(size: [f32; 2], devices: Result<(), NoDevice>) -> Window {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("smooth.png");
    save(&path, &Picture::from_fn(96, 64, Channels::Rgb, |x, y, channel| [2 * x, 3 * y, 90][channel] as u8)).expect("saved");
    let backend = move || -> Box<dyn Backend> {
        Box::new(match &devices {
            Ok(()) => Canned::with_device(),
            Err(reason) => Canned::without_device(reason.clone()),
        })
    };
    let mut window = Window::open(size, Box::new(backend), Some(path));
    window.settle();
    window
}

#[test]
fn the_first_start_is_dark_and_then_light() {
    let mut window = smooth([1400.0, 900.0], Ok(()));
    take(&mut window, "first-start-dark");
    window.choose(Role::Button, labels::theme(), Theme::Light.label());
    take(&mut window, "first-start-light");
}

#[test]
fn a_small_window_folds() {
    let mut window = smooth([1024.0, 700.0], Ok(()));
    window.choose(Role::ComboBox, labels::ladder(), "Mali-T600 Laplace");
    for _ in 0..2 {
        window.click(Role::Button, Command::NextStep.text().label);
        // A newer step would cut the measuring of this one short, or not.
        window.settle();
    }
    take(&mut window, "small-mid-ladder");
}

#[test]
fn without_a_driver_a_notice_says_what_to_install() {
    let mut window = smooth([1024.0, 700.0], Err(NoDevice::DriverFailed("it is broken".to_owned())));
    take(&mut window, "no-driver");
}
