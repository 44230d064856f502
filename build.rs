//! Tells the program which commit it was built from, and lists the files of `kernels/`, kernels, definitions, texts and ladders, and of claims, lessons and texts in `assets/`, so that a new one is found without being named anywhere.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo::rustc-env=KERNEL_LADDER_BUILT_FROM={}", built_from(&root));
    let folders = folders(&root.join("kernels"))?;
    let kernels = root.join("kernels");
    let ladders: Vec<String> =
        folders.iter().map(|folder| format!("{folder}ladders/")).filter(|part| kernels.join(part).is_dir()).collect();
    let [folders, ladders] = [&folders, &ladders].map(|parts| parts.iter().map(String::as_str).collect::<Vec<_>>());
    list(&kernels, &folders, &["cl", "clh"], "kernel_files.rs")?;
    list(&kernels, &[folders, ladders].concat(), &["toml"], "definition_files.rs")?;
    list(&root.join("assets/claims"), &[""], &["json"], "claims_files.rs")?;
    list(&root.join("assets/claims"), &[""], &["md"], "claims_pages.rs")?;
    list(&root.join("assets/lessons"), &["en/", "zh/"], &["toml"], "lesson_files.rs")?;
    list(&root.join("assets/texts"), &["en/", "zh/"], &["toml"], "text_files.rs")
}

/// "e82b429, 2026-11-23", "+" where files were changed since. Only of a release: a development build would be made again for each commit.
fn built_from(root: &Path) -> String {
    if env::var("PROFILE").as_deref() != Ok("release") {
        return "development build".to_owned();
    }
    // Written with each commit; a package has none.
    let log = root.join(".git/logs/HEAD");
    if !log.is_file() {
        return "no commit".to_owned();
    }
    println!("cargo::rerun-if-changed={}", log.display());
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["log", "-1", "--format=%h, %cs"]);
    let is_changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| !changes.is_empty());
    commit.map_or_else(|| "no commit".to_owned(), |commit| if is_changed { commit + "+" } else { commit })
}

/// The folders in a folder: "laplace/".
fn folders(folder: &Path) -> io::Result<Vec<String>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(format!("{}/", entry.file_name().to_string_lossy()));
        }
    }
    Ok(folders)
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
