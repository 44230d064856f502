//! Bytes of a buffer or image where they lie: map, use, unmap. The only way to the bytes of those over host memory.

use super::call::{Call, Failed, OrFailed as _};
use super::handle::Handle;
use super::memory::wait;
use super::session::Session;
use super::{Buffer, Image};
use base::error::Result;
use base::texts::{failed, filled, misused};
use opencl3::command_queue::{enqueue_map_buffer, enqueue_map_image, enqueue_unmap_mem_object};
use opencl3::memory::{CL_MAP_READ, CL_MAP_WRITE_INVALIDATE_REGION};
use opencl3::types::{CL_TRUE, cl_map_flags};
use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::{NonNull, null};

impl Session {
    /// Maps `range` of `buffer` for reading, passes it to `use_bytes` and unmaps it, also after a panic. Maps any buffer; for those of
    /// [`super::HostMemory::Copy`] the driver copies behind the scenes. The buffer cannot be used otherwise meanwhile.
    ///
    /// # Errors
    /// An empty range or one outside the buffer, a buffer that is mapped already, or the driver's refusal.
    pub fn with_mapped<R>(&self, buffer: &Buffer, range: Range<usize>, use_bytes: impl FnOnce(&[u8]) -> R) -> Result<R> {
        let mapping = Mapping::of_buffer(self, buffer, range, CL_MAP_READ)?;
        let result = use_bytes(mapping.bytes());
        mapping.unmap()?;
        Ok(result)
    }

    /// As [`Session::with_mapped`], for writing: `fill_bytes` has to write every byte, as what was there before is undefined.
    ///
    /// # Errors
    /// As [`Session::with_mapped`].
    pub fn with_mapped_mut<R>(&self, buffer: &Buffer, range: Range<usize>, fill_bytes: impl FnOnce(&mut [u8]) -> R) -> Result<R> {
        let mut mapping = Mapping::of_buffer(self, buffer, range, CL_MAP_WRITE_INVALIDATE_REGION)?;
        let result = fill_bytes(mapping.bytes_mut());
        mapping.unmap()?;
        Ok(result)
    }
}

/// A mapped buffer or image, unmapped when dropped.
pub(super) struct Mapping<'a> {
    session: &'a Session,
    memory: &'a Handle,
    is_mapped: &'a Cell<bool>,
    pointer: NonNull<u8>,
    len_bytes: usize,
    is_open: bool,
}

impl<'a> Mapping<'a> {
    /// Maps `range` of `buffer`.
    fn of_buffer(session: &'a Session, buffer: &'a Buffer, range: Range<usize>, flags: cl_map_flags) -> Result<Self> {
        let len_bytes = range.end.saturating_sub(range.start);
        session.check_range(buffer, range.start, len_bytes)?;
        if len_bytes == 0 {
            return Err(misused("errors.device.nothing-to-map", &[]));
        }
        let mut pointer: *mut c_void = std::ptr::null_mut();
        // SAFETY: the range lies in the buffer, which belongs to this queue's context (both checked above). The call blocks, so the pointer
        // is valid when it returns.
        session.enqueue(Call::EnqueueMapBuffer, len_bytes, |queue| unsafe {
            enqueue_map_buffer(queue, buffer.memory.raw(), CL_TRUE, flags, range.start, len_bytes, &mut pointer, 0, null())
        })?;
        Self::opened(session, &buffer.memory, &buffer.is_mapped, pointer, len_bytes)
    }

    /// Maps the whole `image`, and tells how far apart its rows lie.
    pub(super) fn of_image(session: &'a Session, image: &'a Image, flags: cl_map_flags) -> Result<(Self, usize)> {
        session.check_image_owner(image)?;
        let (origin, region) = ([0_usize; 3], [image.width(), image.height(), 1]);
        let (mut pitch_bytes, mut slice_bytes) = (0_usize, 0_usize);
        let mut pointer: *mut c_void = std::ptr::null_mut();
        let (origin, region, memory) = (origin.as_ptr(), region.as_ptr(), image.memory.raw());
        // SAFETY: origin and region have three numbers and are the whole image, which belongs to this queue's context; both pitches are
        // written before the call returns, and it blocks, so the pointer is valid then.
        session.enqueue(Call::EnqueueMapImage, image.row_bytes() * image.height(), |queue| unsafe {
            let (pitch, slice) = (&raw mut pitch_bytes, &raw mut slice_bytes);
            enqueue_map_image(queue, memory, CL_TRUE, flags, origin, region, pitch, slice, &mut pointer, 0, null())
        })?;
        // The last row has nothing behind it.
        let len_bytes = pitch_bytes * (image.height() - 1) + image.row_bytes();
        Ok((Self::opened(session, &image.memory, &image.is_mapped, pointer, len_bytes)?, pitch_bytes))
    }

    fn opened(session: &'a Session, memory: &'a Handle, is_mapped: &'a Cell<bool>, pointer: *mut c_void, len_bytes: usize) -> Result<Self> {
        let pointer = NonNull::new(pointer.cast()).ok_or_else(|| failed("errors.device.not-mapped", &[]))?;
        is_mapped.set(true);
        Ok(Self { session, memory, is_mapped, pointer, len_bytes, is_open: true })
    }

    /// What is mapped, for reading.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the driver mapped so many bytes, and keeps them where they are until they are unmapped, when this is dropped; nothing
        // writes them meanwhile, as the object is marked as mapped and every use of it refused. They come from outside of Rust or were
        // written by it: whatever their value, they have one.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.len_bytes) }
    }

    /// What is mapped, for writing.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, mapped for writing; an object is mapped once at a time, so the slice is the only one.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.len_bytes) }
    }

    /// Unmaps, and waits until the device has the bytes.
    pub(super) fn unmap(mut self) -> Result<()> {
        self.close().or_failed(|| filled("errors.device.not-unmapped.what", &[("device", &self.session.info().name)]))
    }

    fn close(&mut self) -> std::result::Result<(), Failed> {
        if !std::mem::replace(&mut self.is_open, false) {
            return Ok(());
        }
        // SAFETY: the pointer is what mapping this object returned, and is unmapped once.
        let event = Call::EnqueueUnmapMemObject
            .run(|| unsafe { enqueue_unmap_mem_object(self.session.queue(), self.memory.raw(), self.pointer.as_ptr().cast(), 0, null()) });
        // What could not be unmapped stays marked: nothing may use it any more.
        let event = Handle::of_event(event?);
        wait(event.raw())?;
        self.is_mapped.set(false);
        Ok(())
    }
}

impl Drop for Mapping<'_> {
    fn drop(&mut self) {
        // Open here only after a panic, which is the error that matters.
        let _ = self.close();
    }
}
