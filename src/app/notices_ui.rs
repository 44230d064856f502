//! Notices: what happened, why, what to do; long detail folded away.

use super::action::Action;
use super::labels;
use super::notice::{Notice, Severity};
use super::state::State;
use super::theme::accent;
use super::widgets::{command_button, name};
use egui::{Align, Frame, Label, Layout, RichText, Role, Stroke, Ui};

/// Draws all notices, the newest first; nothing where there are none.
pub fn notices_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    for notice in state.notices.all().iter().rev() {
        ui.push_id(notice.id, |ui| notice_ui(ui, state, notice, actions));
    }
}

fn notice_ui(ui: &mut Ui, state: &State, notice: &Notice, actions: &mut Vec<Action>) {
    let (word, color) = match notice.severity {
        Severity::Info => ("Note", accent(ui.visuals().dark_mode)),
        Severity::Warning => ("Warning", ui.visuals().warn_fg_color),
        Severity::Error => ("Error", ui.visuals().error_fg_color),
    };
    let frame = Frame::new().fill(ui.visuals().faint_bg_color).stroke(Stroke::new(1.0, color)).corner_radius(6).inner_margin(10);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_top(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
                buttons(ui, state, notice, actions);
                ui.with_layout(Layout::top_down(Align::Min), |ui| words(ui, notice, word, color));
            });
        });
        if !notice.remedy.is_empty() {
            ui.add(Label::new(format!("What to do: {}", notice.remedy)).selectable(true).wrap());
        }
        if let Some(detail) = &notice.detail {
            ui.collapsing(labels::DETAILS, |ui| {
                egui::ScrollArea::both().max_height(160.0).show(ui, |ui| {
                    ui.add(Label::new(RichText::new(detail).monospace().small()).selectable(true).extend());
                });
            });
        }
    });
}

fn words(ui: &mut Ui, notice: &Notice, word: &str, color: egui::Color32) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(word).color(color).strong());
        ui.label(RichText::new(&notice.what).strong());
        if !notice.why.is_empty() {
            ui.label(&notice.why);
        }
    });
}

fn buttons(ui: &mut Ui, state: &State, notice: &Notice, actions: &mut Vec<Action>) {
    let response = ui.button(labels::DISMISS);
    name(&response, Role::Button, &format!("{} {}", labels::DISMISS, notice.what), None);
    if response.clicked() {
        actions.push(Action::DismissNotice(notice.id));
    }
    for &command in &notice.ways_on {
        command_button(ui, state, command, false, actions);
    }
}
