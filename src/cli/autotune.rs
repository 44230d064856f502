//! `kernel-ladder autotune`.

use super::arguments::{self, FilterArguments};
use super::devices::device_line;
use super::project::{self, SearchArguments};
use super::schema::JsonOf;
use super::studying::{self, GeneratedArguments, busy_mark, one_run_mark};
use super::{answers, kept, output};
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::files;
use base::texts::{Words, failed, filled, joined, misused};
use clap::Args;
use engine::device::DeviceInfo;
use engine::{Backend, KernelText, PictureRef, Target, Task};
use kernels::filters;
use kernels::filters::FilterIdExt;
use kernels::filters::SettingExt;
use kernels::filters::VariantExt;
use model::{Budget, Channels, FilterId, HostMemory, LocalSize, Setting, Spec, StageId, Variant, values};
use report::story_file;
use serde_json::json;
use std::cell::RefCell;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use study::ablation::{Worth, cell};
use study::lessons::{self, Needs};
use study::readings::{self, Readings};
use study::{
    AUTOTUNE, Answer, Autotune, Autotuned, Candidate, Finding, PathStep, Probe, Sequence, Sought, Through, Tuning, published, telling,
};
use view::plot::{Curves, units};
use view::story::text::paint;
use view::story::{Block, Cell, Figure, Kind, Story, Table, Tone, markdown, said};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder autotune
  kernel-ladder autotune --filter sobel --size 7680x4320 --seconds 120 --against-ladders
  kernel-ladder autotune --channels gray --lesson fast-gray.toml
  kernel-ladder autotune my-kernel --seconds 30 --trials trials.jsonl --header best.h

Every candidate is verified before timing. A short measurement guides the search; the best few are then compared in interleaved pairs, and so is each step \
from naive to the best. A variant faster than naive is saved, unless other programs disturbed the search: `kernel-ladder run --tuned` uses it, and the \
window offers it.")]
pub struct Arguments {
    /// Folder with project.toml: kernels of your own [default: a filter is searched]
    #[arg(value_name = "PROJECT", conflicts_with_all = ["named", "border", "channels", "size", "parameters", "exhaustive", "against_ladders", "lesson"])]
    project: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    filter: FilterArguments,
    /// OpenCL device, see `kernel-ladder devices`
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,
    #[command(flatten)]
    generated: GeneratedArguments,
    /// Parameter of the filter; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_parameter)]
    parameters: Vec<(String, f64)>,
    /// Approximate time in seconds, including comparisons; of a built-in filter, the first run does not count [default: 120; 60 for a project; unlimited with --exhaustive]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,
    /// Try all allowed variants, each with the local sizes of `kernel-ladder tune`, as a check of the search
    #[arg(long)]
    exhaustive: bool,
    /// Also compare the best variant with the best step of the published ladders of the filter
    #[arg(long)]
    against_ladders: bool,
    /// Write the steps to the best variant as a lesson, with a prediction for each step
    #[arg(long, value_name = "FILE.toml")]
    lesson: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        self.search.name_files(NamedFiles::default().writing(self.lesson.as_ref(), &["toml"]))
    }
}

/// How long a guided search may take.
const SEARCH: Duration = Duration::from_mins(2);

/// What is searched for.
pub struct Question<'a> {
    /// The device.
    pub info: &'a DeviceInfo,
    /// What is computed.
    pub spec: Spec,
    /// Of which picture, in these channels.
    pub picture: PictureRef,
    /// How the search goes.
    pub through: Through,
    /// For how long.
    pub limit: Duration,
    /// Whether the best one is compared with the best step of the filter's published ladders, too.
    pub against_ladders: bool,
    /// Whether each step of the way from naive to the best one is measured.
    pub tells_way: bool,
    /// Whether the comparisons with a copy and with the published ladders are within that time, and are left out where it is over.
    pub keeps_time: bool,
}

/// Of the time that is kept, the search has so much where its best one is compared with others afterwards.
const SEARCH_SHARE: f64 = 0.85;

impl<'a> Question<'a> {
    /// A guided search that is compared with a copy alone; its comparisons come on top of the limit.
    pub fn guided(info: &'a DeviceInfo, spec: Spec, picture: PictureRef, limit: Duration) -> Self {
        Self { info, spec, picture, through: Through::Guided, limit, against_ladders: false, tells_way: false, keeps_time: false }
    }

    /// The setting on the device.
    fn setting(&self) -> Setting {
        Setting::of(&self.spec).on(self.info.abilities())
    }

    /// Naive over the picture, of this filter or another.
    fn task(&self, spec: Spec) -> Task {
        let target =
            Target::Device { index: self.info.index, variant: Variant::naive(), local: LocalSize::Driver, host_memory: HostMemory::Copy };
        Task { spec, picture: self.picture.clone(), target, text: KernelText::Composed }
    }

    /// The task of a candidate.
    pub fn candidate(&self, candidate: Candidate) -> Task {
        candidate.task(&self.task(self.spec.clone()))
    }
}

/// What is told of a search.
pub struct Told {
    /// All of its findings.
    pub tuned: Autotuned,
    /// The best candidate.
    pub best: Candidate,
    path: Vec<PathStep>,
    whole: Worth,
    /// Time of the best one, in nanoseconds.
    pub best_ns: f64,
    /// The best step of the published ladders, and the best one against it; without that where it is the best one.
    pub ladder: Option<(Candidate, Worth)>,
    /// The best one against a copy of the picture; of filters that write as much as they read.
    pub copy: Option<(Candidate, Worth)>,
    /// Allowed variants.
    pub variants: usize,
    /// How long the search took, with what it built, in seconds.
    pub seconds: f64,
    /// The best reading so far over all readings.
    progress: Option<Curves>,
    /// What each stage explains of the differences between readings.
    importance: Vec<(Words, f64)>,
}

/// Searches, and prints the best variant and the way to it.
///
/// # Errors
/// Usage errors; failed where there is no device, or nothing could be measured.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    if let Some(folder) = &arguments.project {
        return project::autotune(folder, arguments.device, arguments.seconds, arguments.json, &arguments.search, backend);
    }
    if let Some(option) = arguments.search.given() {
        return Err(misused("errors.project.unknown-command", &[("option", &option)]));
    }
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.device)?;
    let filter = arguments.filter.filter();
    let parameters = arguments::parameters(filter, &arguments.parameters)?;
    let setting = arguments.filter.setting_or(filter, Channels::Rgb, None)?;
    let spec = Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border };
    let through = if arguments.exhaustive { Through::All } else { Through::Guided };
    // An exhaustive search that stops early is none.
    let limit = match (arguments.seconds, through) {
        (Some(seconds), _) => Duration::from_secs(seconds),
        (None, Through::Guided) => SEARCH,
        (None, Through::All) => Duration::MAX,
    };
    let picture = arguments.generated.picture(spec.channels);
    let question =
        Question { info, spec, picture, through, limit, against_ladders: arguments.against_ladders, tells_way: true, keeps_time: true };
    let (width, height) = question.picture.size();
    let naive = question.task(question.spec.clone());
    let (mut file, earlier) = match &arguments.search.trials {
        Some(path) => Readings::open(path, &naive, info).map(|(file, earlier)| (Some(file), earlier))?,
        None => (None, Vec::new()),
    };
    if !earlier.is_empty() {
        output::note(&filled("project.resumed", &[("count", &earlier.len())]));
    }
    kept::offer(Sought::Variant, &naive, info);
    let told = search_on(&question, earlier, file.as_mut(), backend)?;
    kept::keep(Tuning::of_variant(&told.tuned, &told.whole, &naive, info));
    answers::keep(Answer::of(AUTOTUNE, &naive, info, told.tuned.is_busy, &story(&told)));
    let shown = Story {
        title: Some(format!("{}, {width} x {height}, {}", filters::spec_text(&question.spec), device_line(info)).into()),
        ..story(&told)
    };
    for out in &arguments.search.out {
        files::write_atomically(out, &story_file::paint(&shown, out)?)?;
    }
    if arguments.json {
        output::print_json(JsonOf::Autotune, Some(info), || as_json(&told, &info.name, (width, height)))?;
    } else if arguments.search.markdown {
        output::print(&markdown::paint(&shown))?;
    } else {
        let head = format!("{}, {width} x {height}\n{}\n\n", filters::spec_text(&question.spec), device_line(info));
        output::print(&(head + &paint(&story(&told))))?;
    }
    // Behind what was found, which a wrong path must not cost.
    let Some(file) = &arguments.lesson else { return Ok(()) };
    let lesson = lessons::of_way(&naive, Needs::of(info), &told.path, told.best).ok_or_else(|| failed("errors.autotune.no-way", &[]))?;
    files::write_atomically(file, lesson.as_bytes())
}

/// Searches, and compares what was found.
///
/// # Errors
/// Cancelled, or nothing could be measured.
pub fn search(question: &Question, backend: &mut dyn Backend) -> Result<Told> {
    search_on(question, Vec::new(), None, backend)
}

/// The same going on with what an earlier search has read, and with a file for what is read.
fn search_on(question: &Question, earlier: Vec<Finding>, mut file: Option<&mut Readings>, backend: &mut dyn Backend) -> Result<Told> {
    let (filter, setting) = (question.spec.filter.filter(), question.setting());
    let task = question.task(question.spec.clone());
    let copy_spec = FilterId::Copy.filter().spec(setting.channels, FilterId::Copy.filter().default_border);
    let is_comparable = filter.output_channels(setting.channels) == setting.channels && filter.id != copy_spec.filter;
    // As in the search, the first run does not count.
    let (begun, counted) = (Instant::now(), RefCell::new(Instant::now()));
    let limit = if question.keeps_time && (question.against_ladders || is_comparable) {
        Duration::try_from_secs_f64(SEARCH_SHARE * question.limit.as_secs_f64()).unwrap_or(question.limit)
    } else {
        question.limit
    };
    let has_time = || !question.keeps_time || counted.borrow().elapsed() < question.limit;
    let search = Autotune::new(task.clone(), question.info.clone(), question.through, limit);
    let search = if question.tells_way { search } else { search.without_way() };
    let mut best = None;
    let (mut kept, first) = (earlier.len(), earlier.len() + 1);
    let mut keep = |findings: &[Finding]| -> Result<()> {
        let new = findings.get(kept..).unwrap_or_default();
        kept = findings.len();
        file.as_mut().map_or(Ok(()), |file| new.iter().try_for_each(|finding| file.add(finding)))
    };
    let progress = |probe: &Probe, findings: &[Finding]| {
        keep(findings)?;
        if findings.len() == first {
            *counted.borrow_mut() = Instant::now();
        }
        if let Some(Finding::Glanced(task, Ok(time))) = findings.last()
            && best.as_ref().is_none_or(|(least, _)| time < least)
        {
            best = Some((*time, Candidate::of(task)));
        }
        Ok(progress_text(counted.borrow().elapsed(), question.limit, best, probe))
    };
    let findings = studying::resumed(search, earlier, Budget::default(), backend, progress)?;
    keep(&findings)?;
    let seconds = begun.elapsed().as_secs_f64();
    let tuned = Autotuned::of(&findings);
    let Some(best) = tuned.best else {
        let why = findings.iter().find_map(|finding| match finding {
            Finding::Glanced(_, Err(error)) => Some(error.to_string()),
            _ => None,
        });
        return Err(failed("errors.autotune.nothing-measured", &[("why", &why.unwrap_or_default())]));
    };
    let ladder = if question.against_ladders && has_time() {
        against(&published(filter, setting), &tuned, &task, &best.task(&task), backend)?
    } else {
        None
    };
    let copy = if is_comparable && has_time() {
        against(&copies(), &Autotuned::default(), &question.task(copy_spec), &best.task(&task), backend)?
    } else {
        None
    };
    Ok(Told {
        best,
        path: tuned.path(filter, setting, &findings),
        whole: tuned.whole(&findings),
        best_ns: tuned.time_of(best).unwrap_or(f64::NAN),
        ladder,
        copy,
        variants: Variant::all(filter, setting).len(),
        seconds,
        tuned,
        progress: readings::progress_chart(&findings),
        importance: readings::importance(&findings),
    })
}

/// "12 of 20 s, best 79.3 µs (vectorize=4, 64 × 32); merged driver".
fn progress_text(elapsed: Duration, limit: Duration, best: Option<(f64, Option<Candidate>)>, probe: &Probe) -> String {
    let elapsed = elapsed.as_secs();
    let time = match limit {
        Duration::MAX => filled("tables.autotune.elapsed", &[("elapsed", &elapsed)]),
        limit => filled("tables.autotune.elapsed-of", &[("elapsed", &elapsed), ("limit", &limit.as_secs())]),
    };
    let Some((best_ns, Some(best))) = best else { return joined("words.list.items", [time, about(probe)]) };
    let values: [(&str, &dyn Display); 4] =
        [("time", &time), ("best", &units::time(best_ns)), ("candidate", &telling::candidate(best)), ("now", &about(probe))];
    filled("tables.autotune.progress", &values)
}

fn about(probe: &Probe) -> String {
    let variant = |task: &Task| match task.target {
        Target::Device { variant, local, .. } => format!("{variant} {local}"),
        Target::Cpu(engine) => engine.name().to_owned(),
    };
    match probe {
        Probe::Measure(task) | Probe::Glance(task) | Probe::Compare(_, task) | Probe::CompareCached(_, task) => variant(task),
        Probe::Code(_) | Probe::Frames(_) | Probe::Split(_) | Probe::Roofs(_) => String::new(),
    }
}

/// Copies as fast as they come: four words per work-item.
fn copies() -> Vec<Candidate> {
    let variant = Variant::naive().with(StageId::Coalesced, 1).with(StageId::Padded, 1).with(StageId::Access, values::ACCESS_INT4);
    let sizes = [LocalSize::COMMON, [64, 2], [256, 1]].map(LocalSize::Explicit);
    std::iter::once(LocalSize::Driver).chain(sizes).map(|local| Candidate { variant, local }).collect()
}

/// The fastest of these candidates, as tasks like `like`, and how `best` compares with it, unless it is that one; `None` where none of them runs. What was
/// read of them already is not read again.
fn against(
    candidates: &[Candidate],
    read: &Autotuned,
    like: &Task,
    best: &Task,
    backend: &mut dyn Backend,
) -> Result<Option<(Candidate, Worth)>> {
    let unread = candidates.iter().filter(|candidate| read.time_of(**candidate).is_none());
    let glances = Sequence::new(unread.map(|candidate| Probe::Glance(candidate.task(like))));
    let now = Autotuned::of(&studying::findings(glances, Budget::default(), backend, |probe, _| about(probe))?);
    let times = candidates.iter().filter_map(|&candidate| Some((candidate, read.time_of(candidate).or_else(|| now.time_of(candidate))?)));
    let Some((fastest, _)) = times.min_by(|one, other| one.1.total_cmp(&other.1)) else { return Ok(None) };
    let is_best = Candidate::of(best) == Some(fastest) && best.spec == like.spec;
    if is_best {
        return Ok(Some((fastest, None)));
    }
    let pair = Sequence::new([Probe::Compare(fastest.task(like), best.clone())]);
    let worth =
        studying::findings(pair, Budget::default(), backend, |probe, _| about(probe))?.into_iter().find_map(|finding| match finding {
            Finding::Compared(_, compared) => Some(compared.map_err(|error| Words::of(&error))),
            _ => None,
        });
    Ok(Some((fastest, worth)))
}

fn story(told: &Told) -> Story {
    let not_compared = || Cell::Words(Words::text("tables.autotune.not-compared"));
    let cell = |worth: &Worth| worth.as_ref().map_or_else(not_compared, |_| cell(worth));
    let mut table = Table::headed("path", ["tables.autotune.step", "tables.autotune.worth"].map(|head| (Kind::Words, head)));
    for step in &told.path {
        table.row([Cell::of(&step.name), cell(&step.worth)]);
    }
    let mut story = Story::default();
    story.push(Block::Table(table));
    let mut say = |key, values: &[(&str, &dyn Display)]| story.say(Tone::Plain, said(|| filled(key, values)));
    let worth = |worth: &Worth| said(|| cell(worth).told());
    say("tables.autotune.whole", &[("worth", &worth(&told.whole))]);
    let time = units::time(told.best_ns);
    say("tables.autotune.best", &[("variant", &told.best.variant), ("local", &told.best.local), ("time", &time)]);
    if let Some((_, Some(Ok(compared)))) = &told.copy {
        let ratio = said(|| units::comparison(&compared.comparison) + &one_run_mark(&compared.comparison) + &busy_mark(compared.busy));
        say("tables.autotune.copy", &[("ratio", &ratio)]);
    }
    match &told.ladder {
        None => {}
        Some((_, None)) => say("tables.autotune.ladder-same", &[]),
        Some((step, of)) => say("tables.autotune.ladder", &[("variant", &step.variant), ("local", &step.local), ("worth", &worth(of))]),
    }
    let (tuned, seconds) = (&told.tuned, format!("{:.0}", told.seconds));
    let values: [(&str, &dyn Display); 4] =
        [("tried", &tuned.tried()), ("refused", &tuned.refused), ("variants", &told.variants), ("seconds", &seconds)];
    say("tables.autotune.tried", &values);
    let importance = told.importance.iter().map(|(name, share)| (Cell::Words(name.clone()), *share)).collect();
    story.blocks.extend(telling::importance(importance));
    story.blocks.extend(told.progress.clone().map(|curves| Block::Figure(Figure::Curves(curves))));
    let mut say = |key, values: &[(&str, &dyn Display)]| story.say(Tone::Plain, said(|| filled(key, values)));
    if tuned.is_busy {
        say("studies.panel.busy", &[]);
    }
    if let Some(why) = &tuned.failure {
        say("studies.autotune.failed", &[("count", &tuned.failed), ("why", why)]);
    }
    story
}

/// For programs.
pub fn as_json(told: &Told, device: &str, (width, height): (usize, usize)) -> serde_json::Value {
    let comparison = |worth: &Worth| worth.as_ref().and_then(|worth| worth.as_ref().ok()).map(|compared| compared.comparison);
    json!({
        "device": device,
        "width_px": width,
        "height_px": height,
        "best": told.best,
        "best_ns": told.best_ns,
        "whole": comparison(&told.whole),
        "path": told.path.iter().map(|step| json!({ "adds": step.name, "comparison": comparison(&step.worth) })).collect::<Vec<_>>(),
        "copy": told.copy.as_ref().map(|(candidate, worth)| json!({ "best": candidate, "comparison": comparison(worth) })),
        "published": told.ladder.as_ref().map(|(candidate, worth)| json!({ "best": candidate, "comparison": comparison(worth) })),
        "tried": told.tuned.measured.iter().map(|(candidate, time)| json!({ "candidate": candidate, "ns": time })).collect::<Vec<_>>(),
        "refused": told.tuned.refused,
        "failed": told.tuned.failed,
        "busy": told.tuned.is_busy,
        "variants": told.variants,
        "seconds": told.seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::progress_text;
    use engine::{PictureRef, Target, Task};
    use model::{Channels, CpuEngine};
    use std::time::Duration;
    use study::{Candidate, Probe};

    #[test]
    fn the_progress_has_the_time_and_the_best_so_far() {
        let task = Task::new(PictureRef::generated((1, 1), Channels::Gray), Target::Cpu(CpuEngine::Scalar));
        let told = |limit, best| progress_text(Duration::from_millis(12_900), limit, best, &Probe::Glance(task.clone()));
        let best = Some((79_300.0, Some(Candidate::naive())));
        assert_eq!(told(Duration::from_secs(20), best), "12 of 20 s, best 79.3 µs (naive, local size chosen by driver); cpu-scalar");
        assert_eq!(told(Duration::MAX, None), "12 s, cpu-scalar");
    }
}
