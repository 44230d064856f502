//! Tone curve on the CPU: a table of all bytes, made once.

use crate::Job;
use crate::pointwise::Pointwise;
use crate::reference::curve::output_of;

/// Moves every byte toward the root curve, by `strength` percent.
pub fn run(job: Job, strength: u32) {
    let mut table = [0; 256];
    for (byte, output) in (0..=255).zip(&mut table) {
        *output = output_of(byte, strength);
    }
    job.pointwise(&Curve(table));
}

/// The output of each byte.
struct Curve([u8; 256]);

impl Pointwise<1> for Curve {
    #[inline(always)]
    fn byte(&self, [byte]: [u8; 1]) -> u8 {
        let Self(table) = self;
        // Every byte has its place; the compiler knows.
        table.get(usize::from(byte)).copied().unwrap_or_default()
    }
}
