//! Conditions of `#if` and `#elif`: integers, names and C's operators `|| && == != < <= > >= + - * / % !` with C's precedence.

use std::iter::Peekable;
use std::vec::IntoIter;

/// The value of `text`, where `value_of` knows the names.
///
/// Both sides of `&&` and `||` are evaluated: an unknown name is an error wherever it stands.
///
/// # Errors
/// A sentence that names the unknown name or the character that does not belong there.
pub fn evaluate(text: &str, value_of: &dyn Fn(&str) -> Option<i64>) -> Result<i64, String> {
    let mut parser = Parser { tokens: tokenize(text)?.into_iter().peekable(), value_of, depth: 0 };
    let value = parser.binary(0)?;
    match parser.tokens.next() {
        None => Ok(value),
        Some(token) => Err(format!("{} does not belong after the condition's end", token.quoted())),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(i64),
    Name(String),
    Operator(&'static str),
}

impl Token {
    fn quoted(&self) -> String {
        match self {
            Self::Number(number) => format!("'{number}'"),
            Self::Name(name) => format!("'{name}'"),
            Self::Operator(operator) => format!("'{operator}'"),
        }
    }
}

/// Longer spellings first, so that `<=` is not read as `<`.
const OPERATORS: [&str; 16] = ["||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "(", ")"];

fn tokenize(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word_length = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let length = if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            tokens.push(Token::Operator(operator));
            operator.len()
        } else if word_length == 0 {
            return Err(format!("'{first}' is not allowed in a condition"));
        } else {
            let (word, _) = rest.split_at(word_length);
            tokens.push(if first.is_ascii_digit() {
                Token::Number(word.parse().map_err(|_| format!("'{word}' is not a decimal integer"))?)
            } else {
                Token::Name(word.to_owned())
            });
            word_length
        };
        rest = rest.split_at(length).1.trim_start();
    }
    Ok(tokens)
}

/// How tightly a binary operator binds; C's order.
fn precedence(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "==" | "!=" => 3,
        "<" | "<=" | ">" | ">=" => 4,
        "+" | "-" => 5,
        "*" | "/" | "%" => 6,
        _ => return None,
    })
}

struct Parser<'a> {
    tokens: Peekable<IntoIter<Token>>,
    value_of: &'a dyn Fn(&str) -> Option<i64>,
    /// Brackets and signs that are open.
    depth: usize,
}

/// Brackets and signs may nest so deep: each takes its part of the stack.
const MAX_DEPTH: usize = 100;

impl Parser<'_> {
    /// Precedence climbing: everything that binds more tightly than `floor`.
    fn binary(&mut self, floor: u8) -> Result<i64, String> {
        let mut left = self.unary()?;
        while let Some(&Token::Operator(operator)) = self.tokens.peek() {
            let Some(binds) = precedence(operator).filter(|binds| *binds > floor) else { break };
            self.tokens.next();
            let right = self.binary(binds)?;
            left = apply(operator, left, right).ok_or_else(|| format!("'{left} {operator} {right}' has no value"))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("the condition nests more than {MAX_DEPTH} deep"));
        }
        let value = self.operand()?;
        self.depth -= 1;
        Ok(value)
    }

    fn operand(&mut self) -> Result<i64, String> {
        match self.tokens.next() {
            Some(Token::Number(number)) => Ok(number),
            Some(Token::Name(name)) => {
                (self.value_of)(&name).ok_or_else(|| format!("unknown name '{name}' in a condition: it has no default above"))
            }
            Some(Token::Operator("!")) => Ok(i64::from(self.unary()? == 0)),
            Some(Token::Operator("-")) => Ok(self.unary()?.saturating_neg()),
            Some(Token::Operator("+")) => self.unary(),
            Some(Token::Operator("(")) => {
                let value = self.binary(0)?;
                match self.tokens.next() {
                    Some(Token::Operator(")")) => Ok(value),
                    _ => Err("a '(' in the condition is not closed".to_owned()),
                }
            }
            Some(token) => Err(format!("{} stands where the condition needs a value", token.quoted())),
            None => Err("the condition ends where it needs a value".to_owned()),
        }
    }
}

fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        "<=" => i64::from(left <= right),
        ">" => i64::from(left > right),
        ">=" => i64::from(left >= right),
        "+" => left.checked_add(right)?,
        "-" => left.checked_sub(right)?,
        "*" => left.checked_mul(right)?,
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    fn value(text: &str) -> Result<i64, String> {
        evaluate(text, &|name| match name {
            "THREE" => Some(3),
            "ZERO" => Some(0),
            _ => None,
        })
    }

    #[test]
    fn precedence_is_that_of_c() {
        for (text, expected) in [
            ("1 + 2 * THREE", 7),
            ("(1 + 2) * THREE", 9),
            ("10 - 4 - 3", 3),
            ("17 % 5 / 2", 1),
            ("THREE == 3 && ZERO == 0 || 0", 1),
            ("0 && 0 || 1", 1),
            ("0 && (0 || 1)", 0),
            ("1 < 2 == 1", 1),
            ("!ZERO + 1", 2),
            ("-THREE <= -3", 1),
            ("2>=3", 0),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_does_not_belong_is_named() {
        for (text, part) in [
            ("FOUR == 4", "unknown name 'FOUR'"),
            ("1 || FOUR", "unknown name 'FOUR'"),
            ("defined(THREE)", "unknown name 'defined'"),
            ("THREE = 3", "'='"),
            ("THREE & 1", "'&'"),
            ("(THREE", "not closed"),
            ("THREE 3", "'3' does not belong"),
            ("THREE ==", "ends where it needs a value"),
            ("", "ends where it needs a value"),
            ("* 3", "'*' stands where"),
            ("1 / ZERO", "'1 / 0' has no value"),
            ("0x10", "'0x10' is not a decimal integer"),
        ] {
            let sentence = value(text).expect_err(text);
            assert!(sentence.contains(part), "{text}: {sentence}");
        }
    }
}
