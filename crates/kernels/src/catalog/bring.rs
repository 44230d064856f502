//! From a folder's definition to a filter, held to its kernels.

use super::{DEFINITION, Folder, Misfit};
use crate::filters::VariantExt as _;
use crate::filters::definition::{self, Definition};
use crate::filters::{self, Filter, Ladder};
use crate::kernel_source;
use crate::launch::{Pass, Shape};
use base::fault::{Fault, say};
use base::texts;
use model::{FilterId, OwnStage, Setting, Variant};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{PoisonError, RwLock};

/// Makes the filter of a folder the newest one of its name. The same folder again brings the same filter.
///
/// # Errors
/// Everything that is wrong with it. Nothing of it is brought then, but for what its own stages are called in kernels, where those are wrong alone.
pub fn bring(folder: &Folder) -> Result<&'static Filter, Vec<Misfit>> {
    let definition = definition::read(&folder.as_files())?;
    for stage in &definition.stages {
        model::bring(stage);
    }
    hold_stages(folder, &definition).map_err(|misfit| vec![misfit])?;
    hold_kernels(folder, &definition).map_err(|misfit| vec![misfit])?;
    for (language, key, text) in &definition.texts {
        texts::bring(*language, key, text);
    }
    let filter = filters::bring(&folder.name, &folder.hash(), |id| {
        let ladders = definition.ladders.into_iter().map(|ladder| Ladder { filter: id, ..ladder });
        Filter { id, ladders: Vec::leak(ladders.collect()), ..definition.filter }
    });
    let filter = filter.ok_or_else(|| vec![told(folder, 0, "catalog.fault.many", &[], "catalog.fault.restart")])?;
    BROUGHT.write().unwrap_or_else(PoisonError::into_inner).insert(filter.id, folder.clone());
    Ok(filter)
}

/// The folders of filters that were brought: other processes and machines are sent them.
static BROUGHT: RwLock<BTreeMap<FilterId, Folder>> = RwLock::new(BTreeMap::new());

/// The folder that a filter was made of.
#[must_use]
pub fn folder_of(id: FilterId) -> Option<Folder> {
    BROUGHT.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
}

/// So many variants of each setting are composed when a folder is read; what is wrong with others is told when they are chosen.
const MOST_COMPOSED: usize = 50;

/// A stage of the filter's own that no kernel tests would change nothing.
fn hold_stages(folder: &Folder, definition: &Definition) -> Result<(), Misfit> {
    let kernels = || folder.files.iter().filter(|(name, _)| !definition::is_of(name, "toml"));
    for OwnStage { define, .. } in &definition.stages {
        if !kernels().any(|(_, text)| text.split(|letter| !kernel_source::is_of_word(letter)).any(|word| word == define)) {
            return Err(told(folder, byte_of(folder, define), "catalog.fault.no-test", &[("name", define)], "catalog.fault.write-test"));
        }
    }
    Ok(())
}

/// Where the definition first has a name in quotes.
fn byte_of(folder: &Folder, name: &str) -> usize {
    folder.file(DEFINITION).unwrap_or_default().find(&format!("\"{name}\"")).unwrap_or(0)
}

/// Composes the kernels of the first variants in every setting, and holds launches to them.
fn hold_kernels(folder: &Folder, definition: &Definition) -> Result<(), Misfit> {
    let filter = &definition.filter;
    let defaults = filter.defaults();
    for &channels in filter.channels {
        for &border in filter.borders {
            let setting = Setting::new(channels, border);
            for variant in Variant::all(filter, setting).into_iter().take(MOST_COMPOSED) {
                let text = kernel_source::compose(filter, &variant, setting, &defaults)
                    .map_err(|error| kernel_misfit(filter.kernel_file, &error.why))?;
                let shape = Shape { variant: &variant, setting, parameters: &defaults, width_px: 64, height_px: 64 };
                if let Some(byte) = definition.launching.undefined_size(&shape) {
                    return Err(told(folder, byte, "catalog.fault.no-size", &[("variant", &variant)], "catalog.fault.write-global"));
                }
                for pass in (filter.launch)(&shape).passes {
                    hold_arguments(folder, &pass, &text, &filter.file_of(&variant))?;
                }
            }
        }
    }
    Ok(())
}

fn hold_arguments(folder: &Folder, pass: &Pass, text: &str, file: &str) -> Result<(), Misfit> {
    let (given, kernel) = (pass.arguments.len(), pass.kernel);
    let byte = byte_of(folder, kernel);
    match arguments_of(text, kernel) {
        Some(taken) if taken == given => Ok(()),
        Some(taken) => {
            let values: [(&str, &dyn Display); 3] = [("kernel", &kernel), ("taken", &taken), ("given", &given)];
            Err(told(folder, byte, "catalog.fault.arguments", &values, "catalog.fault.write-arguments"))
        }
        None => {
            let values: [(&str, &dyn Display); 2] = [("kernel", &kernel), ("file", &file)];
            Err(told(folder, byte, "catalog.fault.no-kernel", &values, "catalog.fault.write-kernel"))
        }
    }
}

/// Something wrong at a byte of the definition.
fn told(folder: &Folder, byte: usize, why: &'static str, values: &[(&str, &dyn Display)], remedy: &'static str) -> Misfit {
    let text = folder.file(DEFINITION).unwrap_or_default();
    Misfit { file: DEFINITION.to_owned(), fault: Fault::at(text, byte, say(why, values), say(remedy, &[])) }
}

/// What the resolver says, "emboss.cl:12: there is no file 'x.clh'", at that line.
fn kernel_misfit(kernel_file: &str, sentence: &str) -> Misfit {
    let mut parts = sentence.splitn(3, ':');
    let (file, line) = (parts.next().unwrap_or_default(), parts.next().and_then(|line| line.parse().ok()));
    if let Some(line) = line {
        let why = parts.next().unwrap_or_default().trim().to_owned();
        Misfit { file: file.to_owned(), fault: Fault { line, column: 1, why, remedy: say("catalog.fault.mend-kernel", &[]) } }
    } else {
        let fault = Fault { line: 0, column: 0, why: sentence.to_owned(), remedy: String::new() };
        Misfit { file: kernel_file.to_owned(), fault }
    }
}

/// How many arguments a kernel of a text takes; `None` where there is no such kernel.
fn arguments_of(text: &str, kernel: &str) -> Option<usize> {
    let bare = kernel_source::bare(text);
    let words = bare.replace('\n', " ");
    let begin = words.match_indices(kernel).find(|(at, _)| {
        let before = words.get(..*at).unwrap_or_default().trim_end();
        let after = words.get(at + kernel.len()..).unwrap_or_default().trim_start();
        after.starts_with('(') && before.ends_with("void")
    })?;
    let list = words.get(begin.0 + kernel.len()..)?.trim_start().strip_prefix('(')?;
    let end = list.find(')')?;
    let list = list.get(..end)?.trim();
    Some(if list.is_empty() || list == "void" { 0 } else { list.split(',').count() })
}
