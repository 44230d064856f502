//! Owning an OpenCL object.

use std::ffi::c_void;

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
        Self { raw, release }
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
