//! The page of shortcuts and terms.

use super::action::{Action, Command};
use super::pictures::KEYS;
use super::state::State;
use super::theme::space;
use super::widgets::command_button;
use egui::{Grid, RichText, ScrollArea, Ui, Window};

/// Width of the first column of every table of the page.
const COLUMN: f32 = 170.0;

/// What the mouse does on the pictures, in the order of use.
const MOUSE: [(&str, &str); 4] = [
    ("Wheel", "Zoom at the pointer"),
    ("Drag", "Move the pictures; both move together"),
    ("Double-click", "Fit, or 1:1 where they fit already"),
    ("Drop a file", "Open it"),
];

/// The terms that the window uses.
const WORDS: [(&str, &str); 25] = [
    ("Stage", "One optimization switch"),
    ("Variant", "One choice for all stages, named after those that are on; naive: none"),
    ("Ladder", "The variants of a published guide, in its order"),
    ("NDRange", "The grid of all work-items of one launch"),
    ("Work-item", "One execution of the kernel function"),
    ("Work-group", "Work-items that run on one compute unit and share local memory and barriers"),
    ("Local work size", "How many work-items form a work-group, per dimension"),
    ("Compute unit", "The part of a device that runs work-groups: a core of a CPU, a block of lanes of a GPU"),
    ("Lane", "One of the arithmetic units that execute the same instruction in lockstep"),
    ("Register", "Where a work-item keeps its values; the more it needs, the fewer work-items run at a time"),
    ("Accumulator", "The variable that collects a sum"),
    ("Barrier", "No work-item of a work-group passes it before all have reached it"),
    ("Bank, skew", "Local memory lies in banks that serve one access at a time; a skew of one column spreads rows over them"),
    ("Halo", "The pixels around a picture or tile that are read but not computed"),
    ("Texel, sampler", "A pixel of an image object, and the hardware that reads it with border handling and caching"),
    ("Swizzle", "A vector put together from lanes of others"),
    ("copy, replicate, reflect101", "At the edge: leave the source pixel; repeat the edge pixel; mirror without repeating it"),
    ("Map, USE_HOST_PTR", "Instead of copying: the host writes into the device's memory, or the device uses the host's"),
    ("SIMD", "One CPU instruction on several values"),
    ("Kernel time", "END − START of the profiling events, median"),
    ("Round trip", "Host clock from upload to read-back"),
    ("Quartiles", "A quarter of all samples lies below the first, a quarter above the third"),
    (
        "Interval",
        "Where a ratio lies: with 95 % confidence where runs were interleaved, else as wide as the quartiles of both readings allow",
    ),
    ("Busy", "Other programs disturbed the measurement"),
    ("Bit-exact", "Every byte equals the plain reference's"),
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
                    for (key, what) in [("Tab", "To the next control; Space presses it"), ("Ctrl +/−/0", "Larger, smaller, normal")] {
                        ui.monospace(key);
                        ui.label(what);
                        ui.end_row();
                    }
                });
                pairs(ui, "Mouse", &MOUSE);
                pairs(ui, "Keys on the pictures", &KEYS);
                pairs(ui, "Terms", &WORDS);
                ui.separator();
                command_button(ui, state, Command::ShowFrames, false, actions);
            });
        });
    let is_left = state.is_help_open && ui.input(|input| input.key_pressed(egui::Key::Escape));
    if is_open != state.is_help_open || is_left {
        actions.push(Action::Run(Command::Help));
    }
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
