//! One named thread that owns the engine. The newest request wins; long jobs report progress and can be cancelled.

mod look;
mod search;

pub use look::{Listing, Look, Looked, LookedKernel, SourceLine};
pub use search::{ProjectJob, ProjectNews, ProjectWish, Steer, Told};

use base::error::{Error, Result};
use base::texts::{Words, failed, text};
use engine::device::{DeviceInfo, NoDevice};
use engine::remote::Wake;
use engine::{Backend, Executed, Scanned, Target, Task, Verified, wrong_output};
use model::measure::Progress;
use model::{Budget, Roofs};
use search::Projects;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use study::experiment::Tested;
use study::trial::{Tried, simulate_edited, try_edited};
use study::why;
use study::{Finding, Run, Study};
use view::story::Story;

/// How long nothing is asked before the backend may tidy up: a person who goes through stages does not wait for it.
const REST: Duration = Duration::from_secs(1);

/// One picture to show: run, verify, then measure shortly.
#[derive(Clone, Debug)]
pub struct Show {
    /// Comes back with every update that answers it.
    pub id: u64,
    /// What to run.
    pub task: Task,
    /// Sampling after the picture is there; `None` shows the picture alone.
    pub budget: Option<Budget>,
}

/// A kernel that a person edits, to be tried against its variant's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Comes back with every update that answers it.
    pub id: u64,
    /// What to run, with the edited text.
    pub task: Task,
    /// By what.
    pub means: Means,
}

/// How a kernel is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Built, run, checked, and compared with its variant's own by samples for so long.
    Device(Budget),
    /// Run in a simulator that checks every access.
    Simulator,
}

/// A study to run; each finding is delivered as soon as it is there.
pub struct Bench {
    /// Comes back with every row.
    pub id: u64,
    /// What to find out.
    pub study: Box<dyn Study>,
    /// Sampling for each probe.
    pub budget: Budget,
}

impl std::fmt::Debug for Bench {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Bench {}, {} probes", self.id, self.study.total())
    }
}

/// What the worker says. Everything picture-sized is behind an `Arc`.
#[derive(Debug)]
pub enum Update {
    /// The answer to a rescan, and the first thing said after start.
    Devices(std::result::Result<Vec<DeviceInfo>, NoDevice>),
    /// What the rescan has met besides so far.
    Scanned(Scanned),
    /// Another machine has answered: its devices, behind those that are known.
    MoreDevices(Vec<DeviceInfo>),
    /// What went to the machine of this device and came from it so far, where it is another one.
    Carried {
        /// Its [`DeviceInfo::index`].
        device: usize,
        /// Bytes sent.
        sent: u64,
        /// Bytes received.
        received: u64,
    },
    /// The picture is there; its check follows.
    Rendered {
        /// Of the show.
        id: u64,
        /// What ran.
        executed: Box<Executed>,
    },
    /// The check of the picture of the same id.
    Verified {
        /// Of the show.
        id: u64,
        /// How far from the reference, and the reference itself.
        verified: Box<Verified>,
    },
    /// The row of the show of this id, or what a probe of the bench of it brought.
    Found(u64, Finding),
    /// What follows from a study so far.
    Told {
        /// Of the bench.
        id: u64,
        /// What follows.
        story: Box<Story>,
    },
    /// What an experiment that has come to its end says.
    Tested {
        /// Of the bench.
        id: u64,
        /// What it says, or why it cannot be made.
        tested: Box<std::result::Result<Tested, Words>>,
    },
    /// What a device can do at most, as whoever measured it before found; told again with every reading on that device.
    Roofs(Arc<Roofs>),
    /// What a compiler made of a variant.
    Compiled(Arc<Looked>),
    /// What came of an edited kernel so far; once more when it was compared.
    Tried {
        /// Of the trial.
        id: u64,
        /// Up to the first fault.
        tried: Box<Tried>,
    },
    /// News of a project.
    Project {
        /// Of the job.
        id: u64,
        /// What.
        news: ProjectNews,
    },
    /// How far the current show or bench is.
    Progress {
        /// Of the show or bench.
        id: u64,
        /// Steps done.
        done: usize,
        /// Of so many.
        total: usize,
        /// What is going on.
        text: String,
    },
    /// A show or a bench is over: done, failed, replaced by a newer one or cancelled.
    Finished {
        /// Of the show or bench.
        id: u64,
        /// How it ended.
        result: Result<()>,
    },
    /// The engine panicked and a new one was started; `Devices` follows.
    Restarted(Error),
}

/// Where updates go. Called on the worker's thread: hand over, then wake the window.
pub type Deliver = Box<dyn Fn(Update) + Send + Sync>;

/// Makes a backend on the worker's thread, so that OpenCL objects live and die there. It may wake the worker: then it is asked who has arrived.
pub type MakeBackend = Box<dyn Fn(&Wake) -> Box<dyn Backend> + Send>;

/// The handle of the worker's thread. Dropping it cancels what runs and ends the thread.
pub struct Runner {
    shared: Arc<Shared>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// The mailbox: one slot each for the newest show and the newest look, a queue of benches, and flags.
struct Shared {
    mailbox: Mutex<Mailbox>,
    wake: Condvar,
}

#[derive(Default)]
struct Mailbox {
    show: Option<Show>,
    look: Option<Look>,
    trial: Option<Trial>,
    projects: VecDeque<ProjectJob>,
    /// Of the search through a project's configurations.
    steer: Steer,
    benches: VecDeque<Bench>,
    /// On this machine and on those.
    rescan: Option<Vec<String>>,
    copy_to: Vec<String>,
    has_arrived: bool,
    quit: bool,
    /// Set while a bench or the measuring part of a show is to end.
    cancel: bool,
}

impl Mailbox {
    fn has_show(&self) -> bool {
        self.show.is_some() || self.rescan.is_some()
    }
}

impl Runner {
    /// Starts the thread. It looks for devices at once, on this machine and on `hosts`, and delivers [`Update::Devices`].
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(make_backend: MakeBackend, hosts: Vec<String>, deliver: Deliver) -> Result<Self> {
        let mailbox = Mutex::new(Mailbox { rescan: Some(hosts), ..Mailbox::default() });
        let shared = Arc::new(Shared { mailbox, wake: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("engine".to_owned())
            .spawn(move || serve(&theirs, &make_backend, &deliver))
            .map_err(|error| failed("errors.engine.not-started", &[("why", &error)]))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Shows this as soon as possible. A show that has not begun is dropped, one that is being measured is cut short.
    pub fn show(&self, show: Show) {
        self.post(|mailbox| mailbox.show = Some(show));
    }

    /// Looks at compiled code once no show waits, between the rows of benches. A look that has not begun is dropped.
    pub fn look(&self, look: Look) {
        self.post(|mailbox| mailbox.look = Some(look));
    }

    /// Tries this once no show waits, between the rows of benches. A trial that has not begun is dropped, one that has is cut short.
    pub fn try_edited(&self, trial: Trial) {
        self.post(|mailbox| mailbox.trial = Some(trial));
    }

    /// Asks this about a project once no show waits, between the rows of benches, after what was asked about projects before. A search goes on after all benches.
    pub fn project(&self, job: ProjectJob) {
        self.post(|mailbox| {
            if matches!(job.wish, ProjectWish::Search(_)) {
                mailbox.steer = Steer::Continue;
            }
            mailbox.projects.push_back(job);
        });
    }

    /// Steers the search through a project's configurations.
    pub fn steer(&self, steer: Steer) {
        // One that is to end does not go on.
        self.post(|mailbox| mailbox.steer = if mailbox.steer == Steer::Finish { Steer::Finish } else { steer });
    }

    /// Measures these after all benches before it. Shows go between its rows.
    pub fn bench(&self, bench: Bench) {
        self.post(|mailbox| mailbox.benches.push_back(bench));
    }

    /// Looks for devices anew, on this machine and on `hosts`.
    pub fn rescan(&self, hosts: Vec<String>) {
        self.post(|mailbox| mailbox.rescan = Some(hosts));
    }

    /// Copies this program to those machines, and looks for their devices then.
    pub fn copy_to(&self, hosts: Vec<String>) {
        self.post(|mailbox| mailbox.copy_to.extend(hosts));
    }

    /// Ends all benches and whatever is being measured. Rows that were delivered stay.
    pub fn cancel(&self) {
        self.post(|mailbox| mailbox.cancel = true);
    }

    fn post(&self, change: impl FnOnce(&mut Mailbox)) {
        change(&mut self.shared.lock());
        self.shared.wake.notify_one();
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.post(|mailbox| {
            mailbox.quit = true;
            mailbox.cancel = true;
        });
        if let Some(thread) = self.thread.take() {
            // A panic was reported by the thread itself; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// A poisoned mailbox is still a mailbox: it holds whole requests only.
    fn lock(&self) -> MutexGuard<'_, Mailbox> {
        self.mailbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a job on the worker sees of the mailbox and tells the window.
struct Watch<'a> {
    shared: &'a Shared,
    deliver: &'a Deliver,
    id: u64,
    /// What it gives way to: a show to a newer show, a trial to a newer trial as well. A bench row is measured to its end first.
    gives_way: fn(&Mailbox) -> bool,
    /// Rows of the bench that are done, and all of them or 0 where that is not known; (0, 0) for a show.
    rows: (usize, usize),
}

impl Progress for Watch<'_> {
    fn is_cancelled(&self) -> bool {
        let mailbox = self.shared.lock();
        mailbox.cancel || mailbox.quit || (self.gives_way)(&mailbox)
    }

    fn report(&self, done: usize, total: usize, text: &str) {
        // Of one row alone its own steps are told.
        let (done, total) = if self.rows.1 <= 1 { (done, total) } else { self.rows };
        (self.deliver)(Update::Progress { id: self.id, done, total, text: text.to_owned() });
    }
}

/// The same for what is asked beside, of which nobody is told how far it is.
struct Quiet<'a> {
    shared: &'a Shared,
    gives_way: fn(&Mailbox) -> bool,
}

impl Progress for Quiet<'_> {
    fn is_cancelled(&self) -> bool {
        let mailbox = self.shared.lock();
        mailbox.quit || (self.gives_way)(&mailbox)
    }

    fn report(&self, _done: usize, _total: usize, _text: &str) {}
}

enum Job {
    Quit,
    Rescan(Vec<String>),
    CopyTo(Vec<String>),
    /// Other machines have answered.
    Arrived,
    Show(Box<Show>),
    Look(Box<Look>),
    Trial(Box<Trial>),
    Project(Box<ProjectJob>),
    /// The next configuration of a search, or its end where that is wished.
    Search(bool),
    /// The next probe of the bench in front. What it is, is asked without the mailbox: a study may have to make a picture for it.
    Step,
    Cancelled(Vec<u64>),
    Tidy,
}

/// The benches that have begun.
type Running = VecDeque<(u64, Run)>;

/// Waits for something to do; with `may_tidy`, a rest is something to do, too.
fn next_job(shared: &Shared, running: &mut Running, projects: &mut Projects, may_tidy: bool) -> Job {
    let mut mailbox = shared.lock();
    loop {
        running.extend(mailbox.benches.drain(..).map(|bench| (bench.id, Run::new(bench.study, bench.budget))));
        if mailbox.quit {
            return Job::Quit;
        }
        if std::mem::take(&mut mailbox.cancel) && (!running.is_empty() || projects.is_searching()) {
            return Job::Cancelled(running.drain(..).map(|(id, _)| id).chain(projects.end()).collect());
        }
        if let Some(hosts) = mailbox.rescan.take() {
            return Job::Rescan(hosts);
        }
        if !mailbox.copy_to.is_empty() {
            return Job::CopyTo(std::mem::take(&mut mailbox.copy_to));
        }
        if let Some(show) = mailbox.show.take() {
            return Job::Show(Box::new(show));
        }
        if std::mem::take(&mut mailbox.has_arrived) {
            return Job::Arrived;
        }
        if let Some(look) = mailbox.look.take() {
            return Job::Look(Box::new(look));
        }
        if let Some(trial) = mailbox.trial.take() {
            return Job::Trial(Box::new(trial));
        }
        if let Some(job) = mailbox.projects.pop_front() {
            return Job::Project(Box::new(job));
        }
        if !running.is_empty() {
            return Job::Step;
        }
        if projects.is_searching() && mailbox.steer != Steer::Pause {
            return Job::Search(mailbox.steer == Steer::Finish);
        }
        if !may_tidy {
            mailbox = shared.wake.wait(mailbox).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let (after, rest) = shared.wake.wait_timeout(mailbox, REST).unwrap_or_else(PoisonError::into_inner);
        if rest.timed_out() {
            return Job::Tidy;
        }
        mailbox = after;
    }
}

fn serve(shared: &Arc<Shared>, make_backend: &MakeBackend, deliver: &Deliver) {
    let wake: Wake = {
        let shared = Arc::clone(shared);
        Arc::new(move || {
            shared.lock().has_arrived = true;
            shared.wake.notify_one();
        })
    };
    let mut backend = make_backend(&wake);
    let mut running = Running::new();
    let mut projects = Projects::default();
    let mut hosts = Vec::new();
    let mut may_tidy = false;
    loop {
        let job = next_job(shared, &mut running, &mut projects, may_tidy);
        if matches!(job, Job::Quit) {
            return;
        }
        if let Job::Rescan(wanted) = &job {
            hosts.clone_from(wanted);
        }
        // The backend is dropped after a panic, whatever state it was left in.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            work(backend.as_mut(), shared, deliver, &mut running, &mut projects, &job)
        }));
        may_tidy = *done.as_ref().unwrap_or(&false);
        if backend.scanned().has_others {
            shared.lock().rescan.get_or_insert_with(|| hosts.clone());
        }
        if let Err(panic) = done {
            let why = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            let error = failed("errors.engine.stopped", &[("why", &why.as_deref().unwrap_or(text("errors.engine.panicked")))]);
            for id in running.drain(..).map(|(id, _)| id).chain(projects.end()).chain(job.show_id()) {
                deliver(Update::Finished { id, result: Err(error.clone()) });
            }
            if let Job::Look(look) = job {
                deliver(Update::Compiled(Arc::new(Looked::new(*look, Err(error.clone()), None))));
            }
            // Dropping may panic again where a driver is broken; leaking a dead driver's objects is the lesser evil.
            std::mem::forget(std::mem::replace(&mut backend, make_backend(&wake)));
            deliver(Update::Restarted(error));
            // Unless one was asked for meanwhile.
            shared.lock().rescan.get_or_insert_with(|| hosts.clone());
        }
    }
}

impl Job {
    fn show_id(&self) -> Option<u64> {
        match self {
            Self::Show(show) => Some(show.id),
            Self::Trial(trial) => Some(trial.id),
            Self::Project(job) => Some(job.id),
            _ => None,
        }
    }
}

/// Does `job`; true where the backend may have something to tidy up afterwards.
fn work(backend: &mut dyn Backend, shared: &Shared, deliver: &Deliver, running: &mut Running, projects: &mut Projects, job: &Job) -> bool {
    match job {
        Job::Quit => {}
        Job::Tidy => return backend.tidy(),
        Job::Rescan(hosts) => {
            // Another device may have the index then.
            let waiting = std::mem::take(&mut shared.lock().projects);
            for id in projects.forget_devices().into_iter().chain(waiting.into_iter().map(|job| job.id)) {
                deliver(Update::Finished { id, result: Err(Error::cancelled()) });
            }
            let found = backend.rescan_with(hosts);
            let indices = found.iter().flatten().map(|device| device.index).collect();
            deliver(Update::Devices(found));
            tell_of_devices(backend, shared, deliver, indices);
        }
        Job::CopyTo(hosts) => deliver(Update::Scanned(backend.copy_to(hosts))),
        Job::Arrived => {
            let devices = backend.arrived();
            let indices = devices.iter().map(|device| device.index).collect();
            deliver(Update::MoreDevices(devices));
            tell_of_devices(backend, shared, deliver, indices);
        }
        Job::Cancelled(ids) => {
            for &id in ids {
                deliver(Update::Finished { id, result: Err(Error::cancelled()) });
            }
        }
        Job::Show(show) => {
            let watch = Watch { shared, deliver, id: show.id, gives_way: Mailbox::has_show, rows: (0, 0) };
            let result = self::show(backend, show, &watch);
            tell_carried(backend, deliver, show.task.target);
            deliver(Update::Finished { id: show.id, result });
        }
        Job::Look(look) => {
            let watch = Quiet { shared, gives_way: |mailbox| mailbox.has_show() || mailbox.look.is_some() };
            let looked = look.as_ref().clone().run(backend, &watch);
            // What gave way to a show is looked at after it.
            if looked.is_cancelled() {
                shared.lock().look.get_or_insert_with(|| look.as_ref().clone());
            } else {
                deliver(Update::Compiled(Arc::new(looked)));
            }
        }
        Job::Trial(trial) => {
            let gives_way = |mailbox: &Mailbox| mailbox.has_show() || mailbox.trial.is_some();
            let watch = Watch { shared, deliver, id: trial.id, gives_way, rows: (0, 0) };
            let tell = |tried: &Tried| deliver(Update::Tried { id: trial.id, tried: Box::new(tried.clone()) });
            let tried = match trial.means {
                Means::Device(budget) => try_edited(backend, &trial.task, budget, &watch, &tell),
                Means::Simulator => simulate_edited(backend, &trial.task, &watch),
            };
            deliver(Update::Finished { id: trial.id, result: tried.map(|tried| tell(&tried)) });
        }
        Job::Project(job) => projects.answer(job, backend, shared, deliver),
        Job::Search(is_to_end) => projects.step(*is_to_end, backend, shared, deliver),
        Job::Step => step(backend, shared, deliver, running),
    }
    true
}

/// Takes the next probe of the bench in front.
fn step(backend: &mut dyn Backend, shared: &Shared, deliver: &Deliver, running: &mut Running) {
    let Some((id, run)) = running.front_mut() else { return };
    let id = *id;
    let Some(probe) = run.next_probe() else {
        tell_story(id, run, true, deliver);
        if let Some(tested) = run.tested() {
            deliver(Update::Tested { id, tested: Box::new(tested) });
        }
        running.pop_front();
        return deliver(Update::Finished { id, result: Ok(()) });
    };
    let watch = Watch { shared, deliver, id, gives_way: |_| false, rows: run.progress() };
    match run.take(probe, backend, &watch) {
        Ok(finding) => {
            if let Finding::Record(task, record) = finding {
                why::prepare(task, record);
            }
            deliver(Update::Found(id, finding.clone()));
            if let Finding::Record(task, _) = finding {
                tell_roofs(backend, deliver, task.target.device(), &watch);
            }
            tell_story(id, run, false, deliver);
        }
        // The flag is still set: the next turn ends the whole bench.
        Err(error) if error.is_cancelled() => {}
        Err(error) => {
            running.pop_front();
            deliver(Update::Finished { id, result: Err(error) });
        }
    }
}

/// What follows from a study so far, where anything does.
fn tell_story(id: u64, run: &Run, is_done: bool, deliver: &Deliver) {
    if let Some(story) = run.conclude(is_done) {
        deliver(Update::Told { id, story: Box::new(story) });
    }
}

/// What is known of devices that were just listed: their roofs, and what is wrong with drivers and machines.
fn tell_of_devices(backend: &mut dyn Backend, shared: &Shared, deliver: &Deliver, indices: Vec<usize>) {
    tell_roofs(backend, deliver, indices, &Quiet { shared, gives_way: |_| false });
    deliver(Update::Scanned(backend.scanned()));
}

/// What went over the network so far for a device of another machine.
fn tell_carried(backend: &mut dyn Backend, deliver: &Deliver, target: Target) {
    if let Some(device) = target.device()
        && let Some((sent, received)) = backend.carried(device)
    {
        deliver(Update::Carried { device, sent, received });
    }
}

/// Tells what devices can do at most, where that is known: another process may have measured it since.
fn tell_roofs(backend: &mut dyn Backend, deliver: &Deliver, devices: impl IntoIterator<Item = usize>, progress: &dyn Progress) {
    devices.into_iter().filter_map(|device| backend.known_roofs(device, progress)).for_each(|roofs| deliver(Update::Roofs(roofs)));
}

/// Runs and verifies once; what was verified is then measured.
fn show(backend: &mut dyn Backend, show: &Show, watch: &Watch<'_>) -> Result<()> {
    let executed = backend.execute(&show.task, watch)?;
    (watch.deliver)(Update::Rendered { id: show.id, executed: Box::new(executed.clone()) });
    let verified = backend.verify(&show.task, &executed, watch)?;
    let proof = verified.proof.clone();
    let wrong = wrong_output(&verified.verification);
    (watch.deliver)(Update::Verified { id: show.id, verified: Box::new(verified) });
    if let Some(budget) = show.budget {
        let record = match proof {
            Some(proof) => backend.measure(&proof, budget, watch),
            None => Err(wrong),
        };
        let record = backend.row(&show.task, record)?;
        (watch.deliver)(Update::Found(show.id, Finding::Record(show.task.clone(), Box::new(record))));
        tell_roofs(backend, watch.deliver, show.task.target.device(), watch);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
