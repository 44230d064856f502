//! What a printed chart says above its bars: filter, picture, devices, date, and how to read it.

use super::options::{Entry, Options, Quantity};
use super::rows::Chart;
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
        let computed = distinct(entries, |reading| crate::filters::spec_text(&reading.spec));
        let pictures = distinct(entries, |reading| format!("{} × {}", reading.picture.width_px, reading.picture.height_px));
        let title = match entries {
            [] => "No readings".to_owned(),
            _ => format!("{} · {}", computed.join("; "), pictures.join(", ")),
        };
        let mut lines = distinct(entries, place);
        lines.extend(dates(entries));
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
fn dates(entries: &[Entry<'_>]) -> Option<String> {
    let day = |reading: &Record| reading.date.split('T').next().unwrap_or_default().to_owned();
    let (first, last) = (entries.iter().map(|entry| day(entry.reading)).min()?, entries.iter().map(|entry| day(entry.reading)).max()?);
    let versions = distinct(entries, |reading| reading.machine.program_version.clone()).join(", ");
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
    let interval = if options.quantity == Quantity::SpeedUp { "the interval that both quartiles allow" } else { "quartiles" };
    let busy = if chart.rows.iter().any(|row| row.is_busy) { "; busy: other work disturbed the measurement" } else { "" };
    format!("{quantity}{scale}{bars_text}; {marks}: medians, lines: {interval}{busy}")
}

fn distinct(entries: &[Entry<'_>], text: impl Fn(&Record) -> String) -> Vec<String> {
    let mut texts = Vec::new();
    for text in entries.iter().map(|entry| text(entry.reading)).filter(|text| !text.is_empty()) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}
