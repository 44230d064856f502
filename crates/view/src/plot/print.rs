//! Paints scenes as SVG and PNG files, by plotters: on white, with the font that the window uses.

use super::palette::Role;
use super::scene::{Anchor, Item, Measure, Point, Scene, Shape};
use crate::error::{Error, Result};
use crate::texts::{Language, failed, language};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Pixels per unit of an SVG; a viewer scales it as it likes.
const SVG_FACTOR: f64 = 1.5;
/// Pixels per unit of a PNG: sharp on paper at the usual sizes.
const PNG_FACTOR: f64 = 3.0;
/// PNG sides above this are drawn with fewer pixels per unit.
const MAX_PNG_SIDE: f64 = 16_000.0;

/// The family name that [`register_font`] gives egui's own font, and that SVG viewers know.
const FAMILY: &str = "sans-serif";
/// SVG viewers draw with a font of their own, which may be a sixth wider than ours.
const WIDER: f64 = 1.17;

/// Plotters measures in whole pixels: a large font keeps the error small.
const MEASURED_PIXELS: f64 = 200.0;

/// Forms of a figure as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// An SVG document.
    Svg,
    /// A PNG.
    Png,
    /// The figure playing, as an animated GIF.
    Gif,
}

impl Form {
    /// How names of such files end, and what the button is called in capitals.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Gif => "gif",
        }
    }
}

/// What tells a target of plotters from the other.
struct Pen {
    /// Pixels per unit.
    factor: f64,
    /// Plotters' text size per font size: it writes the size over 1.24 into an SVG, and scales glyphs to the font's ascent and descent in a PNG.
    em: f64,
    /// How far below a text's point plotters must be told to draw it for capitals to be centered there, in font sizes: it centers the letter x in
    /// an SVG, and has the base line a tenth of the size below the point in a PNG.
    drop: f64,
}

const SVG: Pen = Pen { factor: SVG_FACTOR, em: 1.24, drop: 0.09 };

/// That of a PNG, whose sizes are the font's own.
fn png_pen() -> Pen {
    let (em, drop) = match language() {
        Language::English => (1.121, 0.24),
        Language::Chinese => (1.448, 0.24),
    };
    Pen { factor: PNG_FACTOR, em, drop }
}

/// Lets plotters measure and draw text with a font that has the language's letters, whatever is installed: it takes one font for all of a text.
fn register_font() -> Result<()> {
    plotters::style::register_font(FAMILY, FontStyle::Normal, language().font().unwrap_or(epaint_default_fonts::UBUNTU_LIGHT))
        .map_err(|_| failed("errors.plot.font", &[]))
}

fn font(size: f64) -> FontDesc<'static> {
    FontDesc::new(FontFamily::Name(FAMILY), size, FontStyle::Normal)
}

/// Calls `lay_out` with the width that text may take in a file.
///
/// # Errors
/// Where the embedded font is damaged.
pub fn measured<R>(lay_out: impl FnOnce(Measure<'_>) -> R) -> Result<R> {
    register_font()?;
    let em = png_pen().em;
    Ok(lay_out(&|text, size| {
        let measured = font(MEASURED_PIXELS * em).box_size(text);
        measured.map_or(text.chars().count() as f64 * 0.6, |(width, _)| f64::from(width) / MEASURED_PIXELS * WIDER) * size
    }))
}

/// `scene` as an SVG document.
///
/// # Errors
/// Where plotters cannot draw.
pub fn svg(scene: &Scene) -> Result<String> {
    register_font()?;
    let mut text = String::new();
    let size = ((scene.width * SVG.factor).ceil() as u32, (scene.height * SVG.factor).ceil() as u32);
    paint(scene, SVGBackend::with_string(&mut text, size), &SVG).map_err(|error| not_drawn(&error))?;
    Ok(text)
}

/// `scene` as a PNG file's bytes, two pixels per pixel of the SVG.
///
/// # Errors
/// Where plotters cannot draw or the picture cannot be encoded.
pub fn png(scene: &Scene) -> Result<Vec<u8>> {
    let (pixels, [width, height]) = pixels_of(scene, png_pen().factor)?;
    let mut file = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new(&mut file);
    image::ImageEncoder::write_image(encoder, &pixels, width, height, image::ExtendedColorType::Rgb8).map_err(|error| not_drawn(&error))?;
    Ok(file)
}

/// The scene's pixels, red, green and blue, with its width and height in pixels.
fn pixels_of(scene: &Scene, factor: f64) -> Result<(Vec<u8>, [u32; 2])> {
    register_font()?;
    let factor = factor.min(MAX_PNG_SIDE / scene.width.max(scene.height));
    let (width, height) = ((scene.width * factor).ceil() as u32, (scene.height * factor).ceil() as u32);
    let mut pixels = vec![0; width as usize * height as usize * 3];
    let backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
    paint(scene, backend, &Pen { factor, ..png_pen() }).map_err(|error| not_drawn(&error))?;
    Ok((pixels, [width, height]))
}

/// Scenes of one size as an animated GIF that plays over and over, each shown for so many milliseconds.
///
/// # Errors
/// Where one cannot be drawn.
pub(super) fn gif(scenes: &[(Scene, u32)]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    // A palette of 256 colors for each frame: as quick as is seemly for a file on demand.
    let mut encoder = image::codecs::gif::GifEncoder::new_with_speed(&mut file, 10);
    encoder.set_repeat(image::codecs::gif::Repeat::Infinite).map_err(|error| not_drawn(&error))?;
    for (scene, milliseconds) in scenes {
        let (pixels, [width, height]) = pixels_of(scene, 1.0)?;
        let rgba = pixels.chunks_exact(3).flat_map(|color| color.iter().copied().chain([u8::MAX])).collect();
        let frame = image::RgbaImage::from_raw(width, height, rgba).unwrap_or_default();
        let delay = image::Delay::from_numer_denom_ms(*milliseconds, 1);
        encoder.encode_frame(image::Frame::from_parts(frame, 0, 0, delay)).map_err(|error| not_drawn(&error))?;
    }
    drop(encoder);
    Ok(file)
}

fn not_drawn(error: &dyn std::fmt::Display) -> Error {
    failed("errors.plot.not-drawn", &[("why", &error)])
}

/// What drawing on `DB` can end with.
type Drawn<DB> = std::result::Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

fn paint<DB: DrawingBackend>(scene: &Scene, backend: DB, pen: &Pen) -> Drawn<DB> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    for item in &scene.items {
        paint_item(&area, item, pen)?;
    }
    area.present()
}

fn paint_item<DB: DrawingBackend>(area: &DrawingArea<DB, Shift>, item: &Item, pen: &Pen) -> Drawn<DB> {
    let pixel = |(x, y): Point| ((x * pen.factor).round() as i32, (y * pen.factor).round() as i32);
    let pixels = |units: f64| (units * pen.factor).round().max(1.0);
    let ink = color(item.role);
    match &item.shape {
        Shape::Fill([left, top, right, bottom], opacity) => {
            area.draw(&Rectangle::new([pixel((*left, *top)), pixel((*right, *bottom))], ink.mix(*opacity).filled()))
        }
        Shape::Outline([left, top, right, bottom]) => {
            let corners = [(*left, *top), (*right, *top), (*right, *bottom), (*left, *bottom), (*left, *top)];
            area.draw(&PathElement::new(corners.map(pixel), ink.stroke_width(pixels(1.0) as u32)))
        }
        Shape::Lines(segments, width) => {
            let style = ink.stroke_width(pixels(*width) as u32);
            segments.iter().try_for_each(|ends| area.draw(&PathElement::new(ends.map(pixel), style)))
        }
        Shape::Dot(center, radius) => area.draw(&Circle::new(pixel(*center), pixels(*radius) as i32, ink.filled())),
        Shape::Text { text, at: (x, y), size, anchor } => {
            let horizontal = match anchor {
                Anchor::Left => HPos::Left,
                Anchor::Center => HPos::Center,
                Anchor::Right => HPos::Right,
            };
            let style = font(size * pen.factor * pen.em).color(&ink).pos(Pos::new(horizontal, VPos::Center));
            area.draw(&Text::new(text.as_str(), pixel((*x, y + pen.drop * size)), style))
        }
    }
}

fn color(role: Role) -> RGBColor {
    let [red, green, blue] = role.rgb(false);
    RGBColor(red, green, blue)
}
