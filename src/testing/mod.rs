//! What unit tests share: sessions of the window, and what its crates share.

pub mod sessions;

pub use study::testing::*;

use egui::Color32;

/// Contrast of two colors, after WCAG 2.1.
pub fn contrast(left: Color32, right: Color32) -> f32 {
    let luminance = |color: Color32| {
        let [red, green, blue, _] = egui::Rgba::from(color).to_array();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (bright, dim) = (luminance(left).max(luminance(right)), luminance(left).min(luminance(right)));
    (bright + 0.05) / (dim + 0.05)
}
