//! How predictions do over all ladders and sessions, the votes of classes, and what is kept of both.

use super::action::{Action, Command, Export};
use super::lesson::{Answer, Remember};
use super::state::State;
use super::theme::space;
use super::widgets::command_button;
use base::texts::{filled, text};
use egui::{Grid, Label, RichText, ScrollArea, Ui};
use study::PredictionRecord;
use study::predict::votes::{Votes, Worth, share_right, total};
use study::trend::Trend;

/// Draws the panel into all of `ui`.
pub fn predictions_panel(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let memory = &state.lesson.memory;
    ScrollArea::both().auto_shrink([false, false]).id_salt("predictions").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        ui.label(RichText::new(text("prediction.heading")).strong());
        match memory.trend() {
            Some(trend) => trend_ui(ui, trend),
            None => drop(ui.add(Label::new(RichText::new(text("prediction.none")).weak()).wrap())),
        }
        votes_ui(ui, memory.records());
        ui.add_space(space::LARGE);
        kept_ui(ui, state, actions);
    });
}

fn trend_ui(ui: &mut Ui, trend: &Trend) {
    for (line, about) in trend.lines() {
        ui.add(Label::new(line).wrap()).on_hover_text(about);
    }
    ui.add_space(space::MEDIUM);
    Grid::new("predicted-ladders").striped(true).num_columns(3).spacing([space::LARGE, space::SMALL]).show(ui, |ui| {
        heads(ui, &["prediction.trend.ladder", "prediction.trend.first-half", "prediction.trend.second-half"]);
        for ladder in &trend.ladders {
            ui.label(ladder.label());
            for half in ladder.halves {
                ui.label(match half.count {
                    0 => String::new(),
                    count => filled("prediction.trend.right-of", &[("right", &half.right), ("count", &count)]),
                });
            }
            ui.end_row();
        }
    });
}

/// Steps that a class voted on, and which of them are good for a vote.
fn votes_ui(ui: &mut Ui, records: &[PredictionRecord]) {
    let voted: Vec<(&PredictionRecord, &Votes)> = records.iter().filter_map(|record| Some((record, record.votes.as_ref()?))).collect();
    if voted.is_empty() {
        return;
    }
    ui.add_space(space::LARGE);
    ui.label(RichText::new(text("prediction.vote.heading")).strong());
    Grid::new("class-votes").striped(true).num_columns(5).spacing([space::LARGE, space::SMALL]).show(ui, |ui| {
        heads(ui, &["prediction.trend.ladder", "prediction.vote.step", "prediction.vote.hands", "prediction.vote.right"]);
        for (record, votes) in voted.iter().rev() {
            let place = record.place();
            ui.label(place.map_or(record.predicted.ladder.as_str(), |(ladder, _)| ladder.label()));
            ui.label(place.and_then(|(ladder, step)| ladder.step_title(step)).unwrap_or_else(|| record.step_key.clone()));
            ui.label(total(&votes.first).to_string());
            let truth = &record.predicted.truth;
            match share_right(&votes.first, truth) {
                Some(first) => {
                    let percent = |share: f64| format!("{:.0}", share * 100.0);
                    let first_percent = percent(first);
                    let shares = match share_right(&votes.second, truth).map(percent) {
                        Some(second) => filled("prediction.vote.shares", &[("first", &first_percent), ("second", &second)]),
                        None => format!("{first_percent} %"),
                    };
                    ui.label(shares).on_hover_text(votes.in_words(truth).unwrap_or_default());
                    ui.label(RichText::new(Worth::of_share(first).label()).weak()).on_hover_text(text("prediction.vote.worth-about"));
                }
                None => drop(ui.label(RichText::new(text("prediction.vote.undecided")).weak())),
            }
            ui.end_row();
        }
    });
}

fn heads(ui: &mut Ui, keys: &[&'static str]) {
    for &key in keys {
        ui.label(RichText::new(text(key)).weak());
    }
    ui.end_row();
}

/// What is kept: on or off, written without names, forgotten.
fn kept_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let mut act = |what: Remember| actions.push(Action::Lesson(Answer::Remember(what)));
    let memory = &state.lesson.memory;
    ui.horizontal_wrapped(|ui| {
        let mut keeps = !state.settings.forgets_predictions;
        if ui.checkbox(&mut keeps, text("prediction.keep")).on_hover_text(text("prediction.keep-about")).changed() {
            act(Remember::Keep(keeps));
        }
        let mut recalls = !state.settings.never_recalls;
        let recall = ui.checkbox(&mut recalls, text("prediction.recall-at-start"));
        if recall.on_hover_text(text("prediction.recall-at-start-about")).changed() {
            act(Remember::AtStart(recalls));
        }
    });
    let count = memory.records().len();
    ui.horizontal_wrapped(|ui| {
        if memory.is_forget_asked && count > 0 {
            ui.label(match count {
                1 => text("prediction.forget-one-question").to_owned(),
                count => filled("prediction.forget-question", &[("count", &count)]),
            });
            if ui.button(text("prediction.forget-yes")).clicked() {
                act(Remember::Forget);
            }
            if ui.button(text("prediction.forget-no")).clicked() {
                act(Remember::AskForget(false));
            }
        } else if ui.add_enabled(count > 0, egui::Button::new(text("prediction.forget"))).clicked() {
            act(Remember::AskForget(true));
        }
    });
    ui.horizontal_wrapped(|ui| {
        for export in [Export::PredictionsCsv, Export::PredictionsJson] {
            command_button(ui, state, Command::Export(export), false, actions);
        }
    });
}
