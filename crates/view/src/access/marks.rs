//! The marks of the access picture, and what they mean: each has a color and a pattern of its own.

use super::Question;
use super::drawing::SMALL;
use super::grid::{Pixel, Touch};
use crate::plot::{Anchor, Measure, Point, Rectangle, Role, Scene, Segment};
use base::texts::text;
use std::collections::BTreeSet;

/// The frame of what a work-group or sub-group makes.
pub const FRAME: Role = Role::Pixel([0; 3]);

/// Lines with a light edge, as photos may be dark.
pub fn framed(scene: &mut Scene, edges: Vec<Segment>, role: Role, line: f64) {
    scene.lines(edges.clone(), Role::Pixel([255; 3]), line + 2.0);
    scene.lines(edges, role, line);
}

/// Something that is painted into a cell.
type Painted = Box<dyn Fn(&mut Scene, Rectangle)>;

/// A cell that is not part of the picture.
pub fn dashed(scene: &mut Scene, [left, top, right, bottom]: Rectangle, cell: f64) {
    let dash = cell / 3.0;
    let lines = vec![
        [(left, top), (left + dash, top)],
        [(right - dash, top), (right, top)],
        [(left, bottom), (left + dash, bottom)],
        [(left, top), (left, top + dash)],
        [(left, bottom - dash), (left, bottom)],
    ];
    scene.lines(lines, Role::Weak, 1.0);
}

/// The edges of cells whose neighbor is not in the set.
pub fn frame(set: &BTreeSet<Pixel>, is_shown: &dyn Fn(&Pixel) -> bool, area: &dyn Fn(Pixel) -> Rectangle) -> Vec<Segment> {
    let mut lines = Vec::new();
    for &pixel @ [x, y] in set.iter().filter(|pixel| is_shown(pixel)) {
        let [left, top, right, bottom] = area(pixel);
        let edges: [(Pixel, Segment); 4] = [
            ([x, y - 1], [(left, top), (right, top)]),
            ([x, y + 1], [(left, bottom), (right, bottom)]),
            ([x - 1, y], [(left, top), (left, bottom)]),
            ([x + 1, y], [(right, top), (right, bottom)]),
        ];
        lines.extend(edges.into_iter().filter(|(neighbor, _)| !set.contains(neighbor)).map(|(_, edge)| edge));
    }
    lines
}

/// A cell that is touched: own loads with a dot, own stores with a falling line, what other lanes load too with rising lines and their number.
pub fn mark(scene: &mut Scene, area @ [left, top, right, bottom]: Rectangle, touch: &Touch, is_store: bool) {
    let (cell, center) = (right - left, (f64::midpoint(left, right), f64::midpoint(top, bottom)));
    if !touch.own {
        let role = if is_store { Role::Stored } else { Role::Loaded };
        scene.fill(area, role, 0.22);
        return number(scene, touch.others.first().copied().unwrap_or(0), center, cell);
    }
    if is_store {
        scene.fill(area, Role::Stored, 0.35);
        return scene.lines(vec![[(left, top), (right, bottom)]], Role::Stored, 1.5);
    }
    scene.fill(area, Role::Loaded, 0.45);
    if touch.by_tile {
        let (x, y) = (left + cell / 3.0, top + cell / 3.0);
        let grid = vec![
            [(x, top), (x, bottom)],
            [(x + cell / 3.0, top), (x + cell / 3.0, bottom)],
            [(left, y), (right, y)],
            [(left, y + cell / 3.0), (right, y + cell / 3.0)],
        ];
        scene.lines(grid, Role::Tile, 1.0);
    }
    if touch.others.is_empty() {
        scene.dot(center, (cell / 6.0).max(1.0), Role::Loaded);
    } else {
        let half = cell / 2.0;
        scene.fill([left, top, right, bottom], Role::Shared, 0.35);
        scene.lines(vec![[(left, bottom - half), (left + half, top)], [(left + half, bottom), (right, top + half)]], Role::Shared, 1.0);
        number(scene, touch.others.len(), center, cell);
    }
}

/// A number, where the cell has room for it.
pub fn number(scene: &mut Scene, number: usize, center: Point, cell: f64) {
    let size = if number > 99 { cell * 0.4 } else { cell * 0.55 };
    if size >= 5.0 {
        // Black on a light plate, whatever the photo is like.
        let ((x, y), text) = (center, number.to_string());
        let half = (text.len() as f64 * size * 0.32).min(cell / 2.0);
        scene.fill([x - half, y - size * 0.55, x + half, y + size * 0.55], Role::Pixel([255; 3]), 0.7);
        scene.text(text, center, size, Role::Pixel([0; 3]), Anchor::Center);
    }
}

/// What the marks mean; those of the tile, where there is one.
pub fn legend(question: &Question, has_tile: bool, width: f64, measure: Measure<'_>) -> Scene {
    const CELL: f64 = 14.0;
    let one = |own, others: &[usize], by_tile| Touch { own, by_tile, others: others.iter().copied().collect() };
    let marked = |touch: Touch, is_store: bool| -> Painted { Box::new(move |scene, area| mark(scene, area, &touch, is_store)) };
    let box_of = |role: Role, line: f64| -> Painted {
        Box::new(move |scene, [left, top, right, bottom]| {
            let edges = vec![
                [(left, top), (right, top)],
                [(right, top), (right, bottom)],
                [(right, bottom), (left, bottom)],
                [(left, bottom), (left, top)],
            ];
            framed(scene, edges, role, line);
        })
    };
    let is_alone = question.is_loop && question.sub_group <= 1;
    let together = if question.is_loop { "access.legend.turn" } else { "access.legend.sub-group" };
    let mut entries: Vec<(Painted, &'static str)> = vec![(box_of(Role::Output, 3.0), "access.legend.own")];
    if !is_alone {
        entries.push((box_of(FRAME, 1.0), together));
    }
    entries.push((box_of(FRAME, 2.5), "access.legend.group"));
    entries.push((marked(one(true, &[], false), false), "access.legend.loads"));
    if !is_alone {
        entries.push((marked(one(true, &[6, 8], false), false), "access.legend.shared"));
        entries.push((marked(one(false, &[7], false), false), "access.legend.other"));
    }
    if question.is_loop {
        let turn: Painted =
            Box::new(|scene, [left, top, right, bottom]| number(scene, 7, (f64::midpoint(left, right), f64::midpoint(top, bottom)), CELL));
        entries.push((turn, "access.legend.number"));
    }
    entries.push((marked(one(true, &[], false), true), "access.legend.stores"));
    entries.push((Box::new(|scene, area| scene.fill(area, Role::Grid, 0.6)), "access.legend.unused"));
    entries.push((Box::new(|scene, area| dashed(scene, area, CELL)), "access.legend.beyond"));
    if has_tile {
        entries.push((marked(one(true, &[], true), false), "access.legend.from-tile"));
        entries.push((Box::new(|scene, area| scene.fill(area, Role::Tile, 0.18)), "access.legend.tile"));
        let cross: Painted = Box::new(|scene, [left, top, right, bottom]| {
            scene.lines(vec![[(left, top), (right, bottom)], [(left, bottom), (right, top)]], Role::Conflict, 1.5);
        });
        entries.push((cross, "access.legend.conflict"));
    }
    let mut scene = Scene::new(width, 0.0);
    scene.keys(entries.into_iter().map(|(paint, key)| (paint, text(key))), [CELL; 2], SMALL, measure);
    scene
}
