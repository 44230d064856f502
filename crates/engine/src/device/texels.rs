//! Texel formats as OpenCL writes them.

use model::TexelFormat;
use opencl3::memory::{CL_R, CL_RGBA, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, cl_image_format};

/// The channel order and type of a format.
pub(super) fn for_opencl(format: TexelFormat) -> cl_image_format {
    let (image_channel_order, image_channel_data_type) = match format {
        TexelFormat::R8 => (CL_R, CL_UNSIGNED_INT8),
        TexelFormat::Rgba8 => (CL_RGBA, CL_UNSIGNED_INT8),
        TexelFormat::R16 => (CL_R, CL_UNSIGNED_INT16),
        TexelFormat::Rgba16 => (CL_RGBA, CL_UNSIGNED_INT16),
    };
    cl_image_format { image_channel_order, image_channel_data_type }
}
