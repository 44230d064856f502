//! Painting one layer into a pane: checkerboard behind transparency, textures, pixel grid, pixel values.

use super::geometry::{Frame, Look, Transform};
use super::prepare::Source;
use super::textures::{Layer, Textures};
use crate::app::access_panel::Spot;
use crate::app::theme::color;
use egui::{Align2, Color32, FontId, Mesh, Painter, Rect, Shape, Stroke, StrokeKind, pos2, vec2};
use pictures::luma;
use view::plot::Role;

/// From this many physical pixels for a picture pixel on, pixels are told apart by lines.
const GRID_FROM_SCALE: f64 = 12.0;
/// From this many points for a picture pixel on, its values fit into it.
const VALUES_FROM_POINTS: f64 = 44.0;
/// The frame of a pixel that is smaller on the screen is as large as this, in points.
const LEAST_SPOT_POINTS: f32 = 7.0;
/// Side of a checkerboard square in points.
const CHECKER_POINTS: f32 = 8.0;
/// Background of transparent pictures; the same in light and dark, as pictures do not change with the theme.
const CHECKER: [Color32; 2] = [Color32::from_gray(0x99), Color32::from_gray(0x66)];

/// Paints what `layer` has. `frame` and `look` are of the original; one of another size is shown as large, around the place that lies there in proportion.
pub fn layer(painter: &Painter, textures: &Textures, layer: Layer, look: Look, frame: &Frame) {
    let Some(source) = textures.shown(layer) else { return };
    let size_px = source.pyramid().size_px;
    let look = look.over(frame.size_px, size_px);
    let frame = Frame { size_px, ..*frame };
    let transform = frame.transform(look).snapped(frame.pixels_per_point);
    let visible = frame.visible(&transform);
    let painter = painter.with_clip_rect(painter.clip_rect().intersect(frame.pane));
    if source.has_alpha() {
        checkerboard(&painter, transform.rect(visible));
    }
    let level = source.pyramid().level_for(frame.scale(look));
    for patch in textures.patches(source, level, visible, &transform) {
        let mut mesh = Mesh::with_texture(patch.texture);
        mesh.add_rect_with_uv(patch.rect, patch.uv, Color32::WHITE);
        painter.add(Shape::mesh(mesh));
    }
    if frame.scale(look) >= GRID_FROM_SCALE {
        grid(&painter, &transform, visible);
    }
    if transform.points_per_px() >= VALUES_FROM_POINTS {
        values(&painter, source, &transform, visible);
    }
}

fn checkerboard(painter: &Painter, rect: Rect) {
    painter.rect_filled(rect, 0.0, CHECKER[0]);
    let mut squares = Mesh::default();
    let count = |length: f32| (length / CHECKER_POINTS).ceil().max(0.0) as usize;
    for row in 0..count(rect.height()) {
        for column in (row % 2..count(rect.width())).step_by(2) {
            let corner = rect.min + vec2(column as f32, row as f32) * CHECKER_POINTS;
            let square = Rect::from_min_size(corner, vec2(CHECKER_POINTS, CHECKER_POINTS));
            squares.add_colored_rect(square.intersect(rect), CHECKER[1]);
        }
    }
    painter.add(Shape::mesh(squares));
}

fn grid(painter: &Painter, transform: &Transform, visible: [f64; 4]) {
    // Half-transparent gray shows on black and on white.
    let stroke = Stroke::new(1.0, Color32::from_rgba_unmultiplied(128, 128, 128, 110));
    let area = transform.rect(visible);
    let lines = |low: f64, high: f64| low.ceil() as usize..=high.floor() as usize;
    for x in lines(visible[0], visible[2]) {
        painter.vline(transform.to_screen([x as f64, 0.0]).x, area.y_range(), stroke);
    }
    for y in lines(visible[1], visible[3]) {
        painter.hline(area.x_range(), transform.to_screen([0.0, y as f64]).y, stroke);
    }
}

/// Marks the pixel under the pointer in this pane too: an outline where pixels are large, a ring where they are small.
pub fn marker(painter: &Painter, look: Look, frame: &Frame, point: [f64; 2]) {
    let transform = frame.transform(look).snapped(frame.pixels_per_point);
    let [width, height] = frame.size_px.map(|side| side as f64);
    let [x, y] = point.map(f64::floor);
    if x < 0.0 || y < 0.0 || x >= width || y >= height {
        return;
    }
    let pixel = transform.rect([x, y, x + 1.0, y + 1.0]);
    let painter = painter.with_clip_rect(painter.clip_rect().intersect(frame.pane));
    // Dark around light is visible on any picture.
    for (stroke, grow) in [(Stroke::new(1.0, Color32::from_black_alpha(180)), 1.0), (Stroke::new(1.0, Color32::WHITE), 0.0)] {
        if pixel.width() >= 6.0 {
            painter.rect_stroke(pixel.expand(grow), 0.0, stroke, StrokeKind::Outside);
        } else {
            painter.circle_stroke(pixel.center(), 5.0 + grow, stroke);
        }
    }
}

/// The pixel of the access picture, and what its work-group makes.
pub fn spot(painter: &Painter, look: Look, frame: &Frame, spot: Spot) {
    let transform = frame.transform(look).snapped(frame.pixels_per_point);
    let painter = painter.with_clip_rect(painter.clip_rect().intersect(frame.pane));
    // A light line within a dark one is visible on any picture.
    let framed = |area: Rect, ink: Color32, width: f32| {
        painter.rect_stroke(area, 0.0, Stroke::new(width + 2.0, Color32::from_black_alpha(160)), StrokeKind::Middle);
        painter.rect_stroke(area, 0.0, Stroke::new(width, ink), StrokeKind::Middle);
    };
    if let Some(group) = spot.group {
        framed(transform.rect(group.map(|side| side as f64)).expand(1.0), Color32::WHITE, 1.5);
    }
    let [x, y] = spot.pixel.map(|place| place as f64);
    let pixel = transform.rect([x, y, x + 1.0, y + 1.0]);
    let least = vec2(LEAST_SPOT_POINTS, LEAST_SPOT_POINTS);
    framed(Rect::from_center_size(pixel.center(), pixel.size().max(least)), color(Role::Output, false), 2.0);
}

/// The byte values in each pixel; of a difference, those before the gain.
fn values(painter: &Painter, source: &Source, transform: &Transform, visible: [f64; 4]) {
    let font = FontId::monospace((transform.points_per_px() / 4.5).clamp(9.0, 16.0) as f32);
    let span = |low: f64, high: f64| low.floor() as usize..high.ceil() as usize;
    for y in span(visible[1], visible[3]) {
        for x in span(visible[0], visible[2]) {
            let Some((text, brightness)) = value_text(source, x, y) else { continue };
            let color = if brightness > 127 { Color32::BLACK } else { Color32::WHITE };
            let middle = transform.to_screen([x as f64 + 0.5, y as f64 + 0.5]);
            painter.text(pos2(middle.x, middle.y), Align2::CENTER_CENTER, text, font.clone(), color);
        }
    }
}

/// The values line by line, and how bright the pixel is painted.
fn value_text(source: &Source, x: usize, y: usize) -> Option<(String, u8)> {
    let pixel = source.filtered().pixel(x, y)?;
    let shown: Vec<u8> = match source {
        Source::Picture(_) => pixel.to_vec(),
        Source::Luma(_) => vec![luma(pixel.try_into().ok()?)],
        Source::Difference { against, .. } => {
            let other = against.pixel(x, y)?;
            if other.len() != pixel.len() {
                return None;
            }
            pixel.iter().zip(other).map(|(a, b)| a.abs_diff(*b)).collect()
        }
    };
    let gain = if let Source::Difference { gain, .. } = source { u32::from(*gain) } else { 1 };
    let painted: Vec<u8> = shown.iter().map(|&value| (u32::from(value) * gain).min(255) as u8).collect();
    let brightness = match *painted.as_slice() {
        [red, green, blue] => luma([red, green, blue]),
        _ => painted.first().copied().unwrap_or_default(),
    };
    let lines: Vec<String> = shown.iter().map(u8::to_string).collect();
    Some((lines.join("\n"), brightness))
}
