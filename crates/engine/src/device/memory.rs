//! Buffer objects: making them and telling whether they may be used.

use super::call::{self, Call, Failed};
use super::handle::{Handle, Kind};
use super::host_memory::{self, Block};
use super::session::{Inner, Session};
use base::error::{Error, Result};
use base::texts::{failed, filled, misused};
use model::{Access, HostMemory};
use opencl3::event::wait_for_events;
use opencl3::memory::{CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, create_buffer};
use opencl3::types::{cl_event, cl_mem, cl_mem_flags};
use std::cell::Cell;
use std::rc::Rc;

/// OpenCL's flag of memory that kernels use so.
pub(super) fn flags(access: Access) -> cl_mem_flags {
    match access {
        Access::Read => CL_MEM_READ_ONLY,
        Access::Write => CL_MEM_WRITE_ONLY,
        Access::ReadWrite => CL_MEM_READ_WRITE,
    }
}

/// A buffer object on one session's device.
#[derive(Debug)]
pub struct Buffer {
    // Before `owner`: the memory goes before its context.
    pub(super) memory: Handle,
    pub(super) owner: Rc<Inner>,
    // After `memory`, whose bytes they are: every command is waited for, so the buffer goes when it is released.
    _block: Option<Block>,
    host_memory: HostMemory,
    /// The host has a slice of it.
    pub(super) is_mapped: Cell<bool>,
    len_bytes: usize,
}

impl Buffer {
    /// Takes over `memory`, a part of `whole` of `len_bytes` bytes. The caller keeps `whole`.
    pub(super) fn part(memory: cl_mem, whole: &Self, len_bytes: usize) -> Self {
        Self {
            memory: Handle::new(Kind::Memory, memory),
            owner: Rc::clone(&whole.owner),
            _block: None,
            host_memory: whole.host_memory,
            is_mapped: Cell::new(false),
            len_bytes,
        }
    }

    /// Where its bytes lie for the host.
    #[must_use]
    pub fn host_memory(&self) -> HostMemory {
        self.host_memory
    }

    /// Size in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        self.len_bytes
    }
}

impl Session {
    /// A buffer of `len_bytes` bytes with undefined content.
    ///
    /// # Errors
    /// No bytes, more than the device's largest allocation, or out of memory.
    pub fn buffer(&self, len_bytes: usize, access: Access) -> Result<Buffer> {
        self.buffer_in(HostMemory::Copy, len_bytes, access)
    }

    /// As [`Session::buffer`], with a choice of where its bytes lie for the host. Transfers of buffers that are mapped map, copy and unmap.
    ///
    /// # Errors
    /// As [`Session::buffer`].
    pub fn buffer_in(&self, host_memory: HostMemory, len_bytes: usize, access: Access) -> Result<Buffer> {
        let name = &self.info().name;
        if len_bytes == 0 {
            return Err(misused("errors.device.no-bytes", &[("device", name)]));
        }
        if len_bytes as u64 > self.info().max_alloc_bytes {
            let limit = self.info().max_alloc_bytes;
            return Err(failed("errors.device.buffer-too-large", &[("device", name), ("bytes", &len_bytes), ("limit", &limit)]));
        }
        let block = Block::of(host_memory, self.inner(), len_bytes)?;
        let (pointer, size) = block.as_ref().map_or((std::ptr::null_mut(), len_bytes), |block| (block.as_ptr(), block.len_bytes()));
        let flags = flags(access) | host_memory::flags(host_memory);
        // SAFETY: the context is alive; a host pointer is given where the flags ask for one, leads to so many bytes and outlives the buffer.
        let created = Call::CreateBuffer.run(|| unsafe { create_buffer(self.inner().context.raw(), flags, size, pointer.cast()) });
        let memory = created.map_err(|failed| out_of_memory(failed, len_bytes, name))?;
        Ok(Buffer {
            memory: Handle::new(Kind::Memory, memory),
            owner: Rc::clone(self.inner()),
            _block: block,
            host_memory,
            is_mapped: Cell::new(false),
            len_bytes,
        })
    }

    /// That `buffer` is of this session and has the bytes `offset .. offset + len`.
    pub(super) fn check_range(&self, buffer: &Buffer, offset: usize, len: usize) -> Result<()> {
        self.check_owner(buffer)?;
        let end = offset.checked_add(len).filter(|&end| end <= buffer.len_bytes);
        end.map(|_| ())
            .ok_or_else(|| misused("errors.device.range", &[("bytes", &len), ("offset", &offset), ("buffer_bytes", &buffer.len_bytes)]))
    }

    /// That `buffer` belongs to this session's context, and is not in the host's hands.
    pub(super) fn check_owner(&self, buffer: &Buffer) -> Result<()> {
        check_usable(&buffer.owner, self.inner(), &buffer.is_mapped)
    }
}

/// That a memory object is of this session and not in the host's hands.
pub(super) fn check_usable(owner: &Rc<Inner>, session: &Rc<Inner>, is_mapped: &Cell<bool>) -> Result<()> {
    if !Rc::ptr_eq(owner, session) {
        return Err(misused("errors.device.of-another-device", &[]));
    }
    if is_mapped.get() {
        return Err(misused("errors.device.is-mapped", &[]));
    }
    Ok(())
}

/// Waits until the command of `event` is done, and returns what became of it.
pub(super) fn wait(event: cl_event) -> std::result::Result<(), Failed> {
    Call::WaitForEvents.run(|| wait_for_events(&[event]))
}

/// The error of a call that was given `len_bytes` bytes to place or move.
pub(super) fn out_of_memory(failed: Failed, len_bytes: usize, device: &str) -> Error {
    let key = if call::is_out_of_memory(failed.code) { "errors.device.out-of-memory.what" } else { "errors.device.buffer-failed.what" };
    failed.error(filled(key, &[("bytes", &len_bytes), ("device", &device)]))
}
