//! Buffer objects: making, writing, reading. All transfers block and return what they took by the host's clock.

use super::call::{self, OrFailed as _};
use super::handle::Handle;
use super::session::{Inner, Session};
use crate::error::{Error, Result};
use opencl3::command_queue::{enqueue_fill_buffer, enqueue_read_buffer, enqueue_read_buffer_rect, enqueue_write_buffer};
use opencl3::event::{release_event, wait_for_events};
use opencl3::memory::{CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, create_buffer, release_mem_object};
use opencl3::types::{CL_TRUE, cl_event, cl_mem, cl_mem_flags};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::time::Instant;

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
    /// OpenCL's flag.
    pub(super) fn flags(self) -> cl_mem_flags {
        match self {
            Self::Read => CL_MEM_READ_ONLY,
            Self::Write => CL_MEM_WRITE_ONLY,
            Self::ReadWrite => CL_MEM_READ_WRITE,
        }
    }

    /// As an error names it.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::ReadWrite => "read and write",
        }
    }
}

/// A buffer object on one session's device.
#[derive(Debug)]
pub struct Buffer {
    // Before `owner`: the memory goes before its context.
    pub(super) memory: Handle,
    pub(super) owner: Rc<Inner>,
    len_bytes: usize,
}

impl Buffer {
    /// Takes over `memory`, of `len_bytes` bytes.
    pub(super) fn new(memory: cl_mem, owner: Rc<Inner>, len_bytes: usize) -> Self {
        Self { memory: Handle::new(memory, release_mem_object), owner, len_bytes }
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
        let name = &self.info().name;
        if len_bytes == 0 {
            return Err(Error::usage(format!("No buffer was made on {name}"), "it would have no bytes", "choose a larger picture"));
        }
        if len_bytes as u64 > self.info().max_alloc_bytes {
            let limit = self.info().max_alloc_bytes;
            return Err(Error::failed(
                format!("A buffer is too large for {name}"),
                format!("it needs {len_bytes} bytes, and the largest this device allows is {limit}"),
                "choose a smaller picture, or another device",
            ));
        }
        // SAFETY: the context is alive; without a host pointer the size alone matters.
        let created = unsafe { create_buffer(self.inner().context.raw(), access.flags(), len_bytes, std::ptr::null_mut()) };
        let memory = created.map_err(|code| out_of_memory("clCreateBuffer", code, len_bytes, name))?;
        Ok(Buffer::new(memory, Rc::clone(self.inner()), len_bytes))
    }

    /// Writes `bytes` to the start of `buffer`. Returns nanoseconds by the host's clock.
    ///
    /// # Errors
    /// More bytes than the buffer has, or the driver's refusal.
    pub fn write(&self, buffer: &Buffer, bytes: &[u8]) -> Result<u64> {
        self.write_at(buffer, 0, bytes)
    }

    /// As [`Session::write`], from byte `offset` of the buffer on.
    ///
    /// # Errors
    /// As [`Session::write`].
    pub fn write_at(&self, buffer: &Buffer, offset: usize, bytes: &[u8]) -> Result<u64> {
        self.check_range(buffer, offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(0);
        }
        let started = Instant::now();
        // SAFETY: the range lies in the buffer, which belongs to this queue's context (both checked above), and the call returns only
        // after the bytes were read.
        let event = unsafe {
            enqueue_write_buffer(
                self.queue(),
                buffer.memory.raw(),
                CL_TRUE,
                offset,
                bytes.len(),
                bytes.as_ptr().cast(),
                0,
                std::ptr::null(),
            )
        };
        let event = event.map_err(|code| out_of_memory("clEnqueueWriteBuffer", code, bytes.len(), &self.info().name))?;
        let elapsed_ns = started.elapsed().as_nanos() as u64;
        drop(Handle::new(event, release_event));
        Ok(elapsed_ns)
    }

    /// Reads the start of `buffer` into all of `bytes`. Returns nanoseconds by the host's clock.
    ///
    /// # Errors
    /// More bytes than the buffer has, or the driver's refusal.
    pub fn read(&self, buffer: &Buffer, bytes: &mut [u8]) -> Result<u64> {
        self.read_at(buffer, 0, bytes)
    }

    /// As [`Session::read`], from byte `offset` of the buffer on.
    ///
    /// # Errors
    /// As [`Session::read`].
    pub fn read_at(&self, buffer: &Buffer, offset: usize, bytes: &mut [u8]) -> Result<u64> {
        self.check_range(buffer, offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(0);
        }
        let started = Instant::now();
        // SAFETY: as in `write_at`; the bytes are borrowed exclusively until the call returns.
        let event = unsafe {
            enqueue_read_buffer(
                self.queue(),
                buffer.memory.raw(),
                CL_TRUE,
                offset,
                bytes.len(),
                bytes.as_mut_ptr().cast(),
                0,
                std::ptr::null(),
            )
        };
        let event = event.map_err(|code| out_of_memory("clEnqueueReadBuffer", code, bytes.len(), &self.info().name))?;
        let elapsed_ns = started.elapsed().as_nanos() as u64;
        drop(Handle::new(event, release_event));
        Ok(elapsed_ns)
    }

    /// Reads rows of `row_bytes` bytes that lie `pitch_bytes` apart in `buffer`, from byte 0 on, into `bytes` without gaps: as many as
    /// `bytes` has. Returns nanoseconds by the host's clock.
    ///
    /// # Errors
    /// `bytes` is not a whole number of rows, rows longer than the pitch, more rows than the buffer has, or the driver's refusal.
    pub fn read_rows(&self, buffer: &Buffer, pitch_bytes: usize, row_bytes: usize, bytes: &mut [u8]) -> Result<u64> {
        if row_bytes == 0 || row_bytes > pitch_bytes || !bytes.len().is_multiple_of(row_bytes) {
            let why = format!("{} bytes are no whole rows of {row_bytes} bytes at a pitch of {pitch_bytes}", bytes.len());
            return Err(Error::usage("Rows were not read", why, ""));
        }
        let rows = bytes.len() / row_bytes;
        if rows == 0 {
            return Ok(0);
        }
        self.check_range(buffer, 0, (rows - 1).saturating_mul(pitch_bytes).saturating_add(row_bytes))?;
        if row_bytes == pitch_bytes {
            return self.read_at(buffer, 0, bytes);
        }
        let (origin, region) = ([0_usize; 3], [row_bytes, rows, 1]);
        let started = Instant::now();
        // SAFETY: origins and region have three numbers; the last row ends in the buffer and in `bytes` (both checked above), which are
        // borrowed exclusively until the call returns.
        let event = unsafe {
            enqueue_read_buffer_rect(
                self.queue(),
                buffer.memory.raw(),
                CL_TRUE,
                origin.as_ptr(),
                origin.as_ptr(),
                region.as_ptr(),
                pitch_bytes,
                0,
                row_bytes,
                0,
                bytes.as_mut_ptr().cast(),
                0,
                std::ptr::null(),
            )
        };
        let event = event.map_err(|code| out_of_memory("clEnqueueReadBufferRect", code, bytes.len(), &self.info().name))?;
        let elapsed_ns = started.elapsed().as_nanos() as u64;
        drop(Handle::new(event, release_event));
        Ok(elapsed_ns)
    }

    /// Sets every byte of `buffer` to `value`: no output of an earlier run can then pass for this one's.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn fill(&self, buffer: &Buffer, value: u8) -> Result<()> {
        self.check_range(buffer, 0, buffer.len_bytes)?;
        let pattern: *const u8 = &raw const value;
        // SAFETY: a pattern of one byte divides every range; this one is the whole buffer, of this queue's context.
        let event =
            unsafe { enqueue_fill_buffer(self.queue(), buffer.memory.raw(), pattern.cast(), 1, 0, buffer.len_bytes, 0, std::ptr::null()) };
        let what = || format!("A buffer of {} bytes was not filled on {}", buffer.len_bytes, self.info().name);
        let event = Handle::new(event.or_failed("clEnqueueFillBuffer", what)?, release_event);
        wait(event.raw()).or_failed("clWaitForEvents", what)
    }

    /// That `buffer` is of this session and has the bytes `offset .. offset + len`.
    fn check_range(&self, buffer: &Buffer, offset: usize, len: usize) -> Result<()> {
        self.check_owner(buffer)?;
        let end = offset.checked_add(len).filter(|&end| end <= buffer.len_bytes);
        end.map(|_| ()).ok_or_else(|| {
            Error::usage(
                "Bytes were not transferred",
                format!("{len} bytes from byte {offset} on do not fit into a buffer of {} bytes", buffer.len_bytes),
                "",
            )
        })
    }

    /// That `buffer` belongs to this session's context.
    pub(super) fn check_owner(&self, buffer: &Buffer) -> Result<()> {
        if Rc::ptr_eq(&buffer.owner, self.inner()) {
            return Ok(());
        }
        Err(Error::usage("A buffer was not used", "it belongs to another device", "make it anew on this device"))
    }
}

/// Waits until the command of `event` is done, and returns what became of it.
pub(super) fn wait(event: cl_event) -> std::result::Result<(), i32> {
    wait_for_events(&[event])
}

/// The error for `code` of `call`, which was given `len_bytes` bytes to place or move.
pub(super) fn out_of_memory(call: &str, code: i32, len_bytes: usize, device: &str) -> Error {
    let what = if call::is_out_of_memory(code) {
        format!("There is no memory for {len_bytes} bytes on {device}")
    } else {
        format!("A buffer of {len_bytes} bytes failed on {device}")
    };
    call::failed(call, code, what)
}
