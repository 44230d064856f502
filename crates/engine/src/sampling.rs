//! What one sample holds, and how many buffer pairs samples rotate among.

use model::Budget;
use model::measure::Watched;

/// One sample: always the kernel, and in some samples the whole round trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Kernel time; `None` where the driver's timestamps are invalid.
    pub kernel_ns: Option<u64>,
    /// Kernel time of each pass where there are several with valid timestamps; else empty.
    pub pass_ns: Vec<u64>,
    /// SUBMIT − QUEUED of the first pass.
    pub queue_wait_ns: Option<u64>,
    /// START − SUBMIT of the first pass.
    pub launch_latency_ns: Option<u64>,
    /// How long the host waited for its kernels; 0 on a CPU competitor.
    pub waited_ns: u64,
    /// Upload, read-back and everything between on the host's clock.
    pub round_trip: Option<RoundTrip>,
}

impl Sample {
    /// A sample of kernel times alone.
    pub fn of(kernel_ns: Option<u64>, pass_ns: Vec<u64>) -> Self {
        Self { kernel_ns, pass_ns, queue_wait_ns: None, launch_latency_ns: None, waited_ns: 0, round_trip: None }
    }
}

impl Sample {
    /// What both clocks say of its kernels; `None` where the driver's timestamps are invalid.
    pub fn watched(&self) -> Option<Watched> {
        self.kernel_ns.map(|device_ns| Watched { device_ns, host_ns: self.waited_ns })
    }
}

/// Parts of a round trip on the host's clock.
#[expect(clippy::struct_field_names, reason = "names carry their unit")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// Packing into the padded layout, and the upload.
    pub upload_ns: u64,
    /// Packing alone, where it can be told apart.
    pub layout_ns: Option<u64>,
    /// Read-back into rows without gaps.
    pub readback_ns: u64,
    /// From the first to the last moment, kernel and waiting included.
    pub total_ns: u64,
}

/// How many source and destination pairs samples take turns with, so that large caches do not fake bandwidth.
pub fn rotation(budget: Budget, pair_bytes: usize) -> usize {
    budget.sets(pair_bytes)
}

/// As [`rotation`] for two that are compared and take turns: with an odd number of sets each of them comes to every set.
pub fn shared_rotation(budget: Budget, set_bytes: usize, affordable: usize) -> usize {
    match rotation(budget, set_bytes).min(affordable) {
        count if count % 2 == 1 => count,
        count if count < affordable => count + 1,
        count => count - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, shared_rotation};

    #[test]
    fn two_that_are_compared_take_turns_over_an_odd_number_of_sets() {
        let cold = Budget::default();
        // Two sets would do, and there is room for a third; for 31, but not for 33; for no more than two: then one.
        assert_eq!(shared_rotation(cold, 200_000_000, 100), 3);
        assert_eq!(shared_rotation(cold, 1_000, 32), 31);
        assert_eq!(shared_rotation(cold, 200_000_000, 2), 1);
        assert_eq!(shared_rotation(Budget { warm_cache: true, ..cold }, 1_000, 32), 1);
    }
}
