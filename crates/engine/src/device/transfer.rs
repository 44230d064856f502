//! Writing, reading and filling buffers. All of these block; see [`super::staging`] for transfers that go on beside other work.

use super::call::{Call, Failed};
use super::handle::Handle;
use super::memory::{out_of_memory, wait};
use super::session::Session;
use super::{Buffer, Poison};
use base::error::Result;
use base::texts::misused;
use opencl3::command_queue::{enqueue_fill_buffer, enqueue_read_buffer, enqueue_read_buffer_rect, enqueue_write_buffer};
use opencl3::types::{CL_TRUE, cl_command_queue, cl_event};
use std::fmt::Display;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;
use std::ptr::null;

impl Session {
    /// Runs one command to its end: the OpenCL function `call`, which moves or fills `len_bytes` bytes and returns its event. A call that blocks
    /// has ended by itself; waiting then only tells whether it failed.
    pub(super) fn enqueue(
        &self,
        call: Call,
        len_bytes: usize,
        command: impl FnOnce(cl_command_queue) -> std::result::Result<cl_event, i32>,
    ) -> Result<()> {
        let ran = call.run(|| command(self.queue())).and_then(|event| {
            let event = Handle::of_event(event);
            wait(event.raw()).map(|()| self.note_event(call.name(), len_bytes, &event))
        });
        // What was waited for failed, and not the waiting.
        ran.map_err(|failed| out_of_memory(Failed { call, ..failed }, len_bytes, &self.info().name))
    }

    /// Writes `bytes` to the start of `buffer`.
    ///
    /// # Errors
    /// More bytes than the buffer has, or the driver's refusal.
    pub fn write(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        self.write_at(buffer, 0, bytes)
    }

    /// As [`Session::write`], from byte `offset` of the buffer on.
    ///
    /// # Errors
    /// As [`Session::write`].
    pub fn write_at(&self, buffer: &Buffer, offset: usize, bytes: &[u8]) -> Result<()> {
        let len = bytes.len();
        self.check_range(buffer, offset, len)?;
        if len == 0 {
            return Ok(());
        }
        if buffer.host_memory().is_mapped() {
            return self.with_mapped_mut(buffer, offset..offset + len, |mapped| mapped.copy_from_slice(bytes));
        }
        // SAFETY: the range lies in the buffer, which belongs to this queue's context (both checked above), and the call returns only
        // after the bytes were read.
        self.enqueue(Call::EnqueueWriteBuffer, len, |queue| unsafe {
            enqueue_write_buffer(queue, buffer.memory.raw(), CL_TRUE, offset, len, bytes.as_ptr().cast(), 0, null())
        })
    }

    /// Reads the start of `buffer` into all of `bytes`.
    ///
    /// # Errors
    /// More bytes than the buffer has, or the driver's refusal.
    pub fn read(&self, buffer: &Buffer, bytes: &mut [u8]) -> Result<()> {
        self.read_at(buffer, 0, bytes)
    }

    /// As [`Session::read`], from byte `offset` of the buffer on.
    ///
    /// # Errors
    /// As [`Session::read`].
    pub fn read_at(&self, buffer: &Buffer, offset: usize, bytes: &mut [u8]) -> Result<()> {
        let len = bytes.len();
        self.check_range(buffer, offset, len)?;
        if len == 0 {
            return Ok(());
        }
        if buffer.host_memory().is_mapped() {
            return self.with_mapped(buffer, offset..offset + len, |mapped| bytes.copy_from_slice(mapped));
        }
        // SAFETY: as in `write_at`; the bytes are borrowed exclusively until the call returns.
        self.enqueue(Call::EnqueueReadBuffer, len, |queue| unsafe {
            enqueue_read_buffer(queue, buffer.memory.raw(), CL_TRUE, offset, len, bytes.as_mut_ptr().cast(), 0, null())
        })
    }

    /// Reads rows of `row_bytes` bytes that lie `pitch_bytes` apart in `buffer`, from byte 0 on, into `bytes` without gaps: as many as
    /// `bytes` has.
    ///
    /// # Errors
    /// `bytes` is not a whole number of rows, rows longer than the pitch, more rows than the buffer has, or the driver's refusal.
    pub fn read_rows(&self, buffer: &Buffer, pitch_bytes: usize, row_bytes: usize, bytes: &mut [u8]) -> Result<()> {
        let rows = whole_rows(bytes.len(), row_bytes, pitch_bytes)?;
        if rows == 0 {
            return Ok(());
        }
        let end = (rows - 1).saturating_mul(pitch_bytes).saturating_add(row_bytes);
        self.check_range(buffer, 0, end)?;
        if row_bytes == pitch_bytes {
            return self.read_at(buffer, 0, bytes);
        }
        if buffer.host_memory().is_mapped() {
            return self.with_mapped(buffer, 0..end, |mapped| copy_rows(mapped, pitch_bytes, bytes, row_bytes, row_bytes));
        }
        let (origin, region) = ([0_usize; 3], [row_bytes, rows, 1]);
        let (origin, region, memory) = (origin.as_ptr(), region.as_ptr(), buffer.memory.raw());
        // SAFETY: origins and region have three numbers; the last row ends in the buffer and in `bytes` (both checked above), which are
        // borrowed exclusively until the call returns.
        self.enqueue(Call::EnqueueReadBufferRect, bytes.len(), |queue| unsafe {
            let to = bytes.as_mut_ptr().cast();
            enqueue_read_buffer_rect(queue, memory, CL_TRUE, origin, origin, region, pitch_bytes, 0, row_bytes, 0, to, 0, null())
        })
    }

    /// Fills all of `buffer` with that poison. Bytes beyond the last whole pattern are one byte of it.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn poison(&self, buffer: &Buffer, poison: &Poison) -> Result<()> {
        let pattern = poison.pattern();
        let whole = buffer.len_bytes() / pattern.len() * pattern.len();
        self.fill(buffer, 0..whole, pattern)?;
        self.fill(buffer, whole..buffer.len_bytes(), &[poison.byte()])
    }

    /// Overwrites a few bytes of `buffer`, wherever chance has it: what only writes where it finds that nothing was written yet leaves them so.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn damage(&self, buffer: &Buffer) -> Result<()> {
        const PLACES: u64 = 16;
        let (random, len) = (RandomState::new(), buffer.len_bytes());
        let poison = Poison::random();
        (0..PLACES).try_for_each(|place| {
            let at = random.hash_one(place) as usize % len.max(1);
            self.fill(buffer, at..at + 1, &[poison.byte()])
        })
    }

    /// Fills a range with a pattern whose length divides its ends, a power of two up to 128.
    fn fill(&self, buffer: &Buffer, range: Range<usize>, pattern: &[u8]) -> Result<()> {
        let (offset, len) = (range.start, range.len());
        self.check_range(buffer, offset, len)?;
        if len == 0 {
            return Ok(());
        }
        // SAFETY: the pattern's length divides offset and length (all callers are above); the range lies in the buffer, of this queue's context.
        self.enqueue(Call::EnqueueFillBuffer, len, |queue| unsafe {
            enqueue_fill_buffer(queue, buffer.memory.raw(), pattern.as_ptr().cast(), pattern.len(), offset, len, 0, null())
        })
    }
}

/// How many rows of `row_bytes` bytes `len_bytes` bytes are.
///
/// # Errors
/// Not a whole number of rows, or rows longer than the pitch.
pub(super) fn whole_rows(len_bytes: usize, row_bytes: usize, pitch_bytes: usize) -> Result<usize> {
    if row_bytes == 0 || row_bytes > pitch_bytes || !len_bytes.is_multiple_of(row_bytes) {
        let values: [(&str, &dyn Display); 3] = [("bytes", &len_bytes), ("row_bytes", &row_bytes), ("pitch_bytes", &pitch_bytes)];
        return Err(misused("errors.device.rows", &values));
    }
    Ok(len_bytes / row_bytes)
}

/// Copies rows of `row_bytes` bytes from one pitch to another; as many as both have.
pub(super) fn copy_rows(from: &[u8], from_pitch: usize, to: &mut [u8], to_pitch: usize, row_bytes: usize) {
    for (to, from) in to.chunks_mut(to_pitch).zip(from.chunks(from_pitch)) {
        if let (Some(to), Some(from)) = (to.get_mut(..row_bytes), from.get(..row_bytes)) {
            to.copy_from_slice(from);
        }
    }
}
