//! Filters of a person's own: a folder each, read while the program runs. `docs/filters.md` describes the format.
//!
//! A folder is read ([`Folder`]), held to what there is ([`crate::filters::definition`]) and to its kernels, and brought to where filters, stages, texts and ladders are looked up ([`bring`](fn@bring)). Whoever computes
//! elsewhere is sent the folder's texts and brings them there.

mod bring;
mod folder;

pub use bring::{bring, folder_of};
pub use folder::{FOLDER, Folder, OwnFolder, filters_in, stamp, user_folder};

use crate::filters::Filter;
pub use crate::filters::definition::{DEFINITION, Misfit};
use base::error::Result;
use base::texts::failed;
use std::path::Path;

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
