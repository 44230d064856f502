//! How kernels read image objects between and beyond texels.

use serde::{Deserialize, Serialize};

/// What is read beyond the edges of an image object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AddressMode {
    /// Undefined.
    None,
    /// The border color: 0, with an alpha of 1 where there is none.
    Clamp,
    /// The nearest texel.
    ClampToEdge,
    /// The image again.
    Repeat,
    /// The image again, mirrored.
    MirroredRepeat,
}

impl AddressMode {
    /// All.
    pub const ALL: [Self; 5] = [Self::None, Self::Clamp, Self::ClampToEdge, Self::Repeat, Self::MirroredRepeat];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Clamp => "clamp",
            Self::ClampToEdge => "clamp-to-edge",
            Self::Repeat => "repeat",
            Self::MirroredRepeat => "mirrored-repeat",
        }
    }

    /// Whether OpenCL has it for coordinates from 0 to 1 alone.
    #[must_use]
    pub const fn is_for_normalized(self) -> bool {
        matches!(self, Self::Repeat | Self::MirroredRepeat)
    }
}

/// What a sampler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sampling {
    /// Beyond the edges.
    pub address: AddressMode,
    /// Between texels: their weighted mean, and not the nearest.
    pub is_linear: bool,
    /// Coordinates go from 0 to 1, and not from 0 to the number of texels.
    pub is_normalized: bool,
}
