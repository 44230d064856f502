//! What tests share: a small disk, busy shells, a named pipe.

#![allow(clippy::expect_used, clippy::missing_panics_doc, reason = "a helper of tests fails by panicking, as the tests themselves do")]

pub mod disk;
#[cfg(target_os = "linux")]
pub mod load;

#[cfg(target_os = "linux")]
use std::path::Path;

/// A named pipe without a writer: whoever opens it to read waits.
#[cfg(target_os = "linux")]
pub fn pipe(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).expect("made");
}
