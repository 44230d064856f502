//! The step of the ladder that is shown: why the guide takes it, what was published of it, and what it did here.

use super::state::State;
use super::theme::{self, space};
use crate::cpu::CpuEngine;
use crate::filters::{FigureKind, Ladder, Step};
use crate::measure::{Contender, Measured, Reading, Seen, compare_spreads};
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
        if let Some((text, seen)) = claim(state, ladder, index) {
            let text = RichText::new(text);
            let text = match color(ui, seen) {
                Some(color) => text.color(color),
                None => text.weak(),
            };
            ui.label(text).on_hover_text(
                "From the newest readings of the two steps; the interval is as wide as their quartiles allow. `kernel-ladder bench --ladder` runs both in turn \
                 and decides more",
            );
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

/// "The guide says: faster than 1 Vectorize. Confirmed here: 1.9× (1.5× to 2×)", with what was seen.
fn claim(state: &State, ladder: &Ladder, index: usize) -> Option<(String, Option<Seen>)> {
    let step = ladder.steps.get(index)?;
    let claimed = step.claim?;
    let text = format!("The guide says: {}", ladder.claim_text(index)?);
    let readings =
        ladder.steps.get(claimed.against).and_then(|other| newest_of_step(state, ladder, other)).zip(newest_of_step(state, ladder, step));
    let Some((first, second)) = readings else { return Some((format!("{text}. Not measured here"), None)) };
    let comparison = first.kernel.as_ref().zip(second.kernel.as_ref()).and_then(|(first, second)| compare_spreads(first, second));
    let Some(comparison) = comparison else { return Some((format!("{text}. No valid times here"), None)) };
    let is_busy = first.busy || second.busy;
    let seen = if is_busy { Seen::Unclear } else { Seen::of(claimed.says, &comparison) };
    let word = match seen {
        Seen::Confirmed => "Confirmed here",
        Seen::NotSeen => "Not seen here",
        Seen::Reversed => "Reversed here",
        Seen::Unclear if is_busy => "Unclear here, the machine was busy",
        Seen::Unclear => "Unclear here",
    };
    let [ratio, low, high] = [comparison.ratio, comparison.low, comparison.high].map(units::speed_up);
    Some((format!("{text}. {word}: {ratio} ({low} to {high})"), Some(seen)))
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
