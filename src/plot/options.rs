//! What a chart shows and how, and which reading it compares with.

use super::figures::figures;
use super::scale::Scale;
use super::units;
use crate::cpu::CpuEngine;
use crate::model::Variant;
use crate::model::{Contender, Record};
use serde::{Deserialize, Serialize};

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
    pub const fn label(self) -> &'static str {
        match self {
            Self::Time => "Time",
            Self::SpeedUp => "Speed-up",
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

/// What is shown and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// What the bars show.
    pub quantity: Quantity,
    /// Spacing of the value axis.
    pub scale: Scale,
    /// The [`Entry::key`] of the reading that speed-ups are against; `None`: CPU scalar, else the first `naive`, else the first measured.
    pub baseline: Option<String>,
    /// Whether the round trip is drawn below the kernel time.
    pub round_trip: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { quantity: Quantity::Time, scale: Scale::Linear, baseline: None, round_trip: true }
    }
}

/// A reading of the chart.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The reading.
    pub reading: &'a Record,
}

impl<'a> Entry<'a> {
    /// Entries of these readings.
    #[must_use]
    pub fn of(readings: &'a [Record]) -> Vec<Self> {
        readings.iter().map(|reading| Self { reading }).collect()
    }

    /// The name that a person gave it.
    #[must_use]
    pub fn name(&self) -> Option<&'a str> {
        self.reading.name.as_deref()
    }

    /// Identity over repeated measurements: the name, else who computed it, with which local size and host memory, where.
    #[must_use]
    pub fn key(&self) -> String {
        self.name().map_or_else(|| format!("{} on {}", self.reading.label(), self.reading.machine.device), str::to_owned)
    }
}

/// Position of the reading that speed-ups are against: the wanted one, CPU scalar, the first `naive`, the first measured.
#[must_use]
pub fn baseline_index(entries: &[Entry<'_>], wanted: Option<&str>) -> Option<usize> {
    let find = |test: &dyn Fn(&Entry<'_>) -> bool| entries.iter().position(|entry| figures(entry.reading).is_ok() && test(entry));
    let is_scalar = |contender: &Contender| matches!(contender, Contender::Cpu { engine: CpuEngine::Scalar, .. });
    let is_naive = |contender: &Contender| matches!(contender, Contender::Device { variant, .. } if *variant == Variant::naive());
    wanted
        .and_then(|wanted| find(&|entry| entry.key() == wanted))
        .or_else(|| find(&|entry| is_scalar(&entry.reading.contender)))
        .or_else(|| find(&|entry| is_naive(&entry.reading.contender)))
        .or_else(|| find(&|_| true))
}
