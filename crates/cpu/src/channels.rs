//! How many color channels are computed.

use serde::{Deserialize, Serialize};

/// How many color channels are interleaved. Alpha is never one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Channels {
    /// One byte a pixel.
    #[serde(rename = "gray", alias = "Gray")]
    Gray,
    /// Three bytes a pixel: red, green, blue.
    #[serde(rename = "rgb", alias = "Rgb")]
    Rgb,
}

impl Channels {
    /// Both, in the order menus show them.
    pub const ALL: [Self; 2] = [Self::Rgb, Self::Gray];

    /// Bytes per pixel: 1 or 3.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::Rgb => 3,
        }
    }

    /// The name used on the command line: `gray` or `rgb`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gray => "gray",
            Self::Rgb => "rgb",
        }
    }
}

/// Eight colors, each in the lower 24 bits of a number, side by side.
#[inline(always)]
pub fn side_by_side([c0, c1, c2, c3, c4, c5, c6, c7]: [u64; 8]) -> [u8; 24] {
    let numbers = [c0 | c1 << 24 | c2 << 48, c2 >> 16 | c3 << 8 | c4 << 32 | c5 << 56, c5 >> 8 | c6 << 16 | c7 << 40];
    let mut bytes = [0; 24];
    for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
        *bytes = number.to_le_bytes();
    }
    bytes
}
