//! Two variants' totals side by side, and what differs in a line.

use super::drawing::{GAP, TEXT, paragraph};
use super::sums::most_of_a_load;
use super::words::number;
use super::{Answer, View};
use crate::plot::{Anchor, Measure, Role, Scene, wrapped};
use base::texts::{filled, text};

/// Room for a number.
const COLUMN: f64 = 84.0;
/// Room for what is counted: longer texts take two lines.
const MOST_LABEL: f64 = 460.0;
const LINE: f64 = 1.45;

/// A line of the table.
struct Row {
    /// What is counted: the key of its text.
    label: &'static str,
    /// How the line of differences calls it; `None` where another line tells it already.
    part: Option<&'static str>,
    /// Of the first variant and of the second.
    values: [f64; 2],
}

/// Adds the table, and below it what differs.
pub fn compared(page: &mut Scene, views: [&View; 2], measure: Measure<'_>) {
    let rows = rows(views);
    let width = page.width;
    let label_width = (width - 2.0 * COLUMN).min(MOST_LABEL);
    let right = |column: f64| label_width + column * COLUMN;
    let line = |page: &mut Scene, label: &str, values: [&str; 2], role: Role| {
        let lines = wrapped(label, TEXT, label_width, 2, measure);
        for (value, column) in values.into_iter().zip([1.0, 2.0]) {
            page.text(value, (right(column), page.height + TEXT * LINE / 2.0), TEXT, role, Anchor::Right);
        }
        for line in lines {
            page.text(line, (0.0, page.height + TEXT * LINE / 2.0), TEXT, role, Anchor::Left);
            page.height += TEXT * LINE;
        }
    };
    line(page, text("access.compare.totals"), [text("access.compare.column-first"), text("access.compare.column-second")], Role::Weak);
    for row in &rows {
        let [first, second] = row.values.map(number);
        let role = if first == second { Role::Text } else { Role::Strong };
        line(page, text(row.label), [&first, &second], role);
    }
    page.height += GAP / 2.0;
    paragraph(page, &differences(&rows), TEXT, Role::Strong, width, measure);
}

fn rows([first, second]: [&View; 2]) -> Vec<Row> {
    let is_loop = second.question.is_loop;
    let of_device = |sub_group, in_loop| if is_loop { in_loop } else { sub_group };
    let both = |value: &dyn Fn(&View) -> f64| [value(first), value(second)];
    let by_size =
        |view: &View| view.answer.totals.by_size.into_iter().find(|size| size.size_bytes == view.segment_bytes).unwrap_or_default();
    let of = |label, part, values| Row { label, part, values };
    let all = [
        of("access.compare.accesses", Some("access.compare.part-accesses"), both(&|view| accesses(view.answer) as f64)),
        of(of_device("access.compare.pixels", "access.compare.pixels-loop"), None, both(&|view| view.answer.totals.sub_group_px)),
        of(
            of_device("access.compare.most", "access.compare.most-loop"),
            Some(of_device("access.compare.part-most", "access.compare.part-most-loop")),
            both(&|view| most_of_a_load(view.answer, view.segment_bytes) as f64),
        ),
        of("access.compare.wanted", Some("access.compare.part-wanted"), both(&|view| view.answer.totals.wanted_bytes_per_px)),
        of("access.compare.cold", Some("access.compare.part-cold"), both(&|view| by_size(view).cold)),
        of(of_device("access.compare.once", "access.compare.once-loop"), None, both(&|view| by_size(view).once_per_sub_group)),
        of("access.compare.group", None, both(&|view| by_size(view).once_per_group)),
        of("access.compare.reads", Some("access.compare.part-reads"), both(&|view| view.answer.totals.image_reads_per_px)),
        of("access.compare.turns", Some("access.compare.part-turns"), both(&|view| view.answer.totals.bank_cycles_per_px)),
    ];
    all.into_iter().filter(|row| row.values.iter().any(|value| *value > 0.0)).collect()
}

/// Of the work-item, those that make its other pixels, too.
const fn accesses(answer: &Answer) -> usize {
    answer.steps.len() + answer.other_accesses
}

/// "Differences: maximum segments per load 32 → 1; bytes fetched per pixel without a cache 288 → 15".
fn differences(rows: &[Row]) -> String {
    let part = |row: &Row| {
        let [before, after] = row.values.map(number);
        let name = row.part.filter(|_| before != after)?;
        Some(filled("access.compare.part", &[("name", &text(name)), ("before", &before), ("after", &after)]))
    };
    let parts = rows.iter().filter_map(part);
    let joined = parts.reduce(|first, second| filled("access.and", &[("first", &first), ("second", &second)]));
    joined.map_or_else(|| text("access.compare.alike").to_owned(), |parts| filled("access.compare.differs", &[("parts", &parts)]))
}
