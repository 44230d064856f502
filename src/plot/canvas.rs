//! Rectangles, lines and text on a plotters area, in units that a factor turns into pixels.

use super::pattern::{Rectangle, Segment};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Where a text's given point is.
#[derive(Clone, Copy)]
pub enum Anchor {
    /// At its left end.
    Left,
    /// In its middle.
    Center,
    /// At its right end.
    Right,
}

/// Text on the light background that print wants.
pub const INK: RGBColor = RGBColor(0x22, 0x22, 0x26);
/// Axis, grid and everything of second rank.
pub const GRAY_INK: RGBColor = RGBColor(0x5c, 0x5c, 0x64);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xe0);

/// The family name that [`register_font`] gives egui's own font, and that SVG viewers know.
const FAMILY: &str = "sans-serif";

/// Lets plotters measure and draw text with the font that the window uses, whatever is installed.
///
/// # Errors
/// Where the embedded font is damaged.
pub fn register_font() -> crate::error::Result<()> {
    plotters::style::register_font(FAMILY, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| crate::error::Error::failed("The plot was not drawn", "the embedded font is damaged", "install the program again"))
}

/// A drawing area with a factor from units to pixels.
pub struct Canvas<DB: DrawingBackend> {
    area: DrawingArea<DB, Shift>,
    factor: f64,
}

/// What drawing on `DB` can end with.
pub type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

impl<DB: DrawingBackend> Canvas<DB> {
    /// A white canvas.
    pub fn new(backend: DB, factor: f64) -> Result<Self, DrawingAreaErrorKind<DB::ErrorType>> {
        let area = backend.into_drawing_area();
        area.fill(&WHITE)?;
        Ok(Self { area, factor })
    }

    fn pixel(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.factor).round() as i32, (y * self.factor).round() as i32)
    }

    /// A filled rectangle.
    pub fn fill(&self, [left, top, right, bottom]: Rectangle, color: RGBColor) -> Drawn<DB> {
        self.area.draw(&plotters::element::Rectangle::new([self.pixel((left, top)), self.pixel((right, bottom))], color.filled()))
    }

    /// Lines of `width` units.
    pub fn lines(&self, segments: &[Segment], color: RGBColor, width: f64) -> Drawn<DB> {
        let width = (width * self.factor).round().max(1.0) as u32;
        for [from, to] in segments {
            self.area.draw(&PathElement::new([self.pixel(*from), self.pixel(*to)], color.stroke_width(width)))?;
        }
        Ok(())
    }

    /// A filled circle.
    pub fn dot(&self, center: (f64, f64), radius: f64, color: RGBColor) -> Drawn<DB> {
        self.area.draw(&Circle::new(self.pixel(center), (radius * self.factor).round().max(1.0) as i32, color.filled()))
    }

    /// A rectangle's edge.
    pub fn outline(&self, [left, top, right, bottom]: Rectangle, color: RGBColor) -> Drawn<DB> {
        let edges = [
            [(left, top), (right, top)],
            [(right, top), (right, bottom)],
            [(right, bottom), (left, bottom)],
            [(left, bottom), (left, top)],
        ];
        self.lines(&edges, color, 1.0)
    }

    /// One line of text, vertically centered on `at`.
    pub fn text(&self, text: &str, at: (f64, f64), size: f64, color: RGBColor, anchor: Anchor) -> Drawn<DB> {
        let horizontal = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Center => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let style = font(size * self.factor).color(&color).pos(Pos::new(horizontal, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), self.pixel(at), style))
    }

    /// Writes everything out.
    pub fn finish(self) -> Drawn<DB> {
        self.area.present()
    }
}

fn font(size: f64) -> FontDesc<'static> {
    FontDesc::new(FontFamily::Name(FAMILY), size, FontStyle::Normal)
}

/// Width of `text` in units. SVG viewers draw with a font of their own, which may be a sixth wider than ours.
#[must_use]
pub fn text_width(text: &str, size: f64) -> f64 {
    let measured = font(size).box_size(text).map_or(text.chars().count() as f64 * size * 0.6, |(width, _)| f64::from(width));
    measured * 1.17
}

/// `text` cut in the middle to fit `width` units: a variant's first and last stages both tell it apart.
#[must_use]
pub fn fitted(text: &str, size: f64, width: f64) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut kept = letters.len();
    let mut shown = text.to_owned();
    while kept > 2 && text_width(&shown, size) > width {
        kept -= 1;
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        shown = letters.iter().take(head).chain(&['…']).chain(letters.iter().skip(letters.len() - tail)).collect();
    }
    shown
}
