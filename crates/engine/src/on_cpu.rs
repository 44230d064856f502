//! Running and sampling the CPU competitors.

use super::expected::Expected;
use super::sampling::{Sample, rotation};
use super::{Executed, Task};
use crate::device::Poison;
use base::error::Result;
use kernel_ladder_cpu::Job;
use model::measure::{Computes, CpuGate, Progress, Sampled, sample};
use model::{Budget, CpuEngine};
use pictures::{Picture, Sharing};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Runs once. Alpha is taken over from the source.
pub fn execute(engine: CpuEngine, task: &Task, source: &Picture, outputs: Sharing) -> Executed {
    // Poisoned, so that a byte that is never written differs from the reference; and no page fault of a fresh allocation falls into the run.
    let mut output = task.filter().blank(source, &task.spec.parameters, outputs);
    Poison::random().fill(output.bytes_mut());
    let kernel_ns = run(engine, task, source, &mut output);
    Executed::on_host(Arc::new(output), kernel_ns)
}

/// Pairs of source and output that runs rotate over.
pub type Pairs = Rc<RefCell<Vec<(Arc<Picture>, Picture)>>>;

/// `count` pairs for `task`, or as many as the budget asks for.
pub fn pairs(task: &Task, source: &Arc<Picture>, budget: Budget, count: Option<usize>) -> Pairs {
    let count = count.unwrap_or_else(|| rotation(budget, task.bytes_moved()));
    let output = || {
        let mut output = task.filter().blank(source, &task.spec.parameters, Sharing::Private);
        // A blank one has no memory yet: the first run over it would be timed with its page faults, and the warm-up may end before all had theirs.
        Poison::random().fill(output.bytes_mut());
        output
    };
    // The first source is the picture itself.
    let sources = std::iter::once(Arc::clone(source)).chain((1..count).map(|_| Arc::new(Picture::clone(source))));
    Rc::new(RefCell::new(sources.map(|source| (source, output())).collect()))
}

/// A competitor ready to run again and again, over several pairs of source and output in turn.
pub struct Runner<'a> {
    engine: CpuEngine,
    task: &'a Task,
    pairs: Pairs,
}

impl<'a> Runner<'a> {
    /// Over these pairs, which another runner may use, too.
    pub fn new(engine: CpuEngine, task: &'a Task, pairs: Pairs) -> Self {
        Self { engine, task, pairs }
    }

    /// Runs once, over the pair of that index; nanoseconds on the host's clock.
    pub fn run_over(&self, pair: usize) -> u64 {
        self.pairs.borrow_mut().get_mut(pair).map_or(0, |(from, to)| run(self.engine, self.task, from, to))
    }

    /// The last lap: over every pair once more, each over a poisoned output.
    ///
    /// # Errors
    /// An output is wrong.
    pub fn check(&self, expected: &Expected) -> Result<()> {
        for (from, to) in self.pairs.borrow_mut().iter_mut() {
            Poison::random().fill(to.bytes_mut());
            run(self.engine, self.task, from, to);
            expected.check(to.bytes(), 0)?;
        }
        Ok(())
    }
}

/// Warms up and samples.
///
/// # Errors
/// Cancelled, or an output of what was timed is wrong.
pub fn measure(
    engine: CpuEngine,
    task: &Task,
    source: &Arc<Picture>,
    expected: &Expected,
    budget: Budget,
    progress: &dyn Progress,
) -> Result<Sampled<Sample>> {
    let runner = Runner::new(engine, task, pairs(task, source, budget, None));
    let count = runner.pairs.borrow().len().max(1);
    let mut turn = 0;
    let sampled = sample(&budget, &mut CpuGate::of(Computes::OnHost), progress, || {
        turn = (turn + 1) % count;
        Ok(Sample::of(Some(runner.run_over(turn)), Vec::new()))
    })?;
    runner.check(expected)?;
    Ok(sampled)
}

/// Runs once; nanoseconds on the host's clock.
pub fn run(engine: CpuEngine, task: &Task, source: &Picture, output: &mut Picture) -> u64 {
    let begun = Instant::now();
    let (filter, parameters) = (task.filter(), &task.spec.parameters);
    // A filter without competitors was refused before.
    if let Some(cpu) = filter.cpu {
        cpu(Job::new(engine, source.pixels(), task.spec.border, (filter.reach)(parameters), output.bytes_mut()), parameters);
    }
    super::elapsed_ns(begun)
}

#[cfg(test)]
mod tests {
    use super::pairs;
    use crate::{PictureRef, Target, Task};
    use model::{Budget, Channels, CpuEngine};

    #[test]
    fn outputs_have_their_memory_before_anything_is_timed() {
        let picture = PictureRef::generated((61, 33), Channels::Gray);
        let source = std::sync::Arc::clone(&picture.picture);
        let task = Task::new(picture, Target::Cpu(CpuEngine::Simd));
        let pairs = pairs(&task, &source, Budget::default(), Some(3));
        // No poison has a byte of 0.
        assert!(pairs.borrow().iter().all(|(_, output)| !output.bytes().contains(&0)));
        assert_eq!(pairs.borrow().len(), 3);
    }
}
