//! A work-group adds its values in halves: the right half to the left half, until one is left.

use super::paper::{BEGIN_MS, Look, Paint, Paper, Places, STEP_MS, WHOLE_MS, arrow, cell, frame, idle};
use crate::plot::film::Film;
use crate::plot::palette::Role;
use crate::plot::scene::Scene;
use base::texts::{filled, text};
use std::ops::Range;

/// What the work-items begin with: as many of them as there is room for.
const VALUES: [u32; 16] = [3, 1, 4, 1, 5, 2, 6, 5, 3, 5, 8, 2, 7, 3, 2, 4];
/// From this width and height on there is room for all.
const WIDE: [f64; 2] = [640.0, 280.0];
/// From row to row, at most.
const MOST_PITCH: f64 = 92.0;
/// A cell is so wide at most, and so high.
const MOST_CELL: [f64; 2] = [64.0, 34.0];

/// The sums after each level; the first ones are the values.
pub(super) struct Tree {
    levels: Vec<Vec<u32>>,
}

impl Tree {
    /// As the kernel does it: of an odd number, the one in the middle waits for the next level.
    pub(super) fn new(values: Vec<u32>) -> Self {
        let mut levels = vec![values];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let (left, right) = last.split_at(last.len().div_ceil(2));
            let others = right.iter().copied().chain(std::iter::repeat(0));
            let sums = left.iter().zip(others).map(|(own, other)| own + other).collect();
            levels.push(sums);
        }
        Self { levels }
    }

    /// How many work-items there are.
    pub(super) fn work_items(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// How many levels add.
    pub(super) fn adding(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// How many work-items add at a level, from 1.
    pub(super) fn additions(&self, level: usize) -> usize {
        let before = level.checked_sub(1).and_then(|before| self.levels.get(before));
        before.map_or(0, |before| before.len() / 2)
    }

    /// How many add nothing there.
    pub(super) fn idle(&self, level: usize) -> usize {
        self.work_items() - self.additions(level)
    }

    /// Up to a level: one after the values are stored, and one after each level.
    pub(super) const fn barriers(level: usize) -> usize {
        1 + level
    }

    /// What is left.
    #[cfg(test)]
    pub(super) fn total(&self) -> Option<u32> {
        self.levels.last()?.first().copied()
    }

    fn sum(&self, of: impl Fn(&Self, usize) -> usize, levels: usize) -> usize {
        (1..=levels).map(|level| of(self, level)).sum()
    }

    /// All levels up to one; those that are marked add now.
    fn scene(&self, paper: &Paper, shown: usize, marked: &Range<usize>) -> Scene {
        let adds: Paint = Box::new(|scene, area| cell(scene, area, "", Look::Active));
        let barrier: Paint = Box::new(|scene, [left, top, right, bottom]| {
            let y = f64::midpoint(top, bottom);
            scene.lines(vec![[(left, y), (right, y)]], Role::Strong, 2.0);
        });
        let legend = paper.legend(vec![
            (adds, text("concepts.reduction.adds")),
            (Box::new(idle), text("concepts.reduction.idle")),
            (barrier, text("concepts.reduction.barrier")),
        ]);
        let [left, top, right, bottom] = paper.above(&legend, MOST_PITCH * self.levels.len() as f64);
        let count = self.work_items();
        let pitch = (bottom - top) / self.levels.len().max(1) as f64;
        let height = (0.5 * pitch).min(MOST_CELL[1]);
        let places = Places::new([left, right], count, MOST_CELL[0]);
        let row = |level: usize| top + pitch * level as f64;
        paper.scene(&legend, |scene| {
            for (level, sums) in self.levels.iter().enumerate().take(shown + 1) {
                // What no addition made is as before: in the first row everything, later the one in the middle.
                let look = |place: usize| match place {
                    _ if level > 0 && place >= self.additions(level) => Look::Idle,
                    _ if marked.contains(&level) => Look::Active,
                    _ => Look::Plain,
                };
                for place in 0..count {
                    let label = sums.get(place).map_or_else(String::new, ToString::to_string);
                    cell(scene, places.cell(place, [row(level), height]), &label, look(place));
                }
                let (ends, y) = (places.ends(count), row(level) + height + 0.3 * (pitch - height));
                scene.lines(vec![[(ends[0], y), (ends[1], y)]], Role::Strong, 2.0);
            }
            for level in 1..=shown {
                self.arrows(scene, places, level, [row(level - 1) + height, row(level)], marked.contains(&level));
            }
        })
    }

    /// From what is added to where it is added, between two rows.
    fn arrows(&self, scene: &mut Scene, places: Places, level: usize, [from, to]: [f64; 2], is_marked: bool) {
        let kept = self.levels.get(level).map_or(0, Vec::len);
        let added = 0..self.additions(level);
        let own = added.clone().map(|place| [(places.middle(place), from + 1.0), (places.middle(place), to - 1.0)]);
        scene.lines(own.collect(), Role::Weak, 1.0);
        let beside = places.width() / 4.0;
        let others = added.flat_map(|place| arrow((places.middle(place + kept), from + 1.0), (places.middle(place) + beside, to - 1.0)));
        scene.lines(others.collect(), if is_marked { Role::Accent } else { Role::Weak }, 1.5);
    }
}

/// The whole figure.
pub(super) fn film(paper: &Paper) -> Film {
    let has_room = paper.width >= WIDE[0] && paper.height >= WIDE[1];
    let count = if has_room { VALUES.len() } else { VALUES.len() / 2 };
    let tree = Tree::new(VALUES.iter().copied().take(count).collect());
    let levels = tree.adding();
    let begin = [filled("concepts.reduction.begin", &[("count", &count)]), text("concepts.reduction.begin-how").to_owned()];
    let mut frames = vec![frame(begin, tree.scene(paper, 0, &(0..0)), BEGIN_MS)];
    for level in 1..=levels {
        let (additions, idle) = (tree.additions(level), tree.idle(level));
        let now = [("level", &level as &dyn std::fmt::Display), ("levels", &levels), ("additions", &additions), ("idle", &idle)];
        let (additions, barriers) = (tree.sum(Tree::additions, level), Tree::barriers(level));
        let lines = [
            filled("concepts.reduction.level", &now),
            filled("concepts.reduction.so-far", &[("additions", &additions), ("barriers", &barriers)]),
        ];
        frames.push(frame(lines, tree.scene(paper, level, &(level..level + 1)), STEP_MS));
    }
    let (additions, barriers) = (tree.sum(Tree::additions, levels), Tree::barriers(levels));
    let (idle, slots) = (tree.sum(Tree::idle, levels), count * levels);
    let lines = [
        filled("concepts.reduction.whole", &[("additions", &additions), ("levels", &levels), ("barriers", &barriers)]),
        filled("concepts.reduction.whole-idle", &[("idle", &idle), ("slots", &slots)]),
    ];
    frames.push(frame(lines, tree.scene(paper, levels, &(1..levels + 1)), WHOLE_MS));
    Film { frames, told: filled("concepts.reduction.told", &[("count", &count), ("levels", &levels)]) }
}
