//! Lists files for build scripts, so that a new one is found without being named anywhere.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The root of the workspace, seen from a crate in `crates/`.
#[must_use]
pub fn root() -> PathBuf {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    own.join("../..")
}

/// The folders in a folder: "laplace/".
///
/// # Errors
/// The folder cannot be read.
pub fn folders(folder: &Path) -> io::Result<Vec<String>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(format!("{}/", entry.file_name().to_string_lossy()));
        }
    }
    Ok(folders)
}

/// The folder of a file's path and the number that its name begins with: file 10 comes after file 9.
fn numbered(name: &str) -> (&str, u64) {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let digits = file.bytes().take_while(u8::is_ascii_digit).count();
    (folder, file.get(..digits).and_then(|digits| digits.parse().ok()).unwrap_or(0))
}

/// Writes a Rust slice of names and texts to `name` in the build's own folder: the files with one of the extensions in these parts of the folder,
/// by their path from it.
///
/// # Errors
/// A folder cannot be read, or the file not be written.
pub fn list(folder: &Path, parts: &[&str], extensions: &[&str], name: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for part in parts {
        for entry in fs::read_dir(folder.join(part))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known)) {
                files.push((format!("{part}{}", path.file_name().unwrap_or_default().to_string_lossy()), path));
            }
        }
    }
    files.sort_by(|(one, _), (other, _)| (numbered(one), one).cmp(&(numbered(other), other)));
    let mut text = String::from("&[\n");
    for (name, path) in &files {
        // As strings, whose debug form is a Rust literal.
        let path = path.to_string_lossy();
        writeln!(text, "    ({name:?}, include_str!({path:?})),").map_err(io::Error::other)?;
    }
    text.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join(name), text)
}
