//! The side that asks: a [`Backend`] whose engine is elsewhere.

use super::frame::LONGEST_BYTES;
use super::install::install;
use super::launch::{Environment, Launch, Ssh, this_program};
use super::message::{Answer, Output, Proven, Question, SentProof, SentTask};
use super::pictures::{Form, SOURCES, Sent, receive, send};
use super::process::{ANSWER_BYTES, DEVICES_BYTES, Limits, Patience, Process, last_line};
use super::simulator;
use super::starts::Starts;
use crate::compiled::Compiled;
use crate::device::{DeviceInfo, NoDevice, cache_notice};
use crate::engine::{self, Backend, Compared, Executed, KernelText, Proof, Scanned, Simulated, Target, Task, Verified};
use crate::error::{Error, ErrorKind, Result};
use crate::filters;
use crate::image::Picture;
use crate::measure::{MIN_PAIRS, Progress};
use crate::model::{Budget, Confinement, Labelled, Record, Roofs};
use crate::texts::{failed, filled, joined, speaking_keys, text};
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
pub struct Apart {
    launch: Launch,
    patience: Patience,
    process: Option<Process>,
    /// Of the last scan, by the worker's own numbers.
    devices: Vec<DeviceInfo>,
    /// The number of its first device in the list of all machines' devices.
    first: usize,
    /// What they can do at most, as far as that was asked, by the worker's own numbers. A device without an entry is asked.
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
            first: 0,
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
        Self { devices: self.devices.clone(), first: self.first, ..apart }
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
        self.process.is_some() && matches!(self.ask(text("errors.apart.saving"), &(), |_| Ok(Question::Tidy)), Ok(Answer::Tidied(true)))
    }

    /// One process's share of a comparison.
    pub(super) fn compare_in_one_start(
        &mut self,
        first: &Proof,
        second: &Proof,
        share: Budget,
        progress: &dyn Progress,
    ) -> Result<Compared> {
        let doing = self.doing("errors.apart.measuring", second.task());
        let answer = self.ask(&doing, progress, |process| {
            Ok(Question::Compare(Box::new(sent_proof(process, first)?), Box::new(sent_proof(process, second)?), share))
        })?;
        let Answer::Compared(compared) = answer else { return Err(other_answer()) };
        Ok(*compared)
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
        let host = &self.launch.host;
        let listed = |info: &DeviceInfo| DeviceInfo { index: info.index + first, host: host.clone(), ..info.clone() };
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
        process.first_device = self.first;
        if !self.devices.is_empty() {
            let limits = Limits { bytes: self.most_bytes(DEVICES_BYTES), ..self.limits() };
            let (answer, _) = process.ask(Question::Rescan, text("errors.apart.scanning"), limits, progress);
            let Answer::Devices(found, ..) = answer? else { return Err(other_answer()) };
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
    fn limits(&self) -> Limits {
        Limits { patience: self.patience, in_all: None, bytes: self.most_bytes(ANSWER_BYTES) }
    }

    /// The same for an answer with a picture in it.
    fn limits_with(&self, form: Form) -> Limits {
        let picture = u32::try_from(form.most_bytes()).unwrap_or(LONGEST_BYTES);
        Limits { bytes: self.most_bytes(ANSWER_BYTES.saturating_add(picture).min(LONGEST_BYTES)), ..self.limits() }
    }

    /// How many bytes a message may have: that from another machine so many, and one from this program's own worker as many as there may ever be.
    fn most_bytes(&self, of_host: u32) -> u32 {
        if self.launch.host.is_some() { of_host } else { LONGEST_BYTES }
    }

    /// Asks what `question` makes, see [`Apart::ask_within`].
    fn ask(
        &mut self,
        doing: &str,
        progress: &dyn Progress,
        question: impl FnOnce(&mut Process) -> std::io::Result<Question>,
    ) -> Result<Answer> {
        self.ask_within(self.limits(), doing, progress, question)
    }

    /// Asks what `question` makes, which may lay down pictures for it. A worker that ended over it is forgotten.
    fn ask_within(
        &mut self,
        limits: Limits,
        doing: &str,
        progress: &dyn Progress,
        question: impl FnOnce(&mut Process) -> std::io::Result<Question>,
    ) -> Result<Answer> {
        let process = self.process(progress)?;
        let question = match question(process) {
            Ok(question) => question,
            Err(error) => {
                // It has not heard of the pictures before the one that had no room.
                process.laid.clear();
                process.sent = Sent::new(SOURCES);
                return Err(no_room(&error));
            }
        };
        let (answer, is_well) = process.ask(question, doing, limits, progress);
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

    /// The picture that the worker has laid down for a task, or had sent before.
    fn received(&mut self, task: &Task, take: impl FnOnce(&mut Process) -> std::io::Result<Arc<Picture>>) -> Result<Arc<Picture>> {
        let process = self.process.as_mut().ok_or_else(other_answer)?;
        let picture = take(process).and_then(|picture| {
            let (form, wanted) = (Form::of(&picture), Form::of_output(task));
            if form == wanted { Ok(picture) } else { Err(std::io::ErrorKind::InvalidData.into()) }
        });
        picture.map_err(|error| {
            self.process = None;
            failed("errors.apart.no-picture", &[("why", &error)])
        })
    }

    /// "running `coalesced` of Laplace sharpen, RGB on PoCL": what a worker that ends was doing, by keys: the row that it costs is kept.
    fn doing(&self, key: &'static str, task: &Task) -> String {
        speaking_keys(|| self.doing_now(key, task))
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
        self.devices.get(self.there(index)).map_or_else(|| format!("{index}"), DeviceInfo::display_name)
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
    Ok(SentProof { task: sent_task(process, proof.task())?, proven: Proven::of(proof) })
}

/// The devices of a worker, by their places: what it says of their numbers is not needed.
fn numbered(found: Vec<DeviceInfo>) -> Vec<DeviceInfo> {
    found.into_iter().take(MOST_DEVICES).enumerate().map(|(index, info)| DeviceInfo { index, ..info }).collect()
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
        self.end_starts();
        self.devices.clear();
        self.roofs.clear();
        self.has_others = false;
        let limits = Limits { bytes: self.most_bytes(DEVICES_BYTES), ..self.limits() };
        match self.ask_within(limits, text("errors.apart.scanning"), &(), |_| Ok(Question::Rescan)) {
            Ok(Answer::Devices(found, problems, confinement)) => {
                self.confinement = Some(confinement);
                let found = found.map(numbered);
                self.devices = found.clone().unwrap_or_default();
                let found = found.map(|_| self.listed_from(self.first));
                let problems = problems.into_iter().take(MOST_DEVICES);
                self.problems = problems.chain(cache_notice()).chain(self.refused_setting.clone()).collect();
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

    fn has_other_devices(&self) -> bool {
        self.has_others
    }

    fn scanned(&self) -> Scanned {
        Scanned { problems: self.problems.clone(), confinement: self.confinement, ..Scanned::default() }
    }

    fn execute(&mut self, task: &Task, progress: &dyn Progress) -> Result<Executed> {
        let doing = self.doing("errors.apart.running", task);
        let mut limits = self.limits_with(Form::of_output(task));
        // Kernels that a person edits never end now and then.
        let is_edited = matches!(task.text, KernelText::Edited(_));
        if is_edited {
            limits.patience.answer = limits.patience.answer.min(EDITED);
            limits.patience.stop = limits.patience.stop.min(EDITED_STOP);
        }
        let answer = self.ask_within(limits, &doing, progress, |process| {
            if is_edited {
                process.listen();
            }
            Ok(Question::Execute(sent_task(process, task)?))
        })?;
        let Answer::Executed(mut run) = answer else { return Err(other_answer()) };
        if is_edited && let Some(process) = &self.process {
            run.printed = process.printed();
        }
        let output = self.received(task, |process| {
            let output = Arc::new(run.output.picture(process.carriage)?);
            process.received(&output);
            Ok(output)
        })?;
        Ok(run.with_output(output))
    }

    fn verify(&mut self, task: &Task, executed: &Executed, progress: &dyn Progress) -> Result<Verified> {
        let doing = self.doing("errors.apart.verifying", task);
        let limits = self.limits_with(Form::of_output(task));
        let answer = self.ask_within(limits, &doing, progress, |process| {
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
        let reference = self.received(task, |process| receive(&mut process.references, &reference, process.carriage, |picture| picture))?;
        let proof = proof.map(|proven| proven.of_task(task)).transpose()?;
        Ok(Verified { verification, reference, proof })
    }

    fn measure(&mut self, proof: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Record> {
        let doing = self.doing("errors.apart.measuring", proof.task());
        let answer = self.ask(&doing, progress, |process| Ok(Question::Measure(sent_proof(process, proof)?, budget)))?;
        let Answer::Measured(record) = answer else { return Err(other_answer()) };
        let (task, is_host) = (proof.task(), self.launch.host.is_some());
        let (of, asked) = (&record.spec, &task.spec);
        let is_of = (of.filter, of.channels, of.border) == (asked.filter, asked.channels, asked.border) && task.target.is_of(&record);
        // Another machine is not asked what this one's pictures are.
        if is_host && !(is_of && record.picture == task.picture.facts()) {
            return Err(other_answer());
        }
        task.picture.learn(&record.picture);
        if let (Target::Device { index, .. }, Some(_)) = (task.target, record.measured().and_then(|measured| measured.roofline.as_ref())) {
            // Somebody has measured its roofs since.
            let there = self.there(index);
            self.roofs.retain(|(device, known)| *device != there || known.is_some());
        }
        if matches!(task.target, Target::Cpu(_)) {
            self.processor = Some(record.machine.device.clone());
        }
        Ok(self.named(*record))
    }

    fn glance(&mut self, proof: &Proof, progress: &dyn Progress) -> Result<f64> {
        let doing = self.doing("errors.apart.measuring", proof.task());
        match self.ask(&doing, progress, |process| Ok(Question::Glance(sent_proof(process, proof)?)))? {
            Answer::Glanced(time_ns) => Ok(time_ns),
            _ => Err(other_answer()),
        }
    }

    fn refused(&mut self, task: &Task, why: &Error) -> Record {
        let mut record = engine::refused(task, |index| engine::machine(self.devices.get(self.there(index)), index), why);
        if self.launch.host.is_some() && matches!(task.target, Target::Cpu(_)) {
            // What this machine has says nothing of that one.
            record.machine.device = self.processor.clone().unwrap_or_else(|| "CPU".to_owned());
        }
        self.named(record)
    }

    fn compare(&mut self, first: &Proof, second: &Proof, budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        let mut starts = vec![self.compare_in_one_start(first, second, budget.share(true, MIN_PAIRS), progress)?];
        if budget.starts > 1 {
            // What was built is in the cache then, where the others find it.
            while self.saves_programs() {}
            let mut others = std::mem::take(&mut self.starts);
            let compared = others.compare(|| self.another(), [first.task(), second.task()], budget, progress);
            self.problems.extend(others.take_problem());
            self.starts = others;
            starts.extend(compared?);
        }
        Compared::of_starts(starts).ok_or_else(other_answer)
    }

    fn compiled(&mut self, task: &Task, progress: &dyn Progress) -> Result<Arc<Compiled>> {
        let doing = self.doing("errors.apart.compiling", task);
        match self.ask(&doing, progress, |process| Ok(Question::Compiled(sent_task(process, task)?)))? {
            Answer::Compiled(compiled) => Ok(compiled),
            _ => Err(other_answer()),
        }
    }

    fn note_code(&mut self, task: &Task, progress: &dyn Progress) -> Result<()> {
        let doing = self.doing("errors.apart.compiling", task);
        match self.ask(&doing, progress, |process| Ok(Question::NoteCode(sent_task(process, task)?)))? {
            Answer::CodeNoted => Ok(()),
            _ => Err(other_answer()),
        }
    }

    fn simulate(&mut self, task: &Task, progress: &dyn Progress) -> Result<Simulated> {
        simulator::simulate(&this_program(), task, progress)
    }

    fn known_roofs(&mut self, device: usize, progress: &dyn Progress) -> Option<Arc<Roofs>> {
        let there = self.there(device);
        if let Some((_, known)) = self.roofs.iter().find(|(device, _)| *device == there) {
            return known.clone();
        }
        let limits = Limits { in_all: self.launch.host.is_some().then_some(KNOWN), ..self.limits() };
        let known = match self.ask_within(limits, text("errors.apart.looking"), progress, |_| Ok(Question::KnownRoofs(there))) {
            Ok(Answer::Roofs(roofs)) => roofs.map(|roofs| self.named_roofs(roofs)),
            // It is asked once more another time.
            Err(error) if error.is_cancelled() => return None,
            _ => None,
        };
        self.roofs.push((there, known.clone()));
        known
    }

    fn measure_roofs(&mut self, device: usize, progress: &dyn Progress) -> Result<Arc<Roofs>> {
        let doing = filled("errors.apart.measuring-roofs", &[("device", &self.device(device))]);
        let there = self.there(device);
        match self.ask(&doing, progress, |_| Ok(Question::MeasureRoofs(there)))? {
            Answer::Roofs(Some(roofs)) => {
                // What other work disturbed is not kept there; what is, is asked again.
                self.roofs.retain(|(device, _)| *device != there);
                Ok(self.named_roofs(roofs))
            }
            _ => Err(other_answer()),
        }
    }

    fn tidy(&mut self) -> bool {
        // Nobody compares any more: what they hold is the device's memory.
        self.end_starts();
        self.saves_programs()
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
            Answer::Proven(proven) => proven.of_task(task),
            _ => Err(other_answer()),
        }
    }
}
