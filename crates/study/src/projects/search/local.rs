//! Greedy iterated local search with first improvement.
//!
//! Schoonhoven, van Werkhoven, Batenburg 2022, "Benchmarking optimization algorithms for auto-tuning GPU kernels", found it among the best with few and with many
//! trials. From a point it goes to the first neighbor, in random order, that is faster; where none is, it goes on from a point that differs from the best such place in
//! one or two parameters, or from anywhere.

use super::Trials;

/// In how many of the jumps one goes anywhere.
const RESTART_EVERY: usize = 10;

/// Where the search is.
#[derive(Clone, Debug, Default)]
pub(super) struct Local {
    /// The point whose neighbors are tried.
    at: Option<usize>,
    /// The fastest point found so far that has no faster neighbor, with its time.
    home: Option<(usize, f64)>,
}

impl Local {
    /// A point that was not given yet, where there is one.
    pub(super) fn next(&mut self, trials: &mut Trials) -> Option<usize> {
        self.at = self.at.or_else(|| trials.best().map(|(point, _)| point));
        // Ends, as each turn goes to a faster point.
        while let Some((at, time)) = self.at.and_then(|at| Some((at, trials.time(at)?))) {
            let (mut free, mut faster) = (Vec::new(), None);
            for near in trials.around(at, 1) {
                match trials.time(near) {
                    Some(other) if faster.is_none_or(|(_, fastest)| other < fastest) && other < time => faster = Some((near, other)),
                    _ if trials.is_free(near) => free.push(near),
                    _ => (),
                }
            }
            if let Some((near, _)) = faster {
                self.at = Some(near);
            } else if let Some(near) = trials.random.choice(free) {
                return Some(near);
            } else {
                self.home = self.home.filter(|home| home.1 <= time).or(Some((at, time)));
                break;
            }
        }
        // The last jump failed, or no neighbor is left.
        self.at = self.jump(trials);
        self.at
    }

    /// A point near home, or now and then any.
    fn jump(&self, trials: &mut Trials) -> Option<usize> {
        let home = self.home.or_else(|| trials.best()).filter(|_| trials.random.usize(..RESTART_EVERY) > 0);
        let mut near = home.map(|(home, _)| trials.around(home, 2)).unwrap_or_default();
        near.retain(|point| trials.is_free(*point));
        trials.random.choice(near).or_else(|| trials.any_free())
    }
}
