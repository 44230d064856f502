//! The table of what a kernel's code is made of, beside the other variant's.

use crate::app::theme::{accent, space};
use base::texts::{filled, text};
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align, Color32, Rect, Response, Role, ScrollArea, Sense, TextStyle, Ui, pos2, vec2};
use model::{CompiledKernel, Counted, Mix};
use std::collections::BTreeMap;

/// Width of the column of changes, in points, at the usual size of type.
const CHANGE_POINTS: f32 = 56.0;

/// How much of a line the names of counts get.
const LABEL_SHARE: f32 = 0.55;

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What is counted.
    pub label: String,
    /// Of the other variant; `None` where there is none.
    pub before: Option<String>,
    /// Of this one.
    pub now: String,
    /// "+3"; empty where nothing changed, and where the two are no numbers.
    pub change: String,
}

impl Row {
    fn is_changed(&self) -> bool {
        self.before.as_ref().is_some_and(|before| *before != self.now)
    }
}

/// Counts that are not zero in both.
fn count_rows(now: &Mix, before: Option<&Mix>) -> Vec<Row> {
    let (now, before) = (now.groups(), before.map(Mix::groups));
    let mut rows = Vec::new();
    for (index, (label, counts)) in now.into_iter().enumerate() {
        let before = before.as_ref().map(|groups| groups.get(index).map_or(&[][..], |(_, counts)| counts.as_slice()));
        let mut widths: BTreeMap<u32, [u32; 2]> = BTreeMap::new();
        for &(bits, count) in before.unwrap_or(&[]) {
            widths.entry(bits).or_default()[0] = count;
        }
        for (bits, count) in counts {
            widths.entry(bits).or_default()[1] = count;
        }
        for (bits, [old, new]) in widths.into_iter().filter(|(_, counts)| *counts != [0, 0]) {
            let label = capitalized(label);
            let label = if bits == 0 { label } else { filled("code.count.width", &[("label", &label), ("bits", &bits)]) };
            let change = i64::from(new) - i64::from(old);
            let change = if before.is_some() && change != 0 { format!("{change:+}") } else { String::new() };
            rows.push(Row { label, before: before.map(|_| old.to_string()), now: new.to_string(), change });
        }
    }
    rows
}

/// What else is known of either.
fn fact_rows(now: &CompiledKernel, before: Option<&CompiledKernel>) -> Vec<Row> {
    let before = before.map(CompiledKernel::facts);
    let row = |(index, (label, now)): (usize, (&'static str, Option<String>))| {
        let old = before.as_ref().map(|facts| facts.get(index).and_then(|(_, text)| text.clone()));
        if now.is_none() && old.as_ref().is_none_or(Option::is_none) {
            return None;
        }
        let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<i64>().ok());
        let change = old.as_ref().and_then(|old| Some(number(&now)? - number(old)?)).filter(|change| *change != 0);
        let told = |known: Option<String>| known.unwrap_or_else(|| text("code.fact.unknown").to_owned());
        let change = change.map_or_else(String::new, |change| format!("{change:+}"));
        Some(Row { label: capitalized(label), before: old.map(told), now: told(now), change })
    };
    now.facts().into_iter().enumerate().filter_map(row).collect()
}

/// With a capital at its beginning.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

/// All lines of a kernel: the counts of the piece, and what is known of the whole. `Err` with a sentence where it has no such piece.
pub fn rows(now: &CompiledKernel, before: Option<&CompiledKernel>, counted: Counted) -> Result<Vec<Row>, String> {
    let mut rows = match now.mix(counted) {
        Some(mix) => count_rows(mix, before.and_then(|before| before.mix(counted))),
        // What was not read has no counts, and facts all the same.
        None if now.whole.is_none() => Vec::new(),
        None => return Err(filled("code.piece.missing", &[("piece", &counted.label())])),
    };
    rows.extend(fact_rows(now, before));
    Ok(rows)
}

/// Draws the table; `names` are the columns' heads, the other variant's first.
pub fn table_ui(ui: &mut Ui, names: (Option<&str>, &str), rows: &[Row]) {
    let columns = Columns::of(ui, names.0.is_some());
    ScrollArea::vertical().id_salt("counts").auto_shrink([false, false]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let (rect, response) = line(ui);
        let heading =
            names.0.map_or_else(|| names.1.to_owned(), |before| filled("code.panel.heading", &[("before", &before), ("now", &names.1)]));
        // Each over its own column; names are as long as a variant has stages, and whole where the pointer rests.
        columns.paint(ui, rect, ["", names.0.unwrap_or(""), names.1, ""], [ui.visuals().weak_text_color(); 4]);
        speak(&response, &heading);
        response.on_hover_text(heading);
        for (index, row) in rows.iter().enumerate() {
            row_ui(ui, &columns, row, index);
        }
        ui.add_space(space::MEDIUM);
    });
}

fn row_ui(ui: &mut Ui, columns: &Columns, row: &Row, index: usize) {
    let (rect, response) = line(ui);
    if index.is_multiple_of(2) {
        ui.painter().rect_filled(rect, 2.0, ui.visuals().faint_bg_color);
    }
    let (visuals, is_changed) = (ui.visuals(), row.is_changed());
    let ink = if is_changed { accent(visuals.dark_mode) } else { visuals.text_color() };
    let quiet = if is_changed { visuals.text_color() } else { visuals.weak_text_color() };
    let cells = [row.label.as_str(), row.before.as_deref().unwrap_or(""), row.now.as_str(), row.change.as_str()];
    columns.paint(ui, rect, cells, [visuals.text_color(), quiet, if row.before.is_some() && !is_changed { quiet } else { ink }, ink]);
    let spoken = match &row.before {
        Some(before) if is_changed => filled("code.panel.row-changed", &[("label", &row.label), ("before", before), ("now", &row.now)]),
        _ => filled("code.panel.row", &[("label", &row.label), ("now", &row.now)]),
    };
    speak(&response, &spoken);
    response.on_hover_text(spoken);
}

fn line(ui: &mut Ui) -> (Rect, Response) {
    let height = ui.text_style_height(&TextStyle::Body) + 4.0;
    ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover())
}

fn speak(response: &Response, text: &str) {
    crate::app::widgets::name(response, Role::Label, text, None);
}

/// Where columns end, from a line's left edge.
struct Columns {
    /// Label, before, now, change.
    ends: [f32; 4],
}

impl Columns {
    fn of(ui: &Ui, has_before: bool) -> Self {
        let scale = ui.text_style_height(&TextStyle::Body) / 18.0;
        // The scroll bar's room stays free.
        let width = ui.available_width() - 10.0;
        if !has_before {
            return Self { ends: [width * LABEL_SHARE, width * LABEL_SHARE, width, width] };
        }
        let (change, label) = (CHANGE_POINTS * scale, width * LABEL_SHARE);
        let column = (width - label - change) / 2.0;
        Self { ends: [label, label + column, label + 2.0 * column, width] }
    }

    fn paint(&self, ui: &Ui, rect: Rect, cells: [&str; 4], inks: [Color32; 4]) {
        let mut start = 0.0;
        for (index, ((text, ink), end)) in cells.into_iter().zip(inks).zip(self.ends).enumerate() {
            let align = if index == 0 { Align::Min } else { Align::Max };
            paint_cell(ui, rect, (text, ink), [start, end], align);
            start = end;
        }
    }
}

/// Paints a text between two places of a line, cut where it is too long.
fn paint_cell(ui: &Ui, rect: Rect, (text, ink): (&str, Color32), [start, end]: [f32; 2], align: Align) {
    let room = end - start - 2.0 * space::SMALL;
    if text.is_empty() || room <= 0.0 {
        return;
    }
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(TextStyle::Body.resolve(ui.style()), ink));
    job.wrap = TextWrapping::truncate_at_width(room);
    let galley = ui.painter().layout_job(job);
    let x = if align == Align::Min { start + space::SMALL } else { end - space::SMALL - galley.size().x };
    ui.painter().galley(pos2(rect.left() + x, rect.center().y - galley.size().y / 2.0), galley, ink);
}

#[cfg(test)]
mod tests {
    use super::{Row, rows};
    use model::{CodeForm, CompiledKernel, Counted, Mix, Resources, Space, Width};

    fn kernel(loads: &[(u32, u32)], shuffles: u32, registers: Option<u32>) -> CompiledKernel {
        let loads = loads.iter().map(|&(bits, count)| (Width { space: Space::Global, bits }, count)).collect();
        CompiledKernel {
            kernel: "laplace".to_owned(),
            form: CodeForm::Ptx,
            group: None,
            code_hash: String::new(),
            code_bytes: None,
            resources: Resources { registers, ..Resources::default() },
            hot_block: None,
            innermost_loop: None,
            whole: Some(Mix { instructions: 40, loads, shuffles, ..Mix::default() }),
        }
    }

    fn row(label: &str, before: Option<&str>, now: &str, change: &str) -> Row {
        Row { label: label.into(), before: before.map(str::to_owned), now: now.into(), change: change.into() }
    }

    #[test]
    fn only_what_one_of_the_two_has_is_shown_with_its_change() {
        let (before, now) = (kernel(&[(8, 27)], 0, Some(32)), kernel(&[(8, 3), (128, 2)], 5, None));
        assert_eq!(
            rows(&now, Some(&before), Counted::Whole).expect("rows"),
            [
                row("Instructions", Some("40"), "40", ""),
                row("Loads, 8 bits", Some("27"), "3", "-24"),
                row("Loads, 128 bits", Some("0"), "2", "+2"),
                row("Shuffles", Some("0"), "5", "+5"),
                row("Registers per work-item", Some("32"), "unknown", ""),
                row("Form", Some("PTX"), "PTX", ""),
                row("Compiled for work-group size", Some("any size"), "any size", ""),
            ]
        );
        assert_eq!(rows(&before, None, Counted::Whole).expect("rows")[1], row("Loads, 8 bits", None, "27", ""));
        assert!(rows(&now, None, Counted::HotBlock).expect_err("none").contains("no hot block"));
    }
}
