//! What is a kernel waiting for? The bottleneck test of the Adreno guide (section 5.6.1): more and more work of one kind is added to it, until it takes four times
//! as long. What was not busy takes the first of it for nothing.

mod diagnosis;

pub use diagnosis::{AddedCurve, AddedPoint, Diagnosis, Ending, Estimate};

use super::{Command, Finding, Kind, Probe, Study, Subject, telling};
use engine::{Compared, KernelText, Task};
use base::error::Result;
use model::{Added, AddedKind};
use view::plot::{Curve, CurvePoint, Curves, Role, Scale, units};
use view::story::{self, Block, Cell, Column, Figure, Row, Story, Table, Tone, Unit, said, said_where};
use base::texts::{Words, failed, filled, speaking_keys};
use serde_json::{Value, json};

/// How window and command line know it.
pub static KIND: Kind = Kind {
    name: "bottleneck",
    subject: Subject::Variant,
    shortcut: ("B", false),
    command: Some(Command {
        name: "bottleneck",
        picture: (3840, 2160),
        takes_file: false,
        example: "coalesced+padded+access=int4 --filter copy --size 7680x4320",
    }),
    goes_on: false,
    keeps: None,
    why_not: |_| None,
    begin: |asked| Box::new(Bottleneck::new(asked.task)),
};

/// The first amount per pixel that is added.
const FIRST: u32 = 1;

/// No kernel of ours needs more until its time is four times as long.
const MOST: u32 = 1 << 14;

/// The kernel's time has grown so many times: enough to tell what one more costs.
const ENOUGH: f64 = 4.0;

/// Compares the kernel with ones that are ready to have something added, then adds bytes, then integer operations, then float operations, twice as many each time, each compared with none in interleaved pairs.
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
        Task { text: KernelText::Added(Added { kind, per_pixel, one_by_one: false }), ..self.task.clone() }
    }
}

impl Study for Bottleneck {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        // What adding costs where nothing is added comes first: where that makes another program of the kernel, the test is over.
        let frames = AddedKind::ALL.map(|kind| (self.task.clone(), self.with(kind, 0)));
        if let Some((plain, ready)) = frames.into_iter().find(|pair| !findings.iter().any(|finding| is_of(finding, pair))) {
            return Some(Probe::Compare(plain, ready));
        }
        let curves = AddedCurve::all(findings, &self.task);
        if diagnosis::is_changed(&curves) {
            return None;
        }
        let kinds = curves.iter().filter(|curve| !curve.is_changed()).map(|curve| curve.kind);
        kinds.into_iter().find_map(|kind| match taken(findings, kind).last() {
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

    fn about(&self, probe: &Probe) -> String {
        let Probe::Compare(_, task) = probe else { return String::new() };
        task.text.added().map_or_else(String::new, |added| {
            filled("tables.bottleneck.more", &[("amount", &added.per_pixel), ("unit", &added.kind.unit())])
        })
    }

    fn conclude(&self, findings: &[Finding], is_done: bool) -> Option<Story> {
        let curves = AddedCurve::all(findings, &self.task);
        // What follows takes a while to work out.
        let diagnosis = is_done.then(|| Diagnosis::of(curves.clone()));
        Some(story(&curves, diagnosis.as_ref()))
    }

    fn facts(&self, findings: &[Finding]) -> Value {
        let diagnosis = Diagnosis::of(AddedCurve::all(findings, &self.task));
        let busy = diagnosis.endings.iter().map(|ending| ending.busy_share).collect::<Vec<_>>();
        json!({
            "frame": largest_frame(&diagnosis.curves),
            "changed": diagnosis.is_changed(),
            "curves": diagnosis.curves,
            "busy_shares": busy,
            "bound": diagnosis.bound,
            "open": diagnosis.open,
        })
    }

    /// One amount that could not be added is told with its curve.
    fn check(&self, findings: &[Finding]) -> Result<()> {
        let curves = AddedCurve::all(findings, &self.task);
        if diagnosis::is_changed(&curves) || curves.iter().any(|curve| !curve.points.is_empty()) {
            return Ok(());
        }
        let why = curves.iter().find_map(|curve| curve.failed.as_ref()).map(ToString::to_string).unwrap_or_default();
        Err(failed("errors.bottleneck.not-made", &[("why", &why)]))
    }
}

fn story(curves: &[AddedCurve], diagnosis: Option<&Diagnosis>) -> Story {
    let mut story = Story::default();
    let frame = largest_frame(curves);
    if let Some(conclusion) = diagnosis.and_then(|diagnosis| said_where(|| telling::conclusion(diagnosis))) {
        story.say(Tone::Strong, conclusion);
    }
    let points = || curves.iter().flat_map(|curve| curve.points.iter().map(move |point| (curve.kind, point)));
    if points().map(|(_, point)| point).chain(&frame).any(|point| point.busy) {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    if points().next().is_some() {
        story.push(Block::Figure(figure(curves)));
    }
    for line in diagnosis.map_or_else(Vec::new, |diagnosis| speaking_keys(|| telling::curve_sentences(diagnosis))) {
        story.say(Tone::Plain, Words::from(line));
    }
    if let Some(frame) = &frame {
        story.say(Tone::Weak, said(|| telling::frame_sentence(frame)));
    }
    if points().next().is_some() {
        let unit = |kind: AddedKind| Cell::Words(said(|| kind.unit().to_owned()));
        let mut table = Table::new(
            "added",
            vec![
                Column::new("kind", story::Kind::Words, "tables.bottleneck.added"),
                Column::new("per_pixel", story::Kind::Number, "tables.bottleneck.per-pixel"),
                Column::new("time", story::Kind::Number, "tables.bottleneck.time"),
            ],
        );
        for (kind, at) in points() {
            let time = Cell::Between([at.time, at.low, at.high], Unit::Ratio);
            table.row(Row::Cells(vec![unit(kind), Cell::Number(at.per_pixel, Unit::Count), time]));
        }
        story.push(Block::Table(table));
        story.say(Tone::Weak, Words::text("tables.bottleneck.about"));
    }
    story
}

fn figure(curves: &[AddedCurve]) -> Figure {
    // The colors of the roofline: memory and arithmetic have theirs.
    let role = |kind| match kind {
        AddedKind::Bytes => Role::Transfers,
        AddedKind::Integer => Role::Device,
        AddedKind::Float => Role::Cpu,
    };
    let point = |kind: AddedKind, at: &AddedPoint| {
        let name = said(|| {
            let (amount, time) = (units::number(at.per_pixel), units::speed_up_between(at.time, at.low, at.high));
            filled("studies.bottleneck.spoken", &[("amount", &amount), ("unit", &kind.unit()), ("time", &time)])
        });
        CurvePoint { x: at.per_pixel, y: at.time, low: at.low, high: at.high, name }
    };
    let curve = |curve: &AddedCurve| Curve {
        label: said(|| curve.kind.unit().to_owned()),
        role: role(curve.kind),
        points: curve.points.iter().map(|at| point(curve.kind, at)).collect(),
        is_stepped: false,
    };
    Figure::Curves(Curves {
        curves: curves.iter().map(curve).collect(),
        titles: ["studies.bottleneck.horizontal", "studies.bottleneck.vertical"].map(Words::text),
        units: [Unit::Count, Unit::Ratio],
        scale: Scale::Linear,
        levels: vec![1.0],
        marks: Vec::new(),
        names: Vec::new(),
    })
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

/// Whether it is the comparison of these two.
fn is_of(finding: &Finding, pair: &(Task, Task)) -> bool {
    matches!(finding, Finding::Compared(tasks, _) if tasks.0.text == pair.0.text && tasks.1.text == pair.1.text)
}

/// How a kernel that is ready to have something of this kind added compares with the kernel alone, of the findings of a [`Bottleneck`].
fn frame(findings: &[Finding], kind: AddedKind) -> Option<AddedPoint> {
    findings.iter().find_map(|finding| match finding {
        Finding::Compared(tasks, Ok(compared)) if tasks.0.text.is_composed() => {
            tasks.1.text.added().filter(|added| added.kind == kind).map(|_| AddedPoint::of(0.0, compared))
        }
        _ => None,
    })
}

/// The most that the test costs itself, of the kinds of work that the kernel does.
#[must_use]
pub fn largest_frame(curves: &[AddedCurve]) -> Option<AddedPoint> {
    let far = |point: &AddedPoint| point.time.max(point.time.recip());
    curves.iter().filter(|curve| curve.is_used).filter_map(|curve| curve.frame).max_by(|one, other| far(one).total_cmp(&far(other)))
}

/// Whether the kernel does work of this kind. All of them load, and compute places with integers; floats are counted, where operations are.
fn is_used(task: &Task, kind: AddedKind) -> bool {
    kind != AddedKind::Float || task.counts().is_none_or(|counts| counts.float_operations > 0.0)
}

#[cfg(test)]
mod tests {
    use super::{AddedCurve, Bottleneck, Diagnosis, frame, largest_frame, story};
    use engine::{PictureRef, Target, Task};
    use base::error::Error;
    use pictures::Picture;
    use model::measure::{Comparison, Verdict};
    use model::AddedKind::{Bytes, Float, Integer};
    use model::{Added, AddedKind, Channels, CpuEngine, HostMemory, LocalSize, Variant};
    use crate::{Finding, Probe, Study};
    use view::story::text;
    use crate::testing::compared_as;
    use crate::testing::curves::curve;
    use std::sync::Arc;

    /// The kernel alone so many times as fast as ready to have something added.
    fn framed(plain: Task, ready: Task, ratio: f64) -> Finding {
        let compared = compared_as(Comparison { ratio, low: ratio, high: ratio, verdict: Verdict::Slower, starts: 1 });
        Finding::Compared(Box::new((plain, ready)), Ok(compared))
    }

    #[test]
    fn the_test_ends_where_it_makes_another_program_of_the_kernel() {
        let picture = PictureRef::new(Arc::new(Picture::from_fn(2, 2, Channels::Gray, |_, _, _| 0)));
        let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        let mut study = Bottleneck::new(Task::new(picture, target));
        let mut findings = Vec::new();
        // Laplace has no floats: what they do to it does not end the test, and they are not added.
        for ratio in [1.0, 1.0, 0.2] {
            let Some(Probe::Compare(plain, ready)) = study.next(&findings) else { panic!("a comparison") };
            findings.push(framed(plain, ready, ratio));
        }
        let Some(Probe::Compare(_, next)) = study.next(&findings) else { panic!("it goes on") };
        assert_eq!(next.text.added(), Some(Added { kind: Bytes, per_pixel: 1, one_by_one: false }));
        assert!(!AddedCurve::all(&findings, &study.task)[2].is_used);
        // Integers it has.
        let Some(Finding::Compared(tasks, _)) = findings.get(1).cloned() else { panic!("integers come second") };
        findings[1] = framed(tasks.0, tasks.1, 1.0 / 4.37);
        assert!(study.next(&findings).is_none());
        let diagnosis = Diagnosis::of(AddedCurve::all(&findings, &study.task));
        assert!(diagnosis.is_changed() && diagnosis.bound.is_none());
        assert!((largest_frame(&diagnosis.curves).expect("measured").time - 4.37).abs() < 1e-9);
    }

    #[test]
    fn more_is_added_until_the_time_has_grown_enough_and_then_the_next_kind() {
        let picture = Picture::from_fn(2, 2, Channels::Gray, |_, _, _| 0);
        let task = Task::new(PictureRef::new(Arc::new(picture)), Target::Cpu(CpuEngine::Scalar));
        let mut study = Bottleneck::new(task);
        let mut findings = Vec::new();
        let mut asked = Vec::new();
        for kind in AddedKind::ALL {
            let Some(Probe::Compare(plain, ready)) = study.next(&findings) else { panic!("a comparison") };
            assert_eq!((plain.text.added(), ready.text.added()), (None, Some(Added { kind, per_pixel: 0, one_by_one: false })));
            findings.push(framed(plain, ready, 0.95));
            assert!((frame(&findings, kind).expect("compared").time - 1.0 / 0.95).abs() < 1e-12);
        }
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
        let curve = AddedCurve::of(&findings, Bytes, &|added| f64::from(added.per_pixel), true);
        assert_eq!(curve.points.iter().map(|point| point.time.round()).collect::<Vec<_>>(), [2.0, 3.0, 5.0]);
        assert!(AddedCurve::of(&findings, Float, &|_| 0.0, true).failed.expect("a reason").english().contains("It broke"));
    }

    #[test]
    fn a_test_is_told_in_words() {
        let curves = vec![curve(Bytes, &[1.5, 2.0, 3.0]), curve(Integer, &[1.0, 1.0, 1.0, 1.0, 1.8, 3.4])];
        let told = text::paint(&story(&curves, Some(&Diagnosis::of(curves.clone()))));
        for part in [
            "Even a few bytes loaded per pixel slow it; beyond that, each costs 50 % of the kernel time (",
            "Loads and stores are busy for 100 % of the original kernel time (",
            "Up to 8 more integer operations per pixel cost less than 5 %; beyond that, each costs 10 % of the kernel time (",
            "Memory-bound: up to 8 more operations per pixel are hidden behind the loads",
        ] {
            assert!(told.contains(part), "{part}\n{told}");
        }
    }
}
