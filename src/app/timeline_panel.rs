//! The last run to scale: every command of the device's queue with its four timestamps, and the round trip on the host's clock.

use super::film::{Allowed, Films, Played};
use super::glossary::explained;
use super::scene_ui::{Kept, hits_ui, measure, measure_in};
use super::state::{Shown, State};
use super::theme::space;
use base::texts::{filled, text};
use egui::{Context, ScrollArea, Ui};
use engine::device::Command;
use engine::{Target, Timings};
use std::fmt::Display;
use view::plot::{Heading, Phase, Scene, Section, Timeline, TimelineRow, timeline, timeline_film, units};

/// What this panel keeps between frames.
#[derive(Default)]
pub struct TimelinePanel {
    drawn: Kept<Scene>,
    film: TimelineFilm,
}

/// A timeline whose clock runs.
pub type TimelineFilm = Played<Timeline>;

/// Draws the panel.
pub fn timeline_panel(ui: &mut Ui, panel: &mut TimelinePanel, state: &State) {
    let Some(shown) = &state.shown else {
        ui.label(text("window.timeline.nothing"));
        return;
    };
    if shown.executed.commands.is_empty() {
        ui.label(text("window.timeline.on-cpu"));
        return;
    }
    let has_clock = has_device_clock(shown);
    if panel.film.switch_ui(ui, has_clock && !state.settings.is_still, "window.timeline.play-about") {
        timeline_film_ui(ui, &mut panel.film, shown, Allowed { counts: true, motion: true });
        return;
    }
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("timeline").show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::SMALL;
        if !has_clock {
            ui.label(text("window.timeline.untrue"));
        }
        let (width, measure) = (ui.available_width() - space::SMALL, measure(ui));
        let lay_out = || timeline(&timeline_of(shown).unwrap_or_default(), f64::from(width), None, &measure);
        let scene = panel.drawn.get(ui, state, [width, 0.0], lay_out);
        let names: Vec<&str> = scene.hits.iter().map(|hit| hit.name.as_str()).collect();
        hits_ui(ui, scene, "timeline", false, |ui, index| drop(names.get(index).map(|name| ui.label(*name))));
        ui.add_space(space::SMALL);
        explained(ui, text("window.timeline.about"));
    });
}

/// Draws the timeline playing into all of `ui`.
pub fn timeline_film_ui(ui: &mut Ui, film: &mut TimelineFilm, shown: &Shown, allowed: Allowed) {
    let Some(data) = timeline_of(shown) else { return };
    let make = |data: &Timeline, [width, height]: [usize; 2], ctx: &Context| -> Films {
        vec![Ok(timeline_film(data, [width as f64, height as f64], &measure_in(ctx)))]
    };
    film.ui(ui, data, &[""], make, allowed);
}

/// Whether the commands' timestamps can be true: then their clock can run.
#[must_use]
pub fn has_device_clock(shown: &Shown) -> bool {
    span(&shown.executed.commands).is_some()
}

/// The timeline of a run: the device's clock, where that can be true, and the host's. `None` where a CPU competitor ran.
#[must_use]
pub fn timeline_of(shown: &Shown) -> Option<Timeline> {
    let executed = &shown.executed;
    let sections = commands(&executed.commands).into_iter().chain([host(&executed.timings, &executed.commands)]).collect();
    (!executed.commands.is_empty()).then_some(Timeline { sections })
}

/// What an export writes.
#[must_use]
pub fn exported(state: &State) -> Option<(Heading, Timeline)> {
    let shown = state.shown.as_ref()?;
    let (width, height) = shown.task.picture.size();
    let title = format!("{} · {width} × {height}", kernels::filters::spec_text(&shown.task.spec));
    let lines = state.device_of(&shown.task).map(|device| format!("{} · {}", device.name, device.driver())).into_iter();
    let variant = if let Target::Device { variant, .. } = shown.task.target { Some(variant.to_string()) } else { None };
    let untrue = (!has_device_clock(shown)).then(|| text("window.timeline.untrue").to_owned());
    let lines = lines.chain(variant).chain([text("window.timeline.about").to_owned()]).chain(untrue).collect();
    Some((Heading { title, lines }, timeline_of(shown)?))
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

/// Every command on the device's clock.
fn commands(commands: &[Command]) -> Option<Section> {
    let (from, to) = span(commands)?;
    let kernels = commands.iter().filter(|command| command.bytes == 0).filter_map(|command| command.times.kernel_ns());
    let (kernels, all) = (kernels.map(|ns| ns as f64).sum::<f64>(), (to - from) as f64);
    let share = format!("{:.0}", 100.0 * kernels / all);
    let values: [(&str, &dyn Display); 3] = [("kernels", &units::time(kernels)), ("all", &units::time(all)), ("share", &share)];
    Some(Section {
        title: text("window.timeline.device-clock").to_owned(),
        all_ns: all,
        rows: commands.iter().map(|command| row(command, from)).collect(),
        sum: Some(filled("window.timeline.share", &values)),
        has_legend: true,
    })
}

/// A command on a clock that begins at `from`.
fn row(command: &Command, from: u64) -> TimelineRow {
    let times = command.times;
    // Some drivers take QUEUED and SUBMIT from another clock than START: what is not in order is not drawn.
    let submit = times.submit.clamp(times.queued.min(times.start), times.start);
    let since = |at: u64| at.saturating_sub(from) as f64;
    let spans = Phase::ALL.into_iter().zip([(times.queued, submit), (submit, times.start), (times.start, times.end)]);
    let part = |ns: Option<u64>| ns.map_or_else(|| text("window.timeline.unknown").to_owned(), |ns| units::time(ns as f64));
    TimelineRow {
        label: name(command),
        spans: spans.filter(|(_, (begin, end))| end > begin).map(|(phase, (begin, end))| (phase, [since(begin), since(end)])).collect(),
        duration_ns: times.kernel_ns().map(|ns| ns as f64),
        about: format!(
            "SUBMIT − QUEUED: {}\nSTART − SUBMIT: {}\nEND − START: {}",
            part(times.queue_wait_ns()),
            part(times.launch_latency_ns()),
            part(times.kernel_ns())
        ),
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

/// The round trip on the host's clock: laying out and uploading, what lies between, reading back.
fn host(timings: &Timings, commands: &[Command]) -> Section {
    let total = timings.round_trip_ns;
    let between = total.saturating_sub(timings.upload_ns.saturating_add(timings.readback_ns));
    let uploads = commands.iter().filter(|command| command.name.starts_with("clEnqueueWrite"));
    let moved: f64 = uploads.filter_map(|command| command.times.kernel_ns()).map(|ns| ns as f64).sum();
    let layout = units::time((timings.upload_ns as f64 - moved).max(0.0));
    let parts = [
        ("window.timeline.lay-out", timings.upload_ns, filled("window.timeline.lay-out-about", &[("time", &layout)])),
        ("window.timeline.launch", between, text("window.timeline.launch-about").to_owned()),
        ("window.timeline.read-back", timings.readback_ns, text("window.timeline.read-back-about").to_owned()),
    ];
    let mut begin = 0.0;
    let rows = parts.into_iter().map(|(label, ns, about)| {
        let span = [begin, begin + ns as f64];
        begin = span[1];
        let spans = vec![(Phase::Running, span)];
        TimelineRow { label: text(label).to_owned(), spans, duration_ns: Some(ns as f64), about }
    });
    Section {
        title: filled("window.timeline.host-clock", &[("time", &units::time(total as f64))]),
        all_ns: total as f64,
        rows: rows.collect(),
        ..Section::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes_text, commands, host, name, span};
    use engine::Timings;
    use engine::device::{Command, EventTimes};
    use view::plot::Phase;

    fn command(name: &str, bytes: usize, [queued, submit, start, end]: [u64; 4]) -> Command {
        Command { name: name.to_owned(), bytes, times: EventTimes { queued, submit, start, end, waited_ns: 0 } }
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

    #[test]
    fn commands_are_rows_on_the_clock_that_begins_with_the_first() {
        let upload = command("clEnqueueWriteBuffer", 786_432, [1000, 1100, 1200, 5000]);
        // A driver whose SUBMIT is of another clock: no wait is made of it.
        let kernel = command("sharpen", 0, [5100, 99_999, 5300, 9000]);
        let section = commands(&[upload, kernel]).expect("a section");
        assert!((section.all_ns - 8000.0).abs() < 1e-9);
        let spans: Vec<_> = section.rows.iter().map(|row| row.spans.clone()).collect();
        let first = vec![(Phase::Queued, [0.0, 100.0]), (Phase::Submitted, [100.0, 200.0]), (Phase::Running, [200.0, 4000.0])];
        assert_eq!(spans, [first, vec![(Phase::Queued, [4100.0, 4300.0]), (Phase::Running, [4300.0, 8000.0])]]);
        assert_eq!(section.sum.as_deref(), Some("Kernels ran for 3.7 µs of 8 µs (46 %)"));
    }

    #[test]
    fn the_parts_of_the_round_trip_follow_each_other_to_its_end() {
        let timings = Timings { round_trip_ns: 1000, upload_ns: 300, readback_ns: 200, ..Timings::default() };
        let section = host(&timings, &[]);
        let spans: Vec<_> = section.rows.iter().flat_map(|row| row.spans.iter().map(|(_, span)| *span)).collect();
        assert_eq!((section.all_ns, spans), (1000.0, vec![[0.0, 300.0], [300.0, 800.0], [800.0, 1000.0]]));
    }
}
