//! A sub-group at a branch: its lanes execute one instruction at a time, and those that do not take a branch idle while others do.

use super::paper::{BEGIN_MS, GAP, Look, Paint, Paper, Places, STEP_MS, WHOLE_MS, cell, frame, idle};
use crate::plot::film::Film;
use crate::plot::palette::Role;
use crate::plot::scene::{Anchor, Rectangle, Scene, fitted};
use base::texts::{filled, text};
use std::ops::Range;

/// What each lane loads.
const VALUES: [u32; 8] = [7, 2, 8, 6, 1, 9, 3, 8];
/// Lanes with more than this take the if branch.
const MORE_THAN: u32 = 5;
/// From row to row, at most.
const MOST_PITCH: f64 = 56.0;
/// A cell is so wide at most, and so high.
const MOST_CELL: [f64; 2] = [72.0, 38.0];

/// Where an instruction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Before,
    If,
    Else,
    After,
}

/// An instruction, and what it makes of a lane's value.
type Instruction = (Part, &'static str, fn(u32) -> u32);

/// The kernel, without the test itself.
const INSTRUCTIONS: [Instruction; 5] = [
    (Part::Before, "v = in[i];", |value| value),
    (Part::If, "v = v - 4;", |value| value.saturating_sub(4)),
    (Part::If, "v = 2 * v;", |value| 2 * value),
    (Part::Else, "} else v = v + 9;", |value| value + 9),
    (Part::After, "out[i] = v;", |value| value),
];

/// An instruction with what the lanes hold after it; `None` for those that idle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) part: Part,
    code: String,
    pub(super) lanes: Vec<Option<u32>>,
}

impl Row {
    /// How far its code is set in.
    const fn indent(&self) -> f64 {
        if matches!(self.part, Part::If) { 2.0 * GAP } else { 0.0 }
    }
}

/// What the lanes of a sub-group with these values execute. A branch that no lane takes is jumped over.
pub(super) fn rows(values: &[u32]) -> Vec<Row> {
    let mut held = values.to_vec();
    let is_taken: Vec<bool> = values.iter().map(|value| *value > MORE_THAN).collect();
    let mut rows = Vec::new();
    for (part, code, run) in INSTRUCTIONS {
        let executes = |taken: bool| match part {
            Part::Before | Part::After => true,
            Part::If => taken,
            Part::Else => !taken,
        };
        if !is_taken.iter().any(|taken| executes(*taken)) {
            continue;
        }
        for (value, taken) in held.iter_mut().zip(&is_taken) {
            if executes(*taken) {
                *value = run(*value);
            }
        }
        let lanes = held.iter().zip(&is_taken).map(|(value, taken)| executes(*taken).then_some(*value)).collect();
        rows.push(Row { part, code: code.to_owned(), lanes });
        if part == Part::Before {
            let test = format!("if (v > {MORE_THAN}) {{");
            rows.push(Row { part, code: test, lanes: held.iter().copied().map(Some).collect() });
        }
    }
    rows
}

/// Lanes that execute and lanes that idle, over these rows.
pub(super) fn slots(rows: &[Row]) -> [usize; 2] {
    let count = |is_used: bool| rows.iter().flat_map(|row| &row.lanes).filter(|lane| lane.is_some() == is_used).count();
    [count(true), count(false)]
}

/// The share of the slots that are used, in percent, rounded.
pub(super) fn percent([used, idle]: [usize; 2]) -> usize {
    let all = (used + idle).max(1);
    (100 * used + all / 2) / all
}

/// The instructions with their lanes, as many as are shown; the marked ones are executed now.
fn draw(scene: &mut Scene, paper: &Paper, [left, top, right, bottom]: Rectangle, rows: &[Row], shown: usize, marked: &Range<usize>) {
    let size = paper.text_size();
    let codes = rows.iter().map(|row| row.indent() + (paper.measure)(&row.code, size)).fold(0.0, f64::max) + 1.0;
    let names = (codes + GAP).min(0.35 * (right - left));
    let count = rows.first().map_or(0, |row| row.lanes.len());
    let places = Places::new([left + names, right], count, MOST_CELL[0]);
    // The names stand beside the lanes, also where these do not need all the room.
    let name_right = places.ends(count)[0] - GAP;
    let name_left = (name_right - codes).max(left);
    for lane in 0..count {
        scene.text(lane.to_string(), (places.middle(lane), top + size * 0.6), size, Role::Weak, Anchor::Center);
    }
    let word = fitted(text("concepts.lanes.lane"), size, name_right - left, paper.measure);
    scene.text(word, (name_left, top + size * 0.6), size, Role::Weak, Anchor::Left);
    let first = top + paper.line();
    let pitch = (bottom - first) / rows.len().max(1) as f64;
    let height = (0.78 * pitch).min(MOST_CELL[1]);
    for (index, row) in rows.iter().enumerate() {
        let y = first + pitch * index as f64;
        let is_marked = marked.contains(&index);
        let role = if is_marked { Role::Strong } else { Role::Weak };
        let code = fitted(&row.code, size, name_right - name_left - row.indent(), paper.measure);
        scene.text(code, (name_left + row.indent(), y + height / 2.0), size, role, Anchor::Left);
        for (lane, value) in row.lanes.iter().enumerate().filter(|_| index < shown) {
            let area = places.cell(lane, [y, height]);
            match value {
                Some(value) if is_marked => cell(scene, area, &value.to_string(), Look::Active),
                Some(value) => cell(scene, area, &value.to_string(), Look::Plain),
                None => idle(scene, area),
            }
        }
    }
}

/// The whole figure.
pub(super) fn film(paper: &Paper) -> Film {
    let rows = rows(&VALUES);
    let executes: Paint = Box::new(|scene, area| cell(scene, area, "", Look::Active));
    let legend = paper.legend(vec![(executes, text("concepts.lanes.executes")), (Box::new(idle), text("concepts.lanes.idle"))]);
    let area = paper.above(&legend, paper.line() + MOST_PITCH * rows.len() as f64);
    let scene = |shown: usize, marked: Range<usize>| paper.scene(&legend, |scene| draw(scene, paper, area, &rows, shown, &marked));
    let begin = [filled("concepts.lanes.begin", &[("lanes", &VALUES.len())]), text("concepts.lanes.begin-how").to_owned()];
    let mut frames = vec![frame(begin, scene(0, 0..0), BEGIN_MS)];
    for (index, row) in rows.iter().enumerate() {
        let [busy, waiting] = slots(std::slice::from_ref(row));
        let [used, idle] = rows.get(..=index).map_or([0; 2], slots);
        let key = match row.part {
            Part::Before => "concepts.lanes.before",
            Part::If => "concepts.lanes.if",
            Part::Else => "concepts.lanes.else",
            Part::After => "concepts.lanes.after",
        };
        let lines =
            [filled(key, &[("busy", &busy), ("idle", &waiting)]), filled("concepts.lanes.so-far", &[("used", &used), ("idle", &idle)])];
        frames.push(frame(lines, scene(index + 1, index..index + 1), STEP_MS));
    }
    let [used, idle] = slots(&rows);
    let (all, percent) = (used + idle, percent([used, idle]));
    let lines = [
        filled("concepts.lanes.whole", &[("slots", &all), ("used", &used), ("idle", &idle)]),
        filled("concepts.lanes.whole-share", &[("percent", &percent)]),
    ];
    frames.push(frame(lines, scene(rows.len(), 0..rows.len()), WHOLE_MS));
    Film { frames, told: filled("concepts.lanes.told", &[("percent", &percent), ("slots", &all)]) }
}
