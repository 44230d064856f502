//! What became of each configuration that was tried, as lines of JSON: a file that grows while a search runs, and from which one that ended goes on.

use super::search::Seen;
use crate::trial_file::TrialFile;
use base::error::{Error, ErrorKind, Result};
use base::texts::{Words, failed, filled, in_english, speaking_keys, spoken, text};
use engine::{Fate, Tried};
use kernels::project::{Difference, Point, Project, Value};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use std::path::Path;

/// Of the lines, to be raised with any change that a reader has to know of.
const SCHEMA: &str = "kernel-ladder/trials/1";

/// A configuration that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// It.
    pub point: Point,
    /// When it ended, in nanoseconds since the search began.
    pub at_ns: u64,
    /// When it ended, as RFC 3339.
    pub date: String,
    /// How it ended.
    pub ending: Ending,
    /// Host time of building, checking and timing, in nanoseconds.
    pub spent_ns: [u64; 3],
}

/// What ended a process, with what a person can do about a kernel of their own: the engine speaks of variants.
fn of_own_kernel(error: &Error) -> Error {
    if error.kind != ErrorKind::Lost {
        return error.clone();
    }
    let remedy = speaking_keys(|| text("errors.project.lost").to_owned());
    let keys = error.keys.as_deref().map(|[what, why, _]| [what.clone(), why.clone(), remedy.clone()]);
    Error { remedy: spoken(&remedy), ..error.clone() }.with_keys(keys)
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// It is right, and takes this long.
    Timed {
        /// Median kernel time in nanoseconds, with its quartiles.
        median_ns: f64,
        /// See `median_ns`.
        quartiles_ns: [f64; 2],
        /// Each run.
        samples_ns: Vec<u64>,
        /// Other programs were running.
        busy: bool,
    },
    /// It does not build; why.
    NotBuilt(Box<Error>),
    /// It does not run, or did not end; why.
    NotRun(Box<Error>),
    /// Its output is wrong; how.
    Wrong(Box<Error>),
}

impl Trial {
    /// Of what the engine answered.
    #[must_use]
    pub fn of(point: Point, at_ns: u64, date: String, tried: Tried) -> Self {
        let Tried { fate, build_ns, check_ns, timing_ns } = tried;
        let ending = match fate {
            Fate::Timed { kernel, busy, .. } => Ending::Timed {
                median_ns: kernel.median_ns,
                quartiles_ns: [kernel.lower_quartile_ns, kernel.upper_quartile_ns],
                samples_ns: kernel.samples_ns,
                busy,
            },
            // The process that ran it speaks in keys.
            Fate::NotBuilt(error) => Ending::NotBuilt(Box::new(error.heard())),
            Fate::NotRun(error) => Ending::NotRun(Box::new(error.heard())),
            Fate::Wrong(differences) => Ending::Wrong(Box::new(wrong(&differences))),
        };
        Self { point, at_ns, date, ending, spent_ns: [build_ns, check_ns, timing_ns] }
    }

    /// Of one that ended the process, or that has no values for its sizes.
    #[must_use]
    pub fn refused(point: Point, at_ns: u64, date: String, why: &Error, spent_ns: u64) -> Self {
        Self { point, at_ns, date, ending: Ending::NotRun(Box::new(of_own_kernel(why))), spent_ns: [0, spent_ns, 0] }
    }

    /// Its median kernel time in nanoseconds.
    #[must_use]
    pub fn time_ns(&self) -> Option<f64> {
        if let Ending::Timed { median_ns, .. } = self.ending { Some(median_ns) } else { None }
    }

    /// What a search is told of it.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.time_ns().filter(|time_ns| *time_ns > 0.0).map_or(Seen::Failed, Seen::Time)
    }

    /// Why it has no time.
    #[must_use]
    pub fn why_not(&self) -> Option<(&'static str, &Error)> {
        match &self.ending {
            Ending::Timed { .. } => None,
            Ending::NotBuilt(why) => Some(("not-built", why)),
            Ending::NotRun(why) => Some(("not-run", why)),
            Ending::Wrong(why) => Some(("wrong", why)),
        }
    }

    /// Its line.
    #[must_use]
    pub fn line(&self, project: &Project, number: usize) -> Json {
        let named = project.configuration(&self.point).into_iter();
        let [build_ns, check_ns, timing_ns] = self.spent_ns;
        let (outcome, why) =
            self.why_not().map_or(("timed", None), |(outcome, why)| (outcome, Some(in_english(|| Words::of(why).to_string()))));
        let (median_ns, quartiles_ns, samples_ns, busy) = match &self.ending {
            Ending::Timed { median_ns, quartiles_ns, samples_ns, busy } => {
                (Some(*median_ns), Some(*quartiles_ns), samples_ns.clone(), Some(*busy))
            }
            _ => (None, None, Vec::new(), None),
        };
        json!(Line {
            number,
            at_ns: self.at_ns,
            date: self.date.clone(),
            configuration: named.map(|(name, value)| (name.to_owned(), as_json(value))).collect(),
            outcome: outcome.to_owned(),
            median_ns,
            quartiles_ns,
            samples_ns,
            busy,
            build_ns,
            check_ns,
            timing_ns,
            why,
        })
    }
}

/// From here on, not every whole number is a `f64`.
pub(super) const NOT_EXACT: f64 = 9e15;

/// A value in JSON.
#[must_use]
pub fn as_json(value: &Value) -> Json {
    match value {
        Value::Number(number) if number.fract() == 0.0 && number.abs() < NOT_EXACT => json!(*number as i64),
        Value::Number(number) => json!(number),
        Value::Word(word) => json!(word),
    }
}

/// "1234", or "1234 (x 5, y 3, channel 2)" of an image.
fn place(index: usize, sides: &[usize]) -> String {
    let [.., height, width, channels] = *sides else { return index.to_string() };
    let (texel, channel) = (index / channels.max(1), index % channels.max(1));
    let (row, x) = (texel / width.max(1), texel % width.max(1));
    let (plane, y) = (row / height.max(1), row % height.max(1));
    let values: [(&str, &dyn std::fmt::Display); 5] = [("index", &index), ("x", &x), ("y", &y), ("channel", &channel), ("plane", &plane)];
    filled(if sides.len() > 3 { "project.place.in-plane" } else { "project.place.in-image" }, &values)
}

/// The sentence about wrong outputs.
fn wrong(differences: &[Difference]) -> Error {
    let worst = differences.iter().find(|difference| difference.is_wrong);
    let Some(Difference { buffer, differing, count, largest, sides, first, .. }) = worst else {
        return failed("errors.project.wrong", &[]);
    };
    let (index, is, should) = first.unwrap_or_default();
    let values: [(&str, &dyn std::fmt::Display); 7] = [
        ("buffer", buffer),
        ("differing", differing),
        ("count", count),
        ("largest", largest),
        ("index", &place(index, sides)),
        ("is", &is),
        ("should", &should),
    ];
    failed("errors.project.wrong-outputs", &values)
}

/// What all trials of a file have in common: its first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    schema: String,
    /// The project's name.
    pub project: String,
    /// Its hash: trials of another definition are not these.
    pub hash: String,
    /// The device.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// The program's version.
    pub program: String,
}

impl Head {
    /// Of trials that begin.
    #[must_use]
    pub fn new(project: &Project, device: &str, driver: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            project: project.name.clone(),
            hash: project.hash.clone(),
            device: device.to_owned(),
            driver: driver.to_owned(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(default)]
    number: usize,
    at_ns: u64,
    date: String,
    configuration: Map<String, Json>,
    outcome: String,
    median_ns: Option<f64>,
    quartiles_ns: Option<[f64; 2]>,
    #[serde(default)]
    samples_ns: Vec<u64>,
    busy: Option<bool>,
    build_ns: u64,
    check_ns: u64,
    timing_ns: u64,
    why: Option<String>,
}

impl crate::trial_file::Head for Head {
    fn is_known(&self) -> bool {
        self.schema == SCHEMA
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.project, &self.hash, &self.device, &self.driver) == (&other.project, &other.hash, &other.device, &other.driver)
    }
}

/// The file of a search.
pub struct Trials(TrialFile);

impl Trials {
    /// Opens a file, or begins one; and what it has of this search.
    ///
    /// # Errors
    /// The file cannot be read or written; it is of another search, or no such file.
    pub fn open(path: &Path, head: &Head, project: &Project) -> Result<(Self, Vec<Trial>)> {
        let (file, lines) = TrialFile::open(path, head)?;
        Ok((Self(file), lines.iter().filter_map(|line| read(line, project)).collect()))
    }

    /// Adds a trial.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, trial: &Trial, project: &Project) -> Result<()> {
        self.0.add(|number| trial.line(project, number))
    }
}

/// A trial of a line; `None` of one of another configuration.
fn read(line: &str, project: &Project) -> Option<Trial> {
    let line: Line = serde_json::from_str(line).ok()?;
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let given: Vec<(String, String)> = line.configuration.iter().map(|(name, value)| (name.clone(), text(value))).collect();
    let point = project.point_of(&given).ok().filter(|_| given.len() == project.parameters.len())?;
    let why = Box::new(Error::failed(line.why.unwrap_or_default(), "", ""));
    let ending = match (line.outcome.as_str(), line.median_ns) {
        ("timed", Some(median_ns)) => Ending::Timed {
            median_ns,
            quartiles_ns: line.quartiles_ns.unwrap_or([median_ns; 2]),
            samples_ns: line.samples_ns,
            busy: line.busy.unwrap_or_default(),
        },
        ("not-built", _) => Ending::NotBuilt(why),
        ("wrong", _) => Ending::Wrong(why),
        _ => Ending::NotRun(why),
    };
    Some(Trial { point, at_ns: line.at_ns, date: line.date, ending, spent_ns: [line.build_ns, line.check_ns, line.timing_ns] })
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn an_element_of_an_image_is_told_by_its_place() {
        assert_eq!(place(7, &[]), "7");
        // Two planes of 2 rows of 3 texels of 4 channels: 24 elements each.
        assert_eq!(place(4 * 4 + 2, &[2, 3, 4]), "18 (x 1, y 1, channel 2)");
        assert_eq!(place(24 + 4 * 4 + 2, &[2, 2, 3, 4]), "42 (plane 1, x 1, y 1, channel 2)");
    }
}
