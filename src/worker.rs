//! One named thread that owns the engine. The newest request wins; long jobs report progress and can be cancelled.

use crate::device::{DeviceInfo, NoDevice};
use crate::engine::{Budget, Compared, Executed, Progress, Task, Verified};
use crate::error::{Error, Result};
use crate::measure::Reading;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the worker needs of an engine. The real one is [`crate::engine::Engine`]; tests of the window use a canned one.
pub trait Backend {
    /// Looks for platforms and devices anew. Tasks refer to the list returned last.
    ///
    /// # Errors
    /// Why there is none; each case has its own remedy.
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice>;

    /// Runs `task` once.
    ///
    /// # Errors
    /// Whatever kept it from running.
    fn execute(&mut self, task: &Task) -> Result<Executed>;

    /// Compares an output of `task` with the plain reference.
    ///
    /// # Errors
    /// Cancelled, or the task itself is wrong.
    fn verify(&mut self, task: &Task, output: &crate::image::Picture, progress: &dyn Progress) -> Result<Verified>;

    /// Verifies, warms up, samples. What could not be measured is a reading with a reason.
    ///
    /// # Errors
    /// Only cancellation.
    fn measure(&mut self, task: &Task, budget: Budget, progress: &dyn Progress) -> Result<Reading>;

    /// Verifies both tasks, then runs them in turn and compares their kernel times.
    ///
    /// # Errors
    /// Cancelled, or whatever keeps the two from being compared.
    fn compare(&mut self, first: &Task, second: &Task, budget: Budget, progress: &dyn Progress) -> Result<Compared>;

    /// Does a piece of work that nobody waits for, such as saving a built program. True while there is more of it.
    fn tidy(&mut self) -> bool {
        false
    }
}

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

/// Several measurements, one after another, then several comparisons; each is delivered as soon as it is there.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Comes back with every row.
    pub id: u64,
    /// What to measure, in order.
    pub tasks: Vec<Task>,
    /// What to run in turn afterwards, the second against the first.
    pub pairs: Vec<(Task, Task)>,
    /// Sampling for each.
    pub budget: Budget,
}

/// What the worker says. Everything picture-sized is behind an `Arc`.
#[derive(Debug)]
pub enum Update {
    /// The answer to a rescan, and the first thing said after start.
    Devices(std::result::Result<Vec<DeviceInfo>, NoDevice>),
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
    /// The short measurement of a show, or a row of a bench.
    Reading {
        /// Of the show or bench.
        id: u64,
        /// The row.
        reading: Box<Reading>,
    },
    /// Two tasks of a bench were run in turn. Those that cannot be compared are left out: their rows say why.
    Compared {
        /// Of the bench.
        id: u64,
        /// Both.
        pair: Box<(Task, Task)>,
        /// How they compare.
        compared: Compared,
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

/// Makes a backend on the worker's thread, so that OpenCL objects live and die there.
pub type MakeBackend = Box<dyn Fn() -> Box<dyn Backend> + Send>;

/// The handle of the worker's thread. Dropping it cancels what runs and ends the thread.
pub struct Worker {
    shared: Arc<Shared>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// The mailbox: one slot for the newest show, a queue of benches, and flags.
struct Shared {
    mailbox: Mutex<Mailbox>,
    wake: Condvar,
}

#[derive(Default)]
struct Mailbox {
    show: Option<Show>,
    benches: VecDeque<Bench>,
    rescan: bool,
    quit: bool,
    /// Set while a bench or the measuring part of a show is to end.
    cancel: bool,
}

impl Worker {
    /// Starts the thread. It looks for devices at once and delivers [`Update::Devices`].
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(make_backend: MakeBackend, deliver: Deliver) -> Result<Self> {
        let shared = Arc::new(Shared { mailbox: Mutex::new(Mailbox { rescan: true, ..Mailbox::default() }), wake: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("engine".to_owned())
            .spawn(move || serve(&theirs, &make_backend, &deliver))
            .map_err(|error| Error::failed("The engine did not start", error.to_string(), "close other programs and start again"))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Shows this as soon as possible. A show that has not begun is dropped, one that is being measured is cut short.
    pub fn show(&self, show: Show) {
        self.post(|mailbox| mailbox.show = Some(show));
    }

    /// Measures these after all benches before it. Shows go between its rows.
    pub fn bench(&self, bench: Bench) {
        self.post(|mailbox| mailbox.benches.push_back(bench));
    }

    /// Looks for devices anew.
    pub fn rescan(&self) {
        self.post(|mailbox| mailbox.rescan = true);
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

impl Drop for Worker {
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
    /// A show gives way to a newer show; a bench row does not, it is measured to its end first.
    gives_way: bool,
    /// Rows of the bench that are done, and all of them; (0, 0) for a show.
    rows: (usize, usize),
}

impl Progress for Watch<'_> {
    fn is_cancelled(&self) -> bool {
        let mailbox = self.shared.lock();
        mailbox.cancel || mailbox.quit || (self.gives_way && (mailbox.show.is_some() || mailbox.rescan))
    }

    fn report(&self, done: usize, total: usize, text: &str) {
        let (done, total) = if self.rows.1 == 0 { (done, total) } else { self.rows };
        (self.deliver)(Update::Progress { id: self.id, done, total, text: text.to_owned() });
    }
}

enum Job {
    Quit,
    Rescan,
    Show(Show),
    BenchRow(u64, Box<Task>, Budget, (usize, usize)),
    BenchPair(u64, Box<(Task, Task)>, Budget, (usize, usize)),
    Cancelled(Vec<u64>),
    Tidy,
}

/// The benches that have begun, with their next row.
type Running = VecDeque<(Bench, usize)>;

/// Waits for something to do; with `may_tidy`, a rest is something to do, too.
fn next_job(shared: &Shared, running: &mut Running, may_tidy: bool) -> Job {
    let mut mailbox = shared.lock();
    loop {
        running.extend(mailbox.benches.drain(..).map(|bench| (bench, 0)));
        if mailbox.quit {
            return Job::Quit;
        }
        if std::mem::take(&mut mailbox.cancel) && !running.is_empty() {
            return Job::Cancelled(running.drain(..).map(|(bench, _)| bench.id).collect());
        }
        if std::mem::take(&mut mailbox.rescan) {
            return Job::Rescan;
        }
        if let Some(show) = mailbox.show.take() {
            return Job::Show(show);
        }
        if let Some((bench, next)) = running.front_mut() {
            let (done, total) = (*next, bench.tasks.len() + bench.pairs.len());
            *next += 1;
            if let Some(task) = bench.tasks.get(done) {
                return Job::BenchRow(bench.id, Box::new(task.clone()), bench.budget, (done, total));
            }
            if let Some(pair) = bench.pairs.get(done - bench.tasks.len()) {
                return Job::BenchPair(bench.id, Box::new(pair.clone()), bench.budget, (done, total));
            }
            running.pop_front();
            continue;
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

fn serve(shared: &Shared, make_backend: &MakeBackend, deliver: &Deliver) {
    let mut backend = make_backend();
    let mut running = Running::new();
    let mut may_tidy = false;
    loop {
        let job = next_job(shared, &mut running, may_tidy);
        if matches!(job, Job::Quit) {
            return;
        }
        // The backend is dropped after a panic, whatever state it was left in.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(backend.as_mut(), shared, deliver, &job)));
        may_tidy = *done.as_ref().unwrap_or(&false);
        if let Err(panic) = done {
            let why = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            let error =
                Error::failed("The engine stopped working", why.unwrap_or_else(|| "it panicked".to_owned()), "choose a device again");
            for id in running.drain(..).map(|(bench, _)| bench.id).chain(job.show_id()) {
                deliver(Update::Finished { id, result: Err(error.clone()) });
            }
            // Dropping may panic again where a driver is broken; leaking a dead driver's objects is the lesser evil.
            std::mem::forget(std::mem::replace(&mut backend, make_backend()));
            deliver(Update::Restarted(error));
            shared.lock().rescan = true;
        }
    }
}

impl Job {
    fn show_id(&self) -> Option<u64> {
        match self {
            Self::Show(show) => Some(show.id),
            _ => None,
        }
    }
}

/// Does `job`; true where the backend may have something to tidy up afterwards.
fn work(backend: &mut dyn Backend, shared: &Shared, deliver: &Deliver, job: &Job) -> bool {
    match job {
        Job::Quit => {}
        Job::Tidy => return backend.tidy(),
        Job::Rescan => deliver(Update::Devices(backend.rescan())),
        Job::Cancelled(ids) => {
            for &id in ids {
                deliver(Update::Finished { id, result: Err(Error::cancelled()) });
            }
        }
        Job::Show(show) => {
            let watch = Watch { shared, deliver, id: show.id, gives_way: true, rows: (0, 0) };
            let result = self::show(backend, show, &watch);
            deliver(Update::Finished { id: show.id, result });
        }
        Job::BenchRow(id, task, budget, rows) => {
            let watch = Watch { shared, deliver, id: *id, gives_way: false, rows: *rows };
            // A cancelled row leaves the flag set: the next turn ends the whole bench.
            if let Ok(reading) = backend.measure(task, *budget, &watch) {
                deliver(Update::Reading { id: *id, reading: Box::new(reading) });
                finish_bench(deliver, *id, *rows);
            }
        }
        Job::BenchPair(id, pair, budget, rows) => {
            let watch = Watch { shared, deliver, id: *id, gives_way: false, rows: *rows };
            let compared = backend.compare(&pair.0, &pair.1, *budget, &watch);
            if compared.as_ref().is_err_and(Error::is_cancelled) {
                return true;
            }
            if let Ok(compared) = compared {
                deliver(Update::Compared { id: *id, pair: pair.clone(), compared });
            }
            finish_bench(deliver, *id, *rows);
        }
    }
    true
}

/// Says that the bench is over after its last row.
fn finish_bench(deliver: &Deliver, id: u64, (done, total): (usize, usize)) {
    if done + 1 == total {
        deliver(Update::Finished { id, result: Ok(()) });
    }
}

fn show(backend: &mut dyn Backend, show: &Show, watch: &Watch<'_>) -> Result<()> {
    let executed = backend.execute(&show.task)?;
    let output = Arc::clone(&executed.output);
    (watch.deliver)(Update::Rendered { id: show.id, executed: Box::new(executed) });
    let verified = backend.verify(&show.task, &output, watch)?;
    (watch.deliver)(Update::Verified { id: show.id, verified: Box::new(verified) });
    if let Some(budget) = show.budget {
        let reading = backend.measure(&show.task, budget, watch)?;
        (watch.deliver)(Update::Reading { id: show.id, reading: Box::new(reading) });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
