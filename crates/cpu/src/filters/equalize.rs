//! Equalize on the CPU: a histogram of each channel, a table made of it, and a look-up for each byte.

use crate::band::Band;
use crate::lookup::Lookup;
use crate::pointwise::read_alone;
use crate::reference::equalize::{VALUES, spread_of};
use crate::strips::{Aligned, MAX_STRIP_BYTES, prefetch, strips};
use crate::survey::Survey;
use crate::{Bands, Channels, Job};
use std::array::from_fn;

/// The most channels. Where there is one, it counts as three that are alike.
const CHANNELS: usize = 3;

/// Histograms of each channel that neighboring pixels are counted in by turns: a counter that two neighbors share makes the second wait for the first.
const COPIES: usize = 4;

/// Spreads the values of each channel over 0 to 255.
pub fn run(job: Job) {
    let channels = job.source.channels();
    let histograms = job.surveyed(&Histograms { channels: job.source.picture.channels });
    let table = |channel: usize| histograms.get(channel % channels).map_or([0; VALUES], spread_of);
    let equalize = Equalize { tables: from_fn(|channel| Lookup::new(table(channel), job.set)) };
    job.bands(&equalize);
}

/// How often each value occurs in each channel.
struct Histograms {
    channels: Channels,
}

impl Survey for Histograms {
    type Found = Vec<[u64; VALUES]>;

    fn scalar(&self, bytes: &[u8]) -> Self::Found {
        let mut histograms = vec![[0; VALUES]; self.channels.count()];
        for pixel in bytes.chunks(histograms.len()) {
            for (histogram, byte) in histograms.iter_mut().zip(pixel) {
                count(histogram, read_alone(byte));
            }
        }
        histograms
    }

    #[inline(always)]
    fn simd(&self, bytes: &[u8]) -> Self::Found {
        match self.channels {
            Channels::Gray => counted::<COPIES>(bytes, 1),
            Channels::Rgb => counted::<{ COPIES * CHANNELS }>(bytes, CHANNELS),
        }
    }

    fn joined(&self, mut first: Self::Found, second: Self::Found) -> Self::Found {
        for (into, count) in first.iter_mut().flatten().zip(second.into_iter().flatten()) {
            *into += count;
        }
        first
    }
}

/// One more of `value`.
#[inline(always)]
fn count<Count: Copy + std::ops::AddAssign + From<u8>>(histogram: &mut [Count; VALUES], value: u8) {
    // Every value has its place; the compiler knows.
    if let Some(count) = histogram.get_mut(usize::from(value)) {
        *count += 1.into();
    }
}

/// Histograms of each channel, by several for the bytes of `PRIVATE` neighbors, which are whole pixels.
#[inline(always)]
fn counted<const PRIVATE: usize>(bytes: &[u8], channels: usize) -> Vec<[u64; VALUES]> {
    let mut private = [[0_u32; VALUES]; PRIVATE];
    let (neighbors, rest) = bytes.as_chunks::<PRIVATE>();
    for neighbors in neighbors {
        for (histogram, &byte) in private.iter_mut().zip(neighbors) {
            count(histogram, byte);
        }
    }
    for (histogram, &byte) in private.iter_mut().zip(rest) {
        count(histogram, byte);
    }
    let mut histograms = vec![[0; VALUES]; channels];
    for pixel in private.chunks(channels) {
        for (into, count) in histograms.iter_mut().flatten().zip(pixel.iter().flatten()) {
            *into += u64::from(*count);
        }
    }
    histograms
}

/// What becomes of each value of each channel.
struct Equalize {
    tables: [Lookup; CHANNELS],
}

impl Bands for Equalize {
    fn scalar(&self, Band { source, mut rows, .. }: Band) {
        for (y, out) in rows.iter_mut() {
            self.look_up(0, source.row(y.cast_signed()), out);
        }
    }

    #[inline(always)]
    fn simd(&self, Band { source, mut rows, finish, .. }: Band) {
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in rows.iter_mut() {
            let row = source.row(y.cast_signed());
            for (bytes, out) in strips(out) {
                prefetch(source.picture, y, &bytes);
                let Some(finished) = finished.0.get_mut(..out.len()) else { return };
                let source_bytes = row.get(bytes.clone()).unwrap_or_default();
                match (&self.tables, source.picture.channels) {
                    ([table, ..], Channels::Gray) => table.bytes(source_bytes, finished),
                    (_, Channels::Rgb) => self.look_up(bytes.start, source_bytes, finished),
                }
                finish.write(y, bytes.start, finished, out);
            }
        }
    }
}

impl Equalize {
    /// For bytes of a row from number `start` on.
    #[inline(always)]
    fn look_up(&self, start: usize, bytes: &[u8], out: &mut [u8]) {
        // In the order in which the strip meets the channels.
        let mut in_order = self.tables.each_ref();
        in_order.rotate_left(start % CHANNELS);
        let ((pixels, bytes), (out_pixels, out)) = (bytes.as_chunks::<CHANNELS>(), out.as_chunks_mut::<CHANNELS>());
        let look_up = |bytes: &[u8], out: &mut [u8]| {
            for ((out, &byte), table) in out.iter_mut().zip(bytes).zip(in_order) {
                *out = table.byte(byte);
            }
        };
        out_pixels.iter_mut().zip(pixels).for_each(|(out, pixel)| look_up(pixel, out));
        look_up(bytes, out);
    }
}
