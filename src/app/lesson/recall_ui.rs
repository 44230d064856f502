//! Draws the one step of an earlier session that is asked after the start.

use super::Answer;
use super::memory::{Recall, Remember};
use crate::app::action::Action;
use crate::app::state::State;
use crate::app::theme::space;
use base::texts::{filled, text};
use egui::{Frame, Label, RichText, Ui};
use study::device_hash;
use study::predict::Change;
use view::plot::units;

/// Draws it where there is one. A question of this session goes before it.
pub fn recall_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let Some(recall) = state.lesson.memory.recall.as_ref().filter(|_| state.lesson.open.is_none()) else { return };
    let Some(question) = question(state, recall) else { return };
    let mut act = |what: Remember| actions.push(Action::Lesson(Answer::Remember(what)));
    Frame::new().fill(ui.visuals().faint_bg_color).corner_radius(6).inner_margin(10).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.label(RichText::new(text("prediction.recall.heading")).small().weak());
        ui.add(Label::new(RichText::new(question).strong()).wrap());
        match recall.answer {
            None => {
                ui.horizontal_wrapped(|ui| {
                    for change in Change::ALL {
                        if ui.button(change.label()).clicked() {
                            act(Remember::Recalled(change));
                        }
                    }
                    if ui.button(text("prediction.recall.skip")).clicked() {
                        act(Remember::RecallOver);
                    }
                });
            }
            Some(answer) => {
                ui.label(filled("prediction.recall.you-remember", &[("change", &answer.label())]));
                let words = units::outcome(&recall.record.comparison, recall.record.busy);
                ui.label(RichText::new(filled("prediction.recall.was", &[("words", &words)])).strong());
                if let Some(guess) = recall.record.predicted.guess {
                    ui.label(filled("prediction.recall.had-said", &[("guess", &guess.label())]));
                }
                if ui.button(text("prediction.recall.done")).clicked() {
                    act(Remember::RecallOver);
                }
            }
        }
    });
    ui.add_space(space::MEDIUM);
}

/// "Mali-T600 Laplace, step 3 Merged loads: what was its effect on this device, compared with step 2 (Vectorize)?"
fn question(state: &State, recall: &Recall) -> Option<String> {
    let record = &recall.record;
    let (ladder, step) = record.place()?;
    let against = ladder.steps.get(record.against)?;
    let against = filled("words.claim.step-named", &[("number", &(record.against + 1)), ("label", &against.label())]);
    let is_here = state.device().is_some_and(|device| device_hash(device) == record.device);
    let key = if is_here { "prediction.recall.here" } else { "prediction.recall.elsewhere" };
    Some(filled(key, &[("ladder", &ladder.label()), ("step", &ladder.step_title(step).unwrap_or_default()), ("against", &against)]))
}
