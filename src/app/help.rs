//! The page of shortcuts and terms.

use super::action::{Action, Command};
use super::glossary;
use super::pictures::KEYS;
use super::state::State;
use super::theme::space;
use super::widgets::command_button;
use egui::{Grid, RichText, ScrollArea, Ui, Window};

/// Width of the first column of every table of the page.
const COLUMN: f32 = 170.0;

/// Keys that are no command's.
const KEYS_OF_ALL: [(&str, &str); 3] = [
    ("Tab", "To the next control; Space presses it"),
    ("Ctrl+Tab", "To the next of the tabs under the pointer"),
    ("Ctrl +/−/0", "Larger, smaller, normal"),
];

/// What the mouse does on the pictures, in the order of use.
const MOUSE: [(&str, &str); 6] = [
    ("Wheel", "Zoom at the pointer"),
    ("Drag", "Move the pictures; both move together"),
    ("Double-click", "Fit, or 1:1 where they fit already"),
    ("Drop a file", "Open it"),
    ("Drag a tab", "Move the panel; drag the line between two panels to resize them"),
    ("Right-click a tab", "Hide the panel; the Panels menu brings it back"),
];

/// Draws the page while it is open.
pub fn help_ui(ui: &Ui, state: &State, actions: &mut Vec<Action>) {
    let mut is_open = state.is_help_open;
    Window::new("Shortcuts and terms")
        .open(&mut is_open)
        .default_size([600.0, 640.0])
        .pivot(egui::Align2::CENTER_CENTER)
        .default_pos(ui.ctx().content_rect().center())
        .collapsible(false)
        .show(ui.ctx(), |ui| {
            ScrollArea::vertical().show(ui, |ui| {
                Grid::new("shortcuts").num_columns(2).min_col_width(COLUMN).spacing([space::LARGE, 2.0]).striped(true).show(ui, |ui| {
                    for command in Command::ALL {
                        let text = command.text();
                        if let Some(keys) = text.shortcut {
                            ui.monospace(ui.ctx().format_shortcut(&keys));
                            ui.label(text.tooltip);
                            ui.end_row();
                        }
                    }
                    for (key, what) in KEYS_OF_ALL {
                        ui.monospace(key);
                        ui.label(what);
                        ui.end_row();
                    }
                });
                pairs(ui, "Mouse", &MOUSE);
                pairs(ui, "Keys on the pictures", &KEYS);
                terms_ui(ui);
                ui.separator();
                command_button(ui, state, Command::ShowFrames, false, actions);
            });
        });
    let is_left = state.is_help_open && ui.input(|input| input.key_pressed(egui::Key::Escape));
    if is_open != state.is_help_open || is_left {
        actions.push(Action::Run(Command::Help));
    }
}

/// Every term, with what others call it.
fn terms_ui(ui: &mut Ui) {
    ui.add_space(space::MEDIUM);
    ui.heading("Terms");
    Grid::new("Terms").num_columns(2).min_col_width(COLUMN).spacing([space::LARGE, 2.0]).striped(true).show(ui, |ui| {
        for term in glossary::terms() {
            ui.label(RichText::new(term.name).strong());
            ui.label(term.text());
            ui.end_row();
        }
    });
}

fn pairs(ui: &mut Ui, heading: &str, rows: &[(&str, &str)]) {
    ui.add_space(space::MEDIUM);
    ui.heading(heading);
    Grid::new(heading).num_columns(2).min_col_width(COLUMN).spacing([space::LARGE, 2.0]).striped(true).show(ui, |ui| {
        for (word, meaning) in rows {
            ui.label(RichText::new(*word).strong());
            ui.label(*meaning);
            ui.end_row();
        }
    });
}
