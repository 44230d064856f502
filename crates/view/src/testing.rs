//! What tests share: a font.

pub use kernels::testing::*;

/// A font for charts: every letter is as wide as half its size.
pub fn measure(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size / 2.0
}
