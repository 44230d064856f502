//! `kernel-ladder report`.

use super::{merge, output};
use crate::error::Result;
use crate::texts::filled;
use crate::{files, report};
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

The page is one file: it loads nothing from elsewhere, can be read without its script, and prints. A picture is in it where the program can make it again \
(a generated one or a sample); of a person's own picture a bundle has the size and the hash alone.")]
pub struct Arguments {
    /// Bundles that `kernel-ladder bench --bundle` or `kernel-ladder merge` has written
    #[arg(value_name = "BUNDLE", required = true)]
    bundles: Vec<PathBuf>,
    /// HTML file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Writes the page.
///
/// # Errors
/// Failed where a bundle cannot be read, with what is wrong with it, or the page not be drawn or written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (bundle, _) = merge::read(&arguments.bundles)?;
    files::write_atomically(&arguments.out, report::html(&bundle)?.as_bytes())?;
    let values: [(&str, &dyn Display); 3] =
        [("path", &arguments.out.display()), ("devices", &bundle.distinct_devices().len()), ("records", &bundle.records().count())];
    output::print(&(filled("tables.bundle.reported", &values) + "\n"))
}
