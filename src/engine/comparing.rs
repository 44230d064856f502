//! Comparing two tasks in interleaved pairs.

use super::plan::Plan;
use super::{Budget, Engine, Progress, Target, Task, on_cpu, on_device};
use crate::device::Session;
use crate::error::{Error, Result};
use crate::filters::Parameters;
use crate::image::Picture;
use crate::measure::{Comparison, CpuGate, Gate, MIN_PAIRS, Verdict, compare, sample};

/// What comparing two tasks brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The ratio of kernel times; above 1 the second is faster.
    pub comparison: Comparison,
    /// Pairs that were compared.
    pub pairs: usize,
    /// Other work was too busy throughout: the verdict is then `Unclear`, whatever the ratio.
    pub busy: bool,
}

impl Engine {
    /// Verifies both tasks, then runs them in turn, A B A B …, for `budget.sample_ns` in all but [`MIN_PAIRS`] times at least, and compares their
    /// kernel times. What disturbs the machine, or lets its clock drift, then disturbs both.
    ///
    /// # Errors
    /// Cancelled; one of them does not run, is wrong, or its timestamps are invalid.
    pub fn compare(&mut self, first: &Task, second: &Task, budget: Budget, progress: &dyn Progress) -> Result<Compared> {
        progress.report(0, 3, "Verifying both");
        let (first_parameters, second_parameters) = (self.check(first)?, self.check(second)?);
        let (first_source, second_source) = (self.derived.source(first), self.derived.source(second));
        for task in [first, second] {
            self.verified(task, progress)?;
            if let Target::Device { index, .. } = task.target {
                self.session(index)?;
            }
        }
        progress.report(1, 3, "Comparing");
        // Of slow kernels, too: to stop before there are enough would be time spent for nothing.
        let budget = Budget { min_samples: budget.min_samples.max(MIN_PAIRS), ..budget };
        let plans = (self.plan(first, &first_parameters)?, self.plan(second, &second_parameters)?);
        let mut a = Side::new(first, &first_source, &first_parameters, plans.0.as_ref(), budget)?;
        let mut b = Side::new(second, &second_source, &second_parameters, plans.1.as_ref(), budget)?;
        // The stricter gate of both.
        let mut gate: Box<dyn Gate> = match (&plans.0, &plans.1) {
            (Some((session, _)), Some((other, _))) if on_device::gate(session).window_ns() == 0 => on_device::gate(other),
            _ => Box::new(CpuGate::new()),
        };
        let sampled = sample(&budget, gate.as_mut(), progress, || Ok((a.run()?, b.run()?)))?;
        let (first_ns, second_ns): (Vec<_>, Vec<_>) = sampled.samples.iter().copied().unzip();
        let mut comparison = compare(&first_ns, &second_ns);
        if sampled.busy {
            comparison.verdict = Verdict::Unclear;
        }
        Ok(Compared { comparison, pairs: sampled.samples.len(), busy: sampled.busy })
    }

    /// Session and plan of a task on a device that is open.
    fn plan(&self, task: &Task, parameters: &Parameters) -> Result<Option<(&Session, Plan)>> {
        let Target::Device { index, variant, local } = task.target else { return Ok(None) };
        let session = self.opened(index)?;
        Ok(Some((session, Plan::new(session, task, parameters, &variant, local)?)))
    }
}

/// One of the two, ready to run again and again.
enum Side<'a> {
    Cpu(on_cpu::Runner<'a>),
    Device(on_device::Runner<'a>),
}

impl<'a> Side<'a> {
    fn new(
        task: &'a Task,
        source: &Picture,
        parameters: &'a Parameters,
        plan: Option<&'a (&Session, Plan)>,
        budget: Budget,
    ) -> Result<Self> {
        Ok(match (task.target, plan) {
            (Target::Cpu(engine), _) => Self::Cpu(on_cpu::Runner::new(engine, task, source, parameters, budget)),
            (Target::Device { .. }, Some((session, plan))) => Self::Device(on_device::Runner::new(session, plan, task, source, budget)?),
            (Target::Device { .. }, None) => {
                return Err(Error::failed("Nothing to compare", "the variant was not built", "this is a defect: report it"));
            }
        })
    }

    fn run(&mut self) -> Result<u64> {
        match self {
            Self::Cpu(runner) => Ok(runner.run()),
            Self::Device(runner) => runner.kernel()?.ok_or_else(|| {
                Error::failed("The two cannot be compared", "the driver's timestamps are invalid", "compare on another device or driver")
            }),
        }
    }
}
