//! Epsilon, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// How far a neighbor is.
pub const REACH_PX: usize = 4;

/// The mask's width and height.
pub const SIDE_PX: usize = 2 * REACH_PX + 1;

/// The output bytes of the given rows, which lie inside the picture. With `copy` the outermost four rows and columns are the source.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, threshold: u8, rows: Range<usize>) -> Vec<u8> {
    let (width, height) = (picture.width_px, picture.height_px);
    let reach = REACH_PX.cast_signed();
    // The source column of each column from −4 to width + 3.
    let columns: Vec<usize> = (-reach..width.cast_signed() + reach).map(|x| border.source_index(x, width)).collect();
    let mut output = Vec::with_capacity(rows.len() * width);
    for y in rows {
        let source_row = |y: isize| {
            let start = border.source_index(y, height) * width;
            picture.bytes.get(start..start + width).unwrap_or_default()
        };
        let around: Vec<Vec<u8>> = (y.cast_signed() - reach..=y.cast_signed() + reach)
            .map(|y| columns.iter().filter_map(|&x| source_row(y).get(x).copied()).collect())
            .collect();
        let is_inner_row = y >= REACH_PX && y + REACH_PX < height;
        for (x, &center) in source_row(y.cast_signed()).iter().enumerate() {
            let fits = is_inner_row && x >= REACH_PX && x + REACH_PX < width;
            output.push(if border == BorderMode::Copy && !fits { center } else { mean_of_near(&around, x, center, threshold) });
        }
    }
    output
}

/// Whether a neighbor counts.
const fn is_near(neighbor: u8, center: u8, threshold: u8) -> bool {
    neighbor.abs_diff(center) <= threshold
}

/// The neighbors of the pixel in this column and row, row by row, and whether each counts; none where the source is kept.
#[must_use]
pub fn near(picture: Pixels, border: BorderMode, threshold: u8, [x, y]: [usize; 2]) -> Vec<(u8, bool)> {
    let (width, height, reach) = (picture.width_px, picture.height_px, REACH_PX.cast_signed());
    let fits = |at: usize, length: usize| at >= REACH_PX && at + REACH_PX < length;
    if border == BorderMode::Copy && !(fits(x, width) && fits(y, height)) {
        return Vec::new();
    }
    let value = |dx: isize, dy: isize| {
        let (column, row) = (border.source_index(x.cast_signed() + dx, width), border.source_index(y.cast_signed() + dy, height));
        picture.bytes.get(row * width + column).copied().unwrap_or_default()
    };
    let center = value(0, 0);
    let neighbors = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
    neighbors.map(|(dx, dy)| value(dx, dy)).map(|neighbor| (neighbor, is_near(neighbor, center, threshold))).collect()
}

/// The mean, rounded half up, of what is near to `center` in columns `x` .. `x + 8` of the rows.
fn mean_of_near(rows: &[Vec<u8>], x: usize, center: u8, threshold: u8) -> u8 {
    let (mut sum, mut count) = (0_u32, 0_u32);
    for row in rows {
        for &neighbor in row.get(x..x + SIDE_PX).unwrap_or_default() {
            if is_near(neighbor, center, threshold) {
                sum += u32::from(neighbor);
                count += 1;
            }
        }
    }
    // sum / count + 1/2. The center counts, so there is one at least.
    ((2 * sum + count) / (2 * count).max(1)) as u8
}
