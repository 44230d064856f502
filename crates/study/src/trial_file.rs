//! The file of a search: a first line that says what is searched, and a line of JSON for each trial. A search that was ended goes on with it.

use base::error::Result;
use base::texts::{failed, text};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

/// A file has no more lines and bytes: what is beyond is not a search's.
const MOST_LINES: usize = 2_000_000;
const MOST_BYTES: u64 = 2 << 30;

/// What all lines of such a file are of.
pub trait Head: Serialize + DeserializeOwned {
    /// Whether it is a head of this kind of file at all.
    fn is_known(&self) -> bool;

    /// Whether trials of the other one are trials of this one.
    fn is_same(&self, other: &Self) -> bool;
}

/// A file that is open.
pub struct TrialFile {
    file: File,
    path: PathBuf,
    /// How many trials it has.
    pub count: usize,
}

impl TrialFile {
    /// Opens a file, or begins one; and the lines that it has of this search.
    ///
    /// A last line that was cut off is of a trial that did not come to its end, and is written over.
    ///
    /// # Errors
    /// It cannot be read or written; it is of another search, or no such file.
    pub fn open<H: Head>(path: &Path, head: &H) -> Result<(Self, Vec<String>)> {
        let refused = |error: &dyn std::fmt::Display| failed("errors.project.trials", &[("path", &path.display()), ("why", error)]);
        let no_trials = || refused(&text("errors.project.no-trials.why"));
        let opened = File::options().read(true).append(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(|error| refused(&error))?;
        let length = file.metadata().map_err(|error| refused(&error))?.len();
        if length > MOST_BYTES {
            return Err(no_trials());
        }
        let mut lines: Vec<String> = Vec::new();
        let mut whole_bytes = 0_u64;
        let mut reader = BufReader::new(&file);
        loop {
            let mut line = String::new();
            let read = reader.read_line(&mut line).map_err(|error| refused(&error))?;
            if read == 0 || !line.ends_with('\n') || lines.len() == MOST_LINES {
                break;
            }
            whole_bytes += read as u64;
            lines.push(line);
        }
        if lines.is_empty() {
            if length > 0 {
                return Err(no_trials());
            }
            let line = serde_json::to_string(head).map_err(|error| refused(&error))? + "\n";
            file.write_all(line.as_bytes()).map_err(|error| refused(&error))?;
            return Ok((Self { file, path: path.to_owned(), count: 0 }, Vec::new()));
        }
        let known: H = serde_json::from_str(&lines.remove(0)).map_err(|_| no_trials())?;
        if !known.is_known() {
            return Err(no_trials());
        }
        if !head.is_same(&known) {
            return Err(refused(&text("errors.project.other-trials.why")));
        }
        file.set_len(whole_bytes).map_err(|error| refused(&error))?;
        Ok((Self { file, path: path.to_owned(), count: lines.len() }, lines))
    }

    /// Adds a trial: a whole line at once, given its number.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, line: impl FnOnce(usize) -> serde_json::Value) -> Result<()> {
        self.count += 1;
        let line = format!("{}\n", line(self.count));
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|error| failed("errors.project.trials", &[("path", &self.path.display()), ("why", &error)]))
    }
}
