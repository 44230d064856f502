//! Filters of a person's own: a folder each, read while the program runs. `docs/filters.md` describes the format.
//!
//! A folder is read ([`Folder`]), held to what there is, and brought to where filters, stages, texts and ladders are looked up ([`bring`]). Whoever computes
//! elsewhere is sent the folder's texts and brings them there.

mod define;
mod folder;
mod launch;
mod rows;

pub use define::{bring, folder_of};
pub use folder::{DEFINITION, FOLDER, Folder, Stamp, filters_in, stamp, user_folder};

use crate::error::Result;
use crate::fault::Fault;
use crate::filters::Filter;
use crate::texts::failed;
use std::path::Path;

/// Something wrong in a file of a filter's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The file's name in the folder.
    pub file: String,
    /// What is wrong there.
    pub fault: Fault,
}

impl std::fmt::Display for Misfit {
    /// "filter.toml:14:11: there is no stage 'merge'".
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.fault.at_place(&self.file))
    }
}

/// Reads a filter's folder and brings it.
///
/// # Errors
/// Where it cannot be read; all that is wrong with it, each fault on a line of its own.
pub fn open(folder: &Path) -> Result<&'static Filter> {
    let read = Folder::read(folder)?;
    bring(&read).map_err(|misfits| {
        let lines: Vec<String> = misfits.iter().map(ToString::to_string).collect();
        failed("errors.catalog.faults", &[("name", &read.name), ("faults", &lines.join("\n"))])
    })
}
