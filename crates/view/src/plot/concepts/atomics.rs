//! Lanes that add to counters with atomics: those that meet at one counter add one after the other.

use super::paper::{BEGIN_MS, GAP, Look, Paint, Paper, Places, QUICK_MS, STEP_MS, WHOLE_MS, arrow, cell, frame, idle};
use crate::plot::film::Film;
use crate::plot::palette::Role;
use crate::plot::scene::{Anchor, Rectangle, Scene, fitted};
use base::texts::{filled, text};

/// Each lane's counter, which its pixel chooses: first one for all, then one for each.
const SAME: [usize; 8] = [5; 8];
const DIFFERENT: [usize; 8] = [3, 6, 0, 5, 1, 7, 2, 4];
/// From the lanes to the counters, with their names, at most.
const MOST_HEIGHT: f64 = 330.0;
/// A cell is so wide at most, and so high.
const MOST_CELL: [f64; 2] = [72.0, 40.0];

/// Which lanes add at the same time.
pub(super) struct Meeting {
    /// By lane.
    counters: Vec<usize>,
    /// The lanes of each step, in order.
    pub(super) steps: Vec<Vec<usize>>,
}

impl Meeting {
    /// A counter takes one lane in each step, and the lanes that meet at it wait in their order.
    pub(super) fn new(counters: &[usize]) -> Self {
        let mut waiting: Vec<(usize, usize)> = counters.iter().copied().enumerate().collect();
        let mut steps = Vec::new();
        while !waiting.is_empty() {
            let mut taken = Vec::new();
            let is_first = |(_, counter): &(usize, usize)| {
                let is_free = !taken.contains(counter);
                if is_free {
                    taken.push(*counter);
                }
                is_free
            };
            let (adding, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_first);
            steps.push(adding.into_iter().map(|(lane, _)| lane).collect());
            waiting = others;
        }
        Self { counters: counters.to_vec(), steps }
    }

    /// How many lanes have the busiest counter.
    pub(super) fn most(&self) -> usize {
        let at = |counter: usize| self.counters.iter().filter(|other| **other == counter).count();
        self.counters.iter().map(|counter| at(*counter)).max().unwrap_or(0)
    }

    /// How many lanes have not added after so many steps.
    pub(super) fn waiting(&self, done: usize) -> usize {
        self.steps.iter().skip(done).map(Vec::len).sum()
    }

    /// The step in which a lane adds, from 1.
    fn step_of(&self, lane: usize) -> usize {
        self.steps.iter().position(|lanes| lanes.contains(&lane)).map_or(0, |step| step + 1)
    }

    /// How often a counter was added to in the first steps.
    fn count(&self, counter: usize, done: usize) -> usize {
        self.counters.iter().enumerate().filter(|(lane, chosen)| **chosen == counter && self.step_of(*lane) <= done).count()
    }

    /// After so many steps: the last of them stands out, or all where nothing follows.
    fn draw(&self, scene: &mut Scene, [left, top, right, bottom]: Rectangle, size: f64, (done, is_whole): (usize, bool)) {
        let lanes = self.counters.len();
        let all = self.counters.iter().max().map_or(0, |last| last + 1).max(lanes);
        let height = (0.2 * (bottom - top)).clamp(16.0, MOST_CELL[1]);
        let places = Places::new([left, right], all, MOST_CELL[0]);
        let counters = bottom - size * 1.3 - height;
        for (lane, counter) in self.counters.iter().enumerate() {
            let step = self.step_of(lane);
            let is_adding = is_whole || done > 0 && step == done;
            let look = match step {
                _ if is_adding => Look::Active,
                _ if done > 0 && step > done => Look::Idle,
                _ => Look::Plain,
            };
            cell(scene, places.cell(lane, [top, height]), &counter.to_string(), look);
            if is_adding {
                let (from, to) = ((places.middle(lane), top + height + 2.0), (places.middle(*counter), counters - 2.0));
                scene.lines(arrow(from, to), Role::Accent, 1.5);
            }
        }
        for counter in 0..all {
            let area = places.cell(counter, [counters, height]);
            let is_used = self.counters.contains(&counter);
            cell(scene, area, &self.count(counter, done).to_string(), Look::Plain);
            let role = if is_used { Role::Text } else { Role::Weak };
            scene.text(counter.to_string(), (places.middle(counter), bottom - size * 0.6), size, role, Anchor::Center);
        }
    }
}

/// The whole figure.
pub(super) fn film(paper: &Paper) -> Film {
    let (same, different) = (Meeting::new(&SAME), Meeting::new(&DIFFERENT));
    let adds: Paint = Box::new(|scene, area| cell(scene, area, "", Look::Active));
    let legend = paper.legend(vec![(adds, text("concepts.atomics.adds")), (Box::new(idle), text("concepts.atomics.waits"))]);
    let [left, top, right, bottom] = paper.above(&legend, MOST_HEIGHT);
    let size = paper.text_size();
    // Names above the lanes and below the counters.
    let inner = [left, top + paper.line() + 2.0, right, bottom - paper.line()];
    let alone = |meeting: &Meeting, done: usize| {
        paper.scene(&legend, |scene| {
            for (key, y) in [("concepts.atomics.lanes", top + size * 0.6), ("concepts.atomics.counters", bottom - size * 0.7)] {
                let words = fitted(text(key), size, right - left, paper.measure);
                scene.text(words, (f64::midpoint(left, right), y), size, Role::Weak, Anchor::Center);
            }
            meeting.draw(scene, inner, size, (done, false));
        })
    };
    let lanes = SAME.len();
    let mut frames = Vec::new();
    for (meeting, key) in [(&same, "concepts.atomics.same"), (&different, "concepts.atomics.different")] {
        let begin = [filled("concepts.atomics.begin", &[("lanes", &lanes)]), text(key).to_owned()];
        frames.push(frame(begin, alone(meeting, 0), BEGIN_MS));
        let steps = meeting.steps.len();
        for (index, adding) in meeting.steps.iter().enumerate() {
            let (step, adding, waiting) = (index + 1, adding.len(), meeting.waiting(index + 1));
            let lines = [
                filled("concepts.atomics.step", &[("step", &step), ("steps", &steps), ("adding", &adding), ("waiting", &waiting)]),
                filled("concepts.atomics.most", &[("most", &meeting.most())]),
            ];
            frames.push(frame(lines, alone(meeting, step), if steps > 2 { QUICK_MS } else { STEP_MS }));
        }
    }
    let counts = [("same", &same.steps.len() as &dyn std::fmt::Display), ("different", &different.steps.len())];
    let lines = [filled("concepts.atomics.whole", &counts), text("concepts.atomics.whole-why").to_owned()];
    let both = paper.scene(&legend, |scene| {
        let middle = f64::midpoint(left, right);
        for (meeting, key, [left, right]) in [
            (&same, "concepts.atomics.same-title", [left, middle - GAP]),
            (&different, "concepts.atomics.different-title", [middle + GAP, right]),
        ] {
            let title = filled(key, &[("steps", &meeting.steps.len())]);
            let title = fitted(&title, size, right - left, paper.measure);
            scene.text(title, (f64::midpoint(left, right), top + size * 0.6), size, Role::Strong, Anchor::Center);
            meeting.draw(scene, [left, top + paper.line() + 2.0, right, bottom], size, (meeting.steps.len(), true));
        }
    });
    frames.push(frame(lines, both, WHOLE_MS));
    Film { frames, told: filled("concepts.atomics.told", &counts) }
}
