//! Filters and their kernels: what may be asked, what is built, launched and touched. Nothing here runs anything.

pub mod catalog;
pub mod filters;
pub mod footprint;
pub mod kernel_source;
pub mod launch;
pub mod project;
pub mod testing;
