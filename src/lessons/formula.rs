//! Numbers that are computed from facts: `after.loads`, `before.kernel_ns / after.kernel_ns`, `2 * after.stores + 1`.

use super::fault::{meant, say};
use crate::why::{FACTS, Facts, Of, is_known};

/// A sum of products, without brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula(Vec<(f64, Vec<Factor>)>);

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
    /// What is wrong and what to do.
    pub fn read(text: &str) -> Result<Self, (String, String)> {
        let mut sum: Vec<(f64, Vec<Factor>)> = Vec::new();
        let (mut sign, mut is_divisor, mut is_new) = (1.0, false, true);
        let mut words = text.split_whitespace();
        loop {
            let word = words.next().ok_or_else(|| wrong(text))?;
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
                _ => return Err(wrong(text)),
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

fn operand(word: &str) -> Result<Operand, (String, String)> {
    if let Ok(number) = word.parse::<f64>() {
        return Ok(Operand::Number(number));
    }
    if is_known(word) { Ok(Operand::Fact(word.to_owned())) } else { Err(no_fact(word)) }
}

/// There is no such fact, and what may be meant.
pub(super) fn no_fact(word: &str) -> (String, String) {
    let names: Vec<String> = FACTS
        .iter()
        .flat_map(|(name, of, _)| match of {
            Of::Both => vec![(*name).to_owned()],
            Of::Each => vec![format!("before.{name}"), format!("after.{name}")],
        })
        .collect();
    (say("lessons.fault.no-fact", &[("name", &word)]), meant(word, names.iter().map(String::as_str)))
}

fn wrong(text: &str) -> (String, String) {
    (say("lessons.fault.no-formula", &[("text", &text)]), say("lessons.fault.write-formula", &[]))
}

#[cfg(test)]
mod tests {
    use super::Formula;
    use crate::why::Facts;

    #[test]
    fn formulas_by_hand() {
        let mut facts = Facts::default();
        facts.set("before.loads", 27.0);
        facts.set("after.loads", 1.8);
        facts.set("after.stores", 0.0);
        let of = |text: &str| Formula::read(text).unwrap_or_else(|(why, _)| panic!("{why}")).value(&facts);
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
        for (text, why, remedy) in [
            ("", "is no formula", "write"),
            ("after.loads *", "is no formula", "write"),
            ("after.loads x 2", "is no formula", "write"),
            ("after.load", "there is no fact 'after.load'", "did you mean 'after.loads'?"),
        ] {
            let (told, way_on) = Formula::read(text).expect_err(text);
            assert!(told.contains(why) && way_on.contains(remedy), "{told}; {way_on}");
        }
    }
}
