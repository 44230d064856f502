//! What came of the rows as a story.

use super::judging::{Judged, Outcome, Outlook, Question, Ratio, Terms, overall};
use super::{Baseline, Fingerprint};
use base::texts::{Words, filled, text};
use model::measure::{Change, Ruling};
use std::fmt::Display;
use view::plot::units::{self, Unit};
use view::story::{Block, Cell, Column, Kind, Mark, Row, Story, Table, Tone, said};

/// The whole comparison: where the baseline is from, a row for each of its rows, and what they come to.
#[must_use]
pub fn story(baseline: &Baseline, now: &Fingerprint, differences: &[String], terms: &Terms, judged: &[Judged]) -> Story {
    let mut story = Story::default();
    let then = &baseline.fingerprint;
    let commit = |of: &Fingerprint| of.commit.as_ref().map_or_else(|| "–".to_owned(), |commit| short(commit));
    story.say(
        Tone::Plain,
        said(|| {
            let values: [(&str, &dyn Display); 4] =
                [("date", &then.date), ("then", &commit(then)), ("now", &commit(now)), ("version", &then.program)];
            filled("studies.gate.head", &values)
        }),
    );
    for clause in differences {
        let clause = clause.clone();
        story.say(Tone::Warning, said(|| filled("studies.gate.across", &[("why", &clause)])));
    }
    for warning in warnings(then, now) {
        story.say(Tone::Warning, warning);
    }
    story.push(Block::Table(table(terms, judged)));
    story.say(Tone::Strong, outlook(judged, terms));
    let slower = machine_slower(judged, terms);
    if slower > 0 && !terms.is_across {
        story.say(Tone::Warning, said(|| filled("studies.gate.machine-slower", &[("count", &slower)])));
    }
    if !terms.is_across {
        let percent = percent(terms.threshold);
        story.say(
            Tone::Weak,
            said(|| filled("studies.gate.rule", &[("percent", &percent), ("limit", &units::significant(1.0 + terms.threshold))])),
        );
    }
    story
}

/// How many kernels that are the same took longer than then.
fn machine_slower(judged: &[Judged], terms: &Terms) -> usize {
    let is_slower = |judged: &&Judged| {
        let Outcome::Compared(ratio) = &judged.outcome else { return false };
        ratio.question == Question::Nothing && ratio.change.is_some_and(|change| change.ruling(terms.threshold) == Ruling::Slower)
    };
    judged.iter().filter(is_slower).count()
}

/// The first letters of a commit, with the mark of changed files.
pub(super) fn short(commit: &str) -> String {
    let (hash, dirty) = commit.split_once('-').map_or((commit, false), |(hash, _)| (hash, true));
    let hash: String = hash.chars().take(10).collect();
    if dirty { filled("studies.gate.dirty", &[("commit", &hash)]) } else { hash }
}

/// A threshold as "3" or "2.5".
fn percent(threshold: f64) -> String {
    units::number(100.0 * threshold)
}

/// What may move times without any fault of a kernel's.
fn warnings(then: &Fingerprint, now: &Fingerprint) -> Vec<Words> {
    let mut warnings = Vec::new();
    if let (Some(one), Some(other)) = (&then.power.governor, &now.power.governor)
        && one != other
    {
        warnings.push(said(|| filled("studies.gate.other-governor", &[("then", one), ("now", other)])));
    }
    match (then.power.on_battery, now.power.on_battery) {
        (Some(false), Some(true)) => warnings.push(Words::text("studies.gate.battery-now")),
        (Some(true), Some(false)) => warnings.push(Words::text("studies.gate.battery-then")),
        _ => {}
    }
    if then.program != now.program {
        warnings.push(said(|| filled("studies.gate.other-program", &[("then", &then.program), ("now", &now.program)])));
    }
    warnings
}

fn table(terms: &Terms, judged: &[Judged]) -> Table {
    let mut columns = vec![
        Column::new("row", Kind::Words, "studies.gate.row"),
        Column::new("before_ns", Kind::Number, "studies.gate.before"),
        Column::new("now_ns", Kind::Number, "studies.gate.now"),
        Column::new("ratio", Kind::Number, "studies.gate.ratio"),
        Column::new("verdict", Kind::Words, "studies.gate.verdict"),
        Column::new("question", Kind::Words, "studies.gate.question"),
    ];
    if terms.is_across {
        columns.retain(|column| !["verdict", "question"].contains(&column.name.as_str()));
    }
    let mut table = Table::new("rows", columns);
    for Judged { name, outcome, .. } in judged {
        let name = Cell::Words(name.clone());
        table.row(match outcome {
            Outcome::Failed(why) => Row::Instead(name, said(|| filled("tables.bench.failed", &[("why", why)]))),
            Outcome::Skipped(why) => Row::Instead(name, said(|| filled("studies.gate.skipped", &[("why", why)]))),
            Outcome::Compared(ratio) => {
                let mut cells =
                    vec![name, Cell::Number(ratio.before_ns, Unit::Time), Cell::Number(ratio.now_ns, Unit::Time), change(ratio.change)];
                if !terms.is_across {
                    cells.extend([verdict(ratio), Cell::Words(question(&ratio.question))]);
                }
                Row::Cells(cells)
            }
        });
    }
    table
}

/// A ratio with its interval.
pub(super) fn change(change: Option<Change>) -> Cell {
    change.map_or(Cell::Missing, |Change { ratio, low, high }| Cell::Between([ratio, low, high], Unit::Ratio))
}

/// A ruling, with what there is to remark; nothing where none was made.
pub(super) fn ruled(ruling: Option<Ruling>, remark: Option<Words>) -> Cell {
    let (mark, key) = match ruling {
        Some(Ruling::Slower) => (Mark::Reversed, "studies.gate.slower"),
        Some(Ruling::NotSlower) => (Mark::Confirmed, "studies.gate.not-slower"),
        Some(Ruling::Inconclusive) => (Mark::Unclear, "studies.gate.inconclusive"),
        None => return Cell::Missing,
    };
    let words = match remark {
        Some(remark) => said(|| filled("tables.bench.remark", &[("what", &text(key)), ("remark", &remark)])),
        None => Words::text(key),
    };
    Cell::Verdict(mark, words)
}

fn verdict(ratio: &Ratio) -> Cell {
    ruled(ratio.ruling, ratio.why.clone().or_else(|| ratio.busy.then(|| Words::text("tables.busy"))))
}

fn question(question: &Question) -> Words {
    match question {
        Question::Kernel => Words::text("studies.gate.kernel"),
        Question::Nothing => Words::text("studies.gate.nothing"),
        Question::Machine => Words::text("studies.gate.machine"),
        Question::KernelAndMachine(why) => said(|| filled("studies.gate.kernel-and-machine", &[("why", why)])),
    }
}

fn outlook(judged: &[Judged], terms: &Terms) -> Words {
    let said_of = |key: &'static str, count: usize| said(|| filled(key, &[("count", &count), ("total", &judged.len())]));
    match overall(judged, terms) {
        Outlook::Failed(count) => said_of("studies.gate.outlook-failed", count),
        Outlook::Slower(count) => said_of("studies.gate.outlook-slower", count),
        Outlook::Inconclusive(count) => said_of("studies.gate.outlook-inconclusive", count),
        Outlook::NotSlower => said_of("studies.gate.outlook-not-slower", judged.len()),
        Outlook::Across => Words::text("studies.gate.outlook-across"),
    }
}

/// A row in a sentence, without its name.
#[must_use]
pub fn row_sentence(judged: &Judged) -> String {
    match &judged.outcome {
        Outcome::Failed(why) => filled("tables.bench.failed", &[("why", why)]),
        Outcome::Skipped(why) => filled("studies.gate.skipped", &[("why", why)]),
        Outcome::Compared(ratio) => {
            let question = question(&ratio.question);
            let values: [(&str, &dyn Display); 6] = [
                ("verdict", &verdict(ratio).told()),
                ("ratio", &change(ratio.change).told()),
                ("before", &units::time(ratio.before_ns)),
                ("now", &units::time(ratio.now_ns)),
                ("count", &ratio.processes),
                ("question", &question),
            ];
            filled("studies.gate.sentence", &values)
        }
    }
}
