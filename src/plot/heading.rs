//! What a printed chart says above its bars: filter, picture, devices, date, and how to read it.

use super::options::{Entry, Options, Quantity};
use super::rows::{Chart, Row};
use super::scale::Scale;
use crate::model::Record;

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
        let computed = distinct(&readings, |reading| crate::filters::spec_text(&reading.spec));
        let pictures = distinct(&readings, |reading| format!("{} × {}", reading.picture.width_px, reading.picture.height_px));
        let title = match readings[..] {
            [] => "No readings".to_owned(),
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
        reading.machine.device.clone()
    } else {
        format!("{} · {}", reading.machine.device, reading.machine.driver)
    }
}

/// Days only: the full dates are in the tables.
fn dates(readings: &[&Record]) -> Option<String> {
    let day = |reading: &Record| reading.date.split('T').next().unwrap_or_default().to_owned();
    let days = || readings.iter().map(|reading| day(reading));
    let (first, last) = (days().min()?, days().max()?);
    let versions = distinct(readings, |reading| reading.machine.program_version.clone()).join(", ");
    let days = if first == last { first } else { format!("{first} to {last}") };
    Some(format!("{days} · Kernel Ladder {versions}"))
}

fn how_to_read(chart: &Chart, options: &Options) -> String {
    let quantity = match options.quantity {
        Quantity::Time => "Time, shorter is faster".to_owned(),
        Quantity::SpeedUp => {
            format!("Speed-up against {}, longer is faster", chart.baseline_label.as_deref().unwrap_or("a baseline that is not measured"))
        }
        Quantity::Bandwidth => "GB/s of the fewest bytes the filter must move, longer is faster".to_owned(),
    };
    let scale = if options.scale == Scale::Log { ", logarithmic axis" } else { "" };
    let bars_text = if options.round_trip { "; above: kernel, below: round trip" } else { "; kernel only" };
    let marks = if options.scale == Scale::Log { "points" } else { "bars" };
    let has = |test: fn(&Row) -> bool| chart.rows.iter().any(test);
    let busy = if has(|row| row.is_busy) { "; busy: other work disturbed the measurement" } else { "" };
    let shown = if has(|row| row.is_shown) { "; shown: on the screen when this was exported" } else { "" };
    let hidden = match chart.hidden {
        0 => String::new(),
        1 => "; 1 row is left out".to_owned(),
        count => format!("; {count} rows are left out"),
    };
    format!("{quantity}{scale}{bars_text}; {marks}: medians{busy}{shown}{hidden}")
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
