//! Curves of measured points with their intervals, over a logarithmic axis of amounts, or over things in their order.

use super::bars::{LINE, SMALL};
use super::labels::{Labels, around};
use super::palette::Role;
use super::scale::{Axis, Scale};
use super::scene::{Anchor, Hit, Measure, Point, Rectangle, Scene, Segment};
use super::units::Unit;
use base::texts::Words;
use serde::{Deserialize, Serialize};

/// A measured point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Amount, above 0.
    pub x: f64,
    /// What was measured.
    pub y: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// In words: for hover, and for who cannot see it.
    pub name: Words,
}

/// Points that belong together, from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// At its right end.
    pub label: Words,
    /// Its color, and the shape of its points.
    pub role: Role,
    /// From little to much.
    pub points: Vec<CurvePoint>,
    /// What was measured holds until the next point, where it changes at once: the best one so far.
    #[serde(default)]
    pub is_stepped: bool,
}

impl Curve {
    /// The lines from point to point.
    fn segments(&self, field: &Field) -> Vec<Segment> {
        let points: Vec<Point> = self.points.iter().map(|point| field.at(point)).collect();
        let between = points.iter().zip(points.iter().skip(1));
        between
            .flat_map(|(from, to)| if self.is_stepped { vec![[*from, (to.0, from.1)], [(to.0, from.1), *to]] } else { vec![[*from, *to]] })
            .collect()
    }
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curves {
    /// One above the other where they meet.
    pub curves: Vec<Curve>,
    /// Titles of the axes of amounts and of what was measured.
    pub titles: [Words; 2],
    /// What the two axes count.
    pub units: [Unit; 2],
    /// Spacing of what was measured.
    pub scale: Scale,
    /// Values with a line across, where there are any.
    pub levels: Vec<f64>,
    /// Amounts with an upright line, and what it is.
    pub marks: Vec<(f64, Words)>,
    /// Where amounts are the numbers of things, from 1 on: what each is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

const TOP: f64 = 28.0;
const BOTTOM: f64 = 40.0;
const RIGHT: f64 = 12.0;
const GAP: f64 = 8.0;
const RADIUS: f64 = 5.5;

/// Lays curves out on `width` × `height` units. Hits are points, curve by curve, and their indices count them so.
#[must_use]
pub fn curves(data: &Curves, [width, height]: [f64; 2], measure: Measure<'_>) -> Scene {
    let mut scene = Scene::new(width, height);
    let field = Field::new(data, [width, height], measure);
    field.axes(&mut scene, data, measure);
    let mut labels = Labels::new(measure, field.area);
    let [left, top, right, bottom] = field.area;
    let levels = data.levels.iter().map(|level| field.y(*level)).map(|y| [(left, y), (right, y)]);
    scene.lines(levels.collect(), Role::Weak, 1.0);
    for point in data.curves.iter().flat_map(|curve| &curve.points) {
        labels.keep_off(around(field.at(point), RADIUS));
    }
    for curve in &data.curves {
        for segment in curve.segments(&field) {
            labels.keep_off_line(segment);
        }
        for point in &curve.points {
            labels.keep_off_line([(field.x(point.x), field.y(point.low)), (field.x(point.x), field.y(point.high))]);
        }
    }
    for (amount, text) in &data.marks {
        let x = field.x(*amount);
        scene.lines(vec![[(x, top), (x, bottom)]], Role::Accent, 1.0);
        let places = (0..6).flat_map(|line| {
            let y = top + SMALL * LINE * (0.5 + f64::from(line));
            [((x + GAP / 2.0, y), Anchor::Left), ((x - GAP / 2.0, y), Anchor::Right)]
        });
        labels.write_anyway(&mut scene, &text.to_string(), Role::Text, &places.collect::<Vec<_>>());
    }
    for curve in &data.curves {
        let points: Vec<Point> = curve.points.iter().map(|point| field.at(point)).collect();
        scene.lines(curve.segments(&field), curve.role, 2.0);
        let intervals = curve.points.iter().map(|point| [(field.x(point.x), field.y(point.low)), (field.x(point.x), field.y(point.high))]);
        scene.lines(intervals.collect(), Role::Strong, 1.5);
        for at in &points {
            scene.point(*at, curve.role);
        }
        for (point, at) in curve.points.iter().zip(&points) {
            scene.hits.push(Hit { area: around(*at, RADIUS + 3.0), index: scene.hits.len(), name: point.name.to_string() });
        }
    }
    for curve in &data.curves {
        if let Some(last) = curve.points.last() {
            labels.beside(&mut scene, &curve.label.to_string(), curve.role, field.at(last), RADIUS, true);
        }
    }
    scene
}

struct Field {
    x_axis: Axis,
    y_axis: Axis,
    area: Rectangle,
}

impl Field {
    fn new(data: &Curves, [width, height]: [f64; 2], measure: Measure<'_>) -> Self {
        let points = || data.curves.iter().flat_map(|curve| &curve.points);
        let xs = points().map(|point| point.x).chain(data.marks.iter().map(|(x, _)| *x));
        let ys = points().flat_map(|point| [point.low, point.y, point.high]).chain(data.levels.iter().copied());
        let x_axis = if data.names.is_empty() { Axis::new(Scale::Log, xs, None) } else { Axis::counted(data.names.len()) };
        let y_axis = Axis::new(data.scale, ys, None);
        let [_, y_tick] = data.units.map(Unit::writer);
        let left = y_axis.ticks().iter().map(|tick| measure(&y_tick(*tick), SMALL)).fold(0.0, f64::max) + 2.0 * GAP;
        Self { x_axis, y_axis, area: [left, TOP, (width - RIGHT).max(left + 1.0), (height - BOTTOM).max(TOP + 1.0)] }
    }

    fn x(&self, value: f64) -> f64 {
        let [left, _, right, _] = self.area;
        left + self.x_axis.position(value) * (right - left)
    }

    fn y(&self, value: f64) -> f64 {
        let [_, top, _, bottom] = self.area;
        bottom - self.y_axis.position(value) * (bottom - top)
    }

    fn at(&self, point: &CurvePoint) -> Point {
        (self.x(point.x), self.y(point.y))
    }

    fn axes(&self, scene: &mut Scene, data: &Curves, measure: Measure<'_>) {
        let [left, top, right, bottom] = self.area;
        let ([x_tick, y_tick], [x_title, y_title]) = (data.units.map(Unit::writer), &data.titles);
        let mut grid = Vec::new();
        let mut free_from = 0.0;
        for &tick in self.x_axis.ticks() {
            let x = self.x(tick);
            grid.push([(x, top), (x, bottom)]);
            // Ticks of things are whole numbers from 1 on.
            let text = data.names.get((tick as usize).saturating_sub(1)).cloned().unwrap_or_else(|| x_tick(tick));
            let half = measure(&text, SMALL) / 2.0;
            if x - half >= free_from {
                free_from = x + half + GAP;
                scene.text(text, (x.min(scene.width - half), bottom + 1.25 * SMALL), SMALL, Role::Weak, Anchor::Center);
            }
        }
        let mut free_below = f64::INFINITY;
        for &tick in self.y_axis.ticks() {
            let y = self.y(tick);
            grid.push([(left, y), (right, y)]);
            if y + SMALL * LINE / 2.0 <= free_below {
                free_below = y - SMALL * LINE / 2.0;
                scene.text(y_tick(tick), (left - GAP, y), SMALL, Role::Weak, Anchor::Right);
            }
        }
        scene.lines(grid, Role::Grid, 1.0);
        scene.lines(vec![[(left, top), (left, bottom)], [(left, bottom), (right, bottom)]], Role::Weak, 1.0);
        scene.text(y_title.to_string(), (GAP, TOP / 2.0), SMALL, Role::Weak, Anchor::Left);
        scene.text(x_title.to_string(), (right, bottom + 2.6 * SMALL), SMALL, Role::Weak, Anchor::Right);
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, CurvePoint, Curves, Unit, Words, curves};
    use crate::plot::{Role, Scale, Scene};
    use crate::testing::measure;

    fn point(x: f64, y: f64) -> CurvePoint {
        CurvePoint { x, y, low: y * 0.9, high: y * 1.1, name: format!("{x} {y}").into() }
    }

    fn data(scale: Scale, points: &[(f64, f64)]) -> Curves {
        let points = points.iter().map(|&(x, y)| point(x, y)).collect();
        Curves {
            curves: vec![Curve { label: "loads".into(), role: Role::Transfers, points, is_stepped: false }],
            titles: ["added", "time"].map(Words::from),
            units: [Unit::Count, Unit::Count],
            scale,
            levels: vec![1.0],
            marks: vec![(4.0, "here".into())],
            names: Vec::new(),
        }
    }

    fn center(scene: &Scene, hit: usize) -> (f64, f64) {
        let [left, top, right, bottom] = scene.hits[hit].area;
        (f64::midpoint(left, right), f64::midpoint(top, bottom))
    }

    /// x from 0.5 (1 and some room, rounded down) to 20 (16 rounded up); y from 0 to 4 in steps of 1: its labels are one letter, so the field begins at
    /// 6 + 16 = 22; 1000 units for ln 40, 100 for each 1.
    #[test]
    fn points_lie_where_they_were_worked_out_by_hand() {
        let scene =
            curves(&data(Scale::Linear, &[(1.0, 1.0), (4.0, 2.0), (16.0, 3.5)]), [22.0 + 1000.0 + 12.0, 28.0 + 400.0 + 40.0], &measure);
        let x = |value: f64| 22.0 + 1000.0 * (value / 0.5).ln() / 40f64.ln();
        for (hit, (amount, y)) in [(1.0, 1.0), (4.0, 2.0), (16.0, 3.5)].into_iter().enumerate() {
            let (found_x, found_y) = center(&scene, hit);
            assert!((found_x - x(amount)).abs() < 1e-6 && (found_y - (428.0 - 100.0 * y)).abs() < 1e-6, "{hit}: {found_x} {found_y}");
        }
        assert_eq!(scene.hits[1].name, "4 2");
        let texts: Vec<_> = scene.texts().collect();
        assert!(["loads", "here", "added", "time"].iter().all(|text| texts.contains(text)), "{texts:?}");
    }

    #[test]
    fn what_holds_until_it_changes_is_drawn_in_steps() {
        let mut data = data(Scale::Log, &[(1.0, 4.0), (4.0, 2.0)]);
        let lines = |data: &Curves| {
            let scene = curves(data, [300.0, 200.0], &measure);
            let of_curve = scene.items.into_iter().find_map(|item| match item.shape {
                super::super::Shape::Lines(lines, _) if item.role == Role::Transfers => Some(lines),
                _ => None,
            });
            of_curve.expect("lines of the curve")
        };
        let [[from, to]] = lines(&data)[..] else { panic!("one line") };
        data.curves[0].is_stepped = true;
        assert_eq!(lines(&data), [[from, (to.0, from.1)], [(to.0, from.1), to]]);
    }

    #[test]
    fn things_stand_in_their_order_under_their_names() {
        let names = ["abc", "def", "ghi"].map(str::to_owned).to_vec();
        let data = Curves { names, marks: Vec::new(), ..data(Scale::Near, &[(1.0, 1.0), (2.0, 1.02), (3.0, 0.99)]) };
        let scene = curves(&data, [600.0, 300.0], &measure);
        let [first, second, third] = [0, 1, 2].map(|hit| center(&scene, hit).0);
        assert!((second - first - (third - second)).abs() < 1e-6 && second > first);
        let texts: Vec<_> = scene.texts().collect();
        assert!(["abc", "def", "ghi"].iter().all(|name| texts.contains(name)), "{texts:?}");
    }

    #[test]
    fn nothing_measured_is_a_chart_without_points() {
        let scene = curves(&data(Scale::Log, &[]), [300.0, 200.0], &measure);
        assert!(scene.hits.is_empty() && !scene.texts().any(|text| text == "loads"));
    }
}
