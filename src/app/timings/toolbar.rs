//! What the chart shows, which axis, against what; the history.

use super::history_menu::history_ui;
use super::{TimingsPanel, TimingsSettings};
use crate::app::action::Action;
use crate::app::labels;
use crate::app::state::State;
use crate::app::widgets::{menu, name, segments};
use crate::plot::{Baseline, Entry, Options, Order, Quantity, Scale, baseline_index};
use egui::{ComboBox, Role, Ui};
use std::collections::BTreeSet;

/// One line of controls, on two where the window is narrow.
pub fn toolbar_ui(ui: &mut Ui, panel: &mut TimingsPanel, state: &State, entries: &[Entry<'_>], actions: &mut Vec<Action>) {
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
        ui.checkbox(&mut is_log, labels::LOG_AXIS)
            .on_hover_text("Equal ratios are equally far apart; values are points, as lengths would mean nothing");
        options.scale = if is_log { Scale::Log } else { Scale::Linear };
        rows_ui(ui, options, entries);
        history_ui(ui, panel, state, &mut settings.every_run, actions);
    });
    queue(state, settings, actions);
}

/// Which rows there are, in which order, with what in them.
fn rows_ui(ui: &mut Ui, options: &mut Options, entries: &[Entry<'_>]) {
    let (title, width) = match entries.iter().filter(|entry| !options.shows(entry)).count() {
        0 => (labels::ROWS.to_owned(), 80.0),
        count => (format!("{} ({count} hidden)", labels::ROWS), 150.0),
    };
    menu(ui, labels::ROWS, &title, width, |ui| {
        ui.checkbox(&mut options.round_trip, labels::ROUND_TRIP).on_hover_text("Below each kernel time: from upload to read-back");
        let about = "The competitors without OpenCL; without them the axis fits the kernels";
        ui.checkbox(&mut options.cpu, labels::CPU_ROWS).on_hover_text(about);
        let mut is_fastest_first = options.order == Order::Fastest;
        ui.checkbox(&mut is_fastest_first, labels::FASTEST_FIRST).on_hover_text("Sorted by kernel time instead of by step");
        options.order = if is_fastest_first { Order::Fastest } else { Order::Steps };
        let keys: BTreeSet<String> = entries.iter().map(Entry::key).filter(|key| options.hidden.contains(key)).collect();
        if keys.is_empty() {
            ui.weak("A right click on a row hides it");
        } else if ui.button(labels::SHOW_HIDDEN).on_hover_text(keys.iter().cloned().collect::<Vec<_>>().join("\n")).clicked() {
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
    let previous = if is_ladder { "the step before" } else { "the variant before" };
    let text = match against {
        Baseline::Previous => previous.to_owned(),
        Baseline::Auto => automatic.clone().unwrap_or_else(|| "none measured".to_owned()),
        Baseline::Row(_) => baseline_index(entries, against, 0).and_then(title_of).unwrap_or_default(),
    };
    let combo =
        ComboBox::from_id_salt(labels::BASELINE).width(150.0).selected_text(format!("against {text}")).truncate().show_ui(ui, |ui| {
            let automatic = automatic.map_or_else(|| labels::AUTOMATIC.to_owned(), |title| format!("{}: {title}", labels::AUTOMATIC));
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
    name(&combo.response, Role::ComboBox, labels::BASELINE, Some(&text));
    combo.response.on_hover_text("Speed-ups are this one's time divided by the others'");
}

fn first_letter_large(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
