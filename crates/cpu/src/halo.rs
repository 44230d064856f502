//! What was computed for each byte of a strip, with the neighbors that a mask reaches on both sides.

use super::band::Source;
use super::store::LINE_BYTES;
use super::strips::{Aligned, MAX_STRIP_BYTES};
use std::array::from_fn;
use std::ops::Range;

/// The values of one strip with a halo of `RADIUS_PX` pixels on both sides, so that neighbors to the left and right always exist. A value must depend
/// on nothing but the bytes of its column: then the columns beyond the edge are those that the border mode names.
pub struct HaloStrip<T, const RADIUS_PX: usize> {
    values: Aligned<[T; MAX_STRIP_BYTES + 2 * LINE_BYTES]>,
}

impl<T: Copy + Default, const RADIUS_PX: usize> HaloStrip<T, RADIUS_PX> {
    /// Values before the strip's first: room for the halo, and a whole cache line so that the strip itself begins at one.
    const MARGIN: usize = LINE_BYTES / size_of::<T>();

    /// No values yet.
    #[inline(always)]
    pub fn new() -> Self {
        Self { values: Aligned([T::default(); _]) }
    }

    /// The bytes of a row that the values of the strip over `columns` and its halo come from, as far as the row has them. They reach further left
    /// than the halo so that source and values begin at a cache line where the picture's rows do.
    #[inline(always)]
    pub fn reach(source: Source, columns: &Range<usize>) -> Range<usize> {
        columns.start.saturating_sub(Self::MARGIN)..(columns.end + RADIUS_PX * source.channels()).min(source.picture.row_bytes())
    }

    /// The values for `reach`, to be written.
    #[inline(always)]
    pub fn over(&mut self, reach: &Range<usize>, columns: &Range<usize>) -> &mut [T] {
        let place = |byte: usize| byte + Self::MARGIN - columns.start;
        self.values.0.get_mut(place(reach.start)..place(reach.end)).unwrap_or_default()
    }

    /// Beyond the row, values are what the border mode says.
    #[inline(always)]
    pub fn fill_halo(&mut self, source: Source, columns: &Range<usize>) {
        let (channels, width, row_bytes) = (source.channels(), source.picture.width_px, source.picture.row_bytes());
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
            for distance in 1..=RADIUS_PX {
                copy_pixel(-distance.cast_signed(), Self::MARGIN - distance * channels);
            }
        }
        if columns.end == row_bytes {
            for distance in 0..RADIUS_PX {
                copy_pixel((width + distance).cast_signed(), place(row_bytes + distance * channels));
            }
        }
    }

    /// For a strip of `length` bytes the neighbors `RADIUS_PX` pixels to the left, then those one pixel further right each time: the values themselves
    /// are in the middle. `COUNT` is `2 * RADIUS_PX + 1`.
    #[inline(always)]
    pub fn neighbors<const COUNT: usize>(&self, channels: usize, length: usize) -> [&[T]; COUNT] {
        from_fn(|index| {
            let start = Self::MARGIN + index * channels - RADIUS_PX * channels;
            self.values.0.get(start..start + length).unwrap_or_default()
        })
    }
}
