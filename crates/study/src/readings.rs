//! Readings of a search for the fastest variant of a filter: kept in a file, as a chart, and what of their differences each stage explains.

use super::projects::search::explained;
use super::projects::{best_so_far, improvement, improving_of};
use super::trial_file::TrialFile;
use super::{Candidate, Finding, telling, trial_file};
use base::error::{Error, ErrorKind, Result};
use base::texts::Words;
use engine::Task;
use engine::device::DeviceInfo;
use model::{LocalSize, Spec, Variant, stages};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;
use view::plot::Curves;

const SCHEMA: &str = "kernel-ladder/autotune-trials/1";

/// What all readings of a file have in common: its first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    schema: String,
    /// What is computed.
    spec: Spec,
    /// Size of the picture.
    size_px: [usize; 2],
    /// The device.
    device: String,
    /// Its driver.
    driver: String,
    /// The program's version: its kernels are another's, too.
    program: String,
}

impl Head {
    /// Of a search over a task's picture.
    #[must_use]
    pub fn of(task: &Task, info: &DeviceInfo) -> Self {
        let (width, height) = task.picture.size();
        Self {
            schema: SCHEMA.to_owned(),
            spec: task.spec.clone(),
            size_px: [width, height],
            device: info.name.clone(),
            driver: info.driver(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl trial_file::Head for Head {
    fn is_known(&self) -> bool {
        self.schema == SCHEMA
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(default)]
    number: usize,
    date: String,
    variant: Variant,
    local: LocalSize,
    /// "timed", "refused" or "failed".
    outcome: String,
    median_ns: Option<f64>,
    why: Option<String>,
}

/// The file of a search.
pub struct Readings(TrialFile);

impl Readings {
    /// Opens a file, or begins one; and what it has of this search, as findings of it.
    ///
    /// # Errors
    /// The file cannot be read or written; it is of another search, or no such file.
    pub fn open(path: &Path, task: &Task, info: &DeviceInfo) -> Result<(Self, Vec<Finding>)> {
        let head = Head::of(task, info);
        let (file, lines) = TrialFile::open(path, &head)?;
        Ok((Self(file), lines.iter().filter_map(|line| finding(line, task)).collect()))
    }

    /// Adds a finding, if it is a reading.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, finding: &Finding) -> Result<()> {
        let Finding::Glanced(task, read) = finding else { return Ok(()) };
        let Some(Candidate { variant, local }) = Candidate::of(task) else { return Ok(()) };
        let (outcome, median_ns, why) = match read {
            Ok(time) => ("timed", Some(*time), None),
            Err(error) if error.kind == ErrorKind::Usage => ("refused", None, Some(Words::of(error).english())),
            Err(error) => ("failed", None, Some(Words::of(error).english())),
        };
        let line = |number| Line { number, date: engine::now(), variant, local, outcome: outcome.to_owned(), median_ns, why };
        self.0.add(|number| json!(line(number)))
    }
}

/// The reading of a line; `None` of one that this version does not know.
fn finding(line: &str, like: &Task) -> Option<Finding> {
    let Line { variant, local, outcome, median_ns, why, .. } = serde_json::from_str::<Value>(line).and_then(serde_json::from_value).ok()?;
    let why = why.unwrap_or_default();
    let read = match (outcome.as_str(), median_ns) {
        ("timed", Some(time)) if time > 0.0 => Ok(time),
        ("refused", _) => Err(Error::usage(why, "", "")),
        ("failed", _) => Err(Error::failed(why, "", "")),
        _ => return None,
    };
    Some(Finding::Glanced(Box::new(Candidate { variant, local }.task(like)), read))
}

/// Candidates with a time, in the order in which they were read, with their numbers among all readings.
fn timed(findings: &[Finding]) -> Vec<(usize, Candidate, f64)> {
    let readings = findings.iter().filter_map(|finding| if let Finding::Glanced(task, read) = finding { Some((task, read)) } else { None });
    readings.zip(1..).filter_map(|((task, read), number)| Some((number, Candidate::of(task)?, *read.as_ref().ok()?))).collect()
}

/// The best reading so far, at each reading that was better than all before it; `None` where nothing was read.
#[must_use]
pub fn progress_chart(findings: &[Finding]) -> Option<Curves> {
    let all = timed(findings);
    let end = all.last().map_or(0, |(number, ..)| *number);
    let better = improving_of(all, |(.., time_ns)| Some(*time_ns));
    // A reading that guides a search has no interval.
    let points = better.map(|(number, candidate, time_ns)| improvement(number, [time_ns; 3], &telling::candidate(candidate)));
    best_so_far(points.collect(), end)
}

/// What each stage, and the local size, explain of the differences between the times of all readings, from 0 to 1, the most first; nothing of too few. See
/// [`super::projects::Search::importance`].
#[must_use]
pub fn importance(findings: &[Finding]) -> Vec<(Words, f64)> {
    let all = timed(findings);
    let stages: Vec<_> = stages().collect();
    let ranks = |candidate: &Candidate| -> Vec<usize> {
        let local = match candidate.local {
            LocalSize::Driver => 0,
            // Sides are below 2¹⁶.
            LocalSize::Explicit([x, y]) => (x << 16) | y,
        };
        stages.iter().map(|stage| usize::from(candidate.variant.value(stage.id))).chain([local]).collect()
    };
    let points: Vec<(Vec<usize>, f64)> = all.iter().map(|(_, candidate, time)| (ranks(candidate), time.ln())).collect();
    let times: Vec<(&[usize], f64)> = points.iter().map(|(ranks, log)| (ranks.as_slice(), *log)).collect();
    let shares = explained(&times, stages.len() + 1).unwrap_or_default();
    let names = stages.iter().map(|stage| Words::from(stage.label())).chain([Words::text("studies.autotune.local-size")]);
    let mut named: Vec<(Words, f64)> = names.zip(shares).filter(|(_, share)| *share >= LEAST_SHARE).collect();
    named.sort_by(|one, other| other.1.total_cmp(&one.1));
    named
}

/// What explains less is not told.
const LEAST_SHARE: f64 = 0.02;

#[cfg(test)]
mod tests {
    use super::{Readings, importance, progress_chart};
    use crate::{Candidate, Finding};
    use base::error::Error;
    use engine::device::DeviceInfo;
    use engine::{PictureRef, Target, Task};
    use model::{Channels, HostMemory, LocalSize, Variant};

    fn task() -> Task {
        let target = Target::Device { index: 0, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        Task::new(PictureRef::generated((64, 64), Channels::Rgb), target)
    }

    fn read(variant: &str, side: usize, time: Result<f64, Error>) -> Finding {
        let variant = Variant::parse(variant).expect("known");
        Finding::Glanced(Box::new(Candidate { variant, local: LocalSize::Explicit([side, 1]) }.task(&task())), time)
    }

    #[test]
    fn what_was_read_is_there_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trials.jsonl");
        let info = DeviceInfo::example();
        let all = [
            read("naive", 64, Ok(5000.0)),
            read("coalesced", 64, Err(Error::usage("too large", "", ""))),
            read("coalesced", 32, Err(Error::failed("it is wrong", "", ""))),
        ];
        let (mut file, earlier) = Readings::open(&path, &task(), &info).expect("new");
        assert!(earlier.is_empty());
        for finding in &all {
            file.add(finding).expect("written");
        }
        drop(file);
        let (_, earlier) = Readings::open(&path, &task(), &info).expect("there");
        let told = |findings: &[Finding]| {
            let one = |finding: &Finding| match finding {
                Finding::Glanced(task, read) => (Candidate::of(task), read.as_ref().map_err(|error| error.kind).copied()),
                _ => panic!("a reading"),
            };
            findings.iter().map(one).collect::<Vec<_>>()
        };
        assert_eq!(told(&earlier), told(&all));
        let other = DeviceInfo { name: "another".to_owned(), ..info };
        assert!(Readings::open(&path, &task(), &other).is_err());
    }

    #[test]
    fn the_stage_that_makes_the_difference_explains_it() {
        let mut findings = Vec::new();
        for side in [8, 16, 32, 64] {
            for (variant, time) in [("naive", 4000.0), ("coalesced", 1000.0), ("padded", 4100.0), ("coalesced+padded", 980.0)] {
                findings.push(read(variant, side, Ok(time)));
            }
        }
        let found = importance(&findings);
        assert!(found.first().is_some_and(|(_, share)| *share > 0.9) && found.len() == 1, "{found:?}");
        let chart = progress_chart(&findings).expect("a chart");
        let xs: Vec<f64> = chart.curves[0].points.iter().map(|point| point.x).collect();
        assert_eq!(xs, [1.0, 2.0, 4.0, 16.0]);
        assert!(progress_chart(&[]).is_none() && importance(&findings[..3]).is_empty());
    }
}
