//! Measuring the rows of `kernel-ladder bench`, and where they go.

use super::Plan;
use super::report::{Entry, Group};
use crate::cli::output::TerminalProgress;
use crate::cpu::CpuEngine;
use crate::device::HostMemory;
use crate::engine::{Compared, Engine, PictureRef, Progress as _, Target, Task};
use crate::error::{Error, Result};
use crate::image;
use crate::measure::{self, Reading, ReadingState};
use crate::stages::Setting;
use crate::worker::Backend as _;
use std::path::Path;
use std::sync::Arc;

/// Where rows go as soon as they are there.
pub struct Sink<'a> {
    /// Written anew after each row.
    pub csv: Option<&'a Path>,
    /// All rows so far.
    pub readings: Vec<Reading>,
    /// For each reading, how it compares with the row above, where that was asked.
    pub compared: Vec<Option<Result<Compared>>>,
}

impl Sink<'_> {
    fn push(&mut self, entry: &Entry) -> Result<()> {
        self.readings.push(entry.reading.clone());
        self.compared.push(entry.compared.clone());
        self.write()
    }

    /// The whole file anew: it is small, and complete after every row.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<()> {
        let Some(path) = self.csv else { return Ok(()) };
        let file = std::fs::File::create(path).map_err(|error| {
            let remedy = format!("choose a folder that exists and that you may write to: {}", path.display());
            Error::failed("The CSV file could not be written", error.to_string(), remedy)
        })?;
        measure::write_csv(&self.readings, file)
    }

    /// A row that failed is a failure of the whole run; one that is not supported is not.
    ///
    /// # Errors
    /// Some rows failed.
    pub fn verdict(&self) -> Result<()> {
        let failures = self.readings.iter().filter_map(|reading| match &reading.state {
            ReadingState::Failed(reason) => Some(format!("{}: {reason}", reading.label())),
            _ => None,
        });
        let failures: Vec<_> = failures.collect();
        if failures.is_empty() {
            return Ok(());
        }
        let why = format!("{} of {} rows failed", failures.len(), self.readings.len());
        Err(Error::failed("The measurement is not complete", why, "the rows name their reasons").with_detail(failures.join("\n")))
    }
}

/// Measures a plan's rows.
pub struct Bench<'a> {
    /// What measures.
    pub engine: &'a mut Engine,
    /// What is to be measured.
    pub plan: &'a Plan,
    /// What is going on.
    pub progress: TerminalProgress,
    /// Rows done.
    pub done: usize,
    /// All rows.
    pub total: usize,
    /// Whether each row is compared with the row above.
    pub compare: bool,
}

impl Bench<'_> {
    /// The CPU competitors, then every device's rows.
    ///
    /// # Errors
    /// Only where a row cannot be written.
    pub fn measure_size(&mut self, (width, height): (usize, usize), sink: &mut Sink<'_>) -> Result<Vec<Group>> {
        let plan = self.plan;
        self.progress.job = format!("{width} x {height}");
        self.progress.report(0, 1, "Making the picture");
        let picture = match &plan.picture {
            Some((_, picture)) if (picture.width_px(), picture.height_px()) == (width, height) => picture.clone(),
            Some((_, picture)) => image::tile(picture, width, height),
            None => image::generate(width, height, plan.setting.channels, 1),
        };
        let picture = PictureRef::new(Arc::new(picture));
        let mut cpu = Vec::new();
        for engine in CpuEngine::ALL {
            let entry = Entry { reading: self.measure(&self.task(&picture, Target::Cpu(engine)))?, step: None, compared: None };
            sink.push(&entry)?;
            cpu.push(entry);
        }
        let mut groups = Vec::new();
        for info in &plan.devices {
            let entries = self.measure_device(info.index, &picture, sink)?;
            groups.push(Group { device: info.clone(), cpu: cpu.clone(), entries });
        }
        Ok(groups)
    }

    fn measure_device(&mut self, index: usize, picture: &PictureRef, sink: &mut Sink<'_>) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        let mut above: Option<Task> = None;
        let plan = self.plan;
        let sizes = |&(variant, step)| plan.locals.iter().map(move |&local| (variant, step, local));
        let rows = plan.variants.iter().flat_map(sizes).flat_map(|row| plan.memories.iter().map(move |&memory| (row, memory)));
        for ((variant, step, local), host_memory) in rows {
            let task = Task { host_memory, ..self.task(picture, Target::Device { index, variant, local }) };
            let reading = self.measure(&task)?;
            let is_there = reading.measured().is_some();
            let compared = above.as_ref().filter(|_| self.compare && is_there).map(|above| self.compare(above, &task));
            let entry = Entry { reading, step, compared };
            sink.push(&entry)?;
            entries.push(entry);
            // A row without figures is passed over.
            above = if is_there { Some(task) } else { above };
        }
        Ok(entries)
    }

    fn task(&self, picture: &PictureRef, target: Target) -> Task {
        let Setting { channels, border, .. } = self.plan.setting;
        Task {
            filter: self.plan.filter,
            parameters: self.plan.parameters.clone(),
            picture: picture.clone(),
            channels,
            border,
            target,
            host_memory: HostMemory::Copy,
        }
    }

    fn measure(&mut self, task: &Task) -> Result<Reading> {
        self.done += 1;
        self.name_job(task);
        self.engine.measure(task, self.plan.budget, &self.progress)
    }

    fn compare(&mut self, above: &Task, task: &Task) -> Result<Compared> {
        self.name_job(task);
        self.engine.compare(above, task, self.plan.budget, &self.progress)
    }

    fn name_job(&mut self, task: &Task) {
        let what = match task.target {
            Target::Cpu(engine) => engine.label().to_owned(),
            Target::Device { variant, .. } => variant.to_string(),
        };
        let (width, height) = (task.picture.picture.width_px(), task.picture.picture.height_px());
        self.progress.job = format!("[{}/{}] {width} x {height} {what}:", self.done, self.total);
    }
}
