//! What the panels of studies have in common: what is studied, how the study stands, and what to do first.

use super::action::{Action, Command};
use super::glossary::explained;
use super::scene_ui::Kept;
use super::state::State;
use super::story_ui::{figure_size, scenes, story_ui};
use super::studies::{Stand, Studied};
use super::theme::space;
use super::widgets::command_button;
use base::texts::{filled, text};
use egui::{RichText, ScrollArea, Ui};
use engine::{Target, Task};
use kernels::filters;
use model::{Bound, Labelled};
use study::{BOTTLENECK, Kind, Subject};
use view::plot::Scene;

/// What the panel of a study keeps between frames.
#[derive(Default)]
pub struct StudyPanel {
    drawn: Kept<Vec<Scene>>,
    /// The figures of a kept answer.
    pub(super) kept: Kept<Vec<Scene>>,
}

/// Draws the panel of a study into all of `ui`.
pub fn study_panel(ui: &mut Ui, panel: &mut StudyPanel, state: &State, kind: &'static Kind, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt(kind.name).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        let Some(story) = head_ui(ui, state, kind, actions).and_then(|studied| studied.story.as_ref()) else { return };
        let size = figure_size(ui);
        let drawn = panel.drawn.get(ui, state, size, || scenes(ui, story, size));
        story_ui(ui, story, drawn);
    });
}

/// The study of what is chosen, below its head.
pub fn head_ui<'a>(ui: &mut Ui, state: &'a State, kind: &'static Kind, actions: &mut Vec<Action>) -> Option<&'a Studied> {
    if state.device_list().is_empty() {
        ui.label(text("studies.panel.no-device"));
        return None;
    }
    let task = state.task_on_device();
    let studied = task.as_ref().and_then(|task| state.studies.of(kind, task));
    ui.horizontal_wrapped(|ui| {
        if let Some(task) = &task {
            if kind.subject != Subject::Filter {
                ui.label(RichText::new(variant_text(task)).strong());
            }
            ui.label(RichText::new(computed_text(task, kind)).weak());
        }
        command_button(ui, state, Command::Study(kind), false, actions);
    });
    if kind == BOTTLENECK && task.is_some_and(|task| is_mostly_launch(state, &task)) {
        warning(ui, text("studies.panel.launch"));
    }
    match studied {
        None => {
            ui.add_space(space::SMALL);
            explained(ui, kind.explained());
        }
        Some(studied) => stand_ui(ui, state, studied),
    }
    studied
}

/// In the color of what is not to be trusted.
pub fn warning(ui: &mut Ui, words: &str) {
    ui.label(RichText::new(words).color(ui.visuals().warn_fg_color));
}

fn variant_text(task: &Task) -> String {
    match task.target {
        Target::Device { variant, local, .. } => match local {
            model::LocalSize::Driver => variant.to_string(),
            size @ model::LocalSize::Explicit(_) => format!("{variant} @ {size}"),
        },
        Target::Cpu(engine) => engine.label().to_owned(),
    }
}

/// Filter and picture; a study over sizes has pictures of its own.
fn computed_text(task: &Task, kind: &Kind) -> String {
    let spec = filters::spec_text(&task.spec);
    let (width, height) = task.picture.size();
    if kind.subject.has_own_pictures() { spec } else { format!("{spec}, {width} × {height}") }
}

/// Whether its newest reading says that it is over before its start has paid.
fn is_mostly_launch(state: &State, task: &Task) -> bool {
    let shares = state.history.newest_of(task).and_then(|row| state.shares(&row.record));
    shares.is_some_and(|shares| shares.bound == Bound::Launch)
}

fn stand_ui(ui: &mut Ui, state: &State, studied: &Studied) {
    match studied.stand {
        Stand::Running => running_ui(ui, state, studied.id),
        Stand::Cut => warning(ui, text("studies.panel.cancelled")),
        Stand::Done => {}
    }
}

/// How far a request is; nothing where it is over.
pub fn running_ui(ui: &mut Ui, state: &State, id: u64) {
    let Some(pending) = state.pending_of(id) else { return };
    let told = match &pending.progress {
        None => text("studies.panel.waiting").to_owned(),
        Some((_, 0, what)) => what.clone(),
        Some((done, total, what)) => filled("studies.panel.progress", &[("what", what), ("done", done), ("total", total)]),
    };
    ui.horizontal(|ui| {
        ui.spinner();
        ui.label(told);
    });
}
