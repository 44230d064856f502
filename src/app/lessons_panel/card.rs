//! The end of a lesson: what was gained, what is known now, what comes next.

use super::CourseAction;
use super::course::Here;
use super::view::{Stand, Stands};
use crate::app::action::{Action, Command, Export};
use crate::app::lesson::{Told, contrast_ui, summary_of};
use crate::app::state::State;
use crate::app::theme::space;
use crate::app::widgets::command_button;
use base::texts::{filled, language, text};
use egui::{CentralPanel, Frame, Key, Margin, RichText, ScrollArea, Ui};
use study::lessons::{ladder_of, name_of};
use view::plot::units;

/// At most so many lines of what is known now.
const MOST_KNOWN: usize = 3;

/// Draws the card into all of `ui`.
pub fn card_ui(ui: &mut Ui, state: &State, here: &Here, actions: &mut Vec<Action>) {
    let margin = Margin { left: 32, right: 32, top: 24, bottom: 16 };
    CentralPanel::default().frame(Frame::new().inner_margin(margin)).show(ui, |ui| {
        ScrollArea::vertical().auto_shrink([false, false]).id_salt(("card", here.name)).show(ui, |ui| {
            ui.set_max_width(ui.available_width().min(860.0));
            ui.spacing_mut().item_spacing.y = space::MEDIUM;
            ui.label(RichText::new(filled("course.card.title", &[("lesson", &here.lesson.title)])).size(24.0).strong());
            gained_ui(ui, state, here);
            done_ui(ui, state, here);
            known_ui(ui, state, here);
            if let Some(ladder) = ladder_of(here.name) {
                contrast_ui(ui, state, ladder, actions);
            }
            ui.add_space(space::LARGE);
            ways_on(ui, state, here, actions);
        });
    });
    let is_free = ui.memory(|memory| memory.focused().is_none());
    if is_free && ui.input(|input| input.key_pressed(Key::ArrowLeft)) {
        actions.push(Action::Course(CourseAction::Go(here.lesson.screens.len().saturating_sub(1))));
    } else if is_free && ui.input(|input| input.key_pressed(Key::Escape)) && state.pending.is_empty() {
        actions.push(Action::Course(CourseAction::Leave));
    } else if is_free && ui.input(|input| input.key_pressed(Key::Enter)) {
        actions.extend(next(state, here).map(|(name, _)| Action::Course(CourseAction::Open(name))));
    }
}

/// First and best time of a ladder, with the speed-up between them where it has an interval; of other lessons the largest speed-up that was seen.
fn gained_ui(ui: &mut Ui, state: &State, here: &Here) {
    let Some(ladder) = ladder_of(here.name) else {
        let told = told(state, here);
        let best = told.iter().map(|(_, told)| &told.compared).max_by(|one, other| one.comparison.low.total_cmp(&other.comparison.low));
        if let Some(best) = best.filter(|best| best.comparison.low > 1.0) {
            ui.label(RichText::new(filled("course.card.best-seen", &[("words", &units::outcome(&best.comparison, best.busy))])).size(20.0));
        }
        return;
    };
    let measured = ladder.steps.iter().enumerate().filter_map(|(index, step)| {
        let task = state.step_task(ladder, step)?;
        let kernel = state.history.newest_of(&task)?.record.kernel()?.clone();
        Some((index, task, kernel))
    });
    let measured: Vec<_> = measured.collect();
    let best = measured.iter().min_by(|(.., one), (.., other)| one.median_ns.total_cmp(&other.median_ns));
    let Some(((_, first, first_time), (index, task, time))) = measured.first().zip(best) else { return };
    let Some(comparison) = state.comparison(first, task).filter(|_| first != task) else { return };
    let values: [(&str, &dyn std::fmt::Display); 4] = [
        ("first", &units::time(first_time.median_ns)),
        ("best", &units::time(time.median_ns)),
        ("words", &units::outcome(&comparison, state.is_comparison_busy(first, task))),
        ("step", &ladder.step_title(*index).unwrap_or_default()),
    ];
    ui.label(RichText::new(filled("course.card.gained", &values)).size(20.0));
}

fn told<'a>(state: &'a State, here: &Here) -> Vec<(usize, &'a Told)> {
    let screens = here.lesson.screens.iter().enumerate();
    screens.filter_map(|(index, screen)| Some((index, state.lesson.told_at(here.name, index, screen)?))).collect()
}

/// How many screens were done, and how the predictions did beside the best rule of thumb.
fn done_ui(ui: &mut Ui, state: &State, here: &Here) {
    let stands = Stands::of(state, here.name, &here.lesson.screens);
    let [done, skipped, open] = [Stand::Done, Stand::Skipped, Stand::Open].map(|stand| stands.count(stand));
    let values: [(&str, &dyn std::fmt::Display); 3] = [("done", &done), ("skipped", &skipped), ("open", &open)];
    ui.label(filled("course.card.screens", &values));
    let left_out = stands.count(Stand::LeftOut);
    if left_out > 0 {
        ui.label(filled("course.card.left-out", &[("count", &left_out)]));
    }
    let predicted: Vec<_> = told(state, here).into_iter().map(|(_, told)| told.predicted.clone()).collect();
    for line in summary_of(&predicted) {
        ui.label(line);
    }
}

/// What was seen, the largest effects first: each with its reason, where there is one.
fn known_ui(ui: &mut Ui, state: &State, here: &Here) {
    let mut told = told(state, here);
    let effect = |told: &Told| told.compared.comparison.ratio.max(f64::MIN_POSITIVE).ln().abs();
    told.retain(|(_, told)| !told.predicted.truth.is_empty());
    told.sort_by(|(_, one), (_, other)| effect(other).total_cmp(&effect(one)));
    let mut known: Vec<String> = Vec::new();
    for (index, told) in told.into_iter().take(MOST_KNOWN) {
        let Some(screen) = here.lesson.screens.get(index) else { continue };
        let words = units::comparison(&told.compared.comparison);
        let reason = told.reasons.first().map_or_else(String::new, |reason| reason.retold().line());
        let key = if reason.is_empty() { "course.card.seen" } else { "course.card.seen-why" };
        known.push(filled(key, &[("screen", &screen.title), ("words", &words), ("why", &reason)]));
    }
    for (title, lines) in [("course.card.known", here.lesson.known.clone()), ("course.card.seen-here", known)] {
        if !lines.is_empty() {
            ui.add_space(space::SMALL);
            ui.label(RichText::new(text(title)).strong());
        }
        for line in lines {
            ui.label(format!("•  {line}"));
        }
    }
}

/// The lesson that comes next: the ladder that goes on from this one, or the next of the course.
fn next(state: &State, here: &Here) -> Option<(String, String)> {
    if let Some(ladder) = ladder_of(here.name) {
        let next = ladder.continuation()?;
        return Some((name_of(next), next.label().to_owned()));
    }
    let names = state.course.shelf.names();
    let next = names.iter().skip_while(|name| **name != here.name).nth(1)?;
    Some(((*next).to_owned(), state.course.shelf.find(next, language())?.title.clone()))
}

fn ways_on(ui: &mut Ui, state: &State, here: &Here, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        if let Some((name, title)) = next(state, here) {
            let label = filled("course.card.next", &[("lesson", &title)]);
            if ui.add(egui::Button::new(RichText::new(label).strong()).selected(true)).clicked() {
                actions.push(Action::Course(CourseAction::Open(name)));
            }
        }
        let left = Stands::of(state, here.name, &here.lesson.screens).first_left();
        if let Some(index) = left
            && ui.button(text("course.card.left")).on_hover_text(text("course.card.left-about")).clicked()
        {
            actions.push(Action::Course(CourseAction::Go(index)));
        }
        command_button(ui, state, Command::Export(Export::Handout), false, actions);
        command_button(ui, state, Command::Export(Export::Teacher), false, actions);
        if ui.button(text("course.card.again")).clicked() {
            actions.push(Action::Course(CourseAction::Go(0)));
        }
        if ui.button(text("course.leave")).clicked() {
            actions.push(Action::Course(CourseAction::Leave));
        }
    });
}
