//! The CPU competitors: scalar on one thread, SIMD on one thread, SIMD on all cores.

use crate::filters::Parameters;
use crate::image::{BorderMode, Picture};
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
pub type FilterOnCpu = fn(CpuEngine, &Picture, BorderMode, &Parameters, &mut [u8]);

/// Laplace sharpen, see [`crate::filters::laplace`].
pub fn laplace(_engine: CpuEngine, picture: &Picture, border: BorderMode, parameters: &Parameters, output: &mut [u8]) {
    // PLACEHOLDER until the competitors land.
    output.copy_from_slice(crate::filters::laplace::FILTER.reference(picture, border, parameters).bytes());
}
