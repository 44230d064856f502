//! Add on the CPU.

use crate::Job;
use crate::pointwise::Pointwise;

/// Adds `amount`, −255 to 255, to every byte.
pub fn run(job: Job, amount: i32) {
    job.pointwise(&Added(amount));
}

/// The arithmetic, for an amount of −255 to 255.
struct Added(i32);

impl Pointwise<1> for Added {
    #[inline(always)]
    fn byte(&self, [byte]: [u8; 1]) -> u8 {
        (i32::from(byte) + self.0).clamp(0, 255) as u8
    }

    /// Adds what is positive and subtracts what is negative: both saturate in one instruction, and one of them changes nothing.
    #[inline(always)]
    fn strip(&self, source: &[[u8; 1]], out: &mut [u8]) {
        let (plus, minus) = (self.0.clamp(0, 255) as u8, (-self.0).clamp(0, 255) as u8);
        for (out, [byte]) in out.iter_mut().zip(source) {
            *out = byte.saturating_add(plus).saturating_sub(minus);
        }
    }
}
