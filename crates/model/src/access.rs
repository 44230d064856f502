//! What kernels do with memory.

use serde::{Deserialize, Serialize};

/// What kernels do with a buffer or an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Access {
    /// Kernels only read it.
    Read,
    /// Kernels only write it.
    Write,
    /// Kernels do both.
    ReadWrite,
}

impl Access {
    /// All.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::ReadWrite];

    /// OpenCL's qualifier of an image that kernels use so.
    #[must_use]
    pub const fn qualifier(self) -> &'static str {
        match self {
            Self::Read => "read_only",
            Self::Write => "write_only",
            Self::ReadWrite => "read_write",
        }
    }
}
