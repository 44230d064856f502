//! Luma on the CPU. Weights in 256ths: sums fit 16 bits, and results are within 1 of the exact ones.

use crate::cpu::pointwise::Pointwise;
use crate::image::luma;

/// The arithmetic.
pub struct Weighted;

impl Pointwise<3> for Weighted {
    #[inline(always)]
    fn byte(&self, pixel: [u8; 3]) -> u8 {
        luma(pixel)
    }
}
