//! Filters of a person's own, read before anything that names them: those of the folder beside the settings, and those that the command line names.

use super::output;
use base::error::{Error, Result};
use base::texts::{Language, failed, set_language};
use kernels::catalog::{self, OwnFolder};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The options that are read before all others.
const FILTERS: &str = "--filters";
const LANGUAGE: &str = "--language";

/// Folders of filters that were read, and what is wrong with those that the command line names.
#[derive(Debug, Default)]
pub struct Found {
    /// To be looked after.
    pub folders: Vec<OwnFolder>,
    /// The first error.
    pub error: Option<Error>,
}

/// Reads all. Values of options are names of filters, too: so this comes before the command line is understood, and with it the language, in which
/// mistakes are told.
pub fn read() -> Found {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(language) = given(LANGUAGE).and_then(|name| name.parse::<Language>().ok()) {
        set_language(language);
    }
    let mut found = Found::default();
    // What is wrong there is told, and stands in nobody's way.
    if let Some(Err(error)) = catalog::user_folder().map(|folder| read_in(&folder, &mut found.folders)) {
        output::note(&error.to_string());
    }
    for folder in named(&arguments, FILTERS).iter().map(PathBuf::from) {
        let before = found.folders.len();
        let mut error = read_in(&folder, &mut found.folders).err();
        if found.folders.len() == before {
            let none = || failed("errors.catalog.no-definition", &[("path", &folder.display())]);
            error = error.or_else(|| Some(none()));
            // The window says so, and reads it once there is a filter.
            found.folders.push(OwnFolder { path: folder, is_brought: false });
        }
        found.error = found.error.or(error);
    }
    found
}

/// The value that the command line gives an option, read before all others.
pub fn given(option: &str) -> Option<String> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    named(&arguments, option).pop()?.into_string().ok()
}

/// Every filter of a folder. The error is that of the first that is not right.
fn read_in(folder: &Path, folders: &mut Vec<OwnFolder>) -> Result<()> {
    let mut error = None;
    for path in catalog::filters_in(folder)? {
        let read = catalog::open(&path);
        folders.push(OwnFolder { path, is_brought: read.is_ok() });
        error = error.or(read.err());
    }
    error.map_or(Ok(()), Err)
}

/// The values that arguments give an option: `--filters FOLDER` or `--filters=FOLDER`.
fn named(arguments: &[OsString], option: &str) -> Vec<OsString> {
    let mut values = Vec::new();
    let mut is_next = false;
    for argument in arguments {
        if std::mem::take(&mut is_next) {
            values.push(argument.clone());
        } else if argument == option {
            is_next = true;
        } else if let Some(value) = argument.to_str().and_then(|argument| argument.strip_prefix(option)?.strip_prefix('=')) {
            values.push(value.into());
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::{FILTERS, named};
    use std::ffi::OsString;

    #[test]
    fn values_are_found_however_they_are_written() {
        let found = |line: &str| named(&line.split(' ').map(OsString::from).collect::<Vec<_>>(), FILTERS);
        assert_eq!(found("bench --filters a --filter b --filters=c"), ["a", "c"]);
        assert_eq!(found("list --filter a"), Vec::<OsString>::new());
        assert_eq!(found("--filters"), Vec::<OsString>::new());
    }
}
