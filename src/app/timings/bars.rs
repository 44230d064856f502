//! The chart: one focusable row per reading, under an axis that stays while the rows scroll.

use super::TimingsSettings;
use super::details::details;
use crate::app::action::Action;
use crate::app::history::Row as HistoryRow;
use crate::app::scene_ui::{area_at, measure, paint, scene_ui};
use crate::app::state::State;
use crate::app::theme::{self, type_scale};
use base::texts::text;
use egui::{Align2, FontId, Rect, Response, ScrollArea, Sense, Stroke, Ui, WidgetInfo, vec2};
use view::plot::{self, Chart, Figure, Hit, Role, Row};

/// Room for the scroll bar, beside all rows.
const BAR_ROOM: f32 = 12.0;
const MIN_ROWS: f32 = 40.0;
const MIN_WIDTH: f32 = 160.0;
const DETAILS_WIDTH: f32 = 580.0;
const DETAILS_SIZE: f32 = 13.5;

/// What is drawn.
pub struct Shown<'a> {
    /// The history's rows; [`Row::index`] points into them.
    pub rows: &'a [&'a HistoryRow],
    /// The same as a chart.
    pub chart: &'a Chart,
    /// What the chart was made with.
    pub settings: &'a TimingsSettings,
    /// What the window knows of the device besides.
    pub state: &'a State,
}

impl<'a> Shown<'a> {
    /// What lies at a place of the chart.
    fn at(&self, hit: &Hit) -> Option<(&'a Row, &'a HistoryRow)> {
        let row = self.chart.rows.get(hit.index)?;
        Some((row, self.rows.get(row.index)?))
    }
}

/// What is kept from frame to frame.
#[derive(Default)]
pub struct Kept {
    /// The chart as it was last laid out, with the bits of the width, of the pixels per point and of the type's scale.
    laid_out: Option<(Chart, [u32; 3], Figure)>,
    /// The row of what is on the screen with the bits of its place and of the room for all rows: where one of them changes, it is brought into view.
    in_view: Option<(u64, [u32; 2])>,
}

/// Draws axis, rows and legend into what is left of `ui`.
pub fn bars_ui(ui: &mut Ui, kept: &mut Kept, shown: &Shown<'_>, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let Kept { laid_out, in_view } = kept;
    let width = (ui.available_width() - BAR_ROOM).max(MIN_WIDTH);
    let scale = type_scale(ui);
    let bits = [width, ui.pixels_per_point(), scale].map(f32::to_bits);
    if laid_out.as_ref().is_some_and(|(chart, at, _)| chart != shown.chart || *at != bits) {
        *laid_out = None;
    }
    let (_, _, figure) = laid_out.get_or_insert_with(|| (shown.chart.clone(), bits, larger_figure(ui, shown.chart, width, scale)));
    scene_ui(ui, &figure.axis);
    let height = (ui.available_height() - figure.legend.height as f32).max(MIN_ROWS);
    ScrollArea::vertical().max_height(height).min_scrolled_height(MIN_ROWS).auto_shrink(false).show(ui, |ui| {
        let area = rows_ui(ui, shown, figure, actions);
        let on_screen =
            figure.rows.hits.iter().find_map(|hit| shown.at(hit).filter(|(row, _)| row.is_shown).map(|(_, source)| (hit, source)));
        let now = on_screen.map(|(hit, source)| (source.id, [hit.area[1] as f32, height].map(f32::to_bits)));
        if let (Some((hit, _)), true) = (on_screen, now != *in_view) {
            ui.scroll_to_rect(area_at(area.min, hit.area), None);
        }
        *in_view = now;
    });
    scene_ui(ui, &figure.legend);
}

/// The chart at that many points per unit: its type grows with that around it.
fn larger_figure(ui: &Ui, chart: &Chart, width: f32, scale: f32) -> Figure {
    let (measure, scale) = (measure(ui), f64::from(scale));
    let figure = plot::figure(chart, f64::from(width) / scale, &|text, size| measure(text, size * scale) / scale);
    Figure { axis: figure.axis.scaled(scale), rows: figure.rows.scaled(scale), legend: figure.legend.scaled(scale), notes: figure.notes }
}

fn rows_ui(ui: &mut Ui, shown: &Shown<'_>, figure: &Figure, actions: &mut Vec<Action>) -> Rect {
    let (_, area) = ui.allocate_space(vec2(ui.available_width(), figure.rows.height as f32));
    let row = |hit: &Hit| {
        let (row, source) = shown.at(hit)?;
        Some((row, source, row_ui(ui, hit, area, source.id)))
    };
    let rows: Vec<_> = figure.rows.hits.iter().filter_map(row).collect();
    let fill = ui.visuals().widgets.hovered.weak_bg_fill.gamma_multiply(0.6);
    for (_, _, response) in rows.iter().filter(|(_, _, response)| response.hovered() || response.has_focus()) {
        ui.painter().rect_filled(response.rect, 3.0, fill);
    }
    paint(ui.painter(), &figure.rows, area.min, ui.visuals().dark_mode);
    for (row, source, response) in rows {
        if response.has_focus() {
            let stroke = Stroke::new(2.0, theme::color(Role::Accent, ui.visuals().dark_mode));
            ui.painter().rect_stroke(response.rect.shrink(1.0), 3.0, stroke, egui::StrokeKind::Inside);
        }
        if response.gained_focus() {
            response.scroll_to_me(None);
        }
        if response.clicked() {
            actions.push(Action::BringBack(source.id));
        }
        response.context_menu(|ui| super::row_menu::row_menu_ui(ui, source, row, shown.settings, actions));
        response.on_hover_ui_at_pointer(|ui| details_ui(ui, shown.state, row, source));
    }
    area
}

fn row_ui(ui: &Ui, hit: &Hit, area: Rect, id: u64) -> Response {
    let rect = area_at(area.min, hit.area).with_max_x(area.right());
    // The history's id keeps focus and tooltip on the same reading when rows come and go.
    let response = ui.interact(rect, egui::Id::unique(("timing", id)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, hit.name.as_str()));
    response
}

fn details_ui(ui: &mut Ui, state: &State, row: &Row, source: &HistoryRow) {
    // Wide enough for a spread on one line; a grid would squeeze values that wrap.
    ui.set_max_width(DETAILS_WIDTH);
    ui.spacing_mut().item_spacing.y = 1.0;
    ui.strong(&row.label);
    if let Some(detail) = &row.detail {
        ui.weak(detail);
    }
    for (name, value) in details(&source.record, state.shares(&source.record).as_ref(), &state.bus(&source.record)) {
        detail_ui(ui, name, &value);
    }
    ui.weak(match row.role {
        Role::Cpu => text("window.timings.compute-with-it"),
        _ => text("window.timings.bring-it-back"),
    });
}

/// One line of a hover text: a name, and what is known by it.
pub fn detail_ui(ui: &mut Ui, name: &str, value: &str) {
    ui.horizontal_top(|ui| {
        let font = FontId::proportional(DETAILS_SIZE);
        let (rect, _) = ui.allocate_exact_size(vec2(136.0, DETAILS_SIZE + 4.0), Sense::hover());
        ui.painter().text(rect.left_top(), Align2::LEFT_TOP, name, font, ui.visuals().weak_text_color());
        ui.add(egui::Label::new(egui::RichText::new(value).size(DETAILS_SIZE)).wrap());
    });
}
