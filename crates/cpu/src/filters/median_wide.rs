//! Median of 5 × 5 or 7 × 7 on the CPU, by the same comparisons as the kernels' network: the lowest and the highest value are forgotten again and again.

use crate::Job;
use crate::window::Window;

/// Bytes of a row that are computed at a time. All values that a network keeps stay in the first-level cache: 7 KiB for 7 × 7. Measured: 64 takes 1.7 times as long.
const BLOCK: usize = 256;

/// As many bytes of a row.
type Block = [u8; BLOCK];

/// Values that a network keeps at most: of `side` × `side`, half and two.
const fn kept(side: usize) -> usize {
    side * side / 2 + 2
}

/// The most that any network keeps, which is that of the largest window.
const MOST_KEPT: usize = kept(7);

/// Computes the median of 5 × 5 for a radius of 2, of 7 × 7 for one of 3.
pub fn run(job: Job, radius_px: usize) {
    if radius_px == 2 { job.window::<5>(&MedianWide) } else { job.window::<7>(&MedianWide) }
}

/// The arithmetic.
struct MedianWide;

impl<const SIDE: usize> Window<SIDE> for MedianWide {
    #[inline(always)]
    fn byte(&self, square: &[[u8; SIDE]; SIDE]) -> u8 {
        let mut square = *square;
        *square.as_flattened_mut().select_nth_unstable(SIDE * SIDE / 2).1
    }

    #[inline(always)]
    fn strip(&self, rows: [&[u8]; SIDE], channels: usize, out: &mut [u8]) {
        for (index, out) in out.chunks_mut(BLOCK).enumerate() {
            let median = median_of_blocks(rows, index * BLOCK, channels);
            for (out, median) in out.iter_mut().zip(median) {
                *out = median;
            }
        }
    }
}

/// The medians of the squares whose first bytes are those from `start` on. `kernels/median-wide/median-wide.cl` says why this is it.
#[inline(always)]
fn median_of_blocks<const SIDE: usize>(rows: [&[u8]; SIDE], start: usize, channels: usize) -> Block {
    let mut values = (0..SIDE * SIDE).map(|number| {
        let row = rows.get(number / SIDE).copied().unwrap_or_default();
        block_at(row, start + number % SIDE * channels)
    });
    let mut kept_values = [[0; BLOCK]; MOST_KEPT];
    for (place, value) in kept_values.iter_mut().zip(values.by_ref().take(kept(SIDE))) {
        *place = value;
    }
    for count in (4..=kept(SIDE)).rev() {
        let kept_values = kept_values.get_mut(..count).unwrap_or_default();
        move_extremes(kept_values);
        if let (Some(lowest), Some(next)) = (kept_values.first_mut(), values.next()) {
            *lowest = next;
        }
    }
    let [mut first, mut second, mut third, ..] = kept_values;
    order(&mut first, &mut second);
    order(&mut second, &mut third);
    order(&mut first, &mut second);
    second
}

/// Puts the lowest value first and the highest last.
#[inline(always)]
fn move_extremes(values: &mut [Block]) {
    let count = values.len();
    let (lows, highs) = values.split_at_mut(count / 2);
    for (low, high) in lows.iter_mut().zip(highs.iter_mut().rev()) {
        order(low, high);
    }
    // Of an odd number, the middle one has no partner, and may be either.
    if let Some((lowest, others)) = values.get_mut(..count.div_ceil(2)).and_then(<[Block]>::split_first_mut) {
        let mut least = *lowest;
        for other in others {
            order(&mut least, other);
        }
        *lowest = least;
    }
    if let Some((highest, others)) = values.get_mut(count / 2..).and_then(<[Block]>::split_last_mut) {
        let mut most = *highest;
        for other in others {
            order(other, &mut most);
        }
        *highest = most;
    }
}

/// Puts the lower byte of each pair first.
#[inline(always)]
fn order(first: &mut Block, second: &mut Block) {
    // By way of copies: in place, the compiler does not see that both are apart, and orders byte by byte, which takes eight times as long.
    let (low, high) = (*first, *second);
    for ((least, low), high) in first.iter_mut().zip(&low).zip(&high) {
        *least = *low.min(high);
    }
    for ((most, low), high) in second.iter_mut().zip(&low).zip(&high) {
        *most = *low.max(high);
    }
}

/// The block that begins there; zeros for what is beyond the end, of which nothing is kept.
#[inline(always)]
fn block_at(row: &[u8], start: usize) -> Block {
    let from = row.get(start..).unwrap_or_default();
    if let Some(block) = from.first_chunk() {
        return *block;
    }
    let mut block = [0; BLOCK];
    for (place, &byte) in block.iter_mut().zip(from) {
        *place = byte;
    }
    block
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, median_of_blocks};

    /// A network that is right for all choices of zeros and ones is right for all values (Knuth, 5.3.4). There are too many for 25 values: so one of each number of ones in many orders.
    fn holds_for<const SIDE: usize>() {
        let count = SIDE * SIDE;
        let mut random = 1_u32;
        for ones in 0..=count {
            for _ in 0..200 {
                let mut bytes = vec![0_u8; count];
                bytes.iter_mut().take(ones).for_each(|byte| *byte = 1);
                for place in (1..count).rev() {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    bytes.swap(place, random as usize % 65_536 * (place + 1) / 65_536);
                }
                let rows: [Vec<u8>; SIDE] =
                    std::array::from_fn(|row| (0..SIDE).flat_map(|column| vec![bytes[row * SIDE + column]; BLOCK]).collect());
                let median = median_of_blocks::<SIDE>(rows.each_ref().map(Vec::as_slice), 0, BLOCK);
                assert_eq!(median, [u8::from(ones > count / 2); BLOCK], "{bytes:?}");
            }
        }
    }

    #[test]
    fn many_choices_of_zeros_and_ones() {
        holds_for::<5>();
        holds_for::<7>();
    }
}
