//! One line: verified or not, kernel time with spread, bandwidth, build time, device, progress, cancel.

use super::action::{Action, Command};
use super::settings::Place;
use super::state::{Job, Shown, State};
use super::theme::{right, space};
use super::widgets::{command_button, name};
use base::texts::{filled, joined, text};
use egui::{Align, Label, Layout, ProgressBar, RichText, Role, TextStyle, TextWrapMode, Ui, WidgetText};
use model::{BuildFrom, Labelled, Measured, Outcome, Shares};
use std::fmt::Display;
use view::plot::units;

/// From this width on there is room for counts.
const WIDE_POINTS: f32 = 1200.0;

/// With more arithmetic operations per byte than this, arithmetic takes the time on every device, and a bandwidth would mislead.
const MOST_OPERATIONS_PER_BYTE: f64 = 32.0;

/// So wide the names of machines may be that are waited for.
const MACHINES_PX: f32 = 260.0;

/// The progress is at least so wide.
const LEAST_PROGRESS_POINTS: f32 = 170.0;

/// And takes at most this share of the bar.
const MOST_PROGRESS: f32 = 0.6;

/// Room for the sign that something is left out.
const SIGN_POINTS: f32 = 24.0;

/// What is told from left to right, the most important first; what has no room is told where the pointer rests on a sign, and never over what stands at the right.
struct Facts<'a> {
    ui: &'a mut Ui,
    is_first: bool,
    left_out: Vec<String>,
}

impl<'a> Facts<'a> {
    fn new(ui: &'a mut Ui) -> Self {
        Self { ui, is_first: true, left_out: Vec::new() }
    }

    /// Adds a fact, with what it means. The first one is cut rather than left out.
    fn add(&mut self, fact: RichText, about: &str) {
        let said = fact.text().to_owned();
        let galley = WidgetText::from(fact.clone()).into_galley(self.ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Body);
        let is_first = std::mem::take(&mut self.is_first);
        if !is_first && (!self.left_out.is_empty() || galley.size().x + SIGN_POINTS > self.ui.available_width()) {
            self.left_out.push(said);
            return;
        }
        let response = self.ui.add(Label::new(fact).truncate());
        if !about.is_empty() {
            response.on_hover_text(about);
        }
    }

    fn weak(&mut self, fact: String) {
        self.add(RichText::new(fact).weak(), "");
    }

    fn warning(&mut self, fact: &str, about: &str) {
        let ink = self.ui.visuals().warn_fg_color;
        self.add(RichText::new(fact).color(ink), about);
    }

    /// The sign for what was left out.
    fn end(&mut self) {
        if !self.left_out.is_empty() {
            let told = self.left_out.join("\n");
            let sign = self.ui.label(RichText::new("…").weak());
            name(&sign, Role::Label, &told, None);
            sign.on_hover_text(told);
        }
    }
}

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
                    Some(shown) => facts(&mut Facts::new(ui), state, shown),
                    None => drop(ui.add(Label::new(RichText::new(text("window.status.nothing")).weak()).truncate())),
                }
            });
        });
    });
}

fn progress(ui: &mut Ui, state: &State) {
    let Some(pending) = state.pending.first() else { return awaited(ui, state) };
    let (done, total, about) = pending.progress.clone().unwrap_or((0, 0, String::new()));
    let what = match &pending.job {
        Job::Show(_) => text("window.status.computing"),
        Job::Bench(name) => name,
    };
    let share = if total == 0 { 0.0 } else { done as f32 / total as f32 };
    let label =
        if total == 0 { what.to_owned() } else { filled("window.status.progress", &[("what", &what), ("done", &done), ("total", &total)]) };
    // As wide as its words: nothing of them is cut.
    let font = egui::TextStyle::Small.resolve(ui.style());
    let width = ui.painter().layout_no_wrap(label.clone(), font, egui::Color32::PLACEHOLDER).size().x + 2.0 * space::LARGE;
    // In a narrow window the facts keep some room, too; the words are told on hover.
    let width = width.max(LEAST_PROGRESS_POINTS).min(ui.available_width() * MOST_PROGRESS).max(0.0);
    let about = if about.is_empty() { label.clone() } else { format!("{label}\n{about}") };
    let bar = ProgressBar::new(share).desired_width(width).text(RichText::new(label).small());
    ui.add(bar).on_hover_text(about);
}

/// Other machines that were asked for their devices and have not answered yet, or to which this program is being copied.
fn awaited(ui: &mut Ui, state: &State) {
    let told =
        |key, hosts: &[String]| (!hosts.is_empty()).then(|| filled(key, &[("hosts", &joined("words.list.items", hosts.iter().cloned()))]));
    let parts = [told("window.status.copying", &state.scanned.copying), told("window.status.waiting", &state.scanned.awaited)];
    let parts = joined("words.list.clauses", parts.into_iter().flatten());
    if !parts.is_empty() {
        // A class of thirty leaves room for the facts.
        ui.scope(|ui| {
            ui.set_max_width(MACHINES_PX);
            ui.add(Label::new(RichText::new(parts).weak()).truncate());
        });
    }
}

fn facts(facts: &mut Facts<'_>, state: &State, shown: &Shown) {
    let is_dark = facts.ui.visuals().dark_mode;
    if state.is_old() {
        let about = if state.is_picture_awaited() { "window.status.old-about" } else { "window.pictures.previous-about" };
        let ink = facts.ui.visuals().warn_fg_color;
        facts.add(RichText::new(text("window.status.old")).color(ink).strong(), text(about));
    }
    match &shown.verified {
        None if state.pending_of(shown.id).is_some() => facts.weak(text("window.status.checking").to_owned()),
        None => facts.warning(text("window.status.not-checked"), text("window.status.not-checked-about")),
        Some(verified) if verified.verification.is_right() => {
            let verification = &verified.verification;
            let about = match verification.tolerance {
                0 => filled("window.status.exact-about", &[("total", &verification.total_pixels)]),
                tolerance => {
                    let most = verification.max_difference;
                    filled(
                        "window.status.within-about",
                        &[("total", &verification.total_pixels), ("tolerance", &tolerance), ("most", &most)],
                    )
                }
            };
            facts.add(RichText::new(verification.label()).color(right(is_dark)).strong(), &about);
        }
        Some(verified) => {
            let verification = &verified.verification;
            let most = verification.max_difference;
            let about = match verification.first_differing {
                None => filled("window.status.wrong-about", &[("most", &most)]),
                Some((x, y)) => filled("window.status.wrong-about-first", &[("most", &most), ("x", &x), ("y", &y)]),
            };
            let ink = facts.ui.visuals().error_fg_color;
            facts.add(RichText::new(verification.label()).color(ink).strong(), &about);
        }
    }
    times(facts, state, shown);
    let place = match state.place {
        Place::Device(_) => state.device().map_or_else(|| text("window.status.no-device").to_owned(), engine::device::DeviceInfo::label),
        Place::Cpu(engine) => engine.label().to_owned(),
    };
    let carried = match state.place {
        Place::Device(device) => state.carried.get(&device),
        Place::Cpu(_) => None,
    };
    let about = carried.map_or_else(String::new, |&(sent, received)| {
        let [sent, received] = [sent, received].map(units::binary_bytes);
        filled("window.status.carried", &[("sent", &sent), ("received", &received)])
    });
    facts.add(RichText::new(place).weak(), &about);
    facts.end();
}

fn times(facts: &mut Facts<'_>, state: &State, shown: &Shown) {
    let row = state.shown_row();
    match row.map(|row| &row.record.outcome) {
        Some(Outcome::Measured(measured)) => measured_times(facts, measured, row.and_then(|row| state.shares(&row.record)).as_ref()),
        Some(Outcome::Unsupported(why) | Outcome::Failed(why)) => facts.warning(text("window.status.not-measured"), &why.to_string()),
        None => {
            match shown.executed.timings.kernel_ns {
                Some(kernel_ns) => facts.weak(filled("window.status.one-run", &[("time", &units::time(kernel_ns as f64))])),
                None => facts.weak(text("window.status.invalid").to_owned()),
            }
            if shown.verified.is_some() && !state.is_old() && state.pending_of(shown.id).is_none() {
                facts.warning(text("window.status.cancelled"), "");
            }
        }
    }
    let build_time = units::time(shown.executed.build.build_ns as f64);
    facts.weak(match shown.executed.build.from {
        BuildFrom::Nothing => return,
        BuildFrom::Source => filled("window.status.built", &[("time", &build_time)]),
        BuildFrom::Disk => filled("window.status.from-disk", &[("time", &build_time)]),
        BuildFrom::Memory => text("window.status.built-before").to_owned(),
    });
}

fn measured_times(facts: &mut Facts<'_>, measured: &Measured, shares: Option<&Shares>) {
    let Some(kernel) = &measured.kernel else {
        facts.warning(text("window.status.invalid"), text("window.status.invalid-about"));
        return;
    };
    let [median, least, most] = [kernel.median_ns, kernel.lower_quartile_ns, kernel.upper_quartile_ns].map(units::time);
    let values: [(&str, &dyn Display); 4] = [("middle", &median), ("least", &least), ("most", &most), ("count", &kernel.count)];
    let about = [
        text("window.status.kernel-about").to_owned(),
        filled("window.status.round-trip", &[("time", &units::time(measured.round_trip.total.median_ns))]),
        filled("window.status.smallest", &[("time", &units::time(kernel.min_ns))]),
    ];
    let about = about.into_iter().chain(measured.counts.as_ref().map(units::memory_operations)).collect::<Vec<_>>().join("\n");
    facts.add(RichText::new(filled("window.status.kernel", &values)), &about);
    let is_arithmetic = match shares {
        Some(shares) => shares.bound.is_arithmetic(),
        None => measured.operations_per_byte().is_some_and(|ratio| ratio > MOST_OPERATIONS_PER_BYTE),
    };
    if let Some(shares) = shares.filter(|_| !is_arithmetic) {
        let key = if shares.is_cached { "window.status.of-cache-about" } else { "window.status.of-memory-about" };
        let about = format!("{}\n{}\n{}", text(key), units::bound(shares), shares.bound.meaning());
        facts.add(RichText::new(units::of_roof(shares)), &about);
    } else if let Some(shares) = shares {
        facts.add(RichText::new(units::bound(shares)), shares.bound.meaning());
    } else if let Some(gb_per_s) = measured.gb_per_s().filter(|_| !is_arithmetic) {
        let pixels = measured.verification.total_pixels.max(1) as f64;
        let bytes = measured.bytes_moved as f64 / pixels;
        let about = filled("window.status.bandwidth-about", &[("bytes", &format!("{bytes:.0}"))]);
        facts.add(RichText::new(units::bandwidth(gb_per_s)), &format!("{about}\n{}", text("studies.shares.unknown")));
    }
    if let Some(counts) = &measured.counts {
        // Where the window is narrow, the device's name is worth more.
        if facts.ui.ctx().content_rect().width() >= WIDE_POINTS {
            let about = format!("{}\n{}\n{}", text("window.status.counted"), units::memory_bytes(counts), units::arithmetic(counts));
            facts.add(RichText::new(units::memory_operations(counts)), &about);
        }
    }
    if measured.busy {
        let ink = facts.ui.visuals().warn_fg_color;
        facts.add(RichText::new(text("window.status.busy")).color(ink).strong(), text("window.status.busy-about"));
    }
}

#[cfg(test)]
mod tests {
    use super::Facts;
    use egui::{Rect, RichText, vec2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn what_has_no_room_is_left_out_and_told_by_a_sign() {
        let frame = |ui: &mut egui::Ui| {
            let area = Rect::from_min_size(ui.max_rect().min, vec2(220.0, 30.0));
            ui.scope_builder(egui::UiBuilder::new().max_rect(area), |ui| {
                ui.horizontal(|ui| {
                    let mut facts = Facts::new(ui);
                    for fact in ["first", "second", "a third that is far too long", "4"] {
                        facts.add(RichText::new(fact), "");
                    }
                    facts.end();
                });
            });
        };
        let mut harness = Harness::builder().with_size(vec2(800.0, 60.0)).build_ui(frame);
        harness.run();
        for fact in ["first", "second"] {
            assert!(harness.get_by_label(fact).rect().right() < 220.0);
        }
        // None is told out of its order: the last one would have had room.
        assert!(harness.query_by_label("4").is_none());
        let sign = harness.get_by_label("a third that is far too long\n4").rect();
        assert!(sign.right() <= 230.0, "{sign:?}");
    }
}
