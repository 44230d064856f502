//! What the engine is asked and what it answers, as plain data.

use crate::device::{Command, KernelLimits};
use base::error::{Error, Result};
use base::hash::sha256;
use base::texts::{Words, failed, text};
use kernels::filters::{Filter, FilterIdExt, SettingExt};
use kernels::footprint::{self};
use kernels::kernel_source::Mark;
use kernels::launch::Shape;
use model::{
    Added, Budget, BuildFrom, Channels, Confinement, Contender, Counts, CpuEngine, FilterId, HeldTo, HostMemory, LocalSize, Moved,
    PictureFacts, Record, Setting, Spec, Variant, Verification,
};
use pictures::Picture;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// What a scan for devices has met besides devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    /// Drivers, devices and machines that were left out, and what else is not as it should be: a clause for each.
    pub problems: Vec<String>,
    /// What the process that runs this machine's drivers is kept from; `None` where that is this one, or is not known yet.
    pub confinement: Option<Confinement>,
    /// Machines that have not answered yet.
    pub awaited: Vec<String>,
    /// Machines that this program is being copied to.
    pub copying: Vec<String>,
    /// Machines to which a copy of this program would help: as far as is known they do not have it, or only in a version that this one cannot talk to.
    pub without_program: Vec<String>,
    /// Devices turned out to be others than those that were listed last: it is time for a rescan.
    pub has_others: bool,
}

/// A picture with an identity, so that what was derived from it (other channels, reference, device buffer) is made once. Two are equal where their
/// identities are.
#[derive(Clone, Debug)]
pub struct PictureRef {
    /// Unique per loaded picture, see [`PictureRef::new`].
    pub id: u64,
    /// The picture as loaded.
    pub picture: Arc<Picture>,
    sha256: Arc<OnceLock<String>>,
}

impl PictureRef {
    /// Gives `picture` a new identity.
    #[must_use]
    pub fn new(picture: Arc<Picture>) -> Self {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        Self { id: NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed), picture, sha256: Arc::default() }
    }

    /// A generated picture, the same each time.
    #[must_use]
    pub fn generated((width_px, height_px): (usize, usize), channels: Channels) -> Self {
        Self::new(Arc::new(pictures::generate(width_px, height_px, channels, 1)))
    }

    /// Width and height.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.picture.width_px(), self.picture.height_px())
    }

    /// Whether a record is of this picture: by its hash where that is known already, else by its size.
    #[must_use]
    pub fn is_of(&self, facts: &PictureFacts) -> bool {
        self.size() == facts.size() && self.sha256.get().is_none_or(|hash| *hash == facts.sha256)
    }

    /// Takes the hash from what records say of it, so that it need not be made again.
    pub fn learn(&self, facts: &PictureFacts) {
        if self.size() == facts.size() {
            self.sha256.get_or_init(|| facts.sha256.clone());
        }
    }

    /// What records say of it. The first call reads all of its bytes: not for the window's thread.
    #[must_use]
    pub fn facts(&self) -> PictureFacts {
        let hash = || sha256(self.picture.bytes());
        PictureFacts {
            width_px: self.picture.width_px(),
            height_px: self.picture.height_px(),
            sha256: self.sha256.get_or_init(hash).clone(),
        }
    }
}

impl PartialEq for PictureRef {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for PictureRef {}

/// What computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// A variant on an OpenCL device.
    Device {
        /// The device's [`crate::device::DeviceInfo::index`].
        index: usize,
        /// Stages.
        variant: Variant,
        /// Local work size asked for.
        local: LocalSize,
        /// How the picture gets into the device's memory and back.
        host_memory: HostMemory,
    },
    /// A CPU competitor.
    Cpu(CpuEngine),
}

impl Target {
    /// The number of its device; `None` for a CPU competitor.
    #[must_use]
    pub const fn device(&self) -> Option<usize> {
        match self {
            Self::Device { index, .. } => Some(*index),
            Self::Cpu(_) => None,
        }
    }

    /// The same, to be changed.
    pub const fn device_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::Device { index, .. } => Some(index),
            Self::Cpu(_) => None,
        }
    }

    /// Whether a record of the same session is by this target: same variant, local size and host memory, or same competitor.
    #[must_use]
    pub fn is_of(&self, record: &Record) -> bool {
        match (self, &record.contender) {
            (Self::Cpu(own), Contender::Cpu { engine, .. }) => own == engine,
            (
                Self::Device { variant, local, host_memory, .. },
                Contender::Device { variant: theirs, local: size, host_memory: memory, .. },
            ) => (variant, local, host_memory) == (theirs, size, memory),
            _ => false,
        }
    }
}

/// The kernel that runs for a variant: launched as the variant is, whatever its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelText {
    /// The variant's own, as [`kernels::kernel_source::compose`] makes it.
    #[default]
    Composed,
    /// The same with work added, to see whether it costs time.
    Added(Added),
    /// The same with one thing about it moved, to see whether an effect goes with it.
    Moved(Moved),
    /// A person's.
    Edited(Arc<str>),
}

impl KernelText {
    /// Whether it is the variant's own.
    #[must_use]
    pub fn is_composed(&self) -> bool {
        *self == Self::Composed
    }

    /// What was added.
    #[must_use]
    pub fn added(&self) -> Option<Added> {
        match self {
            Self::Added(added) => Some(*added),
            _ => None,
        }
    }
}

/// One thing to compute. Two are equal where the same is computed, of the same picture, in the same place and way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task<P = PictureRef> {
    /// What is computed. The picture is converted where it has other channels.
    pub spec: Spec,
    /// Of which picture; or what stands for it on the way to another process.
    pub picture: P,
    /// Where and how.
    pub target: Target,
    /// Which text of the variant is built, on a device alone.
    pub text: KernelText,
}

impl<P> Task<P> {
    /// The filter.
    #[must_use]
    pub fn filter(&self) -> &'static Filter {
        self.spec.filter.filter()
    }

    /// The same with another form of its picture.
    pub(super) fn try_map<Q>(self, change: &mut impl FnMut(P) -> Result<Q>) -> Result<Task<Q>> {
        let Self { spec, picture, target, text } = self;
        Ok(Task { spec, picture: change(picture)?, target, text })
    }
}

impl Task {
    /// Channels, border mode and parameters, which decide with the variant what is allowed; the device's abilities are the engine's to add.
    #[must_use]
    pub fn setting(&self) -> Setting {
        Setting::of(&self.spec)
    }

    /// Bytes that have to be moved at least: the picture read once, in the task's channels, and the output written once.
    #[must_use]
    pub fn bytes_moved(&self) -> usize {
        let (width_px, height_px) = self.picture.size();
        let [output_width_px, output_height_px] = self.filter().output_size(&self.spec.parameters, [width_px, height_px]);
        let output_bytes = output_width_px * output_height_px * self.filter().output_channels(self.spec.channels).count();
        width_px * height_px * self.spec.channels.count() + output_bytes
    }

    /// Bytes of memory that kernels go through in turn where they are sampled over many pairs of buffers.
    #[must_use]
    pub fn touched_bytes(&self) -> f64 {
        Budget::touched_bytes(false, self.bytes_moved() as f64)
    }

    /// The same with another variant; a CPU competitor has none.
    #[must_use]
    pub fn with_variant(&self, variant: Variant) -> Self {
        let target = match self.target {
            Target::Device { index, local, host_memory, .. } => Target::Device { index, variant, local, host_memory },
            Target::Cpu(engine) => Target::Cpu(engine),
        };
        Self { target, ..self.clone() }
    }

    /// The local work size that is asked for; `None` for a CPU competitor.
    #[must_use]
    pub const fn local(&self) -> Option<LocalSize> {
        match self.target {
            Target::Device { local, .. } => Some(local),
            Target::Cpu(_) => None,
        }
    }

    /// The same with another local work size; a CPU competitor has none.
    #[must_use]
    pub fn with_local(&self, local: LocalSize) -> Self {
        let target = match self.target {
            Target::Device { index, variant, host_memory, .. } => Target::Device { index, variant, local, host_memory },
            Target::Cpu(engine) => Target::Cpu(engine),
        };
        Self { target, ..self.clone() }
    }

    /// Memory and arithmetic operations per output pixel, where they are counted. `None` for a CPU competitor.
    #[must_use]
    pub fn counts(&self) -> Option<Counts> {
        let Target::Device { variant, local, .. } = &self.target else { return None };
        let (filter, (width_px, height_px)) = (self.filter(), self.picture.size());
        let shape = Shape { variant, setting: self.setting(), parameters: &self.spec.parameters, width_px, height_px };
        filter.counts(&shape, if let LocalSize::Explicit(local) = local { *local } else { [1, 1] })
    }

    /// What this much added work comes to per pixel, in all passes together and rounded up to whole instructions. `None` for a CPU competitor.
    #[must_use]
    pub fn added_per_pixel(&self, added: Added) -> Option<f64> {
        let Target::Device { variant, .. } = &self.target else { return None };
        let (filter, (width_px, height_px)) = (self.filter(), self.picture.size());
        let shape = Shape { variant, setting: self.setting(), parameters: &self.spec.parameters, width_px, height_px };
        let work = footprint::added_work(filter.footprint, &shape, &(filter.launch)(&shape), added);
        Some(work.iter().map(|work| work.per_pixel).sum())
    }

    /// By how much an output byte may differ from the reference: CPU competitors are held to what naive is held to.
    #[must_use]
    pub fn tolerance(&self) -> u8 {
        match &self.target {
            Target::Device { variant, .. } => (self.filter().tolerance)(variant),
            Target::Cpu(_) => (self.filter().tolerance)(&Variant::naive()),
        }
    }

    /// The first filter with its own parameters and border mode on `target`, over `picture` as it is.
    #[must_use]
    pub fn new(picture: PictureRef, target: Target) -> Self {
        let filter: &'static Filter = FilterId::Laplace.filter();
        Self { spec: filter.spec(picture.picture.channels(), filter.default_border), picture, target, text: KernelText::Composed }
    }
}

/// How a program was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// How long it took, a cache's answer included.
    pub build_ns: u64,
    /// How much of that this run waited for: nothing where it was built for an earlier run of the same task.
    #[serde(default)]
    pub waited_ns: u64,
    /// Where the program came from.
    pub from: BuildFrom,
    /// The driver's build log, often empty.
    pub log: String,
}

impl Default for Build {
    /// There was nothing to build.
    fn default() -> Self {
        Self { build_ns: 0, waited_ns: 0, from: BuildFrom::Nothing, log: String::new() }
    }
}

/// What a simulator found in a task's kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Simulated {
    /// Wrong accesses and races, by lines.
    pub marks: Vec<Mark>,
    /// Width and height of the picture that they ran over.
    pub size: (usize, usize),
}

/// One run: the output and what happened on the way. Nothing in it is a measurement to quote: it is one sample.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Executed<O = Arc<Picture>> {
    /// The output, with the source's alpha; or what stands for it on the way to another process.
    pub output: O,
    /// One sample of each part.
    pub timings: Timings,
    /// What the device's queue ran, from upload to read-back; empty for CPU competitors.
    pub commands: Vec<Command>,
    /// The source that ran; `None` for CPU competitors.
    pub source: Option<Arc<str>>,
    /// How the program was built.
    pub build: Build,
    /// Limits of the built kernel; `None` for CPU competitors.
    pub limits: Option<KernelLimits>,
    /// NDRange as launched, rounded up to the local size.
    pub global: [usize; 2],
    /// Local size passed to the driver; `None` for NULL.
    pub local_used: Option<[usize; 2]>,
    /// What the person should know ("Local memory needs a size: 16 × 8 was used").
    pub notes: Vec<Words>,
    /// What an edited kernel printed, where the process that it ran in is listened to. That is heard on this side: nobody sends it.
    #[serde(skip)]
    pub printed: Printed,
}

/// What a kernel printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The first lines.
    pub lines: Vec<String>,
    /// How many there were.
    pub count: usize,
}

impl Executed {
    /// A run on the host in `host_ns` nanoseconds: nothing was built, launched or transferred.
    #[must_use]
    pub fn on_host(output: Arc<Picture>, host_ns: u64) -> Self {
        Self {
            output,
            timings: Timings { kernel_ns: Some(host_ns), round_trip_ns: host_ns, ..Timings::default() },
            commands: Vec::new(),
            source: None,
            build: Build::default(),
            limits: None,
            global: [1, 1],
            local_used: None,
            notes: Vec::new(),
            printed: Printed::default(),
        }
    }
}

impl<O> Executed<O> {
    /// The same with another form of its output.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn try_map<Q>(self, change: impl FnOnce(O) -> Result<Q>) -> Result<Executed<Q>> {
        let Self { output, timings, commands, source, build, limits, global, local_used, notes, printed } = self;
        Ok(Executed { output: change(output)?, timings, commands, source, build, limits, global, local_used, notes, printed })
    }
}

/// An output's check, with what it was compared with.
#[derive(Clone, Debug)]
pub struct Verified {
    /// How far off.
    pub verification: Verification,
    /// The plain reference's output.
    pub reference: Arc<Picture>,
    /// Where the output is right: what may be measured.
    pub proof: Option<Proof>,
}

/// A task whose output was found right. Only what is proven is measured or compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof<P = PictureRef> {
    task: Task<P>,
    proven: Proven,
}

/// A [`Proof`] without its task, which whoever asked for it knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proven {
    /// The check.
    pub verification: Verification,
    /// How its program was built.
    pub build: Build,
    /// Kernel time of the run that was checked.
    pub kernel_ns: Option<u64>,
}

impl Proven {
    /// What a run and its check say.
    #[must_use]
    pub fn new(executed: &Executed, verification: Verification) -> Self {
        Self { verification, build: executed.build.clone(), kernel_ns: executed.timings.kernel_ns }
    }

    /// The proof, of that task.
    ///
    /// # Errors
    /// Nothing is proven: the output was wrong.
    pub fn of_task<P>(self, task: Task<P>) -> Result<Proof<P>> {
        if self.verification.is_right() { Ok(Proof { task, proven: self }) } else { Err(wrong_output(&self.verification)) }
    }
}

/// What to do about a wrong output. What is held to a naive kernel is a person's own: the mistake is more likely theirs than the driver's.
#[must_use]
pub fn remedy_of_wrong(held_to: HeldTo) -> &'static str {
    text(match held_to {
        HeldTo::Naive => "errors.remedy.wrong-own",
        HeldTo::Reference => "errors.remedy.wrong-here",
    })
}

/// A wrong output is never timed.
#[must_use]
pub fn wrong_output(verification: &Verification) -> Error {
    let (how, most) = (verification.label(), verification.max_difference);
    let remedy = remedy_of_wrong(verification.held_to);
    match verification.first_differing {
        Some((x, y)) => failed("errors.engine.wrong-from", &[("how", &how), ("most", &most), ("x", &x), ("y", &y), ("remedy", &remedy)]),
        None => failed("errors.engine.wrong", &[("how", &how), ("most", &most), ("remedy", &remedy)]),
    }
}

impl<P> Proof<P> {
    /// What was proven.
    #[must_use]
    pub fn task(&self) -> &Task<P> {
        &self.task
    }

    /// Kernel time of the run that was checked, in nanoseconds: one that was not warmed up. `None` where the driver's timestamps are invalid.
    #[must_use]
    pub fn kernel_ns(&self) -> Option<u64> {
        self.proven.kernel_ns
    }

    /// The check.
    #[must_use]
    pub fn verification(&self) -> Verification {
        self.proven.verification
    }

    /// How its program was built.
    #[must_use]
    pub fn build(&self) -> &Build {
        &self.proven.build
    }

    /// The same task on another machine has another number for its device.
    pub(super) fn task_mut(&mut self) -> &mut Task<P> {
        &mut self.task
    }

    /// See [`Task::try_map`]. What says that it proves a wrong output is refused.
    pub(super) fn try_map<Q>(self, change: &mut impl FnMut(P) -> Result<Q>) -> Result<Proof<Q>> {
        self.proven.of_task(self.task.try_map(change)?)
    }
}

/// Whoever answers knows what it was asked: an answer to something else is a defect.
pub fn other_answer() -> Error {
    failed("errors.apart.other-answer", &[])
}

/// One sample of a run's parts, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
