//! One run to scale: what each command and each part of the round trip took, from when to when.

use super::film::{Film, Frame};
use super::palette::Role;
use super::scale::round_up;
use super::scene::{Anchor, Hit, Measure, Rectangle, Scene, fitted};
use super::units;
use base::texts::{filled, text};
use std::fmt::Display;

/// What a command does, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It waits in the host's queue.
    Queued,
    /// It waits for the device.
    Submitted,
    /// It runs.
    Running,
}

impl Phase {
    /// All, in their order.
    pub const ALL: [Self; 3] = [Self::Queued, Self::Submitted, Self::Running];

    /// How much of its color it has.
    const fn opacity(self) -> f64 {
        match self {
            Self::Queued => 0.25,
            Self::Submitted => 0.5,
            Self::Running => 1.0,
        }
    }

    /// What it means.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        text(match self {
            Self::Queued => "window.timeline.queued",
            Self::Submitted => "window.timeline.submitted",
            Self::Running => "window.timeline.running",
        })
    }
}

/// A command, or a part of the round trip.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineRow {
    /// "Upload, 786 kB".
    pub label: String,
    /// From when to when, in nanoseconds since the section's begin, in the order of time.
    pub spans: Vec<(Phase, [f64; 2])>,
    /// What stands at its right: nanoseconds; `None` where the driver's clock does not tell.
    pub duration_ns: Option<f64>,
    /// More about it, for who points at it.
    pub about: String,
}

/// Rows on one clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Whose clock it is.
    pub title: String,
    /// From the begin to the end.
    pub all_ns: f64,
    /// In the order of time.
    pub rows: Vec<TimelineRow>,
    /// What is told below them.
    pub sum: Option<String>,
    /// The phases are explained below.
    pub has_legend: bool,
}

/// What is drawn, one section below the other. The first one plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// The device's clock, then the host's.
    pub sections: Vec<Section>,
}

const TEXT: f64 = 13.0;
const SMALL: f64 = 11.5;
const ROW: f64 = 30.0;
const GAP: f64 = 8.0;
/// Width of the column of names, where there is room, and the share of a narrow figure that it has at most.
const NAMES: f64 = 200.0;
const NAMES_SHARE: f64 = 0.4;
/// Width of the column of durations.
const DURATIONS: f64 = 84.0;
/// Between two marks of the axis, at least.
const MARKS_APART: f64 = 52.0;

/// Lays it out; up to `until_ns` of the first section's clock, where that runs. Each hit's index counts rows over all sections.
#[must_use]
pub fn timeline(data: &Timeline, width: f64, until_ns: Option<f64>, measure: Measure<'_>) -> Scene {
    let mut scene = Scene::new(width, 0.0);
    let mut first_row = 0;
    for (index, section) in data.sections.iter().enumerate() {
        if index > 0 {
            scene.height += 2.0 * GAP;
        }
        section_of(&mut scene, section, first_row, until_ns.filter(|_| index == 0), measure);
        first_row += section.rows.len();
    }
    scene
}

fn section_of(scene: &mut Scene, section: &Section, first_row: usize, until_ns: Option<f64>, measure: Measure<'_>) {
    let width = scene.width;
    scene.paragraph(&section.title, (0.0, width), TEXT, Role::Strong, measure);
    let left = NAMES.min(width * NAMES_SHARE);
    let right = (width - DURATIONS).max(left + 1.0);
    let all = section.all_ns.max(1.0);
    let x = |ns: f64| left + (right - left) * (ns / all).clamp(0.0, 1.0);
    // The axis, whose marks go on through the rows.
    let (top, axis) = (scene.height, SMALL * 2.0);
    let bottom = top + axis + section.rows.len() as f64 * ROW;
    let step = round_up(all / ((right - left) / MARKS_APART).max(1.0));
    let marks = (0..).map(|index| f64::from(index) * step).take_while(|at| *at <= all);
    let mut grid = Vec::new();
    for at in marks {
        grid.push([(x(at), top + axis - 4.0), (x(at), bottom)]);
        let said = if at > 0.0 { units::time(at) } else { "0".to_owned() };
        scene.text(said, (x(at), top + axis / 2.0 - 2.0), SMALL, Role::Weak, Anchor::Center);
    }
    scene.lines(grid, Role::Grid, 1.0);
    for (index, row) in section.rows.iter().enumerate() {
        let area = [0.0, top + axis + index as f64 * ROW, width, top + axis + (index + 1) as f64 * ROW];
        let middle = f64::midpoint(area[1], area[3]);
        scene.text(fitted(&row.label, TEXT, left - GAP, measure), (0.0, middle), TEXT, Role::Text, Anchor::Left);
        let (from, to) = (area[1] + 6.0, area[3] - 6.0);
        scene.lines(vec![[(left, to), (right, to)]], Role::Grid, 1.0);
        let shown = |[begin, end]: [f64; 2]| Some([begin, until_ns.map_or(end, |until| end.min(until))]).filter(|[begin, end]| end > begin);
        for (phase, [begin, end]) in row.spans.iter().filter_map(|(phase, span)| Some((phase, shown(*span)?))) {
            // At least a line's width: what took time is seen.
            scene.fill([x(begin), from, x(end).max(x(begin) + 1.0), to], Role::Accent, phase.opacity());
        }
        if let Some(ns) = row.duration_ns.filter(|_| row.is_over(until_ns)) {
            scene.text(units::time(ns), (width - 4.0, middle), TEXT, Role::Text, Anchor::Right);
        }
        scene.hits.push(hit(area, first_row + index, row));
    }
    if let Some(until) = until_ns {
        scene.lines(vec![[(x(until), top + axis - 4.0), (x(until), bottom)]], Role::Strong, 1.5);
    }
    scene.height = bottom + GAP / 2.0;
    if section.has_legend {
        legend(scene, measure);
    }
    // While the clock runs nothing is summed yet, and the picture stays as high.
    if let Some(sum) = &section.sum {
        let role = if until_ns.is_none() { Role::Text } else { Role::Grid };
        let words = if until_ns.is_none() { sum } else { "…" };
        scene.paragraph(words, (0.0, width), TEXT, role, measure);
    }
}

fn hit(area: Rectangle, index: usize, row: &TimelineRow) -> Hit {
    let name = match row.duration_ns {
        Some(ns) => format!("{}: {}\n{}", row.label, units::time(ns), row.about),
        None => format!("{}\n{}", row.label, row.about),
    };
    Hit { area, index, name }
}

impl TimelineRow {
    fn is_over(&self, until_ns: Option<f64>) -> bool {
        until_ns.is_none_or(|until| self.spans.last().is_none_or(|(_, [_, end])| *end <= until))
    }

    fn phase_at(&self, ns: f64) -> Option<Phase> {
        self.spans.iter().find(|(_, [begin, end])| (*begin..*end).contains(&ns)).map(|(phase, _)| *phase)
    }
}

/// A swatch for each phase with its meaning.
fn legend(scene: &mut Scene, measure: Measure<'_>) {
    let paint = |phase: Phase| move |scene: &mut Scene, area| scene.fill(area, Role::Accent, phase.opacity());
    scene.keys(Phase::ALL.map(|phase| (paint(phase), phase.meaning())), [12.0; 2], SMALL, measure);
}

/// The clock runs for so many frames of so many milliseconds each, whatever it measured; then the whole stays.
const FRAMES: usize = 60;
const FRAME_MS: u32 = 100;
const WHOLE_MS: u32 = 4000;

/// Smaller by more than this, type is hard to read: then what plays is drawn alone.
const LEAST_FACTOR: f64 = 0.8;

/// The clock of the first section running, slowed down so far that it can be seen; that is told. No larger than so many units.
#[must_use]
pub fn timeline_film(data: &Timeline, [width, height]: [f64; 2], measure: Measure<'_>) -> Film {
    let Some(first) = data.sections.first().filter(|section| section.all_ns > 0.0) else { return Film::default() };
    if !first.has_legend {
        // Without phases there is nothing that runs.
        let whole = Frame { lines: Vec::new(), scene: timeline(data, width, None, measure), milliseconds: WHOLE_MS };
        return Film { frames: vec![whole], told: String::new() }.within(height);
    }
    let is_small = height / timeline(data, width, None, measure).height < LEAST_FACTOR;
    let alone = Timeline { sections: vec![first.clone()] };
    let data = if is_small { &alone } else { data };
    let all = first.all_ns;
    let factor = f64::from(FRAME_MS) * FRAMES as f64 * 1e6 / all;
    let slowed = if factor < 10.0 { units::number(factor) } else { units::grouped(factor.round() as usize) };
    let running = |index: usize| {
        let now = all * index as f64 / FRAMES as f64;
        let doing = first.rows.iter().filter_map(|row| Some((row, row.phase_at(now)?)));
        // What runs comes before what waits.
        let newest = doing.max_by_key(|(_, phase)| *phase as usize);
        let what = newest.map_or_else(
            || text("window.timeline.between").to_owned(),
            |(row, phase)| filled("window.timeline.doing", &[("label", &row.label), ("phase", &phase.meaning())]),
        );
        let (now_text, all_text) = (units::time(now), units::time(all));
        let values: [(&str, &dyn Display); 3] = [("now", &now_text), ("all", &all_text), ("slowed", &slowed)];
        Frame {
            lines: vec![filled("window.timeline.clock", &values), what],
            scene: timeline(data, width, Some(now), measure),
            milliseconds: FRAME_MS,
        }
    };
    let whole = Frame { lines: first.sum.iter().cloned().collect(), scene: timeline(data, width, None, measure), milliseconds: WHOLE_MS };
    let told = filled("window.timeline.commands", &[("count", &first.rows.len())]);
    Film { frames: (0..FRAMES).map(running).chain([whole]).collect(), told }.within(height)
}

#[cfg(test)]
mod tests {
    use super::{Phase, Section, Timeline, TimelineRow, timeline, timeline_film};
    use crate::plot::{Anchor, Form, Heading, Item, Role, Scene, Shape, timeline_file};
    use crate::testing::measure;

    fn row(label: &str, spans: &[(Phase, [f64; 2])]) -> TimelineRow {
        let duration_ns = spans.last().map(|(_, [begin, end])| end - begin);
        TimelineRow { label: label.to_owned(), spans: spans.to_vec(), duration_ns, about: "about".to_owned() }
    }

    /// An upload, then a kernel that waits for it: 10 ms in all.
    fn example() -> Timeline {
        let rows = vec![
            row("Upload", &[(Phase::Queued, [0.0, 1e6]), (Phase::Running, [1e6, 4e6])]),
            row("Kernel", &[(Phase::Submitted, [0.0, 4e6]), (Phase::Running, [4e6, 10e6])]),
        ];
        let device = Section { title: "device".into(), all_ns: 10e6, rows, sum: Some("60 %".into()), has_legend: true };
        let host =
            Section { title: "host".into(), all_ns: 20e6, rows: vec![row("All", &[(Phase::Running, [0.0, 20e6])])], ..Section::default() };
        Timeline { sections: vec![device, host] }
    }

    /// Left and right of the bars of a scene 600 wide, with their opacity: bars of rows are 18 units high.
    fn bars(scene: &Scene) -> Vec<([f64; 2], f64)> {
        let bar = |item: &Item| match item.shape {
            Shape::Fill([left, top, right, bottom], opacity) if (bottom - top - 18.0).abs() < 1e-6 => Some(([left, right], opacity)),
            _ => None,
        };
        scene.items.iter().filter_map(bar).collect()
    }

    fn about(found: &[([f64; 2], f64)], wanted: &[([f64; 2], f64)]) -> bool {
        let numbers =
            |bars: &[([f64; 2], f64)]| bars.iter().flat_map(|([left, right], opacity)| [*left, *right, *opacity]).collect::<Vec<_>>();
        found.len() == wanted.len() && numbers(found).iter().zip(numbers(wanted)).all(|(one, other)| (one - other).abs() < 1e-6)
    }

    #[test]
    fn bars_are_to_scale_on_the_clock_of_their_section() {
        // Names take 200 of 600 units, durations 84: 31.6 units for each of the device's 10 ms, 15.8 for each of the host's 20.
        let found = bars(&timeline(&example(), 600.0, None, &measure));
        let ms = |ms: f64| 200.0 + 31.6 * ms;
        let wanted = [([ms(0.0), ms(1.0)], 0.25), ([ms(1.0), ms(4.0)], 1.0), ([ms(0.0), ms(4.0)], 0.5), ([ms(4.0), ms(10.0)], 1.0)];
        assert!(about(&found[..4], &wanted) && about(&found[4..], &[([200.0, 516.0], 1.0)]), "{found:?}");
    }

    #[test]
    fn while_the_clock_runs_nothing_of_later_is_drawn() {
        let scene = timeline(&example(), 600.0, Some(2e6), &measure);
        let ms = |ms: f64| 200.0 + 31.6 * ms;
        let found = bars(&scene);
        assert!(about(&found[..3], &[([ms(0.0), ms(1.0)], 0.25), ([ms(1.0), ms(2.0)], 1.0), ([ms(0.0), ms(2.0)], 0.5)]), "{found:?}");
        let texts: Vec<_> = scene.texts().collect();
        assert!(!texts.contains(&"60 %") && !texts.contains(&"3 ms"), "{texts:?}");
        assert!(timeline(&example(), 600.0, None, &measure).texts().any(|text| text == "3 ms"));
        assert!((scene.height - timeline(&example(), 600.0, None, &measure).height).abs() < 1e-6, "it does not jump");
    }

    #[test]
    fn each_frame_tells_its_time_and_what_goes_on_and_the_last_one_is_whole() {
        let film = timeline_film(&example(), [600.0, 900.0], &measure);
        assert_eq!(film.frames.len(), 61);
        // 10 ms in 6 s.
        assert_eq!(film.frames[12].lines[0], "2 ms of 10 ms, slowed down 600×");
        assert!(film.frames[12].lines[1].starts_with("Upload, START to END"), "{:?}", film.frames[12].lines);
        assert!(film.frames[30].lines[1].starts_with("Kernel, START to END"), "{:?}", film.frames[30].lines);
        let last = film.frames.last().expect("a frame");
        assert_eq!((last.lines.as_slice(), &last.scene), (["60 %".to_owned()].as_slice(), &timeline(&example(), 600.0, None, &measure)));
        assert!(timeline_film(&Timeline::default(), [600.0, 900.0], &measure).frames.is_empty());
        // The parts of the round trip alone do not play.
        let host = Timeline { sections: example().sections.split_off(1) };
        assert_eq!(timeline_film(&host, [600.0, 900.0], &measure).frames.len(), 1);
        // In little room the clock that runs is drawn alone, as large as it can be.
        let small = timeline_film(&example(), [600.0, 180.0], &measure);
        let last = &small.frames.last().expect("a frame").scene;
        assert!(last.height <= 180.0 && !last.texts().any(|text| text == "host") && last.texts().any(|text| text == "device"));
    }

    #[test]
    fn texts_stay_within_a_narrow_figure() {
        for width in [260.0, 420.0, 900.0] {
            let scene = timeline(&example(), width, None, &measure);
            for item in &scene.items {
                let Shape::Text { text, at, size, anchor } = &item.shape else { continue };
                let right = match anchor {
                    Anchor::Left => at.0 + measure(text, *size),
                    Anchor::Center => at.0 + measure(text, *size) / 2.0,
                    Anchor::Right => at.0,
                };
                assert!(right <= width + 1.0 || text.starts_with(char::is_uppercase), "{width}: {text} ends at {right}");
            }
        }
    }

    #[test]
    fn its_files_have_a_heading_and_play() {
        let heading = Heading { title: "Laplace sharpen".into(), lines: vec!["Test device".into()] };
        let file = |form| timeline_file(form, &heading, &example()).expect("a file");
        let svg = String::from_utf8(file(Form::Svg)).expect("text");
        assert!(svg.contains("Laplace sharpen") && svg.contains("Test device") && svg.contains("Upload"), "{svg}");
        let png = image::load_from_memory(&file(Form::Png)).expect("a picture").to_rgb8();
        assert!(png.pixels().any(|pixel| pixel.0 == Role::Accent.rgb(false)));
        let gif = image::codecs::gif::GifDecoder::new(std::io::Cursor::new(file(Form::Gif))).expect("a GIF");
        assert_eq!(image::AnimationDecoder::into_frames(gif).count(), 61);
    }
}
