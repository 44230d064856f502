//! What is wrong with a file that a person wrote, a lesson or a filter: where, what, and what to do.

use crate::error::Error;
use crate::foreign::plain;
use crate::texts::{self, did_you_mean, filled};
use std::fmt;

/// Something wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1; 0 where it is the whole file's.
    pub line: usize,
    /// The character in it, from 1; 0 where it is the whole file's.
    pub column: usize,
    /// What is wrong.
    pub why: String,
    /// What to do; may be empty.
    pub remedy: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.why)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(formatter, "; {}", self.remedy) }
    }
}

impl Fault {
    /// At a byte of `text`.
    #[must_use]
    pub fn at(text: &str, byte: usize, why: String, remedy: String) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        // A damaged file may have all of itself where a name should be.
        let [why, remedy] = [why, remedy].map(|words| plain(&texts::cut(&words)).into_owned());
        Self { line: before.matches('\n').count() + 1, column, why, remedy }
    }

    /// In an expression of the file `whole`, which is written as `text` at that byte: at a character of it, from 1.
    #[must_use]
    pub fn of_expression(whole: &str, byte: usize, text: &str, column: usize, why: String) -> Self {
        // A text in quotes begins behind its quote; one that has signs written in another way is pointed at as a whole.
        let inside = whole.get(byte + 1..).is_some_and(|rest| rest.starts_with(text));
        let before: usize = text.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        let byte = if inside { byte + 1 + before } else { byte };
        Self::at(whole, byte, why, String::new())
    }

    /// A file, or a folder of them, that was not read at all.
    #[must_use]
    pub fn of_file(error: &Error) -> Self {
        let why = filled("errors.told", &[("what", &error.what), ("why", &error.why)]);
        let [why, remedy] = [why.as_str(), error.remedy.as_str()].map(|words| plain(words).into_owned());
        Self { line: 0, column: 0, why, remedy }
    }

    /// With its place, as compilers and editors write it: "a.toml:14:11: there is no stage 'merge'".
    #[must_use]
    pub fn at_place(&self, file: &str) -> String {
        let file = plain(file).into_owned();
        if self.line == 0 { format!("{file}: {self}") } else { format!("{file}:{}:{}: {self}", self.line, self.column) }
    }

    /// What TOML's reader says: its own faults, and fields and words that such a file does not have.
    #[must_use]
    pub fn of_toml(text: &str, error: &toml::de::Error) -> Self {
        let byte = error.span().map_or(0, |span| span.start);
        let message = error.message().replace('\n', "; ");
        // "unknown field `a`, expected one of `b`, `c`"
        let mut quoted = message.split('`').skip(1).step_by(2);
        let remedy = if message.starts_with("unknown ") {
            quoted.next().and_then(|word| did_you_mean(word, quoted)).unwrap_or_default()
        } else {
            String::new()
        };
        Self::at(text, byte, message, remedy)
    }
}

/// The sentence of a fault.
#[must_use]
pub fn say(key: &'static str, values: &[(&str, &dyn fmt::Display)]) -> String {
    texts::clause(key, values)
}

#[cfg(test)]
mod tests {
    use super::Fault;

    #[test]
    fn a_place_is_a_line_and_a_character() {
        let text = "a = 1\nb = \"属性\" # c\n";
        let at = |needle: &str| {
            let fault = Fault::at(text, text.find(needle).expect("there"), String::new(), String::new());
            (fault.line, fault.column)
        };
        assert_eq!((at("a"), at("b"), at("#")), ((1, 1), (2, 1), (2, 10)));
        assert_eq!(Fault::at(text, 1000, String::new(), String::new()).line, 3, "beyond the end is the end");
    }
}
