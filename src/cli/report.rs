//! `kernel-ladder report`.

use super::merge::{self, Given};
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::files;
use base::texts::failed;
use clap::Args;
use std::fmt::Display;
use std::path::PathBuf;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder bench --ladder mali-t600 --size 1024x1024 --bundle here.json
  kernel-ladder report here.json --out here.html
  kernel-ladder report here.json there.json --out both.html --language zh
  kernel-ladder report lab.json --expect node1,node2,node3 --out lab.html

The page is one self-contained file, readable without its script and printable. It shows generated pictures and samples; of a personal picture, a bundle \
contains only size and hash.")]
pub struct Arguments {
    #[command(flatten)]
    given: Given,
    /// HTML file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Machines that must be in the bundles, by their names there (`bench --alias`): the page names those that are missing, and the exit code is 1 then
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    expect: Vec<String>,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        self.given.named_files().writing(&self.out, &["html", "htm"])
    }
}

/// Writes the page.
///
/// # Errors
/// Failed where a bundle cannot be read, with what is wrong with it, or the page not be drawn or written; after it is written, where a machine is missing.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (bundle, _) = arguments.given.read()?;
    let missing = bundle.without(&arguments.expect);
    files::write_atomically(&arguments.out, report::html_without(&bundle, &missing)?.as_bytes())?;
    merge::tell(&arguments.out, &bundle)?;
    if missing.is_empty() {
        return Ok(());
    }
    let values: [(&str, &dyn Display); 4] = [
        ("machines", &missing.join(", ")),
        ("missing", &missing.len()),
        ("expected", &arguments.expect.len()),
        ("path", &arguments.out.display()),
    ];
    Err(failed("errors.bundle.missing", &values))
}
