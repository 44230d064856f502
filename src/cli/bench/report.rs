//! The tables of `kernel-ladder bench`: times, speed-ups over the CPU, comparisons; JSON.

use super::ladder_table;
use super::planning::Place;
use crate::cli::devices::device_line;
use base::error::Result;
use base::texts::{Words, failed, filled, in_english, joined, text};
use engine::Compared;
use engine::compiled::CodeComparison;
use engine::device::DeviceInfo;
use kernels::filters;
use model::measure::{self, Places, Verdict};
use model::{Contender, CpuEngine, Labelled, Measured, Record, RoofKind, Roofs, Shares, Summary};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;
use study::claims::with_remarks;
use study::experiment::PutToTest;
use study::why::{self, Facts, Reason};
use view::plot::units;
use view::story::{self, Cell, Column, Kind, Row, Table, Unit, said};

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
    let cpu = (!engines.is_empty()).then(|| filled("tables.bench.cpu", &[("device", &first.machine.label()), ("engines", &engines)]));
    let version = filled("tables.bench.version", &[("version", &version), ("date", &first.date)]);
    let mut lines = vec![filled("tables.bench.head", &computed), device_line(&group.device)];
    lines.extend(cpu);
    lines.push(version);
    lines.join("\n") + "\n"
}

fn times(group: &Group) -> String {
    let copy = group.roofs.as_ref().and_then(|roofs| roofs.rate(RoofKind::Copy));
    let entries: Vec<&Entry> = group.cpu.iter().chain(&group.entries).collect();
    let measured = |index: usize| entries.get(index).and_then(|entry| entry.reading.measured());
    let mut table = Table::headed("times", [(Kind::Words, "tables.bench.milliseconds")]);
    for entry in &entries {
        let label = Cell::of(&entry.label());
        table.row(match (entry.reading.measured(), entry.why_not()) {
            (Some(_), _) => [label].into(),
            (None, why) => Row::Instead(label, why.unwrap_or_default().into()),
        });
    }
    let mut add = |column, cell: &dyn Fn(&Measured) -> Cell| table.add(column, |index| measured(index).map_or(Cell::Empty, cell));
    let [words, number] = [Kind::Words, Kind::Number].map(|kind| move |head| Column::new(head, kind, head));
    let median = |summary: &Option<Summary>| Cell::number(summary.as_ref().map(|summary| summary.median_ns), Unit::Milliseconds);
    add(number("tables.bench.kernel-time"), &|measured| match &measured.kernel {
        None => Cell::of(&text("tables.bench.invalid")),
        kernel => median(kernel),
    });
    let quartiles = |kernel: &Summary| {
        let [lower, upper] = [kernel.lower_quartile_ns, kernel.upper_quartile_ns].map(|ns| Unit::Milliseconds.text(ns));
        format!("{lower}-{upper}")
    };
    add(number("tables.bench.quartiles"), &|measured| Cell::or_missing(measured.kernel.as_ref().map(quartiles)));
    add(number("n"), &|measured| Cell::number(measured.kernel.as_ref().map(|kernel| kernel.count as f64), Unit::Count));
    let figure = |figure: Option<f64>| Cell::or_missing(figure.map(significant));
    let rate = |copy| said(|| filled("tables.bench.rate", &[("copy", &significant(copy))]));
    let bandwidth = Column::headed("bandwidth", Kind::Number, copy.map_or_else(|| "GB/s".into(), rate));
    add(bandwidth, &|measured| figure(measured.gb_per_s()));
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let of_memory = |shares: &Shares| {
        let memory = percent(shares.memory);
        if shares.is_cached { filled("tables.bench.of-cache", &[("share", &memory)]) } else { memory }
    };
    if copy.is_some() {
        add(number("tables.bench.of-copy"), &|measured| Cell::or_missing(measured.roofline.as_ref().map(of_memory)));
    }
    if group.entries.iter().any(|entry| entry.reading.measured().is_some_and(|measured| measured.counts.is_some())) {
        add(number("tables.bench.loads"), &|measured| figure(measured.counts.map(|counts| counts.loads)));
        add(number("tables.bench.stores"), &|measured| figure(measured.counts.map(|counts| counts.stores)));
    }
    add(number("tables.bench.upload"), &|measured| median(&measured.round_trip.upload));
    add(number("tables.bench.read-back"), &|measured| median(&measured.round_trip.readback));
    add(number("tables.bench.round-trip"), &|measured| Cell::Number(measured.round_trip.total.median_ns, Unit::Milliseconds));
    if copy.is_some() {
        let of_arithmetic = |shares: Shares| shares.arithmetic.map(percent);
        add(number("tables.bench.of-arithmetic"), &|measured| Cell::or_missing(measured.roofline.and_then(of_arithmetic)));
        let bound = |shares: Shares| Cell::of(&shares.bound.label());
        add(words("tables.bench.bound-by"), &|measured| measured.roofline.map_or(Cell::Empty, bound));
    }
    add(words("tables.bench.check"), &|measured| Cell::of(&measured.remarks()));
    let legend = group.roofs.as_ref().filter(|_| copy.is_some()).map_or_else(String::new, |roofs| roofs_legend(roofs));
    story::text::table(&table) + &legend
}

/// What the columns of shares mean.
fn roofs_legend(roofs: &Roofs) -> String {
    let bound = filled("tables.bench.legend-bound", &[("date", &roofs.date)]);
    format!("{}\n{}\n", text("tables.bench.legend-copy"), units::with_note(&bound, roofs.is_busy()))
}

fn speed_ups(group: &Group) -> String {
    let engines = CpuEngine::ALL.map(|engine| Column::headed(engine.name(), Kind::Number, engine.label().into()));
    let mut table = Table::headed("speed-ups", [(Kind::Words, "tables.bench.speed-up-over")]);
    table.columns.extend(engines.into_iter().chain([Column::new("first", Kind::Number, "tables.bench.first-row")]));
    let competitors = CpuEngine::ALL.map(|engine| group.cpu(engine));
    for (index, entry) in group.entries.iter().enumerate() {
        // The first row over itself says nothing.
        let first = group.first().filter(|_| index > 0);
        // From separate runs, with what their quartiles leave open.
        let over = |base: Option<&Summary>| measure::compare_spreads(base?, entry.reading.kernel()?);
        let cell = |base| over(base).map_or(Cell::Missing, |compared| Cell::ratio(&compared));
        table.row(std::iter::once(Cell::of(&entry.label())).chain(competitors.into_iter().chain([first]).map(cell)).collect::<Vec<_>>());
    }
    format!("{}{}\n", story::text::table(&table), text("tables.bench.separate"))
}

/// What interleaved pairs say; empty where nothing was compared.
fn compared(group: &Group) -> String {
    let heads = [
        (Kind::Words, "tables.bench.interleaved"),
        (Kind::Words, "tables.bench.verdict"),
        (Kind::Number, "tables.bench.speed-up"),
        (Kind::Number, "tables.bench.pairs"),
    ];
    let mut table = Table::headed("compared", heads);
    for (entry, compared) in group.entries.iter().filter_map(|entry| Some((entry, entry.compared.as_ref()?))) {
        let label = Cell::of(&entry.label());
        table.row(match compared {
            Ok(compared) => {
                let code = compared.code.as_ref().filter(|code| code.is_same_code()).map(CodeComparison::label);
                let busy = compared.busy.then(|| text("tables.busy").to_owned());
                let one_run = compared.comparison.one_run().map(str::to_owned);
                let verdict = with_remarks(compared.comparison.verdict.label(), code.into_iter().chain(one_run).chain(busy));
                [label, Cell::of(&verdict), Cell::ratio(&compared.comparison), Cell::count(compared.pairs.len())].into()
            }
            Err(error) => Row::Instead(label, Words::of(error)),
        });
    }
    if table.rows().next().is_some() { story::text::table(&table) + "\n" } else { String::new() }
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
