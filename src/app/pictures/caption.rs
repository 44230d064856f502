//! The line above a pane: which picture it is, of what, made by what, and whether it is old.

use super::controls;
use super::inputs::{Inputs, size_text};
use super::settings::{Against, Mode, PicturesSettings};
use super::textures::Layer;
use crate::app::theme::space;
use base::texts::text;
use egui::{Align, Label, Layout, Rect, RichText, Ui, UiBuilder};

/// What either caption of the split view has at least, in points.
const LEAST_POINTS: f32 = 110.0;

/// What is said of one pane.
pub struct Caption<'a> {
    /// All there is to say.
    pub inputs: &'a Inputs<'a>,
    /// What the pane shows.
    pub layer: Layer,
    /// The output waits for its successor.
    pub is_old: bool,
    /// Where the divider is, in points from the left, where the original is in the same pane.
    pub divider: Option<f32>,
}

impl Caption<'_> {
    /// Draws it; the difference's own controls are part of it.
    pub fn show(&self, ui: &mut Ui, wish: &mut PicturesSettings) {
        match (self.layer, self.divider) {
            (Layer::Original, _) => {
                ui.horizontal(|ui| self.original(ui));
            }
            (Layer::Filtered, Some(divider)) => {
                let row = ui.max_rect();
                // Both names stay readable with the divider at an edge.
                let room = LEAST_POINTS.min(row.width() / 2.0);
                let divider = divider.clamp(row.left() + room, row.right() - room);
                let half =
                    |ui: &mut Ui, rect: Rect| ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::left_to_right(Align::Center)));
                self.original(&mut half(ui, row.with_max_x(divider - space::MEDIUM)));
                self.output(&mut half(ui, row.with_min_x(divider + space::MEDIUM)));
                ui.advance_cursor_after_rect(row);
            }
            (Layer::Filtered, None) => {
                ui.horizontal(|ui| {
                    if wish.mode == Mode::Difference {
                        controls::difference(ui, wish, self.inputs.reference.is_some());
                    }
                    self.output(ui);
                });
            }
            (Layer::Difference, _) => {
                ui.horizontal(|ui| {
                    ui.strong(text("window.pictures.difference"));
                    controls::difference(ui, wish, self.inputs.reference.is_some());
                    self.old(ui);
                    let told = match (wish.against, self.inputs.verification_text()) {
                        (Against::Reference, Some(text)) => text,
                        (Against::Reference, None) => text("window.pictures.minus-reference").to_owned(),
                        (Against::Original, _) => text("window.pictures.minus-original").to_owned(),
                    };
                    weak(ui, &format!("{told} · {}", self.inputs.made_by_text()));
                });
            }
        }
    }

    fn original(&self, ui: &mut Ui) {
        ui.strong(text("window.pictures.original"));
        if self.inputs.original.is_some() {
            weak(ui, &format!("{} · {}", self.inputs.name, self.inputs.original_text()));
        }
    }

    /// The size is said where it is not the original's.
    fn output(&self, ui: &mut Ui) {
        ui.strong(text("window.pictures.filtered"));
        self.old(ui);
        let original = self.inputs.original.map(|picture| size_text(picture));
        let text = match self.inputs.filtered.map(|picture| size_text(picture)) {
            None => text("window.pictures.no-result").to_owned(),
            size if size == original => self.inputs.made_by_text(),
            Some(size) => format!("{} · {size}", self.inputs.made_by_text()),
        };
        weak(ui, &text);
    }

    fn old(&self, ui: &mut Ui) {
        if self.is_old {
            let (told, about) = if self.inputs.is_awaited {
                ("window.pictures.updating", "window.pictures.updating-about")
            } else {
                ("window.pictures.previous", "window.pictures.previous-about")
            };
            ui.add(Label::new(RichText::new(text(told)).color(ui.visuals().warn_fg_color))).on_hover_text(text(about));
        }
    }
}

/// Text that gives way: cut where the pane is too narrow, whole on hover.
fn weak(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).weak()).truncate());
}
