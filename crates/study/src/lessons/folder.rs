//! The person's folder of lessons. Called by the command line, and in the window by the file thread.

use super::{EXAMPLE, Edition};
use base::error::Result;
use base::files;
use base::texts::{Language, failed};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder's name in that of the person's data.
pub const FOLDER: &str = "lessons";

/// A file longer than this is no lesson.
const MOST_BYTES: u64 = 1 << 20;

/// The folder beside the settings; `None` where there is none.
#[must_use]
pub fn user_folder() -> Option<PathBuf> {
    files::user_data().map(|folder| folder.join(FOLDER))
}

/// Every lesson of a folder: `NAME.toml` for any language, `en/NAME.toml` and `zh/NAME.toml` for one. A folder that is not there has none. A file or a language's
/// folder that cannot be read is an edition with that fault, and hides no other.
///
/// # Errors
/// Where the folder is there and cannot be read.
pub fn read_folder(folder: &Path) -> Result<Vec<Edition>> {
    let read_in = |path: PathBuf, part: &str| read_file(&path, part).unwrap_or_else(|error| Edition::unread(path, part, &error));
    let mut editions: Vec<Edition> = toml_files(folder)?.into_iter().map(|path| read_in(path, "")).collect();
    for part in Language::ALL.map(Language::code) {
        let there = folder.join(part);
        match toml_files(&there) {
            Ok(paths) => editions.extend(paths.into_iter().map(|path| read_in(path, part))),
            Err(error) => editions.push(Edition::unread(there, part, &error)),
        }
    }
    Ok(editions)
}

/// The lesson of one file, which lies in the folder's part of that name: a language's code, or nothing.
///
/// # Errors
/// Where the file cannot be read. What is wrong with its text is told in the lesson's faults.
pub fn read_file(path: &Path, part: &str) -> Result<Edition> {
    let refused = |error: &io::Error| failed("errors.lesson.not-read", &[("why", error), ("path", &path.display())]);
    let length = std::fs::metadata(path).map_err(|error| refused(&error))?.len();
    if length > MOST_BYTES {
        return Err(failed("errors.lesson.too-long", &[("bytes", &length), ("most", &MOST_BYTES), ("path", &path.display())]));
    }
    let bytes = files::read(path).map_err(|error| refused(&error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // What is no UTF-8 is a fault of the text where it stands in a key, and shows as a sign in prose.
    Ok(Edition::of_text(&format!("{part}/{name}"), Some(path.to_owned()), &String::from_utf8_lossy(&bytes)))
}

fn toml_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let refused = |error: &io::Error| failed("errors.lesson.folder", &[("why", error), ("path", &folder.display())]);
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(refused(&error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| refused(&error))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Writes the example into the folder, as `example.toml`, and makes the folder where there is none. A file of that name stays as it is.
///
/// # Errors
/// Where the folder cannot be made or written.
pub fn write_example(folder: &Path) -> Result<PathBuf> {
    create(folder)?;
    let path = folder.join("example.toml");
    if !path.exists() {
        files::write_atomically(&path, EXAMPLE.as_bytes())?;
    }
    Ok(path)
}

/// Writes a lesson into the folder, as `NAME.toml`, or with the first number behind it that is free; makes the folder where there is none. The name that it has
/// got.
///
/// # Errors
/// Where the folder cannot be made or written.
pub fn write_new(folder: &Path, name: &str, text: &str) -> Result<String> {
    create(folder)?;
    let file = |name: &str| folder.join(format!("{name}.toml"));
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    let name = std::iter::once(name.to_owned()).chain(numbered).find(|name| !file(name).exists()).unwrap_or_default();
    files::write_atomically(&file(&name), text.as_bytes())?;
    Ok(name)
}

fn create(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| failed("errors.lesson.no-folder", &[("why", &error), ("path", &folder.display())]))
}
