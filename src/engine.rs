//! Request → outcome: compose, build, run, verify, measure. Called by worker, command line and tests alike; knows nothing of egui.

mod comparing;
mod derived;
mod on_cpu;
mod on_device;
mod plan;
mod sampling;
mod types;

pub use comparing::Compared;
pub use types::{Budget, Executed, PictureRef, Progress, Target, Task, Timings, Verified};

use crate::cpu;
use crate::device::{CacheSettings, DeviceInfo, Devices, NoDevice, Session};
use crate::error::{Error, ErrorKind, Result};
use crate::image::Picture;
use crate::measure::{Contender, Measured, PassTime, Reading, ReadingState, Sampled, Summary, Verification};
use crate::stages::Abilities;
use crate::worker::Backend;
use derived::Derived;
use on_device::Kept;
use plan::Plan;
use sampling::Sample;
use std::time::{Duration, Instant};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// What outputs are filled with before a run that is to be verified: a byte that is never written then differs from most references, and
/// no earlier output can pass for this one's.
const POISON: u8 = 0x5A;

/// Nanoseconds of host time since `begun`.
fn elapsed_ns(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The engine. It stays on one thread: OpenCL objects are created, used and dropped there.
pub struct Engine {
    // In the order of dropping: buffers, then their session, then its platform's list.
    kept: Kept,
    sessions: Vec<(usize, Session)>,
    devices: Option<Devices>,
    cache: CacheSettings,
    derived: Derived,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine that has not looked for devices yet; CPU competitors work without.
    #[must_use]
    pub fn new() -> Self {
        Self::with_cache(CacheSettings::from_env())
    }

    /// As [`Engine::new`], with program binaries cached elsewhere.
    #[must_use]
    pub fn with_cache(cache: CacheSettings) -> Self {
        Self { kept: Kept::default(), sessions: Vec::new(), devices: None, cache, derived: Derived::default() }
    }

    /// The devices found by the last scan; scans where there was none.
    ///
    /// # Errors
    /// Why there is none.
    pub fn devices(&mut self) -> std::result::Result<&[DeviceInfo], NoDevice> {
        let found = match self.devices.take() {
            Some(devices) => devices,
            None => Devices::discover()?,
        };
        Ok(self.devices.insert(found).infos())
    }

    /// The session on device `index`, opened where it is not yet.
    fn session(&mut self, index: usize) -> Result<&Session> {
        if let Err(none) = self.devices() {
            return Err(crate::device::install_help(&none).into_error());
        }
        if self.opened(index).is_err() {
            let Some(devices) = &self.devices else {
                return Err(Error::failed("No device", "the list of devices is gone", "scan again"));
            };
            self.sessions.push((index, Session::open(devices, index, &self.cache)?));
        }
        self.opened(index)
    }

    /// The session on device `index` that [`Engine::session`] opened.
    fn opened(&self, index: usize) -> Result<&Session> {
        let open = self.sessions.iter().find(|(open, _)| *open == index);
        open.map(|(_, session)| session).ok_or_else(|| Error::failed("No session", "the device was not opened", "scan again"))
    }

    /// Checks what can be checked before anything runs; the parameters, complete.
    fn check(&self, task: &Task) -> Result<crate::filters::Parameters> {
        if !task.filter.channels.contains(&task.channels) {
            let why = format!("{} is not defined for {} pictures", task.filter.label, task.channels.name());
            return Err(Error::usage("These channels do not fit the filter", why, "choose other channels"));
        }
        if let Target::Device { index, variant, .. } = &task.target {
            let info = self.devices.as_ref().and_then(|devices| devices.infos().get(*index));
            let setting = task.setting().on(info.map_or(Abilities::ALL, DeviceInfo::abilities));
            variant.check(task.filter, setting)?;
        }
        task.filter.complete(&task.parameters)
    }

    /// Runs once and holds the output to the reference: nothing is timed before.
    fn verified(&mut self, task: &Task, progress: &dyn Progress) -> Result<(Executed, Verification)> {
        let executed = self.execute(task)?;
        let verification = self.derived.verify(task, &executed.output, progress)?.verification;
        if verification.is_right() { Ok((executed, verification)) } else { Err(wrong_output(&verification)) }
    }

    /// What was measured, or the reason why not as an error.
    fn try_measure(&mut self, task: &Task, budget: Budget, progress: &dyn Progress) -> Result<(Measured, Contender)> {
        let parameters = self.check(task)?;
        let source = self.derived.source(task);
        progress.report(0, 3, "Verifying");
        let (executed, verification) = self.verified(task, progress)?;
        progress.report(1, 3, "Measuring");
        let measured = Measured {
            kernel: None,
            upload: None,
            readback: None,
            round_trip: Summary::default(),
            build_ns: None,
            build_from: executed.build_from,
            // Read once, written once.
            bytes_moved: (source.bytes().len() + executed.output.bytes().len()) as u64,
            passes: Vec::new(),
            counts: None,
            verification,
            discarded_share: 0.0,
            warm_cache: budget.warm_cache,
            busy: false,
        };
        match task.target {
            Target::Cpu(engine) => {
                let sampled = on_cpu::measure(engine, task, &source, &parameters, budget, progress)?;
                let kernel = summary(sampled.samples.iter().filter_map(|sample| sample.kernel_ns));
                let round_trip = kernel.clone().unwrap_or_default();
                let contender = Contender::Cpu { engine, instructions: cpu::instructions(engine) };
                Ok((Measured { kernel, round_trip, discarded_share: sampled.discarded_share, busy: sampled.busy, ..measured }, contender))
            }
            Target::Device { index, variant, local } => {
                let session = self.session(index)?;
                let plan = Plan::new(session, task, &parameters, &variant, local)?;
                let (kernels, trips) = on_device::measure(session, &plan, task, &source, budget, progress)?;
                let contender = Contender::Device { variant, local, local_used: plan.local, host_memory: task.host_memory };
                let measured = Measured { counts: plan.counts, ..measured };
                let passes = plan.launch.passes.iter().map(|pass| pass.kernel).collect::<Vec<_>>();
                Ok((with_samples(&measured, executed.build_ns, &passes, &kernels, &trips), contender))
            }
        }
    }

    fn reading(&self, task: &Task, contender: Contender, state: ReadingState) -> Reading {
        let (device, driver) = match task.target {
            Target::Cpu(_) => (cpu::processor_name(), String::new()),
            Target::Device { index, .. } => {
                let info = self.devices.as_ref().and_then(|devices| devices.infos().get(index));
                info.map_or_else(
                    || (format!("device {index}"), String::new()),
                    |info| (info.name.clone(), format!("{} {}", info.platform, info.driver_version)),
                )
            }
        };
        Reading {
            filter: task.filter.name.to_owned(),
            contender,
            device,
            driver,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            width_px: task.picture.picture.width_px(),
            height_px: task.picture.picture.height_px(),
            channels: task.channels,
            border: task.border,
            date: now(),
            state,
        }
    }
}

impl Backend for Engine {
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        self.kept = Kept::default();
        self.sessions.clear();
        self.devices = None;
        self.devices().map(<[DeviceInfo]>::to_vec)
    }

    fn execute(&mut self, task: &Task) -> Result<Executed> {
        let parameters = self.check(task)?;
        let source = self.derived.source(task);
        match &task.target {
            Target::Cpu(engine) => Ok(on_cpu::execute(*engine, task, &source, &parameters)),
            Target::Device { index, variant, local } => {
                let mut kept = std::mem::take(&mut self.kept);
                let session = self.session(*index)?;
                let plan = Plan::new(session, task, &parameters, variant, *local)?;
                let executed = on_device::execute(session, &plan, task, &source, &mut kept);
                self.kept = kept;
                executed
            }
        }
    }

    fn verify(&mut self, task: &Task, output: &Picture, progress: &dyn Progress) -> Result<Verified> {
        self.derived.verify(task, output, progress)
    }

    fn compare(&mut self, first: &Task, second: &Task, budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        Self::compare(self, first, second, budget, progress)
    }

    fn tidy(&mut self) -> bool {
        self.sessions.iter().any(|(_, session)| session.save_programs(Duration::ZERO) > 0)
    }

    fn measure(&mut self, task: &Task, budget: Budget, progress: &dyn Progress) -> Result<Reading> {
        match self.try_measure(task, budget, progress) {
            Ok((measured, contender)) => Ok(self.reading(task, contender, ReadingState::Measured(Box::new(measured)))),
            Err(error) if error.is_cancelled() => Err(error),
            Err(error) => {
                let contender = match task.target {
                    Target::Cpu(engine) => Contender::Cpu { engine, instructions: cpu::instructions(engine) },
                    Target::Device { variant, local, .. } => {
                        Contender::Device { variant, local, local_used: None, host_memory: task.host_memory }
                    }
                };
                let state = match error.kind {
                    ErrorKind::Usage => ReadingState::Unsupported(error.to_string()),
                    ErrorKind::Failed | ErrorKind::Cancelled => ReadingState::Failed(error.to_string()),
                };
                Ok(self.reading(task, contender, state))
            }
        }
    }
}

/// A wrong output is never timed.
fn wrong_output(verification: &Verification) -> Error {
    let at = verification.first_differing.map_or_else(String::new, |(x, y)| format!(", the first at ({x}, {y})"));
    Error::failed(
        "The output is wrong",
        format!("{}{at}, by up to {}", verification.label(), verification.max_difference),
        "do not trust this device or driver with this variant; report it with the output of `kernel-ladder devices`",
    )
}

fn summary(samples_ns: impl Iterator<Item = u64>) -> Option<Summary> {
    Summary::of(samples_ns.collect())
}

/// Fills in what sampling brought. One invalid timestamp makes the kernel time invalid: the driver's clock cannot be trusted.
fn with_samples(measured: &Measured, build_ns: u64, passes: &[&str], kernels: &Sampled<Sample>, trips: &Sampled<Sample>) -> Measured {
    let kernel = kernels.samples.iter().map(|sample| sample.kernel_ns).collect::<Option<Vec<_>>>().and_then(Summary::of);
    let part =
        |part: fn(&sampling::RoundTrip) -> u64| summary(trips.samples.iter().filter_map(|sample| sample.round_trip.as_ref()).map(part));
    let of_pass = |(index, kernel): (usize, &&str)| {
        let time = summary(kernels.samples.iter().filter_map(|sample| sample.pass_ns.get(index).copied()))?;
        Some(PassTime { kernel: (*kernel).to_owned(), time })
    };
    Measured {
        kernel,
        passes: passes.iter().enumerate().filter_map(of_pass).collect(),
        upload: part(|trip| trip.upload_ns),
        readback: part(|trip| trip.readback_ns),
        round_trip: part(|trip| trip.total_ns).unwrap_or_default(),
        build_ns: Some(build_ns),
        discarded_share: kernels.discarded_share,
        busy: kernels.busy || trips.busy,
        ..measured.clone()
    }
}

/// The present in RFC 3339, UTC, to the second.
fn now() -> String {
    let now = OffsetDateTime::now_utc();
    now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Budget, Engine, PictureRef, Target, Task};
    use crate::cpu::CpuEngine;
    use crate::device::{HostMemory, LocalSize};
    use crate::image::{Channels, Picture};
    use crate::measure::{MIN_PAIRS, ReadingState};
    use crate::variant::Variant;
    use crate::worker::Backend as _;
    use std::sync::Arc;

    fn task(variant: &str, local: LocalSize) -> Task {
        let picture = Picture::from_fn(61, 33, Channels::Rgb, |x, y, channel| (x * x + y * 29 + channel * 91) as u8);
        let alpha = (0..61 * 33).map(|index| index as u8).collect();
        let variant = Variant::parse(variant).expect("known");
        Task::new(PictureRef::new(Arc::new(picture.with_alpha(Some(alpha)))), Target::Device { index: 0, variant, local })
    }

    const SHORT: Budget = Budget { warmup_runs: 1, warmup_ns: 0, sample_ns: 1_000_000, min_samples: 3, max_samples: 5, warm_cache: false };

    #[test]
    fn every_contender_gives_the_references_output_with_the_sources_alpha() {
        let mut engine = Engine::new();
        let variants = ["naive", "coalesced+padded+vectorize=4+merged+short16+rows=4", "coalesced+local=skew"]
            .map(|name| task(name, LocalSize::Driver));
        let competitors = CpuEngine::ALL.map(|engine| Task { target: Target::Cpu(engine), ..task("naive", LocalSize::Driver) });
        for task in variants.iter().chain(&competitors) {
            let executed = engine.execute(task).expect("runs");
            assert_eq!(executed.output.alpha(), task.picture.picture.alpha());
            let verified = engine.verify(task, &executed.output, &()).expect("not cancelled");
            assert_eq!(verified.verification.label(), "bit-exact", "{:?}", task.target);
        }
    }

    #[test]
    fn a_reading_has_every_part_of_a_round_trip() {
        let reading = Engine::new().measure(&task("coalesced+padded", LocalSize::Explicit([16, 2])), SHORT, &()).expect("not cancelled");
        let measured = reading.measured().expect("measured");
        assert_eq!(measured.bytes_moved, 2 * 61 * 33 * 3);
        assert!(measured.upload.is_some() && measured.readback.is_some() && measured.round_trip.count >= 3);
        let kernel = measured.kernel.as_ref().expect("PoCL's timestamps are valid");
        assert_eq!(kernel.samples_ns.len(), kernel.count);
        assert!(!reading.device.is_empty() && !reading.driver.is_empty());
    }

    #[test]
    fn every_host_memory_gives_the_references_output_and_every_part_of_a_round_trip() {
        let mut engine = Engine::new();
        let variants = ["naive", "coalesced+padded+vectorize=5", "coalesced+padded+vectorize=4+merged+short16+rows=4", "coalesced+local"];
        for variant in variants {
            for host_memory in HostMemory::ALL {
                let task = Task { host_memory, ..task(variant, LocalSize::Driver) };
                // Twice: the second run finds the first one's memory, and its slack.
                for _ in 0..2 {
                    let executed = engine.execute(&task).expect("runs");
                    let verified = engine.verify(&task, &executed.output, &()).expect("not cancelled");
                    assert_eq!(verified.verification.label(), "bit-exact", "{variant}, {host_memory}");
                }
                let reading = engine.measure(&task, SHORT, &()).expect("not cancelled");
                let measured = reading.measured().expect("measured");
                assert!(measured.upload.is_some() && measured.readback.is_some() && measured.round_trip.count >= 3);
                assert_eq!(reading.label().ends_with(host_memory.name()), host_memory != HostMemory::Copy, "{}", reading.label());
            }
        }
    }

    #[test]
    fn a_comparison_takes_as_many_pairs_as_a_verdict_needs() {
        let (naive, coalesced) = (task("naive", LocalSize::Driver), task("coalesced", LocalSize::Driver));
        let compared = Engine::new().compare(&naive, &coalesced, SHORT, &()).expect("not cancelled");
        assert!(compared.pairs >= MIN_PAIRS && compared.comparison.ratio > 0.0, "{compared:?}");
    }

    #[test]
    fn what_cannot_be_measured_is_a_row_with_its_reason() {
        let mut engine = Engine::new();
        let too_large = task("naive", LocalSize::Explicit([100_000, 1]));
        let not_allowed = Task { channels: Channels::Gray, ..task("padded+vectorize=5", LocalSize::Driver) };
        for (task, part) in [(too_large, "100000"), (not_allowed, "gray")] {
            match engine.measure(&task, SHORT, &()).expect("a row").state {
                ReadingState::Unsupported(reason) => assert!(reason.contains(part), "{reason}"),
                state => panic!("{state:?}"),
            }
        }
    }
}
