//! The history of measurements: name, remove, clear, export.

use super::{TimingsPanel, TimingsSettings};
use crate::app::action::{Action, Command, Export};
use crate::app::history::Row;
use crate::app::labels;
use crate::app::state::State;
use crate::app::widgets::{command_button, menu};
use crate::plot::{Entry, units};
use crate::texts::{filled, text};
use egui::{Align, Label, Layout, RichText, Role, ScrollArea, TextEdit, Ui};

/// The menu button with its list.
pub fn history_ui(ui: &mut Ui, panel: &mut TimingsPanel, state: &State, every_run: &mut bool, actions: &mut Vec<Action>) {
    let count = state.history.rows().len();
    menu(ui, labels::history(), &filled("window.history.title", &[("count", &count)]), 110.0, |ui| {
        ui.set_min_width(640.0);
        ui.checkbox(every_run, labels::every_run()).on_hover_text(text("window.history.every-run-about"));
        ui.separator();
        ui.weak(if count == 0 { text("window.history.none") } else { text("window.history.named-stays") });
        ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
            for row in state.history.rows().iter().rev() {
                entry_ui(ui, panel, row, actions);
            }
        });
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            for export in [Export::Csv, Export::Json, Export::PlotPng, Export::PlotSvg] {
                command_button(ui, state, Command::Export(export), false, actions);
            }
            command_button(ui, state, Command::ClearHistory, false, actions);
        });
    });
}

fn entry_ui(ui: &mut Ui, panel: &mut TimingsPanel, row: &Row, actions: &mut Vec<Action>) {
    let own = row.record.label();
    ui.horizontal(|ui| {
        let is_here = panel.naming.as_ref().is_some_and(|(id, _)| *id == row.id);
        let mut typed = match &panel.naming {
            Some((_, text)) if is_here => text.clone(),
            _ => row.record.name.clone().unwrap_or_default(),
        };
        let ground = ui.visuals().widgets.inactive.weak_bg_fill;
        let field = ui.add(TextEdit::singleline(&mut typed).hint_text(own.clone()).desired_width(240.0).background_color(ground));
        let number = row.id;
        name_field(&field, &filled("window.history.name-of", &[("number", &number), ("own", &own)]));
        if field.changed() {
            panel.naming = Some((row.id, typed.clone()));
        }
        if field.lost_focus() && is_here {
            actions.push(Action::NameRow(row.id, typed));
            panel.naming = None;
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let remove = ui.button(text("window.history.remove")).on_hover_text(text("window.history.remove-about"));
            crate::app::widgets::name(&remove, Role::Button, &filled("window.history.remove-row", &[("number", &number)]), None);
            if remove.clicked() {
                actions.push(Action::RemoveRow(row.id));
            }
            ui.add(Label::new(RichText::new(told(row)).small().weak()).truncate());
        });
    });
}

/// Kernel time, filter, picture and channels in short.
fn told(row: &Row) -> String {
    let reading = &row.record;
    let kernel = match reading.measured() {
        Some(measured) if !measured.verification.is_right() => text("window.history.wrong").to_owned(),
        Some(measured) => measured
            .kernel
            .as_ref()
            .map_or_else(|| text("window.history.no-kernel-time").to_owned(), |kernel| units::time(kernel.median_ns)),
        None => text("window.history.not-measured").to_owned(),
    };
    let filter = reading.spec.filter.filter().label();
    format!("{kernel} · {filter} · {} × {} {}", reading.picture.width_px, reading.picture.height_px, reading.spec.channels.label())
}

/// A text field speaks its text: this gives it a name beside that.
fn name_field(field: &egui::Response, name: &str) {
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label(name.to_owned()));
}

/// What a right click on a bar offers.
pub fn row_menu_ui(ui: &mut Ui, source: &Row, row: &crate::plot::Row, settings: &TimingsSettings, actions: &mut Vec<Action>) {
    ui.weak(&row.label);
    let id = source.id;
    if ui.button(text("window.history.bring-back")).clicked() {
        actions.push(Action::BringBack(id));
        ui.close();
    }
    if ui.button(text("window.history.hide")).on_hover_text(text("window.history.hide-about")).clicked() {
        let mut settings = settings.clone();
        settings.options.hidden.insert(Entry::new(&source.record).key());
        actions.push(Action::SetTimings(settings));
        ui.close();
    }
    if ui.button(text("window.history.remove")).clicked() {
        actions.push(Action::RemoveRow(id));
        ui.close();
    }
}
