//! Is one variant faster than another? A ratio with an interval, and a word for it.

use super::summary::quantile;
use serde::{Deserialize, Serialize};

/// Ratios within ±2 % of 1 count as the same: code alignment and clocks alone move a kernel by so much.
pub const SAME_BAND: f64 = 0.02;

/// Fewer pairs than this say nothing.
pub const MIN_PAIRS: usize = 8;

/// Resamples of the bootstrap. The ends of a 95 % interval are then the 25th and 975th of 1000.
const RESAMPLES: usize = 1000;

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The second takes less time, beyond the band of ±2 %.
    Faster,
    /// The second takes more time, beyond the band.
    Slower,
    /// The whole interval lies within the band.
    Same,
    /// Too few pairs, an interval that reaches over the band's edge, or halves of the run that disagree: do not claim anything.
    Unclear,
}

impl Verdict {
    /// As tables show it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Faster => "FASTER",
            Self::Slower => "SLOWER",
            Self::Same => "SAME",
            Self::Unclear => "UNCLEAR",
        }
    }

    /// What an interval of the ratio says.
    pub(super) fn of_interval(low: f64, high: f64) -> Self {
        let (slower_than, faster_than) = (1.0 / (1.0 + SAME_BAND), 1.0 + SAME_BAND);
        if low >= slower_than && high <= faster_than {
            Self::Same
        } else if low > faster_than {
            Self::Faster
        } else if high < slower_than {
            Self::Slower
        } else {
            Self::Unclear
        }
    }
}

/// How much faster the second of two is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Median of the first over the median of the second: 2 means that the second takes half the time. 0 where there is nothing to compare.
    pub ratio: f64,
    /// Lower end of the 95 % bootstrap interval of the ratio.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// In a word.
    pub verdict: Verdict,
}

/// Compares pairs taken in turn (A B A B …): sample i of `first_ns` with sample i of `second_ns`. What one list has more than the other is left out.
///
/// The interval is the percentile bootstrap (Efron 1979) of the ratio of medians, resampling whole pairs so that what disturbed both of a pair stays
/// together; the seed is fixed, so the same samples give the same interval. A bootstrap does not see drift: FASTER and SLOWER are only said where
/// both halves of the run say so too.
#[must_use]
pub fn compare(first_ns: &[u64], second_ns: &[u64]) -> Comparison {
    let pairs: Vec<(u64, u64)> = first_ns.iter().copied().zip(second_ns.iter().copied()).collect();
    let ratio = ratio_of_medians(&pairs);
    let mut resampled = resampled_ratios(&pairs);
    resampled.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| resampled.get((share * RESAMPLES as f64) as usize).copied().unwrap_or(ratio);
    let (low, high) = (at(0.025), at(0.975));
    let (early, late) = pairs.split_at(pairs.len() / 2);
    let halves = [ratio_of_medians(early), ratio_of_medians(late)];
    let verdict = if pairs.len() < MIN_PAIRS || ratio <= 0.0 { Verdict::Unclear } else { verdict(low, high, halves) };
    Comparison { ratio, low, high, verdict }
}

/// What the interval says, where both halves of the run agree with it.
fn verdict(low: f64, high: f64, halves: [f64; 2]) -> Verdict {
    let verdict = Verdict::of_interval(low, high);
    let agrees = |&half: &f64| Verdict::of_interval(half, half) == verdict;
    if verdict == Verdict::Same || halves.iter().all(agrees) { verdict } else { Verdict::Unclear }
}

/// 0 where there is no pair, or the second takes no time at all.
fn ratio_of_medians(pairs: &[(u64, u64)]) -> f64 {
    let median = |mut samples: Vec<u64>| {
        samples.sort_unstable();
        quantile(&samples, 0.5).unwrap_or(0.0)
    };
    let second = median(pairs.iter().map(|pair| pair.1).collect());
    if second > 0.0 { median(pairs.iter().map(|pair| pair.0).collect()) / second } else { 0.0 }
}

fn resampled_ratios(pairs: &[(u64, u64)]) -> Vec<f64> {
    let mut random = SplitMix64(0x4B65_726E_656C_4C61);
    let mut resample = Vec::with_capacity(pairs.len());
    let mut once = || {
        resample.clear();
        resample.extend((0..pairs.len()).filter_map(|_| pairs.get(random.below(pairs.len()))));
        ratio_of_medians(&resample)
    };
    (0..RESAMPLES).map(|_| once()).collect()
}

/// `SplitMix64` (Steele, Lea, Flood 2014): small, and good enough to draw indices.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// An index below `bound`: the high half of a 128-bit product, whose bias is negligible for short lists.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{SplitMix64, Verdict, compare};

    /// 40 samples around `center` with a scatter of ± `scatter` percent that both lists share in no particular order.
    fn noisy(center: u64, scatter: u64, seed: u64) -> Vec<u64> {
        let mut random = SplitMix64(seed);
        (0..40).map(|_| center - center * scatter / 100 + (center * 2 * scatter / 100) * random.below(1001) as u64 / 1000).collect()
    }

    #[test]
    fn split_mix_gives_its_published_first_values() {
        // The first outputs for seed 1234567, as in the algorithm's published test vectors.
        let mut random = SplitMix64(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn each_verdict_has_its_case() {
        let base = noisy(1_000_000, 3, 1);
        for (other, verdict) in [
            (noisy(800_000, 3, 2), Verdict::Faster),
            (noisy(1_250_000, 3, 3), Verdict::Slower),
            (noisy(1_001_000, 2, 4), Verdict::Same),
            (noisy(960_000, 30, 5), Verdict::Unclear),
        ] {
            assert_eq!(compare(&base, &other).verdict, verdict, "{:?}", compare(&base, &other));
        }
    }

    #[test]
    fn the_band_has_two_sides() {
        let base = vec![1_000_000; 40];
        for (other, verdict) in
            [(985_000, Verdict::Same), (1_015_000, Verdict::Same), (975_000, Verdict::Faster), (1_025_000, Verdict::Slower)]
        {
            assert_eq!(compare(&base, &vec![other; 40]).verdict, verdict, "{other}");
        }
    }

    #[test]
    fn the_ratio_lies_in_its_interval_and_swaps_with_its_sides() {
        let (slow, fast) = (noisy(2_000_000, 5, 6), noisy(1_000_000, 5, 7));
        let there = compare(&slow, &fast);
        let back = compare(&fast, &slow);
        assert!(there.low <= there.ratio && there.ratio <= there.high, "{there:?}");
        assert!((there.ratio * back.ratio - 1.0).abs() < 1e-12);
        assert!((there.ratio - 2.0).abs() < 0.1, "{there:?}");
        assert_eq!(there, compare(&slow, &fast));
    }

    #[test]
    fn too_few_pairs_are_unclear() {
        assert_eq!(compare(&[200; 7], &[100; 7]).verdict, Verdict::Unclear);
        assert_eq!(compare(&[200; 8], &[100; 8]).verdict, Verdict::Faster);
        assert_eq!(compare(&[200; 20], &[100; 7]).verdict, Verdict::Unclear);
        assert_eq!(compare(&[], &[]).verdict, Verdict::Unclear);
        assert_eq!(compare(&[5; 9], &[0; 9]).verdict, Verdict::Unclear);
    }

    #[test]
    fn halves_that_disagree_are_unclear() {
        // Faster by a third in the first 29 pairs, which is nearly every resample, and not at all afterwards.
        let second: Vec<u64> = (0..40).map(|index| if index < 29 { 750 } else { 1000 }).collect();
        assert_eq!(compare(&[1000; 40], &second).verdict, Verdict::Unclear);
    }
}
