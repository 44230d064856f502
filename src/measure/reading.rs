//! What one measurement says: plain data that window, command line, exports and tests share.

use crate::cpu::CpuEngine;
use crate::device::{HostMemory, LocalSize};
use crate::image::{BorderMode, Channels};
use crate::launch::Counts;
use crate::variant::Variant;
use serde::{Deserialize, Serialize};

/// Median with spread over `count` samples, all in nanoseconds. The raw samples are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The headline.
    pub median_ns: f64,
    /// Smallest sample.
    pub min_ns: f64,
    /// First quartile.
    pub lower_quartile_ns: f64,
    /// Third quartile.
    pub upper_quartile_ns: f64,
    /// Largest sample.
    pub max_ns: f64,
    /// Number of samples.
    pub count: usize,
    /// All samples in the order taken.
    pub samples_ns: Vec<u64>,
}

/// What computed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Contender {
    /// A CPU competitor; `instructions` names what it chose at run time ("AVX2").
    Cpu {
        /// Which one.
        engine: CpuEngine,
        /// Instruction set and threads, for example "AVX2, 8 threads".
        instructions: String,
    },
    /// A variant on an OpenCL device.
    Device {
        /// Stages.
        variant: Variant,
        /// Local work size that was asked for.
        local: LocalSize,
        /// Local work size that was passed to the driver; `None` for NULL.
        local_used: Option<[usize; 2]>,
        /// How the picture got into the device's memory and back.
        #[serde(default)]
        host_memory: HostMemory,
    },
}

/// How far an output is from the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// Pixels with at least one channel off by more than the filter's tolerance.
    pub differing_pixels: usize,
    /// All pixels.
    pub total_pixels: usize,
    /// Largest difference of one byte.
    pub max_difference: u8,
    /// Where the first differing pixel is.
    pub first_differing: Option<(usize, usize)>,
    /// The filter's tolerance: 0 means bit-exact.
    pub tolerance: u8,
}

impl Verification {
    /// Whether the output is right.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.differing_pixels == 0
    }

    /// "bit-exact", "within ±1" or "12 of 240000 pixels differ".
    #[must_use]
    pub fn label(&self) -> String {
        match (self.is_right(), self.tolerance) {
            (true, 0) => "bit-exact".to_owned(),
            (true, tolerance) => format!("within ±{tolerance}"),
            (false, _) => format!("{} of {} pixels differ", self.differing_pixels, self.total_pixels),
        }
    }
}

/// Kernel time of one of several passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassTime {
    /// Name of the `__kernel` function.
    pub kernel: String,
    /// Its time.
    pub time: Summary,
}

/// A measurement that was taken. No time includes building.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Kernel time: END − START of the profiling events, or the host clock around a CPU competitor. `None`: timestamps were invalid.
    pub kernel: Option<Summary>,
    /// Kernel time of each pass, in order, where there are several; their medians need not add up to that of the whole.
    #[serde(default)]
    pub passes: Vec<PassTime>,
    /// Upload of the source, the packing into its padded layout included. `None` for CPU competitors.
    pub upload: Option<Summary>,
    /// Read-back of the output. `None` for CPU competitors.
    pub readback: Option<Summary>,
    /// Host clock from upload to read-back.
    pub round_trip: Summary,
    /// Time to build the program; `None` for CPU competitors.
    pub build_ns: Option<u64>,
    /// Where the program came from.
    pub build_from: BuildFrom,
    /// Fewest bytes the filter must move: source read once plus output written once. GB/s are these over the kernel time.
    pub bytes_moved: u64,
    /// Memory operations a pixel, where the filter counts them; `None` for CPU competitors.
    #[serde(default)]
    pub counts: Option<Counts>,
    /// The output's check, made before anything was timed.
    pub verification: Verification,
    /// Share of samples that were discarded because other work kept the processor busy (CPU devices and competitors), 0 to 1.
    pub discarded_share: f64,
    /// Sampled over one pair of buffers, so that caches stay warm.
    pub warm_cache: bool,
    /// True where other work was too busy throughout to trust the figures: shown as a badge.
    pub busy: bool,
}

impl Measured {
    /// Effective bandwidth in GB/s (10⁹ bytes a second) at the median kernel time.
    #[must_use]
    pub fn gb_per_s(&self) -> Option<f64> {
        // Bytes per nanosecond are gigabytes per second.
        self.kernel.as_ref().filter(|kernel| kernel.median_ns > 0.0).map(|kernel| self.bytes_moved as f64 / kernel.median_ns)
    }
}

/// Where a built program came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BuildFrom {
    /// Compiled from source now.
    Source,
    /// A binary in the disk cache.
    Disk,
    /// Still in memory.
    Memory,
    /// Nothing to build (CPU competitors).
    Nothing,
}

/// A reading that could not be taken is a row with a reason, not a gap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReadingState {
    /// Verified, then timed.
    Measured(Box<Measured>),
    /// The device or the rules cannot do it.
    Unsupported(String),
    /// Not taken (cancelled, say).
    Skipped(String),
    /// Tried and failed, a wrong output included.
    Failed(String),
}

/// One row of every table, plot and export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Filter name.
    pub filter: String,
    /// What computed it.
    pub contender: Contender,
    /// Device name, or the processor's for CPU competitors.
    pub device: String,
    /// Platform and driver version; empty for CPU competitors.
    pub driver: String,
    /// Our own version.
    pub program_version: String,
    /// Width of the picture.
    pub width_px: usize,
    /// Height of the picture.
    pub height_px: usize,
    /// Gray or RGB.
    pub channels: Channels,
    /// Border mode.
    pub border: BorderMode,
    /// When, in RFC 3339, UTC.
    pub date: String,
    /// What came of it.
    pub state: ReadingState,
}

impl Reading {
    /// The figures, where the reading could be taken.
    #[must_use]
    pub fn measured(&self) -> Option<&Measured> {
        match &self.state {
            ReadingState::Measured(measured) => Some(measured),
            _ => None,
        }
    }

    /// Short name for bars and tables: the variant with its local size and host memory where they were set, or the CPU competitor.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.contender {
            Contender::Cpu { engine, .. } => engine.label().to_owned(),
            Contender::Device { variant, local, host_memory, .. } => {
                let local = if *local == LocalSize::Driver { String::new() } else { format!(" @ {local}") };
                let host_memory = if host_memory.is_mapped() { format!(", {host_memory}") } else { String::new() };
                format!("{variant}{local}{host_memory}")
            }
        }
    }
}
