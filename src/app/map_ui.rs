//! A heat map whose cells are buttons: times over two things that were chosen.

use super::theme::space;
use super::widgets::name;
use base::texts::text;
use egui::style::ScrollStyle;
use egui::{Button, Color32, Grid, RichText, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, Vec2, vec2};
use std::collections::HashMap;
use view::plot::{HeatMap, SIZE_LEGEND, size_legend, size_opacity, units};

/// A cell of the map: a time of four digits and its unit.
const CELL_POINTS: Vec2 = vec2(66.0, 26.0);

/// A color in the legend.
const SWATCH_POINTS: Vec2 = vec2(26.0, 14.0);

/// What is said of a cell, and how it is marked.
pub struct CellWords {
    /// Where the pointer rests, and to who does not see it; of a cell without a time, why it has none.
    pub spoken: String,
    /// It is what is chosen now.
    pub is_chosen: bool,
}

/// Shows a map with its legend; `words` says what a cell is, by the index in the map's cells. Returns the index of a cell that was clicked.
pub fn map_ui(ui: &mut Ui, id: &str, map: &HeatMap, mut words: impl FnMut(usize) -> CellWords) -> Option<usize> {
    legend_ui(ui);
    let best = map.cells.iter().filter_map(|(_, time)| *time).min_by(f64::total_cmp);
    let places: HashMap<[usize; 2], usize> = map.cells.iter().enumerate().map(|(index, (place, _))| (*place, index)).collect();
    let mut clicked = None;
    // The bar is always there: nothing else says that the map goes on at the right.
    ui.spacing_mut().scroll = ScrollStyle::solid();
    ScrollArea::horizontal().id_salt(id).auto_shrink([false, true]).show(ui, |ui| {
        Grid::new(id).spacing([space::SMALL, space::SMALL]).show(ui, |ui| {
            ui.label(RichText::new(map.corner.to_string()).weak().small());
            for x in &map.xs {
                ui.centered_and_justified(|ui| ui.label(x));
            }
            ui.end_row();
            for (row, y) in map.ys.iter().enumerate() {
                ui.label(y);
                for column in 0..map.xs.len() {
                    let found = places.get(&[column, row]).copied();
                    let Some((index, time)) = found.and_then(|index| Some((index, map.cells.get(index)?.1))) else {
                        ui.label("");
                        continue;
                    };
                    if cell_ui(ui, time, best, &words(index)) {
                        clicked = Some(index);
                    }
                }
                ui.end_row();
            }
        });
    });
    clicked
}

/// Whether it was clicked.
fn cell_ui(ui: &mut Ui, time: Option<f64>, best: Option<f64>, words: &CellWords) -> bool {
    let (Some(time), Some(best)) = (time, best) else {
        ui.add_enabled(false, Button::new("–").min_size(CELL_POINTS)).on_disabled_hover_text(&words.spoken);
        return false;
    };
    let is_best = time <= best;
    let label = RichText::new(units::time(time));
    let mut button = Button::new(if is_best { label.strong() } else { label }).min_size(CELL_POINTS).fill(color(ui, time / best));
    if is_best || words.is_chosen {
        let width = if is_best { 2.0 } else { 1.0 };
        button = button.stroke(Stroke::new(width, ui.visuals().strong_text_color()));
    }
    let response = ui.add(button).on_hover_text(&words.spoken);
    name(&response, Role::Button, &words.spoken, None);
    response.clicked()
}

/// Which color stands for which slow-down.
fn legend_ui(ui: &mut Ui) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = space::SMALL;
        ui.label(RichText::new(text("studies.tune.legend")).small());
        for ratio in SIZE_LEGEND {
            let (rect, _) = ui.allocate_exact_size(SWATCH_POINTS, Sense::hover());
            let edge = ui.visuals().widgets.noninteractive.bg_stroke;
            ui.painter().rect(rect, 2.0, color(ui, ratio), edge, StrokeKind::Inside);
            ui.label(RichText::new(size_legend(ratio)).small());
            ui.add_space(space::SMALL);
        }
    });
}

/// The color of what takes `ratio` times as long as the best.
fn color(ui: &Ui, ratio: f64) -> Color32 {
    ui.visuals().selection.bg_fill.gamma_multiply(size_opacity(ratio) as f32)
}
