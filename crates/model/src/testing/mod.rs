//! What tests share: made-up measurements.

#![allow(clippy::expect_used, clippy::missing_panics_doc, reason = "a helper of tests fails by panicking, as the tests themselves do")]

pub mod records;

pub use base::testing::*;
