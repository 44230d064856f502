//! Memory that another process may have, too: a file that lies in memory, mapped by both.
//!
//! On Linux it has no name in any folder, so that nothing is left behind whatever happens; the other process opens it as `/proc/PROCESS/fd/NUMBER`. Elsewhere it is
//! a file among the temporary ones. Whoever makes it writes it, and does so before the other one learns of it; the other one only reads. A single byte may go on to be
//! written, see [`Shared::first_byte`].
#![expect(unsafe_code, reason = "to map a file is to trust that nobody changes it meanwhile")]

use crate::files::incomplete;
use memmap2::{Mmap, MmapMut, MmapOptions};
use std::fs::File;
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU8;
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// The memory, and by what others find it.
#[derive(Debug)]
pub struct Shared {
    map: Map,
    place: Place,
}

#[derive(Debug)]
enum Map {
    /// Made here.
    Ours(MmapMut),
    /// Of another process.
    Theirs(Mmap),
}

/// Keeps the file, where it is still needed.
#[derive(Debug)]
enum Place {
    /// The system finds it by its number among our open files.
    Open(File),
    /// Removed when it is dropped.
    Named(NamedTempFile),
    /// Whoever made it knows.
    Unknown,
}

/// Files that other processes handed over with a question, by the names that they have there: see [`take_over`].
static HANDED: Mutex<Vec<(PathBuf, File)>> = Mutex::new(Vec::new());

/// From now on [`Shared::open`] finds these files by those names, in the place of what was handed over before: a process that is confined may not open another one's.
pub fn take_over(files: Vec<(PathBuf, File)>) {
    *HANDED.lock().unwrap_or_else(PoisonError::into_inner) = files;
}

fn handed(path: &Path) -> Option<File> {
    let mut handed = HANDED.lock().unwrap_or_else(PoisonError::into_inner);
    let place = handed.iter().position(|(name, _)| name == path)?;
    Some(handed.swap_remove(place).1)
}

/// Where the system shows the open files of all processes.
const OPEN_FILES: &str = "/proc/self/fd";

impl Shared {
    /// So many bytes, all of them 0.
    ///
    /// # Errors
    /// The system's, and `InvalidInput` for no bytes at all.
    pub fn zeroed(len_bytes: usize) -> Result<Self> {
        if cfg!(target_os = "linux") && Path::new(OPEN_FILES).is_dir() { Self::unnamed(len_bytes) } else { Self::named(len_bytes) }
    }

    #[cfg(target_os = "linux")]
    fn unnamed(len_bytes: usize) -> Result<Self> {
        use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
        let file = File::from(memfd_create("kernel-ladder", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
        file.set_len(len_bytes as u64)?;
        // Nobody takes away a page that somebody reads.
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW)?;
        Ok(Self { map: Self::ours(&file, len_bytes)?, place: Place::Open(file) })
    }

    #[cfg(not(target_os = "linux"))]
    fn unnamed(len_bytes: usize) -> Result<Self> {
        Self::named(len_bytes)
    }

    fn named(len_bytes: usize) -> Result<Self> {
        let mut file = tempfile::Builder::new().prefix("kernel-ladder-").tempfile()?;
        // Written and not only set to that length: a disk that is full says so here, and not by a signal later.
        let written = std::io::copy(&mut std::io::Read::take(std::io::repeat(0), len_bytes as u64), &mut file)?;
        if written != len_bytes as u64 {
            return Err(ErrorKind::StorageFull.into());
        }
        Ok(Self { map: Self::ours(file.as_file(), len_bytes)?, place: Place::Named(file) })
    }

    fn ours(file: &File, len_bytes: usize) -> Result<Map> {
        // SAFETY: the file is new. The other process learns of it when all is written, and only reads it.
        let map = unsafe { MmapOptions::new().len(len_bytes).map_mut(file) }?;
        Ok(Map::Ours(map))
    }

    /// In large pages, where the system has such for this memory: a picture has tens of thousands of small ones, each of which is made on its own.
    #[must_use]
    pub fn in_large_pages(self) -> Self {
        #[cfg(target_os = "linux")]
        if let Map::Ours(map) = &self.map {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        self
    }

    /// The memory that another process found at that path, as it said.
    ///
    /// # Errors
    /// The system's; it has fewer bytes.
    pub fn open(path: &Path, len_bytes: usize) -> Result<Self> {
        let file = match handed(path) {
            Some(file) => file,
            // Asked before opening: opening a pipe waits for whoever writes into it, forever if need be.
            None if !std::fs::metadata(path)?.is_file() => return Err(ErrorKind::InvalidInput.into()),
            None => File::open(path)?,
        };
        if file.metadata()?.len() < len_bytes as u64 {
            return Err(incomplete());
        }
        // SAFETY: whoever made it has written it, and does so no more. Only a driver that went wild in that process could change it, and then a picture is wrong.
        let map = unsafe { MmapOptions::new().len(len_bytes).populate().map(&file) }?;
        let place = if cfg!(target_os = "linux") { Place::Open(file) } else { Place::Unknown };
        Ok(Self { map: Map::Theirs(map), place })
    }

    /// Where another process finds it while this one has it; `None` where only its maker knows.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        match &self.place {
            #[cfg(target_os = "linux")]
            Place::Open(file) => {
                let number = std::os::fd::AsRawFd::as_raw_fd(file);
                Some(PathBuf::from(format!("/proc/{}/fd/{number}", std::process::id())))
            }
            Place::Named(file) => Some(file.path().to_owned()),
            _ => None,
        }
    }

    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.map {
            Map::Ours(map) => map,
            Map::Theirs(map) => map,
        }
    }

    /// The first byte, in memory that holds nothing else: its maker goes on to write it, and everybody else only loads it.
    #[must_use]
    pub fn first_byte(&self) -> &AtomicU8 {
        let pointer = match &self.map {
            Map::Ours(map) => map.as_ptr(),
            Map::Theirs(map) => map.as_ptr(),
        };
        // SAFETY: no memory of no bytes is mapped, and it stays while this lives. The pointer is the mapping's own, which may be written where it is ours; elsewhere
        // it is only loaded from, which needs no more than that it may be read.
        unsafe { AtomicU8::from_ptr(pointer.cast_mut()) }
    }

    /// To be written; `None` where it is another process's.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        match &mut self.map {
            Map::Ours(map) => Some(map),
            Map::Theirs(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;

    #[test]
    fn files_with_names_serve_where_there_are_no_others() {
        let mut shared = Shared::named(5000).expect("there is room");
        shared.bytes_mut().expect("it is ours")[4] = 4;
        let path = shared.path().expect("it has a name");
        assert_eq!(Shared::open(&path, 5000).expect("it is there").bytes()[..6], [0, 0, 0, 0, 4, 0]);
        drop(shared);
        assert!(!path.exists(), "it is removed");
    }
}
