//! The plain references, by which filters are defined: obviously right and never fast. They share nothing with the competitors but definitions. By rows,
//! so that a large picture can be cancelled and spread over cores.

pub mod add;
pub mod bilateral;
pub mod box_filter;
pub mod copy;
pub mod curve;
pub mod demosaic;
pub mod despeckle;
pub mod dilate;
pub mod edges;
pub mod epsilon;
pub mod equalize;
pub mod exposure;
pub mod gaussian;
pub mod integral;
pub mod laplace;
pub mod luma;
pub mod match_template;
pub mod median;
pub mod median_wide;
pub mod resize;
pub mod rotate;
pub mod sobel;
