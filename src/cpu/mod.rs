//! The CPU competitors: scalar on one thread, SIMD on one thread, SIMD on all cores.

#![allow(unsafe_code, reason = "entering code that is compiled for instructions found at run time has no safe way")]
#![allow(clippy::inline_always, reason = "only code inlined into a function with enabled instructions is compiled for them")]

mod bilateral;
mod box_filter;
mod epsilon;
mod gaussian;
mod instructions;
mod laplace;
mod pointwise;
mod processor;
mod sobel;
mod store;
mod strips;
#[cfg(test)]
mod tests;

pub use bilateral::bilateral;
pub use epsilon::epsilon;
pub use processor::processor_name;

use crate::filters::Parameters;
use crate::image::{BorderMode, Picture};
use instructions::InstructionSet;
use pointwise::{Added, Copied, Weighted};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Which competitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CpuEngine {
    /// Plain loops on one thread, as the studies' single CPU core.
    Scalar,
    /// SIMD on one thread.
    Simd,
    /// SIMD on all cores.
    Threads,
}

impl CpuEngine {
    /// All three, slowest first.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Simd, Self::Threads];

    /// As in `--engine`: `cpu-scalar`, `cpu-simd`, `cpu-threads`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "cpu-scalar",
            Self::Simd => "cpu-simd",
            Self::Threads => "cpu-threads",
        }
    }

    /// As in the window.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Scalar => "CPU scalar",
            Self::Simd => "CPU SIMD",
            Self::Threads => "CPU SIMD all cores",
        }
    }
}

/// One filter on the CPU: from a picture to output bytes of the same size and channels, borders included.
///
/// The output must be exactly as long as the picture's bytes; one of another length is left partly unwritten.
pub type FilterOnCpu = fn(CpuEngine, &Picture, BorderMode, &Parameters, &mut [u8]);

/// Box filter, see [`crate::filters::box_filter`].
pub fn box_filter(engine: CpuEngine, picture: &Picture, border: BorderMode, parameters: &Parameters, output: &mut [u8]) {
    let radius = crate::filters::box_filter::radius_of(parameters);
    let band = |first_row, output| box_filter::Band { picture, border, radius, first_row, output };
    match engine {
        CpuEngine::Scalar => band(0, output).scalar(),
        CpuEngine::Simd => band(0, output).simd(InstructionSet::best()),
        CpuEngine::Threads => {
            let rows = rows_per_band(picture.height_px());
            let bands = output.par_chunks_mut((rows * picture.row_bytes()).max(1)).enumerate();
            bands.for_each(|(index, output)| band(index * rows, output).simd(InstructionSet::best()));
        }
    }
}

/// Laplace sharpen, see [`crate::filters::laplace`].
pub fn laplace(engine: CpuEngine, picture: &Picture, border: BorderMode, _parameters: &Parameters, output: &mut [u8]) {
    let band = |first_row, output| laplace::Band { picture, border, first_row, output };
    match engine {
        CpuEngine::Scalar => band(0, output).scalar(),
        CpuEngine::Simd => band(0, output).simd(InstructionSet::best()),
        CpuEngine::Threads => {
            let rows = rows_per_band(picture.height_px());
            let bands = output.par_chunks_mut((rows * picture.row_bytes()).max(1)).enumerate();
            bands.for_each(|(index, output)| band(index * rows, output).simd(InstructionSet::best()));
        }
    }
}

/// The picture as it is, see [`crate::filters::copy`].
pub fn copy(engine: CpuEngine, picture: &Picture, _border: BorderMode, _parameters: &Parameters, output: &mut [u8]) {
    pointwise::run(Copied, engine, picture.bytes(), output);
}

/// An amount added to every byte, see [`crate::filters::add`].
pub fn add(engine: CpuEngine, picture: &Picture, _border: BorderMode, parameters: &Parameters, output: &mut [u8]) {
    let amount = crate::filters::add::amount(parameters).clamp(-255, 255) as i16;
    pointwise::run(Added(amount), engine, picture.bytes(), output);
}

/// Gray from color, see [`crate::filters::luma`]; the picture is RGB.
pub fn luma(engine: CpuEngine, picture: &Picture, _border: BorderMode, _parameters: &Parameters, output: &mut [u8]) {
    pointwise::run(Weighted, engine, picture.bytes(), output);
}

/// Sobel edges of a gray picture, see [`crate::filters::sobel`].
pub fn sobel(engine: CpuEngine, picture: &Picture, border: BorderMode, _parameters: &Parameters, output: &mut [u8]) {
    let band = |first_row, output| sobel::Band { picture, border, first_row, output };
    match engine {
        CpuEngine::Scalar => band(0, output).scalar(),
        CpuEngine::Simd => band(0, output).simd(InstructionSet::best()),
        CpuEngine::Threads => {
            let rows = rows_per_band(picture.height_px());
            let bands = output.par_chunks_mut((rows * picture.row_bytes()).max(1)).enumerate();
            bands.for_each(|(index, output)| band(index * rows, output).simd(InstructionSet::best()));
        }
    }
}

/// Gaussian of 11 × 11 taps, see [`crate::filters::gaussian`].
pub fn gaussian(engine: CpuEngine, picture: &Picture, border: BorderMode, _parameters: &Parameters, output: &mut [u8]) {
    let band = |first_row, output| gaussian::Band { picture, border, first_row, output };
    match engine {
        CpuEngine::Scalar => band(0, output).scalar(),
        CpuEngine::Simd => band(0, output).simd(InstructionSet::best()),
        CpuEngine::Threads => {
            let rows = rows_per_band(picture.height_px());
            let bands = output.par_chunks_mut((rows * picture.row_bytes()).max(1)).enumerate();
            bands.for_each(|(index, output)| band(index * rows, output).simd(InstructionSet::best()));
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
