//! `kernel-ladder bottleneck`.

use super::arguments::{self, StudyArguments};
use super::bench::significant;
use super::devices::device_line;
use super::output;
use super::studying::{self, GeneratedArguments};
use crate::device::DeviceInfo;
use crate::engine::Backend;
use crate::error::Result;
use crate::filters;
use crate::model::{Channels, HostMemory};
use crate::story::columns::{Align, Table};
use crate::study::{self, AddedCurve, AddedPoint, Bottleneck, Diagnosis, Probe, telling};
use crate::texts::{failed, filled, text};
use clap::Args;
use serde_json::json;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  kernel-ladder bottleneck coalesced+padded+access=int4 --filter copy --size 7680x4320

The test adds more and more work of one kind to the kernel: bytes loaded from a separate buffer, integer additions, float multiply-adds. The output stays \
the same and is verified each time. A resource that is not busy absorbs the first additions free; this identifies the limit.")]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,
    #[command(flatten)]
    generated: GeneratedArguments,
}

/// Tests a variant, and prints time against added work and what follows.
///
/// # Errors
/// Usage errors; failed where there is no device, or nothing could be compared.
pub fn run(arguments: &Arguments, backend: &mut dyn Backend) -> Result<()> {
    let found = arguments::devices(backend)?;
    let (info, spec, setting) = arguments.study.checked(&found, Channels::Rgb)?;
    let picture = arguments.generated.picture(setting.channels);
    let (width, height) = picture.size();
    let task = arguments.study.task(spec, picture, HostMemory::Copy);
    let findings = studying::findings(Bottleneck::new(task.clone()), arguments.study.budget(), backend, about)?;
    let diagnosis = Diagnosis::of(AddedCurve::all(&findings, &task));
    let is_made = diagnosis.is_changed() || diagnosis.curves.iter().any(|curve| !curve.points.is_empty());
    let frame = study::largest_frame(&diagnosis.curves);
    if arguments.study.json {
        let busy = diagnosis.endings.iter().map(|ending| ending.busy_share).collect::<Vec<_>>();
        output::print_json(|| {
            json!({
                "spec": task.spec,
                "variant": arguments.study.variant.to_string(),
                "device": info.name,
                "width_px": width,
                "height_px": height,
                "frame": frame,
                "changed": diagnosis.is_changed(),
                "curves": diagnosis.curves,
                "busy_shares": busy,
                "bound": diagnosis.bound,
                "open": diagnosis.open,
            })
        })?;
    }
    if !is_made {
        let why = diagnosis.curves.iter().find_map(|curve| curve.failed.as_ref()).map(ToString::to_string).unwrap_or_default();
        return Err(failed("errors.bottleneck.not-made", &[("why", &why)]));
    }
    if arguments.study.json {
        return Ok(());
    }
    let head = format!("{}, {width} x {height}, {}\n", filters::spec_text(&task.spec), arguments.study.variant);
    output::print(&(head + &render(&diagnosis, frame, info)))
}

/// What is added: "8 more bytes loaded".
fn about(probe: &Probe) -> String {
    match probe {
        Probe::Compare(_, task) | Probe::CompareCached(_, task) => task.text.added().map_or_else(String::new, |added| {
            filled("tables.bottleneck.more", &[("amount", &added.per_pixel), ("unit", &added.kind.unit())])
        }),
        Probe::Measure(_) | Probe::Glance(_) | Probe::Code(_) | Probe::Roofs(_) => String::new(),
    }
}

fn render(diagnosis: &Diagnosis, frame: Option<AddedPoint>, info: &DeviceInfo) -> String {
    let mut told = device_line(info);
    let (left, right) = (Align::Left, Align::Right);
    let mut table = Table::new(&[
        (text("tables.bottleneck.added"), right),
        ("", left),
        (text("tables.bottleneck.time"), right),
        (text("tables.bench.interval"), right),
        ("", left),
    ]);
    for curve in &diagnosis.curves {
        for point in &curve.points {
            let interval = format!("{}-{}", significant(point.low), significant(point.high));
            let busy = if point.busy { text("tables.busy-about") } else { "" };
            let time = format!("x{}", significant(point.time));
            table.row(vec![significant(point.per_pixel), curve.kind.unit().to_owned(), time, interval, busy.to_owned()]);
        }
    }
    if diagnosis.curves.iter().any(|curve| !curve.points.is_empty()) {
        told.extend(["\n\n", &table.render(), text("tables.bottleneck.about")]);
    }
    told.push_str("\n\n");
    for line in telling::curve_sentences(diagnosis) {
        told.extend([line.as_str(), "\n"]);
    }
    if let Some(frame) = frame {
        told.extend([telling::frame_sentence(&frame).as_str(), "\n"]);
    }
    if let Some(conclusion) = telling::conclusion(diagnosis) {
        told.extend(["\n", conclusion.as_str(), "\n"]);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::device::DeviceInfo;
    use crate::model::AddedKind;
    use crate::study::Diagnosis;
    use crate::testing::curves::curve;

    #[test]
    fn a_test_is_told_in_words() {
        let diagnosis =
            Diagnosis::of(vec![curve(AddedKind::Bytes, &[1.5, 2.0, 3.0]), curve(AddedKind::Integer, &[1.0, 1.0, 1.0, 1.0, 1.8, 3.4])]);
        let text = render(&diagnosis, None, &DeviceInfo::example());
        for part in [
            "Even a few bytes loaded per pixel slow it; beyond that, each costs 50 % of the kernel time (",
            "Loads and stores are busy for 100 % of the original kernel time (",
            "Up to 8 more integer operations per pixel cost less than 5 %; beyond that, each costs 10 % of the kernel time (",
            "Memory-bound: up to 8 more operations per pixel are hidden behind the loads",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
