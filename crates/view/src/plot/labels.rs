//! Labels in a chart of points: none covers another, or a point.

use super::bars::{LINE, SMALL};
use super::palette::Role;
use super::scene::{Anchor, Measure, Point, Rectangle, Scene, Segment};

/// Between a point's edge and its label.
const GAP: f64 = 8.0;

/// A label is so many lines above or below its point at most.
const MOST_LINES: i32 = 10;

/// A line is covered where one of its points, so far apart, is.
const LINE_PIECE: f64 = 6.0;

/// A label and where it may be.
pub(super) type Place = (Point, Anchor);

/// The labels of one chart.
pub(super) struct Labels<'a> {
    measure: Measure<'a>,
    area: Rectangle,
    taken: Vec<Rectangle>,
}

impl<'a> Labels<'a> {
    /// Labels lie within `area`.
    pub(super) fn new(measure: Measure<'a>, area: Rectangle) -> Self {
        Self { measure, area, taken: Vec::new() }
    }

    /// No label is to cover this.
    pub(super) fn keep_off(&mut self, area: Rectangle) {
        self.taken.push(area);
    }

    /// No label is to cover this line.
    pub(super) fn keep_off_line(&mut self, [from, to]: Segment) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let count = (dx.hypot(dy) / LINE_PIECE).ceil().clamp(1.0, 500.0);
        for piece in 0..=count as usize {
            let share = piece as f64 / count;
            self.keep_off(around((from.0 + dx * share, from.1 + dy * share), 1.0));
        }
    }

    /// Writes `text` at the first of `places` that is free; false where none is, and then nothing is written.
    pub(super) fn write(&mut self, scene: &mut Scene, text: &str, role: Role, places: impl IntoIterator<Item = Place>) -> bool {
        let free = places.into_iter().find(|place| self.is_free(text, place));
        if let Some(place) = free {
            self.put(scene, text, role, place);
        }
        free.is_some()
    }

    /// As [`Labels::write`], and at the first of the places where none is free.
    pub(super) fn write_anyway(&mut self, scene: &mut Scene, text: &str, role: Role, places: &[Place]) {
        if !self.write(scene, text, role, places.iter().copied())
            && let Some(first) = places.first()
        {
            self.put(scene, text, role, *first);
        }
    }

    /// Writes `text` beside a point, as near as there is room, with a line to it where it is not next to it. `is_needed`: also where it covers another.
    pub(super) fn beside(&mut self, scene: &mut Scene, text: &str, role: Role, (x, y): Point, radius: f64, is_needed: bool) -> bool {
        let beside = radius + GAP;
        let lines = (0..=MOST_LINES).flat_map(|line| if line == 0 { vec![0] } else { vec![line, -line] });
        let places = lines.flat_map(|line| {
            let y = y + f64::from(line) * SMALL * LINE;
            [(line, ((x + beside, y), Anchor::Left)), (line, ((x - beside, y), Anchor::Right))]
        });
        let found = places.into_iter().find(|(_, place)| self.is_free(text, place));
        // Where there is no room, on the side where it is not cut.
        let [_, _, right, _] = self.area;
        let fits_right = x + beside + (self.measure)(text, SMALL) <= right;
        let anyway = if fits_right { ((x + beside, y), Anchor::Left) } else { ((x - beside, y), Anchor::Right) };
        let Some((line, place)) = found.or(is_needed.then_some((0, anyway))) else { return false };
        if line.abs() > 1 {
            let (end, _) = place;
            let side = if end.0 > x { -2.0 } else { 2.0 };
            scene.lines(vec![[(x, y), (end.0 + side, end.1)]], Role::Grid, 1.0);
        }
        self.put(scene, text, role, place);
        true
    }

    fn put(&mut self, scene: &mut Scene, text: &str, role: Role, place: Place) {
        self.taken.push(self.covered(text, place));
        let (at, anchor) = place;
        scene.text(text, at, SMALL, role, anchor);
    }

    fn is_free(&self, text: &str, place: &Place) -> bool {
        let (own, [left, top, right, bottom]) = (self.covered(text, *place), self.area);
        own[0] >= left && own[1] >= top && own[2] <= right && own[3] <= bottom && !self.taken.iter().any(|other| overlap(&own, other))
    }

    fn covered(&self, text: &str, ((x, y), anchor): Place) -> Rectangle {
        let width = (self.measure)(text, SMALL);
        let left = match anchor {
            Anchor::Left => x,
            Anchor::Center => x - width / 2.0,
            Anchor::Right => x - width,
        };
        [left, y - SMALL * LINE / 2.0, left + width, y + SMALL * LINE / 2.0]
    }
}

/// A square around a point.
pub(super) fn around((x, y): Point, half: f64) -> Rectangle {
    [x - half, y - half, x + half, y + half]
}

pub(super) fn overlap(one: &Rectangle, other: &Rectangle) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}
