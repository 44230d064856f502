//! Resize, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// Parts of a pixel that a place is rounded down to.
pub const PARTS: i64 = 256;

/// Width and height of the output.
#[must_use]
pub fn size(picture: Pixels, percent: usize) -> [usize; 2] {
    [picture.width_px, picture.height_px].map(|side| (side * percent / 100).max(1))
}

/// The output bytes of the given rows of the output.
#[must_use]
pub fn rows(picture: Pixels, percent: usize, rows: Range<usize>) -> Vec<u8> {
    let [out_width, out_height] = size(picture, percent);
    let channels = picture.channels.count();
    let mut output = Vec::with_capacity(rows.len() * out_width * channels);
    for row in rows {
        let (y, down) = place(row, picture.height_px, out_height);
        for column in 0..out_width {
            let (x, across) = place(column, picture.width_px, out_width);
            for channel in 0..channels {
                let weighted =
                    |dx: isize, dy: isize, weight: i64| weight * i64::from(picture.byte(BorderMode::Replicate, x + dx, y + dy, channel));
                let sum = weighted(0, 0, (PARTS - across) * (PARTS - down))
                    + weighted(1, 0, across * (PARTS - down))
                    + weighted(0, 1, (PARTS - across) * down)
                    + weighted(1, 1, across * down);
                output.push(((sum + PARTS * PARTS / 2) / (PARTS * PARTS)) as u8);
            }
        }
    }
    output
}

/// The last pixel whose center is at or before the place of pixel `index` of the output, and how many 256ths of a pixel the place is beyond that center.
#[must_use]
pub fn place(index: usize, length: usize, out_length: usize) -> (isize, i64) {
    let [index, length, out_length] = [index, length, out_length].map(|number| number.cast_signed() as i64);
    // (index + 1/2) · length / out_length − 1/2
    let parts = ((2 * index + 1) * length * PARTS - out_length * PARTS).div_euclid(2 * out_length);
    (parts.div_euclid(PARTS) as isize, parts.rem_euclid(PARTS))
}
