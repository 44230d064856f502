//! Reading and writing files so that nothing is lost and nothing waits for ever: a file is written as a whole or stays as it was, and only ordinary files
//! are read.

mod lines;
mod lock;
mod unfinished;

pub use lines::{Line, LineStep, Lines, LinesJob, read_lines, user_file};
pub use lock::Lock;
pub use unfinished::{Unfinished, remove_unfinished};

use crate::error::Result;
use crate::texts::{failed, text};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where the system keeps what belongs to this program and this person; `None` where they have no home.
#[must_use]
pub fn user_folders() -> Option<directories::ProjectDirs> {
    directories::ProjectDirs::from("", "", "kernel-ladder")
}

/// The folder of what sessions leave to later ones, and of the person's own lessons; `None` where there is no such folder.
#[must_use]
pub fn user_data() -> Option<PathBuf> {
    user_folders().map(|folders| folders.data_local_dir().to_owned())
}

/// When each of some files was written last, and how long it is: where that is another, the files are others.
pub type Stamp = Vec<(PathBuf, Option<SystemTime>, u64)>;

/// The state of these files now.
pub fn stamp(paths: impl IntoIterator<Item = PathBuf>) -> Stamp {
    let stamped = |path: PathBuf| {
        let known = path.metadata().ok();
        (path, known.as_ref().and_then(|known| known.modified().ok()), known.map_or(0, |known| known.len()))
    };
    paths.into_iter().map(stamped).collect()
}

/// Opens an ordinary file. Anything else is refused without waiting: opening a pipe would wait for whoever writes into it, and a device never ends.
///
/// # Errors
/// As the system tells them, and where it is no ordinary file.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Asked before opening, as that alone can have effects on a device. A pipe that takes the place in between does not hold us up either.
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(not_regular(path));
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(not_regular(path));
    }
    Ok(file)
}

fn not_regular(path: &Path) -> io::Error {
    let kind = if path.is_dir() { io::ErrorKind::IsADirectory } else { io::ErrorKind::InvalidInput };
    io::Error::new(kind, text("errors.file.not-regular"))
}

/// The one error of what has fewer bytes than it should: a file, a copy on another machine, a message, memory of another process.
#[must_use]
pub fn incomplete() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, text("errors.file.incomplete"))
}

/// The bytes of an ordinary file.
///
/// # Errors
/// As [`open_regular`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, u64::MAX)
}

/// The first `most` bytes of an ordinary file.
///
/// # Errors
/// As [`open_regular`].
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path, OpenOptions::new().read(true))?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// As [`read`], of text.
///
/// # Errors
/// As [`open_regular`], and where it is no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Writes `bytes` to `path`: into a temporary file of the same folder first, which then takes the name. An existing file keeps its
/// permissions, a link goes on pointing at its (replaced) file, and a write-protected file is left alone.
///
/// # Errors
/// What kept it from being written, and what to do; the path comes last. The old file, if any, is as it was.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomically_by(path, |file| file.write_all(bytes))
}

/// As [`write_atomically`], of a file that is the person's own: nobody else may read it, even if others could read the old one.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    write_by(path, Some(0o600), |file| file.write_all(bytes))
}

/// As [`write_atomically`], with what `write` writes: for what need not be in memory as a whole.
///
/// # Errors
/// As [`write_atomically`], and what `write` fails with.
pub fn write_atomically_by(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
    write_by(path, None, write)
}

/// `mode` is what a new and an existing file get on Unix; `None`: as the umask says, or as the file was.
fn write_by(path: &Path, mode: Option<u32>, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
    let refuse = |key| failed(key, &[("path", &path.display())]);
    // Through a link, so that the link itself survives.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = std::fs::metadata(&target).ok();
    if let Some(existing) = &existing {
        if existing.is_dir() {
            return Err(refuse("errors.file.is-folder"));
        }
        if !existing.is_file() {
            return Err(refuse("errors.file.is-device"));
        }
        if existing.permissions().readonly() {
            return Err(refuse("errors.file.is-protected"));
        }
    }
    // "picture.png" alone has the parent "", which is the current folder.
    let folder = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    replace(folder, &target, existing.map(|metadata| metadata.permissions()), mode, write).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refuse("errors.file.no-folder"),
        _ if is_in_use(&target, &error) => refuse("errors.file.in-use"),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => refuse("errors.file.not-permitted"),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => failed("errors.file.no-room", &[("path", &path.display())]),
        io::ErrorKind::InvalidFilename => refuse("errors.file.bad-name"),
        _ => failed("errors.file.other", &[("why", &error), ("path", &path.display())]),
    })
}

/// Whether another program has the file so that nobody else may replace it, as programs of Windows have a table that they show. The system says so only to whoever
/// opens it; renaming another file to its name is merely not permitted.
#[cfg(windows)]
fn is_in_use(target: &Path, error: &io::Error) -> bool {
    use std::os::windows::fs::OpenOptionsExt as _;
    const ERROR_SHARING_VIOLATION: i32 = 32;
    const ERROR_LOCK_VIOLATION: i32 = 33;
    let tells = |error: &io::Error| matches!(error.raw_os_error(), Some(ERROR_SHARING_VIOLATION | ERROR_LOCK_VIOLATION));
    tells(error)
        || error.kind() == io::ErrorKind::PermissionDenied
            && OpenOptions::new().read(true).share_mode(0).open(target).is_err_and(|error| tells(&error))
}

#[cfg(not(windows))]
const fn is_in_use(_: &Path, _: &io::Error) -> bool {
    false
}

fn replace(
    folder: &Path,
    target: &Path,
    permissions: Option<std::fs::Permissions>,
    mode: Option<u32>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kernel-ladder-").suffix(".part");
    // Temporary files are private by default; this one becomes an ordinary file, less what the umask takes away.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode.unwrap_or(0o666)));
    #[cfg(not(unix))]
    let _ = mode;
    let (mut temporary, _unfinished) = Unfinished::made(|| builder.tempfile_in(folder), tempfile::NamedTempFile::path)?;
    write(temporary.as_file_mut())?;
    if let Some(permissions) = permissions.filter(|_| mode.is_none()) {
        temporary.as_file().set_permissions(permissions)?;
    }
    // Without this, a power cut after the rename could leave the name with an empty file.
    temporary.as_file().sync_all()?;
    temporary.persist(target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::write_atomically;
    use std::fs;

    #[test]
    fn new_and_existing_files_are_written_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        write_atomically(&path, b"one").expect("new");
        write_atomically(&path, b"two").expect("replaced");
        assert_eq!(fs::read(&path).expect("there"), b"two");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }

    #[test]
    fn refusals_say_why_and_where_and_keep_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("kept.txt");
        fs::write(&file, b"old").expect("written");
        let mut permissions = fs::metadata(&file).expect("there").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&file, permissions).expect("protected");
        for (path, why) in [
            (file.clone(), "write-protected"),
            (folder.path().to_owned(), "folder with this name exists"),
            (folder.path().join("missing/a.txt"), "does not exist"),
            (folder.path().join("x".repeat(300)), ""),
        ] {
            let error = write_atomically(&path, b"new").expect_err("refused");
            assert!(error.why.contains(why), "{error}");
            assert!(error.remedy.ends_with(&path.display().to_string()), "{error}");
        }
        assert_eq!(fs::read(&file).expect("there"), b"old");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }

    #[cfg(windows)]
    #[test]
    fn a_file_that_another_program_has_is_in_use() {
        use std::os::windows::fs::OpenOptionsExt as _;
        const FILE_SHARE_READ: u32 = 1;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        fs::write(&path, b"old").expect("written");
        let open = fs::OpenOptions::new().read(true).share_mode(FILE_SHARE_READ).open(&path).expect("opened as a table is");
        let error = write_atomically(&path, b"new").expect_err("refused");
        assert!(error.why.contains("in use by another program"), "{error}");
        drop(open);
        write_atomically(&path, b"new").expect("nobody has it");
        assert_eq!((fs::read(&path).expect("there"), fs::read_dir(folder.path()).expect("listed").count()), (b"new".to_vec(), 1));
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_survive() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("a.txt"), folder.path().join("link.txt"));
        fs::write(&file, b"old").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("set");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        write_atomically(&link, b"new").expect("through the link");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read(&file).expect("there"), b"new");
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o640);
    }
}
