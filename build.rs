//! Lists the files of `kernels/`, and of ladders, claims, lessons and texts in `assets/`, so that a new one is found without being named anywhere.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    list(&root.join("kernels"), &["", "common/", "roofs/"], &["cl", "clh"], "kernel_files.rs")?;
    list(&root.join("assets/ladders"), &[""], &["toml"], "ladder_files.rs")?;
    list(&root.join("assets/claims"), &[""], &["json"], "claims_files.rs")?;
    list(&root.join("assets/claims"), &[""], &["md"], "claims_pages.rs")?;
    list(&root.join("assets/lessons"), &["en/", "zh/"], &["toml"], "lesson_files.rs")?;
    list(&root.join("assets/texts"), &["en/", "zh/"], &["toml"], "text_files.rs")
}

/// Writes a Rust slice of names and texts to `name` in the build's own folder: the files with one of the extensions in these parts of the folder,
/// by their path from it.
fn list(folder: &Path, parts: &[&str], extensions: &[&str], name: &str) -> io::Result<()> {
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
    files.sort();
    let mut text = String::from("&[\n");
    for (name, path) in &files {
        // As strings, whose debug form is a Rust literal.
        let path = path.to_string_lossy();
        writeln!(text, "    ({name:?}, include_str!({path:?})),").map_err(io::Error::other)?;
    }
    text.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join(name), text)
}
