//! `kernel-ladder studies`: what studies answered, here and in the window.

use super::arguments;
use super::named_files::NamedFiles;
use super::output;
use super::schema::JsonOf;
use base::error::Result;
use base::files::{LinesJob, read_lines, user_file, write_atomically};
use base::texts::{Words, failed, filled, misused, text};
use clap::Args;
use report::story_file;
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use study::Answer;
use view::story::{self, Block, Cell, Kind, Story, Table, Tone, said};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Every study of a filter that is run to its end, here or in the window, is kept with device, driver, date and version: ablation, autotune, bottleneck, \
break-even, caches, host, occupancy, split, tune and widths. Searches through projects are kept apart, as trials. An id may be shortened to its first digits.

Examples:
  kernel-ladder studies
  kernel-ladder studies 3f9a2c1d
  kernel-ladder studies 3f9a2c1d --out ablation.pdf
  kernel-ladder studies 3f9a2c1d 80b1 --out both.html")]
pub struct Arguments {
    /// Result to show, and a second one to show beside it [default: list all]
    #[arg(value_name = "ID", num_args = 0..=2)]
    ids: Vec<String>,
    /// Write it to a file: .html, .md, .pdf, .json, .csv or .txt; charts alone as .svg or .png
    #[arg(long, value_name = "FILE", requires = "ids", value_parser = arguments::parse_story_file)]
    out: Option<PathBuf>,
    /// Delete these results
    #[arg(long, requires = "ids", conflicts_with = "out")]
    forget: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "forget")]
    json: bool,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().writing(self.out.as_ref(), &story_file::EXTENSIONS)
    }
}

/// What JSON says of an answer: all but what it told.
#[derive(Serialize)]
struct Head<'a> {
    id: String,
    #[serde(flatten)]
    answer: Value,
    /// In English.
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<&'a Value>,
}

impl<'a> Head<'a> {
    fn of(answer: &Answer, told: Option<&'a Value>) -> Self {
        // Plain data always serializes.
        let mut fields = serde_json::to_value(answer).unwrap_or_default();
        if let Some(fields) = fields.as_object_mut() {
            fields.remove("story");
            fields.remove("schema");
        }
        Self { id: answer.id(), answer: fields, title: answer.title().english(), told }
    }
}

/// Lists, shows, writes or deletes kept answers.
///
/// # Errors
/// Failed where the file cannot be read or written, or there is no such answer.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (path, all) = kept()?;
    let chosen = arguments.ids.iter().map(|id| found(&all, id)).collect::<Result<Vec<_>>>()?;
    if arguments.forget {
        return LinesJob::Remove(chosen.into_iter().cloned().collect()).run(&path).map(drop);
    }
    let story = match chosen.as_slice() {
        [] if arguments.json => {
            let newest_first = || all.iter().rev().map(|answer| Head::of(answer, None)).collect::<Vec<_>>();
            return output::print_json(JsonOf::Studies, None, newest_first);
        }
        [] => return output::print(&story::text::paint(&list(&all))),
        [one] => told(one),
        [one, other, ..] => one.beside(other),
    };
    if let Some(out) = &arguments.out {
        write_atomically(out, &story_file::paint(&story, out)?)?;
    }
    if arguments.json {
        return output::print_json(JsonOf::KeptStudy, None, || {
            let told = story::json::paint(&story);
            chosen.first().map(|answer| serde_json::to_value(Head::of(answer, Some(&told))).unwrap_or_default())
        });
    }
    if arguments.out.is_some() { Ok(()) } else { output::print(&story::text::paint(&story)) }
}

/// The person's file, and what is in it.
fn kept() -> Result<(PathBuf, Vec<Answer>)> {
    let path = user_file::<Answer>().ok_or_else(|| failed("errors.predictions.no-folder", &[]))?;
    let kept = read_lines::<Answer>(&path)?;
    if let Some(error) = kept.damage() {
        output::complain(&error);
    }
    Ok((path, kept.lines))
}

/// Those whose ids begin so.
///
/// # Errors
/// As [`run`].
pub fn named(ids: &[String]) -> Result<Vec<Answer>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (_, all) = kept()?;
    ids.iter().map(|id| found(&all, id).cloned()).collect()
}

/// The one whose id begins so.
fn found<'a>(all: &'a [Answer], id: &str) -> Result<&'a Answer> {
    let id = id.to_ascii_lowercase();
    let mut known: Vec<&Answer> = all.iter().filter(|answer| answer.id().starts_with(&id)).collect();
    match known.len() {
        0 => Err(misused("errors.answers.unknown", &[("id", &id), ("count", &all.len())])),
        1 => Ok(known.remove(0)),
        count => Err(misused("errors.answers.ambiguous", &[("id", &id), ("count", &count)])),
    }
}

/// What it told, with when and where.
fn told(answer: &Answer) -> Story {
    let mut story = Story { title: Some(answer.title()), ..Story::default() };
    story.say(Tone::Weak, answer.measured_on());
    if answer.busy {
        story.say(Tone::Warning, Words::text("studies.kept.busy"));
    }
    story.blocks.extend(answer.story.blocks.iter().cloned());
    story
}

/// A row for each, the newest first.
fn list(all: &[Answer]) -> Story {
    let mut story = Story::default();
    if all.is_empty() {
        story.say(Tone::Plain, Words::text("studies.kept.none"));
        return story;
    }
    let heads = ["studies.kept.id", "studies.kept.date", "studies.kept.what", "studies.kept.where"];
    let mut table = Table::headed("studies", heads.map(|head| (Kind::Words, head)));
    for answer in all.iter().rev() {
        let place =
            said(|| if answer.busy { format!("{} ({})", answer.machine.label(), text("tables.busy")) } else { answer.machine.label() });
        table.row([Cell::Code(answer.id()), Cell::Code(answer.day_and_time()), Cell::Words(answer.title()), Cell::Words(place)]);
    }
    story.push(Block::Table(table));
    story
}

/// Keeps what a study answered. Where that cannot be written, it is told: the study was not in vain.
pub fn keep(answer: Option<Answer>) {
    let Some((file, answer)) = user_file::<Answer>().zip(answer) else { return };
    let id = answer.id();
    match LinesJob::Append(Box::new(answer)).run(&file) {
        Ok(_) => output::note(&filled("studies.kept.noted", &[("id", &id)])),
        Err(error) => output::complain(&error),
    }
}
