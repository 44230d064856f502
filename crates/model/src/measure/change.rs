//! Did a kernel get slower since it was measured before? A ratio of times with an interval, and a word for it.
//!
//! # What the ratio is of
//!
//! Medians of processes. Within a process all runs share its code, stacks and buffers, so that a thousand samples say as much as one about what the next process
//! will do; the processes are what is independent, and what is counted. Times scatter by factors, so everything is of their logarithms.
//!
//! m processes were measured before and n now, each with its own scatter: another load or another clock may scatter more, so both variances are estimated and
//! not pooled (Welch 1947). With means a and b of the logarithms and their variances s² and t², the logarithm of the ratio is b − a, its standard error
//! e = √(s²/m + t²/n), and (b − a) / e follows Student's t with e⁴ / ((s²/m)² / (m − 1) + (t²/n)² / (n − 1)) degrees of freedom, near enough (Satterthwaite 1946).
//! They are rounded down, which widens the interval.
//!
//! # The rule
//!
//! *Slower*: the interval lies above 1 **and** the ratio itself is at least 1 + t. Either alone is a false alarm at times: a change of half a percent that is
//! certain breaks no build, and a ratio of 1.05 between 0.9 and 1.2 is no finding. *Not slower*: the interval lies below 1 + t. *Inconclusive*: all else.
//!
//! Where nothing changed, the interval of medians lies above 1 in 2.5 % of all cases, and with thirty rows one build in two would fail. So what looks slower is
//! measured once more in as many new processes, and only what is slower both times is slower ([`Ruling::confirmed`]). Medians are held to the same earlier processes
//! both times, so the two looks agree more often than chance: 0.3 % of rows are false alarms at the worst scatter, and none where processes scatter by less than a
//! third of the threshold. Pairs of seven processes lie above 1 in 0.8 % (2⁻⁷) at most, and both looks are independent: 0.006 %. Of what is slower by the threshold
//! exactly, 2.5 % pass as not slower; of what is slower by more, fewer. The tests of this file count all that.

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
    /// Of the medians of independent processes before and now, by Welch's t on their logarithms; `None` of fewer than two on a side, and of times that are none.
    #[must_use]
    pub fn of_processes(before: &[f64], now: &[f64]) -> Option<Self> {
        let (before, now) = (Spread::of(before)?, Spread::of(now)?);
        let error = before.square_error + now.square_error;
        // Without any scatter there is nothing to be uncertain about.
        let reach = if error > 0.0 {
            let freedom = error.powi(2) / (before.square_error.powi(2) / before.freedom + now.square_error.powi(2) / now.freedom);
            student_95(freedom.floor().max(1.0) as usize)? * error.sqrt()
        } else {
            0.0
        };
        let middle = now.mean - before.mean;
        let [ratio, low, high] = [middle, middle - reach, middle + reach].map(f64::exp);
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

/// Logarithms of times.
struct Spread {
    mean: f64,
    /// The square of the standard error of the mean.
    square_error: f64,
    freedom: f64,
}

impl Spread {
    fn of(times_ns: &[f64]) -> Option<Self> {
        if times_ns.len() < 2 || times_ns.iter().any(|time| !time.is_finite() || *time <= 0.0) {
            return None;
        }
        let (n, logs) = (times_ns.len() as f64, times_ns.iter().map(|time| time.ln()));
        let mean = logs.clone().sum::<f64>() / n;
        let variance = logs.map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Some(Self { mean, square_error: variance / n, freedom: n - 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Ruling};
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
    fn the_interval_by_hand() {
        let of = |logs: &[f64]| logs.iter().map(|log| log.exp()).collect::<Vec<_>>();
        let change = Change::of_processes(&of(&[0.0, 1.0, 2.0]), &of(&[2.0, 3.0, 4.0, 5.0])).expect("times");
        for (end, by_hand) in [(change.ratio, 2.5), (change.low, 0.095_913), (change.high, 4.904_087)] {
            assert!((end.ln() - by_hand).abs() < 1e-5, "{change:?}");
        }
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
        // In 95 % of 4000, three deviations are 1.03 %; degrees of freedom that are rounded down make it a little more.
        for scatters in [[0.003, 0.003], [0.03, 0.03], [0.01, 0.05], [0.2, 0.2]] {
            let [held, once, twice, _] = shares(1.0, scatters, 7);
            println!("no change, {scatters:?}: held {held}, slower once {once}, twice {twice}");
            assert!((0.938..0.972).contains(&held), "{held} of the intervals hold 1 at {scatters:?}");
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
        // At the threshold itself it passes in 2.5 % of cases.
        let [.., missed] = shares(1.03, [0.01, 0.01], 7);
        assert!(missed < 0.036, "{missed}");
    }
}
