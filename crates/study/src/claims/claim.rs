//! Does what a guide claims hold here?

use base::texts::text;
use engine::Compared;
use engine::compiled::CodeComparison;
use kernels::filters::Says;
use model::measure::{Comparison, Verdict};
use view::story::Mark;

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
    /// Holds two that were compared to the claim. Where the device does the same for both, there is no difference, whatever the timings say: theirs is
    /// then the noise of the machine.
    #[must_use]
    pub fn of_compared(says: Says, compared: &Compared) -> Self {
        Self::of_work(says, compared.code.as_ref().is_some_and(CodeComparison::is_same_work), &compared.comparison)
    }

    /// The same of a comparison and of whether the device does the same for both.
    #[must_use]
    pub fn of_work(says: Says, is_same_work: bool, comparison: &Comparison) -> Self {
        match says {
            Says::Same | Says::NotFaster if is_same_work => Self::Confirmed,
            Says::Faster | Says::Slower if is_same_work => Self::NotSeen,
            _ => Self::of(says, comparison),
        }
    }

    /// All there are, in the order of summaries.
    pub const ALL: [Self; 4] = [Self::Confirmed, Self::NotSeen, Self::Reversed, Self::Unclear];

    /// Holds a comparison of the step that the claim is against (first) with the claimed step (second) to the claim.
    #[must_use]
    pub fn of(says: Says, comparison: &Comparison) -> Self {
        match (says, comparison.verdict) {
            (Says::Same, _) => Self::of_no_difference(comparison),
            (Says::Faster, Verdict::Faster) | (Says::Slower, Verdict::Slower) | (Says::NotFaster, Verdict::Slower | Verdict::Same) => {
                Self::Confirmed
            }
            (Says::Faster, Verdict::Slower) | (Says::Slower | Says::NotFaster, Verdict::Faster) => Self::Reversed,
            (_, Verdict::Same) => Self::NotSeen,
            (_, Verdict::Unclear) => Self::Unclear,
        }
    }

    fn of_no_difference(comparison: &Comparison) -> Self {
        let (least, most) = (1.0 / (1.0 + NO_DIFFERENCE), 1.0 + NO_DIFFERENCE);
        if comparison.verdict == Verdict::Same {
            Self::Confirmed
        } else if comparison.low > most || comparison.high < least {
            // Faster or slower beyond the interval's doubt, unless halves of the run disagree.
            if comparison.verdict == Verdict::Unclear { Self::Unclear } else { Self::NotSeen }
        } else if comparison.low >= least && comparison.high <= most {
            Self::Confirmed
        } else {
            Self::Unclear
        }
    }

    /// For programs that read our output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotSeen => "not seen",
            Self::Reversed => "reversed",
            Self::Unclear => "unclear",
        }
    }

    /// The key of its label.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Confirmed => "words.seen.confirmed",
            Self::NotSeen => "words.seen.not-seen",
            Self::Reversed => "words.seen.reversed",
            Self::Unclear => "words.seen.unclear",
        }
    }

    /// As tables and the window show it.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(self.key())
    }

    /// What it is worth in a story.
    #[must_use]
    pub const fn mark(self) -> Mark {
        match self {
            Self::Confirmed => Mark::Confirmed,
            Self::NotSeen => Mark::NotSeen,
            Self::Reversed => Mark::Reversed,
            Self::Unclear => Mark::Unclear,
        }
    }

    /// With a sign beside the word, so that it can be found at a glance: "✓ confirmed".
    #[must_use]
    pub fn marked(self) -> String {
        let sign = match self {
            Self::Confirmed => "✓",
            Self::NotSeen => "=",
            Self::Reversed => "✗",
            Self::Unclear => "?",
        };
        format!("{sign} {}", self.label())
    }
}

#[cfg(test)]
mod tests {
    use super::{Compared, Seen};
    use crate::testing::{compared_as, same_code};
    use engine::compiled::{CodeComparison, Sameness};
    use kernels::filters::Says;
    use model::measure::{Comparison, Verdict};

    fn comparison(low: f64, high: f64, verdict: Verdict) -> Comparison {
        Comparison { ratio: f64::midpoint(low, high), low, high, verdict, starts: 1 }
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
            (Says::NotFaster, [Seen::Reversed, Seen::Confirmed, Seen::Confirmed, Seen::Unclear]),
        ] {
            assert_eq!([faster, slower, same, unclear].map(|comparison| Seen::of(says, &comparison)), expected, "{says:?}");
        }
    }

    #[test]
    fn the_same_work_is_the_same_whatever_the_timings_say() {
        let code = |is_same_launch| CodeComparison { is_same_launch, ..same_code() };
        let compared = |verdict, code| Compared { code: Some(code), ..compared_as(comparison(1.3, 1.4, verdict)) };
        let says = [Says::Faster, Says::Slower, Says::Same, Says::NotFaster];
        let of = |compared: &Compared| says.map(|says| Seen::of_compared(says, compared));
        assert_eq!(of(&compared(Verdict::Faster, code(true))), [Seen::NotSeen, Seen::NotSeen, Seen::Confirmed, Seen::Confirmed]);
        // Another pitch or NDRange is another work: then the timings decide.
        assert_eq!(of(&compared(Verdict::Faster, code(false))), [Seen::Confirmed, Seen::Reversed, Seen::NotSeen, Seen::Reversed]);
        let different = CodeComparison { sameness: Ok(Sameness::Different), ..code(true) };
        assert_eq!(of(&compared(Verdict::Faster, different)), [Seen::Confirmed, Seen::Reversed, Seen::NotSeen, Seen::Reversed]);
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
}
