//! An engine without OpenCL: right outputs, fixed times, one device that always is the same.

use kernel_ladder::compiled::{self, Compiled, Kernel, Origin, Queried};
use kernel_ladder::device::{DeviceInfo, KernelLimits, NoDevice};
use kernel_ladder::engine::{Backend, Build, Compared, Executed, Proof, Target, Task, Timings, Verified};
use kernel_ladder::error::{Error, Result};
use kernel_ladder::measure::{Pair, Places, Progress, compare};
use kernel_ladder::model::{
    Budget, BuildFrom, Channels, Contender, CpuEngine, LocalSize, Machine, Measured, Outcome, PictureFacts, Record, Resources, RoundTrip,
    STAGES, StageId, Summary, Variant, Verification,
};
use kernel_ladder::source::compose;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The engine.
pub struct Canned {
    /// Asked at every scan, as a driver may be installed between two of them.
    is_installed: Box<dyn Fn() -> std::result::Result<(), NoDevice>>,
}

impl Canned {
    pub fn with_device() -> Self {
        Self { is_installed: Box::new(|| Ok(())) }
    }

    pub fn without_device(reason: NoDevice) -> Self {
        Self { is_installed: Box::new(move || Err(reason.clone())) }
    }

    pub fn with_device_once(is_installed: Arc<AtomicBool>) -> Self {
        Self { is_installed: Box::new(move || if is_installed.load(Ordering::SeqCst) { Ok(()) } else { Err(NoDevice::NoDriver) }) }
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
    let on = |variant: &Variant| STAGES.iter().filter(|stage| variant.is_on(stage.id)).count();
    let ms = match target {
        Target::Cpu(CpuEngine::Scalar) => 8.0,
        Target::Cpu(CpuEngine::Simd) => 1.5,
        Target::Cpu(CpuEngine::Threads) => 0.9,
        Target::Device { variant, .. } => (0..on(variant)).fold(2.0, |ms, _| ms * 0.8),
    };
    (ms * 1e6) as u64
}

fn summary(median_ns: u64) -> Summary {
    let median = median_ns as f64;
    Summary {
        median_ns: median,
        min_ns: median * 0.95,
        lower_quartile_ns: median * 0.98,
        upper_quartile_ns: median * 1.03,
        max_ns: median * 1.2,
        count: 41,
        samples_ns: vec![median_ns; 41],
    }
}

impl Backend for Canned {
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        (self.is_installed)().map(|()| vec![device()])
    }

    fn execute(&mut self, task: &Task) -> Result<Executed> {
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
        let output = Arc::new(task.filter().reference(&picture, spec.border, &spec.parameters));
        let from = if limits.is_some() { BuildFrom::Source } else { BuildFrom::Nothing };
        Ok(Executed {
            timings: Timings { kernel_ns: Some(kernel_ns), round_trip_ns: 3 * kernel_ns, ..Timings::default() },
            source,
            build: Build { build_ns: 84_000_000, from, log: String::new() },
            limits,
            global: [picture.width_px(), picture.height_px()],
            local_used,
            ..Executed::on_host(output, kernel_ns)
        })
    }

    fn verify(&mut self, task: &Task, executed: &Executed, _progress: &dyn Progress) -> Result<Verified> {
        let output = &executed.output;
        let verification = right(output.width_px() * output.height_px());
        Ok(Verified { verification, reference: Arc::clone(output), proof: Proof::new(task, &executed.build, verification) })
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
            counts: None,
            compiled: Vec::new(),
            roofline: None,
            queue_wait: None,
            launch_latency: None,
            kernel: Some(summary(kernel_ns)),
            round_trip,
            build_ns: (!is_cpu).then_some(84_000_000),
            build_from: if is_cpu { BuildFrom::Nothing } else { BuildFrom::Source },
            bytes_moved: (2 * width_px * height_px * task.spec.channels.count()) as u64,
            verification: proof.verification(),
            discarded_share: 0.0,
            warm_cache: false,
            busy: false,
        };
        Ok(row(task, Outcome::Measured(Box::new(measured))))
    }

    fn refused(&mut self, task: &Task, why: &Error) -> Record {
        row(task, Outcome::Failed(why.to_string()))
    }

    fn compare(&mut self, first: &Proof, second: &Proof, _budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        progress.report(1, 1, "Comparing");
        let [first_ns, second_ns] = [first, second].map(|proof| kernel_ns(&proof.task().target));
        let pairs = vec![Pair { first_ns, second_ns, first_place: 0, second_place: 0 }; 8];
        Ok(Compared { comparison: compare(&pairs, Places::Shared), places: Places::Shared, pairs, busy: false, code: None })
    }

    /// Code that only the merged loads change; none of gray pictures.
    fn compiled(&mut self, task: &Task) -> Result<Arc<Compiled>> {
        let Target::Device { variant, local, .. } = task.target else {
            return Err(Error::usage("There is no compiled kernel", "it is a CPU competitor", ""));
        };
        let binary = if variant.is_on(StageId::Merged) { MERGED_CODE } else { CODE };
        let code = match task.spec.channels {
            Channels::Gray => Err("this driver hands out nothing of gray pictures".to_owned()),
            Channels::Rgb => compiled::read(binary, "laplace", Some([16, 4]), [512, 512]),
        };
        let local = match local {
            LocalSize::Driver => None,
            LocalSize::Explicit(size) => Some(size),
        };
        let queried = Queried { private_bytes: 64, local_bytes: 0, max_work_group_size: 4096, preferred_multiple: 16 };
        Ok(Arc::new(Compiled {
            origin: Origin { device: "Canned device".to_owned(), driver: "canned 1.0".to_owned(), options: String::new(), local },
            bare_source: variant.to_string().into(),
            launch: "alike".to_owned(),
            kernels: vec![Kernel { name: "laplace".to_owned(), code, resources: Resources::default(), queried }],
            binary: Arc::from([]),
            log: String::new(),
        }))
    }
}

fn row(task: &Task, outcome: Outcome) -> Record {
    let (width_px, height_px) = task.picture.size();
    let (contender, device) = match task.target {
        Target::Cpu(engine) => (Contender::Cpu { engine, instructions: "canned".to_owned() }, "Canned processor"),
        Target::Device { variant, local, host_memory, .. } => {
            (Contender::Device { variant, local, local_used: None, host_memory }, "Canned device")
        }
    };
    Record {
        schema: Record::SCHEMA,
        name: None,
        spec: task.spec.clone(),
        contender,
        machine: Machine { device: device.to_owned(), driver: String::new(), program_version: "0".to_owned() },
        picture: PictureFacts { width_px, height_px, sha256: task.picture.facts().sha256 },
        date: "2024-01-01T00:00:00Z".to_owned(),
        outcome,
    }
}

fn right(total_pixels: usize) -> Verification {
    Verification { differing_pixels: 0, total_pixels, max_difference: 0, first_differing: None, tolerance: 0 }
}
