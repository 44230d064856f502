//! One program at a time: what is read, changed and written again must not be written by another one in between.

use super::open_regular;
use crate::texts::text;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long another program may hold it: it does so for milliseconds, unless it is stopped or its disk hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long until the next look.
const LOOK: Duration = Duration::from_millis(5);

/// Holds a file against other programs of this kind until it is dropped. The lock is on a file beside it, which stays: the file itself is another one
/// each time that it is written as a whole.
#[derive(Debug)]
pub struct Lock {
    /// `None` where the file system knows no locks: all go on as well as they can.
    _file: Option<File>,
}

impl Lock {
    /// Waits until no other program holds `path`, a few seconds at most, and makes its folder where there is none.
    ///
    /// # Errors
    /// As the system tells them, and where another program holds it for too long.
    pub fn of(path: &Path) -> io::Result<Self> {
        Self::with_patience(path, PATIENCE)
    }

    fn with_patience(path: &Path, patience: Duration) -> io::Result<Self> {
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = open_regular(&path.with_extension("lock"), &mut options)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: Some(file) }),
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(Self { _file: None }),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => std::thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => return Err(io::Error::new(io::ErrorKind::TimedOut, text("errors.file.held"))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lock;
    use std::io::ErrorKind;
    use std::time::Duration;

    #[test]
    fn one_holds_it_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new folder").join("notes.jsonl");
        let first = Lock::of(&path).expect("free");
        let refused = Lock::with_patience(&path, Duration::ZERO).expect_err("held");
        assert_eq!(refused.kind(), ErrorKind::TimedOut, "{refused}");
        drop(first);
        Lock::with_patience(&path, Duration::ZERO).expect("free again");
    }
}
