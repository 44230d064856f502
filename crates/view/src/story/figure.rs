//! Charts of a story: what is measured, in words without a language. They are laid out when they are painted, for a width and a way to measure text.

use super::Cell;
use crate::plot::{Curves, Fall, HeatMap, Measure, Scene, WaterfallRow, curves, heat_map, units, waterfall};
use base::texts::{Words, filled, text};
use model::measure::Comparison;
use serde::{Deserialize, Serialize};

/// A chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Measured points with their intervals, over an axis of amounts.
    Curves(Curves),
    /// Times over two things that were chosen.
    Map(HeatMap),
    /// Speed-ups on the way from one variant to another, and of the whole as it was compared at once.
    Waterfall {
        /// From the first to the last.
        steps: Vec<Step>,
        /// All of them at once.
        whole: Cell,
    },
}

/// A step of a waterfall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name.
    pub label: Words,
    /// What it is worth over the one before.
    pub worth: Cell,
}

impl Figure {
    /// Laid out on `width` × `height` units.
    #[must_use]
    pub fn scene(&self, [width, height]: [f64; 2], measure: Measure<'_>) -> Scene {
        match self {
            Self::Curves(data) => curves(data, [width, height], measure),
            Self::Map(data) => heat_map(data, width, measure),
            Self::Waterfall { steps, whole } => waterfall(&rows(steps, whole), width, measure),
        }
    }
}

/// Each step begins where the one before it ended, and the whole at one.
pub(super) fn rows(steps: &[Step], whole: &Cell) -> Vec<WaterfallRow> {
    let mut from = Some(1.0);
    let mut rows: Vec<WaterfallRow> = Vec::new();
    for Step { label, worth } in steps {
        let fall = fall(worth, from);
        from = if let Fall::Step { to, .. } = fall { Some(to) } else { None };
        rows.push(WaterfallRow { label: label.to_string(), fall, value: value(worth), is_whole: false });
    }
    let label = text("studies.ablation.whole").to_owned();
    rows.push(WaterfallRow { label, fall: fall(whole, Some(1.0)), value: value(whole), is_whole: true });
    rows
}

fn fall(worth: &Cell, from: Option<f64>) -> Fall {
    match (worth, from) {
        (Cell::Compared(Comparison { ratio, low, high, .. }, _), Some(from)) => {
            Fall::Step { from, to: from * ratio, ends: [from * low, from * high] }
        }
        (Cell::Refused(why), _) => Fall::None(filled("studies.ablation.not-compared", &[("why", why)])),
        // What was not compared begins nothing.
        _ => Fall::None(String::new()),
    }
}

/// "1.50× (1.40–1.60)", empty where it was not compared.
fn value(worth: &Cell) -> String {
    if let Cell::Compared(comparison, is_busy) = worth { units::with_note(&units::comparison(comparison), *is_busy) } else { String::new() }
}
