//! What tests share: a font, a story.

pub mod stories;

pub use kernels::testing::*;

/// A font for charts: every letter is as wide as half its size.
#[must_use]
pub fn measure(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size / 2.0
}
