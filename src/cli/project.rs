//! `kernel-ladder new`, `check`, and `autotune` of a project: kernels of a person's own.

use super::arguments;
use super::devices::device_line;
use super::named_files::NamedFiles;
use super::output::{self, TerminalProgress};
use super::schema::JsonOf;
use base::error::Result;
use base::files::{self, Lines, LinesJob, read_lines, user_file};
use base::texts::{self, failed, filled, text};
use base::trust::{Agreed, Trust};
use clap::Args;
use engine::Backend;
use engine::device::DeviceInfo;
use kernels::project::{PROJECT, Point, Problem, Project, Reference};
use model::Budget;
use report::story_file;
use serde_json::{Value, json};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use study::projects::{self, Answer, Ending, Head, Strategy, Terms, Trials, Tune, kernel_tuner};
use view::plot::units;
use view::story::{Story, json as story_json, markdown, text as story_text};

/// How long a search takes where nothing is said.
const SECONDS: u64 = 60;

/// Arguments of `new`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder new unsharp --from unsharp.cl
  kernel-ladder new gemm --from problem.json
  kernel-ladder check unsharp
  kernel-ladder autotune unsharp --seconds 30

A project is a folder with project.toml: what the kernels take, how they are launched, what their output is compared with, and which values the tuner tries. \
`kernel-ladder topic projects` describes it.")]
pub struct NewArguments {
    /// Folder to make
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// File with OpenCL kernels, or a tuning problem of Kernel Tuner (T1, .json) beside its kernel file
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder check unsharp
  kernel-ladder check unsharp --set LX=64 --set LY=2
  kernel-ladder check unsharp --agree

Reads the project, runs the configuration once, compares its output with the reference, and measures it. Mistakes are listed with line and column. A reference \
program runs only after --agree, and again only if command or script changes; it can write only to a temporary folder and has no network, if the system supports that.")]
pub struct CheckArguments {
    /// Folder with project.toml
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// OpenCL device, see `kernel-ladder devices`
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,
    /// Value of a parameter; may be given several times [default: the default of each]
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_setting)]
    settings: Vec<(String, String)>,
    /// Agree to run the reference program of this project
    #[arg(long)]
    agree: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `autotune` takes for a project.
#[derive(Args, Debug, Default)]
pub struct SearchArguments {
    /// Of a project: how the next configuration is chosen
    #[arg(long, value_name = "STRATEGY", value_parser = strategy_parser())]
    strategy: Option<Strategy>,
    /// Of a project: seed of the random choices; the same seed tries the same configurations in the same order
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Of a project: stop after so many configurations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    most: Option<u64>,
    /// Append each trial to this file, as a line of JSON; if it exists, continue with it
    #[arg(long, value_name = "FILE.jsonl")]
    pub trials: Option<PathBuf>,
    /// Also write the result to this file, in the form that its extension names: md, html, pdf, json, csv, txt; charts also as svg or
    /// png; may be given several times
    #[arg(long, value_name = "FILE", value_parser = arguments::parse_story_file)]
    pub out: Vec<PathBuf>,
    /// Of a project: write the values of the best configuration as a C header
    #[arg(long, value_name = "FILE.h")]
    header: Option<PathBuf>,
    /// Of a project: write all trials as Kernel Tuner's T4 results
    #[arg(long, value_name = "FILE.json")]
    t4: Option<PathBuf>,
    /// Of a project: write all trials as a cache file of Kernel Tuner
    #[arg(long, value_name = "FILE.json")]
    cache: Option<PathBuf>,
    /// Of a project: try the fastest configurations of this cache file of Kernel Tuner first; they are measured here
    #[arg(long, value_name = "FILE.json")]
    from_cache: Option<PathBuf>,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
}

impl SearchArguments {
    /// The files that it names.
    pub fn name_files<'a>(&'a self, files: NamedFiles<'a>) -> NamedFiles<'a> {
        files
            .reading(&self.from_cache)
            .writing(self.trials.as_ref(), &["jsonl"])
            .writing_all(&self.out, &story_file::EXTENSIONS)
            .writing(self.header.as_ref(), &["h"])
            .writing(self.t4.as_ref(), &["json"])
            .writing(self.cache.as_ref(), &["json"])
    }

    /// An option that only projects have, where one was given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.strategy.is_some(), "--strategy"),
            (self.seed.is_some(), "--seed"),
            (self.most.is_some(), "--most"),
            (self.header.is_some(), "--header"),
            (self.t4.is_some(), "--t4"),
            (self.cache.is_some(), "--cache"),
            (self.from_cache.is_some(), "--from-cache"),
        ];
        arguments::first_given(&given)
    }
}

impl NewArguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default().reading([&self.from])
    }
}

fn strategy_parser() -> impl clap::builder::TypedValueParser<Value = Strategy> {
    arguments::named([Strategy::Guided, Strategy::Random, Strategy::All, Strategy::LocalSearch].map(|strategy| (strategy.name(), strategy)))
}

/// Makes a project folder of a kernel file, or of a problem of Kernel Tuner's.
///
/// # Errors
/// There is no kernel, something is there already, or it cannot be written.
pub fn new(arguments: &NewArguments) -> Result<()> {
    let (folder, from) = (&arguments.folder, &arguments.from);
    let notes = projects::create(folder, from)?;
    for note in &notes {
        output::note(note);
    }
    let path = folder.join(PROJECT);
    output::print(&(filled("project.new.made", &[("path", &path.display()), ("folder", &folder.display())]) + "\n"))
}

/// That the reference program, where there is one, may run.
///
/// # Errors
/// The person has not agreed to it, or what they agreed to cannot be kept.
fn hold_agreement(project: &Project, agrees: bool) -> Result<()> {
    let Some(origin) = projects::agreement(project) else { return Ok(()) };
    let mut trust = Trust::default();
    let path = user_file::<Agreed>();
    if let Some(kept) = path.as_deref().map(read_lines::<Agreed>) {
        trust.take(kept.unwrap_or_else(|_| Lines::default()));
    }
    if trust.covers(&origin) {
        return Ok(());
    }
    if !agrees {
        return Err(projects::not_agreed(project));
    }
    let agreed = trust.agree(origin);
    match path {
        Some(path) => LinesJob::Append(Box::new(agreed)).run(&path).map(drop),
        None => Ok(()),
    }
}

/// What has to be there before a configuration is tried.
struct Ready {
    project: Arc<Project>,
    info: DeviceInfo,
    problem: Arc<Problem>,
}

fn ready(folder: &Path, device: usize, agrees: bool, backend: &mut dyn Backend, progress: &TerminalProgress) -> Result<Ready> {
    let project = projects::read(folder)?;
    hold_agreement(&project, agrees)?;
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, device)?.clone();
    let problem = projects::with_expected(&project, device, projects::REFERENCE, backend, progress);
    progress.clear();
    Ok(Ready { problem: problem?, project: Arc::new(project), info })
}

/// Tries one configuration of a project.
///
/// # Errors
/// Mistakes in the folder; the configuration does not build or run, or is wrong.
pub fn check(arguments: &CheckArguments, backend: &mut dyn Backend) -> Result<()> {
    let progress = TerminalProgress::new();
    let Ready { project, info, problem } = ready(&arguments.folder, arguments.device, arguments.agree, backend, &progress)?;
    let point = project.point_of(&arguments.settings)?;
    let points = project.points()?;
    if !points.contains(&point) {
        return Err(texts::misused("errors.project.not-allowed", &[("label", &project.label(&point))]));
    }
    let checked = projects::check(&project, &point, &info, &problem, backend, &progress);
    progress.clear();
    let (trial, code) = checked?;
    if arguments.json {
        return output::print_json(JsonOf::Check, Some(&info), || {
            let mut facts = head_facts(&project, &info, points.len());
            facts.insert("trial".to_owned(), trial.line(&project, 1));
            facts.insert("compiled".to_owned(), json!(code));
            facts
        });
    }
    let bytes = units::binary_bytes(problem.total_bytes() as u64);
    let values: [(&str, &dyn Display); 5] = [
        ("name", &project.name),
        ("parameters", &project.parameters.len()),
        ("count", &points.len()),
        ("memory", &projects::memory_label(&problem)),
        ("bytes", &bytes),
    ];
    let mut lines = vec![filled("project.check.read", &values), device_line(&info)];
    let label = project.label(&point);
    if let Some((_, why)) = trial.why_not() {
        output::print(&(lines.join("\n") + "\n"))?;
        if let Some(unsteady) = projects::unsteady(&project, &trial) {
            return Err(unsteady);
        }
        return Err(projects::not_right(&project, &point, why));
    }
    if let Ending::Timed { median_ns, quartiles_ns: [low, high], .. } = trial.ending {
        let time = units::time_between(median_ns, low, high);
        lines.push(filled("project.check.right", &[("label", &label), ("time", &time)]));
    }
    if matches!(project.reference, Reference::Default) {
        lines.push(text("project.check.no-reference").to_owned());
    }
    let todo = projects::to_do(&project.folder);
    if todo > 0 {
        lines.push(filled("project.check.todo", &[("count", &todo)]));
    }
    lines.extend(projects::without_use(&project).into_iter().map(|name| filled("project.check.without-use", &[("name", &name)])));
    lines.push(filled("project.check.next", &[("folder", &arguments.folder.display())]));
    output::print(&(lines.join("\n") + "\n"))
}

/// Searches for the fastest configuration of a project.
///
/// # Errors
/// Mistakes in the folder; no configuration is right; a file cannot be written.
pub fn autotune(
    folder: &Path,
    device: usize,
    seconds: Option<u64>,
    as_json: bool,
    search: &SearchArguments,
    backend: &mut dyn Backend,
) -> Result<()> {
    let begun = Instant::now();
    let mut progress = TerminalProgress::new();
    let Ready { project, info, problem } = ready(folder, device, false, backend, &progress)?;
    let head = Head::new(&project, &info.name, &info.driver());
    let (mut file, earlier) = match &search.trials {
        Some(path) => Trials::open(path, &head, &project).map(|(file, earlier)| (Some(file), earlier))?,
        None => (None, Vec::new()),
    };
    if !earlier.is_empty() {
        output::note(&filled("project.resumed", &[("count", &earlier.len())]));
    }
    for name in projects::without_use(&project) {
        output::note(&filled("project.check.without-use", &[("name", &name)]));
    }
    let terms = Terms {
        strategy: search.strategy.unwrap_or(Strategy::Guided),
        seed: search.seed.unwrap_or_default(),
        limit: Duration::from_secs(seconds.unwrap_or(SECONDS)),
        most: search.most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)),
    };
    let mut tune = Tune::new(Arc::clone(&project), device, terms, earlier, begun)?;
    let total = tune.points.len();
    if let Some(cache) = &search.from_cache {
        let count = tune.begin_with(cache)?;
        output::note(&filled("project.from-cache", &[("count", &count)]));
    }
    while let Some(point) = tune.next_point() {
        let best = tune.best().map_or_else(String::new, |(_, time_ns)| units::time(time_ns));
        let elapsed = format!("{:.0}", begun.elapsed().as_secs_f64());
        let values: [(&str, &dyn Display); 4] =
            [("number", &(tune.trials.len() + 1)), ("total", &total), ("elapsed", &elapsed), ("best", &best)];
        progress.job = filled("project.progress", &values);
        let taken = tune.take(point, &problem, backend, &progress).cloned();
        let trial = taken.inspect_err(|_| progress.clear())?;
        if let Some(file) = &mut file {
            file.add(&trial, &project)?;
        }
    }
    progress.job = String::new();
    let answer = tune.finish(&problem, backend, &progress);
    progress.clear();
    let answer = answer?;
    if tune.trials.is_empty() {
        return Err(failed("errors.project.not-begun", &[]));
    }
    write_files(search, &tune, answer.as_ref(), &info)?;
    let story = projects::story(&tune, answer.as_ref());
    write_story(&story, &search.out, &project, &info)?;
    if as_json {
        output::print_json(JsonOf::AutotuneProject, Some(&info), || {
            let mut facts = story_json::paint(&story);
            if let Value::Object(fields) = &mut facts {
                fields.extend(facts_of(&tune, answer.as_ref(), &info));
            }
            facts
        })?;
    } else if search.markdown {
        output::print(&markdown::paint(&story))?;
    } else {
        output::print(&format!("{}\n{}\n\n{}", project.name, device_line(&info), story_text::paint(&story)))?;
    }
    if answer.is_none() { Err(failed("errors.project.none", &[])) } else { Ok(()) }
}

/// What `why` takes of a project.
pub struct WhyOfProject<'a> {
    /// Its folder.
    pub folder: &'a Path,
    /// The device.
    pub device: usize,
    /// Values that tell the second configuration from the default,
    pub settings: &'a [(String, String)],
    /// and the first one.
    pub against: &'a [(String, String)],
    /// For how long each pair is compared.
    pub budget: Budget,
    /// Where else the answer goes.
    pub out: &'a [PathBuf],
    /// Print JSON.
    pub json: bool,
}

/// Says why one configuration of a project is faster than another.
///
/// # Errors
/// Mistakes in the folder; one of the two is not right; they are the same.
pub fn why(asked: &WhyOfProject<'_>, backend: &mut dyn Backend) -> Result<()> {
    let progress = TerminalProgress::new();
    let Ready { project, info, problem } = ready(asked.folder, asked.device, false, backend, &progress)?;
    let points = [project.point_of(asked.against)?, project.point_of(asked.settings)?];
    let found = projects::why(&project, points, &info, &problem, asked.budget, (backend, &progress));
    progress.clear();
    let found = found?;
    let story = found.story();
    write_story(&story, asked.out, &project, &info)?;
    if asked.json {
        return output::print_json(JsonOf::WhyProject, Some(&info), || {
            let mut facts = story_json::paint(&story);
            if let Value::Object(fields) = &mut facts {
                fields.extend(named_facts(&project, &info));
                fields.extend(found.facts());
            }
            facts
        });
    }
    output::print(&format!("{}\n{}\n\n{}", project.name, device_line(&info), story_text::paint(&story)))
}

/// Writes what is told to each of these files.
fn write_story(story: &Story, out: &[PathBuf], project: &Project, info: &DeviceInfo) -> Result<()> {
    for path in out {
        let story = Story { title: Some(format!("{}, {}", project.name, device_line(info)).into()), ..story.clone() };
        files::write_atomically(path, &story_file::paint(&story, path)?)?;
    }
    Ok(())
}

fn facts_of(tune: &Tune, answer: Option<&Answer>, info: &DeviceInfo) -> serde_json::Map<String, Value> {
    let project = &tune.project;
    let configuration = |point: &Point| -> Value {
        project
            .configuration(point)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), projects::as_json(value)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let best = answer.map(|answer| {
        json!({
            "configuration": configuration(&answer.best),
            "time_ns": answer.best_ns,
            "over_default": answer.gain.as_ref().and_then(|gain| gain.as_ref().ok()).map(|compared| compared.comparison),
        })
    });
    let mut facts = head_facts(project, info, tune.points.len());
    facts.insert("best".to_owned(), json!(best));
    facts.insert("seconds".to_owned(), json!(answer.map(|answer| answer.seconds)));
    let lines: Vec<Value> = tune.trials.iter().zip(1..).map(|(trial, number)| trial.line(project, number)).collect();
    facts.insert("trials".to_owned(), lines.into());
    facts
}

/// What JSON says first: of which project, where, when and by which program; and how many configurations are allowed.
fn head_facts(project: &Project, info: &DeviceInfo, allowed: usize) -> serde_json::Map<String, Value> {
    let mut facts = named_facts(project, info);
    facts.insert("allowed".to_owned(), json!(allowed));
    facts
}

/// Of which project, where, when and by which program.
fn named_facts(project: &Project, info: &DeviceInfo) -> serde_json::Map<String, Value> {
    let values: [(&str, Value); 6] = [
        ("project", json!(project.name)),
        ("hash", json!(project.hash)),
        ("device", json!(info.name)),
        ("driver", json!(info.driver())),
        ("date", json!(engine::now())),
        ("program", json!(env!("CARGO_PKG_VERSION"))),
    ];
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn write_files(search: &SearchArguments, tune: &Tune, answer: Option<&Answer>, info: &DeviceInfo) -> Result<()> {
    let project = &tune.project;
    if let (Some(path), Some(answer)) = (&search.header, answer) {
        let gain = answer.gain.as_ref().and_then(|gain| gain.as_ref().ok());
        let gain = gain.map(|compared| {
            texts::in_english(|| filled("project.told.over-default", &[("outcome", &units::outcome(&compared.comparison, compared.busy))]))
        });
        let header = projects::header(project, &answer.best, &info.name, &units::time(answer.best_ns), gain.as_deref());
        files::write_atomically(path, header.as_bytes())?;
    }
    let rows: Vec<kernel_tuner::Row<'_>> = tune.trials.iter().map(|trial| projects::row(project, trial)).collect();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default() + "\n";
    if let Some(path) = &search.t4 {
        files::write_atomically(path, pretty(&kernel_tuner::t4(&rows)).as_bytes())?;
    }
    if let Some(path) = &search.cache {
        let parameters = project.parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.values.clone())).collect();
        let job = project.job(&project.default_point())?;
        let first = job.launches.first();
        let sides = |launch: &kernels::project::Launch| launch.global.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let problem_size = first.map_or_else(String::new, sides);
        let kernel = first.map_or("", |launch| launch.kernel.as_str());
        let head = kernel_tuner::Head { device: &info.name, kernel, problem_size: &problem_size, parameters };
        files::write_atomically(path, pretty(&kernel_tuner::cache(&head, &rows)).as_bytes())?;
    }
    Ok(())
}
