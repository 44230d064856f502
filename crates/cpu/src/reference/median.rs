//! Median, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// The output bytes of the given rows, which lie inside the picture: nine bytes are sorted. A side of 1 or 2 pixels has no interior: with `copy` the output is then the source.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, rows: Range<usize>) -> Vec<u8> {
    let (width, height, channels) = (picture.width_px, picture.height_px, picture.channels.count());
    let at = |x: isize, y: isize, channel: usize| picture.byte(border, x, y, channel);
    let mut output = Vec::with_capacity(rows.len() * picture.row_bytes());
    for row in rows {
        for column in 0..width {
            let is_edge = column == 0 || row == 0 || column + 1 == width || row + 1 == height;
            for channel in 0..channels {
                let (x, y) = (column.cast_signed(), row.cast_signed());
                output.push(if border == BorderMode::Copy && is_edge {
                    at(x, y, channel)
                } else {
                    let mut nine: [u8; 9] = std::array::from_fn(|index| {
                        let (dy, dx) = (index.cast_signed() / 3 - 1, index.cast_signed() % 3 - 1);
                        at(x + dx, y + dy, channel)
                    });
                    nine.sort_unstable();
                    nine[4]
                });
            }
        }
    }
    output
}
