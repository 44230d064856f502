//! Which local work size is best for the chosen variant: a heat map of kernel times, dimension 0 across and dimension 1 down.

use super::action::Action;
use super::state::State;
use super::story_ui::blocks_ui;
use super::studies_ui::head_ui;
use super::theme::space;
use super::tunings::found_before_ui;
use super::widgets::{name, segments};
use base::texts::{Words, filled, text};
use egui::style::ScrollStyle;
use egui::{Button, Color32, Grid, RichText, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, vec2};
use engine::Target;
use kernels::filters;
use model::{LocalSize, local_label};
use study::{Cell, LOCAL_SIZES, Search, Tuned, telling};
use view::plot::{Heading, HeatMap, SIZE_LEGEND, size_legend, size_opacity, units};

/// A cell of the map: a time of four digits and its unit.
const CELL_POINTS: egui::Vec2 = vec2(66.0, 26.0);

/// A color in the legend.
const SWATCH_POINTS: egui::Vec2 = vec2(26.0, 14.0);

/// Draws the panel into all of `ui`.
pub fn local_sizes_panel(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("local-sizes").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        let names = Search::ALL.map(|search| (search, words(search).0.to_owned(), words(search).0.to_owned()));
        if let Some(search) = segments(ui, Some(state.studies.search), names.into_iter()) {
            actions.push(Action::SetSearch(search));
        }
        ui.label(RichText::new(words(state.studies.search).1).weak());
        found_before_ui(ui, state, LOCAL_SIZES, actions);
        let Some(studied) = head_ui(ui, state, LOCAL_SIZES, actions) else { return };
        let Some(story) = &studied.story else { return };
        // In the place of the table a map, whose cells are buttons.
        blocks_ui(ui, story, &[], |ui, _| {
            ui.add_space(space::SMALL);
            ui.label(RichText::new(text("studies.tune.click")).weak());
            legend_ui(ui);
            // The bar is always there: nothing else says that the map goes on at the right.
            ui.spacing_mut().scroll = ScrollStyle::solid();
            ScrollArea::horizontal().id_salt("size-map").auto_shrink([false, true]).show(ui, |ui| {
                map_ui(ui, &Tuned::of(&studied.findings), state.choice().local, actions);
            });
        });
    });
}

/// Label and meaning of a search.
fn words(search: Search) -> (&'static str, &'static str) {
    match search {
        Search::Rapid => (text("studies.tune.rapid"), text("studies.tune.rapid-about")),
        Search::Normal => (text("studies.tune.normal"), text("studies.tune.normal-about")),
        Search::Exhaustive => (text("studies.tune.exhaustive"), text("studies.tune.exhaustive-about")),
    }
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

fn map_ui(ui: &mut Ui, tuned: &Tuned, now: LocalSize, actions: &mut Vec<Action>) {
    let [xs, ys] = tuned.sides();
    Grid::new("size-map").spacing([space::SMALL, space::SMALL]).show(ui, |ui| {
        ui.label(RichText::new(text("studies.tune.corner")).weak().small());
        for x in &xs {
            ui.centered_and_justified(|ui| ui.label(x.to_string()));
        }
        ui.end_row();
        for &y in &ys {
            ui.label(y.to_string());
            for &x in &xs {
                match tuned.cell([x, y]) {
                    Some(cell) => cell_ui(ui, tuned, cell, now, actions),
                    None => drop(ui.label("")),
                }
            }
            ui.end_row();
        }
    });
}

fn cell_ui(ui: &mut Ui, tuned: &Tuned, cell: &Cell, now: LocalSize, actions: &mut Vec<Action>) {
    let size = local_label(cell.local);
    let Some(time) = cell.time else {
        let why = cell.why_not.as_ref().map(ToString::to_string).unwrap_or_default();
        ui.add_enabled(false, Button::new("–").min_size(CELL_POINTS)).on_disabled_hover_text(why);
        return;
    };
    let is_of = |other: Option<&Cell>| other.is_some_and(|other| other.local == cell.local);
    let (is_best, is_worst) = (is_of(tuned.best()), is_of(tuned.worst()));
    let ratio = tuned.best().and_then(|best| best.time).map_or(1.0, |best| time.median_ns / best.median_ns);
    let label = RichText::new(units::time(time.median_ns));
    let mut button = Button::new(if is_best { label.strong() } else { label }).min_size(CELL_POINTS).fill(color(ui, ratio));
    if is_best || now == LocalSize::Explicit(cell.local) {
        let width = if is_best { 2.0 } else { 1.0 };
        button = button.stroke(Stroke::new(width, ui.visuals().strong_text_color()));
    }
    let told = filled("studies.tune.cell", &[("size", &size), ("time", &telling::kernel_time(&time))]);
    let spoken = match (is_best, is_worst) {
        (true, _) => filled("studies.tune.cell-best", &[("cell", &told)]),
        (false, true) => filled("studies.tune.cell-worst", &[("cell", &told)]),
        (false, false) => told,
    };
    let response = ui.add(button).on_hover_text(&spoken);
    name(&response, Role::Button, &spoken, None);
    if response.clicked() {
        actions.push(Action::SetLocal(LocalSize::Explicit(cell.local)));
    }
}

/// The color of a size that takes `ratio` times as long as the best one.
fn color(ui: &Ui, ratio: f64) -> Color32 {
    ui.visuals().selection.bg_fill.gamma_multiply(size_opacity(ratio) as f32)
}

/// What an export writes.
#[must_use]
pub fn exported(state: &State) -> Option<(Heading, HeatMap)> {
    let studied = state.studied(LOCAL_SIZES)?;
    let tuned = Tuned::of(&studied.findings);
    if tuned.cells.is_empty() {
        return None;
    }
    let [xs, ys] = tuned.sides();
    let place = |[x, y]: [usize; 2]| Some([xs.iter().position(|known| *known == x)?, ys.iter().position(|known| *known == y)?]);
    let cells = tuned.cells.iter().filter_map(|cell| Some((place(cell.local)?, cell.time.map(|time| time.median_ns)))).collect();
    let [xs, ys] = [&xs, &ys].map(|side| side.iter().map(usize::to_string).collect());
    let lines = telling::tuned_sentences(&tuned).into_iter().map(Words::from).collect();
    let map = HeatMap { corner: Words::text("studies.tune.corner"), xs, ys, cells, lines };
    let task = &studied.task;
    let (width, height) = task.picture.size();
    let title = format!("{} · {width} × {height}", filters::spec_text(&task.spec));
    let device = state.device_of(task).map(|device| format!("{} · {}", device.name, device.driver()));
    let variant = if let Target::Device { variant, .. } = task.target { Some(variant.to_string()) } else { None };
    Some((Heading { title, lines: device.into_iter().chain(variant).collect() }, map))
}
