//! A driver that crashes: what is there stays there.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use kernel_ladder::engine::Backend;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_crash_is_told_and_costs_what_was_asked() {
    let crashes = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&crashes);
    let make = Box::new(move || -> Box<dyn Backend> { Box::new(Canned::crashing(Arc::clone(&theirs))) });
    let mut window = Window::open([1400.0, 900.0], make, None);
    window.settle();
    let readings = window.state().history.rows().len();
    assert!(readings > 0 && window.has("bit-exact"));
    crashes.store(true, Ordering::SeqCst);
    window.click(Role::CheckBox, "Coalesced mapping");
    window.wait("the end of the show", |state| state.pending.is_empty() && !state.notices.all().is_empty());
    // The picture is there, and nothing is said of it that is not known.
    assert!(window.has("not checked") && !window.has("checking…") && !window.has("bit-exact"));
    assert_eq!(window.state().notices.all().first().map(|notice| notice.why.as_str()), Some("signal 11 (SIGSEGV) ended it"));
    assert_eq!(window.state().history.rows().len(), readings);
    // It is not tried again by itself, and is where the person asks for it.
    window.harness.run_steps(20);
    assert!(window.state().pending.is_empty());
    crashes.store(false, Ordering::SeqCst);
    window.harness.key_press(egui::Key::F5);
    window.settle();
    assert!(window.has("bit-exact") && window.state().history.rows().len() > readings);
}
