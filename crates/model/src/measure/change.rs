//! Did a kernel get slower since it was measured before? A ratio of times with an interval, and a word for it.
//!
//! # What the ratio is of
//!
//! Medians of processes. Within a process all runs share its code, stacks and buffers, so that a thousand samples say as much as one about what the next process
//! will do; the processes are what is independent, and what is counted. Times scatter by factors, so everything is of their logarithms.
//!
//! m processes were measured before and n now. Processes scatter with outliers: on a shared machine one of them may have all cores to itself and take half the time of the
//! others. A mean follows that one, and its standard error grows until nothing can be claimed. So the interval is that of the rank-sum test (Mann and Whitney 1947; Hollander and
//! Wolfe 1999, section 4.3), which supposes nothing about how processes scatter but that they did so alike: of all m · n differences of a logarithm now and one before,
//! the ratio is the middle one (Hodges and Lehmann 1963), and the ends are those c places from the first and the last, where c is the largest number with 2 P(U ≤ c) ≤ 5 %
//! where nothing changed. Seven and seven: c = 8 of 49, and 96.2 %. One outlier on each side moves no end beyond what the others say.
//!
//! Of so few processes that there is no such c (three and three: 10 % of orders are the two extreme ones), the interval is Welch's (1947): with means a and b of the
//! logarithms and their variances s² and t², the logarithm of the ratio is b − a, its standard error e = √(s²/m + t²/n), and (b − a) / e follows Student's t with
//! e⁴ / ((s²/m)² / (m − 1) + (t²/n)² / (n − 1)) degrees of freedom, near enough (Satterthwaite 1946), rounded down, which widens it.
//!
//! # The rule
//!
//! *Slower*: the interval lies above 1 **and** the ratio itself is at least 1 + t. Either alone is a false alarm at times: a change of half a percent that is
//! certain breaks no build, and a ratio of 1.05 between 0.9 and 1.2 is no finding. *Not slower*: the interval lies below 1 + t. *Inconclusive*: all else.
//!
//! Where nothing changed, the interval of medians lies above 1 in 2 % of all cases, and with thirty rows nearly one build in two would fail. So what looks slower is
//! measured once more in as many new processes, and only what is slower both times is slower ([`Ruling::confirmed`]). Medians are held to the same earlier processes
//! both times, so the two looks agree more often than chance: 0.25 % of rows are false alarms at the worst scatter, and none where processes scatter by less than a
//! third of the threshold. Pairs of seven processes lie above 1 in 0.8 % (2⁻⁷) at most, and both looks are independent: 0.006 %. Of what is slower by the threshold
//! exactly, 2 % pass as not slower; of what is slower by more, fewer. The tests of this file count all that.

use super::Comparison;
use super::compare::student_95;
use serde::{Deserialize, Serialize};

/// Time now over time before, with its 95 % interval: above 1 it takes longer now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The ratio.
    pub ratio: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What a change comes to, given how much of one matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
    /// It takes longer now, by what matters.
    Slower,
    /// It does not take longer by what matters.
    NotSlower,
    /// Neither can be claimed.
    Inconclusive,
}

impl Change {
    /// Of the medians of independent processes before and now, see this module's page; `None` of fewer than two on a side, and of times that are none.
    #[must_use]
    pub fn of_processes(before: &[f64], now: &[f64]) -> Option<Self> {
        let logs = |times: &[f64]| {
            let can_be = times.len() >= 2 && times.iter().all(|time| time.is_finite() && *time > 0.0);
            can_be.then(|| times.iter().map(|time| time.ln()).collect::<Vec<_>>())
        };
        let (before, now) = (logs(before)?, logs(now)?);
        let by_ranks = places_from_end(before.len(), now.len()).map(|places| by_ranks(&before, &now, places));
        let ends = by_ranks.map_or_else(|| by_means(&before, &now), Some)?;
        let [ratio, low, high] = ends.map(f64::exp);
        Some(Self { ratio, low, high })
    }

    /// Of interleaved pairs, of which the first is what runs now and the second what ran before; `None` where they say nothing.
    #[must_use]
    pub fn of_pairs(comparison: &Comparison) -> Option<Self> {
        let Comparison { ratio, low, high, .. } = *comparison;
        (ratio > 0.0).then_some(Self { ratio, low, high })
    }

    /// What it comes to, where a time longer by `threshold` of itself matters: 0.03 is 3 %.
    #[must_use]
    pub fn ruling(&self, threshold: f64) -> Ruling {
        let limit = 1.0 + threshold;
        if self.low > 1.0 && self.ratio >= limit {
            Ruling::Slower
        } else if self.high < limit {
            Ruling::NotSlower
        } else {
            Ruling::Inconclusive
        }
    }
}

impl Ruling {
    /// What looked slower, once it was measured again and that alone comes to `again`.
    #[must_use]
    pub fn confirmed(again: Self) -> Self {
        if again == Self::Slower { Self::Slower } else { Self::Inconclusive }
    }
}

/// The middle difference, and those so many places from the ends.
fn by_ranks(before: &[f64], now: &[f64], places: usize) -> [f64; 3] {
    let mut differences: Vec<f64> = now.iter().flat_map(|now| before.iter().map(move |before| now - before)).collect();
    differences.sort_unstable_by(f64::total_cmp);
    let last = differences.len().saturating_sub(1);
    let at = |index: usize| differences.get(index).copied().unwrap_or(0.0);
    let middle = f64::midpoint(at(last / 2), at(differences.len() / 2));
    [middle, at(places), at(last.saturating_sub(places))]
}

/// The largest number with which the statistic U of so many and so many values of one lot is, at either end, in 5 % of orders at most; `None` where 0 is already too
/// likely. The numbers of orders by U are the coefficients of the product of (1 − q^(n + i)) / (1 − q^i) for i from 1 to m; each follows from those below it alone, so that
/// the small ones, which matter, are exact.
fn places_from_end(m: usize, n: usize) -> Option<usize> {
    let mut orders = vec![0.0; m * n + 1];
    let mut all = 1.0;
    if let Some(first) = orders.first_mut() {
        *first = 1.0;
    }
    for i in 1..=m {
        all *= (n + i) as f64 / i as f64;
        for u in (n + i..orders.len()).rev() {
            let below = orders.get(u - n - i).copied().unwrap_or(0.0);
            orders.get_mut(u).into_iter().for_each(|count| *count -= below);
        }
        for u in i..orders.len() {
            let below = orders.get(u - i).copied().unwrap_or(0.0);
            orders.get_mut(u).into_iter().for_each(|count| *count += below);
        }
    }
    let up_to = orders.iter().scan(0.0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    up_to.take_while(|sum| 2.0 * sum <= 0.05 * all).count().checked_sub(1)
}

/// The difference of the means, with the ends of Welch's interval.
fn by_means(before: &[f64], now: &[f64]) -> Option<[f64; 3]> {
    let (before, now) = (Spread::of(before), Spread::of(now));
    let error = before.square_error + now.square_error;
    // Without any scatter there is nothing to be uncertain about.
    let reach = if error > 0.0 {
        let freedom = error.powi(2) / (before.square_error.powi(2) / before.freedom + now.square_error.powi(2) / now.freedom);
        student_95(freedom.floor().max(1.0) as usize)? * error.sqrt()
    } else {
        0.0
    };
    let middle = now.mean - before.mean;
    Some([middle, middle - reach, middle + reach])
}

/// Logarithms of times, of which there are two at least.
struct Spread {
    mean: f64,
    /// The square of the standard error of the mean.
    square_error: f64,
    freedom: f64,
}

impl Spread {
    fn of(logs: &[f64]) -> Self {
        let n = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / n;
        let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Self { mean, square_error: variance / n, freedom: n - 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Ruling, places_from_end};
    use crate::measure::Coin;

    /// A number that is normally distributed, by the sum of twelve that are uniform: what is cut off beyond six deviations matters to nothing here.
    fn normal(random: &mut Coin) -> f64 {
        (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0
    }

    /// Medians of so many processes around `middle`, scattered by that share.
    fn medians(random: &mut Coin, count: usize, middle: f64, scatter: f64) -> Vec<f64> {
        (0..count).map(|_| middle * (scatter * normal(random)).exp()).collect()
    }

    /// Logarithms 0, 1, 2 and 2, 3, 4, 5: means 1 and 3.5, variances 1 and 5/3, squared errors 1/3 and 5/12, error √0.75 = 0.866025; degrees of freedom
    /// 0.5625 / (1/9/2 + 25/144/3) = 0.5625 / 0.113426 = 4.9592, rounded down 4, with t = 2.776: 2.5 ± 2.404087.
    #[test]
    fn the_interval_of_few_by_hand() {
        let of = |logs: &[f64]| logs.iter().map(|log| log.exp()).collect::<Vec<_>>();
        let change = Change::of_processes(&of(&[0.0, 1.0, 2.0]), &of(&[2.0, 3.0, 4.0, 5.0])).expect("times");
        for (end, by_hand) in [(change.ratio, 2.5), (change.low, 0.095_913), (change.high, 4.904_087)] {
            assert!((end.ln() - by_hand).abs() < 1e-5, "{change:?}");
        }
    }

    /// Critical values as printed in tables of the rank-sum test, two-sided 5 %.
    #[test]
    fn places_are_those_of_the_tables() {
        let tables = [
            (3, 3, None),
            (3, 4, None),
            (4, 4, Some(0)),
            (3, 5, Some(0)),
            (5, 5, Some(2)),
            (7, 7, Some(8)),
            (6, 8, Some(8)),
            (10, 10, Some(23)),
            (20, 20, Some(127)),
        ];
        for (m, n, places) in tables {
            assert_eq!((places_from_end(m, n), places_from_end(n, m)), (places, places), "{m} and {n}");
        }
    }

    /// Logarithms 0, 1, 2, 3 and 10, 11, 12, 13: differences from 7 to 13 around 10, and all of them are within.
    #[test]
    fn the_interval_of_ranks_by_hand() {
        let of = |logs: &[f64]| logs.iter().map(|log| log.exp()).collect::<Vec<_>>();
        let change = Change::of_processes(&of(&[0.0, 1.0, 2.0, 3.0]), &of(&[10.0, 11.0, 12.0, 13.0])).expect("times");
        for (end, by_hand) in [(change.ratio, 10.0), (change.low, 7.0), (change.high, 13.0)] {
            assert!((end.ln() - by_hand).abs() < 1e-9, "{change:?}");
        }
    }

    /// As measured on two cores that others used, too: one of seven processes had them to itself.
    #[test]
    fn an_outlier_among_processes_decides_nothing() {
        let before = [3.67, 3.69, 3.7, 1.9, 3.72, 3.64, 3.7];
        let now = [3.69, 3.72, 3.66, 3.71, 1.8, 3.68, 3.7];
        let change = Change::of_processes(&before, &now).expect("times");
        assert!(change.low > 0.97 && change.high < 1.03 && change.ruling(0.03) == Ruling::NotSlower, "{change:?}");
        let slower = Change::of_processes(&before, &now.map(|time| 1.1 * time)).expect("times");
        assert_eq!(slower.ruling(0.03), Ruling::Slower, "{slower:?}");
    }

    #[test]
    fn too_few_processes_and_no_times_say_nothing_and_equal_ones_all() {
        assert_eq!(Change::of_processes(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(Change::of_processes(&[1.0, 0.0], &[1.0, 2.0]), None);
        assert_eq!(Change::of_processes(&[1.0, f64::NAN], &[1.0, 2.0]), None);
        let change = Change::of_processes(&[2.0; 3], &[3.0; 3]).expect("times");
        assert!([change.low, change.ratio, change.high].iter().all(|end| (end - 1.5).abs() < 1e-12), "{change:?}");
    }

    #[test]
    fn the_rule_has_three_outcomes() {
        let ruling = |low, ratio, high| Change { ratio, low, high }.ruling(0.03);
        for (interval, expected) in [
            ((1.05, 1.1, 1.15), Ruling::Slower),
            ((1.001, 1.03, 1.06), Ruling::Slower),
            // Certain, and too little to matter.
            ((1.005, 1.01, 1.02), Ruling::NotSlower),
            ((0.98, 1.0, 1.029), Ruling::NotSlower),
            ((0.5, 0.6, 0.7), Ruling::NotSlower),
            // Large, and not certain.
            ((0.9, 1.1, 1.3), Ruling::Inconclusive),
            // Certain, and perhaps enough to matter.
            ((1.01, 1.02, 1.04), Ruling::Inconclusive),
            ((0.97, 1.0, 1.03), Ruling::Inconclusive),
        ] {
            assert_eq!(ruling(interval.0, interval.1, interval.2), expected, "{interval:?}");
        }
        assert_eq!(Ruling::confirmed(Ruling::Slower), Ruling::Slower);
        assert_eq!(Ruling::confirmed(Ruling::NotSlower), Ruling::Inconclusive);
    }

    /// The share of 4000 gates with that true ratio whose interval holds it, and the shares that end as slower at the first look, as slower at both, and as not slower.
    fn shares(true_ratio: f64, scatters: [f64; 2], processes: usize) -> [f64; 4] {
        const GATES: u64 = 4000;
        let mut counts = [0_u32; 4];
        for seed in 0..GATES {
            let mut random = Coin::of(seed.wrapping_mul(0x9E37_79B9).wrapping_add(11));
            let before = medians(&mut random, processes, 1e6, scatters[0]);
            let mut look =
                || Change::of_processes(&before, &medians(&mut random, processes, 1e6 * true_ratio, scatters[1])).expect("times");
            let (first, again) = (look(), look());
            let (ruling, ruling_again) = (first.ruling(0.03), again.ruling(0.03));
            let is = [
                first.low <= true_ratio && true_ratio <= first.high,
                ruling == Ruling::Slower,
                ruling == Ruling::Slower && Ruling::confirmed(ruling_again) == Ruling::Slower,
                ruling == Ruling::NotSlower,
            ];
            counts.iter_mut().zip(is).for_each(|(count, is)| *count += u32::from(is));
        }
        counts.map(|count| f64::from(count) / GATES as f64)
    }

    #[test]
    fn intervals_hold_the_true_ratio_and_false_alarms_are_rare() {
        // In 96.2 % of 4000, three deviations are 0.9 %. Where one side scatters more than the other, it is a little less.
        for scatters in [[0.003, 0.003], [0.03, 0.03], [0.01, 0.05], [0.2, 0.2]] {
            let [held, once, twice, _] = shares(1.0, scatters, 7);
            println!("no change, {scatters:?}: held {held}, slower once {once}, twice {twice}");
            assert!((0.92..0.975).contains(&held), "{held} of the intervals hold 1 at {scatters:?}");
            assert!(once < 0.036 && twice < 0.008, "{once} and {twice} false alarms at {scatters:?}");
        }
        let [_, once, twice, not_slower] = shares(1.0, [0.01, 0.01], 7);
        assert!(once == 0.0 && twice == 0.0 && not_slower > 0.98, "{once} {twice} {not_slower}");
    }

    #[test]
    fn what_is_slower_is_found_and_hardly_ever_passes() {
        for (true_ratio, scatter, least) in [(1.05, 0.01, 0.98), (1.1, 0.01, 0.99), (1.1, 0.03, 0.95), (1.2, 0.05, 0.95)] {
            let [_, once, twice, missed] = shares(true_ratio, [scatter, scatter], 7);
            println!("{true_ratio} at {scatter}: slower once {once}, twice {twice}, passed {missed}");
            assert!(twice >= least && missed < 0.001, "{twice} found and {missed} passed of {true_ratio} at {scatter}");
        }
        // At the threshold itself it passes in 1.9 % of cases.
        let [.., missed] = shares(1.03, [0.01, 0.01], 7);
        assert!(missed < 0.036, "{missed}");
    }
}
