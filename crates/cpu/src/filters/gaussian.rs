//! Gaussian on the CPU: scalar, 11 taps along the row, then 11 taps down the column. By SIMD the other way round: aligned loads of bytes down the
//! column, and what is kept for the second pass is one strip of 16-bit sums, not 11 rows of them.

use crate::band::Band;
use crate::halo::HaloStrip;
use crate::reference::gaussian::{MASK, RADIUS_PX};
use crate::strips::{Aligned, MAX_STRIP_BYTES, prefetch, strips};
use crate::{Bands, Job};
use crate::{BorderMode, Channels};
use std::iter::zip;
use std::ops::Range;

/// Weights of the mask, and rows that one output row needs.
const TAPS: usize = 2 * RADIUS_PX + 1;

/// Blurs by 11 × 11.
pub fn run(job: Job) {
    job.bands(&Gaussian);
}

/// The arithmetic.
struct Gaussian;

impl Bands for Gaussian {
    fn scalar(&self, band: Band) {
        match band.source.picture.channels {
            Channels::Gray => scalar::<1>(band),
            Channels::Rgb => scalar::<3>(band),
        }
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        simd(band);
    }
}

/// 22 multiplications and additions per byte, and no row is summed twice.
fn scalar<const CHANNELS: usize>(Band { source, mut rows, .. }: Band) {
    let (border, first_row) = (source.border, rows.first_row);
    let (width, height) = (source.picture.width_px, source.picture.height_px);
    let mut ring: [Vec<[u32; CHANNELS]>; TAPS] = std::array::from_fn(|_| vec![[0; CHANNELS]; width]);
    let mut wide = vec![[0; CHANNELS]; width + 2 * RADIUS_PX];
    for (y, out) in rows.iter_mut() {
        for row in new_rows(y, first_row, height) {
            let pixels = source.row(row.cast_signed()).as_chunks().0;
            for (x, wide) in (-RADIUS_PX.cast_signed()..).zip(&mut wide) {
                *wide = pixels.get(border.source_index(x, width)).map_or([0; CHANNELS], |pixel| pixel.map(u32::from));
            }
            let Some(sums) = ring.get_mut(row % TAPS) else { return };
            for (sum, window) in sums.iter_mut().zip(wide.windows(TAPS)) {
                *sum = weighted(window.iter());
            }
        }
        let rows = slots(border, y, height).map(|slot| ring.get(slot).map_or::<&[_], _>(&[], Vec::as_slice));
        for (x, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            *out = weighted(rows.iter().filter_map(|row| row.get(x))).map(|sum| ((sum + 32768) >> 16) as u8);
        }
    }
}

/// The weighted sum of 11 pixels.
fn weighted<'a, const CHANNELS: usize>(pixels: impl Iterator<Item = &'a [u32; CHANNELS]>) -> [u32; CHANNELS] {
    let mut sums = [0; CHANNELS];
    for (&weight, pixel) in MASK.iter().zip(pixels) {
        for (sum, value) in sums.iter_mut().zip(pixel) {
            *sum += u32::from(weight) * value;
        }
    }
    sums
}

/// The source rows that output row `y` needs and no earlier one of the band from `first_row` on did.
#[inline(always)]
fn new_rows(y: usize, first_row: usize, height: usize) -> Range<usize> {
    let start = if y == first_row { y.saturating_sub(RADIUS_PX) } else { y + RADIUS_PX };
    start..(y + RADIUS_PX + 1).min(height)
}

/// Where the sums of the 11 rows around `y` are in a ring that holds row r at r % 11. The row that stands for one beyond the edge is never
/// further from `y` than that one, so the ring still holds it.
#[inline(always)]
fn slots(border: BorderMode, y: usize, height: usize) -> [usize; TAPS] {
    std::array::from_fn(|tap| border.source_index((y + tap).cast_signed() - RADIUS_PX.cast_signed(), height) % TAPS)
}

#[inline(always)]
fn simd(Band { source, mut rows, finish, .. }: Band) {
    let mut sums = HaloStrip::<u16, RADIUS_PX>::new();
    let mut finished = Aligned([0; MAX_STRIP_BYTES]);
    for (y, out) in rows.iter_mut() {
        let around: [_; TAPS] = std::array::from_fn(|tap| source.row((y + tap).cast_signed() - RADIUS_PX.cast_signed()));
        for (columns, out) in strips(out) {
            prefetch(source.picture, y + RADIUS_PX, &columns);
            let reach = HaloStrip::<u16, RADIUS_PX>::reach(source, &columns);
            sum_down_column(around.map(|row| row.get(reach.clone()).unwrap_or_default()), sums.over(&reach, &columns));
            sums.fill_halo(source, &columns);
            let Some(finished) = finished.0.get_mut(..out.len()) else { return };
            sum_along_row(sums.neighbors(source.channels(), out.len()), finished);
            finish.write(y, columns.start, finished, out);
        }
    }
}

/// Two values that have the same weight.
type Pair<'a, T> = (&'a T, &'a T);

/// For each place along 11 rows, or rows that are shifted against each other, the pairs of weights 1, 4, 8, 16 and 32, and the center.
#[inline(always)]
fn taps<T: Copy>(rows: [&[T]; TAPS]) -> impl Iterator<Item = ([Pair<'_, T>; 5], T)> {
    let [first_1, first_4, first_8, first_16, first_32, center, last_32, last_16, last_8, last_4, last_1] = rows;
    let by_weight =
        zip(first_1, last_1).zip(zip(first_4, last_4)).zip(zip(first_8, last_8)).zip(zip(first_16, last_16)).zip(zip(first_32, last_32));
    by_weight.zip(center).map(|(((((by_1, by_4), by_8), by_16), by_32), &center)| ([by_1, by_4, by_8, by_16, by_32], center))
}

/// The 11 taps down the column: at most 256 · 255 = 65280.
#[inline(always)]
fn sum_down_column(rows: [&[u8]; TAPS], sums: &mut [u16]) {
    let wide = |(&up, &down): Pair<u8>| u16::from(up) + u16::from(down);
    for (sum, ([by_1, by_4, by_8, by_16, by_32], center)) in sums.iter_mut().zip(taps(rows)) {
        *sum = wide(by_1) + 4 * wide(by_4) + 8 * wide(by_8) + 16 * wide(by_16) + 32 * wide(by_32) + 134 * u16::from(center);
    }
}

/// The 11 sums along the row, rounded.
#[inline(always)]
fn sum_along_row(rows: [&[u16]; TAPS], out: &mut [u8]) {
    for (out, (pairs, center)) in out.iter_mut().zip(taps(rows)) {
        *out = weighted_mean(pairs, center);
    }
}

/// (sum + 32768) >> 16 of the weighted sum of 11 values of at most 65280, in lanes of 16 bits: half the instructions that the 24 bits of the sum
/// would take in lanes of 32.
///
/// 16-bit additions that wrap give the sum's lower 16 bits. Its upper ones come from averages, which processors have an instruction for:
/// with pₙ the mean of the two values of weight n, and c the center,
///
/// sum / 256 = (c + (p₃₂ + (p₁₆ + (p₈ + (p₄ + (c + (c + p₁) / 2) / 2) / 2) / 2) / 2) / 2) / 2.
///
/// Every division rounds up, by 1/2 at most. All together that makes `high` too large by less than 1.24, and 256 · `high` by less than 318. So
/// the lower 16 bits of 256 · `high` - sum are all of that difference, and taking it from `high` leaves (sum + 32768) >> 8 exactly.
#[inline(always)]
fn weighted_mean([by_1, by_4, by_8, by_16, by_32]: [Pair<u16>; 5], center: u16) -> u8 {
    let mean = |(&left, &right): Pair<u16>| average(left, right);
    let high = average(center, average(center, mean(by_1)));
    let high = average(mean(by_16), average(mean(by_8), average(mean(by_4), high)));
    let high = average(center, average(mean(by_32), high));
    let times = |weight: u16, (left, right): Pair<u16>| left.wrapping_add(*right).wrapping_mul(weight);
    let low = times(1, by_1).wrapping_add(times(4, by_4)).wrapping_add(times(8, by_8)).wrapping_add(times(16, by_16));
    let low = low.wrapping_add(times(32, by_32)).wrapping_add(center.wrapping_mul(134));
    let correction = low.wrapping_add(32768).wrapping_sub(high << 8) >> 8;
    ((high + correction) >> 8) as u8
}

/// The mean, rounded up: one instruction for a vector.
#[inline(always)]
fn average(first: u16, second: u16) -> u16 {
    ((u32::from(first) + u32::from(second) + 1) >> 1) as u16
}

#[cfg(test)]
mod tests {
    use super::{MASK, TAPS, weighted_mean};

    fn assert_is_exact(taps: [u16; TAPS]) {
        let sum: u32 = MASK.iter().zip(taps).map(|(&weight, value)| u32::from(weight) * u32::from(value)).sum();
        let [left_1, left_4, left_8, left_16, left_32, center, right_32, right_16, right_8, right_4, right_1] = &taps;
        let pairs = [(left_1, right_1), (left_4, right_4), (left_8, right_8), (left_16, right_16), (left_32, right_32)];
        assert_eq!(weighted_mean(pairs, *center), ((sum + 32768) >> 16) as u8, "{taps:?}");
    }

    #[test]
    fn averages_and_wrapped_sums_make_the_rounded_sum() {
        // All choices of ten values from three, and of the center from those that bring the sum close to where the result changes.
        for choice in 0..3_usize.pow(10) {
            let mut taps: [u16; TAPS] = std::array::from_fn(|tap| [0, 32767, 65280][choice / 3_usize.pow(tap.min(9) as u32) % 3]);
            let around: u32 = MASK
                .iter()
                .zip(taps)
                .enumerate()
                .map(|(tap, (weight, value))| if tap == TAPS / 2 { 0 } else { u32::from(*weight) * u32::from(value) })
                .sum();
            let boundary = (around + 67 * 65280).next_multiple_of(65536) + 32768;
            let center = boundary.saturating_sub(around) / 134;
            for center in [0, center.saturating_sub(1), center, center + 1, 65280] {
                taps[TAPS / 2] = center.min(65280) as u16;
                assert_is_exact(taps);
            }
        }
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..100_000 {
            assert_is_exact(std::array::from_fn(|_| random.u16(..=65280)));
        }
    }
}
