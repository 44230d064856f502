//! The only module that calls OpenCL, and the home of `unsafe`.

mod info;

pub use info::{DeviceInfo, DeviceKind, KernelLimits, LocalSize, NoDevice};
