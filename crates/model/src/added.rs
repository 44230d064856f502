//! Work that is added to a kernel, to see whether it costs time.

use base::texts::text;
use serde::{Deserialize, Serialize};

/// What is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddedKind {
    /// Additions and exclusive ors of 32-bit integers.
    Integer,
    /// Multiplications and additions of floats, each counted.
    Float,
    /// Bytes loaded from a buffer that nothing else uses.
    Bytes,
}

impl AddedKind {
    /// All, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Bytes, Self::Integer, Self::Float];

    /// As on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Bytes => "bytes",
        }
    }

    /// What so many more of it are.
    #[must_use]
    pub fn unit(self) -> &'static str {
        text(match self {
            Self::Integer => "studies.added.integer",
            Self::Float => "studies.added.float",
            Self::Bytes => "studies.added.bytes",
        })
    }
}

/// Work that a kernel does beside its own and that changes nothing in its output: the bottleneck test of the Adreno guide (section 5.6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Added {
    /// What.
    pub kind: AddedKind,
    /// How much of it per pixel in each pass, rounded up to whole instructions. 0 is what the others are compared with: the kernel with all that adding takes,
    /// but nothing added.
    pub per_pixel: u32,
    /// Whether arithmetic is done number by number, and not in vectors as wide as what a work-item owns.
    #[serde(default)]
    pub one_by_one: bool,
}
