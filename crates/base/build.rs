//! Lists the files of texts.

use std::io;

fn main() -> io::Result<()> {
    let root = embed::root();
    let folders = embed::folders(&root.join("kernels"))?;
    embed::list(&root.join("kernels"), &folders.iter().map(String::as_str).collect::<Vec<_>>(), &["toml"], "folder_files.rs")?;
    embed::list(&root.join("assets/texts"), &["en/", "zh/"], &["toml"], "text_files.rs")
}
