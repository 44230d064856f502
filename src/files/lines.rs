//! Files of one value per line, as JSON, the oldest first: what sessions leave to later ones. They are the person's own: nobody else may read them.

use super::write_atomically;
use crate::error::{Error, Result};
use crate::texts::failed;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// A value that is kept in a file, on a line of its own.
pub trait Line: Serialize + DeserializeOwned {
    /// The file's name in the folder of the person's data.
    const FILE: &'static str;

    /// Lines beyond this many push the oldest out: a file that is read at every start must not grow for ever.
    const MOST: usize;

    /// The errors that tell of a line that could not be read, and of several: tables of `errors.toml`, with `{count}` and `{path}`.
    const UNREAD: [&'static str; 2];

    /// Whether it is of the version that is written now.
    fn is_current(&self) -> bool;

    /// The error of what did not happen: a key of `errors.toml`, with `{why}` and `{path}`.
    fn refused(step: LineStep) -> &'static str;
}

/// What can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStep {
    /// Reading the file.
    Read,
    /// Keeping a damaged file as it was.
    Copy,
    /// Adding a line.
    Append,
    /// Writing all lines anew.
    Replace,
}

/// The person's file of such values; `None` where the system names no folder for them.
#[must_use]
pub fn user_file<T: Line>() -> Option<PathBuf> {
    super::user_data().map(|folder| folder.join(T::FILE))
}

/// What a file holds.
#[derive(Debug, PartialEq)]
pub struct Lines<T> {
    /// The newest [`Line::MOST`], the oldest first.
    pub lines: Vec<T>,
    /// Lines that are no value of this version.
    pub damaged: usize,
    /// Where the file is as it was, where lines were damaged.
    pub copy: Option<PathBuf>,
}

impl<T> Default for Lines<T> {
    fn default() -> Self {
        Self { lines: Vec::new(), damaged: 0, copy: None }
    }
}

impl<T: Line> Lines<T> {
    /// What to tell of lines that could not be read, if there are any.
    #[must_use]
    pub fn damage(&self) -> Option<Error> {
        let [one, several] = T::UNREAD;
        let key = match self.damaged {
            0 => return None,
            1 => one,
            _ => several,
        };
        let copy = self.copy.as_deref().unwrap_or(Path::new(""));
        Some(failed(key, &[("count", &self.damaged), ("path", &copy.display())]))
    }
}

/// Work on such a file, for a thread that may wait.
#[derive(Clone, Debug)]
pub enum LinesJob<T> {
    /// Read what earlier sessions left.
    Read,
    /// Add a line.
    Append(Box<T>),
    /// Replace everything.
    Replace(Vec<T>),
}

impl<T: Line> LinesJob<T> {
    /// Does it; what was read, where that was asked for.
    ///
    /// # Errors
    /// See [`read_lines`]; where the file cannot be written.
    pub fn run(&self, path: &Path) -> Result<Option<Lines<T>>> {
        match self {
            Self::Read => read_lines(path).map(Some),
            Self::Append(line) => append(path, line.as_ref()).map(|()| None),
            Self::Replace(lines) => replace(path, lines).map(|()| None),
        }
    }
}

/// Reads the file; one that is not there holds nothing. A line that cannot be read costs itself alone: the file is kept as a copy, and goes on without it.
///
/// # Errors
/// Where the file is there and cannot be read.
pub fn read_lines<T: Line>(path: &Path) -> Result<Lines<T>> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Lines::default()),
        Err(error) => return Err(refused::<T>(LineStep::Read, path, &error)),
    };
    let mut read = Lines::default();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    for line in lines {
        match serde_json::from_slice::<T>(line) {
            Ok(value) if value.is_current() => read.lines.push(value),
            _ => read.damaged += 1,
        }
    }
    let is_long = read.lines.len() > T::MOST;
    read.lines.drain(..read.lines.len().saturating_sub(T::MOST));
    if read.damaged > 0 {
        let copy = free_copy(path);
        std::fs::copy(path, &copy).map_err(|error| refused::<T>(LineStep::Copy, path, &error))?;
        read.copy = Some(copy);
    }
    // Where the last line lacks its end, the next one would be glued to it.
    let is_cut = bytes.last().is_some_and(|byte| *byte != b'\n');
    if is_long || is_cut || read.damaged > 0 {
        replace(path, &read.lines)?;
    }
    Ok(read)
}

/// A name beside the file that is free, so that a second damage does not cost the copy of the first.
fn free_copy(path: &Path) -> PathBuf {
    let first = path.with_extension("damaged.jsonl");
    let numbered = (2..100).map(|number| path.with_extension(format!("damaged-{number}.jsonl")));
    std::iter::once(first.clone()).chain(numbered).find(|copy| !copy.exists()).unwrap_or(first)
}

/// Adds a line at the end, and makes the folder where there is none.
fn append<T: Line>(path: &Path, value: &T) -> Result<()> {
    // One write for the whole line: another window may be writing, too.
    let written = || -> io::Result<()> { open(path)?.write_all(line(value)?.as_bytes()) };
    written().map_err(|error| refused::<T>(LineStep::Append, path, &error))
}

/// Replaces everything.
fn replace<T: Line>(path: &Path, values: &[T]) -> Result<()> {
    let lines = || -> io::Result<String> {
        // A file that is there keeps its permissions when it is replaced.
        open(path)?;
        values.iter().map(line).collect()
    };
    let text = lines().map_err(|error| refused::<T>(LineStep::Replace, path, &error))?;
    write_atomically(path, text.as_bytes())
}

/// The file, for adding to it; made where there is none, for the person alone.
fn open(path: &Path) -> io::Result<File> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn line(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)? + "\n")
}

fn refused<T: Line>(step: LineStep, path: &Path, error: &io::Error) -> Error {
    failed(T::refused(step), &[("why", error), ("path", &path.display())])
}

#[cfg(test)]
mod tests {
    use super::{Line, LineStep, Lines, append, read_lines, replace};
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Note {
        version: u32,
        text: String,
    }

    impl Line for Note {
        const FILE: &'static str = "notes.jsonl";
        const MOST: usize = 5;
        const UNREAD: [&'static str; 2] = ["errors.window.unread-reading", "errors.window.unread-history"];

        fn is_current(&self) -> bool {
            self.version == 1
        }

        fn refused(_: LineStep) -> &'static str {
            "errors.history.not-kept"
        }
    }

    fn note(text: &str) -> Note {
        Note { version: 1, text: text.to_owned() }
    }

    #[test]
    fn lines_come_back_as_they_were_and_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new folder").join("notes.jsonl");
        assert_eq!(read_lines::<Note>(&path).expect("nothing is no error"), Lines::default());
        let mut notes = vec![note("one"), note("two\nlines, \"quoted\"")];
        for note in &notes {
            append(&path, note).expect("written");
        }
        assert_eq!(read_lines(&path).expect("read"), Lines { lines: notes.clone(), ..Lines::default() });
        notes.remove(0);
        replace(&path, &notes).expect("written");
        assert_eq!(read_lines::<Note>(&path).expect("read").lines, notes);
    }

    #[test]
    fn a_damaged_line_costs_itself_alone_and_every_damaged_file_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.jsonl");
        append(&path, &note("one")).expect("written");
        append(&path, &Note { version: 2, ..note("newer") }).expect("written");
        let mut bytes = std::fs::read(&path).expect("there");
        bytes.extend(b"{\"version\":1,\xff\n\0\0\n");
        bytes.extend(serde_json::to_vec(&note("two")).expect("plain data"));
        std::fs::write(&path, &bytes).expect("written");
        let kept = read_lines::<Note>(&path).expect("read");
        assert_eq!((kept.lines.as_slice(), kept.damaged), (&[note("one"), note("two")][..], 3));
        let first = kept.copy.expect("a copy");
        assert_eq!(std::fs::read(&first).expect("there"), bytes);
        assert_eq!(read_lines::<Note>(&path).expect("read").damaged, 0, "it is mended");
        std::fs::write(&path, b"once more\n").expect("written");
        let second = read_lines::<Note>(&path).expect("read").copy.expect("a copy");
        assert_ne!(first, second);
        assert_eq!(std::fs::read(&first).expect("there"), bytes, "the first copy stays");
    }

    #[test]
    fn a_last_line_without_its_end_is_not_glued_to_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.jsonl");
        std::fs::write(&path, serde_json::to_vec(&note("one")).expect("plain data")).expect("written");
        assert_eq!(read_lines::<Note>(&path).expect("read").damaged, 0);
        append(&path, &note("two")).expect("written");
        assert_eq!(read_lines(&path).expect("read"), Lines { lines: vec![note("one"), note("two")], ..Lines::default() });
    }

    #[test]
    fn only_the_newest_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.jsonl");
        let notes: Vec<Note> = (0..8).map(|index| note(&index.to_string())).collect();
        replace(&path, &notes).expect("written");
        assert_eq!(read_lines::<Note>(&path).expect("read").lines, notes[3..]);
        assert_eq!(std::fs::read_to_string(&path).expect("there").lines().count(), 5);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |path: &std::path::Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        let (added, replaced) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
        append(&added, &note("one")).expect("written");
        replace(&replaced, &[note("one")]).expect("written");
        assert_eq!((mode(&added), mode(&replaced)), (0o600, 0o600));
        replace(&added, &[note("two")]).expect("written");
        assert_eq!(mode(&added), 0o600, "and it stays so");
    }
}
