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
    /// Multiplications and additions of floats per second, the two fused where the device can: each counts.
    FloatMultiplyAdd,
    /// The same in half precision.
    HalfMultiplyAdd,
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
    pub const ALL: [Self; 11] = [
        Self::Copy,
        Self::Read,
        Self::Write,
        Self::CachedCopy,
        Self::IntegerAdd,
        Self::FloatMultiplyAdd,
        Self::HalfMultiplyAdd,
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
            Self::FloatMultiplyAdd => "studies.roof.float-multiply-add",
            Self::HalfMultiplyAdd => "studies.roof.half-multiply-add",
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
            Self::Copy | Self::Read | Self::Write | Self::CachedCopy | Self::Upload | Self::ReadBack => RoofUnit::GigabytesPerSecond,
            Self::IntegerAdd | Self::FloatMultiplyAdd | Self::HalfMultiplyAdd => RoofUnit::GigaoperationsPerSecond,
            Self::Launch | Self::Latency => RoofUnit::Nanoseconds,
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
    /// Copies of more and more bytes, which tell a cache's size better than a query.
    pub copies: Vec<Roof>,
    /// The most bytes of a copy that is nearer to the cache's speed than to the memory's; `None` where no cache is seen.
    pub cache_bytes: Option<usize>,
}

/// More than the copy roof by so much is not chance: the bytes come from a cache.
const ABOVE_COPY: f64 = 1.02;

impl Roofs {
    /// The version of this layout and of the probe kernels. What was measured by others is measured again.
    pub const SCHEMA: u32 = 2;

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

    /// The roof that bytes moved at this rate, in GB/s, are held to: copies from memory, or within a cache where the rate is more than memory has and a cache
    /// was seen that has more; whether it is a cache's. `None` where the copy roof is not known.
    #[must_use]
    pub fn memory_roof(&self, gb_per_s: f64) -> Option<(f64, bool)> {
        let copy = self.rate(RoofKind::Copy)?;
        let cached = self.rate(RoofKind::CachedCopy).filter(|_| gb_per_s > ABOVE_COPY * copy);
        Some((cached.unwrap_or(copy), cached.is_some()))
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
    const LEAST_GAIN: f64 = 1.3;
    let middle = (cached * memory).sqrt();
    let is_cached = |copy: &&Roof| copy.rate() >= middle;
    if cached < LEAST_GAIN * memory { None } else { copies.iter().rev().find(is_cached).map(|copy| copy.setup.bytes) }
}

#[cfg(test)]
mod tests {
    use super::{ProbeSetup, Roof, RoofKind, RoofUnit, cache_bytes};
    use crate::model::Summary;

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
