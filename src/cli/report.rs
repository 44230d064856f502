//! `kernel-ladder report`.

use super::merge::{self, Given};
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::files;
use clap::Args;
use std::path::PathBuf;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder bench --ladder mali-t600 --size 1024x1024 --bundle here.json
  kernel-ladder report here.json --out here.html
  kernel-ladder report here.json there.json --out both.html --language zh

The page is one self-contained file, readable without its script and printable. It shows generated pictures and samples; of a personal picture, a bundle \
contains only size and hash.")]
pub struct Arguments {
    #[command(flatten)]
    given: Given,
    /// HTML file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
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
/// Failed where a bundle cannot be read, with what is wrong with it, or the page not be drawn or written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (bundle, _) = arguments.given.read()?;
    files::write_atomically(&arguments.out, report::html(&bundle)?.as_bytes())?;
    merge::tell(&arguments.out, &bundle)
}
