//! Filters of a person's own: a folder each, read while the program runs. `docs/filters.md` describes the format.
//!
//! A folder is read ([`Folder`]), held to what there is, and brought to where filters, stages, texts and ladders are looked up ([`bring`]). Whoever computes
//! elsewhere is sent the folder's texts and brings them there.

mod define;
mod folder;
mod launch;
mod rows;

pub use define::{bring, folder_of};
pub use folder::{DEFINITION, FOLDER, Folder, filters_in, stamp, user_folder};

use crate::error::Error;
use crate::fault::Fault;
use crate::texts::failed;

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

/// All that is wrong with a folder, as one error: each fault on a line of its own.
#[must_use]
pub fn refused(name: &str, misfits: &[Misfit]) -> Error {
    let lines: Vec<String> = misfits.iter().map(ToString::to_string).collect();
    failed("errors.catalog.faults", &[("name", &name), ("faults", &lines.join("\n"))])
}
