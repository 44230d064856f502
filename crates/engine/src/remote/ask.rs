//! The side that asks: a [`Backend`] whose engine is elsewhere.

use super::frame::LONGEST_BYTES;
use super::install::install;
use super::launch::{Environment, Launch, Ssh, this_program};
use super::message::SentPicture;
use super::pictures::Form;
use super::process::{ANSWER_BYTES, DEVICES_BYTES, Limits, Patience, Process, last_line};
use super::simulator;
use super::starts::{Side, Starts};
use crate::device::{DeviceInfo, NoDevice, cache_notice};
use crate::{Backend, Compared, Executed, KernelText, PictureRef, Printed, Proof, Reply, Request, Scanned, Target, Task, other_answer};
use base::error::{Error, ErrorKind, Result};
use base::texts::{failed, filled, joined, speaking_keys, text};
use kernels::filters;
use model::measure::{MIN_PAIRS, Progress};
use model::{Budget, Confinement, Labelled, Record, Roofs};
use pictures::Picture;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a run of a kernel that a person edits may take.
const EDITED: Duration = Duration::from_secs(20);

/// How long such a run is waited for when nobody wants it any more.
const EDITED_STOP: Duration = Duration::from_secs(1);

/// How long another machine may take to say what is known of its device, whatever it says meanwhile: others wait for it.
const KNOWN: Duration = Duration::from_secs(5);

/// No machine has more devices, and none tells of more problems.
const MOST_DEVICES: usize = 256;

/// An engine in a process of its own, which is started when something is asked, and anew after it ended.
pub struct Remote {
    launch: Launch,
    patience: Patience,
    process: Option<Process>,
    /// Of the last scan.
    devices: Vec<DeviceInfo>,
    /// What they can do at most, as far as that was asked, by their numbers. A device without an entry is asked.
    roofs: Vec<(usize, Option<Arc<Roofs>>)>,
    /// A worker that was started anew has found other devices.
    has_others: bool,
    problems: Vec<String>,
    /// What the worker is kept from, once it has said so.
    confinement: Option<Confinement>,
    /// Its processor, as a record of it said.
    processor: Option<String>,
    /// What the environment says that cannot be, as a clause.
    refused_setting: Option<String>,
    /// More workers, in which comparisons are repeated.
    starts: Starts,
}

impl Default for Remote {
    fn default() -> Self {
        Self::new()
    }
}

impl Remote {
    /// An engine in a process that runs this program.
    #[must_use]
    pub fn new() -> Self {
        Self::of_launch(Launch::here(this_program())).with_patience_of_env()
    }

    /// An engine on another machine, by ssh.
    #[must_use]
    pub fn on_host(host: &str) -> Self {
        Self::by_ssh(&Ssh::default(), host)
    }

    /// The same, reached in a way of one's own.
    #[must_use]
    pub fn by_ssh(ssh: &Ssh, host: &str) -> Self {
        Self::of_launch(Launch::on_host(ssh, host)).with_patience_of_env()
    }

    fn with_patience_of_env(self) -> Self {
        let apart = self;
        match Patience::from_env() {
            Ok(patience) => apart.with_patience(patience),
            Err(why) => Self { refused_setting: Some(why), ..apart },
        }
    }

    /// The same of a program that lies elsewhere.
    #[must_use]
    pub fn of_program(program: PathBuf) -> Self {
        Self::of_launch(Launch::here(program))
    }

    fn of_launch(launch: Launch) -> Self {
        Self {
            launch,
            patience: Patience::default(),
            process: None,
            devices: Vec::new(),
            roofs: Vec::new(),
            has_others: false,
            problems: Vec::new(),
            confinement: None,
            processor: None,
            refused_setting: None,
            starts: Starts::default(),
        }
    }

    /// Another worker of the same program on the same machine, which knows the same devices; not started yet.
    fn another(&self) -> Self {
        let apart = Self::of_launch(self.launch.clone()).with_patience(self.patience);
        Self { devices: self.devices.clone(), ..apart }
    }

    /// Starts the worker ahead of the first question, which also says what kept it from starting.
    pub(super) fn wake(&mut self) {
        let _ = self.process(&());
    }

    /// Lets the worker end by itself: nothing more is asked.
    pub(super) fn part(&mut self) {
        if let Some(process) = &mut self.process {
            process.part();
        }
    }

    /// Ends the workers in which comparisons were repeated: the next comparison starts others.
    pub(super) fn end_starts(&mut self) {
        self.starts = Starts::default();
    }

    /// Has the worker save a program that it built; true while there are more.
    fn saves_programs(&mut self) -> bool {
        // There is nothing to save where nothing was done.
        self.process = self.process.take().and_then(Process::if_running);
        self.process.is_some() && matches!(self.forward(Request::Tidy, &()), Ok(Reply::Tidied(true)))
    }

    /// The same where a worker may be silent for other times.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// The same of a worker that has these variables, too.
    pub(super) fn with_environment(self, environment: Environment) -> Self {
        Self { launch: self.launch.with_environment(environment), ..self }
    }

    /// Its devices, with its machine.
    pub(super) fn listed(&self) -> Vec<DeviceInfo> {
        let host = &self.launch.host;
        self.devices.iter().map(|info| DeviceInfo { host: host.clone(), ..info.clone() }).collect()
    }

    /// Copies this program to its machine, and returns the version that is there then.
    ///
    /// # Errors
    /// The machine is not reached, is of another kind, or the program does not run there.
    pub fn install(&self, ssh: &Ssh) -> Result<String> {
        install(ssh, self.host().unwrap_or_default(), &self.launch.carried)
    }

    /// The machine, where it is another one.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.launch.host.as_deref()
    }

    /// What went to the worker and came from it so far, in bytes.
    #[must_use]
    pub fn carried(&self) -> (u64, u64) {
        self.launch.carried.get()
    }

    /// The number by which the system knows the worker that runs now.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// The worker, started where none runs.
    fn process(&mut self, progress: &dyn Progress) -> Result<&mut Process> {
        // One that came to an end while nothing was asked costs nothing.
        let process = match self.process.take().and_then(Process::if_running) {
            Some(process) => process,
            None => self.started(progress)?,
        };
        Ok(self.process.insert(process))
    }

    /// Another worker, which knows the same devices by the same numbers.
    fn started(&mut self, progress: &dyn Progress) -> Result<Process> {
        let mut process = Process::start(&self.launch, progress)?;
        if !self.devices.is_empty() {
            let request = Request::Rescan(Vec::new());
            let (reply, _) = process.ask(request.clone(), text("errors.apart.scanning"), self.limits_of(&request), progress);
            let Reply::Devices(found, _) = reply? else { return Err(other_answer()) };
            let found = found.map(numbered).unwrap_or_default();
            // What a driver says of its memory may have changed since.
            if !found.iter().map(DeviceInfo::identity).eq(self.devices.iter().map(DeviceInfo::identity)) {
                self.has_others = true;
                return Err(failed("errors.apart.other-devices", &[]));
            }
            self.devices = found;
        }
        Ok(process)
    }

    /// What an answer may take.
    fn limits_of(&self, request: &Request) -> Limits {
        let (mut patience, mut in_all) = (self.patience, None);
        let bytes = match request {
            Request::Rescan(_) => DEVICES_BYTES,
            // With all buffers in it.
            Request::Project(_) => LONGEST_BYTES,
            // With a picture in it.
            Request::Execute(task) | Request::Verify(task, _) | Request::Reference(task) => {
                let picture = u32::try_from(Form::of_output(task).most_bytes()).unwrap_or(LONGEST_BYTES);
                ANSWER_BYTES.saturating_add(picture).min(LONGEST_BYTES)
            }
            _ => ANSWER_BYTES,
        };
        match request {
            Request::KnownRoofs(_) if self.launch.host.is_some() => in_all = Some(KNOWN),
            // Kernels that a person edits never end now and then.
            Request::Project(asked) => {
                patience = Patience { answer: patience.answer.min(asked.patience), stop: patience.stop.min(EDITED_STOP) };
            }
            request if is_edited_run(request) => {
                patience = Patience { answer: patience.answer.min(EDITED), stop: patience.stop.min(EDITED_STOP) };
            }
            _ => {}
        }
        Limits { patience, in_all, bytes: self.most_bytes(bytes) }
    }

    /// How many bytes a message may have: that from another machine so many, and one from this program's own worker as many as there may ever be.
    fn most_bytes(&self, of_host: u32) -> u32 {
        if self.launch.host.is_some() { of_host } else { LONGEST_BYTES }
    }

    /// Has the worker answer. One that ended over it is forgotten.
    fn forward(&mut self, mut request: Request, progress: &dyn Progress) -> Result<Reply> {
        let task = request.tasks_mut().last().map(|task| (*task).clone());
        let (doing, limits, is_edited) = (self.doing(&request, task.as_ref()), self.limits_of(&request), is_edited_run(&request));
        let process = self.process(progress)?;
        if is_edited {
            process.listen();
        }
        let (reply, is_well) = process.ask(request, &doing, limits, progress);
        let printed = if is_edited && reply.is_ok() { process.printed() } else { Printed::default() };
        // Another one opens the device anew.
        if !is_well || reply.as_ref().is_err_and(|error| error.kind == ErrorKind::Lost) {
            self.process = None;
        }
        let reply = reply?.try_map(|named| self.received(task.as_ref(), &named))?;
        Ok(match reply {
            Reply::Executed(run) => Reply::Executed(Box::new(Executed { printed, ..*run })),
            Reply::Record(record) => Reply::Record(Box::new(self.taken(*record, task.as_ref())?)),
            Reply::Roofs(Some(roofs)) => Reply::Roofs(Some(self.named_roofs(roofs))),
            reply => reply,
        })
    }

    /// The picture that the worker names in its answer about a task.
    fn received(&mut self, task: Option<&Task>, named: &SentPicture) -> Result<Arc<Picture>> {
        let (process, wanted) = (self.process.as_mut().ok_or_else(other_answer)?, task.map(Form::of_output));
        let picture = process
            .receive(named)
            .and_then(|picture| if Some(Form::of(&picture)) == wanted { Ok(picture) } else { Err(std::io::ErrorKind::InvalidData.into()) });
        picture.map_err(|error| {
            self.process = None;
            failed("errors.apart.no-picture", &[("why", &error)])
        })
    }

    /// The worker's row of a task.
    fn taken(&mut self, record: Record, task: Option<&Task>) -> Result<Record> {
        let task = task.ok_or_else(other_answer)?;
        let (of, asked) = (&record.spec, &task.spec);
        let is_of = (of.filter, of.channels, of.border) == (asked.filter, asked.channels, asked.border) && task.target.is_of(&record);
        // Another machine is not asked what this one's pictures are.
        if self.launch.host.is_some() && !(is_of && record.picture == task.picture.facts()) {
            return Err(other_answer());
        }
        task.picture.learn(&record.picture);
        if let (Target::Device { index, .. }, Some(_)) = (task.target, record.measured().and_then(|measured| measured.roofline.as_ref())) {
            // Somebody has measured its roofs since.
            self.roofs.retain(|(device, known)| *device != index || known.is_some());
        }
        if matches!(task.target, Target::Cpu(_)) {
            self.processor = Some(record.machine.device.clone());
        }
        Ok(self.named(record))
    }

    /// "running `coalesced` of Laplace sharpen, RGB on PoCL": what a worker that ends was doing, of a task by keys: the row that it costs is kept.
    fn doing(&self, request: &Request, task: Option<&Task>) -> String {
        let key = match request {
            Request::Rescan(_) => "errors.apart.scanning",
            Request::Execute(_) | Request::Prove(_) => "errors.apart.running",
            Request::Verify(..) | Request::Reference(_) => "errors.apart.verifying",
            Request::Measure(..)
            | Request::Glance(_)
            | Request::CountEvents(_)
            | Request::Frames(_)
            | Request::Split(_)
            | Request::RecordRun(_)
            | Request::CompareHere(..) => "errors.apart.measuring",
            Request::Compiled(_) | Request::Lines(_) | Request::NoteCode(_) => "errors.apart.compiling",
            Request::Project(asked) => return filled("errors.apart.project", &[("device", &self.device(asked.device))]),
            Request::MeasureRoofs(device) => return filled("errors.apart.measuring-roofs", &[("device", &self.device(*device))]),
            Request::Tidy => "errors.apart.saving",
            _ => "errors.apart.looking",
        };
        task.map_or_else(|| text(key).to_owned(), |task| speaking_keys(|| self.doing_now(key, task)))
    }

    fn doing_now(&self, key: &'static str, task: &Task) -> String {
        let spec = filters::spec_text(&task.spec);
        let what: (String, String) = match task.target {
            Target::Cpu(engine) => {
                let here = || text("errors.apart.this-processor").to_owned();
                (engine.label().to_owned(), self.launch.host.clone().unwrap_or_else(here))
            }
            Target::Device { index, variant, .. } => (variant.to_string(), self.device(index)),
        };
        let values: [(&str, &dyn Display); 3] = [("what", &what.0), ("spec", &spec), ("device", &what.1)];
        filled(key, &values)
    }

    fn device(&self, index: usize) -> String {
        self.devices.get(index).map_or_else(|| format!("{index}"), DeviceInfo::display_name)
    }

    /// The record with the machine that it is of, as the person calls it.
    fn named(&self, record: Record) -> Record {
        Record { machine: record.machine.of(self.host()), ..record }
    }

    /// The same of roofs.
    fn named_roofs(&self, roofs: Arc<Roofs>) -> Arc<Roofs> {
        let Some(host) = self.host() else { return roofs };
        let roofs = Arc::unwrap_or_clone(roofs);
        Arc::new(Roofs { machine: roofs.machine.of(Some(host)), ..roofs })
    }

    fn rescanned(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        // Drivers that were installed since are found by a process that has none of them loaded.
        self.process = None;
        self.end_starts();
        self.devices.clear();
        self.roofs.clear();
        self.has_others = false;
        match self.forward(Request::Rescan(Vec::new()), &()) {
            Ok(Reply::Devices(found, scanned)) => {
                self.confinement = scanned.confinement;
                let problems = scanned.problems.into_iter().take(MOST_DEVICES);
                self.problems = problems.chain(cache_notice()).chain(self.refused_setting.clone()).collect();
                self.devices = numbered(found?);
                Ok(self.listed())
            }
            Err(error) if self.launch.host.is_some() => {
                self.problems.clear();
                Err(NoDevice::Unreachable(Box::new(error)))
            }
            other => {
                self.problems.clear();
                let Error { what, why, detail, .. } = other.err().unwrap_or_else(other_answer);
                let last_words = detail.as_deref().and_then(last_line).map(str::to_owned);
                let told = filled("errors.told", &[("what", &what), ("why", &why)]);
                Err(NoDevice::DriverFailed(joined("words.list.clauses", std::iter::once(told).chain(last_words))))
            }
        }
    }

    /// What the last rescan met besides devices, up to now.
    pub(super) fn met(&self) -> Scanned {
        let has_others = self.has_others;
        Scanned { problems: self.problems.clone(), confinement: self.confinement, has_others, ..Scanned::default() }
    }

    /// The row of a task that could not be measured.
    fn refused(&self, task: &Task, why: &Error) -> Record {
        let mut record = crate::refused(task, |index| crate::machine(self.devices.get(index), index), why);
        if self.launch.host.is_some() && matches!(task.target, Target::Cpu(_)) {
            // What this machine has says nothing of that one.
            record.machine.device = self.processor.clone().unwrap_or_else(|| "CPU".to_owned());
        }
        self.named(record)
    }

    /// In as many processes as the budget says.
    fn compared(&mut self, [first, second]: &[Proof; 2], budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        let mut starts = vec![self.compare_here(first, second, budget.share(true, MIN_PAIRS), progress)?];
        if budget.starts > 1 {
            // What was built is in the cache then, where the others find it.
            while self.saves_programs() {}
            let mut others = std::mem::take(&mut self.starts);
            let compared = self.sides([first.task(), second.task()], progress);
            let compared = compared.and_then(|sides| others.compare(|| self.another(), &sides, budget, progress));
            self.problems.extend(others.take_problem());
            self.starts = others;
            starts.extend(compared?);
        }
        Compared::of_starts(starts).ok_or_else(other_answer)
    }

    /// Two tasks with what each should bring, as the first worker has found: the others need not compute that, which often takes longer than what is compared.
    /// Another machine would send it here and get it back. A worker that has ended since is not started anew for it.
    ///
    /// # Errors
    /// Cancelled.
    fn sides<'a>(&mut self, tasks: [&'a Task; 2], progress: &dyn Progress) -> Result<[Side<'a>; 2]> {
        let mut side = |task: &'a Task| {
            if self.launch.host.is_some() || self.process.is_none() {
                return Ok(Side { task, reference: None });
            }
            match self.forward(Request::Reference(task.clone()), progress) {
                Ok(Reply::Reference(reference)) => Ok(Side { task, reference: Some(PictureRef::new(reference)) }),
                Err(error) if error.is_cancelled() => Err(error),
                // They find it themselves.
                _ => Ok(Side { task, reference: None }),
            }
        };
        let [first, second] = tasks;
        Ok([side(first)?, side(second)?])
    }

    /// Asked once of each device, until they are measured anew.
    fn roofs_of(&mut self, device: usize, progress: &dyn Progress) -> Option<Arc<Roofs>> {
        if let Some((_, known)) = self.roofs.iter().find(|(known, _)| *known == device) {
            return known.clone();
        }
        let known = match self.forward(Request::KnownRoofs(device), progress) {
            Ok(Reply::Roofs(roofs)) => roofs,
            // It is asked once more another time.
            Err(error) if error.is_cancelled() => return None,
            _ => None,
        };
        self.roofs.push((device, known.clone()));
        known
    }
}

fn is_edited_run(request: &Request) -> bool {
    matches!(request, Request::Execute(task) if matches!(task.text, KernelText::Edited(_)))
}

/// The devices of a worker, by their places: what it says of their numbers is not needed.
fn numbered(found: Vec<DeviceInfo>) -> Vec<DeviceInfo> {
    found.into_iter().take(MOST_DEVICES).enumerate().map(|(index, info)| DeviceInfo { index, ..info }).collect()
}

impl Backend for Remote {
    fn ask(&mut self, request: Request, progress: &dyn Progress) -> Result<Reply> {
        Ok(match request {
            Request::Rescan(_) => Reply::Devices(self.rescanned(), self.met()),
            Request::Scanned => Reply::Scanned(self.met()),
            Request::Refused(task, why) => Reply::Record(Box::new(self.refused(&task, &why))),
            Request::Compare(pair, budget) => Reply::Compared(Box::new(self.compared(&pair, budget, progress)?)),
            Request::Simulate(task) => Reply::Simulated(simulator::simulate(&this_program(), &task, progress)?),
            Request::KnownRoofs(device) => Reply::Roofs(self.roofs_of(device, progress)),
            Request::MeasureRoofs(device) => {
                let measured = self.forward(request, progress)?;
                // What other work disturbed is not kept there; what is, is asked again.
                self.roofs.retain(|(known, _)| *known != device);
                measured
            }
            Request::Tidy => {
                // Nobody compares any more: what they hold is the device's memory.
                self.end_starts();
                Reply::Tidied(self.saves_programs())
            }
            Request::Arrived | Request::CopyTo(_) | Request::Carried(_) => return request.plain_reply(),
            request => return self.forward(request, progress),
        })
    }
}
