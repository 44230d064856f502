//! The page of shortcuts and terms.

use super::action::{Action, Command};
use super::glossary;
use super::pictures::KEYS;
use super::source_panel::EDITOR_KEYS;
use super::state::State;
use super::theme::space;
use super::widgets::command_button;
use base::texts::text;
use egui::{Grid, RichText, ScrollArea, Ui, Window};
use std::borrow::Cow;

/// Width of the first column of every table of the page.
const COLUMN: f32 = 170.0;

/// Keys that are no command's.
const KEYS_OF_ALL: [(&str, &str); 3] = [
    ("window.keys.tab", "window.keys.tab-about"),
    (CTRL_TAB, "window.keys.ctrl-tab-about"),
    ("window.keys.zoom", "window.keys.zoom-about"),
];

/// What the mouse does on the pictures, in the order of use.
const MOUSE: [(&str, &str); 6] = [
    ("window.mouse.wheel", "window.mouse.wheel-about"),
    ("window.mouse.drag", "window.mouse.drag-about"),
    ("window.mouse.double-click", "window.mouse.double-click-about"),
    ("window.mouse.drop", "window.mouse.drop-about"),
    ("window.mouse.drag-tab", "window.mouse.drag-tab-about"),
    ("window.mouse.hide-tab", "window.mouse.hide-tab-about"),
];

/// Draws the page while it is open.
pub fn help_ui(ui: &Ui, state: &State, actions: &mut Vec<Action>) {
    let mut is_open = state.is_help_open;
    Window::new(text("window.help.title"))
        .open(&mut is_open)
        .default_size([600.0, 640.0])
        .pivot(egui::Align2::CENTER_CENTER)
        .default_pos(ui.ctx().content_rect().center())
        .collapsible(false)
        .show(ui.ctx(), |ui| {
            ScrollArea::vertical().show(ui, |ui| {
                Grid::new("shortcuts").num_columns(2).min_col_width(COLUMN).spacing([space::LARGE, 2.0]).striped(true).show(ui, |ui| {
                    for command in Command::all() {
                        let command = command.text();
                        if let Some(keys) = command.shortcut {
                            ui.monospace(ui.ctx().format_shortcut(&keys));
                            ui.label(command.tooltip);
                            ui.end_row();
                        }
                    }
                    for (key, what) in KEYS_OF_ALL {
                        ui.monospace(keys(key));
                        ui.label(text(what));
                        ui.end_row();
                    }
                });
                pairs(ui, text("window.help.mouse"), &MOUSE);
                pairs(ui, text("window.help.picture-keys"), &KEYS);
                pairs(ui, text("window.help.editor-keys"), &EDITOR_KEYS);
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

/// The key whose text is the same on every system.
const CTRL_TAB: &str = "window.keys.ctrl-tab";

/// A text about keys, as the keyboard of this system has them.
fn keys(key: &'static str) -> Cow<'static, str> {
    if key == CTRL_TAB { text(key).into() } else { of_keyboard(text(key), cfg!(target_os = "macos")) }
}

/// What Ctrl does elsewhere, Cmd does on a Mac.
fn of_keyboard(words: &'static str, is_mac: bool) -> Cow<'static, str> {
    if is_mac { words.replace("Ctrl", "Cmd").into() } else { words.into() }
}

/// Every term, with what others call it.
fn terms_ui(ui: &mut Ui) {
    ui.add_space(space::MEDIUM);
    ui.heading(text("window.help.terms"));
    Grid::new("Terms").num_columns(2).min_col_width(COLUMN).spacing([space::LARGE, 2.0]).striped(true).show(ui, |ui| {
        for term in glossary::terms() {
            ui.label(RichText::new(term.name).strong());
            ui.label(term.text());
            ui.end_row();
        }
    });
}

fn pairs(ui: &mut Ui, heading: &str, rows: &[(&'static str, &'static str)]) {
    ui.add_space(space::MEDIUM);
    ui.heading(heading);
    Grid::new(heading).num_columns(2).min_col_width(COLUMN).spacing([space::LARGE, 2.0]).striped(true).show(ui, |ui| {
        for (word, meaning) in rows {
            ui.label(RichText::new(keys(word)).strong());
            ui.label(keys(meaning));
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::of_keyboard;

    #[test]
    fn a_mac_has_another_key() {
        assert_eq!(of_keyboard("Ctrl+F; also Ctrl and +", true), "Cmd+F; also Cmd and +");
        assert_eq!(of_keyboard("Ctrl+F", false), "Ctrl+F");
    }
}
