//! From a reading's nanoseconds to the bars of one row, or to the words that stand in their place.

use super::options::{Options, Quantity};
use super::palette::Role;
use crate::model::{Contender, Measured, Outcome, Parts, Record, Summary};

/// Median with spread, in the shown quantity's unit. `least` and `most` are ordered for every quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Smallest value.
    pub least: f64,
    /// First quartile.
    pub lower: f64,
    /// The headline.
    pub median: f64,
    /// Third quartile.
    pub upper: f64,
    /// Largest value.
    pub most: f64,
}

impl Span {
    fn of(summary: &Summary) -> Self {
        Self {
            least: summary.min_ns,
            lower: summary.lower_quartile_ns,
            median: summary.median_ns,
            upper: summary.upper_quartile_ns,
            most: summary.max_ns,
        }
    }

    /// `amount` divided by each value, so the order turns around.
    fn inverted(self, amount: f64) -> Self {
        Self {
            least: amount / self.most,
            lower: amount / self.upper,
            median: amount / self.median,
            upper: amount / self.lower,
            most: amount / self.least,
        }
    }

    fn is_finite(self) -> bool {
        [self.least, self.lower, self.median, self.upper, self.most].iter().all(|value| value.is_finite())
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
        Outcome::Unsupported(why) => problem(false, format!("not supported: {why}")),
        Outcome::Failed(why) => problem(true, format!("failed: {why}")),
        Outcome::Measured(measured) if measured.verification.total_pixels == 0 => {
            problem(true, "failed: the output was not verified".into())
        }
        Outcome::Measured(measured) if !measured.verification.is_right() => {
            problem(true, format!("failed: wrong output, {}", measured.verification.label()))
        }
        Outcome::Measured(measured) => Ok(measured),
    }
}

pub(super) fn bars(reading: &Record, options: &Options, against: Option<&Measured>) -> (Bars, Option<Problem>) {
    let measured = match figures(reading) {
        Ok(measured) => measured,
        Err(problem) => return (Bars::default(), Some(problem)),
    };
    let kernel = measured.kernel.as_ref().map(Span::of);
    let round_trip = (options.round_trip && is_device(reading)).then(|| Span::of(&measured.round_trip.total));
    let mut shown = match options.quantity {
        Quantity::Time => Bars { kernel, round_trip, parts: round_trip.and_then(|_| measured.round_trip.median_run()) },
        Quantity::Bandwidth => {
            let bytes = measured.bytes_moved as f64;
            Bars { kernel: kernel.map(|span| span.inverted(bytes)), round_trip: round_trip.map(|span| span.inverted(bytes)), parts: None }
        }
        Quantity::SpeedUp => Bars {
            kernel: against.and_then(|against| against.kernel.as_ref()).and_then(|base| kernel.map(|span| span.inverted(base.median_ns))),
            round_trip: against.and_then(|against| round_trip.map(|span| span.inverted(against.round_trip.total.median_ns))),
            parts: None,
        },
    };
    shown.kernel = shown.kernel.filter(|span| span.is_finite());
    shown.round_trip = shown.round_trip.filter(|span| span.is_finite());
    let problem = shown.kernel.is_none().then(|| Problem { is_failure: false, text: no_figure(measured, options.quantity) });
    (shown, problem)
}

fn no_figure(measured: &Measured, quantity: Quantity) -> String {
    match &measured.kernel {
        None => "timestamp invalid".to_owned(),
        Some(kernel) if kernel.min_ns <= 0.0 => "a kernel time of zero has no rate".to_owned(),
        Some(_) if quantity == Quantity::SpeedUp => "the baseline has no kernel time".to_owned(),
        Some(_) => "no figure".to_owned(),
    }
}

pub(super) fn is_device(reading: &Record) -> bool {
    matches!(reading.contender, Contender::Device { .. })
}
