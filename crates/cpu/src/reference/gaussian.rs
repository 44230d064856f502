//! Gaussian, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// How far the mask reaches, in pixels.
pub const RADIUS_PX: usize = 5;

/// The mask; its weights sum to 256.
pub const MASK: [u16; 2 * RADIUS_PX + 1] = [1, 4, 8, 16, 32, 134, 32, 16, 8, 4, 1];

/// The output bytes of the given rows, which lie inside the picture: down the columns first, as sums are the same in any order. A side of 10 pixels or less has no interior: with `copy` the
/// output is then the source.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, rows: Range<usize>) -> Vec<u8> {
    let (width, height, channels) = (picture.width_px, picture.height_px, picture.channels.count());
    let row_bytes = picture.row_bytes();
    let inside = |x: usize, length: usize| x >= RADIUS_PX && x + RADIUS_PX < length;
    // For each column, those that its taps fall on.
    let columns: Vec<[usize; MASK.len()]> = (0..width).map(|x| around(border, x, width)).collect();
    let mut output = Vec::with_capacity(rows.len() * row_bytes);
    for y in rows {
        let row = |y: usize| picture.bytes.get(y * row_bytes..(y + 1) * row_bytes).unwrap_or_default();
        let mut sums = vec![0_u32; row_bytes];
        for (&weight, y) in MASK.iter().zip(around(border, y, height)) {
            for (sum, &byte) in sums.iter_mut().zip(row(y)) {
                *sum += u32::from(weight) * u32::from(byte);
            }
        }
        for (x, taps) in columns.iter().enumerate() {
            for channel in 0..channels {
                let byte = if border == BorderMode::Copy && !(inside(x, width) && inside(y, height)) {
                    row(y).get(x * channels + channel).copied().unwrap_or(0)
                } else {
                    let at = |x: usize| sums.get(x * channels + channel).copied().unwrap_or(0);
                    let sum: u32 = MASK.iter().zip(taps).map(|(&weight, &x)| u32::from(weight) * at(x)).sum();
                    // All weights sum to 65536; half of that rounds to the nearest. At most 65536 · 255 + 32768, so 255 after the shift.
                    ((sum + 32768) >> 16) as u8
                };
                output.push(byte);
            }
        }
    }
    output
}

/// The indices that stand for the 11 around `index` on a side of `length`.
fn around(border: BorderMode, index: usize, length: usize) -> [usize; MASK.len()] {
    std::array::from_fn(|tap| border.source_index((index + tap).cast_signed() - RADIUS_PX.cast_signed(), length))
}
