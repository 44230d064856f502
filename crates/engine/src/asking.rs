//! What an engine is asked and what it answers: the same values here, in another process and on another machine.

use super::types::other_answer;
use super::{
    Compared, Executed, PictureRef, ProjectQuestion, ProjectReply, ProjectRequest, Proof, Proven, Scanned, Simulated, Task, Verified,
    wrong_output,
};
use crate::compiled::Compiled;
use crate::device::{DeviceInfo, NoDevice, objects_created};
use crate::replay::Recording;
use base::error::{Error, Result};
use base::texts::{failed, spoken, text};
use kernels::project::Problem;
use model::measure::{Frames, Progress, Split};
use model::{Budget, EventCounts, Record, Roofs, Verification};
use pictures::Picture;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Why nothing is simulated: oclgrind is no package of this system, or is not installed.
pub const NO_SIMULATOR: &str = if cfg!(target_os = "linux") { "errors.trial.no-simulator" } else { "errors.trial.no-simulator-here" };

/// How long a process may be silent that fills the buffers of a project.
const LAYING: Duration = Duration::from_mins(1);

/// What an engine is asked. `P` is a picture, or what stands for it on the way to another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request<P = PictureRef> {
    /// Which devices are there, on this machine and, once they have answered, on these? Tasks refer to the list returned last.
    Rescan(Vec<String>),
    /// Which devices do machines have that have answered since this was asked last? They are listed behind those that are known.
    Arrived,
    /// What has the last rescan met besides devices, up to now?
    Scanned,
    /// Copy this program to those of the other machines, and ask them then.
    CopyTo(Vec<String>),
    /// How many bytes went to the machine of this device and came from it, where it is another one? They are in none of the times.
    Carried(usize),
    /// Run it once. What cannot be ended in the middle of a run is not by its progress either.
    Execute(Task<P>),
    /// Is that what it should bring?
    Verify(Task<P>, P),
    /// What should it bring?
    Reference(Task<P>),
    /// It should bring that, as another process of this machine has found: its reference need not be computed here.
    Expect(Task<P>, P),
    /// Run it once: is the output right? Nobody looks at the picture.
    Prove(Task<P>),
    /// Warm up and sample.
    Measure(Proof<P>, Budget),
    /// The median kernel time after a few runs: enough to guide a search.
    Glance(Proof<P>),
    /// Run it several times, and count what the processor and the system do meanwhile.
    CountEvents(Proof<P>),
    /// Bring one picture after the other through it, in each way in which host programs do.
    Frames(Proof<P>),
    /// Share its picture between the CPU and the device, in several ways.
    Split(Proof<P>),
    /// Run it once, and record what it takes to repeat that through CUDA.
    RecordRun(Proof<P>),
    /// The row of a task that could not be measured, for this reason.
    Refused(Task<P>, Error),
    /// Run both in interleaved pairs, in as many processes as the budget says where there are processes.
    Compare(Box<[Proof<P>; 2]>, Budget),
    /// The same in the process that answers, whose share of a comparison the budget is.
    CompareHere(Box<[Proof<P>; 2]>, Budget),
    /// What did the driver's compiler make of its kernels? Where it compiles for each local size, the task is run once if it was not yet.
    Compiled(Task<P>),
    /// The same with the line of the source that each instruction was made of, where the driver tells that: its kernels are built once more for it.
    Lines(Task<P>),
    /// Look at that, so that records and comparisons to come tell of it; the code itself is not wanted.
    NoteCode(Task<P>),
    /// Run it in a simulator that checks every access of its kernels.
    Simulate(Task<P>),
    /// What can the device do at most, where this or an earlier session has measured it with the same driver?
    KnownRoofs(usize),
    /// Measure that, and keep it for later sessions, unless other work disturbed it and what is known was measured on a quiet machine.
    MeasureRoofs(usize),
    /// Something about a project: a person's own kernels over buffers of their own.
    Project(Box<ProjectRequest>),
    /// Do a piece of work that nobody waits for, such as saving a built program.
    Tidy,
    /// How many OpenCL objects were created so far? For whoever counts what a run costs.
    ObjectsCreated,
}

impl<P> Request<P> {
    /// The tasks that it is about.
    pub fn tasks_mut(&mut self) -> Vec<&mut Task<P>> {
        match self {
            Self::Execute(task)
            | Self::Verify(task, _)
            | Self::Reference(task)
            | Self::Expect(task, _)
            | Self::Prove(task)
            | Self::Refused(task, _)
            | Self::Compiled(task)
            | Self::Lines(task)
            | Self::NoteCode(task)
            | Self::Simulate(task) => vec![task],
            Self::Measure(proof, _)
            | Self::Glance(proof)
            | Self::CountEvents(proof)
            | Self::Frames(proof)
            | Self::Split(proof)
            | Self::RecordRun(proof) => {
                vec![proof.task_mut()]
            }
            Self::Compare(pair, _) | Self::CompareHere(pair, _) => pair.iter_mut().map(Proof::task_mut).collect(),
            _ => Vec::new(),
        }
    }

    /// The numbers of the devices that it is about; `None` stands for a CPU competitor.
    pub fn devices_mut(&mut self) -> Vec<Option<&mut usize>> {
        match self {
            Self::Carried(device) | Self::KnownRoofs(device) | Self::MeasureRoofs(device) => vec![Some(device)],
            Self::Project(asked) => vec![Some(&mut asked.device)],
            request => request.tasks_mut().into_iter().map(|task| task.target.device_mut()).collect(),
        }
    }

    /// The same with another form of its pictures.
    ///
    /// # Errors
    /// Those of `change`; a proof that proves a wrong output.
    pub fn try_map<Q>(self, change: &mut impl FnMut(P) -> Result<Q>) -> Result<Request<Q>> {
        let pair = |pair: Box<[Proof<P>; 2]>, change: &mut _| -> Result<Box<[Proof<Q>; 2]>> {
            let [first, second] = *pair;
            Ok(Box::new([first.try_map(change)?, second.try_map(change)?]))
        };
        Ok(match self {
            Self::Rescan(hosts) => Request::Rescan(hosts),
            Self::Arrived => Request::Arrived,
            Self::Scanned => Request::Scanned,
            Self::CopyTo(hosts) => Request::CopyTo(hosts),
            Self::Carried(device) => Request::Carried(device),
            Self::Execute(task) => Request::Execute(task.try_map(change)?),
            Self::Verify(task, output) => Request::Verify(task.try_map(change)?, change(output)?),
            Self::Reference(task) => Request::Reference(task.try_map(change)?),
            Self::Expect(task, reference) => Request::Expect(task.try_map(change)?, change(reference)?),
            Self::Prove(task) => Request::Prove(task.try_map(change)?),
            Self::Measure(proof, budget) => Request::Measure(proof.try_map(change)?, budget),
            Self::Glance(proof) => Request::Glance(proof.try_map(change)?),
            Self::CountEvents(proof) => Request::CountEvents(proof.try_map(change)?),
            Self::Frames(proof) => Request::Frames(proof.try_map(change)?),
            Self::Split(proof) => Request::Split(proof.try_map(change)?),
            Self::RecordRun(proof) => Request::RecordRun(proof.try_map(change)?),
            Self::Refused(task, why) => Request::Refused(task.try_map(change)?, why),
            Self::Compare(both, budget) => Request::Compare(pair(both, change)?, budget),
            Self::CompareHere(both, budget) => Request::CompareHere(pair(both, change)?, budget),
            Self::Compiled(task) => Request::Compiled(task.try_map(change)?),
            Self::Lines(task) => Request::Lines(task.try_map(change)?),
            Self::NoteCode(task) => Request::NoteCode(task.try_map(change)?),
            Self::Simulate(task) => Request::Simulate(task.try_map(change)?),
            Self::KnownRoofs(device) => Request::KnownRoofs(device),
            Self::MeasureRoofs(device) => Request::MeasureRoofs(device),
            Self::Project(asked) => Request::Project(asked),
            Self::Tidy => Request::Tidy,
            Self::ObjectsCreated => Request::ObjectsCreated,
        })
    }

    /// What a backend answers that has no other machines, no code and no roofs.
    ///
    /// # Errors
    /// There is no such answer.
    pub fn plain_reply<O>(&self) -> Result<Reply<O>> {
        match self {
            Self::Arrived => Ok(Reply::Devices(Ok(Vec::new()), Scanned::default())),
            Self::Scanned | Self::CopyTo(_) => Ok(Reply::Scanned(Scanned::default())),
            Self::Carried(_) => Ok(Reply::Carried(None)),
            Self::KnownRoofs(_) => Ok(Reply::Roofs(None)),
            Self::Tidy => Ok(Reply::Tidied(false)),
            Self::ObjectsCreated => Ok(Reply::Objects(objects_created())),
            Self::Simulate(_) => Err(failed(NO_SIMULATOR, &[])),
            Self::Compiled(_) | Self::NoteCode(_) => Err(failed("errors.engine.nothing-compiled", &[])),
            Self::Project(_) => Err(failed("errors.project.no-device", &[])),
            Self::MeasureRoofs(_) => Err(failed("errors.engine.no-roofs", &[])),
            _ => Err(other_answer()),
        }
    }
}

/// What an engine answers. `O` is a picture that it made, or what stands for it on the way to another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply<O = Arc<Picture>> {
    /// The devices, or why there is none, each case with its own remedy; and what was met besides.
    Devices(std::result::Result<Vec<DeviceInfo>, NoDevice>, Scanned),
    /// That alone.
    Scanned(Scanned),
    /// Bytes sent and received; `None` where nothing is sent.
    Carried(Option<(u64, u64)>),
    /// The run.
    Executed(Box<Executed<O>>),
    /// The check, and what the output should be.
    Verified(Verification, O),
    /// What the output should be.
    Reference(O),
    /// It is kept.
    Expected,
    /// What is proven.
    Proven(Proven),
    /// The row.
    Record(Box<Record>),
    /// In nanoseconds.
    Glanced(f64),
    /// What was counted.
    Counted(Box<EventCounts>),
    /// How long each way took.
    Frames(Box<Frames>),
    /// Each way to share a picture.
    Split(Box<Split>),
    /// What was recorded.
    Recorded(Box<Recording>),
    /// How they compare.
    Compared(Box<Compared>),
    /// The code. Where that of a kernel could not be had, it says why.
    Compiled(Arc<Compiled>),
    /// It was looked at.
    CodeNoted,
    /// What the simulator found.
    Simulated(Simulated),
    /// The roofs, where they are known.
    Roofs(Option<Arc<Roofs>>),
    /// What is answered about a project.
    Project(Box<ProjectReply>),
    /// Whether there is more of it.
    Tidied(bool),
    /// So many.
    Objects(u64),
}

impl<O> Reply<O> {
    /// The same with another form of its picture.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn try_map<Q>(self, change: impl FnOnce(O) -> Result<Q>) -> Result<Reply<Q>> {
        Ok(match self {
            Self::Devices(found, scanned) => Reply::Devices(found, scanned),
            Self::Scanned(scanned) => Reply::Scanned(scanned),
            Self::Carried(bytes) => Reply::Carried(bytes),
            Self::Executed(run) => Reply::Executed(Box::new(run.try_map(change)?)),
            Self::Verified(verification, reference) => Reply::Verified(verification, change(reference)?),
            Self::Reference(reference) => Reply::Reference(change(reference)?),
            Self::Expected => Reply::Expected,
            Self::Proven(proven) => Reply::Proven(proven),
            Self::Record(record) => Reply::Record(record),
            Self::Glanced(time_ns) => Reply::Glanced(time_ns),
            Self::Counted(counts) => Reply::Counted(counts),
            Self::Frames(frames) => Reply::Frames(frames),
            Self::Split(split) => Reply::Split(split),
            Self::Recorded(recording) => Reply::Recorded(recording),
            Self::Compared(compared) => Reply::Compared(compared),
            Self::Compiled(compiled) => Reply::Compiled(compiled),
            Self::CodeNoted => Reply::CodeNoted,
            Self::Simulated(simulated) => Reply::Simulated(simulated),
            Self::Roofs(roofs) => Reply::Roofs(roofs),
            Self::Project(reply) => Reply::Project(reply),
            Self::Tidied(has_more) => Reply::Tidied(has_more),
            Self::Objects(count) => Reply::Objects(count),
        })
    }

    /// What is shown of it at once, in the language that is spoken here; what is kept of it has its keys.
    #[must_use]
    pub fn heard(self) -> Self {
        match self {
            Self::Devices(found, scanned) => {
                let problems = scanned.problems.iter().map(|text| spoken(text)).collect();
                Self::Devices(found.map_err(NoDevice::heard), Scanned { problems, ..scanned })
            }
            Self::Compiled(compiled) => Self::Compiled(Arc::new(Arc::unwrap_or_clone(compiled).heard())),
            other => other,
        }
    }
}

/// The value of a reply of this form; another one is a defect, or another machine's doing.
macro_rules! expect {
    ($reply:expr, $form:pat => $value:expr) => {
        match $reply {
            Ok($form) => Ok($value),
            Ok(_) => Err(other_answer()),
            Err(error) => Err(error),
        }
    };
}

/// Whoever answers requests: an [`Engine`](super::Engine), one in a process of its own, several on as many machines, or one that tests have made up.
///
/// A run goes through three hands, each of which needs what the one before gave: a [`Task`] is executed, the output is verified against the plain
/// reference, and only the [`Proof`] of a right output is measured or compared. All methods but the first are that one, with the reply's value.
pub trait Backend {
    /// Answers.
    ///
    /// # Errors
    /// Cancelled; whatever kept it from answering, which each [`Request`] has its own of.
    fn ask(&mut self, request: Request, progress: &dyn Progress) -> Result<Reply>;

    /// See [`Request::Rescan`], on this machine alone.
    ///
    /// # Errors
    /// Why there is no device.
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        self.rescan_with(&[])
    }

    /// See [`Request::Rescan`].
    ///
    /// # Errors
    /// Why there is no device on this machine.
    fn rescan_with(&mut self, hosts: &[String]) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        expect!(self.ask(Request::Rescan(hosts.to_vec()), &()), Reply::Devices(found, _) => found)
            .unwrap_or_else(|error| Err(NoDevice::Unreachable(Box::new(error))))
    }

    /// See [`Request::Arrived`].
    fn arrived(&mut self) -> Vec<DeviceInfo> {
        expect!(self.ask(Request::Arrived, &()), Reply::Devices(Ok(devices), _) => devices).unwrap_or_default()
    }

    /// See [`Request::CopyTo`]; what was met then.
    fn copy_to(&mut self, hosts: &[String]) -> Scanned {
        expect!(self.ask(Request::CopyTo(hosts.to_vec()), &()), Reply::Scanned(scanned) => scanned).unwrap_or_default()
    }

    /// See [`Request::Scanned`].
    fn scanned(&mut self) -> Scanned {
        expect!(self.ask(Request::Scanned, &()), Reply::Scanned(scanned) => scanned).unwrap_or_default()
    }

    /// See [`Request::Carried`].
    fn carried(&mut self, device: usize) -> Option<(u64, u64)> {
        expect!(self.ask(Request::Carried(device), &()), Reply::Carried(bytes) => bytes).ok().flatten()
    }

    /// See [`Request::Execute`].
    ///
    /// # Errors
    /// Whatever kept it from running; cancelled.
    fn execute(&mut self, task: &Task, progress: &dyn Progress) -> Result<Executed> {
        expect!(self.ask(Request::Execute(task.clone()), progress), Reply::Executed(run) => *run)
    }

    /// Compares what a run of `task` brought with the plain reference.
    ///
    /// # Errors
    /// Cancelled, or the task itself is wrong.
    fn verify(&mut self, task: &Task, executed: &Executed, progress: &dyn Progress) -> Result<Verified> {
        let request = Request::Verify(task.clone(), PictureRef::new(Arc::clone(&executed.output)));
        let (verification, reference) = expect!(
            self.ask(request, progress), Reply::Verified(verification, reference) => (verification, reference))?;
        let proof = Proven::new(executed, verification).of_task(task.clone()).ok();
        Ok(Verified { verification, reference, proof })
    }

    /// Runs once and verifies: the way to a proof for those who do not look at the picture.
    ///
    /// # Errors
    /// It does not run, or its output is wrong; cancelled.
    fn prove(&mut self, task: &Task, progress: &dyn Progress) -> Result<Proof> {
        expect!(self.ask(Request::Prove(task.clone()), progress), Reply::Proven(proven) => proven)?.of_task(task.clone())
    }

    /// See [`Request::Measure`].
    ///
    /// # Errors
    /// Cancelled, or the driver's refusal.
    fn measure(&mut self, proof: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Record> {
        expect!(self.ask(Request::Measure(proof.clone(), budget), progress), Reply::Record(record) => *record)
    }

    /// See [`Request::RecordRun`].
    ///
    /// # Errors
    /// See [`Recording`].
    fn record_run(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<Recording> {
        expect!(self.ask(Request::RecordRun(proof.clone()), progress), Reply::Recorded(recording) => *recording)
    }

    /// See [`Request::CountEvents`].
    ///
    /// # Errors
    /// Cancelled, the device is no processor, counters cannot be switched, or the driver's refusal. An event that is not counted is no error.
    fn count_events(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<EventCounts> {
        expect!(self.ask(Request::CountEvents(proof.clone()), progress), Reply::Counted(counts) => *counts)
    }

    /// See [`Request::Frames`].
    ///
    /// # Errors
    /// Cancelled, the picture lies in an image object or is too large for the device at once, or the driver's refusal. A way that the device cannot go is no error.
    fn frames(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<Frames> {
        expect!(self.ask(Request::Frames(proof.clone()), progress), Reply::Frames(frames) => *frames)
    }

    /// See [`Request::Split`].
    ///
    /// # Errors
    /// Cancelled, the filter needs the whole picture or has no CPU implementation, or the driver's refusal.
    fn split(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<Split> {
        expect!(self.ask(Request::Split(proof.clone()), progress), Reply::Split(split) => *split)
    }

    /// See [`Request::Glance`]; in nanoseconds.
    ///
    /// # Errors
    /// As [`Backend::measure`].
    fn glance(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<f64> {
        expect!(self.ask(Request::Glance(proof.clone()), progress), Reply::Glanced(time_ns) => time_ns)
    }

    /// What was measured of `task`, or the row that says why it could not be.
    ///
    /// # Errors
    /// Only cancellation.
    fn row(&mut self, task: &Task, record: Result<Record>) -> Result<Record> {
        match record {
            Err(error) if !error.is_cancelled() => {
                expect!(self.ask(Request::Refused(task.clone(), error), &()), Reply::Record(record) => *record)
            }
            record => record,
        }
    }

    /// See [`Request::Compare`].
    ///
    /// # Errors
    /// Cancelled, or whatever keeps the two from being compared.
    fn compare(&mut self, first: &Proof, second: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        let pair = Box::new([first.clone(), second.clone()]);
        expect!(self.ask(Request::Compare(pair, budget), progress), Reply::Compared(compared) => *compared)
    }

    /// See [`Request::CompareHere`].
    ///
    /// # Errors
    /// As [`Backend::compare`].
    fn compare_here(&mut self, first: &Proof, second: &Proof, share: Budget, progress: &dyn Progress) -> Result<Compared> {
        let pair = Box::new([first.clone(), second.clone()]);
        expect!(self.ask(Request::CompareHere(pair, share), progress), Reply::Compared(compared) => *compared)
    }

    /// See [`Request::Compiled`].
    ///
    /// # Errors
    /// The task does not build or run, or there is nothing compiled in it. Code that could not be had is no error: its kernel says why.
    fn compiled(&mut self, task: &Task, progress: &dyn Progress) -> Result<Arc<Compiled>> {
        expect!(self.ask(Request::Compiled(task.clone()), progress), Reply::Compiled(compiled) => compiled)
    }

    /// See [`Request::Lines`].
    ///
    /// # Errors
    /// As [`Backend::compiled`]. Lines that could not be had are no error.
    fn lines(&mut self, task: &Task, progress: &dyn Progress) -> Result<Arc<Compiled>> {
        expect!(self.ask(Request::Lines(task.clone()), progress), Reply::Compiled(compiled) => compiled)
    }

    /// See [`Request::NoteCode`].
    ///
    /// # Errors
    /// As [`Backend::compiled`].
    fn note_code(&mut self, task: &Task, progress: &dyn Progress) -> Result<()> {
        expect!(self.ask(Request::NoteCode(task.clone()), progress), Reply::CodeNoted => ())
    }

    /// See [`Request::Simulate`].
    ///
    /// # Errors
    /// There is no simulator, or it cannot run the task; cancelled.
    fn simulate(&mut self, task: &Task, progress: &dyn Progress) -> Result<Simulated> {
        expect!(self.ask(Request::Simulate(task.clone()), progress), Reply::Simulated(simulated) => simulated)
    }

    /// See [`Request::KnownRoofs`].
    fn known_roofs(&mut self, device: usize, progress: &dyn Progress) -> Option<Arc<Roofs>> {
        expect!(self.ask(Request::KnownRoofs(device), progress), Reply::Roofs(roofs) => roofs).ok().flatten()
    }

    /// See [`Request::MeasureRoofs`], which takes less than a minute.
    ///
    /// # Errors
    /// Cancelled, or the device cannot be opened or has too little memory.
    fn measure_roofs(&mut self, device: usize, progress: &dyn Progress) -> Result<Arc<Roofs>> {
        expect!(self.ask(Request::MeasureRoofs(device), progress), Reply::Roofs(Some(roofs)) => roofs)
    }

    /// Asks about a project, and lays its buffers first where they are not there: a process that ended over a kernel has none.
    ///
    /// # Errors
    /// See [`ProjectQuestion`]; cancelled.
    fn project(&mut self, problem: &Arc<Problem>, request: ProjectRequest, progress: &dyn Progress) -> Result<ProjectReply> {
        let mut ask = |request| expect!(self.ask(Request::Project(Box::new(request)), progress), Reply::Project(reply) => *reply);
        let reply = ask(request.clone())?;
        if !matches!(reply, ProjectReply::NotLaid) {
            return Ok(reply);
        }
        // Filling takes as long as the memory is large; nothing of the project runs yet.
        let patience = request.patience.max(LAYING);
        ask(ProjectRequest { what: ProjectQuestion::Lay(Arc::clone(problem)), patience, ..request.clone() })?;
        ask(request)
    }

    /// See [`Request::Tidy`]. True while there is more of it.
    fn tidy(&mut self) -> bool {
        expect!(self.ask(Request::Tidy, &()), Reply::Tidied(has_more) => has_more).unwrap_or_default()
    }

    /// See [`Request::ObjectsCreated`]; none where that cannot be known.
    fn objects_created(&mut self) -> u64 {
        expect!(self.ask(Request::ObjectsCreated, &()), Reply::Objects(count) => count).unwrap_or_default()
    }
}

/// The reply to [`Request::Prove`] of a backend to which it is a run and its check.
///
/// # Errors
/// As [`Backend::prove`].
pub fn run_and_check<B: Backend + ?Sized>(backend: &mut B, task: &Task, progress: &dyn Progress) -> Result<Reply> {
    progress.report(0, 3, text("progress.verifying"));
    let executed = backend.execute(task, progress)?;
    let verified = backend.verify(task, &executed, progress)?;
    if verified.proof.is_none() {
        return Err(wrong_output(&verified.verification));
    }
    Ok(Reply::Proven(Proven::new(&executed, verified.verification)))
}
