//! How near a measurement came to the roofs of its device, and what bounds it.
//!
//! The rules are those of Nsight Compute's first one: where neither memory nor arithmetic is at 60 % of what the device can do, neither is what takes the time;
//! from 80 % on, the larger one is at its roof; between, the larger one bounds, unless both are within 10 points.
//!
//! Bytes are those that each pass has to read and write at least; operations are counted in the source, so a compiler that needs fewer (or narrower
//! ones, of which more go side by side) can come out above the roof.
//!
//! A device does operations of one class faster than those of another. The time that a kernel's operations take at least is that of each class at its own rate:
//! classes of one unit ([`Unit`]) wait for each other, and the busiest unit is arithmetic's share. Units may work side by side, but what issues their instructions
//! is one: only where all classes together are below 60 %, and local memory too, neither bounds. Where a rate is not known, that is not said.

use super::{ByClass, Counts, Measured, OperationClass, RoofKind, Roofs, Unit};
use base::error::{Error, Result};
use base::texts::text;
use serde::{Deserialize, Serialize};

/// Below this share of all roofs, none bounds.
const LEAST_SHARE: f64 = 0.6;

/// From this share on, a roof is reached.
const AT_ROOF: f64 = 0.8;

/// Shares that are less far apart are balanced.
const APART: f64 = 0.1;

/// A kernel that takes less than so many empty launches has not paid for its start.
const LAUNCHES: f64 = 2.0;

/// What has a roof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// Reading and writing bytes.
    Memory,
    /// Computing.
    Arithmetic,
    /// Reading and writing local memory.
    Local,
}

/// What bounds a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Bound {
    /// It ends before its start has paid.
    Launch,
    /// At 80 % of this roof or more.
    AtRoof(Pipe),
    /// The larger share, 60 % to 80 %.
    Mostly(Pipe),
    /// The shares of memory and arithmetic 60 % to 80 %, and less than 10 points apart.
    Balanced,
    /// All shares below 60 %: latency or another unit may be the limit, or there are too few work-items.
    Neither,
    /// Those shares below 60 % that are known, but not all are: of some of what the kernel does, no rate was measured.
    Unknown,
}

impl From<Bound> for String {
    fn from(bound: Bound) -> Self {
        bound.name().to_owned()
    }
}

impl TryFrom<String> for Bound {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        let known = Bound::ALL.into_iter().find(|bound| bound.name() == name);
        known.ok_or_else(|| not_known("Bound", &name))
    }
}

/// A word in a file that this version does not have.
pub(super) fn not_known(what: &str, name: &str) -> Error {
    Error::usage(format!("{what} '{name}' is not known"), "this version has no such word", "use a newer version")
}

impl Bound {
    /// All there are.
    pub const ALL: [Self; 10] = [
        Self::Launch,
        Self::AtRoof(Pipe::Memory),
        Self::AtRoof(Pipe::Arithmetic),
        Self::Mostly(Pipe::Memory),
        Self::Mostly(Pipe::Arithmetic),
        Self::AtRoof(Pipe::Local),
        Self::Mostly(Pipe::Local),
        Self::Balanced,
        Self::Neither,
        Self::Unknown,
    ];

    /// As files have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::AtRoof(Pipe::Memory) => "memory-at-roof",
            Self::AtRoof(Pipe::Arithmetic) => "arithmetic-at-roof",
            Self::Mostly(Pipe::Memory) => "memory",
            Self::Mostly(Pipe::Arithmetic) => "arithmetic",
            Self::AtRoof(Pipe::Local) => "local-memory-at-roof",
            Self::Mostly(Pipe::Local) => "local-memory",
            Self::Balanced => "balanced",
            Self::Neither => "neither",
            Self::Unknown => "unknown",
        }
    }

    /// Whether arithmetic takes the time, so that bytes per second say nothing.
    #[must_use]
    pub const fn is_arithmetic(self) -> bool {
        matches!(self, Self::AtRoof(Pipe::Arithmetic) | Self::Mostly(Pipe::Arithmetic))
    }

    /// Whether memory takes it.
    #[must_use]
    pub const fn is_memory(self) -> bool {
        matches!(self, Self::AtRoof(Pipe::Memory) | Self::Mostly(Pipe::Memory))
    }

    /// By shares of the two roofs, 0 to 1; arithmetic may not be known.
    #[must_use]
    pub fn of_shares(memory: f64, arithmetic: Option<f64>) -> Self {
        let arithmetic = arithmetic.unwrap_or(0.0);
        let (largest, pipe) = if memory >= arithmetic { (memory, Pipe::Memory) } else { (arithmetic, Pipe::Arithmetic) };
        if largest < LEAST_SHARE {
            Self::Neither
        } else if largest >= AT_ROOF {
            Self::AtRoof(pipe)
        } else if (memory - arithmetic).abs() < APART {
            Self::Balanced
        } else {
            Self::Mostly(pipe)
        }
    }

    /// By the shares of all that has a roof.
    #[must_use]
    pub fn of_all(memory: f64, computing: &Computing) -> Self {
        let &Computing { arithmetic, all, local, .. } = computing;
        let bound = Self::of_shares(memory, arithmetic);
        if let Some(local) = local.filter(|local| *local >= LEAST_SHARE && *local > memory.max(arithmetic.unwrap_or(0.0))) {
            return if local >= AT_ROOF { Self::AtRoof(Pipe::Local) } else { Self::Mostly(Pipe::Local) };
        }
        match bound {
            // One unit after the other, they would take most of the time.
            Self::Neither if all >= LEAST_SHARE => Self::Mostly(Pipe::Arithmetic),
            Self::Neither if !computing.is_known || local.is_none() => Self::Unknown,
            bound => bound,
        }
    }

    /// By the shares of its time, 0 to 1, in which memory and arithmetic are busy. Unlike bytes and operations against roofs, both can be busy throughout.
    #[must_use]
    pub fn of_busy(memory: f64, arithmetic: f64) -> Self {
        match Self::of_shares(memory, Some(arithmetic)) {
            Self::AtRoof(_) if (memory - arithmetic).abs() < APART => Self::Balanced,
            bound => bound,
        }
    }

    /// For tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(self.keys().0)
    }

    /// A sentence without a full stop.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        text(self.keys().1)
    }

    const fn keys(self) -> (&'static str, &'static str) {
        match self {
            Self::Launch => ("studies.bound.launch", "studies.bound.launch-about"),
            Self::AtRoof(Pipe::Memory) => ("studies.bound.memory-at-roof", "studies.bound.memory-at-roof-about"),
            Self::AtRoof(Pipe::Arithmetic) => ("studies.bound.arithmetic-at-roof", "studies.bound.arithmetic-at-roof-about"),
            Self::Mostly(Pipe::Memory) => ("studies.bound.memory", "studies.bound.memory-about"),
            Self::Mostly(Pipe::Arithmetic) => ("studies.bound.arithmetic", "studies.bound.arithmetic-about"),
            Self::AtRoof(Pipe::Local) => ("studies.bound.local-at-roof", "studies.bound.local-at-roof-about"),
            Self::Mostly(Pipe::Local) => ("studies.bound.local", "studies.bound.local-about"),
            Self::Balanced => ("studies.bound.balanced", "studies.bound.balanced-about"),
            Self::Neither => ("studies.bound.neither", "studies.bound.neither-about"),
            Self::Unknown => ("studies.bound.unknown", "studies.bound.unknown-about"),
        }
    }
}

/// What a kernel's operations take of its time at the rates of their classes, as shares of which 1 is all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Computing {
    /// The busiest unit of arithmetic; `None` where operations are not counted or no rate is known.
    pub arithmetic: Option<f64>,
    /// The class that takes most of that unit's time.
    pub longest: Option<OperationClass>,
    /// All units of arithmetic, one after the other, as far as rates are known.
    pub all: f64,
    /// Local memory; `None` where its accesses are not counted or its rate is not known.
    pub local: Option<f64>,
    /// Whether the rates of all classes of arithmetic were known, and every operation is in a class.
    pub is_known: bool,
}

impl Computing {
    /// Of so many pixels in this time; nothing is known where there are no counts.
    #[must_use]
    pub fn of(counts: Option<&Counts>, pixels: f64, time_ns: f64, roofs: &Roofs) -> Self {
        let by_class = counts.map_or(ByClass::NONE, |counts| if has_classes(counts) { counts.by_class } else { by_type(counts) });
        let share = |class: OperationClass, count: f64| roofs.rate(class.roof()).map(|rate| count * pixels / time_ns / rate);
        let shares = || by_class.iter().filter_map(|(class, count)| Some((class, share(class, count)?)));
        let of_unit = |unit: Unit| shares().filter(move |(class, _)| class.unit() == unit);
        // An empty sum of floats would be -0.
        let sum = |unit: Unit| of_unit(unit).fold(0.0, |sum, (_, share)| sum + share);
        let busiest = Unit::ARITHMETIC.into_iter().max_by(|one, other| sum(*one).total_cmp(&sum(*other)));
        let longest = busiest.and_then(|unit| of_unit(unit).max_by(|one, other| one.1.total_cmp(&other.1)));
        let nothing = counts.is_some_and(|counts| counts.operations == 0.0);
        let is_classed = counts.is_some_and(has_classes);
        let has_rate = |class: OperationClass| roofs.rate(class.roof()).is_some();
        let knows = |is_local: bool| {
            let mut classes = by_class.iter().map(|(class, _)| class).filter(|class| (class.unit() == Unit::LocalMemory) == is_local);
            is_classed && classes.all(has_rate)
        };
        Self {
            arithmetic: longest.and(busiest).map(sum).or(nothing.then_some(0.0)),
            longest: longest.map(|(class, _)| class),
            all: Unit::ARITHMETIC.into_iter().map(sum).sum(),
            local: knows(true).then(|| sum(Unit::LocalMemory)),
            is_known: knows(false),
        }
    }
}

/// Whether operations were counted by class, or there are none.
fn has_classes(counts: &Counts) -> bool {
    counts.operations == 0.0 || !counts.by_class.is_empty()
}

/// Of counts without classes, the fastest that operations of their types can be.
fn by_type(counts: &Counts) -> ByClass {
    let integer = counts.operations - counts.float_operations;
    [(OperationClass::IntegerAdd, integer), (OperationClass::FloatMultiplyAdd, counts.float_operations)].into_iter().collect()
}

/// How near a measurement came to the roofs of its device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// Bytes that its passes must move, per nanosecond: GB/s.
    pub gb_per_s: f64,
    /// The roof that this is held to: of copies of as many bytes as its runs go through in turn, see [`Roofs::memory_roof`].
    pub roof_gb_per_s: f64,
    /// The share of it; 1 is all.
    pub memory: f64,
    /// A cache holds some of what its runs go through, so that the roof is above that of memory.
    pub is_cached: bool,
    /// Of the time, what the busiest unit of arithmetic needs at its peak rates; `None` where operations are not counted or no rate is known.
    pub arithmetic: Option<f64>,
    /// The roof of the class of operations that takes most of that unit's time.
    pub arithmetic_roof: Option<RoofKind>,
    /// Of the time, what all classes of operations together need at their peak rates, one unit after the other. `None` where not all of these rates are known, and
    /// in records of versions that did not tell classes apart.
    #[serde(default)]
    pub all_operations: Option<f64>,
    /// Of the time, what local memory needs at its peak rate; `None` where that is not known, and in those records.
    #[serde(default)]
    pub local_memory: Option<f64>,
    /// Operations counted in the source per byte that must be moved: the kernel's place along a roofline.
    pub operations_per_byte: Option<f64>,
    /// Kernel time of a kernel that has next to nothing to do.
    pub launch_ns: Option<f64>,
    /// What bounds it.
    pub bound: Bound,
}

impl Shares {
    /// Of a measurement on the device that the roofs are of. `None` where there is no kernel time or no copy roof.
    #[must_use]
    pub fn of(measured: &Measured, roofs: &Roofs) -> Option<Self> {
        let time_ns = measured.kernel.as_ref().map(|kernel| kernel.median_ns).filter(|time_ns| *time_ns > 0.0)?;
        let pixels = measured.verification.total_pixels as f64;
        let gb_per_s = measured.bytes_of_passes() / time_ns;
        let (roof_gb_per_s, is_cached) = roofs.memory_roof(measured.touched_bytes())?;
        let memory = gb_per_s / roof_gb_per_s;
        let computing = Computing::of(measured.counts.as_ref(), pixels, time_ns, roofs);
        let launch_ns = roofs.launch_ns();
        let has_paid = launch_ns.is_none_or(|launch_ns| time_ns >= LAUNCHES * launch_ns);
        Some(Self {
            gb_per_s,
            roof_gb_per_s,
            memory,
            launch_ns,
            is_cached,
            arithmetic: computing.arithmetic,
            arithmetic_roof: computing.longest.map(OperationClass::roof),
            all_operations: computing.is_known.then_some(computing.all),
            local_memory: computing.local,
            operations_per_byte: measured.counts.as_ref().map(|counts| counts.operations * pixels / measured.bytes_of_passes()),
            bound: if has_paid { Bound::of_all(memory, &computing) } else { Bound::Launch },
        })
    }

    /// The share of the roof that bounds; of the larger one where none does, or both do. `None` of a kernel that is mostly its launch, which no roof bounds.
    #[must_use]
    pub fn of_bound(&self) -> Option<f64> {
        match self.bound {
            Bound::Launch => None,
            Bound::AtRoof(Pipe::Arithmetic) => self.arithmetic,
            // One unit's, or that of all units one after the other.
            Bound::Mostly(Pipe::Arithmetic) => {
                self.arithmetic.filter(|share| *share >= LEAST_SHARE).or(self.all_operations).or(self.arithmetic)
            }
            Bound::AtRoof(Pipe::Memory) | Bound::Mostly(Pipe::Memory) => Some(self.memory),
            Bound::AtRoof(Pipe::Local) | Bound::Mostly(Pipe::Local) => self.local_memory,
            Bound::Balanced | Bound::Neither | Bound::Unknown => {
                Some([self.arithmetic, self.local_memory].into_iter().flatten().fold(self.memory, f64::max))
            }
        }
    }
}

/// What its loads and stores ask for, before any cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requested {
    /// Bytes per pixel.
    pub bytes_per_pixel: f64,
    /// Bytes per nanosecond: GB/s.
    pub gb_per_s: f64,
    /// Operations counted in the source per byte.
    pub operations_per_byte: f64,
}

impl Requested {
    /// Of a measurement; `None` where accesses are not counted or there is no kernel time.
    #[must_use]
    pub fn of(measured: &Measured) -> Option<Self> {
        let time_ns = measured.kernel.as_ref().map(|kernel| kernel.median_ns).filter(|time_ns| *time_ns > 0.0)?;
        let counts = measured.counts.as_ref()?;
        let bytes_per_pixel = counts.loaded_bytes + counts.stored_bytes;
        let gb_per_s = bytes_per_pixel * measured.verification.total_pixels as f64 / time_ns;
        (bytes_per_pixel > 0.0).then(|| Self { bytes_per_pixel, gb_per_s, operations_per_byte: counts.operations / bytes_per_pixel })
    }
}

/// Where a measurement stands in a roofline: operations per byte that must be moved, and operations per nanosecond, which are the first times GB/s.
/// `None` where operations are not counted, there are none, or there is no kernel time.
#[must_use]
pub fn roofline_place(measured: &Measured) -> Option<(f64, f64)> {
    let time_ns = measured.kernel.as_ref().map(|kernel| kernel.median_ns).filter(|time_ns| *time_ns > 0.0)?;
    let operations = measured.counts.as_ref()?.operations * measured.verification.total_pixels as f64;
    (operations > 0.0).then(|| (operations / measured.bytes_of_passes(), operations / time_ns))
}

#[cfg(test)]
mod tests {
    use super::{Bound, Pipe, Shares, roofline_place};
    use crate::testing::records::{measured, roofs, within_cache};
    use crate::{ByClass, Counts, Measured, OperationClass, Roof, RoofKind, Roofs};

    #[test]
    fn shares_decide_what_bounds() {
        for (memory, arithmetic, bound) in [
            (0.59, Some(0.59), Bound::Neither),
            (0.59, None, Bound::Neither),
            (0.6, Some(0.51), Bound::Balanced),
            (0.61, Some(0.5), Bound::Mostly(Pipe::Memory)),
            (0.61, Some(0.79), Bound::Mostly(Pipe::Arithmetic)),
            (0.75, Some(0.8), Bound::AtRoof(Pipe::Arithmetic)),
            (0.97, Some(0.92), Bound::AtRoof(Pipe::Memory)),
            (0.97, None, Bound::AtRoof(Pipe::Memory)),
        ] {
            assert_eq!(Bound::of_shares(memory, arithmetic), bound, "{memory} {arithmetic:?}");
        }
    }

    #[test]
    fn bounds_are_read_as_they_are_written() {
        for bound in Bound::ALL {
            let text = serde_json::to_string(&bound).expect("a word");
            assert_eq!(serde_json::from_str::<Bound>(&text).ok(), Some(bound), "{text}");
        }
        assert!(serde_json::from_str::<Bound>("\"moon\"").is_err());
    }

    /// 2 million pixels of so many operations, of which so many in float, and 6 bytes each.
    fn made(kernel_ns: f64, operations: f64, float_operations: f64) -> Measured {
        let by_class = super::by_type(&Counts { operations, float_operations, ..Counts::default() });
        let counts = Counts { operations, float_operations, by_class, must_move_bytes: 6.0, ..Counts::default() };
        Measured { counts: Some(counts), ..measured(kernel_ns) }
    }

    /// The made-up roofs with more: 10 minima or maxima and 5 conversions per nanosecond, 100 bytes of local memory.
    fn more_roofs() -> Roofs {
        let mut roofs = roofs();
        let copy = roofs.get(RoofKind::Copy).cloned().expect("there");
        for (kind, work) in [
            (OperationClass::IntegerMinMax.roof(), 1e4),
            (OperationClass::Conversion.roof(), 5e3),
            (OperationClass::LocalMemory.roof(), 1e5),
        ] {
            roofs.found.insert(kind, Roof { work, ..copy.clone() });
        }
        roofs
    }

    /// 2 million pixels of so much of each class, and 6 bytes each.
    fn of_classes(kernel_ns: f64, classes: &[(OperationClass, f64)]) -> Measured {
        let by_class: ByClass = classes.iter().copied().collect();
        let operations = classes.iter().map(|(_, count)| count).sum();
        let counts = Counts { operations, by_class, must_move_bytes: 6.0, ..Counts::default() };
        Measured { counts: Some(counts), ..measured(kernel_ns) }
    }

    #[test]
    fn minima_are_held_to_the_rate_of_minima() {
        // A dilation: 12 maxima per pixel, 24 million, take 2.4 ms at 10 per nanosecond. At the rate of additions they would take 0.48.
        let dilate = of_classes(2.6e6, &[(OperationClass::IntegerMinMax, 12.0)]);
        let shares = Shares::of(&dilate, &more_roofs()).expect("roofs");
        assert_eq!(
            (shares.bound, shares.arithmetic_roof),
            (Bound::AtRoof(Pipe::Arithmetic), Some(OperationClass::IntegerMinMax.roof())),
            "{shares:?}"
        );
        assert!((shares.arithmetic.expect("known") - 2.4 / 2.6).abs() < 1e-9 && shares.all_operations == shares.arithmetic, "{shares:?}");
        // Four times as slow, it is at no roof.
        let slow = of_classes(10.4e6, &[(OperationClass::IntegerMinMax, 12.0)]);
        assert_eq!(Shares::of(&slow, &more_roofs()).expect("roofs").bound, Bound::Neither);
    }

    #[test]
    fn classes_of_one_unit_wait_for_each_other_and_all_together_are_not_nothing() {
        use OperationClass::{Conversion, FloatMultiplyAdd, IntegerAdd, IntegerMinMax};
        let of =
            |kernel_ns: f64, classes: &[(OperationClass, f64)]| Shares::of(&of_classes(kernel_ns, classes), &more_roofs()).expect("roofs");
        // 1 ms of additions and 1 ms of minima in 2.5 ms.
        let integers = of(2.5e6, &[(IntegerAdd, 25.0), (IntegerMinMax, 5.0)]);
        assert_eq!(
            (integers.bound, integers.arithmetic.map(|share| (100.0 * share).round())),
            (Bound::AtRoof(Pipe::Arithmetic), Some(80.0))
        );
        // 1 ms each of additions, float operations and conversions in 4 ms: a quarter for each unit, three quarters in all.
        let mixed = [(IntegerAdd, 25.0), (FloatMultiplyAdd, 100.0), (Conversion, 2.5)];
        let shares = of(4e6, &mixed);
        assert_eq!((shares.arithmetic, shares.all_operations, shares.bound), (Some(0.25), Some(0.75), Bound::Mostly(Pipe::Arithmetic)));
        assert_eq!(shares.of_bound(), Some(0.75), "the share is of what the words name");
        assert_eq!(of(6e6, &mixed).bound, Bound::Neither);
    }

    #[test]
    fn local_memory_has_a_roof_of_its_own() {
        let of = |kernel_ns: f64| {
            let tile = [(OperationClass::IntegerAdd, 5.0), (OperationClass::LocalMemory, 50.0)];
            Shares::of(&of_classes(kernel_ns, &tile), &more_roofs()).expect("roofs")
        };
        // 100 million bytes take 1 ms.
        assert_eq!(
            [1.1e6, 1.4e6, 2e6].map(|kernel_ns| of(kernel_ns).bound),
            [Bound::AtRoof(Pipe::Local), Bound::Mostly(Pipe::Local), Bound::Neither]
        );
        assert_eq!((of(2e6).local_memory, of(1.25e6).of_bound()), (Some(0.5), Some(0.8)));
    }

    #[test]
    fn neither_is_not_said_where_a_rate_is_not_known() {
        let bound = |measured: &Measured, roofs: &Roofs| Shares::of(measured, roofs).expect("roofs").bound;
        let dilate = of_classes(10.4e6, &[(OperationClass::IntegerMinMax, 12.0)]);
        assert_eq!([more_roofs(), roofs()].map(|roofs| bound(&dilate, &roofs)), [Bound::Neither, Bound::Unknown]);
        let tile = of_classes(10.4e6, &[(OperationClass::LocalMemory, 12.0)]);
        assert_eq!([more_roofs(), roofs()].map(|roofs| bound(&tile, &roofs)), [Bound::Neither, Bound::Unknown]);
        // What is known can suffice: 1 ms of additions in 1.2.
        let adds = of_classes(1.2e6, &[(OperationClass::IntegerAdd, 25.0), (OperationClass::Function, 1.0)]);
        assert_eq!(bound(&adds, &roofs()), Bound::AtRoof(Pipe::Arithmetic));
        // Operations of which the classes were not counted, and what was not counted at all; of what computes nothing all is known.
        let mut older = dilate.clone();
        older.counts = Some(Counts { by_class: ByClass::NONE, ..older.counts.expect("counted") });
        assert_eq!((bound(&older, &more_roofs()), bound(&measured(10.4e6), &more_roofs())), (Bound::Unknown, Bound::Unknown));
        assert_eq!(bound(&made(10.4e6, 0.0, 0.0), &roofs()), Bound::Neither);
    }

    #[test]
    fn shares_of_before_are_read() {
        let shares = Shares::of(&made(1e6, 1.0, 0.0), &roofs()).expect("roofs");
        let mut told = serde_json::to_value(shares).expect("plain data");
        for name in ["all_operations", "local_memory"] {
            told.as_object_mut().expect("fields").remove(name).expect(name);
        }
        let read: Shares = serde_json::from_value(told).expect("read");
        assert_eq!(read, Shares { all_operations: None, local_memory: None, ..shares });
    }

    // The made-up roofs: copy 100 GB/s, within a cache 400, 50 additions and 200 float operations per nanosecond, a launch of 1 microsecond.

    #[test]
    fn a_measurement_by_hand() {
        // 12 MB in 150 microseconds are 80 GB/s; 1.5 integer operations per pixel are 3 million, 20 of 50 per nanosecond.
        let shares = Shares::of(&made(150_000.0, 1.5, 0.0), &roofs()).expect("roofs");
        assert!((shares.gb_per_s - 80.0).abs() < 1e-9 && (shares.memory - 0.8).abs() < 1e-9 && !shares.is_cached, "{shares:?}");
        assert!((shares.arithmetic.expect("counted") - 0.4).abs() < 1e-9, "{shares:?}");
        assert_eq!((shares.arithmetic_roof, shares.operations_per_byte), (Some(OperationClass::IntegerAdd.roof()), Some(0.25)));
        assert_eq!(shares.bound, Bound::AtRoof(Pipe::Memory));
        // 60 operations per pixel are 120 million; 55 of them in float are 110 million in 1 ms, 110 of 200 per nanosecond, the others 10 of 50.
        let shares = Shares::of(&made(1e6, 60.0, 55.0), &roofs()).expect("roofs");
        assert_eq!(shares.arithmetic_roof, Some(OperationClass::FloatMultiplyAdd.roof()));
        assert!((shares.arithmetic.expect("counted") - 0.55).abs() < 1e-9, "{shares:?}");
        // Both together are 75 %: nobody says that nothing is busy.
        assert_eq!(shares.bound, Bound::Mostly(Pipe::Arithmetic));
    }

    #[test]
    fn a_place_in_the_roofline_is_operations_per_byte_and_per_nanosecond() {
        // 60 operations per pixel are 120 million, for 12 MB: 10 per byte; in 1 ms, 120 per nanosecond.
        let (per_byte, per_ns) = roofline_place(&made(1e6, 60.0, 0.0)).expect("counted");
        assert!((per_byte - 10.0).abs() < 1e-9 && (per_ns - 120.0).abs() < 1e-9, "{per_byte} {per_ns}");
        let shares = Shares::of(&made(1e6, 60.0, 0.0), &roofs()).expect("roofs");
        assert!((per_byte * shares.gb_per_s - per_ns).abs() < 1e-9, "operations per byte times GB/s");
        // Copy computes nothing, and what is not counted has no place.
        assert_eq!((roofline_place(&made(1e6, 0.0, 0.0)), roofline_place(&measured(1e6))), (None, None));
    }

    #[test]
    fn the_share_is_of_the_roof_that_bounds() {
        let of = |memory: f64, arithmetic: f64, bound: Bound| {
            let shares = Shares::of(&made(1e6, 1.0, 0.0), &roofs()).expect("roofs");
            Shares { memory, arithmetic: Some(arithmetic), bound, ..shares }.of_bound()
        };
        assert_eq!(of(0.3, 0.9, Bound::AtRoof(Pipe::Arithmetic)), Some(0.9));
        assert_eq!(of(0.7, 0.3, Bound::Mostly(Pipe::Memory)), Some(0.7));
        assert_eq!(of(0.2, 0.4, Bound::Neither), Some(0.4));
        assert_eq!(of(0.2, 0.4, Bound::Launch), None);
    }

    #[test]
    fn what_a_cache_holds_is_held_to_the_cache_and_the_faster_has_the_larger_share() {
        let shares = |kernel_ns: f64, is_small: bool| {
            let mut measured = measured(kernel_ns);
            if is_small {
                within_cache(&mut measured);
            }
            Shares::of(&measured, &roofs()).expect("roofs")
        };
        // 0.6 MB in 3 microseconds are 200 GB/s: half of what the cache gives.
        let fast = shares(3000.0, true);
        assert!(fast.is_cached && (fast.memory - 0.5).abs() < 1e-9, "{fast:?}");
        // Slower than memory, and still of the cache: 80 of 400 GB/s.
        let slow = shares(7500.0, true);
        assert!(slow.is_cached && (slow.memory - 0.2).abs() < 1e-9, "{slow:?}");
        // 12 MB over many pairs of buffers: no cache holds them, however fast they are said to be moved.
        let above = shares(60_000.0, false);
        assert!(!above.is_cached && (above.memory - 2.0).abs() < 1e-9, "{above:?}");
    }

    #[test]
    fn a_kernel_of_less_than_two_launches_is_its_launch() {
        let of = |kernel_ns| Shares::of(&made(kernel_ns, 0.0, 0.0), &roofs()).expect("roofs").bound;
        assert_eq!(of(1999.0), Bound::Launch);
        assert_ne!(of(2000.0), Bound::Launch);
    }

    #[test]
    fn every_pass_counts() {
        // A second pass: what lies between is written and read, 12 bytes per pixel.
        let mut twice = made(150_000.0, 3.0, 0.0);
        twice.counts = Some(Counts { must_move_bytes: 18.0, ..Counts::default() });
        assert!((Shares::of(&twice, &roofs()).expect("roofs").gb_per_s - 240.0).abs() < 1e-9);
        // Where it is not counted: source and output.
        assert!((Shares::of(&measured(150_000.0), &roofs()).expect("roofs").gb_per_s - 80.0).abs() < 1e-9);
    }
}
