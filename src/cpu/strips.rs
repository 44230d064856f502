//! Rows of a picture as SIMD code wants them: strips that stay in the first-level cache, 16-bit lanes, and a halo on both sides
//! instead of border tests. Every filter that sums columns first can use them.

use super::store::LINE_BYTES;
use crate::image::{BorderMode, Picture};
use std::ops::Range;

/// Bytes of a row that are worked on at a time, the last strip of a row apart. With its 16-bit sums and its output a strip takes
/// 5 KiB, so the three source rows pass through the rest of the smallest first-level caches (32 KiB). Measured: 1024 and 2048 are
/// a few percent slower. A multiple of a cache line.
const STRIP_BYTES: usize = 1536;

/// The most bytes of a strip: a rest of up to a cache line is added to the one before it, because a halo needs two pixels.
pub const MAX_STRIP_BYTES: usize = STRIP_BYTES + LINE_BYTES;

/// How far ahead of the strip the lowest source row is asked for. Hardware prefetchers stop at the end of a 4 KiB page, and start
/// anew on the next.
const PREFETCH_BYTES: usize = 4096;

/// 16-bit values before a strip's first: room for the halo, and a whole cache line so that the strip itself begins at one.
const MARGIN: usize = LINE_BYTES / size_of::<u16>();

/// Begins at a cache line: vector loads that cross one cost two.
#[repr(align(64))]
pub struct Aligned<T>(pub T);

/// The rows above, at and below row `y`, each `picture.row_bytes()` long; beyond the edge by `border`. `None` below the picture.
#[inline(always)]
pub fn rows_around(picture: &Picture, border: BorderMode, y: usize) -> Option<[&[u8]; 3]> {
    let row_bytes = picture.row_bytes();
    let row = |y: isize| {
        let start = border.source_index(y, picture.height_px()) * row_bytes;
        picture.bytes().get(start..start + row_bytes)
    };
    let y = isize::try_from(y).ok().filter(|&y| y.unsigned_abs() < picture.height_px())?;
    Some([row(y - 1)?, row(y)?, row(y + 1)?])
}

/// Cuts an output row into strips of at most [`MAX_STRIP_BYTES`], with the bytes of the row that each covers. All but the first begin
/// at a cache line, and each holds two pixels at least where the row does.
#[inline(always)]
pub fn strips(row: &mut [u8]) -> impl Iterator<Item = (Range<usize>, &mut [u8])> {
    let (mut rest, mut start) = (row, 0);
    std::iter::from_fn(move || {
        let beyond_line = rest.as_ptr().addr() % LINE_BYTES;
        let length = if rest.len() <= MAX_STRIP_BYTES { rest.len() } else { STRIP_BYTES - beyond_line };
        let strip = rest.split_off_mut(..length).filter(|strip| !strip.is_empty())?;
        let columns = start..start + length;
        start = columns.end;
        Some((columns, strip))
    })
}

/// Asks for the bytes of `picture` that the strip after the next will read first: those ahead of `columns` in row `y`.
#[inline(always)]
pub fn prefetch(picture: &Picture, y: usize, columns: &Range<usize>) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = y * picture.row_bytes() + columns.end + PREFETCH_BYTES;
        for line in picture.bytes().get(start..start + columns.len()).unwrap_or_default().chunks(LINE_BYTES) {
            // SAFETY: the address is inside the picture; a prefetch does not even need that.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (picture, y, columns, PREFETCH_BYTES);
}

/// 16-bit values of one strip with a halo of one pixel on both sides, so that neighbors to the left and right always exist.
pub struct HaloStrip {
    values: Aligned<[u16; MAX_STRIP_BYTES + 2 * MARGIN]>,
}

impl HaloStrip {
    /// All 0.
    pub const fn new() -> Self {
        Self { values: Aligned([0; MAX_STRIP_BYTES + 2 * MARGIN]) }
    }

    /// Fills the strip over `columns` and its halo by `fill(bytes of the row, values to be written)`. These lie inside the row, and
    /// reach further left than the halo so that both begin at a cache line where the picture's rows do; beyond the row the halo is
    /// what `border` says.
    #[inline(always)]
    pub fn fill(&mut self, picture: &Picture, border: BorderMode, columns: &Range<usize>, fill: impl FnOnce(Range<usize>, &mut [u16])) {
        let (channels, row_bytes) = (picture.channels().count(), picture.row_bytes());
        let place = |byte: usize| byte + MARGIN - columns.start;
        let reach = columns.start.saturating_sub(MARGIN)..(columns.end + channels).min(row_bytes);
        let Aligned(values) = &mut self.values;
        if let Some(values) = values.get_mut(place(reach.start)..place(reach.end)) {
            fill(reach, values);
        }
        let mut copy_pixel = |x: isize, to: usize| {
            // Every strip at an end of the row reaches far enough to hold the pixel that the border mode names.
            let from = place(border.source_index(x, picture.width_px()) * channels);
            if from.max(to) + channels <= values.len() {
                values.copy_within(from..from + channels, to);
            }
        };
        if columns.start == 0 {
            copy_pixel(-1, MARGIN - channels);
        }
        if columns.end == row_bytes {
            copy_pixel(picture.width_px().cast_signed(), place(row_bytes));
        }
    }

    /// The neighbors to the left, the values themselves and the neighbors to the right of a strip of `length` bytes.
    #[inline(always)]
    pub fn neighbors(&self, channels: usize, length: usize) -> [&[u16]; 3] {
        let Aligned(values) = &self.values;
        [MARGIN - channels, MARGIN, MARGIN + channels].map(|start| values.get(start..start + length).unwrap_or_default())
    }
}

/// With border mode `copy`, what a mask that reaches `reach_px` pixels does not fit on is the source: rows and columns at the edge. `out` are
/// the bytes of row `y` from `start` on.
#[inline(always)]
pub fn keep_border(picture: &Picture, border: BorderMode, reach_px: usize, y: usize, start: usize, out: &mut [u8]) {
    if border != BorderMode::Copy {
        return;
    }
    let (row_bytes, reach_bytes) = (picture.row_bytes(), reach_px * picture.channels().count());
    let is_edge = y < reach_px || y + reach_px >= picture.height_px() || row_bytes <= 2 * reach_bytes;
    let edges = if is_edge { [0..row_bytes, 0..0] } else { [0..reach_bytes, row_bytes - reach_bytes..row_bytes] };
    for edge in edges {
        let (from, to) = (edge.start.max(start), edge.end.min(start + out.len()));
        if from < to
            && let (Some(source), Some(out)) =
                (picture.bytes().get(y * row_bytes + from..y * row_bytes + to), out.get_mut(from - start..to - start))
        {
            out.copy_from_slice(source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES, MAX_STRIP_BYTES, strips};

    #[test]
    fn strips_cover_a_row_once_and_begin_at_cache_lines() {
        for offset in [0, 1, 16, 63] {
            for length in [1, 3, 64, 1535, 1536, 1537, 1600, 1601, 3135, 3200, 5000] {
                let mut memory = vec![0; offset + length];
                let mut next = 0;
                for (columns, strip) in strips(&mut memory[offset..]) {
                    assert_eq!((columns.start, columns.len()), (next, strip.len()));
                    assert!(strip.len() <= MAX_STRIP_BYTES);
                    assert!(strip.len() >= length.min(LINE_BYTES));
                    assert!(columns.start == 0 || strip.as_ptr().align_offset(LINE_BYTES) == 0);
                    next = columns.end;
                }
                assert_eq!(next, length);
            }
        }
    }
}
