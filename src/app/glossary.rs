//! Terms explained where they stand: in a text, each known term is underlined and says on hover what it means and what others call it.

use crate::texts;
use egui::{Label, Response, RichText, Sense, Ui};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// As it is written.
    pub name: &'static str,
    /// What it means, in one sentence.
    pub say: &'static str,
    /// What other interfaces call it; empty where they say the same or nothing.
    pub elsewhere: &'static str,
}

impl Term {
    /// What stands on hover and in the list.
    #[must_use]
    pub fn text(&self) -> String {
        if self.elsewhere.is_empty() { self.say.to_owned() } else { format!("{}\nElsewhere: {}", self.say, self.elsewhere) }
    }
}

static TERMS: LazyLock<Vec<Term>> = LazyLock::new(|| {
    let mut terms: Vec<Term> = texts::keys("glossary").filter_map(|key| key.strip_suffix(".term")).filter_map(read).collect();
    terms.sort_by_key(|term| term.name.to_lowercase());
    terms
});

/// By the term in lower case, for finding it in a text.
static BY_WORD: LazyLock<BTreeMap<String, Term>> = LazyLock::new(|| TERMS.iter().map(|term| (term.name.to_lowercase(), *term)).collect());

fn read(key: &str) -> Option<Term> {
    let text = |name: &str| texts::find(&format!("{key}.{name}"));
    Some(Term { name: text("term")?, say: text("say")?, elsewhere: text("elsewhere").unwrap_or_default() })
}

/// All terms in alphabetical order.
#[must_use]
pub fn terms() -> &'static [Term] {
    &TERMS
}

/// A part of a text: plain, or a term.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part<'a> {
    text: &'a str,
    term: Option<Term>,
}

/// Splits a text at the terms in it. Of several that begin at one place, the longest counts; a plural with s counts as its singular.
fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < text.len() {
        let is_word_start =
            text.get(..at).is_none_or(|before| !before.ends_with(|character: char| character.is_alphanumeric() || character == '-'));
        if let Some((length, term)) = is_word_start.then(|| longest(text.get(at..).unwrap_or_default())).flatten() {
            parts.extend(text.get(begin..at).filter(|text| !text.is_empty()).map(|text| Part { text, term: None }));
            parts.extend(text.get(at..at + length).map(|text| Part { text, term: Some(term) }));
            at += length;
            begin = at;
        } else {
            at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        }
    }
    parts.extend(text.get(begin..).filter(|text| !text.is_empty()).map(|text| Part { text, term: None }));
    parts
}

/// The longest term that `text` begins with, and how many bytes it takes.
fn longest(text: &str) -> Option<(usize, Term)> {
    let ends = |length: usize| {
        text.get(length..)
            .is_some_and(|rest| !rest.starts_with(|character: char| character.is_alphanumeric() || character == '-' || character == '_'))
    };
    let matches = |word: &str| text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    let found = BY_WORD.iter().filter(|(word, _)| matches(word)).filter_map(|(word, term)| {
        let plural = text.get(word.len()..).is_some_and(|rest| rest.starts_with('s')).then(|| word.len() + 1);
        let length = std::iter::once(word.len()).chain(plural).find(|&length| ends(length))?;
        Some((length, *term))
    });
    found.max_by_key(|(length, _)| *length)
}

/// A text in which known terms are underlined and explained on hover. It wraps like a label.
pub fn explained(ui: &mut Ui, text: &str) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.spacing_mut().interact_size.y = 0.0;
        for part in split(text) {
            match part.term {
                None => {
                    ui.label(part.text);
                }
                Some(term) => {
                    term_ui(ui, part.text, &term);
                }
            }
        }
    });
}

fn term_ui(ui: &mut Ui, text: &str, term: &Term) -> Response {
    let response = ui.add(Label::new(RichText::new(text).underline()).sense(Sense::hover()));
    response.on_hover_text(format!("{}: {}", term.name, term.text()))
}

#[cfg(test)]
mod tests {
    use super::{split, terms};

    fn found(text: &str) -> Vec<(&str, &'static str)> {
        split(text).into_iter().filter_map(|part| Some((part.text, part.term?.name))).collect()
    }

    #[test]
    fn terms_are_found_in_a_text() {
        let text = "A barrier stops all work-items of the group; local memory has banks.";
        assert_eq!(found(text), [("barrier", "Barrier"), ("work-items", "Work-item"), ("local memory", "Local memory"), ("banks", "Bank")]);
        let whole: String = split(text).into_iter().map(|part| part.text).collect();
        assert_eq!(whole, text);
        // The longest one, and whole words alone.
        assert_eq!(found("A bank conflict"), [("bank conflict", "Bank conflict")]);
        assert_eq!(found("embankment, mapped, host-like, rasters"), []);
        assert_eq!(found("Größe der Lane – map"), [("Lane", "Lane")]);
    }

    #[test]
    fn every_term_is_read_once() {
        assert!(terms().len() >= 50, "{}", terms().len());
        for pair in terms().windows(2) {
            assert!(pair[0].name.to_lowercase() < pair[1].name.to_lowercase(), "{}", pair[1].name);
        }
    }
}
