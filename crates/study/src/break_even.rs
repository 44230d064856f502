//! From which picture size on does a device win, when the picture has to get there and back?
//!
//! Each round trip costs something fixed (launching, waiting) and something for each pixel (transfers and the kernel): t = fixed + per pixel · pixels. Neither
//! can be less than nothing. Where device and processor are even is where their measured times cross, between two sizes that were measured: lines through all
//! sizes may cross elsewhere, as caches end between small pictures and large ones, and beyond the sizes measured nothing is known.

use super::{Question, Bus, Command, Finding, Kind, Probe, Study, Subject, telling, verdict};
use engine::{PictureRef, Target, Task};
use base::error::Result;
use model::measure::{Comparison, Verdict, compare_readings};
use model::{BuildFrom, Contender, CpuEngine, Labelled, Measured, Record, Roofs};
use view::plot::{Curve, CurvePoint, Curves, Role, Scale, units};
use view::story::{self, Block, Cell, Column, Figure, Row, Story, Table, Tone, Unit, said};
use base::texts::{Words, filled, text};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;

/// How window and command line know it.
pub static KIND: Kind = Kind {
    name: "break-even",
    subject: Subject::Sizes(&SIZES),
    shortcut: ("B", true),
    command: Some(Command { name: "break-even", picture: (1, 1), takes_file: false, example: "coalesced --filter bilateral" }),
    goes_on: false,
    keeps: None,
    why_not: |_| None,
    begin: |asked| Box::new(Sweep::new(asked)),
};

/// Sizes that are measured: from a thumbnail to 8K.
static SIZES: [(usize, usize); 7] = [(256, 256), (512, 512), (1024, 1024), (1920, 1080), (2560, 1440), (3840, 2160), (7680, 4320)];

/// Measures a task on its device, then the CPU competitors, over a generated picture of each size. A picture is made when it is its turn, which takes as
/// long as it is large: not for the window's thread.
struct SizeSweep {
    like: Task,
    sizes: VecDeque<(usize, usize)>,
    total: usize,
    /// Over the picture of the present size.
    waiting: VecDeque<Task>,
}

impl SizeSweep {
    /// Of sizes in this order; the task's own picture is not used.
    fn new(like: Task, sizes: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let sizes: VecDeque<_> = sizes.into_iter().collect();
        let competitors = like.filter().competitors().len();
        Self { like, total: sizes.len() * (1 + competitors), sizes, waiting: VecDeque::new() }
    }

    fn next(&mut self) -> Option<Probe> {
        if self.waiting.is_empty() {
            let (width_px, height_px) = self.sizes.pop_front()?;
            let picture = PictureRef::generated((width_px, height_px), self.like.spec.channels);
            let targets =
                std::iter::once(self.like.target).chain(self.like.filter().competitors().iter().map(|engine| Target::Cpu(*engine)));
            self.waiting = targets.map(|target| Task { target, picture: picture.clone(), ..self.like.clone() }).collect();
        }
        self.waiting.pop_front().map(Probe::Measure)
    }
}

/// The study.
struct Sweep {
    sizes: SizeSweep,
    roofs: Option<Arc<Roofs>>,
}

impl Sweep {
    fn new(asked: Question) -> Self {
        Self { sizes: SizeSweep::new(asked.task, asked.sizes), roofs: asked.roofs }
    }
}

impl Study for Sweep {
    fn next(&mut self, _: &[Finding]) -> Option<Probe> {
        self.sizes.next()
    }

    fn total(&self) -> usize {
        self.sizes.total
    }

    fn about(&self, probe: &Probe) -> String {
        let Probe::Measure(task) = probe else { return String::new() };
        let (width, height) = task.picture.size();
        format!("{width} x {height}:")
    }

    fn conclude(&self, findings: &[Finding], _is_done: bool) -> Option<Story> {
        Some(story(&Found::of(findings), self.roofs.as_deref()))
    }

    fn facts(&self, findings: &[Finding]) -> Value {
        let found = Found::of(findings);
        json!({ "break_even": found.results, "records": found.records })
    }

    fn check(&self, findings: &[Finding]) -> Result<()> {
        verdict::of_rows(records(findings).map(|record| (record, None)))
    }
}

fn records(findings: &[Finding]) -> impl Iterator<Item = &Record> {
    findings.iter().filter_map(|finding| if let Finding::Record(_, record) = finding { Some(record.as_ref()) } else { None })
}

/// What was measured, and what follows against each competitor.
struct Found {
    records: Vec<Record>,
    results: [BreakEven; 3],
}

impl Found {
    fn of(findings: &[Finding]) -> Self {
        let records: Vec<Record> = records(findings).cloned().collect();
        let rivals = Rivals::of(&records);
        Self { results: CpuEngine::ALL.map(|engine| BreakEven::of(&rivals, engine)), records }
    }
}

fn story(found: &Found, roofs: Option<&Roofs>) -> Story {
    let Found { records, results } = found;
    let rivals = Rivals::of(records);
    let mut story = Story::default();
    if records.iter().any(Record::is_busy) {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    if !records.iter().any(|record| record.measured().is_some()) {
        return story;
    }
    for result in results.iter().filter(|result| !result.at.is_empty()) {
        story.say(Tone::Plain, said(|| telling::break_even_sentence(result)));
    }
    story.push(Block::Figure(figure(&rivals, results)));
    story.push(Block::Table(ledger(&rivals)));
    story.say(Tone::Weak, Words::text("studies.break-even.ledger"));
    if let Some(transfers) = transfers(&rivals, roofs) {
        story.say(Tone::Weak, transfers);
    }
    story.push(Block::Table(speed_ups(&rivals, results)));
    story.say(Tone::Weak, Words::text("studies.break-even.speed-ups"));
    story
}

/// The transfers of the largest picture, which have the least of a start in them; nothing where its bytes were not copied.
fn transfers(rivals: &[Rivals<'_>], roofs: Option<&Roofs>) -> Option<Words> {
    let Some(roofs) = roofs else { return Some(Words::text("tables.break-even.no-bus")) };
    let device = rivals.last()?.device;
    let ((width, height), bus) = (device.picture.size(), Bus::of(device, roofs));
    telling::bus(&bus)?;
    Some(said(|| {
        let bus = telling::bus(&bus).unwrap_or_default();
        filled("tables.break-even.bus", &[("width", &width), ("height", &height), ("bus", &bus)])
    }))
}

/// A competitor's color is that of all; their shapes and labels tell them apart.
fn figure(rivals: &[Rivals<'_>], results: &[BreakEven]) -> Figure {
    let point = |name: &dyn Fn() -> String, record: &Record| {
        let total = &record.measured()?.round_trip.total;
        let y = [total.median_ns, total.lower_quartile_ns, total.upper_quartile_ns];
        let (width, height) = record.picture.size();
        let name = said(|| {
            let [middle, low, high] = y;
            let (pixels, time) = (units::grouped(width * height), units::time_between(middle, low, high));
            filled("studies.break-even.spoken", &[("name", &name()), ("pixels", &pixels), ("time", &time)])
        });
        let [y, low, high] = y;
        Some(CurvePoint { x: (width * height) as f64, y, low, high, name })
    };
    let device = || text("studies.break-even.device").to_owned();
    let of_device = Curve {
        label: said(device),
        role: Role::Device,
        points: rivals.iter().filter_map(|size| point(&device, size.device)).collect(),
        is_stepped: false,
    };
    let competitor = |engine: CpuEngine| {
        let own = rivals.iter().filter_map(|size| size.cpu(engine));
        let label = move || engine.label().to_owned();
        Curve { label: said(label), role: Role::Cpu, points: own.filter_map(|record| point(&label, record)).collect(), is_stepped: false }
    };
    let marks = results.iter().filter_map(|result| match result.even? {
        Even::Within { pixels, .. } => Some((pixels, said(|| result.against.label().to_owned()))),
        Even::Below | Even::Above => None,
    });
    Figure::Curves(Curves {
        curves: std::iter::once(of_device).chain(CpuEngine::ALL.map(competitor)).collect(),
        titles: ["studies.break-even.horizontal", "studies.break-even.vertical"].map(Words::text),
        units: [Unit::Count, Unit::Time],
        scale: Scale::Log,
        levels: Vec::new(),
        marks: marks.collect(),
        names: Vec::new(),
    })
}

fn size_of(rivals: &Rivals<'_>) -> Cell {
    Cell::Size(rivals.device.picture.size().into())
}

/// Where the time goes, by size: columns in the order of [`Ledger::cells`], then the competitors.
fn ledger(rivals: &[Rivals<'_>]) -> Table {
    let heads = [
        ("build_ns", "studies.break-even.build"),
        ("layout_ns", "studies.break-even.layout"),
        ("upload_ns", "studies.break-even.upload"),
        ("wait_ns", "studies.break-even.wait"),
        ("kernel_ns", "studies.break-even.kernel"),
        ("readback_ns", "studies.break-even.readback"),
        ("total_ns", "studies.break-even.total"),
    ];
    let size = Column::new("size", story::Kind::Words, "studies.break-even.size");
    let parts = heads.map(|(name, head)| Column::new(name, story::Kind::Number, head));
    let competitors = CpuEngine::ALL.map(|engine| Column::headed(engine.name(), story::Kind::Number, said(|| engine.label().to_owned())));
    let mut table = Table::new("ledger", std::iter::once(size).chain(parts).chain(competitors).collect());
    for size in rivals {
        let total = |record: &Record| record.measured().map(|measured| measured.round_trip.total.median_ns);
        table.row(match size.device.measured() {
            Some(measured) => {
                let times = Ledger::of(measured).cells().into_iter().chain(CpuEngine::ALL.map(|engine| size.cpu(engine).and_then(total)));
                Row::Cells(std::iter::once(size_of(size)).chain(times.map(|ns| Cell::number(ns, Unit::Time))).collect())
            }
            None => Row::Instead(
                size_of(size),
                said(|| size.device.outcome.why_not().unwrap_or_else(|| text("tables.break-even.not-measured").to_owned())),
            ),
        });
    }
    table
}

fn speed_ups(rivals: &[Rivals<'_>], results: &[BreakEven]) -> Table {
    let head = |result: &BreakEven| {
        let over = said(|| filled("studies.break-even.over", &[("name", &result.against.label())]));
        Column::headed(result.against.name(), story::Kind::Number, over)
    };
    let size = Column::new("size", story::Kind::Words, "studies.break-even.size");
    let mut table = Table::new("speed_ups", std::iter::once(size).chain(results.iter().map(head)).collect());
    for size in rivals {
        let cells = results.iter().map(|result| {
            let at = result.at.iter().find(|(known, _)| *known == size.device.picture.size());
            at.map_or(Cell::Missing, |(_, lead)| Cell::Between([lead.ratio, lead.low, lead.high], Unit::Ratio))
        });
        table.row(Row::Cells(std::iter::once(size_of(size)).chain(cells).collect()));
    }
    table
}

/// A time that grows with the number of pixels: t = fixed + per pixel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What a picture of no pixels would take.
    pub fixed_ns: f64,
    /// What each pixel adds.
    pub per_pixel_ns: f64,
}

impl Line {
    /// Through points of pixels and nanoseconds, by least squares of relative errors: what is short counts as much as what is long. Of lines that take less than
    /// nothing for no pixels, or for each one more, none is it, but the best of those that do not. `None` with fewer than two sizes.
    #[must_use]
    pub fn through(points: &[(f64, f64)]) -> Option<Self> {
        // Minimizes the sum of ((fixed + per_pixel x − t) / t)², which is that of (fixed u + per_pixel v − 1)² for u = 1 / t and v = x / t.
        let (mut uu, mut uv, mut vv, mut u, mut v) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(pixels, time_ns) in points.iter().filter(|(_, time_ns)| *time_ns > 0.0) {
            let (one, other) = (1.0 / time_ns, pixels / time_ns);
            uu += one * one;
            uv += one * other;
            vv += other * other;
            u += one;
            v += other;
        }
        let determinant = uu * vv - uv * uv;
        // Relative to what it is made of: points of one size leave rounding alone.
        (determinant > 1e-12 * uu * vv).then(|| {
            let free = Self { fixed_ns: (u * vv - v * uv) / determinant, per_pixel_ns: (v * uu - u * uv) / determinant };
            if free.fixed_ns < 0.0 {
                Self { fixed_ns: 0.0, per_pixel_ns: v / vv }
            } else if free.per_pixel_ns < 0.0 {
                Self { fixed_ns: u / uu, per_pixel_ns: 0.0 }
            } else {
                free
            }
        })
    }
}

/// One size: the device's whole round trip, and what the competitors take for the same picture.
#[derive(Clone, Debug)]
pub struct Rivals<'a> {
    /// The device's record.
    pub device: &'a Record,
    /// The competitors' records.
    pub cpu: Vec<(CpuEngine, &'a Record)>,
}

impl<'a> Rivals<'a> {
    /// Those of each size, in the order in which the sizes were measured. A size that the device has no record of is left out.
    #[must_use]
    pub fn of(records: &'a [Record]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for record in records {
            match record.contender {
                Contender::Device { .. } => all.push(Self { device: record, cpu: Vec::new() }),
                Contender::Cpu { engine, .. } => {
                    if let Some(size) = all.iter_mut().find(|size| size.device.picture == record.picture) {
                        size.cpu.push((engine, record));
                    }
                }
            }
        }
        all
    }

    /// A competitor's record.
    fn cpu(&self, engine: CpuEngine) -> Option<&'a Record> {
        self.cpu.iter().find(|(known, _)| *known == engine).map(|(_, record)| *record)
    }
}

/// Where the time of a device's median round trip goes, in nanoseconds; `None` is what is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ledger {
    /// Compiling the program, which is in none of the others. `None` where it was found in a cache of this program: finding it is no build.
    pub build_ns: Option<f64>,
    /// Packing into the padded layout.
    pub layout_ns: Option<f64>,
    /// Upload without packing.
    pub upload_ns: Option<f64>,
    /// Launching, and waiting for the driver.
    pub wait_ns: Option<f64>,
    /// The kernel.
    pub kernel_ns: Option<f64>,
    /// Read-back.
    pub readback_ns: Option<f64>,
    /// The median round trip.
    pub total_ns: f64,
}

impl Ledger {
    /// Of a device's measurement.
    #[must_use]
    pub fn of(measured: &Measured) -> Self {
        let run = measured.round_trip.median_run();
        Self {
            build_ns: measured.build_ns.filter(|_| measured.build_from == BuildFrom::Source).map(|build_ns| build_ns as f64),
            layout_ns: run.and_then(|run| run.layout_ns),
            upload_ns: run.map(|run| run.upload_ns - run.layout_ns.unwrap_or(0.0)),
            wait_ns: run.map(|run| run.other_ns),
            kernel_ns: run.map(|run| run.kernel_ns),
            readback_ns: run.map(|run| run.readback_ns),
            total_ns: measured.round_trip.total.median_ns,
        }
    }

    /// Build, layout, upload, launch and wait, kernel, read-back and the whole, as tables have them.
    #[must_use]
    pub fn cells(&self) -> [Option<f64>; 7] {
        [self.build_ns, self.layout_ns, self.upload_ns, self.wait_ns, self.kernel_ns, self.readback_ns, Some(self.total_ns)]
    }
}

/// How many times as fast the device's round trip is at one size, from separate runs: no verdict of interleaved pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// By the medians.
    pub ratio: f64,
    /// The least that the quartiles of both leave open.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// Other work disturbed one of the two.
    pub busy: bool,
}

/// Where the device and a competitor take the same time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "where")]
pub enum Even {
    /// Between two sizes that were measured; from there on the device is ahead at all that were.
    Within {
        /// Number of pixels.
        pixels: f64,
        /// The fewest that the quartiles leave open; `None` where those lie below the smallest size.
        low: Option<f64>,
        /// The most; `None` where those lie above the largest size.
        high: Option<f64>,
    },
    /// The device is ahead at every size measured: at a smaller one, if anywhere.
    Below,
    /// The device is behind at the largest size measured: at a larger one, if anywhere.
    Above,
}

impl Even {
    /// Of leads at sizes from few pixels to many; `None` of no size.
    fn of(at: &[((usize, usize), Lead)]) -> Option<Self> {
        at.first()?;
        let even = |of: fn(&Lead) -> f64| {
            let points = at.iter().map(|((width, height), lead)| ((width * height) as f64, of(lead)));
            Self::crossing(&points.collect::<Vec<_>>())
        };
        let pixels = |even: Self| if let Self::Within { pixels, .. } = even { Some(pixels) } else { None };
        Some(match even(|lead| lead.ratio) {
            Self::Within { pixels: middle, .. } => {
                Self::Within { pixels: middle, low: pixels(even(|lead| lead.high)), high: pixels(even(|lead| lead.low)) }
            }
            outside => outside,
        })
    }

    /// Behind the last size at which the device is behind, on logarithmic scales.
    fn crossing(points: &[(f64, f64)]) -> Self {
        let Some(behind) = points.iter().rposition(|(_, ratio)| *ratio < 1.0) else { return Self::Below };
        match (points.get(behind), points.get(behind + 1)) {
            (Some((fewer, slower)), Some((more, faster))) => {
                let part = slower.recip().ln() / (faster / slower).ln();
                Self::Within { pixels: fewer * (more / fewer).powf(part), low: None, high: None }
            }
            _ => Self::Above,
        }
    }
}

/// How a device's round trip stands against one competitor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakEven {
    /// The competitor.
    pub against: CpuEngine,
    /// At each size that both were measured at, from small to large, how many times as fast the device is.
    pub at: Vec<((usize, usize), Lead)>,
    /// The smallest size from which on the device wins at every size that was measured, beyond what the quartiles leave open.
    pub from: Option<(usize, usize)>,
    /// Where both take the same time; `None` where no size was measured on both.
    pub even: Option<Even>,
    /// The device's line.
    pub device: Option<Line>,
    /// The competitor's line.
    pub cpu: Option<Line>,
}

impl BreakEven {
    /// Of the sizes measured, from small to large.
    #[must_use]
    pub fn of(rivals: &[Rivals], against: CpuEngine) -> Self {
        let (mut at, mut from) = (Vec::new(), None);
        let (mut device, mut cpu) = (Vec::new(), Vec::new());
        for size in rivals {
            let competitor = size.cpu(against).and_then(Record::measured);
            let (Some(own), Some(competitor)) = (size.device.measured(), competitor) else { continue };
            let (is_theirs_busy, is_own_busy) = (competitor.busy, own.busy);
            let (own, competitor) = (&own.round_trip.total, &competitor.round_trip.total);
            let picture = size.device.picture.size();
            let pixels = (picture.0 * picture.1) as f64;
            device.push((pixels, own.median_ns));
            cpu.push((pixels, competitor.median_ns));
            let compared = compare_readings((competitor, is_theirs_busy), (own, is_own_busy));
            let Some(Comparison { ratio, low, high, verdict, .. }) = compared else { continue };
            at.push((picture, Lead { ratio, low, high, busy: is_theirs_busy || is_own_busy }));
            from = if verdict == Verdict::Faster { from.or(Some(picture)) } else { None };
        }
        Self { against, from, even: Even::of(&at), at, device: Line::through(&device), cpu: Line::through(&cpu) }
    }
}

#[cfg(test)]
mod tests {
    use super::{BreakEven, Even, Lead, Ledger, Line, Rivals, SizeSweep};
    use engine::{PictureRef, Target, Task};
    use pictures::Picture;
    use model::{BuildFrom, Channels, CpuEngine, HostMemory, LocalSize, Record, Variant};
    use crate::Probe;
    use crate::testing::records::{changed, on_cpu, on_device, steady};
    use std::sync::Arc;

    #[test]
    fn a_line_goes_through_its_points() {
        let line = Line::through(&[(1e4, 130.0), (1e6, 3100.0), (1e8, 300_100.0)]).expect("three sizes");
        assert!((line.fixed_ns - 100.0).abs() < 1e-6 && (line.per_pixel_ns - 0.003).abs() < 1e-12, "{line:?}");
        assert_eq!(Line::through(&[(1e4, 130.0), (1e4, 140.0)]), None);
        assert_eq!(Line::through(&[]), None);
    }

    #[test]
    fn no_line_takes_less_than_nothing() {
        // Quadratic times: the best line of all begins far below 0.
        let line = Line::through(&[(1e4, 1e4), (1e5, 1e6), (1e6, 1e8)]).expect("three sizes");
        // Of relative errors with x / t of 1, 0.1 and 0.01: 1.11 / 1.0101.
        assert!(line.fixed_ns == 0.0 && (line.per_pixel_ns - 1.11 / 1.0101).abs() < 1e-9, "{line:?}");
        // Shorter for more pixels: flat.
        let line = Line::through(&[(1e4, 1e3), (1e6, 500.0)]).expect("two sizes");
        // 1 / t of 0.001 and 0.002: 0.003 / 0.000005.
        assert!(line.per_pixel_ns == 0.0 && (line.fixed_ns - 600.0).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn the_even_point_lies_between_sizes_measured_or_is_not_said() {
        let at = |ratios: &[(f64, f64, f64)]| -> Vec<_> {
            let sides = [100, 200, 400, 800];
            let lead = |&(low, ratio, high): &(f64, f64, f64)| Lead { ratio, low, high, busy: false };
            sides.iter().zip(ratios).map(|(side, ratios)| ((*side, *side), lead(ratios))).collect()
        };
        let even = |ratios: &[(f64, f64, f64)]| Even::of(&at(ratios)).expect("sizes");
        // Half as fast at 200 × 200, twice at 400 × 400: even half-way on logarithmic scales, at 80,000. At its best even at 100 × 100 · 4^½ = 20,000, and at
        // its worst at 400 × 400 · 4^½ = 320,000.
        let Even::Within { pixels, low, high } = even(&[(0.2, 0.4, 0.5), (0.25, 0.5, 2.0), (0.5, 2.0, 3.0), (2.0, 4.0, 5.0)]) else {
            panic!("it lies between sizes measured")
        };
        let ends = [pixels, low.expect("above the smallest"), high.expect("below the largest")];
        assert_eq!(ends.map(|pixels| pixels.round() as u32), [80_000, 20_000, 320_000]);
        // What the quartiles leave open beyond the sizes measured has no end.
        let Even::Within { low, high, .. } = even(&[(0.2, 0.5, 1.1), (0.5, 2.0, 3.0), (0.5, 2.0, 3.0), (0.9, 2.0, 3.0)]) else {
            panic!("it lies between sizes measured")
        };
        assert_eq!((low, high), (None, None));
        assert_eq!(even(&[(0.9, 1.2, 1.3); 4]), Even::Below);
        assert_eq!(even(&[(1.5, 1.6, 1.7), (0.9, 0.95, 1.2)]), Even::Above);
        assert_eq!(Even::of(&[]), None);
    }

    /// A device that is ahead even of the smallest picture: lines through the sizes cross at less than no pixels.
    #[test]
    fn files_have_no_negative_figures_and_no_verdict_of_separate_runs() {
        let sizes = [(100, 50.0, 80.0), (200, 900.0, 1200.0), (400, 4000.0, 9000.0)];
        let made: Vec<_> = sizes
            .map(|(side, device_ns, cpu_ns)| {
                (record(on_device("naive", 1e3), side, device_ns), record(on_cpu(CpuEngine::Simd, 1e3), side, cpu_ns))
            })
            .into();
        let rivals: Vec<_> = made.iter().map(|(device, cpu)| Rivals { device, cpu: vec![(CpuEngine::Simd, cpu)] }).collect();
        let found = BreakEven::of(&rivals, CpuEngine::Simd);
        assert_eq!((found.from, found.even), (Some((100, 100)), Some(Even::Below)));
        let written = serde_json::to_string(&found).expect("plain data");
        assert!(!written.contains("verdict") && !written.contains(":-") && !written.contains("pixels\":0"), "{written}");
    }

    #[test]
    fn the_ledger_adds_up_to_the_round_trip() {
        // 3 ms up, of which 1 ms is packing; 10 ms of kernel, 1 ms of waiting, 2 ms back.
        let record = on_device("naive", 10e6);
        let ledger = Ledger::of(record.measured().expect("measured"));
        assert_eq!(ledger.cells(), [None, Some(1e6), Some(2e6), Some(1e6), Some(10e6), Some(2e6), Some(16e6)]);
        assert!((ledger.cells()[1..6].iter().flatten().sum::<f64>() - ledger.total_ns).abs() < 1e-6);
    }

    #[test]
    fn what_was_found_in_a_cache_was_not_built() {
        let build = |build_from| {
            let record =
                changed(on_device("naive", 10e6), |measured| (measured.build_ns, measured.build_from) = (Some(12_000), build_from));
            Ledger::of(record.measured().expect("measured")).build_ns
        };
        assert_eq!([BuildFrom::Source, BuildFrom::Disk, BuildFrom::Memory].map(build), [Some(12_000.0), None, None]);
    }

    #[test]
    fn records_are_rivals_by_their_picture() {
        let records = [
            record(on_device("naive", 1e3), 100, 1e3),
            record(on_cpu(CpuEngine::Simd, 1e3), 100, 2e3),
            record(on_device("naive", 1e3), 200, 1e3),
            record(on_cpu(CpuEngine::Scalar, 1e3), 200, 2e3),
            record(on_cpu(CpuEngine::Scalar, 1e3), 300, 2e3),
        ];
        let found: Vec<_> = Rivals::of(&records)
            .iter()
            .map(|size| (size.device.picture.width_px, size.cpu.iter().map(|(engine, _)| *engine).collect::<Vec<_>>()))
            .collect();
        assert_eq!(found, [(100, vec![CpuEngine::Simd]), (200, vec![CpuEngine::Scalar])]);
    }

    /// A record of that round trip over a picture so many pixels wide and high.
    fn record(record: Record, side: usize, total_ns: f64) -> Record {
        let mut record = changed(record, |measured| measured.round_trip.total = steady(total_ns));
        (record.picture.width_px, record.picture.height_px) = (side, side);
        record
    }

    #[test]
    fn a_win_counts_from_the_size_on_that_no_larger_one_loses() {
        // 60 µs and 1 ns per pixel, against 2 ns per pixel: even at 60 000 pixels, which are 245 × 245.
        let made = |side: usize, device_ns: f64| {
            let pixels = (side * side) as f64;
            (record(on_device("naive", 1e3), side, device_ns), record(on_cpu(CpuEngine::Simd, 1e3), side, 2.0 * pixels))
        };
        let time = |side: usize| 60_000.0 + (side * side) as f64;
        let records: Vec<_> = [100, 200, 300, 400].map(|side| made(side, time(side))).into();
        let rivals = |records: &'static [(Record, Record)]| -> Vec<Rivals> {
            records.iter().map(|(device, cpu)| Rivals { device, cpu: vec![(CpuEngine::Simd, cpu)] }).collect()
        };
        let records: &'static [(Record, Record)] = records.leak();
        let found = BreakEven::of(&rivals(records), CpuEngine::Simd);
        assert_eq!(found.from, Some((300, 300)));
        // Between 200 × 200 and 300 × 300; on logarithmic scales the ratio of the two lines is not quite straight.
        let Some(Even::Within { pixels, .. }) = found.even else { panic!("{found:?}") };
        assert!((pixels - 60_000.0).abs() < 3000.0, "{found:?}");
        // A size in between that it wins by chance does not count, nor does a competitor that was not measured.
        let chance: Vec<_> = [made(100, 10.0), made(200, time(200)), made(300, time(300))].into();
        assert_eq!(BreakEven::of(&rivals(chance.leak()), CpuEngine::Simd).from, Some((300, 300)));
        assert_eq!(BreakEven::of(&rivals(records), CpuEngine::Threads).from, None);
    }

    #[test]
    fn each_size_is_measured_on_the_device_and_on_every_competitor_over_one_picture() {
        let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        let like = Task::new(PictureRef::new(Arc::new(Picture::from_fn(2, 2, Channels::Gray, |_, _, _| 0))), target);
        let mut sweep = SizeSweep::new(like.clone(), [(8, 4), (16, 8)]);
        let tasks: Vec<Task> = std::iter::from_fn(|| match sweep.next() {
            Some(Probe::Measure(task)) => Some(task),
            _ => None,
        })
        .collect();
        assert_eq!((tasks.len(), sweep.total), (8, 8));
        assert_eq!(tasks.iter().map(|task| task.picture.size()).collect::<Vec<_>>(), [[(8, 4); 4], [(16, 8); 4]].concat());
        let targets = [target].into_iter().chain(CpuEngine::ALL.map(Target::Cpu)).collect::<Vec<_>>();
        assert!(tasks.chunks(4).all(|four| four.iter().map(|task| task.target).eq(targets.iter().copied())));
        assert!(
            tasks[..4].iter().all(|task| task.picture == tasks[0].picture && task.spec == like.spec)
                && tasks[4].picture != tasks[0].picture
        );
    }
}
