//! Gaussian on the CPU: 11 taps along the row into 16 bits, then 11 taps down the column.

use crate::cpu::Bands;
use crate::cpu::band::{Band, Reach, Source};
use crate::cpu::store::LINE_BYTES;
use crate::cpu::strips::Aligned;
use crate::model::{BorderMode, Channels};
use std::ops::Range;

/// How far the mask reaches, in pixels.
const RADIUS_PX: usize = 5;

/// Weights of the mask, and rows that one output row needs.
const TAPS: usize = 2 * RADIUS_PX + 1;

/// The mask; its weights sum to 256.
const MASK: [u32; TAPS] = [1, 4, 8, 16, 32, 134, 32, 16, 8, 4, 1];

/// Bytes of a row that are worked on at a time, for all rows of a band one after the other: the sums of 11 rows of a strip take 22 KiB, and so
/// stay in the first-level cache until they have served.
const STRIP_BYTES: usize = 1024;

/// 16-bit values on both sides of a strip: room for the neighbors, and a whole cache line so that the strip itself begins at one.
const MARGIN: usize = LINE_BYTES / size_of::<u16>();

/// 16-bit values of a strip with both margins.
const WIDE: usize = STRIP_BYTES + 2 * MARGIN;

/// The arithmetic.
pub struct Gaussian;

impl Bands for Gaussian {
    fn reach(&self) -> Reach {
        Reach::around(RADIUS_PX)
    }

    fn scalar(&self, band: Band) {
        match band.source.picture.channels() {
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
    let (width, height) = (source.picture.width_px(), source.picture.height_px());
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
    for (weight, pixel) in MASK.iter().zip(pixels) {
        for (sum, value) in sums.iter_mut().zip(pixel) {
            *sum += weight * value;
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

#[expect(clippy::large_stack_arrays, reason = "the ring of the last 11 rows of a strip is what the first-level cache is to hold")]
#[inline(always)]
fn simd(Band { source, mut rows, finish }: Band) {
    let (border, first_row) = (source.border, rows.first_row);
    let (height, row_bytes) = (source.picture.height_px(), source.picture.row_bytes());
    let mut wide = Aligned([0; WIDE]);
    let mut ring = Aligned([[0; STRIP_BYTES]; TAPS]);
    let mut finished = Aligned([0; STRIP_BYTES]);
    for start in (0..row_bytes).step_by(STRIP_BYTES) {
        let columns = start..(start + STRIP_BYTES).min(row_bytes);
        for (y, out) in rows.iter_mut() {
            for row in new_rows(y, first_row, height) {
                widen(source, row, &columns, &mut wide.0);
                let Some(sums) = ring.0.get_mut(row % TAPS) else { return };
                sum_along_row(&wide.0, source.channels(), sums);
            }
            sum_down_column(slots(border, y, height).map(|slot| ring.0.get(slot).map_or::<&[_], _>(&[], |sums| sums)), &mut finished.0);
            let (Some(finished), Some(out)) = (finished.0.get_mut(..columns.len()), out.get_mut(columns.clone())) else { return };
            finish.write(y, start, finished, out);
        }
    }
}

/// The bytes of row `row` at `columns` as 16-bit values from `MARGIN` on, with 5 pixels more on both sides; beyond the row they are what
/// `border` says.
#[inline(always)]
fn widen(source: Source, row: usize, columns: &Range<usize>, wide: &mut [u16; WIDE]) {
    let (channels, row_bytes) = (source.channels(), source.picture.row_bytes());
    let bytes = source.row(row.cast_signed());
    let halo_bytes = RADIUS_PX * channels;
    let inside = columns.start.saturating_sub(halo_bytes)..(columns.end + halo_bytes).min(row_bytes);
    let values = wide.get_mut(MARGIN + inside.start - columns.start..).unwrap_or_default();
    for (value, &byte) in values.iter_mut().zip(bytes.get(inside).unwrap_or_default()) {
        *value = u16::from(byte);
    }
    // Places are counted from the beginning of the halo before the row.
    let mut make_up = |place: usize| {
        let x = source.border.source_index((place / channels).cast_signed() - RADIUS_PX.cast_signed(), source.picture.width_px());
        let byte = bytes.get(x * channels + place % channels);
        if let (Some(value), Some(&byte)) = (wide.get_mut(MARGIN + place - halo_bytes - columns.start), byte) {
            *value = u16::from(byte);
        }
    };
    (columns.start..halo_bytes).for_each(&mut make_up);
    (row_bytes + halo_bytes..columns.end + 2 * halo_bytes).for_each(make_up);
}

/// What the sums of two taps with the same weight are over two rows of values.
#[inline(always)]
fn pairs<'a>(left: &'a [u16], right: &'a [u16]) -> impl Iterator<Item = (&'a u16, &'a u16)> {
    left.iter().zip(right)
}

/// The 11 taps along the row: at most 256 · 255 = 65280.
#[inline(always)]
fn sum_along_row(wide: &[u16; WIDE], channels: usize, sums: &mut [u16; STRIP_BYTES]) {
    let taps: [&[u16]; TAPS] = std::array::from_fn(|tap| {
        let start = MARGIN + tap * channels - RADIUS_PX * channels;
        wide.get(start..start + STRIP_BYTES).unwrap_or_default()
    });
    let [left_1, left_4, left_8, left_16, left_32, center, right_32, right_16, right_8, right_4, right_1] = taps;
    let sums = sums.iter_mut().zip(center);
    for ((((((sum, center), by_1), by_4), by_8), by_16), by_32) in sums
        .zip(pairs(left_1, right_1))
        .zip(pairs(left_4, right_4))
        .zip(pairs(left_8, right_8))
        .zip(pairs(left_16, right_16))
        .zip(pairs(left_32, right_32))
    {
        *sum = (by_1.0 + by_1.1)
            + 4 * (by_4.0 + by_4.1)
            + 8 * (by_8.0 + by_8.1)
            + 16 * (by_16.0 + by_16.1)
            + 32 * (by_32.0 + by_32.1)
            + 134 * center;
    }
}

/// The 11 sums down the column, rounded.
#[inline(always)]
fn sum_down_column(rows: [&[u16]; TAPS], out: &mut [u8; STRIP_BYTES]) {
    let [up_1, up_4, up_8, up_16, up_32, center, down_32, down_16, down_8, down_4, down_1] = rows;
    let out = out.iter_mut().zip(center);
    for ((((((out, center), by_1), by_4), by_8), by_16), by_32) in
        out.zip(pairs(up_1, down_1)).zip(pairs(up_4, down_4)).zip(pairs(up_8, down_8)).zip(pairs(up_16, down_16)).zip(pairs(up_32, down_32))
    {
        let wide = |pair: (&u16, &u16)| u32::from(*pair.0) + u32::from(*pair.1);
        let sum = wide(by_1) + 4 * wide(by_4) + 8 * wide(by_8) + 16 * wide(by_16) + 32 * wide(by_32) + 134 * u32::from(*center);
        *out = ((sum + 32768) >> 16) as u8;
    }
}
