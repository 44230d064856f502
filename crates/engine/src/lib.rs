//! Request → outcome: compose, build, run, verify, measure. Called by worker, command line and tests alike; knows nothing of egui.

pub mod compiled;
pub mod device;
pub mod remote;
pub mod roofs;
pub mod testing;
use kernels::filters::VariantExt;
mod asking;
mod bands;
mod comparing;
mod compiling;
mod counting;
mod derived;
mod expected;
mod frames;
mod on_cpu;
mod on_device;
mod plan;
mod project_runs;
pub mod replay;
mod sampling;
mod split;
mod types;

pub use asking::{Backend, Reply, Request, run_and_check};
pub use comparing::Compared;
pub use project_runs::{Fate, ProjectQuestion, ProjectReply, ProjectRequest, Tried};
pub(crate) use types::other_answer;
pub use types::{
    Build, Executed, KernelText, PictureRef, Printed, Proof, Proven, Scanned, Simulated, Target, Task, Timings, Verified, remedy_of_wrong,
    wrong_output,
};

use crate::device::{CacheSettings, DeviceInfo, DeviceKind, Devices, NoDevice, Quirk, Session};
use bands::Banded;
use base::error::{Error, ErrorKind, Result};
use base::texts::{Words, failed, misused, text};
use compiling::Known;
use derived::Derived;
use expected::Expected;
use kernels::filters;
use kernels::filters::Reference;
use model::measure::{Frames, MIN_PAIRS, Progress, Sampled, Split};
use model::{
    Abilities, Budget, Contender, Doubt, EventCounts, HeldTo, HostMemory, Labelled, LocalSize, Machine, Measured, Outcome, PassTime,
    Record, Roofs, RoundTrip, Shares, Summary, Variant, Verification,
};
use on_device::{Kept, Subject};
use pictures::{Picture, Sharing};
use plan::{Asked, Plan, Scratch};
use replay::Recording;
use sampling::Sample;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Nanoseconds of host time since `begun`.
fn elapsed_ns(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The engine. It stays on one thread: OpenCL objects are created, used and dropped there.
pub struct Engine {
    // In the order of dropping: buffers and programs, then their session, then its platform's list.
    kept: RefCell<Kept>,
    /// The buffers of a person's own kernels.
    laid: Option<project_runs::Laid>,
    /// Tasks with their built programs, the newest last: verifying, measuring and comparing use what executing has made.
    prepared: Vec<(Task, Prepared)>,
    sessions: Vec<(usize, Session)>,
    devices: Option<Devices>,
    cache: CacheSettings,
    derived: Derived,
    compiled: Known,
    /// Of devices, by their index.
    roofs: Vec<(usize, Arc<Roofs>)>,
    /// A picture that takes more is run in bands of rows, whatever the device has.
    most_bytes: Option<usize>,
    /// Who may read outputs.
    sharing: Sharing,
}

/// A task's variant, built and ready to run.
enum Prepared {
    /// Over the picture as a whole.
    Whole(Box<Plan>),
    /// Over bands of its rows: the device does not take it at once.
    Bands(Banded),
}

impl Prepared {
    /// Of the whole, or of the first band, whose kernels are those of all.
    fn plan(&self) -> Result<&Plan> {
        match self {
            Self::Whole(plan) => Ok(plan),
            Self::Bands(banded) => banded.first().ok_or_else(not_prepared),
        }
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine that has not looked for devices yet; CPU competitors work without.
    #[must_use]
    pub fn new() -> Self {
        Self::with_cache(CacheSettings::from_env())
    }

    /// As [`Engine::new`], with program binaries cached elsewhere.
    #[must_use]
    pub fn with_cache(cache: CacheSettings) -> Self {
        Self {
            kept: RefCell::default(),
            prepared: Vec::new(),
            sessions: Vec::new(),
            devices: None,
            cache,
            derived: Derived::default(),
            compiled: Known::default(),
            roofs: Vec::new(),
            most_bytes: None,
            sharing: Sharing::Private,
            laid: None,
        }
    }

    /// The same where no run has more than so many bytes of memory objects: larger pictures go in bands of rows.
    #[must_use]
    pub fn within(self, most_bytes: usize) -> Self {
        Self { most_bytes: Some(most_bytes), ..self }
    }

    /// The same where outputs and references may be read by another process.
    #[must_use]
    pub fn sharing(self) -> Self {
        Self { sharing: Sharing::Shared, derived: Derived::sharing(Sharing::Shared), ..self }
    }

    /// The devices found by the last scan; scans where there was none.
    ///
    /// # Errors
    /// Why there is none.
    pub fn devices(&mut self) -> std::result::Result<&[DeviceInfo], NoDevice> {
        let found = match self.devices.take() {
            Some(devices) => devices,
            None => self.discovered()?,
        };
        Ok(self.devices.insert(found).infos())
    }

    /// What a scan finds, with what takes a session to know. That session is not kept: sessions know their device as the scan leaves it.
    fn discovered(&self) -> std::result::Result<Devices, NoDevice> {
        let mut devices = Devices::discover()?;
        for index in 0..devices.infos().len() {
            let Some(info) = devices.infos().get(index) else { continue };
            let (may_have_half_lanes, has_images, may_lack_fma) =
                (info.has_fp16 || Quirk::TakesPtx.is_of(info), info.max_image_px.is_some(), Quirk::MayLackFma.is_of(info));
            if !(may_have_half_lanes || has_images || may_lack_fma) {
                continue;
            }
            // One that cannot be opened says so when it is used.
            let Ok(session) = Session::open(&devices, index, &self.cache) else { continue };
            let has_half_lanes = may_have_half_lanes && roofs::half_lanes(&session).is_ok();
            let lacks_gray_images = has_images && !session.has_gray_images();
            let lacks_fma = may_lack_fma && roofs::fma(&session).is_err();
            drop(session);
            devices.note(index, |info| {
                (info.has_half_lanes, info.lacks_gray_images, info.lacks_fma) = (has_half_lanes, lacks_gray_images, lacks_fma);
            });
        }
        Ok(devices)
    }

    /// The session on device `index`, opened where it is not yet.
    fn session(&mut self, index: usize) -> Result<&Session> {
        if let Err(none) = self.devices() {
            return Err(crate::device::install_help(&none).into_error());
        }
        if self.opened(index).is_err() {
            let Some(devices) = &self.devices else {
                return Err(failed("errors.engine.no-devices", &[]));
            };
            self.sessions.push((index, Session::open(devices, index, &self.cache)?));
        }
        self.opened(index)
    }

    /// The session on device `index` that [`Engine::session`] opened.
    fn opened(&self, index: usize) -> Result<&Session> {
        let open = self.sessions.iter().find(|(open, _)| *open == index);
        open.map(|(_, session)| session).ok_or_else(|| failed("errors.engine.no-session", &[]))
    }

    /// Checks what can be checked before anything runs; the task with parameters complete.
    fn checked(&self, task: &Task) -> Result<Task> {
        let (filter, spec) = (task.filter(), &task.spec);
        if !filter.channels.contains(&spec.channels) {
            return Err(misused("errors.engine.channels", &[("filter", &filter.label()), ("channels", &spec.channels.label())]));
        }
        if matches!(task.target, Target::Cpu(_)) && filter.cpu.is_none() {
            return Err(misused("errors.engine.no-competitor", &[("filter", &filter.label())]));
        }
        if let Target::Device { index, variant, .. } = &task.target {
            let setting = task.setting().on(self.info(*index).map_or(Abilities::ALL, DeviceInfo::abilities));
            variant.check(filter, setting)?;
        }
        let parameters = filter.complete(&spec.parameters)?;
        Ok(Task { spec: model::Spec { parameters, ..spec.clone() }, ..task.clone() })
    }

    /// Composes and builds, where that was not done yet. A CPU competitor needs nothing.
    fn prepare(&mut self, task: &Task) -> Result<Preparing> {
        let Some(asked) = Asked::of(task) else { return Ok(Preparing::New) };
        if let Some(index) = self.prepared.iter().position(|(known, _)| known == task) {
            let known = self.prepared.remove(index);
            self.prepared.push(known);
            return Ok(Preparing::Known);
        }
        self.session(asked.index)?;
        let session = self.opened(asked.index)?;
        let prepared = match Banded::new(session, task, &asked, self.most_bytes)? {
            Some(banded) => Prepared::Bands(banded),
            None => Prepared::Whole(Box::new(Plan::new(session, task, &asked, task.picture.picture.height_px())?)),
        };
        if self.prepared.len() >= MOST_PREPARED {
            self.prepared.remove(0);
        }
        self.prepared.push((task.clone(), prepared));
        Ok(Preparing::New)
    }

    /// A task that is prepared, with its session; `None` for a CPU competitor.
    fn prepared(&self, task: &Task) -> Result<Option<(&Session, &Prepared)>> {
        let Some(asked) = Asked::of(task) else { return Ok(None) };
        let prepared = self.prepared.iter().find(|(known, _)| known == task).map(|(_, prepared)| prepared);
        Ok(Some((self.opened(asked.index)?, prepared.ok_or_else(not_prepared)?)))
    }

    /// What the timed runs of `task` are held to.
    fn expected(&mut self, task: &Task, progress: &dyn Progress) -> Result<Expected> {
        Ok(Expected::of(task, self.reference(task, progress)?.0))
    }

    /// The right output of `task`, and what it comes from.
    fn reference(&mut self, task: &Task, progress: &dyn Progress) -> Result<(Arc<Picture>, HeldTo)> {
        match task.filter().reference {
            Reference::Rows(rows) => Ok((self.derived.reference(task, rows, progress)?, HeldTo::Reference)),
            Reference::Naive => {
                if let Some(known) = self.derived.known_reference(task) {
                    return Ok((known, HeldTo::Naive));
                }
                progress.report(0, 1, text("progress.naive"));
                // Whoever looks at references may look at this one.
                let sharing = std::mem::replace(&mut self.sharing, self.derived.sharing);
                let run = self.execute(&self.naive_of(task), progress);
                self.sharing = sharing;
                let output = run?.output;
                self.derived.keep_reference(task, &output);
                Ok((output, HeldTo::Naive))
            }
        }
    }

    /// The naive kernel for what `task` asks: on another device where there is one, as one compiler's error would else be in both.
    fn naive_of(&self, task: &Task) -> Task {
        let asked = match task.target {
            Target::Device { index, .. } => index,
            Target::Cpu(_) => 0,
        };
        let count = self.devices.as_ref().map_or(0, |devices| devices.infos().len());
        let index = (0..count).find(|index| *index != asked).unwrap_or(asked);
        let target = Target::Device { index, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::default() };
        Task { target, text: KernelText::Composed, ..task.clone() }
    }

    /// What is known of a device of the last scan.
    fn info(&self, index: usize) -> Option<&DeviceInfo> {
        self.devices.as_ref().and_then(|devices| devices.infos().get(index))
    }

    /// The device, as records name it.
    fn machine(&self, index: usize) -> Machine {
        machine(self.info(index), index)
    }

    /// A row about `task`.
    fn row_of(&self, task: &Task, contender: Contender, outcome: Outcome) -> Record {
        let machine = match task.target {
            Target::Cpu(_) => this_processor(),
            Target::Device { index, .. } => self.machine(index),
        };
        row_of(task, machine, contender, outcome)
    }
}

/// The device, as records name it; where it is gone, by its index.
#[must_use]
pub fn machine(info: Option<&DeviceInfo>, index: usize) -> Machine {
    info.map_or_else(|| Machine::new(format!("device {index}"), String::new()), DeviceInfo::machine)
}

/// The processor, as records name it.
fn this_processor() -> Machine {
    Machine::new(kernel_ladder_cpu::processor_name(), String::new())
}

/// A row about `task`, which ran on that machine.
fn row_of(task: &Task, machine: Machine, contender: Contender, outcome: Outcome) -> Record {
    Record {
        schema: Record::SCHEMA,
        name: None,
        spec: task.spec.clone(),
        contender,
        machine,
        picture: task.picture.facts(),
        date: now(),
        outcome,
    }
}

/// The row of a task that could not be measured, with the reason; `machine` names a device by its index.
#[must_use]
pub fn refused(task: &Task, machine: impl FnOnce(usize) -> Machine, why: &Error) -> Record {
    let (machine, contender) = match task.target {
        Target::Cpu(engine) => (this_processor(), Contender::Cpu { engine, instructions: filters::instructions(engine) }),
        Target::Device { index, variant, local, host_memory } => {
            (machine(index), Contender::Device { variant, local, local_used: None, host_memory })
        }
    };
    let outcome = match why.kind {
        ErrorKind::Usage => Outcome::Unsupported(Words::of(why)),
        ErrorKind::Failed | ErrorKind::Lost | ErrorKind::NoProgram | ErrorKind::Cancelled => Outcome::Failed(Words::of(why)),
    };
    row_of(task, machine, contender, outcome)
}

fn no_timestamps() -> Error {
    failed("errors.engine.timestamps", &[])
}

/// Times that are not believed are no figures.
fn doubted(doubt: &Doubt) -> Error {
    failed("errors.engine.doubted", &[("why", &doubt.why())])
}

/// Whether a task was prepared before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preparing {
    New,
    Known,
}

/// A comparison needs two at once; a few more let a person go back and forth.
const MOST_PREPARED: usize = 4;

impl Backend for Engine {
    fn ask(&mut self, request: Request, progress: &dyn Progress) -> Result<Reply> {
        Ok(match request {
            Request::Rescan(_) => Reply::Devices(self.rescanned(), self.met()),
            Request::Scanned => Reply::Scanned(self.met()),
            Request::Execute(task) => Reply::Executed(Box::new(self.run(&self.checked(&task)?)?)),
            Request::Verify(task, output) => {
                let task = &self.checked(&task)?;
                let (reference, held_to) = self.reference(task, progress)?;
                let verification = Verification { held_to, ..derived::compare(&output.picture, &reference, task.tolerance()) };
                Reply::Verified(verification, reference)
            }
            Request::Reference(task) => Reply::Reference(self.reference(&self.checked(&task)?, progress)?.0),
            Request::Expect(task, reference) => {
                self.derived.keep_reference(&self.checked(&task)?, &reference.picture);
                Reply::Expected
            }
            Request::Prove(task) => {
                // Nobody else looks at these outputs.
                let sharing = std::mem::take(&mut self.sharing);
                let proven = run_and_check(self, &task, progress);
                self.sharing = sharing;
                proven?
            }
            Request::Measure(proof, budget) => Reply::Record(Box::new(self.reading(&proof, budget, progress)?)),
            Request::Glance(proof) => Reply::Glanced(self.short_look(&proof, progress)?),
            Request::CountEvents(proof) => Reply::Counted(Box::new(self.counted(&proof, progress)?)),
            Request::Frames(proof) => Reply::Frames(Box::new(self.frames_of(&proof, progress)?)),
            Request::Split(proof) => Reply::Split(Box::new(self.split_of(&proof, progress)?)),
            Request::RecordRun(proof) => Reply::Recorded(Box::new(self.recorded(&proof)?)),
            Request::Refused(task, why) => Reply::Record(Box::new(refused(&task, |index| self.machine(index), &why))),
            Request::Compare(pair, budget) => {
                // There is this process alone, whatever the budget says. Of slow kernels, too: to stop before there are enough pairs would be time spent for
                // nothing.
                let whole = Budget { starts: 1, ..budget }.share(true, MIN_PAIRS);
                Reply::Compared(Box::new(self.pairs(&pair, whole, progress)?))
            }
            Request::CompareHere(pair, share) => Reply::Compared(Box::new(self.pairs(&pair, share, progress)?)),
            Request::Compiled(task) => Reply::Compiled(self.compile(&self.checked(&task)?)?),
            Request::Lines(task) => Reply::Compiled(self.compile_with_lines(&self.checked(&task)?)?),
            Request::NoteCode(task) => {
                self.compile(&self.checked(&task)?)?;
                Reply::CodeNoted
            }
            Request::KnownRoofs(device) => Reply::Roofs(self.roofs_of(device)),
            Request::MeasureRoofs(device) => Reply::Roofs(Some(self.measured_roofs(device, progress)?)),
            Request::Project(asked) => Reply::Project(Box::new(self.project(*asked, progress)?)),
            Request::Tidy => Reply::Tidied(self.sessions.iter().any(|(_, session)| session.save_programs(Duration::ZERO) > 0)),
            request => return request.plain_reply(),
        })
    }
}

impl Engine {
    fn rescanned(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        self.kept = RefCell::default();
        self.laid = None;
        self.prepared.clear();
        self.sessions.clear();
        self.roofs.clear();
        self.devices = None;
        self.devices().map(<[DeviceInfo]>::to_vec)
    }

    fn met(&self) -> Scanned {
        Scanned { problems: self.devices.as_ref().map_or(&[][..], Devices::problems).to_vec(), ..Scanned::default() }
    }

    /// Does ahead what the next run of the same kind needs, and what a person need not wait for then: to be called where nobody asks for anything.
    pub fn make_ready(&mut self) {
        let mut kept = self.kept.borrow_mut();
        let session = kept.device().and_then(|device| self.sessions.iter().find(|(index, _)| *index == device));
        if let Some((index, session)) = session {
            // Of the picture that is looked at.
            let picture = self.prepared.last().map(|(task, _)| task.picture.id);
            let plans = self.prepared.iter().filter_map(|(task, prepared)| match prepared {
                Prepared::Whole(plan) if task.target.device() == Some(*index) && Some(task.picture.id) == picture => Some(&**plan),
                _ => None,
            });
            kept.make_ready(session, plans);
        }
    }

    /// Runs a checked task once.
    fn run(&mut self, task: &Task) -> Result<Executed> {
        let source = self.derived.source(task);
        let is_built = self.prepare(task)? == Preparing::Known;
        let (kept, sharing) = (&mut *self.kept.borrow_mut(), self.sharing);
        let executed = match (task.target, self.prepared(task)?) {
            (Target::Cpu(engine), _) => on_cpu::execute(engine, task, &source, sharing),
            (_, Some((session, Prepared::Whole(plan)))) => on_device::execute(session, plan, task, &source, kept, sharing)?,
            (_, Some((session, Prepared::Bands(banded)))) => bands::execute(session, banded, task, &source, kept, sharing)?,
            (_, None) => return Err(not_prepared()),
        };
        let waited_ns = if is_built { 0 } else { executed.build.build_ns };
        Ok(Executed { build: Build { waited_ns, ..executed.build }, ..executed })
    }

    /// What a checked task's output should be, and its source; it is then prepared.
    fn ready(&mut self, task: &Task, progress: &dyn Progress) -> Result<(Expected, Arc<Picture>)> {
        let expected = self.expected(task, progress)?;
        progress.report(1, 3, text("progress.measuring"));
        let source = self.derived.source(task);
        self.prepare(task)?;
        Ok((expected, source))
    }

    fn reading(&mut self, proof: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Record> {
        let task = &self.checked(proof.task())?;
        if !task.text.is_composed() {
            return Err(misused("errors.engine.other-text", &[]));
        }
        let (expected, source) = &self.ready(task, progress)?;
        let roofs = match task.target {
            Target::Cpu(_) => None,
            Target::Device { index, .. } => self.roofs_of(index),
        };
        let measured = Measured {
            kernel: None,
            doubt: None,
            passes: Vec::new(),
            queue_wait: None,
            launch_latency: None,
            round_trip: RoundTrip::default(),
            build_ns: None,
            build_from: proof.build().from,
            // Read once, written once.
            bytes_moved: task.bytes_moved() as u64,
            counts: None,
            compiled: self.known_compiled(task).map_or_else(Vec::new, |compiled| compiled.summary()),
            roofline: None,
            verification: proof.verification(),
            discarded_share: 0.0,
            disturbed_share: Some(0.0),
            warm_cache: budget.warm_cache,
            busy: false,
        };
        let kept = &mut *self.kept.borrow_mut();
        let (measured, contender) = match (task.target, self.prepared(task)?) {
            (Target::Cpu(engine), _) => {
                let sampled = on_cpu::measure(engine, task, source, expected, budget, progress)?;
                let kernel = summary(sampled.samples.iter().filter_map(|sample| sample.kernel_ns));
                // The picture is in the host's memory already: the whole is the computation.
                let round_trip = RoundTrip { total: kernel.clone().unwrap_or_default(), ..RoundTrip::default() };
                let contender = Contender::Cpu { engine, instructions: filters::instructions(engine) };
                let Sampled { discarded_share, disturbed_share, busy, .. } = sampled;
                (Measured { kernel, round_trip, discarded_share, disturbed_share: Some(disturbed_share), busy, ..measured }, contender)
            }
            (Target::Device { variant, local, host_memory, .. }, Some((session, prepared))) => {
                let plan = prepared.plan()?;
                let subject = &Subject { task, source, expected };
                let (kernels, trips, doubt) = match prepared {
                    Prepared::Whole(plan) => on_device::measure(session, plan, subject, budget, progress, kept)?,
                    // Kernels and transfers take turns: each run is one sample of both.
                    Prepared::Bands(banded) => {
                        let (trips, doubt) = bands::measure(session, banded, subject, budget, progress)?;
                        (trips.clone(), trips, doubt)
                    }
                };
                let contender = Contender::Device { variant, local, local_used: plan.local, host_memory };
                let measured = Measured { counts: plan.counts, build_ns: Some(proof.build().build_ns), ..measured };
                let passes = plan.launch.passes.iter().map(|pass| pass.kernel).collect::<Vec<_>>();
                let measured = with_samples(&measured, &passes, &kernels, &trips);
                let measured = if let Some(doubt) = doubt { without_times(measured, doubt) } else { measured };
                let roofline = roofs.and_then(|roofs| Shares::of(&measured, &roofs));
                (Measured { roofline, ..measured }, contender)
            }
            (Target::Device { .. }, None) => return Err(not_prepared()),
        };
        Ok(self.row_of(task, contender, Outcome::Measured(Box::new(measured))))
    }

    fn short_look(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<f64> {
        if let Some(long) = proof.kernel_ns().filter(|time_ns| *time_ns >= Budget::LONG_RUN_NS) {
            return Ok(long as f64);
        }
        let task = &self.checked(proof.task())?;
        let (expected, source) = &self.ready(task, progress)?;
        let kept = &mut *self.kept.borrow_mut();
        let subject = &Subject { task, source, expected };
        let (sampled, doubt) = match (task.target, self.prepared(task)?) {
            (Target::Cpu(engine), _) => (on_cpu::measure(engine, task, source, expected, Budget::GLANCE, progress)?, None),
            (_, Some((session, Prepared::Whole(plan)))) => on_device::glance(session, plan, subject, Budget::GLANCE, progress, kept)?,
            (_, Some((session, Prepared::Bands(banded)))) => bands::measure(session, banded, subject, Budget::GLANCE, progress)?,
            (_, None) => return Err(not_prepared()),
        };
        if let Some(doubt) = doubt {
            return Err(doubted(&doubt));
        }
        let kernel = summary(sampled.samples.iter().filter_map(|sample| sample.kernel_ns));
        kernel.map(|kernel| kernel.median_ns).ok_or_else(no_timestamps)
    }

    fn recorded(&mut self, proof: &Proof) -> Result<Recording> {
        let task = &self.checked(proof.task())?;
        let compiled = self.compile(task)?;
        let source = self.derived.source(task);
        let (session, prepared) = self.prepared(task)?.ok_or_else(not_prepared)?;
        let Prepared::Whole(plan) = prepared else { return Err(misused("errors.counters.too-large", &[])) };
        let memory = plan.memory(session)?;
        let mut scratch = Scratch::staged();
        plan.upload(session, &memory, &source, task.spec.border, &mut scratch)?;
        memory.poison(session)?;
        Recording::of(session, plan, &memory, &compiled.binary)
    }

    fn frames_of(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<Frames> {
        let task = &self.checked(proof.task())?;
        let (expected, source) = &self.ready(task, progress)?;
        match self.prepared(task)? {
            Some((session, Prepared::Whole(plan))) => {
                frames::measure(session, plan, (task, source), expected, &mut on_device::gate(session), progress)
            }
            Some((_, Prepared::Bands(_))) => Err(misused("errors.engine.frames-large", &[])),
            None => Err(misused("errors.engine.frames-cpu", &[])),
        }
    }

    fn split_of(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<Split> {
        let task = &self.checked(proof.task())?;
        let (expected, source) = &self.ready(task, progress)?;
        match self.prepared(task)? {
            Some((session, _)) => split::measure(session, task, source, expected, &mut on_device::gate(session), progress),
            None => Err(misused("errors.engine.frames-cpu", &[])),
        }
    }

    fn counted(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<EventCounts> {
        let task = &self.checked(proof.task())?;
        let (expected, source) = &self.ready(task, progress)?;
        let kept = &mut *self.kept.borrow_mut();
        let subject = &Subject { task, source, expected };
        match self.prepared(task)? {
            Some((session, _)) if session.info().kind != DeviceKind::Cpu => Err(misused("errors.counters.not-cpu", &[])),
            Some((session, Prepared::Whole(plan))) => on_device::count_events(session, plan, subject, progress, kept),
            Some((_, Prepared::Bands(_))) => Err(misused("errors.counters.too-large", &[])),
            None => Err(misused("errors.counters.not-a-kernel", &[])),
        }
    }

    fn roofs_of(&mut self, device: usize) -> Option<Arc<Roofs>> {
        if let Some((_, known)) = self.roofs.iter().find(|(index, _)| *index == device) {
            return Some(Arc::clone(known));
        }
        let found = Arc::new(roofs::known(&self.cache, self.info(device)?)?);
        self.roofs.push((device, Arc::clone(&found)));
        Some(found)
    }

    fn measured_roofs(&mut self, device: usize, progress: &dyn Progress) -> Result<Arc<Roofs>> {
        self.session(device)?;
        let (session, machine) = (self.opened(device)?, self.machine(device));
        let found = roofs::measure(session, machine, now(), &mut on_device::gate(session), progress)?;
        let found = Arc::new(found);
        // What was measured while other programs ran is better than nothing, but takes no place of what was measured on a quiet machine.
        let is_known_quiet = || roofs::known(&self.cache, session.info()).is_some_and(|known| !known.is_busy());
        if !(found.is_busy() && is_known_quiet()) {
            // Whoever cannot keep them has them all the same.
            let _ = roofs::keep(&self.cache, session.info(), &found);
            self.roofs.retain(|(index, _)| *index != device);
            self.roofs.push((device, Arc::clone(&found)));
        }
        Ok(found)
    }
}

fn not_prepared() -> Error {
    failed("errors.engine.not-built", &[])
}

fn summary(samples_ns: impl Iterator<Item = u64>) -> Option<Summary> {
    Summary::of(samples_ns.collect())
}

/// Fills in what sampling brought. One invalid timestamp makes the kernel time invalid: the driver's clock cannot be trusted.
fn with_samples(measured: &Measured, passes: &[&str], kernels: &Sampled<Sample>, trips: &Sampled<Sample>) -> Measured {
    let of_kernels = |part: fn(&Sample) -> Option<u64>| kernels.samples.iter().map(part).collect::<Option<Vec<_>>>().and_then(Summary::of);
    let of_trips =
        |part: fn(&sampling::RoundTrip) -> u64| summary(trips.samples.iter().filter_map(|sample| sample.round_trip.as_ref()).map(part));
    let of_pass = |(index, kernel): (usize, &&str)| {
        let time = summary(kernels.samples.iter().filter_map(|sample| sample.pass_ns.get(index).copied()))?;
        Some(PassTime { kernel: (*kernel).to_owned(), time })
    };
    // Either every run tells it apart, or none does.
    let layouts = summary(trips.samples.iter().filter_map(|sample| sample.round_trip.as_ref()?.layout_ns));
    let in_trips = trips.samples.iter().map(|sample| sample.kernel_ns).collect::<Option<Vec<_>>>();
    Measured {
        kernel: of_kernels(|sample| sample.kernel_ns),
        passes: passes.iter().enumerate().filter_map(of_pass).collect(),
        queue_wait: of_kernels(|sample| sample.queue_wait_ns),
        launch_latency: of_kernels(|sample| sample.launch_latency_ns),
        round_trip: RoundTrip {
            total: of_trips(|trip| trip.total_ns).unwrap_or_default(),
            upload: of_trips(|trip| trip.upload_ns),
            layout: layouts,
            kernel: in_trips.and_then(Summary::of),
            readback: of_trips(|trip| trip.readback_ns),
        },
        discarded_share: kernels.discarded_share,
        disturbed_share: Some(kernels.disturbed_share),
        busy: kernels.busy || trips.busy,
        ..measured.clone()
    }
}

/// Without what the device's clock says, which is not believed.
fn without_times(measured: Measured, doubt: Doubt) -> Measured {
    let round_trip = RoundTrip { kernel: None, ..measured.round_trip };
    Measured { kernel: None, doubt: Some(doubt), passes: Vec::new(), queue_wait: None, launch_latency: None, round_trip, ..measured }
}

/// The present in RFC 3339, UTC, to the second.
#[must_use]
pub fn now() -> String {
    let now = OffsetDateTime::now_utc();
    now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Backend as _, Engine, KernelText, PictureRef, Target, Task};
    use crate::device::{CacheSettings, host_memories};
    use model::measure::{HostWay, MIN_PAIRS, Places, compare};
    use model::{
        Added, AddedKind, Budget, Channels, CpuEngine, HostMemory, LocalSize, Moved, Outcome, Record, Spec, TilePart, Variant, WHOLE,
        Whose, WorkClass,
    };
    use pictures::Picture;
    use std::sync::Arc;

    fn task(variant: &str, local: LocalSize) -> Task {
        let picture = Picture::from_fn(61, 33, Channels::Rgb, |x, y, channel| (x * x + y * 29 + channel * 91) as u8);
        let alpha = (0..61 * 33).map(|index| index as u8).collect();
        let variant = Variant::parse(variant).expect("known");
        let target = Target::Device { index: 0, variant, local, host_memory: HostMemory::Copy };
        Task::new(PictureRef::new(Arc::new(picture.with_alpha(Some(alpha)))), target)
    }

    fn with_memory(task: &Task, memory: HostMemory) -> Task {
        let Target::Device { index, variant, local, .. } = task.target else { panic!("a task on a device") };
        Task { target: Target::Device { index, variant, local, host_memory: memory }, ..task.clone() }
    }

    const SHORT: Budget =
        Budget { warmup_runs: 1, warmup_ns: 0, sample_ns: 1_000_000, min_samples: 3, max_samples: 5, warm_cache: false, starts: 1 };

    /// Proves and measures; what could not be measured is a row with its reason.
    fn record(engine: &mut Engine, task: &Task) -> Record {
        let record = engine.prove(task, &()).and_then(|proof| engine.measure(&proof, SHORT, &()));
        engine.row(task, record).expect("not cancelled")
    }

    #[test]
    fn every_contender_gives_the_references_output_with_the_sources_alpha() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let variants = ["naive", "coalesced+padded+vectorize=4+merged+short16+rows=4", "coalesced+local=skew"]
            .map(|name| task(name, LocalSize::Driver));
        let competitors = CpuEngine::ALL.map(|engine| Task { target: Target::Cpu(engine), ..task("naive", LocalSize::Driver) });
        for task in variants.iter().chain(&competitors) {
            let executed = engine.execute(task, &()).expect("runs");
            assert_eq!(executed.output.alpha(), task.picture.picture.alpha());
            let verified = engine.verify(task, &executed, &()).expect("not cancelled");
            assert_eq!(verified.verification.label(), "bit-exact", "{:?}", task.target);
        }
    }

    #[test]
    fn a_run_names_its_commands_in_their_order() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let executed = engine.execute(&task("coalesced+padded", LocalSize::Driver), &()).expect("runs");
        let names: Vec<_> = executed.commands.iter().map(|command| command.name.as_str()).collect();
        assert!(matches!(names.as_slice(), ["clEnqueueWriteBuffer", _, "clEnqueueReadBuffer" | "clEnqueueReadBufferRect"]), "{names:?}");
        let times = executed.commands.iter().map(|command| command.times).collect::<Vec<_>>();
        assert!(times.windows(2).all(|pair| pair[0].end <= pair[1].start), "one after the other: {times:?}");
        assert_eq!(executed.timings.kernel_ns, times[1].kernel_ns());
        // Commands are noted for this run alone.
        let again = engine.execute(&task("coalesced+padded", LocalSize::Driver), &()).expect("runs");
        assert_eq!(again.commands.len(), executed.commands.len());
    }

    #[test]
    fn a_reading_has_every_part_of_a_round_trip() {
        let reading = record(&mut Engine::with_cache(CacheSettings::off()), &task("coalesced+padded", LocalSize::Explicit([16, 2])));
        let measured = reading.measured().expect("measured");
        assert_eq!(measured.bytes_moved, 2 * 61 * 33 * 3);
        let trip = &measured.round_trip;
        assert!(trip.upload.is_some() && trip.readback.is_some() && trip.total.count >= 3);
        let parts = trip.median_run().expect("all parts, on clocks that agree");
        assert!((parts.total_ns() - trip.total.median_ns).abs() < 1.0 || trip.total.count.is_multiple_of(2), "{parts:?} of {trip:?}");
        let kernel = measured.kernel.as_ref().expect("PoCL's timestamps are valid");
        assert_eq!(kernel.samples_ns.len(), kernel.count);
        assert!(!reading.machine.device.is_empty() && !reading.machine.driver.is_empty());
    }

    #[test]
    fn every_host_memory_gives_the_references_output_and_every_part_of_a_round_trip() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let variants = ["naive", "coalesced+padded+vectorize=5", "coalesced+padded+vectorize=4+merged+short16+rows=4", "coalesced+local"];
        for variant in variants {
            for host_memory in host_memories() {
                let task = with_memory(&task(variant, LocalSize::Driver), host_memory);
                // Twice: the second run finds the first one's memory, and its slack.
                for _ in 0..2 {
                    let executed = engine.execute(&task, &()).expect("runs");
                    let verified = engine.verify(&task, &executed, &()).expect("not cancelled");
                    assert_eq!(verified.verification.label(), "bit-exact", "{variant}, {host_memory}");
                }
                let reading = record(&mut engine, &task);
                let measured = reading.measured().expect("measured");
                let trip = &measured.round_trip;
                assert!(trip.upload.is_some() && trip.readback.is_some() && trip.total.count >= 3);
                assert_eq!(reading.label().ends_with(host_memory.name()), host_memory != HostMemory::Copy, "{}", reading.label());
            }
        }
    }

    #[test]
    fn what_is_made_ready_ahead_is_poisoned() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let right = task("coalesced", LocalSize::Driver);
        // Three runs, as each output stays with whoever asked for it until the next one.
        let mut executed = engine.execute(&right, &()).expect("runs");
        for _ in 0..2 {
            engine.make_ready();
            executed = engine.execute(&right, &()).expect("runs");
            let verified = engine.verify(&right, &executed, &()).expect("not cancelled");
            assert_eq!(verified.verification.label(), "bit-exact");
        }
        let source = executed.source.as_ref().expect("a kernel");
        let (head, _) = source.split_once("{\n    const int x = get_global_id").expect("the kernel's body");
        let idle = Task { text: KernelText::Edited(format!("{head}{{\n}}\n").into()), ..right.clone() };
        for _ in 0..2 {
            engine.make_ready();
            let executed = engine.execute(&idle, &()).expect("runs");
            let verified = engine.verify(&idle, &executed, &()).expect("not cancelled");
            assert!(!verified.verification.is_right(), "what was there before passes for what it did not compute");
            let executed = engine.execute(&right, &()).expect("runs");
            assert!(engine.verify(&right, &executed, &()).expect("not cancelled").verification.is_right());
        }
    }

    #[test]
    fn every_host_memory_goes_all_ways_and_only_what_is_copied_has_times_of_the_bus() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        for host_memory in host_memories() {
            let task = with_memory(&task("coalesced+padded", LocalSize::Driver), host_memory);
            let proof = engine.prove(&task, &()).expect("right");
            let frames = engine.frames(&proof, &()).expect("measured");
            assert!(frames.ways.iter().all(|of| of.why_not.is_some() || of.pairs.len() >= MIN_PAIRS), "{host_memory}");
            assert!(frames.ways.iter().any(|of| of.way == HostWay::Pinned && of.why_not.is_none()), "{host_memory}");
            assert!(frames.ways.iter().any(|of| of.way == HostWay::InBands && of.why_not.is_none()), "{host_memory}");
            assert!(frames.bands.is_some_and(|bands| bands >= 1), "{host_memory}");
            assert_eq!(frames.pinned_ns.is_some(), host_memory == HostMemory::Copy, "{host_memory}");
            // These devices compute in the host's memory.
            assert!(frames.stream.is_none(), "{host_memory}");
        }
    }

    #[test]
    fn a_comparison_takes_as_many_pairs_as_a_verdict_needs_over_an_odd_number_of_places() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let mut compared = |first: &str, second: &str| {
            let picture = task(first, LocalSize::Driver).picture;
            let of = |name: &str| Task { picture: picture.clone(), ..task(name, LocalSize::Driver) };
            let [first, second] = [first, second].map(|name| engine.prove(&of(name), &()).expect("right"));
            engine.compare(&first, &second, SHORT, &()).expect("not cancelled")
        };
        // Both read the tight picture: all of their memory is the same. A padded source is another one.
        for (second, places) in [("coalesced", Places::Shared), ("padded", Places::Own)] {
            let found = compared("naive", second);
            // Whatever the times are: a machine that does something else, too, may leave no ratio.
            assert!(found.pairs.len() >= MIN_PAIRS && found.pairs.iter().all(|pair| pair.first_ns > 0 && pair.second_ns > 0), "{found:?}");
            // The verdict, too, whatever else the machine did.
            assert_eq!((found.places, found.comparison), (places, compare(&found.pairs, places)));
            assert!(found.pairs.iter().all(|pair| pair.first_place != pair.second_place), "each run takes the next place");
        }
    }

    /// The interval decides though other programs keep every core busy, and a note says that they did.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_verdict_under_load_is_that_of_its_pairs_with_a_note() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let first = task("naive", LocalSize::Driver);
        let second = Task { picture: first.picture.clone(), ..task("coalesced", LocalSize::Driver) };
        let [first, second] = [first, second].map(|task| engine.prove(&task, &()).expect("right"));
        let load = crate::testing::load::Load::begin(2, 120);
        let budget = Budget { sample_ns: 300_000_000, ..SHORT };
        let found = engine.compare(&first, &second, Budget { max_samples: 500, ..budget }, &()).expect("not cancelled");
        drop(load);
        assert!(found.busy, "every core has two to serve");
        assert_eq!(found.comparison, compare(&found.pairs, found.places));
    }

    #[test]
    fn outputs_of_two_that_share_memory_stay_right() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let tasks = ["naive", "coalesced+padded+vectorize=4"].map(|name| task(name, LocalSize::Driver));
        let proofs = tasks.clone().map(|task| engine.prove(&task, &()).expect("right"));
        engine.compare(&proofs[0], &proofs[1], SHORT, &()).expect("not cancelled");
        for task in &tasks {
            assert!(engine.prove(task, &()).is_ok());
        }
    }

    #[test]
    fn a_record_says_what_the_compiler_made_once_that_was_looked_at() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let naive = task("naive", LocalSize::Explicit([16, 2]));
        let of = |variant: &str| {
            let Target::Device { index, local, host_memory, .. } = naive.target else { panic!("a task on a device") };
            Task { target: Target::Device { index, variant: Variant::parse(variant).expect("known"), local, host_memory }, ..naive.clone() }
        };
        assert!(record(&mut engine, &naive).measured().expect("measured").compiled.is_empty());
        let compiled = engine.compiled(&naive, &()).expect("runs");
        assert!(Arc::ptr_eq(&compiled, &engine.compiled(&naive, &()).expect("known")), "it is looked at once");
        let summary = record(&mut engine, &naive).measured().expect("measured").compiled.clone();
        assert_eq!(summary, compiled.summary());
        let [kernel] = compiled.kernels.as_slice() else { panic!("one kernel") };
        let device = engine.devices().expect("found")[0].clone();
        if crate::device::Quirk::CompilesPerLocalSize.is_of(&device) {
            assert_eq!(kernel.code.as_ref().expect("PoCL shows its code").code.group, Some([16, 2, 1]));
            assert!(summary[0].instructions().is_some_and(|count| count > 50), "{summary:?}");
        }
        // The sources of these two differ in comments alone, and their pictures lie differently.
        let [scalar, padded] = ["coalesced", "coalesced+padded"].map(|variant| engine.compiled(&of(variant), &()).expect("runs"));
        let comparison = scalar.compared_with(&padded);
        assert!(comparison.is_same_text && !comparison.is_same_launch && comparison.is_same_code(), "{comparison:?}");
        assert!(scalar.compared_with(&scalar).is_same_work());
        assert!(!compiled.compared_with(&scalar).is_same_text);
        let competitor = Task { target: Target::Cpu(CpuEngine::Simd), ..naive.clone() };
        assert!(engine.compiled(&competitor, &()).is_err());
    }

    #[test]
    fn added_work_changes_nothing_in_the_output() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let picture = task("naive", LocalSize::Driver).picture;
        for (filter, variant) in [
            ("copy", "coalesced+padded+access=int4"),
            ("laplace", "padded+vectorize=5"),
            ("luma", "coalesced+image"),
            // Two passes, with a buffer or an image object between them; work-items that walk whole rows.
            ("gaussian", "coalesced+separable"),
            ("gaussian", "coalesced+image+between+separable"),
            ("box", "separable+running"),
            ("bilateral", "coalesced+local"),
        ] {
            let filter = kernels::filters::by_name(filter).expect("a filter");
            let target = Target::Device {
                index: 0,
                variant: Variant::parse(variant).expect("known"),
                local: LocalSize::Driver,
                host_memory: HostMemory::Copy,
            };
            let spec = filter.spec(Channels::Rgb, filter.default_border);
            for (kind, per_pixel) in [(AddedKind::Bytes, 3), (AddedKind::Integer, 70), (AddedKind::Float, 3)] {
                let text = KernelText::Added(Added { kind, per_pixel, one_by_one: false });
                let task = Task { spec: spec.clone(), picture: picture.clone(), target, text };
                let proof = engine.prove(&task, &()).unwrap_or_else(|error| panic!("{task:?}: {error}"));
                let text = engine.execute(&task, &()).expect("runs").source.expect("a kernel");
                assert!(text.contains("added_zero"));
                assert!(engine.measure(&proof, SHORT, &()).is_err(), "a record does not tell what was added");
            }
        }
    }

    #[test]
    fn what_is_moved_for_an_experiment_changes_nothing_in_the_output() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let picture = task("naive", LocalSize::Driver).picture;
        let variant = |name: &str| Variant::parse(name).expect("known");
        let loads = |of: &str, places| Moved::Loads { of: variant(of), count: 20, places, stores: 0, is_done: true };
        let frame = |of: &str| Moved::Loads { of: variant(of), count: 20, places: Whose::Own, stores: 0, is_done: false };
        let stores = |of: &str, places| Moved::Loads { of: variant(of), count: 1, places, stores: 1, is_done: true };
        for (filter, own, moved) in [
            ("laplace", "padded+vectorize=5", loads("padded", Whose::Own)),
            ("laplace", "padded+vectorize=5", frame("padded")),
            ("laplace", "coalesced", loads("naive", Whose::Theirs)),
            ("laplace", "coalesced+padded+rows=3+access=int4", loads("naive", Whose::Own)),
            ("laplace", "naive", loads("coalesced+padded+rows=3+access=int4", Whose::Theirs)),
            ("gaussian", "coalesced+separable", loads("naive", Whose::Own)),
            ("sobel", "coalesced+image+rows=2", loads("coalesced+image", Whose::Own)),
            ("laplace", "coalesced", Moved::Tile { of: variant("coalesced+local"), part: TilePart::Filled }),
            ("sobel", "coalesced+padded", Moved::Tile { of: variant("coalesced+local"), part: TilePart::Barrier }),
            ("laplace", "coalesced", Moved::LocalBytes(4096)),
            ("gaussian", "coalesced+separable", Moved::LocalBytes(4096)),
            ("laplace", "naive", Moved::Surface(variant("padded"))),
            ("gaussian", "coalesced", Moved::Surface(variant("coalesced+padded"))),
            ("laplace", "padded+vectorize=5", Moved::Narrow { loads: 1, stores: 1, is_done: true }),
            ("laplace", "padded+vectorize=5", Moved::Narrow { loads: 4, stores: WHOLE, is_done: true }),
            ("laplace", "padded+vectorize=5", Moved::Narrow { loads: WHOLE, stores: 2, is_done: true }),
            ("laplace", "padded+vectorize=5", Moved::Narrow { loads: 1, stores: 1, is_done: false }),
            ("copy", "coalesced+padded+access=int4", Moved::Narrow { loads: 1, stores: 4, is_done: true }),
            ("add", "coalesced+padded+float+access=uchar4", Moved::Narrow { loads: 1, stores: 1, is_done: true }),
            ("add", "coalesced+padded+rows=4+access=uchar16", Moved::Narrow { loads: WHOLE, stores: 1, is_done: true }),
            ("add", "coalesced+padded+access=uchar8", Moved::Narrow { loads: 1, stores: 1, is_done: false }),
            ("add", "coalesced+float", stores("float", Whose::Theirs)),
            ("add", "coalesced+float", stores("coalesced+float", Whose::Own)),
            ("laplace", "coalesced+padded+vectorize=5", stores("padded", Whose::Theirs)),
            ("laplace", "padded+vectorize=5", Moved::Class { class: WorkClass::Sums16, count: 9, is_done: true }),
            ("laplace", "padded+vectorize=5", Moved::Class { class: WorkClass::Sums32, count: 9, is_done: true }),
            ("laplace", "coalesced", Moved::Apart { is_done: true }),
            ("gaussian", "coalesced+separable", Moved::Apart { is_done: false }),
            ("laplace", "coalesced", Moved::Uncontracted),
            ("laplace", "coalesced+padded+vectorize=5", Moved::Items(5)),
            ("laplace", "naive", Moved::Items(3)),
            ("gaussian", "coalesced+separable", Moved::Items(4)),
            ("sobel", "coalesced+image+rows=2", Moved::Items(2)),
            ("add", "coalesced+padded+rows=4+access=int4", Moved::Items(64)),
            ("laplace", "padded+vectorize=5", Moved::Class { class: WorkClass::Shuffles, count: 9, is_done: true }),
            ("laplace", "coalesced", Moved::Class { class: WorkClass::Divisions, count: 3, is_done: true }),
            ("laplace", "coalesced", Moved::Class { class: WorkClass::Conversions, count: 3, is_done: false }),
            ("laplace", "coalesced+image", Moved::Buffer),
            ("sobel", "coalesced+image", Moved::Buffer),
            ("laplace", "coalesced+local", Moved::Mapping),
            ("gaussian", "separable", Moved::Mapping),
            ("sobel", "naive", Moved::Mapping),
        ] {
            let filter = kernels::filters::by_name(filter).expect("a filter");
            let target = Target::Device { index: 0, variant: variant(own), local: LocalSize::Driver, host_memory: HostMemory::Copy };
            // Add owns bytes, which are whole pixels where these are gray.
            let is_rgb = filter.channels.contains(&Channels::Rgb) && filter.name() != "add";
            let channels = if is_rgb { Channels::Rgb } else { Channels::Gray };
            let spec = filter.spec(channels, filter.default_border);
            let task = Task { spec, picture: picture.clone(), target, text: KernelText::Moved(moved) };
            engine.prove(&task, &()).unwrap_or_else(|error| panic!("{own} {moved:?}: {error}"));
        }
    }

    #[test]
    fn what_cannot_be_measured_is_a_row_with_its_reason() {
        let mut engine = Engine::with_cache(CacheSettings::off());
        let too_large = task("naive", LocalSize::Explicit([100_000, 1]));
        let not_allowed = task("padded+vectorize=5", LocalSize::Driver);
        let not_allowed = Task { spec: Spec { channels: Channels::Gray, ..not_allowed.spec.clone() }, ..not_allowed };
        for (task, part) in [(too_large, "100000"), (not_allowed, "gray")] {
            match record(&mut engine, &task).outcome {
                Outcome::Unsupported(reason) => assert!(reason.english().contains(part), "{reason}"),
                outcome => panic!("{outcome:?}"),
            }
        }
    }
}
