//! The line above a pane: which picture it is, of what, made by what, and whether it is old.

use super::controls;
use super::inputs::{Inputs, size_text};
use super::settings::{Against, Mode, PicturesSettings};
use super::textures::Layer;
use egui::{Label, RichText, Ui};

/// What is said of one pane.
pub struct Caption<'a> {
    /// All there is to say.
    pub inputs: &'a Inputs<'a>,
    /// What the pane shows.
    pub layer: Layer,
    /// The output waits for its successor.
    pub is_old: bool,
    /// The original is in the same pane, left of the divider.
    pub is_split: bool,
}

impl Caption<'_> {
    /// Draws it; the difference's own controls are part of it.
    pub fn show(&self, ui: &mut Ui, wish: &mut PicturesSettings) {
        match self.layer {
            Layer::Original => {
                ui.horizontal(|ui| self.original(ui));
            }
            Layer::Filtered if self.is_split => {
                ui.columns(2, |columns| {
                    if let [left, right] = columns {
                        left.horizontal(|ui| self.original(ui));
                        right.horizontal(|ui| self.output(ui));
                    }
                });
            }
            Layer::Filtered => {
                ui.horizontal(|ui| {
                    if wish.mode == Mode::Difference {
                        controls::difference(ui, wish, self.inputs.reference.is_some());
                    }
                    self.output(ui);
                });
            }
            Layer::Difference => {
                ui.horizontal(|ui| {
                    ui.strong("Difference");
                    controls::difference(ui, wish, self.inputs.reference.is_some());
                    self.old(ui);
                    let told = match (wish.against, self.inputs.verification_text()) {
                        (Against::Reference, Some(text)) => text,
                        (Against::Reference, None) => "|filtered − reference|".to_owned(),
                        (Against::Original, _) => "|filtered − original|".to_owned(),
                    };
                    weak(ui, &format!("{told} · {}", self.inputs.made_by_text()));
                });
            }
        }
    }

    fn original(&self, ui: &mut Ui) {
        ui.strong("Original");
        if let Some(picture) = self.inputs.original {
            let other = self.inputs.other_channels_text().map_or_else(String::new, |text| format!(" · {text}"));
            weak(ui, &format!("{} · {}{other}", self.inputs.name, size_text(picture)));
        }
    }

    /// The size is said where it is not the original's.
    fn output(&self, ui: &mut Ui) {
        ui.strong("Filtered");
        self.old(ui);
        let original = self.inputs.original.map(|picture| size_text(picture));
        let text = match self.inputs.filtered.map(|picture| size_text(picture)) {
            None => "no result yet".to_owned(),
            size if size == original => self.inputs.made_by_text(),
            Some(size) => format!("{} · {size}", self.inputs.made_by_text()),
        };
        weak(ui, &text);
    }

    fn old(&self, ui: &mut Ui) {
        if self.is_old {
            let text = RichText::new("Previous result, updating…").color(ui.visuals().warn_fg_color);
            ui.add(Label::new(text)).on_hover_text("The picture stays until the next one is ready");
        }
    }
}

/// Text that gives way: cut where the pane is too narrow, whole on hover.
fn weak(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).weak()).truncate());
}
