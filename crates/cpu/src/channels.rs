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
