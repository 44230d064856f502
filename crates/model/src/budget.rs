//! How long to measure.

use serde::{Deserialize, Serialize};

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Untimed runs at least.
    pub warmup_runs: usize,
    /// Untimed time at least.
    pub warmup_ns: u64,
    /// Time to sample for; at least `min_samples` are taken whatever it costs.
    pub sample_ns: u64,
    /// Fewest samples.
    pub min_samples: usize,
    /// Most samples.
    pub max_samples: usize,
    /// Sample over one pair of buffers instead of several in turn: the figures are then those of a warm cache, and are labelled so.
    pub warm_cache: bool,
    /// In how many processes a comparison is repeated, each started anew: its time is shared out among them. Where the code, the buffers and the stack lie
    /// moves from one process to the next, and no number of runs within one shows it. 1: its interval is of one run of the program, and is told so.
    #[serde(default = "one")]
    pub starts: usize,
}

/// What was measured before there was a choice.
const fn one() -> usize {
    1
}

impl Budget {
    /// For searches over many candidates: a median that guides, in a few milliseconds. Of a kernel that takes [`Self::LONG_RUN_NS`] the run that was checked is
    /// reading enough: five more would be seconds, and the microseconds that a first run loses do not show.
    pub const GLANCE: Self =
        Self { warmup_runs: 1, warmup_ns: 5_000_000, sample_ns: 20_000_000, min_samples: 5, max_samples: 50, warm_cache: false, starts: 1 };

    /// For what was measured that many times already and is still undecided: four times as long, then sixteen times.
    #[must_use]
    pub fn again(self, times: usize) -> Self {
        let longer = 4_u64.saturating_pow(u32::try_from(times.clamp(1, 2)).unwrap_or(1));
        Self { sample_ns: self.sample_ns.saturating_mul(longer), max_samples: self.max_samples.saturating_mul(2), ..self }
    }

    /// A kernel that takes so long needs no second run to guide a search: five times as long as all samples of a glance.
    pub const LONG_RUN_NS: u64 = 5 * Self::GLANCE.sample_ns;

    /// More than any last-level cache: rotating over this much makes every sample read its picture from memory.
    const ROTATION_BYTES: f64 = (256 << 20) as f64;

    /// Small pictures would need hundreds of sets of buffers; this many keep them out of the smaller caches at least.
    const MOST_SETS: f64 = 32.0;

    /// How many sets of buffers, of so many bytes each, samples take turns with, so that large caches do not fake bandwidth.
    #[must_use]
    pub fn sets(&self, set_bytes: usize) -> usize {
        sets(self.warm_cache, set_bytes as f64) as usize
    }

    /// Bytes of memory that samples go through in turn, where a run goes through so many: what decides which cache holds them.
    #[must_use]
    pub fn touched_bytes(warm_cache: bool, run_bytes: f64) -> f64 {
        run_bytes * sets(warm_cache, run_bytes)
    }

    /// In so many processes a comparison is repeated that decides something. From the smallest of seven estimates to the largest is an interval that holds the
    /// middle of whatever they scatter around in 98.4 % of cases (1 - 2 / 2^7), without a word about how they scatter; of five it would be 93.8 %.
    pub const STARTS: usize = 7;

    /// More than so many bring nothing but waiting.
    pub const MOST_STARTS: usize = 50;

    /// What one of the starts has of it: its share of the time and of the pairs, of which there are at least `least` in all. The first warms up as
    /// long as is asked; the others ran once to be verified, and run once more, and as long as clocks take to rise.
    #[must_use]
    pub fn share(self, is_first: bool, least: usize) -> Self {
        let starts = self.starts.max(1);
        Self {
            warmup_runs: if is_first { self.warmup_runs } else { self.warmup_runs.min(1) },
            sample_ns: self.sample_ns / starts as u64,
            min_samples: self.min_samples.max(least).div_ceil(starts).max(LEAST_OF_A_START.min(least)),
            max_samples: self.max_samples.div_ceil(starts),
            starts: 1,
            ..self
        }
    }
}

fn sets(warm_cache: bool, set_bytes: f64) -> f64 {
    if warm_cache { 1.0 } else { (Budget::ROTATION_BYTES / set_bytes.max(1.0)).ceil().clamp(1.0, Budget::MOST_SETS) }
}

/// One pair alone may be a disturbed one.
const LEAST_OF_A_START: usize = 2;

impl Default for Budget {
    /// 300 ms of samples: long enough for clocks to ramp up, short enough for a ladder of a dozen rows to end within seconds.
    fn default() -> Self {
        Self {
            warmup_runs: 3,
            warmup_ns: 25_000_000,
            sample_ns: 300_000_000,
            min_samples: 5,
            max_samples: 500,
            warm_cache: false,
            starts: Self::STARTS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn starts_share_what_there_is() {
        let whole = Budget { sample_ns: 700, min_samples: 5, max_samples: 700, warmup_runs: 3, starts: 7, ..Budget::default() };
        let [first, other] = [true, false].map(|is_first| whole.share(is_first, 8));
        assert_eq!((first.sample_ns, first.min_samples, first.max_samples, first.starts), (100, 2, 100, 1));
        assert_eq!((first.warmup_runs, other.warmup_runs), (3, 1));
        let alone = Budget { starts: 1, ..whole };
        assert_eq!(alone.share(true, 8), Budget { min_samples: 8, ..alone });
    }

    #[test]
    fn a_budget_of_before_is_of_one_start() {
        let mut told = serde_json::to_value(Budget::default()).expect("plain data");
        told.as_object_mut().expect("fields").remove("starts");
        assert_eq!(serde_json::from_value::<Budget>(told).expect("read").starts, 1);
    }

    #[test]
    fn very_large_pictures_need_one_set_smaller_ones_more_and_a_warm_cache_one() {
        let cold = Budget::default();
        assert_eq!([300_000_000, 200_000_000, 100_000_000, 1_000, 0].map(|bytes| cold.sets(bytes)), [1, 2, 3, 32, 32]);
        assert_eq!(Budget { warm_cache: true, ..cold }.sets(1_000), 1);
    }

    #[test]
    fn runs_touch_what_all_sets_hold() {
        assert_eq!([false, true].map(|warm| Budget::touched_bytes(warm, 1e8) as u64), [300_000_000, 100_000_000]);
        assert_eq!(Budget::touched_bytes(false, 480_000.0) as u64, 32 * 480_000);
    }
}
