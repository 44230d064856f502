//! The step of the ladder that is shown: why the guide takes it, what was published of it, and what it did here.

use super::action::Action;
use super::glossary::explained_after;
use super::state::State;
use super::story_ui::mark_color;
use super::theme::{self, space};
use super::widgets::again_button;
use base::texts::{filled, text};
use egui::{Color32, RichText, ScrollArea, TextStyle, Ui};
use engine::Task;
use kernels::filters::{FigureKind, Ladder, Step};
use model::CpuEngine;
use study::Seen;
use study::claims::{Claimed, Column, Found};
use view::story::Cell;

/// Lines for what was published, measured and claimed, at the usual width and in a narrow window.
const FIGURE_LINES: [f32; 2] = [1.0, 2.0];

/// From this width on, at the usual type size, the figures of a step are on one line.
const WIDE_POINTS: f32 = 1400.0;

/// Draws the strip; the caller leaves it out where no ladder is being climbed. It is as high as the ladder's longest step needs, whatever is known of the
/// present one: what lies below does not move when its text changes. More than that scrolls.
pub fn ladder_strip(ui: &mut Ui, state: &State, ladder: &'static Ladder, index: usize, actions: &mut Vec<Action>) {
    let Some(step) = ladder.steps.get(index) else { return };
    // Lines of text, not rows of controls.
    ui.spacing_mut().interact_size.y = 0.0;
    let height = height(ui, ladder);
    ui.set_height(height);
    ScrollArea::vertical().max_height(height).auto_shrink([false, false]).show(ui, |ui| {
        let hint = format!("{}\n{}", ladder.label(), step.variant());
        explained_after(ui, Some((&title(ladder, index, step), &hint)), step.why());
        figures_ui(ui, state, ladder, index, actions);
    });
}

/// "Step 2 of 6: Vectorize".
pub(super) fn title(ladder: &Ladder, index: usize, step: &Step) -> String {
    filled("window.step.title", &[("number", &(index + 1)), ("count", &ladder.steps.len()), ("label", &step.label())])
}

/// That of the step whose reason takes the most lines.
fn height(ui: &Ui, ladder: &Ladder) -> f32 {
    let width = ui.available_width();
    let font = TextStyle::Body.resolve(ui.style());
    let reason = |(index, step): (usize, &Step)| {
        let words = format!("{}  {}", title(ladder, index, step), step.why());
        ui.painter().layout(words, font.clone(), Color32::PLACEHOLDER, width).size().y
    };
    let reasons = ladder.steps.iter().enumerate().map(reason).fold(0.0, f32::max);
    let [one, more] = FIGURE_LINES;
    let lines = if width >= WIDE_POINTS * theme::type_scale(ui) { one } else { more };
    reasons + ui.spacing().item_spacing.y + lines * (ui.text_style_height(&TextStyle::Body) + ui.spacing().item_spacing.y)
}

/// What was published, what was measured, and what became of the guide's claim.
fn figures_ui(ui: &mut Ui, state: &State, ladder: &'static Ladder, index: usize, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = space::LARGE;
        let row = claimed(state, ladder, index);
        let published = row.cell(Column::PublishedTold);
        if published != Cell::Missing {
            let figure = published.told();
            ui.label(RichText::new(filled("window.step.published", &[("device", &ladder.device()), ("figure", &figure)])).weak())
                .on_hover_text(ladder.source());
        }
        let here = row.cell(Column::HereTold);
        // Nothing of the step that the others are compared with.
        if here != Cell::Missing {
            let words = if row.is_measured() {
                filled("window.step.here", &[("figure", &here.told())])
            } else {
                text("window.step.not-measured").to_owned()
            };
            ui.label(RichText::new(words).weak()).on_hover_text(text("window.step.here-about"));
        }
        if let Some(told) = row.told() {
            let told = RichText::new(told.to_string());
            let color = row.seen().and_then(|seen| mark_color(ui, seen.mark()));
            let told = if let Some(color) = color { told.color(color) } else { told.weak() };
            let hint = row.cell(Column::Found).explained().into_iter().chain(ladder.claim_line(index)).collect::<Vec<_>>().join("\n");
            ui.label(told).on_hover_text(hint);
            claim_again(ui, state, &row, actions);
        }
        if state.step().is_none() {
            ui.label(RichText::new(text("window.step.changed")).color(ui.visuals().warn_fg_color));
        }
    });
}

/// A step as the table of claims has it.
pub(super) fn claimed(state: &State, ladder: &'static Ladder, index: usize) -> Claimed {
    let size = state.picture.as_ref().map(|opened| (opened.picture.picture.width_px(), opened.picture.picture.height_px()));
    let row = Claimed::new(ladder, index, size);
    let task_of = |index: usize| state.step_task(ladder, ladder.steps.get(index)?);
    let now = task_of(index);
    let base = match ladder.kind(index) {
        FigureKind::Milliseconds => None,
        FigureKind::OverCpu => state.ladder_task(ladder, CpuEngine::Scalar),
        FigureKind::OverFirst => task_of(0),
    };
    let pair = claimed_pair(state, ladder, index);
    let compared = pair.as_ref().and_then(|(first, second)| state.compared(first, second));
    Claimed {
        kernel: now.as_ref().and_then(|task| state.history.newest_of(task)?.record.kernel().cloned()),
        over_base: base.zip(now).and_then(|(base, now)| state.comparison(&base, &now)),
        found: ladder.steps.get(index).zip(compared).and_then(|(step, compared)| Found::of(step, compared).map(Ok)),
        apart: pair.and_then(|(first, second)| state.comparison(&first, &second)),
        ..row
    }
}

/// The two that a step's claim is about.
fn claimed_pair(state: &State, ladder: &Ladder, index: usize) -> Option<(Task, Task)> {
    let step = ladder.steps.get(index)?;
    state.step_task(ladder, ladder.steps.get(step.claim?.against)?).zip(state.step_task(ladder, step))
}

/// Where nothing is decided of a step's claim though both were measured, a button that compares them once more.
pub(super) fn claim_again(ui: &mut Ui, state: &State, row: &Claimed, actions: &mut Vec<Action>) {
    let is_undecided = row.seen().is_none_or(|seen| seen == Seen::Unclear) && row.apart.is_some();
    if let Some(pair) = claimed_pair(state, row.ladder, row.index).filter(|_| is_undecided) {
        again_button(ui, state, || Action::CompareAgain(Box::new(pair)), actions);
    }
}
