//! A filter's folder as text: what is read, what travels to other processes and machines, and what the definition's hash is of.

use crate::filters::definition::{DEFINITION, Files};
use base::error::Result;
use base::files::{self, Stamp};
use base::hash::sha256;
use base::texts::failed;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder's name in that of the person's data.
pub const FOLDER: &str = "filters";

/// A folder with more files, or more bytes in them, is no filter's.
const MOST_FILES: usize = 100;
const MOST_BYTES: usize = 1 << 20;

/// The text files of a filter's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Its name, which is the filter's.
    pub name: String,
    /// Names, with `/` between folders, and texts, in the order of the names.
    pub files: Vec<(String, String)>,
}

impl Folder {
    /// Reads a folder of which `filter.toml` lies directly in it.
    ///
    /// # Errors
    /// Where it cannot be read, has no `filter.toml`, or has too much in it.
    pub fn read(path: &Path) -> Result<Self> {
        let refused = |error: &io::Error| failed("errors.catalog.not-read", &[("why", error), ("path", &path.display())]);
        if !path.join(DEFINITION).is_file() {
            return Err(failed("errors.catalog.no-definition", &[("path", &path.display())]));
        }
        let mut read: Vec<(String, String)> = Vec::new();
        let mut bytes = 0;
        for (name, path) in paths(path).map_err(|error| refused(&error))? {
            let text = files::read(&path).map_err(|error| refused(&error))?;
            bytes += text.len();
            if read.len() == MOST_FILES || bytes > MOST_BYTES {
                return Err(failed(
                    "errors.catalog.too-large",
                    &[("files", &MOST_FILES), ("bytes", &MOST_BYTES), ("path", &path.display())],
                ));
            }
            read.push((name, String::from_utf8_lossy(&text).into_owned()));
        }
        let whole = path.canonicalize().map_err(|error| refused(&error))?;
        let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, files: read })
    }

    /// Its name and texts.
    #[must_use]
    pub fn as_files(&self) -> Files<'_> {
        Files { name: &self.name, files: self.files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect() }
    }

    /// The file of that name.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// The first digits of the SHA-256 of all names and texts: another definition has another hash.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut all = Vec::new();
        for (name, text) in &self.files {
            for part in [name, text] {
                all.extend(part.len().to_le_bytes());
                all.extend(part.as_bytes());
            }
        }
        let mut hash = sha256(all);
        hash.truncate(8);
        hash
    }
}

/// Names and paths of what is read, in the order of the names: kernels, definitions and texts.
fn paths(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for part in ["", "ladders/"] {
        let entries = match std::fs::read_dir(folder.join(part)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound && !part.is_empty() => continue,
            Err(error) => return Err(error),
        };
        for entry in entries {
            let path = entry?.path();
            let is_wanted = path.extension().is_some_and(|extension| ["toml", "cl", "clh"].iter().any(|known| extension == *known));
            if is_wanted && path.is_file() {
                found.push((format!("{part}{}", path.file_name().unwrap_or_default().to_string_lossy()), path));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A folder that a person named, and whether its filter was brought.
#[derive(Clone, Debug)]
pub struct OwnFolder {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is a filter's, without mistakes.
    pub is_brought: bool,
}

/// The state of a folder: where it is another one, it is read again. `None` where the folder is not there.
#[must_use]
pub fn stamp(folder: &Path) -> Option<Stamp> {
    Some(files::stamp(paths(folder).ok()?.into_iter().map(|(_, path)| path)))
}

/// The filters in a folder: the folder itself where it is one, else those of its own folders that are.
///
/// # Errors
/// Where it cannot be read. A folder that is not there has none.
pub fn filters_in(folder: &Path) -> Result<Vec<PathBuf>> {
    if folder.join(DEFINITION).is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let refused = |error: &io::Error| failed("errors.catalog.not-read", &[("why", error), ("path", &folder.display())]);
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(refused(&error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| refused(&error))?.path();
        if path.join(DEFINITION).is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The folder beside the settings; `None` where there is none.
#[must_use]
pub fn user_folder() -> Option<PathBuf> {
    files::user_data().map(|folder| folder.join(FOLDER))
}
