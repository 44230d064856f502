//! The step of the ladder that is shown: why the guide takes it, what was published of it, and what it did here.

use super::state::State;
use super::theme::{self, space};
use crate::engine::{Compared, Task};
use crate::filters::{FigureKind, Ladder, Step};
use crate::measure::{Comparison, compare_spreads};
use crate::model::{CpuEngine, Summary};
use crate::plot::units;
use crate::study::Seen;
use egui::{Color32, RichText, Ui};

/// Draws the strip; the caller leaves it out where no ladder is being climbed.
pub fn ladder_strip(ui: &mut Ui, state: &State, ladder: &Ladder, index: usize) {
    let Some(step) = ladder.steps.get(index) else { return };
    // Two lines of text, not two rows of controls.
    ui.spacing_mut().interact_size.y = 0.0;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = space::MEDIUM;
        ui.label(RichText::new(format!("Step {} of {}: {}", index + 1, ladder.steps.len(), step.label)).strong());
        ui.label(step.why);
    });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = space::LARGE;
        if let Some(text) = published(state, ladder, index) {
            ui.label(RichText::new(text).weak()).on_hover_text(ladder.source);
        }
        ui.label(RichText::new(here(state, ladder, index)).weak());
        if let Some(claim) = claim(state, ladder, index) {
            let text = RichText::new(claim.text);
            let text = match color(ui, claim.seen) {
                Some(color) => text.color(color),
                None => text.weak(),
            };
            ui.label(text).on_hover_text(claim.how);
        }
        if state.step().is_none() {
            ui.label(RichText::new("Modified: no longer the ladder's step").color(ui.visuals().warn_fg_color));
        }
    });
}

fn color(ui: &Ui, seen: Option<Seen>) -> Option<Color32> {
    match seen? {
        Seen::Confirmed => Some(theme::right(ui.visuals().dark_mode)),
        Seen::Reversed => Some(ui.visuals().warn_fg_color),
        Seen::NotSeen | Seen::Unclear => None,
    }
}

/// What a step's figures are against, behind the figure.
const fn against(kind: FigureKind) -> &'static str {
    match kind {
        FigureKind::OverCpu => " over the study's CPU",
        FigureKind::OverFirst => " over its first step",
        FigureKind::Milliseconds => "",
    }
}

fn figure_text(kind: FigureKind, figure: f64) -> String {
    match kind {
        FigureKind::OverCpu | FigureKind::OverFirst => units::speed_up(figure),
        FigureKind::Milliseconds => units::time(figure * 1e6),
    }
}

/// "Published (Mali-T604): 4.2× over its first step at 2560 × 1600", or the range over all sizes.
fn published(state: &State, ladder: &Ladder, index: usize) -> Option<String> {
    let (kind, device) = (ladder.kind(index), ladder.device);
    let size = state.picture.as_ref().map(|opened| (opened.picture.picture.width_px(), opened.picture.picture.height_px()));
    if let Some((size, figure)) = size.and_then(|size| Some((size, ladder.published(index, size)?))) {
        return Some(format!("Published ({device}): {}{} at {} × {}", figure_text(kind, figure), against(kind), size.0, size.1));
    }
    let figures: Vec<f64> = ladder.sizes.iter().filter_map(|&size| ladder.published(index, size)).collect();
    let [least, most] = [figures.iter().copied().reduce(f64::min)?, figures.iter().copied().reduce(f64::max)?];
    if let [(width, height)] = ladder.sizes.as_slice() {
        return Some(format!("Published ({device}): {}{} at {width} × {height}", figure_text(kind, least), against(kind)));
    }
    let range = [least, most].map(|figure| figure_text(kind, figure));
    Some(format!("Published ({device}): {} to {}{}, by picture size", range[0], range[1], against(kind)))
}

/// "Here: 3.1× (2.9× to 3.3×) over its first step", or what to do to know.
fn here(state: &State, ladder: &Ladder, index: usize) -> String {
    let kernel_of_step = |index: usize| newest_of_step(state, ladder, ladder.steps.get(index)?);
    let now = kernel_of_step(index);
    let base = match ladder.kind(index) {
        // Of the published milliseconds only the time itself is told here.
        FigureKind::Milliseconds => return now.map_or_else(not_measured, |now| format!("Here: {}", units::time(now.median_ns))),
        FigureKind::OverCpu => {
            newest(state, state.ladder_task(ladder, CpuEngine::Scalar).as_ref()).map(|base| (base, CpuEngine::Scalar.label()))
        }
        FigureKind::OverFirst if index == 0 => return "The others are compared with this step".to_owned(),
        FigureKind::OverFirst => kernel_of_step(0).map(|base| (base, "its first step")),
    };
    let compared = base.zip(now).and_then(|((base, name), now)| Some((compare_spreads(base, now)?, name)));
    compared.map_or_else(not_measured, |(comparison, name)| format!("Here: {} over {name}", with_interval(&comparison)))
}

fn not_measured() -> String {
    "Not measured on this device yet: press Measure ladder".to_owned()
}

/// What a guide claims of a step, and what became of it here.
struct Tested {
    /// "The guide says: faster than step 2 (Vectorize). Confirmed here: 1.9× (1.5× to 2×)".
    text: String,
    /// What the strip's color says; `None` where the two steps were not interleaved.
    seen: Option<Seen>,
    /// How it was found out.
    how: &'static str,
}

fn claim(state: &State, ladder: &Ladder, index: usize) -> Option<Tested> {
    let step = ladder.steps.get(index)?;
    let against = ladder.steps.get(step.claim?.against)?;
    let text = format!("The guide says: {}", ladder.claim_text(index)?);
    let tasks = state.step_task(ladder, against).zip(state.step_task(ladder, step));
    let compared = tasks.and_then(|(first, second)| state.compared(&first, &second));
    Some(match compared {
        Some(compared) => claim_interleaved(&text, step, compared),
        None => claim_apart(&text, state, ladder, against, step),
    })
}

/// By the two steps interleaved.
fn claim_interleaved(text: &str, step: &Step, compared: &Compared) -> Tested {
    let seen = step.claim.map(|claim| Seen::of(claim.says, &compared.comparison));
    let word = match seen {
        Some(Seen::Confirmed) => "Confirmed here",
        Some(Seen::NotSeen) => "Not seen here",
        Some(Seen::Reversed) => "Reversed here",
        Some(Seen::Unclear) if compared.busy => "Unclear here, the machine was busy",
        Some(Seen::Unclear) | None => "Unclear here",
    };
    let how = "The two steps were interleaved, in an order that a coin decides for each pair: their ratio with its 95 % interval";
    Tested { text: format!("{text}. {word}: {}", with_interval(&compared.comparison)), seen, how }
}

/// By readings that were not interleaved: what disturbed one of them need not have disturbed the other, so nothing is decided.
fn claim_apart(text: &str, state: &State, ladder: &Ladder, against: &Step, step: &Step) -> Tested {
    let how = "Measure ladder interleaves the two steps and decides; readings that were taken one after the other do not";
    let readings = newest_of_step(state, ladder, against).zip(newest_of_step(state, ladder, step));
    let here = match readings.map(|(first, second)| compare_spreads(first, second)) {
        Some(Some(comparison)) => format!("From separate runs, so not decided: {}", with_interval(&comparison)),
        Some(None) => "No valid times here".to_owned(),
        None => "Not measured here".to_owned(),
    };
    Tested { text: format!("{text}. {here}"), seen: None, how }
}

/// "1.9× (1.5× to 2×)".
fn with_interval(comparison: &Comparison) -> String {
    let [ratio, low, high] = [comparison.ratio, comparison.low, comparison.high].map(units::speed_up);
    format!("{ratio} ({low} to {high})")
}

/// Kernel time of the newest measurement of a step, with the local size that it is run with.
fn newest_of_step<'a>(state: &'a State, ladder: &Ladder, step: &Step) -> Option<&'a Summary> {
    newest(state, state.step_task(ladder, step).as_ref())
}

fn newest<'a>(state: &'a State, task: Option<&Task>) -> Option<&'a Summary> {
    state.history.newest_of(task?)?.record.kernel()
}
