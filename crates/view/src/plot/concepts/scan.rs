//! Prefix sums of a work-group's values: in steps, after Hillis and Steele, and up and down a tree, after Blelloch.

use super::paper::{BEGIN_MS, GAP, Look, Paint, Paper, Places, STEP_MS, WHOLE_MS, arrow, cell, dashed_arrow, frame};
use crate::plot::film::{Film, Frame};
use crate::plot::palette::Role;
use crate::plot::scene::{Anchor, Rectangle, Scene};
use base::texts::{filled, text};
use std::ops::Range;

/// What the work-items begin with: a power of two of them.
const VALUES: [u32; 8] = [3, 1, 4, 1, 5, 2, 6, 4];
/// From row to row of the tree, at most.
const MOST_PITCH: f64 = 52.0;
/// A cell is so wide at most, and so high.
const MOST_CELL: [f64; 2] = [64.0, 30.0];

/// What a row of sums is made by; a number is how far apart what is added lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing yet.
    Values,
    /// A step of Hillis and Steele.
    Step(usize),
    /// Up the tree.
    Up(usize),
    /// What the tree's root holds is replaced.
    Zero,
    /// Down the tree.
    Down(usize),
    /// Each adds its own value to the sum before it.
    Own,
}

/// What the places hold after a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) phase: Phase,
    pub(super) values: Vec<u32>,
    /// From where to where something was added.
    pub(super) adds: Vec<[usize; 2]>,
    /// From where to where something was copied.
    copies: Vec<[usize; 2]>,
}

impl Row {
    fn new(phase: Phase, values: &[u32]) -> Self {
        Self { phase, values: values.to_vec(), adds: Vec::new(), copies: Vec::new() }
    }
}

/// In steps: each place adds what lies 1, 2, 4 … places before it.
pub(super) fn in_steps(values: &[u32]) -> Vec<Row> {
    let mut rows = vec![Row::new(Phase::Values, values)];
    let mut sums = values.to_vec();
    let mut distance = 1;
    while distance < sums.len() {
        let before = sums.clone();
        for (sum, earlier) in sums.iter_mut().skip(distance).zip(&before) {
            *sum += earlier;
        }
        let adds = (distance..sums.len()).map(|place| [place - distance, place]).collect();
        rows.push(Row { adds, ..Row::new(Phase::Step(distance), &sums) });
        distance *= 2;
    }
    rows
}

fn at(values: &[u32], place: usize) -> u32 {
    values.get(place).copied().unwrap_or(0)
}

fn put(values: &mut [u32], place: usize, value: u32) {
    if let Some(held) = values.get_mut(place) {
        *held = value;
    }
}

/// As a tree: sums on the way up, the sums before each node on the way down. `values` are a power of two.
pub(super) fn as_tree(values: &[u32]) -> Vec<Row> {
    let mut rows = vec![Row::new(Phase::Values, values)];
    let (mut sums, count) = (values.to_vec(), values.len());
    // The last place of each node of two halves.
    let lasts = |half: usize| (2 * half - 1..count).step_by(2 * half);
    let halves: Vec<usize> = std::iter::successors(Some(1), |half| Some(2 * half)).take_while(|half| *half < count).collect();
    for &half in &halves {
        for last in lasts(half) {
            let sum = at(&sums, last) + at(&sums, last - half);
            put(&mut sums, last, sum);
        }
        rows.push(Row { adds: lasts(half).map(|last| [last - half, last]).collect(), ..Row::new(Phase::Up(half), &sums) });
    }
    put(&mut sums, count.saturating_sub(1), 0);
    rows.push(Row::new(Phase::Zero, &sums));
    for &half in halves.iter().rev() {
        for last in lasts(half) {
            let (left, before) = (at(&sums, last - half), at(&sums, last));
            put(&mut sums, last - half, before);
            put(&mut sums, last, before + left);
        }
        let adds: Vec<[usize; 2]> = lasts(half).map(|last| [last - half, last]).collect();
        let copies = adds.iter().map(|[left, last]| [*last, *left]).collect();
        rows.push(Row { adds, copies, ..Row::new(Phase::Down(half), &sums) });
    }
    let own: Vec<u32> = sums.iter().zip(values).map(|(before, own)| before + own).collect();
    rows.push(Row::new(Phase::Own, &own));
    rows
}

/// Of all these rows.
pub(super) fn additions(rows: &[Row]) -> usize {
    rows.iter().map(|row| row.adds.len()).sum()
}

/// Rows of these in which something is added.
pub(super) fn steps(rows: &[Row]) -> usize {
    rows.iter().filter(|row| !row.adds.is_empty()).count()
}

/// What the root held is drawn over: this row stands in the place of the one before.
fn is_over(row: &Row) -> bool {
    row.phase == Phase::Zero
}

/// The first `shown` rows in an area that has room for all; what the marked ones did stands out.
fn draw(scene: &mut Scene, [left, top, right, bottom]: Rectangle, rows: &[Row], shown: usize, marked: &Range<usize>) {
    let count = rows.first().map_or(0, |row| row.values.len());
    let lines = rows.iter().filter(|row| !is_over(row)).count().max(1);
    let pitch = (bottom - top) / lines as f64;
    let height = (0.58 * pitch).min(MOST_CELL[1]);
    let places = Places::new([left, right], count, MOST_CELL[0]);
    let mut line = 0_u32;
    for (index, row) in rows.iter().enumerate().take(shown) {
        if index > 0 && !is_over(row) {
            line += 1;
        }
        let y = top + pitch * f64::from(line);
        let is_marked = marked.contains(&index);
        arrows(scene, row, places, [y - (pitch - height), y], is_marked);
        if rows.get(index + 1).is_some_and(|next| index + 1 < shown && is_over(next)) {
            continue;
        }
        for (place, value) in row.values.iter().enumerate() {
            let is_new = match row.phase {
                Phase::Values => false,
                Phase::Zero => place + 1 == count,
                Phase::Own => true,
                Phase::Step(_) | Phase::Up(_) | Phase::Down(_) => row.adds.iter().any(|[_, to]| *to == place),
            };
            let look = if is_new && is_marked { Look::Active } else { Look::Plain };
            cell(scene, places.cell(place, [y, height]), &value.to_string(), look);
        }
    }
}

/// What is added and what is copied, between the row before and this one.
fn arrows(scene: &mut Scene, row: &Row, places: Places, [from, to]: [f64; 2], is_marked: bool) {
    let beside = places.width() / 4.0;
    let ends = |[source, place]: &[usize; 2]| {
        let side = if source < place { -beside } else { beside };
        [(places.middle(*source), from + 1.0), (places.middle(*place) + side, to - 1.0)]
    };
    let own = row.adds.iter().map(|[_, place]| [(places.middle(*place), from + 1.0), (places.middle(*place), to - 1.0)]);
    scene.lines(own.collect(), Role::Weak, 1.0);
    let role = if is_marked { Role::Accent } else { Role::Weak };
    scene.lines(row.adds.iter().map(ends).flat_map(|[from, to]| arrow(from, to)).collect(), role, 1.5);
    let role = if is_marked { Role::Warning } else { Role::Weak };
    scene.lines(row.copies.iter().map(ends).flat_map(|[from, to]| dashed_arrow(from, to)).collect(), role, 1.0);
}

/// The whole figure.
pub(super) fn film(paper: &Paper) -> Film {
    let (in_steps, as_tree) = (in_steps(&VALUES), as_tree(&VALUES));
    let count = VALUES.len();
    let added: Paint = Box::new(|scene, [left, top, right, bottom]| scene.lines(arrow((left, bottom), (right, top)), Role::Accent, 1.5));
    let copied: Paint =
        Box::new(|scene, [left, top, right, bottom]| scene.lines(dashed_arrow((right, top), (left, bottom)), Role::Warning, 1.0));
    let legend = paper.legend(vec![(added, text("concepts.scan.added")), (copied, text("concepts.scan.copied"))]);
    let area = paper.above(&legend, MOST_PITCH * as_tree.len() as f64);
    let alone =
        |rows: &[Row], shown: usize| paper.scene(&legend, |scene| draw(scene, area, rows, shown, &(shown.saturating_sub(1)..shown)));
    let begin = [filled("concepts.scan.begin", &[("count", &count)]), text("concepts.scan.begin-how").to_owned()];
    let mut frames = vec![frame(begin, alone(&in_steps, 1), BEGIN_MS)];
    for rows in [&in_steps, &as_tree] {
        frames.extend((2..=rows.len()).filter_map(|shown| step(rows.get(..shown)?, steps(rows), alone(rows, shown))));
    }
    let counts = [&in_steps, &as_tree].map(|rows| (additions(rows), steps(rows)));
    let lines = [("concepts.scan.whole-steps", counts[0]), ("concepts.scan.whole-tree", counts[1])]
        .map(|(key, (additions, steps))| filled(key, &[("additions", &additions), ("steps", &steps)]));
    let both = paper.scene(&legend, |scene| {
        let [left, top, right, bottom] = area;
        let middle = f64::midpoint(left, right);
        for (rows, key, [left, right]) in
            [(&in_steps, "concepts.scan.steps", [left, middle - GAP]), (&as_tree, "concepts.scan.tree", [middle + GAP, right])]
        {
            let size = paper.text_size();
            scene.text(text(key), (f64::midpoint(left, right), top + size / 2.0), size, Role::Strong, Anchor::Center);
            draw(scene, [left, top + paper.line() + 2.0, right, bottom], rows, rows.len(), &(0..rows.len()));
        }
    });
    frames.push(frame(lines, both, WHOLE_MS));
    let told = filled("concepts.scan.told", &[("count", &count), ("steps", &counts[0].0), ("tree", &counts[1].0)]);
    Film { frames, told }
}

/// What the last of these rows did, of an algorithm of so many steps.
fn step(rows: &[Row], all: usize, scene: Scene) -> Option<Frame> {
    let (row, before) = rows.split_last()?;
    let (number, now, total) = (steps(rows), row.adds.len(), additions(rows));
    let counted = || filled("concepts.scan.additions", &[("additions", &now), ("total", &total)]);
    let in_step = |key, distance: usize| filled(key, &[("step", &number), ("steps", &all), ("distance", &distance)]);
    let lines = match row.phase {
        Phase::Values => return None,
        Phase::Step(distance) => [in_step("concepts.scan.step", distance), counted()],
        Phase::Up(distance) => [in_step("concepts.scan.up", distance), counted()],
        Phase::Down(distance) => [in_step("concepts.scan.down", distance), counted()],
        Phase::Zero => {
            let sum = before.last().and_then(|row| row.values.last()).copied().unwrap_or(0);
            [filled("concepts.scan.zero", &[("total", &sum)]), text("concepts.scan.zero-why").to_owned()]
        }
        Phase::Own => {
            let own = row.values.len();
            [text("concepts.scan.own").to_owned(), filled("concepts.scan.own-additions", &[("total", &total), ("own", &own)])]
        }
    };
    Some(frame(lines, scene, STEP_MS))
}
