//! Tells the program which commit it was built from, and gives that of Windows its icon, its manifest and its version.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo::rustc-env=KERNEL_LADDER_BUILT_FROM={}", built_from(&root));
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("windows") {
        add_resources(&root);
    }
}

/// What Windows shows of the program without starting it. Where no compiler of resources is there, the program is built without and says so.
fn add_resources(root: &Path) {
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default());
    let folder = root.join("packaging/windows");
    for name in ["kernel-ladder.ico", "kernel-ladder.manifest"] {
        println!("cargo::rerun-if-changed={}", folder.join(name).display());
    }
    let script = out.join("kernel-ladder.rc");
    let is_gnu = env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("gnu");
    let compiled = out.join(if is_gnu { "resources.o" } else { "resources.res" });
    let was_run =
        std::fs::write(&script, resources(&folder)).is_ok() && if is_gnu { windres(&script, &compiled) } else { rc(&script, &compiled) };
    if was_run {
        println!("cargo::rustc-link-arg-bins={}", compiled.display());
    } else {
        println!("cargo::warning=no compiler of resources was found (windres, rc): the program has no icon, no manifest and no version");
    }
}

fn windres(script: &Path, compiled: &Path) -> bool {
    let names = [format!("{}-w64-mingw32-windres", env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default()), "windres".to_owned()];
    let run = |name: &String| Command::new(name).arg(script).arg(compiled).status().is_ok_and(|status| status.success());
    names.iter().any(run)
}

fn rc(script: &Path, compiled: &Path) -> bool {
    let run =
        |name: &&str| Command::new(name).arg("/nologo").arg("/fo").arg(compiled).arg(script).status().is_ok_and(|status| status.success());
    ["rc", "llvm-rc"].iter().any(run)
}

/// The script for both compilers: 1 is the first icon, and the manifest (kind 24) of a program.
fn resources(folder: &Path) -> String {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let numbers = version.split(['.', '-']).take(3).collect::<Vec<_>>().join(",");
    // A backslash would begin an escape.
    let folder = folder.display().to_string().replace('\\', "/");
    let values = [
        ("FileDescription", "Kernel Ladder"),
        ("ProductName", "Kernel Ladder"),
        ("FileVersion", &version),
        ("ProductVersion", &version),
        ("InternalName", "kernel-ladder"),
        ("LegalCopyright", "MIT OR Apache-2.0"),
    ];
    let values = values.iter().map(|(name, value)| format!("      VALUE \"{name}\", \"{value}\\0\"\n")).collect::<Vec<_>>().concat();
    format!(
        "1 ICON \"{folder}/kernel-ladder.ico\"\n1 24 \"{folder}/kernel-ladder.manifest\"\n\
         1 VERSIONINFO\nFILEVERSION {numbers},0\nPRODUCTVERSION {numbers},0\nFILEOS 0x40004L\nFILETYPE 0x1L\n\
         BEGIN\n  BLOCK \"StringFileInfo\"\n  BEGIN\n    BLOCK \"040904b0\"\n    BEGIN\n{values}    END\n  END\n  \
         BLOCK \"VarFileInfo\"\n  BEGIN\n    VALUE \"Translation\", 0x409, 1200\n  END\nEND\n"
    )
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
