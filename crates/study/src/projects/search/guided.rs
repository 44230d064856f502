//! Bayesian optimization: a model of the times says of which point most is to be expected.
//!
//! As Willemsen, van Nieuwpoort, van Werkhoven 2021, "Bayesian Optimization for auto-tuning GPU kernels", for the discrete spaces of tuners: only points of the space are
//! considered, none twice, and those that cannot be used are left out of the model instead of getting a made-up time. A second
//! model, of what works, keeps away from where points fail. The model is of logarithms, as what parameters do to
//! times mostly multiplies.

use super::gaussian::{Gaussian, Shape};
use super::{State, Trials};

/// Before there is a model, so many points for each parameter are timed, and so many at least.
const FIRST_EACH: usize = 2;
const FIRST: usize = 8;
/// Of so many random points, the one that is farthest from the others is tried then.
const SPREAD_AMONG: usize = 100;
/// Each so many-th proposal is a neighbor of the best point, whatever the model says: it may be wrong about a cliff next to the best.
const NEIGHBOR_EVERY: usize = 4;
/// Of larger spaces, only so many points are considered, drawn anew with each fit, and those around so many of the best ones.
const MOST_CONSIDERED: usize = 5000;
const DRAWN: usize = 4000;
const BEST: usize = 5;
/// The model is made anew when so many times more was told, or so many more. Failures count, too: where proposals only fail,
/// what works must be learned.
const REFIT: f64 = 1.5;
const REFIT_AFTER: usize = 200;
/// A new model has so many observations, half of them the fastest, as what it takes grows with the square of their number; its shape is sought with so many, as that grows with
/// the cube.
const MOST_OBSERVED: usize = 300;
const MOST_FITTED: usize = 150;
/// How much an expectation counts where a point may fail: its likelihood to work, to this power. Products alone go on trying what is far outside and would be very fast.
const CAUTION: i32 = 4;
/// No point is ruled out by the model.
const LEAST_LIKELY: f64 = 0.01;

/// What is known of the times, and how many points were proposed.
#[derive(Clone, Debug, Default)]
pub(super) struct Guided {
    model: Option<Model>,
    proposals: usize,
}

/// A model of what had been told.
#[derive(Clone, Debug)]
struct Model {
    shape: Shape,
    process: Gaussian,
    /// Of all that was told: 1 where it works, 0 where it failed.
    works_shape: Shape,
    works: Gaussian,
    /// Which points the candidates of both are, in their order.
    candidates: Vec<usize>,
    is_candidate: Vec<bool>,
    /// How many of what was told it knows, and how many times had been replaced.
    told: usize,
    replaced: usize,
    /// At how many of what was told it is made anew.
    refit_at: usize,
    best: Option<usize>,
}

impl Guided {
    /// A point that was not given yet, where there is one.
    pub(super) fn next(&mut self, trials: &mut Trials) -> Option<usize> {
        self.proposals += 1;
        let logs = trials.logs();
        let parameters = trials.space.counts.iter().filter(|count| **count > 1).count();
        let Some((best, fastest)) = trials.best().filter(|_| logs.len() >= FIRST.max(FIRST_EACH * parameters)) else {
            return spread(trials);
        };
        if self.proposals.is_multiple_of(NEIGHBOR_EVERY) {
            let free = trials.around(best, 1).into_iter().filter(|point| trials.is_free(*point)).collect::<Vec<_>>();
            if let Some(point) = trials.random.choice(free) {
                return Some(point);
            }
        }
        let model = match self.model.take() {
            Some(mut model) if trials.told.len() < model.refit_at && model.replaced == trials.replaced => {
                model.follow(trials);
                model
            }
            old => Model::new(trials, logs, old.as_ref()),
        };
        self.model.insert(model).most_expected(trials, fastest.ln()).or_else(|| trials.any_free())
    }
}

/// Of some random points, the one that is farthest from all that were given, so that the first ones are everywhere.
fn spread(trials: &mut Trials) -> Option<usize> {
    let among: Vec<_> = (0..SPREAD_AMONG).map_while(|_| trials.any_free()).collect();
    let given: Vec<_> = trials.states.iter().zip(&trials.space.points).filter(|(state, _)| **state != State::Free).collect();
    let scales = scales(trials);
    let least = |point: usize| given.iter().map(|(_, other)| distance(trials.ranks(point), other, &scales)).fold(f64::INFINITY, f64::min);
    among.into_iter().map(|point| (least(point), point)).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, point)| point)
}

/// What a difference of one rank is of each parameter's range.
fn scales(trials: &Trials) -> Vec<f64> {
    trials.space.counts.iter().map(|count| 1.0 / count.saturating_sub(1).max(1) as f64).collect()
}

/// The sum of the differences, in ranges.
fn distance(a: &[usize], b: &[usize], scales: &[f64]) -> f64 {
    a.iter().zip(b).zip(scales).map(|((a, b), scale)| a.abs_diff(*b) as f64 * scale).sum()
}

impl Model {
    /// Of all that was told, with its logarithms, its shape sought from an earlier one.
    fn new(trials: &mut Trials, mut logs: Vec<(usize, f64)>, earlier: Option<&Self>) -> Self {
        let mut points: Vec<_> = trials.free().collect();
        if points.len() > MOST_CONSIDERED {
            trials.random.shuffle(&mut points);
            points.truncate(DRAWN);
        }
        logs.sort_by(|a, b| a.1.total_cmp(&b.1));
        let observed: Vec<_> = logs.iter().map(|(point, log)| (trials.ranks(*point), *log)).collect();
        let fitted: Vec<_> = every_few(&observed, MOST_FITTED).collect();
        let told: Vec<_> = trials.told.iter().map(|point| (trials.ranks(*point), works(trials, *point))).collect();
        let told_fitted: Vec<_> = every_few(&told, MOST_FITTED).collect();
        let shape = Shape::fitted(earlier.map(|model| &model.shape), &trials.space.counts, &fitted);
        let works_shape = Shape::fitted(earlier.map(|model| &model.works_shape), &trials.space.counts, &told_fitted);
        let mut model = Self {
            process: Gaussian::new(&shape, &trials.space.counts),
            shape,
            works: Gaussian::new(&works_shape, &trials.space.counts),
            works_shape,
            candidates: Vec::new(),
            is_candidate: vec![false; trials.states.len()],
            told: trials.told.len(),
            replaced: trials.replaced,
            refit_at: ((told.len() as f64 * REFIT) as usize).clamp(told.len() + 1, told.len() + REFIT_AFTER),
            best: trials.best().map(|(point, _)| point),
        };
        for point in points {
            model.consider(trials, point);
        }
        logs.iter().take(BEST).for_each(|(point, _)| model.consider_around(trials, *point));
        let (fast, slow) = observed.split_at(observed.len().min(MOST_OBSERVED / 2));
        for (ranks, log) in fast.iter().copied().chain(every_few(slow, MOST_OBSERVED / 2)) {
            model.process.observe(ranks, log);
        }
        for (ranks, works) in every_few(&told, MOST_OBSERVED) {
            model.works.observe(ranks, works);
        }
        model
    }

    /// Takes what was told since.
    fn follow(&mut self, trials: &Trials) {
        for point in trials.told.iter().skip(self.told) {
            if let Some(time) = trials.time(*point) {
                self.process.observe(trials.ranks(*point), time.ln());
            }
            self.works.observe(trials.ranks(*point), works(trials, *point));
        }
        self.told = trials.told.len();
        let best = trials.best().map(|(point, _)| point);
        if let Some(point) = best.filter(|_| best != self.best) {
            self.consider_around(trials, point);
            self.best = best;
        }
    }

    /// Also considers the neighbors of a point.
    fn consider_around(&mut self, trials: &Trials, point: usize) {
        trials.around(point, 1).into_iter().filter(|near| trials.is_free(*near)).for_each(|near| self.consider(trials, near));
    }

    /// Also considers a point, once.
    fn consider(&mut self, trials: &Trials, point: usize) {
        if let Some(is) = self.is_candidate.get_mut(point).filter(|is| !**is) {
            *is = true;
            self.candidates.push(point);
            self.works.consider(trials.ranks(point).to_vec());
            self.process.consider(trials.ranks(point).to_vec());
        }
    }

    /// The free candidate with the largest expected improvement, times how likely it is to work.
    fn most_expected(&self, trials: &Trials, fastest: f64) -> Option<usize> {
        let predictions = self.process.predictions().zip(self.works.predictions());
        let free = self.candidates.iter().zip(predictions).filter(|(point, _)| trials.is_free(**point));
        let expected = free.map(|(point, ([mean, deviation], [works, _]))| {
            let caution = works.clamp(LEAST_LIKELY, 1.0).powi(CAUTION);
            (caution * expected_improvement(fastest - mean, deviation), -mean, *point)
        });
        // Where nothing is expected of any, the one that looks fastest.
        expected.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|(.., point)| point)
    }
}

/// 1 where a point that was told works, 0 where it failed.
fn works(trials: &Trials, point: usize) -> f64 {
    if trials.time(point).is_some() { 1.0 } else { 0.0 }
}

/// So many of them at most, from all over.
fn every_few<T: Copy>(all: &[T], most: usize) -> impl Iterator<Item = T> {
    all.iter().copied().step_by(all.len().div_ceil(most).max(1))
}

/// By how much a normally distributed value is below a limit on average, counting 0 where it is above: Jones, Schonlau, Welch 1998.
fn expected_improvement(below: f64, deviation: f64) -> f64 {
    if deviation <= 0.0 {
        return below.max(0.0);
    }
    let z = below / deviation;
    let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
    (below * normal_share(z) + deviation * density).max(0.0)
}

/// Which share of a standard normal distribution is below: by the complementary error function of Press, Teukolsky, Vetterling, Flannery 1992, "Numerical Recipes in C",
/// 6.2, whose relative error is below 1.2e-7 everywhere; it matters far from the middle.
fn normal_share(z: f64) -> f64 {
    const FACTORS: [f64; 10] = [
        0.170_872_77,
        -0.822_152_23,
        1.488_515_87,
        -1.135_203_98,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_68,
        -1.265_512_23,
    ];
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + x / 2.0);
    let share = t * (FACTORS.iter().fold(0.0, |sum, factor| sum * t + factor) - x * x).exp() / 2.0;
    if z < 0.0 { share } else { 1.0 - share }
}

#[cfg(test)]
mod tests {
    use super::super::{Search, Seen, Space, Strategy};
    use super::{expected_improvement, normal_share};

    /// As in tables; by hand, φ(3) − 3 Φ(−3) = 0.004431848 − 3 · 0.001349898.
    #[test]
    fn shares_and_expectations_are_those_of_tables() {
        for (z, share) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.0, 0.158_655_254), (-3.0, 1.349_898e-3), (-6.0, 9.865_876e-10)] {
            assert!((normal_share(z) / share - 1.0).abs() < 1e-6, "{} at {z}", normal_share(z));
        }
        let cases = [(0.0, 1.0, 0.398_942_28), (1.0, 1.0, 1.083_315_47), (-3.0, 1.0, 3.821_54e-4), (-6.0, 2.0, 7.643_08e-4)];
        for (below, deviation, expected) in cases {
            let is = expected_improvement(below, deviation);
            assert!((is / expected - 1.0).abs() < 1e-5, "{is} instead of {expected}");
        }
        for (below, expected) in [(0.5, 0.5), (-0.5, 0.0)] {
            assert!((expected_improvement(below, 0.0) - expected).abs() < 1e-12, "{below}");
        }
    }

    #[test]
    fn what_was_replaced_is_learned_anew() {
        let points = (0..60_usize).map(|point| vec![point % 10, point / 10]).collect();
        let mut search = Search::new(Space { counts: vec![10, 6], points }, Strategy::Guided, None, 1);
        (0..20).for_each(|point| search.tell(point, Seen::Time(10.0 + point as f64)));
        let learned = |search: &mut Search| {
            // One of two proposals at least is the model's.
            assert_eq!((0..2).filter_map(|_| search.next()).count(), 2);
            search.guided.model.as_ref().map(|model| (model.told, model.replaced))
        };
        assert_eq!(learned(&mut search), Some((20, 0)));
        search.tell(20, Seen::Failed);
        assert_eq!(learned(&mut search), Some((21, 0)));
        search.tell(3, Seen::Time(100.0));
        assert_eq!(learned(&mut search), Some((21, 1)));
    }
}
