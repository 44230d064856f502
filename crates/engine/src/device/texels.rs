//! Texel formats and kinds of images as OpenCL writes them.

use super::Poison;
use model::{ChannelOrder, ChannelType, ImageKind, TexelFormat};
use opencl3::memory::{
    CL_FLOAT, CL_HALF_FLOAT, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D, CL_R, CL_RG, CL_RGBA,
    CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32, CL_UNORM_INT8, CL_UNORM_INT16, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
    CL_UNSIGNED_INT32, cl_image_format, cl_mem_object_type,
};

/// The channel order and type of a format.
pub(super) fn for_opencl(format: TexelFormat) -> cl_image_format {
    let image_channel_order = match format.order {
        ChannelOrder::R => CL_R,
        ChannelOrder::Rg => CL_RG,
        ChannelOrder::Rgba => CL_RGBA,
    };
    let image_channel_data_type = match format.channel {
        ChannelType::Unorm8 => CL_UNORM_INT8,
        ChannelType::Unorm16 => CL_UNORM_INT16,
        ChannelType::Int8 => CL_SIGNED_INT8,
        ChannelType::Int16 => CL_SIGNED_INT16,
        ChannelType::Int32 => CL_SIGNED_INT32,
        ChannelType::Uint8 => CL_UNSIGNED_INT8,
        ChannelType::Uint16 => CL_UNSIGNED_INT16,
        ChannelType::Uint32 => CL_UNSIGNED_INT32,
        ChannelType::Half => CL_HALF_FLOAT,
        ChannelType::Float => CL_FLOAT,
    };
    cl_image_format { image_channel_order, image_channel_data_type }
}

/// The kind of memory object.
pub(super) fn object_type(kind: ImageKind) -> cl_mem_object_type {
    match kind {
        ImageKind::Plane => CL_MEM_OBJECT_IMAGE2D,
        ImageKind::Volume => CL_MEM_OBJECT_IMAGE3D,
        ImageKind::Layers => CL_MEM_OBJECT_IMAGE2D_ARRAY,
    }
}

/// The color by which every byte of a channel becomes the poison's one byte, as the 32 bits that filling takes: a number of the kind by which kernels write such
/// channels. A half has the byte's value instead, as such bytes may be no number.
pub(super) fn color(channel: ChannelType, poison: &Poison) -> u32 {
    let byte = poison.byte();
    let (short, word) = (u16::from_ne_bytes([byte; 2]), u32::from_ne_bytes([byte; 4]));
    match channel {
        ChannelType::Uint8 => u32::from(byte),
        ChannelType::Uint16 => u32::from(short),
        ChannelType::Uint32 | ChannelType::Int32 | ChannelType::Float => word,
        ChannelType::Int8 => i32::from(byte.cast_signed()).cast_unsigned(),
        ChannelType::Int16 => i32::from(short.cast_signed()).cast_unsigned(),
        ChannelType::Unorm8 => (f32::from(byte) / f32::from(u8::MAX)).to_bits(),
        ChannelType::Unorm16 => (f32::from(short) / f32::from(u16::MAX)).to_bits(),
        ChannelType::Half => f32::from(byte).to_bits(),
    }
}
