//! What a baseline's comparisons came to, one commit after the other: a file with a line of JSON for each, and the story of it.
//!
//! A ratio is held to the baseline of its time. Where a new baseline was written, ratios begin again at one, and the chart says where that is.

use super::judging::{Judged, Outcome, Outlook, Question, Terms};
use super::telling::{change, ruled, short};
use super::{Baseline, Fingerprint};
use base::error::Result;
use base::files;
use base::texts::{Words, failed, filled, in_english};
use model::measure::{Change, Ruling};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::io::Write as _;
use std::path::Path;
use view::plot::units::Unit;
use view::plot::{Curve, CurvePoint, Curves, Role, Scale};
use view::story::{Block, Cell, Column, Figure, Kind, Row as TableRow, Story, Table, Tone, said};

/// A file of more bytes is not read: a line of a row has two hundred.
const MOST_BYTES: u64 = 64 << 20;

/// So many comparisons are told, the newest.
const MOST_TOLD: usize = 60;

/// So many rows have a curve each: more could not be told apart.
const CURVES: [Role; 4] = [Role::Device, Role::Accent, Role::Transfers, Role::Cpu];

/// A comparison, as a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When, in RFC 3339, UTC.
    pub date: String,
    /// Commit that was measured.
    pub commit: Option<String>,
    /// What it was held to; lines of older versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Then>,
    /// From which increase on a row is slower: 0.03 is 3 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_slower: Option<f64>,
    /// What all rows came to.
    pub verdict: String,
    /// The rows.
    pub rows: Vec<EntryRow>,
    /// What another version added.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Which baseline it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Then {
    /// When it was written.
    pub date: String,
    /// Of which commit.
    pub commit: Option<String>,
}

/// A row of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EntryRow {
    /// It was measured.
    Compared {
        /// Its name, in English.
        row: String,
        /// Median time of then, in nanoseconds.
        before_ns: f64,
        /// Median time of that comparison.
        now_ns: f64,
        /// That over then; nothing where there was too little to say.
        ratio: Option<Change>,
        /// What it came to; nothing across machines.
        verdict: Option<Ruling>,
        /// What was compared: "kernel", "machine" or "nothing".
        compared: String,
    },
    /// It was not.
    Not {
        /// Its name, in English.
        row: String,
        /// Why.
        why_not: String,
    },
}

impl EntryRow {
    fn of(judged: &Judged) -> Self {
        let row = judged.name.english();
        match &judged.outcome {
            Outcome::Failed(why) | Outcome::Skipped(why) => Self::Not { row, why_not: why.english() },
            Outcome::Compared(ratio) => Self::Compared {
                row,
                before_ns: ratio.before_ns,
                now_ns: ratio.now_ns,
                ratio: ratio.change,
                verdict: ratio.ruling,
                compared: match ratio.question {
                    Question::Kernel => "kernel",
                    Question::Nothing => "nothing",
                    Question::Machine | Question::KernelAndMachine(_) => "machine",
                }
                .to_owned(),
            },
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Compared { row, .. } | Self::Not { row, .. } => row,
        }
    }

    const fn change(&self) -> Option<Change> {
        match self {
            Self::Compared { ratio, .. } => *ratio,
            Self::Not { .. } => None,
        }
    }
}

impl Entry {
    /// Of what was just compared.
    #[must_use]
    pub fn of(baseline: &Baseline, now: &Fingerprint, terms: &Terms, judged: &[Judged], outlook: Outlook) -> Self {
        let then = &baseline.fingerprint;
        Self {
            date: now.date.clone(),
            commit: now.commit.clone(),
            baseline: Some(Then { date: then.date.clone(), commit: then.commit.clone() }),
            fail_slower: Some(terms.threshold),
            verdict: outlook.name().to_owned(),
            rows: in_english(|| judged.iter().map(EntryRow::of).collect()),
            other: Map::new(),
        }
    }

    /// Adds it to a file at once: two that append at the same time leave two lines.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&self, path: &Path) -> Result<()> {
        // Plain data always serializes.
        let line = serde_json::to_string(self).unwrap_or_default() + "\n";
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.map_err(|error| failed("errors.baseline.no-history", &[("why", &error), ("path", &path.display())]))
    }

    /// "1a2b3c4d5e", or the day where there is no commit.
    fn label(&self) -> String {
        self.commit.as_deref().map_or_else(|| self.date.chars().take(10).collect(), |commit| commit.chars().take(7).collect())
    }

    fn change_of(&self, row: &str) -> Option<Change> {
        self.rows.iter().find(|own| own.name() == row).and_then(EntryRow::change)
    }
}

/// A file's comparisons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// In the order in which they were appended.
    pub entries: Vec<Entry>,
    /// How many lines are no comparisons.
    pub unread: usize,
}

impl History {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or no line of it is a comparison.
    pub fn read(path: &Path) -> Result<Self> {
        let refuse = |why: &dyn Display| failed("errors.baseline.history-not-read", &[("why", why), ("path", &path.display())]);
        let bytes = files::read_at_most(path, MOST_BYTES).map_err(|error| refuse(&error))?;
        let history = Self::of(&bytes);
        if history.entries.is_empty() {
            return Err(failed("errors.baseline.no-comparisons", &[("path", &path.display())]));
        }
        Ok(history)
    }

    /// Of a file's bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let (entries, unread): (Vec<_>, Vec<_>) = lines.map(serde_json::from_slice::<Entry>).partition(std::result::Result::is_ok);
        Self { entries: entries.into_iter().flatten().collect(), unread: unread.len() }
    }

    /// Rows that have a ratio, those first that take longest now against their baseline.
    fn rows(entries: &[Entry]) -> Vec<&str> {
        let mut rows: Vec<(&str, f64)> = Vec::new();
        for row in entries.iter().rev().flat_map(|entry| &entry.rows) {
            if let Some(change) = row.change().filter(|_| rows.iter().all(|(known, _)| *known != row.name())) {
                rows.push((row.name(), change.ratio));
            }
        }
        rows.sort_by(|one, other| other.1.total_cmp(&one.1));
        rows.into_iter().map(|(row, _)| row).collect()
    }

    /// What became of the rows, commit by commit.
    #[must_use]
    pub fn story(&self, name: &str) -> Story {
        let name = name.to_owned();
        let mut story = Story { title: Some(said(|| filled("studies.gate.history.title", &[("name", &name)]))), ..Story::default() };
        let left_out = self.entries.len().saturating_sub(MOST_TOLD);
        let entries = self.entries.get(left_out..).unwrap_or_default();
        let Some(newest) = entries.last() else { return story };
        story.say(Tone::Strong, said(|| newest_words(newest)));
        let count = self.entries.len();
        story.say(Tone::Plain, said(|| filled("studies.gate.history.count", &[("count", &count), ("told", &(count - left_out))])));
        if self.unread > 0 {
            let unread = self.unread;
            story.say(Tone::Warning, said(|| filled("studies.gate.history.unread", &[("count", &unread)])));
        }
        let rows = Self::rows(entries);
        if !rows.is_empty() {
            story.push(Block::Figure(Figure::Curves(chart(entries, &rows))));
            if rows.len() > CURVES.len() {
                let (shown, all) = (CURVES.len(), rows.len());
                story.say(Tone::Weak, said(|| filled("studies.gate.history.shown", &[("shown", &shown), ("count", &all)])));
            }
        }
        story.push(Block::Table(table(entries)));
        story
    }
}

/// "Newest: no row is slower (commit 1a2b3c4d5e, 2026-11-27)".
fn newest_words(entry: &Entry) -> String {
    let slower = entry.rows.iter().filter(|row| matches!(row, EntryRow::Compared { verdict: Some(Ruling::Slower), .. })).count();
    let day: String = entry.date.chars().take(10).collect();
    let commit = entry.commit.as_deref().map_or_else(|| "–".to_owned(), short);
    let values: [(&str, &dyn Display); 4] = [("day", &day), ("commit", &commit), ("slower", &slower), ("count", &entry.rows.len())];
    filled("studies.gate.history.newest", &values)
}

fn chart(entries: &[Entry], rows: &[&str]) -> Curves {
    let point = |(index, entry): (usize, &Entry), row: &str| {
        let of = entry.change_of(row);
        let Change { ratio, low, high } = of?;
        let (row, label) = (row.to_owned(), entry.label());
        let shown = change(of);
        let name = said(|| filled("studies.gate.history.point", &[("row", &row), ("commit", &label), ("ratio", &shown.told())]));
        Some(CurvePoint { x: (index + 1) as f64, y: ratio, low, high, name })
    };
    let curve = |(row, role): (&&str, Role)| Curve {
        label: Words::from(*row),
        role,
        points: entries.iter().enumerate().filter_map(|entry| point(entry, row)).collect(),
        is_stepped: false,
    };
    let threshold = entries.last().and_then(|entry| entry.fail_slower).map(|share| 1.0 + share);
    let is_new = |pair: &[Entry]| matches!(pair, [one, other] if one.baseline.is_some() && one.baseline != other.baseline);
    let new = entries.windows(2).enumerate().filter(|(_, pair)| is_new(pair));
    Curves {
        curves: rows.iter().zip(CURVES).map(curve).collect(),
        titles: ["studies.gate.history.commits", "studies.gate.ratio"].map(Words::text),
        units: [Unit::Count, Unit::Ratio],
        scale: Scale::Near,
        levels: std::iter::once(1.0).chain(threshold).collect(),
        // Between the two comparisons.
        marks: new.map(|(index, _)| (index as f64 + 1.5, Words::text("studies.gate.history.new-baseline"))).collect(),
        names: entries.iter().map(Entry::label).collect(),
    }
}

/// The newest comparison first.
fn table(entries: &[Entry]) -> Table {
    let columns = [
        ("date", Kind::Words, "studies.gate.history.date"),
        ("commit", Kind::Words, "studies.gate.history.commit"),
        ("row", Kind::Words, "studies.gate.row"),
        ("before_ns", Kind::Number, "studies.gate.before"),
        ("now_ns", Kind::Number, "studies.gate.now"),
        ("ratio", Kind::Number, "studies.gate.ratio"),
        ("verdict", Kind::Words, "studies.gate.verdict"),
    ];
    let mut table = Table::new("comparisons", columns.map(|(name, kind, head)| Column::new(name, kind, head)).to_vec());
    for entry in entries.iter().rev() {
        let commit = entry.commit.as_deref().map_or(Cell::Missing, |commit| Cell::Code(short(commit)));
        for row in &entry.rows {
            let date = Cell::Code(entry.date.replace('T', " ").chars().take(16).collect());
            table.row(match row {
                EntryRow::Not { row, why_not } => {
                    let (row, why) = (row.clone(), why_not.clone());
                    TableRow::Instead(date, said(|| filled("studies.gate.history.not", &[("row", &row), ("why", &why)])))
                }
                EntryRow::Compared { row, before_ns, now_ns, ratio, verdict, .. } => TableRow::Cells(vec![
                    date,
                    commit.clone(),
                    Cell::Words(row.as_str().into()),
                    Cell::Number(*before_ns, Unit::Time),
                    Cell::Number(*now_ns, Unit::Time),
                    change(*ratio),
                    ruled(*verdict, None),
                ]),
            });
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Entry, EntryRow, History, Then};
    use model::measure::{Change, Ruling};
    use view::story::{Block, Figure, text};

    fn entry(day: u32, baseline: &str, ratios: &[f64]) -> Entry {
        let row = |(index, ratio): (usize, &f64)| EntryRow::Compared {
            row: format!("row {index}"),
            before_ns: 1000.0,
            now_ns: 1000.0 * ratio,
            ratio: Some(Change { ratio: *ratio, low: ratio - 0.01, high: ratio + 0.01 }),
            verdict: Some(if *ratio > 1.03 { Ruling::Slower } else { Ruling::NotSlower }),
            compared: "kernel".to_owned(),
        };
        Entry {
            date: format!("2026-11-{day:02}T10:00:00Z"),
            commit: Some(format!("{day:02}{:038}", 0)),
            baseline: Some(Then { date: baseline.to_owned(), commit: None }),
            fail_slower: Some(0.03),
            verdict: "slower".to_owned(),
            rows: ratios.iter().enumerate().map(row).collect(),
            other: serde_json::Map::new(),
        }
    }

    #[test]
    fn lines_of_older_versions_and_what_newer_ones_add_are_kept() {
        let old = r#"{"date":"2026-11-20T10:00:00Z","commit":null,"verdict":"slower","rows":[{"row":"a","before_ns":1.0,"now_ns":2.0,"ratio":{"ratio":2.0,"low":1.9,"high":2.1},"verdict":"slower","compared":"kernel"},{"row":"b","why_not":"it is wrong"}],"weather":"fine"}"#;
        let history = History::of(format!("{old}\n\nno json\n{{}}\n").as_bytes());
        assert_eq!((history.entries.len(), history.unread), (1, 2));
        let line = serde_json::to_value(&history.entries[0]).expect("plain data");
        assert_eq!(line, serde_json::from_str::<serde_json::Value>(old).expect("JSON"));
    }

    #[test]
    fn curves_are_of_the_slowest_rows_and_break_where_the_baseline_is_new() {
        let ratios = [1.0, 1.05, 0.9, 1.01, 1.02];
        let history = History { entries: vec![entry(1, "a", &ratios), entry(2, "a", &ratios), entry(3, "b", &ratios)], unread: 0 };
        let story = history.story("times.jsonl");
        let Some(Figure::Curves(curves)) = story.figures().next() else { panic!("a chart") };
        let labels: Vec<_> = curves.curves.iter().map(|curve| curve.label.to_string()).collect();
        assert_eq!(labels, ["row 1", "row 4", "row 3", "row 0"]);
        assert_eq!(curves.curves[0].points.iter().map(|point| point.x).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert_eq!(curves.marks.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [2.5]);
        assert_eq!(curves.levels, [1.0, 1.03]);
        let told = text::paint(&story);
        assert!(told.contains("1 of 5") && told.contains("4 of 5"), "{told}");
        assert!(story.blocks.iter().any(|block| matches!(block, Block::Table(table) if table.groups[0].rows.len() == 15)));
    }
}
