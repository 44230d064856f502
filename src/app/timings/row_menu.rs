//! What a right click on a row of the chart offers.

use super::TimingsSettings;
use crate::app::action::Action;
use crate::app::history::Row;
use base::texts::text;
use egui::Ui;
use view::plot::Entry;

/// Draws the menu.
pub fn row_menu_ui(ui: &mut Ui, source: &Row, row: &view::plot::Row, settings: &TimingsSettings, actions: &mut Vec<Action>) {
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
