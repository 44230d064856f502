//! Times over local work sizes: dimension 0 across and dimension 1 down, a color for how much longer than the best one a size takes.

use super::palette::Role;
use super::scene::{Anchor, Measure, Scene};
use super::units;
use base::texts::text;

/// What takes so many times as long as the best one has the weakest color, however much longer it takes: one slow size must not make all others look alike.
pub const SLOWEST: f64 = 4.0;

/// Ratios in the legend: steps of the same size on the scale of the colors.
pub const LEGEND: [f64; 5] = [1.0, 1.4, 2.0, 2.8, SLOWEST];

/// How much of the color the slowest size has, and the fastest.
const STRENGTHS: [f64; 2] = [0.05, 0.85];

/// From 1 for the best to 0 for what takes [`SLOWEST`] times as long and more, on a logarithmic scale.
fn strength(ratio: f64) -> f64 {
    (1.0 - ratio.max(1.0).ln() / SLOWEST.ln()).max(0.0)
}

/// How much of the color a size has that takes `ratio` times as long as the best one, from 0 to 1.
#[must_use]
pub fn size_opacity(ratio: f64) -> f64 {
    let [weak, strong] = STRENGTHS;
    weak + (strong - weak) * strength(ratio)
}

/// "1.4×", and for the last one "≥ 4×".
#[must_use]
pub fn size_legend(ratio: f64) -> String {
    if ratio < SLOWEST { format!("{ratio}×") } else { format!("≥ {ratio}×") }
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SizeMap {
    /// Work-items in dimension 0, in the order of the columns.
    pub xs: Vec<usize>,
    /// And in dimension 1, in the order of the rows.
    pub ys: Vec<usize>,
    /// Each size with the median of its kernel times in nanoseconds; `None` where it cannot run.
    pub cells: Vec<([usize; 2], Option<f64>)>,
    /// What is told above.
    pub lines: Vec<String>,
}

const TEXT: f64 = 12.0;
const SMALL: f64 = 10.5;
const CELL: [f64; 2] = [66.0, 26.0];
const GAP: f64 = 4.0;
const HEADS: f64 = 60.0;

/// Lays the map out, as wide as its columns need and no narrower than `least_width`.
#[must_use]
pub fn size_map(map: &SizeMap, least_width: f64, measure: Measure<'_>) -> Scene {
    let [cell_width, cell_height] = CELL;
    let left = |column: usize| HEADS + column as f64 * (cell_width + GAP);
    let width = left(map.xs.len()).max(least_width);
    let mut scene = Scene::new(width, 0.0);
    for line in &map.lines {
        scene.paragraph(line, (0.0, width), TEXT, Role::Text, measure);
    }
    legend(&mut scene, measure);
    let best = map.cells.iter().filter_map(|(_, time)| *time).min_by(f64::total_cmp);
    let top = scene.height + cell_height;
    scene.text(text("studies.tune.corner"), (0.0, scene.height + cell_height / 2.0), SMALL, Role::Weak, Anchor::Left);
    for (column, x) in map.xs.iter().enumerate() {
        scene.text(x.to_string(), (left(column) + cell_width / 2.0, scene.height + cell_height / 2.0), TEXT, Role::Weak, Anchor::Center);
    }
    for (row, y) in map.ys.iter().enumerate() {
        let upper = top + row as f64 * (cell_height + GAP);
        let middle = upper + cell_height / 2.0;
        scene.text(y.to_string(), (HEADS - 2.0 * GAP, middle), TEXT, Role::Weak, Anchor::Right);
        for (column, x) in map.xs.iter().enumerate() {
            let Some((_, time)) = map.cells.iter().find(|(size, _)| size == &[*x, *y]) else { continue };
            let area = [left(column), upper, left(column) + cell_width, upper + cell_height];
            let center = (area[0] + cell_width / 2.0, middle);
            match (time, best) {
                (Some(time), Some(best)) => {
                    scene.fill(area, Role::Accent, size_opacity(time / best));
                    scene.text(units::time(*time), center, TEXT, Role::Strong, Anchor::Center);
                    if *time <= best {
                        scene.outline(area, Role::Strong);
                    }
                }
                _ => scene.text("–", center, TEXT, Role::Weak, Anchor::Center),
            }
        }
    }
    scene.height = top + map.ys.len() as f64 * (cell_height + GAP);
    scene
}

fn legend(scene: &mut Scene, measure: Measure<'_>) {
    scene.paragraph(text("studies.tune.legend"), (0.0, scene.width), SMALL, Role::Text, measure);
    let words = LEGEND.map(size_legend);
    let paint = |ratio: f64| move |scene: &mut Scene, area| scene.fill(area, Role::Accent, size_opacity(ratio));
    scene.keys(LEGEND.into_iter().map(paint).zip(words.iter().map(String::as_str)), [26.0, 14.0], SMALL, measure);
}

#[cfg(test)]
mod tests {
    use super::{LEGEND, SizeMap, size_map, strength};
    use crate::plot::{Form, Heading, Role, Shape, size_map_file};
    use crate::testing::measure;

    #[test]
    fn an_outlier_leaves_the_others_their_colors() {
        // 43, 77, 181 and 2100 µs.
        let strengths = [43.0, 77.0, 181.0, 2100.0].map(|time| strength(time / 43.0));
        assert!(strengths[0] >= 1.0 && strengths[3] <= 0.0, "{strengths:?}");
        assert!(strengths[1] > 0.5 && strengths[1] < 0.7 && strengths[2] < 0.05, "{strengths:?}");
        // A reading below the best one's cannot be; it would not leave the scale.
        assert!(strength(0.5) >= 1.0 && strength(0.5) <= 1.0);
    }

    #[test]
    fn colors_of_the_legend_are_equally_far_apart() {
        let steps: Vec<f64> = LEGEND.windows(2).map(|pair| strength(pair[0]) - strength(pair[1])).collect();
        assert!(steps.iter().all(|step| (step - 0.25).abs() < 0.02), "{steps:?}");
    }

    #[test]
    fn each_size_has_its_place_and_the_best_one_a_frame() {
        let cells = vec![([8, 1], Some(100e3)), ([16, 1], Some(50e3)), ([8, 2], None)];
        let map = SizeMap { xs: vec![8, 16], ys: vec![1, 2], cells, lines: vec!["Best: 16 × 1".to_owned()] };
        let scene = size_map(&map, 100.0, &measure);
        let at = |wanted: &str| {
            scene.items.iter().find_map(|item| match &item.shape {
                Shape::Text { text, at, .. } if text == wanted => Some(*at),
                _ => None,
            })
        };
        let (slow, best, none) = (at("100 µs").expect("a cell"), at("50 µs").expect("a cell"), at("–").expect("a cell"));
        let alike = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(alike(slow.1, best.1) && slow.0 < best.0 && alike(none.0, slow.0) && none.1 > slow.1, "{slow:?}, {best:?}, {none:?}");
        let frames: Vec<_> =
            scene.items.iter().filter(|item| item.role == Role::Strong && matches!(item.shape, Shape::Outline(_))).collect();
        let [frame] = frames[..] else { panic!("one frame: {frames:?}") };
        assert!(matches!(frame.shape, Shape::Outline([left, _, right, _]) if left < best.0 && best.0 < right));
        let heading = Heading { title: "Laplace sharpen".into(), lines: vec!["Test device".into()] };
        let svg = String::from_utf8(size_map_file(Form::Svg, &heading, &map).expect("a file")).expect("text");
        assert!(svg.contains("Laplace sharpen") && svg.contains("50 µs") && svg.contains("Best: 16 × 1"));
    }
}
