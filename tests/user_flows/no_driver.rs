//! A start without OpenCL.

use super::canned::Canned;
use super::window::Window;
use egui::accesskit::Role;
use kernel_ladder::app::action::Command;
use kernel_ladder::app::settings::Place;
use kernel_ladder::cpu::CpuEngine;
use kernel_ladder::device::{DeviceInfo, NoDevice};
use kernel_ladder::engine::{Budget, Compared, Executed, Progress, Task, Verified};
use kernel_ladder::error::Result;
use kernel_ladder::image::Picture;
use kernel_ladder::measure::Reading;
use kernel_ladder::worker::Backend;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn without_a_driver_the_cpu_computes_and_the_window_says_what_to_install() {
    for reason in [NoDevice::NoLoader, NoDevice::NoDriver, NoDevice::DriverFailed("it is in a bad mood".to_owned())] {
        let theirs = reason.clone();
        let mut window = Window::open([1400.0, 900.0], Box::new(move || Box::new(Canned { devices: Err(theirs.clone()) })), None);
        window.settle();
        assert_eq!(window.state().place, Place::Cpu(CpuEngine::Simd));
        assert!(window.has("bit-exact"));
        let notice = window.state().notices.all().first().expect("a notice").clone();
        let help = kernel_ladder::device::install_help(&reason);
        assert_eq!((notice.what, notice.why), (help.headline, help.why));
        assert!(window.has(&notice.remedy) || window.has(&format!("What to do: {}", notice.remedy)));
        assert!(window.is_disabled(Role::Button, Command::MeasureLadder.text().label));
    }
}

#[test]
fn a_rescan_finds_a_driver_that_was_installed_meanwhile() {
    let is_installed = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&is_installed);
    let make =
        Box::new(move || -> Box<dyn kernel_ladder::worker::Backend> { Box::new(Installable(Arc::clone(&theirs), Canned::with_device())) });
    let mut window = Window::open([1400.0, 900.0], make, None);
    window.settle();
    assert_eq!(window.state().place, Place::Cpu(CpuEngine::Simd));
    is_installed.store(true, Ordering::SeqCst);
    window.click(Role::Button, Command::Rescan.text().label);
    window.wait("the device", |state| state.place == Place::Device(0));
    window.settle();
    assert!(window.state().notices.all().is_empty());
}

/// A canned engine whose driver is installed while it runs.
struct Installable(Arc<AtomicBool>, Canned);

impl Backend for Installable {
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        if self.0.load(Ordering::SeqCst) { self.1.rescan() } else { Err(NoDevice::NoDriver) }
    }

    fn execute(&mut self, task: &Task) -> Result<Executed> {
        self.1.execute(task)
    }

    fn verify(&mut self, task: &Task, output: &Picture, progress: &dyn Progress) -> Result<Verified> {
        self.1.verify(task, output, progress)
    }

    fn measure(&mut self, task: &Task, budget: Budget, progress: &dyn Progress) -> Result<Reading> {
        self.1.measure(task, budget, progress)
    }

    fn compare(&mut self, first: &Task, second: &Task, budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        self.1.compare(first, second, budget, progress)
    }
}
