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

    /// A bar from the axis's origin to `value`, or a point where the axis has no lengths.
    pub fn value(&self, value: f64, y: Rangef, role: Role) {
        if self.axis.is_log() {
            return point(self.painter, pos2(self.x_of(value), y.center()), role, self.is_dark);
        }
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

    /// A line over the quartiles, an arrow where the axis ends before the line does.
    pub fn spread(&self, span: Span, y: f32) {
        let stroke = Stroke::new(1.5, self.ink);
        let (lower, upper) = (self.x_of(span.lower), self.x_of(span.upper));
        self.painter.hline(lower..=upper, y, stroke);
        self.painter.vline(lower, y - 3.0..=y + 3.0, stroke);
        if self.axis.ends_before(span.upper) {
            for dy in [-3.0, 3.0] {
                self.painter.line_segment([pos2(upper - 4.0, y + dy), pos2(upper, y)], stroke);
            }
        } else {
            self.painter.vline(upper, y - 3.0..=y + 3.0, stroke);
        }
    }
}

/// A value on an axis without lengths; each role has a shape of its own.
pub fn point(painter: &Painter, center: Pos2, role: Role, is_dark: bool) {
    match role {
        Role::Cpu => swatch(painter, Rect::from_center_size(center, egui::vec2(10.0, 10.0)), Some(role), is_dark),
        Role::Transfers => {
            let rect = Rect::from_center_size(center, egui::vec2(6.0, 6.0));
            painter.rect_stroke(rect, 0.0, Stroke::new(1.5, color(role, is_dark)), StrokeKind::Inside);
        }
        Role::Device | Role::Failure => drop(painter.circle_filled(center, 5.5, color(role, is_dark))),
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
        painter.line_segment([at(from), at(to)], Stroke::new(1.0, ink));
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

fn at((x, y): (f64, f64)) -> Pos2 {
    pos2(x as f32, y as f32)
}
