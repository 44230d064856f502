//! What one measurement says, and what it is of: the one thing that history, tables, plots, CSV and JSON are made of.

use super::{Budget, CompiledKernel, Counts, CpuEngine, HostMemory, LocalSize, Shares, Spec, Variant};
use crate::Labelled;
use base::files::{Line, LineStep};
use base::texts::{self, Words, filled, joined, text};
use serde::{Deserialize, Deserializer, Serialize};

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
#[serde(rename_all = "lowercase")]
pub enum Contender {
    /// A CPU competitor; `instructions` names what it chose at run time ("AVX2").
    Cpu {
        /// Which one.
        engine: CpuEngine,
        /// Instruction set and threads, for example "AVX2, 8 threads".
        instructions: Words,
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
        host_memory: HostMemory,
    },
}

/// What an output was held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeldTo {
    /// A plain program for the CPU, which shares nothing with the kernels.
    #[default]
    #[serde(rename = "reference")]
    Reference,
    /// What the filter's naive kernel made of the picture: weaker evidence, as an error that both share is not found.
    #[serde(rename = "naive")]
    Naive,
}

impl HeldTo {
    const fn is_reference(&self) -> bool {
        matches!(self, Self::Reference)
    }
}

/// How far an output is from what it is held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What it was held to.
    #[serde(default, skip_serializing_if = "HeldTo::is_reference")]
    pub held_to: HeldTo,
}

impl Verification {
    /// Whether the output is right.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.differing_pixels == 0
    }

    /// "bit-exact", "within ±1" or "12 of 240000 pixels differ"; "equal to naive" where nothing better is there to compare with.
    #[must_use]
    pub fn label(&self) -> String {
        let (within, differs) = match self.held_to {
            HeldTo::Reference => ("words.verification.within", "words.verification.differs"),
            HeldTo::Naive => ("words.verification.within-naive", "words.verification.differs-naive"),
        };
        match (self.is_right(), self.tolerance, self.held_to) {
            (true, 0, HeldTo::Reference) => texts::text("words.verification.exact").to_owned(),
            (true, 0, HeldTo::Naive) => texts::text("words.verification.equal-naive").to_owned(),
            (true, tolerance, _) => texts::filled(within, &[("tolerance", &tolerance)]),
            (false, ..) => texts::filled(differs, &[("count", &self.differing_pixels), ("total", &self.total_pixels)]),
        }
    }
}

/// Why the times of a device's clock are not believed: what it says of a kernel, and what the host's clock says, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Doubt {
    /// The median of the device's.
    pub device_ns: f64,
    /// How long a run takes at least by the host's, without its start.
    pub host_ns: f64,
}

impl Doubt {
    /// That they are not believed, and both.
    #[must_use]
    pub fn label(&self) -> String {
        filled("words.doubted", &[("why", &self.why())])
    }

    /// Both, in words.
    #[must_use]
    pub fn why(&self) -> String {
        let [device, host] = [self.device_ns, self.host_ns].map(|ns| format!("{:.4}", ns / 1e6));
        filled("words.doubt", &[("device", &device), ("host", &host)])
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

/// Whole round trips, from upload to read-back. Sample `i` of each part belongs to sample `i` of the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTrip {
    /// Host clock, from upload to read-back.
    pub total: Summary,
    /// Upload of the source, the packing into its padded layout included. `None` for CPU competitors, as the other parts.
    pub upload: Option<Summary>,
    /// Of the upload, what packing into the padded layout takes on the host, 0 where there is nothing to pack; `None` also where rows are packed into mapped
    /// memory, so that packing and upload are one.
    #[serde(default)]
    pub layout: Option<Summary>,
    /// Kernel time in these runs. The upload has just brought the source into caches, so it need not be that of [`Measured::kernel`].
    pub kernel: Option<Summary>,
    /// Read-back of the output.
    pub readback: Option<Summary>,
}

/// The parts of one round trip: they were all measured in the same run, and add up to its total.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// Packing and upload.
    pub upload_ns: f64,
    /// Of these, packing alone, where it can be told apart.
    pub layout_ns: Option<f64>,
    /// Kernel time of all passes.
    pub kernel_ns: f64,
    /// What is left of the total: launching, and waiting for the driver.
    pub other_ns: f64,
    /// Read-back.
    pub readback_ns: f64,
}

impl Parts {
    /// All of them.
    #[must_use]
    pub fn total_ns(&self) -> f64 {
        self.upload_ns + self.kernel_ns + self.other_ns + self.readback_ns
    }
}

impl RoundTrip {
    /// The parts of the run whose total is the median (of an even number of runs, the shorter of the two in the middle). `None` where a part was not
    /// measured, or the device's clock says that the kernel took longer than the host's says that everything took.
    #[must_use]
    pub fn median_run(&self) -> Option<Parts> {
        let totals = &self.total.samples_ns;
        let mut order: Vec<usize> = (0..totals.len()).collect();
        order.sort_by_key(|&run| totals.get(run));
        let run = *order.get(totals.len().checked_sub(1)? / 2)?;
        let of = |part: &Option<Summary>| part.as_ref().and_then(|summary| summary.samples_ns.get(run).copied());
        let (upload, kernel, readback) = (of(&self.upload)?, of(&self.kernel)?, of(&self.readback)?);
        let other = totals.get(run)?.checked_sub(upload.checked_add(kernel)?.checked_add(readback)?)?;
        let layout_ns = of(&self.layout).map(|layout| layout as f64);
        Some(Parts { layout_ns, upload_ns: upload as f64, kernel_ns: kernel as f64, other_ns: other as f64, readback_ns: readback as f64 })
    }
}

/// A measurement that was taken. No time includes building.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Kernel time, sampled apart from round trips, over source and output in turn from memory that no cache holds: END − START of the profiling
    /// events, or the host clock around a CPU competitor. `None`: timestamps were invalid, or are not believed.
    pub kernel: Option<Summary>,
    /// Why the device's times are not believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// Kernel time of each pass, in order, where there are several; their medians need not add up to that of the whole.
    pub passes: Vec<PassTime>,
    /// SUBMIT − QUEUED of the first pass, where the driver's timestamps are valid.
    pub queue_wait: Option<Summary>,
    /// START − SUBMIT of the first pass.
    pub launch_latency: Option<Summary>,
    /// Whole round trips.
    pub round_trip: RoundTrip,
    /// Time to build the program; `None` for CPU competitors.
    pub build_ns: Option<u64>,
    /// Where the program came from.
    pub build_from: BuildFrom,
    /// Fewest bytes the filter must move: source read once plus output written once. GB/s are these over the kernel time.
    pub bytes_moved: u64,
    /// Memory operations per pixel, where the filter counts them; `None` for CPU competitors.
    pub counts: Option<Counts>,
    /// What the compiler made of each kernel, where that was looked at and could be had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compiled: Vec<CompiledKernel>,
    /// How near it came to the roofs of its device, where these were known when it was measured.
    #[serde(default)]
    pub roofline: Option<Shares>,
    /// The check of its outputs: before anything was timed, and of every set of memory after the last timed run.
    pub verification: Verification,
    /// Share of samples that were left out because other work kept the processor busy (CPU devices and competitors), 0 to 1: 0 where all were kept.
    #[serde(deserialize_with = "not_all")]
    pub discarded_share: f64,
    /// Share of samples that other work disturbed, whether they were left out or kept, 0 to 1. `None` in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbed_share: Option<f64>,
    /// Sampled over one pair of buffers, so that caches stay warm.
    pub warm_cache: bool,
    /// True where other work was busy throughout, which lengthens times and lets them vary: shown as a badge.
    pub busy: bool,
}

/// A share of samples that were left out, which is less than 1. Older versions wrote 1 where other work disturbed all of them, and kept all.
fn not_all<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(deserializer)?;
    Ok(if share >= 1.0 { 0.0 } else { share })
}

impl Measured {
    /// Whether its output was compared with the reference, and was right.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.verification.total_pixels > 0 && self.verification.is_right()
    }

    /// Effective bandwidth in GB/s (10⁹ bytes per second) at the median kernel time.
    #[must_use]
    pub fn gb_per_s(&self) -> Option<f64> {
        // Bytes per nanosecond are gigabytes per second.
        self.kernel.as_ref().filter(|kernel| kernel.median_ns > 0.0).map(|kernel| self.bytes_moved as f64 / kernel.median_ns)
    }
}

impl Measured {
    /// Bytes that all passes of the filter have to move at least, the intermediate included, or source and output where that was not counted.
    #[must_use]
    pub fn bytes_of_passes(&self) -> f64 {
        let counted = self.counts.as_ref().map(|counts| counts.must_move_bytes * self.verification.total_pixels as f64);
        counted.filter(|bytes| *bytes > 0.0).unwrap_or(self.bytes_moved as f64)
    }

    /// Bytes of memory that its runs went through in turn: source, output and what lies between passes, of every set of buffers.
    #[must_use]
    pub fn touched_bytes(&self) -> f64 {
        let moved = self.bytes_moved as f64;
        // What lies between is written and read, and lies there once.
        Budget::touched_bytes(self.warm_cache, moved + (self.bytes_of_passes() - moved).max(0.0) / 2.0)
    }

    /// The check, and whatever should keep one from trusting the figures.
    #[must_use]
    pub fn remarks(&self) -> String {
        let mut remarks = vec![self.verification.label()];
        match &self.doubt {
            Some(doubt) => remarks.push(doubt.label()),
            None if self.kernel.is_none() => remarks.push(text("tables.bench.timestamps").to_owned()),
            None => {}
        }
        if self.busy {
            remarks.push(text("tables.busy-about").to_owned());
        } else if self.discarded_share > 0.0 {
            remarks.push(filled("tables.bench.discarded", &[("share", &format!("{:.0}", 100.0 * self.discarded_share))]));
        }
        if self.warm_cache {
            remarks.push(text("tables.bench.warm").to_owned());
        }
        joined("words.list.items", remarks)
    }

    /// Arithmetic operations per byte that the filter must move: many of them, and the kernel's time says nothing about memory. `None` where they are
    /// not counted.
    #[must_use]
    pub fn operations_per_byte(&self) -> Option<f64> {
        let bytes_per_pixel = self.bytes_moved as f64 / self.verification.total_pixels as f64;
        self.counts.as_ref().map(|counts| counts.operations / bytes_per_pixel).filter(|ratio| ratio.is_finite())
    }
}

/// Where a built program came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

/// What came of a task. A reading that could not be taken is a row with a reason, not a gap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Verified, then timed.
    Measured(Box<Measured>),
    /// The device or the rules cannot do it.
    Unsupported(Words),
    /// Tried and failed, a wrong output included.
    Failed(Words),
}

impl Outcome {
    /// Why there are no figures, as tables say it.
    #[must_use]
    pub fn why_not(&self) -> Option<String> {
        match self {
            Self::Measured(_) => None,
            Self::Unsupported(why) => Some(filled("tables.bench.unsupported", &[("why", why)])),
            Self::Failed(why) => Some(filled("tables.bench.failed", &[("why", why)])),
        }
    }
}

/// What computed, and this program's version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Machine {
    /// Device name, or the processor's for CPU competitors.
    pub device: String,
    /// Platform and driver version; empty for CPU competitors.
    pub driver: String,
    /// Our own version.
    pub program_version: String,
    /// Which machine has it: as the person calls it, and in bundles what tells nothing but that it is the same one. `None`: the one that the file is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
}

/// A device or processor with the machine that has it, where that is another one.
#[must_use]
pub fn on_machine(device: &str, alias: Option<&str>) -> String {
    alias.map_or_else(|| device.to_owned(), |alias| filled("words.device.on-host", &[("device", &device), ("host", &alias)]))
}

impl Machine {
    /// A device or processor, with the version of the program that runs.
    #[must_use]
    pub fn new(device: String, driver: String) -> Self {
        Self { device, driver, program_version: env!("CARGO_PKG_VERSION").to_owned(), alias: None }
    }

    /// The same of another machine.
    #[must_use]
    pub fn of(self, alias: Option<&str>) -> Self {
        Self { alias: alias.map(str::to_owned), ..self }
    }

    /// Device or processor, with the machine where that is another one.
    #[must_use]
    pub fn label(&self) -> String {
        on_machine(&self.device, self.alias.as_deref())
    }
}

/// Which picture: its size, and a hash that tells whether two readings are of the same one. No name, which is the person's own business.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PictureFacts {
    /// Width.
    pub width_px: usize,
    /// Height.
    pub height_px: usize,
    /// SHA-256 of its bytes as loaded, in hexadecimal.
    pub sha256: String,
}

impl PictureFacts {
    /// Width and height.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.width_px, self.height_px)
    }
}

/// Who computed a record, see [`Record::identity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Identity<'a> {
    /// A CPU competitor on this processor of this machine.
    Cpu(CpuEngine, (&'a str, Option<&'a str>)),
    /// A variant with what was asked for, on this device of this machine.
    Device(Variant, LocalSize, HostMemory, (&'a str, Option<&'a str>)),
}

/// One row of every table, plot and export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`Record::SCHEMA`] of the program that wrote it.
    pub schema: u32,
    /// The name that a person gave it.
    pub name: Option<String>,
    /// What was computed.
    pub spec: Spec,
    /// What computed it.
    pub contender: Contender,
    /// Where.
    pub machine: Machine,
    /// Of which picture.
    pub picture: PictureFacts,
    /// When, in RFC 3339, UTC.
    pub date: String,
    /// What came of it.
    pub outcome: Outcome,
}

impl Record {
    /// The version of this layout. A field that changes its meaning raises it.
    /// In layout 1 reasons and instructions were sentences in the language of whoever measured: they are read as they are.
    pub const SCHEMA: u32 = 2;

    /// As this version has it; `None` where a newer one wrote it.
    #[must_use]
    pub fn current(self) -> Option<Self> {
        (1..=Self::SCHEMA).contains(&self.schema).then_some(Self { schema: Self::SCHEMA, ..self })
    }

    /// The figures, where the reading could be taken.
    #[must_use]
    pub fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            _ => None,
        }
    }

    /// Why there are no figures.
    #[must_use]
    pub fn reason(&self) -> Option<&Words> {
        match &self.outcome {
            Outcome::Measured(_) => None,
            Outcome::Unsupported(why) | Outcome::Failed(why) => Some(why),
        }
    }

    /// Whether other work disturbed the measurement throughout.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.measured().is_some_and(|measured| measured.busy)
    }

    /// Kernel time with its spread, where it was measured and the driver's clock is valid.
    #[must_use]
    pub fn kernel(&self) -> Option<&Summary> {
        self.measured().and_then(|measured| measured.kernel.as_ref()).filter(|kernel| kernel.median_ns > 0.0)
    }

    /// Whether both are of the same thing: spec and picture. Who computed it may differ.
    #[must_use]
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.spec == other.spec && self.picture == other.picture
    }

    /// Whether both are readings of the same thing by the same contender on the same machine: repeated measurements.
    #[must_use]
    pub fn is_repetition(&self, other: &Self) -> bool {
        self.is_comparable(other) && self.identity() == other.identity()
    }

    /// What tells contenders of one spec and picture apart: who, with which local size and host memory asked for, on which device.
    #[must_use]
    pub fn identity(&self) -> Identity<'_> {
        let device = (self.machine.device.as_str(), self.machine.alias.as_deref());
        match &self.contender {
            Contender::Cpu { engine, .. } => Identity::Cpu(*engine, device),
            Contender::Device { variant, local, host_memory, .. } => Identity::Device(*variant, *local, *host_memory, device),
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

    /// Its label, after the title of the step where there is one.
    #[must_use]
    pub fn titled(&self, title: Option<String>) -> String {
        let row = self.label();
        title.map_or_else(|| row.clone(), |title| filled("tables.bench.row", &[("title", &title), ("row", &row)]))
    }
}

impl Line for Record {
    const FILE: &'static str = "history.jsonl";
    const MOST: usize = 1000;
    const UNREAD: [&'static str; 2] = ["errors.window.unread-reading", "errors.window.unread-history"];

    fn current(self) -> Option<Self> {
        Self::current(self)
    }

    /// A name is the only thing that a person can change of it.
    fn identity(&self) -> String {
        serde_json::to_string(&Self { name: None, ..self.clone() }).unwrap_or_default()
    }

    fn refused(step: LineStep) -> &'static str {
        match step {
            LineStep::Read => "errors.history.not-read",
            LineStep::Copy => "errors.history.not-copied",
            LineStep::Append => "errors.history.not-appended",
            LineStep::Replace => "errors.history.not-kept",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Measured, Parts, RoundTrip, Summary};

    fn trip(total: &[u64], upload: &[u64], kernel: &[u64], readback: &[u64]) -> RoundTrip {
        let of = |samples: &[u64]| Summary::of(samples.to_vec());
        RoundTrip { total: of(total).expect("samples"), upload: of(upload), kernel: of(kernel), readback: of(readback), layout: None }
    }

    #[test]
    fn the_parts_are_those_of_one_run_and_add_up() {
        // The median of the totals is 50, the second run; medians of the parts would be 10, 25 and 6, of no run that there was.
        let parts = trip(&[90, 50, 40], &[10, 9, 20], &[60, 25, 12], &[6, 10, 5]).median_run();
        assert_eq!(parts, Some(Parts { upload_ns: 9.0, layout_ns: None, kernel_ns: 25.0, other_ns: 6.0, readback_ns: 10.0 }));
        // Of four runs the shorter of the two in the middle: 50.
        let parts = trip(&[90, 50, 40, 60], &[1, 2, 3, 4], &[1, 2, 3, 4], &[1, 2, 3, 4]).median_run().expect("parts");
        assert_eq!((parts.upload_ns, parts.other_ns), (2.0, 44.0));
    }

    #[test]
    fn arithmetic_is_told_per_byte_that_must_move() {
        let counts = Counts { loads: 1.0, loaded_bytes: 3.0, stores: 1.0, stored_bytes: 3.0, operations: 240.0, ..Counts::default() };
        let mut measured = crate::testing::records::measured(1e6);
        assert_eq!(measured.operations_per_byte(), None);
        // 12 MB over 2 million pixels are 6 bytes per pixel.
        measured.counts = Some(counts);
        assert_eq!(measured.operations_per_byte(), Some(40.0));
    }

    /// Older versions called what was disturbed discarded, also where all of it was kept.
    #[test]
    fn a_share_of_1_in_an_older_file_means_that_all_were_kept() {
        let mut written = serde_json::to_value(crate::testing::records::measured(1e6)).expect("plain data");
        let mut read = |share: f64| {
            written["discarded_share"] = share.into();
            let read: Measured = serde_json::from_value(written.clone()).expect("no field is missing");
            (read.discarded_share, read.disturbed_share)
        };
        assert_eq!((read(1.0), read(0.25)), ((0.0, None), (0.25, None)));
    }

    #[test]
    fn no_part_is_made_up() {
        // A kernel of 60 ns within 50 ns: the two clocks disagree.
        assert_eq!(trip(&[50], &[1], &[60], &[1]).median_run(), None);
        assert_eq!(trip(&[50], &[1], &[], &[1]).median_run(), None);
        assert_eq!(RoundTrip::default().median_run(), None);
    }
}
