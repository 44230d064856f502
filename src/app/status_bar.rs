//! One line: verified or not, kernel time with spread, bandwidth, build time, device, progress, cancel.

use super::action::{Action, Command};
use super::settings::Place;
use super::state::{Job, Shown, State};
use super::theme::{right, space};
use super::widgets::command_button;
use crate::model::{BuildFrom, Measured, Outcome};
use crate::plot::units;
use egui::{Align, Label, Layout, ProgressBar, RichText, Ui};

/// From this width on there is room for counts.
const WIDE_POINTS: f32 = 1200.0;

/// With more arithmetic operations per byte than this, arithmetic takes the time on every device, and a bandwidth would mislead.
const MOST_OPERATIONS_PER_BYTE: f64 = 32.0;

/// Draws the bar.
pub fn status_bar(ui: &mut Ui, state: &State, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.set_min_height(30.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            command_button(ui, state, Command::Cancel, false, actions);
            progress(ui, state);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.spacing_mut().item_spacing.x = space::LARGE;
                match &state.shown {
                    Some(shown) => facts(ui, state, shown),
                    None => drop(ui.weak("Nothing has been computed yet")),
                }
            });
        });
    });
}

fn progress(ui: &mut Ui, state: &State) {
    let Some(pending) = state.pending.first() else { return };
    let (done, total, text) = pending.progress.clone().unwrap_or((0, 0, String::new()));
    let what = match &pending.job {
        Job::Show(_) => "Computing",
        Job::Bench(name) => name,
    };
    let share = if total == 0 { 0.0 } else { done as f32 / total as f32 };
    let label = if total == 0 { what.to_owned() } else { format!("{what} {done} of {total}") };
    // As wide as its words: nothing of them is cut.
    let font = egui::TextStyle::Small.resolve(ui.style());
    let width = ui.painter().layout_no_wrap(label.clone(), font, egui::Color32::PLACEHOLDER).size().x + 2.0 * space::LARGE;
    ui.add(ProgressBar::new(share).desired_width(width.max(170.0)).text(RichText::new(label).small())).on_hover_text(text);
}

fn facts(ui: &mut Ui, state: &State, shown: &Shown) {
    let is_dark = ui.visuals().dark_mode;
    if state.is_old() {
        ui.label(RichText::new("old").color(ui.visuals().warn_fg_color).strong())
            .on_hover_text("This is the previous result; the new one is being computed");
    }
    match &shown.verified {
        None => drop(ui.weak("checking…")),
        Some(verified) if verified.verification.is_right() => {
            let verification = &verified.verification;
            ui.label(RichText::new(verification.label()).color(right(is_dark)).strong()).on_hover_text(match verification.tolerance {
                0 => format!("All {} pixels are equal to the plain reference's", verification.total_pixels),
                tolerance => format!(
                    "No byte of {} pixels differs by more than {tolerance} from the plain reference's; the largest difference is {}",
                    verification.total_pixels, verification.max_difference
                ),
            });
        }
        Some(verified) => {
            let verification = &verified.verification;
            let place = verification.first_differing.map_or_else(String::new, |(x, y)| format!(", the first at x {x} y {y}"));
            ui.label(RichText::new(verification.label()).color(ui.visuals().error_fg_color).strong())
                .on_hover_text(format!("The largest difference is {}{place}", verification.max_difference));
        }
    }
    times(ui, state, shown);
    let place = match state.place {
        Place::Device(_) => state.device().map_or_else(|| "no device".to_owned(), crate::device::DeviceInfo::label),
        Place::Cpu(engine) => engine.label().to_owned(),
    };
    ui.add(Label::new(RichText::new(place).weak()).truncate());
}

fn times(ui: &mut Ui, state: &State, shown: &Shown) {
    match state.shown_row().map(|row| &row.record.outcome) {
        Some(Outcome::Measured(measured)) => measured_times(ui, measured),
        Some(Outcome::Unsupported(why) | Outcome::Failed(why)) => {
            ui.label(RichText::new("not measured").color(ui.visuals().warn_fg_color)).on_hover_text(why);
        }
        None => {
            match shown.executed.timings.kernel_ns {
                Some(kernel_ns) => drop(ui.weak(format!("one run: kernel {}", units::time(kernel_ns as f64)))),
                None => drop(ui.weak("timestamp invalid")),
            }
            if shown.verified.is_some() && !state.is_old() && state.pending.iter().all(|pending| pending.id != shown.id) {
                ui.label(RichText::new("cancelled: F5 measures").color(ui.visuals().warn_fg_color));
            }
        }
    }
    let build = match shown.executed.build.from {
        BuildFrom::Nothing => return,
        BuildFrom::Source => format!("build {}", units::time(shown.executed.build.build_ns as f64)),
        BuildFrom::Disk => format!("from disk cache {}", units::time(shown.executed.build.build_ns as f64)),
        BuildFrom::Memory => "built before".to_owned(),
    };
    ui.weak(build);
}

fn measured_times(ui: &mut Ui, measured: &Measured) {
    let Some(kernel) = &measured.kernel else {
        ui.label(RichText::new("timestamp invalid").color(ui.visuals().warn_fg_color))
            .on_hover_text("The driver's profiling timestamps are invalid, so there is no kernel time");
        return;
    };
    let text = format!(
        "kernel {} ({} to {}, n {})",
        units::time(kernel.median_ns),
        units::time(kernel.lower_quartile_ns),
        units::time(kernel.upper_quartile_ns),
        kernel.count
    );
    ui.label(text).on_hover_text(format!(
        "Median kernel time, with quartiles\nRound trip {} (median)\nSmallest {}{}",
        units::time(measured.round_trip.total.median_ns),
        units::time(kernel.min_ns),
        measured.counts.as_ref().map_or_else(String::new, |counts| format!("\n{}", units::memory_operations(counts)))
    ));
    let is_arithmetic = match &measured.roofline {
        Some(shares) => shares.bound.is_arithmetic(),
        None => measured.operations_per_byte().is_some_and(|ratio| ratio > MOST_OPERATIONS_PER_BYTE),
    };
    if let Some(shares) = measured.roofline.as_ref().filter(|_| !is_arithmetic) {
        let ceiling = if shares.is_cached { "copies within a cache" } else { "copies from memory" };
        ui.label(units::of_roof(shares)).on_hover_text(format!(
            "Bytes that all passes must move, over the kernel time, against the roof of {ceiling} on this device\n{}\n{}",
            units::bound(shares),
            shares.bound.meaning()
        ));
    } else if let Some(shares) = &measured.roofline {
        ui.label(units::bound(shares)).on_hover_text(shares.bound.meaning());
    } else if let Some(gb_per_s) = measured.gb_per_s().filter(|_| !is_arithmetic) {
        let pixels = measured.verification.total_pixels.max(1) as f64;
        let bytes = measured.bytes_moved as f64 / pixels;
        ui.label(units::bandwidth(gb_per_s)).on_hover_text(format!(
            "Effective bandwidth: each source byte read once and each output byte written once, {bytes:.0} bytes per pixel, over the kernel time"
        ));
    }
    if let Some(counts) = &measured.counts {
        // Where the window is narrow, the device's name is worth more.
        if ui.ctx().content_rect().width() >= WIDE_POINTS {
            ui.label(units::memory_operations(counts)).on_hover_text(format!(
                "Counted from the code, not measured\n{}\n{}",
                units::memory_bytes(counts),
                units::arithmetic(counts)
            ));
        }
    }
    if measured.busy {
        ui.label(RichText::new("busy").color(ui.visuals().warn_fg_color).strong())
            .on_hover_text("Other programs kept the processor busy throughout: do not trust these figures. They are measured again when nothing else is to be done");
    }
}
