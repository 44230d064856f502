//! Tone curve on the CPU: a table of all bytes, made once.

use crate::Job;
use crate::lookup::Lookup;
use crate::pointwise::Pointwise;
use crate::reference::curve::output_of;

/// Moves every byte toward the root curve, by `strength` percent.
pub fn run(job: Job, strength: u32) {
    let mut table = [0; 256];
    for (byte, output) in (0..=255).zip(&mut table) {
        *output = output_of(byte, strength);
    }
    let curve = Curve(Lookup::new(table, job.set));
    job.pointwise(&curve);
}

/// The output of each byte.
struct Curve(Lookup);

impl Pointwise<1> for Curve {
    #[inline(always)]
    fn byte(&self, [byte]: [u8; 1]) -> u8 {
        self.0.byte(byte)
    }

    #[inline(always)]
    fn strip(&self, source: &[[u8; 1]], out: &mut [u8]) {
        self.0.bytes(source.as_flattened(), out);
    }
}
