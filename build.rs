//! Tells the program which commit it was built from.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo::rustc-env=KERNEL_LADDER_BUILT_FROM={}", built_from(&root));
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
