//! What the CPU computes in Kernel Ladder: the plain references in [`reference`](mod@reference), by which filters are defined, and the competitors: scalar on one thread,
//! SIMD on one thread, SIMD on all cores. All that a filter brings to these is arithmetic, in `src/filters/NAME.rs`, as one of four traits; the rest is here
//! and the same for all.
//!
//! | trait | for filters that | by |
//! |---|---|---|
//! | `pointwise::Pointwise` | look at no neighbors | a byte from the bytes of one pixel |
//! | `columns::Columns` | look at 3 × 3 pixels, and can prepare each column once | a byte from 3 × 3; columns; columns joined |
//! | `window::Window` | look at a larger square | a byte from the square; a strip from padded rows |
//! | `Bands` | keep sums from row to row, or need anything else | a band of rows, scalar and SIMD |
//!
//! What a filter has to know of the whole picture before its first row, such as a histogram, it finds by a `survey::Survey`.
//!
//! What runs in the loops of SIMD methods, and the methods themselves, must be `#[inline(always)]`, see `instructions::Vectorized`.
//!
//! It is a crate of its own because what devices are compared with must not depend on how the rest of the program is compiled: every profile in the
//! workspace's `Cargo.toml` optimizes it fully and as one unit. No loop leaves it: functions that others call are not generic.

#![allow(
    unsafe_code,
    reason = "entering code that is compiled for instructions found at run time has no safe way, nor has asking macOS for its processor"
)]

mod band;
mod border;
mod channels;
mod column_sums;
mod columns;
mod engine;
pub mod filters;
mod halo;
mod instructions;
mod lookup;
mod mean;
mod pixels;
mod pointwise;
mod prefix;
mod processor;
mod reach;
pub mod reference;
mod store;
mod strips;
mod survey;
mod window;

pub use border::BorderMode;
pub use channels::Channels;
pub use engine::CpuEngine;
pub use instructions::InstructionSet;
pub use pixels::Pixels;
pub use processor::processor_name;
pub use reach::Reach;
pub use strips::MAX_STRIP_BYTES;

use band::{Band, Finish, OutputRows, Source};
use instructions::Vectorized;
use rayon::prelude::*;
use store::{STREAM_FROM_BYTES, StripWriter};

/// One run of one competitor.
pub struct Job<'a> {
    engine: CpuEngine,
    set: InstructionSet,
    streams: bool,
    source: Source<'a>,
    /// Where the mask reaches beyond the picture, border mode `copy` keeps the source.
    reach: Reach,
    output: &'a mut [u8],
}

/// A filter's arithmetic over a band of rows.
pub(crate) trait Bands: Sync {
    /// Plain loops, pixel by pixel, straight to the output: what the same loops in C cost when they are compiled without vectorizing. The
    /// driver keeps the border.
    fn scalar(&self, band: Band);

    /// Loops that the compiler vectorizes, compiled once per instruction set. All bytes go through `Finish`.
    fn simd(&self, band: Band);

    /// Rows of the output over this picture.
    fn output_height(&self, picture: Pixels) -> usize {
        picture.height_px
    }

    /// Rows of a band that are worth what it takes to begin one. Bands have fewer where there would otherwise be none for some threads.
    fn worthwhile_rows(&self) -> usize {
        1
    }
}

impl<'a> Job<'a> {
    /// Computes `output` by `engine` with the best instructions of this processor. It must be as long as the picture's bytes in the channels of
    /// the filter's output; one of another length is left partly unwritten.
    pub fn new(engine: CpuEngine, picture: Pixels<'a>, border: BorderMode, reach: Reach, output: &'a mut [u8]) -> Self {
        let (set, streams) = (InstructionSet::best(), output.len() >= STREAM_FROM_BYTES);
        Self { engine, set, streams, source: Source { picture, border }, reach, output }
    }

    /// The same by these instructions, streamed or not, whatever this processor and the size of the output say.
    #[must_use]
    pub fn by(self, set: InstructionSet, streams: bool) -> Self {
        Self { set, streams, ..self }
    }

    /// Runs a filter that comes as [`Bands`].
    pub(crate) fn bands(self, filter: &impl Bands) {
        let Self { engine, set, streams, source, reach, output } = self;
        let height = filter.output_height(source.picture);
        let row_bytes = (output.len() / height).max(1);
        let finish = || Finish { source, reach, writer: StripWriter::new(set, streams) };
        let simd = |first_row, bytes| {
            let rows = OutputRows { first_row, row_bytes, bytes };
            set.run(Simd { filter, band: Band { source, rows, finish: finish(), set } });
        };
        match engine {
            CpuEngine::Scalar => {
                let rows = OutputRows { first_row: 0, row_bytes, bytes: &mut *output };
                filter.scalar(Band { source, rows, finish: finish(), set });
                let finish = finish();
                output.chunks_exact_mut(row_bytes).enumerate().for_each(|(y, out)| finish.keep_border(y, 0, out));
            }
            CpuEngine::Simd => simd(0, output),
            CpuEngine::Threads => {
                // Four bands per thread: enough to even out a core that is late, few enough that a band is worth its start.
                let threads = rayon::current_num_threads();
                let rows = height.div_ceil(4 * threads).max(filter.worthwhile_rows().min(height.div_ceil(threads))).max(1);
                let bands = output.par_chunks_mut(rows * row_bytes).enumerate();
                bands.for_each(|(index, bytes)| simd(index * rows, bytes));
            }
        }
    }
}

struct Simd<'a, Filter> {
    filter: &'a Filter,
    band: Band<'a>,
}

impl<Filter: Bands> Vectorized for Simd<'_, Filter> {
    #[inline(always)]
    fn run(self) {
        self.filter.simd(self.band);
    }
}
