//! Luma, plainly.

use crate::Pixels;
use std::ops::Range;

/// The weights of red, green and blue in thousandths (ITU-R BT.601).
pub const WEIGHTS: [u32; 3] = [299, 587, 114];

/// The output bytes of the given rows, which lie inside the picture.
#[must_use]
pub fn rows(picture: Pixels, rows: Range<usize>) -> Vec<u8> {
    let row_bytes = picture.row_bytes();
    let source = picture.bytes.get(rows.start * row_bytes..rows.end * row_bytes).unwrap_or_default();
    let luma = |pixel: &[u8; 3]| {
        let thousandths: u32 = pixel.iter().zip(WEIGHTS).map(|(&byte, weight)| weight * u32::from(byte)).sum();
        ((thousandths + 500) / 1000) as u8
    };
    source.as_chunks().0.iter().map(luma).collect()
}
