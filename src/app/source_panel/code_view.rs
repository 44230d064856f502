//! Source code with a gutter of line numbers and marks that stays while the text scrolls sideways. The text can be selected and copied.

use super::completion::Completion;
use super::editor::Drawn;
use super::listing::{Line, Listing};
use super::palette;
use crate::source::{LineOp, Mark};
use egui::text::{CCursorRange, LayoutJob};
use egui::{
    Align, Align2, Frame, Galley, Margin, Pos2, Rangef, Rect, Response, ScrollArea, Sense, Shape, TextBuffer, TextEdit, TextStyle, Ui,
    pos2, vec2,
};
use std::sync::Arc;

/// Width of the stripe beside lines that came or went.
const STRIPE: f32 = 4.0;

/// What is drawn.
pub struct Code<'a> {
    /// The text and what its lines are.
    pub listing: &'a Listing,
    /// The text with its colors.
    pub job: &'a LayoutJob,
    /// The accessible name.
    pub name: &'a str,
}

/// Draws the code into what is left of `ui`. `scroll_to` is a line, from 0, to bring into view if it is out of it.
pub fn code_ui(ui: &mut Ui, code: &Code<'_>, scroll_to: Option<usize>) {
    let digit = ui.fonts_mut(|fonts| fonts.glyph_width(&TextStyle::Monospace.resolve(ui.style()), '0'));
    let gutter = gutter_points(digit, code.listing.is_difference);
    ScrollArea::both().auto_shrink([false, false]).show(ui, |ui| {
        let galley = ui.fonts_mut(|fonts| fonts.layout_job(code.job.clone()));
        let below = ui.painter().add(Shape::Noop);
        let (response, origin) = text_ui(ui, code, &galley, gutter);
        let (clip, view) = (ui.clip_rect(), Lines { galley: &galley, origin, digit, gutter });
        // What begins at the lower edge is not in sight: nothing of its body is.
        let in_sight = egui::Rangef::new(clip.top(), clip.bottom() - clip.height() / 4.0);
        if let Some(rect) =
            scroll_to.and_then(|line| view.rect(line, response.rect.x_range())).filter(|rect| !in_sight.contains(rect.center().y))
        {
            // Only up and down: the line's begin is in view.
            ui.scroll_to_rect(Rect::from_min_size(pos2(clip.left(), rect.top()), vec2(1.0, rect.height())), Some(Align::Center));
        }
        let rows = view.visible(code.listing, clip.y_range());
        ui.painter().set(below, grounds(&rows, clip, ui.visuals().dark_mode));
        gutter_ui(ui, &view, &rows, code.listing.is_difference);
    });
}

/// Numbers of up to four digits, twice for a difference, a sign and room around.
fn gutter_points(digit: f32, is_difference: bool) -> f32 {
    (digit * if is_difference { 12.0 } else { 7.0 } + STRIPE).min(120.0)
}

/// A text that is edited.
pub struct Edited<'a> {
    /// The text laid out.
    pub drawn: &'a mut Drawn,
    /// The text.
    pub text: &'a mut String,
    /// Words that are offered.
    pub completion: &'a mut Completion,
    /// What a compiler says of its lines.
    pub marks: &'a [Mark],
    /// The accessible name.
    pub name: &'a str,
}

/// The same of a text that is edited, with what a compiler says of its lines. True where it was changed.
pub fn edited_ui(ui: &mut Ui, edited: Edited<'_>, scroll_to: Option<usize>) -> bool {
    let Edited { drawn, text, completion, marks, name } = edited;
    let digit = ui.fonts_mut(|fonts| fonts.glyph_width(&TextStyle::Monospace.resolve(ui.style()), '0'));
    let gutter = gutter_points(digit, false);
    let scroll = ScrollArea::both().id_salt("editor").auto_shrink([false, false]).show(ui, |ui| {
        let below = ui.painter().add(Shape::Noop);
        let field = ui.make_persistent_id("edited-kernel");
        let is_completed = completion.take_keys(ui, field, text);
        let mut layouter = |ui: &Ui, text: &dyn TextBuffer, _: f32| {
            drawn.follow(text.as_str());
            ui.fonts_mut(|fonts| fonts.layout_job(drawn.job.clone()))
        };
        let output = TextEdit::multiline(text)
            .id(field)
            .code_editor()
            .frame(frame(gutter))
            .desired_width(f32::INFINITY)
            .layouter(&mut layouter)
            .show(ui);
        let cursor = output.cursor_range.filter(CCursorRange::is_empty).map(|range| {
            let place = output.galley.pos_from_cursor(range.primary);
            (usize::from(range.primary.index), output.galley_pos + place.left_bottom().to_vec2())
        });
        let response = output.response.response;
        completion.show(ui, field, text, response.changed(), cursor);
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
        let (clip, view) = (ui.clip_rect(), Lines { galley: &output.galley, origin: output.galley_pos, digit, gutter });
        if let Some(rect) = scroll_to.and_then(|line| view.rect(line, response.rect.x_range())) {
            ui.scroll_to_rect(Rect::from_min_size(pos2(clip.left(), rect.top()), vec2(1.0, rect.height())), Some(Align::Center));
        }
        let rows = view.visible(&drawn.listing, clip.y_range());
        ui.painter().set(below, grounds(&rows, clip, ui.visuals().dark_mode));
        gutter_ui(ui, &view, &rows, false);
        marked_ui(ui, &view, &rows, marks);
        response.changed() || is_completed
    });
    scroll.inner
}

/// A stripe beside each line of which a compiler says something, which it says where the pointer rests.
fn marked_ui(ui: &Ui, view: &Lines<'_>, rows: &[(Rangef, Line)], marks: &[Mark]) {
    let left = ui.clip_rect().left();
    for (y, line) in rows {
        let of_line: Vec<&Mark> = marks.iter().filter(|mark| Some(mark.line) == line.new_number).collect();
        let Some(first) = of_line.iter().find(|mark| mark.is_error).or(of_line.first()) else { continue };
        let ink = if first.is_error { ui.visuals().error_fg_color } else { ui.visuals().warn_fg_color };
        let place = Rect::from_x_y_ranges(left..=left + view.gutter - 4.0, *y);
        ui.painter().rect_filled(Rect::from_x_y_ranges(left..=left + STRIPE, *y), 0.0, ink);
        let at = pos2(left + STRIPE + view.digit * 0.7, y.center());
        let sign = if first.is_error { "×" } else { "!" };
        ui.painter().text(at, Align2::CENTER_CENTER, sign, TextStyle::Monospace.resolve(ui.style()), ink);
        let words = of_line.iter().map(|mark| mark.words.as_str()).collect::<Vec<_>>().join("\n");
        ui.interact(place, ui.scope_id().with(("mark", first.line)), Sense::hover()).on_hover_text(words);
    }
}

fn frame(gutter: f32) -> Frame {
    Frame::NONE.inner_margin(Margin { left: gutter as i8, right: 8, top: 4, bottom: 4 })
}

fn text_ui(ui: &mut Ui, code: &Code<'_>, galley: &Arc<Galley>, gutter: f32) -> (Response, Pos2) {
    let mut text = code.listing.text.as_str();
    let mut layouter = |_: &Ui, _: &dyn TextBuffer, _: f32| Arc::clone(galley);
    let output = TextEdit::multiline(&mut text)
        .id_salt("source text")
        .font(TextStyle::Monospace)
        .frame(frame(gutter))
        .desired_width(f32::INFINITY)
        .layouter(&mut layouter)
        .show(ui);
    let origin = output.galley_pos;
    let response = output.response.response;
    // A text field speaks its text; this is the name beside it.
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(code.name));
    (response, origin)
}

/// Where lines lie on the screen.
struct Lines<'a> {
    galley: &'a Galley,
    origin: Pos2,
    digit: f32,
    gutter: f32,
}

impl Lines<'_> {
    fn rect(&self, line: usize, x: Rangef) -> Option<Rect> {
        let row = self.galley.rows.get(line)?.rect();
        Some(Rect::from_x_y_ranges(x, row.min.y + self.origin.y..=row.max.y + self.origin.y))
    }

    fn visible(&self, listing: &Listing, y: Rangef) -> Vec<(Rangef, Line)> {
        let placed =
            listing.lines.iter().enumerate().filter_map(|(index, line)| Some((self.rect(index, Rangef::point(0.0))?.y_range(), *line)));
        placed.filter(|(range, _)| range.intersects(y)).collect()
    }
}

fn grounds(rows: &[(Rangef, Line)], clip: Rect, is_dark: bool) -> Shape {
    let ground = |(y, line): &(Rangef, Line)| {
        let color = palette::ground(line.op, is_dark)?;
        Some(Shape::rect_filled(Rect::from_x_y_ranges(clip.x_range(), *y), 0.0, color))
    };
    Shape::Vec(rows.iter().filter_map(ground).collect())
}

fn gutter_ui(ui: &Ui, view: &Lines<'_>, rows: &[(Rangef, Line)], is_difference: bool) {
    let (painter, visuals, clip) = (ui.painter(), ui.visuals(), ui.clip_rect());
    let is_dark = visuals.dark_mode;
    let font = TextStyle::Monospace.resolve(ui.style());
    let left = clip.left();
    painter.rect_filled(Rect::from_x_y_ranges(left..=left + view.gutter - 4.0, clip.y_range()), 0.0, visuals.extreme_bg_color);
    for (y, line) in rows {
        if let Some(color) = palette::ground(line.op, is_dark) {
            painter.rect_filled(Rect::from_x_y_ranges(left..=left + view.gutter - 4.0, *y), 0.0, color);
        }
        let sign_color = palette::sign(line.op, is_dark);
        let ink = sign_color.unwrap_or_else(|| visuals.weak_text_color());
        let number = |number: Option<usize>, column: f32| {
            if let Some(number) = number {
                let at = pos2(left + STRIPE + view.digit * column, y.center());
                painter.text(at, Align2::RIGHT_CENTER, number.to_string(), font.clone(), ink);
            }
        };
        if is_difference {
            number(line.old_number, 4.3);
            number(line.new_number, 9.0);
        } else {
            number(line.new_number, 4.3);
        }
        let Some(color) = sign_color else { continue };
        painter.rect_filled(Rect::from_x_y_ranges(left..=left + STRIPE, *y), 0.0, color);
        let sign = if line.op == LineOp::Added { "+" } else { "-" };
        let at = pos2(left + view.gutter - 6.0 - view.digit * 0.6, y.center());
        painter.text(at, Align2::CENTER_CENTER, sign, font.clone(), color);
    }
}
