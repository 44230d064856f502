//! The commands of studies: one for each that [`KINDS`] lists with one. Their help is what the window says of them.

use super::arguments::{self, LargeArgument, StudyArguments, parse_pixels, search_parser};
use super::devices::device_line;
use super::named_files::NamedFiles;
use super::schema::JsonOf;
use super::studying::GeneratedArguments;
use super::{answers, kept, output, studying};
use base::error::Result;
use base::texts::{filled, misused};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use engine::{Backend, PictureRef};
use kernels::filters;
use model::{Channels, HostMemory};
use report::story_file;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use study::{Answer, Finding, KINDS, Kind, Question, Search, Subject};
use view::story::{Story, text};

/// A study with its arguments.
#[derive(Debug)]
pub struct Command {
    kind: &'static Kind,
    defaults: study::Command,
    study: StudyArguments,
    picture: PictureArguments,
}

/// What a variant is studied over.
#[derive(Debug)]
enum PictureArguments {
    Generated(GeneratedArguments),
    Searched(Searched),
    File(FileOrGenerated),
    Sizes(Sizes),
}

#[derive(Args, Debug)]
struct Searched {
    /// Extent of the search: rapid, normal or exhaustive
    #[arg(long, value_name = "SEARCH", default_value = "normal", value_parser = search_parser())]
    search: Search,
    #[command(flatten)]
    generated: GeneratedArguments,
}

#[derive(Args, Debug)]
struct FileOrGenerated {
    /// Picture [default: a generated one]
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    large: LargeArgument,
    /// Size of the generated picture
    #[arg(long, value_name = "2048x2048", value_parser = parse_pixels, conflicts_with = "picture")]
    size: Option<(usize, usize)>,
}

#[derive(Args, Debug)]
struct Sizes {
    /// Host memory for transfers: copy, map, use-host-ptr or svm [default: copy]
    #[arg(long, value_name = "MEMORY")]
    memory: Option<HostMemory>,
    /// Picture sizes
    #[arg(long = "size", value_name = "512x512", num_args = 1.., value_parser = parse_pixels)]
    sizes: Vec<(usize, usize)>,
}

impl PictureArguments {
    fn augment(kind: &Kind, defaults: &study::Command, command: clap::Command) -> clap::Command {
        match kind.subject {
            Subject::Sizes(sizes) => Sizes::augment_args(command).mut_arg("sizes", |argument| argument.help(sizes_help(sizes))),
            Subject::AnyLocal => Searched::augment_args(command),
            _ if defaults.takes_file => FileOrGenerated::augment_args(command),
            _ => GeneratedArguments::augment_args(command),
        }
    }

    fn of(kind: &Kind, defaults: &study::Command, matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        match kind.subject {
            Subject::Sizes(_) => Sizes::from_arg_matches(matches).map(Self::Sizes),
            Subject::AnyLocal => Searched::from_arg_matches(matches).map(Self::Searched),
            _ if defaults.takes_file => FileOrGenerated::from_arg_matches(matches).map(Self::File),
            _ => GeneratedArguments::from_arg_matches(matches).map(Self::Generated),
        }
    }
}

/// What the sizes are where none are given, which is the study's own.
fn sizes_help(sizes: &[(usize, usize)]) -> String {
    let told = |size: Option<&(usize, usize)>| size.map_or_else(String::new, |(width, height)| format!("{width}x{height}"));
    filled("studies.command.sizes-argument", &[("first", &told(sizes.first())), ("last", &told(sizes.last()))])
}

fn commands() -> impl Iterator<Item = (&'static Kind, study::Command)> {
    KINDS.iter().filter_map(|kind| Some((*kind, kind.command?)))
}

impl Subcommand for Command {
    fn augment_subcommands(all: clap::Command) -> clap::Command {
        commands().fold(all, |all, (kind, defaults)| {
            let after = format!("{}\n\nExample:\n  kernel-ladder {} {}", kind.explained(), defaults.name, defaults.example);
            let command = PictureArguments::augment(kind, &defaults, StudyArguments::augment_args(clap::Command::new(defaults.name)));
            // The arguments' own types would say what the command does.
            all.subcommand(command.about(kind.text("command", "-about")).long_about(None).after_help(after))
        })
    }

    fn augment_subcommands_for_update(all: clap::Command) -> clap::Command {
        Self::augment_subcommands(all)
    }

    fn has_subcommand(name: &str) -> bool {
        commands().any(|(_, defaults)| defaults.name == name)
    }
}

impl FromArgMatches for Command {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let (kind, defaults) = commands().find(|(_, defaults)| defaults.name == name).ok_or_else(missing)?;
        let study = StudyArguments::from_arg_matches(matches)?;
        Ok(Self { kind, defaults, study, picture: PictureArguments::of(kind, &defaults, matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Command {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        let files = NamedFiles::default().writing(self.study.out.as_ref(), &story_file::EXTENSIONS);
        match &self.picture {
            PictureArguments::File(FileOrGenerated { picture, .. }) => files.reading(picture),
            PictureArguments::Generated(_) | PictureArguments::Searched(_) | PictureArguments::Sizes(_) => files,
        }
    }

    /// Studies a variant, and prints what follows.
    ///
    /// # Errors
    /// Usage errors; failed where there is no device, or what was asked for was not found.
    pub fn run(&self, backend: &mut dyn Backend) -> Result<()> {
        let Self { kind, study, .. } = self;
        let loaded = match &self.picture {
            PictureArguments::File(FileOrGenerated { picture: Some(path), large, .. }) => Some(arguments::open_picture(path, *large)?),
            _ => None,
        };
        let own_channels = loaded.as_ref().map_or(Channels::Rgb, |loaded| loaded.picture.channels());
        let devices = arguments::devices(backend)?;
        let (info, spec, setting) = study.checked(&devices, own_channels)?;
        let (size, memory, search) = match &self.picture {
            PictureArguments::Generated(GeneratedArguments { size }) | PictureArguments::File(FileOrGenerated { size, .. }) => {
                (*size, None, None)
            }
            PictureArguments::Searched(Searched { search, generated }) => (generated.size, None, Some(*search)),
            PictureArguments::Sizes(Sizes { memory, .. }) => (None, *memory, None),
        };
        let (width, height) = size.unwrap_or(self.defaults.picture);
        let generated = || pictures::generate(width, height, setting.channels, 1);
        let picture = loaded.map_or_else(generated, |loaded| loaded.picture.with_alpha(None));
        let task = study.task(spec, PictureRef::new(Arc::new(picture)), memory.unwrap_or_default());
        let question = Question {
            task: task.clone(),
            device: info.clone(),
            setting,
            roofs: backend.known_roofs(info.index, &()),
            sizes: self.sizes(),
            earlier: Vec::new(),
            search: search.unwrap_or_default(),
            limit: Duration::MAX,
        };
        if let Some(keeps) = &kind.keeps {
            kept::offer(keeps.sought, &task, info);
        }
        let begun = (kind.begin)(question);
        // One size alone, say.
        if begun.total() == 0 {
            return Err(misused("errors.cli.nothing-to-study", &[]));
        }
        let run = studying::run(begun, study.budget(), backend)?;
        if let Some(keeps) = &kind.keeps {
            kept::keep((keeps.found)(&task, info, run.findings()));
        }
        if let Some(story) = run.conclude(true) {
            let is_busy = run.findings().iter().any(Finding::is_busy);
            answers::keep(Answer::of(kind, &task, info, is_busy, &story));
        }
        let (width, height) = task.picture.size();
        let has_own_pictures = kind.subject.has_own_pictures();
        if let Some((path, story)) = study.out.as_ref().zip(run.conclude(true)) {
            let story = Story { title: Some(kind.title(&task)), ..story };
            base::files::write_atomically(path, &story_file::paint(&story, path)?)?;
        }
        if study.json {
            output::print_json(JsonOf::study(self.defaults.name)?, Some(info), || {
                let mut facts = run.study().facts(run.findings());
                if let Value::Object(fields) = &mut facts {
                    fields.insert("spec".to_owned(), json!(task.spec));
                    fields.insert("variant".to_owned(), study.variant.to_string().into());
                    fields.insert("device".to_owned(), info.name.as_str().into());
                    if !has_own_pictures {
                        fields.insert("width_px".to_owned(), width.into());
                        fields.insert("height_px".to_owned(), height.into());
                    }
                }
                facts
            })?;
        } else if let Some(story) = run.conclude(true) {
            let size = if has_own_pictures { String::new() } else { format!(", {width} x {height}") };
            let head = format!("{}{size}, {}\n{}\n\n", filters::spec_text(&task.spec), study.variant, device_line(info));
            output::print(&(head + &text::paint(&story)))?;
        }
        run.study().check(run.findings())
    }

    /// The sizes that were asked for, from small to large.
    fn sizes(&self) -> Vec<(usize, usize)> {
        let PictureArguments::Sizes(Sizes { sizes, .. }) = &self.picture else { return Vec::new() };
        let all = if let Subject::Sizes(all) = self.kind.subject { all } else { &[] };
        let mut sizes = if sizes.is_empty() { all.to_vec() } else { sizes.clone() };
        sizes.sort_by_key(|(width, height)| width * height);
        sizes
    }
}
