//! A few pictures of the window, light and dark, large and small. `UPDATE_SNAPSHOTS=1` writes them anew.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use egui_kittest::SnapshotOptions;
use kernel_ladder::app::labels;
use kernel_ladder::app::settings::Theme;
use kernel_ladder::device::NoDevice;

/// The only place where thresholds are set: text is rasterized a little differently by other versions of the software renderer, and a
/// changed control is thousands of pixels.
fn options() -> SnapshotOptions {
    SnapshotOptions::new().threshold(1.0).max_failed_pixels(200).output_path("tests/user_flows/snapshots")
}

fn take(window: &mut Window, name: &str) {
    window.harness.remove_cursor();
    window.harness.run_steps(6);
    window.harness.snapshot_options(name, &options());
}

#[test]
fn the_first_start_is_dark_and_then_light() {
    let mut window = Window::settled();
    take(&mut window, "first-start-dark");
    window.choose(Role::Button, labels::THEME, Theme::Light.label());
    take(&mut window, "first-start-light");
}

#[test]
fn a_small_window_folds() {
    let mut window = Window::open([1024.0, 700.0], Box::new(|| Box::new(Canned::with_device())), None);
    window.settle();
    window.click(Role::CheckBox, "Merged loads");
    window.settle();
    take(&mut window, "small");
}

#[test]
fn without_a_driver_a_notice_says_what_to_install() {
    let backend = || -> Box<dyn kernel_ladder::worker::Backend> {
        Box::new(Canned { devices: Err(NoDevice::DriverFailed("it is broken".to_owned())) })
    };
    let mut window = Window::open([1024.0, 700.0], Box::new(backend), None);
    window.settle();
    take(&mut window, "no-driver");
}
