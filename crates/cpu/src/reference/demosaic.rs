//! Demosaic, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// The color of a place in the Bayer pattern RGGB: 0 red, 1 green, 2 blue. It goes on beyond the edges.
fn color(x: isize, y: isize) -> usize {
    match (x.rem_euclid(2), y.rem_euclid(2)) {
        (0, 0) => 0,
        (1, 1) => 2,
        _ => 1,
    }
}

/// The output bytes of the given rows, which lie inside the picture: red, green and blue of each pixel. What a pixel of the gray picture does not have is the
/// mean of the nearest neighbors that have it, rounded half up. Beyond an edge, the picture is mirrored without repeating the edge pixel; where a side is one
/// pixel long, there is nothing but that pixel.
#[must_use]
pub fn rows(picture: Pixels, rows: Range<usize>) -> Vec<u8> {
    let mut output = Vec::with_capacity(rows.len() * picture.width_px * 3);
    for row in rows {
        for column in 0..picture.width_px {
            let (x, y) = (column.cast_signed(), row.cast_signed());
            output.extend((0..3).map(|wanted| mean_of_nearest(picture, [x, y], wanted)));
        }
    }
    output
}

fn mean_of_nearest(picture: Pixels, [x, y]: [isize; 2], wanted: usize) -> u8 {
    // The pixel itself, then its four neighbors across edges, then the four across corners.
    for distance in 0..=2 {
        let (mut sum, mut count) = (0, 0);
        for dy in -1..=1_isize {
            for dx in -1..=1_isize {
                if dx.abs() + dy.abs() == distance && color(x + dx, y + dy) == wanted {
                    sum += u32::from(picture.byte(BorderMode::Reflect101, x + dx, y + dy, 0));
                    count += 1;
                }
            }
        }
        if let Some(mean) = (sum + count / 2).checked_div(count) {
            return mean as u8;
        }
    }
    0
}
