//! What the texels of image objects hold: unsigned integers, so that kernels read exact values (`read_imageui`).

use serde::{Deserialize, Serialize};

/// What one texel of an image object holds: one or four channels of unsigned integers (`CL_UNSIGNED_INT8`, `CL_UNSIGNED_INT16`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TexelFormat {
    /// One channel of 8 bits.
    R8,
    /// Four channels of 8 bits.
    Rgba8,
    /// One channel of 16 bits.
    R16,
    /// Four channels of 16 bits.
    Rgba16,
}

impl TexelFormat {
    /// Bytes of a texel.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::R8 => 1,
            Self::R16 => 2,
            Self::Rgba8 => 4,
            Self::Rgba16 => 8,
        }
    }

    /// As an error names it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::R8 => "CL_R CL_UNSIGNED_INT8",
            Self::Rgba8 => "CL_RGBA CL_UNSIGNED_INT8",
            Self::R16 => "CL_R CL_UNSIGNED_INT16",
            Self::Rgba16 => "CL_RGBA CL_UNSIGNED_INT16",
        }
    }
}
