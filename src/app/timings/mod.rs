//! The timing panel: a bar for every variant and competitor that was measured for what is shown.

mod bars;
mod details;
mod row_menu;
#[cfg(test)]
mod tests;
mod toolbar;

pub(super) use bars::detail_ui;

use super::action::{Action, Command};
use super::history::Row;
use super::state::State;
use base::texts::text;
use engine::Task;
use engine::device::DeviceKind;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use view::plot::{self, Entry, LadderStep, Options};

/// What of this panel is saved. A change is queued as [`Action::SetTimings`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimingsSettings {
    /// Time, speed-up or GB/s, which axis, against what.
    pub options: Options,
    /// Show repeated measurements of the same row too, instead of the newest alone.
    pub every_run: bool,
}

/// What this panel keeps between frames that is neither saved nor anyone else's business.
#[derive(Default)]
pub struct TimingsPanel {
    /// The chart.
    bars: bars::Kept,
}

/// Draws the panel into all of `ui`.
pub fn timings_ui(ui: &mut egui::Ui, panel: &mut TimingsPanel, state: &State, actions: &mut Vec<Action>) {
    let rows = visible(state);
    let entries = entries(state, &rows);
    toolbar::toolbar_ui(ui, state, &entries, actions);
    if rows.is_empty() {
        return empty_ui(ui, state, actions);
    }
    let settings = &state.settings.timings;
    let chart = plot::chart(&entries, &settings.options);
    bars::bars_ui(ui, &mut panel.bars, &bars::Shown { rows: &rows, chart: &chart, settings, state }, actions);
}

/// What the panel's chart is made of, for an export.
#[must_use]
pub fn plotted(state: &State) -> Vec<Entry<'static>> {
    entries(state, &visible(state)).into_iter().map(Entry::into_owned).collect()
}

/// Readings with their steps on the ladder.
pub(super) fn entries<'a>(state: &State, rows: &[&'a Row]) -> Vec<Entry<'a>> {
    let steps = steps(state);
    let on_screen = state.shown_row().map(|row| row.id);
    let is_on_host = state.device().or(state.device_list().first()).is_some_and(|device| device.kind == DeviceKind::Cpu);
    let entry = |row: &&'a Row| {
        let step = steps.iter().find(|(task, _)| *task == row.task).map(|(_, step)| *step);
        let shares = state.shares(&row.record);
        Entry { step, is_shown: on_screen == Some(row.id), is_on_host, shares, ..Entry::new(&row.record) }
    };
    rows.iter().map(entry).collect()
}

/// The steps of the ladder that is being climbed, as tasks.
fn steps(state: &State) -> Vec<(Task, LadderStep)> {
    let Some((ladder, now)) = state.ladder() else { return Vec::new() };
    let step = |index: usize| {
        let step = ladder.steps.get(index)?;
        Some((state.step_task(ladder, step)?, LadderStep { number: index + 1, name: step.label() }))
    };
    // Two steps can be the same task: its row is then of the one that is shown.
    std::iter::once(now).chain(0..ladder.steps.len()).filter_map(step).collect()
}

/// The rows of the picture, filter, parameters, channels and border that are shown. Of repeated measurements the newest stands where the first
/// stood; those that a person named stay.
fn visible(state: &State) -> Vec<&Row> {
    if state.settings.timings.every_run { all(state).collect() } else { newest(state) }
}

/// The same without repeated measurements.
pub(super) fn newest(state: &State) -> Vec<&Row> {
    newest_of_each(all(state))
}

fn all(state: &State) -> impl Iterator<Item = &Row> {
    let (picture, spec) = (state.picture.as_ref().map(|opened| &opened.picture), &state.choice().spec);
    let is_of = move |row: &&Row| row.record.spec == *spec && picture.is_some_and(|picture| picture.is_of(&row.record.picture));
    state.history.rows().iter().filter(is_of)
}

fn newest_of_each<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<&'a Row> {
    let mut kept: Vec<&Row> = Vec::new();
    let mut place_of = HashMap::new();
    for row in rows {
        let place = *place_of.entry((row.record.name.as_deref(), row.record.identity())).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(older) => *older = row,
            None => kept.push(row),
        }
    }
    kept
}

fn empty_ui(ui: &mut egui::Ui, state: &State, actions: &mut Vec<Action>) {
    ui.vertical_centered(|ui| {
        ui.add_space((ui.available_height() / 2.0 - 40.0).max(4.0));
        ui.label(text("window.timings.none-yet"));
        ui.horizontal(|ui| {
            ui.add_space((ui.available_width() / 2.0 - 150.0).max(0.0));
            for command in [Command::Measure, Command::MeasureCpu] {
                super::widgets::command_button(ui, state, command, false, actions);
            }
        });
    });
}
