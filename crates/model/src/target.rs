//! Where something is computed, and with which local work size.

use base::error::{Error, Result};
use base::texts;
use serde::{Deserialize, Serialize};

/// The local work size that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "Written")]
pub enum LocalSize {
    /// NULL: the driver chooses.
    #[default]
    Driver,
    /// Dimension 0 × dimension 1.
    Explicit([usize; 2]),
}

impl LocalSize {
    /// What to begin with where there is no reason for another: wide enough to coalesce, small enough to be legal nearly everywhere.
    pub const COMMON: [usize; 2] = [32, 4];
}

/// A local work size as people read it: "64 × 2". Saved and given on the command line it is [`LocalSize`]'s `64x2`.
#[must_use]
pub fn local_label(sides: impl AsRef<[usize]>) -> String {
    sides.as_ref().iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

/// How a local work size was saved: as text, or as versions up to 0.1.0 did.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Sides {
        #[serde(rename = "Explicit")]
        explicit: [usize; 2],
    },
}

impl TryFrom<Written> for LocalSize {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        match written {
            Written::Text(text) if text == "Driver" => Ok(Self::Driver),
            Written::Text(text) => text.parse(),
            Written::Sides { explicit } => Ok(Self::Explicit(explicit)),
        }
    }
}

impl From<LocalSize> for String {
    fn from(local: LocalSize) -> Self {
        local.to_string()
    }
}

impl std::fmt::Display for LocalSize {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Driver => formatter.write_str("driver"),
            Self::Explicit([x, y]) => write!(formatter, "{x}x{y}"),
        }
    }
}

impl std::str::FromStr for LocalSize {
    type Err = Error;

    /// `driver`, or `32x4` (dimension 0 × dimension 1).
    fn from_str(text: &str) -> Result<Self> {
        if text == "driver" {
            return Ok(Self::Driver);
        }
        let sides = text.split_once('x').and_then(|(x, y)| Some([x.parse().ok()?, y.parse().ok()?]));
        sides.map(Self::Explicit).ok_or_else(|| texts::misused("errors.model.local-size", &[("text", &text)]))
    }
}

/// What only some devices can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent of each other")]
pub struct Abilities {
    /// Half precision in kernels (`cl_khr_fp16`).
    pub has_half: bool,
    /// Image objects.
    pub has_images: bool,
    /// Half-precision arithmetic that keeps subnormals, proven on the device, see `engine::roofs::half_lanes`.
    #[serde(default)]
    pub has_half_lanes: bool,
    /// NVIDIA's compiler, which takes PTX, for a device that has two halves to an instruction.
    #[serde(default)]
    pub has_ptx: bool,
    /// Products of four bytes, added by one function: PTX has an instruction, OpenCL an extension (`cl_khr_integer_dot_product`).
    #[serde(default)]
    pub has_dot: bool,
    /// Sums of a sub-group by one function, or by the exchanges that it is made of: PTX has these, OpenCL an extension (`cl_khr_subgroups`).
    #[serde(default)]
    pub has_sub_groups: bool,
    /// Image objects of one channel (`CL_R`), of 8 and of 16 bits.
    #[serde(default = "yes")]
    pub has_gray_images: bool,
    /// A compiler that builds `fma`.
    #[serde(default = "yes")]
    pub has_fma: bool,
    /// A Clang compiler that keeps large functions as calls, and does not vectorize across them (`Quirk::KeepsCalls`).
    #[serde(default)]
    pub keeps_calls: bool,
    /// A Clang compiler that keeps functions as calls, and cannot pass image objects to them (`Quirk::KeepsImageCalls`).
    #[serde(default)]
    pub keeps_image_calls: bool,
}

/// What was never asked before is there: only few drivers lack it.
const fn yes() -> bool {
    true
}

impl Abilities {
    /// Everything that OpenCL has, and nothing that single drivers have.
    pub const ALL: Self = Self {
        has_half: true,
        has_images: true,
        has_half_lanes: true,
        has_ptx: false,
        has_dot: true,
        has_sub_groups: true,
        has_gray_images: true,
        has_fma: true,
        keeps_calls: false,
        keeps_image_calls: false,
    };

    /// Nothing that only some devices can do: what is then allowed runs everywhere.
    pub const NONE: Self = Self {
        has_half: false,
        has_images: false,
        has_half_lanes: false,
        has_ptx: false,
        has_dot: false,
        has_sub_groups: false,
        has_gray_images: false,
        has_fma: false,
        keeps_calls: false,
        keeps_image_calls: false,
    };
}
