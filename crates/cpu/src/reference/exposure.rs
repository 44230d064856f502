//! Exposure, plainly.

use crate::Pixels;
use std::ops::Range;

/// A gain of 1.
pub const ONE: u64 = 4096;

/// The largest gain.
pub const LARGEST: u64 = 16 * ONE;

/// The output bytes of the given rows, which lie inside the picture: each byte times the picture's gain, rounded half up and saturated.
#[must_use]
pub fn rows(picture: Pixels, target: u8, rows: Range<usize>) -> Vec<u8> {
    let sum = picture.bytes.iter().map(|&byte| u64::from(byte)).sum();
    let (row_bytes, gain) = (picture.row_bytes(), gain(sum, picture.bytes.len(), target));
    let source = picture.bytes.get(rows.start * row_bytes..rows.end * row_bytes).unwrap_or_default();
    source.iter().map(|&byte| ((u64::from(byte) * gain + ONE / 2) / ONE).min(255) as u8).collect()
}

/// What brings the mean of so many bytes that sum to `sum` to `target`, in 4096ths, rounded half up; 1 for a black picture.
#[must_use]
pub fn gain(sum: u64, bytes: usize, target: u8) -> u64 {
    if sum == 0 {
        return ONE;
    }
    let wanted = u64::from(target) * ONE * bytes as u64;
    // A rest of half the divisor rounds up.
    (wanted / sum + u64::from(2 * (wanted % sum) >= sum)).min(LARGEST)
}
