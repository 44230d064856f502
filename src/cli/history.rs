//! `kernel-ladder history`: what comparisons with baselines came to, commit by commit.

use super::arguments;
use super::named_files::NamedFiles;
use super::output;
use super::schema::JsonOf;
use base::error::Result;
use base::files::write_atomically;
use clap::Args;
use report::story_file;
use serde_json::json;
use std::path::PathBuf;
use study::baseline::History;
use view::story::{markdown, text};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder compare baseline.json --history times.jsonl
  kernel-ladder history times.jsonl
  kernel-ladder history times.jsonl --out times.html

Each ratio is held to the baseline of its time; the chart shows where a new baseline begins. In the window, Kernels has *Gate history…*.")]
pub struct Arguments {
    /// File written by `kernel-ladder compare --history`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write it to a file: .html, .md, .pdf, .json, .csv or .txt; the chart alone as .svg or .png
    #[arg(long, value_name = "FILE", value_parser = arguments::parse_story_file)]
    out: Option<PathBuf>,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().reading([&self.file]).writing(self.out.as_ref(), &story_file::EXTENSIONS)
    }
}

/// Prints or writes the story of a history.
///
/// # Errors
/// The file cannot be read, has no comparison in it, or the other one cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let name = arguments.file.file_name().unwrap_or(arguments.file.as_os_str()).to_string_lossy();
    let history = History::read(&arguments.file)?;
    let story = history.story(&name);
    if let Some(out) = &arguments.out {
        write_atomically(out, &story_file::paint(&story, out)?)?;
    }
    if arguments.json {
        output::print_json(JsonOf::History, None, || json!({ "comparisons": history.entries, "unread": history.unread }))
    } else if arguments.markdown {
        output::print(&markdown::paint(&story))
    } else if arguments.out.is_some() {
        Ok(())
    } else {
        output::print(&text::paint(&story))
    }
}
