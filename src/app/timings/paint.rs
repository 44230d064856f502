//! Bars, whiskers and swatches in the colors and patterns of [`Role`].

use crate::model::Parts;
use crate::plot::pattern::{hatch, stripes};
use crate::plot::{Axis, Role, Span, stack};
use egui::{Color32, Painter, Pos2, Rangef, Rect, Stroke, StrokeKind, pos2};

/// Color of a role on the present background.
pub fn color(role: Role, is_dark: bool) -> Color32 {
    let [red, green, blue] = role.rgb(is_dark);
    Color32::from_rgb(red, green, blue)
}

/// Paints bars on the area between two x, along an axis.
pub struct Bars<'a> {
    /// Where to.
    pub painter: &'a Painter,
    /// The value axis.
    pub axis: &'a Axis,
    /// Left and right end of the axis.
    pub x: Rangef,
    /// Which of a role's colors.
    pub is_dark: bool,
    /// Color of whiskers.
    pub ink: Color32,
}

impl Bars<'_> {
    /// Where a value lies.
    pub fn x_of(&self, value: f64) -> f32 {
        self.x.min + self.axis.position(value) as f32 * self.x.span()
    }

    fn origin(&self) -> f32 {
        self.x.min + self.axis.origin() as f32 * self.x.span()
    }

    /// A bar from the axis's origin to `value`.
    pub fn bar(&self, value: f64, y: Rangef, role: Role) {
        let (from, to) = (self.origin(), self.x_of(value));
        let left = from.min(to);
        let right = from.max(to).max(left + 1.0);
        swatch(self.painter, Rect::from_x_y_ranges(left..=right, y), Some(role), self.is_dark);
    }

    /// The round trip's parts, one after the other.
    pub fn stack(&self, parts: Parts, y: Rangef) {
        for (from, to, role) in stack(&parts) {
            swatch(self.painter, Rect::from_x_y_ranges(self.x_of(from)..=self.x_of(to), y), role, self.is_dark);
        }
    }

    /// A line from the least to the most, a box over the quartiles, an arrow where the axis ends before the line does.
    pub fn spread(&self, span: Span, y: f32) {
        let stroke = Stroke::new(1.0, self.ink);
        let (least, most) = (self.x_of(span.least), self.x_of(span.most));
        self.painter.hline(least..=most, y, stroke);
        self.painter.vline(least, y - 2.5..=y + 2.5, stroke);
        let quartiles = self.x_of(span.lower)..=self.x_of(span.upper).max(self.x_of(span.lower) + 1.0);
        self.painter.rect_filled(Rect::from_x_y_ranges(quartiles, y - 1.5..=y + 1.5), 0.0, self.ink);
        if self.axis.ends_before(span.most) {
            for dy in [-3.0, 3.0] {
                self.painter.line_segment([pos2(most - 4.0, y + dy), pos2(most, y)], stroke);
            }
        } else {
            self.painter.vline(most, y - 2.5..=y + 2.5, stroke);
        }
    }
}

/// A rectangle in a role's color and pattern; `None` is launching and waiting: an empty outline.
pub fn swatch(painter: &Painter, rect: Rect, role: Option<Role>, is_dark: bool) {
    let ink = color(role.unwrap_or(Role::Transfers), is_dark);
    let edges = [rect.left(), rect.top(), rect.right(), rect.bottom()].map(f64::from);
    let segments = match role {
        Some(Role::Device | Role::Failure) => {
            painter.rect_filled(rect, 1.0, ink);
            return;
        }
        Some(Role::Cpu) => hatch(edges, 5.0),
        Some(Role::Transfers) => stripes(edges, 3.0),
        None => Vec::new(),
    };
    painter.rect_filled(rect, 1.0, ink.gamma_multiply(0.16));
    for [from, to] in segments {
        painter.line_segment([point(from), point(to)], Stroke::new(1.0, ink));
    }
    painter.rect_stroke(rect, 1.0, Stroke::new(1.0, ink), StrokeKind::Inside);
}

/// A cross for a failure, a dash for what was not measured.
pub fn mark(painter: &Painter, center: Pos2, is_failure: bool, ink: Color32) {
    let stroke = Stroke::new(2.0, ink);
    if is_failure {
        painter.line_segment([center + egui::vec2(-4.0, -4.0), center + egui::vec2(4.0, 4.0)], stroke);
        painter.line_segment([center + egui::vec2(-4.0, 4.0), center + egui::vec2(4.0, -4.0)], stroke);
    } else {
        painter.hline(center.x - 4.0..=center.x + 4.0, center.y, stroke);
    }
}

fn point((x, y): (f64, f64)) -> Pos2 {
    pos2(x as f32, y as f32)
}
