//! Rows of a picture as SIMD code wants them: strips that stay in the first-level cache.

use super::store::LINE_BYTES;
use crate::Pixels;
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

/// Begins at a cache line: vector loads that cross one cost two.
#[repr(align(64))]
pub struct Aligned<T>(pub T);

/// Cuts an output row into strips of at most [`MAX_STRIP_BYTES`], with the bytes of the row that each covers. All but the first begin
/// at a cache line, and each holds two pixels at least where the row does.
#[inline(always)]
pub fn strips(row: &mut [u8]) -> impl Iterator<Item = (Range<usize>, &mut [u8])> {
    strips_of::<1, _>(row)
}

/// The same with whole pixels of so many values in every strip.
#[inline(always)]
pub fn strips_of<const CHANNELS: usize, T>(row: &mut [T]) -> impl Iterator<Item = (Range<usize>, &mut [T])> {
    let (mut rest, mut start) = (row, 0);
    std::iter::from_fn(move || {
        let beyond_line = rest.as_ptr().addr() % LINE_BYTES;
        // A line is a byte more than whole pixels: so many more lines make up for those that the strip begins beyond one.
        let beyond_line = beyond_line + (CHANNELS - beyond_line % CHANNELS) % CHANNELS * LINE_BYTES;
        let length = if rest.len() <= MAX_STRIP_BYTES { rest.len() } else { STRIP_BYTES - beyond_line };
        let strip = rest.split_off_mut(..length).filter(|strip| !strip.is_empty())?;
        let columns = start..start + length;
        start = columns.end;
        Some((columns, strip))
    })
}

/// Asks for the bytes of `picture` that the strip after the next will read first: those ahead of `columns` in row `y`.
#[inline(always)]
pub fn prefetch(picture: Pixels, y: usize, columns: &Range<usize>) {
    let start = y * picture.row_bytes() + columns.end;
    prefetch_ahead(picture.bytes, &(start..start + columns.len()));
}

/// Asks for the bytes of `source` that lie so far ahead of these.
#[inline(always)]
pub fn prefetch_ahead(source: &[u8], bytes: &Range<usize>) {
    prefetch_all(source.get(bytes.start + PREFETCH_BYTES..bytes.end + PREFETCH_BYTES).unwrap_or_default());
}

/// Asks for all of `bytes`.
#[inline(always)]
pub fn prefetch_all(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in bytes.chunks(LINE_BYTES) {
            // SAFETY: the address is inside the picture; a prefetch does not even need that.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES, MAX_STRIP_BYTES, strips_of};

    fn assert_covered<const CHANNELS: usize>() {
        for offset in [0, 1, 16, 63] {
            for pixels in [1, 3, 64, 511, 512, 513, 1535, 1536, 1537, 1600, 1601, 3135, 3200, 5000] {
                let length = pixels * CHANNELS;
                let mut memory = vec![0_u8; offset + length];
                let mut next = 0;
                for (columns, strip) in strips_of::<CHANNELS, _>(&mut memory[offset..]) {
                    assert_eq!((columns.start, columns.len()), (next, strip.len()));
                    assert!(strip.len() <= MAX_STRIP_BYTES);
                    assert!(strip.len() >= length.min(LINE_BYTES));
                    assert_eq!(strip.len() % CHANNELS, 0);
                    assert!(columns.start == 0 || strip.as_ptr().align_offset(LINE_BYTES) == 0);
                    next = columns.end;
                }
                assert_eq!(next, length);
            }
        }
    }

    #[test]
    fn strips_cover_a_row_once_and_begin_at_cache_lines() {
        assert_covered::<1>();
    }

    #[test]
    fn colors_are_not_cut() {
        assert_covered::<3>();
    }
}
