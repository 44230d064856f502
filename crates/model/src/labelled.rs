//! What types of the CPU competitors' crate, which has no texts, are called in the window.

use super::{Channels, CpuEngine};
use base::texts;

/// A value with a name that people read.
pub trait Labelled {
    /// As in the window.
    #[must_use]
    fn label(self) -> &'static str;
}

impl Labelled for Channels {
    fn label(self) -> &'static str {
        texts::text(match self {
            Self::Gray => "words.channels.gray",
            Self::Rgb => "words.channels.rgb",
        })
    }
}

impl Labelled for CpuEngine {
    fn label(self) -> &'static str {
        texts::text(match self {
            Self::Scalar => "words.cpu.scalar",
            Self::Simd => "words.cpu.simd",
            Self::Threads => "words.cpu.threads",
        })
    }
}
