//! Writing, reading and filling buffers. All transfers block and return what they took by the host's clock.

use super::Buffer;
use super::call::OrFailed as _;
use super::handle::Handle;
use super::memory::{out_of_memory, wait};
use super::session::Session;
use crate::error::{Error, Result};
use opencl3::command_queue::{enqueue_fill_buffer, enqueue_read_buffer, enqueue_read_buffer_rect, enqueue_write_buffer};
use opencl3::event::release_event;
use opencl3::types::CL_TRUE;
use std::time::Instant;

impl Session {
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
        if buffer.host_memory().is_mapped() {
            self.with_mapped_mut(buffer, offset..offset + bytes.len(), |mapped| mapped.copy_from_slice(bytes))?;
            return Ok(elapsed_ns(started));
        }
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
        let elapsed_ns = elapsed_ns(started);
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
        if buffer.host_memory().is_mapped() {
            self.with_mapped(buffer, offset..offset + bytes.len(), |mapped| bytes.copy_from_slice(mapped))?;
            return Ok(elapsed_ns(started));
        }
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
        let elapsed_ns = elapsed_ns(started);
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
        let end = (rows - 1).saturating_mul(pitch_bytes).saturating_add(row_bytes);
        self.check_range(buffer, 0, end)?;
        if row_bytes == pitch_bytes {
            return self.read_at(buffer, 0, bytes);
        }
        let started = Instant::now();
        if buffer.host_memory().is_mapped() {
            self.with_mapped(buffer, 0..end, |mapped| copy_rows(mapped, pitch_bytes, bytes, row_bytes, row_bytes))?;
            return Ok(elapsed_ns(started));
        }
        let (origin, region) = ([0_usize; 3], [row_bytes, rows, 1]);
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
        let elapsed_ns = elapsed_ns(started);
        drop(Handle::new(event, release_event));
        Ok(elapsed_ns)
    }

    /// Sets every byte of `buffer` to `value`: no output of an earlier run can then pass for this one's.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn fill(&self, buffer: &Buffer, value: u8) -> Result<()> {
        self.check_range(buffer, 0, buffer.len_bytes())?;
        let pattern: *const u8 = &raw const value;
        // SAFETY: a pattern of one byte divides every range; this one is the whole buffer, of this queue's context.
        let event = unsafe {
            enqueue_fill_buffer(self.queue(), buffer.memory.raw(), pattern.cast(), 1, 0, buffer.len_bytes(), 0, std::ptr::null())
        };
        let what = || format!("A buffer of {} bytes was not filled on {}", buffer.len_bytes(), self.info().name);
        let event = Handle::new(event.or_failed("clEnqueueFillBuffer", what)?, release_event);
        wait(event.raw()).or_failed("clWaitForEvents", what)
    }
}

/// Copies rows of `row_bytes` bytes from one pitch to another; as many as both have.
pub(super) fn copy_rows(from: &[u8], from_pitch: usize, to: &mut [u8], to_pitch: usize, row_bytes: usize) {
    for (to, from) in to.chunks_mut(to_pitch).zip(from.chunks(from_pitch)) {
        if let (Some(to), Some(from)) = (to.get_mut(..row_bytes), from.get(..row_bytes)) {
            to.copy_from_slice(from);
        }
    }
}

/// Nanoseconds of host time since `started`.
pub(super) fn elapsed_ns(started: Instant) -> u64 {
    started.elapsed().as_nanos() as u64
}
