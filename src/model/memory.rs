//! How a picture gets into a device's memory, and what its image objects hold.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How a picture gets into a device's memory and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum HostMemory {
    /// Buffers wherever the driver likes; bytes are copied by `clEnqueueWriteBuffer` and `clEnqueueReadBuffer`.
    #[default]
    #[serde(rename = "copy", alias = "Copy")]
    Copy,
    /// `CL_MEM_ALLOC_HOST_PTR`: the driver allocates where the host can reach it; the host maps, writes or reads in place, and unmaps.
    #[serde(rename = "map", alias = "Map")]
    Map,
    /// `CL_MEM_USE_HOST_PTR`: buffers over memory of ours, aligned to a page; mapped and unmapped as before.
    #[serde(rename = "use-host-ptr", alias = "UsePointer")]
    UsePointer,
}

impl HostMemory {
    /// All choices, in the order of menus.
    pub const ALL: [Self; 3] = [Self::Copy, Self::Map, Self::UsePointer];

    /// As the command line and exports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Map => "map",
            Self::UsePointer => "use-host-ptr",
        }
    }

    /// As the window shows it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Copy => "Write and read",
            Self::Map => "Map (ALLOC_HOST_PTR)",
            Self::UsePointer => "USE_HOST_PTR",
        }
    }

    /// For narrow places, beside the words "Host memory".
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::Copy => "Copy",
            Self::Map => "Map",
            Self::UsePointer => "USE_HOST_PTR",
        }
    }

    /// What happens, in one line.
    #[must_use]
    pub const fn short_reason(self) -> &'static str {
        match self {
            Self::Copy => "Copied in, copied out",
            Self::Map => "ALLOC_HOST_PTR: the driver's, mapped in place",
            Self::UsePointer => "The program's own, mapped in place",
        }
    }

    /// What it does and when it pays, for tooltips and help.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Copy => {
                "The driver copies the picture into a buffer and the result out of it. On a device with memory of its own this is what \
                 has to happen anyway"
            }
            Self::Map => {
                "The driver allocates memory that host and device both reach; the host maps it, works in place and unmaps it. Where both \
                 share one memory (phones, integrated GPUs, CPUs) no byte is copied; the guides for Mali, Adreno and Maleoon all advise it"
            }
            Self::UsePointer => {
                "The buffer is made over memory that the program has already. Without a copy only where the driver accepts its alignment; \
                 elsewhere map and unmap copy behind the scenes, which the round trip shows"
            }
        }
    }

    /// Whether the host reaches the bytes by mapping them.
    #[must_use]
    pub const fn is_mapped(self) -> bool {
        !matches!(self, Self::Copy)
    }
}

impl std::fmt::Display for HostMemory {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

impl std::str::FromStr for HostMemory {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::usage(format!("Host memory '{text}' is not known"), "it is none of the choices", format!("write one of: {names}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::HostMemory;

    #[test]
    fn names_are_read_as_they_are_written() {
        for choice in HostMemory::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        let error = "pinned".parse::<HostMemory>().expect_err("unknown");
        assert_eq!(error.remedy, "write one of: copy, map, use-host-ptr");
    }
}
