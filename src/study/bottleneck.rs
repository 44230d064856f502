//! What is a kernel waiting for? The bottleneck test of the Adreno guide (section 5.6.1): more and more work of one kind is added to it, until it takes more than twice
//! as long. What was not busy takes the first of it for nothing.

use super::{Finding, Probe, Study};
use crate::engine::{Compared, Task};
use crate::measure::Comparison;
use crate::model::{Added, AddedKind, Bound};
use serde::Serialize;

/// The first amount per pixel that is added.
const FIRST: u32 = 1;

/// No kernel of ours needs more until its time has doubled.
const MOST: u32 = 1 << 14;

/// The kernel's time has grown so many times: enough to tell what one more costs.
const ENOUGH: f64 = 2.5;

/// What makes a kernel less than so many times as slow is hidden.
const HIDDEN: f64 = 1.05;

/// Compares the kernel with one that is ready to have something added, then adds bytes, then integer operations, then float operations, twice as many each time, each compared with none in interleaved pairs.
#[derive(Clone, Debug)]
pub struct Bottleneck {
    task: Task,
}

impl Bottleneck {
    /// Of a task on a device.
    #[must_use]
    pub const fn new(task: Task) -> Self {
        Self { task }
    }

    fn probe(&self, kind: AddedKind, per_pixel: u32) -> Probe {
        Probe::Compare(self.with(kind, 0), self.with(kind, per_pixel))
    }

    fn with(&self, kind: AddedKind, per_pixel: u32) -> Task {
        Task { added: Some(Added { kind, per_pixel }), ..self.task.clone() }
    }
}

impl Study for Bottleneck {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        if findings.is_empty() {
            // What adding costs where nothing is added: of arithmetic, which needs more registers than bytes do.
            return Some(Probe::Compare(self.task.clone(), self.with(AddedKind::Integer, 0)));
        }
        AddedKind::ALL.into_iter().find_map(|kind| match taken(findings, kind).last() {
            None => Some(self.probe(kind, FIRST)),
            Some((asked, Some(Compared { comparison, .. }))) if 1.0 < ENOUGH * comparison.ratio && *asked < MOST => {
                Some(self.probe(kind, 2 * asked))
            }
            Some(_) => None,
        })
    }

    fn total(&self) -> usize {
        0
    }
}

/// The comparisons of one kind, by what was asked for.
fn taken(findings: &[Finding], kind: AddedKind) -> Vec<(u32, Option<&Compared>)> {
    let mut all = Vec::new();
    for finding in findings {
        if let Finding::Compared(tasks, compared) = finding {
            let added = tasks.1.added.filter(|added| added.kind == kind && added.per_pixel > 0);
            all.extend(added.map(|added| (added.per_pixel, compared.as_ref().ok())));
        }
    }
    all
}

/// How a kernel that is ready to have something added compares with the kernel alone, of the findings of a [`Bottleneck`].
#[must_use]
pub fn frame(findings: &[Finding]) -> Option<AddedPoint> {
    findings.iter().find_map(|finding| match finding {
        Finding::Compared(tasks, Ok(compared)) if tasks.0.added.is_none() => Some(AddedPoint::of(0.0, compared)),
        _ => None,
    })
}

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
}

/// What one more costs once nothing is hidden, in parts of the kernel's time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slope {
    /// The estimate.
    pub cost: f64,
    /// As little as the intervals of its two points allow.
    pub low: f64,
    /// As much.
    pub high: f64,
}

/// Time against added work of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AddedCurve {
    /// What was added.
    pub kind: AddedKind,
    /// From little to much; without the one at 0, where the time is 1.
    pub points: Vec<AddedPoint>,
    /// Why there are no more points.
    pub failed: Option<String>,
}

impl AddedCurve {
    /// Of the findings of a [`Bottleneck`]. `per_pixel` tells what an amount that was asked for came to.
    #[must_use]
    pub fn of(findings: &[Finding], kind: AddedKind, per_pixel: &dyn Fn(Added) -> f64) -> Self {
        let point = |(asked, compared): &(u32, Option<&Compared>)| {
            compared.map(|compared| AddedPoint::of(per_pixel(Added { kind, per_pixel: *asked }), compared))
        };
        let why = |finding: &Finding| match finding {
            Finding::Compared(tasks, Err(error)) if tasks.1.added.is_some_and(|added| added.kind == kind) => Some(error.to_string()),
            _ => None,
        };
        Self { kind, points: taken(findings, kind).iter().filter_map(point).collect(), failed: findings.iter().find_map(why) }
    }

    /// So much more takes less than 5 % more time; 0 where the first amount takes more.
    #[must_use]
    pub fn hidden(&self) -> f64 {
        self.points.iter().take_while(|point| point.time <= HIDDEN).last().map_or(0.0, |point| point.per_pixel)
    }

    /// What one more costs at the end of the curve; `None` where all is hidden.
    #[must_use]
    pub fn slope(&self) -> Option<Slope> {
        let last = self.points.last().filter(|last| last.time > HIDDEN)?;
        let none = AddedPoint { per_pixel: 0.0, time: 1.0, low: 1.0, high: 1.0, busy: false };
        let before = self.points.iter().rev().nth(1).copied().unwrap_or(none);
        let apart = last.per_pixel - before.per_pixel;
        let cost = |last: f64, before: f64| ((last - before) / apart).max(0.0);
        (apart > 0.0).then(|| Slope {
            cost: cost(last.time, before.time),
            low: cost(last.low, before.high),
            high: cost(last.high, before.low),
        })
    }

    /// The share of the kernel's time in which what does this kind of work is busy without anything added, 0 to 1. Were it busy throughout, every amount
    /// would cost what the slope says; the most that an amount costs less than that is room, and what is not room is use. `None` where nothing was
    /// measured.
    #[must_use]
    pub fn busy_share(&self) -> Option<f64> {
        if self.points.is_empty() {
            return None;
        }
        let Some(slope) = self.slope() else { return Some(0.0) };
        let room = |point: &AddedPoint| slope.cost * point.per_pixel - (point.time - 1.0);
        Some((1.0 - self.points.iter().map(room).fold(0.0, f64::max)).clamp(0.0, 1.0))
    }
}

/// What the test says of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// A curve for each kind.
    pub curves: Vec<AddedCurve>,
    /// By the same rules as shares of roofs; `None` where memory or arithmetic could not be tested.
    pub bound: Option<Bound>,
}

impl Diagnosis {
    /// Of a curve for each kind.
    #[must_use]
    pub fn of(curves: Vec<AddedCurve>) -> Self {
        let busy = |kinds: &[AddedKind]| {
            let shares = curves.iter().filter(|curve| kinds.contains(&curve.kind)).filter_map(AddedCurve::busy_share);
            shares.max_by(f64::total_cmp)
        };
        let (memory, arithmetic) = (busy(&[AddedKind::Bytes]), busy(&[AddedKind::Integer, AddedKind::Float]));
        let bound = memory.zip(arithmetic).map(|(memory, arithmetic)| Bound::of_shares(memory, Some(arithmetic)));
        Self { curves, bound }
    }
}

#[cfg(test)]
mod tests {
    use super::{AddedCurve, AddedPoint, Bottleneck, Diagnosis, frame};
    use crate::engine::{Compared, PictureRef, Target, Task};
    use crate::error::Error;
    use crate::image::Picture;
    use crate::measure::{Comparison, Places, Verdict};
    use crate::model::AddedKind::{self, Bytes, Float, Integer};
    use crate::model::{Bound, Channels, CpuEngine, Pipe};
    use crate::study::{Finding, Probe, Study};
    use std::sync::Arc;

    /// Times of 1, 2, 4, … more, each within a percent.
    fn curve(kind: AddedKind, times: &[f64]) -> AddedCurve {
        let point = |(index, &time): (usize, &f64)| AddedPoint {
            per_pixel: f64::from(1 << index),
            time,
            low: time * 0.99,
            high: time * 1.01,
            busy: false,
        };
        AddedCurve { kind, points: times.iter().enumerate().map(point).collect(), failed: None }
    }

    #[test]
    fn a_kernel_that_waits_for_memory_hides_arithmetic() {
        // 100 ns for bytes beside 20 ns of arithmetic; one more operation is 10 ns: hidden up to 8, and then the pipe's own time.
        let hidden = curve(AddedKind::Integer, &[1.0, 1.0, 1.0, 1.0, 1.8, 3.4]);
        assert!((hidden.hidden() - 8.0).abs() < 1e-12);
        let slope = hidden.slope().expect("a slope");
        // (3.4 - 1.8) / 16, and with a percent of each against it.
        assert!((slope.cost - 0.1).abs() < 1e-12 && (slope.low - (3.366 - 1.818) / 16.0).abs() < 1e-12, "{slope:?}");
        assert!((hidden.busy_share().expect("measured") - 0.2).abs() < 1e-9);
        // Each byte more costs as much as each of its own two.
        let bytes = curve(AddedKind::Bytes, &[1.5, 2.0, 3.0]);
        assert_eq!((bytes.hidden(), bytes.busy_share()), (0.0, Some(1.0)));
        assert_eq!(Diagnosis::of(vec![bytes, hidden]).bound, Some(Bound::AtRoof(Pipe::Memory)));
    }

    #[test]
    fn a_kernel_that_computes_hides_bytes() {
        let integer = curve(AddedKind::Integer, &[1.01, 1.02, 1.04, 1.08, 1.16, 1.32, 1.64, 2.28, 3.56]);
        assert!((integer.busy_share().expect("measured") - 1.0).abs() < 1e-9);
        // Less than 5 % for the first four, which is little beside what the kernel does itself.
        assert!((integer.hidden() - 4.0).abs() < 1e-12);
        let bytes = curve(AddedKind::Bytes, &[1.0, 1.0, 1.0, 1.0, 2.0, 4.0]);
        assert_eq!(Diagnosis::of(vec![bytes, integer]).bound, Some(Bound::AtRoof(Pipe::Arithmetic)));
    }

    /// Bilateral on an H200: bytes cost little at first and then more than they do at the end, where the caches' help is over.
    #[test]
    fn room_is_found_where_it_is_largest() {
        let bytes = curve(AddedKind::Bytes, &[1.0, 1.0, 1.0, 1.0, 1.04, 1.06, 1.10, 1.51, 2.17, 3.28]);
        let room = 64.0 * (3.28 - 2.17) / 256.0 - 0.10;
        assert!((bytes.busy_share().expect("measured") - (1.0 - room)).abs() < 1e-9);
        let float = curve(AddedKind::Float, &[1.0, 1.02, 1.03, 1.06, 1.11, 1.20, 1.40, 1.80, 2.60]);
        assert_eq!(Diagnosis::of(vec![bytes, float]).bound, Some(Bound::AtRoof(Pipe::Arithmetic)));
    }

    #[test]
    fn what_hides_both_waits_and_what_was_not_measured_says_nothing() {
        let all = [AddedKind::Bytes, AddedKind::Integer].map(|kind| curve(kind, &[1.0, 1.0, 1.01, 1.02]));
        assert_eq!((all[0].slope(), all[0].busy_share()), (None, Some(0.0)));
        assert_eq!(Diagnosis::of(all.to_vec()).bound, Some(Bound::Neither));
        assert_eq!(Diagnosis::of(vec![curve(AddedKind::Bytes, &[]), all[1].clone()]).bound, None);
    }

    #[test]
    fn more_is_added_until_the_time_has_grown_enough_and_then_the_next_kind() {
        let picture = Picture::from_fn(2, 2, Channels::Gray, |_, _, _| 0);
        let task = Task::new(PictureRef::new(Arc::new(picture)), Target::Cpu(CpuEngine::Scalar));
        let mut study = Bottleneck::new(task);
        let mut findings = Vec::new();
        let mut asked = Vec::new();
        let Some(Probe::Compare(plain, ready)) = study.next(&findings) else { panic!("a comparison") };
        assert_eq!((plain.added, ready.added.map(|added| added.per_pixel)), (None, Some(0)));
        let comparison = Comparison { ratio: 0.8, low: 0.8, high: 0.8, verdict: Verdict::Slower };
        let compared = Compared { comparison, pairs: Vec::new(), places: Places::Shared, busy: false, code: None };
        findings.push(Finding::Compared(Box::new((plain, ready)), Ok(compared)));
        assert!((frame(&findings).expect("compared").time - 1.25).abs() < 1e-12);
        while let Some(Probe::Compare(without, with)) = study.next(&findings) {
            assert_eq!(without.added.expect("a frame").per_pixel, 0);
            let added = with.added.expect("something");
            asked.push((added.kind, added.per_pixel));
            // Bytes take as long as the kernel each, floats fail.
            let ratio = if added.kind == AddedKind::Bytes { 1.0 / (1.0 + f64::from(added.per_pixel)) } else { 0.3 };
            let comparison = Comparison { ratio, low: ratio, high: ratio, verdict: Verdict::Slower };
            let compared = Compared { comparison, pairs: Vec::new(), places: Places::Shared, busy: false, code: None };
            let failed = Error::failed("It broke", "of itself", "");
            let compared = if added.kind == AddedKind::Float { Err(failed) } else { Ok(compared) };
            findings.push(Finding::Compared(Box::new((without, with)), compared));
        }
        assert_eq!(asked, [(Bytes, 1), (Bytes, 2), (Integer, 1), (Float, 1)]);
        let curve = AddedCurve::of(&findings, Bytes, &|added| f64::from(added.per_pixel));
        assert_eq!(curve.points.iter().map(|point| point.time.round()).collect::<Vec<_>>(), [2.0, 3.0]);
        assert!(AddedCurve::of(&findings, Float, &|_| 0.0).failed.expect("a reason").contains("It broke"));
    }
}
