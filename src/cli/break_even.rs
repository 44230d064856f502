//! `kernel-ladder break-even`.

use super::arguments::{self, SizeArgument, StudyArguments};
use super::bench::{milliseconds, significant};
use super::output::{self, TerminalProgress};
use super::table::{Align, Table};
use crate::device::DeviceInfo;
use crate::engine::{Backend, PictureRef, Target, Task};
use crate::error::Result;
use crate::filters;
use crate::image;
use crate::model::{Channels, CpuEngine, HostMemory, Measured, Record, Spec};
use crate::study::{BreakEven, Line, Prober, Rivals, SIZES};
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  kernel-ladder break-even coalesced --filter bilateral

A device has to get the picture first and give it back, and starting a kernel takes time. The processor has the picture already. Each size is measured \
on both; build time is shown, and counts only where the program is built anew for each picture.")]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,
    /// How the picture is transferred to and from the device: copy, map or use-host-ptr [default: copy]
    #[arg(long, value_name = "MEMORY")]
    memory: Option<HostMemory>,
    /// Picture sizes [default: from 256x256 to 7680x4320]
    #[arg(long = "size", value_name = "512x512", num_args = 1.., value_parser = arguments::parse_size)]
    sizes: Vec<SizeArgument>,
}

/// All records of one size.
struct Size {
    device: Record,
    cpu: Vec<(CpuEngine, Record)>,
}

/// Measures each size on the device and on the processor, and prints where the time goes and from which size on the device wins.
///
/// # Errors
/// Usage errors; failed where there is no device.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let filter = arguments.study.filter.filter();
    let parameters = arguments.study.parameters()?;
    let setting = arguments.study.filter.setting_or(filter, Channels::Rgb, None).with_parameters(filter, &parameters);
    arguments.study.variant.check(filter, setting)?;
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.study.device)?;
    let spec = Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border };
    let target = Target::Device {
        index: info.index,
        variant: arguments.study.variant,
        local: arguments.study.local,
        host_memory: arguments.memory.unwrap_or_default(),
    };
    let mut progress = TerminalProgress::new();
    let mut sizes = Vec::new();
    for (width, height) in asked(&arguments.sizes) {
        let picture = PictureRef::new(Arc::new(image::generate(width, height, setting.channels, 1)));
        let mut prober = Prober::new(arguments.study.budget());
        let mut measure = |target| {
            progress.job = format!("{width} x {height}:");
            prober.record(&Task { spec: spec.clone(), picture: picture.clone(), target, added: None }, backend, &progress)
        };
        let device = measure(target)?;
        let cpu = CpuEngine::ALL.into_iter().map(|engine| Ok((engine, measure(Target::Cpu(engine))?)));
        sizes.push(Size { device, cpu: cpu.collect::<Result<_>>()? });
    }
    progress.clear();
    let rivals: Vec<Rivals> = sizes
        .iter()
        .map(|size| Rivals { device: &size.device, cpu: size.cpu.iter().map(|(engine, record)| (*engine, record)).collect() })
        .collect();
    let results = CpuEngine::ALL.map(|engine| BreakEven::of(&rivals, engine));
    if arguments.study.json {
        let records: Vec<&Record> =
            sizes.iter().flat_map(|size| std::iter::once(&size.device).chain(size.cpu.iter().map(|(_, record)| record))).collect();
        return output::print_json(&json!({ "break_even": results, "records": records }));
    }
    let head = format!("{}, {}\n", filters::spec_text(&spec), arguments.study.variant);
    output::print(&(head + &render(&sizes, &results, info)))
}

/// The sizes that were asked for, from small to large.
fn asked(given: &[SizeArgument]) -> Vec<(usize, usize)> {
    let mut sizes: Vec<_> = given
        .iter()
        .filter_map(|size| match *size {
            SizeArgument::Pixels(width, height) => Some((width, height)),
            SizeArgument::Study => None,
        })
        .collect();
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    sizes.sort_by_key(|(width, height)| width * height);
    sizes
}

fn render(sizes: &[Size], results: &[BreakEven], info: &DeviceInfo) -> String {
    let mut text = format!("Device {}: {}; {}, driver {}\n\n", info.index, info.label(), info.platform, info.driver_version);
    text += &ledger(sizes);
    text += "(layout, upload, launch and wait, kernel and read-back are those of the median round trip; build is in none of them)\n\n";
    text += &speed_ups(sizes, results);
    text += "(round trip of the device against the time of the processor, from separate runs; in brackets, what the quartiles of both leave open)\n\n";
    for result in results {
        text += &sentence(result);
    }
    text
}

fn ledger(sizes: &[Size]) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("Milliseconds", Align::Left),
        ("build", right),
        ("layout", right),
        ("upload", right),
        ("launch and wait", right),
        ("kernel", right),
        ("read-back", right),
        ("round trip", right),
        (CpuEngine::Scalar.label(), right),
        (CpuEngine::Simd.label(), right),
        (CpuEngine::Threads.label(), right),
    ]);
    for size in sizes {
        let (width, height) = size.device.picture.size();
        let name = format!("{width} x {height}");
        let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), milliseconds);
        match size.device.measured() {
            Some(measured) => {
                let mut cells = vec![name];
                cells.extend(parts(measured).map(cell));
                let total = |record: &Record| record.measured().map(|measured| measured.round_trip.total.median_ns);
                cells.extend(size.cpu.iter().map(|(_, record)| cell(total(record))));
                table.row(cells);
            }
            None => table.sentence(name, "not measured: see `kernel-ladder bench` with this variant and size".to_owned()),
        }
    }
    table.render()
}

/// Build, layout, upload, launch and wait, kernel, read-back and the whole.
fn parts(measured: &Measured) -> [Option<f64>; 7] {
    let run = measured.round_trip.median_run();
    [
        measured.build_ns.map(|build_ns| build_ns as f64),
        run.and_then(|run| run.layout_ns),
        run.map(|run| run.upload_ns - run.layout_ns.unwrap_or(0.0)),
        run.map(|run| run.other_ns),
        run.map(|run| run.kernel_ns),
        run.map(|run| run.readback_ns),
        Some(measured.round_trip.total.median_ns),
    ]
}

fn speed_ups(sizes: &[Size], results: &[BreakEven]) -> String {
    let mut columns = vec![("Device over", Align::Left)];
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

fn sentence(result: &BreakEven) -> String {
    let mut text = format!("{}: ", result.against.label());
    let _ = match result.from {
        Some((width, height)) => write!(text, "the device wins from {width} x {height} on, of the sizes measured"),
        None => write!(text, "the device does not win at the largest size measured"),
    };
    let line = |line: &Line| format!("{} µs + {} ns per pixel", significant(line.fixed_ns / 1e3), significant(line.per_pixel_ns));
    if let (Some(device), Some(cpu)) = (&result.device, &result.cpu) {
        let _ = write!(text, "; device {}, processor {}: ", line(device), line(cpu));
        let _ = match result.pixels {
            Some(pixels) => write!(text, "even at {:.0} pixels, which are {side:.0} x {side:.0}", pixels, side = pixels.sqrt()),
            None => write!(text, "never, as each pixel costs the device more"),
        };
    }
    text + "\n"
}
