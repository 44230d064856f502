//! What tests share: made-up measurements.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    missing_docs,
    reason = "a helper of tests fails by panicking, as the tests themselves do, and its name says what it is"
)]

pub mod records;

pub use base::testing::*;
