//! The roofline as a scene: how fast variants compute, over how much they compute per byte, below what the device can do. After Williams, Waterman and
//! Patterson, *Roofline: an insightful visual performance model for multicore architectures*, Communications of the ACM 52 (4), 2009.
//!
//! A device that moves b bytes per second computes at most b · x operations per second where a kernel has x operations per byte: a rising line. It ends
//! at what the arithmetic can do, a level one; where they meet is the ridge. Rates are per nanosecond, so they are in GB/s and Gop/s.

use super::bars::{LINE, SMALL, TEXT};
use super::film::{Film, Frame};
use super::labels::{Labels, around};
use super::palette::Role;
use super::scale::{Axis, Scale};
use super::scene::{Anchor, Hit, Measure, Point, Rectangle, Scene, Segment};
use super::units;
use base::texts::{filled, text};

/// What a roof limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Bytes per nanosecond.
    Bytes(f64),
    /// Operations per nanosecond.
    Operations(f64),
}

impl Limit {
    /// Bytes or operations per nanosecond.
    #[must_use]
    pub const fn rate(self) -> f64 {
        match self {
            Self::Bytes(rate) | Self::Operations(rate) => rate,
        }
    }
}

/// A limit that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// "Copy", "Float multiply-add".
    pub label: String,
    /// How much.
    pub limit: Limit,
    /// It is a further level of memory: a thinner line, whose meeting with arithmetic is not marked.
    pub is_level: bool,
}

/// A variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// As in the chart of timings.
    pub label: String,
    /// Operations per byte that must be moved.
    pub operations_per_byte: f64,
    /// Operations per byte that its loads and stores ask for, before any cache; `None` where that is not counted.
    pub per_requested_byte: Option<f64>,
    /// Operations per nanosecond.
    pub operations_per_ns: f64,
    /// Of the roof that bounds it, 1 is all of it.
    pub share: Option<f64>,
    /// Its number on the ladder: steps are joined in this order.
    pub step: Option<usize>,
    /// It is of what is on the screen.
    pub is_shown: bool,
    /// Other work disturbed it throughout.
    pub is_busy: bool,
}

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roofline {
    /// Those that were measured.
    pub ceilings: Vec<Ceiling>,
    /// Those with a time and counted operations.
    pub dots: Vec<Dot>,
}

/// Axis titles and tick labels.
const TOP: f64 = 30.0;
const BOTTOM: f64 = 40.0;
const RIGHT: f64 = 12.0;
const GAP: f64 = 8.0;
const RADIUS: f64 = 5.5;
/// Two places less far apart, as a share of one, are one place.
const APART: f64 = 0.05;
/// The axis of operations per byte goes on by this factor beyond dots and ridges.
const BEYOND: f64 = 2.0;
/// The other ends so far above the highest roof.
const HEADROOM: f64 = 1.2;

impl Roofline {
    /// Rates of bytes and of operations with their ceilings; what is not a positive number is no limit.
    fn limits(&self) -> [Vec<(f64, &Ceiling)>; 2] {
        let of = |rate: fn(Limit) -> Option<f64>| {
            let rates = self.ceilings.iter().filter_map(|ceiling| Some((rate(ceiling.limit)?, ceiling)));
            rates.filter(|(rate, _)| is_shown(*rate)).collect()
        };
        let bytes = |limit| if let Limit::Bytes(rate) = limit { Some(rate) } else { None };
        let operations = |limit| if let Limit::Operations(rate) = limit { Some(rate) } else { None };
        [of(bytes), of(operations)]
    }

    /// Where each roof of bytes, but for further levels, meets the highest of operations, in operations per byte and operations per nanosecond.
    #[must_use]
    pub fn ridges(&self) -> Vec<Point> {
        let [bytes, operations] = self.limits();
        let Some(highest) = highest(&operations) else { return Vec::new() };
        bytes.iter().filter(|(_, ceiling)| !ceiling.is_level).map(|(rate, _)| (highest / rate, highest)).collect()
    }
}

fn is_shown(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn highest(rates: &[(f64, &Ceiling)]) -> Option<f64> {
    rates.iter().map(|(rate, _)| *rate).max_by(f64::total_cmp)
}

/// Lays a roofline out on `width` × `height` units. Each hit's index is the dot's. Where there are too many dots for all labels, some have none, and
/// that is said.
#[must_use]
pub fn roofline(data: &Roofline, size: [f64; 2], measure: Measure<'_>) -> Scene {
    drawn(data, size, None, measure)
}

/// How far the path of a ladder has come.
#[derive(Clone, Copy)]
struct Reached {
    /// Steps of the path that are drawn.
    steps: usize,
    /// How much of the line to the next one, from 0 to 1.
    on_the_way: f64,
}

/// The path up to what is `reached`; without, everything.
fn drawn(data: &Roofline, [width, height]: [f64; 2], reached: Option<Reached>, measure: Measure<'_>) -> Scene {
    let mut scene = Scene::new(width, height);
    let dots: Vec<(usize, &Dot)> = data.dots.iter().enumerate().filter(|(_, dot)| dot.is_drawn()).collect();
    if data.limits().iter().all(Vec::is_empty) && dots.is_empty() {
        scene.text(text("studies.roofline.nothing"), (GAP, height / 2.0), TEXT, Role::Text, Anchor::Left);
        return scene;
    }
    let field = Field::new(data, &dots, [width, height], measure);
    field.axes(&mut scene);
    let mut labels = Labels::new(measure, field.area);
    for (_, dot) in &dots {
        labels.keep_off(around(field.at_dot(dot), RADIUS));
        if let Some(x) = dot.requested() {
            labels.keep_off_line([field.at((x, dot.operations_per_ns)), field.at_dot(dot)]);
        }
    }
    field.roofs(&mut scene, data, &mut labels);
    let path = path(&dots);
    let last = reached.and_then(|reached| path.get(reached.steps.checked_sub(1)?)).and_then(|(_, dot)| dot.step);
    let is_seen = |dot: &Dot| reached.is_none() || dot.step.is_some_and(|step| last.is_some_and(|last| step <= last));
    let at = |index: usize| path.get(index).map(|(_, dot)| field.at_dot(dot));
    let whole = reached.map_or(path.len(), |reached| reached.steps);
    let mut joined: Vec<Segment> = (1..whole).filter_map(|index| Some([at(index - 1)?, at(index)?])).collect();
    if let Some((from, to)) =
        reached.filter(|reached| reached.steps > 0).and_then(|reached| Some((at(reached.steps - 1)?, at(reached.steps)?)))
    {
        let share = reached.map_or(0.0, |reached| reached.on_the_way);
        joined.push([from, (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)]);
    }
    scene.lines(joined, Role::Weak, if reached.is_some() { 2.0 } else { 1.0 });
    let dots: Vec<(usize, &Dot)> = dots.into_iter().filter(|(_, dot)| is_seen(dot)).collect();
    // What is on the screen is labelled first, then the ladder in its order.
    let mut order = dots.clone();
    order.sort_by_key(|(_, dot)| (!dot.is_shown, dot.step.is_none(), dot.step));
    let labelled = order.iter().filter(|(_, dot)| field.label(&mut scene, dot, &mut labels)).count();
    for (index, dot) in &dots {
        // While the path grows, its newest step is what to look at.
        let is_marked = if reached.is_some() { dot.step == last } else { dot.is_shown };
        field.dot(&mut scene, *index, dot, is_marked);
    }
    let left_out = dots.len() - labelled;
    if left_out > 0 {
        let key = if left_out == 1 { "studies.roofline.no-room-one" } else { "studies.roofline.no-room" };
        scene.text(filled(key, &[("count", &left_out)]), (width - RIGHT, TOP / 2.0), SMALL, Role::Weak, Anchor::Right);
    }
    scene
}

/// The dots of a ladder in the order of its steps.
fn path<'a>(dots: &[(usize, &'a Dot)]) -> Vec<(usize, &'a Dot)> {
    let mut path: Vec<_> = dots.iter().filter(|(_, dot)| dot.step.is_some()).copied().collect();
    path.sort_by_key(|(_, dot)| dot.step);
    path
}

/// For so long a step stays before the line to the next one grows, in so many frames of so many milliseconds each; then everything stays.
const STEP_MS: u32 = 1200;
const GROWING: usize = 8;
const GROWING_MS: u32 = 60;
const WHOLE_MS: u32 = 4000;

/// The roofs, then the ladder's path below them, step by step. Without a ladder's steps there is one frame, as nothing plays.
#[must_use]
pub fn roofline_film(data: &Roofline, size: [f64; 2], measure: Measure<'_>) -> Film {
    let dots: Vec<(usize, &Dot)> = data.dots.iter().enumerate().filter(|(_, dot)| dot.is_drawn()).collect();
    let path = path(&dots);
    let mut frames = Vec::new();
    for steps in 0..=path.len() {
        // Steps in between have no dot: nothing was measured there.
        let growing = if steps == 0 || steps == path.len() { 0 } else { GROWING };
        let lines = match steps.checked_sub(1).and_then(|index| path.get(index)) {
            Some((_, dot)) => vec![dot.spoken()],
            None => vec![text("studies.roofline.roofs-alone").to_owned()],
        };
        for part in 0..=growing {
            let reached = Reached { steps, on_the_way: part as f64 / (GROWING + 1) as f64 };
            let scene = drawn(data, size, Some(reached), measure);
            frames.push(Frame { lines: lines.clone(), scene, milliseconds: if part == 0 { STEP_MS } else { GROWING_MS } });
        }
    }
    if path.is_empty() {
        frames.clear();
    }
    frames.push(Frame { lines: Vec::new(), scene: roofline(data, size, measure), milliseconds: WHOLE_MS });
    Film { frames, told: filled("studies.roofline.steps", &[("count", &path.len())]) }
}

/// The area between the axes.
struct Field<'a> {
    measure: Measure<'a>,
    x_axis: Axis,
    y_axis: Axis,
    area: Rectangle,
}

impl<'a> Field<'a> {
    fn new(data: &Roofline, dots: &[(usize, &Dot)], [width, height]: [f64; 2], measure: Measure<'a>) -> Self {
        let [bytes, operations] = data.limits();
        let ridges = data.ridges();
        let requested = dots.iter().filter_map(|(_, dot)| dot.requested());
        let xs = dots.iter().map(|(_, dot)| dot.operations_per_byte).chain(requested).chain(ridges.iter().map(|(x, _)| *x));
        let xs: Vec<f64> = xs.flat_map(|x| [x / BEYOND, x * BEYOND]).collect();
        // Without arithmetic's roof, memory's are seen where they pass above the dots.
        let passing = bytes.iter().filter(|_| operations.is_empty()).flat_map(|(rate, _)| xs.iter().map(move |x| rate * x));
        let highest = operations.iter().map(|(rate, _)| rate * HEADROOM);
        let ys = dots.iter().map(|(_, dot)| dot.operations_per_ns).chain(highest).chain(passing);
        let y_axis = Axis::new(Scale::Log, ys, None);
        let x_axis = Axis::new(Scale::Log, xs.iter().copied(), None);
        let left = y_axis.ticks().iter().map(|tick| measure(&units::operations_rate(*tick), SMALL)).fold(0.0, f64::max) + 2.0 * GAP;
        Self { measure, x_axis, y_axis, area: [left, TOP, (width - RIGHT).max(left + 1.0), (height - BOTTOM).max(TOP + 1.0)] }
    }

    /// Where so many operations per byte and per nanosecond are.
    fn at(&self, (x, y): Point) -> Point {
        let [left, top, right, bottom] = self.area;
        (left + self.x_axis.position(x) * (right - left), bottom - self.y_axis.position(y) * (bottom - top))
    }

    fn at_dot(&self, dot: &Dot) -> Point {
        self.at((dot.operations_per_byte, dot.operations_per_ns))
    }

    fn axes(&self, scene: &mut Scene) {
        let [left, top, right, bottom] = self.area;
        let [x_start, _] = self.x_axis.ends();
        let [y_start, _] = self.y_axis.ends();
        let mut grid = Vec::new();
        let mut free_from = 0.0;
        for &tick in self.x_axis.ticks() {
            let (x, _) = self.at((tick, y_start));
            grid.push([(x, top), (x, bottom)]);
            let text = units::number(tick);
            let half = (self.measure)(&text, SMALL) / 2.0;
            if x - half >= free_from {
                free_from = x + half + GAP;
                scene.text(text, (x, bottom + 1.25 * SMALL), SMALL, Role::Weak, Anchor::Center);
            }
        }
        let mut free_below = f64::INFINITY;
        for &tick in self.y_axis.ticks() {
            let (_, y) = self.at((x_start, tick));
            grid.push([(left, y), (right, y)]);
            if y + SMALL * LINE / 2.0 <= free_below {
                free_below = y - SMALL * LINE / 2.0;
                scene.text(units::operations_rate(tick), (left - GAP, y), SMALL, Role::Weak, Anchor::Right);
            }
        }
        scene.lines(grid, Role::Grid, 1.0);
        scene.lines(vec![[(left, top), (left, bottom)], [(left, bottom), (right, bottom)]], Role::Weak, 1.0);
        scene.text(text("studies.roofline.vertical"), (GAP, TOP / 2.0), SMALL, Role::Weak, Anchor::Left);
        scene.text(text("studies.roofline.horizontal"), (right, bottom + 2.6 * SMALL), SMALL, Role::Weak, Anchor::Right);
    }

    /// Roofs, ridges and their labels.
    fn roofs(&self, scene: &mut Scene, data: &Roofline, labels: &mut Labels<'_>) {
        let [bytes, operations] = data.limits();
        let ([x_start, x_end], [y_start, y_end]) = (self.x_axis.ends(), self.y_axis.ends());
        let feet = data.ridges().into_iter().map(|(x, y)| [self.at((x, y)), self.at((x, y_start))]);
        scene.lines(feet.collect(), Role::Grid, 2.0);
        let half_line = SMALL * LINE / 2.0;
        let level = highest(&operations);
        let mut lines: Vec<Segment> = Vec::new();
        for (rate, ceiling) in &bytes {
            let from = x_start.max(y_start / rate);
            let to = level.map_or(x_end, |level| level / rate).min(x_end).min(y_end / rate);
            let [begin, end] = [from, to].map(|x| self.at((x, rate * x)));
            scene.lines(vec![[begin, end]], Role::Transfers, if ceiling.is_level { 1.0 } else { 2.0 });
            lines.push([begin, end]);
            // The line goes up: below it from here on nothing is in the way but a slower roof, above it before here nothing but a faster one.
            let is_fastest = bytes.iter().all(|(other, _)| other <= rate);
            let (first, side, anchor) = if is_fastest { (0.75, -1.0, Anchor::Right) } else { (0.25, 1.0, Anchor::Left) };
            let places = [first, 0.5, 0.9, 0.1].map(|share| {
                let at = (begin.0 + (end.0 - begin.0) * share, begin.1 + (end.1 - begin.1) * share);
                ((at.0 + side * GAP, at.1 + side * half_line), anchor)
            });
            labels.write_anyway(scene, &format!("{} {}", ceiling.label, units::bandwidth(*rate)), Role::Text, &places);
        }
        let fastest = highest(&bytes);
        for (rate, ceiling) in &operations {
            let from = fastest.map_or(x_start, |fastest| (rate / fastest).clamp(x_start, x_end));
            let [begin, end] = [from, x_end].map(|x| self.at((x, *rate)));
            scene.lines(vec![[begin, end]], Role::Cpu, 2.0);
            lines.push([begin, end]);
            // The highest above its line, the others below, where no roof of bytes passes. Roofs that are nearly the same are labelled beside each other.
            let above = if level == Some(*rate) { -half_line - 1.0 } else { half_line + 1.0 };
            let places = [end.0, f64::midpoint(begin.0, end.0)]
                .into_iter()
                .flat_map(|x| [((x, end.1 + above), Anchor::Right), ((x, end.1 - above), Anchor::Right)]);
            labels.write_anyway(
                scene,
                &format!("{} {}", ceiling.label, units::operations_rate(*rate)),
                Role::Text,
                &places.collect::<Vec<_>>(),
            );
        }
        for (x, y) in data.ridges() {
            let foot = self.at((x, y_start));
            scene.outline(around(self.at((x, y)), 4.0), Role::Strong);
            let places = (0..4).flat_map(|line| {
                let y = foot.1 - half_line - f64::from(line) * SMALL * LINE;
                [((foot.0 + GAP / 2.0, y), Anchor::Left), ((foot.0 - GAP / 2.0, y), Anchor::Right)]
            });
            let ridge = filled("studies.roofline.ridge", &[("place", &units::number(x))]);
            labels.write_anyway(scene, &ridge, Role::Text, &places.collect::<Vec<_>>());
        }
        // From here on: their own labels lie along them.
        for line in lines {
            labels.keep_off_line(line);
        }
    }

    fn dot(&self, scene: &mut Scene, index: usize, dot: &Dot, is_marked: bool) {
        let at = self.at_dot(dot);
        if is_marked {
            scene.dot(at, RADIUS + 3.0, Role::Accent);
        }
        if let Some(x) = dot.requested() {
            let requested = self.at((x, dot.operations_per_ns));
            scene.lines(vec![[requested, at]], Role::Device, 1.0);
            scene.dot(requested, RADIUS / 2.0, Role::Device);
        }
        scene.dot(at, RADIUS, Role::Device);
        scene.hits.push(Hit { area: around(at, RADIUS + 3.0), index, name: dot.spoken() });
    }

    /// Whether there was room for it.
    fn label(&self, scene: &mut Scene, dot: &Dot, labels: &mut Labels<'_>) -> bool {
        let busy = dot.is_busy.then(|| text("studies.roofline.busy").to_owned());
        let text = [Some(dot.label.clone()), dot.share_text(), busy].into_iter().flatten().collect::<Vec<_>>().join(" · ");
        labels.beside(scene, &text, Role::Strong, self.at_dot(dot), RADIUS, dot.is_shown)
    }
}

impl Dot {
    /// Whether it has a place.
    fn is_drawn(&self) -> bool {
        is_shown(self.operations_per_byte) && is_shown(self.operations_per_ns)
    }

    /// Of what is on the screen: operations per byte that its loads and stores ask for, where that is another place.
    fn requested(&self) -> Option<f64> {
        self.per_requested_byte.filter(|x| self.is_shown && is_shown(*x) && (x / self.operations_per_byte - 1.0).abs() > APART)
    }

    /// "2 Vectorize: 40 Gop/s at 0.5 operations per byte, 80 % of its roof".
    fn spoken(&self) -> String {
        let (rate, per_byte) = (units::operations_rate(self.operations_per_ns), units::number(self.operations_per_byte));
        let spoken = filled("studies.roofline.spoken", &[("label", &self.label), ("rate", &rate), ("per_byte", &per_byte)]);
        match self.share_text() {
            Some(share) => filled("studies.roofline.spoken-share", &[("spoken", &spoken), ("share", &share)]),
            None => spoken,
        }
    }

    fn share_text(&self) -> Option<String> {
        self.share.map(|share| format!("{} %", units::whole_percent(share)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Ceiling, Dot, Limit, Roofline, roofline, roofline_film};
    use crate::plot::labels::overlap;
    use crate::plot::{Anchor, Form, Heading, Item, Role, Scene, Shape, roofline_file};
    use crate::testing::measure;

    fn ceiling(label: &str, limit: Limit) -> Ceiling {
        Ceiling { label: label.into(), limit, is_level: false }
    }

    fn dot(step: usize, operations_per_byte: f64, operations_per_ns: f64, share: f64) -> Dot {
        let label = format!("{step} Step");
        Dot {
            label,
            operations_per_byte,
            per_requested_byte: None,
            operations_per_ns,
            share: Some(share),
            step: Some(step),
            is_shown: step == 2,
            is_busy: false,
        }
    }

    /// 100 GB/s and 200 Gop/s meet at 2 operations per byte. Half an operation per byte is below the memory's roof of 50 Gop/s, 4 below arithmetic's.
    fn example() -> Roofline {
        Roofline {
            ceilings: vec![ceiling("Copy", Limit::Bytes(100.0)), ceiling("Float", Limit::Operations(200.0))],
            dots: vec![dot(2, 4.0, 150.0, 0.75), dot(1, 0.5, 40.0, 0.8)],
        }
    }

    /// x goes from 0.1 (0.25 and some room, rounded down) to 10 (8, rounded up); y from 20 (40 and some room) to 500 (240, rounded up). Tick labels are at
    /// most "500 Gop/s", 54 units, so the field begins at 70; 200 units for its two decades and as many per decade upward.
    fn scene(data: &Roofline) -> Scene {
        roofline(data, [70.0 + 200.0 + 12.0, 30.0 + 100.0 * 25f64.log10() + 40.0], &measure)
    }

    const LEFT: f64 = 70.0;

    fn bottom() -> f64 {
        30.0 + 100.0 * 25f64.log10()
    }

    fn near((x, y): (f64, f64), right: f64, up: f64) -> bool {
        (x - LEFT - right).abs() < 1e-6 && (bottom() - y - up).abs() < 1e-6
    }

    fn lines(scene: &Scene, wanted: Role, width: f64) -> Vec<[(f64, f64); 2]> {
        let of = |item: &Item| match &item.shape {
            Shape::Lines(segments, of) if item.role == wanted && (of - width).abs() < 0.1 => segments.clone(),
            _ => Vec::new(),
        };
        scene.items.iter().flat_map(of).collect()
    }

    #[test]
    fn levels_have_thin_lines_and_no_ridges() {
        let mut data = example();
        let lines_of = |data: &Roofline, width: f64| lines(&scene(data), Role::Transfers, width).len();
        let before = data.ridges();
        data.ceilings.push(Ceiling { is_level: true, ..ceiling("reads", Limit::Bytes(150.0)) });
        assert_eq!(data.ridges(), before);
        assert_eq!((lines_of(&data, 2.0), lines_of(&data, 1.0)), (1, 1));
    }

    #[test]
    fn what_loads_ask_for_has_a_place_of_its_own() {
        let count = |data: &Roofline| scene(data).items.len();
        let mut data = example();
        let before = count(&data);
        for dot in &mut data.dots {
            dot.per_requested_byte = Some(dot.operations_per_byte / 2.0);
        }
        // A line and a dot, of the one that is on the screen.
        assert_eq!(count(&data), before + 2);
        data.dots.iter_mut().for_each(|dot| dot.per_requested_byte = Some(dot.operations_per_byte));
        assert_eq!(count(&data), before);
    }

    #[test]
    fn roofs_ridge_and_dots_lie_where_they_were_worked_out_by_hand() {
        let scene = scene(&example());
        assert_eq!(example().ridges(), [(2.0, 200.0)]);
        // The memory's roof enters at the bottom, 20 Gop/s at 0.2 operations per byte, and rises a decade per decade to the ridge.
        let [memory] = lines(&scene, Role::Transfers, 2.0)[..] else { panic!("one roof: {scene:?}") };
        assert!(near(memory[0], 100.0 * 2f64.log10(), 0.0) && near(memory[1], 100.0 * 20f64.log10(), 100.0), "{memory:?}");
        let [arithmetic] = lines(&scene, Role::Cpu, 2.0)[..] else { panic!("one roof: {scene:?}") };
        assert!(near(arithmetic[0], 100.0 * 20f64.log10(), 100.0) && near(arithmetic[1], 200.0, 100.0), "{arithmetic:?}");
        // Hits are in the order of the dots; the ladder's line goes from the first step to the second.
        let centers: Vec<_> =
            scene.hits.iter().map(|hit| (f64::midpoint(hit.area[0], hit.area[2]), f64::midpoint(hit.area[1], hit.area[3]))).collect();
        assert!(near(centers[0], 100.0 * 40f64.log10(), 100.0 * 7.5f64.log10()), "{centers:?}");
        assert!(near(centers[1], 100.0 * 5f64.log10(), 100.0 * 2f64.log10()), "{centers:?}");
        let is_ladder = |[from, to]: &[(f64, f64); 2]| {
            near(*from, 100.0 * 5f64.log10(), 100.0 * 2f64.log10()) && near(*to, 100.0 * 40f64.log10(), 100.0 * 7.5f64.log10())
        };
        assert!(lines(&scene, Role::Weak, 1.0).iter().any(is_ladder));
        assert_eq!(scene.hits[1].name, "1 Step: 40 Gop/s at 0.5 operations per byte, 80 % of its roof");
    }

    #[test]
    fn labels_say_what_is_there_and_cover_each_other_nowhere() {
        let mut data = example();
        // Three steps at nearly one place.
        data.dots.extend([dot(3, 0.5, 41.0, 0.82), dot(4, 0.51, 39.0, 0.78)]);
        let scene = roofline(&data, [800.0, 400.0], &measure);
        let texts: Vec<&str> = scene.texts().collect();
        for text in ["Copy 100 GB/s", "Float 200 Gop/s", "ridge 2", "1 Step · 80 %", "4 Step · 78 %", "0.1", "10", "20 Gop/s"] {
            assert!(texts.contains(&text), "{text} in {texts:?}");
        }
        let areas: Vec<_> = scene.items.iter().filter_map(area).collect();
        for (index, (text, one)) in areas.iter().enumerate() {
            assert!(one[0] >= 0.0 && one[1] >= 0.0 && one[2] <= 800.0 && one[3] <= 400.0, "{text}: {one:?}");
            assert!(areas[..index].iter().all(|(_, other)| !overlap(one, other)), "{text} covers another of {areas:?}");
        }
    }

    fn area(item: &Item) -> Option<(String, [f64; 4])> {
        let Shape::Text { text, at: (x, y), size, anchor } = &item.shape else { return None };
        let width = measure(text, *size);
        let left = match anchor {
            Anchor::Left => *x,
            Anchor::Center => x - width / 2.0,
            Anchor::Right => x - width,
        };
        Some((text.clone(), [left, y - size * 0.6, left + width, y + size * 0.6]))
    }

    #[test]
    fn many_dots_at_one_place_are_labelled_as_far_as_there_is_room() {
        let data = Roofline { dots: (1..60).map(|step| dot(step, 0.5, 40.0, 0.8)).collect(), ..example() };
        let scene = roofline(&data, [800.0, 400.0], &measure);
        let labelled = scene.texts().filter(|text| text.contains(" Step · ")).count();
        assert!(labelled > 10 && labelled < 59, "{labelled}");
        let told = format!("{} labels hidden; hover over their dots", 59 - labelled);
        assert!(scene.texts().any(|text| text == told) && scene.hits.len() == 59);
        assert!(scene.texts().any(|text| text == "2 Step · 80 %"), "what is on the screen comes first");
        let areas: Vec<_> = scene.items.iter().filter_map(area).collect();
        for (index, (text, one)) in areas.iter().enumerate() {
            assert!(areas[..index].iter().all(|(_, other)| !overlap(one, other)), "{text} covers another of {areas:?}");
        }
    }

    #[test]
    fn what_is_missing_is_not_drawn() {
        assert_eq!(scene(&Roofline::default()).texts().collect::<Vec<_>>(), ["Neither roofs nor variants have been measured"]);
        let only = |keep: fn(&Limit) -> bool| {
            let data = example();
            let ceilings = data.ceilings.iter().filter(|ceiling| keep(&ceiling.limit)).cloned().collect();
            Roofline { ceilings, ..data }
        };
        let memory = only(|limit| matches!(limit, Limit::Bytes(_)));
        let arithmetic = only(|limit| matches!(limit, Limit::Operations(_)));
        assert!(memory.ridges().is_empty() && arithmetic.ridges().is_empty());
        assert!(lines(&scene(&memory), Role::Cpu, 2.0).is_empty() && lines(&scene(&arithmetic), Role::Transfers, 2.0).is_empty());
        let mut odd = example();
        odd.dots.extend([dot(5, 0.0, 1.0, 0.0), dot(6, f64::NAN, 1.0, 0.0), dot(7, 1.0, f64::INFINITY, 0.0)]);
        odd.ceilings.push(ceiling("none", Limit::Bytes(0.0)));
        assert_eq!(scene(&odd).items, scene(&example()).items);
    }

    #[test]
    fn files_of_it_have_a_heading() {
        let heading = Heading { title: "Laplace sharpen".into(), lines: vec!["Test device".into()] };
        let file = |form| roofline_file(form, &heading, &example()).expect("a file");
        let svg = String::from_utf8(file(Form::Svg)).expect("text");
        assert!(svg.contains("Laplace sharpen") && svg.contains("Test device") && svg.contains("ridge 2"), "{svg}");
        let picture = image::load_from_memory(&file(Form::Png)).expect("a picture").to_rgb8();
        assert!(picture.pixels().any(|pixel| pixel.0 == Role::Transfers.rgb(false)));
    }
    #[test]
    fn the_path_plays_step_by_step_and_draws_no_dot_between_them() {
        let film = roofline_film(&example(), [400.0, 300.0], &measure);
        let dots = |scene: &Scene| scene.hits.iter().map(|hit| hit.index).collect::<Vec<_>>();
        // Roofs; the first step, which is the second dot; the line growing; the second step; everything.
        let counts: Vec<_> = film.frames.iter().map(|frame| dots(&frame.scene)).collect();
        let wanted = [vec![vec![]], vec![vec![1]; 9], vec![vec![0, 1]; 2]].concat();
        assert_eq!(counts, wanted);
        assert_eq!(film.frames[1].lines, ["1 Step: 40 Gop/s at 0.5 operations per byte, 80 % of its roof"]);
        assert_eq!(film.frames.last().map(|frame| &frame.scene), Some(&roofline(&example(), [400.0, 300.0], &measure)));
        // Each frame has the axes of the whole.
        let texts = |scene: &Scene| scene.texts().filter(|text| text.contains("Gop/s") && !text.contains("Float")).count();
        assert!(film.frames.iter().all(|frame| texts(&frame.scene) == texts(&film.frames[0].scene)));
        // Without a ladder nothing plays.
        let mut data = example();
        data.dots.iter_mut().for_each(|dot| dot.step = None);
        assert_eq!(roofline_film(&data, [400.0, 300.0], &measure).frames.len(), 1);
    }
}
