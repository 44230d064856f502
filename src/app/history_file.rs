//! The history on disk: one record per line, as JSON, the oldest first. Written by the file thread alone.

use crate::error::{Error, Result};
use crate::files::write_atomically;
use crate::model::Record;
use crate::texts::failed;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Records beyond this many push the oldest out: a file that is read at every start must not grow for ever.
const MAX_RECORDS: usize = 1000;

/// The file in the user's data folder; `None` where there is no such folder.
#[must_use]
pub fn user_file() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "kernel-ladder").map(|dirs| dirs.data_local_dir().join("history.jsonl"))
}

/// What a file holds.
#[derive(Debug, Default, PartialEq)]
pub struct Kept {
    /// The newest [`MAX_RECORDS`], the oldest first.
    pub records: Vec<Record>,
    /// Lines that are no record of this version.
    pub damaged_lines: usize,
    /// Where the file is as it was, where lines were damaged.
    pub copy: Option<PathBuf>,
}

/// Work for the file thread.
#[derive(Clone, Debug)]
pub enum HistoryJob {
    /// Read what earlier sessions left.
    Read,
    /// Add a reading.
    Append(Box<Record>),
    /// Replace everything.
    Replace(Vec<Record>),
}

impl HistoryJob {
    /// Does it; what was read, where that was asked for.
    ///
    /// # Errors
    /// See [`read`], [`append`] and [`rewrite`].
    pub fn run(&self, path: &Path) -> Result<Option<Kept>> {
        match self {
            Self::Read => read(path).map(Some),
            Self::Append(record) => append(path, record).map(|()| None),
            Self::Replace(records) => rewrite(path, records).map(|()| None),
        }
    }
}

/// Reads the file; one that is not there holds nothing. A line that cannot be read costs itself alone: the file is kept as a copy, and goes on without it.
///
/// # Errors
/// Where the file is there and cannot be read.
fn read(path: &Path) -> Result<Kept> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Kept::default()),
        Err(error) => return Err(refused("errors.history.not-read", path, &error)),
    };
    let mut read = Kept::default();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    for line in lines {
        match serde_json::from_slice::<Record>(line) {
            Ok(record) if record.schema == Record::SCHEMA => read.records.push(record),
            _ => read.damaged_lines += 1,
        }
    }
    let is_long = read.records.len() > MAX_RECORDS;
    read.records.drain(..read.records.len().saturating_sub(MAX_RECORDS));
    if read.damaged_lines > 0 {
        let copy = path.with_extension("damaged.jsonl");
        std::fs::copy(path, &copy).map_err(|error| refused("errors.history.not-copied", path, &error))?;
        read.copy = Some(copy);
    }
    if is_long || read.damaged_lines > 0 {
        rewrite(path, &read.records)?;
    }
    Ok(read)
}

/// Adds a record at the end, and makes the folder where there is none.
///
/// # Errors
/// Where the file cannot be written.
fn append(path: &Path, record: &Record) -> Result<()> {
    let written = || -> io::Result<()> {
        make_folder(path)?;
        // One write for the whole line: another window may be writing, too.
        OpenOptions::new().create(true).append(true).open(path)?.write_all(line(record)?.as_bytes())
    };
    written().map_err(|error| refused("errors.history.not-appended", path, &error))
}

/// Replaces everything.
///
/// # Errors
/// Where the file cannot be written; it is then as it was.
fn rewrite(path: &Path, records: &[Record]) -> Result<()> {
    let lines = || -> io::Result<String> {
        make_folder(path)?;
        records.iter().map(line).collect()
    };
    let text = lines().map_err(|error| refused("errors.history.not-kept", path, &error))?;
    write_atomically(path, text.as_bytes())
}

fn line(record: &Record) -> io::Result<String> {
    Ok(serde_json::to_string(record)? + "\n")
}

fn make_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

fn refused(key: &'static str, path: &Path, error: &io::Error) -> Error {
    failed(key, &[("why", error), ("path", &path.display())])
}

#[cfg(test)]
mod tests {
    use super::{Kept, MAX_RECORDS, append, read, rewrite};
    use crate::model::{CpuEngine, Record};
    use crate::testing::records::{on_cpu, on_device};

    #[test]
    fn records_come_back_as_they_were_and_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new folder").join("history.jsonl");
        assert_eq!(read(&path).expect("nothing is no error"), Kept::default());
        let mut records = vec![on_cpu(CpuEngine::Simd, 1e6), on_device("padded", 2e6)];
        for record in &records {
            append(&path, record).expect("written");
        }
        assert_eq!(read(&path).expect("read"), Kept { records: records.clone(), ..Kept::default() });
        records[1].name = Some("my start\nin \"two\" lines".to_owned());
        rewrite(&path, &records).expect("written");
        assert_eq!(read(&path).expect("read").records, records);
    }

    #[test]
    fn a_damaged_line_costs_itself_alone_and_the_file_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("history.jsonl");
        let record = on_device("padded", 2e6);
        append(&path, &record).expect("written");
        let newer = Record { schema: Record::SCHEMA + 1, ..record.clone() };
        append(&path, &newer).expect("written");
        let mut bytes = std::fs::read(&path).expect("there");
        bytes.extend(b"{\"schema\":1,\xff\n\0\0\n");
        bytes.extend(serde_json::to_vec(&record).expect("plain data"));
        std::fs::write(&path, &bytes).expect("written");
        let kept = read(&path).expect("read");
        assert_eq!((&kept.records, kept.damaged_lines), (&vec![record.clone(), record.clone()], 3));
        assert_eq!(std::fs::read(kept.copy.expect("a copy")).expect("there"), bytes);
        assert_eq!(read(&path).expect("read"), Kept { records: vec![record.clone(), record], ..Kept::default() }, "it is mended");
    }

    #[test]
    fn only_the_newest_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("history.jsonl");
        let records: Vec<_> = (0..MAX_RECORDS + 3).map(|index| on_device("padded", 1e6 + index as f64)).collect();
        rewrite(&path, &records).expect("written");
        let first = |records: &[Record]| records.first().and_then(|record| record.kernel().map(|kernel| kernel.median_ns));
        assert_eq!(first(&read(&path).expect("read").records), first(&records[3..]));
        assert_eq!(read(&path).expect("read").records.len(), MAX_RECORDS);
    }
}
