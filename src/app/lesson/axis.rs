//! Guess and result on one logarithmic axis, from a quarter of the speed to four times it.

use crate::app::theme;
use base::texts::text;
use egui::{Align2, FontId, Rect, Sense, Shape, Stroke, Ui, pos2, vec2};
use model::measure::Comparison;
use study::predict::Change;

/// The axis ends at this ratio and at one over it.
const MOST: f64 = 4.0;

/// Where the five categories meet.
const EDGES: [f64; 4] = [1.0 / 1.499_3, 1.0 / 1.051_27, 1.051_27, 1.499_3];

const HEIGHT: f32 = 62.0;

/// Draws the categories, the guess among them, and the result with its interval.
pub fn axis_ui(ui: &mut Ui, guess: Option<Change>, comparison: &Comparison) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width().min(560.0), HEIGHT), Sense::hover());
    response.on_hover_text(text("window.lesson.axis-about"));
    let x = |ratio: f64| {
        let share = f64::midpoint(ratio.clamp(1.0 / MOST, MOST).ln() / MOST.ln(), 1.0);
        rect.left() + rect.width() * share as f32
    };
    let ends: Vec<f32> = std::iter::once(rect.left()).chain(EDGES.map(x)).chain(std::iter::once(rect.right())).collect();
    let (visuals, painter) = (ui.visuals(), ui.painter());
    let font = FontId::proportional(12.5);
    for (change, ends) in Change::ALL.into_iter().zip(ends.windows(2)) {
        let [left, right] = *ends else { continue };
        let band = Rect::from_min_max(pos2(left + 1.0, rect.top()), pos2(right - 1.0, rect.top() + 30.0));
        let is_guess = guess == Some(change);
        painter.rect_filled(band, 3.0, if is_guess { visuals.selection.bg_fill } else { visuals.faint_bg_color });
        let ink = if is_guess { visuals.selection.stroke.color } else { visuals.weak_text_color() };
        // The band of "same" is narrow: where its word does not fit, a sign does.
        let words = [change.label(), "="];
        let fitting = words
            .into_iter()
            .map(|word| painter.layout_no_wrap(word.to_owned(), font.clone(), ink))
            .find(|word| word.size().x < band.width() - 4.0);
        if let Some(word) = fitting.filter(|word| change == Change::Same || word.text() != "=") {
            painter.galley(band.center() - word.size() / 2.0, word, ink);
        }
    }
    let y = rect.top() + 42.0;
    let ink = theme::accent(visuals.dark_mode);
    painter.line_segment([pos2(x(comparison.low), y), pos2(x(comparison.high), y)], Stroke::new(3.0, ink));
    // What lies beyond the scale points out of it.
    let beyond = |sign: f32, end: f32| {
        let tip = pos2(end + sign * 2.0, y);
        vec![tip, pos2(tip.x - sign * 9.0, y - 6.0), pos2(tip.x - sign * 9.0, y + 6.0)]
    };
    if comparison.ratio > MOST {
        painter.add(Shape::convex_polygon(beyond(1.0, rect.right()), ink, Stroke::NONE));
    } else if comparison.ratio < 1.0 / MOST {
        painter.add(Shape::convex_polygon(beyond(-1.0, rect.left()), ink, Stroke::NONE));
    } else {
        painter.circle_filled(pos2(x(comparison.ratio), y), 5.0, ink);
    }
    for (ratio, text) in [(0.25, "¼×"), (0.5, "½×"), (1.0, "1×"), (2.0, "2×"), (4.0, "4×")] {
        let align = if ratio < 0.3 {
            Align2::LEFT_BOTTOM
        } else if ratio > 3.0 {
            Align2::RIGHT_BOTTOM
        } else {
            Align2::CENTER_BOTTOM
        };
        painter.text(pos2(x(ratio), rect.bottom()), align, text, FontId::proportional(11.0), visuals.weak_text_color());
    }
}

#[cfg(test)]
mod tests {
    use super::EDGES;
    use study::predict::Change;

    #[test]
    fn edges_are_those_of_the_categories() {
        for (edge, pair) in EDGES.into_iter().zip(Change::ALL.windows(2)) {
            assert_eq!([edge * 0.999, edge * 1.001].map(Change::of_ratio), pair, "{edge}");
        }
    }
}
