//! Which local work size is best for the chosen variant: a heat map of kernel times, dimension 0 across and dimension 1 down.

use super::action::Action;
use super::state::State;
use super::studies::{Answer, StudyKind};
use super::studies_ui::{head_ui, warning};
use super::theme::space;
use super::tunings::found_before_ui;
use super::widgets::{name, segments};
use crate::model::{LocalSize, local_label};
use crate::plot::units;
use crate::study::{Cell, Search, Sought, Tuned, telling};
use crate::texts::{filled, text};
use egui::{Button, Color32, Grid, RichText, Role, ScrollArea, Stroke, Ui, vec2};

/// A cell of the map: a time of four digits and its unit.
const CELL_POINTS: egui::Vec2 = vec2(66.0, 26.0);

/// How much of the color the slowest size has, and the fastest.
const STRENGTHS: [f32; 2] = [0.05, 0.85];

/// Draws the panel into all of `ui`.
pub fn local_sizes_panel(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ScrollArea::both().auto_shrink([false, false]).id_salt("local-sizes").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        let names = Search::ALL.map(|search| (search, words(search).0.to_owned(), words(search).0.to_owned()));
        if let Some(search) = segments(ui, Some(state.studies.search), names.into_iter()) {
            actions.push(Action::SetSearch(search));
        }
        ui.label(RichText::new(words(state.studies.search).1).weak());
        found_before_ui(ui, state, Sought::LocalSize, actions);
        let Some(studied) = head_ui(ui, state, StudyKind::LocalSizes, "studies.tune.none", actions) else { return };
        let Answer::LocalSizes { tuned, .. } = &studied.answer else { return };
        if tuned.is_busy() {
            warning(ui, text("studies.panel.busy"));
        }
        for line in telling::tuned_sentences(tuned) {
            ui.label(line);
        }
        if !tuned.cells.is_empty() {
            ui.add_space(space::SMALL);
            ui.label(RichText::new(text("studies.tune.click")).weak());
            map_ui(ui, tuned, state.choice().local, actions);
        }
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
    let label = RichText::new(units::time(time.median_ns));
    let mut button = Button::new(if is_best { label.strong() } else { label }).min_size(CELL_POINTS).fill(heat(ui, tuned, time.median_ns));
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

/// The stronger, the faster, on a logarithmic scale between the worst and the best.
fn heat(ui: &Ui, tuned: &Tuned, median_ns: f64) -> Color32 {
    let time = |cell: Option<&Cell>| cell.and_then(|cell| cell.time).map_or(median_ns, |time| time.median_ns);
    let (best, worst) = (time(tuned.best()), time(tuned.worst()));
    let share = if worst > best { (worst / median_ns).ln() / (worst / best).ln() } else { 1.0 };
    let [weak, strong] = STRENGTHS;
    ui.visuals().selection.bg_fill.gamma_multiply(weak + (strong - weak) * share as f32)
}
