//! The size of the code's letters, apart from the window's.

use egui::gui_zoom::kb_shortcuts::{ZOOM_IN, ZOOM_IN_SECONDARY, ZOOM_OUT, ZOOM_RESET};
use egui::{TextStyle, Ui};

/// The least and the most.
const BOUNDS: [f32; 2] = [0.6, 3.0];

/// One press of a key.
const STEP: f32 = 1.1;

/// Kept for the session.
pub struct Zoom(f32);

impl Default for Zoom {
    fn default() -> Self {
        Self(1.0)
    }
}

impl Zoom {
    /// Takes the wheel and the keys where the pointer is over the panel, and has all code of `ui` in the size that this makes.
    pub fn apply(&mut self, ui: &mut Ui) {
        if ui.rect_contains_pointer(ui.max_rect()) {
            let pressed = |keys| ui.input_mut(|input| input.consume_shortcut(keys));
            let wheel = ui.input(egui::InputState::zoom_delta);
            let by_keys = if pressed(&ZOOM_IN) || pressed(&ZOOM_IN_SECONDARY) {
                STEP
            } else if pressed(&ZOOM_OUT) {
                1.0 / STEP
            } else {
                1.0
            };
            let [least, most] = BOUNDS;
            self.0 = if pressed(&ZOOM_RESET) { 1.0 } else { (self.0 * wheel * by_keys).clamp(least, most) };
        }
        // Whole points: every size between them would be drawn into the font's texture anew.
        if let Some(font) = ui.style_mut().text_styles.get_mut(&TextStyle::Monospace) {
            font.size = (font.size * self.0).round();
        }
    }
}
