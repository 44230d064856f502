//! What the last change did here, in words: on a place of its own, so that nothing moves under the pointer.

use super::action::{Action, Command};
use super::settings::Place;
use super::state::State;
use super::theme::{accent, right};
use super::widgets::{again_button, command_button};
use base::texts::{self, text};
use egui::{Align, Label, Layout, RichText, Ui, vec2};
use engine::Target;
use model::Labelled;
use model::measure::{Comparison, Verdict};
use view::plot::units;

/// Two lines of small text and a button, or three lines.
const HEIGHT: f32 = 58.0;

/// Draws it, always of the same height.
pub fn effect_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.allocate_ui_with_layout(vec2(ui.available_width(), HEIGHT), Layout::top_down(Align::Min), |ui| {
        ui.set_min_height(HEIGHT);
        ui.spacing_mut().item_spacing.y = 1.0;
        if let Place::Cpu(engine) = state.place {
            let text = texts::filled("window.effect.on-cpu", &[("engine", &engine.label())]);
            ui.label(RichText::new(text).small().color(ui.visuals().warn_fg_color));
            if !state.device_list().is_empty() {
                command_button(ui, state, Command::BackToDevice, false, actions);
            }
            return;
        }
        result(ui, state, actions);
        let notes = state.change.notes.join("; ");
        if !notes.is_empty() {
            ui.add(Label::new(RichText::new(&notes).small().color(accent(ui.visuals().dark_mode))).truncate()).on_hover_text(notes);
        }
    });
}

/// "Speed relative to padded: 1.95× (1.86–2.05)".
fn told(state: &State, comparison: &Comparison) -> String {
    let Some((before, now)) = state.changed() else { return String::new() };
    let words = units::outcome(comparison, state.is_comparison_busy(before, &now));
    let name = match (before.target, now.target) {
        (Target::Device { variant, .. }, Target::Device { variant: other, .. }) if variant != other => variant.to_string(),
        // The local size or the host's memory alone.
        _ => text("window.effect.before").to_owned(),
    };
    texts::filled("window.effect.told", &[("before", &name), ("words", &words)])
}

fn result(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let visuals = ui.visuals();
    let (words, ink) = match state.effect() {
        _ if state.change.before.is_none() => (text("window.effect.none-yet").to_owned(), visuals.weak_text_color()),
        Some(comparison) => {
            let ink = match comparison.verdict {
                Verdict::Faster => right(visuals.dark_mode),
                Verdict::Slower => visuals.warn_fg_color,
                Verdict::Same | Verdict::Unclear => visuals.text_color(),
            };
            (told(state, &comparison), ink)
        }
        None if !state.pending.is_empty() || state.is_unasked => (text("window.effect.measuring").to_owned(), visuals.weak_text_color()),
        None => (String::new(), visuals.weak_text_color()),
    };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        ui.label(RichText::new(words).small().color(ink)).on_hover_text(text("window.effect.about"));
        let effect = state.effect();
        if effect.as_ref().is_some_and(|comparison| comparison.one_run().is_some()) {
            ui.label(RichText::new(text("window.effect.one-run")).small().weak()).on_hover_text(text("window.editor.one-run-about"));
        }
        let is_undecided = effect.is_some_and(|comparison| comparison.verdict == Verdict::Unclear);
        if let Some((before, now)) = state.changed().filter(|_| is_undecided) {
            again_button(ui, state, || Action::CompareAgain(Box::new((before.clone(), now))), actions);
        }
    });
}
