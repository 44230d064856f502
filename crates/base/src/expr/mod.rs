//! Expressions over names: the conditions of kernel files, the formulas and conditions of lessons and rules.
//!
//! An expression has numbers (`12`, `0.5`, `1e6`), names (`LANES`, `before.loads`), `true` and `false`, parentheses, the functions `min(a, b)`, `max(a, b)`,
//! `abs`, `floor`, `ceil`, `round`, `sqrt`, `log2`, `ceil_div(a, b)`, and these operators, from the one that binds least, as in C:
//!
//! | operators | |
//! |---|---|
//! | `c ? a : b` | any value but 0 is a yes |
//! | `\|\|` or `or` | |
//! | `&&` or `and` | |
//! | `=` or `==`, `!=`, `<`, `<=`, `>`, `>=` | 1 for yes, 0 for no; they do not chain |
//! | `+`, `-` | |
//! | `*`, `/`, `%` | `/` is real division; the remainder has the sign of the left side |
//! | `!`, `-`, `+` before a value | |
//!
//! All values are `f64`, so whole numbers are exact below 2^53. Two values are equal where they are the same, or, unless both are whole, where they differ by
//! less than a billionth: counts per pixel are quotients.
//!
//! A value may be unknown, and what is computed from it then is, too. But a side that is 0 decides `&&`, and one that is not 0 decides `||`, whatever the
//! other is. What has no finite value, such as a division by 0, is unknown.
//!
//! [`Expr::whole`] is the part of it that the `#if` of C has, with C's whole numbers: `/` drops the fraction, `==` binds less than `<`, and a side that has
//! no value decides nothing.

mod parse;
#[cfg(test)]
mod tests;

use crate::texts::{clause, meant};
use std::fmt;

/// An expression that was read.
///
/// It is kept as steps over a stack: none of what is done with it recurses, however long it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// As it was written.
    text: String,
    steps: Vec<Step>,
    /// Its value is a yes or a no.
    is_condition: bool,
    is_whole: bool,
}

/// Something wrong in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The character, from 1.
    pub column: usize,
    /// What is wrong, and what to do.
    pub sentence: String,
}

impl Fault {
    fn new(column: usize, key: &'static str, values: &[(&str, &dyn fmt::Display)]) -> Self {
        Self { column, sentence: clause(key, values) }
    }

    /// A word that is none of those that are known.
    fn unknown<'a>(column: usize, key: &'static str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Self {
        Self { column, sentence: format!("{}; {}", clause(key, &[("name", &name)]), meant(name, known)) }
    }
}

/// What is done with the stack.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Number(f64),
    Name {
        name: String,
        column: usize,
    },
    /// An operator or a function of one value.
    Unary(&'static str),
    /// One of two values, and the step with which its right side begins.
    Binary(&'static str, usize),
    Choose,
}

/// What compares two values.
const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

/// From here on, not every whole number is a `f64`.
const NOT_EXACT: f64 = 9_007_199_254_740_992.0;

impl Expr {
    /// Reads an expression of either kind: [`Self::condition`] or [`Self::number`].
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        parse::parse(text, false)
    }

    /// Reads an expression whose value is a yes or a no.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn condition(text: &str) -> Result<Self, Fault> {
        let expr = Self::parse(text)?;
        if expr.is_condition { Ok(expr) } else { Err(Fault::new(1, "expr.not-condition", &[("text", &expr)])) }
    }

    /// Reads an expression whose value is a number.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn number(text: &str) -> Result<Self, Fault> {
        let expr = Self::parse(text)?;
        if expr.is_condition { Err(Fault::new(1, "expr.not-number", &[("text", &expr)])) } else { Ok(expr) }
    }

    /// Reads a condition of C's preprocessor.
    ///
    /// # Errors
    /// The first thing that is wrong, or that such a condition does not have.
    pub fn whole(text: &str) -> Result<Self, Fault> {
        parse::parse(text, true)
    }

    /// The names in it, each with its column, in order; one that is there twice comes twice.
    pub fn names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.steps.iter().filter_map(|step| match step {
            Step::Name { name, column } => Some((name.as_str(), *column)),
            _ => None,
        })
    }

    /// Holds its names to those that are known.
    ///
    /// # Errors
    /// The first that is not, and which one may be meant.
    pub fn check<'a>(&self, known: impl Iterator<Item = &'a str> + Clone) -> Result<(), Fault> {
        let unknown = self.names().find(|(name, _)| !known.clone().any(|known| known == *name));
        unknown.map_or(Ok(()), |(name, column)| Err(Fault::unknown(column, "expr.name", name, known)))
    }

    /// Its value, of a condition 1 or 0; `None` where it is unknown, because `value_of` does not know a name or because there is none.
    #[must_use]
    pub fn value(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        self.run(&self.steps, value_of)
    }

    /// Where it compares a name with something: the name, the operator, and the value of the other side.
    #[must_use]
    pub fn comparison(&self, value_of: &dyn Fn(&str) -> Option<f64>) -> Option<(&str, &'static str, Option<f64>)> {
        let (Step::Binary(operator, right), sides) = self.steps.split_last()? else { return None };
        match sides.split_at_checked(*right)? {
            ([Step::Name { name, .. }], right) if COMPARISONS.contains(operator) => Some((name, operator, self.run(right, value_of))),
            _ => None,
        }
    }

    fn run(&self, steps: &[Step], value_of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let mut stack: Vec<Option<f64>> = Vec::new();
        for step in steps {
            let value = match step {
                Step::Number(number) => Some(*number),
                Step::Name { name, .. } => value_of(name),
                Step::Unary(operator) => stack.pop()?.map(|value| unary(operator, value)),
                Step::Binary(operator, _) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    self.binary(operator, left, right)
                }
                Step::Choose => {
                    let (no, yes, which) = (stack.pop()?, stack.pop()?, stack.pop()?);
                    which.and_then(|which| if which == 0.0 { no } else { yes })
                }
            };
            stack.push(value.filter(|value| value.is_finite() && !(self.is_whole && value.abs() >= NOT_EXACT)));
        }
        stack.pop()?
    }

    fn binary(&self, operator: &str, left: Option<f64>, right: Option<f64>) -> Option<f64> {
        let has = |truth: bool| [left, right].into_iter().flatten().any(|side| (side != 0.0) == truth);
        match operator {
            "&&" if !self.is_whole && has(false) => return Some(0.0),
            "||" if !self.is_whole && has(true) => return Some(1.0),
            _ => {}
        }
        let (left, right) = (left?, right?);
        Some(match operator {
            "||" => f64::from(left != 0.0 || right != 0.0),
            "&&" => f64::from(left != 0.0 && right != 0.0),
            "==" => f64::from(is_equal(left, right)),
            "!=" => f64::from(!is_equal(left, right)),
            "<" => f64::from(left < right && !is_equal(left, right)),
            "<=" => f64::from(left <= right || is_equal(left, right)),
            ">" => f64::from(left > right && !is_equal(left, right)),
            ">=" => f64::from(left >= right || is_equal(left, right)),
            "+" => left + right,
            "-" => left - right,
            "*" => left * right,
            "/" if self.is_whole => (left - left % right) / right,
            "/" => left / right,
            "%" => left % right,
            "min" => left.min(right),
            "max" => left.max(right),
            "ceil_div" => (left / right).ceil(),
            _ => return None,
        })
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

fn unary(operator: &str, value: f64) -> f64 {
    match operator {
        "-" => -value,
        "!" => f64::from(value == 0.0),
        "abs" => value.abs(),
        "floor" => value.floor(),
        "ceil" => value.ceil(),
        "round" => value.round(),
        "sqrt" => value.sqrt(),
        "log2" => value.log2(),
        _ => f64::NAN,
    }
}

fn is_equal(left: f64, right: f64) -> bool {
    let is_whole = left.fract() == 0.0 && right.fract() == 0.0;
    let slack = if is_whole { 0.0 } else { 1e-9 * left.abs().max(right.abs()) };
    (left - right).abs() <= slack
}
