//! Readings that were taken one after the other, compared by their quartiles.

use super::{Comparison, Verdict};
use crate::model::Summary;

/// Compares readings that were not interleaved. Nothing is known of how the machine changed between them, so the interval is as wide as their
/// quartiles allow, and nothing is claimed where it reaches over the edge of the band of [`super::SAME_BAND`]. `None` where the second takes no time.
#[must_use]
pub fn compare_spreads(first: &Summary, second: &Summary) -> Option<Comparison> {
    if second.lower_quartile_ns <= 0.0 {
        return None;
    }
    let ratio = first.median_ns / second.median_ns;
    let (low, high) = (first.lower_quartile_ns / second.upper_quartile_ns, first.upper_quartile_ns / second.lower_quartile_ns);
    Some(Comparison { ratio, low, high, verdict: Verdict::of_interval(low, high), starts: 1 })
}

#[cfg(test)]
mod tests {
    use super::compare_spreads;
    use crate::measure::Verdict;
    use crate::model::Summary;

    #[test]
    fn readings_apart_are_compared_by_their_quartiles() {
        let summary = |samples: [u64; 5]| Summary::of(samples.to_vec()).expect("samples");
        // Quartiles 190 and 210 against 95 and 105.
        let twice = compare_spreads(&summary([180, 190, 200, 210, 220]), &summary([90, 95, 100, 105, 110])).expect("times");
        assert_eq!((twice.ratio, twice.verdict), (2.0, Verdict::Faster));
        assert!((twice.low - 190.0 / 105.0).abs() < 1e-12 && (twice.high - 210.0 / 95.0).abs() < 1e-12, "{twice:?}");
        // The boxes of the two overlap.
        let wide = compare_spreads(&summary([80, 90, 110, 130, 140]), &summary([80, 85, 100, 115, 120])).expect("times");
        assert_eq!(wide.verdict, Verdict::Unclear);
        assert_eq!(compare_spreads(&summary([1; 5]), &summary([0; 5])), None);
    }
}
