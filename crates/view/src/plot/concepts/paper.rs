//! What the figures of ideas share: the room that they are laid out in, cells in a row, arrows, a legend, frames.

use crate::plot::film::Frame;
use crate::plot::palette::Role;
use crate::plot::pattern::hatch;
use crate::plot::scene::{Anchor, Measure, Point, Rectangle, Scene, Segment};

/// Smaller ones are laid out as large as this and made smaller as a whole: nothing is left out.
const LEAST: [f64; 2] = [360.0, 200.0];
/// In larger ones the whole grows, its type included: on a projector it is read from afar.
const MOST: [f64; 2] = [1100.0, 500.0];

/// Between parts of a figure.
pub(super) const GAP: f64 = 8.0;
/// Marks of a legend: width and height.
const MARK: [f64; 2] = [16.0, 12.0];
/// Between the lines of a hatched cell.
const HATCH: f64 = 6.0;
/// Room around the whole, for what is drawn across an edge.
const EDGE: f64 = 2.0;

/// How long the first frame is shown, which says what the figure is about.
pub(super) const BEGIN_MS: u32 = 1600;
/// A step.
pub(super) const STEP_MS: u32 = 1400;
/// One of many steps that are alike.
pub(super) const QUICK_MS: u32 = 900;
/// The whole, at the end: as long as that of other films.
pub(super) const WHOLE_MS: u32 = 4000;

/// Paints a mark of a legend.
pub(super) type Paint = Box<dyn Fn(&mut Scene, Rectangle)>;

/// Where a figure is laid out.
pub(super) struct Paper<'a> {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) measure: Measure<'a>,
}

impl<'a> Paper<'a> {
    /// One for a room, and how many times as large what is drawn on it is to be.
    pub(super) fn of([width, height]: [f64; 2], measure: Measure<'a>) -> (Self, f64) {
        let [least, most] = [LEAST, MOST].map(|size| (width / size[0]).min(height / size[1]));
        let factor = if least < 1.0 { least.max(0.01) } else { most.max(1.0) };
        let paper = Self { width: (width / factor).min(MOST[0]), height: (height / factor).min(MOST[1]), measure };
        (paper, factor)
    }

    /// The size of its type.
    pub(super) fn text_size(&self) -> f64 {
        11.0 + 2.0 * ((self.width / LEAST[0]).min(self.height / LEAST[1]) - 1.0).clamp(0.0, 1.0)
    }

    /// The height of a line of it.
    pub(super) fn line(&self) -> f64 {
        self.text_size() * 1.3
    }

    /// What marks mean, to stand below the figure.
    pub(super) fn legend(&self, entries: Vec<(Paint, &'static str)>) -> Scene {
        let mut scene = Scene::new(self.width, GAP / 2.0);
        scene.keys(entries, MARK, self.text_size(), self.measure);
        scene
    }

    /// The rectangle that a legend leaves to the figure: no higher than so, and in the middle of what is higher.
    pub(super) fn above(&self, legend: &Scene, most: f64) -> Rectangle {
        let free = self.height - legend.height - 2.0 * EDGE;
        let top = EDGE + (free - most).max(0.0) / 2.0;
        [EDGE, top, self.width - EDGE, top + free.min(most)]
    }

    /// Draws the figure, and the legend below it.
    pub(super) fn scene(&self, legend: &Scene, draw: impl FnOnce(&mut Scene)) -> Scene {
        let mut scene = Scene::new(self.width, self.height - legend.height);
        draw(&mut scene);
        scene.below(legend.clone(), 0.0);
        scene
    }
}

/// A frame with its two lines.
pub(super) fn frame(lines: [String; 2], scene: Scene, milliseconds: u32) -> Frame {
    Frame { lines: lines.into(), scene, milliseconds }
}

/// Cells beside each other, in the middle between two ends.
#[derive(Clone, Copy)]
pub(super) struct Places {
    left: f64,
    step: f64,
    width: f64,
}

impl Places {
    /// So many between `left` and `right`, each `most` units wide at most, with a gap between them.
    pub(super) fn new([left, right]: [f64; 2], count: usize, most: f64) -> Self {
        let step = ((right - left) / count.max(1) as f64).min(most);
        Self { left: f64::midpoint(left, right) - step * count as f64 / 2.0, step, width: step * 0.84 }
    }

    /// The middle of a cell.
    pub(super) fn middle(self, place: usize) -> f64 {
        self.left + self.step * (place as f64 + 0.5)
    }

    /// The width of a cell.
    pub(super) const fn width(self) -> f64 {
        self.width
    }

    /// A cell from a top on, so high.
    pub(super) fn cell(self, place: usize, [top, height]: [f64; 2]) -> Rectangle {
        let (middle, half) = (self.middle(place), self.width / 2.0);
        [middle - half, top, middle + half, top + height]
    }

    /// From the first one's left end to the right end of the last of so many.
    pub(super) fn ends(self, count: usize) -> [f64; 2] {
        [self.left, self.left + self.step * count as f64]
    }
}

/// How a cell is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// An edge.
    Plain,
    /// What is done now: filled, with a thick edge.
    Active,
    /// Nothing is done: hatched.
    Idle,
}

/// A cell with what stands in it.
pub(super) fn cell(scene: &mut Scene, area: Rectangle, label: &str, look: Look) {
    match look {
        Look::Plain => scene.outline(area, Role::Weak),
        Look::Active => {
            scene.fill(area, Role::Accent, 0.2);
            thick(scene, area, Role::Accent);
        }
        Look::Idle => idle(scene, area),
    }
    let role = if look == Look::Active { Role::Strong } else { Role::Text };
    in_cell(scene, area, label, role);
}

/// What stands in a cell.
pub(super) fn in_cell(scene: &mut Scene, [left, top, right, bottom]: Rectangle, label: &str, role: Role) {
    if !label.is_empty() {
        // Two digits fit, and a cell's edges stay free.
        let size = (0.72 * (bottom - top)).min(0.62 * (right - left)).clamp(8.0, 15.0);
        scene.text(label, (f64::midpoint(left, right), f64::midpoint(top, bottom)), size, role, Anchor::Center);
    }
}

/// Where nothing is done.
pub(super) fn idle(scene: &mut Scene, area: Rectangle) {
    scene.lines(hatch(area, HATCH), Role::Weak, 0.6);
    scene.outline(area, Role::Weak);
}

/// The edge of a rectangle, two units wide, within it.
pub(super) fn thick(scene: &mut Scene, [left, top, right, bottom]: Rectangle, role: Role) {
    let (inner_left, inner_top, inner_right, inner_bottom) = (left + 1.0, top + 1.0, right - 1.0, bottom - 1.0);
    let edges = vec![
        [(left, inner_top), (right, inner_top)],
        [(inner_right, top), (inner_right, bottom)],
        [(right, inner_bottom), (left, inner_bottom)],
        [(inner_left, bottom), (inner_left, top)],
    ];
    scene.lines(edges, role, 2.0);
}

/// A line that ends in an arrow.
pub(super) fn arrow(from: Point, to: Point) -> Vec<Segment> {
    let mut lines = vec![[from, to]];
    lines.extend(head(from, to));
    lines
}

/// The same, dashed.
pub(super) fn dashed_arrow(from: Point, to: Point) -> Vec<Segment> {
    const DASH: f64 = 4.0;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let at = |along: f64| (from.0 + dx * (along / length).min(1.0), from.1 + dy * (along / length).min(1.0));
    let begins = (0..).map(|dash| 2.0 * DASH * f64::from(dash)).take_while(|begin| *begin < length);
    let mut lines: Vec<Segment> = begins.map(|begin| [at(begin), at(begin + DASH)]).collect();
    lines.extend(head(from, to));
    lines
}

fn head(from: Point, to: Point) -> [Segment; 2] {
    const LENGTH: f64 = 5.5;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
    // Not longer than half the arrow, where that is short.
    let size = LENGTH.min(length / 2.0);
    [-0.5, 0.5].map(|side| [(to.0 - size * along.0 + side * size * across.0, to.1 - size * along.1 + side * size * across.1), to])
}
