//! A small file system that can really be full.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// 64 KiB of memory as a file system; gone when this is dropped.
pub struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None`, and a line that says so, where the person who runs the tests may not mount anything.
    #[must_use]
    pub fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(folder.path()).output();
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Self(folder));
        }
        eprintln!("not tested with a full disk: nothing may be mounted here");
        None
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Leaves no byte free.
    pub fn fill(&self) {
        let mut file = File::create(self.path().join("full")).expect("made");
        while file.write_all(&[1; 512]).is_ok() {}
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).output();
    }
}
