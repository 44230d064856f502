//! A step as charts: one dot per device along an axis of speed-ups, and the answers below.

use super::gather::{Answers, Class, Dot, Step, median};
use base::texts::{filled, text};
use std::fmt::Display;
use study::predict::Change;
use view::plot::{Anchor, Hit, Measure, Rectangle, Role, Scene, units, wrapped};

/// In the page's units; a narrow screen scrolls.
const WIDTH: f64 = 860.0;

/// Where the axis begins and ends.
const PLOT: [f64; 2] = [250.0, WIDTH - 30.0];

/// Of labels.
const SIZE: f64 = 13.0;

/// From one line of a label to the next.
const LINE: f64 = 17.0;

/// From one dot to the next above or beside it, where the longest row has so many dots at most.
const STEPS: [(usize, f64); 4] = [(12, 8.0), (40, 6.0), (150, 4.5), (usize::MAX, 3.0)];

/// Dots of one place are put on each other up to here, and then beside each other too.
const MOST_LEVELS: i32 = 31;

/// So many dots of a row have their intervals drawn; of more they would hide each other.
const FEW: usize = 8;

/// Within this logarithm of 1 the difference is less than 5 %, as for predictions.
const SAME_LN: f64 = 0.05;

/// What lies beyond is put at the end.
const ENDS: [f64; 2] = [0.01, 100.0];

/// The axis of speed-ups: the same for all steps of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    ends: [f64; 2],
    ticks: Vec<f64>,
}

impl Axis {
    /// One that has room for all dots.
    pub fn of(class: &Class) -> Self {
        let ratios = || class.steps.iter().flat_map(|step| &step.dots).map(|dot| dot.comparison.ratio.clamp(ENDS[0], ENDS[1]));
        let (least, most) = (ratios().fold(0.5, f64::min) / 1.1, ratios().fold(2.0, f64::max) * 1.1);
        let all = (-3..=3).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
        let ticks: Vec<f64> = all.filter(|tick| (least..=most).contains(tick)).collect();
        Self { ends: [least, most], ticks }
    }

    fn x(&self, ratio: f64) -> f64 {
        let [least, most] = self.ends;
        let share = (ratio / least).ln() / (most / least).ln();
        PLOT[0] + share.clamp(0.0, 1.0) * (PLOT[1] - PLOT[0])
    }
}

/// Dots of one kind of device, with where each one is: x, and how far above the middle of the row, in dots.
struct Row<'a> {
    label: Vec<String>,
    kind: String,
    dots: Vec<(&'a Dot, f64, i32)>,
    /// From one dot to the next.
    step: f64,
    has_intervals: bool,
    height: f64,
}

/// The dots of a step, a row for each kind of device.
pub fn dots(class: &Class, step: &Step, axis: &Axis, measure: Measure<'_>) -> Scene {
    let kinds = (0..class.kinds.len()).map(Some).chain([None]);
    let rows: Vec<Row<'_>> = kinds.filter_map(|kind| row(class, step, kind, axis, measure)).collect();
    let top = 26.0;
    let bottom = top + rows.iter().map(|row| row.height).sum::<f64>();
    let mut scene = Scene::new(WIDTH, bottom + 26.0);
    let [same_left, same_right] = [-SAME_LN, SAME_LN].map(|ln| axis.x(ln.exp()));
    scene.fill([same_left, top, same_right, bottom], Role::Weak, 0.2);
    scene.lines(axis.ticks.iter().map(|tick| [(axis.x(*tick), top), (axis.x(*tick), bottom)]).collect(), Role::Grid, 1.0);
    scene.lines(vec![[(axis.x(1.0), top), (axis.x(1.0), bottom)]], Role::Weak, 1.0);
    let said = |key| text(key).to_owned();
    scene.text(said("class.axis.same"), (axis.x(1.0), 13.0), SIZE, Role::Weak, Anchor::Center);
    let room = measure(text("class.axis.same"), SIZE) / 2.0 + 12.0;
    let (slower, faster) = (text("class.axis.slower"), text("class.axis.faster"));
    if axis.x(1.0) - room - measure(slower, SIZE) > PLOT[0] - 30.0 {
        scene.text(slower.to_owned(), (axis.x(1.0) - room, 13.0), SIZE, Role::Weak, Anchor::Right);
    }
    if axis.x(1.0) + room + measure(faster, SIZE) < WIDTH {
        scene.text(faster.to_owned(), (axis.x(1.0) + room, 13.0), SIZE, Role::Weak, Anchor::Left);
    }
    let mut y = top;
    for (index, row) in rows.iter().enumerate() {
        draw(row, index, y, axis, &mut scene);
        y += row.height;
        scene.lines(vec![[(0.0, y), (PLOT[1], y)]], Role::Grid, 1.0);
    }
    let mut end = f64::NEG_INFINITY;
    for tick in &axis.ticks {
        let label = units::speed_up(*tick);
        let half = measure(&label, SIZE) / 2.0;
        if axis.x(*tick) - half > end + 6.0 {
            end = axis.x(*tick) + half;
            scene.text(label, (axis.x(*tick), bottom + 13.0), SIZE, Role::Weak, Anchor::Center);
        }
    }
    scene
}

/// The dots of a kind; `None` where there are none.
fn row<'a>(class: &Class, step: &'a Step, kind: Option<usize>, axis: &Axis, measure: Measure<'_>) -> Option<Row<'a>> {
    let own: Vec<&Dot> = step.dots.iter().filter(|dot| dot.kind == kind).collect();
    if own.is_empty() {
        return None;
    }
    let known = kind.and_then(|kind| class.kinds.get(kind));
    let kind = known.map_or(text("class.nameless"), |kind| &kind.name);
    let mut label = wrapped(kind, SIZE, PLOT[0] - 20.0, 2, measure);
    let ratios: Vec<f64> = own.iter().map(|dot| dot.comparison.ratio).collect();
    let median = units::speed_up(median(&ratios)?);
    let values: [(&str, &dyn Display); 2] = [("count", &own.len()), ("median", &median)];
    label.push(filled("class.row", &values));
    let has_intervals = own.len() <= FEW;
    let count = |kind: Option<usize>| step.dots.iter().filter(|dot| dot.kind == kind).count();
    let longest = (0..class.kinds.len()).map(Some).chain([None]).map(count).max().unwrap_or(0);
    let apart = STEPS.iter().find(|(most, _)| longest <= *most).map_or(8.0, |(_, step)| *step);
    let dots = stacked(&own, axis, apart, has_intervals);
    let levels = dots.iter().map(|(_, _, level)| level.abs()).max().unwrap_or(0);
    let height = (label.len() as f64 * LINE).max(f64::from(2 * levels + 1) * apart) + 12.0;
    Some(Row { label, kind: kind.to_owned(), dots, step: apart, has_intervals, height })
}

/// Puts dots on each other so that none hides another one. They stay where their ratios are, or where there are very many the next place beside that.
fn stacked<'a>(dots: &[&'a Dot], axis: &Axis, step: f64, has_intervals: bool) -> Vec<(&'a Dot, f64, i32)> {
    let mut taken: Vec<(Span, i32)> = Vec::new();
    let mut placed = Vec::new();
    for dot in dots {
        let x = axis.x(dot.comparison.ratio);
        let half = step / 2.0;
        let extent = |x: f64| {
            let [low, high] = if has_intervals { [dot.comparison.low, dot.comparison.high].map(|end| axis.x(end)) } else { [x, x] };
            [low.min(x - half), high.max(x + half)]
        };
        let few = (0..3).flat_map(|column| (0..MOST_LEVELS).map(move |level| (column, level)));
        let more = (MOST_LEVELS..).flat_map(|level| (0..3).map(move |column| (column, level)));
        let places = few.chain(more).map(|(column, level)| (x + f64::from(turned(column)) * step, turned(level)));
        let is_free = |(x, level): &(f64, i32)| {
            let [left, right] = extent(*x);
            // What touches does not overlap.
            taken.iter().all(|([from, to], at)| at != level || right <= from + 0.01 || left >= to - 0.01)
        };
        // Of so many places one is free.
        let (x, level) = places.take(3 * (dots.len() + 100)).find(is_free).unwrap_or((x, 0));
        taken.push((extent(x), level));
        placed.push((*dot, x, level));
    }
    placed
}

/// From left to right.
type Span = [f64; 2];

/// 0, 1, −1, 2, −2, …
const fn turned(turn: i32) -> i32 {
    if turn % 2 == 0 { -(turn / 2) } else { (turn + 1) / 2 }
}

fn draw(row: &Row<'_>, index: usize, top: f64, axis: &Axis, scene: &mut Scene) {
    let middle = top + row.height / 2.0;
    let first = middle - (row.label.len() as f64 - 1.0) / 2.0 * LINE;
    for (line, label) in row.label.iter().enumerate() {
        let role = if line + 1 == row.label.len() { Role::Weak } else { Role::Text };
        scene.text(label.clone(), (0.0, first + line as f64 * LINE), SIZE, role, Anchor::Left);
    }
    let ratios: Vec<f64> = row.dots.iter().map(|(dot, ..)| dot.comparison.ratio).collect();
    if let Some(ratio) = median(&ratios).filter(|_| ratios.len() > 2) {
        let x = axis.x(ratio);
        scene.lines(vec![[(x, top + 2.0), (x, top + row.height - 2.0)]], Role::Strong, 1.5);
    }
    let radius = row.step / 2.0 - 0.5;
    for (dot, x, level) in &row.dots {
        let y = middle - f64::from(*level) * row.step;
        if row.has_intervals {
            let [low, high] = [dot.comparison.low, dot.comparison.high].map(|end| axis.x(end));
            // A narrow one is within the dot.
            let is_wide = high - low > 3.0 * radius;
            let tick = |x: f64| [(x, y - radius), (x, y + radius)];
            if is_wide {
                scene.lines(vec![[(low, y), (high, y)], tick(low), tick(high)], Role::Device, 1.0);
            }
        }
        scene.dot((*x, y), radius, Role::Device);
        let half = row.step / 2.0;
        let [width, height] = dot.size_px;
        let outcome = units::outcome(&dot.comparison, dot.is_busy);
        let values: [(&str, &dyn Display); 5] =
            [("student", &dot.student.label()), ("kind", &row.kind), ("outcome", &outcome), ("width", &width), ("height", &height)];
        let name = filled("class.dot", &values);
        scene.hits.push(Hit { area: [x - half, y - half, x + half, y + half], index, name });
    }
}

/// What an answer can be: the key of its words, and how many are so.
type Mark = (&'static str, fn(&Answers) -> usize);

/// In the order of [`cell`].
const MARKS: [Mark; 3] = [("class.votes.right", |of| of.right), ("class.votes.wrong", |of| of.wrong), ("class.votes.open", |of| of.open)];

/// The answers to a step, a row for each of the five.
pub fn votes(step: &Step, measure: Measure<'_>) -> Scene {
    const ROW: f64 = 22.0;
    let most = step.answers.iter().map(Answers::all).max().unwrap_or(0).max(1) as f64;
    let unit = ((PLOT[1] - PLOT[0] - 110.0) / most).min(16.0);
    let gap = if unit > 6.0 { 2.0 } else { 0.0 };
    let used: Vec<usize> =
        (0..MARKS.len()).filter(|mark| MARKS.get(*mark).is_some_and(|(_, count)| step.answers.iter().any(|of| count(of) > 0))).collect();
    let mut legend: Vec<(usize, f64, f64)> = Vec::new();
    let (mut x, mut line) = (PLOT[0], 0.0);
    for &mark in &used {
        let width = 18.0 + MARKS.get(mark).map_or(0.0, |(key, _)| measure(text(key), SIZE)) + 20.0;
        if x + width > WIDTH && x > PLOT[0] {
            (x, line) = (PLOT[0], line + ROW);
        }
        legend.push((mark, x, line));
        x += width;
    }
    let foot = 5.0 * ROW + 4.0;
    let mut scene = Scene::new(WIDTH, foot + line + ROW);
    for (index, (change, answers)) in Change::ALL.into_iter().zip(&step.answers).enumerate() {
        let y = index as f64 * ROW + ROW / 2.0;
        scene.text(change.label().to_owned(), (PLOT[0] - 10.0, y), SIZE, Role::Text, Anchor::Right);
        let mut x = PLOT[0];
        for (mark, (_, count)) in MARKS.iter().enumerate() {
            // A square each, or one bar where they would be too narrow.
            let all = count(answers);
            let (cells, width) = if gap > 0.0 { (all, unit) } else { (all.min(1), unit * all as f64) };
            for _ in 0..cells {
                cell([x, y - 7.0, x + width - gap, y + 7.0], mark, &mut scene);
                x += width;
            }
        }
        scene.lines(vec![[(PLOT[0], y - ROW / 2.0), (PLOT[0], y + ROW / 2.0)]], Role::Weak, 1.0);
        let values: [(&str, &dyn Display); 2] = [("count", &answers.all()), ("right", &answers.right)];
        let key = if answers.right > 0 { "class.votes.count-right" } else { "class.votes.count" };
        scene.text(filled(key, &values), (x + 8.0, y), SIZE, Role::Text, Anchor::Left);
    }
    for (mark, x, line) in legend {
        let y = foot + line + ROW / 2.0;
        cell([x, y - 6.0, x + 12.0, y + 6.0], mark, &mut scene);
        if let Some((key, _)) = MARKS.get(mark) {
            scene.text(text(key).to_owned(), (x + 18.0, y), SIZE, Role::Weak, Anchor::Left);
        }
    }
    scene
}

/// One answer: right ones are full, wrong ones empty, and those that nothing decides have a stroke.
fn cell(area: Rectangle, mark: usize, scene: &mut Scene) {
    let [left, top, right, bottom] = area;
    match mark {
        0 => scene.fill(area, Role::Device, 1.0),
        1 => scene.outline(area, Role::Text),
        _ => {
            scene.outline(area, Role::Weak);
            scene.lines(vec![[(left, bottom), (right, top)]], Role::Weak, 1.0);
        }
    }
}
