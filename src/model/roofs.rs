//! What a device can do at most, as probe kernels found it.

use super::{LocalSize, Machine, Summary};
use crate::texts::{Words, text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoofKind {
    /// Bytes read and written per second, from and to memory that no cache holds.
    Copy,
    /// Bytes read per second.
    Read,
    /// Bytes written per second.
    Write,
    /// Bytes read and written per second where both fit into a cache.
    CachedCopy,
    /// Additions of 32-bit integers per second.
    IntegerAdd,
    /// Their shifts and exclusive ors, as many of the ones as of the others.
    IntegerLogic,
    /// Their minima and maxima.
    IntegerMinMax,
    /// Their multiplications.
    IntegerMultiply,
    /// Their multiplications and additions, the two in one instruction where the device can: each counts.
    IntegerMultiplyAdd,
    /// Multiplications and additions of floats per second, the two fused where the device can: each counts.
    FloatMultiplyAdd,
    /// Additions of floats by themselves.
    FloatAdd,
    /// Multiplications and additions in half precision, as those of floats.
    HalfMultiplyAdd,
    /// Additions of halves by themselves.
    HalfAdd,
    /// Native exponentials of floats.
    NativeFunction,
    /// Exponentials of floats in full precision.
    Function,
    /// Conversions from integer to float and back: each counts.
    Conversion,
    /// Bytes loaded from local memory per second.
    LocalMemory,
    /// Bytes written per second from pinned memory of the host to the device's.
    Upload,
    /// Bytes read per second, the other way.
    ReadBack,
    /// Kernel time of a kernel that has next to nothing to do.
    Launch,
    /// Time of a load from memory that waits for the one before.
    Latency,
}

/// How a roof is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoofUnit {
    /// 10⁹ bytes per second, which are bytes per nanosecond.
    GigabytesPerSecond,
    /// 10⁹ operations per second.
    GigaoperationsPerSecond,
    /// Nanoseconds per launch or load.
    Nanoseconds,
}

impl RoofKind {
    /// All, in the order of tables.
    pub const ALL: [Self; 21] = [
        Self::Copy,
        Self::Read,
        Self::Write,
        Self::CachedCopy,
        Self::IntegerAdd,
        Self::IntegerLogic,
        Self::IntegerMinMax,
        Self::IntegerMultiply,
        Self::IntegerMultiplyAdd,
        Self::FloatMultiplyAdd,
        Self::FloatAdd,
        Self::HalfMultiplyAdd,
        Self::HalfAdd,
        Self::NativeFunction,
        Self::Function,
        Self::Conversion,
        Self::LocalMemory,
        Self::Upload,
        Self::ReadBack,
        Self::Launch,
        Self::Latency,
    ];

    /// As tables and the window show it.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::Copy => "studies.roof.copy",
            Self::Read => "studies.roof.read",
            Self::Write => "studies.roof.write",
            Self::CachedCopy => "studies.roof.cached-copy",
            Self::IntegerAdd => "studies.roof.integer-add",
            Self::IntegerLogic => "studies.roof.integer-logic",
            Self::IntegerMinMax => "studies.roof.integer-min-max",
            Self::IntegerMultiply => "studies.roof.integer-multiply",
            Self::IntegerMultiplyAdd => "studies.roof.integer-multiply-add",
            Self::FloatMultiplyAdd => "studies.roof.float-multiply-add",
            Self::FloatAdd => "studies.roof.float-add",
            Self::HalfMultiplyAdd => "studies.roof.half-multiply-add",
            Self::HalfAdd => "studies.roof.half-add",
            Self::NativeFunction => "studies.roof.native-function",
            Self::Function => "studies.roof.function",
            Self::Conversion => "studies.roof.conversion",
            Self::LocalMemory => "studies.roof.local-memory",
            Self::Upload => "studies.roof.upload",
            Self::ReadBack => "studies.roof.read-back",
            Self::Launch => "studies.roof.launch",
            Self::Latency => "studies.roof.latency",
        })
    }

    /// How it is told.
    #[must_use]
    pub const fn unit(self) -> RoofUnit {
        match self {
            Self::Copy | Self::Read | Self::Write | Self::CachedCopy | Self::LocalMemory | Self::Upload | Self::ReadBack => {
                RoofUnit::GigabytesPerSecond
            }
            Self::Launch | Self::Latency => RoofUnit::Nanoseconds,
            _ => RoofUnit::GigaoperationsPerSecond,
        }
    }
}

/// How a probe kernel ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeSetup {
    /// Numbers of 32 bits that a load, a store or an operation takes side by side: 4 for `uint4`. In half precision, numbers of 16 bits.
    pub lanes: usize,
    /// Local work size.
    pub local: LocalSize,
    /// Work-items.
    pub items: usize,
    /// Bytes of memory that a run goes through, what is read and what is written together.
    pub bytes: usize,
    /// Whether a work-item reads pieces that follow each other, and not every so many.
    pub is_consecutive: bool,
}

/// One roof: the work of a run and how long it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roof {
    /// Bytes, operations, loads or launches of a run.
    pub work: f64,
    /// Kernel time of a run.
    pub time: Summary,
    /// What gave the best figure.
    pub setup: ProbeSetup,
    /// Other work disturbed it throughout.
    pub busy: bool,
}

impl Roof {
    /// Work per nanosecond at the median time: bytes per nanosecond are GB/s.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate_at(self.time.median_ns)
    }

    /// Work per nanosecond at the slower and the faster quartile of the times, in this order.
    #[must_use]
    pub fn rate_quartiles(&self) -> [f64; 2] {
        [self.rate_at(self.time.upper_quartile_ns), self.rate_at(self.time.lower_quartile_ns)]
    }

    fn rate_at(&self, time_ns: f64) -> f64 {
        if time_ns > 0.0 { self.work / time_ns } else { 0.0 }
    }

    /// The median in the unit of its kind, with the lower and the upper quartile.
    #[must_use]
    pub fn told_in(&self, unit: RoofUnit) -> [f64; 3] {
        match unit {
            RoofUnit::GigabytesPerSecond | RoofUnit::GigaoperationsPerSecond => {
                let [lower, upper] = self.rate_quartiles();
                [self.rate(), lower, upper]
            }
            RoofUnit::Nanoseconds => {
                [self.time.median_ns, self.time.lower_quartile_ns, self.time.upper_quartile_ns].map(|time_ns| time_ns / self.work)
            }
        }
    }
}

/// All roofs of a device with its driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roofs {
    /// [`Roofs::SCHEMA`] of the program that wrote it.
    pub schema: u32,
    /// Of what.
    pub machine: Machine,
    /// When, in RFC 3339, UTC.
    pub date: String,
    /// Those that were measured.
    pub found: BTreeMap<RoofKind, Roof>,
    /// Why the others were not.
    pub missing: BTreeMap<RoofKind, Words>,
    /// Copies of more and more bytes, each as fast as it can be, which tell a cache's size better than a query.
    pub copies: Vec<Roof>,
    /// The most bytes of a copy that is nearer to the cache's speed than to the memory's; `None` where no cache is seen.
    pub cache_bytes: Option<usize>,
}

/// What copies less than so many times as fast as memory does is no cache.
const LEAST_GAIN: f64 = 1.3;

impl Roofs {
    /// The version of this layout and of the probe kernels. What was measured by others is measured again.
    pub const SCHEMA: u32 = 4;

    /// A roof that was measured.
    #[must_use]
    pub fn get(&self, kind: RoofKind) -> Option<&Roof> {
        self.found.get(&kind)
    }

    /// Work per nanosecond.
    #[must_use]
    pub fn rate(&self, kind: RoofKind) -> Option<f64> {
        self.get(kind).map(Roof::rate).filter(|rate| *rate > 0.0)
    }

    /// The roof, in GB/s, of runs that go through so many bytes in turn: how fast copies of as many are; and whether a cache makes it more than memory has. The
    /// bytes decide it and not how fast a run is, so that a faster kernel has the larger share. `None` where the copy roof is not known.
    #[must_use]
    pub fn memory_roof(&self, touched_bytes: f64) -> Option<(f64, bool)> {
        let copy = self.rate(RoofKind::Copy)?;
        let roof = self.cached_rate(touched_bytes, copy).unwrap_or(copy);
        Some((roof, roof > copy))
    }

    /// On the curve of copies, straight between its points on logarithmic scales. `None` beyond its end, and where no cache was seen.
    fn cached_rate(&self, touched_bytes: f64, copy: f64) -> Option<f64> {
        self.cache_bytes?;
        // Fewer bytes are at least as near as more of them: small copies are slow where their launch takes the time, which is no roof.
        let mut reached = copy;
        let mut curve = Vec::with_capacity(self.copies.len());
        for copied in self.copies.iter().rev() {
            let rate = copied.rate();
            reached = if rate >= LEAST_GAIN * copy { rate.max(reached) } else { reached };
            curve.push((copied.setup.bytes as f64, reached));
        }
        let larger = curve.iter().rposition(|(bytes, _)| *bytes >= touched_bytes)?;
        let &(more, slower) = curve.get(larger)?;
        let Some(&(fewer, faster)) = curve.get(larger + 1) else { return Some(slower) };
        let part = (touched_bytes / fewer).ln() / (more / fewer).ln();
        Some(faster * (slower / faster).powf(part))
    }

    /// Kernel time of a kernel that has next to nothing to do.
    #[must_use]
    pub fn launch_ns(&self) -> Option<f64> {
        self.get(RoofKind::Launch).map(|roof| roof.time.median_ns)
    }

    /// Whether other work disturbed any of them throughout.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.found.values().any(|roof| roof.busy)
    }
}

/// The most bytes among `copies` (from few to many) whose rate is nearer to `cached` than to `memory`, both in bytes per nanosecond, on the scale of
/// ratios; `None` where the two are less than 30 % apart, which no cache is.
#[must_use]
pub fn cache_bytes(copies: &[Roof], cached: f64, memory: f64) -> Option<usize> {
    let middle = (cached * memory).sqrt();
    let is_cached = |copy: &&Roof| copy.rate() >= middle;
    if cached < LEAST_GAIN * memory { None } else { copies.iter().rev().find(is_cached).map(|copy| copy.setup.bytes) }
}

#[cfg(test)]
mod tests {
    use super::{ProbeSetup, Roof, RoofKind, RoofUnit, Roofs, cache_bytes};
    use crate::model::Summary;
    use crate::testing::records::roofs;

    fn roof(work: f64, samples_ns: &[u64], bytes: usize) -> Roof {
        let time = Summary::of(samples_ns.to_vec()).expect("samples");
        Roof { work, time, setup: ProbeSetup { bytes, ..ProbeSetup::default() }, busy: false }
    }

    #[test]
    fn rates_by_hand() {
        // Quartiles 100 and 200 around 125.
        let copy = roof(1000.0, &[80, 100, 125, 200, 250], 0);
        assert_eq!(copy.told_in(RoofUnit::GigabytesPerSecond).map(|rate| rate.to_string()), ["8", "5", "10"]);
        // Ten loads.
        let latency = roof(10.0, &[80, 100, 125, 200, 250], 0);
        assert_eq!(latency.told_in(RoofKind::Latency.unit()).map(|time| time.to_string()), ["12.5", "10", "20"]);
    }

    /// Made-up roofs whose copies of 2^18, 2^19, … bytes have these rates.
    fn with_copies(rates: &[f64]) -> Roofs {
        let copies = rates.iter().enumerate().map(|(index, rate)| roof(rate * 1000.0, &[1000], 1 << (18 + index))).collect();
        Roofs { copies, ..roofs() }
    }

    #[test]
    fn the_bytes_that_are_touched_choose_the_roof() {
        // 100 GB/s from memory; a cache has 400 up to 2^20 bytes. The first copy is slow for its launch, and 10 % above memory is chance.
        let roofs = with_copies(&[150.0, 300.0, 400.0, 200.0, 110.0, 100.0]);
        let roof = |bytes: f64| roofs.memory_roof(bytes).map(|(rate, is_cached)| (rate.round() as u32, is_cached));
        let power = f64::exp2;
        assert_eq!([1.0, power(18.0), power(19.0), power(20.0)].map(roof), [Some((400, true)); 4]);
        // Half-way between two points on logarithmic scales: the root of 400 · 200.
        assert_eq!([power(20.5), power(21.0), power(21.5)].map(roof), [Some((283, true)), Some((200, true)), Some((141, true))]);
        assert_eq!([power(22.0), power(23.0), power(40.0)].map(roof), [Some((100, false)); 3]);
        // Where no cache was seen, all is memory's.
        assert_eq!(Roofs { cache_bytes: None, ..roofs.clone() }.memory_roof(1.0), Some((100.0, false)));
        assert_eq!(Roofs { found: [].into(), ..roofs.clone() }.memory_roof(1.0), None);
    }

    #[test]
    fn the_cache_ends_where_copies_are_nearer_to_memory() {
        let copies = |rates: &[f64]| -> Vec<Roof> {
            rates.iter().enumerate().map(|(index, rate)| roof(rate * 1000.0, &[1000], 1 << (18 + index))).collect()
        };
        // The middle of 40 and 10 on the scale of ratios is 20: the last copy that reaches it has 2^21 bytes. A slow start does not count.
        assert_eq!(cache_bytes(&copies(&[15.0, 40.0, 38.0, 21.0, 19.0, 10.0]), 40.0, 10.0), Some(1 << 21));
        assert_eq!(cache_bytes(&copies(&[12.0, 12.5, 10.0]), 12.5, 10.0), None);
    }
}
