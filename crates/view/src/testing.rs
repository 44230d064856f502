//! What tests share: a font.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    missing_docs,
    reason = "a helper of tests fails by panicking, as the tests themselves do, and its name says what it is"
)]

pub use kernels::testing::*;

/// A font for charts: every letter is as wide as half its size.
pub fn measure(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size / 2.0
}
