//! Tone curve, plainly.

use crate::Pixels;
use std::ops::Range;

/// The output bytes of the given rows, which lie inside the picture. `strength` is in percent: 0 leaves the picture as it is, 100 is the root curve alone.
#[must_use]
pub fn rows(picture: Pixels, strength: u32, rows: Range<usize>) -> Vec<u8> {
    let row_bytes = picture.row_bytes();
    let source = picture.bytes.get(rows.start * row_bytes..rows.end * row_bytes).unwrap_or_default();
    source.iter().map(|&byte| output_of(byte, strength)).collect()
}

/// Of one byte. A root of a whole number never ends in .5, so it is rounded alike in any precision that is good enough.
#[must_use]
pub fn output_of(byte: u8, strength: u32) -> u8 {
    let root = (255.0 * f64::from(byte)).sqrt().round() as u32;
    (((100 - strength) * u32::from(byte) + strength * root + 50) / 100) as u8
}
