//! Thousands of lines of code of which only those on the screen are laid out.

use super::lexer::classify;
use crate::app::source_panel::classify as source_classes;
use crate::app::source_panel::palette;
use crate::app::widgets::name;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, FontId, Rect, Role, ScrollArea, Sense, TextStyle, Ui, pos2, vec2};
use kernels::kernel_source::LineOp;

/// Width of the stripe at a line's left edge.
const STRIPE: f32 = 4.0;

/// One line.
pub struct Line<'a> {
    /// Its text.
    pub text: &'a str,
    /// Came, went or stayed.
    pub op: LineOp,
    /// The color of the stripe beside it.
    pub stripe: Option<Color32>,
    /// It belongs to what was clicked.
    pub is_linked: bool,
    /// It is of a source in OpenCL C, and not of an assembler's.
    pub is_source: bool,
}

impl<'a> Line<'a> {
    /// A line that stayed, of code.
    pub const fn of(text: &'a str) -> Self {
        Line { text, op: LineOp::Same, stripe: None, is_linked: false, is_source: false }
    }
}

/// Draws `count` lines into what is left of `ui`. `longest` is the most characters that a line has, `scroll_to` a line to begin with.
pub fn lines_ui<'a>(
    ui: &mut Ui,
    salt: &str,
    count: usize,
    longest: usize,
    scroll_to: Option<usize>,
    line: impl Fn(usize) -> Option<Line<'a>>,
) {
    let _ = clickable_lines_ui(ui, (salt, Sense::hover()), count, longest, scroll_to, line);
}

/// As [`lines_ui`], of lines that do something where they are clicked: the one that was.
pub fn clickable_lines_ui<'a>(
    ui: &mut Ui,
    (salt, sense): (&str, Sense),
    count: usize,
    longest: usize,
    scroll_to: Option<usize>,
    line: impl Fn(usize) -> Option<Line<'a>>,
) -> Option<usize> {
    let mut clicked = None;
    let font = TextStyle::Monospace.resolve(ui.style());
    let (digit, height) = ui.fonts_mut(|fonts| (fonts.glyph_width(&font, '0'), fonts.row_height(&font)));
    let gutter = STRIPE + 2.5 * digit;
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut area = ScrollArea::both().id_salt(salt).auto_shrink([false, false]);
        if let Some(first) = scroll_to {
            area = area.vertical_scroll_offset(first as f32 * height).horizontal_scroll_offset(0.0);
        }
        area.show_rows(ui, height, count, |ui, range| {
            let width = (gutter + digit * (longest + 2) as f32).max(ui.available_width());
            ui.set_min_width(width);
            for index in range {
                let (rect, response) = ui.allocate_exact_size(vec2(width, height), sense);
                let Some(line) = line(index) else { continue };
                line_ui(ui, rect, gutter, &font, &line);
                let role = if sense.senses_click() { Role::Button } else { Role::Label };
                name(&response, role, line.text.trim(), None);
                if response.clicked() {
                    clicked = Some(index);
                }
            }
        });
    });
    clicked
}

fn line_ui(ui: &Ui, rect: Rect, gutter: f32, font: &FontId, line: &Line<'_>) {
    let (painter, clip, is_dark) = (ui.painter(), ui.clip_rect(), ui.visuals().dark_mode);
    let linked = line.is_linked.then(|| ui.visuals().selection.bg_fill.gamma_multiply(0.5));
    let ground = palette::ground(line.op, is_dark).or(linked);
    if let Some(color) = ground {
        painter.rect_filled(Rect::from_x_y_ranges(clip.x_range(), rect.y_range()), 0.0, color);
    }
    let mut job = LayoutJob { wrap: egui::text::TextWrapping::no_max_width(), ..LayoutJob::default() };
    let pieces = if line.is_source { source_classes(line.text) } else { classify(line.text) };
    for (range, class) in pieces {
        let text = line.text.get(range).unwrap_or("");
        job.append(text, 0.0, TextFormat::simple(font.clone(), palette::ink(class, is_dark)));
    }
    let galley = painter.layout_job(job);
    painter.galley(pos2(rect.left() + gutter, rect.top()), galley, ui.visuals().text_color());
    // The gutter stays where it is while the text scrolls sideways.
    let left = clip.left();
    painter.rect_filled(Rect::from_x_y_ranges(left..=left + gutter - 2.0, rect.y_range()), 0.0, ground.unwrap_or(ui.visuals().panel_fill));
    let sign_color = palette::sign(line.op, is_dark);
    if let Some(color) = line.stripe.or(sign_color) {
        painter.rect_filled(Rect::from_x_y_ranges(left..=left + STRIPE, rect.y_range()), 0.0, color);
    }
    if let Some(color) = sign_color {
        let sign = if line.op == LineOp::Added { "+" } else { "-" };
        painter.text(pos2(left + STRIPE + 0.4 * gutter, rect.center().y), Align2::CENTER_CENTER, sign, font.clone(), color);
    }
}
