//! What unit tests share: pictures, made-up records, curves and sessions, a font.

pub mod bundles;
pub mod curves;
pub mod disk;
#[cfg(target_os = "linux")]
pub mod load;
pub mod predictions;
pub mod records;
pub mod sessions;

use crate::compiled::{CodeComparison, Sameness};
use crate::engine::Compared;
use crate::image::Picture;
use crate::measure::{Comparison, Places};
use crate::model::Channels;
use egui::Color32;
#[cfg(target_os = "linux")]
use std::path::Path;

/// Noise over all bytes, the same on every run: xorshift32 (Marsaglia 2003).
pub fn noise(width_px: usize, height_px: usize, channels: Channels) -> Picture {
    let mut state = (width_px * 1000 + height_px) as u32 | 1;
    Picture::from_fn(width_px, height_px, channels, |_, _, _| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    })
}

/// Noise, noise that is flat enough for no sum to saturate (a wrong one must not hide behind 0 or 255), and the extremes of every partial sum.
pub fn awkward_pictures(width_px: usize, height_px: usize, channels: Channels) -> [Picture; 4] {
    let picture = |value: &dyn Fn(usize, usize, usize) -> u8| Picture::from_fn(width_px, height_px, channels, value);
    let noise = noise(width_px, height_px, channels);
    let flat = picture(&|x, y, channel| noise.pixel(x, y).map_or(0, |pixel| 120 + pixel[channel] % 32));
    let edges = picture(&|x, y, channel| if (x / 2 + y + channel) % 2 == 0 || x % 64 >= 40 { 255 } else { 0 });
    let full = picture(&|_, _, channel| if channel == 1 { 0 } else { 255 });
    [noise, flat, edges, full]
}

/// A comparison as one of two tasks on an idle machine, without its pairs and without compiled code.
pub fn compared_as(comparison: Comparison) -> Compared {
    Compared { comparison, pairs: Vec::new(), places: Places::Shared, busy: false, code: None }
}

/// The code of two tasks that compile to the same and are launched alike, without its hashes.
pub fn same_code() -> CodeComparison {
    CodeComparison {
        is_same_text: false,
        is_same_local: true,
        is_same_launch: true,
        sameness: Ok(Sameness::Same),
        origins: ["".into(), "".into()],
    }
}

/// A named pipe without a writer: whoever opens it to read waits.
#[cfg(target_os = "linux")]
pub fn pipe(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).expect("made");
}

/// A font for charts: every letter is as wide as half its size.
pub fn measure(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size / 2.0
}

/// Contrast of two colors, after WCAG 2.1.
pub fn contrast(left: Color32, right: Color32) -> f32 {
    let luminance = |color: Color32| {
        let [red, green, blue, _] = egui::Rgba::from(color).to_array();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (bright, dim) = (luminance(left).max(luminance(right)), luminance(left).min(luminance(right)));
    (bright + 0.05) / (dim + 0.05)
}
