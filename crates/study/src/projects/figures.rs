//! Figures of a search: the best time so far over the trials, and times over two parameters.

use super::trials::{Ending, Trial};
use base::texts::{Words, filled};
use kernels::project::{Project, Value};
use std::collections::BTreeMap;
use view::plot::units::{Unit, time};
use view::plot::{Curve, CurvePoint, Curves, Role, Scale};
use view::story::said;

pub use view::plot::HeatMap;

/// Those of a search that brought a better time than all before them, in nanoseconds.
pub fn improving_of<T>(all: impl IntoIterator<Item = T>, time_ns: impl Fn(&T) -> Option<f64>) -> impl Iterator<Item = T> {
    let mut best = f64::INFINITY;
    all.into_iter().filter(move |one| {
        let better = time_ns(one).filter(|time_ns| *time_ns < best);
        best = better.unwrap_or(best);
        better.is_some()
    })
}

/// The trials that brought a better time than all before them, with their places.
pub fn improving(trials: &[Trial]) -> impl Iterator<Item = (usize, &Trial)> {
    improving_of(trials.iter().enumerate(), |(_, trial)| trial.time_ns())
}

/// A trial that brought a better time: its number, its time between the ends of its interval, and what was tried.
#[must_use]
pub fn improvement(number: usize, [median_ns, low, high]: [f64; 3], label: &str) -> CurvePoint {
    let name = said(|| filled("project.chart.point", &[("number", &number), ("time", &time(median_ns)), ("label", &label)]));
    CurvePoint { x: number as f64, y: median_ns, low, high, name }
}

/// The best time so far, of the trials that brought a better one; the last of so many trials ends the line. `None` where nothing was timed.
#[must_use]
pub fn best_so_far(mut improvements: Vec<CurvePoint>, trials: usize) -> Option<Curves> {
    let last = improvements.last()?.clone();
    if (last.x as usize) < trials {
        improvements.push(CurvePoint { x: trials as f64, ..last });
    }
    let best = Curve { label: Words::text("project.chart.best"), role: Role::Accent, points: improvements, is_stepped: true };
    Some(Curves {
        curves: vec![best],
        titles: ["project.chart.trials", "project.chart.time"].map(Words::text),
        units: [Unit::Count, Unit::Time],
        scale: Scale::Log,
        levels: Vec::new(),
        marks: Vec::new(),
        names: Vec::new(),
    })
}

/// The best time so far, at each trial that brought a better one.
#[must_use]
pub fn progress_chart(project: &Project, trials: &[Trial]) -> Option<Curves> {
    let points = improving(trials).filter_map(|(index, trial)| {
        let Ending::Timed { median_ns, quartiles_ns: [low, high], .. } = trial.ending else { return None };
        Some(improvement(index + 1, [median_ns, low, high], &project.label(&trial.point)))
    });
    best_so_far(points.collect(), trials.len())
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
