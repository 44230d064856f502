//! A recorded run through CUDA's driver API, which is looked for when it is wanted.
#![allow(unsafe_code, reason = "calls into CUDA's driver library")]

use super::{Argument, Pass, Recording};
use base::error::{Error, Result};
use base::texts::failed;
use dlopen2::raw::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

/// The driver's library.
const NAMES: [&str; 3] = ["libcuda.so.1", "libcuda.so", "nvcuda.dll"];

/// A pointer of the device.
type DevicePointer = u64;

/// Makes a table of the functions that are used, with the types that `cuda.h` gives them.
macro_rules! functions {
    ($($field:ident $name:literal ($($argument:ty),*);)+) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($argument),*) -> c_int,)+
        }

        impl Functions {
            fn of(library: &Library) -> std::result::Result<Self, dlopen2::Error> {
                // SAFETY: each symbol, where it exists, has the type that NVIDIA's `cuda.h` gives it.
                Ok(unsafe { Self { $($field: library.symbol($name)?,)+ } })
            }
        }
    };
}

functions! {
    init "cuInit" (c_uint);
    device_get "cuDeviceGet" (*mut c_int, c_int);
    device_count "cuDeviceGetCount" (*mut c_int);
    device_name "cuDeviceGetName" (*mut c_char, c_int, c_int);
    retain "cuDevicePrimaryCtxRetain" (*mut *mut c_void, c_int);
    set_current "cuCtxSetCurrent" (*mut c_void);
    load "cuModuleLoadData" (*mut *mut c_void, *const c_void);
    function "cuModuleGetFunction" (*mut *mut c_void, *mut c_void, *const c_char);
    allocate "cuMemAlloc_v2" (*mut DevicePointer, usize);
    to_device "cuMemcpyHtoD_v2" (DevicePointer, *const c_void, usize);
    to_host "cuMemcpyDtoH_v2" (*mut c_void, DevicePointer, usize);
    launch "cuLaunchKernel" (*mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, *mut c_void, *mut *mut c_void, *mut *mut c_void);
    synchronize "cuCtxSynchronize" ();
}

/// Of a call that succeeded.
const SUCCESS: c_int = 0;

fn done(what: &'static str, code: c_int) -> Result<()> {
    if code == SUCCESS { Ok(()) } else { Err(failed("errors.replay.cuda", &[("what", &what), ("code", &code)])) }
}

/// Bytes of a device's name.
const NAME_BYTES: c_int = 256;

/// Runs it so many times. Nothing is given back: the process ends behind it.
pub fn run(recording: &Recording, runs: usize) -> Result<()> {
    let library = NAMES.into_iter().find_map(|name| Library::open(name).ok());
    let library = library.ok_or_else(|| failed("errors.replay.no-cuda", &[]))?;
    let cuda = Functions::of(&library).map_err(|_| failed("errors.replay.no-cuda", &[]))?;
    // SAFETY: all pointers given below are to values that live through the call; sizes are those of the slices; handles come from earlier calls that succeeded.
    unsafe {
        done("cuInit", (cuda.init)(0))?;
        let device = device(&cuda, &recording.device)?;
        let mut context = null_mut();
        done("cuDevicePrimaryCtxRetain", (cuda.retain)(&raw mut context, device))?;
        done("cuCtxSetCurrent", (cuda.set_current)(context))?;
        let text = CString::new(recording.ptx.as_str()).map_err(|_| failed("errors.replay.no-ptx", &[]))?;
        let mut module = null_mut();
        done("cuModuleLoadData", (cuda.load)(&raw mut module, text.as_ptr().cast()))?;
        let mut buffers = Vec::with_capacity(recording.buffers.len());
        for bytes in &recording.buffers {
            let mut pointer: DevicePointer = 0;
            done("cuMemAlloc", (cuda.allocate)(&raw mut pointer, bytes.len().max(1)))?;
            done("cuMemcpyHtoD", (cuda.to_device)(pointer, bytes.as_ptr().cast(), bytes.len()))?;
            buffers.push(pointer);
        }
        for _ in 0..runs {
            for pass in &recording.passes {
                launch(&cuda, module, pass, &buffers)?;
            }
        }
        done("cuCtxSynchronize", (cuda.synchronize)())?;
        let output = buffers.get(recording.output).copied().ok_or_else(|| failed("errors.engine.no-buffer", &[]))?;
        let mut found = vec![0_u8; recording.expected.len()];
        done("cuMemcpyDtoH", (cuda.to_host)(found.as_mut_ptr().cast(), output, found.len()))?;
        match found.iter().zip(recording.expected.iter()).position(|(found, expected)| found != expected) {
            None => Ok(()),
            Some(index) => Err(failed("errors.replay.wrong", &[("index", &index)])),
        }
    }
}

/// The device with that name.
///
/// # Safety
/// CUDA was initialized.
unsafe fn device(cuda: &Functions, name: &str) -> Result<c_int> {
    let mut count = 0;
    // SAFETY: the number is written to `count`.
    done("cuDeviceGetCount", unsafe { (cuda.device_count)(&raw mut count) })?;
    for index in 0..count {
        let (mut device, mut text) = (0, [0 as c_char; NAME_BYTES as usize]);
        // SAFETY: the handle is written to `device`.
        done("cuDeviceGet", unsafe { (cuda.device_get)(&raw mut device, index) })?;
        // SAFETY: the name has room for so many bytes, the end included.
        done("cuDeviceGetName", unsafe { (cuda.device_name)(text.as_mut_ptr(), NAME_BYTES, device) })?;
        // SAFETY: CUDA ends the name with a zero.
        if unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy() == name {
            return Ok(device);
        }
    }
    Err(failed("errors.replay.other-device", &[("name", &name)]))
}

/// Launches a kernel.
///
/// # Safety
/// The context is current, and the module and the buffers are its own.
unsafe fn launch(cuda: &Functions, module: *mut c_void, pass: &Pass, buffers: &[DevicePointer]) -> Result<()> {
    let name = CString::new(pass.kernel.as_str()).map_err(|_| failed("errors.replay.no-ptx", &[]))?;
    let mut function = null_mut();
    // SAFETY: the name ends with a zero, and the handle is written to `function`.
    done("cuModuleGetFunction", unsafe { (cuda.function)(&raw mut function, module, name.as_ptr()) })?;
    let missing = || failed("errors.engine.no-buffer", &[]);
    // Every argument fits eight bytes; CUDA reads as many as the parameter has.
    let value = |argument: &Argument| -> Result<u64> {
        Ok(match argument {
            Argument::Buffer(index) => *buffers.get(*index).ok_or_else(missing)?,
            Argument::Word(bytes) => u64::from(u32::from_le_bytes(*bytes)),
            Argument::Local(_) => 0,
        })
    };
    let mut values = pass.arguments.iter().map(value).collect::<Result<Vec<u64>>>()?;
    let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
    let size = |value: usize| {
        c_uint::try_from(value).map_err(|error| -> Error { failed("errors.replay.cuda", &[("what", &"cuLaunchKernel"), ("code", &error)]) })
    };
    let [[gx, gy], [x, y]] = [pass.global, pass.local];
    let (across, down) = (size(gx / x.max(1))?, size(gy / y.max(1))?);
    let (x, y, shared) = (size(x)?, size(y)?, size(pass.shared_bytes)?);
    // SAFETY: there is a pointer to a value for each parameter of the kernel, whose number and sizes were checked when it was recorded.
    done("cuLaunchKernel", unsafe {
        (cuda.launch)(function, across, down, 1, x, y, 1, shared, null_mut(), pointers.as_mut_ptr(), null_mut())
    })
}
