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
}

impl Budget {
    /// For searches over many candidates: a median that guides, in a few milliseconds. Of a kernel that takes [`Self::LONG_RUN_NS`] the run that was checked is
    /// reading enough: five more would be seconds, and the microseconds that a first run loses do not show.
    pub const GLANCE: Self =
        Self { warmup_runs: 1, warmup_ns: 5_000_000, sample_ns: 20_000_000, min_samples: 5, max_samples: 50, warm_cache: false };

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
}

fn sets(warm_cache: bool, set_bytes: f64) -> f64 {
    if warm_cache { 1.0 } else { (Budget::ROTATION_BYTES / set_bytes.max(1.0)).ceil().clamp(1.0, Budget::MOST_SETS) }
}

impl Default for Budget {
    /// 300 ms of samples: long enough for clocks to ramp up, short enough for a ladder of a dozen rows to end within seconds.
    fn default() -> Self {
        Self { warmup_runs: 3, warmup_ns: 25_000_000, sample_ns: 300_000_000, min_samples: 5, max_samples: 500, warm_cache: false }
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

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
