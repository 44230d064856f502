//! Lessons, those that somebody wrote and ladders alike: the list of them, and one view that owns the window while a lesson is open. A screen shows what it
//! has to show by itself.

mod card;
mod course;
mod items;
mod list;
#[cfg(test)]
mod protected_tests;
mod screen;
mod strip;
#[cfg(test)]
mod tests;
mod view;

pub use course::{Course, CourseAction, CourseSettings, Given, Here, LessonsJob, Progress};

use super::action::Action;
use super::changed::ChangedLine;
use super::panes::Panels;
use super::state::State;
use base::texts::{Language, language};
use egui::Ui;
use engine::Task;
use study::why::Facts;

/// What this panel keeps between frames.
#[derive(Default)]
pub struct LessonsPanel {
    /// What is known of the screen: gathered once, as it is drawn in every frame.
    facts: Option<(Known, Facts)>,
    /// The number that is being written.
    number: String,
    /// The whole difference is shown in the place of figure and changed lines.
    is_whole: bool,
    /// The lines that the screen's pair changes, and its kernel, gathered once.
    code: Option<Code>,
    /// The teacher's notes are open.
    shows_notes: bool,
    /// Whether a press on *New student* asks for a second one.
    is_new_asked: bool,
}

/// The code of a screen: of which pair, the lines that it changes, the kernel without comments.
type Code = ((Option<Task>, Task), Vec<ChangedLine>, String);

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

/// Draws the course into all of `ui`: the list of lessons, or the lesson that is open.
pub fn course_ui(ui: &mut Ui, panels: &mut Panels, state: &State, actions: &mut Vec<Action>) {
    match state.here() {
        None => list::home_ui(ui, state, &mut panels.lessons, actions),
        Some(here) if here.is_over => card::card_ui(ui, state, &here, actions),
        Some(here) => view::lesson_ui(ui, panels, state, &here, actions),
    }
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
        panel.is_whole = false;
    }
    panel.facts = Some((known, state.screen_facts(&here.lesson, screen)));
}

/// A text with its facts; what is not known yet is "…".
#[must_use]
pub fn with_facts(text: &str, facts: &Facts) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| match part.split_once('}') {
        Some((name, rest)) => all + &facts.fill(&format!("{{{name}}}")).unwrap_or_else(|| "…".to_owned()) + rest,
        None => all + "{" + part,
    })
}
