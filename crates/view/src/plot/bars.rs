//! The chart of timings as scenes: names on the left, bars along one axis, values on the right.

use super::figures::{Span, stack};
use super::options::Quantity;
use super::palette::Role;
use super::rows::{Chart, Row};
use super::scene::{Anchor, Hit, Measure, Scene, fitted, wrapped};
use super::units;
use base::texts::{filled, joined, pair, text};

/// Font sizes of names and values, and of everything of second rank.
pub const TEXT: f64 = 13.5;
/// See [`TEXT`].
pub const SMALL: f64 = 12.0;
/// Height of a line of text, in font sizes.
pub const LINE: f64 = 1.2;
/// Names and values each get what they need, and at most this share of the width.
pub const MOST_OF_WIDTH: f64 = 0.4;

const AXIS_HEIGHT: f64 = 18.0;
const LEGEND_LINE: f64 = 20.0;
/// Length of a mark in the legend.
const KEY: f64 = 20.0;
const GAP: f64 = 8.0;
/// Room to the left of names for the mark of the row on the screen.
pub const EDGE: f64 = 10.0;
const LEAST_LABEL: f64 = 60.0;
const LEAST_VALUES: f64 = 72.0;
const LEAST_BARS: f64 = 20.0;

/// The chart in three parts: the window scrolls the rows between the other two, a page has them one below the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The axis's labels.
    pub axis: Scene,
    /// One hit per row, as wide as the scene; its index is the row's position in the chart.
    pub rows: Scene,
    /// What colors, patterns and lines mean.
    pub legend: Scene,
    /// Reasons that are too long for their rows, with the row's title.
    pub notes: Vec<(String, Role)>,
}

/// Lays `chart` out on `width` units.
#[must_use]
pub fn figure(chart: &Chart, width: f64, measure: Measure<'_>) -> Figure {
    let columns = Columns::of(std::slice::from_ref(chart), width, measure);
    Layout { chart, measure, width, columns }.figure()
}

/// Lays several charts out, for one above the other: their columns are at the same places.
#[must_use]
pub fn aligned(charts: &[Chart], width: f64, measure: Measure<'_>) -> Vec<Figure> {
    let columns = Columns::of(charts, width, measure);
    charts.iter().map(|chart| Layout { chart, measure, width, columns }.figure()).collect()
}

/// Width that the longest name needs, with its marks.
#[must_use]
pub fn names_width(chart: &Chart, measure: Measure<'_>) -> f64 {
    let of = |row: &Row| {
        let detail = row.detail.as_ref().map_or(0.0, |detail| measure(detail, SMALL));
        detail.max(measure(&row.label, TEXT) + marks_width(&marks(row, chart.quantity), measure))
    };
    chart.rows.iter().map(of).fold(LEAST_LABEL, f64::max)
}

/// Text of one size and color on a line.
struct Piece {
    text: String,
    size: f64,
    role: Role,
}

impl Piece {
    fn new(text: impl Into<String>, size: f64, role: Role) -> Self {
        Self { text: text.into(), size, role }
    }
}

/// What is said of a row beside its name.
fn marks(row: &Row, quantity: Quantity) -> Vec<Piece> {
    let marks = [
        (row.is_shown, text("window.chart.shown"), Role::Accent),
        (row.is_baseline && quantity == Quantity::SpeedUp, text("window.chart.baseline"), Role::Weak),
        (row.is_busy, text("window.chart.busy"), Role::Warning),
    ];
    marks.into_iter().filter(|(is_so, ..)| *is_so).map(|(_, text, role)| Piece::new(text, SMALL, role)).collect()
}

/// With the gap before each.
fn marks_width(marks: &[Piece], measure: Measure<'_>) -> f64 {
    marks.iter().map(|mark| GAP + measure(&mark.text, mark.size)).sum()
}

/// A row with the room that it takes.
struct Placed<'a> {
    row: &'a Row,
    /// Its name, marks and detail.
    lines: Vec<Vec<Piece>>,
    /// Why it has no bar.
    reason: Vec<String>,
    top: f64,
    bottom: f64,
}

/// Where the columns lie, the same for axis and rows and for charts one above the other.
#[derive(Clone, Copy)]
struct Columns {
    label: [f64; 2],
    bars: [f64; 2],
    /// Values end with the scene.
    values_left: f64,
}

impl Columns {
    /// With room for the names and values of all of these.
    fn of(charts: &[Chart], width: f64, measure: Measure<'_>) -> Self {
        let most = width * MOST_OF_WIDTH;
        let label_width = charts.iter().map(|chart| names_width(chart, measure)).fold(0.0, f64::max).min(most);
        let value_width = |chart: &Chart, row: &Row| {
            let text = |span: Option<Span>, size: f64| span.map_or(0.0, |span| measure(&span.text(chart.quantity), size));
            text(row.bars.kernel, TEXT).max(text(row.bars.round_trip, SMALL))
        };
        let widths = charts.iter().flat_map(|chart| chart.rows.iter().map(move |row| (chart, row)));
        let values_width = widths.map(|(chart, row)| value_width(chart, row)).fold(LEAST_VALUES, f64::max).min(most);
        let values_left = width - values_width;
        let bars_left = EDGE + label_width + GAP;
        let bars = [bars_left, (values_left - GAP).max(bars_left + LEAST_BARS)];
        Self { label: [EDGE, EDGE + label_width], bars, values_left }
    }
}

/// A chart in its columns.
struct Layout<'a> {
    chart: &'a Chart,
    measure: Measure<'a>,
    width: f64,
    columns: Columns,
}

impl Layout<'_> {
    fn figure(&self) -> Figure {
        let (rows, notes) = self.rows();
        Figure { axis: self.axis(), rows, legend: self.legend(), notes }
    }

    fn at(&self, position: f64) -> f64 {
        let [from, to] = self.columns.bars;
        from + position * (to - from)
    }

    fn x(&self, value: f64) -> f64 {
        self.at(self.chart.axis.position(value))
    }

    fn axis(&self) -> Scene {
        let mut scene = Scene::new(self.width, AXIS_HEIGHT);
        let [mut free_from, _] = self.columns.label;
        for &tick in self.chart.axis.ticks() {
            let text = self.chart.quantity.tick(tick);
            let half = (self.measure)(&text, SMALL) / 2.0;
            let x = self.x(tick).min(self.width - half);
            if x - half >= free_from {
                free_from = x + half + GAP;
                scene.text(text, (x, AXIS_HEIGHT / 2.0), SMALL, Role::Weak, Anchor::Center);
            }
        }
        scene
    }

    fn rows(&self) -> (Scene, Vec<(String, Role)>) {
        let mut scene = Scene::new(self.width, 0.0);
        let mut placed = Vec::new();
        for row in &self.chart.rows {
            let row = self.placed(row, scene.height);
            scene.height = row.bottom;
            placed.push(row);
        }
        if placed.is_empty() {
            scene.height = LEGEND_LINE;
            let text = if self.chart.hidden > 0 { text("window.chart.all-hidden") } else { text("window.chart.nothing") };
            scene.text(text, (EDGE, LEGEND_LINE / 2.0), TEXT, Role::Text, Anchor::Left);
            return (scene, Vec::new());
        }
        for row in placed.iter().filter(|placed| placed.row.is_shown) {
            scene.fill([0.0, row.top, self.width, row.bottom], Role::Text, 0.04);
            scene.fill([2.0, row.top + 3.0, 5.0, row.bottom - 3.0], Role::Accent, 1.0);
        }
        let upright = |x: f64, height: f64| [(x, 0.0), (x, height)];
        let grid = self.chart.axis.ticks().iter().map(|tick| upright(self.x(*tick), scene.height)).collect();
        scene.lines(grid, Role::Grid, 1.0);
        scene.lines(vec![upright(self.at(self.chart.axis.origin()), scene.height)], Role::Weak, 1.0);
        let ceilings = self.chart.ceilings.iter().map(|ceiling| upright(self.x(ceiling.limit.rate()), scene.height)).collect();
        scene.lines(ceilings, Role::Transfers, 2.0);
        for (index, placed) in placed.iter().enumerate() {
            self.name(&mut scene, placed);
            self.figures(&mut scene, placed);
            let name = spoken(placed.row, self.chart.quantity);
            scene.hits.push(Hit { area: [0.0, placed.top, self.width, placed.bottom], index, name });
        }
        (scene, placed.iter().filter_map(note).collect())
    }

    fn placed<'b>(&self, row: &'b Row, top: f64) -> Placed<'b> {
        let lines = self.name_lines(row);
        let has_two = row.bars.round_trip.is_some();
        let reason = match &row.problem {
            Some(problem) if row.bars.kernel.is_none() => {
                let [left, _] = self.columns.bars;
                let most = if has_two { 1 } else { 2 };
                wrapped(&problem.text, SMALL, self.width - left - KEY, most, self.measure)
            }
            _ => Vec::new(),
        };
        let name_height: f64 = lines.iter().map(|line| line_height(line)).sum();
        let bars_height = if has_two { 33.0 } else { 24.0_f64.max(reason.len() as f64 * SMALL * LINE + 4.0) };
        Placed { row, lines, reason, top, bottom: top + bars_height.max(name_height + 4.0) }
    }

    /// Name and detail, and the marks on the first line that has room for them.
    fn name_lines(&self, row: &Row) -> Vec<Vec<Piece>> {
        let width = self.columns.label[1] - self.columns.label[0];
        let most = if row.detail.is_some() { 1 } else { 2 };
        let names = wrapped(&row.label, TEXT, width, most, self.measure).into_iter().map(|text| Piece::new(text, TEXT, Role::Text));
        let detail = row.detail.as_ref().map(|detail| Piece::new(fitted(detail, SMALL, width, self.measure), SMALL, Role::Weak));
        let mut lines: Vec<Vec<Piece>> = names.chain(detail).map(|piece| vec![piece]).collect();
        let marks = marks(row, self.chart.quantity);
        let needed = marks_width(&marks, self.measure);
        let has_room = |line: &&mut Vec<Piece>| {
            let used: f64 = line.iter().map(|piece| (self.measure)(&piece.text, piece.size)).sum();
            used + needed <= width
        };
        match lines.iter_mut().find(has_room) {
            Some(line) => line.extend(marks),
            None => lines.push(marks),
        }
        lines
    }

    fn name(&self, scene: &mut Scene, placed: &Placed<'_>) {
        let height: f64 = placed.lines.iter().map(|line| line_height(line)).sum();
        let mut top = f64::midpoint(placed.top, placed.bottom) - height / 2.0;
        for line in &placed.lines {
            let [mut x, _] = self.columns.label;
            let own = line_height(line);
            for piece in line {
                scene.text(piece.text.as_str(), (x, top + own / 2.0), piece.size, piece.role, Anchor::Left);
                x += (self.measure)(&piece.text, piece.size) + GAP;
            }
            top += own;
        }
    }

    fn figures(&self, scene: &mut Scene, placed: &Placed<'_>) {
        let row = placed.row;
        let middle = f64::midpoint(placed.top, placed.bottom);
        let upper = if row.bars.round_trip.is_some() { middle - 6.0 } else { middle };
        if let Some(span) = row.bars.kernel {
            self.value(scene, span, [upper - 7.0, upper + 7.0], row.role);
            self.whisker(scene, span, upper);
            scene.text(span.text(self.chart.quantity), (self.columns.values_left, upper), TEXT, Role::Strong, Anchor::Left);
        } else if let Some(problem) = &row.problem {
            let role = problem_role(problem.is_failure);
            let [left, _] = self.columns.bars;
            scene.no_bar((left + KEY / 2.0, upper), problem.is_failure, role);
            let first = upper - (placed.reason.len().saturating_sub(1)) as f64 * SMALL * LINE / 2.0;
            for (index, line) in placed.reason.iter().enumerate() {
                scene.text(line.as_str(), (left + KEY, first + index as f64 * SMALL * LINE), SMALL, role, Anchor::Left);
            }
        }
        let Some(span) = row.bars.round_trip else { return };
        let y = middle + 8.0;
        match row.bars.parts {
            Some(parts) => {
                for (from, to, role) in stack(&parts) {
                    scene.bar([self.x(from), y - 4.0, self.x(to), y + 4.0], role);
                }
            }
            None => self.value(scene, span, [y - 4.0, y + 4.0], Role::Transfers),
        }
        self.whisker(scene, span, y);
        scene.text(span.text(self.chart.quantity), (self.columns.values_left, y), SMALL, Role::Weak, Anchor::Left);
    }

    /// A bar from the axis's origin, or a point where the axis has no lengths.
    fn value(&self, scene: &mut Scene, span: Span, [top, bottom]: [f64; 2], role: Role) {
        let x = self.x(span.median);
        if self.chart.axis.is_log() {
            return scene.point((x, f64::midpoint(top, bottom)), role);
        }
        let origin = self.at(self.chart.axis.origin());
        let left = origin.min(x);
        scene.bar([left, top, origin.max(x).max(left + 1.0), bottom], Some(role));
    }

    fn whisker(&self, scene: &mut Scene, span: Span, y: f64) {
        scene.whisker([self.x(span.lower), self.x(span.upper)], y, self.chart.axis.ends_before(span.upper));
    }

    /// Marks with their meaning, on as many lines as they need.
    fn legend(&self) -> Scene {
        let has = |test: &dyn Fn(&Row) -> bool| self.chart.rows.iter().any(test);
        let has_parts = has(&|row| row.bars.parts.is_some());
        let kernel = if self.chart.is_on_host { text("window.chart.kernel-on-host") } else { text("window.chart.kernel") };
        let spread =
            if self.chart.quantity == Quantity::SpeedUp { text("window.chart.quartiles-of-both") } else { text("window.chart.quartiles") };
        let keys = [
            (has(&|row| row.role == Role::Cpu), Key::Role(Role::Cpu), "CPU"),
            (has(&|row| row.role == Role::Device), Key::Role(Role::Device), kernel),
            (has_parts, Key::Role(Role::Transfers), text("window.chart.transfers")),
            (!has_parts && has(&|row| row.bars.round_trip.is_some()), Key::Role(Role::Transfers), text("window.chart.round-trip")),
            (has(&|row| row.bars.parts.is_some_and(|parts| parts.other_ns > 0.0)), Key::Rest, text("window.chart.launching")),
            (has(&|row| row.bars.kernel.or(row.bars.round_trip).is_some()), Key::Spread, spread),
        ];
        let keys = keys.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, key, text)| (key, text.to_owned()));
        let ceilings = self.chart.ceilings.iter().map(|ceiling| {
            let rate = units::bandwidth(ceiling.limit.rate());
            (Key::Ceiling, filled("studies.shares.ceiling", &[("name", &ceiling.label), ("rate", &rate)]))
        });
        let mut scene = Scene::new(self.width, LEGEND_LINE);
        let mut x = EDGE;
        for (key, text) in keys.chain(ceilings) {
            let width = KEY + GAP / 2.0 + (self.measure)(&text, SMALL);
            if x > EDGE && x + width > self.width {
                (x, scene.height) = (EDGE, scene.height + LEGEND_LINE);
            }
            let y = scene.height - LEGEND_LINE / 2.0;
            let area = [x, y - 5.0, x + KEY, y + 5.0];
            match key {
                Key::Role(role) if self.chart.axis.is_log() => scene.point((x + KEY / 2.0, y), role),
                Key::Role(role) => scene.bar(area, Some(role)),
                Key::Rest => scene.bar(area, None),
                Key::Spread => scene.whisker([x + 2.0, x + KEY - 2.0], y, false),
                Key::Ceiling => scene.lines(vec![[(x + KEY / 2.0, y - 7.0), (x + KEY / 2.0, y + 7.0)]], Role::Transfers, 2.0),
            }
            scene.text(text, (x + KEY + GAP / 2.0, y), SMALL, Role::Weak, Anchor::Left);
            x += width + 1.5 * GAP;
        }
        scene
    }
}

/// What a mark of the legend is.
#[derive(Clone, Copy)]
enum Key {
    Role(Role),
    /// What no part of a round trip says.
    Rest,
    Spread,
    /// What GB/s are held to.
    Ceiling,
}

fn line_height(line: &[Piece]) -> f64 {
    line.iter().map(|piece| piece.size).fold(0.0, f64::max) * LINE
}

/// In the failure color only where something failed.
fn problem_role(is_failure: bool) -> Role {
    if is_failure { Role::Failure } else { Role::Weak }
}

fn note(placed: &Placed<'_>) -> Option<(String, Role)> {
    let problem = placed.row.problem.as_ref()?;
    let is_cut = placed.row.bars.kernel.is_none() && placed.reason.iter().any(|line| line.contains('…'));
    is_cut.then(|| (pair(&placed.row.title(), &problem.text), problem_role(problem.is_failure)))
}

/// A row in words: "2 Vectorize, padded+vectorize=5 kernel 1.2 ms, round trip 3 ms", or why there is no time.
fn spoken(row: &Row, quantity: Quantity) -> String {
    let title =
        row.detail.as_ref().map_or_else(|| row.label.clone(), |detail| joined("words.list.items", [row.label.clone(), detail.clone()]));
    let mut parts = vec![match (row.bars.kernel, &row.problem) {
        (Some(span), _) => filled("window.chart.spoken-kernel", &[("title", &title), ("time", &span.text(quantity))]),
        (None, Some(problem)) => format!("{title} {}", problem.text),
        (None, None) => title,
    }];
    parts.extend(row.bars.round_trip.map(|span| filled("window.chart.spoken-trip", &[("time", &span.text(quantity))])));
    let words = [
        (row.is_busy, text("window.chart.busy")),
        (row.is_baseline, text("window.chart.baseline")),
        (row.is_shown, text("window.chart.on-screen")),
    ];
    parts.extend(words.into_iter().filter(|(is_so, _)| *is_so).map(|(_, word)| word.to_owned()));
    parts.join(", ")
}
