//! What image objects are: how many texels they have along which sides, and what a texel holds.

use serde::{Deserialize, Serialize};

/// The channels of a texel, in OpenCL's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelOrder {
    /// One channel.
    R,
    /// Two channels.
    Rg,
    /// Four channels.
    Rgba,
}

impl ChannelOrder {
    /// How many channels.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            Self::R => 1,
            Self::Rg => 2,
            Self::Rgba => 4,
        }
    }

    /// OpenCL's name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::R => "CL_R",
            Self::Rg => "CL_RG",
            Self::Rgba => "CL_RGBA",
        }
    }
}

/// What a channel of a texel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelType {
    /// 8 bits, which kernels read as 0.0 to 1.0.
    Unorm8,
    /// 16 bits, which kernels read as 0.0 to 1.0.
    Unorm16,
    /// 8 bits, signed.
    Int8,
    /// 16 bits, signed.
    Int16,
    /// 32 bits, signed.
    Int32,
    /// 8 bits.
    Uint8,
    /// 16 bits.
    Uint16,
    /// 32 bits.
    Uint32,
    /// 16-bit floating point.
    Half,
    /// 32-bit floating point.
    Float,
}

impl ChannelType {
    /// All.
    pub const ALL: [Self; 10] = [
        Self::Unorm8,
        Self::Unorm16,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Half,
        Self::Float,
    ];

    /// Bytes of a channel.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Unorm8 | Self::Int8 | Self::Uint8 => 1,
            Self::Unorm16 | Self::Int16 | Self::Uint16 | Self::Half => 2,
            Self::Int32 | Self::Uint32 | Self::Float => 4,
        }
    }

    /// OpenCL's name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unorm8 => "CL_UNORM_INT8",
            Self::Unorm16 => "CL_UNORM_INT16",
            Self::Int8 => "CL_SIGNED_INT8",
            Self::Int16 => "CL_SIGNED_INT16",
            Self::Int32 => "CL_SIGNED_INT32",
            Self::Uint8 => "CL_UNSIGNED_INT8",
            Self::Uint16 => "CL_UNSIGNED_INT16",
            Self::Uint32 => "CL_UNSIGNED_INT32",
            Self::Half => "CL_HALF_FLOAT",
            Self::Float => "CL_FLOAT",
        }
    }
}

/// What one texel of an image object holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TexelFormat {
    /// Its channels.
    pub order: ChannelOrder,
    /// What each of them holds.
    pub channel: ChannelType,
}

/// Those of the filters: unsigned integers, so that kernels read exact values (`read_imageui`), except where a sampler is to interpolate, which it does between
/// normalized ones alone (`read_imagef`).
impl TexelFormat {
    /// One channel of 8 bits.
    pub const R8: Self = Self { order: ChannelOrder::R, channel: ChannelType::Uint8 };
    /// Four channels of 8 bits.
    pub const RGBA8: Self = Self { order: ChannelOrder::Rgba, channel: ChannelType::Uint8 };
    /// One channel of 8 bits, which kernels read as 0.0 to 1.0.
    pub const R8_UNORM: Self = Self { order: ChannelOrder::R, channel: ChannelType::Unorm8 };
    /// Four channels of 8 bits, which kernels read as 0.0 to 1.0.
    pub const RGBA8_UNORM: Self = Self { order: ChannelOrder::Rgba, channel: ChannelType::Unorm8 };
    /// One channel of 16 bits.
    pub const R16: Self = Self { order: ChannelOrder::R, channel: ChannelType::Uint16 };
    /// Four channels of 16 bits.
    pub const RGBA16: Self = Self { order: ChannelOrder::Rgba, channel: ChannelType::Uint16 };
}

impl TexelFormat {
    /// Bytes of a texel.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.order.count() * self.channel.bytes()
    }

    /// In OpenCL's words, as errors name it: "`CL_RGBA` `CL_UNSIGNED_INT8`".
    #[must_use]
    pub fn label(self) -> String {
        format!("{} {}", self.order.label(), self.channel.label())
    }
}

/// Which sides an image object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImageKind {
    /// Width and height.
    Plane,
    /// Width, height and depth.
    Volume,
    /// Width and height of each of its layers.
    Layers,
}

impl ImageKind {
    /// All.
    pub const ALL: [Self; 3] = [Self::Plane, Self::Volume, Self::Layers];

    /// The type by which kernels take it.
    #[must_use]
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Plane => "image2d_t",
            Self::Volume => "image3d_t",
            Self::Layers => "image2d_array_t",
        }
    }
}

/// How many texels an image object has, and along which sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ImageShape {
    /// Which sides.
    pub kind: ImageKind,
    /// Texels of a row.
    pub width: usize,
    /// Rows of a plane, or of each layer.
    pub height: usize,
    /// Planes or layers; 1 of a plane.
    pub depth: usize,
}

impl ImageShape {
    /// One with two sides.
    #[must_use]
    pub const fn plane(width: usize, height: usize) -> Self {
        Self { kind: ImageKind::Plane, width, height, depth: 1 }
    }

    /// All texels.
    #[must_use]
    pub const fn texels(self) -> usize {
        self.rows().saturating_mul(self.width)
    }

    /// Rows of all planes or layers.
    #[must_use]
    pub const fn rows(self) -> usize {
        self.height.saturating_mul(self.depth)
    }

    /// Its sides as people read them: "640 × 480".
    #[must_use]
    pub fn label(self) -> String {
        let Self { kind, width, height, depth } = self;
        if kind == ImageKind::Plane { format!("{width} × {height}") } else { format!("{width} × {height} × {depth}") }
    }
}
