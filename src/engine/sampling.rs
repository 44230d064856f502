//! What one sample holds, and how many buffer pairs samples rotate among.

use super::Budget;

/// One sample: always the kernel, and in some samples the whole round trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Kernel time; `None` where the driver's timestamps are invalid.
    pub kernel_ns: Option<u64>,
    /// Kernel time of each pass where there are several with valid timestamps; else empty.
    pub pass_ns: Vec<u64>,
    /// Upload, read-back and everything between on the host's clock.
    pub round_trip: Option<RoundTrip>,
}

/// Parts of a round trip on the host's clock.
#[expect(clippy::struct_field_names, reason = "names carry their unit")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// Packing into the padded layout, and the upload.
    pub upload_ns: u64,
    /// Read-back into rows without gaps.
    pub readback_ns: u64,
    /// From the first to the last moment, kernel and waiting included.
    pub total_ns: u64,
}

/// More than any last-level cache: rotating over this much makes every sample read its picture from memory.
const ROTATION_BYTES: usize = 256 << 20;

/// Small pictures would need hundreds of pairs; this many keep them out of the smaller caches at least.
const MOST_PAIRS: usize = 32;

/// How many source and destination pairs samples take turns with, so that large caches do not fake bandwidth.
pub fn rotation(budget: Budget, pair_bytes: usize) -> usize {
    if budget.warm_cache { 1 } else { ROTATION_BYTES.div_ceil(pair_bytes.max(1)).clamp(2, MOST_PAIRS) }
}

#[cfg(test)]
mod tests {
    use super::{Budget, rotation};

    #[test]
    fn large_pictures_need_two_pairs_small_ones_more_and_a_warm_cache_one() {
        let cold = Budget::default();
        assert_eq!(rotation(cold, 200_000_000), 2);
        assert_eq!(rotation(cold, 100_000_000), 3);
        assert_eq!(rotation(cold, 1_000), 32);
        assert_eq!(rotation(Budget { warm_cache: true, ..cold }, 1_000), 1);
    }
}
