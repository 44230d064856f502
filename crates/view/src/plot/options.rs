//! What a chart shows and how, and which reading it compares with.

use super::figures::{figures, is_device};
use super::scale::Scale;
use super::units;
use base::texts::text;
use model::{Contender, CpuEngine, Record, Shares, Variant};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What the bars show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Quantity {
    /// Kernel time and round trip.
    #[default]
    Time,
    /// The baseline's time divided by this one's, kernel by kernel and round trip by round trip.
    SpeedUp,
    /// Fewest bytes the filter must move over the time.
    Bandwidth,
}

impl Quantity {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Time, Self::SpeedUp, Self::Bandwidth];

    /// As in the window.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Time => text("window.chart.time"),
            Self::SpeedUp => text("window.chart.speed-up"),
            Self::Bandwidth => "GB/s",
        }
    }

    /// What an axis writes at `value`: as [`Self::format`], with a bare zero.
    #[must_use]
    pub fn tick(self, value: f64) -> String {
        if value == 0.0 { "0".to_owned() } else { self.format(value) }
    }

    /// A value of this quantity with its unit.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Time => units::time(value),
            Self::SpeedUp => units::speed_up(value),
            Self::Bandwidth => units::bandwidth(value),
        }
    }
}

/// What speed-ups are against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Baseline {
    /// The ladder's first step where one is being climbed, else the first `naive`, else CPU scalar, else the first that was measured.
    #[default]
    Auto,
    /// For each step the one before it; without a ladder, for each variant the one that was measured before it.
    Previous,
    /// The reading of this [`Entry::key`]; as `Auto` where it is not there.
    Row(String),
}

/// From the top of the chart to its bottom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// CPU competitors, then the ladder's steps, then in the order in which variants were first measured.
    #[default]
    Steps,
    /// The shortest kernel time first.
    Fastest,
}

/// What is shown and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// What the bars show.
    pub quantity: Quantity,
    /// Spacing of the value axis.
    pub scale: Scale,
    /// What speed-ups are against.
    pub against: Baseline,
    /// Whether the round trip is drawn below the kernel time.
    pub round_trip: bool,
    /// Which row is above which.
    pub order: Order,
    /// Whether the CPU competitors are shown.
    pub cpu: bool,
    /// The [`Entry::key`]s of rows that are not shown; speed-ups can still be against them.
    pub hidden: BTreeSet<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            quantity: Quantity::Time,
            scale: Scale::Linear,
            against: Baseline::Auto,
            round_trip: true,
            order: Order::Steps,
            cpu: true,
            hidden: BTreeSet::new(),
        }
    }
}

impl Options {
    /// Whether a row of `entry` is shown.
    #[must_use]
    pub fn shows(&self, entry: &Entry<'_>) -> bool {
        (self.cpu || is_device(&entry.reading)) && !self.hidden.contains(&entry.key())
    }
}

/// A reading's place on the ladder that is being climbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderStep {
    /// From 1.
    pub number: usize,
    /// The step's name.
    pub name: &'static str,
}

/// A reading of the chart.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The reading.
    pub reading: Cow<'a, Record>,
    /// Which step of the ladder it is of.
    pub step: Option<LadderStep>,
    /// It is of what is on the screen.
    pub is_shown: bool,
    /// Its device is the processor that the CPU competitors run on.
    pub is_on_host: bool,
    /// How near it came to the roofs of its device, where these are known.
    pub shares: Option<Shares>,
}

impl<'a> Entry<'a> {
    /// A reading that is neither a ladder's step nor on the screen, held to the roofs that it knows itself.
    #[must_use]
    pub fn new(reading: &'a Record) -> Self {
        let shares = reading.measured().and_then(|measured| measured.roofline);
        Self { reading: Cow::Borrowed(reading), step: None, is_shown: false, is_on_host: false, shares }
    }

    /// Entries of these readings.
    #[must_use]
    pub fn of(readings: &'a [Record]) -> Vec<Self> {
        readings.iter().map(Self::new).collect()
    }

    /// The same with a reading of its own, for another thread.
    #[must_use]
    pub fn into_owned(self) -> Entry<'static> {
        let Self { reading, step, is_shown, is_on_host, shares } = self;
        Entry { reading: Cow::Owned(reading.into_owned()), step, is_shown, is_on_host, shares }
    }

    /// The name that a person gave it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.reading.name.as_deref()
    }

    /// Identity over repeated measurements: the name, else who computed it, with which local size and host memory, where.
    #[must_use]
    pub fn key(&self) -> String {
        self.name().map_or_else(|| format!("{} on {}", self.reading.label(), self.reading.machine.label()), str::to_owned)
    }
}

/// Position of the reading that the speed-up of the entry at `index` is against, which may be the entry itself.
#[must_use]
pub fn baseline_index(entries: &[Entry<'_>], against: &Baseline, index: usize) -> Option<usize> {
    let find = |test: &dyn Fn(&Entry<'_>) -> bool| entries.iter().position(|entry| figures(&entry.reading).is_ok() && test(entry));
    let is_scalar = |contender: &Contender| matches!(contender, Contender::Cpu { engine: CpuEngine::Scalar, .. });
    let is_naive = |contender: &Contender| matches!(contender, Contender::Device { variant, .. } if *variant == Variant::naive());
    let wanted = match against {
        Baseline::Previous => return previous_index(entries, index),
        Baseline::Row(key) => find(&|entry| entry.key() == *key),
        Baseline::Auto => None,
    };
    wanted
        .or_else(|| find(&|entry| entry.step.is_some_and(|step| step.number == 1)))
        .or_else(|| find(&|entry| is_naive(&entry.reading.contender)))
        .or_else(|| find(&|entry| is_scalar(&entry.reading.contender)))
        .or_else(|| find(&|_| true))
}

/// The measured step before; the measured variant before where nothing is a step. The first is its own.
fn previous_index(entries: &[Entry<'_>], index: usize) -> Option<usize> {
    let own = entries.get(index)?;
    let measured = || entries.iter().enumerate().filter(|(_, entry)| is_device(&entry.reading) && figures(&entry.reading).is_ok());
    if entries.iter().any(|entry| entry.step.is_some()) {
        let number = own.step?.number;
        let before = measured().filter_map(|(index, entry)| Some((entry.step?.number, index))).filter(|(other, _)| *other < number).max();
        return Some(before.map_or(index, |(_, before)| before));
    }
    let before = measured().map(|(other, _)| other).take_while(|other| *other < index).last();
    is_device(&own.reading).then_some(before.unwrap_or(index))
}
