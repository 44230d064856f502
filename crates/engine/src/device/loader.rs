//! Finding platforms, again and again, although both the bindings and the loaders look only once.
//!
//! Two things are cached for the life of a process: `cl3` keeps the outcome of its one attempt to open the OpenCL library, even a failed
//! one, and the library itself (Debian's loader and Khronos's alike) keeps the list of drivers that it found at the first call. So that
//! a driver installed meanwhile is seen without a restart:
//!
//! - the library is opened here first, and `cl3` is not touched before that has found a platform; a library without any is closed again,
//!   and the next look opens it afresh;
//! - later looks ask a *copy* of the library, which has a list of its own. The handles that it returns are good for calls through
//!   the first one, because every OpenCL object carries its driver's own table of functions. On Windows the file of a library that is loaded cannot be removed, so
//!   no copy is made there: whoever looks for a new driver asks another process, as the program does.

use super::NoDevice;
use super::call::{Call, Failed};
use dlopen2::raw::{AddressInfoObtainer, Library};
use opencl3::error_codes::{CL_PLATFORM_NOT_FOUND_KHR, CL_SUCCESS};
use opencl3::types::cl_platform_id;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// `clGetPlatformIDs`.
type GetPlatformIds = unsafe extern "C" fn(u32, *mut cl_platform_id, *mut u32) -> i32;

/// Where the library that `cl3` uses lies; `None` until one with a platform was found. Held while looking.
static LOADED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The platforms that are there now. At least one; once this was `Ok`, `cl3` may be called.
pub(super) fn platform_ids() -> Result<Vec<cl_platform_id>, NoDevice> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = loaded.as_ref() {
        return look_again(path);
    }
    let mut missing = NoDevice::NoLoader;
    for name in library_names() {
        let Ok(library) = Library::open(&name) else { continue };
        match ask(&library) {
            Ok((ids, path)) => {
                *loaded = Some(path.unwrap_or_else(|| PathBuf::from(name)));
                // Never closed: platforms, and with them all that comes later, live in it.
                std::mem::forget(library);
                return Ok(ids);
            }
            // Dropping closes the library, and with it its empty list.
            Err(reason) => missing = reason,
        }
    }
    Err(missing)
}

/// Asks a copy of the library at `path`, or the library itself where it cannot be copied (macOS has no file for it) or the copy would stay (Windows).
fn look_again(path: &Path) -> Result<Vec<cl_platform_id>, NoDevice> {
    let copied = || tempfile::Builder::new().prefix("opencl-loader-").suffix(".so").tempfile().map(tempfile::NamedTempFile::into_temp_path);
    let copied = if cfg!(windows) { None } else { copied().ok() };
    let copy = copied.filter(|copy| std::fs::copy(path, copy).is_ok());
    let opened = copy.as_ref().and_then(|copy| Library::open(copy).ok());
    let library = match opened {
        Some(library) => library,
        None => Library::open(path).map_err(|_| NoDevice::NoLoader)?,
    };
    let (ids, _) = ask(&library)?;
    // Never closed, as above; it costs some hundred kilobytes for each look.
    std::mem::forget(library);
    Ok(ids)
}

/// The platforms that `library` finds, at least one, and where the library lies, as far as that is asked for.
fn ask(library: &Library) -> Result<(Vec<cl_platform_id>, Option<PathBuf>), NoDevice> {
    // SAFETY: the symbol, where it exists, has the type that the OpenCL specification gives it.
    let get: GetPlatformIds = unsafe { library.symbol("clGetPlatformIDs") }.map_err(|_| NoDevice::NoLoader)?;
    // Windows reads the symbols of all programs and libraries that are loaded to answer this, and Wine falls over them. There the name leads to what is loaded.
    let info = (!cfg!(windows)).then(|| {
        // SAFETY: the address was just returned by the library, which is still open.
        unsafe { AddressInfoObtainer::new().obtain(get as *const ()) }
    });
    let path = info.and_then(Result::ok).map(|info| PathBuf::from(info.dll_path)).and_then(|path| path.canonicalize().ok());
    let call = Call::GetPlatformIDs;
    let mut count = 0;
    // SAFETY: 0 entries with a null list asks for the number alone, which is written to `count`.
    let asked = call.run(|| as_result(unsafe { get(0, std::ptr::null_mut(), &raw mut count) }));
    if asked == Err(Failed { call, code: CL_PLATFORM_NOT_FOUND_KHR }) || (asked.is_ok() && count == 0) {
        return Err(NoDevice::NoDriver);
    }
    let mut ids: Vec<cl_platform_id> = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: the list has room for `count` entries.
    let listed = asked.and_then(|()| call.run(|| as_result(unsafe { get(count, ids.as_mut_ptr(), std::ptr::null_mut()) })));
    listed.map_err(|failed| NoDevice::DriverFailed(failed.why()))?;
    ids.retain(|id| !id.is_null());
    if ids.is_empty() { Err(NoDevice::NoDriver) } else { Ok((ids, path)) }
}

/// OpenCL's code as a result.
fn as_result(code: i32) -> Result<(), i32> {
    if code == CL_SUCCESS { Ok(()) } else { Err(code) }
}

/// The libraries to try, in the order that `cl3` tries them. `OPENCL_DYLIB_PATH` names the one to use: where it is set and leads nowhere,
/// nothing else is taken in its place.
fn library_names() -> Vec<String> {
    match std::env::var("OPENCL_DYLIB_PATH") {
        Ok(paths) => paths.split(';').map(str::to_owned).collect(),
        Err(_) if cfg!(target_os = "windows") => vec!["OpenCL.dll".to_owned()],
        Err(_) if cfg!(target_os = "macos") => vec!["/System/Library/Frameworks/OpenCL.framework/OpenCL".to_owned()],
        Err(_) => vec!["libOpenCL.so.1".to_owned()],
    }
}

/// Where the library in use lies, for tests that install it elsewhere.
#[cfg(all(test, target_os = "linux"))]
pub(super) fn loaded_path() -> Option<PathBuf> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
