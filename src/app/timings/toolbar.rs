//! What the chart shows, which axis, against what; the history.

use super::history_menu::history_ui;
use super::{TimingsPanel, TimingsSettings};
use crate::app::action::Action;
use crate::app::labels;
use crate::app::state::State;
use crate::app::widgets::{name, segments};
use crate::plot::{Entry, Quantity, Scale, baseline_index};
use egui::{ComboBox, Role, Ui};

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
            baseline_ui(ui, &mut options.baseline, entries);
        }
        let mut is_log = options.scale == Scale::Log;
        ui.checkbox(&mut is_log, labels::LOG_AXIS)
            .on_hover_text("Equal ratios are equally far apart; stacked parts keep their ends, their lengths do not compare");
        options.scale = if is_log { Scale::Log } else { Scale::Linear };
        ui.checkbox(&mut options.round_trip, labels::ROUND_TRIP).on_hover_text("Below the kernel time: upload, kernel, waiting, read-back");
        history_ui(ui, panel, state, &mut settings.every_run, actions);
    });
    queue(state, settings, actions);
}

/// Queues the settings where they changed.
fn queue(state: &State, settings: TimingsSettings, actions: &mut Vec<Action>) {
    if settings != state.settings.timings {
        actions.push(Action::SetTimings(settings));
    }
}

fn baseline_ui(ui: &mut Ui, baseline: &mut Option<String>, entries: &[Entry<'_>]) {
    let now = baseline_index(entries, baseline.as_deref());
    let label_of = |index: usize| {
        entries.get(index).map_or_else(String::new, |entry| entry.name().map_or_else(|| entry.reading.label(), str::to_owned))
    };
    let text = now.map_or_else(|| "none measured".to_owned(), label_of);
    let combo =
        ComboBox::from_id_salt(labels::BASELINE).width(130.0).selected_text(format!("against {text}")).truncate().show_ui(ui, |ui| {
            for (index, entry) in entries.iter().enumerate() {
                // Only what was measured and is right can be a baseline.
                let is_usable = baseline_index(std::slice::from_ref(entry), None).is_some();
                if is_usable && ui.selectable_label(now == Some(index), label_of(index)).clicked() {
                    *baseline = Some(entry.key());
                }
            }
        });
    name(&combo.response, Role::ComboBox, labels::BASELINE, Some(&text));
    combo.response.on_hover_text("Speed-ups are this one's time divided by the others'");
}
