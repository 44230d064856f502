//! The roofline: every variant that was measured for what is shown, under what its device can do at most.

use super::action::{Action, Command};
use super::film::{Allowed, Films, Played};
use super::glossary::explained;
use super::scene_ui::{Kept, hits_ui, measure, measure_in};
use super::state::{State, is_device};
use super::studies_ui::{running_ui, warning};
use super::theme::space;
use super::timings::{self, detail_ui};
use super::widgets::command_button;
use base::texts::{filled, text};
use egui::{Context, RichText, ScrollArea, Ui};
use engine::device::DeviceInfo;
use kernels::filters;
use model::{Measured, OperationClass, Requested, RoofKind, Roofs, roofline_place};
use std::fmt::Display;
use view::plot::{Ceiling, Dot, Entry, Heading, Limit, Roofline, Scene, roofline, roofline_film, units};

/// Less high, the chart is scrolled.
const LEAST_POINTS: f32 = 230.0;

/// Wide enough for a line of what is told of a dot.
const DETAILS_WIDTH: f32 = 520.0;

/// Two roofs that are less than this factor apart are drawn as one.
const SAME_ROOF: f64 = 1.15;

/// What this panel keeps between frames.
#[derive(Default)]
pub struct RooflinePanel {
    drawn: Kept<Drawn>,
    film: RooflineFilm,
}

/// A roofline whose ladder's path grows step by step.
#[derive(Default)]
pub struct RooflineFilm {
    /// It is gathered from all readings.
    data: Kept<Roofline>,
    film: Played<Roofline>,
}

/// The chart, and the reading of each dot.
struct Drawn {
    scene: Scene,
    readings: Vec<u64>,
    has_roofs: bool,
}

/// Draws the panel into all of `ui`.
pub fn roofline_panel(ui: &mut Ui, panel: &mut RooflinePanel, state: &State, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("roofline").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        let Some(device) = state.device_or_first() else {
            ui.label(text("studies.panel.no-device"));
            return;
        };
        let roofs = state.device_roofs(device);
        let top = ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(device.label()).strong());
            if let Some(roofs) = roofs {
                ui.label(RichText::new(filled("studies.roofline.measured", &[("date", &day(roofs))])).weak());
            }
            command_button(ui, state, Command::MeasureRoofs, false, actions);
            let data = panel.film.data.get(ui, state, [0.0; 2], || data(state, device).0);
            let can_play = !state.settings.is_still && data.dots.iter().any(|dot| dot.step.is_some());
            panel.film.film.switch_ui(ui, can_play, "studies.roofline.play-about")
        });
        if let Some(id) = state.roofs_request {
            running_ui(ui, state, id);
        }
        match roofs {
            None => drop(ui.label(text("studies.roofline.needs-roofs"))),
            Some(roofs) if roofs.is_busy() => warning(ui, text("studies.roofline.roofs-busy")),
            Some(_) => {}
        }
        if top.inner {
            roofline_film_ui(ui, &mut panel.film, state, Allowed { counts: true, motion: true });
            return;
        }
        let width = ui.available_width();
        let font = egui::TextStyle::Body.resolve(ui.style());
        let about = ui.painter().layout(text("studies.roofline.about").to_owned(), font, egui::Color32::PLACEHOLDER, width);
        let height = (ui.available_height() - about.size().y - space::LARGE).max(LEAST_POINTS);
        let measure = measure(ui);
        let drawn = panel.drawn.get(ui, state, [width, height], || {
            let (data, readings) = data(state, device);
            let scene = roofline(&data, [f64::from(width), f64::from(height)], &measure);
            Drawn { scene, readings, has_roofs: !data.ceilings.is_empty() }
        });
        if drawn.readings.is_empty() {
            ui.label(text("studies.roofline.needs-dots"));
        }
        if drawn.has_roofs || !drawn.readings.is_empty() {
            let reading = |index: usize| drawn.readings.get(index).copied();
            let clicked = hits_ui(ui, &drawn.scene, "roofline", true, |ui, index| {
                if let Some(id) = reading(index) {
                    dot_ui(ui, state, id);
                }
            });
            actions.extend(clicked.and_then(reading).map(Action::BringBack));
            explained(ui, text("studies.roofline.about"));
        }
    });
}

/// Draws the roofline playing into all of `ui`.
pub fn roofline_film_ui(ui: &mut Ui, film: &mut RooflineFilm, state: &State, allowed: Allowed) {
    let Some(device) = state.device_or_first() else { return };
    let make = |data: &Roofline, [width, height]: [usize; 2], ctx: &Context| -> Films {
        vec![Ok(roofline_film(data, [width as f64, height as f64], &measure_in(ctx)))]
    };
    let data = film.data.get(ui, state, [0.0; 2], || data(state, device).0).clone();
    film.film.ui(ui, data, &[""], make, allowed);
}

/// The day that roofs were measured: the hour says nothing.
fn day(roofs: &Roofs) -> &str {
    roofs.date.split('T').next().unwrap_or_default()
}

/// Roofs and dots of a device, with the reading of each dot.
fn data(state: &State, device: &DeviceInfo) -> (Roofline, Vec<u64>) {
    let rows: Vec<_> = timings::newest(state).into_iter().filter(|row| is_device(&row.record.machine, device)).collect();
    let entries = timings::entries(state, &rows);
    let dots: Vec<(u64, Dot)> = rows.iter().zip(&entries).filter_map(|(row, entry)| Some((row.id, dot(entry)?))).collect();
    let (readings, dots) = dots.into_iter().unzip();
    let mut ceilings = state.device_roofs(device).map_or_else(Vec::new, |roofs| ceilings(roofs));
    let shown = entries.iter().find(|entry| entry.is_shown).and_then(|entry| entry.shares);
    // Of copies of as many bytes as the variant on the screen goes through.
    let working_set = shown.and_then(|shares| further(text("studies.roofline.working-set").to_owned(), shares.roof_gb_per_s, &ceilings));
    ceilings.extend(working_set);
    (Roofline { ceilings, dots }, readings)
}

/// The roofs that a chart has.
fn ceilings(roofs: &Roofs) -> Vec<Ceiling> {
    let bytes = [RoofKind::Copy, RoofKind::CachedCopy].map(|kind| (kind, Limit::Bytes as fn(f64) -> Limit));
    let operations = [OperationClass::IntegerAdd.roof(), OperationClass::FloatMultiplyAdd.roof(), OperationClass::HalfMultiplyAdd.roof()];
    let operations = operations.map(|kind| (kind, Limit::Operations as fn(f64) -> Limit));
    let ceiling = |(kind, limit): (RoofKind, fn(f64) -> Limit)| {
        roofs.rate(kind).map(|rate| Ceiling { label: kind.label().to_owned(), limit: limit(rate), is_level: false })
    };
    let mut ceilings: Vec<Ceiling> = bytes.into_iter().chain(operations).filter_map(ceiling).collect();
    // The last level is memory, of which the copy tells.
    for level in roofs.levels().into_iter().filter(|level| level.bytes.is_some()) {
        ceilings.extend(further(units::level_short(&level), level.rate, &ceilings));
    }
    ceilings
}

/// A further roof of bytes, where it is none of those that are known.
fn further(label: String, rate: f64, known: &[Ceiling]) -> Option<Ceiling> {
    let is_known = known.iter().any(|ceiling| matches!(ceiling.limit, Limit::Bytes(other) if (other / rate).ln().abs() < SAME_ROOF.ln()));
    (!is_known).then_some(Ceiling { label, limit: Limit::Bytes(rate), is_level: true })
}

/// A reading that was right, with a time and counted operations.
fn dot(entry: &Entry<'_>) -> Option<Dot> {
    let measured = right(entry.reading.measured())?;
    let (operations_per_byte, operations_per_ns) = roofline_place(measured)?;
    let step = entry.step.map(|step| format!("{} {}", step.number, step.name));
    Some(Dot {
        label: entry.name().map(str::to_owned).or(step).unwrap_or_else(|| entry.reading.label()),
        operations_per_byte,
        per_requested_byte: Requested::of(measured).map(|requested| requested.operations_per_byte),
        operations_per_ns,
        share: entry.shares.and_then(|shares| shares.of_bound()),
        step: entry.step.map(|step| step.number),
        is_shown: entry.is_shown,
        is_busy: measured.busy,
    })
}

fn right(measured: Option<&Measured>) -> Option<&Measured> {
    measured.filter(|measured| measured.is_right())
}

/// Everything that is known of a dot.
fn dot_ui(ui: &mut Ui, state: &State, id: u64) {
    let Some(record) = state.history.record(id) else { return };
    let Some(measured) = right(record.measured()) else { return };
    ui.set_max_width(DETAILS_WIDTH);
    ui.spacing_mut().item_spacing.y = 1.0;
    ui.strong(record.label());
    if let Some(kernel) = &measured.kernel {
        let busy = if measured.busy { format!(", {}", text("studies.roofline.busy")) } else { String::new() };
        let time = units::time_between(kernel.median_ns, kernel.lower_quartile_ns, kernel.upper_quartile_ns);
        detail_ui(ui, text("studies.roofline.kernel"), &(time + &busy));
    }
    if let Some((per_byte, per_ns)) = roofline_place(measured) {
        let pixels = measured.verification.total_pixels as f64;
        let operations = measured.counts.map_or(0.0, |counts| counts.operations);
        let [operations, bytes, per_byte] = [operations, measured.bytes_of_passes() / pixels, per_byte].map(units::number);
        let values: [(&str, &dyn Display); 3] = [("operations", &operations), ("bytes", &bytes), ("per_byte", &per_byte)];
        detail_ui(ui, text("studies.roofline.counted"), &filled("studies.roofline.counted-value", &values));
        detail_ui(ui, text("studies.roofline.rate"), &units::operations_rate(per_ns));
    }
    if let Some(requested) = Requested::of(measured) {
        let [bytes, rate] = [units::number(requested.bytes_per_pixel), units::bandwidth(requested.gb_per_s)];
        let first = state.device_or_first().and_then(|device| state.device_roofs(device)).and_then(|roofs| roofs.levels().first().copied());
        let value = match first.filter(|level| level.bytes.is_some()) {
            Some(level) => {
                let share = units::whole_percent(requested.gb_per_s / level.rate);
                let values: [(&str, &dyn Display); 4] =
                    [("bytes", &bytes), ("rate", &rate), ("share", &share), ("level", &units::level(&level))];
                filled("studies.roofline.requested-share", &values)
            }
            None => filled("studies.roofline.requested-value", &[("bytes", &bytes), ("rate", &rate)]),
        };
        detail_ui(ui, text("studies.roofline.requested"), &value);
    }
    if let Some(shares) = state.shares(record) {
        if !shares.bound.is_arithmetic() {
            detail_ui(ui, text("studies.roofline.moves"), &units::of_roof(&shares));
        }
        detail_ui(ui, text("studies.roofline.bound"), &units::bound(&shares));
        ui.weak(shares.bound.meaning());
    }
    ui.weak(text("studies.roofline.click"));
}

/// Whether there is something to export.
pub fn has_roofline(state: &State) -> bool {
    state.device_or_first().is_some_and(|device| {
        let is_dot = |row: &&super::history::Row| {
            is_device(&row.record.machine, device) && right(row.record.measured()).and_then(roofline_place).is_some()
        };
        state.device_roofs(device).is_some() || timings::newest(state).iter().any(is_dot)
    })
}

/// What an export writes.
pub fn exported(state: &State) -> Option<(Heading, Roofline)> {
    let device = state.device_or_first()?;
    let (data, _) = data(state, device);
    let size = state.picture.as_ref().map_or_else(String::new, |opened| {
        let (width, height) = opened.picture.size();
        format!(" · {width} × {height}")
    });
    let version = env!("CARGO_PKG_VERSION");
    let roofs = state.device_roofs(device).map(|roofs| filled("studies.roofline.heading", &[("date", &day(roofs)), ("version", &version)]));
    let lines = std::iter::once(format!("{} · {}", device.name, device.driver())).chain(roofs).collect();
    Some((Heading { title: filters::spec_text(&state.choice().spec) + &size, lines }, data))
}

#[cfg(test)]
mod tests {
    use super::{ceilings, dot};
    use crate::testing::records::{changed, on_cpu, on_device, roofs};
    use model::{Bound, Counts, Shares};
    use view::plot::{Entry, LadderStep, Limit};

    #[test]
    fn a_reading_is_a_dot_with_its_share_of_the_roof_that_bounds_it() {
        // 60 operations per pixel, 6 bytes per pixel, in 4 ms: 10 per byte, 30 per nanosecond, of the 50 additions that the device can.
        let record = changed(on_device("naive", 4e6), |measured| {
            measured.counts = Some(Counts { operations: 60.0, must_move_bytes: 6.0, ..Counts::default() });
            measured.roofline = Shares::of(measured, &roofs());
        });
        let entry = Entry { step: Some(LadderStep { number: 2, name: "Vectorize" }), ..Entry::new(&record) };
        assert!(entry.shares.is_some_and(|shares| shares.bound == Bound::Mostly(model::Pipe::Arithmetic)));
        let found = dot(&entry).expect("a dot");
        assert_eq!((found.label.as_str(), found.step, found.is_busy), ("2 Vectorize", Some(2), false));
        assert!((found.operations_per_byte - 10.0).abs() < 1e-9 && (found.operations_per_ns - 30.0).abs() < 1e-9, "{found:?}");
        assert!((found.share.expect("known") - 0.6).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn what_is_not_counted_or_wrong_is_no_dot() {
        assert_eq!(dot(&Entry::new(&on_device("naive", 4e6))), None);
        assert_eq!(dot(&Entry::new(&on_cpu(model::CpuEngine::Simd, 4e6))), None);
        let wrong = changed(on_device("naive", 4e6), |measured| {
            measured.counts = Some(Counts { operations: 60.0, ..Counts::default() });
            measured.verification.differing_pixels = 1;
        });
        assert_eq!(dot(&Entry::new(&wrong)), None);
    }

    #[test]
    fn roofs_of_memory_and_of_arithmetic_are_ceilings() {
        let found: Vec<_> = ceilings(&roofs()).into_iter().map(|ceiling| (ceiling.label, ceiling.limit)).collect();
        let wanted = [
            ("Copy", Limit::Bytes(100.0)),
            ("Copy in cache", Limit::Bytes(400.0)),
            ("Integer additions", Limit::Operations(50.0)),
            ("Float multiply-add", Limit::Operations(200.0)),
        ];
        assert_eq!(found, wanted.map(|(label, limit)| (label.to_owned(), limit)));
    }
}
