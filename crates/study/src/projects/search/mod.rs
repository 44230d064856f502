//! In which order the points of a search space are tried, so that few trials find a fast one.
//!
//! A search proposes points and is told what became of them; it knows nothing of kernels or devices. The same seed and the same answers give the same order.

mod gaussian;
mod guided;
mod local;
#[cfg(test)]
mod measured_tests;

use guided::Guided;
use local::Local;
use std::collections::BTreeMap;

/// Points of a search space: each has one value (its rank among the parameter's values, from 0) for each parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// How many values each parameter has.
    pub counts: Vec<usize>,
    /// The allowed points only.
    pub points: Vec<Vec<usize>>,
}

/// What is known of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    /// Its time in nanoseconds, more than 0. What is not a time counts as failed.
    Time(f64),
    /// It cannot be used: it does not build, or gives a wrong result.
    Failed,
}

/// How the next point is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// In the order of the space.
    All,
    /// Any that was not tried, each as likely as the others.
    Random,
    /// That of which a model of the times expects most.
    #[default]
    Guided,
    /// From a point to a faster neighbor, as long as there is one.
    LocalSearch,
}

impl Strategy {
    /// All, as they are listed.
    pub const ALL: [Self; 4] = [Self::All, Self::Random, Self::Guided, Self::LocalSearch];

    /// As on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Random => "random",
            Self::Guided => "guided",
            Self::LocalSearch => "local-search",
        }
    }
}

/// Below so many times, importance would be chance.
const LEAST_FOR_IMPORTANCE: usize = 8;

/// A search through a space.
#[derive(Clone, Debug)]
pub struct Search {
    trials: Trials,
    strategy: Strategy,
    /// Tried before the strategy has its say.
    first: Option<usize>,
    guided: Guided,
    local: Local,
}

impl Search {
    /// Of a space, by a strategy; `first` is the index of the default point, which is tried first.
    #[must_use]
    pub fn new(space: Space, strategy: Strategy, first: Option<usize>, seed: u64) -> Self {
        Self { trials: Trials::new(space, seed), strategy, first, guided: Guided::default(), local: Local::default() }
    }

    /// The next point to try, by index into the space's points; `None` when all were tried.
    #[expect(clippy::should_implement_trait, reason = "an iterator's adapters would hold the search, which must be told of each point")]
    pub fn next(&mut self) -> Option<usize> {
        let trials = &mut self.trials;
        let first = self.first.take().filter(|first| trials.is_free(*first));
        let point = first.or_else(|| match self.strategy {
            Strategy::All => trials.free().next(),
            Strategy::Random => trials.any_free(),
            Strategy::Guided => self.guided.next(trials),
            Strategy::LocalSearch => self.local.next(trials),
        })?;
        trials.give(point);
        Some(point)
    }

    /// Tells what became of a point, also of one from an earlier run that is resumed: it is not given again. Of what is told twice, the last counts.
    pub fn tell(&mut self, point: usize, seen: Seen) {
        self.trials.tell(point, seen);
    }

    /// The fastest point so far, with its time.
    #[must_use]
    pub fn best(&self) -> Option<(usize, f64)> {
        self.trials.best()
    }

    /// Which share of the variance of the logarithms of the times each parameter explains, from 0 to 1, of what was tried; `None` with too few times.
    ///
    /// It is ω² of an analysis of variance by that parameter alone (Hays 1963, "Statistics for Psychologists"; Olejnik and Algina 2003): with k groups and n times,
    /// (between − (k − 1) · within / (n − k)) / (total + within / (n − k)) of sums of squares. The share of the sums alone, η², would credit a parameter of many values with
    /// what chance explains. Shares add up to less than 1 where parameters act together, and may add up to more where the points were not spread evenly: a search that looks
    /// near the best sees less of what is far away.
    #[must_use]
    pub fn importance(&self) -> Option<Vec<f64>> {
        let logs = self.trials.logs();
        let times: Vec<(&[usize], f64)> = logs.iter().map(|(point, log)| (self.trials.ranks(*point), *log)).collect();
        explained(&times, self.trials.space.counts.len())
    }
}

/// See [`Search::importance`]: of points with the logarithms of their times, the share that each of so many parameters explains.
#[must_use]
pub fn explained(times: &[(&[usize], f64)], parameters: usize) -> Option<Vec<f64>> {
    let n = times.len() as f64;
    if times.len() < LEAST_FOR_IMPORTANCE {
        return None;
    }
    let mean = times.iter().map(|(_, log)| log).sum::<f64>() / n;
    let total = times.iter().map(|(_, log)| (log - mean).powi(2)).sum::<f64>();
    let share = |parameter: usize| {
        let mut groups = BTreeMap::<_, (f64, f64)>::new();
        for (point, log) in times {
            let group = groups.entry(point.get(parameter)).or_default();
            *group = (group.0 + 1.0, group.1 + log - mean);
        }
        let between = groups.values().map(|(count, sum)| sum * sum / count).sum::<f64>();
        let k = groups.len() as f64;
        let within = (total - between).max(0.0) / (n - k);
        let omega = (between - (k - 1.0) * within) / (total + within);
        // Not a number where each group has one time, or all times are the same: nothing is explained then.
        if omega.is_finite() { omega.clamp(0.0, 1.0) } else { 0.0 }
    };
    Some((0..parameters).map(share).collect())
}

/// What was given and told.
#[derive(Clone, Debug)]
struct Trials {
    space: Space,
    /// What is known of each point.
    states: Vec<State>,
    /// Points in the order in which they were first told.
    told: Vec<usize>,
    /// How often what had been told was replaced.
    replaced: usize,
    best: Option<(usize, f64)>,
    random: fastrand::Rng,
}

/// What is known of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Free,
    Given,
    Told(Seen),
}

impl Trials {
    fn new(space: Space, seed: u64) -> Self {
        let states = vec![State::Free; space.points.len()];
        Self { space, states, told: Vec::new(), replaced: 0, best: None, random: fastrand::Rng::with_seed(seed) }
    }

    fn give(&mut self, point: usize) {
        self.states.get_mut(point).into_iter().for_each(|state| *state = State::Given);
    }

    fn tell(&mut self, point: usize, seen: Seen) {
        let Some(state) = self.states.get_mut(point) else { return };
        let seen = if matches!(seen, Seen::Time(time) if time.is_finite() && time > 0.0) { seen } else { Seen::Failed };
        match std::mem::replace(state, State::Told(seen)) {
            State::Told(before) => self.replaced += usize::from(before != seen),
            State::Free | State::Given => self.told.push(point),
        }
        let times = self.told.iter().filter_map(|point| Some((*point, self.time(*point)?)));
        self.best = times.min_by(|a, b| a.1.total_cmp(&b.1));
    }

    const fn best(&self) -> Option<(usize, f64)> {
        self.best
    }

    fn time(&self, point: usize) -> Option<f64> {
        let Some(State::Told(Seen::Time(time))) = self.states.get(point) else { return None };
        Some(*time)
    }

    /// The logarithms of the times, in the order in which they were told.
    fn logs(&self) -> Vec<(usize, f64)> {
        self.told.iter().filter_map(|point| Some((*point, self.time(*point)?.ln()))).collect()
    }

    fn is_free(&self, point: usize) -> bool {
        self.states.get(point) == Some(&State::Free)
    }

    fn free(&self) -> impl Iterator<Item = usize> {
        self.states.iter().enumerate().filter(|(_, state)| **state == State::Free).map(|(point, _)| point)
    }

    fn any_free(&mut self) -> Option<usize> {
        let nth = self.random.usize(..self.free().count().max(1));
        self.free().nth(nth)
    }

    fn ranks(&self, point: usize) -> &[usize] {
        self.space.points.get(point).map_or(&[], Vec::as_slice)
    }

    /// The points that differ in so many parameters at most.
    fn around(&self, point: usize, most: usize) -> Vec<usize> {
        let ranks = self.ranks(point);
        let differing = |other: &[usize]| ranks.iter().zip(other).filter(|(a, b)| a != b).count();
        let near = self.space.points.iter().enumerate().filter(|(_, other)| (1..=most).contains(&differing(other)));
        near.map(|(other, _)| other).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Search, Seen, Space, Strategy};

    /// All points of parameters with so many values.
    fn all_of(counts: &[usize]) -> Space {
        let with = |points: Vec<Vec<usize>>, count: &usize| {
            points.iter().flat_map(|point| (0..*count).map(move |rank| [point.as_slice(), &[rank]].concat())).collect()
        };
        Space { counts: counts.to_vec(), points: counts.iter().fold(vec![vec![]], with) }
    }

    /// Goes on until the end or so many trials; the points in the order in which they were given.
    fn run(search: &mut Search, most: usize, seen: &dyn Fn(usize) -> Seen) -> Vec<usize> {
        let mut given = Vec::new();
        while let Some(point) = (given.len() < most).then(|| search.next()).flatten() {
            search.tell(point, seen(point));
            given.push(point);
        }
        given
    }

    /// Not in order, and every fifth fails.
    fn scattered(point: usize) -> Seen {
        if point % 5 == 3 { Seen::Failed } else { Seen::Time(1.0 + ((point * 37) % 101) as f64) }
    }

    #[test]
    fn every_strategy_gives_each_point_once_and_the_default_first() {
        for strategy in Strategy::ALL {
            let space = all_of(&[4, 1, 3, 5]);
            let mut search = Search::new(space.clone(), strategy, Some(23), 1);
            let mut given = run(&mut search, usize::MAX, &scattered);
            assert_eq!(given.first(), Some(&23), "{strategy:?}");
            assert_eq!(search.best(), Some((0, 1.0)), "{strategy:?}");
            given.sort_unstable();
            assert_eq!(given, (0..60).collect::<Vec<_>>(), "{strategy:?}");
            // Also where nothing works, all take as long, nothing is ever told, or there is nothing.
            for same in [Seen::Failed, Seen::Time(5.0)] {
                let given = run(&mut Search::new(space.clone(), strategy, None, 1), usize::MAX, &|_| same);
                assert_eq!(given.len(), 60, "{strategy:?} {same:?}");
            }
            let mut untold = Search::new(space.clone(), strategy, Some(60), 1);
            assert_eq!(std::iter::from_fn(|| untold.next()).take(100).count(), 60, "{strategy:?}");
            assert_eq!(Search::new(Space::default(), strategy, Some(0), 1).next(), None, "{strategy:?}");
        }
    }

    #[test]
    fn the_seed_decides() {
        for strategy in Strategy::ALL {
            let of = |seed| run(&mut Search::new(all_of(&[4, 3, 5, 2]), strategy, Some(7), seed), 60, &scattered);
            assert_eq!(of(3), of(3), "{strategy:?}");
            assert_eq!(of(3) == of(4), strategy == Strategy::All, "{strategy:?}");
        }
    }

    #[test]
    fn what_is_resumed_is_not_given_again() {
        for strategy in Strategy::ALL {
            let mut search = Search::new(all_of(&[4, 3, 5]), strategy, Some(23), 1);
            (20..50).for_each(|point| search.tell(point, scattered(point)));
            search.tell(60, Seen::Time(0.5));
            let mut given = run(&mut search, usize::MAX, &scattered);
            given.sort_unstable();
            assert_eq!(given, (0..20).chain(50..60).collect::<Vec<_>>(), "{strategy:?}");
        }
    }

    #[test]
    fn what_is_told_again_replaces_and_what_is_no_time_has_failed() {
        let mut search = Search::new(all_of(&[4, 3, 5]), Strategy::Guided, None, 1);
        run(&mut search, 30, &scattered);
        search.tell(0, Seen::Time(1.0));
        assert_eq!(search.best(), Some((0, 1.0)));
        search.tell(0, Seen::Time(50.0));
        search.tell(1, Seen::Time(0.5));
        assert_eq!(search.best(), Some((1, 0.5)));
        for no_time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            search.tell(1, Seen::Time(no_time));
            assert!(search.best().is_some_and(|(point, time)| point > 1 && time >= 1.0), "{no_time}");
        }
        let rest = run(&mut search, usize::MAX, &scattered);
        assert!((28..=30).contains(&rest.len()) && !rest.contains(&0) && !rest.contains(&1), "{}", rest.len());
    }

    /// Work-group sides, work per item in both directions, a flag: 812 points, of which those with large tiles fail. Cliffs as on GPUs: of groups that do not
    /// fill warps of 32, and of too many registers.
    fn stencil() -> (Space, Vec<Option<f64>>) {
        let mut space = all_of(&[7, 6, 4, 4, 2]);
        let of = |point: &[usize]| [point[0], point[1], point[2], point[3]].map(|rank| f64::from(1_u32 << rank));
        space.points.retain(|point| (5..=8).contains(&(point[0] + point[1])));
        let time = |point: &Vec<usize>| {
            let [x, y, across, down] = of(point);
            let (items, work) = (x * y, across * down);
            let registers = items * (16.0 + 4.0 * work);
            let halo = (x * across + 2.0) * (y * down + 2.0) / (items * work);
            let local = point[4] == 1;
            let memory = if local { 1.3 + halo } else { 1.0 + 2.0 * halo } * (1.0 + 8.0 / x) * if local { 1.0 } else { 1.0 + across / 8.0 };
            let compute = (2.0 + 2.0 / work) * if items < 64.0 { 1.5 } else { 1.0 } * if registers > 8000.0 { 1.4 } else { 1.0 };
            (registers < 16000.0).then_some(1000.0 * (memory.max(compute) + 0.3 * memory.min(compute)))
        };
        let times = space.points.iter().map(time).collect();
        (space, times)
    }

    /// Within 2 % or so, always the same for a point.
    fn scatter(point: usize, time: f64) -> Seen {
        Seen::Time(time * (0.98 + 0.04 * fastrand::Rng::with_seed(point as u64).f64()))
    }

    #[test]
    fn guided_finds_the_best_in_a_tenth_of_the_trials_and_random_does_not() {
        let (space, times) = stencil();
        let failed = times.iter().filter(|time| time.is_none()).count();
        let best = times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let near = times.iter().flatten().filter(|time| **time < 1.03 * best).count();
        println!("{} points, {failed} fail, {near} within 3 %", times.len());
        assert!(failed * 10 > times.len() && near * 100 < times.len(), "{failed} and {near} of {}", times.len());
        let found = |strategy| {
            let within = |seed: &u64| {
                let mut search = Search::new(space.clone(), strategy, Some(0), *seed);
                run(&mut search, times.len() / 10, &|point| times[point].map_or(Seen::Failed, |time| scatter(point, time)));
                search.best().and_then(|(point, _)| times[point]).is_some_and(|time| time < 1.03 * best)
            };
            (0..10).filter(within).count()
        };
        let (guided, random) = (found(Strategy::Guided), found(Strategy::Random));
        println!("guided {guided}, random {random} of 10");
        assert!(guided >= 8 && random <= 6, "guided {guided}, random {random} of 10");
    }

    #[test]
    fn guided_tries_less_of_what_fails() {
        let space = all_of(&[8, 8, 8]);
        // A quarter that would be ever faster, were it possible.
        let sum = |point: usize| space.points[point].iter().sum::<usize>();
        let failed = |point: usize| space.points[point][0] > 5;
        let seen = |point: usize| if failed(point) { Seen::Failed } else { scatter(point, 100.0 / (4.0 + sum(point) as f64)) };
        let count = |seed| {
            let given = run(&mut Search::new(space.clone(), Strategy::Guided, Some(0), seed), 60, &seen);
            given.iter().filter(|point| failed(**point)).count()
        };
        let counts: Vec<_> = (0..5).map(count).collect();
        println!("{counts:?} of 60 failed");
        assert!(counts.iter().sum::<usize>() < 170, "{counts:?}");
    }

    #[test]
    fn local_search_goes_downhill() {
        let space = all_of(&[9, 9, 9]);
        let time = |point: usize| {
            space.points[point].iter().zip([3, 7, 1]).map(|(rank, best)| rank.abs_diff(best).pow(2) as f64).sum::<f64>() + 1.0
        };
        for seed in 0..10 {
            let mut search = Search::new(space.clone(), Strategy::LocalSearch, Some(0), seed);
            // Of 24 neighbors at each of the three steps or a few more.
            run(&mut search, 130, &|point| Seen::Time(time(point)));
            assert_eq!(search.best().map(|(_, time)| time), Some(1.0), "{seed}");
        }
    }

    /// Logarithms 2a + c of all points of three flags a, b, c: the mean is 1.5, the total of squares 8 · 1 + 8 · 0.25 = 10. Of a, 8 are between, 2 / 6 are within:
    /// (8 − 1/3) / (10 + 1/3) = 23/31. Of c, 2 and 8 / 6: (2 − 4/3) / (10 + 4/3) = 1/17. Of b, less than nothing.
    #[test]
    fn importance_by_hand() {
        let space = all_of(&[2, 2, 2]);
        let mut search = Search::new(space.clone(), Strategy::All, None, 0);
        let time = |point: usize| Seen::Time((2.0 * space.points[point][0] as f64 + space.points[point][2] as f64).exp());
        run(&mut search, 7, &time);
        assert_eq!(search.importance(), None);
        run(&mut search, 1, &time);
        let importance = search.importance().expect("enough times");
        for (importance, by_hand) in importance.iter().zip([23.0 / 31.0, 0.0, 1.0 / 17.0]) {
            assert!((importance - by_hand).abs() < 1e-12, "{importance} instead of {by_hand}");
        }
        let mut same = Search::new(space, Strategy::All, None, 0);
        run(&mut same, 8, &|_| Seen::Time(3.0));
        assert_eq!(same.importance(), Some(vec![0.0; 3]));
    }
}
