//! What tests share: made-up measurements.

pub mod records;

pub use base::testing::*;
