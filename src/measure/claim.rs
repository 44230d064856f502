//! Does what a guide claims hold here?

use super::{Comparison, Summary, Verdict};
use crate::filters::Says;

/// A guide that says "no difference" prints figures with one decimal: less than 5 % is no difference to it.
const NO_DIFFERENCE: f64 = 0.05;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It holds here.
    Confirmed,
    /// There is no such difference here; or there is one where the guide says that there is none.
    NotSeen,
    /// It is the other way round here.
    Reversed,
    /// The readings do not decide it.
    Unclear,
}

impl Seen {
    /// All there are, in the order of summaries.
    pub const ALL: [Self; 4] = [Self::Confirmed, Self::NotSeen, Self::Reversed, Self::Unclear];

    /// Holds a comparison of the step that the claim is against (first) with the claimed step (second) to the claim.
    #[must_use]
    pub fn of(says: Says, comparison: &Comparison) -> Self {
        match (says, comparison.verdict) {
            (Says::Same, _) => Self::of_no_difference(comparison),
            (Says::Faster, Verdict::Faster) | (Says::Slower, Verdict::Slower) => Self::Confirmed,
            (Says::Faster, Verdict::Slower) | (Says::Slower, Verdict::Faster) => Self::Reversed,
            (_, Verdict::Same) => Self::NotSeen,
            (_, Verdict::Unclear) => Self::Unclear,
        }
    }

    fn of_no_difference(comparison: &Comparison) -> Self {
        let (least, most) = (1.0 / (1.0 + NO_DIFFERENCE), 1.0 + NO_DIFFERENCE);
        if comparison.verdict == Verdict::Same {
            Self::Confirmed
        } else if comparison.low > most || comparison.high < least {
            // Faster or slower beyond the interval's doubt, unless halves of the run disagree or the machine was busy.
            if comparison.verdict == Verdict::Unclear { Self::Unclear } else { Self::NotSeen }
        } else if comparison.low >= least && comparison.high <= most {
            Self::Confirmed
        } else {
            Self::Unclear
        }
    }

    /// As tables and the window show it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotSeen => "not seen",
            Self::Reversed => "reversed",
            Self::Unclear => "unclear",
        }
    }
}

/// Compares readings that were not taken in turn. Nothing is known of how the machine changed between them, so the interval is as wide as their
/// quartiles allow, and nothing is claimed where it reaches over the edge of the band of [`super::SAME_BAND`]. `None` where the second takes no time.
#[must_use]
pub fn compare_spreads(first: &Summary, second: &Summary) -> Option<Comparison> {
    if second.lower_quartile_ns <= 0.0 {
        return None;
    }
    let ratio = first.median_ns / second.median_ns;
    let (low, high) = (first.lower_quartile_ns / second.upper_quartile_ns, first.upper_quartile_ns / second.lower_quartile_ns);
    Some(Comparison { ratio, low, high, verdict: Verdict::of_interval(low, high) })
}

#[cfg(test)]
mod tests {
    use super::{Seen, compare_spreads};
    use crate::filters::Says;
    use crate::measure::{Comparison, Summary, Verdict};

    fn comparison(low: f64, high: f64, verdict: Verdict) -> Comparison {
        Comparison { ratio: f64::midpoint(low, high), low, high, verdict }
    }

    #[test]
    fn every_claim_meets_every_verdict() {
        let faster = comparison(1.3, 1.4, Verdict::Faster);
        let slower = comparison(0.7, 0.8, Verdict::Slower);
        let same = comparison(0.99, 1.01, Verdict::Same);
        let unclear = comparison(0.9, 1.2, Verdict::Unclear);
        for (says, expected) in [
            (Says::Faster, [Seen::Confirmed, Seen::Reversed, Seen::NotSeen, Seen::Unclear]),
            (Says::Slower, [Seen::Reversed, Seen::Confirmed, Seen::NotSeen, Seen::Unclear]),
            (Says::Same, [Seen::NotSeen, Seen::NotSeen, Seen::Confirmed, Seen::Unclear]),
        ] {
            assert_eq!([faster, slower, same, unclear].map(|comparison| Seen::of(says, &comparison)), expected, "{says:?}");
        }
    }

    #[test]
    fn no_difference_means_less_than_a_guide_would_print() {
        for (low, high, verdict, seen) in [
            (1.025, 1.045, Verdict::Faster, Seen::Confirmed),
            (0.96, 1.04, Verdict::Unclear, Seen::Confirmed),
            (1.03, 1.07, Verdict::Faster, Seen::Unclear),
            (1.2, 1.3, Verdict::Unclear, Seen::Unclear),
        ] {
            assert_eq!(Seen::of(Says::Same, &comparison(low, high, verdict)), seen, "{low} to {high}");
        }
    }

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
