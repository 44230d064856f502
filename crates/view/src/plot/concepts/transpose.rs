//! Rows become columns: without a tile, stores go down a column; with one in local memory, loads and stores both go along rows.

use super::paper::{BEGIN_MS, GAP, Paint, Paper, QUICK_MS, STEP_MS, WHOLE_MS, frame, in_cell, thick};
use crate::plot::film::Film;
use crate::plot::palette::Role;
use crate::plot::scene::{Anchor, Point, Rectangle, Scene, fitted};
use base::texts::{filled, text};
use std::collections::BTreeSet;
use std::ops::Range;

/// Pixels along a side, where there is room and where there is little.
const SIDES: [usize; 2] = [8, 4];
/// Cells of the larger one have so many units at least.
const LEAST_CELL: f64 = 26.0;
const MOST_CELL: f64 = 40.0;
/// Rows are moved in so many frames.
const FRAMES: usize = 4;
/// Between two grids.
const APART: f64 = 24.0;

/// A row and a column.
type Place = [usize; 2];

/// A square of pixels, and as many lanes as it has columns. A segment is a row of it.
#[derive(Clone, Copy)]
pub(super) struct Square {
    pub(super) side: usize,
}

impl Square {
    /// The places of one load of the lanes: along a row of the source, or of the output.
    pub(super) fn along(self, row: usize) -> impl Iterator<Item = Place> {
        (0..self.side).map(move |lane| [row, lane])
    }

    /// The places that the lanes store what they loaded along a row of the source to, without a tile.
    pub(super) fn down(self, row: usize) -> impl Iterator<Item = Place> {
        (0..self.side).map(move |lane| [lane, row])
    }

    /// How many segments are touched at once.
    pub(super) fn segments(self, places: impl Iterator<Item = Place>) -> usize {
        places.map(|[row, column]| [row, column / self.side.max(1)]).collect::<BTreeSet<_>>().len()
    }

    /// Segments of the loads, and of the stores without a tile and with one, over so many rows.
    pub(super) fn counts(self, rows: usize) -> Counts {
        let sum = |of: &dyn Fn(usize) -> usize| (0..rows).map(of).sum();
        Counts {
            loads: sum(&|row| self.segments(self.along(row))),
            direct: sum(&|row| self.segments(self.down(row))),
            tiled: sum(&|row| self.segments(self.along(row))),
        }
    }

    /// What the source has at a place.
    const fn number(self, [row, column]: Place) -> usize {
        row * self.side + column
    }

    /// The one of the row that becomes the column.
    fn turned([row, column]: Place) -> Place {
        [column, row]
    }
}

/// Segments touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) loads: usize,
    pub(super) direct: usize,
    pub(super) tiled: usize,
}

/// What is loaded or stored now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Loaded,
    Stored,
}

/// One of the three grids.
struct Grid<'a> {
    key: &'static str,
    /// Which of its places have been filled.
    has: &'a dyn Fn(Place) -> bool,
    /// The place of the source whose pixel lies there.
    of: fn(Place) -> Place,
    mark: &'a dyn Fn(Place) -> Mark,
    kind: Kind,
}

/// What a grid is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Its rows are segments.
    Memory,
    /// In local memory.
    Tile,
    /// The tile, where nothing goes through it.
    Unused,
}

/// Where the grids are.
struct Layout {
    square: Square,
    area: Rectangle,
    cell: f64,
    size: f64,
}

impl Layout {
    fn new(square: Square, paper: &Paper, area: Rectangle) -> Self {
        let [left, top, right, bottom] = area;
        let side = square.side as f64;
        let across = (right - left - 2.0 * APART) / (3.0 * side);
        let down = (bottom - top - paper.line() - GAP) / side;
        Self { square, area, cell: across.min(down).min(MOST_CELL), size: paper.text_size() }
    }

    /// The height of grids that have all the room that they need.
    fn height(square: Square, paper: &Paper) -> f64 {
        let narrow = Self::new(square, paper, [0.0, 0.0, paper.width, f64::INFINITY]);
        paper.line() + GAP + narrow.cell * square.side as f64
    }

    /// The left top corner of a grid, from the left.
    fn corner(&self, index: usize) -> Point {
        let [left, top, right, _] = self.area;
        let side = self.cell * self.square.side as f64;
        let all = 3.0 * side + 2.0 * APART;
        (f64::midpoint(left, right) - all / 2.0 + index as f64 * (side + APART), top + self.size * 1.3 + GAP / 2.0)
    }

    fn grid(&self, scene: &mut Scene, index: usize, grid: &Grid, paper: &Paper) {
        let (left, top) = self.corner(index);
        let side = self.cell * self.square.side as f64;
        let name = fitted(text(grid.key), self.size, side + APART, paper.measure);
        let (role, edge) = match grid.kind {
            Kind::Memory => (Role::Text, Role::Weak),
            Kind::Tile => (Role::Text, Role::Tile),
            Kind::Unused => (Role::Weak, Role::Grid),
        };
        scene.text(name, (left + side / 2.0, self.area[1] + self.size * 0.6), self.size, role, Anchor::Center);
        for row in 0..self.square.side {
            let mut is_touched = false;
            for place in self.square.along(row) {
                let [x, y] = [place[1], place[0]].map(|at| at as f64 * self.cell);
                let area = [left + x, top + y, left + x + self.cell, top + y + self.cell];
                let mark = (grid.mark)(place);
                is_touched |= mark != Mark::None;
                paint(scene, area, mark);
                scene.outline(area, Role::Grid);
                if (grid.has)(place) {
                    let number = self.square.number((grid.of)(place));
                    let role = if mark == Mark::None { Role::Text } else { Role::Strong };
                    in_cell(scene, area, &number.to_string(), role);
                }
            }
            if grid.kind == Kind::Memory && is_touched {
                let y = top + row as f64 * self.cell;
                thick(scene, [left, y, left + side, y + self.cell], Role::Warning);
            }
        }
        scene.outline([left, top, left + side, top + side], edge);
    }

    /// Between the tile and the output: nobody stores before all have loaded.
    fn barrier(&self, scene: &mut Scene) {
        let (left, top) = self.corner(2);
        let x = left - APART / 2.0;
        scene.lines(vec![[(x, top), (x, top + self.cell * self.square.side as f64)]], Role::Strong, 3.0);
    }
}

/// Loaded: filled, with a line along the bottom. Stored: filled, with a falling line.
fn paint(scene: &mut Scene, area @ [left, top, right, bottom]: Rectangle, mark: Mark) {
    match mark {
        Mark::None => {}
        Mark::Loaded => {
            scene.fill(area, Role::Loaded, 0.3);
            scene.fill([left, bottom - 3.0, right, bottom], Role::Loaded, 1.0);
        }
        Mark::Stored => {
            scene.fill(area, Role::Stored, 0.3);
            // Only in the corner: the number stays free.
            let corner = (right - left) / 3.0;
            scene.lines(
                vec![[(left, bottom - corner), (left + corner, bottom)], [(right - corner, top), (right, top + corner)]],
                Role::Stored,
                1.5,
            );
        }
    }
}

/// What is drawn of the three grids at one time.
struct Moment {
    /// Rows that have been loaded into the tile; none: the tile is not used.
    tile: Range<usize>,
    /// Columns of the output without a tile, or its rows with one, that have been stored.
    output: Range<usize>,
    /// The rows that are loaded from the source now.
    loading: Range<usize>,
    /// The columns or rows that are stored now.
    storing: Range<usize>,
    has_tile: bool,
    is_barrier: bool,
}

impl Moment {
    const fn nothing(has_tile: bool) -> Self {
        Self { tile: 0..0, output: 0..0, loading: 0..0, storing: 0..0, has_tile, is_barrier: false }
    }

    fn draw(&self, scene: &mut Scene, layout: &Layout, paper: &Paper) {
        let marked = |is: bool, mark: Mark| if is { mark } else { Mark::None };
        // Without a tile, a row of the source becomes a column; with one, a row of the output is stored at once.
        let stored_by = |[row, column]: Place| if self.has_tile { row } else { column };
        let tile_mark = |[row, column]: Place| match () {
            () if self.has_tile && self.loading.contains(&row) => Mark::Stored,
            () if self.has_tile && self.storing.contains(&column) => Mark::Loaded,
            () => Mark::None,
        };
        let grids = [
            Grid {
                key: "concepts.transpose.source",
                has: &|_| true,
                of: |place| place,
                mark: &|[row, _]| marked(self.loading.contains(&row), Mark::Loaded),
                kind: Kind::Memory,
            },
            Grid {
                key: "concepts.transpose.tile",
                has: &|[row, _]| self.tile.contains(&row),
                of: |place| place,
                mark: &tile_mark,
                kind: if self.has_tile { Kind::Tile } else { Kind::Unused },
            },
            Grid {
                key: "concepts.transpose.output",
                has: &|place| self.output.contains(&stored_by(place)),
                of: Square::turned,
                mark: &|place| marked(self.storing.contains(&stored_by(place)), Mark::Stored),
                kind: Kind::Memory,
            },
        ];
        for (index, grid) in grids.iter().enumerate() {
            layout.grid(scene, index, grid, paper);
        }
        if self.is_barrier {
            layout.barrier(scene);
        }
    }
}

/// Beside the source, the output without a tile and with one: of each, what the lanes store at once.
fn draw_both(scene: &mut Scene, layout: &Layout, paper: &Paper) {
    let down = |[_, column]: Place| if column == 0 { Mark::Stored } else { Mark::None };
    let along = |[row, _]: Place| if row == 0 { Mark::Stored } else { Mark::None };
    let output = |key, mark| Grid { key, has: &|_| true, of: Square::turned, mark, kind: Kind::Memory };
    let grids = [
        Grid { key: "concepts.transpose.source", has: &|_| true, of: |place| place, mark: &|_| Mark::None, kind: Kind::Memory },
        output("concepts.transpose.without", &down),
        output("concepts.transpose.with", &along),
    ];
    for (index, grid) in grids.iter().enumerate() {
        layout.grid(scene, index, grid, paper);
    }
}

/// The square that there is room for.
fn square(paper: &Paper, area: Rectangle) -> Square {
    let [large, small] = SIDES.map(|side| Square { side });
    if Layout::new(large, paper, area).cell < LEAST_CELL { small } else { large }
}

/// The whole figure.
pub(super) fn film(paper: &Paper) -> Film {
    let marks: [(Mark, &'static str); 2] = [(Mark::Loaded, "concepts.transpose.loaded"), (Mark::Stored, "concepts.transpose.stored")];
    let painted = |mark: Mark| -> Paint { Box::new(move |scene, area| paint(scene, area, mark)) };
    let mut entries: Vec<(Paint, &'static str)> = marks.into_iter().map(|(mark, key)| (painted(mark), text(key))).collect();
    entries.push((Box::new(|scene, area| thick(scene, area, Role::Warning)), text("concepts.transpose.segment")));
    let legend = paper.legend(entries);
    let square = square(paper, paper.above(&legend, f64::INFINITY));
    let area = paper.above(&legend, Layout::height(square, paper));
    let layout = Layout::new(square, paper, area);
    let draw = |moment: &Moment| paper.scene(&legend, |scene| moment.draw(scene, &layout, paper));
    let side = square.side;
    let begin = [filled("concepts.transpose.begin", &[("side", &side)]), filled("concepts.transpose.begin-how", &[("side", &side)])];
    let mut frames = vec![frame(begin, draw(&Moment::nothing(false)), BEGIN_MS)];
    let blocks = || (0..FRAMES).map(|block| block * side / FRAMES..(block + 1) * side / FRAMES);
    let lines = |key, done: usize, [loads, stores]: [usize; 2]| {
        [filled(key, &[("done", &done), ("side", &side)]), filled("concepts.transpose.segments", &[("loads", &loads), ("stores", &stores)])]
    };
    for rows in blocks() {
        let Counts { loads, direct, .. } = square.counts(rows.end);
        let lines = lines("concepts.transpose.direct", rows.end, [loads, direct]);
        let moment = Moment { output: 0..rows.end, loading: rows.clone(), storing: rows, ..Moment::nothing(false) };
        frames.push(frame(lines, draw(&moment), STEP_MS));
    }
    for rows in blocks() {
        let lines = lines("concepts.transpose.load", rows.end, [square.counts(rows.end).loads, 0]);
        let moment = Moment { tile: 0..rows.end, loading: rows, ..Moment::nothing(true) };
        frames.push(frame(lines, draw(&moment), QUICK_MS));
    }
    let Counts { loads, direct, tiled } = square.counts(side);
    let full = || Moment { tile: 0..side, ..Moment::nothing(true) };
    let mut waiting = lines("concepts.transpose.load", side, [loads, 0]);
    if let Some(first) = waiting.first_mut() {
        text("concepts.transpose.barrier").clone_into(first);
    }
    frames.push(frame(waiting, draw(&Moment { is_barrier: true, ..full() }), STEP_MS));
    for rows in blocks() {
        let lines = lines("concepts.transpose.store", rows.end, [loads, square.counts(rows.end).tiled]);
        frames.push(frame(lines, draw(&Moment { output: 0..rows.end, storing: rows, ..full() }), QUICK_MS));
    }
    let lines = [("concepts.transpose.whole-direct", direct), ("concepts.transpose.whole-tile", tiled)]
        .map(|(key, stores)| filled(key, &[("loads", &loads), ("stores", &stores)]));
    frames.push(frame(lines, paper.scene(&legend, |scene| draw_both(scene, &layout, paper)), WHOLE_MS));
    Film { frames, told: filled("concepts.transpose.told", &[("direct", &direct), ("tiled", &tiled)]) }
}
