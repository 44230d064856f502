//! Laplace sharpen on the CPU: 10 · center − the 3 × 3 box sum, saturated.

#![allow(clippy::inline_always, reason = "only code inlined into a function with enabled instructions is compiled for them")]

use crate::cpu::instructions::{InstructionSet, Vectorized};
use crate::cpu::store::StripWriter;
use crate::cpu::strips::{Aligned, HaloStrip, MAX_STRIP_BYTES, keep_border, prefetch, rows_around, strips};
use crate::cpu::{CpuEngine, by_rows};
use crate::filters::Parameters;
use crate::image::{BorderMode, Channels, Picture};

/// The competitors.
pub fn run(engine: CpuEngine, picture: &Picture, border: BorderMode, _parameters: &Parameters, output: &mut [u8]) {
    by_rows(engine, picture, output, |first_row, output, set| {
        let band = Band { picture, border, first_row, output };
        match set {
            Some(set) => band.simd(set),
            None => band.scalar(),
        }
    });
}

/// Output rows `first_row..`, as many as `output` holds. Border rows and columns included.
pub struct Band<'a> {
    /// The whole source.
    pub picture: &'a Picture,
    /// What lies beyond its edge.
    pub border: BorderMode,
    /// The first output row.
    pub first_row: usize,
    /// Whole output rows without gaps.
    pub output: &'a mut [u8],
}

impl Band<'_> {
    /// SIMD, by the instructions of `set`.
    pub fn simd(self, set: InstructionSet) {
        let writer = StripWriter::new(set, self.picture.bytes().len());
        set.run(Simd { band: self, writer });
    }

    /// Plain loops, pixel by pixel, as the study's single CPU core.
    ///
    /// Nine loads, nine adds and one multiplication a byte, the columns at the edges apart. Nothing is done to slow it down: it costs what
    /// the same loop in C costs when it is compiled without vectorizing. The compiler unrolls the channels; one check a row that the
    /// neighbors exist keeps it from vectorizing along the row.
    pub fn scalar(self) {
        match self.picture.channels() {
            Channels::Gray => self.scalar_pixels::<1>(),
            Channels::Rgb => self.scalar_pixels::<3>(),
        }
    }

    fn scalar_pixels<const CHANNELS: usize>(self) {
        let (picture, border) = (self.picture, self.border);
        for (y, out) in (self.first_row..).zip(self.output.chunks_exact_mut(picture.row_bytes().max(1))) {
            let Some(rows) = rows_around(picture, border, y) else { return };
            let rows = rows.map(|row| row.as_chunks::<CHANNELS>().0);
            let pixels = out.as_chunks_mut::<CHANNELS>().0;
            let last = pixels.len() - 1;
            for x in [0, last] {
                let columns = [-1, 0, 1].map(|dx| border.source_index(x.cast_signed() + dx, last + 1));
                if let (Some(out), [Some(above), Some(center), Some(below)]) = (pixels.get_mut(x), rows.map(|row| pick(row, columns))) {
                    *out = sharpen_pixel([&above, &center, &below]);
                }
            }
            for x in 1..last {
                let [Some(above), Some(center), Some(below)] = rows.map(|row| row.get(x - 1..).and_then(<[_]>::first_chunk)) else {
                    return;
                };
                let Some(out) = pixels.get_mut(x) else { return };
                *out = sharpen_pixel([above, center, below]);
            }
            keep_border(picture, border, 1, y, 0, out);
        }
    }
}

struct Simd<'a> {
    band: Band<'a>,
    writer: StripWriter,
}

impl Vectorized for Simd<'_> {
    #[inline(always)]
    fn run(self) {
        let Band { picture, border, first_row, output } = self.band;
        let mut sums = HaloStrip::new();
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in (first_row..).zip(output.chunks_exact_mut(picture.row_bytes().max(1))) {
            let Some(rows) = rows_around(picture, border, y) else { return };
            for (columns, out) in strips(out) {
                prefetch(picture, y + 1, &columns);
                sums.fill(picture, border, &columns, |reach, sums| {
                    add_columns(rows.map(|row| row.get(reach.clone()).unwrap_or_default()), sums);
                });
                let center = rows[1].get(columns.clone()).unwrap_or_default();
                let Some(finished) = finished.0.get_mut(..out.len()) else { return };
                sharpen(center, sums.neighbors(picture.channels().count(), out.len()), finished);
                keep_border(picture, border, 1, y, columns.start, finished);
                self.writer.write(finished, out);
            }
        }
    }
}

/// The pixels of a row at `columns`.
fn pick<const CHANNELS: usize>(row: &[[u8; CHANNELS]], [left, middle, right]: [usize; 3]) -> Option<[[u8; CHANNELS]; 3]> {
    Some([*row.get(left)?, *row.get(middle)?, *row.get(right)?])
}

/// The output pixel in the middle of three rows of three.
#[inline(always)]
fn sharpen_pixel<const CHANNELS: usize>([above, center, below]: [&[[u8; CHANNELS]; 3]; 3]) -> [u8; CHANNELS] {
    std::array::from_fn(|channel| {
        let at = |pixel: &[u8; CHANNELS]| pixel.get(channel).map_or(0, |&byte| i32::from(byte));
        let sum_of = |[left, middle, right]: &[[u8; CHANNELS]; 3]| at(left) + at(middle) + at(right);
        let [_, middle, _] = center;
        saturate(10 * at(middle) - sum_of(above) - sum_of(center) - sum_of(below))
    })
}

/// `value` clamped to 0–255, without a branch: `clamp` becomes one here, which a picture full of noise makes mispredict at every other
/// byte (a factor of 2.5, measured).
#[inline(always)]
fn saturate(value: i32) -> u8 {
    // The shift spreads the sign: all ones below 0, all zeros above 255.
    u8::try_from(value).unwrap_or(!((value >> 31) as u8))
}

/// The sum of each column of three rows: at most 3 · 255.
#[inline(always)]
fn add_columns([above, center, below]: [&[u8]; 3], sums: &mut [u16]) {
    for (((sum, &above), &center), &below) in sums.iter_mut().zip(above).zip(center).zip(below) {
        *sum = u16::from(above) + u16::from(center) + u16::from(below);
    }
}

/// 10 · center − the box sum. Both fit 16 bits: 10 · 255 = 2550 and 9 · 255 = 2295.
#[inline(always)]
fn sharpen(center: &[u8], [left, middle, right]: [&[u16]; 3], out: &mut [u8]) {
    for ((((out, &center), &left), &middle), &right) in out.iter_mut().zip(center).zip(left).zip(middle).zip(right) {
        let sharpened = (10 * u16::from(center)).cast_signed() - (left + middle + right).cast_signed();
        *out = sharpened.clamp(0, 255) as u8;
    }
}
