//! Lists the files of kernels and of ladders.

use std::io;

fn main() -> io::Result<()> {
    let root = embed::root();
    let folders = embed::folders(&root.join("kernels"))?;
    embed::list(&root.join("kernels"), &folders.iter().map(String::as_str).collect::<Vec<_>>(), &["cl", "clh"], "kernel_files.rs")?;
    embed::list(&root.join("assets/ladders"), &[""], &["toml"], "ladder_files.rs")
}
