//! The tables of `kernel-ladder bench`: times, and speed-ups.

use crate::cli::table::{Align, Table};
use crate::cpu::CpuEngine;
use crate::device::DeviceInfo;
use crate::engine::Compared;
use crate::error::{Error, Result};
use crate::filters::Ladder;
use crate::launch::Counts;
use crate::measure::{self, Contender, Measured, Reading, ReadingState, Summary};
use serde_json::{Value, json};

/// A row with its place in the ladder.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What was measured.
    pub reading: Reading,
    /// Index of the ladder's step.
    pub step: Option<usize>,
    /// How it compares with the row above, where that was asked.
    pub compared: Option<Result<Compared>>,
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
    let tables = |group: &Group| {
        let [times, speed_ups, compared] = [times(group, ladder), speed_ups(group, ladder), compared(group, ladder)];
        format!("{}\n{times}\n{speed_ups}\n{compared}", header(group, picture))
    };
    groups.iter().map(tables).collect()
}

fn header(group: &Group, picture: &str) -> String {
    let Some(first) = group.cpu.iter().chain(&group.entries).map(|entry| &entry.reading).next() else { return String::new() };
    let processors = group.cpu.iter().filter_map(|entry| match &entry.reading.contender {
        Contender::Cpu { engine, instructions } => Some(format!("{}: {instructions}", engine.label())),
        Contender::Device { .. } => None,
    });
    let (width, height, channels, border) = (first.width_px, first.height_px, first.channels.name(), first.border.name());
    let info = &group.device;
    format!(
        "{}, {width} x {height} {channels}, border {border}, {picture}\n\
         Device {}: {}; {}, driver {}\n\
         CPU: {}; {}\n\
         kernel-ladder {}{}, {}\n",
        first.filter,
        info.index,
        info.label(),
        info.platform,
        info.driver_version,
        first.device,
        processors.collect::<Vec<_>>().join("; "),
        first.program_version,
        // Its CPU competitors are several times slower than they should be.
        if cfg!(debug_assertions) { " (DEBUG BUILD: do not quote CPU figures)" } else { "" },
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
    let mut columns = vec![
        ("Milliseconds", Align::Left),
        ("kernel time", right),
        ("quartiles", right),
        ("n", right),
        ("GB/s", right),
        ("upload", right),
        ("read-back", right),
        ("round trip", right),
        ("check", Align::Left),
    ];
    let is_counted = |entry: &Entry| entry.reading.measured().is_some_and(|measured| measured.counts.is_some());
    let has_counts = group.entries.iter().any(is_counted);
    if has_counts {
        columns.splice(5..5, [("loads/pixel", right), ("stores/pixel", right)]);
    }
    let mut table = Table::new(&columns);
    for entry in group.cpu.iter().chain(&group.entries) {
        let label = label(entry, ladder);
        match &entry.reading.state {
            ReadingState::Measured(measured) => {
                let mut cells = time_cells(label, measured);
                if has_counts {
                    let cell = |count: fn(&Counts) -> f64| {
                        measured.counts.as_ref().map_or_else(|| "-".to_owned(), |counts| significant(count(counts)))
                    };
                    cells.splice(5..5, [cell(|counts| counts.loads), cell(|counts| counts.stores)]);
                }
                table.row(cells);
            }
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

/// What interleaved pairs say; empty where nothing was compared.
fn compared(group: &Group, ladder: Option<&Ladder>) -> String {
    let mut table = Table::new(&[
        ("Interleaved pairs with the row above", Align::Left),
        ("verdict", Align::Left),
        ("speed-up", Align::Right),
        ("95 % interval", Align::Right),
        ("pairs", Align::Right),
    ]);
    for entry in &group.entries {
        match &entry.compared {
            None => {}
            Some(Ok(Compared { comparison, pairs, busy })) => table.row(vec![
                label(entry, ladder),
                format!("{}{}", comparison.verdict.label(), if *busy { " (BUSY)" } else { "" }),
                format!("x{}", significant(comparison.ratio)),
                format!("{}-{}", significant(comparison.low), significant(comparison.high)),
                pairs.to_string(),
            ]),
            Some(Err(error)) => table.sentence(label(entry, ladder), error.to_string()),
        }
    }
    if group.entries.iter().any(|entry| entry.compared.is_some()) { table.render() + "\n" } else { String::new() }
}

/// The readings as [`measure::write_json`] writes them, each with what its comparison said.
///
/// # Errors
/// Never for readings that this program made.
pub fn as_json(readings: &[Reading], compared: &[Option<Result<Compared>>]) -> Result<Value> {
    let mut bytes = Vec::new();
    measure::write_json(readings, &mut bytes)?;
    let mut rows: Value = serde_json::from_slice(&bytes)
        .map_err(|error| Error::failed("The readings could not be written as JSON", error.to_string(), "this is a defect: report it"))?;
    for (row, compared) in rows.as_array_mut().into_iter().flatten().zip(compared) {
        let value = match compared {
            None => continue,
            Some(Ok(Compared { comparison, pairs, busy })) => json!({
                "verdict": comparison.verdict.label(),
                "speed_up": comparison.ratio,
                "low": comparison.low,
                "high": comparison.high,
                "pairs": pairs,
                "busy": busy,
            }),
            Some(Err(error)) => json!({ "verdict": null, "reason": error.to_string() }),
        };
        if let Some(row) = row.as_object_mut() {
            row.insert("compared_with_row_above".to_owned(), value);
        }
    }
    Ok(rows)
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
pub fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        magnitude if magnitude >= 99.95 => 0,
        magnitude if magnitude >= 9.995 => 1,
        magnitude if magnitude >= 0.9995 => 2,
        magnitude if magnitude >= 0.099_95 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}
