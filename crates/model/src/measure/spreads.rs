//! Readings that were taken one after the other, compared by their quartiles.

use super::{Comparison, Verdict};
use crate::Summary;

/// While other programs ran, a reading may have taken so many times as long as on a quiet machine: each core then has two to serve.
const STRETCH: f64 = 2.0;

/// A reading, and whether other programs ran throughout.
type Reading<'a> = (&'a Summary, bool);

/// [`compare_readings`] of two whose quartiles are all that is shown.
#[must_use]
pub fn compare_spreads(first: &Summary, second: &Summary) -> Option<Comparison> {
    compare_readings((first, false), (second, false))
}

/// Compares readings that were not interleaved. Nothing is known of how the machine changed between them, so the interval is as wide as their
/// quartiles allow, and nothing is claimed where it reaches over the edge of the band of [`super::SAME_BAND`]. Other programs need not have run during
/// both: a reading that they disturbed may belong to a time as short as half of it. `None` where the second takes no time.
#[must_use]
pub fn compare_readings((first, is_first_busy): Reading<'_>, (second, is_second_busy): Reading<'_>) -> Option<Comparison> {
    if second.lower_quartile_ns <= 0.0 {
        return None;
    }
    let stretch = |is_busy: bool| if is_busy { STRETCH } else { 1.0 };
    let ratio = first.median_ns / second.median_ns;
    let low = first.lower_quartile_ns / stretch(is_first_busy) / second.upper_quartile_ns;
    let high = first.upper_quartile_ns * stretch(is_second_busy) / second.lower_quartile_ns;
    Some(Comparison { ratio, low, high, verdict: Verdict::of_interval(low, high), starts: 1 })
}

#[cfg(test)]
mod tests {
    use super::{compare_readings, compare_spreads};
    use crate::Summary;
    use crate::measure::Verdict;

    #[test]
    fn readings_apart_are_compared_by_their_quartiles() {
        let summary = |samples: [u64; 5]| Summary::of(samples.to_vec()).expect("samples");
        let quiet = |first, second| compare_spreads(&summary(first), &summary(second));
        // Quartiles 190 and 210 against 95 and 105.
        let twice = quiet([180, 190, 200, 210, 220], [90, 95, 100, 105, 110]).expect("times");
        assert_eq!((twice.ratio, twice.verdict), (2.0, Verdict::Faster));
        assert!((twice.low - 190.0 / 105.0).abs() < 1e-12 && (twice.high - 210.0 / 95.0).abs() < 1e-12, "{twice:?}");
        // The boxes of the two overlap.
        let wide = quiet([80, 90, 110, 130, 140], [80, 85, 100, 115, 120]).expect("times");
        assert_eq!(wide.verdict, Verdict::Unclear);
        assert_eq!(quiet([1; 5], [0; 5]), None);
    }

    #[test]
    fn other_programs_that_ran_during_one_of_them_alone_are_no_difference() {
        let of = |time: u64| Summary::of(vec![time; 5]).expect("samples");
        let told = |first: (u64, bool), second: (u64, bool)| {
            compare_readings((&of(first.0), first.1), (&of(second.0), second.1)).map(|said| (said.ratio, said.low, said.high, said.verdict))
        };
        assert_eq!(told((100, false), (190, true)), Some((100.0 / 190.0, 100.0 / 190.0, 200.0 / 190.0, Verdict::Unclear)));
        assert_eq!(told((190, true), (100, false)), Some((1.9, 0.95, 1.9, Verdict::Unclear)));
        // What is far outside is said.
        assert_eq!(told((900, true), (100, true)), Some((9.0, 4.5, 18.0, Verdict::Faster)));
    }
}
