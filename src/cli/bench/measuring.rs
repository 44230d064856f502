//! Measuring the rows of `kernel-ladder bench`, and where they go.

use super::Why;
use super::planning::{Place, Plan, Row};
use super::report::{self, Entry, Group};
use crate::cli::output::TerminalProgress;
use crate::cli::why::local_used;
use base::error::{Error, ErrorKind, Result};
use base::files;
use base::texts::text;
use engine::device::DeviceInfo;
use engine::{Backend, Compared, KernelText, PictureRef, Target, Task};
use kernels::filters::FilterIdExt;
use model::measure::Progress as _;
use model::{Labelled, Record};
use std::path::Path;
use std::sync::Arc;
use study::verdict;
use study::why::{self, Facts, Pair};
use study::{Prober, experiment};

/// Where rows go as soon as they are there.
pub struct Sink<'a> {
    /// Written anew after each row.
    pub csv: Option<&'a Path>,
    /// All rows so far.
    pub entries: Vec<Entry>,
}

impl Sink<'_> {
    fn push(&mut self, entry: &Entry) -> Result<()> {
        self.entries.push(entry.clone());
        self.write()
    }

    /// The whole file anew: it is small, and complete after every row, also where the next one is interrupted.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<()> {
        let Some(path) = self.csv else { return Ok(()) };
        let mut bytes = Vec::new();
        report::write_csv(&self.entries, &mut bytes)?;
        files::write_atomically(path, &bytes)
    }

    /// A row that failed is a failure of the whole run, and so is a comparison over which a device or a machine was lost; what is not supported is not.
    ///
    /// # Errors
    /// Some rows failed.
    pub fn verdict(&self) -> Result<()> {
        let is_lost = |error: &&Error| error.kind == ErrorKind::Lost;
        verdict::of_rows(self.entries.iter().map(|Entry { reading, compared, tested, .. }| {
            let lost = [compared, tested].into_iter().flatten().filter_map(|compared| compared.as_ref().err()).find(is_lost);
            (reading, lost.map(|error| error.why.as_str()))
        }))
    }
}

/// Measures a plan's rows.
pub struct Bench<'a> {
    /// What measures.
    pub engine: &'a mut dyn Backend,
    /// What is to be measured.
    pub plan: &'a Plan,
    /// What takes the readings.
    pub prober: Prober,
    /// What is going on.
    pub progress: TerminalProgress,
    /// Rows done.
    pub done: usize,
    /// All rows.
    pub total: usize,
    /// Whether each row is compared with the row above.
    pub compare: bool,
    /// Whether a step that nothing is claimed of is.
    pub compare_unclaimed: bool,
    /// How steps are explained.
    pub why: Why,
}

impl Bench<'_> {
    /// The CPU competitors, then every device's rows.
    ///
    /// # Errors
    /// Only where a row cannot be written.
    pub fn measure_size(&mut self, (width, height): (usize, usize), sink: &mut Sink<'_>) -> Result<Vec<Group>> {
        let plan = self.plan;
        self.progress.job = format!("{width} x {height}");
        self.progress.report(0, 1, text("tables.bench.making"));
        let picture = PictureRef::new(Arc::new(plan.picture_of(width, height)));
        let mut cpu = Vec::new();
        for &engine in plan.spec.filter.filter().competitors() {
            let entry = Entry::of(self.measure(&self.task(&picture, Target::Cpu(engine)))?);
            sink.push(&entry)?;
            cpu.push(entry);
        }
        let mut groups = Vec::new();
        for info in &plan.devices {
            let entries = self.measure_device(info, &picture, sink)?;
            let roofs = self.engine.known_roofs(info.index, &self.progress);
            groups.push(Group { device: info.clone(), cpu: cpu.clone(), entries, roofs });
        }
        Ok(groups)
    }

    fn measure_device(&mut self, info: &DeviceInfo, picture: &PictureRef, sink: &mut Sink<'_>) -> Result<Vec<Entry>> {
        let index = info.index;
        let mut entries = Vec::new();
        let mut above: Option<Task> = None;
        let plan = self.plan;
        let sizes = |row: &'_ Row| row.locals.iter().map(move |&local| (row.variant, row.place, local)).collect::<Vec<_>>();
        let rows = plan.rows.iter().flat_map(sizes).flat_map(|row| plan.memories.iter().map(move |&memory| (row, memory)));
        for ((variant, place, local), host_memory) in rows {
            let task = self.task(picture, Target::Device { index, variant, local, host_memory });
            let reading = self.measure(&task)?;
            let is_there = reading.measured().is_some();
            let is_claimed = place.and_then(Place::step).is_some_and(|step| step.claim.is_some());
            let compares = is_there && (self.compare || (self.compare_unclaimed && place.is_some() && !is_claimed));
            let compared = above.as_ref().filter(|_| compares).map(|above| self.compare(above, &task)).transpose()?;
            let against = place.filter(|_| is_there).and_then(|place| self.claimed_against(place, &task));
            let tested = against.as_ref().map(|against| self.compare(against, &task)).transpose()?;
            let pair = match (&against, &tested, &above, &compared) {
                (Some(other), Some(Ok(compared)), ..) | (None, None, Some(other), Some(Ok(compared))) if place.is_some() => {
                    Some((other, compared))
                }
                _ => None,
            };
            let (mut why, mut others, mut proven) = (Vec::new(), None, None);
            if let Some((other, compared)) = pair {
                let of = |record: &&Record| other.target.is_of(record);
                let before = entries.iter().rev().map(|entry: &Entry| &entry.reading).find(of);
                let records = [before, Some(&reading)];
                let facts = Facts::of_pair(&Pair { device: info, tasks: [other, &task], records, compared: Some(compared) });
                let seen = compared.comparison.verdict.into();
                why = why::explain(seen, &facts);
                if self.why == Why::All {
                    others = Some((seen, facts.clone()));
                }
                if self.why == Why::Test {
                    let locals = records.map(|record| record.and_then(local_used));
                    let pair = experiment::Pair { device: info, tasks: [other, &task], locals, compared };
                    self.name_job(&task);
                    let candidates = why::candidates(seen, &facts);
                    proven = Some(experiment::test_reasons(candidates, &pair, &mut self.prober, self.engine, &self.progress)?);
                }
            }
            let entry = Entry { reading, place, compared, tested, why, others, proven };
            sink.push(&entry)?;
            entries.push(entry);
            // A row without figures is passed over.
            above = if is_there { Some(task) } else { above };
        }
        Ok(entries)
    }

    /// What the guide compares the step with, over the same picture on the same device.
    fn claimed_against(&self, place: Place, task: &Task) -> Option<Task> {
        let other = place.ladder.steps.get(place.step()?.claim?.against)?;
        let Target::Device { local, .. } = task.target else { return None };
        // A step's own local size is its own; what was chosen for this step holds for the other, too.
        let local = if place.step()?.local.is_some() { self.plan.local } else { local };
        Some(study::step_task(place.ladder, other, task, local))
    }

    fn task(&self, picture: &PictureRef, target: Target) -> Task {
        Task { spec: self.plan.spec.clone(), picture: picture.clone(), target, text: KernelText::Composed }
    }

    fn measure(&mut self, task: &Task) -> Result<Record> {
        self.done += 1;
        self.name_job(task);
        self.prober.record(task, self.engine, &self.progress)
    }

    fn compare(&mut self, above: &Task, task: &Task) -> Result<Result<Compared>> {
        self.name_job(task);
        self.prober.compare(above, task, self.engine, &self.progress)
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

#[cfg(test)]
mod tests {
    use super::Sink;
    use std::io::Read as _;

    #[test]
    fn a_row_that_is_interrupted_leaves_the_rows_before_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        std::fs::write(&path, "old rows").expect("written");
        let mut old = std::fs::File::open(&path).expect("there");
        Sink { csv: Some(&path), entries: Vec::new() }.write().expect("written");
        let mut text = String::new();
        old.read_to_string(&mut text).expect("text");
        assert_eq!(text, "old rows", "replaced by a whole file, and never cut short itself");
    }
}
