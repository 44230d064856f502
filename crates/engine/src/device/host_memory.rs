//! Where the bytes of a buffer lie for the host: the flag of the choice, and memory of our own for `CL_MEM_USE_HOST_PTR`.

use base::error::Result;
use base::texts::failed;
use model::HostMemory;
use opencl3::memory::{CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR};
use opencl3::types::cl_mem_flags;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// OpenCL's flag for a choice.
pub(super) fn flags(choice: HostMemory) -> cl_mem_flags {
    match choice {
        HostMemory::Copy => 0,
        HostMemory::Map => CL_MEM_ALLOC_HOST_PTR,
        HostMemory::UsePointer => CL_MEM_USE_HOST_PTR,
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
        let refused = || failed("errors.device.host-memory", &[("bytes", &len_bytes)]);
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
    use super::HostBlock;

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
