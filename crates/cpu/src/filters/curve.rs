//! Tone curve on the CPU: a table of all bytes, made once.

use crate::Job;
use crate::lookup::Lookup;
use crate::reference::curve::output_of;

/// Moves every byte toward the root curve, by `strength` percent.
pub fn run(job: Job, strength: u32) {
    let lookup = Lookup::of(|byte| output_of(byte, strength), job.set);
    job.pointwise(&lookup);
}
