//! The tables of `kernel-ladder bench`: times, speed-ups over the CPU, comparisons; JSON.

use super::ladder_table;
use super::planning::Place;
use crate::cli::devices::device_line;
use base::error::Result;
use base::texts::{failed, filled, in_english, joined, text};
use engine::Compared;
use engine::compiled::CodeComparison;
use engine::device::DeviceInfo;
use kernels::filters;
use model::measure::{self, Places, Verdict};
use model::{Contender, Counts, CpuEngine, Labelled, Measured, Record, RoofKind, Roofs, Shares, Summary};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;
use study::claims::with_remarks;
use study::experiment::PutToTest;
use study::why::{self, Facts, Reason};
use view::plot::units;
use view::story::columns::{Align, Table};

/// A row with its place in the ladder.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What was measured.
    pub reading: Record,
    /// The ladder's step that it is.
    pub place: Option<Place>,
    /// How it compares with the row above, where that was asked.
    pub compared: Option<Result<Compared>>,
    /// How it compares with the step that the guide compares it with, where the guide does.
    pub tested: Option<Result<Compared>>,
    /// Why the step does here what it does, where it was compared.
    pub why: Vec<Reason>,
    /// What was seen and the facts, where it is asked why it is none of the other rules.
    pub others: Option<(why::Seen, Facts)>,
    /// What experiments say of the reasons, where they were tested.
    pub proven: Option<Vec<PutToTest>>,
}

impl Entry {
    /// A row on its own.
    pub fn of(reading: Record) -> Self {
        Self { reading, place: None, compared: None, tested: None, why: Vec::new(), others: None, proven: None }
    }

    /// The step's title before the variant, where there is a ladder.
    pub fn label(&self) -> String {
        self.reading.titled(self.place.and_then(|place| place.title()))
    }

    /// Why there are no figures.
    pub fn why_not(&self) -> Option<String> {
        self.reading.outcome.why_not()
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
    /// What the device can do at most, where that was measured.
    pub roofs: Option<Arc<Roofs>>,
}

impl Group {
    /// A competitor's times.
    pub fn cpu(&self, engine: CpuEngine) -> Option<&Summary> {
        let is_it = |entry: &&Entry| matches!(entry.reading.contender, Contender::Cpu { engine: own, .. } if own == engine);
        self.cpu.iter().find(is_it).and_then(|entry| entry.reading.kernel())
    }

    /// Kernel times of the first variant.
    pub fn first(&self) -> Option<&Summary> {
        self.entries.first().and_then(|entry| entry.reading.kernel())
    }
}

/// "2.12× (1.92–3.77)": a speed-up from separate runs, with what their quartiles leave open.
pub fn speed_up_text(base: &Summary, own: &Summary) -> Option<String> {
    measure::compare_spreads(base, own).map(|compared| units::comparison(&compared))
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
        Contender::Cpu { engine, instructions } => {
            Some(filled("tables.bench.engine", &[("engine", &engine.label()), ("instructions", instructions)]))
        }
        Contender::Device { .. } => None,
    });
    let (width, height) = first.picture.size();
    let computed = filters::spec_text(&first.spec);
    let computed: [(&str, &dyn Display); 4] = [("computed", &computed), ("width", &width), ("height", &height), ("picture", &picture)];
    let engines = joined("words.list.clauses", processors);
    let version = &first.machine.program_version;
    // Its CPU competitors are several times slower than they should be.
    let is_debug = cfg!(debug_assertions);
    let version = if is_debug { filled("tables.bench.debug", &[("version", version)]) } else { version.clone() };
    let lines = [
        filled("tables.bench.head", &computed),
        device_line(&group.device),
        filled("tables.bench.cpu", &[("device", &first.machine.label()), ("engines", &engines)]),
        filled("tables.bench.version", &[("version", &version), ("date", &first.date)]),
    ];
    lines.join("\n") + "\n"
}

fn times(group: &Group) -> String {
    let right = Align::Right;
    let copy = group.roofs.as_ref().and_then(|roofs| roofs.rate(RoofKind::Copy));
    let bandwidth = copy.map_or_else(|| "GB/s".to_owned(), |copy| filled("tables.bench.rate", &[("copy", &significant(copy))]));
    let mut columns = vec![
        (text("tables.bench.milliseconds"), Align::Left),
        (text("tables.bench.kernel-time"), right),
        (text("tables.bench.quartiles"), right),
        ("n", right),
        (bandwidth.as_str(), right),
        (text("tables.bench.upload"), right),
        (text("tables.bench.read-back"), right),
        (text("tables.bench.round-trip"), right),
        (text("tables.bench.check"), Align::Left),
    ];
    let is_counted = |entry: &Entry| entry.reading.measured().is_some_and(|measured| measured.counts.is_some());
    let has_counts = group.entries.iter().any(is_counted);
    if has_counts {
        columns.splice(5..5, [(text("tables.bench.loads"), right), (text("tables.bench.stores"), right)]);
    }
    if copy.is_some() {
        columns.splice(5..5, [(text("tables.bench.of-copy"), right)]);
        columns.insert(columns.len() - 1, (text("tables.bench.of-arithmetic"), right));
        columns.insert(columns.len() - 1, (text("tables.bench.bound-by"), Align::Left));
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
                if copy.is_some() {
                    let [memory, arithmetic, bound] = share_cells(measured.roofline.as_ref());
                    cells.insert(5, memory);
                    cells.insert(cells.len() - 1, arithmetic);
                    cells.insert(cells.len() - 1, bound);
                }
                table.row(cells);
            }
            (None, reason) => table.sentence(entry.label(), reason.unwrap_or_default()),
        }
    }
    let legend = group.roofs.as_ref().filter(|_| copy.is_some()).map_or_else(String::new, |roofs| roofs_legend(roofs));
    table.render() + &legend
}

/// Of the memory's roof, of the arithmetic's, and what bounds.
fn share_cells(shares: Option<&Shares>) -> [String; 3] {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let none = || "-".to_owned();
    let Some(shares) = shares else { return [none(), none(), String::new()] };
    let memory = percent(shares.memory);
    let memory = if shares.is_cached { filled("tables.bench.of-cache", &[("share", &memory)]) } else { memory };
    [memory, shares.arithmetic.map_or_else(none, percent), shares.bound.label().to_owned()]
}

/// What the columns of shares mean.
fn roofs_legend(roofs: &Roofs) -> String {
    let bound = filled("tables.bench.legend-bound", &[("date", &roofs.date)]);
    format!("{}\n{}\n", text("tables.bench.legend-copy"), units::with_note(&bound, roofs.is_busy()))
}

fn time_cells(label: String, measured: &Measured) -> Vec<String> {
    let median = |summary: &Option<Summary>| summary.as_ref().map_or_else(|| "-".to_owned(), |summary| milliseconds(summary.median_ns));
    let kernel = measured.kernel.as_ref();
    let quartiles = |kernel: &Summary| format!("{}-{}", milliseconds(kernel.lower_quartile_ns), milliseconds(kernel.upper_quartile_ns));
    vec![
        label,
        kernel.map_or_else(|| text("tables.bench.invalid").to_owned(), |kernel| milliseconds(kernel.median_ns)),
        kernel.map_or_else(|| "-".to_owned(), quartiles),
        kernel.map_or_else(|| "-".to_owned(), |kernel| kernel.count.to_string()),
        measured.gb_per_s().map_or_else(|| "-".to_owned(), significant),
        median(&measured.round_trip.upload),
        median(&measured.round_trip.readback),
        milliseconds(measured.round_trip.total.median_ns),
        measured.remarks(),
    ]
}

fn speed_ups(group: &Group) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        (text("tables.bench.speed-up-over"), Align::Left),
        (CpuEngine::Scalar.label(), right),
        (CpuEngine::Simd.label(), right),
        (CpuEngine::Threads.label(), right),
        (text("tables.bench.first-row"), right),
    ]);
    let competitors = CpuEngine::ALL.map(|engine| group.cpu(engine));
    for (index, entry) in group.entries.iter().enumerate() {
        // The first row over itself says nothing.
        let first = group.first().filter(|_| index > 0);
        let over = |base: Option<&Summary>| base.and_then(|base| speed_up_text(base, entry.reading.kernel()?));
        let mut cells = vec![entry.label()];
        cells.extend(competitors.into_iter().chain([first]).map(|base| over(base).unwrap_or_else(|| "-".to_owned())));
        table.row(cells);
    }
    format!("{}{}\n", table.render(), text("tables.bench.separate"))
}

/// What interleaved pairs say; empty where nothing was compared.
fn compared(group: &Group) -> String {
    let mut table = Table::new(&[
        (text("tables.bench.interleaved"), Align::Left),
        (text("tables.bench.verdict"), Align::Left),
        (text("tables.bench.speed-up"), Align::Right),
        (text("tables.bench.pairs"), Align::Right),
    ]);
    for entry in &group.entries {
        match &entry.compared {
            None => {}
            Some(Ok(compared)) => {
                let [ratio, pairs] = comparison_cells(compared);
                let code = compared.code.as_ref().filter(|code| code.is_same_code()).map(CodeComparison::label);
                let busy = compared.busy.then(|| text("tables.busy").to_owned());
                let one_run = compared.comparison.one_run().map(str::to_owned);
                let verdict = with_remarks(compared.comparison.verdict.label(), code.into_iter().chain(one_run).chain(busy));
                table.row(vec![entry.label(), verdict, ratio, pairs]);
            }
            Some(Err(error)) => table.sentence(entry.label(), error.to_string()),
        }
    }
    if group.entries.iter().any(|entry| entry.compared.is_some()) { table.render() + "\n" } else { String::new() }
}

/// The ratio with its interval, and the number of pairs.
pub fn comparison_cells(compared: &Compared) -> [String; 2] {
    [units::comparison(&compared.comparison), compared.pairs.len().to_string()]
}

/// An entry as rows of JSON and CSV have it: the record, and what was asked beside it.
#[derive(Serialize)]
pub struct ExportRow {
    #[serde(flatten)]
    record: Map<String, Value>,
    ladder: Option<ladder_table::LadderCells>,
    compared_with_row_above: Option<ComparisonCells>,
}

/// What interleaved pairs said, or why there is nothing to say.
#[derive(Serialize)]
pub struct ComparisonCells {
    verdict: Option<Verdict>,
    reason: Option<String>,
    speed_up: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    pairs: Option<usize>,
    /// In how many processes these were taken.
    starts: Option<usize>,
    places: Option<Places>,
    busy: Option<bool>,
    /// How their compiled code compares.
    code: Option<String>,
}

impl ComparisonCells {
    /// Of a comparison, or of why there is none.
    pub fn of(compared: &Result<Compared>) -> Self {
        let there = compared.as_ref().ok();
        let comparison = there.map(|compared| compared.comparison);
        Self {
            verdict: comparison.map(|comparison| comparison.verdict),
            reason: compared.as_ref().err().map(ToString::to_string),
            speed_up: comparison.map(|comparison| comparison.ratio),
            low: comparison.map(|comparison| comparison.low),
            high: comparison.map(|comparison| comparison.high),
            pairs: there.map(|compared| compared.pairs.len()),
            starts: comparison.map(|comparison| comparison.starts),
            places: there.map(|compared| compared.places),
            busy: there.map(|compared| compared.busy),
            code: there.and_then(|compared| compared.code.as_ref()).map(CodeComparison::label),
        }
    }
}

impl ExportRow {
    /// Of an entry.
    ///
    /// # Errors
    /// Never for plain data.
    pub fn of(entry: &Entry) -> Result<Self> {
        Ok(Self {
            record: measure::with_derived(&entry.reading)?,
            ladder: ladder_table::LadderCells::of(entry),
            compared_with_row_above: entry.compared.as_ref().map(ComparisonCells::of),
        })
    }
}

/// All entries for programs.
///
/// # Errors
/// Never for plain data.
pub fn as_json(entries: &[Entry]) -> Result<Value> {
    let rows = entries.iter().map(ExportRow::of).collect::<Result<Vec<_>>>()?;
    serde_json::to_value(rows).map_err(|error| failed("errors.cli.readings", &[("why", &error)]))
}

/// All entries as comma-separated values, in English.
///
/// # Errors
/// When `to` cannot be written.
pub fn write_csv(entries: &[Entry], to: impl Write) -> Result<()> {
    let rows = in_english(|| entries.iter().map(|entry| measure::flat(&ExportRow::of(entry)?)).collect::<Result<Vec<_>>>())?;
    measure::write_rows(&rows, to)
}

pub use view::plot::units::significant;

/// Nanoseconds as milliseconds.
pub fn milliseconds(ns: f64) -> String {
    significant(ns / 1e6)
}
