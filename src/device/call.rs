//! From OpenCL's bare codes to errors that say which call failed on which device, and what to do.

use crate::error::{Error, Result};
use crate::texts::{filled, text};
use opencl3::error_codes::{self, ClError, error_text};

/// Adds to a code which call returned it and what could not be done.
pub(super) trait OrFailed<T> {
    /// `what` is a clause ("The kernel did not run on X"), `call` the C function's name.
    fn or_failed(self, call: &str, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> OrFailed<T> for std::result::Result<T, i32> {
    fn or_failed(self, call: &str, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|code| failed(call, code, what()))
    }
}

impl<T> OrFailed<T> for std::result::Result<T, ClError> {
    fn or_failed(self, call: &str, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| failed(call, error.0, what()))
    }
}

/// The error for `code` of `call`.
pub(super) fn failed(call: &str, code: i32, what: impl Into<String>) -> Error {
    Error::failed(what, filled("errors.device.returned", &[("call", &call), ("code", &code_name(code))]), remedy(code))
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

/// What the person can do about `code`.
fn remedy(code: i32) -> &'static str {
    text(match code {
        error_codes::CL_OUT_OF_RESOURCES => "errors.device.do.out-of-resources",
        error_codes::CL_MEM_OBJECT_ALLOCATION_FAILURE | error_codes::CL_OUT_OF_HOST_MEMORY => "errors.device.do.out-of-memory",
        error_codes::CL_DEVICE_NOT_AVAILABLE
        | error_codes::CL_INVALID_CONTEXT
        | error_codes::CL_INVALID_COMMAND_QUEUE
        | error_codes::CL_INVALID_DEVICE
        | error_codes::CL_CONTEXT_TERMINATED_KHR => "errors.device.do.lost",
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
    use super::{OrFailed, failed};

    #[test]
    fn an_error_names_the_call_and_the_code() {
        let error = failed("clEnqueueNDRangeKernel", -5, "The kernel did not run on X");
        assert_eq!(error.why, "clEnqueueNDRangeKernel returned CL_OUT_OF_RESOURCES (−5)");
        assert!(error.remedy.starts_with("choose a smaller local size"), "{}", error.remedy);
        let result: Result<(), i32> = Err(-6);
        assert_eq!(result.or_failed("clFoo", || "It failed".to_owned()).expect_err("an error").what, "It failed");
    }
}
