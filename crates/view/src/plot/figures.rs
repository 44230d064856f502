//! From a reading's nanoseconds to the bars of one row, or to the words that stand in their place.

use super::options::{Entry, Options, Quantity};
use super::palette::Role;
use super::scale::Scale;
use super::units;
use base::texts::{filled, text};
use model::measure::compare_spreads;
use model::{Contender, Measured, Outcome, Parts, Record, Summary};

/// Median with quartiles, in the shown quantity's unit. `lower` and `upper` are ordered for every quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// First quartile; of a speed-up, the least that the quartiles of both readings allow.
    pub lower: f64,
    /// The headline.
    pub median: f64,
    /// Third quartile; of a speed-up, the most.
    pub upper: f64,
}

impl Span {
    /// A speed-up over itself.
    const ONE: Self = Self { lower: 1.0, median: 1.0, upper: 1.0 };

    fn of(summary: &Summary) -> Self {
        Self { lower: summary.lower_quartile_ns, median: summary.median_ns, upper: summary.upper_quartile_ns }
    }

    /// `amount` divided by each value, so the order turns around.
    fn inverted(self, amount: f64) -> Self {
        Self { lower: amount / self.upper, median: amount / self.median, upper: amount / self.lower }
    }

    /// How much less time `own` takes than `base`, with the interval that readings taken one after the other allow.
    fn speed_up(base: &Summary, own: &Summary) -> Option<Self> {
        let comparison = compare_spreads(base, own)?;
        Some(Self { lower: comparison.low, median: comparison.ratio, upper: comparison.high })
    }

    fn is_finite(self) -> bool {
        [self.lower, self.median, self.upper].iter().all(|value| value.is_finite())
    }

    /// What is written beside the bar: a speed-up never without its interval.
    #[must_use]
    pub fn text(self, quantity: Quantity) -> String {
        match quantity {
            Quantity::SpeedUp if self != Self::ONE => units::speed_up_between(self.median, self.lower, self.upper),
            quantity => quantity.format(self.median),
        }
    }
}

/// The parts that take time as (from, to, role), in the order in which they happen; `None` is launching and waiting.
#[must_use]
pub fn stack(parts: &Parts) -> Vec<(f64, f64, Option<Role>)> {
    let lengths = [
        (parts.upload_ns, Some(Role::Transfers)),
        (parts.kernel_ns, Some(Role::Device)),
        (parts.other_ns, None),
        (parts.readback_ns, Some(Role::Transfers)),
    ];
    let mut from = 0.0;
    let mut stack = Vec::new();
    for (length, role) in lengths.into_iter().filter(|(length, _)| *length > 0.0) {
        stack.push((from, from + length, role));
        from += length;
    }
    stack
}

/// The bars of one row; a bar that has no value is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Kernel time, or what is derived from it.
    pub kernel: Option<Span>,
    /// Round trip, or what is derived from it; `None` for CPU competitors, where nothing is transferred.
    pub round_trip: Option<Span>,
    /// The parts of one round trip, the one in the middle; only where times are shown, ratios do not stack.
    pub parts: Option<Parts>,
}

/// Why a row has no bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A wrong or failed run, in the failure color; otherwise not supported or without a figure.
    pub is_failure: bool,
    /// "failed: …", in words.
    pub text: String,
}

/// The figures of a reading that may be shown as a time, or what to say instead.
pub(super) fn figures(reading: &Record) -> Result<&Measured, Problem> {
    let problem = |is_failure, text: String| Err(Problem { is_failure, text });
    match &reading.outcome {
        Outcome::Unsupported(why) => problem(false, filled("window.chart.unsupported", &[("why", why)])),
        Outcome::Failed(why) => problem(true, filled("window.chart.failed", &[("why", why)])),
        Outcome::Measured(measured) if measured.verification.total_pixels == 0 => problem(true, text("window.chart.unverified").into()),
        Outcome::Measured(measured) if !measured.verification.is_right() => {
            problem(true, filled("window.chart.wrong", &[("how", &measured.verification.label())]))
        }
        Outcome::Measured(measured) => Ok(measured),
    }
}

pub(super) fn bars(entry: &Entry<'_>, options: &Options, against: Option<&Measured>) -> (Bars, Option<Problem>) {
    let reading = &*entry.reading;
    let measured = match figures(reading) {
        Ok(measured) => measured,
        Err(problem) => return (Bars::default(), Some(problem)),
    };
    // Bytes per second of a kernel that computes all the time say nothing of memory.
    if options.quantity == Quantity::Bandwidth && entry.shares.is_some_and(|shares| shares.bound.is_arithmetic()) {
        return (Bars::default(), Some(Problem { is_failure: false, text: text("studies.shares.arithmetic-bounds").to_owned() }));
    }
    let kernel = measured.kernel.as_ref().map(Span::of);
    let round_trip = (options.round_trip && is_device(reading)).then(|| Span::of(&measured.round_trip.total));
    let mut shown = match options.quantity {
        Quantity::Time => {
            // Lengths on a log axis mean nothing, and parts are told by their lengths.
            let has_parts = round_trip.is_some() && options.scale == Scale::Linear;
            // A part beside its whole is of the same runs; that of other runs may exceed it.
            let in_trips = round_trip.and(measured.round_trip.kernel.as_ref()).map(Span::of);
            Bars {
                kernel: kernel.map(|kernel| in_trips.unwrap_or(kernel)),
                round_trip,
                parts: has_parts.then(|| measured.round_trip.median_run()).flatten(),
            }
        }
        Quantity::Bandwidth => {
            let bytes = measured.bytes_moved as f64;
            Bars { kernel: kernel.map(|span| span.inverted(bytes)), round_trip: round_trip.map(|span| span.inverted(bytes)), parts: None }
        }
        Quantity::SpeedUp => {
            let is_itself = against.is_some_and(|against| std::ptr::eq(against, measured));
            let over = |base: Option<&Summary>, own: Option<&Summary>| {
                if is_itself { own.map(|_| Span::ONE) } else { Span::speed_up(base?, own?) }
            };
            Bars {
                kernel: over(against.and_then(|against| against.kernel.as_ref()), measured.kernel.as_ref()),
                round_trip: round_trip
                    .and_then(|_| over(against.map(|against| &against.round_trip.total), Some(&measured.round_trip.total))),
                parts: None,
            }
        }
    };
    shown.kernel = shown.kernel.filter(|span| span.is_finite());
    shown.round_trip = shown.round_trip.filter(|span| span.is_finite());
    let problem = shown.kernel.is_none().then(|| Problem { is_failure: false, text: no_figure(measured, options.quantity, against) });
    (shown, problem)
}

fn no_figure(measured: &Measured, quantity: Quantity, against: Option<&Measured>) -> String {
    match &measured.kernel {
        None => measured.doubt.map_or_else(|| text("window.chart.invalid").to_owned(), |doubt| doubt.label()),
        Some(kernel) if kernel.lower_quartile_ns <= 0.0 => text("window.chart.zero").to_owned(),
        Some(_) if quantity == Quantity::SpeedUp && against.is_none() => text("window.chart.nothing-to-compare").to_owned(),
        Some(_) if quantity == Quantity::SpeedUp => text("window.chart.baseline-without").to_owned(),
        Some(_) => text("window.chart.no-figure").to_owned(),
    }
}

pub(super) fn is_device(reading: &Record) -> bool {
    matches!(reading.contender, Contender::Device { .. })
}
