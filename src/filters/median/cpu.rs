//! Median of 3 × 3 on the CPU, by the same few comparisons as the kernels: columns of three in order, then the median of three of their bytes.

#![allow(clippy::inline_always, reason = "only code inlined into a function with enabled instructions is compiled for them")]

use crate::cpu::instructions::{InstructionSet, Vectorized};
use crate::cpu::store::StripWriter;
use crate::cpu::strips::{Aligned, MAX_STRIP_BYTES, keep_border, prefetch, rows_around, strips};
use crate::cpu::{CpuEngine, by_rows};
use crate::filters::Parameters;
use crate::image::{BorderMode, Picture};
use std::ops::Range;

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
struct Band<'a> {
    /// The whole source.
    picture: &'a Picture,
    /// What lies beyond its edge.
    border: BorderMode,
    /// The first output row.
    first_row: usize,
    /// Whole output rows without gaps.
    output: &'a mut [u8],
}

impl Band<'_> {
    /// SIMD, by the instructions of `set`.
    fn simd(self, set: InstructionSet) {
        let writer = StripWriter::new(set, self.picture.bytes().len());
        set.run(Simd { band: self, writer });
    }

    /// Plain loops, byte by byte. One check a byte that the neighbors exist keeps the compiler from vectorizing along the row.
    fn scalar(self) {
        let Band { picture, border, first_row, output } = self;
        let channels = picture.channels().count();
        for (y, out) in (first_row..).zip(output.chunks_exact_mut(picture.row_bytes().max(1))) {
            let Some(rows) = rows_around(picture, border, y) else { return };
            for byte in inner(&(0..out.len()), picture) {
                let columns = [byte - channels, byte, byte + channels];
                let nine = columns.map(|column| rows.map(|row| row.get(column).copied().unwrap_or(0)));
                if let Some(out) = out.get_mut(byte) {
                    *out = median_of_nine(nine);
                }
            }
            edge_columns(picture, border, rows, 0, out);
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
        let channels = picture.channels().count();
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (y, out) in (first_row..).zip(output.chunks_exact_mut(picture.row_bytes().max(1))) {
            let Some(rows) = rows_around(picture, border, y) else { return };
            for (columns, out) in strips(out) {
                prefetch(picture, y + 1, &columns);
                let Some(finished) = finished.0.get_mut(..out.len()) else { return };
                let inner = inner(&columns, picture);
                if let Some(finished) = finished.get_mut(inner.start - columns.start..inner.end - columns.start) {
                    let starts = [inner.start - channels, inner.start, inner.start + channels];
                    medians(starts.map(|start| rows.map(|row| row.get(start..start + inner.len()).unwrap_or_default())), finished);
                }
                edge_columns(picture, border, rows, columns.start, finished);
                keep_border(picture, border, 1, y, columns.start, finished);
                self.writer.write(finished, out);
            }
        }
    }
}

/// Those of the row's bytes `columns` whose left and right neighbors are in the picture; where there is none, an empty range inside `columns`.
#[inline(always)]
fn inner(columns: &Range<usize>, picture: &Picture) -> Range<usize> {
    let channels = picture.channels().count();
    let (start, end) = (columns.start.max(channels), columns.end.min(picture.row_bytes().saturating_sub(channels)));
    if start < end { start..end } else { columns.end..columns.end }
}

/// The first and the last pixel of a row, where `out`, its bytes from `start` on, has them.
fn edge_columns(picture: &Picture, border: BorderMode, rows: [&[u8]; 3], start: usize, out: &mut [u8]) {
    let (channels, width) = (picture.channels().count(), picture.width_px());
    for x in [0, width - 1] {
        for channel in 0..channels {
            let columns = [-1, 0, 1].map(|dx| border.source_index(x.cast_signed() + dx, width) * channels + channel);
            let place = (x * channels + channel).checked_sub(start).and_then(|place| out.get_mut(place));
            if let Some(out) = place {
                *out = median_of_nine(columns.map(|column| rows.map(|row| row.get(column).copied().unwrap_or(0))));
            }
        }
    }
}

/// Of each byte and those around it: the columns to the left, in the middle and to the right, each of three rows.
#[inline(always)]
fn medians(columns: [[&[u8]; 3]; 3], out: &mut [u8]) {
    // Slices of one length, said once: the compiler then checks no index in the loop.
    let length = out.len();
    let [left, middle, right] = columns.map(|rows| down(rows.map(|row| row.get(..length).unwrap_or_default())));
    for (out, ((left, middle), right)) in out.iter_mut().zip(left.zip(middle).zip(right)) {
        *out = median_of_nine([left, middle, right]);
    }
}

/// The bytes of three rows that stand one below the other.
#[inline(always)]
fn down([above, here, below]: [&[u8]; 3]) -> impl Iterator<Item = [u8; 3]> {
    above.iter().zip(here).zip(below).map(|((&above, &here), &below)| [above, here, below])
}

/// The fifth in order, of three columns. `kernels/median.cl` tells why this is it.
#[inline(always)]
fn median_of_nine(columns: [[u8; 3]; 3]) -> u8 {
    let [left, middle, right] = columns.map(sort_column);
    median_of_three(
        left[0].max(middle[0]).max(right[0]),
        median_of_three(left[1], middle[1], right[1]),
        left[2].min(middle[2]).min(right[2]),
    )
}

#[inline(always)]
fn sort_column([above, here, below]: [u8; 3]) -> [u8; 3] {
    let (low, high) = (above.min(here), above.max(here));
    [low.min(below), low.max(high.min(below)), high.max(below)]
}

#[inline(always)]
fn median_of_three(first: u8, second: u8, third: u8) -> u8 {
    first.min(second).max(first.max(second).min(third))
}

#[cfg(test)]
mod tests {
    use super::{Band, median_of_nine, run};
    use crate::cpu::CpuEngine;
    use crate::cpu::instructions::InstructionSet;
    use crate::filters::Parameters;
    use crate::filters::median::FILTER;
    use crate::image::{BorderMode, Channels, Picture};

    fn noise(width: usize, height: usize, channels: Channels) -> Picture {
        let mut state = (width * 1000 + height) as u32 | 1;
        Picture::from_fn(width, height, channels, |_, _, _| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 24) as u8
        })
    }

    /// A network of comparisons that sorts every choice of zeros and ones right sorts everything right (Knuth, 5.3.4): so for a median.
    #[test]
    fn all_choices_of_zeros_and_ones() {
        for bits in 0_u32..512 {
            let nine = [0, 3, 6].map(|row| [0, 1, 2].map(|column| (bits >> (row + column) & 1) as u8));
            assert_eq!(median_of_nine(nine), u8::from(bits.count_ones() >= 5), "{nine:?}");
        }
    }

    #[test]
    fn every_competitor_equals_the_reference() {
        let small = (1..=36).flat_map(|width| (1..=4).map(move |height| (width, height)));
        let sizes = small.chain([(61, 33), (1, 257), (257, 1), (1535, 3), (1601, 4), (3137, 2)]);
        for (width, height) in sizes {
            for channels in Channels::ALL {
                let picture = noise(width, height, channels);
                for border in BorderMode::ALL {
                    let expected = FILTER.reference(&picture, border, &Parameters::default());
                    let check = |name: &str, run: &dyn Fn(&mut [u8])| {
                        let mut output = vec![0xA5; picture.bytes().len()];
                        run(&mut output);
                        assert!(output == expected.bytes(), "{name}, {picture:?}, {border:?}");
                    };
                    for engine in CpuEngine::ALL {
                        check(engine.name(), &|output| run(engine, &picture, border, &Parameters::default(), output));
                    }
                    for set in InstructionSet::available() {
                        check(set.name(), &|output| Band { picture: &picture, border, first_row: 0, output }.simd(set));
                    }
                }
            }
        }
    }
}
