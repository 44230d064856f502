//! Filters of 3 × 3 pixels that do what they can down each column first: it serves the pixel below whose middle it lies, and both beside it.

use super::band::{Band, Reach, Source};
use super::store::LINE_BYTES;
use super::strips::{Aligned, MAX_STRIP_BYTES, prefetch, strips};
use super::{Bands, Job, window};
use std::array::from_fn;
use std::ops::Range;

/// A filter of 3 × 3 pixels that keeps `VALUES` values for each column of three bytes.
pub trait Columns<const VALUES: usize>: Sync {
    /// `u8` or `u16`.
    type Value: Copy + Default;

    /// One output byte from the bytes of its channel around it: rows from the top, each from the left.
    fn byte(&self, square: &[[u8; 3]; 3]) -> u8;

    /// By SIMD, the values of each column of three rows.
    fn down(&self, rows: [&[u8]; 3], values: [&mut [Self::Value]; VALUES]);

    /// By SIMD, the output from the bytes of its own row, and from the columns to the left, in the middle and to the right.
    fn across(&self, center: &[u8], columns: [[&[Self::Value]; 3]; VALUES], out: &mut [u8]);
}

impl Job<'_> {
    /// Runs a filter that comes as [`Columns`].
    pub fn columns<const VALUES: usize>(self, filter: &impl Columns<VALUES>) {
        self.bands(&ByColumns(filter));
    }
}

struct ByColumns<'a, Filter, const VALUES: usize>(&'a Filter);

impl<Filter: Columns<VALUES>, const VALUES: usize> Bands for ByColumns<'_, Filter, VALUES> {
    fn reach(&self) -> Reach {
        Reach::around(1)
    }

    fn scalar(&self, band: Band) {
        window::scalar(band, |square| self.0.byte(square));
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        let Band { source, mut rows, finish } = band;
        let mut values: [_; VALUES] = from_fn(|_| HaloStrip::<Filter::Value>::new());
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in rows.iter_mut() {
            let row = y.cast_signed();
            let around = [source.row(row - 1), source.row(row), source.row(row + 1)];
            for (columns, out) in strips(out) {
                prefetch(source.picture, y + 1, &columns);
                let reach = HaloStrip::<Filter::Value>::reach(source, &columns);
                let in_reach = around.map(|row| row.get(reach.clone()).unwrap_or_default());
                let mut each = values.iter_mut();
                let over = from_fn(|_| each.next().map(|values| values.over(&reach, &columns)).unwrap_or_default());
                self.0.down(in_reach, over);
                for values in &mut values {
                    values.fill_halo(source, &columns);
                }
                let [_, center, _] = around;
                let (Some(center), Some(finished)) = (center.get(columns.clone()), finished.0.get_mut(..out.len())) else { return };
                let mut each = values.iter();
                let neighbors = from_fn(|_| each.next().map(|values| values.neighbors(source.channels(), out.len())).unwrap_or_default());
                self.0.across(center, neighbors, finished);
                finish.write(y, columns.start, finished, out);
            }
        }
    }
}

/// The values of one strip with a halo of one pixel on both sides, so that neighbors to the left and right always exist.
struct HaloStrip<T> {
    values: Aligned<[T; MAX_STRIP_BYTES + 2 * LINE_BYTES]>,
}

impl<T: Copy + Default> HaloStrip<T> {
    /// Values before the strip's first: room for the halo, and a whole cache line so that the strip itself begins at one.
    const MARGIN: usize = LINE_BYTES / size_of::<T>();

    #[inline(always)]
    fn new() -> Self {
        Self { values: Aligned([T::default(); _]) }
    }

    /// The bytes of a row that the values of the strip over `columns` and its halo come from, as far as the row has them. They reach further left
    /// than the halo so that source and values begin at a cache line where the picture's rows do.
    #[inline(always)]
    fn reach(source: Source, columns: &Range<usize>) -> Range<usize> {
        columns.start.saturating_sub(Self::MARGIN)..(columns.end + source.channels()).min(source.picture.row_bytes())
    }

    /// The values for `reach`, to be written.
    #[inline(always)]
    fn over(&mut self, reach: &Range<usize>, columns: &Range<usize>) -> &mut [T] {
        let place = |byte: usize| byte + Self::MARGIN - columns.start;
        self.values.0.get_mut(place(reach.start)..place(reach.end)).unwrap_or_default()
    }

    /// Beyond the row, values are what `border` says.
    #[inline(always)]
    fn fill_halo(&mut self, source: Source, columns: &Range<usize>) {
        let (channels, width, row_bytes) = (source.channels(), source.picture.width_px(), source.picture.row_bytes());
        let place = |byte: usize| byte + Self::MARGIN - columns.start;
        let Aligned(values) = &mut self.values;
        let mut copy_pixel = |x: isize, to: usize| {
            // Every strip at an end of the row reaches far enough to hold the pixel that the border mode names.
            let from = place(source.border.source_index(x, width) * channels);
            if from.max(to) + channels <= values.len() {
                values.copy_within(from..from + channels, to);
            }
        };
        if columns.start == 0 {
            copy_pixel(-1, Self::MARGIN - channels);
        }
        if columns.end == row_bytes {
            copy_pixel(width.cast_signed(), place(row_bytes));
        }
    }

    /// The neighbors to the left, the values themselves and the neighbors to the right of a strip of `length` bytes.
    #[inline(always)]
    fn neighbors(&self, channels: usize, length: usize) -> [&[T]; 3] {
        let starts = [Self::MARGIN - channels, Self::MARGIN, Self::MARGIN + channels];
        starts.map(|start| self.values.0.get(start..start + length).unwrap_or_default())
    }
}
