//! Figures of a search: the best time so far over the trials, and times over two parameters.

use super::trials::{Ending, Trial};
use base::texts::{Words, filled};
use kernels::project::{Project, Value};
use std::collections::BTreeMap;
use view::plot::units::{Unit, time};
use view::plot::{Curve, CurvePoint, Curves, Role, Scale};
use view::story::said;

pub use view::plot::HeatMap;

/// The trials that brought a better time than all before them.
pub fn improving(trials: &[Trial]) -> impl Iterator<Item = (usize, &Trial)> {
    let mut best = f64::INFINITY;
    trials.iter().enumerate().filter(move |(_, trial)| {
        let is_better = trial.time_ns().is_some_and(|time_ns| time_ns < best);
        if is_better {
            best = trial.time_ns().unwrap_or(best);
        }
        is_better
    })
}

/// The best time so far, at each trial that brought a better one; the last trial ends the line. `None` where nothing was timed.
#[must_use]
pub fn progress_chart(project: &Project, trials: &[Trial]) -> Option<Curves> {
    let mut points: Vec<CurvePoint> = Vec::new();
    for (index, trial) in improving(trials) {
        let Ending::Timed { median_ns, quartiles_ns: [low, high], .. } = trial.ending else { continue };
        let (number, label) = (index + 1, project.label(&trial.point));
        let name = said(|| filled("project.chart.point", &[("number", &number), ("time", &time(median_ns)), ("label", &label)]));
        points.push(CurvePoint { x: number as f64, y: median_ns, low, high, name });
    }
    let last = points.last()?.clone();
    if (last.x as usize) < trials.len() {
        points.push(CurvePoint { x: trials.len() as f64, ..last });
    }
    Some(Curves {
        curves: vec![Curve { label: Words::text("project.chart.best"), role: Role::Accent, points, is_stepped: true }],
        titles: ["project.chart.trials", "project.chart.time"].map(Words::text),
        units: [Unit::Count, Unit::Time],
        scale: Scale::Log,
        levels: Vec::new(),
        marks: Vec::new(),
        names: Vec::new(),
    })
}

/// For each pair of values of two parameters, the best time of all trials that have them; `None` of a cell in which none was right. Behind it, for each cell, the index
/// of the trial with that time. The two are indices.
#[must_use]
pub fn heat_map(project: &Project, trials: &[Trial], [across, down]: [usize; 2]) -> Option<(HeatMap, Vec<Option<usize>>)> {
    let (x, y) = (project.parameters.get(across)?, project.parameters.get(down)?);
    let mut fastest: BTreeMap<[usize; 2], Option<(f64, usize)>> = BTreeMap::new();
    for (index, trial) in trials.iter().enumerate() {
        let place = [*trial.point.get(across)?, *trial.point.get(down)?];
        let known = fastest.entry(place).or_default();
        let timed = trial.time_ns().map(|time_ns| (time_ns, index));
        *known = known.iter().copied().chain(timed).min_by(|one, other| one.0.total_cmp(&other.0));
    }
    let names = |values: &[Value]| values.iter().map(Value::to_string).collect();
    let map = HeatMap {
        // The line above says which is which.
        corner: Words::from(""),
        xs: names(&x.values),
        ys: names(&y.values),
        cells: fastest.iter().map(|(place, known)| (*place, known.map(|(time_ns, _)| time_ns))).collect(),
        lines: vec![said(|| filled("project.chart.map", &[("across", &x.name), ("down", &y.name)]))],
    };
    Some((map, fastest.into_values().map(|known| known.map(|(_, index)| index)).collect()))
}
