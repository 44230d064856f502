//! Running and sampling the CPU competitors.

use super::sampling::{Sample, rotation};
use super::{Budget, Executed, Progress, Task};
use crate::cpu::CpuEngine;
use crate::error::Result;
use crate::filters::Parameters;
use crate::image::Picture;
use crate::measure::{CpuGate, Sampled, sample};
use std::sync::Arc;
use std::time::Instant;

/// Runs once. Alpha is taken over from the source.
pub fn execute(engine: CpuEngine, task: &Task, source: &Picture, parameters: &Parameters) -> Executed {
    // Poisoned, so that a byte that is never written differs from the reference; and no page fault of a fresh allocation falls into the run.
    let mut output = Picture::blank(source, task.filter.output_channels(source.channels()));
    output.bytes_mut().fill(super::POISON);
    let kernel_ns = run(engine, task, source, parameters, &mut output);
    Executed::on_host(Arc::new(output), kernel_ns)
}

/// A competitor ready to run again and again, over several pairs of source and output in turn.
pub struct Runner<'a> {
    engine: CpuEngine,
    task: &'a Task,
    parameters: &'a Parameters,
    pairs: Vec<(Picture, Picture)>,
    turn: usize,
}

impl<'a> Runner<'a> {
    /// Makes the pairs.
    pub fn new(engine: CpuEngine, task: &'a Task, source: &Picture, parameters: &'a Parameters, budget: Budget) -> Self {
        let output = Picture::blank(source, task.filter.output_channels(source.channels()));
        let count = rotation(budget, source.bytes().len() + output.bytes().len());
        Self { engine, task, parameters, pairs: (0..count).map(|_| (source.clone(), output.clone())).collect(), turn: 0 }
    }

    /// Runs once, over the next pair; nanoseconds on the host's clock.
    pub fn run(&mut self) -> u64 {
        self.turn = (self.turn + 1) % self.pairs.len().max(1);
        self.pairs.get_mut(self.turn).map_or(0, |(from, to)| run(self.engine, self.task, from, self.parameters, to))
    }
}

/// Warms up and samples.
///
/// # Errors
/// Cancelled.
pub fn measure(
    engine: CpuEngine,
    task: &Task,
    source: &Picture,
    parameters: &Parameters,
    budget: Budget,
    progress: &dyn Progress,
) -> Result<Sampled<Sample>> {
    let mut runner = Runner::new(engine, task, source, parameters, budget);
    sample(&budget, &mut CpuGate::new(), progress, || Ok(Sample { kernel_ns: Some(runner.run()), pass_ns: Vec::new(), round_trip: None }))
}

fn run(engine: CpuEngine, task: &Task, source: &Picture, parameters: &Parameters, output: &mut Picture) -> u64 {
    let begun = Instant::now();
    (task.filter.cpu)(engine, source, task.border, parameters, output.bytes_mut());
    super::elapsed_ns(begun)
}
