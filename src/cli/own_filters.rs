//! Filters of a person's own, read before anything that names them: those of the folder beside the settings, and those that the command line names.

use super::output;
use base::error::{Error, Result};
use base::texts::failed;
use kernels::catalog;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The option.
pub const OPTION: &str = "--filters";

/// Folders of filters that were read, and what is wrong with those that the command line names.
#[derive(Debug, Default)]
pub struct Found {
    /// To be looked after.
    pub folders: Vec<PathBuf>,
    /// The first error.
    pub error: Option<Error>,
}

/// Reads all. Values of options are names of filters, too: so this comes before the command line is understood.
pub fn read() -> Found {
    let mut found = Found::default();
    // What is wrong there is told, and stands in nobody's way.
    if let Some(Err(error)) = catalog::user_folder().map(|folder| read_in(&folder, &mut found.folders)) {
        output::note(&error.to_string());
    }
    for folder in named(std::env::args_os().skip(1)) {
        let before = found.folders.len();
        let read = read_in(&folder, &mut found.folders);
        let none = || failed("errors.catalog.no-definition", &[("path", &folder.display())]);
        let error = read.err().or_else(|| (found.folders.len() == before).then(none));
        found.error = found.error.or(error);
    }
    found
}

/// Every filter of a folder, up to the first that is not right.
fn read_in(folder: &Path, folders: &mut Vec<PathBuf>) -> Result<()> {
    let mut error = None;
    for folder in catalog::filters_in(folder)? {
        let read = catalog::open(&folder);
        folders.push(folder);
        error = error.or(read.err());
    }
    error.map_or(Ok(()), Err)
}

/// The folders that arguments name: `--filters FOLDER` or `--filters=FOLDER`.
fn named(arguments: impl Iterator<Item = OsString>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut is_next = false;
    for argument in arguments {
        if std::mem::take(&mut is_next) {
            folders.push(PathBuf::from(&argument));
        } else if argument == OPTION {
            is_next = true;
        } else if let Some(folder) = argument.to_str().and_then(|argument| argument.strip_prefix(OPTION)?.strip_prefix('=')) {
            folders.push(PathBuf::from(folder));
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::named;
    use std::path::PathBuf;

    #[test]
    fn folders_are_found_however_they_are_written() {
        let found = |line: &str| named(line.split(' ').map(Into::into));
        assert_eq!(found("bench --filters a --filter b --filters=c"), [PathBuf::from("a"), PathBuf::from("c")]);
        assert_eq!(found("list --filter a"), Vec::<PathBuf>::new());
        assert_eq!(found("--filters"), Vec::<PathBuf>::new());
    }
}
