//! The arithmetic of each filter. The names, parameters and references are in the program, `src/filters/NAME.rs`.

pub mod add;
pub mod bilateral;
pub mod box_filter;
pub mod copy;
pub mod curve;
pub mod despeckle;
pub mod dilate;
pub mod epsilon;
pub mod gaussian;
pub mod laplace;
pub mod luma;
pub mod median;
pub mod sobel;
