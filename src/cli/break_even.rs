//! `kernel-ladder break-even`.

use super::arguments::{self, StudyArguments};
use super::bench::{milliseconds, significant};
use super::devices::device_line;
use super::output;
use super::studying;
use super::verdict::verdict;
use crate::device::DeviceInfo;
use crate::engine::{Backend, PictureRef};
use crate::error::Result;
use crate::filters;
use crate::model::{Channels, CpuEngine, HostMemory, Labelled, Record, Roofs};
use crate::story::columns::{Align, Table};
use crate::study::{BreakEven, Bus, Finding, Ledger, Probe, Rivals, SIZES, SizeSweep, telling};
use crate::texts::{filled, text};
use clap::Args;
use serde_json::json;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  kernel-ladder break-even coalesced --filter bilateral

A device must upload the image, launch the kernel and read the result back; the CPU has the image already. Each size is measured on both. Build time is \
shown but excluded.")]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,
    /// Host memory for transfers: copy, map or use-host-ptr [default: copy]
    #[arg(long, value_name = "MEMORY")]
    memory: Option<HostMemory>,
    /// Picture sizes [default: from 256x256 to 7680x4320]
    #[arg(long = "size", value_name = "512x512", num_args = 1.., value_parser = arguments::parse_pixels)]
    sizes: Vec<(usize, usize)>,
}

/// Measures each size on the device and on the processor, and prints where the time goes and from which size on the device wins.
///
/// # Errors
/// Usage errors; failed where there is no device, or a size could not be measured.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let found = arguments::devices(backend)?;
    let (info, spec, setting) = arguments.study.checked(&found, Channels::Rgb)?;
    // Of the picture the sweep takes nothing.
    let none = PictureRef::generated((1, 1), setting.channels);
    let like = arguments.study.task(spec.clone(), none, arguments.memory.unwrap_or_default());
    let sweep = SizeSweep::new(like, asked(&arguments.sizes));
    let findings = studying::findings(sweep, arguments.study.budget(), backend, about)?;
    let records = findings.into_iter().filter_map(|finding| match finding {
        Finding::Record(_, record) => Some(*record),
        Finding::Glanced(..) | Finding::Compared(..) | Finding::Code(..) | Finding::Roofs(_) => None,
    });
    let records = records.collect::<Vec<_>>();
    let sizes = Rivals::of(&records);
    let results = CpuEngine::ALL.map(|engine| BreakEven::of(&sizes, engine));
    if arguments.study.json {
        output::print_json(|| json!({ "break_even": results, "records": records }))?;
    } else {
        let head = format!("{}, {}\n", filters::spec_text(&spec), arguments.study.variant);
        let transfers = transfers(&sizes, backend.known_roofs(info.index, &()).as_deref());
        output::print(&(head + &render(&sizes, &results, &transfers, info)))?;
    }
    verdict(records.iter().map(|record| (record, None)))
}

/// The picture's size.
fn about(probe: &Probe) -> String {
    match probe {
        Probe::Measure(task) | Probe::Glance(task) | Probe::Compare(_, task) | Probe::CompareCached(_, task) => {
            let (width, height) = task.picture.size();
            format!("{width} x {height}:")
        }
        Probe::Code(_) | Probe::Roofs(_) => String::new(),
    }
}

/// The sizes that were asked for, from small to large.
fn asked(given: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut sizes = if given.is_empty() { SIZES.to_vec() } else { given.to_vec() };
    sizes.sort_by_key(|(width, height)| width * height);
    sizes
}

/// A line on the transfers of the largest picture, which have the least of a start in them; none where its bytes were not copied.
fn transfers(sizes: &[Rivals], roofs: Option<&Roofs>) -> String {
    let Some(roofs) = roofs else { return format!("{}\n", text("tables.break-even.no-bus")) };
    let told = sizes.last().and_then(|size| Some((size.device.picture.size(), telling::bus(&Bus::of(size.device, roofs))?)));
    told.map_or_else(String::new, |((width, height), bus)| {
        filled("tables.break-even.bus", &[("width", &width), ("height", &height), ("bus", &bus)]) + "\n"
    })
}

fn render(sizes: &[Rivals], results: &[BreakEven], transfers: &str, info: &DeviceInfo) -> String {
    let mut told = device_line(info);
    told.extend(["\n\n", &ledger(sizes), text("tables.break-even.ledger"), "\n", transfers, "\n"]);
    told.extend([&speed_ups(sizes, results), text("tables.break-even.speed-ups"), "\n\n"]);
    for result in results {
        told.extend([telling::break_even_sentence(result).as_str(), "\n"]);
    }
    told
}

fn ledger(sizes: &[Rivals]) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        (text("tables.bench.milliseconds"), Align::Left),
        (text("studies.break-even.build"), right),
        (text("studies.break-even.layout"), right),
        (text("studies.break-even.upload"), right),
        (text("studies.break-even.wait"), right),
        (text("studies.break-even.kernel"), right),
        (text("studies.break-even.readback"), right),
        (text("studies.break-even.total"), right),
        (CpuEngine::Scalar.label(), right),
        (CpuEngine::Simd.label(), right),
        (CpuEngine::Threads.label(), right),
    ]);
    for size in sizes {
        let (width, height) = size.device.picture.size();
        let name = format!("{width} x {height}");
        let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), milliseconds);
        let Some(measured) = size.device.measured() else {
            let why = size.device.outcome.why_not();
            table.sentence(name, why.unwrap_or_else(|| text("tables.break-even.not-measured").to_owned()));
            continue;
        };
        let mut cells = vec![name];
        cells.extend(Ledger::of(measured).cells().map(cell));
        let total = |record: &Record| record.measured().map(|measured| measured.round_trip.total.median_ns);
        cells.extend(size.cpu.iter().map(|(_, record)| cell(total(record))));
        table.row(cells);
    }
    table.render()
}

fn speed_ups(sizes: &[Rivals], results: &[BreakEven]) -> String {
    let mut columns = vec![(text("tables.break-even.over"), Align::Left)];
    columns.extend(results.iter().map(|result| (result.against.label(), Align::Right)));
    let mut table = Table::new(&columns);
    for size in sizes {
        let picture = size.device.picture.size();
        let mut cells = vec![format!("{} x {}", picture.0, picture.1)];
        cells.extend(results.iter().map(|result| {
            let at = result.at.iter().find(|(size, _)| *size == picture).map(|(_, comparison)| comparison);
            at.map_or_else(
                || "-".to_owned(),
                |found| format!("x{} ({}-{})", significant(found.ratio), significant(found.low), significant(found.high)),
            )
        }));
        table.row(cells);
    }
    table.render()
}
