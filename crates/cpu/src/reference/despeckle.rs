//! Despeckle, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// How far the median's window reaches, in pixels.
pub const REACH_PX: usize = 2;

/// The values in the square that reaches so far around the pixel in this column and row, row by row.
fn square(picture: Pixels, border: BorderMode, [x, y]: [usize; 2], reach: usize) -> Vec<u8> {
    let (x, y, reach) = (x.cast_signed(), y.cast_signed(), reach.cast_signed());
    let places = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
    places.map(|(dx, dy)| picture.byte(border, x + dx, y + dy, 0)).collect()
}

/// The pixel in this column and row, and whether it differs by more than the threshold from the mean of its eight neighbors, rounded half up.
#[must_use]
pub fn tested(picture: Pixels, border: BorderMode, threshold: u8, place: [usize; 2]) -> (u8, bool) {
    let nine = square(picture, border, place, 1);
    let pixel = nine.get(4).copied().unwrap_or_default();
    let neighbors = nine.iter().map(|&value| u32::from(value)).sum::<u32>() - u32::from(pixel);
    // At most 255, as no neighbor is more.
    let mean = ((neighbors + 4) / 8) as u8;
    (pixel, pixel.abs_diff(mean) > threshold)
}

/// The output bytes of the given rows, which lie inside the picture: of an outlier the thirteenth of 25 bytes in order, of any other pixel itself.
#[must_use]
pub fn rows(picture: Pixels, border: BorderMode, threshold: u8, rows: Range<usize>) -> Vec<u8> {
    let mut output = Vec::with_capacity(rows.len() * picture.width_px);
    for y in rows {
        for x in 0..picture.width_px {
            let (pixel, is_outlier) = tested(picture, border, threshold, [x, y]);
            let median = || {
                let mut window = square(picture, border, [x, y], REACH_PX);
                window.sort_unstable();
                window.get(window.len() / 2).copied().unwrap_or_default()
            };
            output.push(if is_outlier { median() } else { pixel });
        }
    }
    output
}
