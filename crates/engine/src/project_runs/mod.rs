//! Kernels of a person's own: configurations of a project are built, run, checked and timed over buffers that are laid once for all of them.
//!
//! As with filters, only what brought the right output is timed, samples go over several sets of buffers in turn, and what was timed is looked at once more.

mod held;

use super::sampling::{rotation, shared_rotation};
use super::{Compared, Engine, elapsed_ns, no_timestamps, on_device};
use crate::compiled::Compiled;
use crate::compiling::{Looked, Subject};
use crate::device::{Arg, Built, EventTimes, Poison, Sampler, Session};
use base::error::{Error, ErrorKind, Result};
use base::texts::{failed, text};
use held::Held;
use kernels::project::{Argument, Difference, Job, Launch, Memory, Problem, Role, difference};
use model::measure::{Coin, CpuGate, Pair, Places, Progress, compare, sample};
use model::{Budget, Summary};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Something that is asked about a project on a device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProjectRequest {
    /// The device.
    pub device: usize,
    /// Tells problems apart: of another one than was laid last, nothing is run.
    pub problem: String,
    /// How long the process apart may be silent: a kernel that never ends is ended with it.
    pub patience: Duration,
    /// What.
    pub what: ProjectQuestion,
}

/// What is asked about a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ProjectQuestion {
    /// Keep these buffers for what is asked next.
    Lay(Arc<Problem>),
    /// Run it once: what do all buffers that are written hold then?
    Outputs(Job),
    /// Build it, run it, check it and, where it is right, time it.
    Try {
        /// It.
        job: Job,
        /// For how long.
        budget: Budget,
        /// Of a run that takes longer, in nanoseconds, one reading is enough: it is not among the best.
        enough_ns: u64,
    },
    /// Which of two is faster? Both were tried before.
    Compare(Box<[Job; 2]>, Budget),
    /// What did the compiler make of it? It is run once.
    Compiled(Job),
    /// The same with the line of the source of each instruction, where the driver tells that; it is built and run once more for it.
    Lines(Job),
}

/// What is answered about a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ProjectReply {
    /// The buffers are there.
    Laid,
    /// Another problem was laid, or none: lay it, and ask again.
    NotLaid,
    /// Of each buffer that is written, in the order of the problem's; of others nothing.
    Outputs(Vec<ByteBuf>),
    /// What became of it.
    Tried(Box<Tried>),
    /// How they compare.
    Compared(Box<Compared>),
    /// The code.
    Compiled(Arc<Compiled>),
}

/// What became of a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// How it ended.
    pub fate: Fate,
    /// Host time of building its kernels, in nanoseconds; little where they were built before.
    pub build_ns: u64,
    /// Host time of the run that was checked, and of the check.
    pub check_ns: u64,
    /// Host time of timing.
    pub timing_ns: u64,
}

/// How a configuration ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fate {
    /// It does not build.
    NotBuilt(Error),
    /// It does not run, or writes outside its buffers.
    NotRun(Error),
    /// It ran, and these outputs are wrong.
    Wrong(Vec<Difference>),
    /// It is right, and took this long.
    Timed {
        /// Kernel time, of all launches together.
        kernel: Summary,
        /// How the outputs compare with what they should be.
        differences: Vec<Difference>,
        /// Other work was busy throughout.
        busy: bool,
    },
}

/// The buffers and images of a problem on a device.
pub(super) struct Laid {
    device: usize,
    name: String,
    problem: Arc<Problem>,
    sets: Vec<Vec<Held>>,
}

impl Engine {
    /// Answers what is asked about a project.
    ///
    /// # Errors
    /// The device cannot be opened or is lost; cancelled. What is wrong with a configuration is its fate, and no error.
    pub(super) fn project(&mut self, asked: ProjectRequest, progress: &dyn Progress) -> Result<ProjectReply> {
        let ProjectRequest { device, problem: name, what, .. } = asked;
        self.session(device)?;
        if let ProjectQuestion::Lay(problem) = what {
            self.kept.get_mut().give_up_large();
            // Given back before others are made.
            self.laid = None;
            let session = self.opened(device)?;
            let set = lay(session, &problem)?;
            self.laid = Some(Laid { device, name, problem, sets: vec![set] });
            return Ok(ProjectReply::Laid);
        }
        let Some(mut laid) = self.laid.take().filter(|laid| laid.device == device && laid.name == name) else {
            return Ok(ProjectReply::NotLaid);
        };
        let reply = self.opened(device).and_then(|session| match what {
            ProjectQuestion::Lay(_) => Ok(ProjectReply::Laid),
            ProjectQuestion::Outputs(job) => outputs(session, &laid, &job).map(ProjectReply::Outputs),
            ProjectQuestion::Try { job, budget, enough_ns } => {
                tried(session, &mut laid, &job, (budget, enough_ns), progress).map(|tried| ProjectReply::Tried(Box::new(tried)))
            }
            ProjectQuestion::Compare(jobs, budget) => {
                compared(session, &mut laid, &jobs, budget, progress).map(|compared| ProjectReply::Compared(Box::new(compared)))
            }
            ProjectQuestion::Compiled(job) => {
                compiled(session, &laid, &job, false).map(|compiled| ProjectReply::Compiled(Arc::new(compiled)))
            }
            ProjectQuestion::Lines(job) => compiled(session, &laid, &job, true).map(|compiled| ProjectReply::Compiled(Arc::new(compiled))),
        });
        self.laid = Some(laid);
        reply
    }
}

/// One set of a problem's buffers and images, filled.
fn lay(session: &Session, problem: &Problem) -> Result<Vec<Held>> {
    let set: Vec<Held> = problem.buffers.iter().map(|memory| Held::of(session, memory)).collect::<Result<_>>()?;
    fill(session, problem, &set, |role| role != Role::Output)?;
    // Memory that nobody has written to may not be there yet.
    poison(session, problem, &set)?;
    Ok(set)
}

/// Writes what buffers of such roles hold at the start.
fn fill(session: &Session, problem: &Problem, set: &[Held], is_wanted: impl Fn(Role) -> bool) -> Result<()> {
    for (memory, held) in problem.buffers.iter().zip(set).filter(|(memory, _)| is_wanted(memory.role)) {
        held.write(session, &memory.contents)?;
    }
    Ok(())
}

/// Outputs hold what no kernel would write.
fn poison(session: &Session, problem: &Problem, set: &[Held]) -> Result<()> {
    let poison = Poison::random();
    for (_, held) in problem.buffers.iter().zip(set).filter(|(memory, _)| memory.role == Role::Output) {
        held.poison(session, &poison)?;
    }
    Ok(())
}

/// A job whose kernels are built.
struct Ready<'a> {
    job: &'a Job,
    built: Vec<Built>,
    /// What only its kernels see.
    scratch: Vec<Held>,
    /// Of each launch, those of its arguments that are samplers, in order.
    samplers: Vec<Vec<Sampler>>,
}

impl<'a> Ready<'a> {
    fn build(session: &Session, job: &'a Job) -> Result<Self> {
        let build = |launch: &Launch| session.build(&job.source, &job.options, &launch.kernel);
        let built = job.launches.iter().map(build).collect::<Result<_>>()?;
        Ok(Self { job, built, scratch: Vec::new(), samplers: Vec::new() })
    }

    fn build_ns(&self) -> u64 {
        self.built.iter().map(|built| built.report().build_ns).sum()
    }

    /// With the buffers and images that only its kernels see, and its samplers.
    fn with_scratch(self, session: &Session) -> Result<Self> {
        let scratch = self.job.scratch.iter().map(|scratch| Held::of_scratch(session, scratch)).collect::<Result<_>>()?;
        let sampler =
            |argument: &Argument| if let Argument::Sampler(sampling) = argument { Some(session.sampler(*sampling)) } else { None };
        let samplers = |launch: &Launch| launch.arguments.iter().filter_map(sampler).collect::<Result<_>>();
        let samplers = self.job.launches.iter().map(samplers).collect::<Result<_>>()?;
        Ok(Self { scratch, samplers, ..self })
    }

    /// Runs all launches; kernel time, and host time of waiting.
    fn run(&self, session: &Session, set: &[Held]) -> Result<Option<u64>> {
        let mut total_ns = Some(0);
        for ((launch, built), samplers) in self.job.launches.iter().zip(&self.built).zip(&self.samplers) {
            let mut samplers = samplers.iter();
            let arguments =
                launch.arguments.iter().map(|argument| self.argument(argument, set, &mut samplers)).collect::<Result<Vec<_>>>()?;
            let ran = over::<1>(session, built, &arguments, launch)
                .or_else(|| over::<2>(session, built, &arguments, launch))
                .or_else(|| over::<3>(session, built, &arguments, launch));
            let times = ran.unwrap_or_else(|| Err(not_there()))?;
            total_ns = total_ns.zip(times.kernel_ns()).map(|(total, more)| total + more);
        }
        Ok(total_ns)
    }

    fn argument<'b>(&'b self, argument: &'b Argument, set: &'b [Held], samplers: &mut std::slice::Iter<'b, Sampler>) -> Result<Arg<'b>> {
        let known = |held: Option<&'b Held>| held.map(Held::argument).ok_or_else(not_there);
        Ok(match argument {
            Argument::Buffer(index) => known(set.get(*index))?,
            Argument::Scratch(index) => known(self.scratch.get(*index))?,
            Argument::Local(bytes) => Arg::LocalBytes(*bytes),
            Argument::Value { type_name, bytes } => Arg::Value { type_name, bytes },
            Argument::Sampler(_) => Arg::Sampler(samplers.next().ok_or_else(not_there)?),
        })
    }

    /// Runs over buffers that are as at the start; nothing but outputs may be written.
    fn checked_run(&self, session: &Session, laid: &Laid, set: &[Held]) -> Result<Option<u64>> {
        fill(session, &laid.problem, set, |role| role == Role::Both)?;
        poison(session, &laid.problem, set)?;
        let time_ns = self.run(session, set)?;
        set.iter().chain(&self.scratch).try_for_each(|held| held.check_guards(session))?;
        Ok(time_ns)
    }
}

/// Something that an argument names is not there.
fn not_there() -> Error {
    failed("errors.project.no-buffer", &[])
}

/// Runs a launch, if it has so many dimensions.
fn over<const N: usize>(session: &Session, built: &Built, arguments: &[Arg], launch: &Launch) -> Option<Result<EventTimes>> {
    let global: [usize; N] = launch.global.as_slice().try_into().ok()?;
    let local: Option<[usize; N]> = launch.local.as_ref().map(|local| local.as_slice().try_into()).transpose().ok()?;
    Some(session.run(built, arguments, global, local))
}

/// What buffers and images that are written hold, and nothing of the others.
fn written(session: &Session, laid: &Laid, set: &[Held]) -> Result<Vec<ByteBuf>> {
    let one = |(memory, held): (&Memory, &Held)| {
        if memory.role == Role::Input {
            return Ok(ByteBuf::new());
        }
        let mut bytes = vec![0; memory.len_bytes()];
        // A read-back that never came must not pass for the output.
        Poison::random().fill(&mut bytes);
        held.read(session, &mut bytes)?;
        Ok(ByteBuf::from(bytes))
    };
    laid.problem.buffers.iter().zip(set).map(one).collect()
}

/// How all outputs compare with what they should be, where that is known.
fn differences(session: &Session, laid: &Laid, set: &[Held]) -> Result<Vec<Difference>> {
    let got = written(session, laid, set)?;
    let known = laid.problem.buffers.iter().zip(&got).filter(|(memory, _)| memory.role != Role::Input);
    Ok(known.filter_map(|(memory, got)| Some(difference(memory, got, memory.expected.as_ref()?))).collect())
}

fn is_wrong(differences: &[Difference]) -> bool {
    differences.iter().any(|difference| difference.is_wrong)
}

fn first_set(laid: &Laid) -> Result<&[Held]> {
    laid.sets.first().map(Vec::as_slice).ok_or_else(not_there)
}

fn outputs(session: &Session, laid: &Laid, job: &Job) -> Result<Vec<ByteBuf>> {
    let set = first_set(laid)?;
    Ready::build(session, job)?.with_scratch(session)?.checked_run(session, laid, set)?;
    written(session, laid, set)
}

/// An error that is the configuration's own: anything but a lost device and a cancel.
fn own(error: Error) -> Result<Error> {
    if error.is_cancelled() || error.kind == ErrorKind::Lost { Err(error) } else { Ok(error) }
}

fn tried(session: &Session, laid: &mut Laid, job: &Job, (budget, enough_ns): (Budget, u64), progress: &dyn Progress) -> Result<Tried> {
    progress.report(0, 3, text("progress.building"));
    let begun = Instant::now();
    let mut tried = Tried { fate: Fate::Wrong(Vec::new()), build_ns: 0, check_ns: 0, timing_ns: 0 };
    let ready = match Ready::build(session, job) {
        Ok(ready) => ready,
        Err(error) => return Ok(Tried { fate: Fate::NotBuilt(own(error)?), build_ns: elapsed_ns(begun), ..tried }),
    };
    tried.build_ns = ready.build_ns();
    progress.report(1, 3, text("progress.verifying"));
    let checking = Instant::now();
    let checked = ready.with_scratch(session).and_then(|ready| {
        let first_ns = ready.checked_run(session, laid, first_set(laid)?)?;
        Ok((ready, first_ns, differences(session, laid, first_set(laid)?)?))
    });
    tried.check_ns = elapsed_ns(checking);
    let (ready, first_ns, found) = match checked {
        Ok(checked) => checked,
        Err(error) => return Ok(Tried { fate: Fate::NotRun(own(error)?), ..tried }),
    };
    if is_wrong(&found) {
        return Ok(Tried { fate: Fate::Wrong(found), ..tried });
    }
    progress.report(2, 3, text("progress.measuring"));
    let timing = Instant::now();
    let timed = match first_ns {
        Some(first_ns) if first_ns > enough_ns => Summary::of(vec![first_ns]).map(|kernel| Ok((kernel, false))).ok_or_else(no_timestamps),
        Some(_) => timed(session, laid, &ready, budget, progress),
        None => Err(no_timestamps()),
    };
    tried.timing_ns = elapsed_ns(timing);
    tried.fate = match timed {
        Ok(Ok((kernel, busy))) => Fate::Timed { kernel, differences: found, busy },
        Ok(Err(wrong)) => Fate::Wrong(wrong),
        Err(error) => Fate::NotRun(own(error)?),
    };
    Ok(tried)
}

/// Kernel times over the sets in turn, and whether other work was busy; the differences where what was timed is wrong.
fn timed(
    session: &Session,
    laid: &mut Laid,
    ready: &Ready,
    budget: Budget,
    progress: &dyn Progress,
) -> Result<std::result::Result<(Summary, bool), Vec<Difference>>> {
    let bytes = laid.problem.total_bytes();
    let count = rotation(budget, bytes).min(on_device::affordable_sets(session, bytes));
    grow(session, laid, count)?;
    let mut turn = 0;
    let mut gate = on_device::gate(session);
    let sampled = sample(&budget, &mut gate, progress, || {
        turn = (turn + 1) % count;
        ready.run(session, laid.sets.get(turn).map_or(&[], Vec::as_slice))?.ok_or_else(no_timestamps)
    })?;
    let last = laid.sets.get(turn).map_or(&[][..], Vec::as_slice);
    // Where a run goes on from what the last one left, only one from the start is known.
    if laid.problem.buffers.iter().any(|memory| memory.role == Role::Both) {
        ready.checked_run(session, laid, last)?;
    }
    let found = differences(session, laid, last)?;
    last.iter().chain(&ready.scratch).try_for_each(|held| held.check_guards(session))?;
    if is_wrong(&found) {
        return Ok(Err(found));
    }
    Ok(Ok((Summary::of(sampled.samples).ok_or_else(no_timestamps)?, sampled.busy)))
}

/// At least so many sets.
fn grow(session: &Session, laid: &mut Laid, count: usize) -> Result<()> {
    while laid.sets.len() < count {
        laid.sets.push(lay(session, &laid.problem)?);
    }
    Ok(())
}

/// Interleaved pairs, as of filters: both over the same sets, an odd number of them, in the order of a coin.
fn compared(session: &Session, laid: &mut Laid, [first, second]: &[Job; 2], budget: Budget, progress: &dyn Progress) -> Result<Compared> {
    progress.report(0, 1, text("progress.comparing"));
    let ready = |job| Ready::build(session, job).and_then(|ready| ready.with_scratch(session));
    let sides = [ready(first)?, ready(second)?];
    let bytes = laid.problem.total_bytes();
    let count = shared_rotation(budget, bytes, on_device::affordable_sets(session, bytes));
    grow(session, laid, count)?;
    let (mut turn, mut coin) = (0, Coin::tossed_by_the_clock());
    let mut gate = CpuGate::of(on_device::computes(session));
    let [one, other] = &sides;
    let sampled = sample(&budget, &mut gate, progress, || {
        let mut run = |side: &Ready| -> Result<(u64, usize)> {
            turn = (turn + 1) % count;
            let set = laid.sets.get(turn).map_or(&[][..], Vec::as_slice);
            Ok((side.run(session, set)?.ok_or_else(no_timestamps)?, turn))
        };
        let ((first_ns, first_place), (second_ns, second_place)) = if coin.is_heads() {
            let first = run(one)?;
            (first, run(other)?)
        } else {
            let second = run(other)?;
            (run(one)?, second)
        };
        Ok(Pair { first_ns, second_ns, first_place, second_place, start: 0 })
    })?;
    for side in &sides {
        side.checked_run(session, laid, first_set(laid)?)?;
        if let Some(wrong) = differences(session, laid, first_set(laid)?)?.into_iter().find(|difference| difference.is_wrong) {
            let values: [(&str, &dyn std::fmt::Display); 3] =
                [("buffer", &wrong.buffer), ("differing", &wrong.differing), ("count", &wrong.count)];
            return Err(failed("errors.project.wrong-when-compared", &values));
        }
    }
    let places = Places::Shared;
    let comparison = compare(&sampled.samples, places);
    Ok(Compared { comparison, pairs: sampled.samples, places, busy: sampled.busy, code: None })
}

fn compiled(session: &Session, laid: &Laid, job: &Job, has_lines: bool) -> Result<Compiled> {
    let ready = Ready::build(session, job)?.with_scratch(session)?;
    // Some drivers compile for a local size when it is launched.
    ready.checked_run(session, laid, first_set(laid)?)?;
    let looked = job
        .launches
        .iter()
        .zip(&ready.built)
        .map(|(launch, built)| Looked { kernel: &launch.kernel, global: &launch.global, local: launch.local.as_deref(), built })
        .collect();
    let subject = Subject { source: &job.source, options: &job.options, passes: looked, launch: format!("{:?}", job.launches) };
    let plain = crate::compiling::look(session, &subject);
    if !has_lines {
        return Ok(plain);
    }
    let run = |source: &str, options: &str| {
        let job = Job { source: source.to_owned(), options: options.to_owned(), ..job.clone() };
        Ready::build(session, &job)?.with_scratch(session)?.checked_run(session, laid, first_set(laid)?).map(drop)
    };
    Ok(crate::compiling::with_lines(session, &subject, &plain, run).unwrap_or(plain))
}
