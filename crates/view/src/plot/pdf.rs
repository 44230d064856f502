//! Paints scenes as the pages of a PDF: on white, with the font that the window uses, whose text can be searched and copied.

use super::font::{self, Run};
use super::palette::Role;
use super::scene::{Anchor, Item, Point, Scene, Segment, Shape};
use base::error::{Error, Result};
use base::texts::{failed, language};
use krilla::Document;
use krilla::color::rgb;
use krilla::geom::{Path, PathBuilder, Point as At, Rect, Transform};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule, Stroke};
use krilla::surface::Surface;
use krilla::text::{Font, GlyphId, KrillaGlyph};

/// Points of a PDF, 72 per inch, per unit of a scene, 96 per inch.
const POINTS: f64 = 72.0 / 96.0;

/// How far the control points of a quarter of a circle are from its ends, in radii: 4 (√2 − 1) / 3.
const QUARTER: f64 = 0.552_284_75;

/// Scenes as the pages of a PDF file, each as large as its scene.
///
/// # Errors
/// Where it cannot be made.
pub fn pdf(title: &str, pages: &[Scene]) -> Result<Vec<u8>> {
    let mut document = Document::new();
    document
        .set_metadata(Metadata::new().title(title.to_owned()).language(language().code().to_owned()).creator("Kernel Ladder".to_owned()));
    let fonts: Vec<Font> = font::files().filter_map(|file| Font::new(file.into(), 0)).collect();
    for scene in pages {
        let [width, height] = [scene.width, scene.height].map(|units| (units * POINTS).max(1.0) as f32);
        let settings = PageSettings::from_wh(width, height).ok_or_else(|| not_drawn(&format!("{width} × {height}")))?;
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        surface.push_transform(&Transform::from_scale(POINTS as f32, POINTS as f32));
        for item in &scene.items {
            paint(&mut surface, item, &fonts);
        }
        surface.pop();
        surface.finish();
        page.finish();
    }
    document.finish().map_err(|error| not_drawn(&format!("{error:?}")))
}

fn not_drawn(why: &dyn std::fmt::Display) -> Error {
    failed("errors.plot.not-drawn", &[("why", why)])
}

fn paint(surface: &mut Surface<'_>, Item { role, shape }: &Item, fonts: &[Font]) {
    match shape {
        Shape::Fill([left, top, right, bottom], opacity) => {
            fill(surface, *role, *opacity);
            draw(surface, rectangle([*left, *top, *right, *bottom]));
        }
        Shape::Outline([left, top, right, bottom]) => {
            stroke(surface, *role, 1.0);
            draw(surface, rectangle([*left, *top, *right, *bottom]));
        }
        Shape::Lines(segments, width) => {
            stroke(surface, *role, *width);
            draw(surface, lines(segments));
        }
        Shape::Dot(center, radius) => {
            fill(surface, *role, 1.0);
            draw(surface, circle(*center, *radius));
        }
        Shape::Text { text, at: (x, y), size, anchor } => {
            fill(surface, *role, 1.0);
            let mut left = match anchor {
                Anchor::Left => *x,
                Anchor::Center => x - font::measure(text, *size) / 2.0,
                Anchor::Right => x - font::measure(text, *size),
            };
            let base_line = y + font::base_line(*size);
            for Run { face, glyphs } in font::runs(text) {
                let width: f64 = glyphs.iter().map(|glyph| glyph.width).sum();
                let drawn: Vec<KrillaGlyph> = glyphs
                    .into_iter()
                    .map(|glyph| KrillaGlyph::new(GlyphId::new(glyph.id), glyph.width as f32, 0.0, 0.0, 0.0, glyph.bytes, None))
                    .collect();
                if let Some(font) = fonts.get(face) {
                    surface.draw_glyphs(at((left, base_line)), &drawn, font.clone(), text, *size as f32, false);
                }
                left += width * size;
            }
        }
    }
}

fn ink(role: Role) -> rgb::Color {
    let [red, green, blue] = role.rgb(false);
    rgb::Color::new(red, green, blue)
}

fn fill(surface: &mut Surface<'_>, role: Role, opacity: f64) {
    let opacity = NormalizedF32::new(opacity as f32).unwrap_or(NormalizedF32::ONE);
    surface.set_stroke(None);
    surface.set_fill(Some(Fill { paint: ink(role).into(), opacity, rule: FillRule::NonZero }));
}

fn stroke(surface: &mut Surface<'_>, role: Role, width: f64) {
    surface.set_fill(None);
    surface.set_stroke(Some(Stroke { paint: ink(role).into(), width: width as f32, ..Stroke::default() }));
}

/// What has no extent is not drawn.
fn draw(surface: &mut Surface<'_>, path: Option<Path>) {
    if let Some(path) = path {
        surface.draw_path(&path);
    }
}

fn at((x, y): Point) -> At {
    At::from_xy(x as f32, y as f32)
}

fn rectangle(area: [f64; 4]) -> Option<Path> {
    let [left, top, right, bottom] = area.map(|along| along as f32);
    let mut path = PathBuilder::new();
    path.push_rect(Rect::from_ltrb(left, top, right, bottom)?);
    path.finish()
}

fn lines(segments: &[Segment]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for [from, to] in segments {
        path.move_to(from.0 as f32, from.1 as f32);
        path.line_to(to.0 as f32, to.1 as f32);
    }
    path.finish()
}

fn circle((x, y): Point, radius: f64) -> Option<Path> {
    let mut path = PathBuilder::new();
    let [near, far] = [QUARTER * radius, radius];
    let point = |dx: f64, dy: f64| [(x + dx) as f32, (y + dy) as f32];
    let [right, middle] = point(far, 0.0);
    path.move_to(right, middle);
    // From its right around: the directions of the end before and of the end after a quarter.
    for [(from_x, from_y), (to_x, to_y)] in
        [[(1.0, 0.0), (0.0, 1.0)], [(0.0, 1.0), (-1.0, 0.0)], [(-1.0, 0.0), (0.0, -1.0)], [(0.0, -1.0), (1.0, 0.0)]]
    {
        let [x1, y1] = point(far * from_x + near * to_x, far * from_y + near * to_y);
        let [x2, y2] = point(far * to_x + near * from_x, far * to_y + near * from_y);
        let [end_x, end_y] = point(far * to_x, far * to_y);
        path.cubic_to(x1, y1, x2, y2, end_x, end_y);
    }
    path.close();
    path.finish()
}

#[cfg(test)]
mod tests {
    use super::pdf;
    use crate::plot::{Anchor, Role, Scene};

    #[test]
    fn every_scene_is_a_page_of_its_size_and_fonts_are_embedded() {
        let mut scene = Scene::new(400.0, 200.0);
        scene.fill([10.0, 10.0, 50.0, 50.0], Role::Device, 0.5);
        scene.outline([10.0, 10.0, 50.0, 50.0], Role::Text);
        scene.lines(vec![[(0.0, 0.0), (10.0, 10.0)]], Role::Grid, 1.0);
        scene.dot((100.0, 100.0), 5.0, Role::Accent);
        scene.text("Hi 内核 × 4", (200.0, 100.0), 12.0, Role::Text, Anchor::Center);
        // What has no extent, and what no font has.
        scene.fill([10.0, 10.0, 10.0, 10.0], Role::Device, 1.0);
        scene.text("\u{10ffff}", (0.0, 0.0), 12.0, Role::Text, Anchor::Left);
        let file = pdf("A title", &[scene.clone(), Scene::new(100.0, 100.0)]).expect("made");
        let text = String::from_utf8_lossy(&file);
        assert!(text.starts_with("%PDF-1."));
        // Objects are packed but for what readers look for first.
        assert!(text.contains("%%EOF") && file.len() > 4000, "{} bytes: the letters are embedded", file.len());
        let empty = pdf("A title", &[Scene::new(400.0, 200.0)]).expect("made");
        assert!(file.len() > 3 * empty.len(), "{} and {} bytes", file.len(), empty.len());
    }
}
