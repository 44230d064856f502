//! Copy on the CPU: nothing to compute.

use crate::Job;
use crate::band::Finish;
use crate::pointwise::Pointwise;

/// Copies every byte.
pub fn run(job: Job) {
    job.pointwise(&Copied);
}

/// The arithmetic.
struct Copied;

impl Pointwise<1> for Copied {
    #[inline(always)]
    fn byte(&self, [byte]: [u8; 1]) -> u8 {
        byte
    }

    /// Without the way round through a strip.
    #[inline(always)]
    fn simd(&self, source: &[u8], finish: &Finish, output: &mut [u8]) {
        finish.writer.write(source.get(..output.len()).unwrap_or_default(), output);
    }
}
