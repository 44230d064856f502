//! Luma on the CPU. Weights in 256ths: sums fit 16 bits, and results are within 1 of the exact ones.

use crate::Job;
use crate::pointwise::Pointwise;

/// Turns RGB into gray.
pub fn run(job: Job) {
    job.pointwise(&Weighted);
}

/// The arithmetic.
struct Weighted;

impl Pointwise<3> for Weighted {
    #[inline(always)]
    fn byte(&self, pixel: [u8; 3]) -> u8 {
        luma(pixel)
    }

    #[inline(always)]
    fn strip(&self, source: &[[u8; 3]], out: &mut [u8]) {
        luma_of_row(source, out);
    }
}

/// The brightness of a color, with weights in 256ths: within 1 of the exact dot product with 0.299, 0.587 and 0.114.
#[must_use]
#[inline(always)]
pub fn luma(color: [u8; 3]) -> u8 {
    let [red, green, blue] = color;
    // At most 256 · 255 + 128 = 65408: the sum fits 16 bits, and the result 8.
    ((77 * u16::from(red) + 150 * u16::from(green) + 29 * u16::from(blue) + 128) >> 8) as u8
}

/// The brightness of a row of colors, by SIMD. Bytes are read one by one: a color that is copied as a whole makes a number of 24 bits, and of such numbers the
/// compiler makes no vectors.
#[inline(always)]
pub fn luma_of_row(colors: &[[u8; 3]], out: &mut [u8]) {
    for (out, [red, green, blue]) in out.iter_mut().zip(colors) {
        *out = luma([*red, *green, *blue]);
    }
}
