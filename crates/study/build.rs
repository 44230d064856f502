//! Lists the files of lessons, and of claims as they were measured on some devices.

use std::io;

fn main() -> io::Result<()> {
    let root = embed::root();
    embed::list(&root.join("assets/claims"), &[""], &["json"], "claims_files.rs")?;
    embed::list(&root.join("assets/claims"), &[""], &["md"], "claims_pages.rs")?;
    embed::list(&root.join("assets/lessons"), &["en/", "zh/"], &["toml"], "lesson_files.rs")
}
