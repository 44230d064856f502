//! Kernels of a person's own: their reference, the search for the best configuration, what is told of it and what other programs read of it.
//!
//! The whole time is kept: of what a person gives, the search leaves enough for the comparisons in pairs at its end, no trial begins that would not fit, and a
//! kernel that does not end is ended.

mod create;
mod figures;
pub mod kernel_tuner;
mod reference;
pub mod search;
mod story;
mod trials;
mod why;

pub use create::{create, folder_for};
pub use figures::{HeatMap, best_so_far, heat_map, improvement, improving, improving_of, progress_chart};
pub use reference::{name, with_expected};
pub use search::{Search, Seen, Space, Strategy};
pub use story::{counts, figures, header, main_parameters, row, story, words};
pub use trials::{Ending, Head, Trial, Trials, as_json};
pub use why::{Why, why};

use base::error::{Error, ErrorKind, Result};
use base::files;
use base::hash::sha256;
use base::texts::{failed, filled, misused};
use base::trust::Origin;
use engine::compiled::Compiled;
use engine::device::DeviceInfo;
use engine::{Backend, Compared, ProjectQuestion, ProjectReply, ProjectRequest, Tried};
use kernels::project::{Job, Point, Problem, Project, Reference};
use model::measure::{Pair, Progress};
use model::{Budget, CompiledKernel};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The kernels of the reference may run for so long.
pub const REFERENCE: Duration = Duration::from_mins(1);

/// A kernel of a trial may run for so long where the time is not shorter.
const LONGEST_RUN: Duration = Duration::from_secs(20);

/// And for so long at least: a driver that compiles may be silent meanwhile.
const SHORTEST_PATIENCE: Duration = Duration::from_secs(5);

/// What takes so many times as long as the longest trial that came to its end does not end.
const ENDLESS: u32 = 20;

/// The share of the time that is left for the comparisons in pairs, and the bounds of it.
const FINAL_SHARE: f64 = 0.25;
const FINAL_BOUNDS: [Duration; 2] = [Duration::from_millis(1500), Duration::from_secs(20)];

/// The best one is compared with so many of those that come next, and with the default.
const RIVALS: usize = 3;

/// Those within this of the best one may be better than it.
const NEAR: f64 = 1.10;

/// What takes so many times as long as the best one is read once.
const FAR: f64 = 1.5;

/// So many configurations of another program's search are tried first.
const MOST_FIRST: usize = 20;

/// Of the time, so much is for the start and the end of the program, at most a second.
const START_AND_END: f64 = 0.05;

/// Reads a folder.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(folder: &Path) -> Result<Project> {
    Project::read(folder).map_err(|misfits| {
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        let faults: Vec<String> = misfits.iter().map(|misfit| format!("\n  {misfit}")).collect();
        failed("errors.project.faults", &[("name", &name), ("faults", &faults.concat())])
    })
}

/// What a person has to have agreed to before the reference program runs: the folder, and the hash of all that decides what the program computes. `None` where
/// there is no such program.
#[must_use]
pub fn agreement(project: &Project) -> Option<Origin> {
    let is_program = matches!(project.reference, Reference::Command(_));
    is_program.then(|| Origin::text(&format!("{}\n{}", project.folder.display(), project.hash)))
}

/// That they have not agreed to it yet.
#[must_use]
pub fn not_agreed(project: &Project) -> Error {
    let words = if let Reference::Command(command) = &project.reference { command.words.join(" ") } else { String::new() };
    failed("errors.project.not-agreed", &[("command", &words), ("name", &project.name), ("folder", &project.folder.display())])
}

/// The name of the file that keeps the trials of a project on a device, in a folder with those of others.
#[must_use]
pub fn kept_name(project: &Project, info: &DeviceInfo) -> String {
    let mut of = sha256(format!("{}\n{}\n{}", project.name, info.name, info.driver()));
    of.truncate(8);
    format!("{}-{of}.jsonl", project.hash)
}

/// What there is to say of a default configuration whose output is not its own: compared with itself, it is right unless it does not always compute the same. `None` of
/// all others.
#[must_use]
pub fn unsteady(project: &Project, trial: &Trial) -> Option<Error> {
    let is_itself = matches!(project.reference, Reference::Default) && trial.point == project.default_point();
    let (_, why) = trial.why_not().filter(|_| is_itself && matches!(trial.ending, Ending::Wrong(_)))?;
    Some(failed("errors.project.unsteady", &[("why", &why.why)]))
}

/// Why a configuration is not timed.
#[must_use]
pub fn complaint(project: &Project, trial: &Trial) -> Option<Error> {
    unsteady(project, trial).or_else(|| trial.why_not().map(|(_, why)| why.clone()))
}

/// That a configuration is not measured, for what is wrong with it.
#[must_use]
pub fn not_right(project: &Project, point: &[usize], why: &Error) -> Error {
    let told = filled("errors.told", &[("what", &why.what), ("why", &why.why)]);
    let error = failed("errors.project.not-right", &[("label", &project.label(point)), ("why", &told), ("remedy", &why.remedy)]);
    Error { detail: why.detail.clone(), ..error }
}

/// What a project has in memory: "2 buffers, 1 images".
#[must_use]
pub fn memory_label(problem: &Problem) -> String {
    let images = problem.images();
    let buffers = problem.buffers.len() - images;
    let key = match (buffers, images) {
        (_, 0) => "project.memory.buffers",
        (0, _) => "project.memory.images",
        _ => "project.memory.both",
    };
    filled(key, &[("buffers", &buffers), ("images", &images)])
}

/// Parameters with several values whose names no kernel and no other entry of `project.toml` has: whatever their value, the same is built and launched.
#[must_use]
pub fn without_use(project: &Project) -> Vec<&str> {
    let text = files::read_text(&project.folder.join(kernels::project::PROJECT)).unwrap_or_default();
    // A parameter is named where it is declared, and in comments.
    let entries = text.lines().map(|line| line.split('#').next().unwrap_or_default()).filter(|line| !line.trim_start().starts_with("name"));
    let entries: Vec<&str> = entries.chain(project.source().lines()).collect();
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_used = |name: &str| entries.iter().any(|line| line.split(|letter| !is_word(letter)).any(|word| word == name));
    let several = project.parameters.iter().filter(|parameter| parameter.values.len() > 1).map(|parameter| parameter.name.as_str());
    several.filter(|name| !is_used(name)).collect()
}

/// How many entries of a folder's `project.toml` are still marked as to be done.
#[must_use]
pub fn to_do(folder: &Path) -> usize {
    files::read_text(&folder.join(kernels::project::PROJECT)).map_or(0, |text| text.matches("TODO").count())
}

/// How a search goes.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// How the next configuration is chosen.
    pub strategy: Strategy,
    /// What decides chance.
    pub seed: u64,
    /// Everything ends within this.
    pub limit: Duration,
    /// No more trials than these; those of an earlier run count.
    pub most: usize,
}

/// A search.
pub struct Tune {
    /// What is tuned.
    pub project: Arc<Project>,
    /// All allowed configurations.
    pub points: Vec<Point>,
    /// What was tried so far, in order.
    pub trials: Vec<Trial>,
    search: Search,
    places: HashMap<Point, usize>,
    terms: Terms,
    device: usize,
    clock: Clock,
    /// Time of earlier runs that this one goes on with.
    before_ns: u64,
    /// What is tried before anything else.
    first: VecDeque<Point>,
}

/// The time that a search takes; it stands still while the search rests.
#[derive(Clone, Copy, Debug)]
struct Clock {
    spent: Duration,
    since: Option<Instant>,
}

impl Clock {
    fn elapsed(self) -> Duration {
        self.spent + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn stop(&mut self) {
        *self = Self { spent: self.elapsed(), since: None };
    }

    fn go(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The fastest.
    pub best: Point,
    /// The best one's time in nanoseconds: the median of its runs in the comparisons, which go over both by turns; what the search read where there are
    /// none.
    pub best_ns: f64,
    /// The default over the best one; nothing where it is the best, or has no time.
    pub gain: Option<Result<Compared>>,
    /// Others that are nearly as fast, and how the best one compares with each.
    pub rivals: Vec<(Point, Result<Compared>)>,
    /// What the compiler made of the default and of the best one, where it can be looked at.
    pub code: [Vec<CompiledKernel>; 2],
    /// How long it took, in seconds.
    pub seconds: f64,
}

impl Tune {
    /// Begins; `earlier` is what a file has of the same search. The clock goes since `begun`.
    ///
    /// # Errors
    /// There are too many configurations.
    pub fn new(project: Arc<Project>, device: usize, terms: Terms, earlier: Vec<Trial>, begun: Instant) -> Result<Self> {
        let points = project.points()?;
        let places: HashMap<Point, usize> = points.iter().cloned().zip(0..).collect();
        let counts = project.parameters.iter().map(|parameter| parameter.values.len()).collect();
        let default = places.get(&project.default_point()).copied();
        let mut search = Search::new(Space { counts, points: points.clone() }, terms.strategy, default, terms.seed);
        for trial in &earlier {
            if let Some(place) = places.get(&trial.point) {
                search.tell(*place, trial.seen());
            }
        }
        let ends = terms.limit.mul_f64(START_AND_END).min(Duration::from_secs(1));
        let terms = Terms { limit: terms.limit.saturating_sub(ends), ..terms };
        let before_ns = earlier.iter().map(|trial| trial.at_ns).max().unwrap_or(0);
        let clock = Clock { spent: Duration::ZERO, since: Some(begun) };
        Ok(Self { project, points, trials: earlier, search, places, terms, device, clock, before_ns, first: VecDeque::new() })
    }

    /// Tries the fastest configurations of a cache file of Kernel Tuner first, and measures them here. How many of its configurations are allowed in this project.
    ///
    /// # Errors
    /// The file cannot be read, is no cache, or has no configuration of this project.
    pub fn begin_with(&mut self, cache: &Path) -> Result<usize> {
        let text = files::read_text(cache).map_err(|error| failed("errors.project.cache-read", &[("why", &error)]))?;
        let mut known: Vec<(Point, f64)> = kernel_tuner::read_cache(&text)?
            .into_iter()
            .filter_map(|(given, time)| {
                let point = self.project.point_of(&given).ok().filter(|point| self.places.contains_key(point))?;
                Some((point, time.unwrap_or(f64::INFINITY)))
            })
            .collect();
        if known.is_empty() {
            return Err(failed("errors.project.cache-of-others", &[("path", &cache.display()), ("name", &self.project.name)]));
        }
        let count = known.len();
        known.retain(|(_, time)| time.is_finite());
        known.sort_by(|one, other| one.1.total_cmp(&other.1));
        self.first = known.into_iter().take(MOST_FIRST).map(|(point, _)| point).collect();
        Ok(count)
    }

    /// Stops the clock, until [`Self::go_on`].
    pub fn rest(&mut self) {
        self.clock.stop();
    }

    /// Lets the clock go again.
    pub fn go_on(&mut self) {
        self.clock.go();
    }

    /// How long it took so far, without rests.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    /// No more trials: the time that is left is for the comparisons.
    pub fn end_search(&mut self) {
        self.terms.most = 0;
    }

    /// Time that is left.
    fn left(&self) -> Duration {
        self.terms.limit.saturating_sub(self.clock.elapsed())
    }

    /// What is kept for the comparisons at the end.
    fn reserve(&self) -> Duration {
        let [least, most] = FINAL_BOUNDS;
        self.terms.limit.mul_f64(FINAL_SHARE).clamp(least, most)
    }

    /// The fastest so far, and its time in nanoseconds.
    #[must_use]
    pub fn best(&self) -> Option<(&Point, f64)> {
        self.search.best().and_then(|(place, time_ns)| Some((self.points.get(place)?, time_ns)))
    }

    /// The median time of a configuration that was tried, in nanoseconds.
    #[must_use]
    pub fn time_ns(&self, point: &Point) -> Option<f64> {
        self.trials.iter().filter(|trial| trial.point == *point).find_map(Trial::time_ns)
    }

    /// The share of the differences between times that each parameter accounts for, see [`Search::importance`].
    #[must_use]
    pub fn importance(&self) -> Option<Vec<f64>> {
        self.search.importance()
    }

    /// What the next trial may take: half as long again as the longest of the last few that came to their end. One that was stopped says nothing of the next.
    fn next_trial(&self) -> Duration {
        let spent = |trial: &Trial| trial.spent_ns.iter().sum::<u64>();
        let ended = self.trials.iter().rev().filter(|trial| trial.time_ns().is_some());
        let longest = ended.take(8).map(spent).max().unwrap_or(0);
        Duration::from_nanos(longest + longest / 2)
    }

    /// The next configuration to try; `None` where the time is over or all were tried.
    pub fn next_point(&mut self) -> Option<Point> {
        if self.trials.len() >= self.terms.most || self.left() < self.reserve() + self.next_trial() {
            return None;
        }
        while let Some(point) = self.first.pop_front() {
            if self.trials.iter().all(|trial| trial.point != point) {
                return Some(point);
            }
        }
        self.search.next().and_then(|place| self.points.get(place).cloned())
    }

    fn asker<'a>(&'a self, problem: &'a Arc<Problem>, backend: &'a mut dyn Backend, progress: &'a dyn Progress) -> Asker<'a> {
        let ended = self.trials.iter().filter(|trial| trial.time_ns().is_some()).map(|trial| trial.spent_ns.iter().sum::<u64>()).max();
        let longest = ended.map_or(LONGEST_RUN, |longest_ns| Duration::from_nanos(longest_ns) * ENDLESS);
        // A trial leaves the comparisons their time; they have what is left.
        let (left, reserve) = (self.left(), self.reserve());
        let room = if left > reserve { left.saturating_sub(reserve) } else { left };
        let patience = room.min(longest).clamp(SHORTEST_PATIENCE, LONGEST_RUN);
        Asker { project: &self.project, device: self.device, problem, patience, backend, progress }
    }

    /// Tries one.
    ///
    /// # Errors
    /// Cancelled; the device cannot be had at all. What is wrong with the configuration is a trial.
    pub fn take(&mut self, point: Point, problem: &Arc<Problem>, backend: &mut dyn Backend, progress: &dyn Progress) -> Result<&Trial> {
        let begun = Instant::now();
        let tried = self.project.job(&point).and_then(|job| {
            // Of a long run, the one that is checked is reading enough to guide a search, and so it is of one that is far from the best.
            let far_ns = self.best().map_or(u64::MAX, |(_, best_ns)| (FAR * best_ns) as u64);
            self.asker(problem, backend, progress).tried(job, Budget::GLANCE, far_ns.min(Budget::LONG_RUN_NS))
        });
        let at_ns = self.before_ns + nanoseconds(self.clock.elapsed());
        let trial = match tried {
            Ok(tried) => Trial::of(point, at_ns, engine::now(), tried),
            Err(error) if error.is_cancelled() || matches!(error.kind, ErrorKind::NoProgram | ErrorKind::Usage) => return Err(error),
            // Another process takes the next one.
            Err(error) => Trial::refused(point, at_ns, engine::now(), &error, nanoseconds(begun.elapsed())),
        };
        if let Some(place) = self.places.get(&trial.point) {
            self.search.tell(*place, trial.seen());
        }
        self.trials.push(trial);
        self.trials.last().ok_or_else(|| failed("errors.project.no-buffer", &[]))
    }

    /// Compares the best one with those that are nearly as fast and with the default, in pairs.
    ///
    /// One that turns out faster than the best one takes its place. `None` where no configuration is right.
    ///
    /// # Errors
    /// Cancelled.
    pub fn finish(&self, problem: &Arc<Problem>, backend: &mut dyn Backend, progress: &dyn Progress) -> Result<Option<Answer>> {
        let mut timed: Vec<(&Point, f64)> = self.trials.iter().filter_map(|trial| Some((&trial.point, trial.time_ns()?))).collect();
        timed.sort_by(|one, other| one.1.total_cmp(&other.1));
        let Some(&(first, best_ns)) = timed.first() else { return Ok(None) };
        let near = timed.iter().skip(1).take(RIVALS).filter(|(_, time_ns)| *time_ns <= NEAR * best_ns).map(|(point, _)| *point);
        let default = self.project.default_point();
        let has_default = timed.iter().any(|(known, _)| **known == default);
        let near: Vec<&Point> = near.filter(|point| **point != default).collect();
        // Where another one turns out to be the best, the default is compared once more.
        let mut open = near.len() + 2 * usize::from(has_default);
        let mut best = first.clone();
        let mut asker = self.asker(problem, backend, progress);
        let mut compare = |one: &Point, other: &Point| {
            let compared = self.compare(one, other, open.max(1), &mut asker);
            open = open.saturating_sub(1);
            uncancelled(compared)
        };
        // What most want to know comes first: the time may not suffice for all.
        let mut gain = if has_default && default != best { Some(compare(&default, &best)?) } else { None };
        let mut rivals = Vec::new();
        // The short readings of a search may be wrong: what the pairs say decides.
        if let Some(Ok(compared)) = gain.take_if(|gain| gain.as_ref().is_ok_and(|compared| compared.comparison.high < 1.0)) {
            rivals.push((std::mem::replace(&mut best, default.clone()), Ok(turned(compared))));
        }
        for rival in near {
            match compare(rival, &best)? {
                // Above 1 the second is faster.
                Ok(compared) if compared.comparison.high < 1.0 => {
                    let beaten = std::mem::replace(&mut best, rival.clone());
                    rivals.push((beaten, Ok(turned(compared))));
                }
                compared => rivals.push((rival.clone(), compared)),
            }
        }
        if best != *first && best != default && has_default {
            gain = Some(compare(&default, &best)?);
        }
        let code = [&default, &best].map(|point| self.code(point, &mut asker));
        let best_ns = median_of_best(gain.as_ref(), &rivals).or_else(|| self.time_ns(&best)).unwrap_or_default();
        Ok(Some(Answer { best, best_ns, gain, rivals, code, seconds: self.clock.elapsed().as_secs_f64() }))
    }

    /// Two in pairs, for a share of the time that is left.
    fn compare(&self, first: &Point, second: &Point, open: usize, asker: &mut Asker<'_>) -> Result<Compared> {
        let left = self.left();
        if left.is_zero() {
            return Err(failed("errors.project.no-time", &[]));
        }
        // Something is left for building and laying.
        let sample = left.mul_f64(0.7 / open as f64).min(Duration::from_secs(2));
        let budget = Budget { starts: 1, sample_ns: nanoseconds(sample), ..Budget::default() };
        asker.compare([self.project.job(first)?, self.project.job(second)?], budget)
    }

    fn code(&self, point: &Point, asker: &mut Asker<'_>) -> Vec<CompiledKernel> {
        let code = self.project.job(point).ok().filter(|_| !self.left().is_zero()).and_then(|job| asker.code(job));
        code.map_or_else(Vec::new, |code| code.summary())
    }
}

/// Asks an engine about a project.
struct Asker<'a> {
    project: &'a Project,
    device: usize,
    problem: &'a Arc<Problem>,
    /// How long the process apart may be silent.
    patience: Duration,
    backend: &'a mut dyn Backend,
    progress: &'a dyn Progress,
}

impl Asker<'_> {
    fn ask(&mut self, what: ProjectQuestion) -> Result<ProjectReply> {
        let request = ProjectRequest { device: self.device, problem: name(self.project, "expected"), patience: self.patience, what };
        self.backend.project(self.problem, request, self.progress)
    }

    /// Builds, runs, checks and times one; see [`ProjectQuestion::Try`].
    fn tried(&mut self, job: Job, budget: Budget, enough_ns: u64) -> Result<Tried> {
        match self.ask(ProjectQuestion::Try { job, budget, enough_ns })? {
            ProjectReply::Tried(tried) => Ok(*tried),
            _ => Err(failed("errors.project.no-buffer", &[])),
        }
    }

    /// Two that were tried, in pairs.
    fn compare(&mut self, jobs: [Job; 2], budget: Budget) -> Result<Compared> {
        match self.ask(ProjectQuestion::Compare(Box::new(jobs), budget))? {
            ProjectReply::Compared(compared) => Ok(*compared),
            _ => Err(failed("errors.project.no-buffer", &[])),
        }
    }

    /// What the compiler made of one; nothing where that cannot be looked at.
    fn code(&mut self, job: Job) -> Option<Arc<Compiled>> {
        match self.ask(ProjectQuestion::Compiled(job)) {
            Ok(ProjectReply::Compiled(compiled)) => Some(compiled),
            _ => None,
        }
    }
}

/// Anything that went wrong but a cancel is an answer, too.
fn uncancelled<T>(result: Result<T>) -> Result<Result<T>> {
    match result {
        Err(error) if error.is_cancelled() => Err(error),
        result => Ok(result),
    }
}

/// The median of the runs of the best one, which is the second of each pair; of those with the default where there are such, as those are the most.
fn median_of_best(gain: Option<&Result<Compared>>, rivals: &[(Point, Result<Compared>)]) -> Option<f64> {
    let compared = gain.into_iter().chain(rivals.iter().map(|(_, compared)| compared)).find_map(|compared| compared.as_ref().ok())?;
    median_ns(compared, |pair| pair.second_ns)
}

/// The median of one side of the pairs, in nanoseconds.
fn median_ns(compared: &Compared, side: fn(&Pair) -> u64) -> Option<f64> {
    let mut runs: Vec<u64> = compared.pairs.iter().map(side).collect();
    runs.sort_unstable();
    runs.get(runs.len() / 2).map(|ns| *ns as f64)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The same with its sides exchanged.
fn turned(compared: Compared) -> Compared {
    let pairs = compared.pairs.into_iter().map(|pair| Pair {
        first_ns: pair.second_ns,
        second_ns: pair.first_ns,
        first_place: pair.second_place,
        second_place: pair.first_place,
        ..pair
    });
    Compared::of(pairs.collect(), compared.places, compared.busy, None)
}

/// One configuration, tried once with a longer look: what `check` tells.
///
/// # Errors
/// Cancelled; the device cannot be had; a size or argument has no value.
pub fn check(
    project: &Project,
    point: &Point,
    info: &DeviceInfo,
    problem: &Arc<Problem>,
    backend: &mut dyn Backend,
    progress: &dyn Progress,
) -> Result<(Trial, Vec<CompiledKernel>)> {
    let begun = Instant::now();
    let mut asker = Asker { project, device: info.index, problem, patience: LONGEST_RUN, backend, progress };
    let job = project.job(point)?;
    let tried = asker.tried(job.clone(), Budget::default(), u64::MAX);
    // It ended the process, or did not end.
    if let Err(lost) = tried.as_ref().map_err(Clone::clone)
        && lost.kind == ErrorKind::Lost
    {
        let spent_ns = nanoseconds(begun.elapsed());
        return Ok((Trial::refused(point.clone(), spent_ns, engine::now(), &lost, spent_ns), Vec::new()));
    }
    let trial = Trial::of(point.clone(), nanoseconds(begun.elapsed()), engine::now(), tried?);
    let code = trial.time_ns().and_then(|_| asker.code(job)).map_or_else(Vec::new, |code| code.summary());
    Ok((trial, code))
}

/// What the compiler made of one configuration, with source lines where the driver tells them. It is run, and not compared with anything.
///
/// # Errors
/// A condition does not allow it; it does not build or run; cancelled.
pub fn compiled(
    project: &Project,
    point: &Point,
    info: &DeviceInfo,
    backend: &mut dyn Backend,
    progress: &dyn Progress,
) -> Result<Arc<Compiled>> {
    if !project.is_allowed(point) {
        return Err(misused("errors.project.not-allowed", &[("label", &project.label(point))]));
    }
    let problem = Arc::new(project.problem().clone());
    let mut asker = Asker { project, device: info.index, problem: &problem, patience: LONGEST_RUN, backend, progress };
    match asker.ask(ProjectQuestion::Lines(project.job(point)?))? {
        ProjectReply::Compiled(compiled) => Ok(compiled),
        _ => Err(failed("errors.project.no-buffer", &[])),
    }
}
