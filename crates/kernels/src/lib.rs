//! Filters and their kernels: what may be asked, what is built, launched and touched. Nothing here runs anything.

pub mod catalog;
pub mod cpu;
pub mod filters;
pub mod schedule;
pub mod source;
pub mod testing;
