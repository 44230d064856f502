//! Filters that look at no neighbors on the CPU: copy, add, luma. Rows and borders play no part: one run of bytes becomes another.

use super::CpuEngine;
use super::instructions::{InstructionSet, Vectorized};
use super::store::StripWriter;
use super::strips::{Aligned, MAX_STRIP_BYTES, strips};
use rayon::prelude::*;

/// Bands of threads begin at multiples of this many output bytes: pages, so that no two threads write to the same one.
const BAND_ALIGNMENT_BYTES: usize = 4096;

/// What becomes of each output byte.
pub trait Pointwise: Copy + Sync {
    /// Source bytes of an output byte: 3 where a pixel becomes gray, otherwise 1.
    const SOURCE_BYTES: usize;

    /// One after the other: nothing is vectorized.
    fn scalar(self, source: &[u8], output: &mut [u8]);

    /// A plain loop that the compiler vectorizes; inlined into the version for each instruction set.
    fn vectorized(self, source: &[u8], output: &mut [u8]);

    /// A band: strips in the first-level cache, written past the caches where the output is too large for them.
    #[inline(always)]
    fn band(self, writer: &StripWriter, source: &[u8], output: &mut [u8]) {
        let mut finished = Aligned([0; MAX_STRIP_BYTES]);
        for (bytes, output) in strips(output) {
            let source = source.get(bytes.start * Self::SOURCE_BYTES..bytes.end * Self::SOURCE_BYTES);
            if let (Some(source), Some(finished)) = (source, finished.0.get_mut(..output.len())) {
                self.vectorized(source, finished);
                writer.write(finished, output);
            }
        }
    }
}

/// Runs `filter` over all of `source` by `engine`, with the best instructions of this processor.
pub fn run(filter: impl Pointwise, engine: CpuEngine, source: &[u8], output: &mut [u8]) {
    match engine {
        CpuEngine::Scalar => filter.scalar(source, output),
        CpuEngine::Simd => simd(filter, InstructionSet::best(), source, output),
        CpuEngine::Threads => threads(filter, source, output),
    }
}

/// One thread, by the instructions of `set`.
pub fn simd(filter: impl Pointwise, set: InstructionSet, source: &[u8], output: &mut [u8]) {
    let writer = StripWriter::new(set, output.len());
    set.run(Band { filter, writer, source, output });
}

fn threads<Filter: Pointwise>(filter: Filter, source: &[u8], output: &mut [u8]) {
    let (set, output_bytes) = (InstructionSet::best(), output.len());
    // Four bands a thread, as for the other filters.
    let band_bytes = output_bytes.div_ceil(4 * rayon::current_num_threads()).max(1).next_multiple_of(BAND_ALIGNMENT_BYTES);
    let bands = output.par_chunks_mut(band_bytes).zip(source.par_chunks(band_bytes * Filter::SOURCE_BYTES));
    bands.for_each(|(output, source)| {
        let writer = StripWriter::new(set, output_bytes);
        set.run(Band { filter, writer, source, output });
    });
}

struct Band<'a, Filter> {
    filter: Filter,
    writer: StripWriter,
    source: &'a [u8],
    output: &'a mut [u8],
}

impl<Filter: Pointwise> Vectorized for Band<'_, Filter> {
    #[inline(always)]
    fn run(self) {
        self.filter.band(&self.writer, self.source, self.output);
    }
}

/// A byte that is read on its own: a plain loop would be recognized as a copy, or vectorized.
#[inline(always)]
fn read_alone(byte: &u8) -> u8 {
    // SAFETY: a reference is valid to read from and aligned.
    unsafe { std::ptr::from_ref(byte).read_volatile() }
}

/// See [`crate::filters::copy`].
#[derive(Clone, Copy)]
pub struct Copied;

impl Pointwise for Copied {
    const SOURCE_BYTES: usize = 1;

    fn scalar(self, source: &[u8], output: &mut [u8]) {
        for (out, byte) in output.iter_mut().zip(source) {
            *out = read_alone(byte);
        }
    }

    #[inline(always)]
    fn vectorized(self, source: &[u8], output: &mut [u8]) {
        for (out, &byte) in output.iter_mut().zip(source) {
            *out = byte;
        }
    }

    /// Without the way round through a strip: there is nothing to compute.
    #[inline(always)]
    fn band(self, writer: &StripWriter, source: &[u8], output: &mut [u8]) {
        writer.write(source, output);
    }
}

/// See [`crate::filters::add`]; the amount lies in −255 to 255.
#[derive(Clone, Copy)]
pub struct Added(pub i16);

impl Pointwise for Added {
    const SOURCE_BYTES: usize = 1;

    fn scalar(self, source: &[u8], output: &mut [u8]) {
        for (out, byte) in output.iter_mut().zip(source) {
            *out = (i32::from(read_alone(byte)) + i32::from(self.0)).clamp(0, 255) as u8;
        }
    }

    /// Adds what is positive and subtracts what is negative: both saturate in one instruction, and one of them changes nothing.
    #[inline(always)]
    fn vectorized(self, source: &[u8], output: &mut [u8]) {
        let plus = self.0.clamp(0, 255) as u8;
        let minus = (-self.0).clamp(0, 255) as u8;
        for (out, &byte) in output.iter_mut().zip(source) {
            *out = byte.saturating_add(plus).saturating_sub(minus);
        }
    }
}

/// See [`crate::filters::luma`]. Weights in 256ths: sums fit 16 bits, and results are within 1 of the exact ones.
#[derive(Clone, Copy)]
pub struct Weighted;

impl Pointwise for Weighted {
    const SOURCE_BYTES: usize = 3;

    fn scalar(self, source: &[u8], output: &mut [u8]) {
        for (out, pixel) in output.iter_mut().zip(source.as_chunks::<3>().0) {
            let [red, green, blue] = pixel.each_ref().map(|byte| u32::from(read_alone(byte)));
            *out = ((77 * red + 150 * green + 29 * blue + 128) >> 8) as u8;
        }
    }

    #[inline(always)]
    fn vectorized(self, source: &[u8], output: &mut [u8]) {
        for (out, pixel) in output.iter_mut().zip(source.as_chunks::<3>().0) {
            // At most 256 · 255 + 128 = 65408.
            let [red, green, blue] = pixel.map(u16::from);
            *out = ((77 * red + 150 * green + 29 * blue + 128) >> 8) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Added, Copied, Pointwise, Weighted, simd};
    use crate::cpu::CpuEngine;
    use crate::cpu::instructions::InstructionSet;
    use crate::cpu::store::STREAM_FROM_BYTES;
    use crate::filters::{Filter, Parameters, add, copy, luma};
    use crate::image::{BorderMode, Channels, Picture};
    use crate::variant::Variant;

    /// No period that a vector's length divides.
    fn byte(index: usize) -> u8 {
        (index * index / 251 + index * 31) as u8
    }

    fn every_set_equals_scalar<Filter: Pointwise>(filter: Filter, length: usize) {
        let source: Vec<_> = (0..length * Filter::SOURCE_BYTES).map(byte).collect();
        let mut expected = vec![0xA5; length];
        filter.scalar(&source, &mut expected);
        for set in InstructionSet::available() {
            let mut output = vec![0x5A; length];
            simd(filter, set, &source, &mut output);
            assert!(output == expected, "{} of {length} bytes", set.name());
        }
    }

    #[test]
    fn every_instruction_set_gives_what_scalar_gives() {
        for length in (0..200).chain([1535, 1536, 1601, 5000, STREAM_FROM_BYTES + 77]) {
            every_set_equals_scalar(Copied, length);
            every_set_equals_scalar(Weighted, length);
            for amount in [-255, -70, 0, 50, 255] {
                every_set_equals_scalar(Added(amount), length);
            }
        }
    }

    fn every_engine_equals_the_reference(filter: &Filter, picture: &Picture, parameters: &Parameters) {
        let expected = filter.reference(picture, BorderMode::Copy, parameters);
        let tolerance = (filter.tolerance)(&Variant::naive());
        for engine in CpuEngine::ALL {
            let mut output = vec![0xA5; expected.bytes().len()];
            (filter.cpu)(engine, picture, BorderMode::Copy, parameters, &mut output);
            let wrong = output.iter().zip(expected.bytes()).position(|(got, want)| got.abs_diff(*want) > tolerance);
            assert_eq!(wrong, None, "{} by {}, {picture:?}, {parameters:?}", filter.name(), engine.name());
        }
    }

    #[test]
    fn every_engine_gives_what_the_reference_gives() {
        let amounts = [None, Some(-255.0), Some(-70.0), Some(0.0), Some(255.0)];
        for (width, height) in [(1, 1), (2, 1), (1, 2), (3, 3), (5, 7), (17, 1), (1, 17), (61, 33), (67, 35), (1601, 3), (255, 99)] {
            for channels in Channels::ALL {
                let picture = Picture::from_fn(width, height, channels, |x, y, channel| byte(x * 7 + y * 1013 + channel * 77));
                every_engine_equals_the_reference(&copy::FILTER, &picture, &Parameters::default());
                for amount in amounts {
                    let parameters = Parameters(amount.map(|amount| ("amount".to_owned(), amount)).into_iter().collect());
                    every_engine_equals_the_reference(&add::FILTER, &picture, &parameters);
                }
                if channels == Channels::Rgb {
                    every_engine_equals_the_reference(&luma::FILTER, &picture, &Parameters::default());
                }
            }
        }
    }
}
