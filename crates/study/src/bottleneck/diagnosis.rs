//! What times against added work say.
//!
//! A unit that is busy for the share `s` of the kernel's time has room for `1 - s` of it: so much work of its kind costs nothing, and all behind it costs
//! what the unit takes for it. Time over added work is then flat, and in the end a line. Its slope is that of the line that fits best; the most that any
//! amount costs less than the slope says is the room. Caches and queues round the corner, which makes the room look smaller, never larger.
//!
//! Each point has an interval, so the slope, the shares and what follows have one: they are worked out again and again with points drawn from theirs, and
//! what does not come out nearly always is not said.

use super::{frame, is_used, taken};
use engine::{Compared, Task};
use model::measure::Comparison;
use model::{Added, AddedKind, Bound};
use crate::Finding;
use base::texts::Words;
use serde::Serialize;
use std::f64::consts::TAU;

/// What makes a kernel less than so many times as slow is hidden.
const HIDDEN: f64 = 1.05;

/// Room is looked for where the kernel takes up to so many times its own time.
const NEAR: f64 = 2.0;

/// Where the kernel that is ready to have something added takes so many times the kernel's own time, or the kernel so many times its time, the compiler made
/// another program of it (it no longer vectorizes, say): what the test finds is not of the kernel.
const MOST_FRAME: f64 = 1.1;

/// No time is known better than this part of itself, whatever its interval says: other layouts of the same code differ by as much.
const LEAST_SPREAD: f64 = 0.01;

/// Caches and queues round the corner between flat and line: no point lies on either better than to this part of its time.
const ROUNDED: f64 = 0.05;

/// Each curve is worked out so many times.
const DRAWS: usize = 999;

/// What is said comes out in so many of them, as the 95 % intervals have it.
const SURE: f64 = 0.95;

/// A normal interval of 95 % is so many standard deviations wide.
const WIDTH_OF_95: f64 = 2.0 * 1.96;

/// One amount.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AddedPoint {
    /// So much was added per pixel.
    pub per_pixel: f64,
    /// Time over that of the kernel with nothing added.
    pub time: f64,
    /// Lower end of the 95 % interval of the same.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Other work disturbed it throughout.
    pub busy: bool,
}

impl AddedPoint {
    /// By a comparison of the kernel with nothing added (first) with this one (second).
    #[must_use]
    pub fn of(per_pixel: f64, compared: &Compared) -> Self {
        let Comparison { ratio, low, high, .. } = compared.comparison;
        Self { per_pixel, time: 1.0 / ratio, low: 1.0 / high, high: 1.0 / low, busy: compared.busy }
    }

    /// How far it may be off a line, one standard deviation.
    fn deviation(&self) -> f64 {
        self.time * self.spread().max(ROUNDED)
    }

    /// The standard deviation of the time's logarithm.
    fn spread(&self) -> f64 {
        ((self.high / self.low).ln() / WIDTH_OF_95).max(LEAST_SPREAD)
    }
}

/// What follows from points with intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// From the points themselves.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    fn of(value: f64, mut drawn: Vec<f64>) -> Self {
        drawn.sort_by(f64::total_cmp);
        let tail = drawn.len() * 25 / 1000;
        let at = |index: usize| drawn.get(index).copied().unwrap_or(value);
        Self { value, low: at(tail).min(value), high: at(drawn.len().saturating_sub(tail + 1)).max(value) }
    }
}

/// Time against added work of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AddedCurve {
    /// What was added.
    pub kind: AddedKind,
    /// From little to much; without the one at 0, where the time is 1.
    pub points: Vec<AddedPoint>,
    /// Why there are no more points.
    pub failed: Option<Words>,
    /// What the test costs itself: the kernel that is ready to have this added, against the kernel alone.
    pub frame: Option<AddedPoint>,
    /// Whether the kernel does work of this kind itself: of units that it does not use, it has no share.
    pub is_used: bool,
}

impl AddedCurve {
    /// Of the findings of a [`super::Bottleneck`]. `per_pixel` tells what an amount that was asked for came to.
    #[must_use]
    pub fn of(findings: &[Finding], kind: AddedKind, per_pixel: &dyn Fn(Added) -> f64, is_used: bool) -> Self {
        let point = |(asked, compared): &(u32, Option<&Compared>)| {
            compared.map(|compared| AddedPoint::of(per_pixel(Added { kind, per_pixel: *asked, one_by_one: false }), compared))
        };
        let why = |finding: &Finding| match finding {
            Finding::Compared(tasks, Err(error)) if tasks.1.text.added().is_some_and(|added| added.kind == kind) => Some(Words::of(error)),
            _ => None,
        };
        Self {
            kind,
            points: taken(findings, kind).iter().filter_map(point).collect(),
            failed: findings.iter().find_map(why),
            frame: frame(findings, kind),
            is_used,
        }
    }

    /// One for each kind, of the findings of a test of `task`.
    #[must_use]
    pub fn all(findings: &[Finding], task: &Task) -> Vec<Self> {
        let per_pixel = |added| task.added_per_pixel(added).unwrap_or(0.0);
        AddedKind::ALL.map(|kind| Self::of(findings, kind, &per_pixel, is_used(task, kind))).to_vec()
    }

    /// Whether the test itself makes another program of the kernel.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.frame.is_some_and(|frame| frame.time.max(frame.time.recip()) > MOST_FRAME)
    }

    /// So much more takes less than 5 % more time; 0 where the first amount takes more.
    #[must_use]
    pub fn hidden(&self) -> f64 {
        self.points.iter().take_while(|point| point.time <= HIDDEN).last().map_or(0.0, |point| point.per_pixel)
    }

    /// What one more costs: of all lines that begin at one of the points, and are flat before it, the one that is nearest to all points, each weighed by
    /// its interval.
    fn end_slope(&self) -> Option<f64> {
        self.points.last().filter(|last| last.time > HIDDEN)?;
        let lines = (0..self.points.len()).filter_map(|first| Line::through(self.points.get(first..)?));
        let nearest = lines.map(|line| (line.distance(&self.points), line)).min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map(|(_, line)| line.slope)
    }

    /// One less the most that an amount costs less than the slope says. Far up the line, room is small beside what the points are known to.
    fn end(&self) -> End {
        let slope = self.end_slope();
        let share = self.points.first().filter(|_| self.is_used && !self.is_changed()).map(|first| {
            let Some(slope) = slope else { return 0.0 };
            let room = |point: &AddedPoint| slope * point.per_pixel - (point.time - 1.0);
            let near = self.points.iter().skip(1).filter(|point| point.time <= NEAR);
            (1.0 - near.map(room).fold(room(first), f64::max)).clamp(0.0, 1.0)
        });
        End { slope, share }
    }

    /// The curve as it might have come out, the same ones whenever they are asked for.
    fn drawn(&self) -> Vec<Self> {
        let mut random = fastrand::Rng::with_seed(self.kind as u64);
        // Box and Muller 1958: two uniform numbers make a normal one.
        let mut normal = || (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (TAU * random.f64()).cos();
        let mut draw = |point: &AddedPoint| AddedPoint { time: point.time * (point.spread() * normal()).exp(), ..*point };
        (0..DRAWS).map(|_| Self { points: self.points.iter().map(&mut draw).collect(), ..self.clone() }).collect()
    }
}

/// What one set of points says of a curve.
#[derive(Clone, Copy)]
struct End {
    /// What one more costs at the end; `None` where all is hidden.
    slope: Option<f64>,
    /// The share that is busy; `None` where nothing was measured, where the kernel does not use it, and where the test made another program of the kernel.
    share: Option<f64>,
}

/// What a curve says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ending {
    /// What one more costs at the end of the curve, in parts of the kernel's time; `None` where all is hidden.
    pub slope: Option<Estimate>,
    /// The share of the kernel's time in which what does this kind of work is busy without anything added, 0 to 1. `None` where nothing was measured, where
    /// the kernel does no such work, and where the test made another program of it.
    pub busy_share: Option<Estimate>,
}

impl Ending {
    fn of(own: End, drawn: &[End]) -> Self {
        let estimate = |value: &dyn Fn(&End) -> Option<f64>| Some(Estimate::of(value(&own)?, drawn.iter().filter_map(value).collect()));
        Self { slope: estimate(&|end| end.slope), busy_share: estimate(&|end| end.share) }
    }
}

/// Time over added work where nothing is hidden any more.
struct Line {
    /// The time at no work, 0 to 1: the unit's own share.
    start: f64,
    /// What one more costs.
    slope: f64,
}

impl Line {
    /// The least-squares line of weighed points; of a single one, that from the kernel's own time.
    fn through(points: &[AddedPoint]) -> Option<Self> {
        let weighed = |of: &dyn Fn(&AddedPoint) -> f64| points.iter().map(|point| of(point) * point.deviation().powi(-2)).sum::<f64>();
        let mean = |of: &dyn Fn(&AddedPoint) -> f64| weighed(of) / weighed(&|_| 1.0);
        let (amount, time) = (mean(&|point| point.per_pixel), mean(&|point| point.time));
        let variance = mean(&|point| (point.per_pixel - amount).powi(2));
        let slope = mean(&|point| (point.per_pixel - amount) * (point.time - time)) / variance;
        let free = Self { start: time - slope * amount, slope };
        if variance > 0.0 && (0.0..=1.0).contains(&free.start) {
            return Some(free);
        }
        // No unit is busy for less than nothing, nor for more than the kernel's time.
        let start = if variance > 0.0 && free.start < 0.0 { 0.0 } else { 1.0 };
        let slope = weighed(&|point| point.per_pixel * (point.time - start)) / weighed(&|point| point.per_pixel.powi(2));
        (slope.is_finite() && slope > 0.0).then_some(Self { start, slope })
    }

    /// The sum of squares of what points are off, each in its standard deviations.
    fn distance(&self, points: &[AddedPoint]) -> f64 {
        let time = |point: &AddedPoint| (self.start + self.slope * point.per_pixel).max(1.0);
        points.iter().map(|point| ((point.time - time(point)) / point.deviation()).powi(2)).sum()
    }
}

/// What the test says of a kernel. It takes a while to work out: it is not asked for with every frame of the window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// A curve for each kind.
    pub curves: Vec<AddedCurve>,
    /// What each curve says, in the same order.
    pub endings: Vec<Ending>,
    /// What the kernel waits for; `None` where memory or arithmetic could not be tested, where the test made another program of the kernel, or where the intervals
    /// leave it open.
    pub bound: Option<Bound>,
    /// What the intervals leave open, the likeliest first; more than one only where nothing is said.
    pub open: Vec<Bound>,
}

impl Diagnosis {
    /// Whether nothing can be said, as the test made another program of the kernel.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        is_changed(&self.curves)
    }

    /// Of a curve for each kind.
    #[must_use]
    pub fn of(curves: Vec<AddedCurve>) -> Self {
        let is_changed = is_changed(&curves);
        let own = curves.iter().map(AddedCurve::end).collect::<Vec<_>>();
        let drawn = curves.iter().map(|curve| curve.drawn().iter().map(AddedCurve::end).collect::<Vec<_>>()).collect::<Vec<_>>();
        let said = |end: &dyn Fn(usize) -> Option<f64>| {
            let busy = |kinds: &[AddedKind]| {
                let shares = curves.iter().enumerate().filter(|(_, curve)| kinds.contains(&curve.kind)).filter_map(|(index, _)| end(index));
                shares.max_by(f64::total_cmp)
            };
            Some(Bound::of_busy(busy(&[AddedKind::Bytes])?, busy(&[AddedKind::Integer, AddedKind::Float])?))
        };
        let mut counts = Vec::<(Bound, usize)>::new();
        for index in (0..DRAWS).filter(|_| !is_changed) {
            let Some(bound) = said(&|curve| drawn.get(curve)?.get(index)?.share) else { continue };
            match counts.iter_mut().find(|(known, _)| is_same(*known, bound)) {
                Some((_, count)) => *count += 1,
                None => counts.push((bound, 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let total = counts.iter().map(|(_, count)| count).sum::<usize>() as f64;
        // The fewest that together come out nearly always.
        let mut sum = 0.0;
        let open = counts.iter().take_while(|(_, count)| {
            let is_needed = sum < SURE * total;
            sum += *count as f64;
            is_needed
        });
        let open = open.map(|(bound, _)| *bound).collect::<Vec<_>>();
        let bound = match open.as_slice() {
            [only] => said(&|curve| own.get(curve)?.share).filter(|bound| is_same(*bound, *only)).or(Some(*only)),
            _ => None,
        };
        let endings = own.iter().zip(&drawn).map(|(own, drawn)| Ending::of(*own, drawn)).collect();
        Self { curves, endings, bound, open }
    }
}

/// Whether the test made another program of the kernel where that matters for what is said of it.
pub(super) fn is_changed(curves: &[AddedCurve]) -> bool {
    curves.iter().any(|curve| curve.is_used && curve.is_changed())
}

/// Near the border between them, "mostly" and "at the roof" come out in turn, and say the same.
fn is_same(first: Bound, second: Bound) -> bool {
    first == second || (first.is_memory() && second.is_memory()) || (first.is_arithmetic() && second.is_arithmetic())
}

#[cfg(test)]
mod tests {
    use super::{AddedCurve, AddedPoint, Diagnosis, Ending};
    use model::AddedKind::{self, Bytes, Float, Integer};
    use model::{Bound, Pipe};
    use crate::testing::curves::{curve_within, of_points};

    /// Times of 1, 2, 4, … more, each within a percent.
    fn curve(kind: AddedKind, times: &[f64]) -> AddedCurve {
        curve_within(kind, times, 0.01)
    }

    fn ending(curve: &AddedCurve) -> Ending {
        Diagnosis::of(vec![curve.clone()]).endings[0]
    }

    fn share(curve: &AddedCurve) -> f64 {
        ending(curve).busy_share.expect("measured").value
    }

    #[test]
    fn a_kernel_that_waits_for_memory_hides_arithmetic() {
        // 100 ns for bytes beside 20 ns of arithmetic; one more operation is 10 ns: hidden up to 8, and then the pipe's own time.
        let hidden = curve(Integer, &[1.0, 1.0, 1.0, 1.0, 1.8, 3.4]);
        assert!((hidden.hidden() - 8.0).abs() < 1e-12);
        let slope = ending(&hidden).slope.expect("a slope");
        // (3.4 - 1.8) / 16, and with a percent of each against it.
        assert!((slope.value - 0.1).abs() < 1e-12 && slope.low < 0.098 && slope.high > 0.102 && slope.low > 0.09, "{slope:?}");
        assert!((share(&hidden) - 0.2).abs() < 1e-9);
        // Each byte more costs as much as each of its own two.
        let bytes = curve(Bytes, &[1.5, 2.0, 3.0]);
        assert!(bytes.hidden() < 1e-12 && (share(&bytes) - 1.0).abs() < 1e-9);
        assert_eq!(Diagnosis::of(vec![bytes, hidden]).bound, Some(Bound::AtRoof(Pipe::Memory)));
    }

    #[test]
    fn a_kernel_that_computes_hides_bytes() {
        let integer = curve(Integer, &[1.01, 1.02, 1.04, 1.08, 1.16, 1.32, 1.64, 2.28, 3.56]);
        assert!((share(&integer) - 1.0).abs() < 1e-9);
        // Less than 5 % for the first four, which is little beside what the kernel does itself.
        assert!((integer.hidden() - 4.0).abs() < 1e-12);
        let bytes = curve(Bytes, &[1.0, 1.0, 1.0, 1.0, 2.0, 4.0]);
        assert_eq!(Diagnosis::of(vec![bytes, integer]).bound, Some(Bound::AtRoof(Pipe::Arithmetic)));
    }

    /// Bilateral on an H200: bytes cost little at first and then more than they do at the end, where the caches' help is over.
    #[test]
    fn room_is_found_where_it_is_largest() {
        let bytes = curve(Bytes, &[1.0, 1.0, 1.0, 1.0, 1.04, 1.06, 1.10, 1.51, 2.17, 3.28]);
        assert!((0.7..0.85).contains(&share(&bytes)), "{}", share(&bytes));
        let float = curve(Float, &[1.0, 1.02, 1.03, 1.06, 1.11, 1.20, 1.40, 1.80, 2.60]);
        assert_eq!(Diagnosis::of(vec![bytes, float]).bound, Some(Bound::AtRoof(Pipe::Arithmetic)));
    }

    /// Copy on PoCL on two cores: the last point of bytes is known badly, and by the last two alone its bytes would seem to have room.
    #[test]
    fn a_point_that_is_known_badly_weighs_little() {
        let bytes =
            of_points(Bytes, &[(3.0, 1.49, 1.45, 1.53), (6.0, 1.93, 1.88, 2.02), (9.0, 2.44, 2.35, 2.57), (18.0, 4.20, 3.42, 4.80)]);
        let integer = of_points(
            Integer,
            &[
                (1.5, 1.07, 1.06, 1.08),
                (2.25, 1.09, 1.06, 1.31),
                (4.5, 1.07, 1.05, 1.08),
                (8.25, 1.25, 1.24, 1.26),
                (16.5, 1.83, 1.61, 2.17),
                (32.2, 2.73, 2.63, 2.97),
            ],
        );
        // A line of 0.16 to 0.17 per byte on which 3, 6 and 9 bytes lie.
        let slope = ending(&bytes).slope.expect("a slope");
        assert!((0.155..0.175).contains(&slope.value) && slope.high - slope.low < 0.06, "{slope:?}");
        assert!(share(&bytes) > 0.9 && share(&integer) < 0.78, "{:?} {:?}", ending(&bytes).busy_share, ending(&integer).busy_share);
        assert_eq!(Diagnosis::of(vec![bytes, integer]).open.first(), Some(&Bound::AtRoof(Pipe::Memory)));
    }

    #[test]
    fn what_the_intervals_leave_open_is_not_said() {
        let wide = |kind| of_points(kind, &[(1.0, 1.2, 1.0, 1.5), (2.0, 1.8, 1.2, 2.6), (4.0, 3.0, 2.0, 4.5)]);
        let diagnosis = Diagnosis::of(vec![wide(Bytes), wide(Float)]);
        assert!(diagnosis.bound.is_none() && diagnosis.open.len() > 1, "{:?}", diagnosis.open);
        let share = ending(&wide(Float)).busy_share.expect("measured");
        assert!(share.high - share.low > 0.2, "{share:?}");
    }

    /// Laplace on an H200: busy for 78 % of the time, which is now at the roof and now below.
    #[test]
    fn two_words_for_the_same_are_not_open() {
        let float = curve(Float, &[1.0, 1.0, 1.0, 1.0, 1.05, 1.25, 1.7, 2.65, 4.5]);
        let share = ending(&float).busy_share.expect("measured");
        assert!(share.low < 0.8 && share.high > 0.8, "{share:?}");
        let bytes = curve(Bytes, &[1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0]);
        assert!(Diagnosis::of(vec![bytes, float]).bound.is_some_and(Bound::is_arithmetic));
    }

    /// Sobel on PoCL, 64 × 32: ready to have integers added it is no longer vectorized, and takes 4.37 times as long. All that follows is of another program.
    #[test]
    fn nothing_is_said_of_a_kernel_that_the_test_changed() {
        let framed = |kind, time: f64| {
            let frame = AddedPoint { per_pixel: 0.0, time, low: time, high: time, busy: false };
            AddedCurve { frame: Some(frame), ..curve(kind, &[1.5, 2.0, 3.0]) }
        };
        for (integer, is_said) in [(1.0, true), (1.09, true), (1.11, false), (4.37, false), (0.92, true), (0.9, false)] {
            let diagnosis = Diagnosis::of(vec![framed(Bytes, 1.0), framed(Integer, integer)]);
            assert_eq!((diagnosis.bound.is_some(), diagnosis.is_changed()), (is_said, !is_said), "{integer}");
            assert_eq!(diagnosis.endings[1].busy_share.is_some(), is_said, "{integer}");
            assert!(is_said || diagnosis.open.is_empty());
        }
        // Of what the kernel does not do, nothing follows for it either way.
        let unused = AddedCurve { is_used: false, ..framed(Float, 4.37) };
        assert!(Diagnosis::of(vec![framed(Bytes, 1.0), framed(Integer, 1.0), unused]).bound.is_some());
    }

    #[test]
    fn units_that_the_kernel_does_not_use_have_no_share_and_bind_nothing() {
        let bytes = curve(Bytes, &[1.0, 1.0, 1.0, 1.0, 1.8, 3.4]);
        let float = AddedCurve { is_used: false, ..curve(Float, &[1.5, 2.0, 3.0]) };
        let integer = curve(Integer, &[1.0, 1.0, 1.0, 1.0, 1.8, 3.4]);
        let diagnosis = Diagnosis::of(vec![bytes, integer, float]);
        assert_eq!(diagnosis.endings[2].busy_share, None);
        assert!(diagnosis.endings[2].slope.is_some(), "what float operations would cost is known");
        assert_eq!(diagnosis.bound, Some(Bound::Neither));
    }

    #[test]
    fn both_busy_is_balanced() {
        let all = [Bytes, Float].map(|kind| curve(kind, &[1.5, 2.0, 3.0]));
        assert_eq!(Diagnosis::of(all.to_vec()).bound, Some(Bound::Balanced));
    }

    #[test]
    fn what_hides_both_waits_and_what_was_not_measured_says_nothing() {
        let all = [Bytes, Integer].map(|kind| curve(kind, &[1.0, 1.0, 1.01, 1.02]));
        assert_eq!((ending(&all[0]).slope, share(&all[0])), (None, 0.0));
        assert_eq!(Diagnosis::of(all.to_vec()).bound, Some(Bound::Neither));
        assert_eq!(Diagnosis::of(vec![curve(Bytes, &[]), all[1].clone()]).bound, None);
    }
}
