//! Why one configuration of a project is faster than another: which parameters bring the difference, how much of it is starting work-items, and whether the compiler
//! made other code of them at all.
//!
//! Each answer is an experiment that could have gone the other way. Parameters are changed one at a time, alone from the first configuration and last to the second, and
//! each such pair is compared. Empty work-items, as many and in the same groups, are added to both configurations: what they take is what starting takes. Outputs stay
//! right throughout, as a comparison checks them.

use super::story::code_table;
use super::{Asker, LONGEST_RUN, Trial, median_ns, uncancelled};
use base::error::Result;
use base::texts::{Words, failed, filled, misused};
use engine::compiled::CodeComparison;
use engine::device::DeviceInfo;
use engine::{Backend, Compared};
use kernels::project::{Argument, Job, Launch, Point, Problem, Project};
use model::measure::{Comparison, Progress, Verdict};
use model::{Budget, CompiledKernel};
use serde_json::{Value, json};
use std::sync::Arc;
use view::plot::units::{self, Unit};
use view::story::{Block, Cell, Column, Kind, Row, Story, Table, Tone, said};

/// Name of the kernel that does nothing; no other has it.
const EMPTY: &str = "kernel_ladder_empty";

/// A cause that brings at least this share of a difference is the reason for it.
const MOST_OF_IT: f64 = 0.5;

/// One that brings at most this share is not.
const LITTLE_OF_IT: f64 = 0.2;

/// Why two configurations differ in time.
#[derive(Debug)]
pub struct Why {
    /// The project.
    project: Arc<Project>,
    /// The two.
    points: [Point; 2],
    /// How they compare.
    compared: Compared,
    /// Of each parameter that they differ in, what it brings.
    parts: Vec<Part>,
    /// What each starts.
    starts: [Starts; 2],
    /// What starting takes; nothing where both start the same, or where there is no difference to explain.
    starting: Option<Result<Starting>>,
    /// What the compiler made of each; empty where that cannot be looked at.
    code: [Vec<CompiledKernel>; 2],
    /// How that compares.
    code_compared: Option<CodeComparison>,
    /// Bytes of all inputs and outputs.
    moved_bytes: usize,
}

/// What one parameter brings.
#[derive(Debug)]
struct Part {
    parameter: usize,
    /// The first configuration against the same with the second one's value.
    alone: Result<Compared>,
    /// The second configuration with the first one's value against itself.
    last: Result<Compared>,
}

/// What the launches of a configuration start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Starts {
    /// Work-items, with those that only fill the last groups.
    items: usize,
    /// Of these, the ones that were asked for.
    asked_items: usize,
    /// Groups; nothing where the driver chooses their size.
    groups: Option<usize>,
    /// Bytes of local memory that a group has as an argument, of the launch that has most.
    local_bytes: usize,
}

impl Starts {
    fn of(job: &Job) -> Self {
        let mut starts = Self { groups: Some(0), ..Self::default() };
        for launch in &job.launches {
            let filled = |(side, local): (&usize, &usize)| side.div_ceil((*local).max(1)) * local;
            let (items, groups) = match &launch.local {
                Some(local) => {
                    let items: usize = launch.global.iter().zip(local).map(filled).product();
                    (items, Some(items / local.iter().product::<usize>().max(1)))
                }
                None => (launch.global.iter().product(), None),
            };
            let local_bytes = launch.arguments.iter().map(|argument| if let Argument::Local(bytes) = argument { *bytes } else { 0 }).sum();
            starts.items += items;
            starts.asked_items += launch.global.iter().product::<usize>();
            starts.groups = starts.groups.zip(groups).map(|(before, more)| before + more);
            starts.local_bytes = starts.local_bytes.max(local_bytes);
        }
        starts
    }

    /// Whether starting them is the same work.
    fn is_like(self, other: Self) -> bool {
        (self.items, self.groups) == (other.items, other.groups)
    }
}

/// What starting the work-items of both configurations takes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Starting {
    /// In nanoseconds: middle, low, high of each.
    times_ns: [[f64; 3]; 2],
    /// The share of the difference between the two that it is: middle, low, high.
    share: [f64; 3],
}

/// The median time of each of two that were compared, in nanoseconds.
fn medians(compared: &Compared) -> [Option<f64>; 2] {
    [median_ns(compared, |pair| pair.first_ns), median_ns(compared, |pair| pair.second_ns)]
}

/// Whether a cause is the reason for a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Most,
    Some,
    Little,
    Open,
}

impl Starting {
    /// From the two configurations in pairs, and from each with and without empty work-items.
    ///
    /// With T the time of a configuration and E of the empty work-items, a pair gives r = T / (T + E), so that E = T (1 / r − 1). The ends of the share take the ends
    /// of both, which is wider than an interval of 95 %: what it decides is decided.
    ///
    /// # Errors
    /// The intervals are too wide for that.
    fn of(compared: &Compared, with_empty: &[Compared; 2]) -> Result<Self> {
        let [one, other] = medians(compared).map(Option::unwrap_or_default);
        let [added, other_added] = with_empty;
        let of = |time: f64, added: &Compared| {
            let Comparison { ratio, low, high, .. } = added.comparison;
            [ratio, high, low].map(|ratio| time * (1.0 / ratio - 1.0))
        };
        let (first, second) = (of(one, added), of(other, other_added));
        let difference = one - other;
        let ends = [first[1] - second[2], first[2] - second[1]].map(|time| time / difference);
        let share = [(first[0] - second[0]) / difference, ends[0].min(ends[1]), ends[0].max(ends[1])];
        let is_known = first.iter().chain(&second).chain(&share).all(|number| number.is_finite());
        is_known.then_some(Self { times_ns: [first, second], share }).ok_or_else(|| failed("errors.project.wide", &[]))
    }

    fn found(&self) -> Found {
        let [_, low, high] = self.share;
        match () {
            () if low >= MOST_OF_IT => Found::Most,
            () if high <= LITTLE_OF_IT => Found::Little,
            () if low >= LITTLE_OF_IT => Found::Some,
            () => Found::Open,
        }
    }
}

/// The same with empty work-items behind each launch, as many and in the same groups.
fn with_empty(job: &Job) -> Job {
    let empty = |launch: &Launch| Launch { kernel: EMPTY.to_owned(), arguments: Vec::new(), ..launch.clone() };
    let launches = job.launches.iter().flat_map(|launch| [launch.clone(), empty(launch)]).collect();
    let source = format!("{}\n__kernel void {EMPTY}(void) {{}}\n", job.source);
    Job { source, launches, ..job.clone() }
}

/// Compares two configurations, and puts what may be the reason to the test.
///
/// # Errors
/// One of the two is not allowed, or not right; they are the same; the device cannot be had; cancelled.
pub fn why(
    project: &Arc<Project>,
    points: [Point; 2],
    info: &DeviceInfo,
    problem: &Arc<Problem>,
    budget: Budget,
    (backend, progress): (&mut dyn Backend, &dyn Progress),
) -> Result<Why> {
    let [first, second] = &points;
    if first == second {
        return Err(misused("errors.project.same-configuration", &[("label", &project.label(first))]));
    }
    let differing: Vec<usize> = (0..project.parameters.len()).filter(|index| first.get(*index) != second.get(*index)).collect();
    let mut asker = Asker { project, device: info.index, problem, patience: LONGEST_RUN, backend, progress };
    let mut asked = 0;
    let total = 2 * differing.len() + 3;
    let mut step = || {
        asked += 1;
        progress.report(asked, total, base::texts::text("progress.comparing"));
    };
    step();
    let jobs = [asker.right(first)?, asker.right(second)?];
    let compared = asker.compare(jobs.clone(), budget)?;
    let has_one = differing.len() == 1;
    let mut parts = Vec::new();
    for parameter in differing.into_iter().filter(|_| !has_one) {
        // One with the value that the other has.
        let exchanged = |of: &Point, other: &Point| {
            let values = of.iter().zip(other).enumerate();
            values.map(|(index, (own, other))| if index == parameter { *other } else { *own }).collect::<Point>()
        };
        step();
        let alone = asker.right(&exchanged(first, second)).and_then(|job| asker.compare([jobs[0].clone(), job], budget));
        let alone = uncancelled(alone)?;
        step();
        let last = asker.right(&exchanged(second, first)).and_then(|job| asker.compare([job, jobs[1].clone()], budget));
        parts.push(Part { parameter, alone, last: uncancelled(last)? });
    }
    let starts = jobs.each_ref().map(Starts::of);
    let is_different = matches!(compared.comparison.verdict, Verdict::Faster | Verdict::Slower);
    let starting = if is_different && !starts[0].is_like(starts[1]) {
        let mut added = |job: &Job| {
            step();
            asker.compare([job.clone(), with_empty(job)], budget)
        };
        let added = added(&jobs[0]).and_then(|first| Ok([first, added(&jobs[1])?]));
        Some(uncancelled(added)?.and_then(|added| Starting::of(&compared, &added)))
    } else {
        None
    };
    let code = jobs.clone().map(|job| asker.code(job));
    let code_compared = if let [Some(first), Some(second)] = &code { Some(first.compared_with(second)) } else { None };
    let code = code.map(|code| code.map_or_else(Vec::new, |code| code.summary()));
    let moved_bytes = problem.total_bytes();
    Ok(Why { project: Arc::clone(project), points, compared, parts, starts, starting, code, code_compared, moved_bytes })
}

impl Asker<'_> {
    /// The configuration's job, which is right.
    fn right(&mut self, point: &Point) -> Result<Job> {
        if !self.project.is_allowed(point) {
            return Err(misused("errors.project.not-allowed", &[("label", &self.project.label(point))]));
        }
        let job = self.project.job(point)?;
        let tried = self.tried(job.clone(), Budget::GLANCE, Budget::LONG_RUN_NS)?;
        let trial = Trial::of(point.clone(), 0, engine::now(), tried);
        match super::complaint(self.project, &trial) {
            Some(why) => Err(super::not_right(self.project, point, &why)),
            None => Ok(job),
        }
    }
}

impl Why {
    /// What is told of it.
    #[must_use]
    pub fn story(&self) -> Story {
        let mut story = Story::default();
        if self.compared.busy {
            story.say(Tone::Warning, Words::text("studies.panel.busy"));
        }
        let [before, after] = self.points.each_ref().map(|point| self.project.label(point));
        let comparison = &self.compared.comparison;
        let outcome = said(|| units::with_starts(units::outcome(comparison, self.compared.busy), comparison));
        story.say(Tone::Plain, said(|| filled("project.why.pair", &[("before", &before), ("after", &after)])));
        story.say(Tone::Strong, outcome);
        if !matches!(comparison.verdict, Verdict::Faster | Verdict::Slower) {
            story.say(Tone::Plain, Words::text("project.why.no-difference"));
        }
        self.tell_parts(&mut story);
        story.push(Block::Heading(Words::text("project.why.reasons")));
        self.tell_starting(&mut story);
        self.tell_code(&mut story);
        story.push(Block::Heading(Words::text("project.why.counts")));
        story.push(Block::Table(self.launch_table()));
        if let Some(table) = code_table(&self.code, [("first", "project.why.first"), ("second", "project.why.second")]) {
            story.push(Block::Table(table));
            story.say(Tone::Weak, Words::text("project.told.compiled-note"));
        }
        story
    }

    fn name(&self, parameter: usize) -> &str {
        self.project.parameters.get(parameter).map_or("", |parameter| parameter.name.as_str())
    }

    fn values(&self, parameter: usize) -> [String; 2] {
        let value = |point: &Point| self.project.parameters.get(parameter)?.values.get(*point.get(parameter)?);
        self.points.each_ref().map(|point| value(point).map_or_else(String::new, ToString::to_string))
    }

    fn tell_parts(&self, story: &mut Story) {
        if self.parts.is_empty() {
            return;
        }
        story.push(Block::Heading(Words::text("project.why.parameters")));
        let heads = [
            ("parameter", "project.told.parameter"),
            ("change", "project.why.change"),
            ("alone", "project.why.alone"),
            ("last", "project.why.last"),
        ];
        let mut table = Table::new("parameters", heads.map(|(name, head)| Column::new(name, Kind::Words, head)).into());
        let cell = |compared: &Result<Compared>| match compared {
            Ok(compared) => Cell::Compared(compared.comparison, compared.busy),
            Err(why) => Cell::Refused(Words::of(&why.why)),
        };
        for part in &self.parts {
            let [from, to] = self.values(part.parameter);
            let change = filled("project.why.from-to", &[("from", &from), ("to", &to)]);
            let cells = [Cell::Code(self.name(part.parameter).to_owned()), Cell::of(&change), cell(&part.alone), cell(&part.last)];
            table.row(Row::Cells(cells.into()));
        }
        story.push(Block::Table(table));
        story.say(Tone::Weak, Words::text("project.why.parameters-note"));
        let whole = self.compared.comparison.verdict;
        if !matches!(whole, Verdict::Faster | Verdict::Slower) {
            return;
        }
        let named = |wanted: &dyn Fn(Verdict) -> bool| {
            let is_wanted = |part: &&Part| part.last.as_ref().is_ok_and(|compared| wanted(compared.comparison.verdict));
            self.parts.iter().filter(is_wanted).map(|part| self.name(part.parameter)).collect::<Vec<_>>().join(", ")
        };
        let opposite = if whole == Verdict::Faster { Verdict::Slower } else { Verdict::Faster };
        let all: [(&str, String); 3] = [
            ("project.why.needed", named(&|verdict| verdict == whole)),
            ("project.why.not-needed", named(&|verdict| verdict == Verdict::Same)),
            ("project.why.against", named(&|verdict| verdict == opposite)),
        ];
        for (key, names) in all.into_iter().filter(|(_, names)| !names.is_empty()) {
            story.say(Tone::Plain, said(|| filled(key, &[("names", &names)])));
        }
    }

    fn tell_starting(&self, story: &mut Story) {
        let [first, second] = self.starts;
        if first.is_like(second) {
            story.say(Tone::Plain, Words::text("project.why.starting.same"));
            return;
        }
        match &self.starting {
            None => {}
            Some(Err(why)) => story.say(Tone::Plain, said(|| filled("project.why.starting.failed", &[("why", &why.why)]))),
            Some(Ok(starting)) => {
                let key = match starting.found() {
                    Found::Most => "project.why.starting.most",
                    Found::Some => "project.why.starting.some",
                    Found::Little => "project.why.starting.little",
                    Found::Open => "project.why.starting.open",
                };
                let [share, low, high] = starting.share.map(units::whole_percent);
                let [first, second] =
                    starting.times_ns.map(|[time, low, high]| units::time_between(time.max(0.0), low.max(0.0), high.max(0.0)));
                story.say(Tone::Plain, said(|| filled(key, &[("share", &share), ("low", &low), ("high", &high)])));
                story.say(Tone::Weak, said(|| filled("project.why.starting.how", &[("first", &first), ("second", &second)])));
            }
        }
    }

    fn tell_code(&self, story: &mut Story) {
        let Some(compared) = &self.code_compared else {
            story.say(Tone::Plain, Words::text("project.why.code.unknown"));
            return;
        };
        let words = match &compared.sameness {
            _ if compared.is_same_code() => Words::text("project.why.code.same"),
            Ok(_) => Words::text("project.why.code.other"),
            Err(why) => said(|| filled("project.why.code.not-known", &[("why", why)])),
        };
        story.say(Tone::Plain, words);
    }

    fn launch_table(&self) -> Table {
        let heads = [("project.why.quantity", Kind::Words), ("project.why.first", Kind::Number), ("project.why.second", Kind::Number)];
        let columns = ["quantity", "first", "second"].into_iter().zip(heads).map(|(name, (head, kind))| Column::new(name, kind, head));
        let mut table = Table::new("launches", columns.collect());
        let times = medians(&self.compared);
        let rows: [(&str, Unit, [Option<f64>; 2]); 6] = [
            ("project.told.time", Unit::Time, times),
            ("project.why.items", Unit::Count, self.starts.map(|starts| Some(starts.items as f64))),
            (
                "project.why.idle-items",
                Unit::Count,
                self.starts.map(|starts| Some((starts.items - starts.asked_items.min(starts.items)) as f64)),
            ),
            ("project.why.groups", Unit::Count, self.starts.map(|starts| starts.groups.map(|groups| groups as f64))),
            ("project.why.local-bytes", Unit::Count, self.starts.map(|starts| Some(starts.local_bytes as f64))),
            ("project.why.rate", Unit::Bandwidth, times.map(|time| Some(self.moved_bytes as f64 / time?))),
        ];
        for (key, unit, values) in rows.into_iter().filter(|(_, _, values)| values.iter().flatten().any(|value| *value > 0.0)) {
            let [first, second] = values.map(|value| Cell::number(value, unit));
            table.row([Cell::Words(Words::text(key)), first, second]);
        }
        table
    }

    /// The same for programs.
    #[must_use]
    pub fn facts(&self) -> serde_json::Map<String, Value> {
        let configuration = |point: &Point| -> Value {
            let values = self.project.configuration(point).into_iter();
            values.map(|(name, value)| (name.to_owned(), super::as_json(value))).collect::<serde_json::Map<_, _>>().into()
        };
        let told = |compared: &Result<Compared>| match compared {
            Ok(compared) => json!({ "comparison": compared.comparison, "busy": compared.busy }),
            Err(why) => json!({ "why_not": base::texts::in_english(|| Words::of(&why.why).to_string()) }),
        };
        let part = |part: &Part| {
            json!({
                "parameter": self.name(part.parameter),
                "alone": told(&part.alone),
                "last": told(&part.last),
            })
        };
        let starting = self.starting.as_ref().and_then(|starting| starting.as_ref().ok());
        let starts = self
            .starts
            .map(|starts| json!({ "work_items": starts.items, "work_groups": starts.groups, "local_bytes": starts.local_bytes }));
        let fields = [
            ("configurations", json!(self.points.each_ref().map(configuration))),
            ("comparison", json!(self.compared.comparison)),
            ("busy", json!(self.compared.busy)),
            ("parameters", self.parts.iter().map(part).collect::<Vec<_>>().into()),
            ("starts", json!(starts)),
            ("starting", json!(starting.map(|starting| json!({ "times_ns": starting.times_ns, "share": starting.share })))),
            ("same_code", json!(self.code_compared.as_ref().map(CodeComparison::is_same_code))),
            ("compiled", json!(self.code)),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, Starting, Starts, with_empty};
    use engine::Compared;
    use kernels::project::{Argument, Job, Launch};
    use model::measure::{Pair, Places, compare};

    /// Pairs of two that take so long, with a little noise.
    fn compared(first_ns: u64, second_ns: u64, noise_ns: u64) -> Compared {
        let pair = |index: u64| Pair {
            first_ns: first_ns + index % 7 * noise_ns,
            second_ns: second_ns + index % 5 * noise_ns,
            first_place: 0,
            second_place: 0,
            start: 0,
        };
        let pairs: Vec<Pair> = (0..101).map(pair).collect();
        Compared { comparison: compare(&pairs, Places::Shared), pairs, places: Places::Shared, busy: false, code: None }
    }

    fn found(times: [u64; 2], with_empty: [u64; 2], noise_ns: u64) -> Found {
        let added = [0, 1].map(|of| compared(times[of], with_empty[of], noise_ns));
        Starting::of(&compared(times[0], times[1], noise_ns), &added).expect("known").found()
    }

    #[test]
    fn starting_is_the_reason_where_empty_work_items_take_the_difference() {
        // 1000 and 400 µs; of the 600 between them, empty work-items take 550, 200, 30.
        assert_eq!(found([1_000_000, 400_000], [1_600_000, 450_000], 100), Found::Most);
        assert_eq!(found([1_000_000, 400_000], [1_250_000, 450_000], 100), Found::Some);
        assert_eq!(found([1_000_000, 400_000], [1_080_000, 450_000], 100), Found::Little);
        // The same of a second one that is slower.
        assert_eq!(found([400_000, 1_000_000], [450_000, 1_600_000], 100), Found::Most);
        // As much of it, in noise that is as large as the difference.
        assert_eq!(found([1_000_000, 950_000], [1_050_000, 975_000], 20_000), Found::Open);
    }

    #[test]
    fn shares_are_of_the_difference() {
        let added = [compared(1_000_000, 1_600_000, 1), compared(400_000, 450_000, 1)];
        let starting = Starting::of(&compared(1_000_000, 400_000, 1), &added).expect("known");
        let [share, low, high] = starting.share;
        assert!((share - 550.0 / 600.0).abs() < 0.001 && low <= share && share <= high, "{starting:?}");
        assert!((starting.times_ns[0][0] - 600_000.0).abs() < 100.0 && (starting.times_ns[1][0] - 50_000.0).abs() < 100.0, "{starting:?}");
        // Nothing to compare says nothing.
        assert!(Starting::of(&compared(0, 0, 0), &added).is_err());
    }

    #[test]
    fn what_is_started_counts_the_work_items_that_fill_the_last_groups() {
        let launch = |global: &[usize], local: Option<&[usize]>, bytes: usize| Launch {
            kernel: "k".to_owned(),
            global: global.to_vec(),
            local: local.map(<[usize]>::to_vec),
            arguments: vec![Argument::Local(bytes)],
        };
        let job = Job {
            source: "__kernel void k(__local int *a) {}".to_owned(),
            options: String::new(),
            scratch: Vec::new(),
            launches: vec![launch(&[100, 3], Some(&[64, 2]), 16), launch(&[10], Some(&[10]), 64)],
        };
        let starts = Starts::of(&job);
        assert_eq!(starts, Starts { items: 128 * 4 + 10, asked_items: 310, groups: Some(5), local_bytes: 64 });
        let added = with_empty(&job);
        let names: Vec<&str> = added.launches.iter().map(|launch| launch.kernel.as_str()).collect();
        assert_eq!(names, ["k", super::EMPTY, "k", super::EMPTY]);
        assert!(added.launches.iter().skip(1).step_by(2).all(|launch| launch.arguments.is_empty()) && added.source.contains(super::EMPTY));
        let driver = Job { launches: vec![launch(&[100], None, 0)], ..job };
        assert_eq!(Starts::of(&driver), Starts { items: 100, asked_items: 100, groups: None, local_bytes: 0 });
    }
}
