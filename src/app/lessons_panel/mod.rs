//! Lessons that somebody wrote: the list of them, and their screens at the reader's own pace. What a screen shows or measures is done by its buttons
//! alone.

mod course;
mod items;
mod list;
mod screen;
#[cfg(test)]
mod tests;

pub use course::{Course, CourseAction, CourseSettings, Given, Here, LessonsJob, Progress};

use super::action::Action;
use super::state::State;
use super::theme::space;
use crate::engine::Task;
use crate::texts::{Language, language};
use crate::why::Facts;
use egui::{ScrollArea, Ui};

/// What this panel keeps between frames.
#[derive(Default)]
pub struct LessonsPanel {
    /// What is known of the screen: gathered once, as it is drawn in every frame.
    facts: Option<(Known, Facts)>,
    /// The number that is being written.
    number: String,
}

/// What the facts of a screen depend on.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    language: Language,
    lesson: String,
    screen: usize,
    pair: Option<(Task, Task)>,
    /// The newest reading: how many there are says nothing once old ones make room.
    reading: Option<u64>,
    compared: usize,
    /// What is known of the kernel that is edited.
    edited: Facts,
}

/// Draws the panel into all of `ui`.
pub fn course_panel(ui: &mut Ui, panel: &mut LessonsPanel, state: &State, actions: &mut Vec<Action>) {
    let Some(here) = state.here() else {
        ScrollArea::vertical().auto_shrink([false, false]).id_salt("lessons").show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = space::SMALL;
            list::list_ui(ui, state, actions);
        });
        return;
    };
    ui.spacing_mut().item_spacing.y = space::SMALL;
    screen::head_ui(ui, &here, actions);
    let Some(screen) = here.screen() else { return };
    follow(panel, state, &here);
    // Each screen begins at its top.
    ScrollArea::vertical().auto_shrink([false, false]).id_salt((here.name, here.index)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        screen::screen_ui(ui, panel, state, &here, screen, actions);
    });
}

/// Gathers what is known of the screen, where something of it has changed.
fn follow(panel: &mut LessonsPanel, state: &State, here: &Here) {
    let Some(screen) = here.screen() else { return };
    let pair = state.screen_pair(screen);
    let mut edited = Facts::default();
    if let Some((shown, _)) = &pair {
        state.add_edited(&mut edited, shown);
    }
    let known = Known {
        language: language(),
        lesson: here.name.to_owned(),
        screen: here.index,
        pair,
        reading: state.history.rows().last().map(|row| row.id),
        compared: state.compared.len(),
        edited,
    };
    if panel.facts.as_ref().is_some_and(|(before, _)| *before == known) {
        return;
    }
    let is_other = panel.facts.as_ref().is_none_or(|(before, _)| (&before.lesson, before.screen) != (&known.lesson, known.screen));
    if is_other {
        panel.number.clear();
    }
    panel.facts = Some((known, state.screen_facts(&here.lesson, screen)));
}

/// A text with its facts; what is not known yet is "…".
fn with_facts(text: &str, facts: &Facts) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| match part.split_once('}') {
        Some((name, rest)) => all + &facts.fill(&format!("{{{name}}}")).unwrap_or_else(|| "…".to_owned()) + rest,
        None => all + "{" + part,
    })
}
