//! The chart: one focusable row per reading, under an axis that stays while the rows scroll.

use super::details::details;
use super::paint::{Bars, color, mark, point, swatch};
use crate::app::action::Action;
use crate::app::history::Row as HistoryRow;
use crate::app::theme;
use crate::plot::{Chart, Quantity, Role, Row, Span};
use egui::text::LayoutJob;
use egui::{Align2, Color32, FontId, Galley, Rangef, Rect, Response, ScrollArea, Sense, Stroke, TextFormat, Ui, WidgetInfo, pos2, vec2};
use std::sync::Arc;

const AXIS_HEIGHT: f32 = 18.0;
const LEGEND_HEIGHT: f32 = 20.0;
/// Values have at least this much room.
const VALUES_WIDTH: f32 = 72.0;
const GAP: f32 = 8.0;
/// Room for the scroll bar, beside all rows.
const BAR_ROOM: f32 = 12.0;
const LABEL_SIZE: f32 = 13.5;
const SMALL_SIZE: f32 = 12.0;
const DETAILS_WIDTH: f32 = 580.0;

/// What is drawn.
pub struct Shown<'a> {
    /// The history's rows; [`Row::index`] points into them.
    pub rows: &'a [&'a HistoryRow],
    /// The same as a chart.
    pub chart: &'a Chart,
    /// The row of what is on the screen.
    pub on_screen: Option<u64>,
    /// A row to bring into view.
    pub scroll_to: Option<u64>,
    /// The device is the processor that the CPU competitors run on.
    pub is_host: bool,
}

/// Where the columns lie; the same for axis and rows.
struct Columns {
    label: Rangef,
    bars: Rangef,
    values: Rangef,
}

impl Columns {
    /// Labels get what they need, and at most two fifths.
    fn new(ui: &Ui, shown: &Shown<'_>) -> Self {
        let (left, right) = (ui.max_rect().left(), ui.max_rect().right() - BAR_ROOM);
        let wanted = shown.chart.rows.iter().map(|row| label(ui, shown, row, f32::INFINITY).size().x).fold(60.0, f32::max);
        let label_width = wanted.min((right - left) * 0.4);
        let value_width = |row: &Row| {
            let text = |span: Span, size: f32| {
                ui.painter().layout_no_wrap(span.text(shown.chart.quantity), FontId::proportional(size), Color32::PLACEHOLDER).size().x
            };
            let kernel = row.bars.kernel.map_or(0.0, |span| text(span, LABEL_SIZE));
            row.bars.round_trip.map_or(kernel, |span| kernel.max(text(span, SMALL_SIZE)))
        };
        let values_left = right - shown.chart.rows.iter().map(value_width).fold(VALUES_WIDTH, f32::max).min((right - left) * 0.3);
        let bars_left = left + 10.0 + label_width + GAP;
        Self {
            label: Rangef::new(left + 10.0, left + 10.0 + label_width),
            bars: Rangef::new(bars_left, (values_left - GAP).max(bars_left + 20.0)),
            values: Rangef::new(values_left, right),
        }
    }
}

/// Draws axis, rows and legend into what is left of `ui`.
pub fn bars_ui(ui: &mut Ui, shown: &Shown<'_>, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let columns = Columns::new(ui, shown);
    axis_ui(ui, shown.chart, &columns);
    let height = (ui.available_height() - LEGEND_HEIGHT).max(40.0);
    ScrollArea::vertical().max_height(height).min_scrolled_height(40.0).auto_shrink(false).show(ui, |ui| {
        for row in &shown.chart.rows {
            row_ui(ui, shown, row, &columns, actions);
        }
    });
    legend_ui(ui, shown);
}

fn axis_ui(ui: &mut Ui, chart: &Chart, columns: &Columns) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), AXIS_HEIGHT), Sense::hover());
    let mut free_from = columns.label.min;
    for &tick in chart.axis.ticks() {
        let x = columns.bars.min + chart.axis.position(tick) as f32 * columns.bars.span();
        let text = ui.painter().layout_no_wrap(chart.quantity.tick(tick), FontId::proportional(SMALL_SIZE), ui.visuals().weak_text_color());
        let left = (x - text.size().x / 2.0).min(columns.values.max - text.size().x);
        if left >= free_from {
            free_from = left + text.size().x + GAP;
            ui.painter().galley(pos2(left, rect.top() + 1.0), text, Color32::PLACEHOLDER);
        }
    }
}

fn row_ui(ui: &mut Ui, shown: &Shown<'_>, row: &Row, columns: &Columns, actions: &mut Vec<Action>) {
    let Some(source) = shown.rows.get(row.index) else { return };
    let label = label(ui, shown, row, columns.label.span());
    let has_two = row.bars.round_trip.is_some();
    let height = if has_two { 33.0_f32 } else { 24.0 }.max(label.size().y + 4.0);
    let (_, rect) = ui.allocate_space(vec2(ui.available_width(), height));
    // The history's id keeps focus and tooltip on the same reading when rows come and go.
    let response = ui.interact(rect, egui::Id::unique(("timing", source.id)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, spoken(shown, row)));
    if response.gained_focus() || shown.scroll_to == Some(source.id) {
        response.scroll_to_me(None);
    }
    if ui.is_rect_visible(rect) {
        background(ui, &response, rect, shown.on_screen == Some(source.id));
        ui.painter().galley(pos2(columns.label.min, rect.center().y - label.size().y / 2.0), label, Color32::PLACEHOLDER);
        figures(ui, shown.chart, row, columns, rect);
    }
    if response.clicked() {
        actions.push(Action::BringBack(source.id));
    }
    response.context_menu(|ui| super::history_menu::row_menu_ui(ui, source.id, row, actions));
    response.on_hover_ui_at_pointer(|ui| details_ui(ui, row, source));
}

fn background(ui: &Ui, response: &Response, rect: Rect, is_on_screen: bool) {
    let painter = ui.painter();
    if response.hovered() || response.has_focus() {
        painter.rect_filled(rect, 3.0, ui.visuals().widgets.hovered.weak_bg_fill.gamma_multiply(0.6));
    } else if is_on_screen {
        painter.rect_filled(rect, 3.0, ui.visuals().faint_bg_color);
    }
    let accent = theme::accent(ui.visuals().dark_mode);
    if is_on_screen {
        let bar = Rect::from_min_max(rect.left_top() + vec2(2.0, 3.0), pos2(rect.left() + 5.0, rect.bottom() - 3.0));
        painter.rect_filled(bar, 1.0, accent);
    }
    if response.has_focus() {
        painter.rect_stroke(rect.shrink(1.0), 3.0, Stroke::new(2.0, accent), egui::StrokeKind::Inside);
    }
}

/// Name and marks, below it the variant where the name is another; wrapped onto at most two lines.
fn label(ui: &Ui, shown: &Shown<'_>, row: &Row, width: f32) -> Arc<Galley> {
    let visuals = ui.visuals();
    let mut job = LayoutJob::default();
    job.append(&row.label, 0.0, TextFormat::simple(FontId::proportional(LABEL_SIZE), visuals.text_color()));
    let mut add = |text: &str, ink: Color32| job.append(text, 0.0, TextFormat::simple(FontId::proportional(SMALL_SIZE), ink));
    if is_on_screen(shown, row) {
        add("  shown", theme::accent(visuals.dark_mode));
    }
    if row.is_baseline && shown.chart.quantity == Quantity::SpeedUp {
        add("  baseline", visuals.weak_text_color());
    }
    if row.is_busy {
        add("  busy", visuals.warn_fg_color);
    }
    if let Some(detail) = &row.detail {
        add(&format!("\n{detail}"), visuals.weak_text_color());
    }
    job.wrap.max_width = width.ceil() + 0.5;
    job.wrap.max_rows = 2;
    ui.painter().layout_job(job)
}

fn is_on_screen(shown: &Shown<'_>, row: &Row) -> bool {
    shown.rows.get(row.index).is_some_and(|source| Some(source.id) == shown.on_screen)
}

fn figures(ui: &Ui, chart: &Chart, row: &Row, columns: &Columns, rect: Rect) {
    let painter = ui.painter();
    let visuals = ui.visuals();
    let grid = Stroke::new(1.0, visuals.widgets.noninteractive.bg_stroke.color);
    let bars = Bars { painter, axis: &chart.axis, x: columns.bars, is_dark: visuals.dark_mode, ink: visuals.strong_text_color() };
    for &tick in chart.axis.ticks() {
        painter.vline(bars.x_of(tick), rect.y_range(), grid);
    }
    let origin = columns.bars.min + chart.axis.origin() as f32 * columns.bars.span();
    painter.vline(origin, rect.y_range(), Stroke::new(1.0, visuals.weak_text_color()));
    let has_two = row.bars.round_trip.is_some();
    let thick_y = if has_two { rect.center().y - 6.0 } else { rect.center().y };
    let value = |text: String, y: f32, size: f32, ink: Color32| {
        painter.text(pos2(columns.values.min, y), Align2::LEFT_CENTER, text, FontId::proportional(size), ink);
    };
    if let Some(span) = row.bars.kernel {
        bars.value(span.median, Rangef::new(thick_y - 7.0, thick_y + 7.0), row.role);
        bars.spread(span, thick_y);
        value(span.text(chart.quantity), thick_y, LABEL_SIZE, visuals.strong_text_color());
    } else if let Some(problem) = &row.problem {
        let ink = if problem.is_failure { color(Role::Failure, visuals.dark_mode) } else { visuals.weak_text_color() };
        mark(painter, pos2(columns.bars.min + 10.0, thick_y), problem.is_failure, ink);
        let mut job = LayoutJob::simple_singleline(problem.text.clone(), FontId::proportional(SMALL_SIZE), ink);
        job.wrap = egui::text::TextWrapping::truncate_at_width(columns.values.max - columns.bars.min - 20.0);
        let text = painter.layout_job(job);
        painter.galley(pos2(columns.bars.min + 20.0, thick_y - text.size().y / 2.0), text, ink);
    }
    if let Some(span) = row.bars.round_trip {
        let y = rect.center().y + 8.0;
        let range = Rangef::new(y - 4.0, y + 4.0);
        match row.bars.parts {
            Some(parts) => bars.stack(parts, range),
            None => bars.value(span.median, range, Role::Transfers),
        }
        bars.spread(span, y);
        value(span.text(chart.quantity), y, SMALL_SIZE, visuals.weak_text_color());
    }
}

/// The accessible name of a row: "2 Vectorize, padded+vectorize=5 kernel 1.2 ms, round trip 3 ms", or why there is no time.
fn spoken(shown: &Shown<'_>, row: &Row) -> String {
    let quantity = shown.chart.quantity;
    let title = row.detail.as_ref().map_or_else(|| row.label.clone(), |detail| format!("{}, {detail}", row.label));
    let mut parts = vec![match (row.bars.kernel, &row.problem) {
        (Some(span), _) => format!("{title} kernel {}", span.text(quantity)),
        (None, Some(problem)) => format!("{title} {}", problem.text),
        (None, None) => title,
    }];
    parts.extend(row.bars.round_trip.map(|span| format!("round trip {}", span.text(quantity))));
    let words = [(row.is_busy, "busy"), (row.is_baseline, "baseline"), (is_on_screen(shown, row), "on screen")];
    parts.extend(words.into_iter().filter(|(is_so, _)| *is_so).map(|(_, word)| word.to_owned()));
    parts.join(", ")
}

fn details_ui(ui: &mut Ui, row: &Row, source: &HistoryRow) {
    // Wide enough for a spread on one line; a grid would squeeze values that wrap.
    ui.set_max_width(DETAILS_WIDTH);
    ui.spacing_mut().item_spacing.y = 1.0;
    ui.strong(&row.label);
    if let Some(detail) = &row.detail {
        ui.weak(detail);
    }
    for (name, value) in details(&source.record) {
        ui.horizontal_top(|ui| {
            let font = FontId::proportional(LABEL_SIZE);
            let (rect, _) = ui.allocate_exact_size(vec2(136.0, LABEL_SIZE + 4.0), Sense::hover());
            ui.painter().text(rect.left_top(), Align2::LEFT_TOP, name, font, ui.visuals().weak_text_color());
            ui.add(egui::Label::new(egui::RichText::new(value).size(LABEL_SIZE)).wrap());
        });
    }
    ui.weak(match row.role {
        Role::Cpu => "Click to compute with it",
        _ => "Click to bring it back",
    });
}

fn legend_ui(ui: &mut Ui, shown: &Shown<'_>) {
    let chart = shown.chart;
    let has = |test: &dyn Fn(&Row) -> bool| chart.rows.iter().any(test);
    let has_parts = has(&|row| row.bars.parts.is_some());
    let items = [
        (has(&|row| row.role == Role::Cpu), Some(Role::Cpu), "CPU"),
        (
            has(&|row| row.role == Role::Device),
            Some(Role::Device),
            if shown.is_host { "OpenCL kernel, on the same processor" } else { "OpenCL kernel" },
        ),
        (has_parts, Some(Role::Transfers), "upload, read-back"),
        (!has_parts && has(&|row| row.bars.round_trip.is_some()), Some(Role::Transfers), "round trip"),
        (has_parts, None, "launching, waiting"),
    ];
    // Otherwise a row is as high as a button, and a panel that fits its content grows with every frame.
    ui.spacing_mut().interact_size.y = LEGEND_HEIGHT;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        ui.add_space(10.0);
        let is_dark = ui.visuals().dark_mode;
        for (_, role, text) in items.into_iter().filter(|(is_there, ..)| *is_there) {
            let (rect, _) = ui.allocate_exact_size(vec2(20.0, 10.0), Sense::hover());
            match role.filter(|_| chart.axis.is_log()) {
                Some(role) => point(ui.painter(), rect.center(), role, is_dark),
                None => swatch(ui.painter(), rect, role, is_dark),
            }
            ui.label(egui::RichText::new(text).size(SMALL_SIZE).weak());
            ui.add_space(7.0);
        }
        let text = if chart.quantity == Quantity::SpeedUp { "lines: what the quartiles of both allow" } else { "lines: quartiles" };
        ui.add(egui::Label::new(egui::RichText::new(text).size(SMALL_SIZE).weak()).truncate());
    });
}
