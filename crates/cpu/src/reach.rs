//! How far a filter looks.

/// How far a filter's mask reaches from its pixel, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// To the left and upwards.
    pub before: usize,
    /// To the right and downwards.
    pub after: usize,
}

impl Reach {
    /// As far on all sides.
    #[must_use]
    pub const fn around(pixels: usize) -> Self {
        Self { before: pixels, after: pixels }
    }
}
