//! `kernel-ladder bench`: what is to be measured.

mod measuring;
mod report;
#[cfg(test)]
mod report_tests;

use super::arguments::{self, FilterArguments, SizeArgument};
use super::output::{self, TerminalProgress};
use crate::cpu::CpuEngine;
use crate::device::{DeviceInfo, HostMemory, LocalSize};
use crate::engine::{Budget, Engine};
use crate::error::{Error, Result};
use crate::filters::{self, Filter, Ladder, Parameters};
use crate::image::{Channels, Picture};
use crate::stages::Setting;
use crate::variant::Variant;
use crate::worker::Backend;
use clap::Args;
use measuring::{Bench, Sink};
use std::path::PathBuf;

/// The side of the generated picture where neither `--size` nor `--picture` says otherwise; a size of the Mali-T600 study.
const DEFAULT_SIDE_PX: usize = 2048;

/// Arguments of the command.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
#[command(after_help = "\
Examples:
  kernel-ladder bench --ladder mali-t600 --size study
  kernel-ladder bench --variant naive coalesced --local driver 32x4 --size 1024x1024 7680x4320
  kernel-ladder bench --variant coalesced+padded --memory copy map use-host-ptr
  kernel-ladder bench --all --picture photo.jpg --csv photo.csv --budget-ms 100

Every variant is held to the reference before it is timed. The three CPU competitors are measured in the same run. Kernel time is \
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
    /// How the picture gets into the device's memory and back, each measured with every row: copy, map, use-host-ptr [default: copy]
    #[arg(long = "memory", value_name = "MEMORY", num_args = 1..)]
    memories: Vec<HostMemory>,
    /// Time to sample each row for, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    budget_ms: u64,
    /// Sample over one pair of buffers, so that caches stay warm
    #[arg(long)]
    warm_cache: bool,
    /// Also compare each row with the row above in interleaved pairs: FASTER, SLOWER, SAME or UNCLEAR
    #[arg(long)]
    compare: bool,
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
pub struct Plan {
    filter: &'static Filter,
    parameters: Parameters,
    setting: Setting,
    ladder: Option<&'static Ladder>,
    /// With the label and index of the ladder's step.
    variants: Vec<(Variant, Option<usize>)>,
    locals: Vec<LocalSize>,
    memories: Vec<HostMemory>,
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
pub fn run(arguments: &Arguments, engine: &mut Engine) -> Result<()> {
    let plan = plan(arguments, engine)?;
    let mut sink = Sink { csv: arguments.csv.as_deref(), readings: Vec::new(), compared: Vec::new() };
    sink.write()?;
    let rows = CpuEngine::ALL.len() + plan.devices.len() * plan.variants.len() * plan.locals.len() * plan.memories.len();
    let total = rows * plan.sizes.len();
    let mut bench = Bench { progress: TerminalProgress::new(), done: 0, total, engine, plan: &plan, compare: arguments.compare };
    for &size in &plan.sizes {
        let groups = bench.measure_size(size, &mut sink)?;
        bench.progress.clear();
        if !arguments.json {
            let name = plan.picture.as_ref().map_or("generated picture", |(name, _)| name);
            output::print(&report::render(&groups, name, plan.ladder))?;
        }
    }
    if arguments.json {
        output::print_json(&report::as_json(&sink.readings, &sink.compared)?)?;
    }
    sink.verdict()
}

fn plan(arguments: &Arguments, backend: &mut dyn Backend) -> Result<Plan> {
    let filter = arguments.filter.filter;
    let parameters = arguments::parameters(filter, &arguments.parameters)?;
    let ladder = ladder(arguments)?;
    let loaded = arguments.picture.as_deref().map(arguments::open_picture).transpose()?;
    let own_channels = loaded.as_ref().map_or(Channels::Rgb, |loaded| loaded.picture.channels());
    let setting = arguments.filter.setting_or(ladder.map_or(own_channels, |ladder| ladder.channels), ladder.map(|ladder| ladder.border));
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
        memories: if arguments.memories.is_empty() { vec![HostMemory::Copy] } else { arguments.memories.clone() },
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
