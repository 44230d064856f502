//! A project's folder, written from a kernel file or from a problem of Kernel Tuner's.

use base::error::Result;
use base::files;
use base::texts::failed;
use kernels::project::{PROJECT, import, skeleton};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// As many folders of one name are looked for.
const MOST_FOLDERS: usize = 1000;

/// Makes a project folder of a kernel file, or of a problem of Kernel Tuner's (`.json`); what could not be taken over is returned as sentences.
///
/// # Errors
/// There is no kernel, something is there already, or it cannot be written.
pub fn create(folder: &Path, from: &Path) -> Result<Vec<String>> {
    let not_made = |path: &Path, why: &dyn Display| failed("errors.project.not-made", &[("path", &path.display()), ("why", why)]);
    if folder.exists() {
        return Err(failed("errors.project.there", &[("path", &folder.display())]));
    }
    let source = files::read_text(from).map_err(|error| not_made(from, &error))?;
    let file_name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_problem = from.extension().is_some_and(|extension| extension == "json");
    let (toml, kernel_name, kernel, notes) = if is_problem {
        let imported = import(&source)?;
        let path = from.parent().unwrap_or(Path::new("")).join(&imported.kernel_file);
        let kernel = files::read_text(&path).map_err(|error| not_made(&path, &error))?;
        (imported.project, file_name(&path), kernel, imported.notes)
    } else {
        let toml =
            skeleton(&file_name(from), &source).ok_or_else(|| failed("errors.project.no-kernel-in", &[("path", &from.display())]))?;
        (toml, file_name(from), source, Vec::new())
    };
    std::fs::create_dir(folder).map_err(|error| not_made(folder, &error))?;
    files::write_atomically(&folder.join(kernel_name), kernel.as_bytes())?;
    files::write_atomically(&folder.join(PROJECT), toml.as_bytes())?;
    Ok(notes)
}

/// A folder beside a kernel file, called as that without its ending, that is not there yet.
#[must_use]
pub fn folder_for(from: &Path) -> PathBuf {
    let name = from.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..MOST_FOLDERS).map(|number| format!("{name}-{number}"));
    let mut folders = std::iter::once(name.clone()).chain(numbered).map(|name| from.with_file_name(name));
    folders.find(|folder| !folder.exists()).unwrap_or_else(|| from.with_file_name(name))
}
