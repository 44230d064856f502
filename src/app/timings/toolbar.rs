//! What the chart shows, which axis, against what.

use super::TimingsSettings;
use crate::app::action::Action;
use crate::app::labels;
use crate::app::state::State;
use crate::app::widgets::{menu, name, segments};
use base::texts::{filled, pair, text};
use egui::{ComboBox, Role, Ui};
use std::collections::BTreeSet;
use view::plot::{Baseline, Entry, Order, Quantity, Scale, baseline_index};

/// One line of controls, on two where the window is narrow.
pub fn toolbar_ui(ui: &mut Ui, state: &State, entries: &[Entry<'_>], actions: &mut Vec<Action>) {
    let mut settings = state.settings.timings.clone();
    ui.horizontal_wrapped(|ui| {
        let options = &mut settings.options;
        let quantities = Quantity::ALL.map(|quantity| (quantity, quantity.label().to_owned(), quantity.label().to_owned()));
        if let Some(chosen) = segments(ui, Some(options.quantity), quantities.into_iter()) {
            options.quantity = chosen;
        }
        if options.quantity == Quantity::SpeedUp {
            baseline_ui(ui, &mut options.against, entries);
        }
        let mut is_log = options.scale == Scale::Log;
        ui.checkbox(&mut is_log, labels::log_axis()).on_hover_text(text("window.timings.log-about"));
        options.scale = if is_log { Scale::Log } else { Scale::Linear };
        rows_ui(ui, &mut settings, entries);
    });
    queue(state, settings, actions);
}

/// Which rows there are, in which order, with what in them.
fn rows_ui(ui: &mut Ui, settings: &mut TimingsSettings, entries: &[Entry<'_>]) {
    let TimingsSettings { options, every_run } = settings;
    let (title, width) = match entries.iter().filter(|entry| !options.shows(entry)).count() {
        0 => (labels::rows().to_owned(), 80.0),
        count => (filled("window.timings.rows-hidden", &[("count", &count)]), 150.0),
    };
    menu(ui, labels::rows(), &title, width, |ui| {
        ui.checkbox(&mut options.round_trip, labels::round_trip()).on_hover_text(text("window.timings.round-trip-about"));
        let about = text("window.timings.cpu-about");
        ui.checkbox(&mut options.cpu, labels::cpu_rows()).on_hover_text(about);
        let mut is_fastest_first = options.order == Order::Fastest;
        ui.checkbox(&mut is_fastest_first, labels::fastest_first()).on_hover_text(text("window.timings.fastest-about"));
        options.order = if is_fastest_first { Order::Fastest } else { Order::Steps };
        ui.checkbox(every_run, labels::every_run()).on_hover_text(text("window.history.every-run-about"));
        let keys: BTreeSet<String> = entries.iter().map(Entry::key).filter(|key| options.hidden.contains(key)).collect();
        if keys.is_empty() {
            ui.weak(text("window.timings.hide-hint"));
        } else if ui.button(labels::show_hidden()).on_hover_text(keys.iter().cloned().collect::<Vec<_>>().join("\n")).clicked() {
            options.hidden.retain(|key| !keys.contains(key));
        }
    });
}

/// Queues the settings where they changed.
fn queue(state: &State, settings: TimingsSettings, actions: &mut Vec<Action>) {
    if settings != state.settings.timings {
        actions.push(Action::SetTimings(settings));
    }
}

fn baseline_ui(ui: &mut Ui, against: &mut Baseline, entries: &[Entry<'_>]) {
    let title_of = |index: usize| {
        let entry = entries.get(index)?;
        let step = entry.step.map(|step| format!("{} {}", step.number, step.name));
        Some(entry.name().map(str::to_owned).or(step).unwrap_or_else(|| entry.reading.label()))
    };
    let automatic = baseline_index(entries, &Baseline::Auto, 0).and_then(title_of);
    let is_ladder = entries.iter().any(|entry| entry.step.is_some());
    let previous = if is_ladder { text("window.chart.step-before") } else { text("window.chart.variant-before") };
    let now = match against {
        Baseline::Previous => previous.to_owned(),
        Baseline::Auto => automatic.clone().unwrap_or_else(|| text("window.timings.none-measured").to_owned()),
        Baseline::Row(_) => baseline_index(entries, against, 0).and_then(title_of).unwrap_or_default(),
    };
    let combo = ComboBox::from_id_salt(labels::baseline())
        .width(150.0)
        .selected_text(filled("window.timings.against", &[("baseline", &now)]))
        .truncate()
        .show_ui(ui, |ui| {
            let automatic = automatic.map_or_else(|| labels::automatic().to_owned(), |title| pair(&labels::automatic(), &title));
            let mut choose = |ui: &mut Ui, value: Baseline, text: String| {
                if ui.selectable_label(*against == value, text).clicked() {
                    *against = value;
                }
            };
            choose(ui, Baseline::Auto, automatic);
            choose(ui, Baseline::Previous, first_letter_large(previous));
            ui.separator();
            for (index, entry) in entries.iter().enumerate() {
                // Only what was measured and is right can be a baseline.
                if baseline_index(std::slice::from_ref(entry), &Baseline::Auto, 0).is_some() {
                    choose(ui, Baseline::Row(entry.key()), title_of(index).unwrap_or_default());
                }
            }
        });
    name(&combo.response, Role::ComboBox, labels::baseline(), Some(&now));
    combo.response.on_hover_text(text("window.timings.baseline-about"));
}

fn first_letter_large(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
