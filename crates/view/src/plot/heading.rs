//! What a printed chart says above its bars: filter, picture, devices, date, and how to read it.

use super::options::{Entry, Options, Quantity};
use super::rows::{Chart, Row};
use super::scale::Scale;
use base::texts::{self, filled, text};
use model::Record;

/// Title and the lines below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Filter with its parameters, channels, border mode; picture size.
    pub title: String,
    /// Devices with drivers, dates, and what the bars mean.
    pub lines: Vec<String>,
}

impl Heading {
    /// The heading of `entries` drawn as `chart`.
    #[must_use]
    pub fn new(entries: &[Entry<'_>], chart: &Chart, options: &Options) -> Self {
        let readings: Vec<&Record> = chart.rows.iter().filter_map(|row| entries.get(row.index)).map(|entry| &*entry.reading).collect();
        let computed = distinct(&readings, |reading| kernels::filters::spec_text(&reading.spec));
        let pictures = distinct(&readings, |reading| format!("{} × {}", reading.picture.width_px, reading.picture.height_px));
        let title = match readings[..] {
            [] => text("chart.no-readings").to_owned(),
            _ => format!("{} · {}", computed.join("; "), pictures.join(", ")),
        };
        let mut lines = distinct(&readings, place);
        lines.extend(dates(&readings));
        lines.push(how_to_read(chart, options));
        Self { title, lines }
    }
}

fn place(reading: &Record) -> String {
    if reading.machine.driver.is_empty() {
        reading.machine.label()
    } else {
        format!("{} · {}", reading.machine.label(), reading.machine.driver)
    }
}

/// Days only: the full dates are in the tables.
fn dates(readings: &[&Record]) -> Option<String> {
    let day = |reading: &Record| reading.date.split('T').next().unwrap_or_default().to_owned();
    let days = || readings.iter().map(|reading| day(reading));
    let (first, last) = (days().min()?, days().max()?);
    let versions = distinct(readings, |reading| reading.machine.program_version.clone()).join(", ");
    let days = if first == last { first } else { filled("chart.days", &[("first", &first), ("last", &last)]) };
    Some(format!("{days} · Kernel Ladder {versions}"))
}

fn how_to_read(chart: &Chart, options: &Options) -> String {
    let quantity = match options.quantity {
        Quantity::Time => text("chart.reading.time").to_owned(),
        Quantity::SpeedUp => {
            let baseline = chart.baseline_label.as_deref().unwrap_or_else(|| text("chart.reading.no-baseline"));
            filled("chart.reading.speed-up", &[("baseline", &baseline)])
        }
        Quantity::Bandwidth => text("chart.reading.bandwidth").to_owned(),
    };
    let is_log = options.scale == Scale::Log;
    let scale = is_log.then(|| text("chart.reading.logarithmic").to_owned());
    let has = |test: fn(&Row) -> bool| chart.rows.iter().any(test);
    let hidden = match chart.hidden {
        0 => None,
        1 => Some(text("chart.reading.one-left-out").to_owned()),
        count => Some(filled("chart.reading.left-out", &[("count", &count)])),
    };
    let parts = [
        Some(texts::joined("words.list.items", std::iter::once(quantity).chain(scale))),
        Some(text(if options.round_trip { "chart.reading.both-bars" } else { "chart.reading.kernel-only" }).to_owned()),
        Some(text(if is_log { "chart.reading.points" } else { "chart.reading.bars" }).to_owned()),
        has(|row| row.is_busy).then(|| text("chart.reading.busy").to_owned()),
        has(|row| row.is_shown).then(|| text("chart.reading.shown").to_owned()),
        hidden,
    ];
    texts::joined("words.list.clauses", parts.into_iter().flatten())
}

fn distinct(readings: &[&Record], text: impl Fn(&Record) -> String) -> Vec<String> {
    let mut texts = Vec::new();
    for text in readings.iter().map(|reading| text(reading)).filter(|text| !text.is_empty()) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}
