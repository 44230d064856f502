//! Rotation by 90 degrees clockwise, plainly.

use crate::Pixels;
use std::ops::Range;

/// The output bytes of the given rows of the output, which is as wide as the picture is high and as high as it is wide. A row of the output is a column of
/// the picture, from the lowest pixel up.
#[must_use]
pub fn rows(picture: Pixels, rows: Range<usize>) -> Vec<u8> {
    let mut output = Vec::with_capacity(rows.len() * picture.height_px * picture.channels.count());
    for x in rows {
        for y in (0..picture.height_px).rev() {
            output.extend_from_slice(picture.pixel(x, y).unwrap_or_default());
        }
    }
    output
}
