//! Studies: questions that take several measurements to answer. A study proposes the next probe from what was found so far; worker and command line run
//! it and show what it finds.

mod answer;
pub mod baseline;
pub mod bundle;
mod bus;
pub mod claims;
pub mod counters;
pub mod experiment;
mod kind;
pub mod lessons;
pub mod predict;
pub mod projects;
pub mod readings;
mod self_test;
mod sequence;
pub mod telling;
pub mod testing;
pub mod trend;
pub mod trial;
mod trial_file;
mod tuning;
pub mod verdict;
pub mod why;

/// Declares the studies that can be asked for, and lists them: a new one is a line here and a file.
macro_rules! studies {
    ($($(#[$doc:meta])* $name:ident, $module:ident;)+) => {
        $(pub mod $module;
        $(#[$doc])*
        pub static $name: &Kind = &$module::KIND;)+

        /// All, in the order of menus.
        pub static KINDS: &[&Kind] = &[$(&$module::KIND),+];
    };
}

studies! {
    /// What a variant waits for.
    BOTTLENECK, bottleneck;
    /// What each stage is worth.
    ABLATION, ablation;
    /// From which picture size on the device wins.
    BREAK_EVEN, break_even;
    /// Which local work size is best.
    LOCAL_SIZES, local_sizes;
    /// Which variant is fastest.
    AUTOTUNE, autotune;
    /// Whether the width of the picture matters.
    WIDTHS, widths;
    /// How a host program best brings pictures to a device.
    HOST, host;
    /// Whether many resident work-groups are needed, or much work per work-item.
    OCCUPANCY, occupancy;
    /// What the CPU and a device do together.
    SPLIT, split;
    /// How long a load waits, over more and more bytes.
    CACHES, caches;
}

pub use answer::Answer;
pub use autotune::{Autotune, Autotuned, Candidate, PathStep, Through, published};
pub use bottleneck::{AddedCurve, AddedPoint, Bottleneck, Diagnosis, Ending, Estimate, largest_frame};
pub use break_even::{BreakEven, Even, Lead, Ledger, Line, Rivals};
pub use bus::{Bus, OfBus};
pub use claims::Seen;
pub use kind::{Command, Keeps, Kind, Question, Subject};
pub use local_sizes::{Cell, KernelTime, LocalSizes, Search, Tuned};
pub use predict::Expected;
pub use predict::{
    Asked, FIELDS, PredictionRecord, complete, device_hash, predictions_json, write_predictions_csv, write_predictions_json,
};
pub use self_test::SelfTest;
pub use sequence::{Sequence, ladder_probes, step_task};
pub use tuning::{Sought, Tuning};

use base::error::Result;
use base::texts::{Words, failed};
use engine::{Backend, Compared, Proof, Task};
use model::measure::{Frames, Progress, Split};
use model::{Budget, CompiledKernel, Record, Roofs};
use serde_json::Value;
use std::sync::Arc;
use view::story::{Story, json};

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Probe {
    /// A reading of one task.
    Measure(Task),
    /// A kernel time of one task that only guides a search.
    Glance(Task),
    /// Two tasks in interleaved pairs, the second against the first.
    Compare(Task, Task),
    /// The same over one set of buffers, which stays in the caches.
    CompareCached(Task, Task),
    /// What the compiler made of a task's kernels.
    Code(Box<Task>),
    /// A task in each way in which host programs bring one picture after the other to a device.
    Frames(Box<Task>),
    /// A task's picture shared between the CPU and the device.
    Split(Box<Task>),
    /// What the device of this index can do at most.
    Roofs(usize),
}

/// What a probe brought.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The row of a task, measured or with the reason why not.
    Record(Task, Box<Record>),
    /// The median kernel time of a task in nanoseconds after a few runs, or why there is none.
    Glanced(Box<Task>, Result<f64>),
    /// How two tasks compare, or why they could not be compared.
    Compared(Box<(Task, Task)>, Result<Compared>),
    /// What the compiler made of a task's kernels, or why that is not known; of those whose code could be had.
    Code(Box<Task>, Result<Vec<CompiledKernel>>),
    /// How long each way took, or why that is not known.
    Frames(Box<Task>, Result<Box<Frames>>),
    /// How long each way to share the picture took, or why that is not known.
    Split(Box<Task>, Result<Box<Split>>),
    /// What a device can do at most.
    Roofs(Arc<Roofs>),
}

impl Finding {
    /// Whether this is the row of `task`, with figures.
    #[must_use]
    pub fn is_measured(&self, task: &Task) -> bool {
        matches!(self, Self::Record(known, record) if known == task && record.measured().is_some())
    }

    /// Whether other work disturbed it.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        match self {
            Self::Record(_, record) => record.is_busy(),
            Self::Compared(_, Ok(compared)) => compared.busy,
            Self::Frames(_, Ok(frames)) => frames.busy,
            Self::Split(_, Ok(split)) => split.busy,
            Self::Glanced(..)
            | Self::Compared(_, Err(_))
            | Self::Frames(_, Err(_))
            | Self::Split(_, Err(_))
            | Self::Code(..)
            | Self::Roofs(_) => false,
        }
    }
}

/// A question that takes several measurements.
pub trait Study: Send {
    /// What to measure next; `None` where nothing is left to ask.
    fn next(&mut self, findings: &[Finding]) -> Option<Probe>;

    /// How many probes there will be at most; 0 where that is not known.
    fn total(&self) -> usize;

    /// What a probe is of, where its number alone says too little.
    fn about(&self, _probe: &Probe) -> String {
        String::new()
    }

    /// What follows from what was found so far, and whether that is all; `None` where the study only brings findings.
    fn conclude(&self, _findings: &[Finding], _is_done: bool) -> Option<Story> {
        None
    }

    /// The same for programs: its fields are promised to them, and do not change.
    fn facts(&self, findings: &[Finding]) -> Value {
        self.conclude(findings, true).map_or(Value::Null, |story| json::paint(&story))
    }

    /// That what was asked for was found.
    ///
    /// # Errors
    /// What failed.
    fn check(&self, findings: &[Finding]) -> Result<()> {
        verdict::complete(findings)
    }

    /// What an experiment says at its end, or why it cannot be made.
    fn tested(&self, _findings: &[Finding]) -> Option<std::result::Result<experiment::Tested, Words>> {
        None
    }
}

/// A study that is being run.
pub struct Run {
    study: Box<dyn Study>,
    prober: Prober,
    findings: Vec<Finding>,
}

impl Run {
    /// Nothing is measured yet.
    #[must_use]
    pub fn new(study: Box<dyn Study>, budget: Budget) -> Self {
        Self { study, prober: Prober::new(budget), findings: Vec::new() }
    }

    /// Probes that were taken, and how many there will be at most; 0 where that is not known.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let total = self.study.total();
        (self.findings.len(), if total == 0 { 0 } else { total.max(self.findings.len()) })
    }

    /// What was found so far.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What was found in all.
    #[must_use]
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// What is asked.
    #[must_use]
    pub fn study(&self) -> &dyn Study {
        self.study.as_ref()
    }

    /// What follows from what was found so far, and whether that is all.
    #[must_use]
    pub fn conclude(&self, is_done: bool) -> Option<Story> {
        self.study.conclude(&self.findings, is_done)
    }

    /// What an experiment says at its end, or why it cannot be made.
    #[must_use]
    pub fn tested(&self) -> Option<std::result::Result<experiment::Tested, Words>> {
        self.study.tested(&self.findings)
    }

    /// The same with what an earlier run of it found.
    #[must_use]
    pub fn with_findings(self, findings: Vec<Finding>) -> Self {
        Self { findings, ..self }
    }

    /// The next probe, which [`Run::take`] then takes; `None` at the end.
    pub fn next_probe(&mut self) -> Option<Probe> {
        self.study.next(&self.findings)
    }

    /// Takes a probe.
    ///
    /// # Errors
    /// As [`Prober::take`].
    pub fn take(&mut self, probe: Probe, backend: &mut dyn Backend, progress: &dyn Progress) -> Result<&Finding> {
        let finding = self.prober.take(probe, backend, progress)?;
        self.findings.push(finding);
        self.findings.last().ok_or_else(|| failed("errors.engine.nothing-found", &[]))
    }
}

/// Takes probes, and verifies nothing twice.
pub struct Prober {
    budget: Budget,
    proofs: Vec<Proof>,
}

impl Prober {
    /// With this budget for each probe.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self { budget, proofs: Vec::new() }
    }

    /// Takes a probe.
    ///
    /// # Errors
    /// Cancelled, or roofs that could not be measured: a task that could not is a finding, too.
    pub fn take(&mut self, probe: Probe, backend: &mut dyn Backend, progress: &dyn Progress) -> Result<Finding> {
        Ok(match probe {
            Probe::Roofs(device) => Finding::Roofs(backend.measure_roofs(device, progress)?),
            Probe::Measure(task) => Finding::Record(task.clone(), Box::new(self.record(&task, backend, progress)?)),
            Probe::Glance(task) => {
                let time = glance(&task, backend, progress)?;
                Finding::Glanced(Box::new(task), time)
            }
            Probe::Compare(first, second) => {
                let compared = self.compare(&first, &second, backend, progress)?;
                Finding::Compared(Box::new((first, second)), compared)
            }
            Probe::Frames(task) => {
                let frames = self.proof(&task, backend, progress).and_then(|proof| backend.frames(&proof, progress));
                match frames {
                    Err(error) if error.is_cancelled() => return Err(error),
                    frames => Finding::Frames(task, frames.map(Box::new)),
                }
            }
            Probe::Split(task) => {
                let split = self.proof(&task, backend, progress).and_then(|proof| backend.split(&proof, progress));
                match split {
                    Err(error) if error.is_cancelled() => return Err(error),
                    split => Finding::Split(task, split.map(Box::new)),
                }
            }
            Probe::Code(task) => {
                // PoCL compiles for a local size when that runs first.
                let compiled = backend.compiled(&task, progress).map(|compiled| compiled.summary());
                match compiled {
                    Err(error) if error.is_cancelled() => return Err(error),
                    compiled => Finding::Code(task, compiled),
                }
            }
            Probe::CompareCached(first, second) => {
                let budget = Budget { warm_cache: true, ..self.budget };
                let compared = self.compare_for(budget, [&first, &second], backend, progress)?;
                Finding::Compared(Box::new((first, second)), compared)
            }
        })
    }

    /// A reading of one task.
    ///
    /// # Errors
    /// Only cancellation: what could not be measured is a row with its reason.
    pub fn record(&mut self, task: &Task, backend: &mut dyn Backend, progress: &dyn Progress) -> Result<Record> {
        let proof = self.proof(task, backend, progress);
        let record = proof.and_then(|proof| {
            // The record says what the compiler made of it; without that it is a record all the same.
            let _ = backend.note_code(task, progress);
            backend.measure(&proof, self.budget, progress)
        });
        backend.row(task, record)
    }

    /// Two tasks in interleaved pairs, or why they could not be compared.
    ///
    /// # Errors
    /// Only cancellation.
    pub fn compare(&mut self, first: &Task, second: &Task, backend: &mut dyn Backend, progress: &dyn Progress) -> Result<Result<Compared>> {
        self.compare_for(self.budget, [first, second], backend, progress)
    }

    fn compare_for(
        &mut self,
        budget: Budget,
        [first, second]: [&Task; 2],
        backend: &mut dyn Backend,
        progress: &dyn Progress,
    ) -> Result<Result<Compared>> {
        let proofs = self.proof(first, backend, progress).and_then(|proof| Ok((proof, self.proof(second, backend, progress)?)));
        let compared = proofs.and_then(|(one, other)| {
            // Two of the same code are told as such; where that cannot be known, their times are compared all the same.
            let _ = backend.note_code(first, progress).and_then(|()| backend.note_code(second, progress));
            backend.compare(&one, &other, budget, progress)
        });
        match compared {
            Err(error) if error.is_cancelled() => Err(error),
            compared => Ok(compared),
        }
    }

    fn proof(&mut self, task: &Task, backend: &mut dyn Backend, progress: &dyn Progress) -> Result<Proof> {
        if let Some(known) = self.proofs.iter().find(|proof| proof.task() == task) {
            return Ok(known.clone());
        }
        let proof = backend.prove(task, progress)?;
        self.proofs.push(proof.clone());
        Ok(proof)
    }
}

/// A kernel time of one task that only guides a search, or why there is none. A search comes to hundreds: their proofs are not kept.
fn glance(task: &Task, backend: &mut dyn Backend, progress: &dyn Progress) -> Result<Result<f64>> {
    match backend.prove(task, progress).and_then(|proof| backend.glance(&proof, progress)) {
        Err(error) if error.is_cancelled() => Err(error),
        time => Ok(time),
    }
}
