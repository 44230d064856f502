//! Filters of 3 × 3 pixels that do what they can down each column first: it serves the pixel below whose middle it lies, and both beside it.

use super::band::Band;
use super::halo::HaloStrip;
use super::strips::{Aligned, MAX_STRIP_BYTES, prefetch, strips};
use crate::{Bands, Job, window};
use std::array::from_fn;

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
    pub(crate) fn columns<const VALUES: usize>(self, filter: &impl Columns<VALUES>) {
        self.bands(&ByColumns(filter));
    }
}

struct ByColumns<'a, Filter, const VALUES: usize>(&'a Filter);

impl<Filter: Columns<VALUES>, const VALUES: usize> Bands for ByColumns<'_, Filter, VALUES> {
    fn scalar(&self, band: Band) {
        window::scalar(band, |square| self.0.byte(square));
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        let Band { source, mut rows, finish, .. } = band;
        let mut values: [_; VALUES] = from_fn(|_| HaloStrip::<Filter::Value, 1>::new());
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in rows.iter_mut() {
            let row = y.cast_signed();
            let around = [source.row(row - 1), source.row(row), source.row(row + 1)];
            for (columns, out) in strips(out) {
                prefetch(source.picture, y + 1, &columns);
                let reach = HaloStrip::<Filter::Value, 1>::reach(source, &columns);
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
