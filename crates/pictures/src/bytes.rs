//! A picture's bytes, and where they lie.

use base::shared_memory::Shared;
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};
use std::io::{ErrorKind, Result};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Who may read bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// This process alone.
    #[default]
    Private,
    /// Another process, too, without a copy of them; this one alone where the system has no room for that.
    Shared,
}

/// Bytes of a picture. A clone has bytes of its own.
#[derive(Debug)]
pub enum Bytes {
    /// See [`Sharing::Private`].
    Private(Vec<u8>),
    /// See [`Sharing::Shared`].
    Shared(Shared),
}

/// Large enough to be worth a core's while, and small enough for all of them to have some.
const PART_BYTES: usize = 4 << 20;

impl Bytes {
    /// So many bytes, all of them 0.
    #[must_use]
    pub fn zeroed(len_bytes: usize, sharing: Sharing) -> Self {
        let shared = || Shared::zeroed(len_bytes).ok().map(|shared| Self::Shared(shared.in_large_pages()));
        let shared = if sharing == Sharing::Shared { shared() } else { None };
        shared.unwrap_or_else(|| Self::Private(vec![0; len_bytes]))
    }

    /// The bytes that another process has at that path.
    ///
    /// # Errors
    /// There are not so many.
    pub fn open(path: &Path, len_bytes: usize) -> Result<Self> {
        Shared::open(path, len_bytes).map(Self::Shared)
    }

    /// Where another process finds them while they are here; `None` for those that only this one has.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Self::Private(_) => None,
            Self::Shared(shared) => shared.path(),
        }
    }

    /// The same bytes where another process may read them.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn to_shared(&self) -> Result<Self> {
        let mut shared = Shared::zeroed(self.len())?;
        let to = shared.bytes_mut().ok_or(ErrorKind::Unsupported)?;
        // With all cores: most of the time goes into making pages.
        to.par_chunks_mut(PART_BYTES).zip(self.par_chunks(PART_BYTES)).for_each(|(to, from)| to.copy_from_slice(from));
        Ok(Self::Shared(shared))
    }

    /// To be written. What another process made is copied first.
    pub fn to_mut(&mut self) -> &mut [u8] {
        if let Self::Shared(shared) = self
            && shared.bytes_mut().is_none()
        {
            *self = Self::Private(shared.bytes().to_vec());
        }
        match self {
            Self::Private(bytes) => bytes,
            Self::Shared(shared) => shared.bytes_mut().unwrap_or_default(),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Private(bytes) => bytes,
            Self::Shared(shared) => shared.bytes(),
        }
    }
}

impl Default for Bytes {
    /// None.
    fn default() -> Self {
        Self::Private(Vec::new())
    }
}

impl Clone for Bytes {
    fn clone(&self) -> Self {
        Self::Private(self.to_vec())
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Private(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Sharing};

    #[test]
    fn what_is_written_here_is_read_there_and_what_is_changed_there_is_a_copy() {
        let mut mine = Bytes::zeroed(9_000_000, Sharing::Shared);
        mine.to_mut().iter_mut().enumerate().for_each(|(index, byte)| *byte = index as u8);
        let path = mine.path().expect("it is shared");
        let mut theirs = Bytes::open(&path, mine.len()).expect("it is there");
        assert!(mine == theirs);
        theirs.to_mut()[5] = 77;
        assert!(theirs[5] == 77 && mine[5] == 5 && theirs.path().is_none());
        // A clone is other memory: runs that rotate over several must not get one.
        assert!(mine.clone().path().is_none() && mine.clone() == mine);
        let shared = theirs.to_shared().expect("there is room");
        assert!(shared == theirs && shared.path().is_some_and(|path| path != mine.path().expect("shared")));
    }

    #[test]
    fn it_outlives_whoever_made_it() {
        let mut mine = Bytes::zeroed(5000, Sharing::Shared);
        mine.to_mut()[4999] = 3;
        let theirs = Bytes::open(&mine.path().expect("it is shared"), 5000).expect("it is there");
        drop(mine);
        assert_eq!(theirs[4999], 3);
    }

    #[test]
    fn fewer_bytes_than_were_said_are_an_error() {
        let mine = Bytes::zeroed(5000, Sharing::Shared);
        let path = mine.path().expect("it is shared");
        assert!(Bytes::open(&path, 5001).is_err() && Bytes::open(&path, 4999).is_ok());
        assert!(Bytes::open(std::path::Path::new("/proc/self/fd/99999"), 1).is_err());
        // None at all cannot be shared, and need not be.
        assert!(Bytes::zeroed(0, Sharing::Shared).is_empty() && Bytes::zeroed(9, Sharing::Private).path().is_none());
    }
}
