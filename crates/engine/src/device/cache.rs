//! Built programs as files. A file is believed only with its own checksum: some drivers kill the process over a damaged binary.
//!
//! File: the magic, the SHA-256 of all that follows, the key, the length of what the build told (4 bytes, little-endian), what it told (JSON: the
//! declarations of the kernels' arguments, the log), the driver's binary.

use super::DeviceInfo;
use super::arguments::ArgKind;
use base::hash::hexadecimal;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Changes with the format, and so makes all older files strangers.
const MAGIC: &[u8; 16] = b"kernel-ladder 3\n";

/// When the files take more than this, the oldest go until they take half. A whole filter takes about 25 MB with PoCL.
const MAX_FOLDER_BYTES: u64 = 256 << 20;

/// Of the files.
const EXTENSION: &str = "bin";

/// Bytes of a SHA-256.
const HASH_BYTES: usize = 32;

/// The environment variable that names the folder for built programs.
pub const CACHE: &str = "KERNEL_LADDER_CACHE";

/// Where built programs are kept between sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    folder: Option<PathBuf>,
}

impl CacheSettings {
    /// The folder that the environment variable `KERNEL_LADDER_CACHE` names (empty: nowhere), or else the user's cache folder; a temporary one
    /// after [`super::replace_unwritable_cache`].
    #[must_use]
    pub fn from_env() -> Self {
        let folder = match std::env::var_os(CACHE) {
            Some(folder) if folder.is_empty() => None,
            Some(folder) => Some(PathBuf::from(folder)),
            None => super::user_cache::programs_folder(),
        };
        Self { folder }
    }

    /// In this folder, which is made where it is missing.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// Nowhere.
    #[must_use]
    pub fn off() -> Self {
        Self { folder: None }
    }

    /// The file for what was found out of a device with its driver: `what` and a hash of all that says which these are. `None` where nothing is kept.
    #[must_use]
    pub fn device_file(&self, what: &str, info: &DeviceInfo) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{what}-{}.json", Key::new("", "", info).hex())))
    }
}

/// Identifies a program: source, options, and all that says which compiler it goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u8; HASH_BYTES]);

impl Key {
    /// The key of `source` built with `options` for `info`'s device.
    pub(super) fn new(source: &str, options: &str, info: &DeviceInfo) -> Self {
        let mut hash = Sha256::new();
        let driver = [&info.name, &info.vendor, &info.driver_version, &info.platform, &info.platform_version, &info.opencl_version];
        let parts = [source, options].into_iter().chain(driver.into_iter().map(String::as_str));
        for part in parts {
            // With lengths, so that no two lists of parts run together into the same bytes.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    fn file_name(&self) -> String {
        self.hex() + "." + EXTENSION
    }

    fn hex(&self) -> String {
        hexadecimal(&self.0)
    }
}

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stored {
    /// The declared arguments of each kernel, where the driver told them when it built from source.
    pub(super) kinds: BTreeMap<String, Vec<ArgKind>>,
    /// The driver's log of the build from source: its warnings.
    pub(super) log: String,
    /// The driver's binary.
    pub(super) binary: Vec<u8>,
}

/// The folder with the files.
#[derive(Debug)]
pub(super) struct DiskCache {
    folder: PathBuf,
}

impl DiskCache {
    /// `None` where there is to be no cache. Keeps the folder from growing for ever.
    pub(super) fn open(settings: &CacheSettings) -> Option<Self> {
        let folder = settings.folder.clone()?;
        // Failing is no error: another session may be doing the same.
        let _ = prune(&folder, MAX_FOLDER_BYTES);
        Some(Self { folder })
    }

    /// What was stored under `key`; `None` where there is nothing, or nothing that can be believed.
    pub(super) fn load(&self, key: &Key) -> Option<Stored> {
        decode(key, &base::files::read(&self.path(key)).ok()?)
    }

    /// Stores, replacing what was there; a reader sees the old file or the new one. Failing is no error: the next build is slower.
    pub(super) fn store(&self, key: &Key, stored: &Stored) {
        let _ = self.try_store(key, stored);
    }

    fn try_store(&self, key: &Key, stored: &Stored) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&encode(key, stored)?)?;
        file.persist(self.path(key))?;
        Ok(())
    }

    fn path(&self, key: &Key) -> PathBuf {
        Path::join(&self.folder, key.file_name())
    }
}

/// Where our files in `folder` take more than `max_bytes`, removes the oldest until they take at most half of it.
fn prune(folder: &Path, max_bytes: u64) -> std::io::Result<()> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let data = entry.metadata()?;
        if data.is_file() && entry.path().extension().is_some_and(|extension| extension == EXTENSION) {
            files.push((data.modified()?, data.len(), entry.path()));
        }
    }
    let mut total_bytes: u64 = files.iter().map(|(_, len, _)| len).sum();
    if total_bytes <= max_bytes {
        return Ok(());
    }
    files.sort();
    for (_, len, path) in files {
        if total_bytes <= max_bytes / 2 {
            break;
        }
        std::fs::remove_file(path)?;
        total_bytes -= len;
    }
    Ok(())
}

/// The bytes of a file.
fn encode(key: &Key, stored: &Stored) -> std::io::Result<Vec<u8>> {
    let told = serde_json::to_vec(&(&stored.kinds, &stored.log))?;
    let told_len = u32::try_from(told.len()).map_err(std::io::Error::other)?;
    let payload = [key.0.as_slice(), &told_len.to_le_bytes(), &told, &stored.binary].concat();
    let checksum: [u8; HASH_BYTES] = Sha256::digest(&payload).into();
    Ok([MAGIC.as_slice(), &checksum, &payload].concat())
}

/// The content of a file's bytes, where all of it is whole and for this key.
fn decode(key: &Key, bytes: &[u8]) -> Option<Stored> {
    let (checksum, payload) = bytes.strip_prefix(MAGIC)?.split_at_checked(HASH_BYTES)?;
    if Sha256::digest(payload).as_slice() != checksum {
        return None;
    }
    let (told_len, rest) = payload.strip_prefix(&key.0)?.split_first_chunk()?;
    let (told, binary) = rest.split_at_checked(u32::from_le_bytes(*told_len) as usize)?;
    let (kinds, log) = serde_json::from_slice(told).ok()?;
    Some(Stored { kinds, log, binary: binary.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::{CacheSettings, DiskCache, Key, Stored, decode, encode, prune};
    use crate::device::arguments::{ArgKind, Space};

    fn stored() -> Stored {
        let kinds = vec![ArgKind { space: Space::Global, type_name: "uchar*".to_owned(), access: Some(crate::device::Access::Write) }];
        Stored { kinds: [("invert".to_owned(), kinds)].into(), log: "a warning".to_owned(), binary: vec![1, 2, 3] }
    }

    #[test]
    fn a_file_is_read_back_as_it_was_written() {
        let key = Key([7; 32]);
        assert_eq!(decode(&key, &encode(&key, &stored()).expect("small")), Some(stored()));
    }

    /// As a stranger may put it there, or a network home that hangs looks.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_in_the_place_of_a_file_is_waited_for_by_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = DiskCache::open(&CacheSettings::at(folder.path())).expect("a cache");
        let key = Key([7; 32]);
        crate::testing::pipe(&cache.path(&key));
        // On a thread of its own, as the fault was to wait for ever.
        let (tell, told) = std::sync::mpsc::channel();
        let work = move || {
            let before = cache.load(&key);
            cache.store(&key, &stored());
            let after = cache.load(&key);
            let _ = (prune(&cache.folder, 0), tell.send((before, after)));
        };
        std::thread::Builder::new().name("cache".to_owned()).spawn(work).expect("a thread");
        assert_eq!(told.recv_timeout(std::time::Duration::from_secs(20)).expect("an answer"), (None, Some(stored())));
    }

    #[test]
    fn every_flipped_byte_and_every_truncation_is_seen() {
        let key = Key([7; 32]);
        let bytes = encode(&key, &stored()).expect("small");
        for position in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[position] ^= 1;
            assert_eq!(decode(&key, &damaged), None, "byte {position}");
            assert_eq!(decode(&key, &bytes[..position]), None, "cut at {position}");
        }
    }

    #[test]
    fn a_file_under_another_key_is_not_believed() {
        assert_eq!(decode(&Key([8; 32]), &encode(&Key([7; 32]), &stored()).expect("small")), None);
    }

    #[test]
    fn the_oldest_files_go_when_the_folder_is_too_large() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let now = std::time::SystemTime::now();
        for (name, age_s) in [("a.bin", 10), ("b.bin", 40), ("c.bin", 20), ("d.bin", 30), ("other", 50)] {
            let path = folder.path().join(name);
            std::fs::write(&path, [0; 100]).expect("writable");
            let file = std::fs::File::options().write(true).open(path).expect("there");
            file.set_modified(now - std::time::Duration::from_secs(age_s)).expect("ours");
        }
        let left = || {
            let entries = std::fs::read_dir(folder.path()).expect("a folder");
            let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
            names.sort();
            names
        };
        prune(folder.path(), 400).expect("ours");
        assert_eq!(left().len(), 5);
        prune(folder.path(), 399).expect("ours");
        assert_eq!(left(), ["a.bin", "other"]);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let cache = DiskCache::open(&CacheSettings::at(file.path().join("below a file"))).expect("settings name a folder");
        cache.store(&Key([7; 32]), &stored());
        assert_eq!(cache.load(&Key([7; 32])), None);
        assert!(DiskCache::open(&CacheSettings::off()).is_none());
    }
}
