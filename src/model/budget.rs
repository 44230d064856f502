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
}

impl Default for Budget {
    /// 300 ms of samples: long enough for clocks to ramp up, short enough for a ladder of a dozen rows to end within seconds.
    fn default() -> Self {
        Self { warmup_runs: 3, warmup_ns: 25_000_000, sample_ns: 300_000_000, min_samples: 5, max_samples: 500, warm_cache: false }
    }
}
