//! Where the bytes of a buffer lie for the host: the choice as plain data, and memory of our own for `CL_MEM_USE_HOST_PTR`.

use crate::error::{Error, Result};
use opencl3::memory::{CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR};
use opencl3::types::cl_mem_flags;
use serde::{Deserialize, Serialize};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// How a picture gets into a device's memory and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum HostMemory {
    /// Buffers wherever the driver likes; bytes are copied by `clEnqueueWriteBuffer` and `clEnqueueReadBuffer`.
    #[default]
    Copy,
    /// `CL_MEM_ALLOC_HOST_PTR`: the driver allocates where the host can reach it; the host maps, writes or reads in place, and unmaps.
    Map,
    /// `CL_MEM_USE_HOST_PTR`: buffers over memory of ours, aligned to a page; mapped and unmapped as before.
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

    /// OpenCL's flag.
    pub(super) fn flags(self) -> cl_mem_flags {
        match self {
            Self::Copy => 0,
            Self::Map => CL_MEM_ALLOC_HOST_PTR,
            Self::UsePointer => CL_MEM_USE_HOST_PTR,
        }
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

/// What the alignment of a page asks for.
const ALIGN_BYTES: usize = 4096;

/// Whole cache lines: with less, drivers fall back to copying.
const MULTIPLE_BYTES: usize = 64;

/// Host memory for a buffer made with `CL_MEM_USE_HOST_PTR`. Nobody but the driver touches it while the buffer lives.
#[derive(Debug)]
pub(super) struct HostBlock {
    pointer: NonNull<u8>,
    layout: Layout,
}

impl HostBlock {
    /// At least `len_bytes` bytes, all 0.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn new(len_bytes: usize) -> Result<Self> {
        let refused = || {
            Error::failed(
                format!("There is no memory for {len_bytes} bytes"),
                "the system has none left",
                "choose a smaller picture, or close other programs",
            )
        };
        let rounded = len_bytes.max(1).checked_next_multiple_of(MULTIPLE_BYTES).ok_or_else(refused)?;
        let layout = Layout::from_size_align(rounded, ALIGN_BYTES).map_err(|_| refused())?;
        // SAFETY: the size is not 0.
        let pointer = unsafe { alloc_zeroed(layout) };
        Ok(Self { pointer: NonNull::new(pointer).ok_or_else(refused)?, layout })
    }

    /// For passing on to OpenCL, which may write through it while the block lives.
    pub(super) fn as_ptr(&self) -> *mut u8 {
        self.pointer.as_ptr()
    }

    /// Its size: a whole number of cache lines.
    pub(super) fn len_bytes(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed once.
        unsafe { dealloc(self.pointer.as_ptr(), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::{HostBlock, HostMemory};

    #[test]
    fn names_are_read_as_they_are_written() {
        for choice in HostMemory::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        let error = "pinned".parse::<HostMemory>().expect_err("unknown");
        assert_eq!(error.remedy, "write one of: copy, map, use-host-ptr");
    }

    #[test]
    fn blocks_are_aligned_to_pages_and_whole_cache_lines() {
        for (len_bytes, rounded) in [(0, 64), (1, 64), (64, 64), (65, 128), (5000, 5056)] {
            let block = HostBlock::new(len_bytes).expect("small");
            assert_eq!((block.len_bytes(), block.as_ptr() as usize % 4096), (rounded, 0));
        }
        assert!(HostBlock::new(usize::MAX).is_err());
        assert!(HostBlock::new(usize::MAX - 5000).is_err());
    }
}
