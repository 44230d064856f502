//! What is a kernel waiting for? The bottleneck test of the Adreno guide (section 5.6.1): more and more work of one kind is added to it, until it takes four times
//! as long. What was not busy takes the first of it for nothing.

mod diagnosis;

pub use diagnosis::{AddedCurve, AddedPoint, Diagnosis, Ending, Estimate};

use super::{Finding, Probe, Study};
use crate::engine::{Compared, KernelText, Task};
use crate::model::{Added, AddedKind};

/// The first amount per pixel that is added.
const FIRST: u32 = 1;

/// No kernel of ours needs more until its time is four times as long.
const MOST: u32 = 1 << 14;

/// The kernel's time has grown so many times: enough to tell what one more costs.
const ENOUGH: f64 = 4.0;

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
        Task { text: KernelText::Added(Added { kind, per_pixel }), ..self.task.clone() }
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

    fn conclude(&self, findings: &[Finding]) -> Option<Diagnosis> {
        Some(Diagnosis::of(AddedCurve::all(findings, &self.task)))
    }
}

/// The comparisons of one kind, by what was asked for.
fn taken(findings: &[Finding], kind: AddedKind) -> Vec<(u32, Option<&Compared>)> {
    let mut all = Vec::new();
    for finding in findings {
        if let Finding::Compared(tasks, compared) = finding {
            let added = tasks.1.text.added().filter(|added| added.kind == kind && added.per_pixel > 0);
            all.extend(added.map(|added| (added.per_pixel, compared.as_ref().ok())));
        }
    }
    all
}

/// How a kernel that is ready to have something added compares with the kernel alone, of the findings of a [`Bottleneck`].
#[must_use]
pub fn frame(findings: &[Finding]) -> Option<AddedPoint> {
    findings.iter().find_map(|finding| match finding {
        Finding::Compared(tasks, Ok(compared)) if tasks.0.text.is_composed() => Some(AddedPoint::of(0.0, compared)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::{AddedCurve, Bottleneck, frame};
    use crate::engine::{PictureRef, Target, Task};
    use crate::error::Error;
    use crate::image::Picture;
    use crate::measure::{Comparison, Verdict};
    use crate::model::AddedKind::{Bytes, Float, Integer};
    use crate::model::{AddedKind, Channels, CpuEngine};
    use crate::study::{Finding, Probe, Study};
    use crate::testing::compared_as;
    use std::sync::Arc;

    #[test]
    fn more_is_added_until_the_time_has_grown_enough_and_then_the_next_kind() {
        let picture = Picture::from_fn(2, 2, Channels::Gray, |_, _, _| 0);
        let task = Task::new(PictureRef::new(Arc::new(picture)), Target::Cpu(CpuEngine::Scalar));
        let mut study = Bottleneck::new(task);
        let mut findings = Vec::new();
        let mut asked = Vec::new();
        let Some(Probe::Compare(plain, ready)) = study.next(&findings) else { panic!("a comparison") };
        assert_eq!((plain.text.added(), ready.text.added().map(|added| added.per_pixel)), (None, Some(0)));
        let comparison = Comparison { ratio: 0.8, low: 0.8, high: 0.8, verdict: Verdict::Slower, starts: 1 };
        let compared = compared_as(comparison);
        findings.push(Finding::Compared(Box::new((plain, ready)), Ok(compared)));
        assert!((frame(&findings).expect("compared").time - 1.25).abs() < 1e-12);
        while let Some(Probe::Compare(without, with)) = study.next(&findings) {
            assert_eq!(without.text.added().expect("a frame").per_pixel, 0);
            let added = with.text.added().expect("something");
            asked.push((added.kind, added.per_pixel));
            // Bytes take as long as the kernel each, floats fail.
            let ratio = if added.kind == AddedKind::Bytes { 1.0 / (1.0 + f64::from(added.per_pixel)) } else { 0.2 };
            let comparison = Comparison { ratio, low: ratio, high: ratio, verdict: Verdict::Slower, starts: 1 };
            let compared = compared_as(comparison);
            let failed = Error::failed("It broke", "of itself", "");
            let compared = if added.kind == AddedKind::Float { Err(failed) } else { Ok(compared) };
            findings.push(Finding::Compared(Box::new((without, with)), compared));
        }
        assert_eq!(asked, [(Bytes, 1), (Bytes, 2), (Bytes, 4), (Integer, 1), (Float, 1)]);
        let curve = AddedCurve::of(&findings, Bytes, &|added| f64::from(added.per_pixel));
        assert_eq!(curve.points.iter().map(|point| point.time.round()).collect::<Vec<_>>(), [2.0, 3.0, 5.0]);
        assert!(AddedCurve::of(&findings, Float, &|_| 0.0).failed.expect("a reason").contains("It broke"));
    }
}
