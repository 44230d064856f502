//! `kernel-ladder class`.

use super::output;
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::files;
use base::texts::{failed, filled, misused};
use clap::Args;
use report::class::{self, Class};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use study::lessons::{Shelf, read_folder, user_folder};

/// Most files that are made up at once.
const MOST_MADE_UP: u64 = 1000;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder class handed-in --out class.html
  kernel-ladder class one.json two.json --out class.html --language zh
  kernel-ladder class --example 30 try-out        thirty made-up files, to see such a page

Students write these files with Export, Send to teacher. Bundles of `kernel-ladder bench --bundle` are accepted as well. A file that cannot be read is \
left out, with a message and exit code 1; the page is written without it.")]
pub struct Arguments {
    /// Files of students, or folders of them; with --example the folder to write to
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// HTML file to write
    #[arg(long, value_name = "FILE", required_unless_present = "example")]
    out: Option<PathBuf>,
    /// Write this many made-up files into a folder instead
    #[arg(long, value_name = "COUNT", conflicts_with = "out", value_parser = clap::value_parser!(u64).range(1..=MOST_MADE_UP))]
    example: Option<u64>,
    /// Which made-up files: the same number gives the same ones
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "example")]
    seed: u64,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        let reads = self.files.iter().filter(|_| self.example.is_none());
        NamedFiles::default().reading(reads).writing(&self.out, &["html", "htm"])
    }
}

/// Writes the page, or made-up files.
///
/// # Errors
/// Failed where a file cannot be read, after the page was written without it, or nothing can be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    match (arguments.example, arguments.out.as_deref(), arguments.files.as_slice()) {
        (Some(count), _, [folder]) => make_up(count, arguments.seed, folder),
        (None, Some(out), files) => page(files, out),
        _ => Err(misused("errors.class.one-folder", &[])),
    }
}

fn page(given: &[PathBuf], out: &Path) -> Result<()> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in given {
        if path.is_dir() { paths.extend(files_of(path)?) } else { paths.push(path.clone()) }
    }
    let (handed_in, faults) = class::read_all(&paths)?;
    faults.iter().for_each(output::complain);
    let unread = faults.len();
    let class = Class::of(&handed_in);
    files::write_atomically(out, class::html(&class, unread, &shelf()).as_bytes())?;
    let values: [(&str, &dyn Display); 4] =
        [("path", &out.display()), ("files", &class.files), ("students", &class.students.len()), ("devices", &class.devices())];
    output::print(&(filled("tables.class.reported", &values) + "\n"))?;
    if class.replaced > 0 {
        output::note(&filled("class.replaced", &[("count", &class.replaced)]));
    }
    if unread > 0 { Err(failed("errors.class.unread", &[("count", &unread), ("path", &out.display())])) } else { Ok(()) }
}

/// The files of a folder that can be a student's, by name.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let refuse = |error: std::io::Error| failed("errors.class.not-read", &[("why", &error), ("path", &folder.display())]);
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>).map_err(refuse)?;
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(is_json).collect();
    paths.sort();
    if paths.is_empty() { Err(failed("errors.class.none", &[("path", &folder.display())])) } else { Ok(paths) }
}

/// The lessons that are built in, and the teacher's own where they can be read.
fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    match user_folder().map_or_else(|| Ok(Vec::new()), |folder| read_folder(&folder)) {
        Ok(own) => shelf.take(own),
        Err(error) => output::complain(&error),
    }
    shelf
}

fn make_up(count: u64, seed: u64, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| failed("errors.class.no-folder", &[("why", &error), ("path", &folder.display())]))?;
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    for (index, sent) in class::made_up(count, seed)?.iter().enumerate() {
        class::write(&folder.join(format!("made-up-{:02}-for-teacher.json", index + 1)), sent)?;
    }
    output::print(&(filled("tables.class.made-up", &[("path", &folder.display()), ("count", &count)]) + "\n"))
}
