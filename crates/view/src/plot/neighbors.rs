//! The small drawings of a filter's windows: one square for each neighbor, with what it counts.

use super::palette::Role;
use super::scene::{Anchor, Measure, Scene, wrapped};
use base::texts;
use kernels::filters::Grid;

/// The side of a cell lies between these, in units.
const CELL: [f64; 2] = [6.0, 34.0];

/// So wide is the widest grid.
const WIDEST: f64 = 286.0;

/// Between grids that stand beside each other.
const GAP: f64 = 26.0;

/// Font sizes of numbers and captions.
const SIZES: [f64; 2] = [11.0, 12.5];

/// Lays grids out, beside each other where `width` units have room for that.
#[must_use]
pub fn neighbors(grids: &[Grid], width: f64, measure: Measure<'_>) -> Scene {
    let mut all = Scene::new(width, 0.0);
    let (mut left, mut row) = (0.0, Scene::new(width, 0.0));
    for scene in grids.iter().map(|grid| grid_scene(grid, measure)) {
        if left > 0.0 && left + scene.width > width {
            all.below(std::mem::replace(&mut row, Scene::new(width, 0.0)), 0.0);
            left = 0.0;
        }
        let (right, height) = (left + scene.width + GAP, row.height.max(scene.height));
        row.beside(scene, left);
        (left, row.height) = (right, height);
    }
    all.below(row, 0.0);
    all
}

/// One grid with its caption.
fn grid_scene(grid: &Grid, measure: Measure<'_>) -> Scene {
    let side = (WIDEST / grid.columns.max(1) as f64).clamp(CELL[0], CELL[1]);
    let (width, height) = (side * grid.columns as f64, side * grid.rows() as f64);
    let caption = texts::find(&format!("filters.grid.{}", grid.caption)).unwrap_or_default();
    let lines = wrapped(caption, SIZES[1], width.max(120.0), 4, measure);
    let widest = lines.iter().map(|line| measure(line, SIZES[1])).fold(width, f64::max);
    let mut scene = Scene::new(widest, height + 10.0 + 16.0 * lines.len() as f64);
    let most = grid.cells.iter().flatten().map(|count| count.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let at = |index: usize| {
        let (column, row) = (index % grid.columns.max(1), index / grid.columns.max(1));
        [column as f64 * side, row as f64 * side, (column + 1) as f64 * side, (row + 1) as f64 * side]
    };
    for (index, count) in grid.cells.iter().enumerate().filter_map(|(index, count)| Some((index, (*count)?))) {
        let role = if count < 0.0 { Role::Cpu } else { Role::Device };
        // The root makes small weights visible; under a number the color stays faint.
        let share = (count.abs() / most).sqrt() * if grid.has_numbers { 0.35 } else { 0.8 };
        scene.fill(at(index), role, share);
        scene.outline(at(index), Role::Grid);
        if grid.has_numbers {
            let [left, top, ..] = at(index);
            scene.text(Grid::written(count), (left + side / 2.0, top + side / 2.0), SIZES[0], Role::Text, Anchor::Center);
        }
    }
    if let Some([column, row]) = grid.center {
        scene.outline(at(row * grid.columns + column), Role::Accent);
    }
    for (line, text) in lines.into_iter().enumerate() {
        scene.text(text, (0.0, height + 14.0 + 16.0 * line as f64), SIZES[1], Role::Weak, Anchor::Left);
    }
    scene
}

#[cfg(test)]
mod tests {
    use super::neighbors;
    use crate::testing::measure;
    use kernels::filters::FilterIdExt as _;
    use kernels::filters::Grid;
    use model::{FilterId, Parameters};

    #[test]
    fn numbers_are_drawn_and_grids_stand_beside_each_other_where_there_is_room() {
        let of = |filter: &kernels::filters::Filter| (filter.drawing)(&Parameters::default());
        let scene = neighbors(&of(FilterId::Laplace.filter()), 400.0, &measure);
        assert_eq!(scene.texts().take(9).collect::<Vec<_>>(), ["−1", "−1", "−1", "−1", "9", "−1", "−1", "−1", "−1"]);
        let two = of(FilterId::Sobel.filter());
        let (beside, below) = (neighbors(&two, 400.0, &measure), neighbors(&two, 150.0, &measure));
        assert!(below.height > 1.8 * beside.height, "{} and {}", below.height, beside.height);
        assert_eq!(neighbors(&[Grid::itself()], 400.0, &measure).texts().next(), Some("1"));
    }
}
