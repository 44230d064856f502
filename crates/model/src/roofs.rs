//! What a device can do at most, as probe kernels found it.

use super::roofline::not_known;
use super::{LocalSize, Machine, OperationClass, Summary};
use base::error::{Error, Result};
use base::texts::{Words, text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was probed. In files it is its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RoofKind {
    /// Bytes read and written per second, from and to memory that no cache holds.
    Copy,
    /// Bytes read per second.
    Read,
    /// Bytes written per second.
    Write,
    /// Bytes read and written per second where both fit into a cache.
    CachedCopy,
    /// Operations of a class per second; of local memory, bytes loaded per second.
    Operations(OperationClass),
    /// Bytes loaded per second from constant memory, where all work-items of a group load the same.
    ConstantUniform,
    /// The same where neighboring work-items load neighbors.
    ConstantDivergent,
    /// Bytes written per second from pinned memory of the host to the device's.
    Upload,
    /// Bytes read per second, the other way.
    ReadBack,
    /// Kernel time of a kernel that has next to nothing to do.
    Launch,
    /// Time of a load from memory that waits for the one before.
    Latency,
}

impl From<RoofKind> for String {
    fn from(kind: RoofKind) -> Self {
        kind.name().to_owned()
    }
}

impl TryFrom<String> for RoofKind {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        let known = Self::all().find(|kind| kind.name() == name);
        known.ok_or_else(|| not_known("Roof", &name))
    }
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
    pub fn all() -> impl Iterator<Item = Self> {
        let of_memory = [Self::Copy, Self::Read, Self::Write, Self::CachedCopy];
        let others = [Self::ConstantUniform, Self::ConstantDivergent, Self::Upload, Self::ReadBack, Self::Launch, Self::Latency];
        of_memory.into_iter().chain(OperationClass::ALL.map(Self::Operations)).chain(others)
    }

    /// As files have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Read => "read",
            Self::Write => "write",
            Self::CachedCopy => "cached-copy",
            Self::Operations(class) => class.name(),
            Self::ConstantUniform => "constant-uniform",
            Self::ConstantDivergent => "constant-divergent",
            Self::Upload => "upload",
            Self::ReadBack => "read-back",
            Self::Launch => "launch",
            Self::Latency => "latency",
        }
    }

    /// As tables and the window show it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Copy => text("studies.roof.copy"),
            Self::Read => text("studies.roof.read"),
            Self::Write => text("studies.roof.write"),
            Self::CachedCopy => text("studies.roof.cached-copy"),
            Self::Operations(class) => class.label(),
            Self::ConstantUniform => text("studies.roof.constant-uniform"),
            Self::ConstantDivergent => text("studies.roof.constant-divergent"),
            Self::Upload => text("studies.roof.upload"),
            Self::ReadBack => text("studies.roof.read-back"),
            Self::Launch => text("studies.roof.launch"),
            Self::Latency => text("studies.roof.latency"),
        }
    }

    /// How it is told.
    #[must_use]
    pub const fn unit(self) -> RoofUnit {
        match self {
            Self::Copy
            | Self::Read
            | Self::Write
            | Self::CachedCopy
            | Self::Operations(OperationClass::LocalMemory)
            | Self::ConstantUniform
            | Self::ConstantDivergent
            | Self::Upload
            | Self::ReadBack => RoofUnit::GigabytesPerSecond,
            Self::Operations(_) => RoofUnit::GigaoperationsPerSecond,
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

/// The wait for a load that the one before has to end for, in an order and over so many bytes: `setup.bytes` of the roof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wait {
    /// Bytes from one load to the next; `None` of an order without a pattern.
    pub stride_bytes: Option<usize>,
    /// Loads and their time.
    pub roof: Roof,
}

impl Wait {
    /// Nanoseconds of a load: median, lower and upper quartile.
    #[must_use]
    pub fn load_ns(&self) -> [f64; 3] {
        self.roof.told_in(RoofUnit::Nanoseconds)
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
    /// Reads of blocks that were just read, one for each compute unit, from few bytes to many: `setup.bytes` are those of one block. Each cache is a step of this curve.
    #[serde(default)]
    pub reads: Vec<Roof>,
    /// Why there is no such curve, where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_missing: Option<Words>,
    /// Waits for loads over more and more bytes, by order, that without a pattern first.
    #[serde(default)]
    pub waits: Vec<Wait>,
    /// The most bytes of a copy that is nearer to the cache's speed than to the memory's; `None` where no cache is seen.
    pub cache_bytes: Option<usize>,
}

/// A level of memory: a cache, or what lies behind all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The most bytes of each compute unit's block that are read at this rate; `None` of the last level, which has no end.
    pub bytes: Option<usize>,
    /// Bytes per nanosecond of all compute units together.
    pub rate: f64,
}

/// Rates that are less than this factor apart are of one level.
const SAME_LEVEL: f64 = 1.3;

/// What copies less than so many times as fast as memory does is no cache.
const LEAST_GAIN: f64 = 1.3;

impl Roofs {
    /// The version of this layout and of the probe kernels. What was measured by others is measured again.
    pub const SCHEMA: u32 = 5;

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

    /// The levels that the curve of reads shows, the fastest first. Rates never rise with the size of a block, but for chance and for launches that are too short: so each
    /// counts as what is reached at its size or beyond. Sizes in a row within a factor of 1.3 of the first of them are a level; a single size between two levels is on the way
    /// from one to the other.
    #[must_use]
    pub fn levels(&self) -> Vec<Level> {
        let mut reached = 0.0_f64;
        let mut curve: Vec<(usize, f64)> = Vec::with_capacity(self.reads.len());
        for read in self.reads.iter().rev() {
            reached = reached.max(read.rate());
            curve.push((read.setup.bytes, reached));
        }
        curve.reverse();
        let groups: Vec<&[(usize, f64)]> = groups(&curve);
        let last = groups.len().saturating_sub(1);
        let is_level = |(index, group): &(usize, &[(usize, f64)])| group.len() > 1 || *index == 0 || *index == last;
        let level = |(index, group): (usize, &[(usize, f64)])| {
            let (bytes, _) = group.last()?;
            let (_, rate) = group.get(group.len() / 2)?;
            Some(Level { bytes: (index < last).then_some(*bytes), rate: *rate })
        };
        groups.into_iter().enumerate().filter(is_level).filter_map(level).collect()
    }

    /// Kernel time of a kernel that has next to nothing to do.
    #[must_use]
    pub fn launch_ns(&self) -> Option<f64> {
        self.get(RoofKind::Launch).map(|roof| roof.time.median_ns)
    }

    /// Whether other work disturbed any of them throughout. Curves, which are measured briefly, do not count.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.found.values().any(|roof| roof.busy)
    }
}

/// Points in a row whose rates are within a level of the first one's.
fn groups(curve: &[(usize, f64)]) -> Vec<&[(usize, f64)]> {
    let mut groups = Vec::new();
    let mut rest = curve;
    while let Some((_, first)) = rest.first() {
        let count = rest.iter().take_while(|(_, rate)| rate * SAME_LEVEL >= *first).count().max(1);
        let (group, others) = rest.split_at(count);
        groups.push(group);
        rest = others;
    }
    groups
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
    use crate::Summary;
    use crate::testing::records::roofs;
    use std::collections::BTreeMap;

    fn roof(work: f64, samples_ns: &[u64], bytes: usize) -> Roof {
        let time = Summary::of(samples_ns.to_vec()).expect("samples");
        Roof { work, time, setup: ProbeSetup { bytes, ..ProbeSetup::default() }, busy: false }
    }

    #[test]
    fn files_have_each_roof_by_its_name() {
        for kind in RoofKind::all() {
            let told = serde_json::to_value(BTreeMap::from([(kind, 1)])).expect("plain data");
            assert_eq!(told, serde_json::json!({ kind.name(): 1 }));
            assert_eq!(serde_json::from_value::<BTreeMap<RoofKind, i32>>(told).expect("the same"), BTreeMap::from([(kind, 1)]));
        }
        assert!(RoofKind::all().is_sorted(), "tables and files have them in one order");
        assert!(serde_json::from_str::<RoofKind>("\"moon\"").is_err());
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
    fn levels_are_the_steps_of_the_curve() {
        let with_reads = |rates: &[f64]| {
            let reads = rates.iter().enumerate().map(|(index, rate)| roof(rate * 1000.0, &[1000], 8192 << index)).collect();
            Roofs { reads, ..roofs() }.levels().iter().map(|level| (level.bytes.map(|bytes| bytes >> 10), level.rate)).collect::<Vec<_>>()
        };
        // 8, 16 and 32 KiB in the first cache; 64 KiB on the way; 128 KiB to 1 MiB in the second one; then memory.
        let found = with_reads(&[380.0, 400.0, 390.0, 200.0, 110.0, 105.0, 100.0, 100.0, 20.0, 19.0]);
        assert_eq!(found, [(Some(32), 400.0), (Some(1024), 100.0), (None, 19.0)].map(|(bytes, rate)| (bytes, rate)));
        // A short launch at the smallest size is no level of its own.
        assert_eq!(with_reads(&[100.0, 400.0, 400.0, 50.0]), [(Some(32), 400.0), (None, 50.0)]);
        assert_eq!(with_reads(&[100.0, 99.0]), [(None, 99.0)]);
        assert_eq!(with_reads(&[]), []);
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
