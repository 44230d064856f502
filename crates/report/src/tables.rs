//! Figures as tables.

use super::subject::{Devices, Row, Subject};
use base::texts::{filled, joined, text};
use model::{CompiledKernel, Measured, Mix, Outcome, Record, Space, Summary};
use study::bundle::{Bundle, is_same_device};
use view::plot::units;
use view::story::Kind::{Number, Words};
use view::story::html::Page;
use view::story::{Cell, Table, Unit};

/// The devices with their drivers, and what there is of each.
pub fn devices(bundle: &Bundle, devices: &Devices<'_>, page: &mut Page) {
    page.section("devices", text("report.devices.title"));
    let heads = [
        (Words, "report.device"),
        (Words, "report.devices.name"),
        (Words, "report.devices.kind"),
        (Number, "report.devices.units"),
        (Words, "report.devices.driver"),
        (Words, "report.devices.version"),
        (Number, "report.devices.readings"),
        (Words, "report.devices.dates"),
    ];
    let mut table = Table::headed("devices", heads).captioned(text("report.devices.caption"));
    for (info, name) in devices.all() {
        let own = || bundle.devices().filter(|(_, device)| is_same_device(&device.device, info)).flat_map(|(_, device)| &device.readings);
        let records = || own().map(|reading| &reading.record);
        let mut versions: Vec<&str> = records().map(|record| record.machine.program_version.as_str()).collect();
        versions.sort_unstable();
        versions.dedup();
        let dates = || records().map(|record| &record.date);
        table.row([
            Cell::of(&name),
            Cell::of(&info.name),
            Cell::of(&info.kind.label()),
            Cell::count(info.compute_units as usize),
            Cell::of(&info.driver()),
            Cell::of(&versions.join(", ")),
            Cell::count(own().count()),
            Cell::Lines([dates().min(), dates().max()].map(Cell::or_missing).into()),
        ]);
    }
    page.table(&table);
}

/// What this version does not know, as far as it can be shown; nothing where it knows all.
pub fn foreign(bundle: &Bundle, page: &mut Page) {
    if bundle.foreign.iter().all(|run| run.records.is_empty()) {
        return;
    }
    page.section("foreign", text("report.foreign.title"));
    page.paragraph(text("report.foreign.about"));
    let heads = [
        (Words, "report.foreign.filter"),
        (Words, "report.times.variant"),
        (Words, "report.device"),
        (Number, "report.times.kernel"),
        (Words, "report.times.check"),
    ];
    let mut table = Table::headed("foreign", heads).captioned(text("report.foreign.title"));
    for record in bundle.foreign.iter().flat_map(|run| &run.records) {
        let [filter, contender, device] = [&record.filter, &record.contender, &record.device].map(|name| Cell::of(name));
        table.row([filter, contender, device, Cell::number(record.median_ns, Unit::Time), Cell::Words(record.why.clone())]);
    }
    page.table(&table);
}

/// Every reading of a subject, device by device.
pub fn readings(subject: &Subject<'_>, devices: &Devices<'_>, page: &mut Page) {
    let heads = [
        (Words, "report.times.variant"),
        (Number, "report.times.kernel"),
        (Number, "report.times.quartiles"),
        (Number, "report.times.samples"),
        (Number, "report.times.rate"),
        (Number, "report.times.round-trip"),
        (Number, "report.times.above"),
        (Words, "report.times.check"),
    ];
    let mut table = Table::headed("times", heads).captioned(&filled("report.times.caption", &[("subject", &subject.title())]));
    for part in &subject.parts {
        table.group(&part.place.name(devices));
        for row in &part.rows {
            table.row(reading(subject, row));
        }
    }
    page.table(&table);
}

/// The step's title before the variant, where there is a ladder.
fn label(subject: &Subject<'_>, row: &Row<'_>) -> String {
    row.record.titled(row.step.and_then(|step| subject.ladder?.step_title(step)))
}

fn reading(subject: &Subject<'_>, row: &Row<'_>) -> Vec<Cell> {
    let mut cells = vec![Cell::of(&label(subject, row))];
    let Outcome::Measured(measured) = &row.record.outcome else {
        cells.resize(7, Cell::Missing);
        cells.push(Cell::of(&row.record.outcome.why_not().unwrap_or_default()));
        return cells;
    };
    // The time of a wrong output says nothing.
    let right = Some(measured).filter(|measured| measured.is_right());
    let kernel = right.and_then(|measured| measured.kernel.as_ref());
    let median = |summary: Option<&Summary>| Cell::number(summary.map(|summary| summary.median_ns), Unit::Time);
    let quartiles = |summary: &Summary| {
        let [low, high] = [summary.lower_quartile_ns, summary.upper_quartile_ns].map(units::time);
        filled("report.times.from-to", &[("low", &low), ("high", &high)])
    };
    let above = row.reading.and_then(|reading| reading.above.as_ref()).map(|above| {
        let verdict = units::with_starts(units::verdict(above.comparison.verdict, above.busy), &above.comparison);
        joined("words.list.items", [units::comparison(&above.comparison), verdict])
    });
    cells.extend([
        median(kernel),
        Cell::or_missing(kernel.map(quartiles)),
        Cell::number(kernel.map(|kernel| kernel.count as f64), Unit::Count),
        Cell::number(right.and_then(|measured| measured.gb_per_s()), Unit::Bandwidth),
        median(right.map(|measured| &measured.round_trip.total)),
        Cell::or_missing(above),
        Cell::of(&measured.remarks()),
    ]);
    cells
}

/// What compilers made, where that is known of any reading.
pub fn compiled(subject: &Subject<'_>, devices: &Devices<'_>, page: &mut Page) {
    if subject.parts.iter().flat_map(|part| &part.rows).all(|row| kernels(row.record).is_empty()) {
        return;
    }
    page.heading(text("report.compiled.title"));
    page.paragraph(text("report.compiled.about"));
    let heads = [
        (Words, "report.times.variant"),
        (Words, "report.compiled.kernel"),
        (Words, "code.fact.form"),
        (Number, "code.count.instructions"),
        (Number, "code.count.loads"),
        (Number, "code.count.stores"),
        (Number, "code.count.shuffles"),
        (Number, "code.count.branches"),
        (Number, "code.fact.registers"),
        (Number, "code.fact.code"),
        (Words, "report.compiled.hash"),
    ];
    let mut table = Table::headed("compiled", heads).captioned(&filled("report.compiled.caption", &[("subject", &subject.title())]));
    for part in &subject.parts {
        table.group(&part.place.name(devices));
        for row in &part.rows {
            for kernel in kernels(row.record) {
                table.row(code(&label(subject, row), kernel));
            }
        }
    }
    page.table(&table);
}

fn kernels(record: &Record) -> &[CompiledKernel] {
    record.measured().map_or(&[], |measured: &Measured| &measured.compiled)
}

fn code(label: &str, kernel: &CompiledKernel) -> [Cell; 11] {
    let known = |number: Option<u32>| Cell::number(number.map(f64::from), Unit::Count);
    let count = |count: fn(&Mix) -> u32| known(kernel.whole.as_ref().map(count));
    [
        Cell::of(&label),
        Cell::of(&kernel.kernel),
        Cell::of(&kernel.form.label()),
        known(kernel.instructions()),
        count(|mix| mix.loads_from(Space::Global)),
        count(|mix| mix.stores_to(Space::Global)),
        count(|mix| mix.shuffles),
        count(|mix| mix.branches),
        known(kernel.resources.registers),
        Cell::number(kernel.code_bytes.map(|bytes| bytes as f64), Unit::Count),
        Cell::of(&kernel.code_hash.get(..12).unwrap_or(&kernel.code_hash)),
    ]
}
