//! The last run to scale: every command of the device's queue with its four timestamps, and the round trip on the host's clock.

use super::glossary::explained;
use super::state::{Shown, State};
use super::theme::{self, space};
use crate::device::Command;
use crate::engine::Timings;
use crate::plot::units;
use crate::texts::{filled, text};
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, FontId, Painter, Rect, RichText, ScrollArea, Sense, Stroke, TextStyle, Ui, pos2, vec2};
use std::fmt::Display;

/// Width of the column of names, where there is room.
const NAMES: f32 = 190.0;

/// And the share of a narrow panel that it has at most.
const NAMES_SHARE: f32 = 0.44;

/// Where the names of a row end.
fn names_end(row: Rect) -> f32 {
    row.left() + NAMES.min(row.width() * NAMES_SHARE)
}

/// Height of a command's row.
const ROW: f32 = 26.0;

/// Width of the column of durations.
const DURATIONS: f32 = 84.0;

/// Points between two marks of the axis, at least.
const MARKS_APART: f32 = 52.0;

/// Where a row's bar lies.
fn bar_of(row: Rect) -> Rect {
    let left = names_end(row);
    Rect::from_min_max(pos2(left, row.top() + 4.0), pos2((row.right() - DURATIONS).max(left + 1.0), row.bottom() - 4.0))
}

/// The duration of a row, at the right of its bar.
fn duration_in(painter: &Painter, row: Rect, ns: f64, color: Color32) {
    painter.text(pos2(row.right() - 4.0, row.center().y), Align2::RIGHT_CENTER, units::time(ns), FontId::proportional(12.5), color);
}

/// Nanoseconds between two marks of an axis `all_ns` long with room for `most` of them: 1, 2 or 5 times a power of ten.
fn step_ns(all_ns: f64, most: f64) -> f64 {
    let least = all_ns / most.max(1.0);
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|factor| factor * power).find(|step| *step >= least).unwrap_or(10.0 * power)
}

/// The time since the begin, above the rows; its marks go on through them, `rows` of them.
fn axis_ui(ui: &mut Ui, all_ns: f64, rows: usize) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW - 4.0), Sense::hover());
    let bar = bar_of(rect);
    let below = rows as f32 * (ROW + ui.spacing().item_spacing.y);
    let step = step_ns(all_ns, f64::from(bar.width() / MARKS_APART));
    let (ink, line) = (ui.visuals().weak_text_color(), ui.visuals().widgets.noninteractive.bg_stroke.color);
    let mut at = 0.0;
    while all_ns > 0.0 && at <= all_ns {
        let x = bar.left() + bar.width() * (at / all_ns) as f32;
        ui.painter().vline(x, rect.bottom() - 5.0..=rect.bottom() + below, Stroke::new(1.0, line));
        let said = if at > 0.0 { units::time(at) } else { "0".to_owned() };
        ui.painter().text(pos2(x, rect.bottom() - 6.0), Align2::CENTER_BOTTOM, said, FontId::proportional(11.5), ink);
        at += step;
    }
}

/// Draws the panel.
pub fn timeline_panel(ui: &mut Ui, state: &State) {
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("timeline").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        match &state.shown {
            Some(shown) if !shown.executed.commands.is_empty() => shown_ui(ui, shown),
            Some(_) => {
                ui.label(text("window.timeline.on-cpu"));
            }
            None => {
                ui.label(text("window.timeline.nothing"));
            }
        }
    });
}

fn shown_ui(ui: &mut Ui, shown: &Shown) {
    let commands = &shown.executed.commands;
    ui.label(RichText::new(text("window.timeline.device-clock")).strong());
    match span(commands) {
        Some((from, to)) => {
            axis_ui(ui, (to - from) as f64, commands.len());
            for command in commands {
                command_ui(ui, command, from, to);
            }
            ui.horizontal_wrapped(|ui| {
                for (part, text) in PARTS.into_iter().zip([
                    text("window.timeline.queued"),
                    text("window.timeline.submitted"),
                    text("window.timeline.running"),
                ]) {
                    // A swatch begins a line rather than end one without its words.
                    let font = TextStyle::Small.resolve(ui.style());
                    let width = ui.painter().layout_no_wrap(text.to_owned(), font, Color32::PLACEHOLDER).size().x;
                    if ui.available_size_before_wrap().x < 12.0 + ui.spacing().item_spacing.x + width {
                        ui.end_row();
                    }
                    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
                    ui.painter().rect_filled(rect, 2.0, ink(ui, part));
                    ui.label(RichText::new(text).small());
                }
            });
            let kernels: f64 = commands
                .iter()
                .filter(|command| command.bytes == 0)
                .filter_map(|command| command.times.kernel_ns())
                .map(|ns| ns as f64)
                .sum();
            let all = (to - from) as f64;
            let share = format!("{:.0}", 100.0 * kernels / all);
            let values: [(&str, &dyn Display); 3] = [("kernels", &units::time(kernels)), ("all", &units::time(all)), ("share", &share)];
            ui.label(filled("window.timeline.share", &values));
        }
        None => {
            ui.label(text("window.timeline.untrue"));
        }
    }
    ui.add_space(space::MEDIUM);
    host_ui(ui, &shown.executed.timings, commands);
    ui.add_space(space::SMALL);
    explained(ui, text("window.timeline.about"));
}

/// From the first QUEUED to the last END; `None` where a command's timestamps cannot be true.
fn span(commands: &[Command]) -> Option<(u64, u64)> {
    let is_true = |command: &&Command| command.times.start > 3 && command.times.end >= command.times.start && command.times.queued > 0;
    if !commands.iter().all(|command| is_true(&command)) {
        return None;
    }
    let from = commands.iter().map(|command| command.times.queued.min(command.times.start)).min()?;
    let to = commands.iter().map(|command| command.times.end).max()?;
    (to > from).then_some((from, to))
}

/// Parts of a command's time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Queued,
    Submitted,
    Running,
}

const PARTS: [Part; 3] = [Part::Queued, Part::Submitted, Part::Running];

fn ink(ui: &Ui, part: Part) -> Color32 {
    let accent = theme::accent(ui.visuals().dark_mode);
    match part {
        Part::Queued => accent.gamma_multiply(0.25),
        Part::Submitted => accent.gamma_multiply(0.5),
        Part::Running => accent,
    }
}

/// What a command is called, from its OpenCL function: "Write buffer, 786 kB".
fn name(command: &Command) -> String {
    let bytes = bytes_text(command.bytes);
    match command.name.strip_prefix("clEnqueue") {
        Some("WriteBuffer" | "WriteImage") => filled("window.timeline.upload", &[("bytes", &bytes)]),
        Some("ReadBuffer" | "ReadBufferRect") => filled("window.timeline.reading", &[("bytes", &bytes)]),
        Some("MapBuffer" | "MapImage") => filled("window.timeline.map", &[("bytes", &bytes)]),
        Some(other) => filled("window.timeline.command", &[("name", &other), ("bytes", &bytes)]),
        None => filled("window.timeline.kernel", &[("name", &command.name)]),
    }
}

fn bytes_text(bytes: usize) -> String {
    match bytes as f64 {
        bytes if bytes >= 1e6 => format!("{} MB", units::number(bytes / 1e6)),
        bytes => format!("{} kB", units::number(bytes / 1e3)),
    }
}

fn command_ui(ui: &mut Ui, command: &Command, from: u64, to: u64) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let bar = bar_of(rect);
    let times = command.times;
    let x = |at: u64| bar.left() + bar.width() * ((at.max(from) - from) as f64 / (to - from) as f64) as f32;
    let inks = PARTS.map(|part| ink(ui, part));
    let visuals = ui.visuals();
    let painter = ui.painter_at(rect);
    name_in(&painter, rect, &name(command), visuals.text_color());
    // Some drivers take QUEUED and SUBMIT from another clock than START: what is not in order is not drawn.
    let submit = times.submit.clamp(times.queued.min(times.start), times.start);
    for (ink, (begin, end)) in inks.into_iter().zip([(times.queued, submit), (submit, times.start), (times.start, times.end)]) {
        if end > begin {
            // At least a line's width: what took time is seen.
            painter.rect_filled(Rect::from_min_max(pos2(x(begin), bar.top()), pos2(x(end).max(x(begin) + 1.0), bar.bottom())), 1.0, ink);
        }
    }
    if let Some(ns) = times.kernel_ns() {
        duration_in(&painter, rect, ns as f64, visuals.text_color());
    }
    painter.line_segment([bar.left_bottom(), bar.right_bottom()], Stroke::new(1.0, visuals.widgets.noninteractive.bg_stroke.color));
    let part = |ns: Option<u64>| ns.map_or_else(|| text("window.timeline.unknown").to_owned(), |ns| units::time(ns as f64));
    response.on_hover_text(format!(
        "SUBMIT − QUEUED: {}\nSTART − SUBMIT: {}\nEND − START: {}",
        part(times.queue_wait_ns()),
        part(times.launch_latency_ns()),
        part(times.kernel_ns())
    ));
}

fn name_in(painter: &Painter, row: Rect, name: &str, color: Color32) {
    let names = Rect::from_min_max(row.min, pos2(names_end(row) - 6.0, row.bottom()));
    let mut job = LayoutJob::simple_singleline(name.to_owned(), FontId::proportional(13.0), color);
    job.wrap = TextWrapping::truncate_at_width(names.width());
    let galley = painter.layout_job(job);
    painter.galley(pos2(names.left(), names.center().y - galley.size().y / 2.0), galley, color);
}

/// The round trip on the host's clock: laying out and uploading, what lies between, reading back.
fn host_ui(ui: &mut Ui, timings: &Timings, commands: &[Command]) {
    let total = timings.round_trip_ns;
    let between = total.saturating_sub(timings.upload_ns.saturating_add(timings.readback_ns));
    ui.label(RichText::new(filled("window.timeline.host-clock", &[("time", &units::time(total as f64))])).strong());
    let inks = PARTS.map(|part| ink(ui, part));
    let moved: f64 = commands
        .iter()
        .filter(|command| command.name.starts_with("clEnqueueWrite"))
        .filter_map(|command| command.times.kernel_ns())
        .map(|ns| ns as f64)
        .sum();
    let layout = (timings.upload_ns as f64 - moved).max(0.0);
    let parts = [
        (
            text("window.timeline.lay-out"),
            timings.upload_ns,
            inks[1],
            filled("window.timeline.lay-out-about", &[("time", &units::time(layout))]),
        ),
        (text("window.timeline.launch"), between, inks[2], text("window.timeline.launch-about").to_owned()),
        (text("window.timeline.read-back"), timings.readback_ns, inks[0], text("window.timeline.read-back-about").to_owned()),
    ];
    let mut begin = 0_u64;
    axis_ui(ui, total as f64, parts.len());
    for (label, ns, ink, about) in parts {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
        let bar = bar_of(rect);
        let x = |at: u64| bar.left() + bar.width() * (at as f64 / total.max(1) as f64) as f32;
        let painter = ui.painter_at(rect);
        name_in(&painter, rect, label, ui.visuals().text_color());
        duration_in(&painter, rect, ns as f64, ui.visuals().text_color());
        painter.rect_filled(Rect::from_min_max(pos2(x(begin), bar.top()), pos2(x(begin + ns).max(x(begin) + 1.0), bar.bottom())), 1.0, ink);
        response
            .on_hover_text(filled("window.timeline.part-about", &[("part", &label), ("time", &units::time(ns as f64)), ("about", &about)]));
        begin += ns;
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes_text, name, span, step_ns};
    use crate::device::{Command, EventTimes};

    fn command(name: &str, bytes: usize, [queued, submit, start, end]: [u64; 4]) -> Command {
        Command { name: name.to_owned(), bytes, times: EventTimes { queued, submit, start, end, waited_ns: 0 } }
    }

    #[test]
    fn marks_stand_at_round_times_and_have_room() {
        for (all, most, step) in [(1000.0, 10.0, 100.0), (1001.0, 10.0, 200.0), (7.3e6, 8.0, 1e6), (41_000.0, 9.0, 5000.0), (3.0, 1.0, 5.0)]
        {
            let found = step_ns(all, most);
            assert!((found / step - 1.0).abs() < 1e-9, "{all} in {most}: {found}");
        }
    }

    #[test]
    fn a_run_spans_from_the_first_queued_to_the_last_end() {
        let upload = command("clEnqueueWriteBuffer", 786_432, [1000, 1100, 1200, 5000]);
        let kernel = command("sharpen", 0, [5100, 5200, 5300, 9000]);
        assert_eq!(span(&[upload.clone(), kernel.clone()]), Some((1000, 9000)));
        // Timestamps that cannot be true are not drawn.
        assert_eq!(span(&[upload.clone(), command("sharpen", 0, [0, 0, 0, 0])]), None);
        assert_eq!(span(&[command("sharpen", 0, [10, 20, 30, 25])]), None);
        assert_eq!(span(&[]), None);
        assert_eq!((name(&upload), name(&kernel)), ("Upload, 786 kB".into(), "Kernel sharpen".into()));
        assert_eq!(bytes_text(6_220_800), "6.22 MB");
    }
}
