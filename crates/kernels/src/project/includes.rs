//! Kernel files of a project as one text: its own `#include "…"` lines are replaced, so that no compiler looks for files.

use super::read::Folder;
use crate::kernel_source::refuse_includes;
use base::fault::{Fault, say};
use std::fmt::Write as _;

/// Files within files, at most: one that includes itself ends here.
const MOST_DEPTH: usize = 16;

/// The text is not longer.
const MOST_BYTES: usize = 4 << 20;

/// The text of the file of that name, with those that it includes, each under a line that tells a compiler where it comes from.
///
/// # Errors
/// What is wrong, with the file that it is in.
pub fn text_of(folder: &Folder, name: &str, places: &[String]) -> Result<String, (String, Fault)> {
    let mut text = String::new();
    append(folder, name, places, 0, &mut text)?;
    refuse_includes(&text).map_err(|error| (name.to_owned(), Fault::of_file(&error)))?;
    Ok(text)
}

fn append(folder: &Folder, name: &str, places: &[String], depth: usize, text: &mut String) -> Result<(), (String, Fault)> {
    let own = folder.text(name).map_err(|fault| (name.to_owned(), fault))?;
    let quoted = name.replace(['"', '\\', '\n'], "_");
    let _ = writeln!(text, "#line 1 \"{quoted}\"");
    let mut byte = 0;
    for (number, line) in (1..).zip(own.split_inclusive('\n')) {
        let wanted = line.trim_start().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("include"));
        let wanted = wanted.and_then(|rest| rest.trim().strip_prefix('"')?.split_once('"')).map(|(wanted, _)| wanted);
        match wanted {
            None => text.push_str(line),
            Some(wanted) => {
                let refused = |why: &'static str| (name.to_owned(), Fault::at(&own, byte, say(why, &[("name", &wanted)]), String::new()));
                if depth == MOST_DEPTH || text.len() > MOST_BYTES {
                    return Err(refused("project.fault.deep-include"));
                }
                let beside = name.rsplit_once('/').map(|(place, _)| place.to_owned());
                let tried = beside.iter().chain(places).map(|place| format!("{place}/{wanted}")).chain([wanted.to_owned()]);
                let found = tried.into_iter().find(|path| folder.has(path)).ok_or_else(|| refused("project.fault.no-include"))?;
                append(folder, &found, places, depth + 1, text)?;
                let _ = writeln!(text, "\n#line {} \"{quoted}\"", number + 1);
            }
        }
        byte += line.len();
    }
    Ok(())
}
