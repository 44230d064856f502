//! Times over two things that were chosen, such as the two dimensions of a local work size: a color for how much longer than the best one each choice takes.

use super::palette::Role;
use super::scene::{Anchor, Measure, Scene};
use super::units;
use base::texts::{Words, text};
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeatMap {
    /// What the rows and the columns are.
    pub corner: Words,
    /// Names of the columns.
    pub xs: Vec<String>,
    /// Names of the rows.
    pub ys: Vec<String>,
    /// Column and row, with the best time in nanoseconds that was measured there; `None` where it cannot run.
    pub cells: Vec<([usize; 2], Option<f64>)>,
    /// What is told above.
    pub lines: Vec<Words>,
}

const TEXT: f64 = 12.0;
const SMALL: f64 = 10.5;
const CELL: [f64; 2] = [66.0, 26.0];
const GAP: f64 = 4.0;
/// The least room for the names of rows.
const HEADS: f64 = 60.0;

/// Lays the map out, as wide as its columns need and no narrower than `least_width`.
#[must_use]
pub fn heat_map(map: &HeatMap, least_width: f64, measure: Measure<'_>) -> Scene {
    let [cell_width, cell_height] = CELL;
    let widest = map.ys.iter().map(|name| measure(name, TEXT)).fold(0.0, f64::max);
    let heads = HEADS.max(widest + 2.0 * GAP);
    let left = |column: usize| heads + column as f64 * (cell_width + GAP);
    let width = left(map.xs.len()).max(least_width);
    let mut scene = Scene::new(width, 0.0);
    for line in &map.lines {
        scene.paragraph(&line.to_string(), (0.0, width), TEXT, Role::Text, measure);
    }
    legend(&mut scene, measure);
    let best = map.cells.iter().filter_map(|(_, time)| *time).min_by(f64::total_cmp);
    let top = scene.height + cell_height;
    scene.text(map.corner.to_string(), (0.0, scene.height + cell_height / 2.0), SMALL, Role::Weak, Anchor::Left);
    for (column, x) in map.xs.iter().enumerate() {
        scene.text(x.clone(), (left(column) + cell_width / 2.0, scene.height + cell_height / 2.0), TEXT, Role::Weak, Anchor::Center);
    }
    for (row, y) in map.ys.iter().enumerate() {
        let upper = top + row as f64 * (cell_height + GAP);
        let middle = upper + cell_height / 2.0;
        scene.text(y.clone(), (heads - 2.0 * GAP, middle), TEXT, Role::Weak, Anchor::Right);
        for column in 0..map.xs.len() {
            let Some((_, time)) = map.cells.iter().find(|(place, _)| *place == [column, row]) else { continue };
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
    use super::{HeatMap, LEGEND, heat_map, strength};
    use crate::plot::{Form, Heading, Role, Shape, heat_map_file};
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
        let cells = vec![([0, 0], Some(100e3)), ([1, 0], Some(50e3)), ([0, 1], None)];
        let [xs, ys] = [["8", "16"], ["1", "2"]].map(|names| names.map(str::to_owned).to_vec());
        let map = HeatMap { corner: "".into(), xs, ys, cells, lines: vec!["Best: 16 × 1".into()] };
        let scene = heat_map(&map, 100.0, &measure);
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
        let svg = String::from_utf8(heat_map_file(Form::Svg, &heading, &map).expect("a file")).expect("text");
        assert!(svg.contains("Laplace sharpen") && svg.contains("50 µs") && svg.contains("Best: 16 × 1"));
    }
}
