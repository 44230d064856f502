//! A ladder's steps beside what was published of them, what their guide claims, and what was seen here.

use super::report::{ComparisonCells, Entry, Group, comparison_cells, milliseconds, significant, speed_up_text, with_remarks};
use crate::cli::table::{Align, Table};
use crate::cli::why::others_text;
use crate::compiled::CodeComparison;
use crate::filters::FigureKind;
use crate::model::CpuEngine;
use crate::study::Seen;
use crate::study::experiment::{PutToTest, telling};
use crate::texts::{filled, text};
use crate::why::{Other, Reason, others, others_lines};
use serde::Serialize;

impl Entry {
    /// What came of the guide's claim about the step; `None` where there is none, or it was not tested.
    pub fn seen(&self) -> Option<Seen> {
        let claim = self.place?.step()?.claim?;
        let compared = self.tested.as_ref()?.as_ref().ok()?;
        Some(Seen::of_compared(claim.says, compared))
    }

    /// What is claimed of the step, by whom, and whether for this picture's size: "Guide: faster than step 1 (Original)".
    pub fn claim_text(&self) -> Option<String> {
        let place = self.place?;
        place.ladder.claim_line_at(place.index, self.reading.picture.size())
    }

    /// Whether the claim about the step is this program's own; `None` where nothing is claimed.
    pub fn is_ours(&self) -> Option<bool> {
        Some(self.place?.step()?.claim?.is_ours)
    }

    /// The published figure at this picture's size, without a unit.
    fn published(&self) -> Option<f64> {
        let place = self.place?;
        place.ladder.published(place.index, self.reading.picture.size())
    }

    /// The published figure, as "4.2×", "0.7× (CPU)" or "17 ms"; where there is none at this picture's size, that at the nearest one, which is named.
    pub fn published_text(&self) -> String {
        let Some(place) = self.place else { return String::new() };
        let size = self.reading.picture.size();
        let Some((at, figure)) = place.ladder.published_nearest(place.index, size) else { return String::new() };
        let kind = place.ladder.kind(place.index);
        let figure = if kind == FigureKind::Milliseconds { figure.to_string() } else { format!("{figure}×") };
        let figure = figure_text(kind, &figure);
        match at {
            None => filled("words.claim.no-size", &[("figure", &figure)]),
            Some(at) if at == size => figure,
            Some((width, height)) => filled("tables.ladder.at-size", &[("figure", &figure), ("width", &width), ("height", &height)]),
        }
    }

    /// What was measured here, in the kind of the published figures.
    pub fn here_text(&self, group: &Group) -> String {
        let Some((place, own)) = self.place.zip(self.reading.kernel()) else { return String::new() };
        let kind = place.ladder.kind(place.index);
        let base = match kind {
            FigureKind::Milliseconds => return figure_text(kind, &significant(own.median_ns / 1e6)),
            // The first step over itself says nothing.
            FigureKind::OverFirst => group.first().filter(|_| place.index > 0),
            FigureKind::OverCpu => group.cpu(CpuEngine::Scalar),
        };
        base.and_then(|base| speed_up_text(base, own)).map_or_else(String::new, |text| figure_text(kind, &text))
    }
}

fn figure_text(kind: FigureKind, digits: &str) -> String {
    match kind {
        FigureKind::Milliseconds => format!("{digits} ms"),
        FigureKind::OverFirst => digits.to_owned(),
        FigureKind::OverCpu => format!("{digits} (CPU)"),
    }
}

/// The table of a group's ladder; empty where there is none.
pub fn render(group: &Group) -> String {
    let Some(ladder) = group.entries.iter().find_map(|entry| entry.place).map(|place| place.ladder) else { return String::new() };
    let (left, right) = (Align::Left, Align::Right);
    let published = filled("tables.ladder.published", &[("device", &ladder.device())]);
    let mut table = Table::new(&[
        (ladder.label(), left),
        (text("tables.ladder.kernel"), right),
        (text("tables.ladder.here"), right),
        (published.as_str(), right),
        (text("tables.ladder.says"), left),
        (text("tables.ladder.seen"), left),
        (text("tables.bench.speed-up"), right),
        (text("tables.bench.pairs"), right),
    ]);
    for entry in &group.entries {
        match entry.kernel_ns() {
            None => table.sentence(entry.label(), entry.why_not().unwrap_or_else(|| text("tables.bench.timestamps").to_owned())),
            Some(kernel_ns) => {
                let mut cells = vec![entry.label(), milliseconds(kernel_ns), entry.here_text(group), entry.published_text()];
                cells.extend(claim_cells(entry));
                table.row(cells);
            }
        }
    }
    let has_cpu = ladder.kind(0) == FigureKind::OverCpu;
    let cpu = if has_cpu { format!("{}\n", text("tables.ladder.about-cpu")) } else { String::new() };
    let source = filled("tables.ladder.source", &[("source", &ladder.source())]);
    format!("{}{cpu}{source}\n\n{}", table.render(), why(group))
}

/// Why each step that was compared does here what it does: the sentence, and what it rests on.
fn why(group: &Group) -> String {
    let line = |entry: &Entry| {
        let title = entry.place.and_then(|place| place.title()).unwrap_or_default();
        let why = filled("tables.ladder.step", &[("title", &title), ("why", &why_text(entry))]) + "\n";
        match &entry.others {
            Some((seen, facts)) => why + &others_text(&others_lines(*seen, facts), "    "),
            None => why,
        }
    };
    let is_told = |entry: &&Entry| matches!(entry.tested, Some(Ok(_))) || entry.proven.is_some();
    let steps: Vec<String> = group.entries.iter().filter(is_told).map(line).collect();
    if steps.is_empty() { String::new() } else { format!("{}\n{}\n", text("tables.ladder.why"), steps.concat()) }
}

/// All reasons in one line each after the first.
pub fn why_text(entry: &Entry) -> String {
    if let Some(proven) = entry.proven.as_ref().filter(|proven| !proven.is_empty()) {
        return telling::brief(proven).join("\n    ");
    }
    if entry.why.is_empty() {
        return text("tables.ladder.no-rule").to_owned();
    }
    entry.why.iter().map(Reason::line_with_evidence).collect::<Vec<_>>().join("\n    ")
}

/// Claim, what was seen, speed-up over the step that it is against with its interval, pairs.
pub fn claim_cells(entry: &Entry) -> [String; 4] {
    let claim = entry.claim_text().unwrap_or_default();
    match &entry.tested {
        Some(Ok(compared)) => {
            let seen = entry.seen().map_or("", Seen::label);
            let known = compared.code.as_ref();
            let code = known.filter(|code| code.is_same_code()).map(CodeComparison::label);
            // What was not decided by times is not in doubt because of them.
            let is_timed = !known.is_some_and(CodeComparison::is_same_work);
            let busy = (compared.busy && is_timed).then(|| text("tables.busy").to_owned());
            let [ratio, pairs] = comparison_cells(compared);
            let one_run = compared.comparison.one_run().filter(|_| is_timed).map(str::to_owned);
            [claim, with_remarks(seen, code.into_iter().chain(one_run).chain(busy)), ratio, pairs]
        }
        Some(Err(error)) => [claim, filled("tables.ladder.not-tested", &[("why", &error.why)]), String::new(), String::new()],
        None => [claim, String::new(), String::new(), String::new()],
    }
}

/// The entry's place in its ladder, with the claim and what became of it.
#[derive(Serialize)]
pub struct LadderCells {
    name: &'static str,
    /// From 1.
    step: usize,
    key: &'static str,
    label: &'static str,
    published: Option<f64>,
    published_is: &'static str,
    published_device: &'static str,
    published_source: &'static str,
    claim: Option<String>,
    claim_is_ours: Option<bool>,
    claim_sizes_px: Option<&'static [(usize, usize)]>,
    seen: Option<&'static str>,
    compared: Option<ComparisonCells>,
    why: Vec<Reason>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    others: Vec<Other>,
    /// What experiments say of the reasons, where they were tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<Vec<PutToTest>>,
}

impl LadderCells {
    /// `None` where there is no ladder.
    pub fn of(entry: &Entry) -> Option<Self> {
        let place = entry.place?;
        Some(Self {
            name: place.ladder.name,
            step: place.index + 1,
            key: &place.step()?.key,
            label: place.step()?.label(),
            published: entry.published(),
            published_is: place.ladder.kind(place.index).name(),
            published_device: place.ladder.device(),
            published_source: place.ladder.source(),
            claim: place.ladder.claim_text(place.index),
            claim_is_ours: entry.is_ours(),
            claim_sizes_px: place.step()?.claim.map(|_| place.step().map_or(&[][..], |step| &step.claim_sizes)),
            seen: entry.seen().map(Seen::name),
            compared: entry.tested.as_ref().map(ComparisonCells::of),
            why: entry.why.iter().map(Reason::retold).collect(),
            others: entry.others.as_ref().map_or_else(Vec::new, |(seen, facts)| others(*seen, facts)),
            proven: entry.proven.as_ref().map(|proven| proven.iter().map(PutToTest::retold).collect()),
        })
    }
}
