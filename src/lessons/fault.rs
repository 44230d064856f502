//! What is wrong with a lesson's file: where, what, and what to do.

use crate::error::Error;
use crate::foreign::plain;
use crate::texts::{self, filled};
use crate::why::{FACTS, NoFormula, Of};
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
    pub(super) fn at(text: &str, byte: usize, why: String, remedy: String) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        // A damaged file may have all of itself where a name should be.
        let [why, remedy] = [why, remedy].map(|words| plain(&texts::cut(&words)).into_owned());
        Self { line: before.matches('\n').count() + 1, column, why, remedy }
    }

    /// A file, or a folder of them, that was not read at all.
    #[must_use]
    pub(super) fn of_file(error: &Error) -> Self {
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

    /// What TOML's reader says: its own faults, and fields and words that a lesson does not have.
    #[must_use]
    pub(super) fn of_toml(text: &str, error: &toml::de::Error) -> Self {
        let byte = error.span().map_or(0, |span| span.start);
        let message = error.message().replace('\n', "; ");
        // "unknown field `a`, expected one of `b`, `c`"
        let mut quoted = message.split('`').skip(1).step_by(2);
        let remedy = if message.starts_with("unknown ") {
            quoted.next().and_then(|word| nearest(word, quoted)).map_or_else(String::new, did_you_mean)
        } else {
            String::new()
        };
        Self::at(text, byte, message, remedy)
    }
}

/// "did you mean 'merged'?"
#[must_use]
pub(super) fn did_you_mean(name: &str) -> String {
    filled("lessons.fault.did-you-mean", &[("name", &name)])
}

/// The known word that is meant, or all that are known.
#[must_use]
pub(super) fn meant<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    nearest(word, known.clone())
        .map_or_else(|| filled("lessons.fault.known", &[("names", &known.collect::<Vec<_>>().join(", "))]), did_you_mean)
}

/// The known word that differs least, where that is little: a third of its letters.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let most = 1 + length / 3;
    // A word that is much longer differs by more, and would take long to compare.
    let alike = known.filter(|other| other.chars().count().abs_diff(length) <= most);
    let near = alike.map(|other| (distance(word, other), other)).min_by_key(|(distance, _)| *distance);
    near.filter(|(distance, _)| *distance <= most).map(|(_, other)| other)
}

/// How many letters have to be changed, put in or left out to make one word of the other (Levenshtein 1966).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut left = index + 1;
        let next: Vec<usize> = row
            .windows(2)
            .zip(&other)
            .map(|(above, theirs)| {
                let [diagonal, above] = *above else { return left };
                left = (diagonal + usize::from(letter != *theirs)).min(above + 1).min(left + 1);
                left
            })
            .collect();
        row = std::iter::once(index + 1).chain(next).collect();
    }
    row.last().copied().unwrap_or_default()
}

/// The sentence of a fault.
pub(super) fn say(key: &'static str, values: &[(&str, &dyn fmt::Display)]) -> String {
    texts::clause(key, values)
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

/// What is wrong with a formula, and what to do.
pub(super) fn no_formula(wrong: &NoFormula) -> (String, String) {
    match wrong {
        NoFormula::NoFact(name) => no_fact(name),
        NoFormula::Unreadable(text) => (say("lessons.fault.no-formula", &[("text", text)]), say("lessons.fault.write-formula", &[])),
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, distance, nearest};

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

    #[test]
    fn a_slip_is_told_from_another_word() {
        assert_eq!((distance("merge", "merged"), distance("kitten", "sitting"), distance("", "ab")), (1, 3, 2));
        let known = ["merged", "padded", "local"];
        assert_eq!(nearest("merge", known.into_iter()), Some("merged"));
        assert_eq!(nearest("lcoal", known.into_iter()), Some("local"));
        assert_eq!(nearest("tessellated", known.into_iter()), None);
    }
}
