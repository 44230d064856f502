//! `kernel-ladder bench`.

use super::arguments::{self, FilterArguments, SizeArgument};
use super::bench_report::{self, Entry, Group};
use super::output::{self, TerminalProgress};
use crate::cpu::CpuEngine;
use crate::device::{DeviceInfo, LocalSize};
use crate::engine::{Budget, PictureRef, Progress as _, Target, Task};
use crate::error::{Error, Result};
use crate::filters::{self, Filter, Ladder, Parameters};
use crate::image::{self, Channels, Picture};
use crate::measure::{self, Reading, ReadingState};
use crate::stages::Setting;
use crate::variant::Variant;
use crate::worker::Backend;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The side of the generated picture where neither `--size` nor `--picture` says otherwise; a size of the Mali-T600 study.
const DEFAULT_SIDE_PX: usize = 2048;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  kernel-ladder bench --ladder mali-t600 --size study
  kernel-ladder bench --variant naive coalesced --local driver 32x4 --size 1024x1024 7680x4320
  kernel-ladder bench --all --picture photo.jpg --csv photo.csv --budget-ms 100

Every variant is compared with the reference before it is timed. The three CPU competitors are measured in the same run. Kernel time is \
END - START of the profiling events; the round trip is host time from upload to read-back. Building is never counted.")]
pub struct Arguments {
    #[command(flatten)]
    filter: FilterArguments,
    /// Published ladder, see `kernel-ladder list` [default: the filter's first]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["variants", "all"])]
    ladder: Option<String>,
    /// Variants: stages joined by '+', or naive
    #[arg(long = "variant", value_name = "V", num_args = 1.., value_parser = Variant::parse, conflicts_with = "all")]
    variants: Vec<Variant>,
    /// Every variant that is allowed
    #[arg(long)]
    all: bool,
    /// Picture sizes, or study for the five sizes of the Mali-T600 study [default: the picture's own, or 2048x2048]
    #[arg(long = "size", value_name = "2048x2048|study", num_args = 1.., value_parser = arguments::parse_size)]
    sizes: Vec<SizeArgument>,
    /// Picture that is tiled to each size [default: generated]
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// OpenCL devices, see `kernel-ladder devices` [default: 0]
    #[arg(long = "device", value_name = "N", num_args = 1..)]
    devices: Vec<usize>,
    /// Local work sizes, each measured with every variant [default: driver]
    #[arg(long = "local", value_name = "32x4|driver", num_args = 1..)]
    locals: Vec<LocalSize>,
    /// Time to sample each row for, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    budget_ms: u64,
    /// Sample over one pair of buffers, so that caches stay warm
    #[arg(long)]
    warm_cache: bool,
    /// Parameter of the filter; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_parameter)]
    parameters: Vec<(String, f64)>,
    /// Also write all rows to this file, after each row
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print JSON with all samples at the end
    #[arg(long)]
    json: bool,
}

/// What is to be measured, all checked.
struct Plan {
    filter: &'static Filter,
    parameters: Parameters,
    setting: Setting,
    ladder: Option<&'static Ladder>,
    /// With the label and index of the ladder's step.
    variants: Vec<(Variant, Option<usize>)>,
    locals: Vec<LocalSize>,
    devices: Vec<DeviceInfo>,
    sizes: Vec<(usize, usize)>,
    /// What is tiled; `None` generates.
    picture: Option<(String, Picture)>,
    budget: Budget,
}

/// Measures and prints a table for each size.
///
/// # Errors
/// Usage errors before anything is measured; failed where no device is there, or some rows failed.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let plan = plan(arguments, backend)?;
    let mut sink = Sink { csv: arguments.csv.as_deref(), readings: Vec::new() };
    sink.write()?;
    let rows = CpuEngine::ALL.len() + plan.devices.len() * plan.variants.len() * plan.locals.len();
    let mut bench = Bench { progress: TerminalProgress::new(), done: 0, total: rows * plan.sizes.len(), backend, plan: &plan };
    for &size in &plan.sizes {
        let groups = bench.measure_size(size, &mut sink)?;
        bench.progress.clear();
        if !arguments.json {
            let name = plan.picture.as_ref().map_or("generated picture", |(name, _)| name);
            output::print(&bench_report::render(&groups, name, plan.ladder))?;
        }
    }
    if arguments.json {
        let mut bytes = Vec::new();
        measure::write_json(&sink.readings, &mut bytes)?;
        output::print(&String::from_utf8_lossy(&bytes))?;
    }
    sink.verdict()
}

fn plan(arguments: &Arguments, backend: &mut dyn Backend) -> Result<Plan> {
    let filter = arguments.filter.filter;
    let parameters = arguments::parameters(filter, &arguments.parameters)?;
    let ladder = ladder(arguments)?;
    let loaded = arguments.picture.as_deref().map(arguments::open_picture).transpose()?;
    let own_channels = loaded.as_ref().map_or(Channels::Rgb, |loaded| loaded.picture.channels());
    let setting = Setting {
        channels: arguments.filter.channels.unwrap_or(ladder.map_or(own_channels, |ladder| ladder.channels)),
        border: arguments.filter.border.unwrap_or(ladder.map_or(filter.default_border, |ladder| ladder.border)),
    };
    let own_size = loaded.as_ref().map(|loaded| (loaded.picture.width_px(), loaded.picture.height_px()));
    let sizes = sizes(&arguments.sizes, ladder, own_size);
    // Converted once, not for every size.
    let picture = loaded.map(|loaded| (loaded.name, loaded.picture.to_channels(setting.channels).with_alpha(None)));
    let found = arguments::devices(backend)?;
    let indices = if arguments.devices.is_empty() { &[0] } else { arguments.devices.as_slice() };
    Ok(Plan {
        filter,
        parameters,
        setting,
        ladder,
        variants: variants(arguments, ladder, setting),
        locals: if arguments.locals.is_empty() { vec![LocalSize::Driver] } else { arguments.locals.clone() },
        devices: indices.iter().map(|&index| arguments::device(&found, index).cloned()).collect::<Result<_>>()?,
        sizes,
        picture,
        budget: Budget { sample_ns: arguments.budget_ms * 1_000_000, warm_cache: arguments.warm_cache, ..Budget::default() },
    })
}

/// The ladder that was asked for, or the filter's first where nothing was.
fn ladder(arguments: &Arguments) -> Result<Option<&'static Ladder>> {
    let filter = arguments.filter.filter;
    let Some(name) = &arguments.ladder else {
        let is_asked = arguments.all || !arguments.variants.is_empty();
        return Ok(filter.ladders.first().filter(|_| !is_asked));
    };
    filter.ladder(name).map(Some).ok_or_else(|| {
        let known: Vec<_> = filter.ladders.iter().map(|ladder| ladder.name).collect();
        let remedy = if known.is_empty() { "use --variant or --all".to_owned() } else { format!("ladders are {}", known.join(", ")) };
        Error::usage(format!("Ladder '{name}' is not known"), format!("{} has no ladder of that name", filter.label), remedy)
    })
}

fn variants(arguments: &Arguments, ladder: Option<&Ladder>, setting: Setting) -> Vec<(Variant, Option<usize>)> {
    if let Some(ladder) = ladder {
        return ladder.steps.iter().enumerate().map(|(index, step)| (step.variant(), Some(index))).collect();
    }
    let chosen = if arguments.all { Variant::all(arguments.filter.filter, setting) } else { arguments.variants.clone() };
    if chosen.is_empty() { vec![(Variant::naive(), None)] } else { chosen.into_iter().map(|variant| (variant, None)).collect() }
}

/// `study` is the ladder's own sizes, or those of the first ladder that has any.
fn sizes(given: &[SizeArgument], ladder: Option<&Ladder>, own: Option<(usize, usize)>) -> Vec<(usize, usize)> {
    let study = || {
        let all = filters::all().iter().flat_map(|filter| filter.ladders);
        ladder.into_iter().chain(all).map(|ladder| ladder.sizes).find(|sizes| !sizes.is_empty()).unwrap_or_default()
    };
    let asked = given.iter().flat_map(|size| match *size {
        SizeArgument::Study => study().to_vec(),
        SizeArgument::Pixels(width, height) => vec![(width, height)],
    });
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() { vec![own.unwrap_or((DEFAULT_SIDE_PX, DEFAULT_SIDE_PX))] } else { asked }
}

/// Where rows go as soon as they are there.
struct Sink<'a> {
    csv: Option<&'a Path>,
    readings: Vec<Reading>,
}

impl Sink<'_> {
    fn push(&mut self, reading: Reading) -> Result<()> {
        self.readings.push(reading);
        self.write()
    }

    /// The whole file anew: it is small, and complete after every row.
    fn write(&self) -> Result<()> {
        let Some(path) = self.csv else { return Ok(()) };
        let file = std::fs::File::create(path).map_err(|error| {
            let remedy = format!("choose a folder that exists and that you may write to: {}", path.display());
            Error::failed("The CSV file could not be written", error.to_string(), remedy)
        })?;
        measure::write_csv(&self.readings, file)
    }

    /// A row that failed is a failure of the whole run; one that is not supported is not.
    fn verdict(&self) -> Result<()> {
        let failures = self.readings.iter().filter_map(|reading| match &reading.state {
            ReadingState::Failed(reason) => Some(format!("{}: {reason}", reading.label())),
            _ => None,
        });
        let failures: Vec<_> = failures.collect();
        if failures.is_empty() {
            return Ok(());
        }
        let why = format!("{} of {} rows failed", failures.len(), self.readings.len());
        Err(Error::failed("The measurement is not complete", why, "the rows name their reasons").with_detail(failures.join("\n")))
    }
}

struct Bench<'a> {
    backend: &'a mut dyn Backend,
    plan: &'a Plan,
    progress: TerminalProgress,
    done: usize,
    total: usize,
}

impl Bench<'_> {
    /// The CPU competitors, then every device's rows.
    fn measure_size(&mut self, (width, height): (usize, usize), sink: &mut Sink<'_>) -> Result<Vec<Group>> {
        let plan = self.plan;
        self.progress.job = format!("{width} x {height}");
        self.progress.report(0, 1, "Making the picture");
        let picture = match &plan.picture {
            Some((_, picture)) if (picture.width_px(), picture.height_px()) == (width, height) => picture.clone(),
            Some((_, picture)) => image::tile(picture, width, height),
            None => image::generate(width, height, plan.setting.channels, 1),
        };
        let picture = PictureRef::new(Arc::new(picture));
        let mut cpu = Vec::new();
        for engine in CpuEngine::ALL {
            let reading = self.measure(&picture, Target::Cpu(engine), sink)?;
            cpu.push(Entry { reading, step: None });
        }
        let mut groups = Vec::new();
        for info in &plan.devices {
            let mut entries = Vec::new();
            for &(variant, step) in &plan.variants {
                for &local in &plan.locals {
                    let reading = self.measure(&picture, Target::Device { index: info.index, variant, local }, sink)?;
                    entries.push(Entry { reading, step });
                }
            }
            groups.push(Group { device: info.clone(), cpu: cpu.clone(), entries });
        }
        Ok(groups)
    }

    fn measure(&mut self, picture: &PictureRef, target: Target, sink: &mut Sink<'_>) -> Result<Reading> {
        let Setting { channels, border } = self.plan.setting;
        let task =
            Task { filter: self.plan.filter, parameters: self.plan.parameters.clone(), picture: picture.clone(), channels, border, target };
        self.done += 1;
        let what = match target {
            Target::Cpu(engine) => engine.label().to_owned(),
            Target::Device { variant, .. } => variant.to_string(),
        };
        let size = (picture.picture.width_px(), picture.picture.height_px());
        self.progress.job = format!("[{}/{}] {} x {} {what}:", self.done, self.total, size.0, size.1);
        let reading = self.backend.measure(&task, self.plan.budget, &self.progress)?;
        sink.push(reading.clone())?;
        Ok(reading)
    }
}
