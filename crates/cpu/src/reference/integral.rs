//! Box by integral image, plainly: without one.

use crate::Pixels;
use std::ops::Range;

/// The output bytes of the given rows, which lie inside the picture: for each row the sums of the window's columns, and for each pixel the sum of these, as
/// far as they lie inside.
#[must_use]
pub fn rows(picture: Pixels, radius: usize, rows: Range<usize>) -> Vec<u8> {
    let (width, height, channels) = (picture.width_px, picture.height_px, picture.channels.count());
    let row_bytes = picture.row_bytes();
    let window = |place: usize, length: usize| place.saturating_sub(radius)..(place + radius + 1).min(length);
    let mut output = Vec::with_capacity(rows.len() * row_bytes);
    for row in rows {
        let lines = window(row, height);
        let mut column_sums = vec![0_u32; row_bytes];
        for y in lines.clone() {
            let line = picture.bytes.get(y * row_bytes..(y + 1) * row_bytes).unwrap_or_default();
            for (sum, &byte) in column_sums.iter_mut().zip(line) {
                *sum += u32::from(byte);
            }
        }
        for x in 0..width {
            let columns = window(x, width);
            let count = (columns.len() * lines.len()) as u32;
            for channel in 0..channels {
                let sum: u32 = columns.clone().filter_map(|column| column_sums.get(column * channels + channel)).sum();
                output.push(((sum + count / 2) / count) as u8);
            }
        }
    }
    output
}
