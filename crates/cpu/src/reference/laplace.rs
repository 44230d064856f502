//! Laplace sharpen, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// The output bytes of the given rows, which lie inside the picture. A side of 1 or 2 pixels has no interior: with `copy` the output is then the source.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, rows: Range<usize>) -> Vec<u8> {
    let (width, height, channels) = (picture.width_px, picture.height_px, picture.channels.count());
    let at = |x: isize, y: isize, channel: usize| i32::from(picture.byte(border, x, y, channel));
    let mut output = Vec::with_capacity(rows.len() * picture.row_bytes());
    for row in rows {
        for column in 0..width {
            for channel in 0..channels {
                let (x, y) = (column.cast_signed(), row.cast_signed());
                let center = at(x, y, channel);
                let is_edge = column == 0 || row == 0 || column + 1 == width || row + 1 == height;
                let value = if border == BorderMode::Copy && is_edge {
                    center
                } else {
                    let nine: i32 =
                        (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))).map(|(dx, dy)| at(x + dx, y + dy, channel)).sum();
                    // 9 · center − (nine − center) = 10 · center − nine.
                    10 * center - nine
                };
                output.push(value.clamp(0, 255) as u8);
            }
        }
    }
    output
}
