//! Which variant is fastest, with which local work size: a search by measuring.
//!
//! It begins at naive, at the last steps of this program's own ladders, and at the steps of published ladders, the last ones first: what is known to be fast on
//! some device is worth a reading, and where compiling takes a second for each variant a search that knew nothing would end before it got there. From what was measured, each candidate is one change away: a stage switched, with what it needs, or
//! a side of the local work size doubled or halved. What a change was worth where it was tried tells what it should be worth elsewhere, at best: the candidate
//! that should then be fastest comes next, and the search ends where none should be near the best one, or many were not. Stages depend on each other, so this
//! is a rule of thumb; what ends the search is held to an exhaustive one in tests and by `kernel-ladder autotune --exhaustive`.
//!
//! On the way a local work size that changes little leads nowhere, and much may lie behind it. So the fastest variants have their local work size tuned before
//! the search ends: over a coarse grid, and from its best size on to the neighbors.
//!
//! All of it but the first run keeps to the time that it is given: each part ends at its share of it, and but for that with naive no comparison begins that would not end in time.
//!
//! Single readings only guide the search. The best few are then compared in interleaved pairs, and so is each step of the way from naive to the best one.

use super::ablation::{self, Part, Way, Worth};
use super::{Finding, Keeps, Kind, Probe, Search, Sought, Study, Tuning, kind};
use engine::device::{DeviceInfo, DeviceKind, check_local};
use engine::{Target, Task};
use base::error::ErrorKind;
use kernels::filters::Filter;
use kernels::filters::VariantExt;
use kernels::filters::{Offer, Ladder, Step};
use model::{LocalSize, Setting, StageId, Variant, local_label, stages};
use base::texts::Words;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How the window knows it; its command has more to ask.
pub static KIND: Kind = Kind {
    name: "autotune",
    subject: kind::Subject::Filter,
    shortcut: ("F", true),
    command: None,
    goes_on: false,
    keeps: Some(Keeps {
        sought: Sought::Variant,
        found: |task, device, findings| {
            let tuned = Autotuned::of(findings);
            Tuning::of_variant(&tuned, &tuned.whole(findings), task, device)
        },
    }),
    why_not: |_| None,
    begin: |asked| Box::new(Autotune::new(asked.task, asked.device, Through::Guided, asked.limit)),
};

/// What runs: a variant with its local work size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Candidate {
    /// The variant.
    pub variant: Variant,
    /// The local work size asked for.
    pub local: LocalSize,
}

impl Candidate {
    /// Where every way begins.
    #[must_use]
    pub fn naive() -> Self {
        Self { variant: Variant::naive(), local: LocalSize::Driver }
    }

    /// The task that runs this candidate on the device of `like`, whose own variant and local size do not matter.
    #[must_use]
    pub fn task(self, like: &Task) -> Task {
        like.with_variant(self.variant).with_local(self.local)
    }

    /// What a task runs; `None` of a CPU competitor.
    #[must_use]
    pub fn of(task: &Task) -> Option<Self> {
        match task.target {
            Target::Device { variant, local, .. } => Some(Self { variant, local }),
            Target::Cpu(_) => None,
        }
    }
}

/// A change of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Change {
    /// A stage from one value to another.
    Stage(StageId, u8, u8),
    /// From the driver's local size to a common one of this shape.
    Explicit([usize; 2]),
    /// To the driver's choice.
    Driver,
    /// Both sides of the local size by powers of two.
    Sides([i8; 2]),
}

/// What a change is of: the same stage, or the local work size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Subject {
    Stage(StageId),
    Local,
}

impl Change {
    /// `None` where a stage is switched off.
    fn subject(self) -> Option<Subject> {
        match self {
            Self::Stage(id, _, to) => (to != id.stage().off).then_some(Subject::Stage(id)),
            Self::Explicit(_) | Self::Driver | Self::Sides(_) => Some(Subject::Local),
        }
    }
}

/// Explicit sizes to go on from: one row of work-items, a few rows, a square.
const FIRST_LOCALS: [[usize; 2]; 4] = [LocalSize::COMMON, [64, 1], [256, 1], [16, 16]];

/// What was not tried yet may be worth this much, as ratio of times: it is tried once, from the best place there is. A stage of which no value was tried comes
/// first; another value of one that was tried is expected to do what the best of its values did, within these bounds, so that it is tried at all, and behind
/// the stages that nothing is known of.
const UNTRIED_STAGE: f64 = 0.5;
const UNTRIED_VALUE: [f64; 2] = [0.6, 0.95];
const UNTRIED_SWITCHING_OFF: f64 = 0.9;

/// What takes so many times as long as before was of no effect.
const NO_EFFECT: [f64; 2] = [0.98, 1.02];

/// A stage that took so many times as long at its best keeps a published step from being tried.
const COSTLY: f64 = 3.0;

/// What should take so many times the best one's time is not worth a reading. Far enough above 1 for two stages that win together where each loses a little.
const HOPELESS: f64 = 1.2;

/// After so many readings without one that is faster by more than [`GAIN`], a search has found what it finds.
const PATIENCE: usize = 150;
const GAIN: f64 = 0.99;

/// So near the best reading another one is compared with it in pairs; so many at most. Short readings of one kernel are up to a fifth apart on a processor that
/// others use, too.
const NEAR: f64 = 1.2;
const FINALISTS: usize = 8;

/// The fastest steps of published ladders are compared with the best one, too, unless they took this many times as long: whatever a reading missed, a search
/// does not end at less than what guides advise.
const ADVISED_NEAR: f64 = 2.0;
const ADVISED_FINALISTS: usize = 2;

/// What ends at which share of the time: reading candidates, then tuning the local sizes of the fastest, then comparing the finalists. The way from naive to the
/// best one has the rest.
const READING_ENDS: f64 = 0.5;
const LOCALS_END: f64 = 0.65;
const FINALS_END: f64 = 0.85;

/// So many of the fastest variants have their local work size tuned.
const LEADERS: usize = 2;

/// The sizes that this begins with, along each dimension.
const GRID: [[usize; 4]; 2] = [[4, 16, 64, 256], [1, 4, 16, 64]];

/// How much time has passed, since whenever.
#[derive(Clone)]
struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl std::fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Clock")
    }
}

impl Clock {
    fn of_the_host() -> Self {
        let begun = Instant::now();
        Self(Arc::new(move || begun.elapsed()))
    }
}

/// How a search goes through the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// From naive and what is known to be fast, by what changes were worth so far.
    Guided,
    /// All allowed variants, each with the driver's local size and with all powers of two: the measure of the other.
    All,
}

/// A search for the fastest variant of a task's filter, in its setting, on its device.
#[derive(Debug)]
pub struct Autotune {
    task: Task,
    filter: &'static Filter,
    setting: Setting,
    device: DeviceInfo,
    through: Through,
    limit: Duration,
    clock: Clock,
    begun: Option<Duration>,
    /// Findings of an earlier search.
    earlier: Option<usize>,
    /// When the comparison that is being made began, and how long the longest took.
    pair_begun: Option<Duration>,
    longest_pair: Duration,
    /// Findings that are already in what follows.
    taken: usize,
    known: HashMap<Candidate, Option<f64>>,
    /// Each candidate that is one change away from one that was measured.
    edges: Vec<(Candidate, Change, Candidate)>,
    /// The least ratio of times that a change has had.
    worth: HashMap<Change, f64>,
    /// The best reading that counts as a gain over the one before it, and how many there were since.
    best_ns: f64,
    without_gain: usize,
    /// What is yet to be tried whatever comes of it.
    listed: VecDeque<Candidate>,
    /// The steps of published ladders.
    advised: Vec<Candidate>,
    /// Whether each step of the way from naive to the best one is compared.
    tells_way: bool,
}

impl Autotune {
    /// Of a task, whose own variant and local size do not matter, on its device. All of it but the first reading, comparisons included, ends about when `limit` is
    /// over; what is not found by then is not looked for.
    #[must_use]
    pub fn new(task: Task, device: DeviceInfo, through: Through, limit: Duration) -> Self {
        let (filter, setting) = (task.filter(), task.setting().on(device.abilities()));
        let mut search = Self {
            task,
            filter,
            setting,
            device,
            through,
            limit,
            clock: Clock::of_the_host(),
            begun: None,
            earlier: None,
            pair_begun: None,
            longest_pair: Duration::ZERO,
            taken: 0,
            known: HashMap::new(),
            edges: Vec::new(),
            worth: HashMap::new(),
            best_ns: f64::INFINITY,
            without_gain: 0,
            listed: VecDeque::new(),
            advised: published(filter, setting),
            tells_way: true,
        };
        if through == Through::Guided {
            search.listed = known_fast(filter, setting, search.device.kind).into();
        } else {
            let sizes = Search::Normal.sizes(&search.device).into_iter().map(LocalSize::Explicit);
            let locals: Vec<LocalSize> = std::iter::once(LocalSize::Driver).chain(sizes).collect();
            let variants = Variant::all(filter, setting);
            search.listed =
                variants.into_iter().flat_map(|variant| locals.iter().map(move |&local| Candidate { variant, local })).collect();
        }
        search
    }

    /// The same without a measured way from naive to the best one. Pairs with naive take long where it is slow.
    #[must_use]
    pub fn without_way(self) -> Self {
        Self { tells_way: false, ..self }
    }

    fn allows(&self, size: [usize; 2]) -> bool {
        check_local(&self.device, None, LocalSize::Explicit(size), &|_| 0).is_ok()
    }

    fn probe(&self, candidate: Candidate) -> Option<Task> {
        let is_on_device = matches!(self.task.target, Target::Device { .. });
        is_on_device.then(|| candidate.task(&self.task))
    }

    /// Takes in what was found since the last time.
    fn learn(&mut self, findings: &[Finding]) {
        for finding in findings.iter().skip(self.taken) {
            if let Finding::Glanced(task, time) = finding
                && let Some(candidate) = Candidate::of(task)
            {
                let time = time.as_ref().ok().copied();
                self.known.insert(candidate, time);
                match time.filter(|time| *time < self.best_ns * GAIN) {
                    Some(time) => (self.best_ns, self.without_gain) = (time, 0),
                    None => self.without_gain += 1,
                }
                // An exhaustive search goes by its list.
                if let Some(time) = time.filter(|_| self.through == Through::Guided) {
                    let led = self.led(candidate, time);
                    // That a candidate is refused says nothing of the same change elsewhere.
                    for &(change, ratio) in &led {
                        self.note(change, ratio);
                    }
                    // From the fastest place before it.
                    let by = led.into_iter().min_by(|one, other| other.1.total_cmp(&one.1));
                    for (change, to) in self.changes(candidate) {
                        // The way back, say, to what was measured before.
                        if let Some(other) = self.known.get(&to).copied().flatten() {
                            self.note(change, other / time);
                        }
                        if by.is_none_or(|by| leads_on(by, change)) {
                            self.edges.push((candidate, change, to));
                        }
                    }
                }
            }
        }
        self.taken = findings.len();
    }

    /// The changes that led to a candidate from what was measured before, each with the ratio of times that it had.
    fn led(&self, candidate: Candidate, time: f64) -> Vec<(Change, f64)> {
        let led = self.edges.iter().filter(|(_, _, to)| *to == candidate);
        led.filter_map(|(from, change, _)| Some((*change, time / self.known.get(from).copied().flatten()?))).collect()
    }

    fn note(&mut self, change: Change, ratio: f64) {
        let worth = self.worth.entry(change).or_insert(ratio);
        *worth = worth.min(ratio);
    }

    /// All that is one change away and allowed.
    fn changes(&self, from: Candidate) -> Vec<(Change, Candidate)> {
        let mut found = Vec::new();
        for stage in stages() {
            let now = from.variant.value(stage.id);
            let values = self.filter.values_for(stage.id, self.setting).map(|value| value.value);
            for value in values.chain(std::iter::once(stage.off)).filter(|value| *value != now) {
                if let Ok(switched) = from.variant.switched(stage.id, value, self.filter, self.setting) {
                    found.push((Change::Stage(stage.id, now, value), Candidate { variant: switched.variant, ..from }));
                }
            }
        }
        let mut local = |change, local| found.push((change, Candidate { local, ..from }));
        match from.local {
            LocalSize::Driver => {
                for size in FIRST_LOCALS.into_iter().filter(|size| self.allows(*size)) {
                    local(Change::Explicit(size), LocalSize::Explicit(size));
                }
            }
            LocalSize::Explicit(size) => {
                local(Change::Driver, LocalSize::Driver);
                for (sides, size) in self.neighbors(size) {
                    local(Change::Sides(sides), LocalSize::Explicit(size));
                }
            }
        }
        found
    }

    /// Sizes with sides that are doubled or halved, as far as the device allows them.
    fn neighbors(&self, [x, y]: [usize; 2]) -> impl Iterator<Item = ([i8; 2], [usize; 2])> {
        let all = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, -1], [-1, 1]];
        let sized = all.into_iter().map(move |sides| (sides, [by_power(x, sides[0]), by_power(y, sides[1])]));
        sized.filter(|(_, size)| self.allows(*size))
    }

    /// A local work size of one of the fastest variants that was not read yet: on the grid, then beside the best one that is known; `None` where each of them
    /// has its best.
    fn next_local(&mut self) -> Option<Candidate> {
        if self.is_past(LOCALS_END) {
            return None;
        }
        let mut fastest: Vec<(f64, Candidate)> = self.known.iter().filter_map(|(known, time)| Some(((*time)?, *known))).collect();
        fastest.sort_by(|one, other| one.0.total_cmp(&other.0));
        let least = fastest.first()?.0;
        let mut leaders: Vec<Variant> = Vec::new();
        for (_, candidate) in fastest.iter().take_while(|(time, _)| *time < least * HOPELESS) {
            if !leaders.contains(&candidate.variant) && leaders.len() < LEADERS {
                leaders.push(candidate.variant);
            }
        }
        let [xs, ys] = GRID;
        leaders.into_iter().find_map(|variant| {
            let best = fastest.iter().find_map(|(_, candidate)| match candidate.local {
                LocalSize::Explicit(size) if candidate.variant == variant => Some(size),
                _ => None,
            });
            let grid = ys.iter().flat_map(|&y| xs.iter().map(move |&x| [x, y])).filter(|size| self.allows(*size));
            let beside = best.into_iter().flat_map(|best| self.neighbors(best)).map(|(_, size)| size);
            let sizes = grid.chain(beside).map(|size| Candidate { variant, local: LocalSize::Explicit(size) });
            sizes.into_iter().find(|candidate| !self.known.contains_key(candidate))
        })
    }

    /// The candidate that should be fastest of those that were not measured; `None` where none should be near the best one.
    fn most_promising(&self) -> Option<Candidate> {
        let best = self.known.values().flatten().copied().min_by(f64::total_cmp)?;
        let mut best_of: HashMap<Subject, f64> = HashMap::new();
        for (subject, worth) in self.worth.iter().filter_map(|(change, worth)| Some((change.subject()?, *worth))) {
            best_of.entry(subject).and_modify(|best| *best = best.min(worth)).or_insert(worth);
        }
        let untried = |change: Change| match change.subject().map(|subject| best_of.get(&subject)) {
            None => UNTRIED_SWITCHING_OFF,
            Some(None) => UNTRIED_STAGE,
            Some(Some(worth)) => worth.clamp(UNTRIED_VALUE[0], UNTRIED_VALUE[1]),
        };
        let expected = |(from, change, _): &(Candidate, Change, Candidate)| {
            let before = self.known.get(from).copied().flatten().unwrap_or(f64::INFINITY);
            before * self.worth.get(change).copied().unwrap_or_else(|| untried(*change))
        };
        let open = self.edges.iter().filter(|(_, _, to)| !self.known.contains_key(to));
        let (next, time) = open.map(|edge| (edge.2, expected(edge))).min_by(|one, other| one.1.total_cmp(&other.1))?;
        (time < best * HOPELESS).then_some(next)
    }

    /// Whether a guided search has seen one of its stages cost a multiple wherever it was switched on: images on some processors take seconds for a run.
    fn is_hopeless(&self, variant: &Variant) -> bool {
        let costs =
            |id: StageId| self.worth.get(&Change::Stage(id, id.stage().off, variant.value(id))).is_some_and(|worth| *worth > COSTLY);
        self.through == Through::Guided && stages().any(|stage| variant.is_on(stage.id) && costs(stage.id))
    }

    fn next_reading(&mut self) -> Option<Candidate> {
        // Naive is read whatever the time: without any reading there is nothing to say.
        if !self.known.is_empty() && self.is_past(READING_ENDS) {
            return None;
        }
        while let Some(candidate) = self.listed.pop_front() {
            if !self.known.contains_key(&candidate) && !self.is_hopeless(&candidate.variant) {
                return Some(candidate);
            }
        }
        if self.through == Through::All {
            return None;
        }
        self.most_promising().filter(|_| self.without_gain < PATIENCE)
    }

    /// Since the first reading.
    fn elapsed(&mut self) -> Duration {
        let now = (self.clock.0)();
        now.saturating_sub(*self.begun.get_or_insert(now))
    }

    /// Whether this share of its time is over.
    fn is_past(&mut self, share: f64) -> bool {
        self.elapsed().as_secs_f64() > share * self.limit.as_secs_f64()
    }

    /// Whether so many more comparisons would end in time, as far as those before them tell.
    fn has_time_for(&mut self, pairs: u32) -> bool {
        self.elapsed().saturating_add(self.longest_pair.saturating_mul(pairs)) <= self.limit
    }
}

/// Whether a change goes on from where another one led, which had that ratio of times. All do from a gain. A change of no effect leads nowhere that the place
/// before it does not lead: without this a search walks through all combinations of what does nothing. A stage that loses may win together with another one; a
/// local size that loses does not.
fn leads_on((by, ratio): (Change, f64), next: Change) -> bool {
    ratio < NO_EFFECT[0] || ratio > NO_EFFECT[1] && matches!((by, next), (Change::Stage(..), Change::Stage(..)))
}

/// A side by a power of two; 0, which nothing allows, where that is no whole number.
fn by_power(side: usize, power: i8) -> usize {
    match power {
        0 => side,
        1 => side.saturating_mul(2),
        _ if side.is_multiple_of(2) => side / 2,
        _ => 0,
    }
}

impl Study for Autotune {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        self.learn(findings);
        // The first run computes the reference, too, and mostly is of the slowest kernel there is. A costly filter would take all the time of a short search for it.
        if findings.len() == *self.earlier.get_or_insert(findings.len()) + 1 {
            self.begun = None;
        }
        let now = self.elapsed();
        if let Some(begun) = self.pair_begun.take() {
            self.longest_pair = self.longest_pair.max(now.saturating_sub(begun));
        }
        let is_searching = !findings.iter().any(|finding| matches!(finding, Finding::Compared(..)));
        if is_searching {
            let is_guided = self.through == Through::Guided;
            if let Some(candidate) = self.next_reading().or_else(|| if is_guided { self.next_local() } else { None }) {
                return self.probe(candidate).map(Probe::Glance);
            }
        }
        let tuned = Autotuned::of(findings);
        // A final leaves time for the comparison with naive, which a search is worth little without: that one alone may end a little late.
        let is_final = !self.is_past(FINALS_END) && self.has_time_for(2);
        let of_finals = if is_final { tuned.next_final(&self.advised, findings) } else { None };
        let of_way = || if self.tells_way { tuned.next_of_path(self.filter, self.setting, findings) } else { None };
        let pair = of_finals.or_else(of_way)?;
        let is_whole = pair.0 == Candidate::naive() && Some(pair.1) == tuned.best;
        if self.is_past(1.0) || !(is_whole || self.has_time_for(1)) {
            return None;
        }
        self.pair_begun = Some(now);
        Some(Probe::Compare(self.probe(pair.0)?, self.probe(pair.1)?))
    }

    fn total(&self) -> usize {
        // Where it ends is found on the way.
        0
    }
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Autotuned {
    /// What was measured, with its median kernel time in nanoseconds, the fastest first.
    pub measured: Vec<(Candidate, f64)>,
    /// How many the device does not allow.
    pub refused: usize,
    /// How many failed in another way, a wrong output among them.
    pub failed: usize,
    /// Why the first of them did.
    pub failure: Option<Words>,
    /// Whether other work disturbed a comparison.
    pub is_busy: bool,
    /// The best one: the fastest reading, or what was faster in pairs.
    pub best: Option<Candidate>,
}

/// One step of the way from naive to the best one.
#[derive(Clone, Debug)]
pub struct PathStep {
    /// What it adds: "vectorize=5", "64 × 2".
    pub name: String,
    /// What is compared, the earlier one first; or why that cannot be.
    pub pair: Result<(Candidate, Candidate), Words>,
    /// How they compare.
    pub worth: Worth,
}

impl Autotuned {
    /// Of the findings of [`Autotune`].
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        let mut tuned = Self::default();
        for finding in findings {
            match finding {
                Finding::Glanced(task, time) => match (Candidate::of(task), time) {
                    (Some(candidate), Ok(time)) => tuned.measured.push((candidate, *time)),
                    (Some(_), Err(error)) if error.kind == ErrorKind::Usage => tuned.refused += 1,
                    (Some(_), Err(error)) => {
                        tuned.failed += 1;
                        tuned.failure.get_or_insert_with(|| Words::of(error));
                    }
                    (None, _) => {}
                },
                Finding::Compared(_, Ok(compared)) => tuned.is_busy |= compared.busy,
                Finding::Record(..) | Finding::Compared(_, Err(_)) | Finding::Frames(..) | Finding::Split(..) | Finding::Code(..) | Finding::Roofs(_) => {}
            }
        }
        tuned.measured.sort_by(|one, other| one.1.total_cmp(&other.1));
        tuned.best = tuned.measured.first().map(|(candidate, _)| *candidate);
        let pairs = findings.iter().filter_map(|finding| match finding {
            Finding::Compared(tasks, Ok(compared)) => Some((tasks, compared.comparison)),
            _ => None,
        });
        let mut published_steps: Option<Vec<Candidate>> = None;
        for (tasks, comparison) in pairs {
            // All tasks of a search are of one filter in one setting.
            let steps = published_steps.get_or_insert_with(|| published(tasks.0.filter(), tasks.0.setting()));
            let [first, second] = [&tasks.0, &tasks.1].map(Candidate::of);
            let advised = [first, second].map(|candidate| candidate.is_some_and(|candidate| steps.contains(&candidate)));
            // A choice needs no band: what takes less time by the whole interval is chosen, however little it is. What a guide advises is chosen unless it was
            // seen to take more, each time: the fastest of many readings was lucky, too.
            let other = if tuned.best == first && (comparison.low > 1.0 || advised == [false, true] && comparison.high >= 1.0) {
                second
            } else if tuned.best == second && advised == [true, false] && comparison.low <= 1.0 {
                first
            } else {
                None
            };
            tuned.best = other.or(tuned.best);
        }
        tuned
    }

    /// How many candidates were tried.
    #[must_use]
    pub fn tried(&self) -> usize {
        self.measured.len() + self.refused + self.failed
    }

    /// The median of a candidate's short reading, in nanoseconds.
    #[must_use]
    pub fn time_of(&self, candidate: Candidate) -> Option<f64> {
        self.measured.iter().find(|(known, _)| *known == candidate).map(|(_, time)| *time)
    }

    /// The best one and another finalist, where they were not compared yet; `advised` are the steps of published ladders.
    fn next_final(&self, advised: &[Candidate], findings: &[Finding]) -> Option<(Candidate, Candidate)> {
        let best = self.best?;
        let (_, least) = self.measured.first()?;
        let within = |most: f64| self.measured.iter().filter(move |(_, time)| *time <= least * most).map(|(candidate, _)| *candidate);
        let of_guides = within(ADVISED_NEAR).filter(|candidate| advised.contains(candidate)).take(ADVISED_FINALISTS);
        let fastest = self.measured.first().map(|(candidate, _)| *candidate);
        let mut others =
            within(NEAR).take(FINALISTS).chain(of_guides).filter(|candidate| *candidate != best && Some(*candidate) != fastest);
        let was_compared = |candidate: &Candidate| {
            findings.iter().any(|finding| matches!(finding, Finding::Compared(tasks, _) if Candidate::of(&tasks.1) == Some(*candidate)))
        };
        let next = others.find(|candidate| !was_compared(candidate)).map(|candidate| (best, candidate));
        // What came out ahead of all was chosen by these very pairs: it has to be ahead of the fastest advised step in one more.
        let once_more = || {
            let fastest = within(ADVISED_NEAR).find(|candidate| advised.contains(candidate))?;
            let pair = (fastest, best);
            (!advised.contains(&best) && found(&pair, findings).is_none()).then_some(pair)
        };
        next.or_else(once_more)
    }

    /// The way from naive to the best one: stages as ablation adds them, with the driver's local size, then the best local size. With the whole of it.
    fn way(&self, filter: &Filter, setting: Setting) -> Vec<PathStep> {
        let Some(best) = self.best else { return Vec::new() };
        let with_drivers = |variant| Candidate { variant, local: LocalSize::Driver };
        let parts = ablation::parts(&best.variant, filter, setting);
        let added = parts.into_iter().filter(|part| part.kind == Way::Added).map(|Part { stages, pair, .. }| {
            let pair = pair.map(|(before, after)| (with_drivers(before), with_drivers(after)));
            PathStep { name: ablation::name(&best.variant, &stages), pair, worth: None }
        });
        let local = match best.local {
            LocalSize::Driver => None,
            LocalSize::Explicit(size) => {
                Some(PathStep { name: local_label(size), pair: Ok((with_drivers(best.variant), best)), worth: None })
            }
        };
        added.chain(local).collect()
    }

    fn next_of_path(&self, filter: &Filter, setting: Setting, findings: &[Finding]) -> Option<(Candidate, Candidate)> {
        let best = self.best.filter(|best| *best != Candidate::naive())?;
        let whole = (Candidate::naive(), best);
        let steps = self.way(filter, setting).into_iter().filter_map(|step| step.pair.ok());
        std::iter::once(whole).chain(steps).find(|pair| found(pair, findings).is_none())
    }

    /// The way from naive to the best one with what each step is worth.
    #[must_use]
    pub fn path(&self, filter: &Filter, setting: Setting, findings: &[Finding]) -> Vec<PathStep> {
        let compared = |step: PathStep| {
            let worth = match &step.pair {
                Ok(pair) => found(pair, findings),
                Err(why) => Some(Err(why.clone())),
            };
            PathStep { worth, ..step }
        };
        self.way(filter, setting).into_iter().map(compared).collect()
    }

    /// The best one against naive.
    #[must_use]
    pub fn whole(&self, findings: &[Finding]) -> Worth {
        found(&(Candidate::naive(), self.best?), findings)
    }
}

/// How two candidates compare; `None`: not compared yet.
fn found(pair: &(Candidate, Candidate), findings: &[Finding]) -> Worth {
    findings.iter().find_map(|finding| match finding {
        Finding::Compared(tasks, compared) if (Candidate::of(&tasks.0), Candidate::of(&tasks.1)) == (Some(pair.0), Some(pair.1)) => {
            Some(compared.clone().map_err(|error| Words::of(&error)))
        }
        _ => None,
    })
}

/// What guides' ladders come to in a setting: each step that is allowed there, with its own local work size and the driver's. Our own ladders, which go on
/// from them, are not among these.
#[must_use]
pub fn published(filter: &Filter, setting: Setting) -> Vec<Candidate> {
    let steps = filter.ladders().iter().filter(|ladder| !ladder.is_own).flat_map(|ladder| &ladder.steps);
    candidates(steps, filter, setting)
}

/// Where a guided search begins: naive, then the last step of each ladder that the device allows, this program's own first, then the last but one of each published
/// ladder, and so on. Most ladders end at what was fastest where they were made, and a short search gets no further than these. This program's own were mostly made on GPUs, so on
/// a CPU plain vectors and what guides end at come first.
fn known_fast(filter: &Filter, setting: Setting, device: DeviceKind) -> Vec<Candidate> {
    let (own, published): (Vec<&Ladder>, Vec<&Ladder>) = filter.ladders().iter().partition(|ladder| ladder.is_own);
    let longest = published.iter().map(|ladder| ladder.steps.len()).max().unwrap_or_default();
    let allowed = |step: &&Step| step.variant().check(filter, setting).is_ok();
    let back = |ladder: &&'static Ladder, rank: usize| ladder.steps.iter().rev().filter(allowed).nth(rank);
    let of_guides = |ranks: std::ops::Range<usize>| ranks.flat_map(|rank| published.iter().filter_map(move |ladder| back(ladder, rank)));
    let mut found = vec![Candidate::naive()];
    if device == DeviceKind::Cpu {
        found.extend(plain_vectors(filter, setting).map(|variant| Candidate { variant, local: LocalSize::Driver }));
    }
    // A ladder for the other channels may end at a value that these do not have.
    let variants = own.iter().filter_map(|ladder| ladder.steps.last()).flat_map(|step| with_values_for(step.variant(), filter, setting));
    let translated = variants.map(|variant| Candidate { variant, local: LocalSize::Driver });
    let of_own = candidates(own.iter().filter_map(|ladder| back(ladder, 0)), filter, setting);
    let ours = translated.chain(of_own);
    let [ends, guides] = [0..1, 0..longest].map(|ranks| candidates(of_guides(ranks), filter, setting).into_iter());
    let listed: Vec<_> = if device == DeviceKind::Cpu { ends.chain(ours).chain(guides).collect() } else { ours.chain(guides).collect() };
    for candidate in listed {
        if !found.contains(&candidate) {
            found.push(candidate);
        }
    }
    found
}

/// The variants with vectors over coalesced and padded rows and nothing else; separable or specialized where only these have vectors. Not every compiler for CPUs packs work-items into
/// vectors (`assets/limits/pocl.md`), but all keep those of the source.
fn plain_vectors(filter: &Filter, setting: Setting) -> impl Iterator<Item = Variant> {
    let plain = Variant::naive().with(StageId::Coalesced, 1).with(StageId::Padded, 1);
    filter.values_for(StageId::Vectorize, setting).filter_map(move |value| {
        let vectors = plain.with(StageId::Vectorize, value.value);
        let more = [StageId::Separable, StageId::Specialized].map(|stage| vectors.with(stage, 1));
        std::iter::once(vectors).chain(more).find(|variant| variant.check(filter, setting).is_ok())
    })
}

/// A variant with each value that the setting's channels have in the place of one that they do not have; none where it has all it needs, or where none of these is
/// allowed.
fn with_values_for(variant: Variant, filter: &Filter, setting: Setting) -> Vec<Variant> {
    let lacks = |stage: &&Offer| {
        variant.is_on(stage.id) && filter.values_for(stage.id, setting).all(|value| value.value != variant.value(stage.id))
    };
    let Some(stage) = filter.stages.iter().find(lacks) else { return Vec::new() };
    let others = filter.values_for(stage.id, setting).map(|value| variant.with(stage.id, value.value));
    others.filter(|variant| variant.check(filter, setting).is_ok()).collect()
}

/// Steps that are allowed, with their local sizes and with the driver's.
fn candidates<'a>(steps: impl Iterator<Item = &'a Step>, filter: &Filter, setting: Setting) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for step in steps.filter(|step| step.variant().check(filter, setting).is_ok()) {
        let local = step.local_or(LocalSize::Driver);
        for candidate in [local, LocalSize::Driver].map(|local| Candidate { variant: step.variant(), local }) {
            if !found.contains(&candidate) {
                found.push(candidate);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Autotune, Autotuned, Candidate, Clock, Through, known_fast, published};
    use engine::device::{DeviceInfo, DeviceKind};
    use engine::{PictureRef, Target, Task};
    use kernels::filters::{FilterIdExt as _, VariantExt as _};
    use pictures::Picture;
    use model::measure::{Comparison, Verdict};
    use model::{Abilities, Channels, FilterId, HostMemory, LocalSize, Setting, StageId, Variant};
    use crate::{Finding, Probe, Study};
    use crate::testing::compared_as;
    use base::texts::{failed, misused};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    const ENDLESS: Duration = Duration::from_secs(1_000_000);

    fn device() -> DeviceInfo {
        DeviceInfo { max_work_group_size: 256, max_work_item_sizes: [256, 256, 64], ..DeviceInfo::example() }
    }

    fn task() -> Task {
        let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        Task::new(PictureRef::new(Arc::new(Picture::from_fn(4, 4, Channels::Rgb, |_, _, _| 0))), target)
    }

    /// A device on which stages depend on each other: rows gain by the number of them only once accesses are coalesced, merged loads lose alone and win with
    /// short16, and the best local size is 64 × 2.
    fn time_of(candidate: &Candidate) -> Option<f64> {
        let Candidate { variant, local } = candidate;
        let mut time = 10_000.0;
        if variant.is_on(StageId::Coalesced) {
            time /= 4.0 * (1.0 + 0.2 * f64::from(variant.value(StageId::Rows)));
        }
        if variant.is_on(StageId::Vectorize) {
            time *= 0.8;
        }
        if variant.is_on(StageId::Merged) {
            time *= if variant.is_on(StageId::Short16) { 0.7 } else { 1.1 };
        }
        if variant.is_on(StageId::Local) {
            time *= 1.5;
        }
        match *local {
            LocalSize::Driver => Some(time * 1.3),
            LocalSize::Explicit([x, y]) if x * y <= 128 => {
                let steps = (x as f64 / 64.0).log2().abs() + (y as f64 / 2.0).log2().abs();
                Some(time * 1.05_f64.powf(steps))
            }
            LocalSize::Explicit(_) => None,
        }
    }

    fn of(task: &Task) -> Candidate {
        Candidate::of(task).expect("on a device")
    }

    fn found(probe: Probe) -> Finding {
        found_by(probe, time_of)
    }

    fn found_by(probe: Probe, time_of: fn(&Candidate) -> Option<f64>) -> Finding {
        match probe {
            Probe::Glance(task) => {
                let time = time_of(&of(&task)).ok_or_else(|| misused("errors.local.refused", &[("size", &0), ("why", &0), ("remedy", &0)]));
                Finding::Glanced(Box::new(task), time)
            }
            Probe::Compare(first, second) | Probe::CompareCached(first, second) => {
                let ratio = time_of(&of(&first)).zip(time_of(&of(&second))).map(|(before, after)| before / after).expect("both run");
                let verdict = if ratio > 1.01 {
                    Verdict::Faster
                } else if ratio < 0.99 {
                    Verdict::Slower
                } else {
                    Verdict::Same
                };
                let comparison = Comparison { ratio, low: ratio * 0.995, high: ratio * 1.005, verdict, starts: 1 };
                let compared = compared_as(comparison);
                Finding::Compared(Box::new((first, second)), Ok(compared))
            }
            Probe::Measure(_) | Probe::Frames(_) | Probe::Split(_) | Probe::Code(_) | Probe::Roofs(_) => panic!("a search glances and compares"),
        }
    }

    fn run(through: Through, limit: Duration) -> Vec<Finding> {
        all_of(Autotune::new(task(), device(), through, limit))
    }

    fn all_of(mut study: Autotune) -> Vec<Finding> {
        let mut findings = Vec::new();
        while let Some(probe) = study.next(&findings) {
            findings.push(found(probe));
            assert!(findings.len() < 100_000, "it ends");
        }
        findings
    }

    #[test]
    fn a_guided_search_finds_what_an_exhaustive_one_does_with_far_fewer_readings() {
        let guided = run(Through::Guided, ENDLESS);
        let all = run(Through::All, ENDLESS);
        let [fast, slow] = [&guided, &all].map(|findings| Autotuned::of(findings));
        let time = |tuned: &Autotuned| time_of(&tuned.best.expect("found")).expect("it runs");
        assert!(time(&fast) <= time(&slow), "{:?} {:?} after {}", fast.best, slow.best, fast.measured.len());
        assert_eq!(fast.best.map(|best| best.local), Some(LocalSize::Explicit([64, 2])));
        assert!(fast.measured.len() * 4 < slow.measured.len(), "{} {}", fast.measured.len(), slow.measured.len());
        assert!(fast.refused > 0, "some sizes are too large");
    }

    #[test]
    fn without_a_way_the_same_is_found_and_nothing_is_compared_with_naive() {
        let way = run(Through::Guided, ENDLESS);
        let none = all_of(Autotune::new(task(), device(), Through::Guided, ENDLESS).without_way());
        let with_naive = |findings: &[Finding]| {
            let pairs = findings.iter().filter_map(|finding| match finding {
                Finding::Compared(pair, _) => Candidate::of(&pair.0),
                _ => None,
            });
            pairs.filter(|first| *first == Candidate::naive()).count()
        };
        assert_eq!(Autotuned::of(&way).best, Autotuned::of(&none).best);
        assert_eq!((with_naive(&none), with_naive(&way) > 0), (0, true));
    }

    #[test]
    fn the_way_begins_at_naive_and_ends_at_the_best_one() {
        let findings = run(Through::Guided, ENDLESS);
        let (tuned, task) = (Autotuned::of(&findings), task());
        let path = tuned.path(task.filter(), task.setting().on(device().abilities()), &findings);
        let pairs: Vec<_> = path.iter().map(|step| step.pair.clone().expect("allowed")).collect();
        assert_eq!(pairs.first().map(|pair| pair.0), Some(Candidate { variant: Variant::naive(), local: LocalSize::Driver }));
        assert_eq!(pairs.last().map(|pair| pair.1), tuned.best);
        assert!(pairs.windows(2).all(|pair| pair[0].1 == pair[1].0));
        // Each step was compared, and their ratios multiply to the whole.
        let ratio = |worth: &super::Worth| worth.as_ref().expect("compared").as_ref().expect("ran").comparison.ratio;
        let product: f64 = path.iter().map(|step| ratio(&step.worth)).product();
        assert!((product / ratio(&tuned.whole(&findings)) - 1.0).abs() < 1e-9);
        assert_eq!(path.last().map(|step| step.name.as_str()), Some("64 × 2"));
    }

    #[test]
    fn pairs_overrule_single_readings() {
        let reading = |local: [usize; 2], time: f64| Finding::Glanced(Box::new(task().with_local(LocalSize::Explicit(local))), Ok(time));
        let mut findings = vec![reading([32, 4], 100.0), reading([64, 2], 101.0), reading([1, 1], 500.0)];
        assert_eq!(Autotuned::of(&findings).best.map(|best| best.local), Some(LocalSize::Explicit([32, 4])));
        let final_pair = Autotuned::of(&findings).next_final(&[], &findings).expect("one is near");
        assert_eq!(final_pair.1.local, LocalSize::Explicit([64, 2]));
        findings
            .push(found(Probe::Compare(task().with_local(LocalSize::Explicit([32, 4])), task().with_local(LocalSize::Explicit([64, 2])))));
        assert_eq!(Autotuned::of(&findings).best.map(|best| best.local), Some(LocalSize::Explicit([64, 2])));
        assert_eq!(Autotuned::of(&findings).next_final(&[], &findings), None);
    }

    #[test]
    fn what_guides_advise_is_a_finalist_though_its_reading_was_slow() {
        let size = |side| Candidate { variant: Variant::naive(), local: LocalSize::Explicit(side) };
        let reading = |side, time: f64| Finding::Glanced(Box::new(size(side).task(&task())), Ok(time));
        let findings = vec![reading([32, 4], 100.0), reading([64, 2], 150.0), reading([64, 4], 160.0), reading([8, 8], 201.0)];
        let tuned = Autotuned::of(&findings);
        assert_eq!(tuned.next_final(&[], &findings), None);
        assert_eq!(tuned.next_final(&[size([64, 4])], &findings), Some((size([32, 4]), size([64, 4]))));
        assert_eq!(tuned.next_final(&[size([8, 8])], &findings), None, "no noise makes up for a factor of two");
    }

    /// Only large groups are fast, and all smaller ones are alike: nothing on the way from a common size leads there.
    fn time_of_groups(candidate: &Candidate) -> Option<f64> {
        match candidate.local {
            LocalSize::Explicit([x, y]) if x * y > 4096 => None,
            LocalSize::Explicit([x, y]) if x * y >= 1024 => Some(if x == 64 { 700.0 } else { 760.0 }),
            LocalSize::Driver | LocalSize::Explicit(_) => Some(1200.0),
        }
    }

    #[test]
    fn the_local_size_of_the_fastest_is_tuned_before_the_search_ends() {
        let device = DeviceInfo { max_work_group_size: 4096, max_work_item_sizes: [4096, 4096, 64], ..DeviceInfo::example() };
        let mut study = Autotune::new(task(), device, Through::Guided, ENDLESS);
        let mut findings = Vec::new();
        while let Some(probe) = study.next(&findings) {
            findings.push(found_by(probe, time_of_groups));
            assert!(findings.len() < 1000, "it ends");
        }
        let best = Autotuned::of(&findings).best.expect("found");
        assert_eq!(time_of_groups(&best), Some(700.0), "{best:?}");
    }

    #[test]
    fn an_exhaustive_search_tries_all_powers_of_two() {
        let findings = run(Through::All, ENDLESS);
        let locals: std::collections::HashSet<_> = findings
            .iter()
            .filter_map(|finding| match finding {
                Finding::Glanced(task, _) if of(task).variant == Variant::naive() => Some(of(task).local),
                _ => None,
            })
            .collect();
        // The driver's, and 2^a × 2^b of at least 16 and at most 256 work-items: 5 + 6 + 7 + 8 + 9.
        assert_eq!(locals.len(), 36);
    }

    /// Readings of 0.3 s and comparisons of 0.9 s, after a first reading of 30 s.
    #[test]
    fn the_time_is_that_of_the_whole_search_but_its_first_reading() {
        for limit_s in [5, 10, 20, 60] {
            let now_ms = Arc::new(AtomicU64::new(0));
            let clock = Arc::clone(&now_ms);
            let limit = Duration::from_secs(limit_s);
            let mut study = Autotune::new(task(), device(), Through::Guided, limit);
            study.clock = Clock(Arc::new(move || Duration::from_millis(clock.load(Ordering::Relaxed))));
            let (mut findings, mut pairs) = (Vec::new(), 0);
            while let Some(probe) = study.next(&findings) {
                let is_pair = matches!(probe, Probe::Compare(..));
                pairs += usize::from(is_pair);
                let taken_ms = if findings.is_empty() { 30_000 } else { 300 };
                now_ms.fetch_add(if is_pair { 900 } else { taken_ms }, Ordering::Relaxed);
                findings.push(found(probe));
            }
            let taken_ms = now_ms.load(Ordering::Relaxed) - 30_000;
            assert!(findings.len() > 5, "{limit_s} s are left for the search");
            assert!(taken_ms <= limit_s * 1000 + 900, "{taken_ms} of {limit_s} s");
            assert!(pairs > 0 && Autotuned::of(&findings).whole(&findings).is_some(), "{limit_s} s are enough for a comparison with naive");
        }
    }

    #[test]
    fn a_search_without_time_reads_naive_alone() {
        let now = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&now);
        let mut study = Autotune::new(task(), device(), Through::Guided, Duration::ZERO);
        study.clock = Clock(Arc::new(move || Duration::from_millis(clock.fetch_add(1, Ordering::Relaxed))));
        let findings = all_of(study);
        assert_eq!(findings.len(), 1);
        assert_eq!(Autotuned::of(&findings).best, Some(Candidate::naive()));
    }

    #[test]
    fn the_better_of_two_is_chosen_within_the_band_too() {
        let task = |size| task().with_local(LocalSize::Explicit(size));
        let reading = |size, time| Finding::Glanced(Box::new(task(size)), Ok(time));
        let best = |low, high| {
            let comparison = Comparison { ratio: 1.01, low, high, verdict: Verdict::Same, starts: 1 };
            let pair = Finding::Compared(Box::new((task([32, 4]), task([64, 2]))), Ok(compared_as(comparison)));
            Autotuned::of(&[reading([32, 4], 100.0), reading([64, 2], 101.0), pair]).best.map(|best| best.local)
        };
        assert_eq!(best(1.005, 1.015), Some(LocalSize::Explicit([64, 2])));
        assert_eq!(best(0.995, 1.025), Some(LocalSize::Explicit([32, 4])), "nothing was seen");
    }

    #[test]
    fn what_a_guide_advises_is_chosen_unless_it_was_seen_to_be_slower() {
        let advised = published(task().filter(), task().setting()).into_iter().find(|one| *one != Candidate::naive()).expect("a ladder");
        let found = Candidate { local: LocalSize::Explicit([2, 2]), ..advised };
        assert!(!published(task().filter(), task().setting()).contains(&found), "no guide has such a size");
        let reading = |candidate: Candidate, time| Finding::Glanced(Box::new(candidate.task(&task())), Ok(time));
        let best = |low, high| {
            let comparison = Comparison { ratio: 0.99, low, high, verdict: Verdict::Same, starts: 1 };
            let pair = Finding::Compared(Box::new((found.task(&task()), advised.task(&task()))), Ok(compared_as(comparison)));
            Autotuned::of(&[reading(found, 100.0), reading(advised, 101.0), pair]).best
        };
        assert_eq!(best(0.97, 1.0), Some(advised));
        assert_eq!(best(0.97, 0.999), Some(found));
        // Once more, the other way round: there 1.02 is in favor of what was found.
        let again = |low| {
            let comparison = |ratio, low, high| Comparison { ratio, low, high, verdict: Verdict::Same, starts: 1 };
            let pair = |one: Candidate, other: Candidate, comparison| {
                Finding::Compared(Box::new((one.task(&task()), other.task(&task()))), Ok(compared_as(comparison)))
            };
            let mut findings = vec![reading(found, 100.0), reading(advised, 101.0), pair(found, advised, comparison(0.98, 0.97, 0.99))];
            assert_eq!(Autotuned::of(&findings).next_final(&[advised], &findings), Some((advised, found)));
            findings.push(pair(advised, found, comparison(1.02, low, 1.03)));
            assert_eq!(Autotuned::of(&findings).next_final(&[advised], &findings), None);
            Autotuned::of(&findings).best
        };
        assert_eq!((again(1.001), again(0.999)), (Some(found), Some(advised)));
    }

    #[test]
    fn what_fails_is_told_apart_from_what_is_refused() {
        let glanced = |error| Finding::Glanced(Box::new(task()), Err(error));
        let refused = misused("errors.local.refused", &[("size", &0), ("why", &0), ("remedy", &0)]);
        let tuned = Autotuned::of(&[glanced(refused), glanced(failed("errors.engine.timestamps", &[]))]);
        assert_eq!((tuned.refused, tuned.failed, tuned.failure.is_some(), tuned.tried()), (1, 1, true, 2));
    }

    #[test]
    fn what_guides_advise_is_tried_before_anything_else() {
        let (task, findings) = (task(), run(Through::Guided, ENDLESS));
        let advised = published(task.filter(), task.setting().on(device().abilities()));
        let candidate = |finding: &Finding| match finding {
            Finding::Glanced(task, _) => Candidate::of(task),
            _ => None,
        };
        let tried: Vec<_> = findings.iter().filter_map(candidate).collect();
        assert_eq!(tried.first(), Some(&Candidate::naive()));
        let listed = known_fast(task.filter(), task.setting().on(device().abilities()), DeviceKind::Gpu);
        assert!(advised.iter().all(|candidate| listed.contains(candidate) && tried[..listed.len()].contains(candidate)));
        let own = task.filter().ladders().iter().filter(|ladder| ladder.is_own).filter_map(|ladder| ladder.steps.last());
        let mut allowed = own.filter(|step| step.variant().check(task.filter(), task.setting().on(device().abilities())).is_ok());
        assert!(allowed.any(|step| tried[1].variant == step.variant()), "a last step of an own ladder comes second");
        // Without half precision a ladder ends before the step that needs it.
        let median = FilterId::Median.filter();
        let without = Setting { abilities: Abilities { has_half_lanes: false, ..task.setting().abilities }, ..task.setting() };
        let second = known_fast(median, without, DeviceKind::Gpu).get(1).map(|candidate| candidate.variant.to_string());
        assert_eq!(second.as_deref(), Some("coalesced+padded+rows=4+access=int4+lanes=int"));
        // The ladder is for RGB and ends at words that gray pictures do not have; they have others.
        let bilateral = FilterId::Bilateral.filter();
        let gray = Setting::new(Channels::Gray, bilateral.default_border).on(Abilities::ALL);
        let listed: Vec<_> = known_fast(bilateral, gray, DeviceKind::Gpu).iter().take(3).map(|candidate| candidate.variant.to_string()).collect();
        let words = |access: &str| format!("coalesced+padded+specialized+unroll+native+access={access}");
        assert_eq!(listed, ["naive".to_owned(), words("uchar4"), words("uchar8")]);
        // On a CPU plain vectors come first.
        let rgb = Setting::new(Channels::Rgb, FilterId::Gaussian.filter().default_border).on(Abilities::ALL);
        let listed = known_fast(FilterId::Gaussian.filter(), rgb, DeviceKind::Cpu);
        assert_eq!(listed.get(1).map(|candidate| candidate.variant.to_string()).as_deref(), Some("coalesced+padded+vectorize=5+separable"));
        let listed: Vec<_> = known_fast(bilateral, gray, DeviceKind::Cpu).iter().skip(1).take(2).map(|candidate| candidate.variant.to_string()).collect();
        let vectors = |value: &str| format!("coalesced+padded+vectorize={value}+specialized");
        assert_eq!(listed, [vectors("8"), vectors("16")]);
        // What guides end at, what our own ladders end at, then what guides have in their middles.
        let of_box = Setting::new(Channels::Gray, FilterId::Box.filter().default_border).on(Abilities::ALL);
        let listed: Vec<_> = known_fast(FilterId::Box.filter(), of_box, DeviceKind::Cpu).iter().map(|candidate| candidate.variant.to_string()).collect();
        let place = |variant: &str| listed.iter().position(|listed| listed == variant).unwrap_or_else(|| panic!("no {variant}: {listed:?}"));
        let [end, own, middle] =
            ["padded+separable+running+specialized", "coalesced+padded+rows=8+specialized+access=int4+lanes=half", "padded+separable+running"].map(place);
        assert!(end < own && own < middle, "{listed:?}");
        let again: std::collections::HashSet<_> = tried.iter().collect();
        assert_eq!(again.len(), tried.len(), "nothing is read twice");
    }

    #[test]
    fn published_steps_are_those_that_the_setting_allows() {
        let task = task();
        let found = published(task.filter(), task.setting());
        assert!(found.iter().any(|candidate| candidate.variant.to_string() == "padded+vectorize=5+merged"));
        let own = FilterId::Laplace.filter().ladders().iter().filter(|ladder| ladder.is_own).flat_map(|ladder| &ladder.steps);
        assert!(
            own.filter(|step| step.variant().is_on(StageId::Lanes)).all(|step| found.iter().all(|known| known.variant != step.variant()))
        );
    }
}
