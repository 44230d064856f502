//! Votes of a class: hands counted for each answer, before and after the talk in pairs. Counts alone: nobody is named.

use super::{Change, is_decided};
use base::texts::{filled, text};
use serde::{Deserialize, Serialize};

/// Hands for each answer, in the order of [`Change::ALL`].
pub type Hands = [u32; 5];

/// The two votes on a step. The second may be left out: it then has no hands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Votes {
    /// Each for himself.
    pub first: Hands,
    /// After the talk in pairs.
    pub second: Hands,
}

impl Votes {
    /// "Class: 45 % correct before discussion, 80 % after"; `None` where the interval decides nothing.
    #[must_use]
    pub fn in_words(&self, truth: &[Change]) -> Option<String> {
        let percent = |hands: &Hands| share_right(hands, truth).map(|share| format!("{:.0}", share * 100.0));
        let first = percent(&self.first)?;
        let share = match percent(&self.second) {
            Some(second) => filled("prediction.vote.went", &[("first", &first), ("second", &second)]),
            None => filled("prediction.vote.went-first", &[("first", &first)]),
        };
        Some(filled("prediction.vote.you", &[("share", &share)]))
    }
}

/// The answers that are marked as seen: none where the interval decides nothing, as all of them would be.
#[must_use]
pub fn marked(truth: &[Change]) -> &[Change] {
    if is_decided(truth) { truth } else { &[] }
}

/// All hands of a vote.
#[must_use]
pub fn total(hands: &Hands) -> u64 {
    hands.iter().copied().map(u64::from).sum()
}

/// The share of hands for a true answer; `None` where there was no vote, or the interval decides nothing.
#[must_use]
pub fn share_right(hands: &Hands, truth: &[Change]) -> Option<f64> {
    let right: u64 = hands.iter().zip(Change::ALL).filter(|(_, change)| truth.contains(change)).map(|(hands, _)| u64::from(*hands)).sum();
    (is_decided(truth) && total(hands) > 0).then(|| right as f64 / total(hands) as f64)
}

/// Whether a step is worth the time of a vote. What most know, or nobody can, gives pairs nothing to talk about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// Less than 35 % are right at first.
    TooHard,
    /// 35 % to 70 %.
    Good,
    /// More than 70 %.
    TooEasy,
}

impl Worth {
    /// Of the share that is right in the first vote: peer instruction gains most from 35 % to 70 % (Zingaro, Porter 2014).
    #[must_use]
    pub fn of_share(right: f64) -> Self {
        match right {
            right if right < 0.35 => Self::TooHard,
            right if right <= 0.70 => Self::Good,
            _ => Self::TooEasy,
        }
    }

    /// What it means for the next class.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::TooHard => "prediction.vote.too-hard",
            Self::Good => "prediction.vote.good",
            Self::TooEasy => "prediction.vote.too-easy",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Worth, marked, share_right};
    use crate::predict::Change;

    #[test]
    fn shares_by_hand() {
        // Of 20 hands 5 for same and 4 for faster.
        let hands = [1, 8, 5, 4, 2];
        assert_eq!(share_right(&hands, &[Change::Same]), Some(0.25));
        assert_eq!(share_right(&hands, &[Change::Same, Change::Faster]), Some(0.45));
        assert_eq!(share_right(&hands, &Change::ALL[1..4]), None, "the clock cannot tell");
        assert_eq!(share_right(&[0; 5], &[Change::Same]), None);
    }

    #[test]
    fn an_undecided_vote_marks_no_answer() {
        assert_eq!(marked(&[Change::Same, Change::Faster]), [Change::Same, Change::Faster]);
        assert!(marked(&Change::ALL).is_empty() && marked(&Change::ALL[2..]).is_empty() && marked(&[]).is_empty());
    }

    #[test]
    fn a_good_step_divides_the_class() {
        let of = Worth::of_share;
        assert_eq!([of(0.34), of(0.35), of(0.7), of(0.71)], [Worth::TooHard, Worth::Good, Worth::Good, Worth::TooEasy]);
    }
}
