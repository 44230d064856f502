//! Copy, plainly.

use crate::Pixels;
use std::ops::Range;

/// The output bytes of the given rows, which lie inside the picture.
#[must_use]
pub fn rows(picture: Pixels, rows: Range<usize>) -> Vec<u8> {
    let row_bytes = picture.row_bytes();
    picture.bytes.get(rows.start * row_bytes..rows.end * row_bytes).unwrap_or_default().to_vec()
}
