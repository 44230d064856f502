//! Sampling, statistics and comparison verdicts. Knows nothing of OpenCL.
//!
//! [`sample`] warms up and samples through a [`Gate`] that watches for other work; [`Summary::of`] makes median and quartiles of the samples;
//! [`compare`] says whether one of two is faster, and [`Seen::of`] whether that is what a guide claims; [`write_csv`] and [`write_json`] write readings to files.

mod claim;
mod compare;
mod export;
mod gate;
mod reading;
mod sample;
mod summary;

pub use claim::{Seen, compare_spreads};
pub use compare::{Comparison, MIN_PAIRS, SAME_BAND, Verdict, compare};
pub use export::{write_csv, write_json};
pub use gate::{BUSY_CORES, CpuGate, Gate, OpenGate};
pub use reading::{BuildFrom, Contender, Measured, PassTime, Reading, ReadingState, Summary, Verification};
pub use sample::{Sampled, sample};
