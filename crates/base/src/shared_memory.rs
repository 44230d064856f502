//! Memory that another process may have, too, mapped by both.
//!
//! On Linux it is a file in memory without a name in any folder, so that nothing is left behind whatever happens; the other process opens it as
//! `/proc/PROCESS/fd/NUMBER`. On Windows it is a section of the page file, which has a name and is gone with the last process that has it. On macOS it is an object
//! of `shm_open`: its name is in no folder either, but stays after a crash, so whoever is left removes it ([`remove_of_ended`]). Elsewhere it is a file among the
//! temporary ones. Whoever makes it writes it, and does so before the other one learns of it; the other one only reads. A single byte may go on to be written, see
//! [`Shared::first_byte`].
#![expect(unsafe_code, reason = "to map a file is to trust that nobody changes it meanwhile")]

#[cfg(not(windows))]
use crate::files::incomplete;
#[cfg(windows)]
use crate::system::Section;
#[cfg(not(windows))]
use memmap2::{Mmap, MmapMut, MmapOptions};
use std::fs::File;
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU8;
use std::sync::{Mutex, PoisonError};
#[cfg(not(any(windows, target_os = "macos")))]
use tempfile::NamedTempFile;

/// The memory, and by what others find it.
#[derive(Debug)]
pub struct Shared {
    map: Map,
    #[cfg(not(windows))]
    place: Place,
}

#[derive(Debug)]
enum Map {
    /// Made here.
    #[cfg(not(windows))]
    Ours(MmapMut),
    /// Of another process.
    #[cfg(not(windows))]
    Theirs(Mmap),
    /// The same of what knows its own name.
    #[cfg(windows)]
    Section { is_ours: bool, section: Section },
}

/// Keeps the file, where it is still needed.
#[cfg(not(windows))]
#[derive(Debug)]
enum Place {
    /// The system finds it by its number among our open files.
    #[cfg(target_os = "linux")]
    Open(File),
    /// Removed when it is dropped.
    #[cfg(not(target_os = "macos"))]
    Named(NamedTempFile),
    /// The same of one that is no file.
    #[cfg(target_os = "macos")]
    Object(object::Name),
    /// Whoever made it knows.
    #[cfg(not(target_os = "linux"))]
    Unknown,
}

/// Files that other processes handed over with a question, by the names that they have there: see [`take_over`].
static HANDED: Mutex<Vec<(PathBuf, File)>> = Mutex::new(Vec::new());

/// From now on [`Shared::open`] finds these files by those names, in the place of what was handed over before: a process that is confined may not open another one's.
pub fn take_over(files: Vec<(PathBuf, File)>) {
    *HANDED.lock().unwrap_or_else(PoisonError::into_inner) = files;
}

#[cfg(not(windows))]
fn handed(path: &Path) -> Option<File> {
    let mut handed = HANDED.lock().unwrap_or_else(PoisonError::into_inner);
    let place = handed.iter().position(|(name, _)| name == path)?;
    Some(handed.swap_remove(place).1)
}

/// Where the system shows the open files of all processes.
#[cfg(target_os = "linux")]
const OPEN_FILES: &str = "/proc/self/fd";

impl Shared {
    /// So many bytes, all of them 0.
    ///
    /// # Errors
    /// The system's, and `InvalidInput` for no bytes at all.
    pub fn zeroed(len_bytes: usize) -> Result<Self> {
        if len_bytes == 0 {
            return Err(ErrorKind::InvalidInput.into());
        }
        #[cfg(target_os = "linux")]
        if !Path::new(OPEN_FILES).is_dir() {
            return Self::named(len_bytes);
        }
        Self::unnamed(len_bytes)
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

    #[cfg(windows)]
    fn unnamed(len_bytes: usize) -> Result<Self> {
        loop {
            // No other program guesses it, and holds it before.
            let name = format!("{SECTIONS}{}-{:032x}", std::process::id(), fastrand::u128(..));
            match Section::made(name, len_bytes) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|section| Self { map: Map::Section { is_ours: true, section } }),
            }
        }
    }

    #[cfg(target_os = "macos")]
    fn unnamed(len_bytes: usize) -> Result<Self> {
        let (name, file) = object::Name::made()?;
        file.set_len(len_bytes as u64)?;
        Ok(Self { map: Self::ours(&file, len_bytes)?, place: Place::Object(name) })
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
    fn unnamed(len_bytes: usize) -> Result<Self> {
        Self::named(len_bytes)
    }

    #[cfg(not(any(windows, target_os = "macos")))]
    fn named(len_bytes: usize) -> Result<Self> {
        let mut file = tempfile::Builder::new().prefix("kernel-ladder-").tempfile()?;
        // Written and not only set to that length: a disk that is full says so here, and not by a signal later.
        let written = std::io::copy(&mut std::io::Read::take(std::io::repeat(0), len_bytes as u64), &mut file)?;
        if written != len_bytes as u64 {
            return Err(ErrorKind::StorageFull.into());
        }
        Ok(Self { map: Self::ours(file.as_file(), len_bytes)?, place: Place::Named(file) })
    }

    #[cfg(not(windows))]
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
        #[cfg(windows)]
        {
            // Another process names nothing else of this system: no file, and no section of another program.
            let name = path.to_str().filter(|name| name.starts_with(SECTIONS)).ok_or(ErrorKind::NotFound)?;
            let section = Section::opened(name.to_owned(), len_bytes)?;
            Ok(Self { map: Map::Section { is_ours: false, section } })
        }
        #[cfg(not(windows))]
        Self::open_file(path, len_bytes)
    }

    #[cfg(not(windows))]
    fn open_file(path: &Path, len_bytes: usize) -> Result<Self> {
        let file = match handed(path) {
            Some(file) => file,
            #[cfg(target_os = "macos")]
            None => object::open(path)?,
            // Asked before opening: opening a pipe waits for whoever writes into it, forever if need be.
            #[cfg(not(target_os = "macos"))]
            None if !std::fs::metadata(path)?.is_file() => return Err(ErrorKind::InvalidInput.into()),
            #[cfg(not(target_os = "macos"))]
            None => File::open(path)?,
        };
        if file.metadata()?.len() < len_bytes as u64 {
            return Err(incomplete());
        }
        // SAFETY: whoever made it has written it, and does so no more. Only a driver that went wild in that process could change it, and then a picture is wrong.
        let map = unsafe { MmapOptions::new().len(len_bytes).map(&file) }?;
        #[cfg(target_os = "linux")]
        let place = Place::Open(file);
        #[cfg(not(target_os = "linux"))]
        let place = Place::Unknown;
        Ok(Self { map: Map::Theirs(map), place })
    }

    /// Where another process finds it while this one has it; `None` where only its maker knows.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        #[cfg(windows)]
        {
            let Map::Section { section, .. } = &self.map;
            Some(PathBuf::from(section.name()))
        }
        #[cfg(not(windows))]
        match &self.place {
            #[cfg(target_os = "linux")]
            Place::Open(file) => {
                let number = std::os::fd::AsRawFd::as_raw_fd(file);
                Some(PathBuf::from(format!("/proc/{}/fd/{number}", std::process::id())))
            }
            #[cfg(not(target_os = "macos"))]
            Place::Named(file) => Some(file.path().to_owned()),
            #[cfg(target_os = "macos")]
            Place::Object(name) => Some(name.path()),
            #[cfg(not(target_os = "linux"))]
            Place::Unknown => None,
        }
    }

    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.map {
            #[cfg(not(windows))]
            Map::Ours(map) => map,
            #[cfg(not(windows))]
            Map::Theirs(map) => map,
            #[cfg(windows)]
            // SAFETY: so much is mapped while this lives. As for files: whoever made it writes it no more once others know of it.
            Map::Section { section, .. } => unsafe { std::slice::from_raw_parts(section.start(), section.len_bytes()) },
        }
    }

    /// The first byte, in memory that holds nothing else: its maker goes on to write it, and everybody else only loads it.
    #[must_use]
    pub fn first_byte(&self) -> &AtomicU8 {
        let pointer = match &self.map {
            #[cfg(not(windows))]
            Map::Ours(map) => map.as_ptr(),
            #[cfg(not(windows))]
            Map::Theirs(map) => map.as_ptr(),
            #[cfg(windows)]
            Map::Section { section, .. } => section.start().cast_const(),
        };
        // SAFETY: no memory of no bytes is mapped, and it stays while this lives. The pointer is the mapping's own, which may be written where it is ours; elsewhere
        // it is only loaded from, which needs no more than that it may be read.
        unsafe { AtomicU8::from_ptr(pointer.cast_mut()) }
    }

    /// To be written; `None` where it is another process's.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        match &mut self.map {
            #[cfg(not(windows))]
            Map::Ours(map) => Some(map),
            #[cfg(not(windows))]
            Map::Theirs(_) => None,
            #[cfg(windows)]
            Map::Section { is_ours: true, section } => {
                // SAFETY: so much is mapped to be written, and this borrow of it is the only one.
                Some(unsafe { std::slice::from_raw_parts_mut(section.start(), section.len_bytes()) })
            }
            #[cfg(windows)]
            Map::Section { is_ours: false, .. } => None,
        }
    }
}

/// What the names of sections begin with: those of this person's session, and of this program.
#[cfg(windows)]
const SECTIONS: &str = "Local\\kernel-ladder-";

/// Removes what a process has left behind that is gone: where the system does that itself, and where the process still runs, nothing.
pub fn remove_of_ended(process: u32) {
    #[cfg(target_os = "macos")]
    object::remove_of_ended(process);
    #[cfg(not(target_os = "macos"))]
    let _ = process;
}

/// Shared memory of macOS. Its names are short, and stay until somebody removes them.
#[cfg(target_os = "macos")]
mod object {
    use rustix::fs::Mode;
    use rustix::shm::OFlags;
    use std::collections::BTreeSet;
    use std::fs::File;
    use std::io::{ErrorKind, Result};
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};

    /// What names begin with: the process's number and that of the object follow. In all they may have 31 bytes.
    const START: &str = "/kernel-ladder-";

    /// Numbers that are in use. The lowest free one is taken, so that whoever removes those of a process that is gone has few to try.
    static USED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

    /// So many numbers in a row that are free are the end of them.
    const GAP: u32 = 64;

    fn name(process: u32, number: u32) -> String {
        format!("{START}{process}-{number}")
    }

    /// Removed when it is dropped.
    #[derive(Debug)]
    pub struct Name(u32);

    impl Name {
        /// A new object with its name.
        pub fn made() -> Result<(Self, File)> {
            let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
            let mut free = (0..).filter(|number| !used.contains(number));
            let (number, file) = loop {
                let number = free.next().ok_or(ErrorKind::QuotaExceeded)?;
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR;
                match rustix::shm::open(name(std::process::id(), number), flags, Mode::RUSR | Mode::WUSR) {
                    Ok(file) => break (number, File::from(file)),
                    // Left by a process of the same number that is gone, or held by somebody else.
                    Err(rustix::io::Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            };
            drop(free);
            used.insert(number);
            Ok((Self(number), file))
        }

        /// By what others open it.
        pub fn path(&self) -> PathBuf {
            PathBuf::from(name(std::process::id(), self.0))
        }
    }

    impl Drop for Name {
        fn drop(&mut self) {
            let _ = rustix::shm::unlink(name(std::process::id(), self.0));
            USED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
        }
    }

    /// That of another process, to be read.
    pub fn open(path: &Path) -> Result<File> {
        // Another process names nothing else of this system.
        let name = path.to_str().filter(|name| name.starts_with(START)).ok_or(ErrorKind::NotFound)?;
        Ok(File::from(rustix::shm::open(name, OFlags::RDONLY, Mode::empty())?))
    }

    pub fn remove_of_ended(process: u32) {
        if !crate::system::process_ended(process) {
            return;
        }
        let (mut number, mut free) = (0, 0);
        while free < GAP {
            free = if rustix::shm::unlink(name(process, number)).is_ok() { 0 } else { free + 1 };
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;

    #[test]
    fn what_one_writes_the_other_one_reads_while_somebody_has_it() {
        let mut ours = Shared::zeroed(5000).expect("there is room");
        assert!(ours.bytes().iter().all(|byte| *byte == 0) && ours.bytes().len() == 5000);
        ours.bytes_mut().expect("it is ours")[4999] = 7;
        let path = ours.path().expect("others find it");
        let mut theirs = Shared::open(&path, 5000).expect("it is there");
        assert_eq!((theirs.bytes().len(), theirs.bytes()[4999]), (5000, 7));
        assert!(theirs.bytes_mut().is_none(), "it is only read");
        assert!(Shared::open(&path, 1 << 20).is_err(), "so much is not there");
        let another = Shared::zeroed(5000).expect("there is room");
        assert_ne!(another.path(), Some(path.clone()));
        drop(ours);
        assert_eq!(theirs.bytes()[4999], 7, "it stays for whoever has it");
        drop(theirs);
        // On Linux its number may be that of another file by now.
        assert!(cfg!(target_os = "linux") || Shared::open(&path, 5000).is_err(), "and is gone after that");
    }

    #[test]
    fn one_byte_is_seen_as_it_changes() {
        use std::sync::atomic::Ordering;
        let ours = Shared::zeroed(1).expect("there is room");
        let theirs = Shared::open(&ours.path().expect("others find it"), 1).expect("it is there");
        for value in [1, 200, 0] {
            ours.first_byte().store(value, Ordering::SeqCst);
            assert_eq!(theirs.first_byte().load(Ordering::SeqCst), value);
        }
    }

    #[test]
    fn no_bytes_are_no_memory() {
        assert_eq!(Shared::zeroed(0).expect_err("refused").kind(), std::io::ErrorKind::InvalidInput);
    }

    #[cfg(target_os = "linux")]
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
