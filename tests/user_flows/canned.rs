//! An engine without OpenCL: right outputs, fixed times, one device that always is the same.

use base::error::{Error, Result};
use engine::compiled::{self, Compiled, Kernel, Origin, Queried};
use engine::device::{DeviceInfo, KernelLimits, NoDevice};
use engine::{
    Backend, Build, Compared, Executed, KernelText, Proof, Proven, Reply, Request, Scanned, Target, Task, Timings, Verified, run_and_check,
};
use kernels::kernel_source::compose;
use model::measure::{Pair, Places, Progress, compare};
use model::{
    AddedKind, Budget, BuildFrom, ByClass, Channels, Contender, Counts, CpuEngine, LocalSize, Machine, Measured, OperationClass, Outcome,
    PictureFacts, ProbeSetup, Record, Resources, Roof, RoofKind, Roofs, RoundTrip, StageId, Summary, Variant, Verification, stages,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The engine.
pub struct Canned {
    roofs: Option<Arc<Roofs>>,
    /// Asked at every scan, as a driver may be installed between two of them.
    is_installed: Box<dyn Fn() -> std::result::Result<(), NoDevice>>,
    /// Asked at every run and at every check: which of them ends as the driver's process does.
    crash: Box<dyn Fn() -> Crash>,
}

/// Where an engine crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    Never,
    Running,
    Checking,
}

impl Canned {
    pub fn with_device() -> Self {
        Self { roofs: None, is_installed: Box::new(|| Ok(())), crash: Box::new(|| Crash::Never) }
    }

    pub fn without_device(reason: NoDevice) -> Self {
        Self { is_installed: Box::new(move || Err(reason.clone())), ..Self::with_device() }
    }

    pub fn with_device_once(is_installed: Arc<AtomicBool>) -> Self {
        let is_installed = Box::new(move || if is_installed.load(Ordering::SeqCst) { Ok(()) } else { Err(NoDevice::NoDriver) });
        Self { is_installed, ..Self::with_device() }
    }

    /// One that crashes as that says.
    pub fn crashing(crash: Arc<Mutex<Crash>>) -> Self {
        Self { crash: Box::new(move || *crash.lock().expect("nobody panicked with it")), ..Self::with_device() }
    }

    fn crash_at(&self, at: Crash) -> Result<()> {
        if (self.crash)() != at {
            return Ok(());
        }
        Err(Error::failed("The driver process ended unexpectedly", "it was ended by signal 11 (SIGSEGV)", "choose another variant"))
    }
}

fn device() -> DeviceInfo {
    DeviceInfo {
        platform: "Canned platform".to_owned(),
        name: "Canned device".to_owned(),
        max_image_px: Some([16384, 16384]),
        ..DeviceInfo::example()
    }
}

/// What PoCL made of two variants of Laplace, for work-groups of 16 × 4.
const CODE: &[u8] = include_bytes!("../compiled/pocl_laplace_five.bin");
const MERGED_CODE: &[u8] = include_bytes!("../compiled/pocl_laplace_five_merged.bin");

/// Every stage that is on takes a fifth off two milliseconds.
fn kernel_ns(target: &Target) -> u64 {
    let on = |variant: &Variant| stages().filter(|stage| variant.is_on(stage.id)).count();
    let ms = match target {
        Target::Cpu(CpuEngine::Scalar) => 8.0,
        Target::Cpu(CpuEngine::Simd) => 1.5,
        Target::Cpu(CpuEngine::Threads) => 0.9,
        Target::Device { variant, .. } => (0..on(variant)).fold(2.0, |ms, _| ms * 0.8),
    };
    (ms * 1e6) as u64
}

/// What added work makes of a kernel's time: each byte costs as much as 5 % of it, arithmetic is hidden up to 16 operations.
fn with_added(task: &Task) -> u64 {
    let kernel_ns = kernel_ns(&task.target);
    let more = task.text.added().map_or(0.0, |added| match added.kind {
        AddedKind::Bytes => 0.05 * f64::from(added.per_pixel),
        AddedKind::Integer | AddedKind::Float => 0.05 * (f64::from(added.per_pixel) - 16.0).max(0.0),
    });
    (kernel_ns as f64 * (1.0 + more)) as u64
}

/// What every variant does per pixel.
const COUNTS: Counts = Counts {
    loads: 27.0,
    loaded_bytes: 27.0,
    stores: 3.0,
    stored_bytes: 3.0,
    operations: 54.0,
    float_operations: 0.0,
    by_class: ByClass::NONE,
    must_move_bytes: 6.0,
};

/// A device that copies 10 GB/s, and does 500 operations per nanosecond.
fn roofs() -> Roofs {
    let roof = |work: f64| Roof { work, time: summary(1000), setup: ProbeSetup::default(), busy: false };
    Roofs {
        schema: Roofs::SCHEMA,
        machine: machine(),
        date: "2024-01-02T00:00:00Z".to_owned(),
        found: [(RoofKind::Copy, 1e4), (OperationClass::IntegerAdd.roof(), 5e5), (OperationClass::FloatMultiplyAdd.roof(), 1e6)]
            .map(|(kind, work)| (kind, roof(work)))
            .into(),
        missing: std::collections::BTreeMap::new(),
        copies: Vec::new(),
        reads: Vec::new(),
        reads_missing: None,
        waits: Vec::new(),
        cache_bytes: None,
    }
}

/// As records of the device name it.
fn machine() -> Machine {
    Machine { device: device().name, driver: device().driver(), program_version: "0".to_owned(), alias: None }
}

/// Figures that follow from their samples: a bundle of them is held to that.
fn summary(median_ns: u64) -> Summary {
    let percent = |index: u64| match index {
        0 => 95,
        1..=10 => 98,
        11..=20 => 100,
        21..=39 => 103,
        _ => 120,
    };
    Summary::of((0..=40).map(|index| median_ns * percent(index) / 100).collect()).expect("samples")
}

impl Backend for Canned {
    fn ask(&mut self, request: Request, progress: &dyn Progress) -> Result<Reply> {
        Ok(match request {
            Request::Rescan(_) => Reply::Devices(self.rescan(), Scanned::default()),
            Request::Execute(task) => Reply::Executed(Box::new(self.execute(&task, progress)?)),
            Request::Verify(task, output) => {
                let verified = self.verify(&task, &Executed::on_host(output.picture, 0), progress)?;
                Reply::Verified(verified.verification, verified.reference)
            }
            Request::Prove(task) => run_and_check(self, &task, progress)?,
            Request::Measure(proof, budget) => Reply::Record(Box::new(self.measure(&proof, budget, progress)?)),
            Request::Glance(proof) => Reply::Glanced(kernel_ns(&proof.task().target) as f64),
            Request::Refused(task, why) => Reply::Record(Box::new(self.refused(&task, &why))),
            Request::Compare(pair, budget) => {
                let [first, second] = &*pair;
                Reply::Compared(Box::new(self.compare(first, second, budget, progress)?))
            }
            Request::KnownRoofs(device) => Reply::Roofs(self.known_roofs(device, progress)),
            Request::MeasureRoofs(device) => Reply::Roofs(Some(self.measure_roofs(device, progress)?)),
            Request::Compiled(task) | Request::Lines(task) => Reply::Compiled(self.compiled(&task, progress)?),
            Request::NoteCode(task) => self.compiled(&task, progress).map(|_| Reply::CodeNoted)?,
            request => return request.plain_reply(),
        })
    }
}

#[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "a method for each request, all alike")]
impl Canned {
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        (self.is_installed)().map(|()| vec![device()])
    }

    fn execute(&mut self, task: &Task, _progress: &dyn Progress) -> Result<Executed> {
        self.crash_at(Crash::Running)?;
        let spec = &task.spec;
        let picture = task.picture.picture.to_channels(spec.channels);
        let kernel_ns = kernel_ns(&task.target);
        let (source, limits, local_used) = match &task.target {
            Target::Cpu(_) => (None, None, None),
            Target::Device { variant, local, .. } => {
                let limits = KernelLimits { max_work_group_size: 256, preferred_multiple: 32, local_mem_bytes: 0, private_mem_bytes: 0 };
                let used = match local {
                    LocalSize::Driver => None,
                    LocalSize::Explicit(size) => Some(*size),
                };
                (Some(compose(task.filter(), variant, task.setting(), &spec.parameters)?), Some(limits), used)
            }
        };
        // Of studies nobody sees the output, and the reference takes its time.
        let is_seen = task.text.is_composed() && picture.width_px() * picture.height_px() <= 1 << 20;
        let right = is_seen.then(|| task.filter().reference(&picture, spec.border, &spec.parameters)).flatten();
        let output = Arc::new(right.unwrap_or_else(|| picture.clone()));
        let from = if limits.is_some() { BuildFrom::Source } else { BuildFrom::Nothing };
        Ok(Executed {
            timings: Timings { kernel_ns: Some(kernel_ns), round_trip_ns: 3 * kernel_ns, ..Timings::default() },
            source,
            build: Build { build_ns: 84_000_000, waited_ns: 84_000_000, from, log: String::new() },
            limits,
            global: [picture.width_px(), picture.height_px()],
            local_used,
            ..Executed::on_host(output, kernel_ns)
        })
    }

    fn verify(&mut self, task: &Task, executed: &Executed, _progress: &dyn Progress) -> Result<Verified> {
        self.crash_at(Crash::Checking)?;
        let output = &executed.output;
        let verification = right(output.width_px() * output.height_px());
        // What a lesson leaves to be written is not right before it is.
        let is_unwritten =
            matches!(&task.text, KernelText::Edited(text) if ["Your code", "由你填写"].iter().any(|left| text.contains(left)));
        let verification =
            if is_unwritten { Verification { differing_pixels: 1, max_difference: 1, ..verification } } else { verification };
        Ok(Verified { verification, reference: Arc::clone(output), proof: Proven::new(executed, verification).of_task(task.clone()).ok() })
    }

    fn measure(&mut self, proof: &Proof, _budget: Budget, progress: &dyn Progress) -> Result<Record> {
        if progress.is_cancelled() {
            return Err(Error::cancelled());
        }
        progress.report(1, 1, "Measuring");
        let task = proof.task();
        let (width_px, height_px) = task.picture.size();
        let kernel_ns = kernel_ns(&task.target);
        let is_cpu = matches!(task.target, Target::Cpu(_));
        let part = |ns: u64| (!is_cpu).then(|| summary(ns));
        let round_trip = RoundTrip {
            total: summary(2 * kernel_ns),
            upload: part(kernel_ns / 2),
            layout: part(kernel_ns / 8),
            kernel: part(kernel_ns),
            readback: part(kernel_ns / 3),
        };
        let measured = Measured {
            passes: Vec::new(),
            counts: (!is_cpu).then_some(COUNTS),
            compiled: Vec::new(),
            roofline: None,
            queue_wait: None,
            launch_latency: None,
            kernel: Some(summary(kernel_ns)),
            doubt: None,
            round_trip,
            build_ns: (!is_cpu).then_some(84_000_000),
            build_from: if is_cpu { BuildFrom::Nothing } else { BuildFrom::Source },
            bytes_moved: (2 * width_px * height_px * task.spec.channels.count()) as u64,
            verification: proof.verification(),
            discarded_share: 0.0,
            disturbed_share: Some(0.0),
            warm_cache: false,
            busy: false,
        };
        Ok(row(task, Outcome::Measured(Box::new(measured))))
    }

    fn refused(&mut self, task: &Task, why: &Error) -> Record {
        row(task, Outcome::Failed(why.to_string().into()))
    }

    fn compare(&mut self, first: &Proof, second: &Proof, _budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        progress.report(1, 1, "Comparing");
        let [first_ns, second_ns] = [first, second].map(|proof| with_added(proof.task()));
        let pairs: Vec<Pair> = (0..8).map(|start| Pair { first_ns, second_ns, first_place: 0, second_place: 0, start }).collect();
        Ok(Compared { comparison: compare(&pairs, Places::Shared), places: Places::Shared, pairs, busy: false, code: None })
    }

    fn known_roofs(&mut self, _device: usize, _progress: &dyn Progress) -> Option<Arc<Roofs>> {
        self.roofs.clone()
    }

    fn measure_roofs(&mut self, _device: usize, progress: &dyn Progress) -> Result<Arc<Roofs>> {
        progress.report(1, 10, "Copy");
        Ok(Arc::clone(self.roofs.insert(Arc::new(roofs()))))
    }

    /// Code that only the merged loads change; none of gray pictures.
    fn compiled(&mut self, task: &Task, _progress: &dyn Progress) -> Result<Arc<Compiled>> {
        let Target::Device { variant, local, .. } = task.target else {
            return Err(Error::usage("There is no compiled kernel", "it is a CPU competitor", ""));
        };
        let binary = if variant.is_on(StageId::Merged) { MERGED_CODE } else { CODE };
        let code = match task.spec.channels {
            Channels::Gray => Err("this driver hands out nothing of gray pictures".to_owned()),
            Channels::Rgb => compiled::read(binary, "laplace", Some(&[16, 4]), &[512, 512]),
        };
        let local = match local {
            LocalSize::Driver => None,
            LocalSize::Explicit(size) => Some(size.to_vec()),
        };
        let queried = Queried { private_bytes: 64, local_bytes: 0, max_work_group_size: 4096, preferred_multiple: 16 };
        Ok(Arc::new(Compiled {
            source: None,
            origin: Origin { device: "Canned device".to_owned(), driver: "canned 1.0".to_owned(), options: String::new(), local },
            bare_source: variant.to_string().into(),
            launch: "alike".to_owned(),
            kernels: vec![Kernel { name: "laplace".to_owned(), code, lined: None, unread: None, resources: Resources::default(), queried }],
            binary: Arc::from([]),
            log: String::new(),
        }))
    }
}

fn row(task: &Task, outcome: Outcome) -> Record {
    let (width_px, height_px) = task.picture.size();
    let on_cpu = |device: &str| Machine { device: device.to_owned(), driver: String::new(), program_version: "0".to_owned(), alias: None };
    let (contender, machine) = match task.target {
        Target::Cpu(engine) => (Contender::Cpu { engine, instructions: "canned".into() }, on_cpu("Canned processor")),
        Target::Device { variant, local, host_memory, .. } => {
            (Contender::Device { variant, local, local_used: None, host_memory }, machine())
        }
    };
    Record {
        schema: Record::SCHEMA,
        name: None,
        spec: task.spec.clone(),
        contender,
        machine,
        picture: PictureFacts { width_px, height_px, sha256: task.picture.facts().sha256 },
        date: "2024-01-01T00:00:00Z".to_owned(),
        outcome,
    }
}

fn right(total_pixels: usize) -> Verification {
    Verification { differing_pixels: 0, total_pixels, max_difference: 0, first_differing: None, tolerance: 0, ..Verification::default() }
}
