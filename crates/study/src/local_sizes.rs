//! Which local work size is best: each is measured, and the best one is compared with the driver's own choice in interleaved pairs.

use super::{Command, Finding, Keeps, Kind, Probe, Sought, Study, Subject, Tuning, telling};
use engine::device::{DeviceInfo, check_local};
use engine::{Compared, Task};
use base::error::Result;
use model::measure::{Comparison, Pair};
use model::{LocalSize, Record, Summary};
use view::story::{self, Block, Column, Row, Story, Table, Tone, Unit, said};
use base::texts::{Words, failed, speaking_keys};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How window and command line know it.
pub static KIND: Kind = Kind {
    name: "local-sizes",
    subject: Subject::AnyLocal,
    shortcut: ("L", true),
    command: Some(Command { name: "tune", picture: (3840, 2160), takes_file: false, example: "coalesced --filter box --search exhaustive" }),
    goes_on: true,
    keeps: Some(Keeps {
        sought: Sought::LocalSize,
        found: |task, device, findings| Tuning::of_local_size(&Tuned::of(findings), task, device),
    }),
    why_not: |_| None,
    begin: |asked| Box::new(LocalSizes::new(asked.task, asked.search, asked.device, asked.earlier)),
};

/// How many sizes are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Search {
    /// From a common size on to its neighbors, as long as one is faster: doubled and halved sides.
    Rapid,
    /// Powers of two, at least 16 work-items.
    #[default]
    Normal,
    /// Powers of two and three times them, down to 1 × 1.
    Exhaustive,
}

impl Search {
    /// All, from the shortest to the longest.
    pub const ALL: [Self; 3] = [Self::Rapid, Self::Normal, Self::Exhaustive];

    /// As on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rapid => "rapid",
            Self::Normal => "normal",
            Self::Exhaustive => "exhaustive",
        }
    }

    /// The least work-items that are tried: below, most of a GPU's lanes have nothing to do.
    const fn least_items(self) -> usize {
        match self {
            Self::Exhaustive => 1,
            Self::Rapid | Self::Normal => 16,
        }
    }

    /// The sides that are tried up to `most`.
    fn sides(self, most: usize) -> Vec<usize> {
        let powers = std::iter::successors(Some(1_usize), |side| side.checked_mul(2)).take_while(|side| *side <= most);
        let mut sides = powers.flat_map(|side| [side, side * 3]).filter(|side| *side <= most).collect::<Vec<_>>();
        if self != Self::Exhaustive {
            sides.retain(|side| side.is_power_of_two());
        }
        sides.sort_unstable();
        sides
    }

    /// All sizes that are tried on a device whatever is found on the way. A kernel that allows less refuses, and the size's row says so.
    pub(super) fn sizes(self, device: &DeviceInfo) -> Vec<[usize; 2]> {
        let [xs, ys, _] = device.max_work_item_sizes.map(|most| self.sides(most));
        let all = ys.iter().flat_map(|&y| xs.iter().map(move |&x| [x, y]));
        all.filter(|size| is_allowed(device, *size) && size[0] * size[1] >= self.least_items()).collect()
    }
}

/// Whether the device allows a size, whatever the kernel.
fn is_allowed(device: &DeviceInfo, size: [usize; 2]) -> bool {
    check_local(device, None, LocalSize::Explicit(size), &|_| 0).is_ok()
}

/// Measures a task with the driver's choice, then with one local size after the other, and compares the best with the driver's.
#[derive(Clone, Debug)]
pub struct LocalSizes {
    task: Task,
    search: Search,
    device: DeviceInfo,
    /// What an earlier search of the same task has found, which is not measured again.
    earlier: Vec<Finding>,
}

impl LocalSizes {
    /// Of a task on its device, going on from what an earlier search of the same task has found.
    #[must_use]
    pub const fn new(task: Task, search: Search, device: DeviceInfo, earlier: Vec<Finding>) -> Self {
        Self { task, search, device, earlier }
    }

    /// All sizes of the search but those that are found on the way.
    fn candidates(&self) -> Vec<[usize; 2]> {
        self.search.sizes(&self.device)
    }

    /// What a rapid search tries next, given what is known: around the best one, so far.
    fn neighbors(&self, tuned: &Tuned) -> Vec<[usize; 2]> {
        let Some([x, y]) = tuned.best().map(|cell| cell.local) else { return vec![LocalSize::COMMON, [LocalSize::COMMON[0], 1], [8, 8]] };
        let around = [[2 * x, y], [x / 2, y], [x, 2 * y], [x, y / 2], [2 * x, y / 2], [x / 2, 2 * y]];
        around.into_iter().filter(|[x, y]| *x > 0 && *y > 0 && x * y >= self.search.least_items()).collect()
    }
}

impl Study for LocalSizes {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        let known = || self.earlier.iter().chain(findings);
        let tuned = Tuned::of(known());
        let is_tried = |local: LocalSize| known().any(|finding| matches!(finding, Finding::Record(task, _) if task.local() == Some(local)));
        if !is_tried(LocalSize::Driver) {
            return Some(Probe::Measure(self.task.with_local(LocalSize::Driver)));
        }
        let candidates = if self.search == Search::Rapid { self.neighbors(&tuned) } else { self.candidates() };
        let next = candidates.into_iter().find(|size| is_allowed(&self.device, *size) && !is_tried(LocalSize::Explicit(*size)));
        if let Some(next) = next {
            return Some(Probe::Measure(self.task.with_local(LocalSize::Explicit(next))));
        }
        let best = LocalSize::Explicit(tuned.best()?.local);
        let is_compared = |finding: &Finding| matches!(finding, Finding::Compared(tasks, _) if tasks.1.local() == Some(best));
        if tuned.driver.is_none() || known().any(is_compared) {
            return None;
        }
        Some(Probe::Compare(self.task.with_local(LocalSize::Driver), self.task.with_local(best)))
    }

    fn total(&self) -> usize {
        // A rapid search does not know where it ends.
        if self.search == Search::Rapid { 0 } else { self.candidates().len() + 2 }
    }

    fn conclude(&self, findings: &[Finding], _is_done: bool) -> Option<Story> {
        Some(story(&Tuned::of(self.earlier.iter().chain(findings))))
    }

    fn facts(&self, findings: &[Finding]) -> Value {
        let tuned = Tuned::of(findings);
        json!({ "search": self.search, "best": tuned.best().map(|cell| cell.local), "tuned": tuned })
    }

    /// A size that is refused or fails is a cell of the map.
    fn check(&self, findings: &[Finding]) -> Result<()> {
        let tuned = Tuned::of(findings);
        if tuned.best().is_some() {
            return Ok(());
        }
        let why = tuned.cells.iter().find_map(|cell| cell.why_not.as_ref()).map(ToString::to_string).unwrap_or_default();
        Err(failed("errors.tune.nothing-measured", &[("why", &why)]))
    }
}

/// What follows, and times by dimension 0 across and dimension 1 down; what the kernel refused is a dash, what was not tried is empty.
fn story(tuned: &Tuned) -> Story {
    let mut story = Story::default();
    if tuned.is_busy() {
        story.say(Tone::Warning, Words::text("studies.panel.busy"));
    }
    for line in speaking_keys(|| telling::tuned_sentences(tuned)) {
        story.say(Tone::Plain, Words::from(line));
    }
    if tuned.cells.is_empty() {
        return story;
    }
    let [xs, ys] = tuned.sides();
    let column = |name: String| Column::headed(&name, story::Kind::Number, Words::Plain(name.clone()));
    let heads = std::iter::once(Column::new("y", story::Kind::Words, "studies.tune.corner"));
    let mut table = Table::new("sizes", heads.chain(xs.iter().map(|x| column(format!("x = {x}")))).collect());
    for &y in &ys {
        let cells = xs.iter().map(|&x| tuned.cell([x, y]).map_or(story::Cell::Empty, told));
        let name = story::Cell::Words(Words::Plain(format!("y = {y}")));
        table.row(Row::Cells(std::iter::once(name).chain(cells).collect()));
    }
    story.push(Block::Table(table));
    story
}

fn told(cell: &Cell) -> story::Cell {
    match (cell.time, &cell.why_not) {
        (Some(time), _) => {
            let told = said(|| telling::kernel_time(&time));
            story::Cell::Explained(Box::new(story::Cell::Number(time.median_ns, Unit::Time)), told)
        }
        (None, Some(why)) => story::Cell::Explained(Box::new(story::Cell::Missing), why.clone()),
        (None, None) => story::Cell::Missing,
    }
}

/// Kernel time in nanoseconds: the median and its quartiles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KernelTime {
    /// The median.
    pub median_ns: f64,
    /// First quartile.
    pub lower_quartile_ns: f64,
    /// Third quartile.
    pub upper_quartile_ns: f64,
    /// Other work disturbed it throughout.
    pub busy: bool,
}

impl KernelTime {
    pub(crate) fn of(record: &Record) -> Option<Self> {
        Some(Self::of_summary(record.kernel()?, record.is_busy()))
    }

    fn of_summary(kernel: &Summary, busy: bool) -> Self {
        Self { median_ns: kernel.median_ns, lower_quartile_ns: kernel.lower_quartile_ns, upper_quartile_ns: kernel.upper_quartile_ns, busy }
    }

    /// Of the first and of the second of each pair.
    pub(crate) fn of_pairs(compared: &Compared) -> Option<[Self; 2]> {
        let of = |time: fn(&Pair) -> u64| Some(Self::of_summary(&Summary::of(compared.pairs.iter().map(time).collect())?, compared.busy));
        Some([of(|pair| pair.first_ns)?, of(|pair| pair.second_ns)?])
    }
}

/// One local work size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Dimension 0 × dimension 1.
    pub local: [usize; 2],
    /// What was measured.
    pub time: Option<KernelTime>,
    /// Why nothing was.
    pub why_not: Option<Words>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tuned {
    /// With the driver's own choice.
    pub driver: Option<KernelTime>,
    /// Each size, in the order in which they were tried.
    pub cells: Vec<Cell>,
    /// The best one against the driver's choice: how many times as fast it is.
    pub gain: Option<Comparison>,
    /// Whether other work disturbed that comparison.
    pub is_gain_busy: bool,
    /// What the driver's choice and the best one took in those interleaved pairs: single readings that lie minutes apart, one of them the luckiest of many, say
    /// less.
    pub in_pairs: Option<[KernelTime; 2]>,
}

impl Tuned {
    /// Whether other work disturbed a reading, or the comparison of the best one.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.is_gain_busy || self.cells.iter().filter_map(|cell| cell.time).chain(self.driver).any(|time| time.busy)
    }

    /// Of the findings of [`LocalSizes`].
    #[must_use]
    pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut tuned = Self::default();
        let mut compared = Vec::new();
        for finding in findings {
            match finding {
                Finding::Record(task, record) => match task.local() {
                    Some(LocalSize::Driver) => tuned.driver = KernelTime::of(record),
                    Some(LocalSize::Explicit(local)) => {
                        tuned.cells.push(Cell { local, time: KernelTime::of(record), why_not: record.reason().cloned() });
                    }
                    None => {}
                },
                Finding::Compared(tasks, Ok(found)) => compared.push((tasks.1.local(), found)),
                Finding::Glanced(..) | Finding::Compared(_, Err(_)) | Finding::Frames(..) | Finding::Split(..) | Finding::Code(..) | Finding::Roofs(_) => {}
            }
        }
        let best = tuned.best().map(|cell| LocalSize::Explicit(cell.local));
        if let Some((_, found)) = compared.into_iter().rev().find(|(local, _)| *local == best) {
            (tuned.gain, tuned.is_gain_busy, tuned.in_pairs) = (Some(found.comparison), found.busy, KernelTime::of_pairs(found));
        }
        tuned
    }

    /// The fastest.
    #[must_use]
    pub fn best(&self) -> Option<&Cell> {
        self.measured().min_by(|one, other| one.1.total_cmp(&other.1)).map(|(cell, _)| cell)
    }

    /// The slowest.
    #[must_use]
    pub fn worst(&self) -> Option<&Cell> {
        self.measured().max_by(|one, other| one.1.total_cmp(&other.1)).map(|(cell, _)| cell)
    }

    /// The cell of a size.
    #[must_use]
    pub fn cell(&self, local: [usize; 2]) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.local == local)
    }

    /// The sides that were tried along each dimension, in order.
    #[must_use]
    pub fn sides(&self) -> [Vec<usize>; 2] {
        [0, 1].map(|dimension| {
            let sides = self.cells.iter().filter_map(|cell| cell.local.get(dimension).copied());
            sides.collect::<BTreeSet<_>>().into_iter().collect()
        })
    }

    fn measured(&self) -> impl Iterator<Item = (&Cell, f64)> {
        self.cells.iter().filter_map(|cell| Some((cell, cell.time?.median_ns)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, KernelTime, LocalSizes, Search, Tuned, story};
    use engine::device::DeviceInfo;
    use engine::{PictureRef, Target, Task};
    use pictures::Picture;
    use model::measure::{Comparison, Pair, Verdict};
    use model::{Channels, HostMemory, LocalSize, Outcome, Variant};
    use view::story::text;
    use crate::{Finding, Probe, Study};
    use crate::testing::compared_as;
    use crate::testing::records::on_device;
    use std::sync::Arc;

    fn device() -> DeviceInfo {
        DeviceInfo { max_work_group_size: 256, max_work_item_sizes: [256, 64, 64], ..DeviceInfo::example() }
    }

    fn task() -> Task {
        let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        Task::new(PictureRef::new(Arc::new(Picture::from_fn(4, 4, Channels::Gray, |_, _, _| 0))), target)
    }

    /// A device whose best size is 64 × 2: each doubling or halving away from it costs 10 %. The kernel refuses groups of 256.
    fn time_of(local: LocalSize) -> Option<f64> {
        match local {
            LocalSize::Driver => Some(1500.0),
            LocalSize::Explicit([x, y]) if x * y < 256 => {
                let steps = (x as f64 / 64.0).log2().abs() + (y as f64 / 2.0).log2().abs();
                Some(1000.0 * 1.1_f64.powf(steps))
            }
            LocalSize::Explicit(_) => None,
        }
    }

    fn found(probe: Probe) -> Finding {
        match probe {
            Probe::Measure(task) => {
                let mut record = on_device("naive", 1.0);
                match (time_of(task.local().expect("a device")), &mut record.outcome) {
                    (Some(time_ns), Outcome::Measured(measured)) => measured.kernel.as_mut().expect("timed").median_ns = time_ns,
                    _ => record.outcome = Outcome::Unsupported("too many work-items".into()),
                }
                Finding::Record(task, Box::new(record))
            }
            Probe::Compare(first, second) | Probe::CompareCached(first, second) => {
                let comparison = Comparison { ratio: 1.5, low: 1.4, high: 1.6, verdict: Verdict::Faster, starts: 1 };
                let compared = compared_as(comparison);
                Finding::Compared(Box::new((first, second)), Ok(compared))
            }
            Probe::Glance(_) | Probe::Frames(_) | Probe::Split(_) | Probe::Code(_) | Probe::Roofs(_) => panic!("each size is measured"),
        }
    }

    fn run(search: Search, earlier: Vec<Finding>) -> Vec<Finding> {
        let mut study = LocalSizes::new(task(), search, device(), earlier);
        let mut findings = Vec::new();
        while let Some(probe) = study.next(&findings) {
            findings.push(found(probe));
            assert!(findings.len() < 500, "it ends");
        }
        findings
    }

    #[test]
    fn every_search_finds_the_best_size_and_compares_it_with_the_drivers() {
        for search in Search::ALL {
            let findings = run(search, Vec::new());
            let tuned = Tuned::of(&findings);
            assert_eq!(tuned.best().map(|cell| cell.local), Some([64, 2]), "{search:?}");
            assert_eq!(tuned.gain.map(|gain| gain.ratio), Some(1.5), "{search:?}");
            assert_eq!(tuned.driver.map(|time| time.median_ns), Some(1500.0));
            assert!(tuned.cells.iter().all(|cell| cell.local[0] * cell.local[1] <= 256));
            let total = LocalSizes::new(task(), search, device(), Vec::new()).total();
            assert!(total == 0 || total == findings.len(), "{search:?}: {total} {}", findings.len());
        }
        // A rapid search looks at a few of the 36 sizes of a normal one, an exhaustive one at many more.
        let [rapid, normal, exhaustive] = Search::ALL.map(|search| Tuned::of(&run(search, Vec::new())).cells.len());
        assert!(rapid < normal / 2 && normal < exhaustive / 2, "{rapid} {normal} {exhaustive}");
    }

    #[test]
    fn the_pairs_have_times_of_their_own() {
        let mut findings = run(Search::Rapid, Vec::new());
        let Some(Finding::Compared(_, Ok(compared))) = findings.last_mut() else { panic!("a comparison comes last") };
        compared.pairs = vec![Pair { first_ns: 1600, second_ns: 1100, first_place: 0, second_place: 0, start: 0 }; 9];
        let tuned = Tuned::of(&findings);
        assert_eq!(tuned.in_pairs.map(|times| times.map(|time| time.median_ns)), Some([1600.0, 1100.0]));
        assert_eq!(
            (tuned.driver.map(|time| time.median_ns), tuned.best().and_then(|cell| cell.time).map(|time| time.median_ns)),
            (Some(1500.0), Some(1000.0))
        );
    }

    #[test]
    fn what_the_kernel_refuses_has_its_reason_and_is_never_the_best() {
        let tuned = Tuned::of(&run(Search::Normal, Vec::new()));
        let refused = tuned.cell([64, 4]).expect("tried");
        assert_eq!((refused.time, refused.why_not.clone()), (None, Some("too many work-items".into())));
        let time = |local| tuned.cell(local).and_then(|cell| cell.time).expect("measured").median_ns;
        assert!((time([64, 2]) - 1000.0).abs() < 1e-9 && (time([32, 2]) - 1100.0).abs() < 1e-9);
        assert_eq!(tuned.worst().map(|cell| cell.local), Some([1, 64]));
        assert_eq!(tuned.sides()[1], [1, 2, 4, 8, 16, 32, 64]);
    }

    #[test]
    fn a_search_goes_on_where_an_earlier_one_stopped() {
        let all = run(Search::Normal, Vec::new());
        let earlier = all.iter().take(10).cloned().collect::<Vec<_>>();
        let rest = run(Search::Normal, earlier.clone());
        assert_eq!(earlier.len() + rest.len(), all.len());
        assert_eq!(Tuned::of(earlier.iter().chain(&rest)), Tuned::of(&all));
    }

    #[test]
    fn nothing_found_is_nothing_said() {
        let tuned = Tuned::of(&[]);
        assert_eq!((tuned.best(), tuned.worst(), tuned.gain), (None, None, None));
        let refused = Cell { local: [1, 1], time: None, why_not: Some("no".into()) };
        assert_eq!(Tuned { cells: vec![refused], ..tuned }.best(), None);
    }

    #[test]
    fn times_stand_by_their_sizes() {
        let time =
            |median_ns| Some(KernelTime { median_ns, lower_quartile_ns: median_ns - 1e3, upper_quartile_ns: median_ns + 1e3, busy: false });
        let cell = |local, time: Option<KernelTime>| Cell { local, time, why_not: time.is_none().then(|| "too many".into()) };
        let cells = vec![cell([32, 1], time(90e3)), cell([64, 1], time(80e3)), cell([64, 2], None)];
        let gain = Comparison { ratio: 1.25, low: 1.2, high: 1.3, verdict: Verdict::Faster, starts: 1 };
        let told = text::paint(&story(&Tuned { driver: time(100e3), cells, gain: Some(gain), is_gain_busy: false, in_pairs: None }));
        let lines = told.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>();
        assert_eq!(
            lines,
            [
                "Best: 64 × 1, 80 µs (79 µs to 81 µs); over the driver's choice, in interleaved pairs: 1.25× (1.20–1.30)",
                "Driver's choice: 100 µs (99 µs to 101 µs)",
                "Worst: 32 × 1, 90 µs (89 µs to 91 µs)",
                "",
                "y \\ x x = 32 x = 64",
                "y = 1 90 µs 80 µs",
                "y = 2 –",
            ]
        );
    }
}
