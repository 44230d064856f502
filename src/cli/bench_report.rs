//! The tables of `kernel-ladder bench`: times, and speed-ups.

use super::table::{Align, Table};
use crate::cpu::CpuEngine;
use crate::device::DeviceInfo;
use crate::filters::Ladder;
use crate::measure::{Contender, Measured, Reading, ReadingState, Summary};

/// A row with its place in the ladder.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What was measured.
    pub reading: Reading,
    /// Index of the ladder's step.
    pub step: Option<usize>,
}

/// All rows of one picture size on one device, with the CPU competitors of the same run.
#[derive(Clone, Debug)]
pub struct Group {
    /// The device.
    pub device: DeviceInfo,
    /// CPU competitors.
    pub cpu: Vec<Entry>,
    /// Variants, in the order measured.
    pub entries: Vec<Entry>,
}

/// Both tables of each device, with a header that says what was measured where.
pub fn render(groups: &[Group], picture: &str, ladder: Option<&Ladder>) -> String {
    groups.iter().map(|group| format!("{}\n{}\n{}\n", header(group, picture), times(group, ladder), speed_ups(group, ladder))).collect()
}

fn header(group: &Group, picture: &str) -> String {
    let Some(first) = group.cpu.iter().chain(&group.entries).map(|entry| &entry.reading).next() else { return String::new() };
    let processors = group.cpu.iter().filter_map(|entry| match &entry.reading.contender {
        Contender::Cpu { engine, instructions } => Some(format!("{} {instructions}", engine.label())),
        Contender::Device { .. } => None,
    });
    let (width, height, channels, border) = (first.width_px, first.height_px, first.channels.name(), first.border.name());
    let info = &group.device;
    format!(
        "{}, {width} x {height} {channels}, border {border}, {picture}\n\
         Device {}: {}; {}, driver {}\n\
         CPU: {}; {}\n\
         kernel-ladder {}, {}\n",
        first.filter,
        info.index,
        info.label(),
        info.platform,
        info.driver_version,
        first.device,
        processors.collect::<Vec<_>>().join("; "),
        first.program_version,
        first.date,
    )
}

/// The step's title before the variant, where there is a ladder.
fn label(entry: &Entry, ladder: Option<&Ladder>) -> String {
    let step = ladder.zip(entry.step).and_then(|(ladder, index)| ladder.steps.get(index));
    step.map_or_else(|| entry.reading.label(), |step| format!("{}: {}", step.label, entry.reading.label()))
}

fn times(group: &Group, ladder: Option<&Ladder>) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("Milliseconds", Align::Left),
        ("kernel time", right),
        ("quartiles", right),
        ("n", right),
        ("GB/s", right),
        ("upload", right),
        ("read-back", right),
        ("round trip", right),
        ("check", Align::Left),
    ]);
    for entry in group.cpu.iter().chain(&group.entries) {
        let label = label(entry, ladder);
        match &entry.reading.state {
            ReadingState::Measured(measured) => table.row(time_cells(label, measured)),
            ReadingState::Unsupported(reason) => table.sentence(label, format!("unsupported: {reason}")),
            ReadingState::Skipped(reason) => table.sentence(label, format!("skipped: {reason}")),
            ReadingState::Failed(reason) => table.sentence(label, format!("failed: {reason}")),
        }
    }
    table.render()
}

fn time_cells(label: String, measured: &Measured) -> Vec<String> {
    let median = |summary: &Option<Summary>| summary.as_ref().map_or_else(|| "-".to_owned(), |summary| milliseconds(summary.median_ns));
    let kernel = measured.kernel.as_ref();
    let quartiles = |kernel: &Summary| format!("{}-{}", milliseconds(kernel.lower_quartile_ns), milliseconds(kernel.upper_quartile_ns));
    vec![
        label,
        kernel.map_or_else(|| "invalid".to_owned(), |kernel| milliseconds(kernel.median_ns)),
        kernel.map_or_else(|| "-".to_owned(), quartiles),
        kernel.map_or_else(|| "-".to_owned(), |kernel| kernel.count.to_string()),
        measured.gb_per_s().map_or_else(|| "-".to_owned(), significant),
        median(&measured.upload),
        median(&measured.readback),
        milliseconds(measured.round_trip.median_ns),
        remarks(measured),
    ]
}

/// The check, and whatever should keep one from trusting the figures.
fn remarks(measured: &Measured) -> String {
    let mut remarks = vec![measured.verification.label()];
    if measured.kernel.is_none() {
        remarks.push("the driver's timestamps are invalid".to_owned());
    }
    if measured.busy {
        remarks.push("BUSY: other work disturbed this".to_owned());
    } else if measured.discarded_share > 0.0 {
        remarks.push(format!("{:.0} % discarded as disturbed", 100.0 * measured.discarded_share));
    }
    if measured.warm_cache {
        remarks.push("warm cache".to_owned());
    }
    remarks.join(", ")
}

fn speed_ups(group: &Group, ladder: Option<&Ladder>) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("Speed-up of the kernel time over", Align::Left),
        ("CPU scalar", right),
        ("CPU SIMD", right),
        ("CPU SIMD all cores", right),
        ("first row", right),
        ("published", Align::Left),
    ]);
    let competitors = CpuEngine::ALL.map(|engine| {
        let is_it = |entry: &&Entry| matches!(entry.reading.contender, Contender::Cpu { engine: own, .. } if own == engine);
        group.cpu.iter().find(is_it).and_then(kernel_ns)
    });
    let first = group.entries.first().and_then(kernel_ns);
    for entry in &group.entries {
        let own = kernel_ns(entry);
        let over = |base: Option<f64>| match (base, own) {
            (Some(base), Some(own)) if own > 0.0 => format!("x{}", significant(base / own)),
            _ => "-".to_owned(),
        };
        let mut cells = vec![label(entry, ladder)];
        cells.extend(competitors.iter().chain([&first]).map(|base| over(*base)));
        cells.push(published(entry, ladder));
        table.row(cells);
    }
    let source = ladder.filter(|ladder| !ladder.sizes.is_empty()).map(|ladder| format!("Published: {}\n", ladder.source));
    table.render() + &source.unwrap_or_default()
}

/// The published figure of the entry's step at its picture size, with what it is against where that is not the first row.
fn published(entry: &Entry, ladder: Option<&Ladder>) -> String {
    let Some((ladder, index)) = ladder.zip(entry.step) else { return String::new() };
    let size = (entry.reading.width_px, entry.reading.height_px);
    let place = ladder.sizes.iter().position(|published| *published == size);
    let figure = place.zip(ladder.steps.get(index)).and_then(|(place, step)| step.published.get(place));
    match figure {
        None => String::new(),
        Some(figure) if index == 0 => format!("x{figure} over the study's CPU"),
        Some(figure) => format!("x{figure} over its first step"),
    }
}

fn kernel_ns(entry: &Entry) -> Option<f64> {
    entry.reading.measured().and_then(|measured| measured.kernel.as_ref()).map(|kernel| kernel.median_ns)
}

fn milliseconds(ns: f64) -> String {
    significant(ns / 1e6)
}

/// Three significant digits, and never fewer than the whole number has.
fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        magnitude if magnitude >= 99.95 => 0,
        magnitude if magnitude >= 9.995 => 1,
        magnitude if magnitude >= 0.9995 => 2,
        magnitude if magnitude >= 0.099_95 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::{Entry, Group, render, significant};
    use crate::cpu::CpuEngine;
    use crate::device::{DeviceInfo, DeviceKind, LocalSize};
    use crate::filters;
    use crate::image::{BorderMode, Channels};
    use crate::measure::{BuildFrom, Contender, Measured, Reading, ReadingState, Summary, Verification};

    fn info() -> DeviceInfo {
        DeviceInfo {
            index: 0,
            platform: "A platform".into(),
            platform_version: String::new(),
            name: "A device".into(),
            vendor: String::new(),
            driver_version: "1.2".into(),
            opencl_version: String::new(),
            opencl_c_version: String::new(),
            kind: DeviceKind::Gpu,
            compute_units: 4,
            clock_mhz: 0,
            max_work_group_size: 256,
            max_work_item_sizes: [256; 3],
            local_mem_bytes: 0,
            local_mem_is_dedicated: true,
            global_mem_bytes: 0,
            max_alloc_bytes: 0,
            base_align_bytes: 128,
            timer_resolution_ns: 1,
            max_image_px: None,
            has_fp16: false,
            has_unified_memory: false,
            extensions: Vec::new(),
        }
    }

    fn entry(contender: Contender, step: Option<usize>, kernel_ns: u64) -> Entry {
        let verification = Verification { differing_pixels: 0, total_pixels: 1, max_difference: 0, first_differing: None, tolerance: 0 };
        let state = ReadingState::Measured(Box::new(Measured {
            kernel: Summary::of(vec![kernel_ns]),
            upload: None,
            readback: None,
            round_trip: Summary::of(vec![2 * kernel_ns]).expect("a sample"),
            build_ns: None,
            build_from: BuildFrom::Nothing,
            bytes_moved: kernel_ns * 3,
            verification,
            discarded_share: 0.0,
            warm_cache: false,
            busy: false,
        }));
        let reading = Reading {
            filter: "laplace".into(),
            contender,
            device: "A processor".into(),
            driver: String::new(),
            program_version: "0.1.0".into(),
            width_px: 2560,
            height_px: 1600,
            channels: Channels::Rgb,
            border: BorderMode::Copy,
            date: "2026-01-02T03:04:05Z".into(),
            state,
        };
        Entry { reading, step }
    }

    fn group() -> Group {
        let ladder = &filters::by_name("laplace").expect("laplace").ladders[0];
        let cpu = |engine, ns| entry(Contender::Cpu { engine, instructions: "AVX2".into() }, None, ns);
        let step = |index: usize, ns| {
            let contender = Contender::Device { variant: ladder.steps[index].variant(), local: LocalSize::Driver, local_used: None };
            entry(contender, Some(index), ns)
        };
        Group {
            device: info(),
            cpu: vec![cpu(CpuEngine::Scalar, 80_000_000), cpu(CpuEngine::Simd, 8_000_000), cpu(CpuEngine::Threads, 4_000_000)],
            entries: vec![step(0, 10_000_000), step(1, 2_000_000)],
        }
    }

    fn line_of<'a>(text: &'a str, start: &str, nth: usize) -> Vec<&'a str> {
        text.lines().filter(|line| line.starts_with(start)).nth(nth).expect(start).split_whitespace().collect()
    }

    #[test]
    fn speed_ups_are_against_each_competitor_and_the_first_row() {
        let ladder = &filters::by_name("laplace").expect("laplace").ladders[0];
        let text = render(&[group()], "generated picture", Some(ladder));
        // 80, 8 and 4 ms over 2 ms; the first row's 10 ms over 2 ms; ×1.3 at 2560 × 1600.
        let line = line_of(&text, "1 Vectorize", 1);
        assert_eq!(line[3..], ["x40.0", "x4.00", "x2.00", "x5.00", "x1.3", "over", "its", "first", "step"], "{text}");
        let original = line_of(&text, "Original", 1);
        assert_eq!(original[2..], ["x8.00", "x0.800", "x0.400", "x1.00", "x0.7", "over", "the", "study's", "CPU"], "{text}");
    }

    #[test]
    fn rows_without_figures_say_why() {
        let mut group = group();
        group.entries[1].reading.state = ReadingState::Unsupported("too large".into());
        let text = render(&[group], "generated picture", None);
        assert!(text.contains("padded+vectorize=5  unsupported: too large"), "{text}");
        assert_eq!(line_of(&text, "padded", 1)[1..], ["-", "-", "-", "-"]);
    }

    #[test]
    fn times_have_spread_and_bandwidth() {
        let text = render(&[group()], "generated picture", None);
        assert_eq!(line_of(&text, "naive", 0), ["naive", "10.0", "10.0-10.0", "1", "3.00", "-", "-", "20.0", "bit-exact"], "{text}");
        assert!(text.contains("Device 0: A device (GPU, 4 units); A platform, driver 1.2"), "{text}");
    }

    #[test]
    fn figures_have_three_significant_digits() {
        let figures = [1234.4, 99.96, 12.34, 9.999, 1.0, 0.9996, 0.5, 0.0516, 0.0];
        let texts = ["1234", "100", "12.3", "10.0", "1.00", "1.00", "0.500", "0.0516", "0.0000"];
        for (value, text) in figures.into_iter().zip(texts) {
            assert_eq!(significant(value), text);
        }
    }
}
