//! Notices: what happened, why, what to do; long detail folded away. They lie over the panels, in a corner: nothing moves for them, and what they cover
//! is reached by dragging them aside.

use super::action::Action;
use super::labels;
use super::notice::{Notice, Severity};
use super::state::State;
use super::theme::{accent, space};
use super::widgets::{command_button, name};
use base::texts::{filled, text};
use egui::{Align, Align2, Area, Frame, Id, Label, Layout, Order, Rect, RichText, Role, ScrollArea, Stroke, Ui};

/// Width of a notice in points, where there is that much.
const WIDTH_POINTS: f32 = 560.0;

/// Draws all notices over the lower right corner of `area`, the newest first; nothing where there are none.
pub fn notices_ui(ctx: &egui::Context, area: Rect, state: &State, actions: &mut Vec<Action>) {
    if state.notices.all().is_empty() {
        return;
    }
    let area = area.shrink(space::MEDIUM);
    // In a window of another size, in its corner again.
    Area::new(Id::unique(("notices", area.right_bottom().x as i32, area.right_bottom().y as i32)))
        .order(Order::Middle)
        .pivot(Align2::RIGHT_BOTTOM)
        .default_pos(area.right_bottom())
        .movable(true)
        .constrain_to(area)
        .fade_in(false)
        .show(ctx, |ui| {
            ui.set_width(area.width().min(WIDTH_POINTS));
            // An area remembers its size: what is longer than before would be cut off at the bottom, its remedy first. Its lower corner stays, so it grows upward.
            ui.set_max_height(area.height());
            ScrollArea::vertical().max_height(area.height()).show(ui, |ui| {
                for notice in state.notices.all().iter().rev() {
                    ui.push_id(notice.id, |ui| notice_ui(ui, state, notice, actions));
                }
            });
        });
}

fn notice_ui(ui: &mut Ui, state: &State, notice: &Notice, actions: &mut Vec<Action>) {
    let (word, color) = match notice.severity {
        Severity::Info => (text("window.notice.note"), accent(ui.visuals().dark_mode)),
        Severity::Warning => (text("window.notice.warning"), ui.visuals().warn_fg_color),
        Severity::Error => (text("window.notice.error"), ui.visuals().error_fg_color),
    };
    let shadow = ui.visuals().popup_shadow;
    let frame =
        Frame::new().fill(ui.visuals().window_fill).stroke(Stroke::new(1.0, color)).corner_radius(6).inner_margin(10).shadow(shadow);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_top(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
                dismiss(ui, notice, actions);
                ui.with_layout(Layout::top_down(Align::Min), |ui| words(ui, notice, word, color));
            });
        });
        if !notice.remedy.is_empty() {
            ui.add(Label::new(filled("window.notice.what-to-do", &[("remedy", &notice.remedy)])).selectable(true).wrap());
        }
        if !notice.ways_on.is_empty() {
            ui.add_space(space::SMALL);
            ui.horizontal_wrapped(|ui| {
                for &command in &notice.ways_on {
                    command_button(ui, state, command, false, actions);
                }
            });
        }
        if let Some(detail) = &notice.detail {
            ui.collapsing(labels::details(), |ui| {
                ScrollArea::both().max_height(160.0).show(ui, |ui| {
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

fn dismiss(ui: &mut Ui, notice: &Notice, actions: &mut Vec<Action>) {
    let response = ui.button(labels::dismiss());
    name(&response, Role::Button, &format!("{} {}", labels::dismiss(), notice.what), None);
    if response.clicked() {
        actions.push(Action::DismissNotice(notice.id));
    }
}
