//! Request → outcome: compose, build, run, verify, measure. Called by worker, command line and tests alike; knows nothing of egui.

mod derived;
mod types;

pub use types::{Budget, Executed, PictureRef, Progress, Target, Task, Timings, Verified};
