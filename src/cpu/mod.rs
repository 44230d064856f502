//! What the CPU competitors of all filters share: scalar on one thread, SIMD on one thread, SIMD on all cores. What a filter computes is in
//! its own `src/filters/NAME/cpu.rs`.

#![allow(unsafe_code, reason = "entering code that is compiled for instructions found at run time has no safe way")]
#![allow(clippy::inline_always, reason = "only code inlined into a function with enabled instructions is compiled for them")]

pub(crate) mod instructions;
pub(crate) mod pointwise;
mod processor;
pub(crate) mod store;
pub(crate) mod strips;

pub use crate::model::CpuEngine;
pub use processor::processor_name;

use crate::filters::Parameters;
use crate::image::{BorderMode, Picture};
use instructions::InstructionSet;
use rayon::prelude::*;

/// One filter on the CPU: from a picture to output bytes of the same size and channels, borders included.
///
/// The output must be exactly as long as the picture's bytes; one of another length is left partly unwritten.
pub type FilterOnCpu = fn(CpuEngine, &Picture, BorderMode, &Parameters, &mut [u8]);

/// Computes `output`, whose rows are as long as those of `picture`, in the manner of `engine`: `rows(first_row, output_rows, set)` has to write the
/// output rows from `first_row` on, by SIMD with the instructions of `set`, or by plain loops where there is none.
pub(crate) fn by_rows(
    engine: CpuEngine,
    picture: &Picture,
    output: &mut [u8],
    rows: impl Fn(usize, &mut [u8], Option<InstructionSet>) + Sync,
) {
    match engine {
        CpuEngine::Scalar => rows(0, output, None),
        CpuEngine::Simd => rows(0, output, Some(InstructionSet::best())),
        CpuEngine::Threads => {
            let count = rows_per_band(picture.height_px());
            let bands = output.par_chunks_mut((count * picture.row_bytes()).max(1)).enumerate();
            bands.for_each(|(index, output)| rows(index * count, output, Some(InstructionSet::best())));
        }
    }
}

/// Four bands a thread: enough to even out a core that is late, few enough that a band is worth its start.
fn rows_per_band(height_px: usize) -> usize {
    height_px.div_ceil(4 * rayon::current_num_threads()).max(1)
}

/// What `engine` chose at run time, as readings show it: "scalar", "AVX2" or "AVX2, 8 threads".
#[must_use]
pub fn instructions(engine: CpuEngine) -> String {
    let set = InstructionSet::best().name();
    match engine {
        CpuEngine::Scalar => "scalar".to_owned(),
        CpuEngine::Simd => set.to_owned(),
        CpuEngine::Threads => match rayon::current_num_threads() {
            1 => format!("{set}, 1 thread"),
            threads => format!("{set}, {threads} threads"),
        },
    }
}
