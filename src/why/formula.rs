//! Numbers that are computed from facts: `after.loads`, `before.kernel_ns / after.kernel_ns`, `2 * after.stores + 1`.

use super::fact::{Facts, is_known};
use serde::Deserialize;
use std::fmt;

/// A sum of products, without brackets.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Formula(Vec<(f64, Vec<Factor>)>);

/// Why a text is no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFormula {
    /// There is no such fact.
    NoFact(String),
    /// It is no facts and numbers with + - * / between them.
    Unreadable(String),
}

impl fmt::Display for NoFormula {
    /// For the program's own files.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFact(name) => write!(formatter, "there is no fact '{name}'"),
            Self::Unreadable(text) => write!(formatter, "'{text}' is no formula"),
        }
    }
}

impl TryFrom<String> for Formula {
    type Error = NoFormula;

    fn try_from(text: String) -> Result<Self, NoFormula> {
        Self::read(&text)
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Factor {
    /// Divide by it.
    is_divisor: bool,
    operand: Operand,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Number(f64),
    Fact(String),
}

impl Formula {
    /// Reads a formula: facts and numbers with + - * / between them, each apart by blanks.
    ///
    /// # Errors
    /// What is wrong.
    pub fn read(text: &str) -> Result<Self, NoFormula> {
        let unreadable = || NoFormula::Unreadable(text.to_owned());
        let mut sum: Vec<(f64, Vec<Factor>)> = Vec::new();
        let (mut sign, mut is_divisor, mut is_new) = (1.0, false, true);
        let mut words = text.split_whitespace();
        loop {
            let word = words.next().ok_or_else(unreadable)?;
            let factor = Factor { is_divisor, operand: operand(word)? };
            match sum.last_mut().filter(|_| !is_new) {
                Some((_, product)) => product.push(factor),
                None => sum.push((sign, vec![factor])),
            }
            let Some(operator) = words.next() else { return Ok(Self(sum)) };
            (sign, is_divisor, is_new) = match operator {
                "+" => (1.0, false, true),
                "-" => (-1.0, false, true),
                "*" => (1.0, false, false),
                "/" => (1.0, true, false),
                _ => return Err(unreadable()),
            };
        }
    }

    /// Its value; `None` where a fact is not known yet, or something is divided by 0.
    #[must_use]
    pub fn value(&self, facts: &Facts) -> Option<f64> {
        let mut sum = 0.0;
        for (sign, product) in &self.0 {
            let mut value = *sign;
            for Factor { is_divisor, operand } in product {
                let operand = match operand {
                    Operand::Number(number) => *number,
                    Operand::Fact(name) => facts.get(name)?,
                };
                value = if *is_divisor { value / operand } else { value * operand };
            }
            sum += value;
        }
        sum.is_finite().then_some(sum)
    }

    /// The facts that it names.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|(_, product)| product).filter_map(|factor| match &factor.operand {
            Operand::Fact(name) => Some(name.as_str()),
            Operand::Number(_) => None,
        })
    }
}

fn operand(word: &str) -> Result<Operand, NoFormula> {
    if let Ok(number) = word.parse::<f64>() {
        return Ok(Operand::Number(number));
    }
    if is_known(word) { Ok(Operand::Fact(word.to_owned())) } else { Err(NoFormula::NoFact(word.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::{Formula, NoFormula};
    use crate::why::Facts;

    #[test]
    fn formulas_by_hand() {
        let mut facts = Facts::default();
        facts.set("before.loads", 27.0);
        facts.set("after.loads", 1.8);
        facts.set("after.stores", 0.0);
        let of = |text: &str| Formula::read(text).unwrap_or_else(|why| panic!("{why}")).value(&facts);
        for (text, value) in [
            ("after.loads", Some(1.8)),
            ("before.loads / after.loads", Some(15.0)),
            ("2 * before.loads - 4 + after.loads / 2 * 10", Some(59.0)),
            ("1 / after.stores", None),
            ("before.registers", None),
        ] {
            let found = of(text);
            assert_eq!(found.is_some(), value.is_some(), "{text}");
            assert!(found.zip(value).is_none_or(|(found, value)| (found - value).abs() < 1e-9), "{text}: {found:?}");
        }
        let formula = Formula::read("2 * before.loads - after.loads").expect("a formula");
        assert_eq!(formula.facts().collect::<Vec<_>>(), ["before.loads", "after.loads"]);
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        for text in ["", "after.loads *", "after.loads x 2"] {
            assert_eq!(Formula::read(text), Err(NoFormula::Unreadable(text.to_owned())));
        }
        assert_eq!(Formula::read("after.load").expect_err("no such fact").to_string(), "there is no fact 'after.load'");
    }
}
