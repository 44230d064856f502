//! An engine without OpenCL: right outputs, fixed times, one device that always is the same.

use kernel_ladder::cpu::CpuEngine;
use kernel_ladder::device::{DeviceInfo, KernelLimits, LocalSize, NoDevice};
use kernel_ladder::engine::{Budget, Compared, Executed, Progress, Target, Task, Timings, Verified};
use kernel_ladder::error::{Error, Result};
use kernel_ladder::image::Picture;
use kernel_ladder::measure::{BuildFrom, Contender, Measured, Reading, ReadingState, Summary, Verification, compare};
use kernel_ladder::source::compose;
use kernel_ladder::stages::STAGES;
use kernel_ladder::variant::Variant;
use kernel_ladder::worker::Backend;
use std::sync::Arc;

/// The engine. Without a device, `devices` says why.
pub struct Canned {
    pub devices: std::result::Result<Vec<DeviceInfo>, NoDevice>,
}

impl Canned {
    pub fn with_device() -> Self {
        Self { devices: Ok(vec![device()]) }
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
        self.devices.clone()
    }

    fn execute(&mut self, task: &Task) -> Result<Executed> {
        let picture = task.picture.picture.to_channels(task.channels);
        let kernel_ns = kernel_ns(&task.target);
        let (source, limits, local_used) = match &task.target {
            Target::Cpu(_) => (None, None, None),
            Target::Device { variant, local, .. } => {
                let limits = KernelLimits { max_work_group_size: 256, preferred_multiple: 32, local_mem_bytes: 0, private_mem_bytes: 0 };
                let used = match local {
                    LocalSize::Driver => None,
                    LocalSize::Explicit(size) => Some(*size),
                };
                (Some(compose(task.filter, variant, task.setting(), &task.parameters)?), Some(limits), used)
            }
        };
        let output = Arc::new(task.filter.reference(&picture, task.border, &task.parameters));
        Ok(Executed {
            timings: Timings { kernel_ns: Some(kernel_ns), round_trip_ns: 3 * kernel_ns, ..Timings::default() },
            source,
            build_ns: 84_000_000,
            build_from: if limits.is_some() { BuildFrom::Source } else { BuildFrom::Nothing },
            limits,
            global: [picture.width_px(), picture.height_px()],
            local_used,
            ..Executed::on_host(output, kernel_ns)
        })
    }

    fn verify(&mut self, _task: &Task, output: &Picture, _progress: &dyn Progress) -> Result<Verified> {
        Ok(Verified { verification: right(output.width_px() * output.height_px()), reference: Arc::new(output.clone()) })
    }

    fn measure(&mut self, task: &Task, _budget: Budget, progress: &dyn Progress) -> Result<Reading> {
        if progress.is_cancelled() {
            return Err(Error::cancelled());
        }
        progress.report(1, 1, "Measuring");
        let (width_px, height_px) = (task.picture.picture.width_px(), task.picture.picture.height_px());
        let kernel_ns = kernel_ns(&task.target);
        let (contender, is_cpu) = match task.target {
            Target::Cpu(engine) => (Contender::Cpu { engine, instructions: "canned".to_owned() }, true),
            Target::Device { variant, local, .. } => {
                (Contender::Device { variant, local, local_used: None, host_memory: task.host_memory }, false)
            }
        };
        let measured = Measured {
            passes: Vec::new(),
            counts: None,
            kernel: Some(summary(kernel_ns)),
            upload: (!is_cpu).then(|| summary(kernel_ns / 2)),
            readback: (!is_cpu).then(|| summary(kernel_ns / 3)),
            round_trip: summary(2 * kernel_ns),
            build_ns: (!is_cpu).then_some(84_000_000),
            build_from: if is_cpu { BuildFrom::Nothing } else { BuildFrom::Source },
            bytes_moved: (2 * width_px * height_px * task.channels.count()) as u64,
            verification: right(width_px * height_px),
            discarded_share: 0.0,
            warm_cache: false,
            busy: false,
        };
        Ok(Reading {
            filter: task.filter.name.to_owned(),
            contender,
            device: if is_cpu { "Canned processor".to_owned() } else { "Canned device".to_owned() },
            driver: String::new(),
            program_version: "0".to_owned(),
            width_px,
            height_px,
            channels: task.channels,
            border: task.border,
            date: "2024-01-01T00:00:00Z".to_owned(),
            state: ReadingState::Measured(Box::new(measured)),
        })
    }

    fn compare(&mut self, first: &Task, second: &Task, _budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        progress.report(1, 1, "Comparing");
        let [first, second] = [first, second].map(|task| vec![kernel_ns(&task.target); 8]);
        Ok(Compared { comparison: compare(&first, &second), pairs: 8, busy: false })
    }
}

fn right(total_pixels: usize) -> Verification {
    Verification { differing_pixels: 0, total_pixels, max_difference: 0, first_differing: None, tolerance: 0 }
}
