//! What tests share, from below.

pub use pictures::testing::*;
