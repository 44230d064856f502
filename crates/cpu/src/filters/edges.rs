//! Edges on the CPU: gray, blurred and edge strength in one go, row by row. Of both pictures in between there are three rows at a time.

use crate::band::{Band, Source};
use crate::filters::luma::{luma, luma_of_row};
use crate::filters::sobel::{edge_strength, join, rise_of_columns, smooth_columns};
use crate::pointwise::read_alone;
use crate::strips::{Aligned, MAX_STRIP_BYTES, strips};
use crate::window::square_at;
use crate::{Bands, Job};
use std::array::from_fn;

/// Rows of a picture that one row of the next one is made of.
const ROWS: usize = 3;

/// Computes the strength of edges in blurred gray.
pub fn run(job: Job) {
    job.bands(&Edges);
}

/// The arithmetic.
struct Edges;

impl Bands for Edges {
    fn scalar(&self, Band { source, mut rows, .. }: Band) {
        let mut pictures = Pictures::new(source, rows.first_row);
        for (y, out) in rows.iter_mut() {
            pictures.reach::<false>(y + 1);
            pixel_by_pixel(pictures.blurred.around(source, y), edge_strength, out);
        }
    }

    #[inline(always)]
    fn simd(&self, Band { source, mut rows, finish, .. }: Band) {
        let mut pictures = Pictures::new(source, rows.first_row);
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in rows.iter_mut() {
            pictures.reach::<true>(y + 1);
            let [smooth, rise] = pictures.columns_of_blurred(y);
            for (bytes, out) in strips(out) {
                let Some(finished) = finished.0.get_mut(..out.len()) else { return };
                let shifted = |x: usize| bytes.start + x..bytes.end + x;
                let [left, _, right] = from_fn(|x| smooth.get(shifted(x)).unwrap_or_default());
                join(left, right, from_fn(|x| rise.get(shifted(x)).unwrap_or_default()), finished);
                finish.write(y, bytes.start, finished, out);
            }
        }
    }
}

/// Plain loops: an output byte from the bytes around it, which have one more on both sides.
fn pixel_by_pixel(rows: [&[u8]; ROWS], byte: impl Fn(&[[u8; ROWS]; ROWS]) -> u8, out: &mut [u8]) {
    for (x, out) in out.iter_mut().enumerate() {
        let Some(square) = square_at(rows, x) else { return };
        *out = byte(&square);
    }
}

/// The pictures in between.
struct Pictures<'a> {
    source: Source<'a>,
    gray: Rows,
    blurred: Rows,
    /// Values of each column of three rows.
    columns: [Vec<u16>; 2],
}

impl<'a> Pictures<'a> {
    /// For edges from this row on.
    fn new(source: Source<'a>, first_row: usize) -> Self {
        let first_blurred = first_row.saturating_sub(1);
        let width = source.picture.width_px;
        Self {
            source,
            gray: Rows::new(width, first_blurred.saturating_sub(1)),
            blurred: Rows::new(width, first_blurred),
            columns: from_fn(|_| vec![0; width + 2]),
        }
    }

    /// Makes all rows of blurred up to this one, as far as there are such rows, and what they are made of.
    #[inline(always)]
    fn reach<const BY_SIMD: bool>(&mut self, y: usize) {
        let Self { source, gray, blurred, columns: [sums, _] } = self;
        let last = source.picture.height_px - 1;
        while blurred.next <= y.min(last) {
            while gray.next <= (blurred.next + 1).min(last) {
                let row = source.row(gray.next.cast_signed());
                gray.make_next(*source, |out| if BY_SIMD { luma_of_row(row.as_chunks().0, out) } else { to_gray_pixel_by_pixel(row, out) });
            }
            let around = gray.around(*source, blurred.next);
            blurred.make_next(*source, |out| if BY_SIMD { blur(around, sums, out) } else { pixel_by_pixel(around, blurred_byte, out) });
        }
    }

    /// What edges in row `y` are joined from.
    #[inline(always)]
    fn columns_of_blurred(&mut self, y: usize) -> [&[u16]; 2] {
        let around = self.blurred.around(self.source, y);
        let [smooth, rise] = &mut self.columns;
        smooth_columns(around, smooth);
        let [above, _, below] = around;
        rise_of_columns(above, below, rise);
        [smooth, rise]
    }
}

/// The last three rows of a picture, each with one more pixel on both sides, as the border mode continues this picture.
struct Rows {
    /// Row r at place r % 3.
    rows: [Vec<u8>; ROWS],
    /// The rows from here on are still to come.
    next: usize,
}

impl Rows {
    fn new(width: usize, first: usize) -> Self {
        Self { rows: from_fn(|_| vec![0; width + 2]), next: first }
    }

    /// The rows above, at and below `y`. The one that stands for a row beyond the edge is never further from `y`, so it is still there.
    #[inline(always)]
    fn around(&self, source: Source, y: usize) -> [&[u8]; ROWS] {
        let index = |step: usize| source.border.source_index((y + step).cast_signed() - 1, source.picture.height_px);
        from_fn(|step| self.rows.get(index(step) % ROWS).map(Vec::as_slice).unwrap_or_default())
    }

    /// The next row, of which `make` makes the pixels.
    #[inline(always)]
    fn make_next(&mut self, source: Source, make: impl FnOnce(&mut [u8])) {
        let width = source.picture.width_px;
        let Some(row) = self.rows.get_mut(self.next % ROWS) else { return };
        make(row.get_mut(1..=width).unwrap_or_default());
        for x in [-1, width.cast_signed()] {
            let from = source.border.source_index(x, width) + 1;
            row.copy_within(from..=from, (x + 1).cast_unsigned());
        }
        self.next += 1;
    }
}

fn to_gray_pixel_by_pixel(row: &[u8], out: &mut [u8]) {
    for (out, color) in out.iter_mut().zip(row.as_chunks().0) {
        *out = luma(color.each_ref().map(read_alone));
    }
}

/// (1 2 1) along a row of sums that are at most 4 · 255.
#[inline(always)]
fn blurred_sum(left: u16, middle: u16, right: u16) -> u8 {
    ((left + 2 * middle + right + 8) >> 4) as u8
}

/// The pixel in the middle.
#[inline(always)]
fn blurred_byte([above, here, below]: &[[u8; ROWS]; ROWS]) -> u8 {
    let ([above, here, below], mut sums) = ([above, here, below].map(|row| row.map(u16::from)), [0; ROWS]);
    for (((sum, above), here), below) in sums.iter_mut().zip(above).zip(here).zip(below) {
        *sum = above + 2 * here + below;
    }
    let [left, middle, right] = sums;
    blurred_sum(left, middle, right)
}

#[inline(always)]
fn blur(rows: [&[u8]; ROWS], sums: &mut [u16], out: &mut [u8]) {
    smooth_columns(rows, sums);
    let [left, middle, right] = from_fn(|x| sums.get(x..).unwrap_or_default());
    for (((out, &left), &middle), &right) in out.iter_mut().zip(left).zip(middle).zip(right) {
        *out = blurred_sum(left, middle, right);
    }
}
