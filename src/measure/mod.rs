//! Sampling, statistics and comparison verdicts. Knows nothing of OpenCL.

mod reading;

pub use reading::{BuildFrom, Contender, Measured, Reading, ReadingState, Summary, Verification};
