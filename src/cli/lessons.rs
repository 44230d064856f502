//! `kernel-ladder lessons`.

use super::output;
use crate::cli::named_files::NamedFiles;
use base::error::{Error, Result};
use base::texts::{Language, failed, filled, joined, language, meant, misused};
use clap::Args;
use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};
use study::lessons::{Edition, Shelf, all_notes, notes, read_file, read_folder, user_folder};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder lessons                           built-in lessons, and errors in your folder
  kernel-ladder lessons --check loads.toml        every error of a file, as FILE:LINE:COLUMN
  kernel-ladder lessons --print example           the text of a lesson, as a start
  kernel-ladder lessons --teacher 1-memory-access  the teacher's notes of a lesson
  kernel-ladder lessons --teacher all             the notes of all built-in lessons: docs/teaching.md

A lesson is a text file. docs/lessons.md describes its format.")]
pub struct Arguments {
    /// Check this file; exit code 1 if it has errors
    #[arg(long, value_name = "FILE", conflicts_with_all = ["print", "teacher"])]
    check: Option<PathBuf>,
    /// Print the text of a built-in lesson, or of `example`
    #[arg(long, value_name = "NAME", conflicts_with = "teacher")]
    print: Option<String>,
    /// Print the teacher's notes of a lesson, or of `all` built-in ones, as Markdown
    #[arg(long, value_name = "NAME")]
    teacher: Option<String>,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().reading(&self.check)
    }
}

/// Lists, checks or prints.
///
/// # Errors
/// Failed where a lesson has a fault, or a file cannot be read; a usage error for a name that is not there.
pub fn run(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.check {
        let edition = read_file(path, "")?;
        let Some(lesson) = &edition.lesson else { return Err(faulty(std::slice::from_ref(&edition))) };
        let values: [(&str, &dyn Display); 3] = [("path", &path.display()), ("title", &lesson.title), ("count", &lesson.screens.len())];
        return output::print(&format!("{}\n", filled("lessons.cli.checked", &values)));
    }
    if let Some(name) = &arguments.print {
        return output::print(Shelf::text(name, language()).ok_or_else(|| unknown(name))?);
    }
    if let Some(name) = &arguments.teacher {
        return output::print(&teacher(name)?);
    }
    list(user_folder().as_deref())
}

/// The notes of a lesson, of the person's folder too.
fn teacher(name: &str) -> Result<String> {
    if name == "all" {
        return Ok(all_notes());
    }
    let shelf = whole_shelf(user_folder().as_deref())?;
    let lesson = shelf.find(name, language()).ok_or_else(|| unknown(name))?;
    notes(name, lesson).ok_or_else(|| failed("errors.lesson.no-notes", &[("name", &name)]))
}

/// The built-in lessons and those of the folder.
fn whole_shelf(folder: Option<&Path>) -> Result<Shelf> {
    let mut shelf = Shelf::default();
    shelf.take(folder.map_or_else(|| Ok(Vec::new()), read_folder)?);
    Ok(shelf)
}

fn unknown(name: &str) -> Error {
    let shelf = Shelf::default();
    misused("errors.lesson.unknown", &[("name", &name), ("names", &meant(name, shelf.names().iter().map(AsRef::as_ref)))])
}

fn list(folder: Option<&Path>) -> Result<()> {
    let shelf = whole_shelf(folder)?;
    let mut text = String::new();
    for name in shelf.names() {
        let Some(lesson) = shelf.find(name, language()) else { continue };
        let entry = filled("lessons.cli.entry", &[("name", &name), ("title", &lesson.title)]);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{entry}\n  {}\n  {}\n", lesson.goal, lesson.about());
    }
    if let Some(folder) = folder {
        let languages = joined("lessons.cli.or", Language::ALL.map(|language| language.code().to_owned()));
        let _ = writeln!(text, "{}", filled("lessons.cli.own", &[("path", &folder.display()), ("languages", &languages)]));
    }
    output::print(&text)?;
    let faulty_ones: Vec<Edition> = shelf.editions().iter().filter(|edition| !edition.faults.is_empty()).cloned().collect();
    if faulty_ones.is_empty() { Ok(()) } else { Err(faulty(&faulty_ones)) }
}

/// Every fault on a line of its own, as compilers and editors write them.
fn faulty(editions: &[Edition]) -> Error {
    let lines = editions.iter().flat_map(|edition| {
        let path = edition.path.as_deref().map_or_else(|| edition.name.clone(), |path| path.display().to_string());
        edition.faults.iter().map(move |fault| fault.at_place(&path))
    });
    let mut lines: Vec<String> = lines.collect();
    // What is wrong with the filter is found at every use of it.
    lines.dedup();
    let key = if lines.len() == 1 { "errors.lesson.fault" } else { "errors.lesson.faults" };
    failed(key, &[("count", &lines.len())]).with_detail(lines.join("\n"))
}
