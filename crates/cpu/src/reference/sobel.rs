//! Sobel edges, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// The mask of the gradient along a row; transposed, that down a column.
pub const MASK: [[i32; 3]; 3] = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]];

/// The output bytes of the given rows, which lie inside the picture. A side of 1 or 2 pixels has no interior: with `copy` the output is then the source.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, rows: Range<usize>) -> Vec<u8> {
    let (width, height) = (picture.width_px, picture.height_px);
    let columns: Vec<[usize; 3]> =
        (0..width.cast_signed()).map(|x| [x - 1, x, x + 1].map(|column| border.source_index(column, width))).collect();
    let mut output = Vec::with_capacity(rows.len() * width);
    for y in rows {
        let three_rows = [-1, 0, 1].map(|dy| {
            let start = border.source_index(y.cast_signed() + dy, height) * width;
            picture.bytes.get(start..start + width).unwrap_or_default()
        });
        for (x, three_columns) in columns.iter().enumerate() {
            let nine = three_rows.map(|row| three_columns.map(|column| row.get(column).copied().unwrap_or(0)));
            let is_edge = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
            output.push(if border == BorderMode::Copy && is_edge { nine[1][1] } else { edge_strength(nine) });
        }
    }
    output
}

/// Of the pixel in the middle of nine.
#[expect(clippy::indexing_slicing, reason = "all three arrays are 3 by 3")]
fn edge_strength(nine: [[u8; 3]; 3]) -> u8 {
    let (mut across, mut down) = (0, 0);
    for row in 0..3 {
        for column in 0..3 {
            across += MASK[row][column] * i32::from(nine[row][column]);
            down += MASK[column][row] * i32::from(nine[row][column]);
        }
    }
    (across.abs() + down.abs()).min(255) as u8
}
