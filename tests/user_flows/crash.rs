//! A driver that crashes: what is there stays there.

use super::canned::{Canned, Crash};
use super::window::Window;
use egui::accesskit::Role;
use engine::Backend;
use std::sync::{Arc, Mutex};

/// A window at its first result, and what decides where its engine crashes from now on.
fn window() -> (Window, Arc<Mutex<Crash>>) {
    let crash = Arc::new(Mutex::new(Crash::Never));
    let theirs = Arc::clone(&crash);
    let make = Box::new(move || -> Box<dyn Backend> { Box::new(Canned::crashing(Arc::clone(&theirs))) });
    let mut window = Window::open([1400.0, 900.0], make, None);
    window.settle();
    assert!(window.has("bit-exact"));
    (window, crash)
}

fn set(crash: &Mutex<Crash>, now: Crash) {
    *crash.lock().expect("nobody panicked with it") = now;
}

/// Switches a stage, which crashes: that is told, and no reading is lost. How many there are.
fn crashed(window: &mut Window) -> usize {
    let readings = window.state().history.rows().len();
    assert!(readings > 0);
    window.click(Role::CheckBox, "Coalesced mapping");
    window.wait("the end of the show", |state| state.pending.is_empty() && !state.notices.all().is_empty());
    assert_eq!(window.state().notices.all().first().map(|notice| notice.why.as_str()), Some("it was ended by signal 11 (SIGSEGV)"));
    assert_eq!(window.state().history.rows().len(), readings);
    readings
}

/// It is not tried again by itself, and is where the person asks for it.
fn tried_again(mut window: Window, crash: &Mutex<Crash>, readings: usize) {
    window.harness.run_steps(20);
    assert!(window.state().pending.is_empty());
    set(crash, Crash::Never);
    window.harness.key_press(egui::Key::F5);
    // The previous picture is a checked one as well: what is new is the reading.
    window.wait("its reading", |state| state.history.rows().len() > readings && state.pending.is_empty());
    assert!(window.has("bit-exact") && !window.has("Previous result"));
}

#[test]
fn a_crash_is_told_and_costs_what_was_asked() {
    let (mut window, crash) = window();
    set(&crash, Crash::Checking);
    let readings = crashed(&mut window);
    // The picture is there, and nothing is said of it that is not known.
    assert!(window.has("not checked") && !window.has("checking…") && !window.has("bit-exact"));
    tried_again(window, &crash, readings);
}

#[test]
fn after_a_crash_the_previous_picture_is_not_said_to_be_updated() {
    let (mut window, crash) = window();
    set(&crash, Crash::Running);
    let readings = crashed(&mut window);
    std::thread::sleep(std::time::Duration::from_millis(300));
    window.harness.run_steps(20);
    assert!(window.has("Previous result") && !window.has("Previous result, updating…"));
    tried_again(window, &crash, readings);
}
