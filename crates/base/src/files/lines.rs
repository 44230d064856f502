//! Files of one value per line, as JSON, the oldest first: what sessions leave to later ones. They are the person's own: nobody else may read them.
//!
//! Several windows and commands share them. Whoever adds, changes or removes a line holds the file's [`Lock`] and touches no other line, so that nobody has to
//! know what others wrote.

use super::{Lock, open_regular, read, write_private};
use crate::error::{Error, Result};
use crate::texts::failed;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// A value that is kept in a file, on a line of its own.
pub trait Line: Serialize + DeserializeOwned {
    /// The file's name in the folder of the person's data.
    const FILE: &'static str;

    /// Lines beyond this many push the oldest out: a file that is read at every start must not grow for ever.
    const MOST: usize;

    /// The errors that tell of a line that could not be read, and of several: tables of `errors.toml`, with `{count}` and `{path}`.
    const UNREAD: [&'static str; 2];

    /// As this version has it: older layouts are converted. `None` for a newer one.
    fn current(self) -> Option<Self>;

    /// What makes it the same value, whatever a person changed of it since: a file has one line of it.
    fn identity(&self) -> String {
        // Plain data always serializes.
        serde_json::to_string(self).unwrap_or_default()
    }

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
    /// Writing the file anew.
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
    /// Lines that another version wrote, with more in them than this one knows: they stay in the file as they are.
    pub foreign: Vec<String>,
    /// Lines that are of no version.
    pub damaged: usize,
    /// Where the file is as it was, where lines were damaged.
    pub copy: Option<PathBuf>,
}

impl<T> Default for Lines<T> {
    fn default() -> Self {
        Self { lines: Vec::new(), foreign: Vec::new(), damaged: 0, copy: None }
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
    /// Put this in the place of the line with the same [`Line::identity`]; where another program took that away, it is added.
    Change(Box<T>),
    /// Take away one line for each of these values, the newest with its [`Line::identity`]: what was written twice is taken away twice.
    Remove(Vec<T>),
    /// Take these very lines of other versions away.
    RemoveForeign(Vec<String>),
    /// Take everything away, what this version cannot read, too.
    Clear,
}

impl<T: Line> LinesJob<T> {
    /// Does it; what was read, where that was asked for.
    ///
    /// # Errors
    /// See [`read_lines`]; where the file cannot be written.
    pub fn run(&self, path: &Path) -> Result<Option<Lines<T>>> {
        match self {
            Self::Read => read_lines(path).map(Some),
            Self::Append(value) => {
                append(path, value.as_ref()).map_err(|error| refused::<T>(LineStep::Append, path, &error)).map(|()| None)
            }
            Self::Change(value) => change(path, value.as_ref()).map(|()| None),
            Self::Remove(values) => remove(path, values).map(|()| None),
            Self::RemoveForeign(lines) if lines.is_empty() => Ok(None),
            Self::RemoveForeign(lines) => remove_foreign::<T>(path, lines).map(|()| None),
            Self::Clear => clear::<T>(path).map(|()| None),
        }
    }
}

/// Reads the file; one that is not there holds nothing. A line that cannot be read costs itself alone: the file is kept as a copy, and goes on without it.
/// Where the folder cannot be written, or another program holds the file for long, it is only read.
///
/// # Errors
/// Where the file is there and cannot be read.
pub fn read_lines<T: Line>(path: &Path) -> Result<Lines<T>> {
    if std::fs::metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(Lines::default());
    }
    let lock = Lock::of(path);
    let bytes = read(path).map_err(|error| refused::<T>(LineStep::Read, path, &error))?;
    let mut read = Lines::default();
    let sorted: Vec<(&[u8], Sorted<T>)> = split(&bytes).map(|line| (line, sorted(line))).collect();
    read.damaged = sorted.iter().filter(|(_, line)| matches!(line, Sorted::Damaged)).count();
    // Lines of other versions grow old as all others do.
    let surplus = (sorted.len() - read.damaged).saturating_sub(T::MOST);
    let mut good = Vec::new();
    for (line, sorted) in sorted.into_iter().filter(|(_, line)| !matches!(line, Sorted::Damaged)).skip(surplus) {
        good.push(line);
        match sorted {
            Sorted::Value(value) => read.lines.push(*value),
            Sorted::Foreign(text) => read.foreign.push(text),
            Sorted::Damaged => {}
        }
    }
    if read.damaged > 0 && lock.is_err() {
        read.copy = Some(path.to_owned());
    } else if read.damaged > 0 {
        let copy = free_copy(path);
        std::fs::copy(path, &copy).map_err(|error| refused::<T>(LineStep::Copy, path, &error))?;
        read.copy = Some(copy);
    }
    if lock.is_ok() && (surplus > 0 || read.damaged > 0) {
        write_private(path, &joined(&good))?;
    }
    Ok(read)
}

/// The lines of a file, without empty ones.
fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

/// The value of a line; `None` where it is none of this version.
fn parse<T: Line>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok().and_then(T::current)
}

/// What a line is.
enum Sorted<T> {
    Value(Box<T>),
    /// Another version's.
    Foreign(String),
    Damaged,
}

/// A line is another version's where it is JSON that says its layout, and is no value of this one: of a newer layout, or with a filter or a stage that is
/// not known here.
fn sorted<T: Line>(line: &[u8]) -> Sorted<T> {
    if let Some(value) = parse(line) {
        return Sorted::Value(Box::new(value));
    }
    let says_layout =
        serde_json::from_slice::<serde_json::Value>(line).is_ok_and(|value| value.get("schema").is_some_and(serde_json::Value::is_u64));
    match str::from_utf8(line) {
        Ok(line) if says_layout => Sorted::Foreign(line.to_owned()),
        _ => Sorted::Damaged,
    }
}

fn joined(lines: &[impl AsRef<[u8]>]) -> Vec<u8> {
    lines.iter().flat_map(|line| line.as_ref().iter().chain(b"\n")).copied().collect()
}

/// A name beside the file that is free, so that a second damage does not cost the copy of the first.
fn free_copy(path: &Path) -> PathBuf {
    let first = path.with_extension("damaged.jsonl");
    let numbered = (2..100).map(|number| path.with_extension(format!("damaged-{number}.jsonl")));
    std::iter::once(first.clone()).chain(numbered).find(|copy| !copy.exists()).unwrap_or(first)
}

/// Adds a line at the end, and makes the folder where there is none.
fn append(path: &Path, value: &impl Line) -> io::Result<()> {
    let _lock = Lock::of(path)?;
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    let mut text = line(value)?;
    if length > 0 {
        // Where the last line lacks its end, this one would be glued to it.
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            text.insert(0, '\n');
        }
    }
    let written = file.write_all(text.as_bytes());
    if written.is_err() {
        // On a full disk a part may have been written: half a line that nobody could read.
        file.set_len(length)?;
    }
    written
}

/// Puts the value in the place of the line that has its identity.
fn change<T: Line>(path: &Path, value: &T) -> Result<()> {
    let identity = value.identity();
    rewrite::<T>(path, |lines| {
        let new = line(value)?.trim_end().as_bytes().to_vec();
        let is_same = |old: &Vec<u8>| parse::<T>(old).is_some_and(|old| old.identity() == identity);
        match lines.iter_mut().rev().find(|old| is_same(old)) {
            Some(old) => *old = new,
            None => lines.push(new),
        }
        Ok(())
    })
}

/// Takes away one line for each value, the newest with its identity. Two lines can be alike to the letter: dates are to the second.
fn remove<T: Line>(path: &Path, values: &[T]) -> Result<()> {
    let mut gone: HashMap<String, usize> = HashMap::new();
    for value in values {
        *gone.entry(value.identity()).or_default() += 1;
    }
    let mut is_gone = |line: &Vec<u8>| {
        let left = parse::<T>(line).and_then(|value| gone.get_mut(&value.identity())).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    };
    rewrite::<T>(path, |lines| {
        lines.reverse();
        lines.retain(|line| !is_gone(line));
        lines.reverse();
        Ok(())
    })
}

fn remove_foreign<T: Line>(path: &Path, foreign: &[String]) -> Result<()> {
    rewrite::<T>(path, |lines| {
        lines.retain(|line| !foreign.iter().any(|gone| gone.as_bytes() == line.as_slice()));
        Ok(())
    })
}

fn clear<T: Line>(path: &Path) -> Result<()> {
    rewrite::<T>(path, |lines| {
        lines.clear();
        Ok(())
    })
}

/// Writes the file anew with what `edit` makes of its lines as they are now. Those that it leaves alone stay as they are, byte for byte, and so do those
/// that this version cannot read.
fn rewrite<T: Line>(path: &Path, edit: impl FnOnce(&mut Vec<Vec<u8>>) -> io::Result<()>) -> Result<()> {
    let refuse = |error: io::Error| refused::<T>(LineStep::Replace, path, &error);
    let _lock = Lock::of(path).map_err(refuse)?;
    let bytes = match read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        other => other,
    };
    let mut lines: Vec<Vec<u8>> = split(&bytes.map_err(refuse)?).map(<[u8]>::to_vec).collect();
    edit(&mut lines).map_err(refuse)?;
    write_private(path, &joined(&lines))
}

/// The file, for adding to it; made where there is none, for the person alone.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    open_regular(path, &mut options)
}

fn line(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)? + "\n")
}

fn refused<T: Line>(step: LineStep, path: &Path, error: &io::Error) -> Error {
    failed(T::refused(step), &[("why", error), ("path", &path.display())])
}

#[cfg(test)]
mod tests {
    use super::{Line, LineStep, Lines, LinesJob, append, line, read_lines};
    use serde::{Deserialize, Serialize};
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// More than the program writes.
    fn write(path: &Path, notes: &[Note]) {
        let text: String = notes.iter().map(|note| line(note).expect("plain data")).collect();
        std::fs::write(path, text).expect("written");
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Note {
        schema: u32,
        text: String,
    }

    impl Line for Note {
        const FILE: &'static str = "notes.jsonl";
        const MOST: usize = 5;
        const UNREAD: [&'static str; 2] = ["errors.window.unread-reading", "errors.window.unread-history"];

        fn current(self) -> Option<Self> {
            (self.schema == 1).then_some(self)
        }

        /// The text may change, but not what stands before its colon.
        fn identity(&self) -> String {
            self.text.split(':').next().unwrap_or_default().to_owned()
        }

        fn refused(_: LineStep) -> &'static str {
            "errors.history.not-kept"
        }
    }

    fn note(text: &str) -> Note {
        Note { schema: 1, text: text.to_owned() }
    }

    #[test]
    fn lines_come_back_as_they_were_and_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new folder").join("notes.jsonl");
        assert_eq!(read_lines::<Note>(&path).expect("nothing is no error"), Lines::default());
        let notes = vec![note("one"), note("two\nlines, \"quoted\"")];
        for note in &notes {
            append(&path, note).expect("written");
        }
        assert_eq!(read_lines(&path).expect("read"), Lines { lines: notes, ..Lines::default() });
    }

    #[test]
    fn what_one_window_changes_and_removes_costs_nothing_of_another_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.jsonl");
        let run = |job: LinesJob<Note>| job.run(&path).expect("done");
        for text in ["mine", "mine too"] {
            run(LinesJob::Append(Box::new(note(text))));
        }
        // Another window, and a newer program, add theirs, which this one never reads.
        run(LinesJob::Append(Box::new(note("theirs"))));
        append(&path, &Note { schema: 2, ..note("newer") }).expect("written");
        run(LinesJob::Change(Box::new(note("mine: named"))));
        run(LinesJob::Remove(vec![note("mine too")]));
        let text = std::fs::read_to_string(&path).expect("there");
        let expected = [note("mine: named"), note("theirs"), Note { schema: 2, ..note("newer") }];
        assert_eq!(text, expected.map(|note| line(&note).expect("plain data")).concat());
        // What another one took away comes back, as somebody wants it.
        run(LinesJob::Remove(vec![note("mine")]));
        run(LinesJob::Change(Box::new(note("mine: renamed"))));
        assert!(std::fs::read_to_string(&path).expect("there").contains("renamed"));
        run(LinesJob::Clear);
        assert_eq!(std::fs::read(&path).expect("there"), b"");
    }

    #[test]
    fn of_two_equal_lines_the_newer_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.jsonl");
        write(&path, &["same: older", "other", "same: newer"].map(note));
        let remove = || LinesJob::Remove(vec![note("same")]).run(&path).expect("done");
        let texts = || read_lines::<Note>(&path).expect("read").lines.into_iter().map(|note| note.text).collect::<Vec<_>>();
        remove();
        assert_eq!(texts(), ["same: older", "other"]);
        remove();
        remove();
        assert_eq!(texts(), ["other"]);
    }

    #[test]
    fn a_reader_that_shortens_the_file_loses_no_line_of_a_writer_beside_it() {
        /// As [`Note`], for longer files.
        #[derive(Serialize, Deserialize)]
        #[serde(transparent)]
        struct Many(Note);
        impl Line for Many {
            const FILE: &'static str = "many.jsonl";
            const MOST: usize = 400;
            const UNREAD: [&'static str; 2] = Note::UNREAD;

            fn current(self) -> Option<Self> {
                Some(self)
            }

            fn refused(_: LineStep) -> &'static str {
                "errors.history.not-kept"
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("many.jsonl");
        // Half of them are of earlier sessions, and each makes the file too long: every read shortens it.
        let count = 350;
        write(&path, &(0..500).map(|index| note(&format!("old {index}"))).collect::<Vec<_>>());
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for index in 0..count {
                    append(&path, &Many(note(&format!("new {index}")))).expect("written");
                }
                is_over.store(true, Ordering::Relaxed);
            });
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    read_lines::<Many>(&path).expect("read");
                }
            });
        });
        let read = read_lines::<Many>(&path).expect("read");
        let new = read.lines.iter().filter(|Many(note)| note.text.starts_with("new")).count();
        assert_eq!((new, read.damaged), (count, 0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_or_a_device_in_its_place_is_told_instead_of_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("notes.jsonl");
        crate::testing::pipe(&pipe);
        let device = folder.path().join("device.jsonl");
        std::os::unix::fs::symlink("/dev/zero", &device).expect("linked");
        for path in [pipe, device] {
            // Each on a thread of its own, as the fault was to wait for ever.
            let (tell, told) = std::sync::mpsc::channel();
            let work = move || {
                let jobs = [LinesJob::Read, LinesJob::Append(Box::new(note("one"))), LinesJob::Change(Box::new(note("one")))];
                for job in jobs {
                    let _ = tell.send(job.run(&path).expect_err("refused"));
                }
            };
            std::thread::Builder::new().name("jobs".to_owned()).spawn(work).expect("a thread");
            for _ in 0..3 {
                let error = told.recv_timeout(std::time::Duration::from_secs(20)).expect("an answer");
                assert!(error.why.contains("not a regular file"), "{error}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_in_a_folder_that_cannot_be_written_is_read_all_the_same() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.jsonl");
        write(&path, &[note("one")]);
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"{\n"))
            .expect("written");
        // Who may do everything is not kept out by permissions, but by a folder in the lock's place.
        std::fs::create_dir(path.with_extension("lock")).expect("made");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o500)).expect("set");
        let read = read_lines::<Note>(&path).expect("read");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).expect("set");
        assert_eq!((read.lines, read.damaged, read.copy), (vec![note("one")], 1, Some(path)));
    }

    /// In a small file system of its own that is really full.
    #[cfg(target_os = "linux")]
    #[test]
    fn on_a_full_disk_the_file_stays_as_it_was() {
        let Some(disk) = crate::testing::disk::SmallDisk::new() else { return };
        let path = disk.path().join("notes.jsonl");
        append(&path, &note("one")).expect("written");
        let before = std::fs::read(&path).expect("there");
        disk.fill();
        let long = note(&"long ".repeat(20_000));
        for job in [LinesJob::Append(Box::new(long.clone())), LinesJob::Change(Box::new(long))] {
            job.run(&path).expect_err("no room");
            assert_eq!(std::fs::read(&path).expect("there"), before, "{job:?}");
        }
    }

    #[test]
    fn a_damaged_line_costs_itself_alone_and_every_damaged_file_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.jsonl");
        append(&path, &note("one")).expect("written");
        let mut bytes = std::fs::read(&path).expect("there");
        bytes.extend(b"{\"schema\":1,\xff\n\0\0\n");
        bytes.extend(serde_json::to_vec(&note("two")).expect("plain data"));
        std::fs::write(&path, &bytes).expect("written");
        let kept = read_lines::<Note>(&path).expect("read");
        assert_eq!((kept.lines.as_slice(), kept.damaged), (&[note("one"), note("two")][..], 2));
        let first = kept.copy.expect("a copy");
        assert_eq!(std::fs::read(&first).expect("there"), bytes);
        assert_eq!(read_lines::<Note>(&path).expect("read").damaged, 0, "it is mended");
        std::fs::write(&path, b"once more\n").expect("written");
        let second = read_lines::<Note>(&path).expect("read").copy.expect("a copy");
        assert_ne!(first, second);
        assert_eq!(std::fs::read(&first).expect("there"), bytes, "the first copy stays");
    }

    #[test]
    fn lines_of_other_versions_stay_as_they_are_whatever_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.jsonl");
        // Blanks and the order of fields are theirs.
        let foreign = ["{ \"schema\": 2, \"text\": {\"html\":1.10} }", "{\"text\":[],\"schema\":1}"];
        append(&path, &note("one")).expect("written");
        let mut text = std::fs::read_to_string(&path).expect("there");
        text.extend([foreign[0], "\nnothing\n", foreign[1], "\n"]);
        std::fs::write(&path, text).expect("written");
        append(&path, &note("two")).expect("written");
        let read = read_lines::<Note>(&path).expect("read");
        assert_eq!((read.lines.as_slice(), read.damaged), (&[note("one"), note("two")][..], 1));
        assert_eq!(read.foreign, foreign);
        let lines = || std::fs::read_to_string(&path).expect("there").lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!([&lines()[1], &lines()[2]], foreign, "without the damaged one");
        LinesJob::Change(Box::new(note("one: more"))).run(&path).expect("written");
        LinesJob::<Note>::RemoveForeign(vec![foreign[1].to_owned()]).run(&path).expect("written");
        assert_eq!(lines()[1..2], foreign[..1]);
        assert_eq!(lines().len(), 3);
        assert_eq!(read_lines::<Note>(&path).expect("read").damaged, 0);
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
        write(&path, &notes);
        assert_eq!(read_lines::<Note>(&path).expect("read").lines, notes[3..]);
        assert_eq!(std::fs::read_to_string(&path).expect("there").lines().count(), 5);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |path: &std::path::Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        let (added, changed) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
        append(&added, &note("one")).expect("written");
        LinesJob::Change(Box::new(note("one"))).run(&changed).expect("written");
        assert_eq!((mode(&added), mode(&changed)), (0o600, 0o600));
        std::fs::set_permissions(&added, std::fs::Permissions::from_mode(0o644)).expect("set");
        LinesJob::Change(Box::new(note("two"))).run(&added).expect("written");
        assert_eq!(mode(&added), 0o600);
    }
}
