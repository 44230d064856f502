//! The tables of `kernel-ladder bench`: times, speed-ups over the CPU, comparisons; JSON.

use super::ladder_table;
use super::planning::Place;
use crate::cli::table::{Align, Table};
use crate::cpu::CpuEngine;
use crate::device::DeviceInfo;
use crate::engine::Compared;
use crate::error::{Error, Result};
use crate::filters;
use crate::launch::Counts;
use crate::measure::{self, Comparison, Contender, Measured, Reading, ReadingState, Summary};
use serde_json::{Value, json};

/// A row with its place in the ladder.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What was measured.
    pub reading: Reading,
    /// The ladder's step that it is.
    pub place: Option<Place>,
    /// How it compares with the row above, where that was asked.
    pub compared: Option<Result<Compared>>,
    /// How it compares with the step that the guide compares it with, where the guide does.
    pub tested: Option<Result<Compared>>,
}

impl Entry {
    /// A row on its own.
    pub fn of(reading: Reading) -> Self {
        Self { reading, place: None, compared: None, tested: None }
    }

    /// The step's title before the variant, where there is a ladder.
    pub fn label(&self) -> String {
        let step = self.place.and_then(|place| place.step());
        step.map_or_else(|| self.reading.label(), |step| format!("{}: {}", step.label, self.reading.label()))
    }

    /// Median of the kernel times.
    pub fn kernel_ns(&self) -> Option<f64> {
        self.reading.measured().and_then(|measured| measured.kernel.as_ref()).map(|kernel| kernel.median_ns)
    }

    /// Why there are no figures.
    pub fn why_not(&self) -> Option<String> {
        match &self.reading.state {
            ReadingState::Measured(_) => None,
            ReadingState::Unsupported(reason) => Some(format!("unsupported: {reason}")),
            ReadingState::Skipped(reason) => Some(format!("skipped: {reason}")),
            ReadingState::Failed(reason) => Some(format!("failed: {reason}")),
        }
    }
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

impl Group {
    /// A competitor's median time.
    pub fn cpu_ns(&self, engine: CpuEngine) -> Option<f64> {
        let is_it = |entry: &&Entry| matches!(entry.reading.contender, Contender::Cpu { engine: own, .. } if own == engine);
        self.cpu.iter().find(is_it).and_then(Entry::kernel_ns)
    }

    /// Median of the first variant.
    pub fn first_ns(&self) -> Option<f64> {
        self.entries.first().and_then(Entry::kernel_ns)
    }
}

/// All tables of each device, with a header that says what was measured where.
pub fn render(groups: &[Group], picture: &str) -> String {
    let tables = |group: &Group| {
        let [times, speed_ups, claims, compared] = [times(group), speed_ups(group), ladder_table::render(group), compared(group)];
        format!("{}\n{times}\n{speed_ups}\n{claims}{compared}", header(group, picture))
    };
    groups.iter().map(tables).collect()
}

fn header(group: &Group, picture: &str) -> String {
    let Some(first) = group.cpu.iter().chain(&group.entries).map(|entry| &entry.reading).next() else { return String::new() };
    let processors = group.cpu.iter().filter_map(|entry| match &entry.reading.contender {
        Contender::Cpu { engine, instructions } => Some(format!("{}: {instructions}", engine.label())),
        Contender::Device { .. } => None,
    });
    let (width, height, channels) = (first.width_px, first.height_px, first.channels.name());
    let border = filters::border_words(&first.filter, ", ", first.border);
    let info = &group.device;
    format!(
        "{}, {width} x {height} {channels}{border}, {picture}\n\
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

fn times(group: &Group) -> String {
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
        match (entry.reading.measured(), entry.why_not()) {
            (Some(measured), _) => {
                let mut cells = time_cells(entry.label(), measured);
                if has_counts {
                    let cell = |count: fn(&Counts) -> f64| {
                        measured.counts.as_ref().map_or_else(|| "-".to_owned(), |counts| significant(count(counts)))
                    };
                    cells.splice(5..5, [cell(|counts| counts.loads), cell(|counts| counts.stores)]);
                }
                table.row(cells);
            }
            (None, reason) => table.sentence(entry.label(), reason.unwrap_or_default()),
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

fn speed_ups(group: &Group) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("Speed-up of the kernel time over", Align::Left),
        ("CPU scalar", right),
        ("CPU SIMD", right),
        ("CPU SIMD all cores", right),
        ("first row", right),
    ]);
    let competitors = CpuEngine::ALL.map(|engine| group.cpu_ns(engine));
    let first = group.first_ns();
    for entry in &group.entries {
        let own = entry.kernel_ns();
        let over = |base: Option<f64>| match (base, own) {
            (Some(base), Some(own)) if own > 0.0 => format!("x{}", significant(base / own)),
            _ => "-".to_owned(),
        };
        let mut cells = vec![entry.label()];
        cells.extend(competitors.iter().chain([&first]).map(|base| over(*base)));
        table.row(cells);
    }
    table.render()
}

/// What interleaved pairs say; empty where nothing was compared.
fn compared(group: &Group) -> String {
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
            Some(Ok(compared)) => {
                let [ratio, interval, pairs] = comparison_cells(compared);
                let busy = if compared.busy { " (BUSY)" } else { "" };
                table.row(vec![entry.label(), format!("{}{busy}", compared.comparison.verdict.label()), ratio, interval, pairs]);
            }
            Some(Err(error)) => table.sentence(entry.label(), error.to_string()),
        }
    }
    if group.entries.iter().any(|entry| entry.compared.is_some()) { table.render() + "\n" } else { String::new() }
}

/// Ratio, interval and number of pairs.
pub fn comparison_cells(compared: &Compared) -> [String; 3] {
    let Comparison { ratio, low, high, .. } = compared.comparison;
    [format!("x{}", significant(ratio)), format!("{}-{}", significant(low), significant(high)), compared.pairs.to_string()]
}

/// The readings as [`measure::write_json`] writes them, each with its place in the ladder, what its comparison said and what became of the claim.
///
/// # Errors
/// Never for readings that this program made.
pub fn as_json(entries: &[Entry]) -> Result<Value> {
    let readings: Vec<_> = entries.iter().map(|entry| entry.reading.clone()).collect();
    let mut bytes = Vec::new();
    measure::write_json(&readings, &mut bytes)?;
    let mut rows: Value = serde_json::from_slice(&bytes)
        .map_err(|error| Error::failed("The readings could not be written as JSON", error.to_string(), "this is a defect: report it"))?;
    for (row, entry) in rows.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut).zip(entries) {
        row.extend(entry.compared.as_ref().map(|compared| ("compared_with_row_above".to_owned(), comparison_as_json(compared))));
        row.extend(ladder_table::as_json(entry).map(|place| ("ladder".to_owned(), place)));
    }
    Ok(rows)
}

/// A comparison, or why there is none.
pub fn comparison_as_json(compared: &Result<Compared>) -> Value {
    match compared {
        Ok(Compared { comparison, pairs, busy }) => json!({
            "verdict": comparison.verdict.label(),
            "speed_up": comparison.ratio,
            "low": comparison.low,
            "high": comparison.high,
            "pairs": pairs,
            "busy": busy,
        }),
        Err(error) => json!({ "verdict": null, "reason": error.to_string() }),
    }
}

/// Nanoseconds as milliseconds.
pub fn milliseconds(ns: f64) -> String {
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
