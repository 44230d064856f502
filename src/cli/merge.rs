//! `kernel-ladder merge`.

use super::{answers, output};
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::texts::{filled, joined};
use clap::Args;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use study::bundle::{self, Aliases, Bundle};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder bench --ladder mali-t600 --size 1024x1024 --bundle here.json
  kernel-ladder merge here.json there.json --out both.json
  kernel-ladder report both.json --out both.html

Duplicates (the same record from the same device, machine and driver) are written once. Records unknown to this version, such as those of a newer filter, \
are kept unchanged.")]
pub struct Arguments {
    #[command(flatten)]
    given: Given,
    /// Bundle to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        self.given.named_files().writing(&self.out, &["json"])
    }
}

/// The bundles of a command.
#[derive(Args, Debug)]
pub struct Given {
    /// Bundles written by `kernel-ladder bench --bundle` or `kernel-ladder merge`
    #[arg(value_name = "BUNDLE", required_unless_present = "study")]
    bundles: Vec<PathBuf>,
    /// Add this kept result of a study, see `kernel-ladder studies`; may be given several times
    #[arg(long, value_name = "ID")]
    study: Vec<String>,
}

/// Writes one bundle of many.
///
/// # Errors
/// Failed where one cannot be read, with what is wrong with it, or the file not be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (bundle, left_out) = arguments.given.read()?;
    bundle::write(&arguments.out, &bundle)?;
    let values: [(&str, &dyn Display); 4] = [
        ("path", &arguments.out.display()),
        ("devices", &bundle.distinct_devices().len()),
        ("records", &bundle.records().count()),
        ("left_out", &left_out),
    ];
    output::print(&(filled("tables.bundle.merged", &values) + "\n"))?;
    note_foreign(&bundle);
    Ok(())
}

/// Says on stderr what this version does not know of a bundle.
fn note_foreign(bundle: &Bundle) {
    let mut whys: Vec<String> = Vec::new();
    for record in bundle.foreign.iter().flat_map(|run| &run.records) {
        let why = record.why.to_string();
        if !whys.contains(&why) {
            whys.push(why);
        }
    }
    if !whys.is_empty() {
        let count = bundle.foreign.iter().map(|run| run.records.len()).sum::<usize>();
        output::note(&filled("tables.bundle.foreign", &[("count", &count), ("why", &joined("words.list.clauses", whys))]));
    }
}

impl Given {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().reading(&self.bundles)
    }

    /// All of these as one, and how many records were there twice.
    ///
    /// # Errors
    /// Failed where one cannot be read.
    pub fn read(&self) -> Result<(Bundle, usize)> {
        let (mut merged, left_out) = Bundle::merged(self.bundles.iter().map(|path| bundle::read(path)).collect::<Result<Vec<_>>>()?);
        for answer in answers::named(&self.study)? {
            merged.add_answer(&answer, &Aliases::opaque());
        }
        Ok((merged, left_out))
    }
}

/// Prints which file was made of a bundle, and how much is in that.
///
/// # Errors
/// It cannot be printed.
pub fn tell(path: &Path, bundle: &Bundle) -> Result<()> {
    let values: [(&str, &dyn Display); 3] =
        [("path", &path.display()), ("devices", &bundle.distinct_devices().len()), ("records", &bundle.records().count())];
    output::print(&(filled("tables.bundle.reported", &values) + "\n"))?;
    note_foreign(bundle);
    Ok(())
}
