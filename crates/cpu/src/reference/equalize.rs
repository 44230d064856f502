//! Equalize, plainly.

use crate::Pixels;
use std::ops::Range;

/// How many values a byte has.
pub const VALUES: usize = 256;

/// The output bytes of the given rows, which lie inside the picture. Each channel's values are spread over 0 to 255 by how many pixels have at most that
/// value; a channel of a single value stays as it is.
#[must_use]
pub fn rows(picture: Pixels, rows: Range<usize>) -> Vec<u8> {
    let (row_bytes, channels) = (picture.row_bytes(), picture.channels.count());
    let spread: Vec<[u8; VALUES]> = (0..channels).map(|channel| spread(picture, channel)).collect();
    let source = picture.bytes.get(rows.start * row_bytes..rows.end * row_bytes).unwrap_or_default();
    let of = |byte: u8, spread: &[u8; VALUES]| spread.get(usize::from(byte)).copied().unwrap_or(byte);
    source.chunks(channels).flat_map(|pixel| pixel.iter().zip(&spread).map(|(&byte, spread)| of(byte, spread))).collect()
}

/// What each value of a channel becomes.
fn spread(picture: Pixels, channel: usize) -> [u8; VALUES] {
    let mut occurs = [0; VALUES];
    for &value in picture.bytes.iter().skip(channel).step_by(picture.channels.count()) {
        if let Some(pixels) = occurs.get_mut(usize::from(value)) {
            *pixels += 1;
        }
    }
    spread_of(&occurs)
}

/// What each value becomes by how many pixels have it. Of values that do not occur, it does not matter what.
#[must_use]
pub fn spread_of(occurs: &[u64; VALUES]) -> [u8; VALUES] {
    let lowest = occurs.iter().copied().find(|&pixels| pixels > 0).unwrap_or(0);
    let above_lowest = occurs.iter().sum::<u64>() - lowest;
    if above_lowest == 0 {
        return std::array::from_fn(|value| value as u8);
    }
    let mut at_most = 0;
    occurs.map(|pixels| {
        at_most += pixels;
        let share = at_most.saturating_sub(lowest) * 255;
        // A rest of half the divisor rounds up.
        let (whole, rest) = (share / above_lowest, share % above_lowest);
        (whole + u64::from(2 * rest >= above_lowest)) as u8
    })
}
