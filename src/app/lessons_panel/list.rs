//! The list of lessons, and the person's folder with what is wrong in it.

use super::view::{Stand, Stands};
use super::{CourseAction, LessonsPanel};
use crate::app::action::{Action, Command, Export};
use crate::app::lesson::recall_ui;
use crate::app::state::State;
use crate::app::theme::space;
use crate::app::widgets::{command_button, name};
use base::foreign::plain;
use base::texts::{filled, language, text};
use egui::{Align, Button, CentralPanel, Frame, Label, Layout, Margin, RichText, Role, ScrollArea, TextEdit, Ui, vec2};
use study::lessons::{Edition, Lesson, name_of, of_ladder};

/// Width of a lesson's number, in points.
const NUMBER: f32 = 22.0;

/// Draws the list into all of `ui`: the course, the ladders, the person's own lessons.
pub fn home_ui(ui: &mut Ui, state: &State, panel: &mut LessonsPanel, actions: &mut Vec<Action>) {
    let margin = Margin { left: 32, right: 16, top: 16, bottom: 8 };
    CentralPanel::default().frame(Frame::new().inner_margin(margin)).show(ui, |ui| {
        ScrollArea::vertical().auto_shrink([false, false]).id_salt("course-home").show(ui, |ui| {
            ui.set_max_width(ui.available_width().min(1100.0));
            ui.spacing_mut().item_spacing.y = space::SMALL;
            recall_ui(ui, state, actions);
            ui.horizontal(|ui| {
                ui.label(RichText::new(text("start.section.course")).size(22.0).strong());
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| new_student_ui(ui, panel, actions));
            });
            let shelf = &state.course.shelf;
            for name in shelf.names() {
                let Some(lesson) = shelf.find(name, language()) else { continue };
                // A file of the course begins with its number, and papers for classes name lessons by it. A person's own have none.
                let is_own = shelf.edition(name, language()).is_some_and(|edition| edition.path.is_some());
                let number = name.split('-').next().filter(|number| !is_own && number.parse::<u32>().is_ok());
                lesson_row(ui, state, Some(number.unwrap_or_default()), name, lesson, actions);
            }
            ui.add_space(space::LARGE);
            ui.label(RichText::new(text("course.ladders")).size(18.0).strong());
            ui.label(RichText::new(text("course.ladders-about")).weak());
            for (ladder, lesson) in kernels::filters::ladders().filter_map(|ladder| Some((ladder, of_ladder(ladder)?))) {
                lesson_row(ui, state, None, &name_of(ladder), lesson, actions);
            }
            ui.add_space(space::LARGE);
            class_ui(ui, state, actions);
            ui.add_space(space::LARGE);
            folder_ui(ui, state, actions);
        });
    });
}

/// What goes to a teacher and what a teacher makes of it.
fn class_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.label(RichText::new(text("course.class.title")).size(18.0).strong());
    ui.horizontal_wrapped(|ui| {
        ui.label(text("window.bar.teacher-alias"));
        let mut alias = state.settings.teacher_alias.clone();
        let field = TextEdit::singleline(&mut alias).hint_text(text("window.bar.teacher-alias-hint")).desired_width(260.0);
        let edit = ui.add(field);
        name(&edit, Role::TextInput, text("window.bar.teacher-alias"), Some(&alias));
        if edit.changed() {
            actions.push(Action::EditTeacherAlias(alias));
        }
        command_button(ui, state, Command::Export(Export::Teacher), false, actions);
        command_button(ui, state, Command::ClassPage, false, actions);
        let mut is_teacher = state.settings.course.is_teacher;
        if ui.checkbox(&mut is_teacher, text("course.class.teacher")).on_hover_text(text("course.class.teacher-about")).changed() {
            actions.push(Action::Course(CourseAction::Teach(is_teacher)));
        }
    });
}

/// Somebody else sits down: asked twice, as it forgets.
fn new_student_ui(ui: &mut Ui, panel: &mut LessonsPanel, actions: &mut Vec<Action>) {
    if !panel.is_new_asked {
        if ui.button(text("course.new.do")).on_hover_text(text("course.new.about")).clicked() {
            panel.is_new_asked = true;
        }
        return;
    }
    if ui.button(text("course.new.no")).clicked() {
        panel.is_new_asked = false;
    }
    if ui.button(text("course.new.yes")).clicked() {
        panel.is_new_asked = false;
        actions.push(Action::Course(CourseAction::NewStudent));
    }
    ui.label(text("course.new.ask"));
}

/// A lesson, behind its number where lessons have one.
fn lesson_row(ui: &mut Ui, state: &State, number: Option<&str>, name: &str, lesson: &Lesson, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        if let Some(number) = number {
            let column = Layout::right_to_left(Align::Center);
            ui.allocate_ui_with_layout(vec2(NUMBER, 30.0), column, |ui| ui.label(RichText::new(number).weak()));
        }
        let button = Button::new(RichText::new(&lesson.title).strong()).min_size(vec2(300.0, 30.0)).wrap();
        if ui.add(button).on_hover_text(&lesson.goal).clicked() {
            actions.push(Action::Course(CourseAction::Open(name.to_owned())));
        }
        let words = about(state, name, lesson);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.add(Label::new(&lesson.goal).truncate());
            ui.add(Label::new(RichText::new(&words).small().weak()).truncate()).on_hover_text(words);
        });
    });
}

/// What it is about, and how far it was seen.
fn about(state: &State, name: &str, lesson: &Lesson) -> String {
    let (about, count) = (lesson.about(), lesson.screens.len());
    if state.progress(name).is_none() {
        return about;
    }
    let stands = Stands::of(state, name, &lesson.screens);
    let here = count - stands.count(Stand::LeftOut);
    let values: [(&str, &dyn std::fmt::Display); 4] =
        [("about", &about), ("done", &stands.count(Stand::Done)), ("skipped", &stands.count(Stand::Skipped)), ("count", &here)];
    filled("course.progress", &values)
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
