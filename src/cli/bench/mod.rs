//! `kernel-ladder bench`.
//!
//! | file | holds |
//! |---|---|
//! | `planning` | what is to be measured |
//! | `measuring` | the rows, and where they go |
//! | `report`, `ladder_table` | tables for people, JSON, CSV columns |
//! | `page` | ladders as one Markdown page |
//! | `proven` | what experiments said of the steps, counted |
//! | `claims_data` | the same for programs |
//! | `bundled` | all of it as a bundle |
//! | `hosts` | the same on several machines at once |

mod bundled;
mod claims_data;
pub mod hosts;
mod ladder_table;
mod measuring;
mod page;
mod planning;
mod proven;
mod report;
#[cfg(test)]
mod report_tests;
mod self_test;

use super::arguments::{self, FilterArguments, SizeArgument};
use super::compare;
use super::output::{self, TerminalProgress};
use super::schema::JsonOf;
use crate::cli::arguments::LargeArgument;
use crate::cli::named_files::NamedFiles;
use base::error::Result;
use base::texts;
use clap::Args;
use clap::builder::TypedValueParser;
use engine::Backend;
use measuring::{Bench, Sink};
use model::{Budget, HostMemory, LocalSize, Variant};
use planning::Plan;
pub use report::significant;
use std::path::PathBuf;
use study::Prober;
use study::baseline::LEAST_PROCESSES;
use study::bundle::Aliases;
use view::story;

/// From kernels of some microseconds to those of a large picture.
const SELF_TEST_SIZES: [(usize, usize); 4] = [(512, 512), (1024, 1024), (2048, 2048), (3840, 2160)];

/// Arguments of the command.
#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
#[command(after_help = "\
Examples:
  kernel-ladder bench --ladder mali-t600 --size study
  kernel-ladder bench --variant naive coalesced --local driver 32x4 --size 1024x1024 7680x4320
  kernel-ladder bench --variant coalesced+padded --memory copy map use-host-ptr svm
  kernel-ladder bench --all --picture photo.jpg --csv photo.csv --budget-ms 100
  kernel-ladder bench --ladders > claims.md
  kernel-ladder bench --ladders --why=test > tested.md
  kernel-ladder bench --ladder desktop-bilateral --ladders --why=test > one.md
  kernel-ladder bench --ladder mali-t600 --size 1024x1024 --bundle here.json
  kernel-ladder bench --ladder mali-t600 gaussian --size 2048x2048 --why=test
  kernel-ladder bench --on lab1,lab2 --ladder mali-t600 --bundle lab.json

If the guide of a ladder compares two steps, these also run in interleaved pairs: on this device, the claim is then confirmed, not observed, reversed or \
inconclusive.

With --why=test each explanation is put to the test. A table at the end counts the steps by how far they are explained, and lists what an experiment refuted, with the \
explanation that is left; with --ladders it is part of the page. Bundles, reports and claims data keep the experiments.

Every variant is verified against the reference before it is timed. The three CPU competitors are measured in the same run. Kernel time is \
END - START of the profiling events; the round trip is host time from upload to read-back. Both exclude build time.

CSV has one line per row and one column per field of the JSON record: local_used, kernel.median_ns, parameters.radius, ladder.seen. \
Times are in nanoseconds. Raw samples are in the JSON only.")]
pub struct Arguments {
    #[command(flatten)]
    filter: FilterArguments,
    /// Published ladders by name, or all; see `kernel-ladder list` [default: the filter's first]
    #[arg(long = "ladder", id = "ladder", value_name = "NAME", num_args = 1.., conflicts_with_all = ["variants", "all"])]
    named_ladders: Vec<String>,
    /// Print a Markdown page of claims and results: of the ladders that --ladder names, else of every ladder of the filter, or of all filters
    #[arg(long, conflicts_with_all = ["variants", "all"])]
    ladders: bool,
    /// Variants: stages joined by '+', or naive
    #[arg(long = "variant", value_name = "V", num_args = 1.., value_parser = Variant::parse, conflicts_with = "all")]
    variants: Vec<Variant>,
    /// Every allowed variant
    #[arg(long)]
    all: bool,
    /// Picture sizes, or `study` for the sizes of the ladder (those of the Mali-T600 study if it has none) [default: size of the picture, or 2048x2048]
    #[arg(long = "size", value_name = "2048x2048|study", num_args = 1.., value_parser = arguments::parse_size)]
    sizes: Vec<SizeArgument>,
    /// Picture that fills each size, tiled [default: a generated picture]
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    large: LargeArgument,
    /// OpenCL devices, see `kernel-ladder devices` [default: 0]
    #[arg(long = "device", value_name = "N", num_args = 1..)]
    devices: Vec<usize>,
    /// Local sizes, each measured with every variant; steps of a ladder may override it [default: driver]
    #[arg(long = "local", value_name = "32x4|driver", num_args = 1.., value_parser = arguments::parse_local)]
    locals: Vec<LocalSize>,
    /// Host memory for transfers, each measured with every row: copy, map, use-host-ptr, svm [default: copy]
    #[arg(long = "memory", value_name = "MEMORY", num_args = 1..)]
    memories: Vec<HostMemory>,
    /// Sampling time per row, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    budget_ms: u64,
    /// Number of processes in which every comparison is repeated: addresses of code and buffers differ between processes, so the interval then also covers
    /// later runs. With 1, it is from one run
    #[arg(long, value_name = "N", default_value_t = Budget::STARTS as u64, value_parser = clap::value_parser!(u64).range(1..=Budget::MOST_STARTS as u64))]
    starts: u64,
    /// Keep caches warm: use a single pair of buffers for all samples
    #[arg(long)]
    warm_cache: bool,
    /// Also compare each row with the row above, in interleaved runs: FASTER, SLOWER, SAME or UNCLEAR
    #[arg(long)]
    compare: bool,
    /// How the steps of a ladder are explained: by rules; with all, also why each other rule does not apply; with test, also by experiments, until one
    /// explanation is confirmed
    #[arg(long, value_name = "HOW", value_parser = why_parser(), default_value = "rules", conflicts_with_all = ["variants", "all", "self_test"])]
    why: Why,
    /// Instead, compare each variant with itself N times, to count false differences [default sizes: 512x512 to 3840x2160]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", conflicts_with_all = ["ladders", "compare", "csv"])]
    self_test: Option<usize>,
    /// Parameter of the filter; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::parse_parameter)]
    parameters: Vec<(String, f64)>,
    /// Also write the results and reasons of each ladder step to this file, as data for comparison with other devices
    #[arg(long, value_name = "FILE", conflicts_with_all = ["variants", "all", "self_test", "locals", "memories", "parameters", "picture"])]
    claims_data: Option<PathBuf>,
    /// Also write all results to this file, for `kernel-ladder report`: settings, kernels, all samples, comparisons; no names or paths
    #[arg(long, value_name = "FILE", conflicts_with = "self_test")]
    bundle: Option<PathBuf>,
    /// Name of the machine in the bundle, or names of the machines of --on, in order [default: an anonymous name, the same each time]
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "bundle")]
    alias: Vec<String>,
    /// Also write a baseline to this file, for `kernel-ladder compare`: a bundle, and the times of each row in --starts new processes
    #[arg(long, value_name = "FILE", conflicts_with = "self_test")]
    save: Option<PathBuf>,
    /// Also write the rows to this file, updated after each row
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print JSON with all samples, at the end
    #[arg(long)]
    json: bool,
    /// Nothing is printed while it goes on: others do the same beside it.
    #[arg(skip)]
    is_silent: bool,
}

/// How steps are explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// By rules.
    Rules,
    /// By rules, with why it is none of the others.
    All,
    /// By rules that experiments test.
    Test,
}

fn why_parser() -> impl TypedValueParser<Value = Why> {
    arguments::named([("rules", Why::Rules), ("all", Why::All), ("test", Why::Test)])
}

impl Arguments {
    fn aliases(&self) -> Aliases {
        self.alias.first().map_or_else(Aliases::opaque, |name| Aliases::given(name))
    }

    /// The files that it names.
    pub fn named_files(&self) -> NamedFiles<'_> {
        NamedFiles::default()
            .reading(&self.picture)
            .writing(self.claims_data.as_ref(), &["json"])
            .writing(self.bundle.as_ref(), &["json"])
            .writing(self.save.as_ref(), &["json"])
            .writing(self.csv.as_ref(), &["csv"])
    }
}

/// Measures and prints a table for each size, or a page of ladders.
///
/// # Errors
/// Usage errors before anything is measured; failed where no device is there, or some rows failed.
pub fn run(arguments: &Arguments, engine: &mut dyn Backend) -> Result<()> {
    if arguments.save.is_some() && (arguments.starts as usize) < LEAST_PROCESSES {
        return Err(texts::misused("errors.baseline.few-starts", &[("starts", &arguments.starts), ("least", &LEAST_PROCESSES)]));
    }
    let mut plans = planning::plans(arguments, engine)?;
    if let Some(repeats) = arguments.self_test {
        let mut rows = Vec::new();
        for plan in &mut plans {
            if arguments.sizes.is_empty() && arguments.picture.is_none() {
                plan.sizes = SELF_TEST_SIZES.to_vec();
            }
            rows.append(&mut self_test::run(engine, plan, repeats)?);
        }
        return if arguments.json {
            output::print_json(JsonOf::SelfTest, None, || &rows)
        } else {
            output::print(&story::text::paint(&self_test::story(&rows)))
        };
    }
    let mut sink = Sink { csv: arguments.csv.as_deref(), entries: Vec::new() };
    sink.write()?;
    let total = plans.iter().map(Plan::readings).sum();
    let (mut done, mut measured) = (0, Vec::new());
    let mut bundle = bundled::Bundling::new(arguments.bundle.as_deref(), arguments.save.is_some(), arguments.aliases())?;
    for plan in &plans {
        let mut bench = Bench {
            progress: if arguments.is_silent { TerminalProgress::silent() } else { TerminalProgress::new() },
            prober: Prober::new(plan.budget),
            done,
            total,
            engine,
            plan,
            compare: arguments.compare,
            compare_unclaimed: arguments.claims_data.is_some() || arguments.why == Why::Test,
            why: arguments.why,
        };
        for &size in &plan.sizes {
            let groups = bench.measure_size(size, &mut sink)?;
            bench.progress.clear();
            bundle.add(plan, arguments.compare, &groups)?;
            if !arguments.ladders && !arguments.json && !arguments.is_silent {
                output::print(&report::render(&groups, plan.picture_name()))?;
            }
            measured.extend(groups);
            if let Some(path) = &arguments.claims_data {
                claims_data::write(path, &measured)?;
            }
        }
        done = bench.done;
    }
    if arguments.json {
        let rows = texts::in_english(|| report::as_json(&sink.entries))?;
        output::print_json(JsonOf::Bench, None, || rows)?;
    } else if arguments.ladders {
        output::print(&page::render(&measured))?;
    }
    if arguments.why == Why::Test && !arguments.json && !arguments.is_silent {
        let paint = if arguments.ladders { story::markdown::paint } else { story::text::paint };
        output::print(&paint(&proven::story(&measured)))?;
    }
    sink.verdict()?;
    let Some(path) = &arguments.save else { return Ok(()) };
    // The one with all its channels is the one that others were made of.
    let pictures = plans.iter().filter_map(|plan| plan.picture.as_ref()).map(|(_, picture)| picture);
    let own = pictures.max_by_key(|picture| picture.channels().count());
    let devices = plans.first().map(|plan| plan.devices.clone()).unwrap_or_default();
    compare::save(path, bundle.into_bundle(), own, &devices, arguments.starts as usize, engine)
}
