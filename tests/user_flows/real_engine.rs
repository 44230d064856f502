//! The window over the real engine: whatever OpenCL there is, or the CPU where there is none.

use super::window::Window;
use egui::accesskit::Role;
use engine::Engine;
use engine::device::CacheSettings;
use kernel_ladder::app::labels;
use kernel_ladder::app::settings::Place;
use model::HostMemory;

#[test]
fn a_toggle_is_computed_verified_and_measured_by_the_real_engine() {
    let mut window = Window::open([1400.0, 900.0], Box::new(|| Box::new(Engine::with_cache(CacheSettings::off()))), None);
    window.settle();
    assert!(window.has("bit-exact"));
    if window.state().place == Place::Device(0) {
        window.click(Role::CheckBox, "Merged loads");
        window.wait("the new source", |state| !state.is_old() && state.shown_row().is_some());
        window.settle();
        assert!(window.has("bit-exact"));
        let reading = window.state().shown_row().expect("a reading").record.clone();
        assert_eq!(reading.label(), "padded+vectorize=4+merged");
        assert!(reading.measured().is_some(), "{:?}", reading.outcome);
        window.click(Role::RadioButton, &format!("{} {}", labels::host_memory(), HostMemory::Map.short()));
        window.wait("mapped", |state| !state.is_old() && state.shown_row().is_some());
        window.settle();
        assert!(window.has("bit-exact"));
    }
}
