//! What a person expects an experiment to show, asked before it runs.

use crate::experiment::{Conclusion, Definition};

/// An answer to the question what an experiment will show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// What it shows if the explanation is true.
    IfTrue,
    /// What it shows if the explanation is false.
    IfFalse,
}

impl Expected {
    /// Both answers in the order in which they are offered: the same whenever an experiment is asked about, and not the same for all, so that the place of
    /// an answer is no hint.
    #[must_use]
    pub fn answers(experiment: &Definition) -> [Self; 2] {
        let is_true_first = experiment.id.bytes().map(u32::from).sum::<u32>().is_multiple_of(2);
        if is_true_first { [Self::IfTrue, Self::IfFalse] } else { [Self::IfFalse, Self::IfTrue] }
    }

    /// The answer in a clause.
    #[must_use]
    pub fn text(self, experiment: &Definition) -> &'static str {
        match self {
            Self::IfTrue => experiment.if_true_text(),
            Self::IfFalse => experiment.if_false_text(),
        }
    }

    /// Whether the answer is right; `None` where the experiment decides nothing, which makes no answer right or wrong.
    #[must_use]
    pub const fn is_right(self, conclusion: Conclusion) -> Option<bool> {
        match (self, conclusion) {
            (_, Conclusion::Unclear(_)) => None,
            (Self::IfTrue, Conclusion::Confirmed) | (Self::IfFalse, Conclusion::Refuted) => Some(true),
            (Self::IfTrue, Conclusion::Refuted) | (Self::IfFalse, Conclusion::Confirmed) => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Expected;
    use crate::experiment::{Conclusion, Doubt, of_rule, tested_rules};

    #[test]
    fn an_answer_is_right_wrong_or_not_marked() {
        use Conclusion::{Confirmed, Refuted, Unclear};
        let of = |conclusion| [Expected::IfTrue, Expected::IfFalse].map(|expected| expected.is_right(conclusion));
        assert_eq!(of(Confirmed), [Some(true), Some(false)]);
        assert_eq!(of(Refuted), [Some(false), Some(true)]);
        assert_eq!(of(Unclear(Doubt::Between)), [None, None]);
    }

    #[test]
    fn the_place_of_an_answer_is_no_hint() {
        let first: Vec<Expected> =
            tested_rules().filter_map(|rule| of_rule(rule).next()).map(|known| Expected::answers(known)[0]).collect();
        let true_first = first.iter().filter(|expected| **expected == Expected::IfTrue).count();
        assert!(true_first * 4 >= first.len() && true_first * 4 <= 3 * first.len(), "{true_first} of {}", first.len());
        let definition = of_rule("fewer-loads").next().expect("an experiment");
        let texts = Expected::answers(definition).map(|expected| expected.text(definition));
        assert!(texts.contains(&definition.if_true_text()) && texts.contains(&definition.if_false_text()));
    }
}
