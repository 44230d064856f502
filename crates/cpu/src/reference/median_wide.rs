//! Wide median, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// The output bytes of the given rows, which lie inside the picture: of all bytes of the square around a pixel that reaches `radius` pixels, the one in the middle of
/// their order is taken. Where the square does not fit, the output is the source with `copy`.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, radius: usize, rows: Range<usize>) -> Vec<u8> {
    let (width, height, channels) = (picture.width_px, picture.height_px, picture.channels.count());
    let reach = -radius.cast_signed()..=radius.cast_signed();
    let fits = |place: usize, length: usize| place >= radius && place + radius < length;
    let mut output = Vec::with_capacity(rows.len() * picture.row_bytes());
    let mut square: Vec<u8> = Vec::new();
    for row in rows {
        for column in 0..width {
            for channel in 0..channels {
                let (x, y) = (column.cast_signed(), row.cast_signed());
                output.push(if border == BorderMode::Copy && !(fits(column, width) && fits(row, height)) {
                    picture.byte(border, x, y, channel)
                } else {
                    let places = reach.clone().flat_map(|dy| reach.clone().map(move |dx| (dx, dy)));
                    square.clear();
                    square.extend(places.map(|(dx, dy)| picture.byte(border, x + dx, y + dy, channel)));
                    let middle = square.len() / 2;
                    *square.select_nth_unstable(middle).1
                });
            }
        }
    }
    output
}
