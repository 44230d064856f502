//! Filters that look at no neighbors. Rows and borders play no part: one run of bytes becomes another.

use super::band::{Band, Finish, Source};
use super::strips::{Aligned, MAX_STRIP_BYTES, prefetch_ahead, strips};
use crate::{Bands, Job};

/// What becomes of each output byte. `SOURCE_BYTES` are those it is made from: 3 where a pixel becomes gray, otherwise 1.
pub trait Pointwise<const SOURCE_BYTES: usize>: Sync {
    /// One output byte. Inlined into plain loops: one that the compiler vectorizes, and one that it cannot.
    fn byte(&self, source: [u8; SOURCE_BYTES]) -> u8;

    /// A run of bytes by SIMD: strips in the first-level cache, then to memory.
    #[inline(always)]
    fn simd(&self, source: &[u8], finish: &Finish, output: &mut [u8]) {
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (bytes, output) in strips(output) {
            let read = bytes.start * SOURCE_BYTES..bytes.end * SOURCE_BYTES;
            // Several source bytes to one of the output are read faster than so many lines at once could be asked for: measured, luma takes 1.6 times as long.
            if SOURCE_BYTES == 1 {
                prefetch_ahead(source, &read);
            }
            let source = source.get(read);
            if let (Some(source), Some(finished)) = (source, finished.0.get_mut(..output.len())) {
                self.strip(source.as_chunks().0, finished);
                finish.write(0, 0, finished, output);
            }
        }
    }

    /// A strip by SIMD.
    #[inline(always)]
    fn strip(&self, source: &[[u8; SOURCE_BYTES]], out: &mut [u8]) {
        for (out, &source) in out.iter_mut().zip(source) {
            *out = self.byte(source);
        }
    }
}

impl Job<'_> {
    /// Runs a filter that comes as [`Pointwise`].
    pub(crate) fn pointwise<const SOURCE_BYTES: usize>(self, filter: &impl Pointwise<SOURCE_BYTES>) {
        self.bands(&ByPoint::<_, SOURCE_BYTES>(filter));
    }
}

struct ByPoint<'a, Filter, const SOURCE_BYTES: usize>(&'a Filter);

impl<Filter: Pointwise<SOURCE_BYTES>, const SOURCE_BYTES: usize> Bands for ByPoint<'_, Filter, SOURCE_BYTES> {
    fn scalar(&self, Band { source, rows, .. }: Band) {
        let source = bytes_from::<SOURCE_BYTES>(source, rows.first_row * rows.row_bytes);
        for (out, source) in rows.bytes.iter_mut().zip(source.as_chunks().0) {
            *out = self.0.byte(source.each_ref().map(read_alone));
        }
    }

    #[inline(always)]
    fn simd(&self, Band { source, rows, finish, .. }: Band) {
        self.0.simd(bytes_from::<SOURCE_BYTES>(source, rows.first_row * rows.row_bytes), &finish, rows.bytes);
    }
}

/// The source from output byte `first` on.
#[inline(always)]
fn bytes_from<const SOURCE_BYTES: usize>(source: Source<'_>, first: usize) -> &[u8] {
    source.picture.bytes.get(first * SOURCE_BYTES..).unwrap_or_default()
}

/// A byte that is read on its own: a plain loop would be recognized as a copy, or vectorized.
#[inline(always)]
pub fn read_alone(byte: &u8) -> u8 {
    // SAFETY: a reference is valid to read from and aligned.
    unsafe { std::ptr::from_ref(byte).read_volatile() }
}
