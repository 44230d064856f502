//! Edges, plainly: gray, blurred, edge strength, one picture after the other.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// The weights of red, green and blue in 256ths.
pub const LUMA: [i32; 3] = [77, 150, 29];

/// The weights of the blur along a row, and down a column; their products sum to 16.
pub const BLUR: [i32; 3] = [1, 2, 1];

/// The mask of the gradient along a row; transposed, that down a column.
pub const SOBEL: [[i32; 3]; 3] = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]];

/// The output bytes of the given rows, which lie inside the picture, one per pixel. The border mode continues gray for the blur, and blurred for the masks.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, rows: Range<usize>) -> Vec<u8> {
    let around = |index: usize, length: usize| [-1, 0, 1].map(|step| border.source_index(index.cast_signed() + step, length));
    let (width, height) = (picture.width_px, picture.height_px);
    let at = |row: &[i32], x: usize| row.get(x).copied().unwrap_or(0);
    let gray_row = |y: usize| -> Vec<i32> { (0..width).map(|x| picture.pixel(x, y).map_or(0, luma)).collect() };
    let blurred_row = |y: usize| -> Vec<i32> {
        let three_rows = around(y, height).map(gray_row);
        let blurred = |x: usize| {
            let three_columns = around(x, width);
            let row_sums = three_rows.iter().map(|row| weighted(three_columns.map(|column| at(row, column))));
            let sum: i32 = row_sums.zip(BLUR).map(|(sum, weight)| weight * sum).sum();
            (sum + 8) / 16
        };
        (0..width).map(blurred).collect()
    };
    let mut output = Vec::with_capacity(rows.len() * width);
    for y in rows {
        let three_rows = around(y, height).map(blurred_row);
        for x in 0..width {
            let three_columns = around(x, width);
            output.push(strength(
                [0, 1, 2].map(|row: usize| three_columns.map(|column| at(three_rows.get(row).map_or(&[], Vec::as_slice), column))),
            ));
        }
    }
    output
}

/// Rounded to the nearest byte.
fn luma(pixel: &[u8]) -> i32 {
    (pixel.iter().zip(LUMA).map(|(&byte, weight)| weight * i32::from(byte)).sum::<i32>() + 128) / 256
}

/// Three pixels of a row with the weights of the blur.
fn weighted(three: [i32; 3]) -> i32 {
    three.iter().zip(BLUR).map(|(pixel, weight)| weight * pixel).sum()
}

/// Of the pixel in the middle of nine.
#[expect(clippy::indexing_slicing, reason = "both arrays are 3 by 3")]
fn strength(nine: [[i32; 3]; 3]) -> u8 {
    let (mut across, mut down) = (0, 0);
    for row in 0..3 {
        for column in 0..3 {
            across += SOBEL[row][column] * nine[row][column];
            down += SOBEL[column][row] * nine[row][column];
        }
    }
    (across.abs() + down.abs()).min(255) as u8
}
