//! The list of lessons, and the person's folder with what is wrong in it.

use super::CourseAction;
use crate::app::action::Action;
use crate::app::glossary::explained;
use crate::app::state::State;
use crate::app::theme::space;
use crate::foreign::plain;
use crate::lessons::{Edition, Lesson};
use crate::texts::{filled, language, text};
use egui::{Button, Label, RichText, Ui};

/// Draws the list.
pub fn list_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let shelf = &state.course.shelf;
    for name in shelf.names() {
        let Some(lesson) = shelf.find(name, language()) else { continue };
        if ui.add(Button::new(RichText::new(&lesson.title).strong()).wrap()).clicked() {
            actions.push(Action::Course(CourseAction::Open(name.to_owned())));
        }
        explained(ui, &lesson.goal);
        ui.label(RichText::new(about(state, name, lesson)).small().weak());
        ui.add_space(space::SMALL);
    }
    ui.separator();
    folder_ui(ui, state, actions);
}

/// What it is about, and how far it was seen.
fn about(state: &State, name: &str, lesson: &Lesson) -> String {
    let (about, count) = (lesson.about(), lesson.screens.len());
    match state.progress(name) {
        Some(progress) => {
            let number = progress.furthest.saturating_add(1).min(count);
            filled("lessons.list.progress", &[("about", &about), ("number", &number), ("count", &count)])
        }
        None => about,
    }
}

fn folder_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    let Some(folder) = &state.course.folder else { return };
    ui.label(RichText::new(text("lessons.folder.own")).strong());
    let path = folder.display().to_string();
    ui.add(Label::new(RichText::new(&path).monospace().small()).wrap()).on_hover_text(text("lessons.folder.about"));
    ui.horizontal_wrapped(|ui| {
        if ui.button(text("lessons.folder.copy")).clicked() {
            ui.ctx().copy_text(path.clone());
        }
        if ui.button(text("lessons.folder.reload")).on_hover_text(text("lessons.folder.reload-about")).clicked() {
            actions.push(Action::Course(CourseAction::Reload));
        }
        if ui.button(text("lessons.folder.example")).on_hover_text(text("lessons.folder.example-about")).clicked() {
            actions.push(Action::Course(CourseAction::WriteExample));
        }
    });
    for edition in state.course.shelf.editions().iter().filter(|edition| edition.path.is_some()) {
        edition_ui(ui, edition);
    }
}

fn edition_ui(ui: &mut Ui, edition: &Edition) {
    let Some(path) = &edition.path else { return };
    let file = path.file_name().map_or_else(String::new, |file| plain(&file.to_string_lossy()).into_owned());
    if edition.faults.is_empty() {
        ui.label(RichText::new(filled("lessons.folder.right", &[("file", &file)])).small().weak());
        return;
    }
    for fault in &edition.faults {
        let key = if fault.line == 0 { "lessons.folder.fault-of-file" } else { "lessons.folder.fault" };
        let place = filled(key, &[("file", &file), ("line", &fault.line), ("column", &fault.column), ("fault", fault)]);
        ui.add(Label::new(RichText::new(place).color(ui.visuals().error_fg_color)).wrap()).on_hover_text(path.display().to_string());
    }
    if edition.lesson.is_some() {
        ui.label(RichText::new(text("lessons.folder.kept")).small().weak());
    }
}
