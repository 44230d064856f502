//! What a printed chart says above its bars: filter, picture, devices, date, and how to read it.

use super::options::{Entry, Options, Quantity};
use super::rows::Chart;
use super::scale::Scale;
use crate::image::Channels;
use crate::measure::Reading;

/// Title and the lines below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Filter, picture size, channels, border mode.
    pub title: String,
    /// Devices with drivers, dates, and what the bars mean.
    pub lines: Vec<String>,
}

impl Heading {
    /// The heading of `entries` drawn as `chart`.
    #[must_use]
    pub fn new(entries: &[Entry<'_>], chart: &Chart, options: &Options) -> Self {
        let filters = distinct(entries, |reading| {
            crate::filters::by_name(&reading.filter).map_or_else(|_| reading.filter.clone(), |filter| filter.label.to_owned())
        });
        let pictures = distinct(entries, |reading| format!("{} × {} {}", reading.width_px, reading.height_px, channels(reading.channels)));
        let borders = distinct(entries, |reading| crate::filters::border_words(&reading.filter, "", reading.border));
        let title = match entries {
            [] => "No readings".to_owned(),
            _ => [filters, pictures, borders]
                .iter()
                .filter(|parts| !parts.is_empty())
                .map(|parts| parts.join(", "))
                .collect::<Vec<_>>()
                .join(" · "),
        };
        let mut lines = distinct(entries, place);
        lines.extend(dates(entries));
        lines.push(how_to_read(chart, options));
        Self { title, lines }
    }
}

fn channels(channels: Channels) -> &'static str {
    match channels {
        Channels::Gray => "gray",
        Channels::Rgb => "RGB",
    }
}

fn place(reading: &Reading) -> String {
    if reading.driver.is_empty() { reading.device.clone() } else { format!("{} · {}", reading.device, reading.driver) }
}

/// Days only: the full dates are in the tables.
fn dates(entries: &[Entry<'_>]) -> Option<String> {
    let day = |reading: &Reading| reading.date.split('T').next().unwrap_or_default().to_owned();
    let (first, last) = (entries.iter().map(|entry| day(entry.reading)).min()?, entries.iter().map(|entry| day(entry.reading)).max()?);
    let versions = distinct(entries, |reading| reading.program_version.clone()).join(", ");
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
    let bars = if options.round_trip { "; thick: kernel, thin: round trip" } else { "; kernel only" };
    format!("{quantity}{scale}{bars}; medians with quartiles (box) and extremes (line)")
}

fn distinct(entries: &[Entry<'_>], text: impl Fn(&Reading) -> String) -> Vec<String> {
    let mut texts = Vec::new();
    for text in entries.iter().map(|entry| text(entry.reading)).filter(|text| !text.is_empty()) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}
