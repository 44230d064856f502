//! Lists the files of texts.

use std::io;

fn main() -> io::Result<()> {
    embed::list(&embed::root().join("assets/texts"), &["en/", "zh/"], &["toml"], "text_files.rs")
}
