//! What the worker says, taken into the state.

use super::action::Command;
use super::history::Row;
use super::history_file::{HistoryJob, Kept};
use super::nav::Section;
use super::notice::{Notice, Severity, Topic};
use super::panes::Pane;
use super::settings::Place;
use super::start::Start;
use super::state::{Effect, FileJob, Job, Shown, State};
use super::studies::Studies;
use crate::runner::Update;
use base::error::{Error, Result};
use base::texts::{filled, joined, text};
use engine::device::{DeviceInfo, NoDevice, install_help};
use engine::{Executed, Scanned, Target, Task};
use model::CpuEngine;
use study::{Finding, Probe};

/// Pictures up to this many pixels get the CPU competitors' bars without being asked; larger ones would keep the processor busy too long.
const MAX_PIXELS_UNASKED: usize = 6_000_000;

/// A row that other programs disturb once more and once more stays as it is: on a machine that is never quiet this would not end.
const MAX_RETAKES: u8 = 2;

impl State {
    /// Takes an update of the worker in.
    pub(super) fn absorb(&mut self, update: Update) -> Vec<Effect> {
        match update {
            Update::Devices(found) => return self.take_devices(found),
            Update::MoreDevices(devices) => return self.take_more_devices(devices),
            Update::Carried { device, sent, received } => drop(self.carried.insert(device, (sent, received))),
            Update::Scanned(scanned) => self.take_scanned(scanned),
            Update::Rendered { id, executed } => self.take_rendered(id, *executed),
            Update::Verified { id, verified } => {
                if let Some(shown) = self.shown.as_mut().filter(|shown| shown.id == id) {
                    shown.verified = Some(*verified);
                }
            }
            Update::Found(id, finding) => return self.take_finding(id, finding),
            Update::Told { id, story } => self.studies.take_story(id, *story),
            Update::Tested { id, tested } => self.experiments.take(id, *tested),
            Update::Roofs(roofs) => self.take_roofs(roofs),
            Update::Compiled(looked) => self.looks.take(looked),
            Update::Progress { id, done, total, text } => {
                if let Some(pending) = self.pending.iter_mut().find(|pending| pending.id == id) {
                    pending.progress = Some((done, total, text));
                }
            }
            Update::Tried { id, tried } => self.trials.take(id, *tried),
            Update::Project { id, news } => self.take_project_news(id, news),
            Update::Finished { id, result } => return self.finish(id, result),
            Update::Restarted(error) => {
                self.pending.clear();
                self.studies.end_all();
                self.experiments.end(None);
                self.end_all_of_project();
                self.notices.error(Topic::Request, error, vec![Command::Rescan]);
            }
        }
        Vec::new()
    }

    fn take_finding(&mut self, id: u64, finding: Finding) -> Vec<Effect> {
        let is_of_study = self.studies.take_finding(id, &finding);
        match finding {
            // What a study measures is no reading of the person's, nor are its pictures.
            Finding::Record(..) if is_of_study => {}
            Finding::Record(task, record) => {
                self.note_first_time(&task);
                let kept = self.history.is_read().then(|| Effect::Files(FileJob::History(HistoryJob::Append(record.clone()))));
                self.history.push(task, *record);
                return kept.into_iter().collect();
            }
            Finding::Compared(pair, Ok(compared)) => {
                // What is compared with another text is no variant.
                if pair.0.text.is_composed() && pair.1.text.is_composed() && !self.experiments.is_of(id) {
                    self.take_switch(id, &pair, &compared);
                    let effects = self.take_outcome(&pair, &compared);
                    self.compared.push((*pair, compared));
                    return effects;
                }
            }
            Finding::Roofs(roofs) => self.take_roofs(roofs),
            // The study itself draws conclusions from it.
            Finding::Code(..) | Finding::Frames(..) | Finding::Split(..) | Finding::Compared(_, Err(_)) | Finding::Glanced(..) => {}
        }
        Vec::new()
    }

    /// Takes the readings of earlier sessions in, and keeps what was measured before they were there.
    pub(super) fn take_history(&mut self, kept: Kept) -> Vec<Effect> {
        self.notices.damaged(Topic::History, &kept);
        self.history.take_earlier(kept.lines, kept.foreign);
        let append = |row: &Row| Effect::Files(FileJob::History(HistoryJob::Append(Box::new(row.record.clone()))));
        self.history.rows().iter().map(append).collect()
    }

    /// What changes the file of readings, once it is known.
    pub(super) fn keep_history(&self, job: HistoryJob) -> Vec<Effect> {
        if self.history.is_read() { vec![Effect::Files(FileJob::History(job))] } else { Vec::new() }
    }

    fn take_rendered(&mut self, id: u64, executed: Executed) {
        let task = self.pending.iter().find_map(|pending| match &pending.job {
            Job::Show(task) if pending.id == id => Some((**task).clone()),
            _ => None,
        });
        let Some(task) = task else { return };
        self.forget_shows_before(id);
        self.notices.settle(Topic::Request);
        self.without_picture = None;
        self.shown = Some(Shown { id, task, executed, verified: None });
    }

    /// Shows that were replaced before they began end without a word.
    fn forget_shows_before(&mut self, id: u64) {
        self.pending.retain(|pending| pending.id >= id || !matches!(pending.job, Job::Show(_)));
    }

    fn finish(&mut self, id: u64, result: Result<()>) -> Vec<Effect> {
        let is_show = self.pending.iter().any(|pending| pending.id == id && matches!(pending.job, Job::Show(_)));
        if is_show {
            self.forget_shows_before(id);
            let is_rendered = self.shown.as_ref().is_some_and(|shown| shown.id == id);
            let is_failure = result.as_ref().is_err_and(|error| !error.is_cancelled());
            self.without_picture = (is_failure && !is_rendered).then_some(id);
        }
        self.pending.retain(|pending| pending.id != id);
        self.studies.end(id, result.is_ok());
        let next = if result.is_ok() { self.go_on_testing(id) } else { Vec::new() };
        self.experiments.end(Some(id));
        self.end_project(id);
        self.trials.end(id, result.as_ref().is_err_and(Error::is_cancelled));
        let mut kept = self.keep_found(id);
        kept.extend(self.keep_answered(id));
        kept.extend(next);
        if result.is_ok() {
            kept.extend(self.go_on_at_start(id));
        } else {
            self.stop_start(id);
        }
        match result {
            Err(error) => self.notices.error(Topic::Request, error, Vec::new()),
            Ok(()) if self.ladder_request == Some(id) => self.bring_in_front(Pane::Verdicts),
            Ok(()) if is_show => {
                // What a task waits for goes before what nobody waits for.
                let mut effects = self.measure_task_unasked(true);
                effects.extend(self.measure_cpu_unasked());
                if !effects.is_empty() {
                    kept.extend(effects);
                    return kept;
                }
            }
            Ok(()) => kept.extend(self.measure_task_unasked(false)),
        }
        if !self.disturbed().is_empty() || self.disturbed_roofs().is_some() {
            kept.push(Effect::RetakeSoon);
        }
        kept
    }

    /// Takes the rows on the screen that other programs disturbed again, when nothing else is to be done: at most [`MAX_RETAKES`] times each.
    pub(super) fn retake(&mut self) -> Vec<Effect> {
        let tasks = self.disturbed();
        for task in &tasks {
            match self.retaken.iter_mut().find(|(known, _)| known == task) {
                Some((_, times)) => *times += 1,
                None => self.retaken.push((task.clone(), 1)),
            }
        }
        let roofs = self.disturbed_roofs();
        self.roofs_retaken.extend(roofs);
        let probes = tasks.into_iter().map(Probe::Measure).chain(roofs.map(Probe::Roofs)).collect();
        self.bench(text("window.job.repeating"), probes)
    }

    /// The device whose roofs are to be measured again, once: other programs ran when they were, and did not during the last reading there.
    fn disturbed_roofs(&self) -> Option<usize> {
        let is_free = self.is_at_rest() && self.section != Section::Kernels;
        let device = self.device_or_first().filter(|_| is_free)?;
        let is_disturbed = self.device_roofs(device).is_some_and(|roofs| roofs.is_busy());
        let is_there = |row: &&Row| matches!(row.task.target, Target::Device { index, .. } if index == device.index);
        let is_quiet = self.history.rows().iter().rev().find(is_there).is_some_and(|row| !row.record.is_busy());
        (is_disturbed && is_quiet && !self.roofs_retaken.contains(&device.index)).then_some(device.index)
    }

    /// What is to be taken again: the newest readings of this picture and spec that were disturbed and not yet taken again often enough. None while
    /// anything is pending.
    fn disturbed(&self) -> Vec<Task> {
        let Some(now) = self.task() else { return Vec::new() };
        // Nobody sees them where kernels of a person's own are tuned, and they would disturb that.
        if !self.is_at_rest() || self.section == Section::Kernels {
            return Vec::new();
        }
        let mut tasks: Vec<Task> = Vec::new();
        for row in self.history.rows() {
            let is_like = (&row.task.spec, &row.task.picture) == (&now.spec, &now.picture);
            let is_newest = self.history.newest_of(&row.task).is_some_and(|newest| newest.id == row.id);
            if is_like && is_newest && row.record.is_busy() && self.times_retaken(&row.task) < MAX_RETAKES {
                tasks.push(row.task.clone());
            }
        }
        tasks
    }

    fn times_retaken(&self, task: &Task) -> u8 {
        self.retaken.iter().find(|(known, _)| known == task).map_or(0, |(_, times)| *times)
    }

    /// Nothing that is in the history now is taken again by itself.
    pub(super) fn give_up_retaking(&mut self) {
        let busy = self.history.rows().iter().filter(|row| row.record.is_busy());
        self.retaken = busy.map(|row| (row.task.clone(), MAX_RETAKES)).collect();
    }

    fn measure_cpu_unasked(&mut self) -> Vec<Effect> {
        let Some(task) = self.task() else { return Vec::new() };
        let (width, height) = task.picture.size();
        let asked = (task.picture, task.spec);
        // Only the Lab's chart shows them.
        if self.section != Section::Lab
            || self.cpu_asked.as_ref() == Some(&asked)
            || width * height > MAX_PIXELS_UNASKED
            || self.has_cpu_records()
        {
            return Vec::new();
        }
        self.cpu_asked = Some(asked);
        self.measure_cpu()
    }

    /// Whether every CPU competitor was measured for what is chosen.
    fn has_cpu_records(&self) -> bool {
        self.choice()
            .filter()
            .competitors()
            .iter()
            .all(|&engine| self.task_on(Target::Cpu(engine)).is_some_and(|task| self.history.newest_of(&task).is_some()))
    }

    /// Devices of another machine join the list: those that are in it keep their numbers, and what is shown stays.
    fn take_more_devices(&mut self, mut more: Vec<DeviceInfo>) -> Vec<Effect> {
        match &mut self.devices {
            Some(Ok(devices)) => devices.append(&mut more),
            // The first device that there is.
            Some(Err(_)) | None if !more.is_empty() => return self.take_devices(Ok(more)),
            Some(Err(_)) | None => {}
        }
        Vec::new()
    }

    /// All problems that there are, in the place of those told before.
    fn take_scanned(&mut self, scanned: Scanned) {
        // What was told already, and perhaps dismissed, is not told again.
        if (&scanned.problems, &scanned.without_program) != (&self.scanned.problems, &self.scanned.without_program) {
            self.notices.settle(Topic::DeviceProblems);
            if !scanned.problems.is_empty() {
                self.notices.push(device_problems(&scanned));
            }
        }
        self.scanned = scanned;
    }

    fn take_devices(&mut self, found: std::result::Result<Vec<DeviceInfo>, NoDevice>) -> Vec<Effect> {
        self.notices.settle(Topic::Devices);
        self.notices.settle(Topic::DeviceProblems);
        if let Err(reason) = &found {
            self.notices.push(no_device(reason));
        }
        self.devices = Some(found);
        self.scanned = Scanned::default();
        self.carried.clear();
        // Another device may have the index now.
        self.compared.clear();
        self.roofs.clear();
        self.studies = Studies::default();
        self.looks.forget();
        self.lesson.open = None;
        let wanted = |devices: &[DeviceInfo]| {
            let by_name = devices.iter().find(|device| Some(&device.name) == self.settings.device.as_ref());
            by_name.or(devices.first()).map(|device| device.index)
        };
        self.place = match (self.settings.cpu, wanted(self.device_list())) {
            (Some(engine), _) => Place::Cpu(engine),
            (None, Some(index)) => Place::Device(index),
            // Not saved: a device that comes back is used again.
            (None, None) => Place::Cpu(CpuEngine::Simd),
        };
        self.start = Start::default();
        self.begin_section().unwrap_or_else(|| self.render())
    }
}

/// Not all is well with the devices that were looked for.
fn device_problems(Scanned { problems, without_program, .. }: &Scanned) -> Notice {
    let what = match problems.len() {
        1 => text("window.notice.one-problem").to_owned(),
        count => filled("window.notice.problems", &[("count", &count)]),
    };
    let error = Error::failed(what, joined("words.list.clauses", problems.iter().cloned()), "");
    let copy = (!without_program.is_empty()).then_some(Command::CopyProgram);
    Notice {
        ways_on: copy.into_iter().chain([Command::Rescan]).collect(),
        ..Notice::from_error(Topic::DeviceProblems, Severity::Warning, error)
    }
}

fn no_device(reason: &NoDevice) -> Notice {
    let help = install_help(reason);
    let steps = help.steps.iter().map(|step| match &step.command {
        Some(command) => {
            format!("{}\n    {}", filled("errors.install.step", &[("system", &step.system), ("hint", command)]), step.hint)
        }
        None => filled("errors.install.step", &[("system", &step.system), ("hint", &step.hint)]),
    });
    let detail = steps.collect::<Vec<_>>().join("\n");
    let error = help.into_error().with_detail(detail);
    Notice { ways_on: vec![Command::Rescan], ..Notice::from_error(Topic::Devices, Severity::Warning, error) }
}
