//! The three competitors.

use serde::{Deserialize, Serialize};

/// Which competitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CpuEngine {
    /// Plain loops on one thread, as the studies' single CPU core.
    #[serde(rename = "cpu-scalar", alias = "Scalar")]
    Scalar,
    /// SIMD on one thread.
    #[serde(rename = "cpu-simd", alias = "Simd")]
    Simd,
    /// SIMD on all cores.
    #[serde(rename = "cpu-threads", alias = "Threads")]
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
}
