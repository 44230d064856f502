//! The access picture in the window: beside the photo that it is about.

use super::window::Window;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use kernel_ladder::app::labels;
use kernel_ladder::app::panes::Pane;
use std::time::{Duration, Instant};

/// The text of the picture, once it has these words.
fn wait_for(window: &mut Window, words: &str) {
    let begun = Instant::now();
    let says = |window: &Window| {
        let picture = window.harness.query_all_by_role_and_label(Role::Image, "Access diagram").next();
        picture.and_then(|picture| picture.value()).unwrap_or_default()
    };
    while !says(window).contains(words) {
        assert!(begun.elapsed() < Duration::from_mins(3), "'{words}' is not in '{}'", says(window));
        std::thread::sleep(Duration::from_millis(5));
        window.harness.step();
    }
}

#[test]
fn a_pixel_is_clicked_walked_through_and_compared() {
    let mut window = Window::settled();
    window.click(Role::Button, Pane::Access.title());
    wait_for(&mut window, "Pixel 300,200 is computed by");
    window.node(Role::Image, "Original image").click();
    window.harness.run_steps(3);
    let [x, y] = window.state().pixel.expect("a pixel was clicked");
    wait_for(&mut window, &format!("Pixel {x},{y} is computed by"));
    window.click(Role::Button, "Next load or store");
    wait_for(&mut window, "It performs 33 loads and stores");
    window.click(Role::Button, "Next load or store");
    wait_for(&mut window, "1 of 33: Load 1 byte of the source");
    window.click(Role::Button, "All");
    wait_for(&mut window, "All 33 loads and stores at once");
    window.click(Role::CheckBox, "Coalesced mapping");
    window.settle();
    window.click(Role::CheckBox, "Compare");
    wait_for(&mut window, "Differences: maximum segments per load 32 → ");
    assert!(window.has(labels::compare_with()));
}
