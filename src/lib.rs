//! Kernel Ladder: see the architecture below.

pub mod cpu;
pub mod device;
pub mod engine;
pub mod error;
pub mod filters;
pub mod image;
pub mod measure;
pub mod stages;
pub mod variant;
pub mod worker;
