//! Conditions over facts, as `assets/why.toml` writes them: `after.loads < before.loads`, `after.idle_share >= 0.2`, `after.loads <= 0.5 * before.loads`.

use super::fact::{Facts, is_flag, is_known, side_label};
use crate::texts::{filled, joined};
use serde::Deserialize;

/// One comparison.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Condition {
    left: String,
    operator: Operator,
    /// What `right` is multiplied by, or the number itself.
    factor: f64,
    right: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Less,
    AtMost,
    Equal,
    AtLeast,
    Greater,
}

impl Condition {
    /// Whether it holds; `None` where a fact is not known.
    #[must_use]
    pub fn holds(&self, facts: &Facts) -> Option<bool> {
        let left = facts.get(&self.left)?;
        let right = self.factor * self.right.as_ref().map_or(Some(1.0), |name| facts.get(name))?;
        // Counts per pixel are quotients: two that are equal need not be so to the last bit.
        let is_equal = (left - right).abs() <= 1e-9 * left.abs().max(right.abs());
        Some(match self.operator {
            Operator::Less => left < right && !is_equal,
            Operator::AtMost => left <= right || is_equal,
            Operator::Equal => is_equal,
            Operator::AtLeast => left >= right || is_equal,
            Operator::Greater => left > right && !is_equal,
        })
    }

    /// Why it does not hold, in words: the fact with its value, and what it would have to be; or what is not known.
    #[must_use]
    pub fn why_not(&self, facts: &Facts) -> String {
        let unknown: Vec<String> = self.facts().filter(|name| facts.get(name).is_none()).map(side_label).collect();
        let bound = self.factor * self.right.as_ref().map_or(Some(1.0), |name| facts.get(name)).unwrap_or(f64::NAN);
        let Some([fact, value, bound]) = facts.told(&self.left, bound).filter(|_| unknown.is_empty()) else {
            return filled("why.other.unknown", &[("facts", &joined("words.list.items", unknown))]);
        };
        if is_flag(&self.left) {
            return filled("why.other.flag", &[("fact", &fact), ("value", &value)]);
        }
        filled("why.other.condition", &[("fact", &fact), ("value", &value), ("operator", &self.operator.sign()), ("bound", &bound)])
    }

    /// The facts that it compares.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.left.as_str()).chain(self.right.as_deref())
    }

    /// Whether all hold; false where a fact is not known.
    #[must_use]
    pub fn all(conditions: &[Self], facts: &Facts) -> bool {
        conditions.iter().all(|condition| condition.holds(facts) == Some(true))
    }
}

impl Operator {
    const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "≤",
            Self::Equal => "=",
            Self::AtLeast => "≥",
            Self::Greater => ">",
        }
    }
}

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let words: Vec<_> = text.split_whitespace().collect();
        let wrong = |why: &str| format!("'{text}' is no condition: {why}");
        let known = |name: &str| if is_known(name) { Ok(name.to_owned()) } else { Err(wrong(&format!("there is no fact '{name}'"))) };
        let number = |word: &str| word.parse::<f64>().map_err(|_| wrong(&format!("'{word}' is no number")));
        let (left, operator, factor, right) = match words.as_slice() {
            [left, operator, right] => match right.parse::<f64>() {
                Ok(number) => (left, operator, number, None),
                Err(_) => (left, operator, 1.0, Some(known(right)?)),
            },
            [left, operator, factor, "*", right] => (left, operator, number(factor)?, Some(known(right)?)),
            _ => return Err(wrong("write FACT < NUMBER, FACT < FACT or FACT < NUMBER * FACT")),
        };
        let operator = match *operator {
            "<" => Operator::Less,
            "<=" => Operator::AtMost,
            "=" => Operator::Equal,
            ">=" => Operator::AtLeast,
            ">" => Operator::Greater,
            other => return Err(wrong(&format!("'{other}' is none of < <= = >= >"))),
        };
        Ok(Self { left: known(left)?, operator, factor, right })
    }
}

#[cfg(test)]
mod tests {
    use super::Condition;
    use crate::why::Facts;

    #[test]
    fn conditions_compare_facts() {
        let mut facts = Facts::default();
        facts.set("before.loads", 0.1 + 0.2);
        facts.set("after.loads", 0.3);
        facts.set("after.segments", 32.0);
        for (text, holds) in [
            ("after.loads = before.loads", Some(true)),
            ("after.loads < before.loads", Some(false)),
            ("after.loads <= before.loads", Some(true)),
            ("after.segments >= 4 * after.loads", Some(true)),
            ("after.segments > 32", Some(false)),
            ("after.segments < 40.5", Some(true)),
            ("before.segments < 40", None),
        ] {
            let condition = Condition::try_from(text.to_owned()).unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(condition.holds(&facts), holds, "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused_with_the_reason() {
        for (text, words) in [
            ("loads < 3", "there is no fact 'loads'"),
            ("after.loads < before.lods", "there is no fact 'before.lods'"),
            ("after.loads != 3", "'!=' is none of"),
            ("after.loads < x * before.loads", "'x' is no number"),
            ("after.loads", "write FACT < NUMBER"),
        ] {
            let why = Condition::try_from(text.to_owned()).expect_err(text);
            assert!(why.contains(words), "{why}");
        }
    }
}
