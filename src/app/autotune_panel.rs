//! The fastest variant of the chosen filter on this device: what a search found, and the way to it from naive.

use super::action::Action;
use super::lessons_panel::CourseAction;
use super::scene_ui::{Kept, hits_ui, measure};
use super::state::State;
use super::story_ui::{figure_size, scenes, story_ui};
use super::studies::{Stand, Studied};
use super::studies_ui::{head_ui, warning};
use super::theme::space;
use super::tunings::{found_before_ui, offer_ui, run};
use super::widgets::segments;
use base::texts::{Words, filled, text};
use egui::{Button, Grid, RichText, ScrollArea, Ui};
use engine::Task;
use model::RoofKind;
use std::fmt::Display;
use std::time::Duration;
use study::ablation::{Worth, cell};
use study::{AUTOTUNE, Autotuned, PathStep, readings, telling};
use view::plot::{Measure, Scene, units};
use view::story::{Block, Cell, Figure, Step, Story};

/// So long searches may take, in seconds.
pub const LIMITS_S: [u64; 3] = [30, 120, 600];

/// So many candidates are listed.
const MOST_LISTED: usize = 12;

/// What this panel keeps between frames.
#[derive(Default)]
pub struct AutotunePanel {
    found: Kept<Found>,
}

/// What follows of a search so far.
struct Found {
    tuned: Autotuned,
    path: Vec<PathStep>,
    whole: Worth,
    waterfall: Scene,
    /// The best reading so far over all readings, and what each stage explains.
    readings: Story,
    scenes: Vec<Scene>,
}

impl Found {
    fn of(ui: &Ui, state: &State, studied: &Studied, measure: Measure<'_>) -> Self {
        let width = ui.available_width();
        let Studied { task, findings, .. } = studied;
        let tuned = Autotuned::of(findings);
        let path = tuned.path(task.filter(), state.study_setting(task), findings);
        let whole = tuned.whole(findings);
        let steps = path.iter().map(|step| Step { label: Words::Plain(step.name.clone()), worth: cell(&step.worth) }).collect();
        let waterfall = Figure::Waterfall { steps, whole: cell(&whole) }.scene([f64::from(width), 0.0], measure);
        let importance = readings::importance(findings).into_iter().map(|(name, share)| (Cell::Words(name), share)).collect();
        let chart = readings::progress_chart(findings).map(|curves| Block::Figure(Figure::Curves(curves)));
        let readings = Story { title: None, blocks: chart.into_iter().chain(telling::importance(importance)).collect() };
        let scenes = scenes(ui, &readings, figure_size(ui));
        Self { tuned, path, whole, waterfall, readings, scenes }
    }
}

/// Draws the panel into all of `ui`.
pub fn autotune_panel(ui: &mut Ui, panel: &mut AutotunePanel, state: &State, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("autotune").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        let limits = LIMITS_S.map(|seconds| (seconds, limit_label(seconds), limit_label(seconds)));
        if let Some(seconds) = segments(ui, Some(state.studies.limit.as_secs()), limits.into_iter()) {
            actions.push(Action::SetSearchLimit(Duration::from_secs(seconds)));
        }
        let limit = limit_label(state.studies.limit.as_secs());
        ui.label(RichText::new(filled("studies.autotune.limit-about", &[("limit", &limit)])).weak());
        found_before_ui(ui, state, AUTOTUNE, actions);
        let Some(studied) = head_ui(ui, state, AUTOTUNE, actions) else { return };
        let (size, measure) = (figure_size(ui), measure(ui));
        let Found { tuned, path, whole, waterfall, readings, scenes } =
            panel.found.get(ui, state, size, || Found::of(ui, state, studied, &measure));
        if tuned.is_busy {
            warning(ui, text("studies.panel.busy"));
        }
        if let Some(why) = &tuned.failure {
            warning(ui, &filled("studies.autotune.failed", &[("count", &tuned.failed), ("why", why)]));
        }
        if tuned.best.is_none() {
            return;
        }
        best_ui(ui, state, &studied.task, tuned, whole, actions);
        ui.label(RichText::new(tried(tuned)).weak());
        if path.iter().any(|step| step.worth.is_some()) {
            ui.add_space(space::SMALL);
            ui.label(RichText::new(text("studies.autotune.way")).strong());
            hits_ui(ui, waterfall, "autotune-waterfall", false, |ui, index| {
                ui.label(waterfall.hits.get(index).map_or("", |hit| hit.name.as_str()));
            });
            if studied.stand == Stand::Done {
                steps_ui(ui, &studied.task, path, actions);
                lesson_ui(ui, state, actions);
            }
        }
        if !scenes.is_empty() {
            ui.add_space(space::SMALL);
            ui.label(RichText::new(text("project.window.progress")).strong());
            story_ui(ui, readings, scenes);
        }
        ui.add_space(space::SMALL);
        list_ui(ui, state, &studied.task, tuned, actions);
    });
}

/// "30 s", "2 min".
pub fn limit_label(seconds: u64) -> String {
    let key = if seconds < 60 { "studies.autotune.seconds" } else { "studies.autotune.minutes" };
    filled(key, &[("count", &if seconds < 60 { seconds } else { seconds / 60 })])
}

/// The best one, what it is worth in all, and a button that runs it.
fn best_ui(ui: &mut Ui, state: &State, like: &Task, tuned: &Autotuned, whole: &Worth, actions: &mut Vec<Action>) {
    let Some(best) = tuned.best else { return };
    let time = tuned.time_of(best).map_or_else(String::new, units::time);
    let values: [(&str, &dyn Display); 2] = [("candidate", &telling::candidate(best)), ("time", &time)];
    offer_ui(ui, state, &filled("studies.autotune.best", &values), best, like, actions);
    if let Some(Ok(compared)) = whole {
        ui.label(filled(
            "studies.autotune.whole",
            &[("change", &units::with_starts(units::outcome(&compared.comparison, compared.busy), &compared.comparison))],
        ));
    }
}

fn tried(tuned: &Autotuned) -> String {
    let values: [(&str, &dyn Display); 2] = [("tried", &tuned.tried()), ("refused", &tuned.refused)];
    filled("studies.autotune.tried", &values)
}

/// A button for each step of the way: a click runs it.
fn steps_ui(ui: &mut Ui, like: &Task, path: &[PathStep], actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(text("studies.autotune.climb")).weak());
        let ends = path.iter().filter_map(|step| step.pair.as_ref().ok().map(|pair| (&step.name, pair)));
        for (index, (name, (before, after))) in ends.enumerate() {
            if index == 0 && ui.button(before.variant.to_string()).clicked() {
                actions.push(run(*before, like));
            }
            if ui.button(format!("+ {name}")).clicked() {
                actions.push(run(*after, like));
            }
        }
    });
}

/// Makes a lesson of the way, where there is a folder for it.
fn lesson_ui(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    if state.course.folder.is_some()
        && ui.button(text("studies.autotune.lesson")).on_hover_text(text("studies.autotune.lesson-about")).clicked()
    {
        actions.push(Action::Course(CourseAction::WriteWay));
    }
}

/// The fastest candidates by the short readings of the search, with their share of the copy roof where that is known.
fn list_ui(ui: &mut Ui, state: &State, like: &Task, tuned: &Autotuned, actions: &mut Vec<Action>) {
    ui.label(RichText::new(text("studies.autotune.list")).weak());
    let roofs = state.device_of(like).and_then(|device| state.device_roofs(device));
    // The last column takes what is left of the width.
    let columns = if roofs.is_some_and(|roofs| roofs.get(RoofKind::Copy).is_some()) { 3 } else { 2 };
    Grid::new("autotune-list").num_columns(columns).spacing([space::LARGE, space::SMALL]).striped(true).show(ui, |ui| {
        for (candidate, time) in tuned.measured.iter().take(MOST_LISTED) {
            ui.label(units::time(*time));
            let gb_per_s = like.bytes_moved() as f64 / time;
            if let Some((roof, is_cached)) = roofs.and_then(|roofs| roofs.memory_roof(like.touched_bytes())) {
                let key = if is_cached { "studies.autotune.of-cache" } else { "studies.autotune.of-copy" };
                let share = filled(key, &[("share", &units::whole_percent(gb_per_s / roof))]);
                ui.label(share).on_hover_text(text("studies.autotune.of-copy-about"));
            }
            let label = RichText::new(telling::candidate(*candidate));
            let label = if Some(*candidate) == tuned.best { label.strong() } else { label };
            let about = filled("studies.autotune.run-about", &[("candidate", &telling::candidate(*candidate))]);
            if ui.add(Button::new(label).frame(false).truncate()).on_hover_text(about).clicked() {
                actions.push(run(*candidate, like));
            }
            ui.end_row();
        }
    });
}
