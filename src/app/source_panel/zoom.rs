//! The size of the code's letters, apart from the window's.

use super::editor::FIELD;
use egui::gui_zoom::kb_shortcuts::{ZOOM_IN, ZOOM_IN_SECONDARY, ZOOM_OUT, ZOOM_RESET};
use egui::{TextStyle, Ui};

/// The least and the most.
const BOUNDS: [f32; 2] = [0.6, 3.0];

/// One press of a key.
const STEP: f32 = 1.1;

/// How much of the wheel's own zoom is taken: that is made for maps.
const WHEEL: f32 = 0.3;

/// Kept for the session.
pub struct Zoom {
    factor: f32,
    /// The size of the letters in the last frame, in points.
    points: f32,
}

impl Default for Zoom {
    fn default() -> Self {
        Self { factor: 1.0, points: 0.0 }
    }
}

/// Where a view that is `height` points high begins once its text has `ratio` times the size: what is in its middle stays there.
pub fn kept_offset(offset: f32, height: f32, ratio: f32) -> f32 {
    ((offset + height / 2.0) * ratio - height / 2.0).max(0.0)
}

impl Zoom {
    /// Takes the wheel and the keys where the pointer is over the panel, the keys also where the editor has the keyboard, and has all code of `ui` in the size that this makes. How many times the size of before.
    pub fn apply(&mut self, ui: &mut Ui) -> f32 {
        let is_pointed = ui.rect_contains_pointer(ui.max_rect());
        let field = ui.make_persistent_id(FIELD);
        if is_pointed || ui.memory(|memory| memory.has_focus(field)) {
            let pressed = |keys| ui.input_mut(|input| input.consume_shortcut(keys));
            let wheel = if is_pointed { ui.input(egui::InputState::zoom_delta).powf(WHEEL) } else { 1.0 };
            let by_keys = if pressed(&ZOOM_IN) || pressed(&ZOOM_IN_SECONDARY) {
                STEP
            } else if pressed(&ZOOM_OUT) {
                1.0 / STEP
            } else {
                1.0
            };
            let [least, most] = BOUNDS;
            self.factor = if pressed(&ZOOM_RESET) { 1.0 } else { (self.factor * wheel * by_keys).clamp(least, most) };
        }
        // Whole points: every size between them would be drawn into the font's texture anew.
        let Some(font) = ui.style_mut().text_styles.get_mut(&TextStyle::Monospace) else { return 1.0 };
        font.size = (font.size * self.factor).round();
        let before = std::mem::replace(&mut self.points, font.size);
        if before > 0.0 { self.points / before } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::kept_offset;

    #[test]
    fn the_middle_stays_in_the_middle() {
        // The line at 1000 points, which is at 2000 then.
        let offset = kept_offset(900.0, 200.0, 2.0);
        assert!((offset + 100.0 - 2000.0).abs() < 1e-3, "{offset}");
        assert!(kept_offset(0.0, 200.0, 0.5) >= 0.0, "nothing lies above the begin");
    }
}
