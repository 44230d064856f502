//! Transfers through pinned memory of the host, piece by piece: while one piece travels, the host lays out or takes away another.
//!
//! A driver copies what lies in ordinary memory into pinned memory of its own first, as only that stays where it is while a device's copy engine works on it. Who
//! lays rows out anyway can do so in pinned memory at once. Only devices with memory of their own gain by it.

use super::call::{Call, Failed, OrFailed as _};
use super::handle::Handle;
use super::memory::{out_of_memory, wait};
use super::session::Session;
use super::transfer::whole_rows;
use super::{Access, Buffer, EventTimes, HostMemory, Image};
use base::error::Result;
use base::texts::{failed, filled, misused};
use opencl3::command_queue::{
    enqueue_map_buffer, enqueue_read_buffer, enqueue_read_buffer_rect, enqueue_unmap_mem_object, enqueue_write_buffer, enqueue_write_image,
    flush,
};
use opencl3::memory::{CL_MAP_READ, CL_MAP_WRITE};
use opencl3::types::{CL_FALSE, CL_TRUE, cl_command_queue, cl_event};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};
use std::ffi::c_void;
use std::ptr::{NonNull, null};
use std::rc::Rc;

/// Bytes of a piece at most.
const MOST_BYTES: usize = 8 << 20;

/// Bytes of a piece at least, where there are so many: a command costs some microseconds.
const LEAST_BYTES: usize = 256 << 10;

/// So many pieces of a small transfer: of fewer, too much is laid out before anything travels.
const PIECES: usize = 8;

/// A command that was not waited for yet.
#[derive(Debug)]
struct InFlight {
    event: Handle,
    call: Call,
    len_bytes: usize,
}

/// Pinned memory of the host: of a buffer that is mapped as long as this lives.
#[derive(Debug)]
pub struct Pinned {
    buffer: Buffer,
    pointer: NonNull<u8>,
    in_flight: Option<InFlight>,
}

impl Pinned {
    /// Its size.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        self.buffer.len_bytes()
    }

    /// Waits for the command that uses these bytes, where there is one.
    fn settle(&mut self, session: &Session) -> Result<EventTimes> {
        let Some(InFlight { event, call, len_bytes }) = self.in_flight.take() else { return Ok(EventTimes::default()) };
        // What was waited for failed, and not the waiting.
        wait(event.raw()).map_err(|failed| out_of_memory(Failed { call, ..failed }, len_bytes, &session.info().name))?;
        let times = EventTimes::of(&event);
        session.note(call.name(), len_bytes, times);
        Ok(times)
    }

    /// The first `len` bytes, once no command uses them any more.
    ///
    /// # Errors
    /// That command's failure, or fewer bytes than `len`.
    pub fn bytes_mut(&mut self, session: &Session, len: usize) -> Result<&mut [u8]> {
        self.settle(session)?;
        self.check(len)?;
        // SAFETY: the driver mapped all bytes for reading and writing, and keeps them where they are until this is dropped; no command uses them
        // (settled above), nor does anything else, as the buffer is marked as mapped. They were written at the start: each has a value.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), len) })
    }

    /// All of its bytes, once no command uses them any more.
    ///
    /// # Errors
    /// That command's failure.
    pub fn all_mut(&mut self, session: &Session) -> Result<&mut [u8]> {
        self.bytes_mut(session, self.len_bytes())
    }

    fn check(&self, len: usize) -> Result<()> {
        if len <= self.len_bytes() {
            return Ok(());
        }
        Err(misused("errors.device.range", &[("bytes", &len), ("offset", &0), ("buffer_bytes", &self.len_bytes())]))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // What fails here means that the device is lost, and then nothing is left to wait for.
        if let Some(InFlight { event, .. }) = self.in_flight.take() {
            let _ = wait(event.raw());
        }
        // SAFETY: the pointer is what mapping this buffer returned, and is unmapped once.
        let event = Call::EnqueueUnmapMemObject.run(|| unsafe {
            enqueue_unmap_mem_object(self.buffer.owner.queue.raw(), self.buffer.memory.raw(), self.pointer.as_ptr().cast(), 0, null())
        });
        if let Ok(event) = event {
            let event = Handle::of_event(event);
            let _ = wait(event.raw());
        }
    }
}

/// Two pieces of pinned memory, which take turns.
#[derive(Debug)]
pub struct Staging {
    pieces: [Pinned; 2],
}

impl Staging {
    /// Whether it serves `session` and rows of so many bytes.
    #[must_use]
    pub fn serves(&self, session: &Session, row_bytes: usize) -> bool {
        self.pieces.iter().all(|piece| Rc::ptr_eq(&piece.buffer.owner, session.inner()) && row_bytes <= piece.len_bytes())
    }
}

/// What rows are written to.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// Rows that lie without gaps from byte 0 on.
    Buffer(&'a Buffer),
    /// Rows of texels.
    Image(&'a Image),
}

impl Session {
    /// Pinned memory of `len_bytes` bytes, all 0.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn pinned(&self, len_bytes: usize) -> Result<Pinned> {
        let buffer = self.buffer_in(HostMemory::Map, len_bytes, Access::ReadWrite)?;
        let mut pointer: *mut c_void = std::ptr::null_mut();
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        // SAFETY: the whole buffer is mapped, which was just made in this queue's context. The call blocks, so the pointer is valid when it returns.
        let mapped = Call::EnqueueMapBuffer.run(|| unsafe {
            enqueue_map_buffer(self.queue(), buffer.memory.raw(), CL_TRUE, flags, 0, len_bytes, &mut pointer, 0, null())
        });
        let event = mapped.map_err(|failed| out_of_memory(failed, len_bytes, &self.info().name))?;
        drop(Handle::of_event(event));
        let pointer: NonNull<u8> = NonNull::new(pointer.cast()).ok_or_else(|| failed("errors.device.not-mapped", &[]))?;
        buffer.is_mapped.set(true);
        // SAFETY: so many bytes were mapped for writing.
        unsafe { pointer.as_ptr().write_bytes(0, len_bytes) };
        Ok(Pinned { buffer, pointer, in_flight: None })
    }

    /// Memory for staged transfers of rows of `row_bytes` bytes at most.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn staging(&self, row_bytes: usize) -> Result<Staging> {
        let len_bytes = MOST_BYTES.max(row_bytes);
        Ok(Staging { pieces: [self.pinned(len_bytes)?, self.pinned(len_bytes)?] })
    }

    /// Writes `len` bytes of `pinned` to the start of `buffer` and waits; the command's timestamps.
    ///
    /// # Errors
    /// More bytes than one of them has, or the driver's refusal.
    pub fn write_pinned(&self, buffer: &Buffer, pinned: &mut Pinned, len: usize) -> Result<EventTimes> {
        self.begin_write(Rows::Buffer(buffer), 0, 1, len, pinned)?;
        pinned.settle(self)
    }

    /// Reads `len` bytes from the start of `buffer` into `pinned` and waits; the command's timestamps.
    ///
    /// # Errors
    /// As [`Session::write_pinned`].
    pub fn read_pinned(&self, buffer: &Buffer, pinned: &mut Pinned, len: usize) -> Result<EventTimes> {
        self.begin_read(buffer, 0, 1, [len, len], pinned)?;
        pinned.settle(self)
    }

    /// Writes `rows` rows that lie `pitch_bytes` apart. `lay_out` gets the first row of a piece and room for it, of which it has to write every byte.
    ///
    /// # Errors
    /// `staging` does not serve such rows, more rows than there are, or the driver's refusal.
    pub fn write_staged(
        &self,
        staging: &mut Staging,
        to: Rows<'_>,
        rows: usize,
        pitch_bytes: usize,
        mut lay_out: impl FnMut(usize, &mut [u8]),
    ) -> Result<()> {
        let at_once = rows_at_once(staging, rows, pitch_bytes);
        let mut turns = [0, 1].into_iter().cycle();
        for first_row in (0..rows).step_by(at_once) {
            let count = at_once.min(rows - first_row);
            let Some(piece) = turns.next().and_then(|turn: usize| staging.pieces.get_mut(turn)) else { break };
            lay_out(first_row, piece.bytes_mut(self, count * pitch_bytes)?);
            self.begin_write(to, first_row, count, pitch_bytes, piece)?;
        }
        staging.pieces.iter_mut().try_for_each(|piece| piece.settle(self).map(drop))
    }

    /// As [`Session::read_rows`], through `staging`.
    ///
    /// # Errors
    /// As [`Session::read_rows`], and where `staging` does not serve such rows.
    pub fn read_staged(
        &self,
        staging: &mut Staging,
        buffer: &Buffer,
        pitch_bytes: usize,
        row_bytes: usize,
        bytes: &mut [u8],
    ) -> Result<()> {
        let at_once = rows_at_once(staging, whole_rows(bytes.len(), row_bytes, pitch_bytes)?, row_bytes);
        // What was asked for and not yet taken away.
        let mut before: Option<(&mut Pinned, &mut [u8])> = None;
        let [one, other] = &mut staging.pieces;
        let (mut next, mut after) = (Some(one), Some(other));
        for (index, part) in bytes.chunks_mut(at_once * row_bytes).enumerate() {
            let Some(piece) = next.take() else { break };
            self.begin_read(buffer, index * at_once, part.len() / row_bytes, [row_bytes, pitch_bytes], piece)?;
            if let Some((piece, part)) = before.replace((piece, part)) {
                copy(piece.bytes_mut(self, part.len())?, part);
                after = Some(piece);
            }
            next = after.take();
        }
        before.map_or(Ok(()), |(piece, part)| {
            copy(piece.bytes_mut(self, part.len())?, part);
            Ok(())
        })
    }

    /// Begins to write the first `count` rows of `pinned`.
    fn begin_write(&self, to: Rows<'_>, first_row: usize, count: usize, pitch_bytes: usize, pinned: &mut Pinned) -> Result<()> {
        let len = count * pitch_bytes;
        pinned.settle(self)?;
        pinned.check(len)?;
        let from = pinned.pointer.as_ptr();
        match to {
            Rows::Buffer(buffer) => {
                let offset = first_row * pitch_bytes;
                self.check_plain(buffer, offset, len)?;
                // SAFETY: the range lies in the buffer, which belongs to this queue's context (both checked above). The bytes stay where they are and are
                // not written until the command has ended: every access to them settles first, dropping them, too.
                self.begin(pinned, Call::EnqueueWriteBuffer, len, |queue| unsafe {
                    enqueue_write_buffer(queue, buffer.memory.raw(), CL_FALSE, offset, len, from.cast(), 0, null())
                })
            }
            Rows::Image(image) => {
                self.check_rows_of(image, first_row, count, pitch_bytes)?;
                let (origin, region, memory) = ([0, first_row, 0], [image.width(), count, 1], image.memory.raw());
                // SAFETY: the rows lie in the image, which belongs to this queue's context, and their texels in the pitch (all checked above); else as above.
                self.begin(pinned, Call::EnqueueWriteImage, len, |queue| unsafe {
                    enqueue_write_image(queue, memory, CL_FALSE, origin.as_ptr(), region.as_ptr(), pitch_bytes, 0, from.cast(), 0, null())
                })
            }
        }
    }

    /// Begins to read `count` rows of so many bytes, so many apart, into the start of `pinned`, without gaps.
    fn begin_read(
        &self,
        buffer: &Buffer,
        first_row: usize,
        count: usize,
        [row_bytes, pitch_bytes]: [usize; 2],
        pinned: &mut Pinned,
    ) -> Result<()> {
        let (offset, len) = (first_row * pitch_bytes, count * row_bytes);
        pinned.settle(self)?;
        pinned.check(len)?;
        self.check_plain(buffer, offset, (count.max(1) - 1) * pitch_bytes + row_bytes)?;
        let (memory, to) = (buffer.memory.raw(), pinned.pointer.as_ptr());
        if row_bytes == pitch_bytes {
            // SAFETY: as in `begin_write`; nothing reads the bytes either before the command has ended.
            return self.begin(pinned, Call::EnqueueReadBuffer, len, |queue| unsafe {
                enqueue_read_buffer(queue, memory, CL_FALSE, offset, len, to.cast(), 0, null())
            });
        }
        let (from, origin, region) = ([0, first_row, 0], [0_usize; 3], [row_bytes, count, 1]);
        // SAFETY: as above; origins and region have three numbers, and the last row ends in the buffer and in the pinned bytes.
        self.begin(pinned, Call::EnqueueReadBufferRect, len, |queue| unsafe {
            let (from, origin, region) = (from.as_ptr(), origin.as_ptr(), region.as_ptr());
            enqueue_read_buffer_rect(queue, memory, CL_FALSE, from, origin, region, pitch_bytes, 0, row_bytes, 0, to.cast(), 0, null())
        })
    }

    /// Begins one command, which uses the bytes of `pinned`, and sends it off.
    fn begin(
        &self,
        pinned: &mut Pinned,
        call: Call,
        len_bytes: usize,
        command: impl FnOnce(cl_command_queue) -> std::result::Result<cl_event, i32>,
    ) -> Result<()> {
        let event = call.run(|| command(self.queue())).map_err(|failed| out_of_memory(failed, len_bytes, &self.info().name))?;
        pinned.in_flight = Some(InFlight { event: Handle::of_event(event), call, len_bytes });
        Call::Flush
            .run(|| flush(self.queue()))
            .or_failed(|| filled("errors.device.buffer-failed.what", &[("bytes", &len_bytes), ("device", &self.info().name)]))
    }

    /// As [`Session::check_range`], and that the driver keeps the buffer's bytes: those over memory of ours go with the buffer, before a command that was not
    /// waited for.
    fn check_plain(&self, buffer: &Buffer, offset: usize, len: usize) -> Result<()> {
        if buffer.host_memory() != HostMemory::Copy {
            return Err(misused("errors.device.is-mapped", &[]));
        }
        self.check_range(buffer, offset, len)
    }
}

/// Copies, large parts by all cores: one alone is slower than the bus.
fn copy(from: &[u8], to: &mut [u8]) {
    to.par_chunks_mut(LEAST_BYTES).zip(from.par_chunks(LEAST_BYTES)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Rows of a piece.
fn rows_at_once(staging: &Staging, rows: usize, row_bytes: usize) -> usize {
    let most = staging.pieces.iter().map(Pinned::len_bytes).min().unwrap_or_default();
    let bytes = (rows * row_bytes / PIECES).clamp(LEAST_BYTES, MOST_BYTES).min(most);
    (bytes / row_bytes.max(1)).max(1)
}
