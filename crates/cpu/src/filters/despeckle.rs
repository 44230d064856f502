//! Despeckle on the CPU: the test by SIMD for all pixels of a block, then a median for each outlier, one by one.

use crate::Job;
use crate::reference::despeckle::REACH_PX;
use crate::window::Window;

/// Pixels on each side of the median's window.
const SIDE_PX: usize = 2 * REACH_PX + 1;

/// Pixels that are tested at a time.
const BLOCK_PX: usize = 512;

/// Replaces each pixel that differs by more than `threshold` from the mean of its eight neighbors by the median of 5 × 5.
pub fn run(job: Job, threshold: u8) {
    job.window(&Despeckle { threshold });
}

/// The arithmetic.
struct Despeckle {
    threshold: u8,
}

impl Despeckle {
    /// Of a pixel and the sum of the nine around and in it.
    #[inline(always)]
    fn is_outlier(&self, pixel: u8, sum_of_nine: u16) -> bool {
        // At most 255, as no neighbor is more.
        let mean = ((sum_of_nine - u16::from(pixel) + 4) >> 3) as u8;
        pixel.abs_diff(mean) > self.threshold
    }
}

impl Window<SIDE_PX> for Despeckle {
    #[inline(always)]
    fn byte(&self, square: &[[u8; SIDE_PX]; SIDE_PX]) -> u8 {
        let [_, above, here, below, _] = square;
        let [_, _, pixel, _, _] = *here;
        let sum_of_row = |[_, left, middle, right, _]: &[u8; SIDE_PX]| u16::from(*left) + u16::from(*middle) + u16::from(*right);
        let sum = sum_of_row(above) + sum_of_row(here) + sum_of_row(below);
        if self.is_outlier(pixel, sum) { median(square) } else { pixel }
    }

    /// The picture is gray.
    #[inline(always)]
    fn strip(&self, rows: [&[u8]; SIDE_PX], _channels: usize, out: &mut [u8]) {
        for (index, out) in out.chunks_mut(BLOCK_PX).enumerate() {
            let start = index * BLOCK_PX;
            let block = rows.map(|row| row.get(start..start + out.len() + 2 * REACH_PX).unwrap_or_default());
            self.block(block, out);
        }
    }
}

impl Despeckle {
    #[inline(always)]
    fn block(&self, rows: [&[u8]; SIDE_PX], out: &mut [u8]) {
        let [_, above, here, below, _] = rows;
        let mut columns = [0_u16; BLOCK_PX + 2];
        let three = above.iter().zip(here).zip(below).skip(1);
        for (column, ((&above, &here), &below)) in columns.iter_mut().take(out.len() + 2).zip(three) {
            *column = u16::from(above) + u16::from(here) + u16::from(below);
        }
        let mut outliers = [false; BLOCK_PX];
        let own = here.get(REACH_PX..).unwrap_or_default();
        let sums = columns.iter().zip(columns.iter().skip(1)).zip(columns.iter().skip(2)).map(|((left, here), right)| left + here + right);
        for (((outlier, out), &pixel), sum) in outliers.iter_mut().zip(out.iter_mut()).zip(own).zip(sums) {
            *outlier = self.is_outlier(pixel, sum);
            *out = pixel;
        }
        for (x, (out, _)) in out.iter_mut().zip(outliers).enumerate().filter(|(_, (_, is_outlier))| *is_outlier) {
            let square = rows.map(|row| row.get(x..).and_then(|row| row.first_chunk()).copied().unwrap_or_default());
            *out = median(&square);
        }
    }
}

/// The thirteenth in order.
fn median(square: &[[u8; SIDE_PX]; SIDE_PX]) -> u8 {
    let mut values = [0; SIDE_PX * SIDE_PX];
    for (value, &byte) in values.iter_mut().zip(square.as_flattened()) {
        *value = byte;
    }
    *values.select_nth_unstable(SIDE_PX * SIDE_PX / 2).1
}
