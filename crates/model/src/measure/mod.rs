//! Sampling, statistics and comparison verdicts. Knows nothing of OpenCL.
//!
//! [`sample`](fn@sample) warms up and samples through a [`Gate`] that watches for other work; [`crate::Summary::of`] makes median and quartiles of the samples;
//! [`compare`](fn@compare) says whether one of two is faster; [`write_csv`] and [`write_json`] write records to files.

mod change;
mod compare;
mod doubt;
mod export;
mod frames;
mod gate;
mod progress;
mod sample;
mod split;
mod spreads;
mod summary;

pub use change::{Change, Ruling};
pub use compare::{Coin, Comparison, MIN_PAIRS, Pair, Places, SAME_BAND, Verdict, compare, median_of};
pub use doubt::{Again, Watched, doubt};
pub use export::{flat, with_derived, write_csv, write_heads, write_json, write_rows};
pub use frames::{Frames, FramesOf, HostWay, Stream};
pub use gate::{Computes, CpuGate, Gate, mostly_busy, work_for};
pub use progress::Progress;
pub use sample::{Sampled, sample};
pub use split::{Split, SplitWay, even_rows, most_by_sharing};
pub use spreads::{compare_readings, compare_spreads};
