//! What tests share: made-up bundles, curves and predictions.

#![allow(clippy::expect_used, reason = "a helper of a test fails by panicking, as the test itself does")]

pub mod bundles;
pub mod curves;
pub mod predictions;

pub use engine::testing::*;
pub use view::testing::measure;
