//! Is one variant faster than another? A ratio with an interval, and a word for it.
//!
//! # Why the interval can be trusted
//!
//! Two runs make a pair, and a coin decides which of the two goes first. Where a variant is compared with itself, the pair's two times are then
//! exchangeable: the logarithm of their ratio is as likely to be d as −d, whatever disturbs the machine, however long a disturbance lasts, and however
//! much the second run gains from a cache that the first has warmed. Inference by signed ranks needs just that and no more (Fisher 1935 on
//! randomization; Wilcoxon 1945), so its interval holds 1 in 95 % of such comparisons by construction and not by luck. A bootstrap of medians does not:
//! it takes samples that depend on each other for independent ones, and came out too narrow on CPU devices.
//!
//! Where the two cannot share all their memory, placement is a second source of chance. The ratio is then also estimated for each set of memory on its
//! own, and the interval widened to what these estimates allow (Kalibera and Jones 2013: an interval has to know the levels of repetition).
//!
//! The start of the process is a third: where its code, stacks and buffers come to lie is decided once for all of its runs, and the next process decides
//! anew. On an H200 eight starts said 6.21 to 6.80 of the same two kernels, each with an interval of ±1 %. So pairs are taken in several processes, and the
//! interval holds what each of them says by itself: from the smallest to the largest of N estimates is an interval for the middle of what they scatter around
//! in all but 2 of 2^N cases, however they scatter (that of the sign test; also that of the signed ranks at this level). Of fewer than six that is not 95 %, and
//! Student's t is the wider one. A comparison of one start cannot know, and says that it is of one ([`Comparison::starts`]).

use base::texts::text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Ratios within ±2 % of 1 count as the same: code alignment and clocks alone move a kernel by so much.
pub const SAME_BAND: f64 = 0.02;

/// Fewer pairs than this say nothing.
pub const MIN_PAIRS: usize = 8;

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
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
    pub fn label(self) -> &'static str {
        text(match self {
            Self::Faster => "tables.verdict.faster",
            Self::Slower => "tables.verdict.slower",
            Self::Same => "tables.verdict.same",
            Self::Unclear => "tables.verdict.unclear",
        })
    }

    /// What an interval of the ratio says.
    #[must_use]
    pub fn of_interval(low: f64, high: f64) -> Self {
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
    /// Time of the first over time of the second: 2 means that the second takes half the time. 0 where there is nothing to compare, and where the interval
    /// would be so wide that a ratio in it says nothing.
    pub ratio: f64,
    /// Lower end of the 95 % interval of the ratio.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// In a word.
    pub verdict: Verdict,
    /// How many processes the pairs are of, each started anew. 1: the interval holds for this run of the program, and another one may say something else.
    #[serde(default = "one")]
    pub starts: usize,
}

impl Comparison {
    /// "from one run of the program", where that is so: what stands behind an interval that the next run may not keep to.
    #[must_use]
    pub fn one_run(&self) -> Option<&'static str> {
        (self.starts < 2 && self.ratio > 0.0).then(|| text("tables.one-run"))
    }
}

/// What was compared before there were several starts.
const fn one() -> usize {
    1
}

/// One run of each, the one right after the other, in an order that a coin decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Time of the first of the two that are compared, which need not have run first.
    pub first_ns: u64,
    /// Time of the second.
    pub second_ns: u64,
    /// The set of memory that the first ran over.
    pub first_place: usize,
    /// The set of memory that the second ran over.
    pub second_place: usize,
    /// The process that both ran in, from 0. Each has sets of memory of its own.
    #[serde(default)]
    pub start: usize,
}

/// Whether two that are compared ran over the same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Places {
    /// Both over the same buffers: where these lie is the same for both.
    Shared,
    /// Each has some memory of its own, as their layouts differ.
    Own,
}

/// An interval from one end of which to the other is a larger factor says nothing: a few pairs on a machine that does something else, too.
const MOST_WIDE: f64 = 100.0;

/// Where nothing can be said.
const NOTHING: Comparison = Comparison { ratio: 0.0, low: 0.0, high: 0.0, verdict: Verdict::Unclear, starts: 1 };

/// Compares pairs of which a coin decided the order, in the order taken.
///
/// The ratio is the Hodges–Lehmann estimate: the median of the means of every two pairs' logarithms, back on the scale of ratios. The interval is that
/// of the signed-rank test (Hollander and Wolfe 1999, section 3.3), wider where memory is not shared and where the pairs are of several processes, see
/// this module's page. FASTER and SLOWER are only said where both halves of the run point the same way: drift within a run is not a difference.
#[must_use]
pub fn compare(pairs: &[Pair], places: Places) -> Comparison {
    let logs: Vec<f64> = pairs.iter().map(|pair| (pair.first_ns as f64 / pair.second_ns as f64).ln()).collect();
    if logs.is_empty() || logs.iter().any(|log| !log.is_finite()) {
        return NOTHING;
    }
    let (middle, mut low, mut high) = signed_rank_interval(&logs);
    if places == Places::Own
        && let Some((lowest, highest)) = interval_over_places(pairs)
    {
        (low, high) = (low.min(lowest), high.max(highest));
    }
    let by_start = estimates_by_start(pairs);
    let starts = by_start.len();
    if let Some((lowest, highest)) = interval_over_starts(&by_start) {
        (low, high) = (low.min(lowest), high.max(highest));
    }
    if high - low > MOST_WIDE.ln() {
        return Comparison { starts, ..NOTHING };
    }
    let [ratio, low, high] = [middle, low, high].map(f64::exp);
    let (early, late) = logs.split_at(logs.len() / 2);
    let halves = [early, late].map(|half| signed_rank_interval(half).0);
    let verdict = if pairs.len() < MIN_PAIRS { Verdict::Unclear } else { verdict(low, high, halves) };
    Comparison { ratio, low, high, verdict, starts }
}

/// What the interval says, where both halves of the run point its way.
fn verdict(low: f64, high: f64, halves: [f64; 2]) -> Verdict {
    match Verdict::of_interval(low, high) {
        Verdict::Faster if halves.iter().any(|&half| half <= 0.0) => Verdict::Unclear,
        Verdict::Slower if halves.iter().any(|&half| half >= 0.0) => Verdict::Unclear,
        verdict => verdict,
    }
}

/// Two-sided 5 % of the normal distribution.
const NORMAL_95: f64 = 1.959_964;

/// The Hodges–Lehmann estimate of the center of a symmetric distribution, with its 95 % interval: the means of every two values (each with itself, too) in
/// order; the middle one, and those as far from the ends as the signed-rank statistic's 2.5 % quantile, by its normal approximation and rounded outward.
fn signed_rank_interval(values: &[f64]) -> (f64, f64, f64) {
    let mut means: Vec<f64> = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (index, value) in values.iter().enumerate() {
        means.extend(values.iter().skip(index).map(|other| f64::midpoint(*value, *other)));
    }
    means.sort_unstable_by(f64::total_cmp);
    let (count, n) = (means.len(), values.len() as f64);
    let at = |index: usize| means.get(index).copied().unwrap_or(0.0);
    let middle = f64::midpoint(at(count.saturating_sub(1) / 2), at(count / 2));
    let expected = n * (n + 1.0) / 4.0;
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    let from_end = (expected - NORMAL_95 * deviation - 0.5).max(0.0) as usize;
    (middle, at(from_end), at(count.saturating_sub(1).saturating_sub(from_end)))
}

/// An interval of the logarithm of the ratio from one estimate for each set of memory that both came to: their mean and Student's t. `None` with one set, and where
/// there are as many sets as pairs: then no pair repeats the places of another one, what places do is in the spread of the pairs already, and the two or three sets that
/// both came to would say less than all pairs do.
fn interval_over_places(pairs: &[Pair]) -> Option<(f64, f64)> {
    // Each process has sets of its own.
    let mut times: BTreeMap<(usize, usize), [Vec<u64>; 2]> = BTreeMap::new();
    for pair in pairs {
        let [first, _] = times.entry((pair.start, pair.first_place)).or_default();
        first.push(pair.first_ns);
        let [_, second] = times.entry((pair.start, pair.second_place)).or_default();
        second.push(pair.second_ns);
    }
    if times.len() >= pairs.len() {
        return None;
    }
    let logs: Vec<f64> = times.into_values().filter_map(|[first, second]| Some((median(first)? / median(second)?).ln())).collect();
    students_interval(&logs)
}

/// What each process says by itself, as the logarithm of the ratio, in their order.
fn estimates_by_start(pairs: &[Pair]) -> Vec<f64> {
    let mut logs: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for pair in pairs {
        logs.entry(pair.start).or_default().push((pair.first_ns as f64 / pair.second_ns as f64).ln());
    }
    logs.into_values().map(|logs| signed_rank_interval(&logs).0).collect()
}

/// From the smallest to the largest of what processes say, or Student's t where that is wider. `None` with one process.
fn interval_over_starts(logs: &[f64]) -> Option<(f64, f64)> {
    let (low, high) = students_interval(logs)?;
    Some((logs.iter().copied().fold(low, f64::min), logs.iter().copied().fold(high, f64::max)))
}

/// Mean and Student's t; `None` of fewer than two.
fn students_interval(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let t = student_95(values.len().checked_sub(1)?)?;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let reach = t * (variance / n).sqrt();
    Some((mean - reach, mean + reach))
}

fn median(mut samples: Vec<u64>) -> Option<f64> {
    samples.sort_unstable();
    super::summary::quantile(&samples, 0.5)
}

/// The middle one of numbers, or between the two in the middle; 0 of none.
#[must_use]
pub fn median_of(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    let at = |index: usize| numbers.get(index).copied().unwrap_or(0.0);
    f64::midpoint(at(numbers.len().saturating_sub(1) / 2), at(numbers.len() / 2))
}

/// Two-sided 5 % of Student's t for a number of degrees of freedom; `None` for 0. Beyond the table that of the normal distribution is within 2 %, above.
pub(super) fn student_95(freedom: usize) -> Option<f64> {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101,
        2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    ];
    freedom.checked_sub(1).map(|index| TABLE.get(index).copied().unwrap_or(2.0))
}

/// Who goes first. A seed that nobody chose makes every comparison's order another one.
pub struct Coin(u64);

impl Coin {
    /// Seeded by the clock.
    #[must_use]
    pub fn tossed_by_the_clock() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self::of(now.as_nanos() as u64)
    }

    /// The same seed gives the same tosses.
    #[must_use]
    pub const fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// The next toss.
    pub fn is_heads(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// A number from 0 to 1, for simulations.
    #[cfg(test)]
    pub(super) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// `SplitMix64` (Steele, Lea, Flood 2014): small, and every bit of it good enough for a coin.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::{Coin, Comparison, MIN_PAIRS, Pair, Places, Verdict, compare, signed_rank_interval};

    /// A number between -1 and 1.
    fn noise(coin: &mut Coin) -> f64 {
        (coin.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Pairs over three sets of memory. `slower` lengthens the second; noise drifts slowly, and the second run of a pair gains 20 % from a warm cache,
    /// as it did on a GPU: none of it may count.
    fn run(count: usize, slower: f64, seed: u64) -> Vec<Pair> {
        let (mut coin, mut random) = (Coin::of(seed), Coin::of(!seed));
        let (mut drift, mut turn) = (0.0, 0);
        let mut time = |is_second_run: bool, factor: f64| {
            turn += 1;
            drift = 0.98 * drift + 0.02 * noise(&mut random);
            let warm = if is_second_run { 0.8 } else { 1.0 };
            let jitter = 1.0 + 0.03 * noise(&mut random);
            ((1e6 * (1.0 + drift) * warm * jitter * factor) as u64, turn % 3)
        };
        let pair = |_| {
            let ((first_ns, first_place), (second_ns, second_place)) = if coin.is_heads() {
                (time(false, 1.0), time(true, slower))
            } else {
                let second = time(false, slower);
                (time(true, 1.0), second)
            };
            Pair { first_ns, second_ns, first_place, second_place, start: 0 }
        };
        (0..count).map(pair).collect()
    }

    /// Pairs without noise.
    fn steady(first_ns: u64, second_ns: u64, count: usize) -> Vec<Pair> {
        vec![Pair { first_ns, second_ns, first_place: 0, second_place: 0, start: 0 }; count]
    }

    #[test]
    fn the_band_has_two_sides() {
        for (other, verdict) in
            [(985_000, Verdict::Same), (1_015_000, Verdict::Same), (975_000, Verdict::Faster), (1_025_000, Verdict::Slower)]
        {
            assert_eq!(compare(&steady(1_000_000, other, 40), Places::Shared).verdict, verdict, "{other}");
        }
    }

    #[test]
    fn a_few_pairs_over_many_sets_say_what_is_plain() {
        // A slow kernel on a busy machine: eight pairs over eleven sets, five of which both came to, once each.
        let mut coin = Coin::of(5);
        let pairs: Vec<Pair> = (0..8)
            .map(|index| {
                let mut time = |base: f64| (base * (1.0 + 0.3 * noise(&mut coin))) as u64;
                let (first_ns, second_ns) = (time(2.5e8), time(1e8));
                Pair { first_ns, second_ns, first_place: 2 * index % 11, second_place: (2 * index + 1) % 11, start: 0 }
            })
            .collect();
        let compared = compare(&pairs, Places::Own);
        assert_eq!(compared.verdict, Verdict::Faster, "{compared:?}");
        assert!(compared.low > 1.5 && compared.high < 4.0, "{compared:?}");
    }

    #[test]
    fn the_ratio_lies_in_its_interval_and_swaps_with_its_sides() {
        let pairs = run(50, 0.5, 3);
        let there = compare(&pairs, Places::Own);
        let swapped: Vec<Pair> = pairs
            .iter()
            .map(|pair| Pair {
                first_ns: pair.second_ns,
                second_ns: pair.first_ns,
                first_place: pair.second_place,
                second_place: pair.first_place,
                start: pair.start,
            })
            .collect();
        let back = compare(&swapped, Places::Own);
        assert!(there.low <= there.ratio && there.ratio <= there.high, "{there:?}");
        assert!((there.ratio * back.ratio - 1.0).abs() < 1e-12 && (there.low * back.high - 1.0).abs() < 1e-12, "{there:?} {back:?}");
    }

    #[test]
    fn one_that_is_compared_with_itself_is_the_same() {
        let comparisons: Vec<Comparison> = (0..400).map(|seed| compare(&run(60, 1.0, seed), Places::Shared)).collect();
        let held = comparisons.iter().filter(|comparison| comparison.low <= 1.0 && 1.0 <= comparison.high).count();
        // 95 % of 400 are 380; three standard deviations of a binomial distribution are 13.
        assert!((367..=393).contains(&held), "{held} of 400 intervals hold 1");
        let is_false = |comparison: &&Comparison| matches!(comparison.verdict, Verdict::Faster | Verdict::Slower);
        assert_eq!(comparisons.iter().filter(is_false).count(), 0);
    }

    #[test]
    fn a_difference_is_found_through_the_same_noise() {
        let comparison = compare(&run(200, 1.25, 7), Places::Shared);
        assert_eq!(comparison.verdict, Verdict::Slower);
        assert!(comparison.low < 0.8 && 0.8 < comparison.high, "{comparison:?}");
        let comparison = compare(&run(200, 0.5, 7), Places::Own);
        assert_eq!(comparison.verdict, Verdict::Faster);
        assert!(comparison.low < 2.0 && 2.0 < comparison.high, "{comparison:?}");
    }

    /// As the textbook does it by hand: the middle of the six means 1, 2, 3, 3.5, 4.5, 6 of 1, 3, 6.
    #[test]
    fn the_estimate_is_the_median_of_the_means_of_every_two() {
        let (middle, ..) = signed_rank_interval(&[1.0, 3.0, 6.0]);
        assert!((middle - 3.25).abs() < 1e-12, "{middle}");
        // Eight values: the tables have the fourth mean from each end for 95 %. Of 1, 2, 4, 8 … these are 2.5 (1 and 4) and 72 (16 and 128).
        let (_, low, high) = signed_rank_interval(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
        assert_eq!((low, high), (2.5, 72.0));
    }

    #[test]
    fn where_memory_differs_its_placement_widens_the_interval() {
        // Over one of three sets the second takes twice as long: so it may be over any that was not tried.
        let pairs: Vec<Pair> = (0..90)
            .map(|index| Pair {
                first_ns: 100,
                second_ns: if index % 3 == 0 { 200 } else { 100 },
                first_place: index % 3,
                second_place: index % 3,
                start: 0,
            })
            .collect();
        let shared = compare(&pairs, Places::Shared);
        let own = compare(&pairs, Places::Own);
        assert!(own.low < shared.low && own.high > shared.high, "{shared:?} {own:?}");
        assert_eq!(own.verdict, Verdict::Unclear);
    }

    #[test]
    fn few_pairs_and_no_times_say_nothing() {
        assert_eq!(compare(&run(MIN_PAIRS - 1, 0.5, 1), Places::Shared).verdict, Verdict::Unclear);
        assert_eq!(compare(&[], Places::Shared).verdict, Verdict::Unclear);
        assert_eq!(compare(&steady(200, 100, MIN_PAIRS), Places::Shared).verdict, Verdict::Faster);
        assert_eq!(compare(&steady(5, 0, 10), Places::Shared).verdict, Verdict::Unclear);
    }

    #[test]
    fn an_interval_that_says_nothing_is_none() {
        // Two places of memory: on one the second is ten times as fast, on the other a tenth as fast.
        let pair = |place: usize| Pair {
            first_ns: [10_000, 1000][place],
            second_ns: [1000, 10_000][place],
            first_place: place,
            second_place: place,
            start: 0,
        };
        let pairs: Vec<Pair> = (0..20).map(|index| pair(index % 2)).collect();
        assert_eq!(compare(&pairs, Places::Own), super::NOTHING);
        let shared = compare(&pairs, Places::Shared);
        assert!(shared.low > 0.0 && shared.verdict == Verdict::Unclear, "{shared:?}");
    }

    #[test]
    fn drift_within_a_run_is_not_a_difference() {
        // Faster by half until it gets slower near the end: as a whole it is faster, the second half is not.
        let of = |first_ns: u64| Pair { first_ns, second_ns: 1000, first_place: 0, second_place: 0, start: 0 };
        let mut pairs = vec![of(1500); 75];
        pairs.extend(vec![of(500); 15]);
        assert_eq!(compare(&pairs, Places::Shared).verdict, Verdict::Unclear);
    }

    /// Pairs of several processes. The buffers of each lie elsewhere, which moves the ratio by some percent there, as eight starts on an H200 did.
    fn runs(starts: usize, count: usize, ratio: f64, move_by: f64, seed: u64) -> Vec<Pair> {
        let mut random = Coin::of(seed.wrapping_mul(0x9E37_79B9).wrapping_add(17));
        let of_start = |start: usize| {
            // A sum of three: like a bell, and quite short of one at its ends.
            let moved = move_by * (noise(&mut random) + noise(&mut random) + noise(&mut random));
            let pairs = run(count / starts, 1.0 / (ratio * moved.exp()), seed.wrapping_mul(1000).wrapping_add(start as u64));
            pairs.into_iter().map(move |pair| Pair { start, ..pair }).collect::<Vec<_>>()
        };
        (0..starts).flat_map(of_start).collect()
    }

    /// The share of intervals, in percent, that hold the ratio that all starts scatter around.
    fn percent_held(starts: usize, move_by: f64) -> f64 {
        let held = (0..200).filter(|&seed| {
            let Comparison { low, high, .. } = compare(&runs(starts, 140, 1.5, move_by, seed), Places::Shared);
            low <= 1.5 && 1.5 <= high
        });
        held.count() as f64 / 2.0
    }

    #[test]
    fn an_interval_of_several_starts_holds_for_the_next_one_and_that_of_one_does_not() {
        let (one, seven) = (percent_held(1, 0.03), percent_held(7, 0.03));
        assert!(one < 60.0, "{one} % of the intervals of one start hold what starts scatter around");
        assert!(seven >= 95.0, "{seven} % of the intervals of seven starts do");
        // With few starts Student's t is the wider one.
        let three = percent_held(3, 0.03);
        assert!(three >= 92.0, "{three} % of the intervals of three starts do");
    }

    #[test]
    fn where_starts_do_not_differ_nothing_false_is_said_of_one_that_is_compared_with_itself() {
        let comparisons: Vec<Comparison> = (0..200).map(|seed| compare(&runs(7, 140, 1.0, 0.0, seed), Places::Shared)).collect();
        let held = comparisons.iter().filter(|comparison| comparison.low <= 1.0 && 1.0 <= comparison.high).count();
        assert!(held >= 190, "{held} of 200 intervals hold 1");
        assert!(comparisons.iter().all(|comparison| matches!(comparison.verdict, Verdict::Same | Verdict::Unclear)));
        // Half the runs in one process say as much again of another difference.
        assert_eq!(compare(&runs(7, 140, 1.25, 0.0, 5), Places::Shared).verdict, Verdict::Faster);
    }

    #[test]
    fn the_interval_of_several_starts_holds_what_each_of_them_says() {
        let of = |start: usize, first_ns: u64| vec![Pair { first_ns, second_ns: 1000, first_place: 0, second_place: 0, start }; 8];
        let estimates = [1500, 1510, 1490, 1500, 1800, 1505, 1495];
        let pairs: Vec<Pair> = estimates.iter().enumerate().flat_map(|(start, first_ns)| of(start, *first_ns)).collect();
        let together = compare(&pairs, Places::Shared);
        assert_eq!((together.starts, together.verdict), (7, Verdict::Faster));
        assert!(together.low <= 1.49 && together.high >= 1.8 && (together.ratio - 1.5).abs() < 0.01, "{together:?}");
        let as_one: Vec<Pair> = pairs.iter().map(|pair| Pair { start: 0, ..*pair }).collect();
        let one = compare(&as_one, Places::Shared);
        assert!(one.starts == 1 && one.high < 1.8, "{one:?}");
        // Two that disagree decide nothing.
        let two: Vec<Pair> = [of(0, 1200), of(1, 1500)].concat();
        assert_eq!(compare(&two, Places::Shared).verdict, Verdict::Unclear);
    }

    #[test]
    fn what_was_compared_before_there_were_starts_is_of_one() {
        let pair: Pair = serde_json::from_str(r#"{"first_ns":3,"second_ns":2,"first_place":0,"second_place":1}"#).expect("read");
        assert_eq!(pair.start, 0);
        let told: Comparison = serde_json::from_str(r#"{"ratio":1.5,"low":1.4,"high":1.6,"verdict":"FASTER"}"#).expect("read");
        assert_eq!(told.starts, 1);
    }
}
