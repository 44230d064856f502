//! Expressions over facts, as `assets/why.toml` and lessons write them: numbers such as `before.kernel_ns / after.kernel_ns`, and conditions such as
//! `after.loads <= 0.5 * before.loads`.

use super::fact::{Facts, fact_names, is_flag, side_label};
use base::expr::{Expr, Fault};
use base::texts::{filled, joined};
use serde::Deserialize;

/// A number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Formula(pub Expr);

/// A yes or a no.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Condition(pub Expr);

impl Formula {
    /// Its value; `None` where a fact is not known yet, or something is divided by 0.
    #[must_use]
    pub fn value(&self, facts: &Facts) -> Option<f64> {
        self.0.value(&|name| facts.get(name))
    }

    /// The facts that it names.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        self.0.names().map(|(name, _)| name)
    }
}

impl Condition {
    /// Whether it holds; `None` where what is known does not decide it.
    #[must_use]
    pub fn holds(&self, facts: &Facts) -> Option<bool> {
        self.0.value(&|name| facts.get(name)).map(|value| value != 0.0)
    }

    /// Why it does not hold, in words: the fact with its value, and what it would have to be; or what is not known.
    #[must_use]
    pub fn why_not(&self, facts: &Facts) -> String {
        let unknown: Vec<String> = self.facts().filter(|name| facts.get(name).is_none()).map(side_label).collect();
        if !unknown.is_empty() {
            return filled("why.other.unknown", &[("facts", &joined("words.list.items", unknown))]);
        }
        let told = self.0.comparison(&|name| facts.get(name)).and_then(|(name, operator, bound)| {
            let [fact, value, bound] = facts.told(name, bound?)?;
            if is_flag(name) {
                return Some(filled("why.other.flag", &[("fact", &fact), ("value", &value)]));
            }
            let operator = match operator {
                "<=" => "≤",
                ">=" => "≥",
                "==" => "=",
                "!=" => "≠",
                other => other,
            };
            Some(filled("why.other.condition", &[("fact", &fact), ("value", &value), ("operator", &operator), ("bound", &bound)]))
        });
        told.unwrap_or_else(|| filled("why.other.expression", &[("condition", &self.0)]))
    }

    /// The facts that it names.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        self.0.names().map(|(name, _)| name)
    }

    /// Whether all hold; false where a fact is not known.
    #[must_use]
    pub fn all(conditions: &[Self], facts: &Facts) -> bool {
        conditions.iter().all(|condition| condition.holds(facts) == Some(true))
    }
}

impl TryFrom<String> for Formula {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        over_facts(Expr::number(&text)).map(Self)
    }
}

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        over_facts(Expr::condition(&text)).map(Self)
    }
}

fn over_facts(read: Result<Expr, Fault>) -> Result<Expr, String> {
    read.and_then(|expr| expr.check(fact_names()).map(|()| expr)).map_err(|fault| fault.sentence)
}

#[cfg(test)]
mod tests {
    use super::{Condition, Formula};
    use crate::why::Facts;

    fn facts() -> Facts {
        let mut facts = Facts::default();
        facts.set("before.loads", 0.1 + 0.2);
        facts.set("after.loads", 0.3);
        facts.set("after.segments", 32.0);
        facts.set("gpu", 0.0);
        facts
    }

    fn condition(text: &str) -> Condition {
        Condition::try_from(text.to_owned()).unwrap_or_else(|why| panic!("{why}"))
    }

    #[test]
    fn conditions_compare_facts() {
        for (text, holds) in [
            ("after.loads = before.loads", Some(true)),
            ("after.loads < before.loads", Some(false)),
            ("after.loads <= before.loads", Some(true)),
            ("after.segments >= 4 * after.loads", Some(true)),
            ("after.segments > 32", Some(false)),
            ("after.segments < 40.5", Some(true)),
            ("before.segments < 40", None),
            ("before.segments < 40 && gpu = 1", Some(false)),
        ] {
            assert_eq!(condition(text).holds(&facts()), holds, "{text}");
        }
        let size = Formula::try_from("after.segments / before.loads".to_owned()).expect("a formula");
        assert_eq!(size.facts().collect::<Vec<_>>(), ["after.segments", "before.loads"]);
        assert_eq!(size.value(&facts()), Some(32.0 / (0.1 + 0.2)));
    }

    #[test]
    fn why_one_does_not_hold_is_told_in_words() {
        for (text, told) in [
            ("after.segments < 0.5 * after.segments", "Memory segments per load of a sub-group, after: 32, needs < 16"),
            ("gpu = 1", "The device is a GPU: no"),
            ("before.stores > 1", "unknown: Stores per pixel in the source, before"),
            ("0.5 * after.segments > 40", "0.5 * after.segments > 40 does not hold"),
            ("after.segments > 40 || gpu = 1", "after.segments > 40 || gpu = 1 does not hold"),
        ] {
            assert_eq!(condition(text).why_not(&facts()), told);
        }
    }

    #[test]
    fn what_is_not_over_facts_is_refused_with_the_reason() {
        for (text, words) in [
            ("loads < 3", "there is no name 'loads' here"),
            ("after.loads < before.lods", "did you mean 'before.loads'?"),
            ("after.loads", "'after.loads' is a number, not a condition"),
        ] {
            let why = Condition::try_from(text.to_owned()).expect_err(text);
            assert!(why.contains(words), "{why}");
        }
        let why = Formula::try_from("after.loads < 3".to_owned()).expect_err("a condition");
        assert!(why.contains("'after.loads < 3' is a condition, not a number"), "{why}");
    }
}
