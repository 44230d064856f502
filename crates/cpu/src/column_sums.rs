//! Sums down the columns of a picture: each row takes one value in and lets one out, whatever the window's height.

use crate::band::Source;
use std::ops::Range;

/// Rows beyond the picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// Windows are cut at the picture's edges.
    Cut,
    /// The rows that the border mode names.
    Border,
}

/// For each byte of a row the sum of its column over the rows of a window. Along a row it is moved only as far as it is asked for: what has just been summed is
/// still in the nearest cache.
pub struct ColumnSums<'a> {
    source: Source<'a>,
    /// How many rows above its own a window begins; it ends `radius` below.
    above: usize,
    radius: usize,
    beyond: Beyond,
    /// The row whose windows these are.
    row: usize,
    /// Whether `values` holds anything yet.
    is_filled: bool,
    /// How many bytes of the row are moved to `row`; the others are still those for the row above.
    moved: usize,
    /// Where the column of the row's first byte stands in `values`.
    start: usize,
    values: Vec<u16>,
}

impl<'a> ColumnSums<'a> {
    /// For windows that reach `above` rows up and `radius` down, at most 257 rows together; the first one is that of `row`. `values` are as many as a row has
    /// bytes, and `halo` more before and behind, which are the caller's.
    pub fn new(source: Source<'a>, [above, radius]: [usize; 2], beyond: Beyond, row: usize, halo: [usize; 2]) -> Self {
        let values = vec![0; halo[0] + source.picture.row_bytes() + halo[1]];
        Self { source, above, radius, beyond, row, is_filled: false, moved: 0, start: halo[0], values }
    }

    /// All sums, the halo's too.
    #[inline(always)]
    pub fn values(&self) -> &[u16] {
        &self.values
    }

    /// The same, to fill the halo.
    #[inline(always)]
    pub fn values_mut(&mut self) -> &mut [u16] {
        &mut self.values
    }

    /// How many bytes of the row are moved.
    #[inline(always)]
    pub fn moved(&self) -> usize {
        self.moved
    }

    #[inline(always)]
    fn source_row(&self, y: isize) -> Option<&'a [u8]> {
        let is_there = self.beyond == Beyond::Border || (0..self.source.picture.height_px.cast_signed()).contains(&y);
        is_there.then(|| self.source.row(y))
    }

    /// From here on these are to become the sums for row `y`: the first row, or the one below that they are for.
    #[inline(always)]
    pub fn begin_row(&mut self, y: usize) {
        if !self.is_filled {
            // As those for the row above, so that moving there is the same for all rows.
            let above = y.cast_signed() - 1;
            for y in above - self.above.cast_signed()..=above + self.radius.cast_signed() {
                let Some(source) = self.source_row(y) else { continue };
                for (sum, &byte) in self.values.iter_mut().skip(self.start).zip(source) {
                    *sum += u16::from(byte);
                }
            }
            self.is_filled = true;
        }
        (self.row, self.moved) = (y, 0);
    }

    /// Makes the sums of the first `end` bytes of the row those for the row; the bytes that were not yet, and their sums.
    #[inline(always)]
    pub fn move_up_to(&mut self, end: usize) -> (Range<usize>, &[u16]) {
        let bytes = self.moved..end.clamp(self.moved, self.source.picture.row_bytes());
        let y = self.row.cast_signed();
        let part = |row: Option<&'a [u8]>| row.and_then(|row| row.get(bytes.clone()));
        let entering = part(self.source_row(y + self.radius.cast_signed()));
        let leaving = part(self.source_row(y - self.above.cast_signed() - 1));
        self.moved = bytes.end;
        let values = self.values.get_mut(self.start + bytes.start..self.start + bytes.end).unwrap_or_default();
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
        (bytes, values)
    }
}
