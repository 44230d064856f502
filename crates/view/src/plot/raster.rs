//! Paints scenes as pixels, PNG and GIF files: on white, with the font that the window uses.

use super::font;
use super::palette::Role;
use super::scene::{Anchor, Item, Rectangle, Scene, Shape};
use base::error::{Error, Result};
use base::texts::failed;
use image::RgbaImage;
use vello_cpu::color::{AlphaColor, Srgb};
use vello_cpu::kurbo::{BezPath, Circle, Rect, Shape as _, Stroke};
use vello_cpu::peniko::color::palette::css::WHITE;
use vello_cpu::{Pixmap, RenderContext, Resources};

/// Pixels per unit of a PNG: sharp on paper at the usual sizes.
const PNG_FACTOR: f64 = 3.0;
/// PNG sides above this are drawn with fewer pixels per unit.
const MAX_SIDE: f64 = 16_000.0;
/// How far a circle's outline may be from the circle, in pixels.
const ROUNDNESS: f64 = 0.05;

/// `scene` as a PNG file's bytes, two pixels per pixel of the SVG.
///
/// # Errors
/// Where the picture cannot be encoded.
pub fn png(scene: &Scene) -> Result<Vec<u8>> {
    // Nothing shows through: a third of the bytes less.
    let pixels = image::DynamicImage::from(painted(scene, PNG_FACTOR)).into_rgb8();
    let mut file = Vec::new();
    pixels.write_with_encoder(image::codecs::png::PngEncoder::new(&mut file)).map_err(|error| not_drawn(&error))?;
    Ok(file)
}

/// Scenes of one size as an animated GIF that plays over and over, each shown for so many milliseconds.
///
/// # Errors
/// Where one cannot be encoded.
pub(super) fn gif(scenes: &[(Scene, u32)]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    // A palette of 256 colors for each frame: as quick as is seemly for a file on demand.
    let mut encoder = image::codecs::gif::GifEncoder::new_with_speed(&mut file, 10);
    encoder.set_repeat(image::codecs::gif::Repeat::Infinite).map_err(|error| not_drawn(&error))?;
    for (scene, milliseconds) in scenes {
        let frame = painted(scene, 1.0);
        let delay = image::Delay::from_numer_denom_ms(*milliseconds, 1);
        encoder.encode_frame(image::Frame::from_parts(frame, 0, 0, delay)).map_err(|error| not_drawn(&error))?;
    }
    drop(encoder);
    Ok(file)
}

fn not_drawn(error: &dyn std::fmt::Display) -> Error {
    failed("errors.plot.not-drawn", &[("why", &error)])
}

/// The scene's pixels, `factor` for each unit where there is room for so many.
fn painted(scene: &Scene, factor: f64) -> RgbaImage {
    let factor = factor.min(MAX_SIDE / scene.width.max(scene.height));
    let [width, height] = [scene.width, scene.height].map(|units| (units * factor).ceil().max(1.0) as u16);
    let mut brush = Brush { context: RenderContext::new(width, height), factor };
    brush.context.set_paint(WHITE);
    brush.context.fill_rect(&Rect::new(0.0, 0.0, width.into(), height.into()));
    scene.items.iter().for_each(|item| brush.paint(item));
    brush.context.flush();
    let mut pixels = Pixmap::new(width, height);
    brush.context.render(&mut pixels, &mut Resources::new());
    let bytes = pixels.data_as_u8_slice().to_vec();
    RgbaImage::from_raw(width.into(), height.into(), bytes).unwrap_or_default()
}

struct Brush {
    context: RenderContext,
    /// Pixels per unit.
    factor: f64,
}

impl Brush {
    fn paint(&mut self, Item { role, shape }: &Item) {
        self.ink(*role, 1.0);
        match shape {
            Shape::Fill(area, opacity) => {
                self.ink(*role, *opacity);
                let [left, top, right, bottom] = self.pixels(area);
                self.context.fill_rect(&Rect::new(left, top, right, bottom));
            }
            Shape::Outline(area) => {
                let width = self.stroke(1.0);
                let [left, top, right, bottom] = self.pixels(area).map(|along| centered(along, width));
                self.context.stroke_rect(&Rect::new(left, top, right, bottom));
            }
            Shape::Lines(segments, width) => {
                let width = self.stroke(*width);
                let mut path = BezPath::new();
                for [from, to] in segments {
                    let [mut from, mut to] = [from, to].map(|(x, y)| (x * self.factor, y * self.factor));
                    // Lines along pixels are sharp, others smooth.
                    if (from.0 - to.0).abs() < 1e-6 {
                        from.0 = centered(from.0.round(), width);
                        to.0 = from.0;
                    } else if (from.1 - to.1).abs() < 1e-6 {
                        from.1 = centered(from.1.round(), width);
                        to.1 = from.1;
                    }
                    path.move_to(from);
                    path.line_to(to);
                }
                self.context.stroke_path(&path);
            }
            Shape::Dot((x, y), radius) => {
                let [x, y, radius] = [x, y, radius].map(|units| units * self.factor);
                self.context.fill_path(&Circle::new((x, y), radius).to_path(ROUNDNESS));
            }
            Shape::Text { text, at: (x, y), size, anchor } => {
                let left = match anchor {
                    Anchor::Left => *x,
                    Anchor::Center => x - font::measure(text, *size) / 2.0,
                    Anchor::Right => x - font::measure(text, *size),
                };
                let base_line = ((y + font::base_line(*size)) * self.factor).round();
                self.context.fill_path(&font::outlines(text, size * self.factor, (left * self.factor, base_line)));
            }
        }
    }

    fn ink(&mut self, role: Role, opacity: f64) {
        let [red, green, blue] = role.rgb(false);
        self.context.set_paint(AlphaColor::<Srgb>::from_rgb8(red, green, blue).with_alpha(opacity as f32));
    }

    /// Lines of so many units from here on; their width in pixels.
    fn stroke(&mut self, units: f64) -> f64 {
        let width = (units * self.factor).round().max(1.0);
        self.context.set_stroke(Stroke::new(width).with_caps(vello_cpu::kurbo::Cap::Butt));
        width
    }

    /// Edges at those of pixels: sharp ones.
    fn pixels(&self, area: &Rectangle) -> Rectangle {
        area.map(|along| (along * self.factor).round())
    }
}

/// Where a line of so many whole pixels covers whole ones.
fn centered(along: f64, width: f64) -> f64 {
    along + (width % 2.0) / 2.0
}

#[cfg(test)]
mod tests {
    use super::{PNG_FACTOR, png};
    use crate::plot::{Anchor, Role, Scene, svg};

    /// Left, top, right and bottom, in units, of what is not white in the PNG of what `draw` draws.
    fn ink(draw: impl Fn(&mut Scene)) -> [f64; 4] {
        let mut scene = Scene::new(100.0, 40.0);
        draw(&mut scene);
        let picture = image::load_from_memory(&png(&scene).expect("a PNG")).expect("a picture").into_rgb8();
        assert_eq!(picture.dimensions(), (300, 120));
        // What covers less than a quarter of a pixel is no edge of a shape.
        let inked = || picture.enumerate_pixels().filter(|(.., pixel)| pixel.0.iter().any(|channel| *channel < 192));
        let (xs, ys) = (|| inked().map(|(x, ..)| x), || inked().map(|(_, y, _)| y));
        let edges = [xs().min(), ys().min(), xs().max().map(|last| last + 1), ys().max().map(|last| last + 1)];
        edges.map(|pixel| f64::from(pixel.expect("something is drawn")) / PNG_FACTOR)
    }

    /// Within a pixel of a PNG.
    fn alike(found: [f64; 4], wanted: [f64; 4]) -> bool {
        found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= 1.01 / PNG_FACTOR)
    }

    #[test]
    fn shapes_are_painted_where_they_are_sharp_and_in_their_color() {
        let area = [10.0, 5.0, 30.0, 25.0];
        assert!(alike(ink(|scene| scene.fill(area, Role::Device, 1.0)), area));
        assert!(alike(ink(|scene| scene.outline(area, Role::Device)), [9.5, 4.5, 30.5, 25.5]));
        assert!(alike(ink(|scene| scene.lines(vec![[(10.0, 5.0), (30.0, 5.0)]], Role::Strong, 2.0)), [10.0, 4.0, 30.0, 6.0]));
        assert!(alike(ink(|scene| scene.dot((50.0, 20.0), 5.0, Role::Accent)), [45.0, 15.0, 55.0, 25.0]));
        let mut scene = Scene::new(40.0, 30.0);
        scene.fill(area, Role::Device, 0.5);
        scene.lines(vec![[(0.0, 2.0), (40.0, 2.0)]], Role::Strong, 1.0);
        let picture = image::load_from_memory(&png(&scene).expect("a PNG")).expect("a picture").into_rgb8();
        let half = Role::Device.rgb(false).map(|channel| u8::midpoint(channel, 255));
        assert!(picture.get_pixel(60, 45).0.iter().zip(half).all(|(found, wanted)| found.abs_diff(wanted) <= 1), "half as strong");
        let column: Vec<_> = (4..10).map(|y| picture.get_pixel(60, y).0).collect();
        assert_eq!(column, [[255; 3], [0; 3], [0; 3], [0; 3], [255; 3], [255; 3]], "a line covers whole pixels");
    }

    #[test]
    fn an_svg_says_of_text_what_a_png_shows() {
        for text in ["Hi", "内核 × 4"] {
            for anchor in [Anchor::Left, Anchor::Center, Anchor::Right] {
                let draw = |scene: &mut Scene| scene.text(text, (50.0, 20.0), 12.0, Role::Text, anchor);
                let mut scene = Scene::new(100.0, 40.0);
                draw(&mut scene);
                let document = svg(&scene);
                let (_, element) = document.split_once("<text").expect("a text");
                let at = |name: &str| -> f64 {
                    let (_, rest) = element.split_once(&format!(" {name}=\"")).expect("an attribute");
                    rest.split_once('"').expect("its end").0.parse().expect("a number")
                };
                let left = at("x")
                    - match anchor {
                        Anchor::Left => 0.0,
                        Anchor::Center => at("textLength") / 2.0,
                        Anchor::Right => at("textLength"),
                    };
                let found = ink(draw);
                // Letters have some room at both sides; characters reach below the base line, capitals stand on it.
                let [left_room, right_room] = [found[0] - left, left + at("textLength") - found[2]];
                assert!(
                    (0.0..2.5).contains(&left_room) && (0.0..2.5).contains(&right_room),
                    "{text} {anchor:?}: {left_room}, {right_room}"
                );
                assert!(found[1] > 10.0 && (found[3] - at("y")).abs() < 2.5, "{text}: {found:?}, base line {}", at("y"));
            }
        }
    }
}
