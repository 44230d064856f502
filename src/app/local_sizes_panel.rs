//! Which local work size is best for the chosen variant: a heat map of kernel times, dimension 0 across and dimension 1 down.

use super::action::Action;
use super::map_ui::{CellWords, map_ui};
use super::state::State;
use super::story_ui::blocks_ui;
use super::studies_ui::head_ui;
use super::theme::space;
use super::tunings::found_before_ui;
use super::widgets::segments;
use base::texts::{Words, filled, text};
use egui::{RichText, ScrollArea, Ui};
use engine::Target;
use kernels::filters;
use model::{LocalSize, local_label};
use study::{Cell, LOCAL_SIZES, Search, Tuned, telling};
use view::plot::{Heading, HeatMap};

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
            let tuned = Tuned::of(&studied.findings);
            let now = state.choice().local;
            let clicked = map_ui(ui, "size-map", &map_of(&tuned), |index| words_of(&tuned, index, now));
            if let Some(cell) = clicked.and_then(|index| tuned.cells.get(index)) {
                actions.push(Action::SetLocal(LocalSize::Explicit(cell.local)));
            }
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

fn words_of(tuned: &Tuned, index: usize, now: LocalSize) -> CellWords {
    let Some(cell) = tuned.cells.get(index) else { return CellWords { spoken: String::new(), is_chosen: false } };
    let Some(time) = cell.time else {
        return CellWords { spoken: cell.why_not.as_ref().map(ToString::to_string).unwrap_or_default(), is_chosen: false };
    };
    let told = filled("studies.tune.cell", &[("size", &local_label(cell.local)), ("time", &telling::kernel_time(&time))]);
    let is_of = |other: Option<&Cell>| other.is_some_and(|other| other.local == cell.local);
    let spoken = match (is_of(tuned.best()), is_of(tuned.worst())) {
        (true, _) => filled("studies.tune.cell-best", &[("cell", &told)]),
        (false, true) => filled("studies.tune.cell-worst", &[("cell", &told)]),
        (false, false) => told,
    };
    CellWords { spoken, is_chosen: now == LocalSize::Explicit(cell.local) }
}

/// The map, with a cell for each of `tuned`, in their order.
fn map_of(tuned: &Tuned) -> HeatMap {
    let [xs, ys] = tuned.sides();
    let place = |[x, y]: [usize; 2]| {
        [xs.iter().position(|known| *known == x), ys.iter().position(|known| *known == y)].map(Option::unwrap_or_default)
    };
    let cells = tuned.cells.iter().map(|cell| (place(cell.local), cell.time.map(|time| time.median_ns))).collect();
    let [xs, ys] = [&xs, &ys].map(|side| side.iter().map(usize::to_string).collect());
    let lines = telling::tuned_sentences(tuned).into_iter().map(Words::from).collect();
    HeatMap { corner: Words::text("studies.tune.corner"), xs, ys, cells, lines }
}

/// What an export writes.
#[must_use]
pub fn exported(state: &State) -> Option<(Heading, HeatMap)> {
    let studied = state.studied(LOCAL_SIZES)?;
    let tuned = Tuned::of(&studied.findings);
    if tuned.cells.is_empty() {
        return None;
    }
    let map = map_of(&tuned);
    let task = &studied.task;
    let (width, height) = task.picture.size();
    let title = format!("{} · {width} × {height}", filters::spec_text(&task.spec));
    let device = state.device_of(task).map(|device| format!("{} · {}", device.name, device.driver()));
    let variant = if let Target::Device { variant, .. } = task.target { Some(variant.to_string()) } else { None };
    Some((Heading { title, lines: device.into_iter().chain(variant).collect() }, map))
}
