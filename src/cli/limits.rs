//! `kernel-ladder limits`: one page of how near the filters come to what a device can do, and what it took to find that.

use super::arguments::{self, parse_pixels};
use super::autotune::{self, Question, Told};
use super::devices::device_line;
use super::output::{self, TerminalProgress};
use super::roofs;
use super::schema::JsonOf;
use super::studying::busy_mark;
use base::error::{Error, Result};
use base::foreign::markdown;
use base::texts::{Words, filled, speaking_keys, text};
use clap::Args;
use engine::device::DeviceInfo;
use engine::{Backend, PictureRef, Target, Task};
use kernels::filters::FilterIdExt as _;
use kernels::filters::{self, Filter};
use model::measure::Comparison;
use model::{Budget, Channels, CpuEngine, FilterId, OperationClass, Record, RoofKind, Roofs, Shares, Spec};
use serde_json::{Value, json};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;
use study::Candidate;
use study::ablation::Worth;
use view::plot::units;
use view::story::{self, Cell, Kind, Table, Unit, said};

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder limits > limits.md
  kernel-ladder limits --filter laplace --filter sobel --size 3840x2160 7680x4320 --seconds 20
  kernel-ladder limits --cpu --size 7680x4320

For every filter, channel setting and size, the page lists the fastest variant found by a search, compared with the copy filter and with the best step of \
the published ladders, both interleaved; its limit; the cost of the search; the CPU competitors on one thread and on all; and the objects created by \
repeated runs. A row takes the time of its search plus about ten seconds.")]
pub struct Arguments {
    /// Filter; may be given several times [default: all but copy]
    #[arg(long = "filter", value_name = "NAME", value_parser = filters::by_name)]
    chosen: Vec<&'static Filter>,
    /// Channels to compute in [default: all that the filter supports]
    #[arg(long, value_name = "KIND", value_parser = arguments::channels_parser())]
    channels: Option<Channels>,
    /// Sizes of the generated picture
    #[arg(long, value_name = "3840x2160", value_parser = parse_pixels, num_args = 1.., default_value = "3840x2160")]
    size: Vec<(usize, usize)>,
    /// OpenCL device, see `kernel-ladder devices` [default: 0]
    #[arg(long, value_name = "N", conflicts_with = "cpu")]
    device: Option<usize>,
    /// Only the CPU competitors, without a device
    #[arg(long)]
    cpu: bool,
    /// Parameter, for the filters that have it; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_parameter)]
    parameters: Vec<(String, f64)>,
    /// Approximate time of each search in seconds, including its comparisons; its first run, and comparisons with a copy and the best published step, are extra
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs of the variant whose objects and builds are counted.
const RUNS: usize = 100;

/// What was asked, and what came of it.
struct Row {
    spec: Spec,
    size: (usize, usize),
    /// What was found on the device, where one was asked for.
    found: Option<Result<Found>>,
    on_cpu: OnCpu,
    /// The filter copy over the same picture.
    copy_on_cpu: OnCpu,
}

impl Row {
    /// What was found, where anything was.
    fn found(&self) -> Option<&Found> {
        self.found.as_ref()?.as_ref().ok()
    }
}

/// A CPU competitor's median time.
#[derive(Clone, Copy)]
struct CpuTime {
    ns: f64,
    /// Whether other work disturbed it.
    is_busy: bool,
}

/// Of one thread and of all; `None` where it could not be measured.
type OnCpu = [Option<CpuTime>; 2];

/// What one search found, and what was measured beside it.
struct Found {
    told: Told,
    /// Of the best one, measured by itself.
    shares: Option<Shares>,
}

/// How many OpenCL objects [`RUNS`] more runs of a variant created.
struct Repeated {
    what: String,
    objects: u64,
}

impl Repeated {
    fn told(&self) -> String {
        let values: [(&str, &dyn Display); 3] = [("runs", &RUNS), ("what", &self.what), ("objects", &self.objects)];
        format!("## {}\n\n{}\n", text("tables.limits.repeated"), filled("tables.limits.repeated-about", &values))
    }
}

/// Prints the page.
///
/// # Errors
/// Usage errors; failed where there is no device. What one row could not have is told in the row.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let specs = specs(arguments)?;
    let device = if arguments.cpu { None } else { Some(device(arguments, backend)?) };
    // The page comes as it is made: a search takes its seconds, and one that is broken off must not cost those before it.
    let tell = |text: &str| if arguments.json { Ok(()) } else { output::print(text) };
    tell(&head(device.as_ref()))?;
    let mut rows = Vec::new();
    for &size in &arguments.size {
        let (width, height) = size;
        let table = device.as_ref().map_or_else(String::new, |_| story::markdown::table(&searches()));
        tell(&format!("## {width} × {height}\n\n{table}"))?;
        let mut of_size = Vec::new();
        for channels in Channels::ALL.into_iter().filter(|&channels| specs.iter().any(|spec| spec.channels == channels)) {
            let picture = PictureRef::generated(size, channels);
            let copy = FilterId::Copy.filter().spec(channels, FilterId::Copy.filter().default_border);
            let copy_on_cpu = on_cpu(&copy, &picture, backend);
            for spec in specs.iter().filter(|spec| spec.channels == channels) {
                let found =
                    device.as_ref().map(|device| answer(&question(device, spec, &picture, arguments.seconds), &device.roofs, backend));
                if let Some(Err(error)) = found.as_ref().filter(|found| found.as_ref().is_err_and(Error::is_cancelled)) {
                    return Err(error.clone());
                }
                if let Some(found) = &found {
                    tell(&search_line(spec, found))?;
                }
                of_size.push(Row { spec: spec.clone(), size, found, on_cpu: on_cpu(spec, &picture, backend), copy_on_cpu });
            }
        }
        let space = if device.is_some() { "\n" } else { "" };
        tell(&format!("{space}{}\n", story::markdown::table(&competitors(&of_size))))?;
        rows.append(&mut of_size);
    }
    let repeated = device.as_ref().and_then(|device| repeated(&rows, device, backend));
    if arguments.json {
        return output::print_json(JsonOf::Limits, device.as_ref().map(|device| &device.info), || {
            json!({
                "device": device.as_ref().map(|device| device.info.name.clone()),
                "driver": device.as_ref().map(|device| device.info.driver()),
                "cpu": kernel_ladder_cpu::processor_name(),
                "rows": rows.iter().map(|row| as_json(row, device.as_ref())).collect::<Vec<_>>(),
                "repeated_runs": repeated.map(|Repeated { what, objects }| json!({ "what": what, "runs": RUNS, "objects": objects })),
            })
        });
    }
    repeated.map_or(Ok(()), |repeated| output::print(&repeated.told()))
}

/// The device, with what it can do at most.
struct Device {
    info: DeviceInfo,
    roofs: Arc<Roofs>,
}

fn device(arguments: &Arguments, backend: &mut dyn Backend) -> Result<Device> {
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.device.unwrap_or(0))?.clone();
    let roofs = roofs::known(backend, info.index).map_or_else(|| roofs::measure(&info, backend), Ok)?;
    Ok(Device { info, roofs })
}

fn question<'a>(device: &'a Device, spec: &Spec, picture: &PictureRef, seconds: u64) -> Question<'a> {
    let question = Question::guided(&device.info, spec.clone(), picture.clone(), Duration::from_secs(seconds));
    Question { against_ladders: true, ..question }
}

/// Every filter that was asked for, or all but copy.
fn specs(arguments: &Arguments) -> Result<Vec<Spec>> {
    let all = || filters::all().iter().copied().filter(|filter| filter.id != FilterId::Copy).collect();
    let asked: Vec<&'static Filter> = if arguments.chosen.is_empty() { all() } else { arguments.chosen.clone() };
    arguments::specs(&asked, arguments.channels, &arguments.parameters)
}

/// One search, and its winner measured by itself.
fn answer(question: &Question, roofs: &Roofs, backend: &mut dyn Backend) -> Result<Found> {
    let told = autotune::search(question, backend)?;
    let best = measured(&question.candidate(told.best), backend)?;
    let shares = best.measured().and_then(|measured| Shares::of(measured, roofs));
    Ok(Found { told, shares })
}

fn on_cpu(spec: &Spec, picture: &PictureRef, backend: &mut dyn Backend) -> OnCpu {
    [CpuEngine::Simd, CpuEngine::Threads].map(|engine| {
        let task = Task { spec: spec.clone(), ..Task::new(picture.clone(), Target::Cpu(engine)) };
        let record = measured(&task, backend).ok()?;
        let is_busy = record.measured().is_some_and(|measured| measured.busy);
        record.kernel().map(|kernel| CpuTime { ns: kernel.median_ns, is_busy })
    })
}

fn measured(task: &Task, backend: &mut dyn Backend) -> Result<Record> {
    let mut progress = TerminalProgress::new();
    progress.job = filters::spec_text(&task.spec);
    let record = backend.prove(task, &progress).and_then(|proof| backend.measure(&proof, Budget::default(), &progress));
    progress.clear();
    record
}

/// The first variant that was found, run again and again: what that created. Nothing where it does not run any more.
fn repeated(rows: &[Row], device: &Device, backend: &mut dyn Backend) -> Option<Repeated> {
    let (row, found) = rows.iter().find_map(|row| Some((row, row.found()?)))?;
    let picture = PictureRef::generated(row.size, row.spec.channels);
    let task = question(device, &row.spec, &picture, 0).candidate(found.told.best);
    for _ in 0..2 {
        backend.execute(&task, &()).ok()?;
    }
    let before = backend.objects_created();
    for _ in 0..RUNS {
        backend.execute(&task, &()).ok()?;
    }
    let what = format!("{}, {}", filters::spec_text(&row.spec), named(found.told.best));
    Some(Repeated { what, objects: backend.objects_created().saturating_sub(before) })
}

fn named(candidate: Candidate) -> String {
    filled("tables.limits.candidate", &[("variant", &candidate.variant), ("local", &candidate.local)])
}

/// The processor, and what a competitor makes of it.
pub fn cpu_line(engine: CpuEngine) -> String {
    let values: [(&str, &dyn Display); 2] =
        [("name", &kernel_ladder_cpu::processor_name()), ("instructions", &filters::instructions(engine))];
    filled("tables.limits.cpu", &values)
}

/// What the page is of, and how to read it.
fn head(device: Option<&Device>) -> String {
    let version = roofs::version_text(env!("CARGO_PKG_VERSION"), cfg!(debug_assertions));
    let mut lines = vec![markdown(&cpu_line(CpuEngine::Threads)).into_owned(), format!("kernel-ladder {version}")];
    if let Some(Device { info, roofs }) = device {
        let rate = |kind, told: fn(f64) -> String| roofs.rate(kind).map_or_else(|| "–".to_owned(), told);
        let copy = rate(RoofKind::Copy, units::bandwidth);
        let [integer, float] =
            [OperationClass::IntegerAdd.roof(), OperationClass::FloatMultiplyAdd.roof()].map(|kind| rate(kind, units::operations_rate));
        let bytes = roofs.get(RoofKind::Copy).map_or_else(|| "–".to_owned(), |roof| units::binary_bytes(roof.setup.bytes as u64));
        let rates: [(&str, &dyn Display); 5] =
            [("date", &markdown(&roofs.date)), ("copy", &copy), ("bytes", &bytes), ("integer", &integer), ("float", &float)];
        let half = if info.has_half_lanes { "tables.limits.half-exact" } else { "tables.limits.half-missing" };
        lines.insert(0, markdown(&device_line(info)).into_owned());
        lines.extend([filled("tables.limits.roofs", &rates) + &busy_mark(roofs.is_busy()), text(half).to_owned()]);
    }
    let name = device.map_or_else(kernel_ladder_cpu::processor_name, |device| device.info.display_name());
    let lines = lines.iter().map(|line| format!("- {line}\n")).collect::<Vec<_>>().concat();
    let legend = device.map_or_else(String::new, |_| format!("{}\n\n", text("tables.limits.legend")));
    format!("# {}\n\n{lines}\n{legend}", filled("tables.limits.title", &[("device", &markdown(&name))]))
}

/// The searches of a size. Each is told as it ends.
fn searches() -> Table {
    let heads = [
        (Kind::Words, "tables.limits.filter"),
        (Kind::Words, "tables.limits.best"),
        (Kind::Number, "tables.limits.time"),
        (Kind::Number, "tables.limits.copy"),
        (Kind::Words, "tables.limits.ladders"),
        (Kind::Words, "tables.limits.bound"),
        (Kind::Words, "tables.limits.search"),
    ];
    Table::headed("searches", heads)
}

fn search_line(spec: &Spec, found: &Result<Found>) -> String {
    let name = Cell::of(&filters::spec_text(spec));
    let mut table = searches();
    table.row(match found {
        Ok(found) => speaking_keys(|| searched(name, found)).into(),
        Err(error) => story::Row::Instead(name, Words::of(error)),
    });
    story::markdown::rows(&table)
}

fn searched(name: Cell, found: &Found) -> [Cell; 7] {
    let told = &found.told;
    let against = |worth: &Worth, words: fn(&Comparison) -> String| match worth {
        Some(Ok(compared)) => units::with_note(&words(&compared.comparison), compared.busy),
        Some(Err(why)) => format!("– ({why})"),
        None => "–".to_owned(),
    };
    let over_ladders = told.ladder.as_ref().map(|(step, worth)| match worth {
        None => text("tables.limits.same").to_owned(),
        worth => filled("tables.limits.over", &[("worth", &against(worth, units::comparison)), ("variant", &step.variant)]),
    });
    let seconds = format!("{:.0}", told.seconds);
    let values: [(&str, &dyn Display); 5] = [
        ("measured", &told.tuned.measured.len()),
        ("refused", &told.tuned.refused),
        ("failed", &told.tuned.failed),
        ("variants", &told.variants),
        ("seconds", &seconds),
    ];
    [
        name,
        Cell::of(&named(told.best)),
        Cell::Number(told.best_ns, Unit::Time),
        Cell::or_missing(told.copy.as_ref().map(|(_, worth)| against(worth, share_text))),
        Cell::or_missing(over_ladders),
        Cell::or_missing(found.shares.as_ref().map(units::bound)),
        Cell::of(&(filled("tables.limits.searched", &values) + &busy_mark(told.tuned.is_busy))),
    ]
}

fn share_text(comparison: &Comparison) -> String {
    format!("{:.2} ({:.2}–{:.2})", comparison.ratio, comparison.low, comparison.high)
}

/// The CPU competitors beside the copy's, and beside the best one on the device.
fn competitors(rows: &[Row]) -> Table {
    let heads = [
        (Kind::Words, "tables.limits.on-cpu"),
        (Kind::Number, "tables.limits.one-thread"),
        (Kind::Number, "tables.limits.all-threads"),
        (Kind::Number, "tables.limits.one-over-copy"),
        (Kind::Number, "tables.limits.all-over-copy"),
        (Kind::Number, "tables.limits.on-device"),
    ];
    let mut table = Table::headed("cpu", heads);
    let milliseconds =
        |time: Option<CpuTime>| Cell::or_missing(time.map(|time| said(|| Unit::Milliseconds.text(time.ns) + &busy_mark(time.is_busy))));
    let over =
        |time: Option<CpuTime>, copy: Option<CpuTime>| Cell::number(time.zip(copy).map(|(time, copy)| time.ns / copy.ns), Unit::Count);
    for row in rows {
        let ([one, all], [copy, copy_of_all]) = (row.on_cpu, row.copy_on_cpu);
        let best = Cell::number(row.found().map(|found| found.told.best_ns), Unit::Milliseconds);
        let name = Cell::of(&filters::spec_text(&row.spec));
        table.row([name, milliseconds(one), milliseconds(all), over(one, copy), over(all, copy_of_all), best]);
    }
    table
}

fn as_json(row: &Row, device: Option<&Device>) -> Value {
    let name = device.map_or("", |device| device.info.name.as_str());
    let error = row.found.as_ref().and_then(|found| found.as_ref().err());
    json!({
        "spec": row.spec,
        "width_px": row.size.0,
        "height_px": row.size.1,
        "search": row.found().map(|found| autotune::as_json(&found.told, name, row.size)),
        "shares": row.found().map(|found| found.shares),
        "error": error.map(ToString::to_string),
        "cpu_one_thread_ns": row.on_cpu[0].map(|time| time.ns),
        "cpu_all_threads_ns": row.on_cpu[1].map(|time| time.ns),
        "copy_one_thread_ns": row.copy_on_cpu[0].map(|time| time.ns),
        "copy_all_threads_ns": row.copy_on_cpu[1].map(|time| time.ns),
        "cpu_busy": row.on_cpu.iter().chain(&row.copy_on_cpu).flatten().any(|time| time.is_busy),
    })
}

#[cfg(test)]
mod tests {
    use super::{Device, head, searches};
    use crate::testing::records::roofs;
    use engine::device::DeviceInfo;
    use std::sync::Arc;
    use view::story::markdown;

    #[test]
    fn the_page_names_the_two_copies_that_it_compares_with() {
        let page = head(Some(&Device { info: DeviceInfo::example(), roofs: Arc::new(roofs()) })) + &markdown::table(&searches());
        for part in
            ["copy roof 100 GB/s (the probe kernel of `kernel-ladder roofs`, 256 MiB read and written)", "of the copy filter", "Two copies"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("of a copy"), "{page}");
    }
}
