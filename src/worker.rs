//! One named thread that owns the engine. The newest request wins; long jobs report progress and can be cancelled.

use crate::device::{DeviceInfo, NoDevice};
use crate::engine::{Budget, Executed, Progress, Task, Verified};
use crate::error::{Error, Result};
use crate::measure::Reading;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

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
}

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

/// Several measurements, one after another; each row is delivered as soon as it is there.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Comes back with every row.
    pub id: u64,
    /// What to measure, in order.
    pub tasks: Vec<Task>,
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
    Cancelled(Vec<u64>),
}

/// The benches that have begun, with their next row.
type Running = VecDeque<(Bench, usize)>;

fn next_job(shared: &Shared, running: &mut Running) -> Job {
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
            if let Some(task) = bench.tasks.get(*next) {
                *next += 1;
                return Job::BenchRow(bench.id, Box::new(task.clone()), bench.budget, (*next - 1, bench.tasks.len()));
            }
            running.pop_front();
            continue;
        }
        mailbox = shared.wake.wait(mailbox).unwrap_or_else(PoisonError::into_inner);
    }
}

fn serve(shared: &Shared, make_backend: &MakeBackend, deliver: &Deliver) {
    let mut backend = make_backend();
    let mut running = Running::new();
    loop {
        let job = next_job(shared, &mut running);
        if matches!(job, Job::Quit) {
            return;
        }
        // The backend is dropped after a panic, whatever state it was left in.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(backend.as_mut(), shared, deliver, &job)));
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

fn work(backend: &mut dyn Backend, shared: &Shared, deliver: &Deliver, job: &Job) {
    match job {
        Job::Quit => {}
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
                if rows.0 + 1 == rows.1 {
                    deliver(Update::Finished { id: *id, result: Ok(()) });
                }
            }
        }
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
mod tests {
    use super::{Backend, Bench, Show, Update, Worker};
    use crate::cpu::CpuEngine;
    use crate::device::{DeviceInfo, NoDevice};
    use crate::engine::{Budget, Executed, PictureRef, Progress, Target, Task, Timings, Verified};
    use crate::error::{Error, Result};
    use crate::image::{Channels, Picture};
    use crate::measure::{BuildFrom, Contender, Reading, ReadingState, Verification};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, channel};

    /// Copies the picture; measuring waits for `is_cancelled` when the picture is 2 pixels wide, and panics when it is 3 wide.
    struct Canned;

    impl Backend for Canned {
        fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
            Err(NoDevice::NoLoader)
        }

        fn execute(&mut self, task: &Task) -> Result<Executed> {
            Ok(Executed {
                output: Arc::clone(&task.picture.picture),
                timings: Timings::default(),
                source: None,
                build_ns: 0,
                build_from: BuildFrom::Nothing,
                build_log: String::new(),
                limits: None,
                global: [1, 1],
                local_used: None,
                notes: Vec::new(),
            })
        }

        fn verify(&mut self, task: &Task, output: &Picture, _progress: &dyn Progress) -> Result<Verified> {
            let verification = Verification {
                differing_pixels: 0,
                total_pixels: output.width_px(),
                max_difference: 0,
                first_differing: None,
                tolerance: 0,
            };
            Ok(Verified { verification, reference: Arc::clone(&task.picture.picture) })
        }

        fn measure(&mut self, task: &Task, _budget: Budget, progress: &dyn Progress) -> Result<Reading> {
            assert!(task.picture.picture.width_px() != 3, "a width of three is a planted panic");
            while task.picture.picture.width_px() == 2 {
                if progress.is_cancelled() {
                    return Err(Error::cancelled());
                }
                std::thread::yield_now();
            }
            Ok(Reading {
                filter: task.filter.name.to_owned(),
                contender: Contender::Cpu { engine: CpuEngine::Scalar, instructions: String::new() },
                device: String::new(),
                driver: String::new(),
                program_version: String::new(),
                width_px: task.picture.picture.width_px(),
                height_px: 1,
                channels: task.channels,
                border: task.border,
                date: String::new(),
                state: ReadingState::Skipped("canned".to_owned()),
            })
        }
    }

    fn task(width_px: usize) -> Task {
        let picture = Picture::from_fn(width_px, 1, Channels::Gray, |x, _, _| x as u8);
        Task::new(PictureRef::new(Arc::new(picture)), Target::Cpu(CpuEngine::Scalar))
    }

    fn start() -> (Worker, Receiver<Update>, Arc<AtomicUsize>) {
        let (sender, updates) = channel();
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let make = Box::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
            Box::new(Canned) as Box<dyn Backend>
        });
        let deliver = Box::new(move |update| {
            // The test may have ended already.
            let _ = sender.send(update);
        });
        (Worker::start(make, deliver).expect("a thread"), updates, made)
    }

    /// Waits for the end of `id` and returns how it ended, with the readings of that id.
    fn finish(updates: &Receiver<Update>, wanted: u64) -> (Result<()>, usize) {
        let mut readings = 0;
        loop {
            match updates.recv().expect("the worker lives") {
                Update::Finished { id, result } if id == wanted => return (result, readings),
                Update::Reading { id, .. } if id == wanted => readings += 1,
                _ => {}
            }
        }
    }

    #[test]
    fn a_show_is_rendered_verified_measured_and_finished_in_this_order() {
        let (worker, updates, _) = start();
        worker.show(Show { id: 7, task: task(4), budget: Some(Budget::default()) });
        let names: Vec<_> = updates
            .iter()
            .map(|update| match update {
                Update::Devices(_) => "devices",
                Update::Rendered { id: 7, .. } => "rendered",
                Update::Verified { id: 7, .. } => "verified",
                Update::Reading { id: 7, .. } => "reading",
                Update::Finished { id: 7, .. } => "finished",
                _ => "unexpected",
            })
            .take(5)
            .collect();
        assert_eq!(names, ["devices", "rendered", "verified", "reading", "finished"]);
    }

    #[test]
    fn a_newer_show_cuts_the_measuring_of_an_older_one_short() {
        let (worker, updates, _) = start();
        worker.show(Show { id: 1, task: task(2), budget: Some(Budget::default()) });
        // Only once it is being measured: a show that has not begun is dropped without a word.
        while !matches!(updates.recv().expect("the worker lives"), Update::Verified { id: 1, .. }) {}
        worker.show(Show { id: 2, task: task(4), budget: None });
        assert!(finish(&updates, 1).0.expect_err("cut short").is_cancelled());
        assert!(finish(&updates, 2).0.is_ok());
    }

    #[test]
    fn a_bench_gives_every_row_and_cancel_ends_it_between_rows() {
        let (worker, updates, _) = start();
        worker.bench(Bench { id: 1, tasks: vec![task(4), task(5), task(6)], budget: Budget::default() });
        let (result, readings) = finish(&updates, 1);
        assert!(result.is_ok());
        assert_eq!(readings, 3);
        worker.bench(Bench { id: 2, tasks: vec![task(4), task(2), task(4)], budget: Budget::default() });
        while !matches!(updates.recv().expect("the worker lives"), Update::Reading { id: 2, .. }) {}
        worker.cancel();
        assert!(finish(&updates, 2).0.expect_err("cancelled").is_cancelled());
    }

    #[test]
    fn a_panic_becomes_a_notice_and_the_worker_goes_on_with_a_new_engine() {
        let (worker, updates, made) = start();
        worker.show(Show { id: 1, task: task(3), budget: Some(Budget::default()) });
        let error = finish(&updates, 1).0.expect_err("panicked");
        assert!(error.why.contains("planted panic"), "{error}");
        worker.show(Show { id: 2, task: task(4), budget: None });
        assert!(finish(&updates, 2).0.is_ok());
        assert_eq!(made.load(Ordering::SeqCst), 2);
    }
}
