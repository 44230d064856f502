//! Epsilon filter 9 × 9 on the CPU: 8-bit lanes compare and count, 16-bit lanes add.

use crate::Job;
use crate::reference::epsilon::{REACH_PX, SIDE_PX};
use crate::window::Window;

/// Pixels that are worked on at a time: bounds and sums of a block take 2.5 KiB.
const BLOCK_PX: usize = 512;

/// Averages the neighbors that are no further than `threshold` from the center.
pub fn run(job: Job, threshold: u8) {
    job.window(&Epsilon { threshold });
}

/// The arithmetic.
struct Epsilon {
    /// How far a neighbor that counts may be from the center.
    threshold: u8,
}

impl Window<SIDE_PX> for Epsilon {
    #[inline(always)]
    fn byte(&self, square: &[[u8; SIDE_PX]; SIDE_PX]) -> u8 {
        let [_, _, _, _, [_, _, _, _, center, ..], ..] = *square;
        let (mut sum, mut count) = (0, 0);
        for &neighbor in square.as_flattened() {
            if neighbor.abs_diff(center) <= self.threshold {
                sum += u32::from(neighbor);
                count += 1;
            }
        }
        ((2 * sum + count) / (2 * count).max(1)) as u8
    }

    /// The picture is gray.
    #[inline(always)]
    fn strip(&self, rows: [&[u8]; SIDE_PX], _channels: usize, out: &mut [u8]) {
        let [_, _, _, _, middle, ..] = rows;
        for (index, out) in out.chunks_mut(BLOCK_PX).enumerate() {
            let start = index * BLOCK_PX;
            let centers = middle.get(start + REACH_PX..start + REACH_PX + out.len()).unwrap_or_default();
            let mut block = Block::new(centers, self.threshold);
            for row in rows {
                block.add_row(row.get(start..start + out.len() + 2 * REACH_PX).unwrap_or_default());
            }
            block.finish(out);
        }
    }
}

/// Sums and counts of a block of pixels.
struct Block {
    /// The smallest value that is near to the center.
    low: [u8; BLOCK_PX],
    /// From there to the largest.
    span: [u8; BLOCK_PX],
    sums: [u16; BLOCK_PX],
    counts: [u8; BLOCK_PX],
}

impl Block {
    #[inline(always)]
    fn new(centers: &[u8], threshold: u8) -> Self {
        let (low, span) = ([0; BLOCK_PX], [0; BLOCK_PX]);
        let mut block = Self { low, span, sums: [0; BLOCK_PX], counts: [0; BLOCK_PX] };
        for ((low, span), &center) in block.low.iter_mut().zip(&mut block.span).zip(centers) {
            *low = center.saturating_sub(threshold);
            *span = center.saturating_add(threshold) - *low;
        }
        block
    }

    /// Adds a row of the mask: pixel i of the block has the neighbors i .. i + 8 of `row`. Nine of them add at most 9 · 255, all 81 at most
    /// 20655.
    #[inline(always)]
    fn add_row(&mut self, row: &[u8]) {
        let lanes = self.low.iter().zip(&self.span).zip(&mut self.sums).zip(&mut self.counts);
        for ((((&low, &span), sum), count), neighbors) in lanes.zip(row.array_windows::<SIDE_PX>()) {
            let (mut row_sum, mut row_count) = (0, 0);
            for &neighbor in neighbors {
                // Below `low` the difference wraps to more than any span.
                let is_near = neighbor.wrapping_sub(low) <= span;
                row_sum += if is_near { u16::from(neighbor) } else { 0 };
                row_count += u8::from(is_near);
            }
            *sum += row_sum;
            *count += row_count;
        }
    }

    /// sum / count, rounded half up. What is cut off is never nearer than 1 / (4 · count) to a whole number, see `kernels/epsilon/window.clh`.
    #[inline(always)]
    fn finish(&self, out: &mut [u8]) {
        for ((out, &sum), &count) in out.iter_mut().zip(&self.sums).zip(&self.counts) {
            *out = ((f32::from(sum) + 0.25) / f32::from(count) + 0.5) as u8;
        }
    }
}
