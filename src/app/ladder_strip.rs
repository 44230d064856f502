//! The step of the ladder that is shown: why the guide takes it, what was published of it, and what it did here.

use super::state::State;
use super::theme::{self, space};
use crate::cpu::CpuEngine;
use crate::engine::Compared;
use crate::filters::{FigureKind, Ladder, Step};
use crate::measure::{Comparison, Contender, Measured, Reading, Seen, compare_spreads};
use crate::plot::units;
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
            ui.label(RichText::new("Stages were changed since").color(ui.visuals().warn_fg_color));
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
    if let [(width, height)] = ladder.sizes {
        return Some(format!("Published ({device}): {}{} at {width} × {height}", figure_text(kind, least), against(kind)));
    }
    let range = [least, most].map(|figure| figure_text(kind, figure));
    Some(format!("Published ({device}): {} to {}{}, by picture size", range[0], range[1], against(kind)))
}

/// "Here: 3.1× over its first step", or what to do to know.
fn here(state: &State, ladder: &Ladder, index: usize) -> String {
    let median = |measured: &Measured| measured.kernel.as_ref().map(|kernel| kernel.median_ns).filter(|&median_ns| median_ns > 0.0);
    let of_step = |index: usize| newest_of_step(state, ladder, ladder.steps.get(index)?).and_then(median);
    let (kind, now) = (ladder.kind(index), of_step(index));
    let is_scalar = |contender: &Contender| matches!(contender, Contender::Cpu { engine: CpuEngine::Scalar, .. });
    let base = match kind {
        // Of the published milliseconds only the time itself is told here.
        FigureKind::Milliseconds => return now.map_or_else(not_measured, |now_ns| format!("Here: {}", units::time(now_ns))),
        FigureKind::OverCpu => newest(state, ladder, &is_scalar).and_then(median).map(|base| (base, CpuEngine::Scalar.label())),
        FigureKind::OverFirst => of_step(0).map(|base| (base, "its first step")),
    };
    match (base, now) {
        (Some((base_ns, name)), Some(now_ns)) => format!("Here: {} over {name}", units::speed_up(base_ns / now_ns)),
        _ => not_measured(),
    }
}

fn not_measured() -> String {
    "Here: not measured yet, use Measure ladder".to_owned()
}

/// What a guide claims of a step, and what became of it here.
struct Tested {
    /// "The guide says: faster than 1 Vectorize. Confirmed here: 1.9× (1.5× to 2×)".
    text: String,
    /// What the strip's color says; `None` where the two steps were not run in turn.
    seen: Option<Seen>,
    /// How it was found out.
    how: &'static str,
}

fn claim(state: &State, ladder: &Ladder, index: usize) -> Option<Tested> {
    let step = ladder.steps.get(index)?;
    let against = ladder.steps.get(step.claim?.against)?;
    let text = format!("The guide says: {}", ladder.claim_text(index)?);
    let tasks = state.step_task(ladder, against).zip(state.step_task(ladder, step));
    let in_turn = tasks.and_then(|(first, second)| state.compared_in_turn(&first, &second));
    Some(match in_turn {
        Some(compared) => claim_in_turn(&text, step, compared),
        None => claim_apart(&text, state, ladder, against, step),
    })
}

/// By the two steps run in turn.
fn claim_in_turn(text: &str, step: &Step, compared: &Compared) -> Tested {
    let seen = step.claim.map(|claim| Seen::of(claim.says, &compared.comparison));
    let word = match seen {
        Some(Seen::Confirmed) => "Confirmed here",
        Some(Seen::NotSeen) => "Not seen here",
        Some(Seen::Reversed) => "Reversed here",
        Some(Seen::Unclear) if compared.busy => "Unclear here, the machine was busy",
        Some(Seen::Unclear) | None => "Unclear here",
    };
    let how = "Both steps were run in turn, A B A B …: the ratio of their medians with its 95 % bootstrap interval";
    Tested { text: format!("{text}. {word}: {}", with_interval(&compared.comparison)), seen, how }
}

/// By readings that were not taken in turn: what disturbed one of them need not have disturbed the other, so nothing is decided.
fn claim_apart(text: &str, state: &State, ladder: &Ladder, against: &Step, step: &Step) -> Tested {
    let how = "Measure ladder runs the two steps in turn and decides; readings that were taken one after the other do not";
    let readings = newest_of_step(state, ladder, against).zip(newest_of_step(state, ladder, step));
    let compare = |(first, second): (&Measured, &Measured)| compare_spreads(first.kernel.as_ref()?, second.kernel.as_ref()?);
    let here = match readings.map(compare) {
        Some(Some(comparison)) => format!("Not run in turn here yet: {}", with_interval(&comparison)),
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

/// The newest measurement of a step with the local size that it is run with.
fn newest_of_step<'a>(state: &'a State, ladder: &Ladder, step: &Step) -> Option<&'a Measured> {
    let wanted = (step.variant(), step.local_or(state.free_local()), state.choice().host_memory);
    newest(state, ladder, &|contender| match contender {
        Contender::Device { variant, local, host_memory, .. } => (*variant, *local, *host_memory) == wanted,
        Contender::Cpu { .. } => false,
    })
}

/// The newest measurement that fits the picture, the device and the ladder's own channels and border.
fn newest<'a>(state: &'a State, ladder: &Ladder, is_wanted: &dyn Fn(&Contender) -> bool) -> Option<&'a Measured> {
    let picture = &state.picture.as_ref()?.picture.picture;
    let device = state.device().map(|device| device.name.as_str());
    let fits = |reading: &Reading| {
        (reading.width_px, reading.height_px) == (picture.width_px(), picture.height_px())
            && reading.filter == state.choice().filter.name
            && (reading.channels, reading.border) == (ladder.channels, ladder.border)
            && (matches!(reading.contender, Contender::Cpu { .. }) || Some(reading.device.as_str()) == device)
            && is_wanted(&reading.contender)
    };
    state.history.rows().iter().rev().map(|row| &row.reading).find(|reading| fits(reading))?.measured()
}
