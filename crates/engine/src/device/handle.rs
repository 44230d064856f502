//! Owning an OpenCL object.

use super::Call;
use opencl3::command_queue::release_command_queue;
use opencl3::context::context::release_context;
use opencl3::error_codes::CL_INVALID_SAMPLER;
use opencl3::event::release_event;
use opencl3::kernel::release_kernel;
use opencl3::memory::{Sampler, release_mem_object};
use opencl3::program::release_program;
use std::cell::Cell;
use std::ffi::c_void;

thread_local! {
    static CREATED: Cell<u64> = const { Cell::new(0) };
}

/// How many contexts, queues, programs, kernels, samplers, buffers and images this thread has created so far. The events of commands, which a driver makes with
/// each, are not counted.
#[must_use]
pub fn objects_created() -> u64 {
    CREATED.get()
}

/// How objects of a kind are released.
type Release = unsafe fn(*mut c_void) -> Result<(), i32>;

/// Releases a sampler. `opencl3` shows this function by its own wrapper alone, which panics where it fails.
unsafe fn release_sampler(raw: *mut c_void) -> Result<(), i32> {
    std::panic::catch_unwind(|| drop(Sampler::new(raw))).map_err(|_| CL_INVALID_SAMPLER)
}

/// What an object is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Context,
    Queue,
    Program,
    Kernel,
    /// A buffer or an image.
    Memory,
    Sampler,
    Event,
}

impl Kind {
    /// By which it is released.
    fn release(self) -> (Call, Release) {
        match self {
            Self::Context => (Call::ReleaseContext, release_context),
            Self::Queue => (Call::ReleaseCommandQueue, release_command_queue),
            Self::Program => (Call::ReleaseProgram, release_program),
            Self::Kernel => (Call::ReleaseKernel, release_kernel),
            Self::Memory => (Call::ReleaseMemObject, release_mem_object),
            Self::Sampler => (Call::ReleaseSampler, release_sampler),
            Self::Event => (Call::ReleaseEvent, release_event),
        }
    }
}

/// An OpenCL object that is released when dropped.
///
/// `opencl3`'s own wrappers panic when a release fails, which aborts the process where it happens during unwinding. A release that
/// fails means that the device is lost, and then there is nothing left to release: it is ignored.
///
/// The raw pointer keeps it, and all that holds one, on the thread that made it.
#[derive(Debug)]
pub(super) struct Handle {
    raw: *mut c_void,
    kind: Kind,
}

impl Handle {
    /// Takes over `raw`, an object of that kind that has just been created.
    pub(super) fn new(kind: Kind, raw: *mut c_void) -> Self {
        CREATED.set(CREATED.get() + 1);
        Self { raw, kind }
    }

    /// Takes over the event of a command that was just enqueued.
    pub(super) fn of_event(raw: *mut c_void) -> Self {
        Self { raw, kind: Kind::Event }
    }

    /// For passing on to OpenCL while the handle lives.
    pub(super) fn raw(&self) -> *mut c_void {
        self.raw
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let (call, release) = self.kind.release();
        // SAFETY: `raw` is an object of the kind that `release` takes, is owned by this handle alone and is released once.
        let _ = call.run(|| unsafe { release(self.raw) });
    }
}
