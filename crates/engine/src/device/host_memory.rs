//! Where the bytes of a buffer lie for the host: the flag of the choice, and memory for `CL_MEM_USE_HOST_PTR`, of our own or shared virtual memory. Of a buffer that is
//! created over the latter, OpenCL 2.0 says (section 5.2.1) that it uses that memory as its storage: so kernels take it as they take any buffer.

use super::call::Call;
use super::session::Inner;
use base::error::Result;
use base::texts::failed;
use model::HostMemory;
use opencl3::memory::{CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, svm_alloc, svm_free};
use opencl3::types::cl_mem_flags;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::rc::Rc;

/// OpenCL's flag for a choice.
pub(super) fn flags(choice: HostMemory) -> cl_mem_flags {
    match choice {
        HostMemory::Copy => 0,
        HostMemory::Map => CL_MEM_ALLOC_HOST_PTR,
        HostMemory::UsePointer | HostMemory::Shared => CL_MEM_USE_HOST_PTR,
    }
}

/// What the alignment of a page asks for.
const ALIGN_BYTES: usize = 4096;

/// Whole cache lines: with less, drivers fall back to copying.
const MULTIPLE_BYTES: usize = 64;

/// What a buffer made with `CL_MEM_USE_HOST_PTR` lies in.
#[derive(Debug)]
pub(super) enum Block {
    /// Memory of ours.
    Host(HostBlock),
    /// Memory of the driver's.
    Shared(SharedBlock),
}

impl Block {
    /// For that choice, at least `len_bytes` bytes; `None` where the driver finds a place by itself.
    ///
    /// # Errors
    /// Out of memory, or the device has no shared virtual memory.
    pub(super) fn of(choice: HostMemory, session: &Rc<Inner>, len_bytes: usize) -> Result<Option<Self>> {
        Ok(match choice {
            HostMemory::Copy | HostMemory::Map => None,
            HostMemory::UsePointer => Some(Self::Host(HostBlock::new(len_bytes)?)),
            HostMemory::Shared => Some(Self::Shared(SharedBlock::new(session, len_bytes)?)),
        })
    }

    /// For passing on to OpenCL, which may write through it while the block lives.
    pub(super) fn as_ptr(&self) -> *mut u8 {
        match self {
            Self::Host(block) => block.as_ptr(),
            Self::Shared(block) => block.pointer,
        }
    }

    /// Its size: at least what was asked for.
    pub(super) fn len_bytes(&self) -> usize {
        match self {
            Self::Host(block) => block.len_bytes(),
            Self::Shared(block) => block.len_bytes,
        }
    }
}

/// Shared virtual memory of a context, coarse-grained: the host reaches it where it is mapped.
pub(super) struct SharedBlock {
    pointer: *mut u8,
    len_bytes: usize,
    session: Rc<Inner>,
}

impl SharedBlock {
    /// Of so many bytes.
    ///
    /// # Errors
    /// The device has none, or not as much.
    fn new(session: &Rc<Inner>, len_bytes: usize) -> Result<Self> {
        // SAFETY: the context is alive. An alignment of 0 is the largest that any type of OpenCL needs.
        let pointer = Call::SVMAlloc.run(|| unsafe { svm_alloc(session.context.raw(), CL_MEM_READ_WRITE, len_bytes, 0) });
        let pointer =
            pointer.map_err(|refused| failed("errors.device.no-svm", &[("device", &session.info.name), ("why", &refused.why())]))?;
        Ok(Self { pointer: pointer.cast(), len_bytes, session: Rc::clone(session) })
    }
}

impl std::fmt::Debug for SharedBlock {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SharedBlock").field("len_bytes", &self.len_bytes).finish_non_exhaustive()
    }
}

impl Drop for SharedBlock {
    fn drop(&mut self) {
        // SAFETY: allocated in this context, which is alive, and freed once. The buffer over it was released before: its handle stands before the block. A failure leaves it allocated.
        let _ = Call::SVMFree.run(|| unsafe { svm_free(self.session.context.raw(), self.pointer.cast()) });
    }
}

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
