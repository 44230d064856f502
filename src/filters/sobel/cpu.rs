//! Sobel edges on the CPU: saturate(|across| + |down|), both gradients from the sums of columns.

#![allow(clippy::inline_always, reason = "only code inlined into a function with enabled instructions is compiled for them")]

use crate::cpu::instructions::{InstructionSet, Vectorized};
use crate::cpu::store::StripWriter;
use crate::cpu::strips::{Aligned, HaloStrip, MAX_STRIP_BYTES, keep_border, prefetch, rows_around, strips};
use crate::cpu::{CpuEngine, by_rows};
use crate::filters::Parameters;
use crate::image::{BorderMode, Picture};

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

/// Output rows `first_row..` of a gray picture, as many as `output` holds. Border rows and columns included.
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

    /// Plain loops, pixel by pixel: eight loads and ten additions a pixel, the columns at the edges apart. One check a row that the neighbors
    /// exist keeps the compiler from vectorizing along the row.
    pub fn scalar(self) {
        let (picture, border) = (self.picture, self.border);
        for (y, out) in (self.first_row..).zip(self.output.chunks_exact_mut(picture.row_bytes().max(1))) {
            let Some(rows) = rows_around(picture, border, y) else { return };
            let last = out.len() - 1;
            for x in [0, last] {
                let columns = [-1, 0, 1].map(|dx| border.source_index(x.cast_signed() + dx, last + 1));
                let around = rows.map(|row| columns.map(|column| row.get(column).copied().unwrap_or(0)));
                if let Some(out) = out.get_mut(x) {
                    *out = edge_strength(around.each_ref());
                }
            }
            for x in 1..last {
                let [Some(above), Some(here), Some(below)] = rows.map(|row| row.get(x - 1..).and_then(<[_]>::first_chunk)) else { return };
                let Some(out) = out.get_mut(x) else { return };
                *out = edge_strength([above, here, below]);
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
        let (mut smooth, mut rise) = (HaloStrip::new(), HaloStrip::new());
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in (first_row..).zip(output.chunks_exact_mut(picture.row_bytes().max(1))) {
            let Some(rows) = rows_around(picture, border, y) else { return };
            for (columns, out) in strips(out) {
                prefetch(picture, y + 1, &columns);
                smooth.fill(picture, border, &columns, |reach, sums| {
                    smooth_columns(rows.map(|row| row.get(reach.clone()).unwrap_or_default()), sums);
                });
                rise.fill(picture, border, &columns, |reach, sums| {
                    let [above, _, below] = rows.map(|row| row.get(reach.clone()).unwrap_or_default());
                    rise_of_columns(above, below, sums);
                });
                let Some(finished) = finished.0.get_mut(..out.len()) else { return };
                let [left, _, right] = smooth.neighbors(1, out.len());
                join(left, right, rise.neighbors(1, out.len()), finished);
                keep_border(picture, border, 1, y, columns.start, finished);
                self.writer.write(finished, out);
            }
        }
    }
}

/// The output pixel in the middle of three rows of three.
#[inline(always)]
fn edge_strength([above, here, below]: [&[u8; 3]; 3]) -> u8 {
    let [top_left, top, top_right] = above.map(i32::from);
    let [left, _, right] = here.map(i32::from);
    let [bottom_left, bottom, bottom_right] = below.map(i32::from);
    let across = top_right + 2 * right + bottom_right - top_left - 2 * left - bottom_left;
    let down = bottom_left + 2 * bottom + bottom_right - top_left - 2 * top - top_right;
    let sum = across.abs() + down.abs();
    // Saturates by arithmetic: `min` becomes a branch here, which a picture full of noise makes mispredict at every other pixel (a factor
    // of 2.5, measured). The sum is at most 8 · 255, so the bits above 255 hold 0 to 7; where they are not 0, all bits of the byte are set.
    let over = ((sum >> 8) + 7) >> 3;
    (sum | -over) as u8
}

/// (1 2 1) down each column: at most 4 · 255.
#[inline(always)]
fn smooth_columns([above, here, below]: [&[u8]; 3], sums: &mut [u16]) {
    for (((sum, &above), &here), &below) in sums.iter_mut().zip(above).zip(here).zip(below) {
        *sum = u16::from(above) + 2 * u16::from(here) + u16::from(below);
    }
}

/// (−1 0 +1) down each column: −255 to 255, kept as the bits of an `i16`.
#[inline(always)]
fn rise_of_columns(above: &[u8], below: &[u8], rises: &mut [u16]) {
    for ((rise, &above), &below) in rises.iter_mut().zip(above).zip(below) {
        *rise = u16::from(below).wrapping_sub(u16::from(above));
    }
}

/// Both gradients lie between −4 · 255 and 4 · 255, their absolute values sum to at most 8 · 255.
#[inline(always)]
fn join(smooth_left: &[u16], smooth_right: &[u16], [left, middle, right]: [&[u16]; 3], out: &mut [u8]) {
    let smooth = smooth_left.iter().zip(smooth_right);
    let rise = left.iter().zip(middle).zip(right);
    for ((out, (&smooth_left, &smooth_right)), ((&left, &middle), &right)) in out.iter_mut().zip(smooth).zip(rise) {
        let across = smooth_right.cast_signed() - smooth_left.cast_signed();
        let down = left.cast_signed() + 2 * middle.cast_signed() + right.cast_signed();
        *out = (across.abs() + down.abs()).min(255) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::Band;
    use super::run as sobel;
    use crate::cpu::CpuEngine;
    use crate::cpu::instructions::InstructionSet;
    use crate::filters::Parameters;
    use crate::filters::sobel::FILTER;
    use crate::image::{BorderMode, Channels, Picture};

    /// The same bytes on every run. Every other picture is flat, so that a wrong sum does not hide behind 255.
    fn noise(width: usize, height: usize) -> Picture {
        let mut state = (width * 1000 + height) as u32 | 1;
        Picture::from_fn(width, height, Channels::Gray, |_, _, _| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let byte = (state >> 24) as u8;
            if width.is_multiple_of(2) { byte } else { 120 + byte % 16 }
        })
    }

    fn compare(picture: &Picture) {
        for border in BorderMode::ALL {
            let expected = FILTER.reference(picture, border, &Parameters::default());
            let check = |name: &str, run: &dyn Fn(&mut [u8])| {
                let mut output = vec![0xA5; picture.bytes().len()];
                run(&mut output);
                assert!(output == expected.bytes(), "{name}, {picture:?}, {border:?}");
            };
            for engine in CpuEngine::ALL {
                check(engine.name(), &|output| sobel(engine, picture, border, &Parameters::default(), output));
            }
            for set in InstructionSet::available() {
                check(set.name(), &|output| Band { picture, border, first_row: 0, output }.simd(set));
            }
        }
    }

    #[test]
    fn every_competitor_equals_the_reference() {
        for width in 1..=36 {
            for height in 1..=5 {
                compare(&noise(width, height));
            }
        }
        for (width, height) in [(61, 33), (67, 35), (1, 257), (257, 1), (1535, 3), (1601, 4), (3137, 2)] {
            compare(&noise(width, height));
        }
    }

    #[test]
    fn the_largest_sums_fit() {
        compare(&Picture::from_fn(40, 9, Channels::Gray, |x, y, _| if (x + y) / 3 % 2 == 0 { 255 } else { 0 }));
        compare(&Picture::from_fn(40, 9, Channels::Gray, |x, _, _| if x > 20 { 255 } else { 0 }));
    }
}
