//! Owning an OpenCL object.

use opencl3::event::release_event;
use std::cell::Cell;
use std::ffi::c_void;

thread_local! {
    static CREATED: Cell<u64> = const { Cell::new(0) };
}

/// How many contexts, queues, programs, kernels, buffers and images this thread has created so far. The events of commands, which a driver makes with
/// each, are not counted.
#[must_use]
pub fn objects_created() -> u64 {
    CREATED.get()
}

/// How an object of one kind is released.
type Release = unsafe fn(*mut c_void) -> Result<(), i32>;

/// An OpenCL object that is released when dropped.
///
/// `opencl3`'s own wrappers panic when a release fails, which aborts the process where it happens during unwinding. A release that
/// fails means that the device is lost, and then there is nothing left to release: it is ignored.
///
/// The raw pointer keeps it, and all that holds one, on the thread that made it.
#[derive(Debug)]
pub(super) struct Handle {
    raw: *mut c_void,
    release: Release,
}

impl Handle {
    /// Takes over `raw`, which the matching `clCreate…` has just returned; `release` is its `clRelease…`.
    pub(super) fn new(raw: *mut c_void, release: Release) -> Self {
        CREATED.set(CREATED.get() + 1);
        Self { raw, release }
    }

    /// Takes over the event of a command that was just enqueued.
    pub(super) fn of_event(raw: *mut c_void) -> Self {
        Self { raw, release: release_event }
    }

    /// For passing on to OpenCL while the handle lives.
    pub(super) fn raw(&self) -> *mut c_void {
        self.raw
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: `raw` was returned by the `clCreate…` that belongs to `release`, is owned by this handle alone and is released once.
        let _ = unsafe { (self.release)(self.raw) };
    }
}
