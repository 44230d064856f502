//! Two stencils, one after the other, in one kernel: a work-group computes the intermediate pixels around its outputs too, which its neighbors compute as well.

use super::paper::{BEGIN_MS, GAP, Paint, Paper, Places, STEP_MS, WHOLE_MS, frame, thick};
use crate::plot::film::Film;
use crate::plot::palette::Role;
use crate::plot::pattern::hatch;
use crate::plot::scene::{Anchor, Rectangle, Scene, fitted};
use crate::plot::units;
use base::texts::{filled, pair, text};
use std::fmt::Display;
use std::ops::Range;

/// Outputs of a work-group, where there is room and where there is little.
const WIDTHS: [usize; 2] = [16, 8];
/// How far a stencil reads to either side.
const REACH: usize = 1;
/// From this width on there is room for the larger work-group.
const WIDE: f64 = 700.0;
/// From row to row, at most.
const MOST_PITCH: f64 = 124.0;
/// A cell is so wide at most, and so high.
const MOST_CELL: [f64; 2] = [48.0, 40.0];
/// Between two lines of hatching.
const HATCH: f64 = 4.0;

/// A row of a work-group's outputs, and how far each of two stencils reads. Pixels are numbered from the first source pixel that it needs.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) width: usize,
    pub(super) reach: usize,
}

impl Group {
    /// The pixels of its own.
    pub(super) const fn own(self) -> Range<usize> {
        2 * self.reach..2 * self.reach + self.width
    }

    /// What a stencil reads to make these.
    pub(super) const fn read_for(self, made: &Range<usize>) -> Range<usize> {
        made.start.saturating_sub(self.reach)..made.end + self.reach
    }

    /// The intermediate pixels that it computes.
    pub(super) const fn intermediate(self) -> Range<usize> {
        self.read_for(&self.own())
    }

    /// The source pixels that it loads.
    pub(super) const fn source(self) -> Range<usize> {
        self.read_for(&self.intermediate())
    }

    /// How many pixels of a range there are for each output.
    pub(super) fn per_output(self, pixels: &Range<usize>) -> f64 {
        pixels.len() as f64 / self.width.max(1) as f64
    }
}

/// What is needed at one time: pixels of the output, of the intermediate and of the source, where these are known.
#[derive(Clone, Default)]
struct Needed {
    output: Range<usize>,
    intermediate: Range<usize>,
    source: Range<usize>,
    /// The row whose needs are drawn as lines, from the output, 0; `None`: all rows.
    from: Option<usize>,
}

/// A row: its name, its role, what of it is needed.
struct Row<'a> {
    key: &'static str,
    role: Role,
    needed: &'a Range<usize>,
}

fn own(scene: &mut Scene, area: Rectangle, role: Role) {
    scene.fill(area, role, 0.35);
    thick(scene, area, role);
}

/// Beyond the pixels of the group's own.
fn beyond(scene: &mut Scene, area: Rectangle, role: Role) {
    scene.lines(hatch(area, HATCH), role, 1.0);
    thick(scene, area, role);
}

fn draw(scene: &mut Scene, paper: &Paper, [left, top, right, bottom]: Rectangle, group: Group, needed: &Needed) {
    let rows = [
        Row { key: "concepts.halo.source", role: Role::Loaded, needed: &needed.source },
        Row { key: "concepts.halo.intermediate", role: Role::Tile, needed: &needed.intermediate },
        Row { key: "concepts.halo.output", role: Role::Output, needed: &needed.output },
    ];
    let size = paper.text_size();
    let all = group.source();
    // Wide enough for the longest name with its number, which not every frame shows.
    let named = |row: &Row, count: &dyn Display| pair(&text(row.key), count);
    let names = rows.iter().map(|row| (paper.measure)(&named(row, &all.len()), size)).fold(0.0, f64::max).min(0.3 * (right - left)) + GAP;
    let places = Places::new([left + names, right], all.len(), MOST_CELL[0]);
    let pitch = (bottom - top) / rows.len() as f64;
    let height = (0.42 * pitch).min(MOST_CELL[1]);
    let middle = |row: usize| top + pitch * (row as f64 + 0.5);
    let name_left = places.ends(0)[0] - names;
    for (index, row) in rows.iter().enumerate() {
        let y = middle(index) - height / 2.0;
        for place in all.clone() {
            let area = places.cell(place, [y, height]);
            match place {
                _ if !row.needed.contains(&place) => scene.outline(area, Role::Grid),
                _ if group.own().contains(&place) => own(scene, area, row.role),
                _ => beyond(scene, area, row.role),
            }
        }
        let count = row.needed.len();
        let name = if count > 0 { named(row, &count) } else { text(row.key).to_owned() };
        let name = fitted(&name, size, names - GAP, paper.measure);
        let role = if count > 0 { Role::Text } else { Role::Weak };
        scene.text(name, (name_left, middle(index)), size, role, Anchor::Left);
    }
    // What is read, above, for what is made, below.
    for (row, made, read) in [(0, &needed.output, &needed.intermediate), (1, &needed.intermediate, &needed.source)] {
        let is_drawn = needed.from.is_none_or(|from| from == row) && !made.is_empty() && !read.is_empty();
        if is_drawn {
            reads(scene, places, group, [made, read], [middle(1 - row) + height / 2.0, middle(2 - row) - height / 2.0]);
        }
    }
}

/// Lines from what is read to what is made: all of one pixel, the outermost ones of several.
fn reads(scene: &mut Scene, places: Places, group: Group, [made, read]: [&Range<usize>; 2], [from, to]: [f64; 2]) {
    let line = |read: usize, made: usize| [(places.middle(read), from + 1.0), (places.middle(made), to - 1.0)];
    let (Some(first), Some(last)) = (made.clone().next(), made.clone().next_back()) else { return };
    if made.len() == 1 {
        scene.lines(read.clone().map(|read| line(read, first)).collect(), Role::Accent, 1.2);
        return;
    }
    let ends = [(first, read.clone().next()), (last, read.clone().next_back())];
    let outer = ends.into_iter().filter_map(|(made, read)| Some(line(read?, made)));
    let own = [first, last].map(|made| line(made, made));
    let inner = [first + group.reach, last.saturating_sub(group.reach)];
    let inner = [line(inner[0], first), line(inner[1], last)];
    scene.lines(outer.chain(own).chain(inner).collect(), Role::Accent, 1.2);
}

/// The whole figure.
pub(super) fn film(paper: &Paper) -> Film {
    let [large, small] = WIDTHS.map(|width| Group { width, reach: REACH });
    let group = if paper.width < WIDE { small } else { large };
    let key = |role: Role, paint: fn(&mut Scene, Rectangle, Role)| -> Paint { Box::new(move |scene, area| paint(scene, area, role)) };
    let legend =
        paper.legend(vec![(key(Role::Tile, own), text("concepts.halo.own")), (key(Role::Tile, beyond), text("concepts.halo.beyond"))]);
    let area = paper.above(&legend, 3.0 * MOST_PITCH);
    let scene = |needed: &Needed| paper.scene(&legend, |scene| draw(scene, paper, area, group, needed));
    let (outputs, intermediate, source) = (group.own(), group.intermediate(), group.source());
    let reach = || filled("concepts.halo.begin-how", &[("reach", &group.reach)]);
    let begin = [filled("concepts.halo.begin", &[("width", &group.width)]), reach()];
    let mut frames = vec![frame(begin, scene(&Needed { output: outputs.clone(), ..Needed::default() }), BEGIN_MS)];
    let only = |place: usize| place..place + 1;
    let per_output = |key, pixels: &Range<usize>| {
        let ratio = units::number(group.per_output(pixels));
        filled(key, &[("count", &pixels.len()), ("width", &group.width), ("ratio", &ratio)])
    };
    let needs = |key, read: &Range<usize>| filled(key, &[("count", &read.len())]);
    for (key, output) in [
        ("concepts.halo.first", only(outputs.start)),
        ("concepts.halo.last", only(outputs.end.saturating_sub(1))),
        ("concepts.halo.all", outputs.clone()),
    ] {
        let read = group.read_for(&output);
        let then = if output.len() > 1 { per_output("concepts.halo.computed", &intermediate) } else { reach() };
        let lines = [needs(key, &read), then];
        frames.push(frame(lines, scene(&Needed { output, intermediate: read, from: Some(0), ..Needed::default() }), STEP_MS));
    }
    for (key, made) in [
        ("concepts.halo.source-first", only(intermediate.start)),
        ("concepts.halo.source-last", only(intermediate.end.saturating_sub(1))),
        ("concepts.halo.source-all", intermediate.clone()),
    ] {
        let read = group.read_for(&made);
        let then = if made.len() > 1 { per_output("concepts.halo.loaded", &source) } else { reach() };
        let lines = [needs(key, &read), then];
        let needed = Needed { output: outputs.clone(), intermediate: made, source: read, from: Some(1) };
        frames.push(frame(lines, scene(&needed), STEP_MS));
    }
    let ratio = units::number(group.per_output(&intermediate));
    let lines = [
        filled("concepts.halo.whole", &[("ratio", &ratio)]),
        filled("concepts.halo.whole-how", &[("width", &group.width), ("reach", &group.reach)]),
    ];
    frames.push(frame(lines, scene(&Needed { output: outputs, intermediate, source, from: None }), WHOLE_MS));
    Film { frames, told: filled("concepts.halo.told", &[("ratio", &ratio)]) }
}
