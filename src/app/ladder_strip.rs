//! The step of the ladder that is shown: why the guide takes it, what it claims, and what it did here.

use super::state::State;
use super::theme::space;
use crate::cpu::CpuEngine;
use crate::filters::{Ladder, Step};
use crate::measure::{Contender, Reading};
use crate::plot::units;
use egui::{RichText, Ui};

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
        if state.step().is_none() {
            ui.label(RichText::new("Stages were changed since").color(ui.visuals().warn_fg_color));
        }
    });
}

/// What the step's figures are against.
const fn against(index: usize) -> &'static str {
    if index == 0 { "the study's CPU" } else { "its first step" }
}

/// "Published: 4.2× over its first step at 2560 × 1600", or the range over all sizes.
fn published(state: &State, ladder: &Ladder, index: usize) -> Option<String> {
    let figures = ladder.steps.get(index)?.published;
    let size = state.picture.as_ref().map(|opened| (opened.picture.picture.width_px(), opened.picture.picture.height_px()));
    let exact = ladder.sizes.iter().zip(figures).find(|(known, _)| Some(**known) == size);
    if let Some(((width, height), figure)) = exact {
        return Some(format!("Published: {} over {} at {width} × {height}", units::speed_up(f64::from(*figure)), against(index)));
    }
    let least = figures.iter().copied().reduce(f32::min)?;
    let most = figures.iter().copied().reduce(f32::max)?;
    let range = [least, most].map(|figure| units::speed_up(f64::from(figure)));
    Some(format!("Published: {} to {} over {}, by picture size", range[0], range[1], against(index)))
}

/// "Here: 3.1× over its first step", or what to do to know.
fn here(state: &State, ladder: &Ladder, index: usize) -> String {
    let time = |is_wanted: &dyn Fn(&Contender) -> bool| newest_kernel_ns(state, ladder, is_wanted);
    let of_step = |step: &Step| {
        let wanted = (step.variant(), state.choice().local, state.choice().host_memory);
        time(&move |contender| match contender {
            Contender::Device { variant, local, host_memory, .. } => (*variant, *local, *host_memory) == wanted,
            Contender::Cpu { .. } => false,
        })
    };
    let base = if index == 0 {
        time(&|contender| matches!(contender, Contender::Cpu { engine: CpuEngine::Scalar, .. }))
    } else {
        ladder.steps.first().and_then(of_step)
    };
    let base_name = if index == 0 { CpuEngine::Scalar.label() } else { against(index) };
    match (base, ladder.steps.get(index).and_then(of_step)) {
        (Some(base), Some(now)) => format!("Here: {} over {base_name}", units::speed_up(base / now)),
        _ => "Here: not measured yet, use Measure ladder".to_owned(),
    }
}

/// Median kernel time of the newest reading that fits what is shown and the ladder's own channels and border.
fn newest_kernel_ns(state: &State, ladder: &Ladder, is_wanted: &dyn Fn(&Contender) -> bool) -> Option<f64> {
    let picture = &state.picture.as_ref()?.picture.picture;
    let device = state.device().map(|device| device.name.as_str());
    let fits = |reading: &Reading| {
        (reading.width_px, reading.height_px) == (picture.width_px(), picture.height_px())
            && reading.filter == state.choice().filter.name
            && (reading.channels, reading.border) == (ladder.channels, ladder.border)
            && (matches!(reading.contender, Contender::Cpu { .. }) || Some(reading.device.as_str()) == device)
            && is_wanted(&reading.contender)
    };
    let newest = state.history.rows().iter().rev().map(|row| &row.reading).find(|reading| fits(reading))?;
    newest.measured()?.kernel.as_ref().map(|kernel| kernel.median_ns).filter(|&median_ns| median_ns > 0.0)
}
