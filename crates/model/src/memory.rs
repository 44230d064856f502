//! How a picture gets into a device's memory, and what its image objects hold.

use base::error::{Error, Result};
use base::texts;
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
    /// Buffers over coarse-grained shared virtual memory, which the driver allocates; mapped and unmapped as before.
    #[serde(rename = "svm")]
    Shared,
}

impl HostMemory {
    /// All choices, in the order of menus.
    pub const ALL: [Self; 4] = [Self::Copy, Self::Map, Self::UsePointer, Self::Shared];

    /// Those of image objects: OpenCL lets buffers alone lie in shared virtual memory.
    pub const OF_IMAGES: [Self; 3] = [Self::Copy, Self::Map, Self::UsePointer];

    /// As the command line and exports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Map => "map",
            Self::UsePointer => "use-host-ptr",
            Self::Shared => "svm",
        }
    }

    /// As the window shows it.
    #[must_use]
    pub fn label(self) -> &'static str {
        texts::text(match self {
            Self::Copy => "words.host-memory.copy.label",
            Self::Map => "words.host-memory.map.label",
            Self::UsePointer => "words.host-memory.use-host-ptr.label",
            Self::Shared => "words.host-memory.svm.label",
        })
    }

    /// For narrow places, beside the words "Host memory".
    #[must_use]
    pub fn short(self) -> &'static str {
        texts::text(match self {
            Self::Copy => "words.host-memory.copy.short",
            Self::Map => "words.host-memory.map.short",
            Self::UsePointer => "words.host-memory.use-host-ptr.short",
            Self::Shared => "words.host-memory.svm.short",
        })
    }

    /// What happens, in one line.
    #[must_use]
    pub fn short_reason(self) -> &'static str {
        texts::text(match self {
            Self::Copy => "words.host-memory.copy.line",
            Self::Map => "words.host-memory.map.line",
            Self::UsePointer => "words.host-memory.use-host-ptr.line",
            Self::Shared => "words.host-memory.svm.line",
        })
    }

    /// What it does and when it pays, for tooltips and help.
    #[must_use]
    pub fn reason(self) -> &'static str {
        texts::text(match self {
            Self::Copy => "words.host-memory.copy.reason",
            Self::Map => "words.host-memory.map.reason",
            Self::UsePointer => "words.host-memory.use-host-ptr.reason",
            Self::Shared => "words.host-memory.svm.reason",
        })
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
            texts::misused("errors.model.host-memory", &[("name", &text), ("known", &names)])
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
        assert_eq!(error.remedy, "use one of: copy, map, use-host-ptr, svm");
    }
}
