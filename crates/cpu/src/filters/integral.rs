//! Box of any radius on the CPU, without an integral image: column sums that run down the picture, and prefix sums of these along the row. What an integral
//! image has in four bytes for each of the picture never leaves the caches, and bands need not wait for what is above them.

use crate::band::{Band, Source};
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
    let mut columns = ColumnSums::new(source, radius, rows.first_row);
    let mut means = Means::new(source.picture, radius);
    for (y, out) in rows.iter_mut() {
        columns.begin_row(y);
        columns.move_up_to(out.len());
        means.begin_row(y);
        let values = columns.values.as_chunks::<CHANNELS>().0;
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
    let mut columns = ColumnSums::new(source, radius, rows.first_row);
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
            if end > columns.moved {
                sums.extend(columns.move_up_to(end));
                if end == row_bytes {
                    sums.end_row();
                }
            }
            means.write::<CHANNELS>(&sums, &bytes, finished);
            finish.write(y, bytes.start, finished, out);
        }
    }
}

/// For each byte of a row the sum of its column, as far as the window reaches up and down inside the picture.
struct ColumnSums<'a> {
    source: Source<'a>,
    radius: usize,
    /// The row whose windows these are.
    row: usize,
    /// Whether `values` holds anything yet.
    is_filled: bool,
    /// The values before this one are already those for `row`, the others those for the row above.
    moved: usize,
    values: Vec<u16>,
}

impl<'a> ColumnSums<'a> {
    fn new(source: Source<'a>, radius: usize, row: usize) -> Self {
        Self { source, radius, row, is_filled: false, moved: 0, values: vec![0; source.picture.row_bytes()] }
    }

    /// Row `y` where it is inside the picture.
    #[inline(always)]
    fn source_row(&self, y: Option<usize>) -> Option<&'a [u8]> {
        y.filter(|&y| y < self.source.picture.height_px).map(|y| self.source.row(y.cast_signed()))
    }

    /// From here on these are to become the sums for row `y`: the first row, or the one below that they are for.
    #[inline(always)]
    fn begin_row(&mut self, y: usize) {
        if !self.is_filled {
            // As those for the row above, so that moving there is the same for all rows.
            let rows = y.saturating_sub(self.radius + 1)..(y + self.radius).min(self.source.picture.height_px);
            for row in rows {
                for (sum, &byte) in self.values.iter_mut().zip(self.source.row(row.cast_signed())) {
                    *sum += u16::from(byte);
                }
            }
            self.is_filled = true;
        }
        (self.row, self.moved) = (y, 0);
    }

    /// Makes the first `end` values those for the row; those that were not yet.
    #[inline(always)]
    fn move_up_to(&mut self, end: usize) -> &[u16] {
        let bytes = self.moved..end;
        let part = |row: Option<&'a [u8]>| row.and_then(|row| row.get(bytes.clone()));
        let entering = part(self.source_row(Some(self.row + self.radius)));
        let leaving = part(self.source_row(self.row.checked_sub(self.radius + 1)));
        self.moved = end;
        let values = self.values.get_mut(bytes.clone()).unwrap_or_default();
        match (entering, leaving) {
            (Some(entering), Some(leaving)) => {
                for ((sum, &entering), &leaving) in values.iter_mut().zip(entering).zip(leaving) {
                    // Wraps below 0 on the way, and back.
                    *sum = sum.wrapping_add(u16::from(entering).wrapping_sub(u16::from(leaving)));
                }
            }
            (Some(entering), None) => values.iter_mut().zip(entering).for_each(|(sum, &entering)| *sum += u16::from(entering)),
            (None, Some(leaving)) => values.iter_mut().zip(leaving).for_each(|(sum, &leaving)| *sum -= u16::from(leaving)),
            (None, None) => {}
        }
        values
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
