//! A waterfall of speed-ups: each stage's bar begins where the one before it ended.

use super::bars::{EDGE, LINE, MOST_OF_WIDTH, SMALL, TEXT};
use super::palette::Role;
use super::scale::{Axis, Scale};
use super::scene::{Anchor, Hit, Measure, Point, Scene, fitted, wrapped};
use super::units;

/// What became of one step.
#[derive(Clone, Debug, PartialEq)]
pub enum Fall {
    /// From one ratio over the first variant to another, with the interval of the second.
    Step {
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
        /// The interval of its end, by the step's own interval.
        ends: [f64; 2],
    },
    /// Why it was not compared; empty while it is awaited.
    None(String),
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct WaterfallRow {
    /// The stage.
    pub label: String,
    /// What became of it.
    pub fall: Fall,
    /// What is written beside the bar.
    pub value: String,
    /// It is the whole and no step.
    pub is_whole: bool,
}

const ROW: f64 = 30.0;
const AXIS: f64 = 20.0;
const GAP: f64 = 8.0;
const LEAST_BARS: f64 = 40.0;

/// Lays the steps out on `width` units, one below the other. Each hit is a row.
#[must_use]
pub fn waterfall(rows: &[WaterfallRow], width: f64, measure: Measure<'_>) -> Scene {
    let mut scene = Scene::new(width, AXIS + ROW * rows.len() as f64);
    let needed = |text: &dyn Fn(&WaterfallRow) -> &str, size: f64| {
        rows.iter().map(|row| measure(text(row), size)).fold(0.0, f64::max).min(width * MOST_OF_WIDTH)
    };
    let names_width = needed(&|row| row.label.as_str(), TEXT);
    let left = EDGE + names_width + GAP;
    let values_left = width - needed(&|row| row.value.as_str(), SMALL);
    let right = (values_left - GAP).max(left + LEAST_BARS);
    let ratios = rows.iter().flat_map(|row| match &row.fall {
        Fall::Step { from, to, ends: [low, high] } => vec![*from, *to, *low, *high],
        Fall::None(_) => Vec::new(),
    });
    let axis = Axis::new(Scale::Log, ratios, Some(1.0));
    let x = |ratio: f64| left + axis.position(ratio) * (right - left);
    let mut free_from = left - 2.0 * GAP;
    for &tick in axis.ticks() {
        let text = units::speed_up(tick);
        let half = measure(&text, SMALL) / 2.0;
        if x(tick) - half >= free_from {
            free_from = x(tick) + half + GAP;
            scene.text(text, (x(tick), AXIS / 2.0), SMALL, Role::Weak, Anchor::Center);
        }
    }
    let upright = |ratio: f64| [(x(ratio), AXIS), (x(ratio), scene.height)];
    let (grid, one) = (axis.ticks().iter().map(|tick| upright(*tick)).collect(), vec![upright(1.0)]);
    scene.lines(grid, Role::Grid, 1.0);
    scene.lines(one, Role::Weak, 1.0);
    for (index, row) in rows.iter().enumerate() {
        let top = AXIS + ROW * index as f64;
        let middle = top + ROW / 2.0;
        let role = if row.is_whole { Role::Strong } else { Role::Text };
        scene.text(fitted(&row.label, TEXT, names_width.max(1.0), measure), (EDGE, middle), TEXT, role, Anchor::Left);
        match &row.fall {
            Fall::Step { from, to, ends } => {
                let [begin, end] = [*from, *to].map(x);
                let is_gain = to >= from;
                let role = match (row.is_whole, is_gain) {
                    (true, _) => Role::Accent,
                    (false, true) => Role::Device,
                    (false, false) => Role::Warning,
                };
                scene.fill([begin.min(end), middle - 7.0, begin.max(end).max(begin.min(end) + 1.0), middle + 7.0], role, 1.0);
                scene.whisker(ends.map(x), middle, false);
                // On to where the next one begins.
                if rows.get(index + 1).is_some_and(|next| !next.is_whole && matches!(next.fall, Fall::Step { .. })) {
                    scene.lines(vec![[(end, middle + 7.0), (end, middle + ROW - 7.0)]], Role::Weak, 1.0);
                }
                lines(&mut scene, &row.value, (values_left, middle), width - values_left, Role::Strong, measure);
            }
            Fall::None(why) => {
                lines(&mut scene, why, (left + GAP, middle), width - left - GAP, Role::Weak, measure);
            }
        }
        let said = match &row.fall {
            Fall::Step { .. } => &row.value,
            Fall::None(why) => why,
        };
        let name = if said.is_empty() { row.label.clone() } else { format!("{}: {said}", row.label) };
        scene.hits.push(Hit { area: [0.0, top, width, top + ROW], index, name });
    }
    scene
}

/// Text from its left end on, within so many units: on two lines at most, around the middle.
fn lines(scene: &mut Scene, text: &str, (left, middle): Point, width: f64, role: Role, measure: Measure<'_>) {
    let lines = wrapped(text, SMALL, width, 2, measure);
    let first = middle - (lines.len() - 1) as f64 * SMALL * LINE / 2.0;
    for (line, text) in lines.into_iter().enumerate() {
        scene.text(text, (left, first + line as f64 * SMALL * LINE), SMALL, role, Anchor::Left);
    }
}

#[cfg(test)]
mod tests {
    use super::{Fall, WaterfallRow, waterfall};
    use crate::plot::{Role, Scene, Shape};
    use crate::testing::measure;

    fn row(label: &str, fall: Fall, is_whole: bool) -> WaterfallRow {
        WaterfallRow { label: label.into(), fall, value: "2×".into(), is_whole }
    }

    fn step(from: f64, to: f64) -> Fall {
        Fall::Step { from, to, ends: [to * 0.9, to * 1.1] }
    }

    fn bars(scene: &Scene) -> Vec<(Role, [f64; 4])> {
        let bar = |item: &crate::plot::Item| if let Shape::Fill(area, _) = item.shape { Some((item.role, area)) } else { None };
        scene.items.iter().filter_map(bar).collect()
    }

    #[test]
    fn each_bar_begins_where_the_one_before_ended() {
        let rows = [
            row("padded", step(1.0, 2.0), false),
            row("merged", step(2.0, 1.6), false),
            row("short16", Fall::None("needs vectors".into()), false),
            row("whole", step(1.0, 1.7), true),
        ];
        let scene = waterfall(&rows, 600.0, &measure);
        let [(gain, first), (loss, second), (whole, last)] = bars(&scene)[..] else { panic!("three bars: {scene:?}") };
        assert_eq!((gain, loss, whole), (Role::Device, Role::Warning, Role::Accent));
        assert!((first[2] - second[2]).abs() < 1e-9, "the loss goes back from where the gain ended");
        assert!((first[0] - last[0]).abs() < 1e-9 && last[2] < first[2], "the whole begins at 1");
        assert!(scene.texts().any(|text| text == "needs vectors"));
        assert_eq!(scene.hits[2].name, "short16: needs vectors");
        assert!(bars(&waterfall(&[], 600.0, &measure)).is_empty());
    }
}
