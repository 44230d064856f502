//! Filters as data: a folder's `filter.toml`, its texts and ladders, read and held to what there is. `docs/filters.md` describes the format, which is one for the
//! filters that came with the program, in `kernels/`, and for those of a person.

#[cfg(test)]
mod ladder_tests;
mod ladders;
mod launch;
mod names;
mod read;
mod rows;
mod spoken;
mod tables;

use super::attached;
use super::{Filter, Ladder};
use base::fault::Fault;
use base::texts::Language;
use launch::Launching;
use model::{FilterId, OwnStage};
pub(crate) use read::is_of;
pub(crate) use rows::Written;

/// The file that makes a folder a filter's.
pub const DEFINITION: &str = "filter.toml";

/// The files of `kernels/` that are no kernels, by name; `build.rs` lists them.
static DEFINITIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/definition_files.rs"));

/// The texts of a folder.
pub struct Files<'a> {
    /// The folder's name, which is the filter's.
    pub name: &'a str,
    /// Names, with `/` between folders, and texts.
    pub files: Vec<(&'a str, &'a str)>,
}

impl<'a> Files<'a> {
    fn file(&self, name: &str) -> Option<&'a str> {
        self.files.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }
}

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

/// A definition that was read. Nothing of it is brought yet.
pub struct Definition {
    /// Its row, without an id where it is a person's, and then without ladders.
    pub filter: Filter,
    /// What its expressions say of launches.
    pub launching: &'static Launching,
    /// Its ladders.
    pub ladders: Vec<Ladder>,
    /// Its texts, by their keys.
    pub texts: Vec<(Language, String, String)>,
    /// The stages that it has alone.
    pub stages: Vec<OwnStage>,
}

/// Reads a person's folder.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(files: &Files) -> Result<Definition, Vec<Misfit>> {
    read::Reader::of(files, None).read()
}

/// Reads the folder of a filter that came with the program.
///
/// # Errors
/// Everything that is wrong with it: a test holds every one to be right.
pub(super) fn built_in(id: FilterId) -> Result<Definition, Vec<Misfit>> {
    let in_folder = |(path, text): &(&'static str, &'static str)| {
        let (folder, file) = path.split_once('/')?;
        (folder == id.name()).then_some((file, *text))
    };
    let files = Files { name: id.name(), files: DEFINITIONS.iter().filter_map(in_folder).collect() };
    read::Reader::of(&files, Some((id, attached::of(id.name())))).read()
}

#[cfg(test)]
mod tests {
    use super::built_in;
    use model::FilterId;

    #[test]
    fn every_built_in_folder_is_right() {
        for &id in FilterId::BUILT_IN {
            let misfits = built_in(id).err().unwrap_or_default();
            assert!(misfits.is_empty(), "{}: {}", id.name(), misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
        }
    }
}
