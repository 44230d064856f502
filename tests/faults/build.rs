//! The layer between the program and the system's OpenCL library, as tests build it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds it in this folder; `None` where the system lacks a compiler or OpenCL's headers, and that is no failure.
pub fn layer_in(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("layer.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/layer.cpp");
    let mut command = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    command.args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden"]);
    // What the layer does not have is found in the library that it needs.
    command.arg(source).arg("-o").arg(&library).arg("-l:libOpenCL.so.1");
    let is_possible = Path::new("/usr/include/CL/cl.h").exists();
    let is_required = std::env::var_os("KERNEL_LADDER_REQUIRE_OCLGRIND").is_some();
    assert!(is_possible || !is_required, "OpenCL's headers are missing: apt-get install opencl-c-headers");
    match command.output() {
        Ok(output) if is_possible => {
            assert!(output.status.success(), "the layer does not build: {}", String::from_utf8_lossy(&output.stderr));
            Some(library)
        }
        _ => {
            println!("skipped: there is no C++ compiler or no /usr/include/CL/cl.h; apt-get install g++ opencl-c-headers");
            None
        }
    }
}
