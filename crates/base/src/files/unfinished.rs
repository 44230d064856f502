//! Temporary files and folders while they are there, so that a signal that ends the program leaves none of them.

use std::io::Result;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Those that are there.
static THERE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Known to be there until it is dropped, which is after the file or the folder itself.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes a temporary file or folder, which no signal comes before.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn made<T>(make: impl FnOnce() -> Result<T>, path: impl FnOnce(&T) -> &Path) -> Result<(T, Self)> {
        let mut there = lock();
        let made = make()?;
        let path = path(&made).to_owned();
        there.push(path.clone());
        Ok((made, Self(path)))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut there = lock();
        if let Some(place) = there.iter().position(|path| *path == self.0) {
            there.swap_remove(place);
        }
    }
}

/// Removes all of them, and lets none be made any more: the program ends.
pub fn remove_unfinished() {
    let there = lock();
    for path in there.iter() {
        // What is not there any more has its name, or was removed.
        let _ = std::fs::remove_file(path).or_else(|_| std::fs::remove_dir_all(path));
    }
    std::mem::forget(there);
}
