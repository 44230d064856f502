//! Can comparisons be trusted here? Variants are compared with themselves: whatever is then called faster or slower is a false verdict, and the interval
//! should hold 1 in 95 % of cases. And is there power beside it? The same pairs with the second's times lengthened say which difference is still found.

use engine::Compared;
use model::measure::{Pair, Verdict, compare};
use serde::Serialize;

/// Differences in percent that are tried, in order.
const PLANTED_PERCENT: [f64; 14] = [2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.5, 15.0, 20.0, 30.0, 50.0];

/// A difference counts as found where this share of the comparisons finds it.
const POWER: f64 = 0.9;

/// What comparisons of variants with themselves came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SelfTest {
    /// Comparisons.
    pub comparisons: usize,
    /// Said FASTER or SLOWER.
    pub false_verdicts: usize,
    /// Intervals that hold 1.
    pub held: usize,
    /// Made while other programs ran.
    pub busy: usize,
    /// Of these, said FASTER or SLOWER. They are among the false verdicts.
    pub false_busy: usize,
    /// Median of half the intervals' widths, in percent.
    pub median_reach_percent: Option<f64>,
    /// The smallest slowdown, in percent, that at least 90 % of the comparisons call SLOWER once it is planted; `None`: none of those tried.
    pub finds_percent: Option<f64>,
}

impl SelfTest {
    /// Sums comparisons up, each of one variant with itself.
    #[must_use]
    pub fn of(compared: &[Compared]) -> Self {
        let count = |test: &dyn Fn(&Compared) -> bool| compared.iter().filter(|compared| test(compared)).count();
        let mut reaches: Vec<f64> = compared
            .iter()
            .map(|compared| 50.0 * (compared.comparison.high - compared.comparison.low) / compared.comparison.ratio)
            .collect();
        reaches.sort_unstable_by(f64::total_cmp);
        let is_found = |percent: &f64| {
            let found = count(&|compared| compare(&slowed(&compared.pairs, *percent), compared.places).verdict == Verdict::Slower);
            found as f64 >= POWER * compared.len() as f64
        };
        Self {
            comparisons: compared.len(),
            false_verdicts: count(&|compared| is_claim(compared.comparison.verdict)),
            held: count(&|compared| compared.comparison.low <= 1.0 && 1.0 <= compared.comparison.high),
            busy: count(&|compared| compared.busy),
            false_busy: count(&|compared| compared.busy && is_claim(compared.comparison.verdict)),
            median_reach_percent: reaches.get(reaches.len() / 2).copied(),
            finds_percent: (!compared.is_empty()).then(|| PLANTED_PERCENT.into_iter().find(is_found)).flatten(),
        }
    }

    /// False verdicts of those comparisons during which no other programs ran, and the number of these comparisons.
    #[must_use]
    pub const fn quiet(&self) -> (usize, usize) {
        (self.false_verdicts - self.false_busy, self.comparisons - self.busy)
    }

    /// Share of the intervals that hold 1, in percent.
    #[must_use]
    pub fn held_percent(&self) -> f64 {
        100.0 * self.held as f64 / self.comparisons.max(1) as f64
    }
}

fn is_claim(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

/// The pairs with the second's times lengthened.
fn slowed(pairs: &[Pair], percent: f64) -> Vec<Pair> {
    let slow = |pair: &Pair| Pair { second_ns: (pair.second_ns as f64 * (1.0 + percent / 100.0)).round() as u64, ..*pair };
    pairs.iter().map(slow).collect()
}

#[cfg(test)]
mod tests {
    use super::SelfTest;
    use engine::Compared;
    use model::measure::{Pair, Places, compare};

    fn compared(first_ns: u64, second_ns: u64) -> Compared {
        let pairs = vec![Pair { first_ns, second_ns, first_place: 0, second_place: 0, start: 0 }; 20];
        Compared { comparison: compare(&pairs, Places::Shared), places: Places::Shared, pairs, busy: false, code: None }
    }

    #[test]
    fn false_verdicts_coverage_and_power_by_hand() {
        // One that is the same, one that differs by 1 % (the interval does not hold 1, and nothing is claimed), one that differs by 25 %.
        let test = SelfTest::of(&[compared(100_000, 100_000), compared(100_000, 101_000), compared(100_000, 80_000)]);
        assert_eq!((test.comparisons, test.false_verdicts, test.held, test.busy, test.quiet()), (3, 1, 1, 0, (1, 3)));
        // A false verdict is one, whatever else the machine did, and counts with those under load.
        let loaded = |first, second| Compared { busy: true, ..compared(first, second) };
        let test = SelfTest::of(&[compared(100_000, 100_000), loaded(100_000, 100_000), loaded(100_000, 80_000)]);
        assert_eq!((test.false_verdicts, test.busy, test.false_busy, test.quiet()), (1, 2, 1, (0, 1)));
        let test = SelfTest::of(&[compared(100_000, 100_000), compared(100_000, 101_000), compared(100_000, 80_000)]);
        // Without noise 2.5 % is found by the first two; the third is 2.5 % slower than its 0.8 only from 30 % on.
        assert_eq!(test.finds_percent, Some(30.0));
        assert_eq!(SelfTest::of(&[compared(100_000, 100_000)]).finds_percent, Some(2.5));
        assert_eq!(SelfTest::of(&[]).finds_percent, None);
    }
}
