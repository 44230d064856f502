//! Destinations with guard bytes before and after, so that a kernel that writes past its output is found.

use super::call::{Call, OrFailed as _};
use super::memory::flags;
use super::session::Session;
use super::{Access, Buffer, DeviceInfo, HostMemory, Poison, Quirk};
use base::error::Result;
use base::texts::{self, failed, filled, misused};
use opencl3::memory::{CL_BUFFER_CREATE_TYPE_REGION, cl_buffer_region, create_sub_buffer};
use std::sync::LazyLock;

/// Guard bytes on each side, at least: more than a row of most wide stores that went astray.
const GUARD_BYTES: usize = 4096;

/// An environment variable: `0` leaves guard bytes out on a device that checks accesses by itself.
pub const GUARDS: &str = "KERNEL_LADDER_GUARDS";

/// A buffer between two guard zones. Kernels see the inner part alone, as a sub-buffer.
#[derive(Debug)]
pub struct GuardedBuffer {
    // Before `whole`, whose part it is.
    inner: Buffer,
    whole: Buffer,
    guard_bytes: usize,
    /// What both guards hold.
    pattern: Poison,
}

impl GuardedBuffer {
    /// What a device has to allocate for `len_bytes` bytes and their guards.
    #[must_use]
    pub fn whole_bytes(info: &DeviceInfo, len_bytes: usize) -> usize {
        len_bytes.saturating_add(2 * guard_bytes(info))
    }

    /// The part between the guards, for kernel arguments and transfers.
    #[must_use]
    pub fn buffer(&self) -> &Buffer {
        &self.inner
    }

    /// First byte of the guard behind, in the whole buffer.
    fn behind(&self) -> usize {
        self.guard_bytes + self.inner.len_bytes()
    }
}

/// Guard bytes on each side: a sub-buffer has to begin at a multiple of the device's alignment.
fn guard_bytes(info: &DeviceInfo) -> usize {
    // What checks each access by itself finds the line as well, unless there is memory to write to.
    static IS_ASKED: LazyLock<bool> = LazyLock::new(|| std::env::var_os(GUARDS).is_some_and(|value| value == "0"));
    if Quirk::ChecksAccesses.is_of(info) && *IS_ASKED {
        return 0;
    }
    GUARD_BYTES.next_multiple_of(info.base_align_bytes.max(1))
}

impl Session {
    /// A buffer of `len_bytes` bytes, for kernels to write and read, with guard bytes before and after.
    ///
    /// # Errors
    /// As [`Session::buffer`].
    pub fn guarded_buffer(&self, len_bytes: usize) -> Result<GuardedBuffer> {
        self.guarded_buffer_in(HostMemory::Copy, len_bytes)
    }

    /// As [`Session::guarded_buffer`], with a choice of where its bytes lie for the host.
    ///
    /// # Errors
    /// As [`Session::buffer`].
    pub fn guarded_buffer_in(&self, host_memory: HostMemory, len_bytes: usize) -> Result<GuardedBuffer> {
        let (guard_bytes, whole_bytes) = (guard_bytes(self.info()), GuardedBuffer::whole_bytes(self.info(), len_bytes));
        if len_bytes == 0 {
            return Err(misused("errors.device.no-bytes", &[("device", &self.info().name)]));
        }
        let whole = self.buffer_in(host_memory, whole_bytes, Access::ReadWrite)?;
        let region = cl_buffer_region { origin: guard_bytes, size: len_bytes };
        let region_pointer: *const cl_buffer_region = &raw const region;
        // SAFETY: the region lies in the whole buffer and begins aligned; it is read before the call returns.
        let created = Call::CreateSubBuffer.run(|| unsafe {
            create_sub_buffer(whole.memory.raw(), flags(Access::ReadWrite), CL_BUFFER_CREATE_TYPE_REGION, region_pointer.cast())
        });
        let memory = created.or_failed(|| filled("errors.device.no-guarded-buffer.what", &[("device", &self.info().name)]))?;
        let guarded = GuardedBuffer { inner: Buffer::part(memory, &whole, len_bytes), whole, guard_bytes, pattern: Poison::random() };
        self.fill_guards(&guarded)?;
        Ok(guarded)
    }

    /// That both guards are as they were made.
    ///
    /// # Errors
    /// Which side was written, and how many of its bytes; the guards are then made anew for the next run.
    pub fn check_guards(&self, guarded: &GuardedBuffer) -> Result<()> {
        let pattern = guarded.pattern.bytes(guarded.guard_bytes);
        let mut damages = Vec::new();
        for (start, side) in [(0, "errors.device.overwritten-before"), (guarded.behind(), "errors.device.overwritten-behind")] {
            let mut bytes = vec![0; guarded.guard_bytes];
            self.read_at(&guarded.whole, start, &mut bytes)?;
            let mut differs = bytes.iter().zip(&pattern).map(|(byte, own)| byte != own);
            let written = differs.clone().filter(|&differs| differs).count();
            let nearest = if start == 0 { differs.rev().position(|differs| differs) } else { differs.position(|differs| differs) };
            if let Some(distance) = nearest {
                damages.push(filled(side, &[("count", &written), ("distance", &(distance + 1))]));
            }
        }
        if damages.is_empty() {
            return Ok(());
        }
        self.fill_guards(guarded)?;
        let why = texts::joined("words.list.clauses", damages);
        Err(failed("errors.device.wrote-outside", &[("why", &why)]))
    }

    fn fill_guards(&self, guarded: &GuardedBuffer) -> Result<()> {
        let pattern = guarded.pattern.bytes(guarded.guard_bytes);
        self.write_at(&guarded.whole, 0, &pattern)?;
        self.write_at(&guarded.whole, guarded.behind(), &pattern)?;
        Ok(())
    }
}
