//! A ladder's steps beside what was published of them, what their guide claims, and what was seen here.

use super::report::{Entry, Group, comparison_as_json, comparison_cells, milliseconds, significant};
use crate::cli::table::{Align, Table};
use crate::cpu::CpuEngine;
use crate::error::{Error, Result};
use crate::filters::FigureKind;
use crate::measure::{self, Seen};
use serde_json::{Value, json};
use std::io::Write;

impl Entry {
    /// What became of what the guide claims of the step; `None` where it claims nothing, or that was not tested.
    pub fn seen(&self) -> Option<Seen> {
        let claim = self.place?.step()?.claim?;
        let compared = self.tested.as_ref()?.as_ref().ok()?;
        Some(Seen::of(claim.says, &compared.comparison))
    }

    /// What the guide says of the step, as "faster than 1 Vectorize".
    pub fn claim_text(&self) -> Option<String> {
        let place = self.place?;
        place.ladder.claim_text(place.index)
    }

    /// The published figure at this picture's size, without a unit.
    fn published(&self) -> Option<f64> {
        let place = self.place?;
        place.ladder.published(place.index, (self.reading.width_px, self.reading.height_px))
    }

    /// The published figure, as "x4.2", "x0.7 (CPU)" or "17 ms"; where there is none at this picture's size, that at the nearest one, which is named.
    pub fn published_text(&self) -> String {
        let Some(place) = self.place else { return String::new() };
        let size = (self.reading.width_px, self.reading.height_px);
        let Some((at, figure)) = place.ladder.published_nearest(place.index, size) else { return String::new() };
        let text = figure_text(place.ladder.kind(place.index), figure, f64::to_string);
        if at == size { text } else { format!("{text} at {} x {}", at.0, at.1) }
    }

    /// What was measured here, in the kind of the published figures.
    pub fn here_text(&self, group: &Group) -> String {
        let Some((place, own)) = self.place.zip(self.kernel_ns()) else { return String::new() };
        let kind = place.ladder.kind(place.index);
        let figure = match kind {
            FigureKind::Milliseconds => Some(own / 1e6),
            FigureKind::OverFirst => group.first_ns().map(|first| first / own),
            FigureKind::OverCpu => group.cpu_ns(CpuEngine::Scalar).map(|cpu| cpu / own),
        };
        figure
            .filter(|figure| figure.is_finite())
            .map_or_else(String::new, |figure| figure_text(kind, figure, |&figure| significant(figure)))
    }
}

fn figure_text(kind: FigureKind, figure: f64, digits: impl Fn(&f64) -> String) -> String {
    let digits = digits(&figure);
    match kind {
        FigureKind::Milliseconds => format!("{digits} ms"),
        FigureKind::OverFirst => format!("x{digits}"),
        FigureKind::OverCpu => format!("x{digits} (CPU)"),
    }
}

/// The table of a group's ladder; empty where there is none.
pub fn render(group: &Group) -> String {
    let Some(ladder) = group.entries.iter().find_map(|entry| entry.place).map(|place| place.ladder) else { return String::new() };
    let (left, right) = (Align::Left, Align::Right);
    let published = format!("published, {}", ladder.device);
    let mut table = Table::new(&[
        (ladder.label, left),
        ("kernel ms", right),
        ("here", right),
        (published.as_str(), right),
        ("the guide says", left),
        ("seen here", left),
        ("speed-up", right),
        ("95 % interval", right),
        ("pairs", right),
    ]);
    for entry in &group.entries {
        match entry.kernel_ns() {
            None => table.sentence(entry.label(), entry.why_not().unwrap_or_else(|| "the driver's timestamps are invalid".to_owned())),
            Some(kernel_ns) => {
                let mut cells = vec![entry.label(), milliseconds(kernel_ns), entry.here_text(group), entry.published_text()];
                cells.extend(claim_cells(entry));
                table.row(cells);
            }
        }
    }
    let has_cpu = ladder.kind(0) == FigureKind::OverCpu;
    let cpu = if has_cpu { "(CPU): over one core of a CPU, here CPU scalar; the others over the first step\n" } else { "" };
    format!("{}{cpu}Published: {}\n\n", table.render(), ladder.source)
}

/// Claim, what was seen, speed-up over the step that it is against, interval, pairs.
pub fn claim_cells(entry: &Entry) -> [String; 5] {
    let claim = entry.claim_text().unwrap_or_default();
    match &entry.tested {
        Some(Ok(compared)) => {
            let seen = entry.seen().map_or("", Seen::label);
            let busy = if compared.busy { " (BUSY)" } else { "" };
            let [ratio, interval, pairs] = comparison_cells(compared);
            [claim, format!("{seen}{busy}"), ratio, interval, pairs]
        }
        Some(Err(error)) => [claim, format!("not tested: {}", error.why), String::new(), String::new(), String::new()],
        None => [claim, String::new(), String::new(), String::new(), String::new()],
    }
}

/// The entry's place in its ladder, with the claim and what became of it; `None` where there is no ladder.
pub fn as_json(entry: &Entry) -> Option<Value> {
    let place = entry.place?;
    Some(json!({
        "name": place.ladder.name,
        "step": place.index,
        "label": place.step()?.label,
        "published": entry.published(),
        "published_is": place.ladder.kind(place.index).name(),
        "published_device": place.ladder.device,
        "published_source": place.ladder.source,
        "claim": entry.claim_text(),
        "seen": entry.seen().map(Seen::label),
        "compared": entry.tested.as_ref().map(comparison_as_json),
    }))
}

/// The readings as [`measure::write_csv`] writes them, with the ladder's columns behind; those are empty where there is no ladder.
///
/// # Errors
/// When `to` cannot be written.
pub fn write_csv(entries: &[Entry], to: impl Write) -> Result<()> {
    let readings: Vec<_> = entries.iter().map(|entry| entry.reading.clone()).collect();
    let mut bytes = Vec::new();
    measure::write_csv(&readings, &mut bytes)?;
    let not_written = |error: csv::Error| {
        Error::failed("The readings were not written", error.to_string(), "check the free space and the folder's rights")
    };
    let mut rows = csv::Reader::from_reader(bytes.as_slice());
    let mut writer = csv::Writer::from_writer(to);
    if !entries.is_empty() {
        let columns = [
            "ladder",
            "step",
            "step_label",
            "published",
            "published_is",
            "claim",
            "seen",
            "speed_up",
            "speed_up_low",
            "speed_up_high",
            "pairs",
        ];
        let header = rows.headers().map_err(not_written)?.clone();
        writer.write_record(header.iter().chain(columns)).map_err(not_written)?;
    }
    for (row, entry) in rows.records().zip(entries) {
        let row = row.map_err(not_written)?;
        let own = csv_cells(entry);
        writer.write_record(row.iter().chain(own.iter().map(String::as_str))).map_err(not_written)?;
    }
    writer.flush().map_err(|error| not_written(error.into()))
}

fn csv_cells(entry: &Entry) -> [String; 11] {
    let Some((place, step)) = entry.place.and_then(|place| Some((place, place.step()?))) else { return Default::default() };
    let comparison = entry.tested.as_ref().and_then(|tested| tested.as_ref().ok());
    let figure =
        |pick: fn(&measure::Comparison) -> f64| comparison.map_or_else(String::new, |compared| pick(&compared.comparison).to_string());
    [
        place.ladder.name.to_owned(),
        (place.index + 1).to_string(),
        step.label.to_owned(),
        entry.published().map_or_else(String::new, |figure| figure.to_string()),
        entry.published().map_or_else(String::new, |_| place.ladder.kind(place.index).name().to_owned()),
        entry.claim_text().unwrap_or_default(),
        entry.seen().map_or_else(String::new, |seen| seen.label().to_owned()),
        figure(|comparison| comparison.ratio),
        figure(|comparison| comparison.low),
        figure(|comparison| comparison.high),
        comparison.map_or_else(String::new, |compared| compared.pairs.to_string()),
    ]
}
