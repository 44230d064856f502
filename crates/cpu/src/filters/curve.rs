//! Tone curve on the CPU: a table of all bytes, made once.

use crate::Job;
use crate::lookup::{Lookup, VALUES};
use crate::reference::curve::output_of;

/// Moves every byte toward the root curve, by `strength` percent.
pub fn run(job: Job, strength: u32) {
    let mut table = [0; VALUES];
    for (byte, output) in (0..=255).zip(&mut table) {
        *output = output_of(byte, strength);
    }
    let lookup = Lookup::new(table, job.set);
    job.pointwise(&lookup);
}
