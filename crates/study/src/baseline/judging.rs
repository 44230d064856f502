//! The rows of a baseline in new processes, and what follows.
//!
//! Whoever measures a row seven times in a row has seven figures of one moment. So each process measures all rows, one after the other, and then the next one does: what disturbs
//! the machine for a while lengthens one process of every row, and not all of one.

use super::rows::{Again, Rows, is_same};
use super::{Baseline, Fingerprint, Process, Row, is_busy, medians};
use crate::bundle::Bundle;
use crate::trial::try_edited;
use base::error::{Error, ErrorKind, Result};
use base::texts::{Words, failed};
use engine::device::{DeviceInfo, install_help};
use engine::{Backend, Compared, KernelText, Task};
use model::Budget;
use model::measure::{Change, Pair, Progress, Ruling, median_of};
use pictures::Picture;
use serde::Serialize;
use serde_json::Map;
use std::fmt::Display;

/// What is asked of a gate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// In how many new processes each row is measured.
    pub processes: usize,
    /// By what share of the time of then a time is longer that matters: 0.03 is 3 %.
    pub threshold: f64,
    /// It is another machine: figures beside each other, and no ruling.
    pub is_across: bool,
    /// Kernels that are the same as then are ruled on, too: what is slower is the machine.
    pub is_of_machine: bool,
}

impl Terms {
    /// Whether a row's times are no question about its kernel, which is the same and started alike.
    fn leaves_open(&self, row: &Again<'_>) -> bool {
        row.is_same_work() && !self.is_of_machine
    }
}

/// Which question the ratio of a row answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Both texts, in interleaved pairs of now.
    Kernel,
    /// The same text, built and started as then: its ratio is the machine's, and no ruling on the kernel.
    Nothing,
    /// The same text, then and now.
    Machine,
    /// The texts differ, and that of then does not run as it did, for this reason: then and now.
    KernelAndMachine(Words),
}

/// A row, measured again.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// What it is called.
    pub name: Words,
    /// What is computed, for classes of tests.
    pub class: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was measured.
    Compared(Ratio),
    /// It could not be, or its output is wrong.
    Failed(Words),
    /// The baseline has no figures of it.
    Skipped(Words),
}

/// A row then and now.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// What the ratio is of.
    pub question: Question,
    /// Median time of then, or of the text of then.
    pub before_ns: f64,
    /// Median time of now.
    pub now_ns: f64,
    /// Now over then; `None` where there is too little to say.
    pub change: Option<Change>,
    /// Processes of now.
    pub processes: usize,
    /// What it comes to; `None` across machines.
    pub ruling: Option<Ruling>,
    /// Why that is inconclusive, where it is not the interval alone.
    pub why: Option<Words>,
    /// Whether other programs ran.
    pub busy: bool,
}

/// What all rows come to, with the number of those that say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// Rows could not be measured, or are wrong.
    Failed(usize),
    /// Rows are slower.
    Slower(usize),
    /// Rows are inconclusive, and none is slower.
    Inconclusive(usize),
    /// None is slower.
    NotSlower,
    /// It was another machine.
    Across,
}

impl Outlook {
    /// For programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed(_) => "failed",
            Self::Slower(_) => "slower",
            Self::Inconclusive(_) => "inconclusive",
            Self::NotSlower => "not-slower",
            Self::Across => "across",
        }
    }
}

/// What all rows come to.
#[must_use]
pub fn overall(judged: &[Judged], terms: &Terms) -> Outlook {
    let count = |is: &dyn Fn(&Outcome) -> bool| judged.iter().filter(|judged| is(&judged.outcome)).count();
    let ruled = |ruling| count(&|outcome| matches!(outcome, Outcome::Compared(ratio) if ratio.ruling == Some(ruling)));
    match (count(&|outcome| matches!(outcome, Outcome::Failed(_))), ruled(Ruling::Slower), ruled(Ruling::Inconclusive)) {
        (failed @ 1.., ..) => Outlook::Failed(failed),
        _ if terms.is_across => Outlook::Across,
        (_, slower @ 1.., _) => Outlook::Slower(slower),
        (.., open @ 1..) => Outlook::Inconclusive(open),
        _ => Outlook::NotSlower,
    }
}

/// A baseline of what a benchmark has just brought: its readings are those of the first process, and more processes follow.
///
/// # Errors
/// Cancelled; a row that fails in one of them; a device that is another one by then.
pub fn save(
    bundle: Bundle,
    own: Option<&Picture>,
    devices: &[DeviceInfo],
    processes: usize,
    backend: &mut dyn Backend,
    progress: &dyn Progress,
) -> Result<Baseline> {
    let fingerprint = Fingerprint::of(devices);
    let first = super::rows::readings(&bundle).map(|(.., reading)| Process::of(&reading.record));
    let mut rows: Vec<Row> = first.map(|first| Row { processes: first.into_iter().collect(), work: None, other: Map::new() }).collect();
    let (works, more) = {
        let again = Rows::of_parts(&bundle, &rows, devices, own)?;
        let all: Vec<usize> = (0..again.0.len()).filter(|index| again.0.get(*index).is_some_and(|row| row.task.is_ok())).collect();
        if all.is_empty() {
            return Err(failed("errors.baseline.nothing", &[]));
        }
        let mut gate = Gate { backend, progress, devices, rows: &again.0 };
        let works: Vec<Option<String>> = again.0.iter().map(|row| row.work.clone()).collect();
        let more = gate
            .in_processes(&all, 1..processes)?
            .into_iter()
            .map(|(index, found)| {
                found.map(|found| (index, found)).map_err(|why| {
                    let name = again.0.get(index).map(|row| row.name.clone());
                    let values: [(&str, &dyn Display); 2] = [("row", &name.unwrap_or_else(|| Words::from(""))), ("why", &why)];
                    failed("errors.baseline.row", &values)
                })
            })
            .collect::<Result<Vec<_>>>()?;
        (works, more)
    };
    for (row, work) in rows.iter_mut().zip(works) {
        row.work = work;
    }
    for (index, found) in more {
        if let Some(row) = rows.get_mut(index) {
            row.processes.extend(found);
        }
    }
    Ok(Baseline { fingerprint, rows, bundle, other: Map::new() })
}

/// Measures the rows again, and says what follows.
///
/// # Errors
/// Cancelled; no device, or another one than a moment ago. What fails with a row is its outcome.
pub fn judge(
    rows: &Rows<'_>,
    terms: &Terms,
    devices: &[DeviceInfo],
    backend: &mut dyn Backend,
    progress: &dyn Progress,
) -> Result<Vec<Judged>> {
    let mut gate = Gate { backend, progress, devices, rows: &rows.0 };
    let mut seen: Vec<Option<Seen>> = gate.rows.iter().map(|_| None).collect();
    let question = |row: &Again<'_>| if terms.leaves_open(row) { Question::Nothing } else { Question::Machine };
    let mut questions: Vec<Question> = gate.rows.iter().map(question).collect();
    for (index, row) in rows.0.iter().enumerate().filter(|(_, row)| row.other_text.is_some() && !terms.is_across) {
        let (found, question) = match gate.pairs(row, terms.processes)? {
            Pairs::Compared(compared) => (Some(Seen::Pairs(compared)), Question::Kernel),
            Pairs::StoredDoesNotRun(why) => (None, Question::KernelAndMachine(why)),
            Pairs::Failed(why) => (Some(Seen::Failed(why)), Question::Kernel),
        };
        put(&mut seen, index, found);
        put(&mut questions, index, question);
    }
    let open = |seen: &[Option<Seen>]| {
        let is_open = |index: &usize| seen.get(*index).is_some_and(Option::is_none);
        let has_task = |index: &usize| rows.0.get(*index).is_some_and(|row| row.task.is_ok());
        (0..seen.len()).filter(|index| is_open(index) && has_task(index)).collect::<Vec<_>>()
    };
    for (index, found) in gate.in_processes(&open(&seen), 0..terms.processes)? {
        put(&mut seen, index, Some(Seen::of(found)));
    }
    // What looks slower is looked at once more.
    let mut again: Vec<Option<Seen>> = seen.iter().map(|_| None).collect();
    let mut suspects = Vec::new();
    for (index, row) in rows.0.iter().enumerate() {
        let is_suspect =
            !terms.is_across && seen.get(index).and_then(Option::as_ref).is_some_and(|seen| seen.ruling(row, terms).0 == Ruling::Slower);
        match (is_suspect, seen.get(index)) {
            (true, Some(Some(Seen::Pairs(_)))) => {
                let found = match gate.pairs(row, terms.processes)? {
                    Pairs::Compared(compared) => Seen::Pairs(compared),
                    Pairs::StoredDoesNotRun(why) | Pairs::Failed(why) => Seen::Failed(why),
                };
                put(&mut again, index, Some(found));
            }
            (true, _) => suspects.push(index),
            _ => {}
        }
    }
    for (index, found) in gate.in_processes(&suspects, 0..terms.processes)? {
        put(&mut again, index, Some(Seen::of(found)));
    }
    let judged = rows.0.iter().zip(seen).zip(again).zip(questions).map(|(((row, seen), again), question)| {
        let outcome = match (&row.had_none, &row.task, seen) {
            (Some(why), ..) => Outcome::Skipped(why.clone()),
            (None, Err(why), _) => Outcome::Failed(why.clone()),
            (None, Ok(_), Some(seen)) => outcome(row, terms, question, seen, again),
            (None, Ok(_), None) => Outcome::Failed(Words::text("studies.gate.no-figures")),
        };
        Judged { name: row.name.clone(), class: row.class.clone(), outcome }
    });
    Ok(judged.collect())
}

fn put<T>(all: &mut [T], index: usize, value: T) {
    if let Some(place) = all.get_mut(index) {
        *place = value;
    }
}

/// What one look at a row, or several, brought.
enum Seen {
    Pairs(Box<Compared>),
    Processes(Vec<Process>),
    Failed(Words),
}

impl Seen {
    fn of(found: InProcesses) -> Self {
        found.map_or_else(Self::Failed, Self::Processes)
    }

    fn change(&self, row: &Again<'_>) -> Option<Change> {
        match self {
            Self::Pairs(compared) => Change::of_pairs(&compared.comparison),
            Self::Processes(now) => Change::of_processes(&medians(&row.row.processes), &medians(now)),
            Self::Failed(_) => None,
        }
    }

    /// What it comes to, and why it is inconclusive where it is not the interval. Other programs lengthen times, and lengthen both of a pair alike.
    fn ruling(&self, row: &Again<'_>, terms: &Terms) -> (Ruling, Option<Words>) {
        if terms.leaves_open(row) {
            return (Ruling::NotSlower, None);
        }
        let Some(change) = self.change(row) else { return (Ruling::Inconclusive, Some(Words::text("studies.gate.too-little"))) };
        let ruling = change.ruling(terms.threshold);
        let Self::Processes(now) = self else { return (ruling, None) };
        match (ruling, is_busy(&row.row.processes), is_busy(now)) {
            (Ruling::Slower, _, true) => (Ruling::Inconclusive, Some(Words::text("studies.gate.busy-now"))),
            (Ruling::NotSlower, true, false) => (Ruling::Inconclusive, Some(Words::text("studies.gate.busy-then"))),
            _ => (ruling, None),
        }
    }

    /// Both looks as one.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Pairs(one), Self::Pairs(more)) => {
                let starts = one.comparison.starts;
                let more_pairs = more.pairs.iter().map(|pair| Pair { start: pair.start + starts, ..*pair });
                let pairs = one.pairs.iter().copied().chain(more_pairs).collect();
                Self::Pairs(Box::new(Compared::of(pairs, one.places, one.busy || more.busy, one.code)))
            }
            (Self::Processes(one), Self::Processes(more)) => Self::Processes([one, more].concat()),
            (_, other) => other,
        }
    }
}

fn outcome(row: &Again<'_>, terms: &Terms, question: Question, first: Seen, again: Option<Seen>) -> Outcome {
    let (mut ruling, mut why) = first.ruling(row, terms);
    let seen = match again {
        None => first,
        Some(again) => {
            ruling = Ruling::confirmed(again.ruling(row, terms).0);
            why = (ruling != Ruling::Slower).then(|| Words::text("studies.gate.not-again"));
            first.and(again)
        }
    };
    let change = seen.change(row);
    let (before_ns, now_ns, processes, busy) = match &seen {
        Seen::Failed(why) => return Outcome::Failed(why.clone()),
        Seen::Pairs(compared) => {
            let of = |time: fn(&Pair) -> u64| median_of(compared.pairs.iter().map(|pair| time(pair) as f64).collect());
            (of(|pair| pair.second_ns), of(|pair| pair.first_ns), compared.comparison.starts, compared.busy)
        }
        Seen::Processes(now) => {
            (median_of(medians(&row.row.processes)), median_of(medians(now)), now.len(), is_busy(now) || is_busy(&row.row.processes))
        }
    };
    let ruling = (!terms.is_across).then_some(ruling);
    Outcome::Compared(Ratio { question, before_ns, now_ns, change, processes, ruling, why: why.filter(|_| ruling.is_some()), busy })
}

/// What came of comparing the text of then with that of now.
enum Pairs {
    Compared(Box<Compared>),
    /// It was built for other arguments, or is wrong with today's.
    StoredDoesNotRun(Words),
    /// That of now fails.
    Failed(Words),
}

/// What each process said of a row, or why one of them said nothing.
type InProcesses = std::result::Result<Vec<Process>, Words>;

/// What measures.
struct Gate<'a> {
    backend: &'a mut dyn Backend,
    progress: &'a dyn Progress,
    devices: &'a [DeviceInfo],
    rows: &'a [Again<'a>],
}

impl Gate<'_> {
    /// A process that has run nothing yet; what was built is in the cache, where it finds it.
    fn fresh(&mut self) -> Result<()> {
        while self.backend.tidy() {}
        let found = self.backend.rescan().map_err(|none| install_help(&none).into_error())?;
        let is_there = |device: &DeviceInfo| found.iter().any(|other| other.index == device.index && is_same(device, other));
        if self.devices.iter().all(is_there) { Ok(()) } else { Err(failed("errors.baseline.devices-changed", &[])) }
    }

    /// Rows in so many new processes, each of which measures all of them. What fails once is not measured again.
    fn in_processes(&mut self, rows: &[usize], processes: std::ops::Range<usize>) -> Result<Vec<(usize, InProcesses)>> {
        let mut found: Vec<_> = rows.iter().map(|index| (*index, Ok(Vec::new()))).collect();
        if rows.is_empty() {
            return Ok(found);
        }
        let (all, count) = (self.rows, processes.end);
        for number in processes {
            self.fresh()?;
            for (place, (index, of_row)) in found.iter_mut().enumerate() {
                let (Some(Again { task: Ok(task), budget, name, .. }), Ok(measured)) = (all.get(*index), of_row.as_mut()) else { continue };
                let job = format!("[{}/{count}, {}/{}] {name}:", number + 1, place + 1, rows.len());
                let one = Budget { starts: 1, ..*budget };
                match self.measured(task, one, &job) {
                    Ok(process) => measured.push(process),
                    Err(error) if error.is_cancelled() => return Err(error),
                    Err(error) => *of_row = Err(Words::of(&error)),
                }
            }
        }
        Ok(found)
    }

    /// A row in the process that there is.
    fn measured(&mut self, task: &Task, budget: Budget, job: &str) -> Result<Process> {
        let progress = Named { job, progress: self.progress };
        let proof = self.backend.prove(task, &progress)?;
        let record = self.backend.measure(&proof, budget, &progress)?;
        Process::of(&record).ok_or_else(|| match record.measured().and_then(|measured| measured.doubt) {
            Some(doubt) => failed("errors.engine.doubted", &[("why", &doubt.why())]),
            None => failed("errors.engine.timestamps", &[]),
        })
    }

    /// The text of then and that of now in interleaved pairs, in so many new processes.
    fn pairs(&mut self, row: &Again<'_>, processes: usize) -> Result<Pairs> {
        let (Ok(task), Some(text)) = (&row.task, &row.other_text) else { return Ok(Pairs::Failed(Words::text("studies.gate.no-figures"))) };
        self.fresh()?;
        let job = format!("{}:", row.name);
        let progress = Named { job: &job, progress: self.progress };
        let failed = |error: Error| if error.is_cancelled() { Err(error) } else { Ok(Pairs::Failed(Words::of(&error))) };
        if let Err(error) = self.backend.prove(task, &progress) {
            return failed(error);
        }
        let stored = Task { text: KernelText::Edited(text.clone()), ..task.clone() };
        let tried = try_edited(self.backend, &stored, Budget { starts: processes, ..row.budget }, &progress, &|_| ())?;
        match (tried.compared, tried.fault) {
            (Some(compared), _) => Ok(Pairs::Compared(Box::new(compared))),
            // The process is gone: it says nothing of the text.
            (None, Some(fault)) if fault.kind == ErrorKind::Lost && tried.verification.is_some() => failed(fault),
            (None, Some(fault)) => Ok(Pairs::StoredDoesNotRun(Words::of(&fault))),
            (None, None) => Ok(Pairs::Failed(Words::text("studies.gate.no-figures"))),
        }
    }
}

/// Progress of a row.
struct Named<'a> {
    job: &'a str,
    progress: &'a dyn Progress,
}

impl Progress for Named<'_> {
    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }

    fn report(&self, done: usize, total: usize, text: &str) {
        self.progress.report(done, total, &format!("{} {text}", self.job));
    }
}
