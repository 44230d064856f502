//! One screen of a lesson: prose, what it shows, what it asks, and what comes after the answer.

use super::course::Here;
use super::items::{choose_ui, experiment_ui, number_ui, task_ui};
use super::{CourseAction, LessonsPanel, with_facts};
use crate::app::action::Action;
use crate::app::glossary::explained;
use crate::app::lesson::{asked_ui, others_ui, outcome_ui, reasons_ui};
use crate::app::settings::Place;
use crate::app::state::State;
use crate::app::theme::space;
use base::texts::{Language, filled, language, text};
use egui::{Button, RichText, Ui};
use model::{LocalSize, local_label};
use std::fmt::Display;
use study::lessons::{Against, Item, Needs, Part, Record, Screen};
use study::why::{Facts, Reason};

/// Draws what a screen says and asks. Whether all of it is answered: then one goes on.
pub fn prose_ui(ui: &mut Ui, panel: &mut LessonsPanel, state: &State, here: &Here, screen: &Screen, actions: &mut Vec<Action>) -> bool {
    let LessonsPanel { facts, number, .. } = panel;
    let unknown = Facts::default();
    let facts = facts.as_ref().map_or(&unknown, |(_, facts)| facts);
    if here.index == 0 {
        explained(ui, &filled("lessons.screen.goal", &[("goal", &here.lesson.goal)]));
        device_ui(ui, state, here.lesson.device, actions);
    }
    let title = match screen.part {
        Part::Start => filled("lessons.screen.start", &[("title", &screen.title)]),
        Part::Middle => screen.title.clone(),
        Part::End => filled("lessons.screen.end", &[("title", &screen.title)]),
    };
    ui.heading(title);
    if let Some(why) = why_left_out(state, screen.device) {
        ui.label(RichText::new(why).weak());
        record_ui(ui, screen.record.as_ref());
        return false;
    }
    for paragraph in &screen.text {
        explained(ui, &with_facts(paragraph, facts));
    }
    if let Some(why) = screen.show.as_ref().filter(|_| state.devices.is_some()).and_then(|show| state.why_not_shown(show)) {
        ui.label(RichText::new(filled("course.not-here", &[("why", &why)])).weak());
    }
    // Before a prediction, and before an experiment, it would give the outcome away.
    let is_first = !matches!(screen.item, Some(Item::Predict | Item::Experiment(_)));
    if is_first {
        record_ui(ui, screen.record.as_ref());
    }
    ui.add_space(space::SMALL);
    let is_over = match &screen.item {
        None => true,
        Some(Item::Predict) => predict_ui(ui, state, here, screen, actions),
        Some(Item::Choose(choose)) => choose_ui(ui, state, choose, facts, actions),
        Some(Item::Number(asked)) => number_ui(ui, state, asked, facts, number, actions),
        Some(Item::Task(goal)) => task_ui(ui, state, goal, facts, actions),
        Some(Item::Experiment(rule)) => experiment_ui(ui, state, screen, rule, facts, actions),
    };
    if is_over {
        if !is_first {
            record_ui(ui, screen.record.as_ref());
        }
        for paragraph in &screen.then {
            explained(ui, &with_facts(paragraph, facts));
        }
    }
    is_over
}

/// The way on.
pub fn go_on_ui(ui: &mut Ui, here: &Here, actions: &mut Vec<Action>) {
    ui.add_space(space::SMALL);
    if ui.add(Button::new(text("lessons.screen.go-on")).selected(true)).on_hover_text(text("course.go-on-about")).clicked() {
        actions.push(Action::Course(CourseAction::Go(here.index + 1)));
    }
}

/// Where the device that computes is not of the kind that the lesson is about: what can be done.
fn device_ui(ui: &mut Ui, state: &State, needs: Needs, actions: &mut Vec<Action>) {
    if state.devices.is_none() || state.device().is_some_and(|device| needs.is_met_by(device)) {
        return;
    }
    let other = state.device_list().iter().find(|device| needs.is_met_by(device));
    if let Some(other) = other {
        let label = filled("lessons.device.use", &[("device", &other.label())]);
        if ui.button(label).on_hover_text(text("lessons.device.use-about")).clicked() {
            actions.push(Action::SetPlace(Place::Device(other.index)));
        }
        return;
    }
    let present = state.device().or(state.device_list().first());
    let told = match (present, needs) {
        (None, _) => text("lessons.device.none").to_owned(),
        (Some(device), Needs::Gpu) => filled("lessons.device.no-gpu", &[("device", &device.label())]),
        (Some(device), _) => filled("lessons.device.no-cpu", &[("device", &device.label())]),
    };
    ui.label(RichText::new(told).color(ui.visuals().warn_fg_color));
}

/// Whether a screen is for another kind of device than the one here, or for one where there is none.
pub fn is_left_out(state: &State, needs: Needs) -> bool {
    needs != Needs::Any && !state.device().is_some_and(|device| needs.is_met_by(device))
}

/// Why a screen is left out; `None` where it is not.
pub fn why_left_out(state: &State, needs: Needs) -> Option<String> {
    let key = match needs {
        Needs::Any => return None,
        Needs::Gpu => "lessons.screen.needs-gpu",
        Needs::Cpu => "lessons.screen.needs-cpu",
    };
    is_left_out(state, needs).then(|| text(key).to_owned())
}

/// A side of what is shown: "naive", or "naive, 32 × 1, Map".
fn side_text(side: Against) -> String {
    let local = match side.local {
        LocalSize::Driver => String::new(),
        LocalSize::Explicit(size) => format!(", {}", local_label(size)),
    };
    let memory = if side.memory.is_mapped() { format!(", {}", side.memory.short()) } else { String::new() };
    format!("{}{local}{memory}", side.variant)
}

/// The prediction by the machinery of ladders. Whether it is over.
fn predict_ui(ui: &mut Ui, state: &State, here: &Here, screen: &Screen, actions: &mut Vec<Action>) -> bool {
    let Some(show) = &screen.show else { return true };
    let Some(against) = show.against else { return true };
    let (name, index) = screen.place_in(here.name, here.index);
    let compared_with = match screen.step {
        Some(_) => here.lesson.screens.iter().find(|other| other.show.as_ref().is_some_and(|other| other.side() == against)),
        None => None,
    };
    let compared_with = compared_with.map_or_else(|| side_text(against), |other| other.title.clone());
    if let Some(open) = state.lesson.open.as_ref().filter(|open| open.about.place() == (name.as_str(), index)) {
        asked_ui(ui, state, open, &compared_with, actions);
        return matches!(&open.phase, crate::app::lesson::Phase::Seen(told) if told.question.is_none() || told.chosen.is_some());
    }
    let told = state.lesson.told_at(here.name, here.index, screen);
    if let Some(told) = told {
        outcome_ui(ui, told, &compared_with);
        reasons_ui(ui, &told.reasons_now(), Reason::line);
        others_ui(ui, told.compared.comparison.verdict.into(), &told.facts);
    } else if state.why_not_shown(show).is_none() && state.given().is_none() {
        ui.label(RichText::new(text("course.preparing")).weak());
        return false;
    }
    if state.why_not_shown(show).is_some() {
        return true;
    }
    if ui.button(text("course.predict-again")).clicked() {
        actions.push(Action::Course(CourseAction::Predict));
    }
    true
}

/// What another device did.
fn record_ui(ui: &mut Ui, record: Option<&Record>) {
    let Some(record) = record else { return };
    let claimed = &record.claimed;
    let step = record.ladder.step_title(record.step).unwrap_or_default();
    let against = record.ladder.steps.get(record.step).and_then(|step| step.claim).map_or(0, |claim| claim.against);
    let against = record.ladder.step_title(against).unwrap_or_default();
    let figure = if claimed.speed_up.is_empty() { &claimed.here } else { &claimed.speed_up };
    let values: [(&str, &dyn Display); 6] = [
        ("device", &claimed.device),
        ("size", &claimed.size),
        ("ladder", &record.ladder.label()),
        ("step", &step),
        ("against", &against),
        ("figure", figure),
    ];
    ui.group(|ui| {
        ui.label(filled("lessons.record", &values)).on_hover_text(filled("lessons.record-about", &[("page", &record.page)]));
        // The page's own reasons are in English.
        if language() == Language::English && !claimed.why.is_empty() {
            ui.label(RichText::new(&claimed.why).weak());
        }
    });
}
