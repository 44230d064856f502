//! The CPU competitors as the program speaks of them. What they do is in [`kernel_ladder_cpu`].

#[cfg(test)]
mod tests;

use base::texts::{Words, filled, speaking_keys, text};
use kernel_ladder_cpu::{InstructionSet, Job};
use model::{CpuEngine, Parameters};

/// One filter on the CPU: `|job, _| cpu::run(job)`.
pub type FilterOnCpu = fn(Job, &Parameters);

/// What `engine` chose at run time, as readings show it: "scalar", "AVX2" or "AVX2, 8 threads".
#[must_use]
pub fn instructions(engine: CpuEngine) -> Words {
    let set = InstructionSet::best().name();
    Words::from(speaking_keys(|| match engine {
        CpuEngine::Scalar => text("words.instructions.scalar").to_owned(),
        CpuEngine::Simd => set.to_owned(),
        CpuEngine::Threads => match rayon::current_num_threads() {
            1 => filled("words.instructions.one-thread", &[("set", &set)]),
            threads => filled("words.instructions.threads", &[("set", &set), ("count", &threads)]),
        },
    }))
}
