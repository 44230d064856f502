//! Box filter, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// The output bytes of the given rows, which lie inside the picture: for each row the sums of the block's columns, and for each pixel the sum of these.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, radius: usize, rows: Range<usize>) -> Vec<u8> {
    let (width, height, channels) = (picture.width_px, picture.height_px, picture.channels.count());
    let row_bytes = picture.row_bytes();
    let side = 2 * radius;
    let area = (side * side) as u32;
    let reach = 1 - radius.cast_signed()..=radius.cast_signed();
    let source_row = |y: isize| {
        let start = border.source_index(y, height) * row_bytes;
        picture.bytes.get(start..start + row_bytes).unwrap_or_default()
    };
    // The columns 1 - radius .. width + radius, each by the one that stands for it.
    let columns: Vec<_> = (1 - radius.cast_signed()..(width + radius).cast_signed()).map(|x| border.source_index(x, width)).collect();
    let fits = |place: usize, length: usize| place + 1 >= radius && place + radius < length;
    let mut output = Vec::with_capacity(rows.len() * row_bytes);
    for row in rows {
        let mut column_sums = vec![0_u32; row_bytes];
        for y in reach.clone() {
            for (sum, &byte) in column_sums.iter_mut().zip(source_row(row.cast_signed() + y)) {
                *sum += u32::from(byte);
            }
        }
        let center = source_row(row.cast_signed());
        for (x, (pixel, block)) in center.chunks_exact(channels).zip(columns.windows(side)).enumerate() {
            for (channel, &byte) in pixel.iter().enumerate() {
                let sum: u32 = block.iter().filter_map(|column| column_sums.get(column * channels + channel)).sum();
                let keeps_source = border == BorderMode::Copy && !(fits(x, width) && fits(row, height));
                output.push(if keeps_source { byte } else { ((sum + area / 2) / area) as u8 });
            }
        }
    }
    output
}
