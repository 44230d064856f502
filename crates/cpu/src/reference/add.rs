//! Add, plainly.

use crate::Pixels;
use std::ops::Range;

/// The output bytes of the given rows, which lie inside the picture.
#[must_use]
pub fn rows(picture: Pixels, amount: i32, rows: Range<usize>) -> Vec<u8> {
    let row_bytes = picture.row_bytes();
    let source = picture.bytes.get(rows.start * row_bytes..rows.end * row_bytes).unwrap_or_default();
    source.iter().map(|&byte| (i32::from(byte) + amount).clamp(0, 255) as u8).collect()
}
