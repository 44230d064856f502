//! From OpenCL's bare codes to errors that say which call failed on which device, and what to do.

use super::under_way;
use base::error::{Error, Result};
use base::texts::{filled, text};
use opencl3::error_codes::{self, ClError, error_text};

/// Declares the functions of OpenCL that are called, each once.
macro_rules! calls {
    ($($call:ident)*) => {
        /// A function of OpenCL that this program calls.
        #[expect(missing_docs, reason = "OpenCL's specification has their descriptions")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Call {
            $($call,)*
        }

        impl Call {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$call,)*];

            /// Its name in C.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$call => concat!("cl", stringify!($call)),)*
                }
            }
        }
    };
}

calls! {
    GetPlatformIDs GetPlatformInfo GetDeviceIDs GetDeviceInfo
    CreateContext ReleaseContext CreateCommandQueue ReleaseCommandQueue Flush
    CreateProgramWithSource CreateProgramWithBinary BuildProgram GetProgramBuildInfo GetProgramInfo ReleaseProgram
    CreateKernel GetKernelInfo GetKernelArgInfo GetKernelWorkGroupInfo SetKernelArg ReleaseKernel
    CreateBuffer CreateSubBuffer CreateImage GetSupportedImageFormats ReleaseMemObject CreateSampler ReleaseSampler
    EnqueueNDRangeKernel EnqueueWriteBuffer EnqueueReadBuffer EnqueueReadBufferRect EnqueueFillBuffer EnqueueWriteImage EnqueueReadImage
    EnqueueFillImage
    EnqueueMapBuffer EnqueueMapImage EnqueueUnmapMemObject
    WaitForEvents GetEventInfo GetEventProfilingInfo ReleaseEvent
    SVMAlloc SVMFree
}

impl Call {
    /// Whether it waits for commands, and so fails where one that was enqueued before has failed.
    fn waits(self) -> bool {
        use Call::{
            EnqueueMapBuffer, EnqueueMapImage, EnqueueReadBuffer, EnqueueReadBufferRect, EnqueueReadImage, EnqueueUnmapMemObject, Flush,
            WaitForEvents,
        };
        matches!(
            self,
            Flush
                | WaitForEvents
                | EnqueueReadBuffer
                | EnqueueReadBufferRect
                | EnqueueReadImage
                | EnqueueMapBuffer
                | EnqueueMapImage
                | EnqueueUnmapMemObject
        )
    }

    /// Calls it by `function`; meanwhile another process can see that it is under way.
    pub(super) fn run<T, E: Code>(self, function: impl FnOnce() -> std::result::Result<T, E>) -> std::result::Result<T, Failed> {
        let _noted = under_way::note(self);
        function().map_err(|error| Failed { call: self, code: error.code() })
    }
}

/// A call that returned an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    /// Which.
    pub(super) call: Call,
    /// OpenCL's code, below 0.
    pub(super) code: i32,
}

impl Failed {
    /// The error; `what` is a clause ("The kernel did not run on X").
    pub(super) fn error(self, what: impl Into<String>) -> Error {
        let error = Error::failed(what, self.why(), remedy(self.code));
        if self.call.waits() || is_lost(self.code) { error.of_lost_device() } else { error }
    }

    /// "clFlush returned `CL_OUT_OF_RESOURCES` (−5)".
    pub(super) fn why(self) -> String {
        returned(self.call.name(), self.code)
    }
}

/// How `cl3` and `opencl3` return codes.
pub(super) trait Code {
    /// OpenCL's code.
    fn code(self) -> i32;
}

impl Code for i32 {
    fn code(self) -> i32 {
        self
    }
}

impl Code for ClError {
    fn code(self) -> i32 {
        self.0
    }
}

/// Adds to a call that failed what could not be done.
pub(super) trait OrFailed<T> {
    /// `what` is a clause ("The kernel did not run on X").
    fn or_failed(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> OrFailed<T> for std::result::Result<T, Failed> {
    fn or_failed(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|failed| failed.error(what()))
    }
}

/// The error of a kernel that began to run and ended with `code`. Whatever it did, its context is not used again: on NVIDIA's devices nothing works in one any more
/// after a wild access.
pub(super) fn kernel_failed(code: i32, what: impl Into<String>) -> Error {
    Error::failed(what, returned(text("errors.device.the-kernel"), code), remedy(code)).of_lost_device()
}

fn returned(call: &str, code: i32) -> String {
    filled("errors.device.returned", &[("call", &call), ("code", &code_name(code))])
}

/// "`CL_OUT_OF_RESOURCES` (−5)".
pub(super) fn code_name(code: i32) -> String {
    let sign = if code < 0 { "−" } else { "" };
    format!("{} ({sign}{})", error_text(code), code.unsigned_abs())
}

/// Whether the driver ran out of memory of some kind.
pub(super) fn is_out_of_memory(code: i32) -> bool {
    matches!(code, error_codes::CL_MEM_OBJECT_ALLOCATION_FAILURE | error_codes::CL_OUT_OF_HOST_MEMORY | error_codes::CL_OUT_OF_RESOURCES)
}

/// Whether nothing can be done in the same context any more.
fn is_lost(code: i32) -> bool {
    matches!(
        code,
        error_codes::CL_DEVICE_NOT_AVAILABLE
            | error_codes::CL_INVALID_CONTEXT
            | error_codes::CL_INVALID_COMMAND_QUEUE
            | error_codes::CL_INVALID_DEVICE
            | error_codes::CL_CONTEXT_TERMINATED_KHR
    )
}

/// What the person can do about `code`.
fn remedy(code: i32) -> &'static str {
    text(match code {
        // Only Windows has that watchdog.
        error_codes::CL_OUT_OF_RESOURCES if cfg!(windows) => "errors.device.do.out-of-resources-or-watchdog",
        error_codes::CL_OUT_OF_RESOURCES => "errors.device.do.out-of-resources",
        error_codes::CL_MEM_OBJECT_ALLOCATION_FAILURE | error_codes::CL_OUT_OF_HOST_MEMORY => "errors.device.do.out-of-memory",
        code if is_lost(code) && cfg!(windows) => "errors.device.do.lost-to-watchdog",
        code if is_lost(code) => "errors.device.do.lost",
        error_codes::CL_BUILD_PROGRAM_FAILURE | error_codes::CL_COMPILE_PROGRAM_FAILURE => "errors.device.do.build-log",
        error_codes::CL_COMPILER_NOT_AVAILABLE => "errors.device.do.no-compiler",
        error_codes::CL_INVALID_WORK_GROUP_SIZE | error_codes::CL_INVALID_WORK_ITEM_SIZE => "errors.device.do.work-group",
        error_codes::CL_INVALID_BUILD_OPTIONS | error_codes::CL_INVALID_COMPILER_OPTIONS => "errors.device.do.build-options",
        error_codes::CL_INVALID_KERNEL_NAME => "errors.device.do.kernel-name",
        _ => "errors.device.do.other",
    })
}

#[cfg(test)]
mod tests {
    use super::{Call, Failed, OrFailed as _};

    #[test]
    fn an_error_names_the_call_and_the_code() {
        let error = Failed { call: Call::EnqueueNDRangeKernel, code: -5 }.error("The kernel did not run on X");
        assert_eq!(error.why, "clEnqueueNDRangeKernel returned CL_OUT_OF_RESOURCES (−5)");
        assert!(error.remedy.starts_with("choose a smaller local size"), "{}", error.remedy);
        let result = Call::Flush.run(|| Err::<(), i32>(-6));
        assert_eq!(result, Err(Failed { call: Call::Flush, code: -6 }));
        assert_eq!(result.or_failed(|| "It failed".to_owned()).expect_err("an error").what, "It failed");
    }
}
