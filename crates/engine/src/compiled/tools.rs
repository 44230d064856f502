//! Programs of others that are installed: which there are, and what LLVM's disassembler prints.

use base::texts::{filled, text};
use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Versions of LLVM whose programs' names are looked for, the newest first; before them the name without a version.
const LLVM_VERSIONS: std::ops::RangeInclusive<u32> = 14..=26;

/// Where AMD's own installer puts LLVM.
const ROCM: &str = "/opt/rocm/llvm/bin";

/// A listing has at most so many bytes: kernels have some hundred thousand.
const MOST_LISTED_BYTES: u64 = 64 << 20;

/// The names of a program of LLVM.
pub(super) fn llvm_names(program: &str) -> Vec<String> {
    let numbered = LLVM_VERSIONS.rev().map(|version| format!("{program}-{version}"));
    std::iter::once(program.to_owned()).chain(numbered).collect()
}

/// The program that a variable of the environment names, or the first of these that a folder of the path has, or the last folder.
pub(super) fn found(names: &[String], variable: &str, also: Option<&Path>) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(variable).filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(also.map(Path::to_owned)).collect();
    let in_a_folder = |name: &String| folders.iter().map(|folder| folder.join(OsStr::new(name))).find(|file| file.is_file());
    names.iter().find_map(in_a_folder)
}

/// The disassembler.
pub(super) fn objdump() -> Option<PathBuf> {
    found(&llvm_names("llvm-objdump"), "KERNEL_LADDER_OBJDUMP", Some(Path::new(ROCM)))
}

/// What LLVM's disassembler prints of a code object for this processor. Nothing is written to a file.
///
/// # Errors
/// A clause: it is not installed, or knows nothing of such code.
pub fn disassembled(elf: &[u8], processor: Option<&str>) -> Result<String, String> {
    let program = objdump().ok_or_else(|| text("code.reason.no-objdump").to_owned())?;
    let mut command = Command::new(&program);
    command.arg("-d").args(processor.map(|name| format!("--mcpu={name}"))).arg("-");
    let not_read = |why: &dyn std::fmt::Display| filled("code.reason.objdump-failed", &[("why", why)]);
    let mut running =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|error| not_read(&error))?;
    let (input, output) = (running.stdin.take(), running.stdout.take());
    let mut listing = Vec::new();
    std::thread::scope(|scope| {
        // It may print before it has read all.
        scope.spawn(|| input.map(|mut input| input.write_all(elf)));
        output.map(|output| output.take(MOST_LISTED_BYTES).read_to_end(&mut listing)).transpose()
    })
    .map_err(|error| not_read(&error))?;
    if listing.len() as u64 == MOST_LISTED_BYTES {
        // What it has left to say goes nowhere, and keeps nobody waiting.
        let _ = running.kill();
        let _ = running.wait();
        return Err(text("code.reason.too-long").to_owned());
    }
    let ended = running.wait().map_err(|error| not_read(&error))?;
    if !ended.success() {
        return Err(not_read(&ended));
    }
    String::from_utf8(listing).map_err(|error| not_read(&error))
}
