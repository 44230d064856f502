//! Equalize, plainly.

use crate::Pixels;
use std::ops::Range;

/// The output bytes of the given rows, which lie inside the picture. Each channel's values are spread over 0 to 255 by how many pixels have at most that
/// value; a channel of a single value stays as it is.
#[must_use]
pub fn rows(picture: Pixels, rows: Range<usize>) -> Vec<u8> {
    let (row_bytes, channels) = (picture.row_bytes(), picture.channels.count());
    let spread: Vec<Vec<u8>> = (0..channels).map(|channel| spread(picture, channel)).collect();
    let source = picture.bytes.get(rows.start * row_bytes..rows.end * row_bytes).unwrap_or_default();
    let of = |byte: u8, spread: &Vec<u8>| spread.get(usize::from(byte)).copied().unwrap_or(byte);
    source.chunks(channels).flat_map(|pixel| pixel.iter().zip(&spread).map(|(&byte, spread)| of(byte, spread))).collect()
}

/// What each value of a channel becomes. Of values that do not occur, it does not matter what.
fn spread(picture: Pixels, channel: usize) -> Vec<u8> {
    let values: Vec<u8> = picture.bytes.iter().skip(channel).step_by(picture.channels.count()).copied().collect();
    let mut occurs = [0_u64; 256];
    for &value in &values {
        if let Some(pixels) = occurs.get_mut(usize::from(value)) {
            *pixels += 1;
        }
    }
    let lowest = occurs.iter().copied().find(|&pixels| pixels > 0).unwrap_or(0);
    let above_lowest = values.len() as u64 - lowest;
    if above_lowest == 0 {
        return (0..=255).collect();
    }
    let mut at_most = 0;
    let mut spread = Vec::with_capacity(256);
    for pixels in occurs {
        at_most += pixels;
        let share = at_most.saturating_sub(lowest) * 255;
        // A rest of half the divisor rounds up.
        let (whole, rest) = (share / above_lowest, share % above_lowest);
        spread.push((whole + u64::from(2 * rest >= above_lowest)) as u8);
    }
    spread
}
