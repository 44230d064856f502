//! Source code with a gutter of line numbers and marks that stays while the text scrolls sideways. The text can be selected and copied.

use super::completion::Completion;
use super::editor::Drawn;
use super::find::Found;
use super::listing::{Line, Listing};
use super::palette;
use super::typing::{self, bracket_pair};
use super::zoom::kept_offset;
use egui::text::CCursor;
use egui::text::{CCursorRange, LayoutJob};
use egui::{
    Align, Align2, Context, Event, EventFilter, Frame, Galley, Id, Key, Margin, Modifiers, Pos2, Rangef, Rect, Response, ScrollArea, Sense,
    Shape, Stroke, StrokeKind, TextBuffer, TextEdit, TextStyle, Ui, pos2, vec2,
};
use kernels::kernel_source::{LineOp, Mark};
use std::ops::Range;
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
    /// The field, whose cursor is known by it.
    pub field: Id,
    /// The text laid out.
    pub drawn: &'a mut Drawn,
    /// The text.
    pub text: &'a mut String,
    /// Words that are offered.
    pub completion: &'a mut Completion,
    /// What was sought in it.
    pub found: &'a Found,
    /// What a compiler says of its lines.
    pub marks: &'a [Mark],
    /// The accessible name.
    pub name: &'a str,
    /// Its height, in points.
    pub height: f32,
    /// How many times the size of before its letters have.
    pub zoomed: f32,
    /// Where its view begins, in points.
    pub offset: &'a mut f32,
}

/// The same of a text that is edited, with what a compiler says of its lines. True where it was changed.
pub fn edited_ui(ui: &mut Ui, edited: Edited<'_>, scroll_to: Option<usize>) -> bool {
    let Edited { field, drawn, text, completion, found, marks, name, height, zoomed, offset } = edited;
    let digit = ui.fonts_mut(|fonts| fonts.glyph_width(&TextStyle::Monospace.resolve(ui.style()), '0'));
    let gutter = gutter_points(digit, false);
    let area = ScrollArea::both().id_salt("editor").auto_shrink([false, false]).max_height(height).min_scrolled_height(0.0);
    let is_zoomed = (zoomed - 1.0).abs() > f32::EPSILON;
    let area = if is_zoomed { area.vertical_scroll_offset(kept_offset(*offset, height, zoomed)) } else { area };
    let scroll = area.show(ui, |ui| {
        let below = ui.painter().add(Shape::Noop);
        let is_completed = completion.take_keys(ui, field, text);
        let is_typed = take_keys(ui, field, text);
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
        // While words are offered, Escape closes their list and nothing else. It is the next frame's keys that this decides on.
        let filter = EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: completion.is_open() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(field, filter));
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
        let (clip, view) = (ui.clip_rect(), Lines { galley: &output.galley, origin: output.galley_pos, digit, gutter });
        if let Some(rect) = scroll_to.and_then(|line| view.rect(line, response.rect.x_range())) {
            ui.scroll_to_rect(Rect::from_min_size(pos2(clip.left(), rect.top()), vec2(1.0, rect.height())), Some(Align::Center));
        }
        let rows = view.visible(&drawn.listing, clip.y_range());
        let mut shapes = vec![grounds(&rows, clip, ui.visuals().dark_mode)];
        let current = found.current.clone();
        if let Some(rect) = current.as_ref().filter(|_| found.is_moved).and_then(|current| view.part(text, current)) {
            let around = rect.expand(3.0 * rect.height());
            // With the begin of its line, where both have room.
            let line = around.with_min_x(output.galley_pos.x - gutter);
            ui.scroll_to_rect(if line.width() < clip.width() { line } else { around }, None);
        }
        for part in &found.all {
            let is_current = Some(part) == current.as_ref();
            let fill = ui.visuals().warn_fg_color.gamma_multiply(if is_current { 0.55 } else { 0.22 });
            shapes.extend(view.part(text, part).filter(|rect| rect.intersects(clip)).map(|rect| Shape::rect_filled(rect, 2.0, fill)));
        }
        let bracket = cursor.and_then(|(at, _)| bracket_pair(text, &drawn.listing.pieces, byte_of(text, at)));
        for at in bracket.into_iter().flatten().filter(|_| response.has_focus()) {
            let line = Stroke::new(1.0, ui.visuals().strong_text_color());
            shapes.extend(view.part(text, &(at..at + 1)).map(|rect| Shape::rect_stroke(rect.expand(0.5), 2.0, line, StrokeKind::Outside)));
        }
        ui.painter().set(below, Shape::Vec(shapes));
        gutter_ui(ui, &view, &rows, false);
        marked_ui(ui, &view, &rows, marks);
        response.changed() || is_completed || is_typed
    });
    *offset = scroll.state.clamped_offset().y;
    scroll.inner
}

/// The byte of a letter of a text.
fn byte_of(text: &str, letter: usize) -> usize {
    text.char_indices().nth(letter).map_or(text.len(), |(at, _)| at)
}

/// The letter of a byte of a text.
fn letter_of(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(0, |before| before.chars().count())
}

/// What is selected in a field, in bytes of its text; its begin where it never had the keyboard.
pub fn selected(ctx: &Context, field: Id, text: &str) -> Range<usize> {
    let range = TextEdit::load_state(ctx, field).and_then(|state| state.cursor.char_range());
    range.map_or(0..0, |range| {
        let letters = range.as_sorted_char_range();
        byte_of(text, letters.start.into())..byte_of(text, letters.end.into())
    })
}

/// Selects bytes of a field's text.
pub fn select(ctx: &Context, field: Id, text: &str, part: &Range<usize>) {
    let mut state = TextEdit::load_state(ctx, field).unwrap_or_default();
    let [start, end] = [part.start, part.end].map(|byte| CCursor::new(letter_of(text, byte)));
    state.cursor.set_char_range(Some(CCursorRange::two(start, end)));
    state.store(ctx, field);
}

/// Before the text field is drawn: the keys that do more in an editor than in a text field. True where the text was changed.
fn take_keys(ui: &Ui, field: Id, text: &mut String) -> bool {
    if !ui.memory(|memory| memory.has_focus(field)) {
        return false;
    }
    let part = selected(ui.ctx(), field, text);
    let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
    // Shift first: a key without it is pressed with it, too.
    let change = if pressed(Modifiers::SHIFT, Key::Tab) {
        typing::unindent(text, &part)
    } else if pressed(Modifiers::NONE, Key::Tab) {
        typing::indent(text, &part)
    } else if pressed(Modifiers::NONE, Key::Enter) {
        typing::new_line(text, &part)
    } else if pressed(Modifiers::COMMAND, Key::Slash) {
        typing::toggle_comment(text, &part)
    } else if ui.input(|input| input.events.iter().any(|event| matches!(event, Event::Text(typed) if typed == "}"))) {
        // The brace itself is the field's to put in.
        let Some(change) = typing::before_closing(text, &part) else { return false };
        change
    } else {
        return false;
    };
    let made = change.made(text);
    if let Some(mut state) = TextEdit::load_state(ui.ctx(), field) {
        // What stood here before is a step of its own for the field's undo.
        if let Some(range) = state.cursor.char_range() {
            let mut undoer = state.undoer();
            undoer.add_undo(&(range, text.clone()));
            state.set_undoer(undoer);
        }
        state.store(ui.ctx(), field);
    }
    *text = made;
    select(ui.ctx(), field, text, &change.selected);
    true
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

    /// Where a part of a line lies, in bytes of the text.
    fn part(&self, text: &str, part: &Range<usize>) -> Option<Rect> {
        let [start, end] = [part.start, part.end].map(|byte| self.galley.pos_from_cursor(CCursor::new(letter_of(text, byte))));
        let rect = Rect::from_min_max(start.left_top(), end.left_bottom());
        rect.is_positive().then(|| rect.translate(self.origin.to_vec2()))
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
