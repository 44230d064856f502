//! Figures as tables.

use super::subject::{Devices, Part, Row, Subject};
use base::texts::{filled, joined, text};
use model::{CompiledKernel, ForeignRecord, Measured, Outcome, Record, Space, Summary};
use study::bundle::{Bundle, is_same_device};
use view::plot::units;
use view::story::html::{Cell, Page, Rows, Table};

/// What is not known or was not measured.
const NOTHING: &str = "–";

fn heads<const COUNT: usize>(keys: [&'static str; COUNT]) -> Vec<Vec<String>> {
    keys.map(|key| vec![text(key).to_owned()]).into()
}

/// The devices with their drivers, and what there is of each.
pub fn devices(bundle: &Bundle, devices: &Devices<'_>, page: &mut Page) {
    page.section("devices", text("report.devices.title"));
    let row = |(info, name): (&engine::device::DeviceInfo, &str)| {
        let own = || bundle.devices().filter(|(_, device)| is_same_device(&device.device, info)).flat_map(|(_, device)| &device.readings);
        let records = || own().map(|reading| &reading.record);
        let mut versions: Vec<&str> = records().map(|record| record.machine.program_version.as_str()).collect();
        versions.sort_unstable();
        versions.dedup();
        let [first, last] = [records().map(|record| record.date.as_str()).min(), records().map(|record| record.date.as_str()).max()];
        vec![
            Cell::text(name),
            Cell::text(&info.name),
            Cell::text(info.kind.label()),
            Cell::number(&info.compute_units.to_string()),
            Cell::text(&info.driver()),
            Cell::text(&versions.join(", ")),
            Cell::number(&own().count().to_string()),
            Cell::lines([first.unwrap_or(NOTHING), last.unwrap_or(NOTHING)]),
        ]
    };
    let rows = devices.all().map(row).collect();
    let heads = heads([
        "report.device",
        "report.devices.name",
        "report.devices.kind",
        "report.devices.units",
        "report.devices.driver",
        "report.devices.version",
        "report.devices.readings",
        "report.devices.dates",
    ]);
    page.table(&Table { caption: text("report.devices.caption").to_owned(), heads, groups: vec![Rows { title: String::new(), rows }] });
}

/// What this version does not know, as far as it can be shown; nothing where it knows all.
pub fn foreign(bundle: &Bundle, page: &mut Page) {
    let records: Vec<_> = bundle.foreign.iter().flat_map(|run| &run.records).collect();
    if records.is_empty() {
        return;
    }
    page.section("foreign", text("report.foreign.title"));
    page.paragraph(text("report.foreign.about"));
    let row = |record: &&ForeignRecord| {
        let median = record.median_ns.map_or_else(|| NOTHING.to_owned(), units::time);
        let texts = [&record.filter, &record.contender, &record.device].map(|text| Cell::text(text));
        texts.into_iter().chain([Cell::number(&median), Cell::text(&record.why.to_string())]).collect()
    };
    let heads = heads(["report.foreign.filter", "report.times.variant", "report.device", "report.times.kernel", "report.times.check"]);
    let rows = records.iter().map(row).collect();
    page.table(&Table { caption: text("report.foreign.title").to_owned(), heads, groups: vec![Rows { title: String::new(), rows }] });
}

/// Every reading of a subject, device by device.
pub fn readings(subject: &Subject<'_>, devices: &Devices<'_>, page: &mut Page) {
    let heads = heads([
        "report.times.variant",
        "report.times.kernel",
        "report.times.quartiles",
        "report.times.samples",
        "report.times.rate",
        "report.times.round-trip",
        "report.times.above",
        "report.times.check",
    ]);
    let group =
        |part: &Part<'_>| Rows { title: part.place.name(devices), rows: part.rows.iter().map(|row| reading(subject, row)).collect() };
    let groups = subject.parts.iter().map(group).collect();
    page.table(&Table { caption: filled("report.times.caption", &[("subject", &subject.title())]), heads, groups });
}

/// The step's title before the variant, where there is a ladder.
fn label(subject: &Subject<'_>, row: &Row<'_>) -> String {
    row.record.titled(row.step.and_then(|step| subject.ladder?.step_title(step)))
}

fn reading(subject: &Subject<'_>, row: &Row<'_>) -> Vec<Cell> {
    let label = Cell::text(&label(subject, row));
    if let Outcome::Measured(measured) = &row.record.outcome {
        return measured_cells(label, row, measured).into();
    }
    let mut cells = vec![label];
    cells.resize(7, Cell::number(NOTHING));
    cells.push(Cell::text(&row.record.outcome.why_not().unwrap_or_default()));
    cells
}

fn measured_cells(label: Cell, row: &Row<'_>, measured: &Measured) -> [Cell; 8] {
    // The time of a wrong output says nothing.
    let is_right = measured.is_right();
    let kernel = measured.kernel.as_ref().filter(|_| is_right);
    let median =
        |summary: Option<&Summary>| Cell::number(&summary.map_or_else(|| NOTHING.to_owned(), |summary| units::time(summary.median_ns)));
    let quartiles = |summary: &Summary| {
        filled(
            "report.times.from-to",
            &[("low", &units::time(summary.lower_quartile_ns)), ("high", &units::time(summary.upper_quartile_ns))],
        )
    };
    let or_nothing = |text: Option<String>| Cell::number(&text.unwrap_or_else(|| NOTHING.to_owned()));
    let rate = measured.gb_per_s().filter(|_| is_right).map(units::bandwidth);
    let above = row.reading.and_then(|reading| reading.above.as_ref()).map(|above| {
        let parts = [
            units::comparison(&above.comparison),
            units::with_starts(units::verdict(above.comparison.verdict, above.busy), &above.comparison),
        ];
        joined("words.list.items", parts)
    });
    [
        label,
        median(kernel),
        or_nothing(kernel.map(quartiles)),
        or_nothing(kernel.map(|kernel| kernel.count.to_string())),
        or_nothing(rate),
        median(Some(&measured.round_trip.total).filter(|_| is_right)),
        or_nothing(above),
        Cell::text(&measured.remarks()),
    ]
}

/// What compilers made, where that is known of any reading.
pub fn compiled(subject: &Subject<'_>, devices: &Devices<'_>, page: &mut Page) {
    let group = |part: &Part<'_>| {
        let rows = part.rows.iter().flat_map(|row| kernels(row.record).iter().map(|kernel| code(&label(subject, row), kernel)));
        Rows { title: part.place.name(devices), rows: rows.collect() }
    };
    let groups: Vec<Rows> = subject.parts.iter().map(group).filter(|group| !group.rows.is_empty()).collect();
    if groups.is_empty() {
        return;
    }
    let heads = heads([
        "report.times.variant",
        "report.compiled.kernel",
        "code.fact.form",
        "code.count.instructions",
        "code.count.loads",
        "code.count.stores",
        "code.count.shuffles",
        "code.count.branches",
        "code.fact.registers",
        "code.fact.code",
        "report.compiled.hash",
    ]);
    page.heading(text("report.compiled.title"));
    page.paragraph(text("report.compiled.about"));
    page.table(&Table { caption: filled("report.compiled.caption", &[("subject", &subject.title())]), heads, groups });
}

fn kernels(record: &Record) -> &[CompiledKernel] {
    record.measured().map_or(&[], |measured| &measured.compiled)
}

fn code(label: &str, kernel: &CompiledKernel) -> Vec<Cell> {
    let mix = &kernel.whole;
    let or_nothing = |number: Option<u64>| Cell::number(&number.map_or_else(|| NOTHING.to_owned(), |number| number.to_string()));
    let count = |number: u32| Cell::number(&number.to_string());
    vec![
        Cell::text(label),
        Cell::text(&kernel.kernel),
        Cell::text(kernel.form.label()),
        count(mix.instructions),
        count(mix.loads_from(Space::Global)),
        count(mix.stores_to(Space::Global)),
        count(mix.shuffles),
        count(mix.branches),
        or_nothing(kernel.resources.registers.map(u64::from)),
        or_nothing(kernel.code_bytes),
        Cell::text(kernel.code_hash.get(..12).unwrap_or(&kernel.code_hash)),
    ]
}
