//! All readings that are kept, those of earlier sessions included: find, name, bring back, remove.

use super::action::{Action, Command, Export};
use super::labels;
use super::state::State;
use super::theme::{space, type_scale};
use super::widgets::{command_button, name};
use base::texts::{filled, joined, text};
use egui::{Align, Button, Label, Layout, RichText, Role, ScrollArea, TextEdit, Ui, vec2};
use kernels::filters::FilterIdExt;
use model::{Contender, ForeignRecord, Labelled, LocalSize, Record, Shares, local_label};
use view::plot::units;

/// What this panel keeps between frames that is neither saved nor anyone else's business.
#[derive(Default)]
pub struct HistoryPanel {
    /// The row whose name is being typed, and what is typed.
    naming: Option<(u64, String)>,
    /// Rows that have none of these words are left out.
    search: String,
}

/// A column: the key of its head, and its width in points at the usual type size.
type Column = (&'static str, f32);

/// From left to right; the name before them and the buttons after them are no text.
const COLUMNS: [Column; 9] = [
    ("window.readings.kernel", 112.0),
    ("window.readings.roof", 150.0),
    ("window.readings.variant", 210.0),
    ("window.readings.local", 90.0),
    ("window.readings.filter", 140.0),
    ("window.readings.channels", 70.0),
    ("window.readings.picture", 100.0),
    ("window.readings.device", 150.0),
    ("window.readings.when", 130.0),
];

/// Width of the field for a name.
const NAME_POINTS: f32 = 130.0;

/// Draws the panel into all of `ui`.
pub fn history_panel_ui(ui: &mut Ui, panel: &mut HistoryPanel, state: &State, actions: &mut Vec<Action>) {
    let words: Vec<String> = panel.search.split_whitespace().map(str::to_lowercase).collect();
    let all = state.history.kept();
    let found: Vec<(u64, &Record)> = all.filter(|(_, record)| has_words(record, &words)).collect();
    let foreign: Vec<&ForeignRecord> = state.history.foreign().filter(|record| foreign_has_words(record, &words)).collect();
    let shown = found.len() + foreign.len();
    ui.horizontal_wrapped(|ui| {
        let field = ui.add(TextEdit::singleline(&mut panel.search).hint_text(text("window.readings.search")).desired_width(230.0));
        name(&field, Role::TextInput, labels::search_history(), Some(&panel.search));
        let count = state.history.kept().count() + state.history.foreign().len();
        let key = if shown == count { "window.readings.count" } else { "window.readings.some" };
        ui.weak(filled(key, &[("count", &count), ("found", &shown)]));
        for command in [Command::Export(Export::Csv), Command::Export(Export::Json), Command::ClearHistory] {
            command_button(ui, state, command, false, actions);
        }
    });
    if shown == 0 {
        ui.weak(text(if words.is_empty() { "window.history.none" } else { "window.readings.not-found" }));
        return;
    }
    let scale = type_scale(ui);
    let row_height = ui.spacing().interact_size.y;
    ScrollArea::horizontal().auto_shrink([false, false]).show(ui, |ui| {
        ui.horizontal(|ui| {
            head(ui, text("window.readings.name"), NAME_POINTS * scale);
            for (title, width) in COLUMNS {
                head(ui, text(title), width * scale);
            }
        });
        ScrollArea::vertical().auto_shrink([false, false]).show_rows(ui, row_height, shown, |ui, range| {
            for (id, record) in found.iter().rev().skip(range.start).take(range.len()) {
                ui.push_id(id, |ui| row_ui(ui, panel, state, (*id, record), actions));
            }
            // Those that cannot be brought back come last.
            let from = range.start.saturating_sub(found.len());
            let to = range.end.saturating_sub(found.len());
            for record in foreign.iter().take(to).skip(from) {
                foreign_ui(ui, record);
            }
        });
    });
}

fn head(ui: &mut Ui, title: &str, width: f32) {
    cell(ui, width, RichText::new(title).small().weak());
}

fn cell(ui: &mut Ui, width: f32, text: impl Into<egui::WidgetText>) {
    let height = ui.spacing().interact_size.y;
    ui.allocate_ui_with_layout(vec2(width, height), Layout::left_to_right(Align::Center), |ui| {
        ui.set_width(width);
        ui.add(Label::new(text).truncate());
    });
}

fn row_ui(ui: &mut Ui, panel: &mut HistoryPanel, state: &State, (id, record): (u64, &Record), actions: &mut Vec<Action>) {
    let scale = type_scale(ui);
    ui.horizontal(|ui| {
        name_ui(ui, panel, (id, record), scale, actions);
        for (words, (_, width)) in cells(record, state.shares(record).as_ref()).into_iter().zip(COLUMNS) {
            cell(ui, width * scale, words);
        }
        let bring_back = ui.button(text("window.history.bring-back")).on_hover_text(text("window.readings.bring-back-about"));
        name(&bring_back, Role::Button, &filled("window.readings.bring-back", &[("id", &id)]), None);
        if bring_back.clicked() {
            actions.push(Action::BringBack(id));
        }
        let remove = ui.add(Button::new(text("window.history.remove"))).on_hover_text(text("window.readings.remove-about"));
        name(&remove, Role::Button, &filled("window.readings.remove", &[("id", &id)]), None);
        if remove.clicked() {
            actions.push(Action::RemoveRow(id));
        }
        ui.add_space(space::LARGE);
    });
}

/// A row of another version of the program, with what this one does not know of it in the place of a name.
fn foreign_ui(ui: &mut Ui, record: &ForeignRecord) {
    let scale = type_scale(ui);
    ui.horizontal(|ui| {
        let why = record.why.to_string();
        for (words, width) in foreign_cells(record).into_iter().zip([NAME_POINTS].into_iter().chain(COLUMNS.map(|(_, width)| width))) {
            cell(ui, width * scale, RichText::new(words).weak());
        }
        ui.weak(why);
    });
}

/// The texts of the name's column and of [`COLUMNS`].
fn foreign_cells(record: &ForeignRecord) -> [String; 10] {
    let none = || "–".to_owned();
    let time = record.median_ns.map_or_else(none, units::time);
    let [contender, filter, device] = [&record.contender, &record.filter, &record.device].map(String::clone);
    [text("window.readings.foreign").to_owned(), time, none(), contender, none(), filter, none(), none(), device, when(&record.date)]
}

fn foreign_has_words(record: &ForeignRecord, words: &[String]) -> bool {
    let row = format!("{} {}", foreign_cells(record).join(" "), record.why).to_lowercase();
    words.iter().all(|word| row.contains(word.as_str()))
}

fn when(date: &str) -> String {
    date.replace('T', " ").chars().take("2026-02-03 04:05".len()).collect()
}

fn name_ui(ui: &mut Ui, panel: &mut HistoryPanel, (id, record): (u64, &Record), scale: f32, actions: &mut Vec<Action>) {
    let is_here = panel.naming.as_ref().is_some_and(|(known, _)| *known == id);
    let mut typed = match &panel.naming {
        Some((_, typed)) if is_here => typed.clone(),
        _ => record.name.clone().unwrap_or_default(),
    };
    let ground = ui.visuals().widgets.inactive.weak_bg_fill;
    let field = ui.add(
        TextEdit::singleline(&mut typed)
            .hint_text(text("window.readings.name-it"))
            .desired_width(NAME_POINTS * scale)
            .align(egui::Align2::LEFT_CENTER)
            .background_color(ground),
    );
    // A text field speaks its text: this gives it a name beside that.
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label(filled("window.readings.name-of", &[("id", &id)])));
    if field.changed() {
        panel.naming = Some((id, typed.clone()));
    }
    let field = field.on_hover_text(text("window.readings.named-stays"));
    if field.lost_focus() && is_here {
        actions.push(Action::NameRow(id, typed));
        panel.naming = None;
    }
}

/// The texts of [`COLUMNS`]; `shares` are those of the roofs.
fn cells(record: &Record, shares: Option<&Shares>) -> [String; 9] {
    let kernel = match record.measured() {
        Some(measured) if !measured.verification.is_right() => text("window.history.wrong").to_owned(),
        Some(measured) => measured
            .kernel
            .as_ref()
            .map_or_else(|| text("window.history.no-kernel-time").to_owned(), |kernel| units::time(kernel.median_ns)),
        None => text("window.history.not-measured").to_owned(),
    };
    let kernel = if record.is_busy() { filled("window.readings.busy", &[("time", &kernel)]) } else { kernel };
    let (variant, local) = match &record.contender {
        Contender::Cpu { engine, .. } => (engine.label().to_owned(), "–".to_owned()),
        Contender::Device { variant, local, local_used, .. } => (variant.to_string(), local_text(*local, *local_used)),
    };
    let parameters: Vec<String> = record.spec.parameters.0.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let filter = record.spec.filter.filter().label();
    [
        kernel,
        shares.map_or_else(|| "–".to_owned(), units::bound),
        variant,
        local,
        joined("words.list.items", std::iter::once(filter.to_owned()).chain(parameters)),
        record.spec.channels.label().to_owned(),
        format!("{} × {}", record.picture.width_px, record.picture.height_px),
        record.machine.label(),
        when(&record.date),
    ]
}

fn local_text(asked: LocalSize, used: Option<[usize; 2]>) -> String {
    match (asked, used) {
        (LocalSize::Explicit(size), _) | (LocalSize::Driver, Some(size)) => local_label(size),
        (LocalSize::Driver, None) => text("window.readings.drivers").to_owned(),
    }
}

/// Whether each of `words`, in lower case, is somewhere in the row.
fn has_words(record: &Record, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let row = format!("{} {}", record.name.as_deref().unwrap_or(""), cells(record, None).join(" ")).to_lowercase();
    words.iter().all(|word| row.contains(word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{cells, has_words};
    use crate::testing::records::{on_cpu, on_device, with_local};
    use model::{CpuEngine, Record};

    #[test]
    fn a_row_says_filter_local_size_and_when() {
        let row = cells(&with_local(on_device("padded+vectorize=4", 1.5e6), [16, 4]), None);
        assert_eq!(row[..2], ["1.5 ms", "–"].map(str::to_owned));
        assert_eq!(row[2..5], ["padded+vectorize=4", "16 × 4", "Laplace sharpen"].map(str::to_owned));
        assert_eq!(row[8], "2026-02-03 04:05");
        assert_eq!(cells(&on_cpu(CpuEngine::Simd, 1e6), None)[2..4], ["CPU SIMD", "–"].map(str::to_owned));
    }

    #[test]
    fn rows_are_found_by_any_of_their_words() {
        let record = Record { name: Some("My start".to_owned()), ..on_device("padded", 1e6) };
        let has = |text: &str| has_words(&record, &text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert!(has("") && has("start") && has("padded laplace") && has("test device") && has("2048 ×"));
        assert!(!has("padded gauss") && !has("naive"));
    }
}
