//! Figures of a search: the best time so far over the trials, and times over two parameters.

use super::trials::Trial;
use base::texts::{Words, filled};
use kernels::project::{Project, Value};
use view::plot::units::{Unit, time};
use view::plot::{Curve, CurvePoint, Curves, Role, Scale};
use view::story::said;

pub use view::plot::HeatMap;

/// The best time so far, at each trial that brought a better one; the last trial ends the line. `None` where nothing was timed.
#[must_use]
pub fn progress_chart(project: &Project, trials: &[Trial]) -> Option<Curves> {
    let mut points: Vec<CurvePoint> = Vec::new();
    let mut best = f64::INFINITY;
    let point = |number: usize, y: f64, ends: [f64; 2], name: Words| CurvePoint { x: number as f64, y, low: ends[0], high: ends[1], name };
    let mut last: Option<([f64; 2], Words)> = None;
    for (number, trial) in (1..).zip(trials) {
        let super::Ending::Timed { median_ns, quartiles_ns, .. } = trial.ending else { continue };
        if median_ns >= best {
            continue;
        }
        best = median_ns;
        let label = project.label(&trial.point);
        let name = said(|| filled("project.chart.point", &[("number", &number), ("time", &time(median_ns)), ("label", &label)]));
        points.push(point(number, median_ns, quartiles_ns, name.clone()));
        last = Some((quartiles_ns, name));
    }
    let (ends, name) = last?;
    if points.last().is_some_and(|last| (last.x as usize) < trials.len()) {
        points.push(point(trials.len(), best, ends, name));
    }
    Some(Curves {
        curves: vec![Curve { label: Words::text("project.chart.best"), role: Role::Accent, points, is_stepped: true }],
        titles: ["project.chart.trials", "project.chart.time"].map(Words::text),
        units: [Unit::Count, Unit::Time],
        scale: Scale::Log,
        levels: Vec::new(),
        marks: Vec::new(),
    })
}

/// For each pair of values of two parameters, the best time of all trials that have them; `None` of a cell in which none was right. The two are indices.
#[must_use]
pub fn heat_map(project: &Project, trials: &[Trial], [across, down]: [usize; 2]) -> Option<HeatMap> {
    let (x, y) = (project.parameters.get(across)?, project.parameters.get(down)?);
    let mut cells: Vec<([usize; 2], Option<f64>)> = Vec::new();
    for trial in trials {
        let place = [*trial.point.get(across)?, *trial.point.get(down)?];
        let time_ns = trial.time_ns();
        match cells.iter_mut().find(|(known, _)| *known == place) {
            Some((_, best)) => *best = best.iter().copied().chain(time_ns).min_by(f64::total_cmp),
            None => cells.push((place, time_ns)),
        }
    }
    let names = |values: &[Value]| values.iter().map(Value::to_string).collect();
    Some(HeatMap {
        // The line above says which is which.
        corner: Words::from(""),
        xs: names(&x.values),
        ys: names(&y.values),
        cells,
        lines: vec![said(|| filled("project.chart.map", &[("across", &x.name), ("down", &y.name)]))],
    })
}
