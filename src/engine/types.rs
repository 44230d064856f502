//! What the engine is asked and what it answers, as plain data.

use crate::cpu::CpuEngine;
use crate::device::{HostMemory, KernelLimits, LocalSize};
use crate::filters::{self, Filter, Parameters};
use crate::image::{BorderMode, Channels, Picture};
use crate::measure::{BuildFrom, Verification};
use crate::stages::Setting;
use crate::variant::Variant;
use std::sync::Arc;

/// A picture with an identity, so that what was derived from it (other channels, reference, device buffer) is made once.
#[derive(Clone, Debug)]
pub struct PictureRef {
    /// Unique per loaded picture, see [`PictureRef::new`].
    pub id: u64,
    /// The picture as loaded.
    pub picture: Arc<Picture>,
}

impl PictureRef {
    /// Gives `picture` a new identity.
    #[must_use]
    pub fn new(picture: Arc<Picture>) -> Self {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        Self { id: NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed), picture }
    }
}

/// What computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The OpenCL device with this [`crate::device::DeviceInfo::index`].
    Device {
        /// Which device.
        index: usize,
        /// Stages.
        variant: Variant,
        /// Local work size asked for.
        local: LocalSize,
    },
    /// A CPU competitor.
    Cpu(CpuEngine),
}

/// One thing to compute.
#[derive(Clone, Debug)]
pub struct Task {
    /// The filter.
    pub filter: &'static Filter,
    /// Its parameters; missing ones have their defaults.
    pub parameters: Parameters,
    /// The picture.
    pub picture: PictureRef,
    /// Channels to compute in; the picture is converted where it has others.
    pub channels: Channels,
    /// Border mode.
    pub border: BorderMode,
    /// Where.
    pub target: Target,
    /// How the picture gets into the device's memory and back; without meaning for CPU competitors.
    pub host_memory: HostMemory,
}

impl Task {
    /// Whether both compute the same thing in the same place.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let what = |task: &Self| (task.filter.name, task.picture.id, task.channels, task.border, task.target, task.host_memory);
        what(self) == what(other) && self.parameters == other.parameters
    }

    /// Channels and border mode, which decide with the variant what is allowed; the device's abilities are the engine's to add.
    #[must_use]
    pub fn setting(&self) -> Setting {
        Setting::new(self.channels, self.border)
    }

    /// By how much an output byte may differ from the reference: CPU competitors are held to what naive is held to.
    #[must_use]
    pub fn tolerance(&self) -> u8 {
        match &self.target {
            Target::Device { variant, .. } => (self.filter.tolerance)(variant),
            Target::Cpu(_) => (self.filter.tolerance)(&Variant::naive()),
        }
    }

    /// The naive variant of the first filter on `target`'s place, over `picture` as it is.
    #[must_use]
    pub fn new(picture: PictureRef, target: Target) -> Self {
        let filter: &'static Filter = &filters::laplace::FILTER;
        Self {
            filter,
            parameters: Parameters::default(),
            channels: picture.picture.channels(),
            border: filter.default_border,
            picture,
            target,
            host_memory: HostMemory::default(),
        }
    }
}

/// One run: the output and what happened on the way. Nothing in it is a measurement to quote: it is one sample.
#[derive(Clone, Debug)]
pub struct Executed {
    /// The output, with the source's alpha.
    pub output: Arc<Picture>,
    /// One sample of each part.
    pub timings: Timings,
    /// The source that ran; `None` for CPU competitors.
    pub source: Option<Arc<str>>,
    /// Build time and origin.
    pub build_ns: u64,
    /// Where the program came from.
    pub build_from: BuildFrom,
    /// The driver's build log, often empty.
    pub build_log: String,
    /// Limits of the built kernel; `None` for CPU competitors.
    pub limits: Option<KernelLimits>,
    /// NDRange as launched, rounded up to the local size.
    pub global: [usize; 2],
    /// Local size passed to the driver; `None` for NULL.
    pub local_used: Option<[usize; 2]>,
    /// What the person should know ("Local memory needs a size: 16 × 8 was used").
    pub notes: Vec<String>,
}

impl Executed {
    /// A run on the host in `host_ns` nanoseconds: nothing was built, launched or transferred.
    #[must_use]
    pub fn on_host(output: Arc<Picture>, host_ns: u64) -> Self {
        Self {
            output,
            timings: Timings { kernel_ns: Some(host_ns), round_trip_ns: host_ns, ..Timings::default() },
            source: None,
            build_ns: 0,
            build_from: BuildFrom::Nothing,
            build_log: String::new(),
            limits: None,
            global: [1, 1],
            local_used: None,
            notes: Vec::new(),
        }
    }
}

/// An output's check, with what it was compared with.
#[derive(Clone, Debug)]
pub struct Verified {
    /// How far off.
    pub verification: Verification,
    /// The plain reference's output.
    pub reference: Arc<Picture>,
}

/// One sample of a run's parts, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// SUBMIT − QUEUED, where the driver's timestamps are valid.
    pub queue_wait_ns: Option<u64>,
    /// START − SUBMIT.
    pub launch_latency_ns: Option<u64>,
    /// END − START, or the host clock around a CPU competitor. `None`: the driver's timestamps are invalid.
    pub kernel_ns: Option<u64>,
    /// Host clock: packing and upload.
    pub upload_ns: u64,
    /// Host clock: read-back.
    pub readback_ns: u64,
    /// Host clock: everything from upload to read-back.
    pub round_trip_ns: u64,
}

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Untimed runs at least.
    pub warmup_runs: usize,
    /// Untimed time at least.
    pub warmup_ns: u64,
    /// Time to sample for; at least `min_samples` are taken whatever it costs.
    pub sample_ns: u64,
    /// Fewest samples.
    pub min_samples: usize,
    /// Most samples.
    pub max_samples: usize,
    /// Sample over one pair of buffers instead of several in turn: the figures are then those of a warm cache, and are labelled so.
    pub warm_cache: bool,
}

impl Default for Budget {
    /// 300 ms of samples: long enough for clocks to ramp up, short enough for a ladder of a dozen rows to end within seconds.
    fn default() -> Self {
        Self { warmup_runs: 3, warmup_ns: 25_000_000, sample_ns: 300_000_000, min_samples: 5, max_samples: 500, warm_cache: false }
    }
}

/// How far a long job is, and the person's wish to end it. Cheap to ask between samples.
pub trait Progress: Sync {
    /// True once the job should end; it then returns [`crate::error::Error::cancelled`].
    fn is_cancelled(&self) -> bool;
    /// `done` of `total` steps, and what is going on ("Building coalesced+padded").
    fn report(&self, done: usize, total: usize, text: &str);
}

/// For callers who neither watch nor cancel.
impl Progress for () {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn report(&self, _done: usize, _total: usize, _text: &str) {}
}
