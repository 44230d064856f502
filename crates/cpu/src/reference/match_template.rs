//! Template matching, plainly.

use crate::{BorderMode, Pixels};
use std::ops::Range;

/// What the template has so many columns to the right and rows down of its center: a soft ring, brightest where twice the distance squared is the radius
/// squared.
#[must_use]
pub fn template(radius: usize, [dx, dy]: [isize; 2]) -> u8 {
    let (distance_squared, radius_squared) = (dx * dx + dy * dy, (radius * radius).cast_signed());
    let off = (2 * distance_squared - radius_squared).abs();
    (255 - 255 * off / radius_squared.max(1)).max(0) as u8
}

/// The output bytes of the given rows, which lie inside the picture: the mean difference from the template, rounded half up. Edge pixels repeat.
#[must_use]
pub fn rows(picture: Pixels, radius: usize, rows: Range<usize>) -> Vec<u8> {
    let reach = radius.cast_signed();
    let places: Vec<[isize; 2]> = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| [dx, dy])).collect();
    let count = places.len() as u32;
    let mut output = Vec::with_capacity(rows.len() * picture.width_px);
    for y in rows {
        for x in 0..picture.width_px {
            let pixel = |[dx, dy]: [isize; 2]| picture.byte(BorderMode::Replicate, x.cast_signed() + dx, y.cast_signed() + dy, 0);
            let sum: u32 = places.iter().map(|&place| u32::from(pixel(place).abs_diff(template(radius, place)))).sum();
            output.push(((2 * sum + count) / (2 * count)) as u8);
        }
    }
    output
}
