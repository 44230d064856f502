//! Box of any radius on the CPU, without an integral image: column sums that run down the picture, and prefix sums of these along the row. What an integral
//! image has in four bytes for each of the picture never leaves the caches, and bands need not wait for what is above them.

use crate::band::Band;
use crate::column_sums::{Beyond, ColumnSums};
use crate::mean::{MeanOf, Reciprocal};
use crate::prefix::PrefixSums;
use crate::strips::{Aligned, MAX_STRIP_BYTES, prefetch, strips};
use crate::{Bands, Channels, Job, Pixels};
use std::ops::Range;

/// The largest radius: the sum of a column, 201 · 255, fits 16 bits.
pub const MAX_RADIUS: usize = 100;

/// Averages windows that reach `radius` to all sides and are cut at the picture's edges; 1 to [`MAX_RADIUS`].
pub fn run(job: Job, radius: usize) {
    job.bands(&Integral { radius: radius.min(MAX_RADIUS) });
}

/// The arithmetic.
struct Integral {
    radius: usize,
}

impl Bands for Integral {
    fn scalar(&self, band: Band) {
        match band.source.picture.channels {
            Channels::Gray => scalar::<1>(self.radius, band),
            Channels::Rgb => scalar::<3>(self.radius, band),
        }
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        match band.source.picture.channels {
            Channels::Gray => simd::<1>(self.radius, band),
            Channels::Rgb => simd::<3>(self.radius, band),
        }
    }

    /// A band begins with the sums of a whole window's rows.
    fn worthwhile_rows(&self) -> usize {
        2 * self.radius + 1
    }
}

/// A running sum down each column, and a running sum of these along the row.
fn scalar<const CHANNELS: usize>(radius: usize, Band { source, mut rows, .. }: Band) {
    let width = source.picture.width_px;
    let mut columns = ColumnSums::new(source, [radius, radius], Beyond::Cut, rows.first_row, [0, 0]);
    let mut means = Means::new(source.picture, radius);
    for (y, out) in rows.iter_mut() {
        columns.begin_row(y);
        columns.move_up_to(out.len());
        means.begin_row(y);
        let values = columns.values().as_chunks::<CHANNELS>().0;
        let mut sums = [0; CHANNELS];
        let add = |sums: &mut [u32; CHANNELS], x: usize| {
            for (sum, &value) in sums.iter_mut().zip(values.get(x).into_iter().flatten()) {
                *sum += u32::from(value);
            }
        };
        (0..radius.min(width)).for_each(|x| add(&mut sums, x));
        for (x, out) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
            add(&mut sums, x + radius);
            let by = means.reciprocal(x);
            *out = sums.map(|sum| means.of.mean(sum, by));
            if let Some(leaving) = x.checked_sub(radius).and_then(|x| values.get(x)) {
                for (sum, &value) in sums.iter_mut().zip(leaving) {
                    *sum -= u32::from(value);
                }
            }
        }
    }
}

#[inline(always)]
fn simd<const CHANNELS: usize>(radius: usize, Band { source, mut rows, finish, .. }: Band) {
    let (width, row_bytes) = (source.picture.width_px, source.picture.row_bytes());
    let mut columns = ColumnSums::new(source, [radius, radius], Beyond::Cut, rows.first_row, [0, 0]);
    let mut sums = PrefixSums::new(width, radius, CHANNELS);
    let mut means = Means::new(source.picture, radius);
    let mut finished = Aligned([0; MAX_STRIP_BYTES]);
    for (y, out) in rows.iter_mut() {
        columns.begin_row(y);
        sums.begin_row();
        means.begin_row(y);
        for (bytes, out) in strips(out) {
            prefetch(source.picture, y + radius, &bytes);
            let Some(finished) = finished.0.get_mut(..out.len()) else { return };
            // Whole pixels, though a strip may end within one.
            let end = ((bytes.end.div_ceil(CHANNELS) + radius) * CHANNELS).min(row_bytes);
            if end > columns.moved() {
                sums.extend(columns.move_up_to(end).1);
                if end == row_bytes {
                    sums.end_row();
                }
            }
            means.write::<CHANNELS>(&sums, &bytes, finished);
            finish.write(y, bytes.start, finished, out);
        }
    }
}

/// What the sums of windows are divided by.
struct Means {
    radius: usize,
    width: usize,
    height: usize,
    of: MeanOf,
    /// How many rows a window has.
    lines: usize,
    /// By how many columns a window has.
    by_columns: Vec<Reciprocal>,
}

/// The range of a window along a side.
#[inline(always)]
fn window(place: usize, radius: usize, length: usize) -> Range<usize> {
    place.saturating_sub(radius)..(place + radius + 1).min(length)
}

impl Means {
    fn new(picture: Pixels, radius: usize) -> Self {
        let (width, height, side) = (picture.width_px, picture.height_px, 2 * radius + 1);
        // The smallest window has a quarter of the pixels of the largest one.
        let of = MeanOf::largest(side.min(width) * side.min(height));
        Self { radius, width, height, of, lines: 0, by_columns: vec![Reciprocal::default(); side + 1] }
    }

    /// From here on for the windows of row `y`.
    #[inline(always)]
    fn begin_row(&mut self, y: usize) {
        let lines = window(y, self.radius, self.height).len();
        if lines != self.lines {
            self.lines = lines;
            for (columns, by) in self.by_columns.iter_mut().enumerate() {
                *by = self.of.reciprocal(columns * lines);
            }
        }
    }

    /// For the window around column `x`.
    #[inline(always)]
    fn reciprocal(&self, x: usize) -> Reciprocal {
        self.by_columns.get(window(x, self.radius, self.width).len()).copied().unwrap_or_default()
    }

    /// The means of windows around each of `bytes`. All but those at the ends of the row have as many columns.
    #[inline(always)]
    fn write<const CHANNELS: usize>(&self, sums: &PrefixSums, bytes: &Range<usize>, out: &mut [u8]) {
        let side = 2 * self.radius + 1;
        let ends = [self.radius, self.width.saturating_sub(self.radius).max(self.radius)];
        let [left, right] = ends.map(|pixels| (pixels * CHANNELS).clamp(bytes.start, bytes.end) - bytes.start);
        let (out, out_right) = out.split_at_mut(right);
        let (out_left, out) = out.split_at_mut(left);
        for (edge, out) in [(bytes.start, out_left), (bytes.start + right, out_right)] {
            for (byte, (out, sum)) in (edge..).zip(out.iter_mut().zip(sums.windows(edge, side))) {
                *out = self.of.mean(sum, self.reciprocal(byte / CHANNELS));
            }
        }
        let (of, by) = (self.of, self.reciprocal(self.radius));
        for (out, sum) in out.iter_mut().zip(sums.windows(bytes.start + left, side)) {
            *out = of.mean(sum, by);
        }
    }
}
