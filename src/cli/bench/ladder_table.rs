//! A ladder's steps beside what was published of them, what their guide claims, and what was seen here.

use super::report::{ComparisonCells, Entry, Group};
use crate::cli::why::others_text;
use base::texts::{Words, filled, speaking_keys, text};
use kernels::filters::{FigureKind, Ladder};
use model::CpuEngine;
use model::measure;
use serde::Serialize;
use study::Seen;
use study::claims::{self, Claimed, Column, Found};
use study::experiment::{PutToTest, telling};
use study::why::{Other, Reason, others, others_lines};
use view::story::{self, said};

impl Entry {
    /// What came of the guide's claim about the step; `None` where there is none, or it was not tested.
    pub fn seen(&self) -> Option<Seen> {
        let claim = self.place?.step()?.claim?;
        let compared = self.tested.as_ref()?.as_ref().ok()?;
        Some(Seen::of_compared(claim.says, compared))
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

    /// The step as the table of claims has it; `None` where there is no ladder.
    pub fn claimed(&self, group: &Group) -> Option<Claimed> {
        let place = self.place?;
        let kernel = self.reading.kernel();
        let base = match place.ladder.kind(place.index) {
            FigureKind::Milliseconds => None,
            FigureKind::OverFirst => group.first(),
            FigureKind::OverCpu => group.cpu(CpuEngine::Scalar),
        };
        let found = self.tested.as_ref().and_then(|tested| match tested {
            Ok(compared) => Found::of(place.step()?, compared).map(Ok),
            Err(error) => Some(Err(Words::of(&error.why))),
        });
        let invalid = || Words::text("tables.bench.timestamps");
        Some(Claimed {
            label: said(|| self.label()),
            variant: self.reading.label(),
            kernel: kernel.cloned(),
            over_base: base.zip(kernel).and_then(|(base, own)| measure::compare_spreads(base, own)),
            why_not: kernel
                .is_none()
                .then(|| self.reading.outcome.why_not().map_or_else(invalid, |_| said(|| self.why_not().unwrap_or_default()))),
            why: if found.as_ref().is_some_and(Result::is_ok) { why(self) } else { Vec::new() },
            found,
            ..Claimed::new(place.ladder, place.index, Some(self.reading.picture.size()))
        })
    }
}

/// The table of a group's ladder; empty where there is none.
pub fn render(group: &Group) -> String {
    let Some(ladder) = ladder(group) else { return String::new() };
    let columns =
        [Column::Label, Column::Kernel, Column::Here, Column::Published, Column::Claim, Column::Seen, Column::SpeedUp, Column::Pairs];
    let table = story::text::table(&claims::table(ladder, &rows(group), &columns));
    let has_cpu = ladder.kind(0) == FigureKind::OverCpu;
    let cpu = if has_cpu { format!("{}\n", text("tables.ladder.about-cpu")) } else { String::new() };
    let source = filled("tables.ladder.source", &[("source", &ladder.source())]);
    format!("{table}{cpu}{source}\n\n{}", whys(group))
}

/// The ladder that a group is of.
pub fn ladder(group: &Group) -> Option<&'static Ladder> {
    group.entries.iter().find_map(|entry| entry.place).map(|place| place.ladder)
}

/// Its steps.
pub fn rows(group: &Group) -> Vec<Claimed> {
    group.entries.iter().filter_map(|entry| entry.claimed(group)).collect()
}

/// Why each step that was compared does here what it does: the sentence, and what it rests on.
fn whys(group: &Group) -> String {
    let line = |entry: &Entry| {
        let title = entry.place.and_then(|place| place.title()).unwrap_or_default();
        let why = why(entry).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n    ");
        let why = filled("tables.ladder.step", &[("title", &title), ("why", &why)]) + "\n";
        match &entry.others {
            Some((seen, facts)) => why + &others_text(&others_lines(*seen, facts), "    "),
            None => why,
        }
    };
    let is_told = |entry: &&Entry| matches!(entry.tested, Some(Ok(_))) || entry.proven.is_some();
    let steps: Vec<String> = group.entries.iter().filter(is_told).map(line).collect();
    if steps.is_empty() { String::new() } else { format!("{}\n{}\n", text("tables.ladder.why"), steps.concat()) }
}

/// All reasons, each in its line.
fn why(entry: &Entry) -> Vec<Words> {
    let lines = speaking_keys(|| match entry.proven.as_ref().filter(|proven| !proven.is_empty()) {
        Some(proven) => telling::brief(proven),
        None if entry.why.is_empty() => vec![text("tables.ladder.no-rule").to_owned()],
        None => entry.why.iter().map(Reason::line_with_evidence).collect(),
    });
    lines.into_iter().map(Words::from).collect()
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
