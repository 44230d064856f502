//! What tests share: made-up bundles, curves and predictions.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a helper of tests fails by panicking, as the tests themselves do"
)]

pub mod bundles;
pub mod curves;
pub mod predictions;

pub use engine::testing::*;
pub use view::testing::{measure, stories};
