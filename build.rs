//! Lists the files of `kernels/` and `kernels/common/`, by their path from `kernels/`, so that a new one is found without being named anywhere.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=kernels");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("kernels");
    let mut files = Vec::new();
    for (prefix, folder) in [("", folder.clone()), ("common/", folder.join("common"))] {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "cl" || extension == "clh") {
                files.push((format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy()), path));
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
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("kernel_files.rs"), text)
}
