//! The side that asks: a [`Backend`] whose engine is elsewhere.

use super::install::install;
use super::launch::{Environment, Launch, Ssh, this_program};
use super::message::{Answer, Output, Question, SentProof, SentTask};
use super::pictures::{SOURCES, Sent, receive, send};
use super::process::{Patience, Process, last_line};
use super::simulator;
use crate::compiled::Compiled;
use crate::device::{DeviceInfo, NoDevice, cache_notice};
use crate::engine::{self, Backend, Compared, Executed, KernelText, Proof, Scanned, Simulated, Target, Task, Verified};
use crate::error::{Error, ErrorKind, Result};
use crate::filters;
use crate::measure::Progress;
use crate::model::{Budget, Confinement, Labelled, Record, Roofs};
use crate::texts::{failed, filled, joined, text};
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a run of a kernel that a person edits may take.
const EDITED: Duration = Duration::from_secs(20);

/// How long such a run is waited for when nobody wants it any more.
const EDITED_STOP: Duration = Duration::from_secs(1);

/// An engine in a process of its own, which is started when something is asked, and anew after it ended.
pub struct Apart {
    launch: Launch,
    patience: Patience,
    process: Option<Process>,
    /// Of the last scan, by the worker's own numbers.
    devices: Vec<DeviceInfo>,
    /// The number of its first device in the list of all machines' devices.
    first: usize,
    problems: Vec<String>,
    /// What the worker is kept from, once it has said so.
    confinement: Option<Confinement>,
    /// What the environment says that cannot be, as a clause.
    refused_setting: Option<String>,
}

impl Default for Apart {
    fn default() -> Self {
        Self::new()
    }
}

impl Apart {
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
    pub(super) fn by_ssh(ssh: &Ssh, host: &str) -> Self {
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
            first: 0,
            problems: Vec::new(),
            confinement: None,
            refused_setting: None,
        }
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

    /// Its devices, as they stand in a list of all machines' devices from this number on.
    pub(super) fn listed_from(&mut self, first: usize) -> Vec<DeviceInfo> {
        self.first = first;
        if let Some(process) = &mut self.process {
            process.first_device = first;
        }
        let listed = |info: &DeviceInfo| DeviceInfo { index: info.index + first, host: self.launch.host.clone(), ..info.clone() };
        self.devices.iter().map(listed).collect()
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
    fn process(&mut self) -> Result<&mut Process> {
        // One that came to an end while nothing was asked costs nothing.
        let process = match self.process.take().and_then(Process::if_running) {
            Some(process) => process,
            None => self.started()?,
        };
        Ok(self.process.insert(process))
    }

    /// Another worker, which knows the same devices by the same numbers.
    fn started(&self) -> Result<Process> {
        let mut process = Process::start(&self.launch)?;
        process.first_device = self.first;
        if !self.devices.is_empty() {
            let (answer, _) = process.ask(Question::Rescan, text("errors.apart.scanning"), self.patience, &());
            match answer? {
                Answer::Devices(Ok(found), ..) if found == self.devices => {}
                Answer::Devices(..) => return Err(failed("errors.apart.other-devices", &[])),
                _ => return Err(other_answer()),
            }
        }
        Ok(process)
    }

    /// As [`Apart::ask`] where the task runs for the first time: kernels that a person edits never end now and then.
    fn ask_of(
        &mut self,
        task: &Task,
        doing: &str,
        progress: &dyn Progress,
        question: impl FnOnce(&mut Process) -> std::io::Result<Question>,
    ) -> Result<Answer> {
        let patience = self.patience;
        if matches!(task.text, KernelText::Edited(_)) {
            self.patience.answer = patience.answer.min(EDITED);
            self.patience.stop = patience.stop.min(EDITED_STOP);
        }
        let answer = self.ask(doing, progress, question);
        self.patience = patience;
        answer
    }

    /// Asks what `question` makes, which may lay down pictures for it. A worker that ended over it is forgotten.
    fn ask(
        &mut self,
        doing: &str,
        progress: &dyn Progress,
        question: impl FnOnce(&mut Process) -> std::io::Result<Question>,
    ) -> Result<Answer> {
        let patience = self.patience;
        let process = self.process()?;
        let question = match question(process) {
            Ok(question) => question,
            Err(error) => {
                // It has not heard of the pictures before the one that had no room.
                process.laid.clear();
                process.sent = Sent::new(SOURCES);
                return Err(no_room(&error));
            }
        };
        let (answer, is_well) = process.ask(question, doing, patience, progress);
        process.laid.clear();
        if answer.is_err() {
            // It may not have taken up all pictures. What it has already is taken from the memory of it, whatever is sent.
            process.sent = Sent::new(SOURCES);
        }
        // Another one opens the device anew.
        if !is_well || answer.as_ref().is_err_and(|error| error.kind == ErrorKind::Lost) {
            self.process = None;
        }
        answer
    }

    /// The picture that the worker has laid down, or had sent before.
    fn received<T>(&mut self, take: impl FnOnce(&mut Process) -> std::io::Result<T>) -> Result<T> {
        let process = self.process.as_mut().ok_or_else(other_answer)?;
        take(process).map_err(|error| {
            self.process = None;
            failed("errors.apart.no-picture", &[("why", &error)])
        })
    }

    /// "running `coalesced` of Laplace sharpen, RGB on PoCL": what a worker that ends was doing.
    fn doing(&self, key: &'static str, task: &Task) -> String {
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
        self.devices.get(self.there(index)).map_or_else(|| format!("{index}"), DeviceInfo::display_name)
    }

    /// The worker's own number of a device.
    fn there(&self, index: usize) -> usize {
        index.saturating_sub(self.first)
    }
}

fn sent_task(process: &mut Process, task: &Task) -> std::io::Result<SentTask> {
    let Task { spec, picture, target, text } = task;
    let picture = send(&mut process.sent, &mut process.laid, picture.id, &picture.picture)?;
    let mut target = *target;
    if let Target::Device { index, .. } = &mut target {
        *index = index.saturating_sub(process.first_device);
    }
    Ok(SentTask { spec: spec.clone(), picture, target, text: text.clone() })
}

fn sent_proof(process: &mut Process, proof: &Proof) -> std::io::Result<SentProof> {
    Ok(SentProof::of(sent_task(process, proof.task())?, proof))
}

fn no_room(error: &std::io::Error) -> Error {
    failed("errors.apart.no-room", &[("why", error)])
}

/// Both sides speak the same [`VERSION`](super::message::VERSION): an answer to something else is a defect.
fn other_answer() -> Error {
    failed("errors.apart.other-answer", &[])
}

impl Backend for Apart {
    fn rescan(&mut self) -> std::result::Result<Vec<DeviceInfo>, NoDevice> {
        // Drivers that were installed since are found by a process that has none of them loaded.
        self.process = None;
        self.devices.clear();
        match self.ask(text("errors.apart.scanning"), &(), |_| Ok(Question::Rescan)) {
            Ok(Answer::Devices(found, problems, confinement)) => {
                self.confinement = Some(confinement);
                self.devices = found.clone().unwrap_or_default();
                self.problems = problems.into_iter().chain(cache_notice()).chain(self.refused_setting.clone()).collect();
                found
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

    fn scanned(&self) -> Scanned {
        Scanned { problems: self.problems.clone(), confinement: self.confinement, ..Scanned::default() }
    }

    fn execute(&mut self, task: &Task, progress: &dyn Progress) -> Result<Executed> {
        let doing = self.doing("errors.apart.running", task);
        let answer = self.ask_of(task, &doing, progress, |process| Ok(Question::Execute(sent_task(process, task)?)))?;
        let Answer::Executed(run) = answer else { return Err(other_answer()) };
        let output = self.received(|process| {
            let output = Arc::new(run.output.picture()?);
            process.received(&output);
            Ok(output)
        })?;
        Ok(run.with_output(output))
    }

    fn verify(&mut self, task: &Task, executed: &Executed, progress: &dyn Progress) -> Result<Verified> {
        let doing = self.doing("errors.apart.verifying", task);
        let answer = self.ask(&doing, progress, |process| {
            let task = sent_task(process, task)?;
            // It is kept there for one check.
            let last = std::mem::take(&mut process.last_output);
            if std::ptr::eq(last.as_ptr(), Arc::as_ptr(&executed.output)) {
                return Ok(Question::Verify(task, Output::Last));
            }
            let output = process.laid.lay(&executed.output)?;
            Ok(Question::Verify(task, Output::Of(Box::new(executed.clone().with_output(output)))))
        })?;
        let Answer::Verified(verification, reference, proof) = answer else { return Err(other_answer()) };
        let reference = self.received(|process| receive(&mut process.references, &reference, |picture| picture))?;
        let proof = proof.map(|proof| proof.of_task(task)).transpose()?;
        Ok(Verified { verification, reference, proof })
    }

    fn measure(&mut self, proof: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Record> {
        let doing = self.doing("errors.apart.measuring", proof.task());
        let answer = self.ask(&doing, progress, |process| Ok(Question::Measure(sent_proof(process, proof)?, budget)))?;
        let Answer::Measured(record) = answer else { return Err(other_answer()) };
        proof.task().picture.learn(&record.picture);
        Ok(*record)
    }

    fn glance(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<f64> {
        let doing = self.doing("errors.apart.measuring", proof.task());
        match self.ask(&doing, progress, |process| Ok(Question::Glance(sent_proof(process, proof)?)))? {
            Answer::Glanced(time_ns) => Ok(time_ns),
            _ => Err(other_answer()),
        }
    }

    fn refused(&mut self, task: &Task, why: &Error) -> Record {
        engine::refused(task, |index| engine::machine(self.devices.get(self.there(index)), index), why)
    }

    fn compare(&mut self, first: &Proof, second: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        let doing = self.doing("errors.apart.measuring", second.task());
        let answer = self.ask(&doing, progress, |process| {
            Ok(Question::Compare(Box::new(sent_proof(process, first)?), Box::new(sent_proof(process, second)?), budget))
        })?;
        let Answer::Compared(compared) = answer else { return Err(other_answer()) };
        Ok(*compared)
    }

    fn compiled(&mut self, task: &Task) -> Result<Arc<Compiled>> {
        let doing = self.doing("errors.apart.compiling", task);
        match self.ask(&doing, &(), |process| Ok(Question::Compiled(sent_task(process, task)?)))? {
            Answer::Compiled(compiled) => Ok(compiled),
            _ => Err(other_answer()),
        }
    }

    fn simulate(&mut self, task: &Task, progress: &dyn Progress) -> Result<Simulated> {
        simulator::simulate(&this_program(), task, progress)
    }

    fn known_roofs(&mut self, device: usize) -> Option<Arc<Roofs>> {
        let there = self.there(device);
        match self.ask(text("errors.apart.looking"), &(), |_| Ok(Question::KnownRoofs(there))) {
            Ok(Answer::Roofs(roofs)) => roofs,
            _ => None,
        }
    }

    fn measure_roofs(&mut self, device: usize, progress: &dyn Progress) -> Result<Arc<Roofs>> {
        let doing = filled("errors.apart.measuring-roofs", &[("device", &self.device(device))]);
        let there = self.there(device);
        match self.ask(&doing, progress, |_| Ok(Question::MeasureRoofs(there)))? {
            Answer::Roofs(Some(roofs)) => Ok(roofs),
            _ => Err(other_answer()),
        }
    }

    fn tidy(&mut self) -> bool {
        // There is nothing to tidy up where nothing was done.
        self.process = self.process.take().and_then(Process::if_running);
        self.process.is_some() && matches!(self.ask(text("errors.apart.saving"), &(), |_| Ok(Question::Tidy)), Ok(Answer::Tidied(true)))
    }

    fn objects_created(&mut self) -> u64 {
        match self.ask(text("errors.apart.looking"), &(), |_| Ok(Question::ObjectsCreated)) {
            Ok(Answer::Objects(count)) => count,
            _ => 0,
        }
    }

    fn prove(&mut self, task: &Task, progress: &dyn Progress) -> Result<Proof> {
        let doing = self.doing("errors.apart.running", task);
        match self.ask(&doing, progress, |process| Ok(Question::Prove(sent_task(process, task)?)))? {
            Answer::Proven(proof) => proof.of_task(task),
            _ => Err(other_answer()),
        }
    }
}
