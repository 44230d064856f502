//! The type of files: the letters that the window draws, so that what was laid out here fits wherever it is painted.

use base::texts::Language;
use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::outline::{DrawSettings, OutlineGlyphCollection, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider as _};
use std::sync::LazyLock;
use vello_cpu::kurbo::BezPath;

/// Ahead of what any viewer has instead: the family of [`epaint_default_fonts::UBUNTU_LIGHT`].
pub(super) const FAMILY: &str = "Ubuntu,sans-serif";

/// egui's font for prose, then those of languages: the first that has a letter draws it, as in the window.
static FACES: LazyLock<Vec<Face>> = LazyLock::new(|| {
    let files = std::iter::once(epaint_default_fonts::UBUNTU_LIGHT).chain(Language::ALL.into_iter().filter_map(Language::font));
    files.filter_map(|file| Some(Face::new(file, &FontRef::new(file).ok()?))).collect()
});

struct Face {
    file: &'static [u8],
    letters: Charmap<'static>,
    outlines: OutlineGlyphCollection<'static>,
    /// In the font's own units: scaled ones are rounded to 64ths.
    widths: GlyphMetrics<'static>,
    /// How many of them are a font size.
    units: f64,
    /// In font sizes.
    capital_height: f64,
}

impl Face {
    fn new(file: &'static [u8], font: &FontRef<'static>) -> Self {
        let (unscaled, upright) = (Size::unscaled(), LocationRef::default());
        let metrics = font.metrics(unscaled, upright);
        let units = f64::from(metrics.units_per_em);
        let capital_height = metrics.cap_height.map_or(0.7, |height| f64::from(height) / units);
        let widths = font.glyph_metrics(unscaled, upright);
        Self { file, letters: font.charmap(), outlines: font.outline_glyphs(), widths, units, capital_height }
    }

    /// In font sizes.
    fn width(&self, glyph: GlyphId) -> f64 {
        self.widths.advance_width(glyph).map_or(0.0, |units| f64::from(units) / self.units)
    }
}

/// Which face draws a letter, and as what: an empty box of the first one where none has it.
fn glyph(letter: char) -> Option<(&'static Face, GlyphId)> {
    let (face, glyph) = numbered_glyph(letter);
    Some((FACES.get(face)?, glyph))
}

/// The same with the face by its number.
fn numbered_glyph(letter: char) -> (usize, GlyphId) {
    let found = FACES.iter().enumerate().find_map(|(index, face)| Some((index, face.letters.map(letter)?)));
    found.unwrap_or((0, GlyphId::NOTDEF))
}

/// The fonts' files, by the numbers that runs name.
pub(super) fn files() -> impl Iterator<Item = &'static [u8]> {
    FACES.iter().map(|face| face.file)
}

/// Letters of a text that one face draws.
pub(super) struct Run {
    /// Which of [`files`].
    pub(super) face: usize,
    /// From left to right.
    pub(super) glyphs: Vec<Placed>,
}

/// A glyph of a text.
pub(super) struct Placed {
    /// Its number in the font.
    pub(super) id: u32,
    /// In font sizes.
    pub(super) width: f64,
    /// The bytes of the text that it draws.
    pub(super) bytes: std::ops::Range<usize>,
}

/// A text as runs of glyphs.
pub(super) fn runs(text: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, letter) in text.char_indices() {
        let (face, glyph) = numbered_glyph(letter);
        let width = FACES.get(face).map_or(0.0, |face| face.width(glyph));
        let placed = Placed { id: glyph.to_u32(), width, bytes: at..at + letter.len_utf8() };
        match runs.last_mut().filter(|run| run.face == face) {
            Some(run) => run.glyphs.push(placed),
            None => runs.push(Run { face, glyphs: vec![placed] }),
        }
    }
    runs
}

/// The width that text takes in a file: a [`super::Measure`].
#[must_use]
pub fn measure(text: &str, size: f64) -> f64 {
    text.chars().filter_map(glyph).map(|(face, glyph)| face.width(glyph)).sum::<f64>() * size
}

/// How far below the middle of capitals their base line is.
pub(super) fn base_line(size: f64) -> f64 {
    FACES.first().map_or(0.0, |face| face.capital_height / 2.0) * size
}

/// `text` as outlines that begin at a point on their base line.
pub(super) fn outlines(text: &str, size: f64, (mut x, y): super::Point) -> BezPath {
    let mut path = BezPath::new();
    for (face, glyph) in text.chars().filter_map(glyph) {
        if let Some(outline) = face.outlines.get(glyph) {
            let settings = DrawSettings::unhinted(Size::new(size as f32), LocationRef::default());
            // A glyph that is damaged is left out; a test draws all.
            let _ = outline.draw(settings, &mut Pen { path: &mut path, origin: (x, y) });
        }
        x += face.width(glyph) * size;
    }
    path
}

/// Puts a glyph, whose y goes up, where y goes down.
struct Pen<'a> {
    path: &'a mut BezPath,
    origin: super::Point,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> super::Point {
        (self.origin.0 + f64::from(x), self.origin.1 - f64::from(y))
    }
}

impl OutlinePen for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.at(x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.at(x, y));
    }

    fn quad_to(&mut self, control_x: f32, control_y: f32, x: f32, y: f32) {
        self.path.quad_to(self.at(control_x, control_y), self.at(x, y));
    }

    fn curve_to(&mut self, first_x: f32, first_y: f32, second_x: f32, second_y: f32, x: f32, y: f32) {
        self.path.curve_to(self.at(first_x, first_y), self.at(second_x, second_y), self.at(x, y));
    }

    fn close(&mut self) {
        self.path.close_path();
    }
}

#[cfg(test)]
mod tests {
    use super::{FACES, base_line, glyph, measure, outlines};
    use skrifa::GlyphId;
    use vello_cpu::kurbo::Shape as _;

    #[test]
    fn every_letter_comes_from_the_first_face_that_has_it() {
        let face = |letter| FACES.iter().position(|face| glyph(letter).is_some_and(|(found, _)| std::ptr::eq(face, found)));
        assert_eq!(FACES.len(), 2, "an embedded font is damaged");
        assert_eq!(['a', '×', '核', '，'].map(face), [Some(0), Some(0), Some(1), Some(1)]);
        assert_eq!(glyph('\u{10ffff}').map(|(_, glyph)| glyph), Some(GlyphId::NOTDEF));
    }

    #[test]
    fn outlines_are_as_wide_as_text_was_measured_and_stand_on_its_base_line() {
        // Chinese characters are as wide as the type is high.
        assert!((measure("内核", 10.0) - 20.0).abs() < 1e-6);
        assert!((measure("Hi 核", 30.0) - 3.0 * measure("Hi 核", 10.0)).abs() < 1e-6);
        let capital = outlines("H", 100.0, (50.0, 80.0)).bounding_box();
        let half_height = capital.height() / 2.0;
        assert!((capital.y1 - 80.0).abs() < 0.01 && (half_height - base_line(100.0)).abs() < 0.6, "{capital:?}");
        let (left, right) = (capital.x0 - 50.0, 50.0 + measure("H", 100.0) - capital.x1);
        assert!(left > 1.0 && (left - right).abs() < 1.0, "the room beside both stems of H is alike: {left} and {right}");
        // The second letter begins where the first one ends.
        let both = outlines("HH", 100.0, (0.0, 0.0)).bounding_box();
        assert!((both.width() - measure("H", 100.0) - capital.width()).abs() < 0.01, "{both:?}");
    }
}
