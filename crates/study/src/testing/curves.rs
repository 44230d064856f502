//! Curves of time over added work.

use crate::{AddedCurve, AddedPoint};
use model::AddedKind;

/// Times of 1, 2, 4, … more, known exactly.
#[must_use]
pub fn curve(kind: AddedKind, times: &[f64]) -> AddedCurve {
    curve_within(kind, times, 0.0)
}

/// The same with intervals that reach this part of each time below and above it.
#[must_use]
pub fn curve_within(kind: AddedKind, times: &[f64], part: f64) -> AddedCurve {
    let points = times.iter().enumerate().map(|(index, &time)| (f64::from(1 << index), time, time * (1.0 - part), time * (1.0 + part)));
    of_points(kind, &points.collect::<Vec<_>>())
}

/// Of amounts with times and their intervals.
#[must_use]
pub fn of_points(kind: AddedKind, points: &[(f64, f64, f64, f64)]) -> AddedCurve {
    let point = |&(per_pixel, time, low, high): &_| AddedPoint { per_pixel, time, low, high, busy: false };
    AddedCurve { kind, points: points.iter().map(point).collect(), failed: None, frame: None, is_used: true }
}
