//! `kernel-ladder bottleneck`.

use super::arguments::{self, SizeArgument, StudyArguments};
use super::bench::significant;
use super::output::{self, TerminalProgress};
use super::table::{Align, Table};
use crate::device::DeviceInfo;
use crate::engine::{Backend, PictureRef, Target, Task};
use crate::error::{Error, Result};
use crate::filters;
use crate::image;
use crate::measure::Progress as _;
use crate::model::{AddedKind, Bound, Channels, HostMemory, Pipe, Spec};
use crate::study::{self, AddedCurve, AddedPoint, Bottleneck, Diagnosis, Estimate, Run};
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;

/// The generated picture where `--size` does not say otherwise: large enough for kernels to outlast their start.
const DEFAULT_SIZE: (usize, usize) = (3840, 2160);

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  kernel-ladder bottleneck coalesced+padded+access=int4 --filter copy --size 7680x4320

More and more work of one kind is added to the kernel: bytes loaded from a buffer of their own, additions of integers, multiply-adds of floats. The output \
stays as it is and is checked each time. What was not busy takes the first of it for nothing: the test shows what the kernel waits for.")]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,
    /// Size of the generated picture [default: 3840x2160]
    #[arg(long, value_name = "3840x2160", value_parser = arguments::parse_size)]
    size: Option<SizeArgument>,
}

/// Tests a variant, and prints time against added work and what follows.
///
/// # Errors
/// Usage errors; failed where there is no device, or nothing could be compared.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let filter = arguments.study.filter.filter();
    let parameters = arguments.study.parameters()?;
    let setting = arguments.study.filter.setting_or(filter, Channels::Rgb, None).with_parameters(filter, &parameters);
    arguments.study.variant.check(filter, setting)?;
    let found = arguments::devices(backend)?;
    let info = arguments::device(&found, arguments.study.device)?;
    let (width, height) = match arguments.size {
        Some(SizeArgument::Pixels(width, height)) => (width, height),
        _ => DEFAULT_SIZE,
    };
    let task = Task {
        spec: Spec { filter: filter.id, parameters, channels: setting.channels, border: setting.border },
        picture: PictureRef::new(Arc::new(image::generate(width, height, setting.channels, 1))),
        target: Target::Device {
            index: info.index,
            variant: arguments.study.variant,
            local: arguments.study.local,
            host_memory: HostMemory::Copy,
        },
        added: None,
    };
    let budget = arguments.study.budget();
    let mut run = Run::new(Box::new(Bottleneck::new(task.clone())), budget);
    let mut progress = TerminalProgress::new();
    while let Some(probe) = run.next_probe() {
        progress.job = job(&probe);
        progress.report(0, 1, "Comparing");
        run.take(probe, backend, &progress)?;
    }
    progress.clear();
    let per_pixel = |added| task.added_per_pixel(added).unwrap_or(0.0);
    let curves = AddedKind::ALL.map(|kind| AddedCurve::of(run.findings(), kind, &per_pixel));
    let frame = study::frame(run.findings());
    let diagnosis = Diagnosis::of(curves.to_vec());
    if arguments.study.json {
        let busy = diagnosis.curves.iter().map(AddedCurve::busy_share).collect::<Vec<_>>();
        return output::print_json(&json!({
            "spec": task.spec,
            "variant": arguments.study.variant.to_string(),
            "device": info.name,
            "width_px": width,
            "height_px": height,
            "frame": frame,
            "curves": diagnosis.curves,
            "busy_shares": busy,
            "bound": diagnosis.bound,
            "open": diagnosis.open,
        }));
    }
    if diagnosis.curves.iter().all(|curve| curve.points.is_empty()) {
        let why = diagnosis.curves.iter().find_map(|curve| curve.failed.clone()).unwrap_or_default();
        return Err(Error::failed("The test could not be made", why, "see what `kernel-ladder bench` says of this variant"));
    }
    let head = format!("{}, {width} x {height}, {}\n", filters::spec_text(&task.spec), arguments.study.variant);
    output::print(&(head + &render(&diagnosis, frame, info)))
}

fn job(probe: &study::Probe) -> String {
    match probe {
        study::Probe::Compare(_, task) => {
            task.added.map_or_else(String::new, |added| format!("{} more {}:", added.per_pixel, added.kind.unit()))
        }
        study::Probe::Measure(_) => String::new(),
    }
}

fn render(diagnosis: &Diagnosis, frame: Option<AddedPoint>, info: &DeviceInfo) -> String {
    let mut text = format!("Device {}: {}; {}, driver {}\n\n", info.index, info.label(), info.platform, info.driver_version);
    let (left, right) = (Align::Left, Align::Right);
    let mut table = Table::new(&[("Added", right), ("", left), ("time", right), ("95 % interval", right), ("", left)]);
    for curve in &diagnosis.curves {
        for point in &curve.points {
            let interval = format!("{}-{}", significant(point.low), significant(point.high));
            let busy = if point.busy { "BUSY: disturbed by other work" } else { "" };
            let time = format!("x{}", significant(point.time));
            table.row(vec![significant(point.per_pixel), curve.kind.unit().to_owned(), time, interval, busy.to_owned()]);
        }
    }
    text += &table.render();
    text += "(time over that of the kernel with nothing added, by interleaved pairs)\n\n";
    for curve in &diagnosis.curves {
        text += &curve_sentence(curve);
    }
    if let Some(frame) = frame {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "What the test needs itself: x{} ({}-{}) against the kernel alone.",
            significant(frame.time),
            significant(frame.low),
            significant(frame.high)
        );
    }
    text.extend(["\n", &conclusion(diagnosis)]);
    text
}

fn curve_sentence(curve: &AddedCurve) -> String {
    let percent = |share: f64| significant(100.0 * share);
    let unit = curve.kind.unit();
    if let Some(why) = &curve.failed {
        return format!("{unit}: {why}\n");
    }
    let hidden = match curve.hidden() {
        0.0 => format!("The first {unit} cost time"),
        most => format!("Up to {} more {unit} cost less than 5 %", significant(most)),
    };
    let slope = curve.slope().map_or_else(String::new, |Estimate { value, low, high }| {
        format!("; in the end each costs {} % of the kernel's time ({} to {})", percent(value), percent(low), percent(high))
    });
    let unit = match curve.kind {
        AddedKind::Bytes => "Loads and stores",
        AddedKind::Integer => "Integer units",
        AddedKind::Float => "Float units",
    };
    let busy = curve.busy_share().map_or_else(String::new, |Estimate { value, low, high }| {
        format!(" {unit} are busy for {:.0} % of the kernel's own time ({:.0} to {:.0}).", 100.0 * value, 100.0 * low, 100.0 * high)
    });
    format!("{hidden}{slope}.{busy}\n")
}

/// What follows, in words.
fn conclusion(diagnosis: &Diagnosis) -> String {
    let hidden = |kinds: &[AddedKind]| {
        let of_kinds = diagnosis.curves.iter().filter(|curve| kinds.contains(&curve.kind));
        of_kinds.map(AddedCurve::hidden).fold(f64::INFINITY, f64::min)
    };
    match (diagnosis.bound, diagnosis.open.as_slice()) {
        (Some(Bound::AtRoof(Pipe::Memory) | Bound::Mostly(Pipe::Memory)), _) => match hidden(&[AddedKind::Integer, AddedKind::Float]) {
            0.0 => "Memory-bound: loads and stores take the time; arithmetic has room, but not enough to hide more.\n".to_owned(),
            most => format!("Memory-bound: up to {} more operations per pixel are hidden behind the loads.\n", significant(most)),
        },
        (Some(Bound::AtRoof(Pipe::Arithmetic) | Bound::Mostly(Pipe::Arithmetic)), _) => match hidden(&[AddedKind::Bytes]) {
            0.0 => "Arithmetic-bound: operations take the time; loads have room, but not enough to hide more.\n".to_owned(),
            most => format!("Arithmetic-bound: up to {} more bytes per pixel are hidden behind the arithmetic.\n", significant(most)),
        },
        (Some(Bound::Balanced), _) => "Balanced: memory and arithmetic are both busy.\n".to_owned(),
        (Some(Bound::Neither | Bound::Launch), _) => {
            "Neither: both have room, so work-items wait for answers, or there are too few of them.\n".to_owned()
        }
        (None, []) => String::new(),
        (None, open) => {
            let open = open.iter().map(|bound| bound.label()).collect::<Vec<_>>().join("; or ");
            format!("The intervals leave open what it waits for: {open}. A quieter machine or a larger --budget-ms tells.\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::device::DeviceInfo;
    use crate::model::AddedKind;
    use crate::study::{AddedCurve, AddedPoint, Diagnosis};

    #[test]
    fn a_test_is_told_in_words() {
        let curve = |kind, times: &[f64]| {
            let points = times.iter().enumerate().map(|(index, &time)| AddedPoint {
                per_pixel: f64::from(1 << index),
                time,
                low: time,
                high: time,
                busy: false,
            });
            AddedCurve { kind, points: points.collect(), failed: None }
        };
        let diagnosis =
            Diagnosis::of(vec![curve(AddedKind::Bytes, &[1.5, 2.0, 3.0]), curve(AddedKind::Integer, &[1.0, 1.0, 1.0, 1.0, 1.8, 3.4])]);
        let text = render(&diagnosis, None, &DeviceInfo::example());
        for part in [
            "The first bytes loaded per pixel cost time; in the end each costs 50.0 % of the kernel's time (",
            "Loads and stores are busy for 100 % of the kernel's own time (",
            "Up to 8.00 more integer operations per pixel cost less than 5 %; in the end each costs 10.0 % of the kernel's time (",
            "Memory-bound: up to 8.00 more operations per pixel are hidden behind the loads.",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
