//! Lists the files of filters: kernels, definitions, texts and ladders.

use std::io;

fn main() -> io::Result<()> {
    let root = embed::root();
    let folders = embed::folders(&root.join("kernels"))?;
    let kernels = root.join("kernels");
    let ladders: Vec<String> =
        folders.iter().map(|folder| format!("{folder}ladders/")).filter(|part| kernels.join(part).is_dir()).collect();
    let [folders, ladders] = [&folders, &ladders].map(|parts| parts.iter().map(String::as_str).collect::<Vec<_>>());
    embed::list(&kernels, &folders, &["cl", "clh"], "kernel_files.rs")?;
    embed::list(&kernels, &[folders, ladders].concat(), &["toml"], "definition_files.rs")
}
