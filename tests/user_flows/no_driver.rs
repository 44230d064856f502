//! A start without OpenCL.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use engine::device::NoDevice;
use kernel_ladder::app::action::Command;
use kernel_ladder::app::settings::Place;
use model::CpuEngine;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn without_a_driver_the_cpu_computes_and_the_window_says_what_to_install() {
    let silent = NoDevice::NoPlatform(vec!["gone.icd offers no platform".to_owned()]);
    for reason in [NoDevice::NoLoader, NoDevice::NoDriver, silent, NoDevice::DriverFailed("it is in a bad mood".to_owned())] {
        let theirs = reason.clone();
        let mut window = Window::open([1400.0, 900.0], Box::new(move || Box::new(Canned::without_device(theirs.clone()))), None);
        window.settle();
        assert_eq!(window.state().place, Place::Cpu(CpuEngine::Simd));
        assert!(window.has("bit-exact"));
        let notice = window.state().notices.all().first().expect("a notice").clone();
        let help = engine::device::install_help(&reason);
        assert_eq!((notice.what, notice.why), (help.headline, help.why));
        assert!(window.has(&notice.remedy) || window.has(&format!("What to do: {}", notice.remedy)));
        assert!(window.is_disabled(Role::Button, Command::MeasureLadder.text().label));
    }
}

#[test]
fn a_rescan_finds_a_driver_that_was_installed_meanwhile() {
    let is_installed = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&is_installed);
    let make = Box::new(move || -> Box<dyn engine::Backend> { Box::new(Canned::with_device_once(Arc::clone(&theirs))) });
    let mut window = Window::open([1400.0, 900.0], make, None);
    window.settle();
    assert_eq!(window.state().place, Place::Cpu(CpuEngine::Simd));
    is_installed.store(true, Ordering::SeqCst);
    window.click(Role::Button, Command::Rescan.text().label);
    window.wait("the device", |state| state.place == Place::Device(0));
    window.settle();
    assert!(window.state().notices.all().is_empty());
}
