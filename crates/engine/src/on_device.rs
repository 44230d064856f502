//! Running and sampling a variant on an OpenCL device.

use super::counting::Counters;
use super::expected::Expected;
use super::plan::{Memory, Plan, Scratch};
use super::sampling::{RoundTrip, Sample, rotation};
use super::{Build, Executed, Printed, Task, Timings, elapsed_ns};
use crate::device::{self, Built, DeviceKind, EventTimes, Poison, Session};
use base::error::Result;
use base::texts::{Words, failed, speaking_keys};
use model::measure::{Computes, CpuGate, Gate, Progress, Sampled, Watched, doubt, sample};
use model::{Budget, BuildFrom, Doubt, EventCounts, Summary};
use pictures::{Bytes, Layout, Picture, Sharing};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

/// Samples of whole round trips: they cost much more than the kernel alone, and their spread is that of the host's memory.
const ROUND_TRIPS: usize = 25;

/// One round trip over what is kept: its kernels, its parts, and the output's rows.
///
/// # Errors
/// The driver's refusal.
pub fn round_trip_over<'a>(
    session: &Session,
    plan: &Plan,
    task: &Task,
    source: &Picture,
    kept: &'a mut Kept,
) -> Result<(Sample, RoundTrip, &'a [u8])> {
    let memory = kept.take(session, plan)?;
    let HostBuffers { scratch, rows } = kept.host.with_rows(output_bytes(plan));
    let (times, trip) = round_trip(session, plan, &memory, task, source, scratch, rows.to_mut())?;
    kept.put(session, memory);
    Ok((sample_of(&times), trip, &kept.host.rows))
}

/// One round trip over what is kept whose output is looked at: device and host begin with poison, and guards are checked. The output's rows.
///
/// # Errors
/// The driver's refusal, or a write outside the output.
pub fn checked_trip_over<'a>(session: &Session, plan: &Plan, task: &Task, source: &Picture, kept: &'a mut Kept) -> Result<&'a [u8]> {
    let memory = kept.take(session, plan)?;
    checked_trip(session, plan, &memory, task, source, &mut kept.host)?;
    kept.put(session, memory);
    Ok(&kept.host.rows)
}

/// The same over that memory; the output's rows are then those of `host`.
fn checked_trip(session: &Session, plan: &Plan, memory: &Memory, task: &Task, source: &Picture, host: &mut HostBuffers) -> Result<()> {
    let HostBuffers { scratch, rows } = host.with_rows(output_bytes(plan));
    memory.poison(session)?;
    Poison::random().fill(rows.to_mut());
    round_trip(session, plan, memory, task, source, scratch, rows.to_mut())?;
    memory.check_guards(session)
}

/// Whether times that the device's clock says of these runs are to be doubted; runs again where it takes that to know.
///
/// # Errors
/// The driver's refusal.
fn doubted(session: &Session, plan: &Plan, memory: &Memory, runs: &[Watched]) -> Result<Option<Doubt>> {
    doubt(runs, |what, count| plan.run_at_once(session, memory, what, count))
}

/// The same for the memory of the last run, which is kept.
///
/// # Errors
/// The driver's refusal.
pub fn doubted_over(session: &Session, plan: &Plan, kept: &mut Kept, runs: &[Watched]) -> Result<Option<Doubt>> {
    let memory = kept.take(session, plan)?;
    let doubt = doubted(session, plan, &memory, runs);
    kept.put(session, memory);
    doubt
}

/// Bytes of the output's rows.
fn output_bytes(plan: &Plan) -> usize {
    plan.launch.destination.row_bytes() * plan.launch.destination.height_px
}

/// Uploads, runs, reads back into `rows`: one round trip. The timestamps of each pass.
fn round_trip(
    session: &Session,
    plan: &Plan,
    memory: &Memory,
    task: &Task,
    source: &Picture,
    scratch: &mut Scratch,
    rows: &mut [u8],
) -> Result<(Vec<EventTimes>, RoundTrip)> {
    let begun = Instant::now();
    let layout_ns = plan.upload(session, memory, source, task.spec.border, scratch)?;
    let upload_ns = elapsed_ns(begun);
    let times = plan.run(session, memory)?;
    let reading = Instant::now();
    plan.read_back(session, memory, scratch, rows)?;
    Ok((times, RoundTrip { upload_ns, layout_ns, readback_ns: elapsed_ns(reading), total_ns: elapsed_ns(begun) }))
}

/// Kernel time of all passes; `None` where the driver's timestamps are invalid in one of them.
fn kernel_ns(times: &[EventTimes]) -> Option<u64> {
    times.iter().map(EventTimes::kernel_ns).sum()
}

/// Kernel time of each pass where there are several.
fn pass_ns(times: &[EventTimes]) -> Vec<u64> {
    let all = times.iter().map(EventTimes::kernel_ns).collect::<Option<Vec<_>>>();
    all.filter(|passes| passes.len() > 1).unwrap_or_default()
}

/// Host memory of a round trip.
pub struct HostBuffers {
    scratch: Scratch,
    /// The output's.
    rows: Bytes,
}

impl Default for HostBuffers {
    fn default() -> Self {
        Self { scratch: Scratch::staged(), rows: Bytes::default() }
    }
}

impl HostBuffers {
    /// Reads what is in `memory` into poisoned rows, and holds it to what it should be; and that no guard was written to.
    fn check(&mut self, session: &Session, plan: &Plan, memory: &Memory, expected: &Expected) -> Result<()> {
        let Self { scratch, rows } = self.with_rows(output_bytes(plan));
        let rows = rows.to_mut();
        Poison::random().fill(rows);
        plan.read_back(session, memory, scratch, rows)?;
        expected.check(rows, 0)?;
        memory.check_guards(session)
    }

    /// Itself with rows of so many bytes.
    fn with_rows(&mut self, len_bytes: usize) -> &mut Self {
        if self.rows.len() != len_bytes {
            // What does not fit is given back first.
            self.rows = Bytes::default();
            self.rows = Bytes::zeroed(len_bytes, Sharing::Private);
        }
        self
    }
}

/// Memory of a device that was run over, and may be again.
struct Used {
    /// The device's index.
    device: usize,
    memory: Memory,
    /// What kernels write to in it was poisoned since its last run.
    is_poisoned: bool,
}

impl Used {
    fn fits(&self, session: &Session, plan: &Plan) -> bool {
        self.device == session.info().index && plan.fits(&self.memory)
    }

    /// Poisons it, where that was not done since its last run.
    fn make_ready(&mut self, session: &Session) -> Result<()> {
        if !self.is_poisoned {
            self.memory.poison(session)?;
            self.is_poisoned = true;
        }
        Ok(())
    }
}

/// Memory of the last runs, for the next one of the same device and sizes: a person who goes through stages does not wait for fresh memory.
#[derive(Default)]
pub struct Kept {
    /// Of the last run.
    memory: Option<Used>,
    /// Of the last run on the same device that needed other sizes, as with a stage that lays rows out otherwise; unless both are large.
    other: Option<Used>,
    host: HostBuffers,
    /// The last outputs, unless they are large. Where nobody has one any more, the next one takes its place.
    outputs: Vec<Arc<Picture>>,
    /// Rows for the next output, poisoned.
    poisoned_rows: Option<Bytes>,
}

/// Two, as one is looked at while the next one is made.
const OUTPUTS: usize = 2;

/// Kept memory of more bytes than this is given up where others are needed beside it.
const LARGE_BYTES: usize = 256 << 20;

/// Most bytes of memory for two sizes: of a device with little memory, an eighth.
fn both_bytes(session: &Session) -> usize {
    LARGE_BYTES.min(usize::try_from(session.info().global_mem_bytes / 8).unwrap_or(usize::MAX))
}

impl Kept {
    /// Gives up memory for other sizes, and what is so large that little else may fit beside it.
    pub fn give_up_large(&mut self) {
        self.other = None;
        self.memory.take_if(|used| used.memory.bytes() > LARGE_BYTES);
        self.give_up_large_rows();
    }

    /// Poisons ahead what the next run of this kind writes to: memory of the last ones, and rows of an output that nobody has any more. Where only memory for the
    /// last run is left, that for one of `plans`, the latest last, is made again. A person does not wait for it then.
    pub fn make_ready<'a>(&mut self, session: &Session, mut plans: impl DoubleEndedIterator<Item = &'a Plan>) {
        let Some(last) = self.memory.as_mut().filter(|used| used.device == session.info().index) else { return };
        // Where that fails, the run itself says so.
        let _ = last.make_ready(session);
        if self.other.is_none()
            && let Some(plan) = plans.rfind(|plan| !plan.fits(&last.memory))
            && last.memory.bytes() + plan.launch.total_bytes() <= both_bytes(session)
        {
            let made = plan.memory(session).and_then(|memory| memory.fill_source(session).map(|()| memory));
            self.other = made.ok().map(|memory| Used { device: last.device, memory, is_poisoned: false });
        }
        if let Some(other) = &mut self.other {
            let _ = other.make_ready(session);
        }
        if self.poisoned_rows.is_none()
            && let Some(place) = self.outputs.iter().position(|output| Arc::strong_count(output) == 1)
            && let Ok(output) = Arc::try_unwrap(self.outputs.remove(place))
        {
            let mut rows = output.into_bytes();
            Poison::random().fill(rows.to_mut());
            self.poisoned_rows = Some(rows);
        }
    }

    /// Which device's memory is kept.
    pub fn device(&self) -> Option<usize> {
        self.memory.as_ref().map(|used| used.device)
    }

    fn give_up_large_rows(&mut self) {
        if self.host.rows.len() > LARGE_BYTES {
            self.host.rows = Bytes::default();
        }
    }

    /// Poisoned rows for an output of so many bytes: where nobody has one of the last outputs any more, those.
    fn rows(&mut self, len_bytes: usize, sharing: Sharing) -> Bytes {
        let is_shared = sharing == Sharing::Shared;
        if let Some(rows) = self.poisoned_rows.take().filter(|rows| rows.len() == len_bytes && rows.path().is_some() == is_shared) {
            self.host.rows = Bytes::default();
            return rows;
        }
        let mut rows = self.unpoisoned_rows(len_bytes, sharing);
        // What took the place of an earlier output holds that one still: a read-back that never came must not pass for it.
        Poison::random().fill(rows.to_mut());
        rows
    }

    fn unpoisoned_rows(&mut self, len_bytes: usize, sharing: Sharing) -> Bytes {
        // Of another size they would keep more memory than this one needs.
        self.outputs.retain(|output| output.bytes().len() == len_bytes);
        let is_free =
            |output: &Arc<Picture>| Arc::strong_count(output) == 1 && output.placed().path().is_some() == (sharing == Sharing::Shared);
        let free = self.outputs.iter().position(is_free).map(|index| self.outputs.remove(index));
        match free.and_then(|output| Arc::try_unwrap(output).ok()) {
            Some(output) => {
                self.host.rows = Bytes::default();
                output.into_bytes()
            }
            None if sharing == Sharing::Shared => Bytes::zeroed(len_bytes, sharing),
            None => std::mem::take(&mut self.host.with_rows(len_bytes).rows),
        }
    }

    /// Keeps an output, for the next one to take its place.
    fn keep(&mut self, output: &Arc<Picture>) {
        if output.bytes().len() <= LARGE_BYTES {
            self.outputs.truncate(OUTPUTS - 1);
            self.outputs.insert(0, Arc::clone(output));
        }
    }

    /// Keeps memory of this session for the next run.
    fn put(&mut self, session: &Session, memory: Memory) {
        self.memory = Some(Used { device: session.info().index, memory, is_poisoned: false });
    }

    /// The kept memory where it fits, else such memory; [`Kept::put`] keeps it after the run.
    fn take(&mut self, session: &Session, plan: &Plan) -> Result<Memory> {
        self.take_used(session, plan).map(|used| used.memory)
    }

    /// The same, with poison in what kernels write to.
    fn take_poisoned(&mut self, session: &Session, plan: &Plan) -> Result<Memory> {
        let mut used = self.take_used(session, plan)?;
        used.make_ready(session)?;
        Ok(used.memory)
    }

    fn take_used(&mut self, session: &Session, plan: &Plan) -> Result<Used> {
        let device = session.info().index;
        let last = self.memory.take();
        match last {
            Some(last) if last.fits(session, plan) => Ok(last),
            last => {
                let other = self.other.take_if(|other| other.fits(session, plan));
                // What is given up is so before other memory is asked for.
                let needed = plan.launch.total_bytes();
                self.other = last.filter(|last| last.device == device && last.memory.bytes() + needed <= both_bytes(session));
                other.map_or_else(|| self.fresh(session, plan), Ok)
            }
        }
    }

    /// Memory that nobody ran over; where there is too little, the other one is given up for it.
    fn fresh(&mut self, session: &Session, plan: &Plan) -> Result<Used> {
        let memory = plan.memory(session).or_else(|refused| match self.other.take() {
            Some(_) => plan.memory(session),
            None => Err(refused),
        });
        Ok(Used { device: session.info().index, memory: memory?, is_poisoned: false })
    }
}

/// Runs once over a poisoned output and checks its guard bytes. Alpha is taken over from the source.
///
/// # Errors
/// The driver's refusal, or a write outside the output.
pub fn execute(session: &Session, plan: &Plan, task: &Task, source: &Picture, kept: &mut Kept, outputs: Sharing) -> Result<Executed> {
    let mut rows = kept.rows(output_bytes(plan), outputs);
    let memory = kept.take_poisoned(session, plan)?;
    let (ran, mut commands) = session.noting(|| round_trip(session, plan, &memory, task, source, &mut kept.host.scratch, rows.to_mut()));
    let (times, trip) = ran?;
    memory.check_guards(session)?;
    let sample = sample_of(&times);
    let doubt = doubted(session, plan, &memory, sample.watched().as_slice())?;
    kept.put(session, memory);
    let mut notes = plan.notes.clone();
    if let Some(doubt) = doubt {
        notes.push(Words::from(speaking_keys(|| doubt.label())));
        for command in &mut commands {
            command.times = EventTimes::default();
        }
    }
    let Sample { kernel_ns, queue_wait_ns, launch_latency_ns, .. } = if doubt.is_some() { Sample::of(None, Vec::new()) } else { sample };
    let Layout { width_px, height_px, channels, .. } = plan.launch.destination;
    let output = Picture::new(width_px, height_px, channels, rows)?;
    let output = Arc::new(output.with_shared_alpha(source.placed_alpha().cloned()));
    kept.keep(&output);
    let reports = || plan.built.iter().map(Built::report);
    let build_ns = reports().map(|report| report.build_ns).sum();
    let global = plan.launch.passes.first().map_or([1, 1], |pass| pass.global);
    Ok(Executed {
        output,
        timings: Timings {
            queue_wait_ns,
            launch_latency_ns,
            kernel_ns,
            upload_ns: trip.upload_ns,
            readback_ns: trip.readback_ns,
            round_trip_ns: trip.total_ns,
        },
        commands,
        source: Some(Arc::clone(&plan.source)),
        build: Build {
            build_ns,
            waited_ns: build_ns,
            from: reports().next().map_or(BuildFrom::Nothing, |report| report.from),
            log: reports().next().map_or_else(String::new, |report| report.log.clone()),
        },
        limits: plan.built.iter().map(Built::limits).min_by_key(|limits| limits.max_work_group_size).copied(),
        global: plan.local.map_or(global, |local| device::round_up_global(global, local).unwrap_or(global)),
        local_used: plan.local,
        notes,
        printed: Printed::default(),
    })
}

/// Where the device says that it computes.
pub fn computes(session: &Session) -> Computes {
    match session.info().kind {
        DeviceKind::Cpu => Computes::OnHost,
        _ => Computes::OnDevice,
    }
}

/// The gate that fits the device.
pub fn gate(session: &Session) -> CpuGate {
    CpuGate::of(computes(session))
}

/// A plan ready to run again and again, over several sets of memory in turn.
pub struct Runner<'a> {
    session: &'a Session,
    plan: &'a Plan,
    sets: Vec<Memory>,
    turn: usize,
    /// What both clocks say of all runs.
    watched: RefCell<Vec<Watched>>,
}

/// A quarter of the device's memory leaves room for the person's other programs.
pub fn affordable_sets(session: &Session, set_bytes: usize) -> usize {
    let bytes = usize::try_from(session.info().global_mem_bytes / 4).unwrap_or(usize::MAX);
    (bytes / set_bytes.max(1)).max(1)
}

impl<'a> Runner<'a> {
    /// Makes the sets, the first of what is kept, and uploads the source into each.
    ///
    /// # Errors
    /// The device's memory does not suffice.
    fn new(session: &'a Session, plan: &'a Plan, task: &Task, source: &Picture, budget: Budget, kept: &mut Kept) -> Result<Self> {
        let set_bytes = plan.launch.total_bytes();
        let count = rotation(budget, set_bytes).min(affordable_sets(session, set_bytes));
        let mut sets = vec![kept.take(session, plan)?];
        if count > 1 {
            // No more memory is needed than for these.
            kept.other = None;
        }
        for _ in 1..count {
            sets.push(plan.memory(session)?);
        }
        for memory in &sets {
            plan.upload(session, memory, source, task.spec.border, &mut kept.host.scratch)?;
            // Memory that nobody has written to may not be there yet: the first timed run over it would pay for that.
            memory.poison(session)?;
        }
        Ok(Self::over(session, plan, sets))
    }

    /// Keeps one of the sets, and no output beside it that is large.
    fn keep(mut self, kept: &mut Kept) {
        if let Some(memory) = self.sets.pop() {
            kept.put(self.session, memory);
        }
        kept.give_up_large_rows();
    }

    /// Over sets of memory that hold the source already.
    pub fn over(session: &'a Session, plan: &'a Plan, sets: Vec<Memory>) -> Self {
        Self { session, plan, sets, turn: 0, watched: RefCell::default() }
    }

    /// Once over a set of that index; what its timestamps say.
    fn run(&self, set: usize) -> Result<Sample> {
        let sample = sample_of(&self.plan.run(self.session, self.set(set)?)?);
        self.watched.borrow_mut().extend(sample.watched());
        Ok(sample)
    }

    /// Holds what was timed to what it should be: every set once more, over a poison for which nothing that was there before can pass. All of them are filled first, so
    /// that a run finds no more of its output in a cache than those that were timed did. Those sets of which `is_open` says that nobody looked at them since.
    ///
    /// # Errors
    /// An output is wrong, a guard was written to, or the driver's refusal.
    pub fn check(&self, expected: &Expected, host: &mut HostBuffers, is_open: impl Fn(usize) -> bool) -> Result<()> {
        let sets = || self.sets.iter().enumerate().filter(|(index, _)| is_open(*index)).map(|(_, memory)| memory);
        sets().try_for_each(|memory| memory.poison(self.session))?;
        sets().try_for_each(|memory| self.plan.run(self.session, memory).map(drop))?;
        sets().try_for_each(|memory| host.check(self.session, self.plan, memory, expected))
    }

    /// Once more over an output that is right but for a few bytes, as those of timed runs were: a kernel that looks whether its work is done already, and then does none,
    /// is no faster one.
    ///
    /// # Errors
    /// As [`Runner::check`].
    pub fn check_that_it_works_again(&self, expected: &Expected, host: &mut HostBuffers) -> Result<()> {
        let memory = self.set(self.turn)?;
        memory.damage(self.session)?;
        self.plan.run(self.session, memory)?;
        host.check(self.session, self.plan, memory, expected)
    }

    /// The same of what the very last timed run left.
    ///
    /// # Errors
    /// As [`Runner::check`].
    fn check_last(&self, expected: &Expected, host: &mut HostBuffers) -> Result<()> {
        host.check(self.session, self.plan, self.set(self.turn)?, expected)
    }

    /// Whether the device's times of its runs are to be doubted.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn doubt(&self) -> Result<Option<Doubt>> {
        doubted(self.session, self.plan, self.set(self.turn)?, &self.watched.borrow())
    }

    /// Goes on to the next set; its index.
    fn next_set(&mut self) -> usize {
        self.turn = (self.turn + 1) % self.sets.len().max(1);
        self.turn
    }

    fn set(&self, index: usize) -> Result<&Memory> {
        self.sets.get(index).ok_or_else(|| failed("errors.engine.no-buffer", &[]))
    }

    /// Runs once, over the set of that index; kernel time of all passes, `None` where the driver's timestamps are invalid.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn kernel_over(&self, set: usize) -> Result<Option<u64>> {
        Ok(self.run(set)?.kernel_ns)
    }
}

/// What is measured: a task's picture, and what its output should be.
pub struct Subject<'a> {
    pub task: &'a Task,
    pub source: &'a Picture,
    pub expected: &'a Expected,
}

/// Warms up and samples kernels over several sets of memory in turn, and nothing else.
///
/// # Errors
/// Cancelled, the driver's refusal, or an output of what was timed is wrong.
pub fn glance(
    session: &Session,
    plan: &Plan,
    subject: &Subject<'_>,
    budget: Budget,
    progress: &dyn Progress,
    kept: &mut Kept,
) -> Result<(Sampled<Sample>, Option<Doubt>)> {
    let mut runner = Runner::new(session, plan, subject.task, subject.source, budget, kept)?;
    let sampled = sample_kernels(&mut runner, &mut gate(session), budget, progress).and_then(|sampled| {
        runner.check(subject.expected, &mut kept.host, |_| true)?;
        Ok((sampled, runner.doubt()?))
    });
    runner.keep(kept);
    sampled
}

/// Warms up, and counts what the processor and the system do in further runs over the same memory.
///
/// # Errors
/// Cancelled, the driver's refusal, counters that cannot be switched, or an output of what was counted is wrong.
pub fn count_events(
    session: &Session,
    plan: &Plan,
    subject: &Subject<'_>,
    progress: &dyn Progress,
    kept: &mut Kept,
) -> Result<EventCounts> {
    let budget = Budget::GLANCE;
    let mut runner = Runner::new(session, plan, subject.task, subject.source, budget, kept)?;
    let counted = (|| {
        // Threads that the driver starts late are there then, and so are all pages.
        let warm = sample_kernels(&mut runner, &mut gate(session), budget, progress)?;
        let mut counters = Counters::of_this_process();
        let refused = |error: std::io::Error| failed("errors.counters.refused", &[("why", &error)]);
        counters.begin().map_err(refused)?;
        let ran = sample_kernels(&mut runner, &mut gate(session), Budget { warmup_runs: 0, warmup_ns: 0, ..budget }, progress);
        let (counts, share) = counters.end().map_err(refused)?;
        let sampled = ran?;
        runner.check(subject.expected, &mut kept.host, |_| true)?;
        let runs = sampled.samples.len().max(1);
        Ok(EventCounts {
            runs,
            threads: counters.threads,
            counts: counts.into_iter().map(|(event, count)| (event, count / runs as f64)).collect(),
            missing: counters.missing,
            share,
            kernel: Summary::of(sampled.samples.iter().filter_map(|sample| sample.kernel_ns).collect()),
            must_move_bytes: plan.counts.map(|counts| counts.must_move_bytes),
            busy: sampled.busy || warm.busy,
        })
    })();
    runner.keep(kept);
    counted
}

fn sample_kernels(runner: &mut Runner<'_>, gate: &mut dyn Gate, budget: Budget, progress: &dyn Progress) -> Result<Sampled<Sample>> {
    sample(&budget, gate, progress, || {
        let set = runner.next_set();
        runner.run(set)
    })
}

/// What the timestamps of a run's passes say of its kernels.
fn sample_of(times: &[EventTimes]) -> Sample {
    let first = times.first();
    Sample {
        queue_wait_ns: first.and_then(EventTimes::queue_wait_ns),
        launch_latency_ns: first.and_then(EventTimes::launch_latency_ns),
        waited_ns: times.iter().map(|times| times.waited_ns).sum(),
        ..Sample::of(kernel_ns(times), pass_ns(times))
    }
}

/// Kernels, whole round trips, and whether the device's times of them are to be doubted.
pub type Sampling = (Sampled<Sample>, Sampled<Sample>, Option<Doubt>);

/// Warms up and samples kernels over several sets of memory in turn, then whole round trips; then holds all sets to what their output should be.
///
/// # Errors
/// Cancelled, the driver's refusal, or an output of what was timed is wrong.
pub fn measure(
    session: &Session,
    plan: &Plan,
    subject: &Subject<'_>,
    budget: Budget,
    progress: &dyn Progress,
    kept: &mut Kept,
) -> Result<Sampling> {
    let &Subject { task, source, expected } = subject;
    let mut gate = gate(session);
    let mut runner = Runner::new(session, plan, task, source, budget, kept)?;
    let kernels = sample_kernels(&mut runner, &mut gate, budget, progress);
    let fewer =
        Budget { warmup_runs: 1, warmup_ns: 0, sample_ns: budget.sample_ns / 2, max_samples: ROUND_TRIPS, min_samples: 3, ..budget };
    let both = kernels.and_then(|kernels| {
        runner.check_last(expected, &mut kept.host)?;
        let trips = sample(&fewer, &mut gate, progress, || {
            let HostBuffers { scratch, rows } = kept.host.with_rows(output_bytes(plan));
            let set = runner.next_set();
            let (times, trip) = round_trip(session, plan, runner.set(set)?, task, source, scratch, rows.to_mut())?;
            let sample = Sample { round_trip: Some(trip), pass_ns: Vec::new(), ..sample_of(&times) };
            runner.watched.borrow_mut().extend(sample.watched());
            Ok(sample)
        })?;
        // The last one's rows, one more over poison on both sides, and every other set.
        expected.check(&kept.host.rows, 0)?;
        checked_trip(session, plan, runner.set(runner.turn)?, task, source, &mut kept.host)?;
        expected.check(&kept.host.rows, 0)?;
        runner.check(expected, &mut kept.host, |set| set != runner.turn)?;
        Ok((kernels, trips, runner.doubt()?))
    });
    // After a cancel as well: the next run finds its memory.
    runner.keep(kept);
    both
}
