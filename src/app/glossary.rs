//! Terms explained where they stand: in a text, each known term is underlined and says on hover what it means and what others call it. What stands between
//! back quotes is code: in it, nothing is a term.

use super::widgets::name;
use base::texts::{self, Language};
use egui::text::{CCursor, LayoutJob, TextFormat};
use egui::{Color32, FontId, Galley, Rect, Role, Sense, Stroke, TextStyle, Ui};
use std::collections::BTreeMap;
use std::ops::Range;
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
        if self.elsewhere.is_empty() {
            self.say.to_owned()
        } else {
            format!("{}\n{}", self.say, texts::filled("window.glossary.elsewhere", &[("names", &self.elsewhere)]))
        }
    }

    /// The same behind the term itself.
    fn entry(&self) -> String {
        texts::filled("window.glossary.term", &[("name", &self.name), ("text", &self.text())])
    }
}

/// What the terms in a text mean, one after the other: for texts that are painted and cannot be pointed into.
#[must_use]
pub fn entries(text: &str) -> String {
    let terms = split(text, Glossary::now()).into_iter().filter_map(|part| part.term);
    terms.map(|term| term.entry()).collect::<Vec<_>>().join("\n\n")
}

/// The terms of one language.
struct Glossary {
    /// In alphabetical order of their names in English.
    terms: Vec<Term>,
    /// By the term in lower case, for finding it in a text.
    by_word: BTreeMap<String, Term>,
}

impl Glossary {
    fn of(language: Language) -> Self {
        let mut keys: Vec<&str> = texts::keys("glossary").filter_map(|key| key.strip_suffix(".term")).collect();
        keys.sort_by_key(|key| texts::find_in(Language::English, &format!("{key}.term")).unwrap_or_default().to_lowercase());
        let read = |key: &str| {
            let text = |name: &str| texts::find_in(language, &format!("{key}.{name}"));
            Some(Term { name: text("term")?, say: text("say")?, elsewhere: text("elsewhere").unwrap_or_default() })
        };
        let terms: Vec<Term> = keys.into_iter().filter_map(read).collect();
        let by_word = terms.iter().map(|term| (term.name.to_lowercase(), *term)).collect();
        Self { terms, by_word }
    }

    /// The longest term that `text` begins with, and how many bytes it takes.
    fn longest(&self, text: &str) -> Option<(usize, Term)> {
        let ends = |length: usize| {
            let parts = text.split_at_checked(length);
            parts.is_some_and(|(word, rest)| !is_one_word(word.chars().next_back(), rest.chars().next()))
        };
        let matches = |word: &str| text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
        let found = self.by_word.iter().filter(|(word, _)| matches(word)).filter_map(|(word, term)| {
            let plural = text.get(word.len()..).is_some_and(|rest| rest.starts_with('s')).then(|| word.len() + 1);
            let length = std::iter::once(word.len()).chain(plural).find(|&length| ends(length))?;
            Some((length, *term))
        });
        found.max_by_key(|(length, _)| *length)
    }

    /// That of the language that is spoken now.
    fn now() -> &'static Self {
        static ENGLISH: LazyLock<Glossary> = LazyLock::new(|| Glossary::of(Language::English));
        static CHINESE: LazyLock<Glossary> = LazyLock::new(|| Glossary::of(Language::Chinese));
        match texts::language() {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
        }
    }
}

/// All terms, in alphabetical order of their names in English.
#[must_use]
pub fn terms() -> &'static [Term] {
    &Glossary::now().terms
}

/// Whether a letter is a part of the word beside it: Chinese is written without gaps between words.
fn is_of_word(letter: char) -> bool {
    letter == '-' || letter == '_' || letter.is_alphanumeric() && !texts::is_han(letter)
}

/// Whether two letters beside each other are of one word; false at the ends of a text.
fn is_one_word(left: Option<char>, right: Option<char>) -> bool {
    left.is_some_and(is_of_word) && right.is_some_and(is_of_word)
}

/// A part of a text: plain, a term, or code.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part<'a> {
    text: &'a str,
    term: Option<Term>,
    is_code: bool,
}

impl<'a> Part<'a> {
    const fn plain(text: &'a str) -> Self {
        Self { text, term: None, is_code: false }
    }
}

/// The pieces of a text, and whether they are code. A back quote without its other one is a letter like others.
#[must_use]
pub fn pieces(text: &str) -> Vec<(&str, bool)> {
    let pieces: Vec<&str> = text.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return vec![(text, false)];
    }
    pieces.into_iter().enumerate().map(|(index, piece)| (piece, index % 2 == 1)).collect()
}

/// Splits a text at its code, then what is left at the terms in it.
fn split<'a>(text: &'a str, glossary: &Glossary) -> Vec<Part<'a>> {
    let parts = pieces(text)
        .into_iter()
        .flat_map(|(piece, is_code)| if is_code { vec![Part { is_code, ..Part::plain(piece) }] } else { split_at_terms(piece, glossary) });
    parts.filter(|part| !part.text.is_empty()).collect()
}

/// Splits a text at the terms in it. Of several that begin at one place, the longest counts; a plural with s counts as its singular.
fn split_at_terms<'a>(text: &'a str, glossary: &Glossary) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < text.len() {
        let (before, rest) = text.split_at(at);
        let is_word_start = !is_one_word(before.chars().next_back(), rest.chars().next());
        if let Some((length, term)) = is_word_start.then(|| glossary.longest(rest)).flatten() {
            parts.extend(text.get(begin..at).map(Part::plain));
            parts.extend(text.get(at..at + length).map(|text| Part { term: Some(term), ..Part::plain(text) }));
            at += length;
            begin = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    parts.extend(text.get(begin..).map(Part::plain));
    parts
}

/// A text whose code has the letters of code; elsewhere it is like a label's.
#[must_use]
pub fn coded(ui: &Ui, text: &str, ink: Color32) -> LayoutJob {
    let mut job = LayoutJob::default();
    for (piece, is_code) in pieces(text) {
        job.append(piece, 0.0, TextFormat::simple(font_of(ui, is_code), ink));
    }
    job
}

/// Letters of code are wide: smaller, they stand well among others.
fn font_of(ui: &Ui, is_code: bool) -> FontId {
    let body = TextStyle::Body.resolve(ui.style());
    if is_code { FontId::monospace(body.size * 0.93) } else { body }
}

/// A text in which known terms are underlined and explained on hover. It is laid out as one, so that it wraps like a label: no line begins with a comma.
pub fn explained(ui: &mut Ui, text: &str) {
    explained_after(ui, None, text);
}

/// The same behind a heading in the same line, which `hint` explains on hover.
pub fn explained_after(ui: &mut Ui, heading: Option<(&str, &str)>, text: &str) {
    let (font, ink) = (TextStyle::Body.resolve(ui.style()), ui.visuals().text_color());
    let parts = split(text, Glossary::now());
    let mut job = LayoutJob::default();
    job.wrap.max_width = ui.available_width();
    let (heading, hint) = heading.unwrap_or_default();
    if !heading.is_empty() {
        job.append(heading, 0.0, TextFormat::simple(font.clone(), ui.visuals().strong_text_color()));
        job.append("  ", 0.0, TextFormat::simple(font.clone(), ink));
    }
    let text_begin = job.text.chars().count();
    for part in &parts {
        let underline = if part.term.is_some() { Stroke::new(1.0, ink) } else { Stroke::NONE };
        job.append(part.text, 0.0, TextFormat { underline, ..TextFormat::simple(font_of(ui, part.is_code), ink) });
    }
    let said = job.text.clone();
    let galley = ui.painter().layout_job(job);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
    name(&response, Role::Label, &said, None);
    if !heading.is_empty() {
        for (line, area) in areas(&galley, 0..heading.chars().count()).into_iter().enumerate() {
            let area = area.translate(rect.min.to_vec2());
            let response = ui.interact(area, response.id.with(("heading", line)), Sense::hover());
            name(&response, Role::Label, heading, None);
            response.on_hover_text(hint);
        }
    }
    let mut begin = text_begin;
    for part in &parts {
        let end = begin + part.text.chars().count();
        if let Some(term) = part.term {
            for (line, area) in areas(&galley, begin..end).into_iter().enumerate() {
                let response = ui.interact(area.translate(rect.min.to_vec2()), response.id.with((begin, line)), Sense::hover());
                name(&response, Role::Label, part.text, None);
                response.on_hover_text(term.entry());
            }
        }
        begin = end;
    }
    ui.painter().galley(rect.min, galley, ink);
}

/// What these letters of a text cover: an area in each line that they are in.
fn areas(galley: &Galley, letters: Range<usize>) -> Vec<Rect> {
    let mut areas: Vec<Rect> = Vec::new();
    for letter in letters {
        // Between two lines a letter begins the second and ends the first.
        let at = |index, prefer_next_row| galley.pos_from_cursor(CCursor { prefer_next_row, ..CCursor::new(index) });
        let (left, right) = (at(letter, true), at(letter + 1, false));
        match areas.last_mut().filter(|area| (area.top() - left.top()).abs() <= 0.5) {
            Some(area) => *area = area.union(left).union(right),
            None => areas.push(left.union(right)),
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::{Glossary, areas, entries, split, terms};
    use base::texts::Language;

    fn found(text: &str) -> Vec<(&str, &'static str)> {
        found_in(Language::English, text)
    }

    fn found_in(language: Language, text: &str) -> Vec<(&str, &'static str)> {
        split(text, &Glossary::of(language)).into_iter().filter_map(|part| Some((part.text, part.term?.name))).collect()
    }

    #[test]
    fn terms_are_found_in_a_text() {
        let text = "A barrier stops all work-items of the group; local memory has banks.";
        assert_eq!(found(text), [("barrier", "Barrier"), ("work-items", "Work-item"), ("local memory", "Local memory"), ("banks", "Bank")]);
        let whole: String = split(text, &Glossary::of(Language::English)).into_iter().map(|part| part.text).collect();
        assert_eq!(whole, text);
        // The longest one, and whole words alone.
        assert_eq!(found("A bank conflict"), [("bank conflict", "Bank conflict")]);
        assert_eq!(found("embankment, mapped, host-like, rasters"), []);
        assert_eq!(found("Größe der Lane – map"), [("Lane", "Lane")]);
    }

    #[test]
    fn code_stands_between_back_quotes_and_has_no_terms() {
        let parts = |text| split(text, &Glossary::of(Language::English));
        let of = |text| parts(text).into_iter().map(|part| (part.text, part.is_code, part.term.is_some())).collect::<Vec<_>>();
        assert_eq!(of("One ` barrier"), [("One ` ", false, false), ("barrier", false, true)]);
        assert_eq!(
            of("Try `barrier(0)`, a barrier"),
            [("Try ", false, false), ("barrier(0)", true, false), (", a ", false, false), ("barrier", false, true)]
        );
    }

    #[test]
    fn a_painted_text_explains_its_terms_one_after_the_other() {
        let said = entries("32 work-items, one load: 2 segments");
        let heads: Vec<_> = said.split("\n\n").filter_map(|entry| entry.split(':').next()).collect();
        assert_eq!(heads, ["Work-item", "Segment"], "{said}");
        assert_eq!(entries("Nothing of the kind"), "");
    }

    #[test]
    fn chinese_terms_are_found_without_gaps_between_words() {
        let text = "屏障让工作组的工作项等待；NDRange 的 lane 有存储体冲突";
        let terms = ["屏障", "工作组", "工作项", "NDRange", "lane", "存储体冲突"];
        assert_eq!(found_in(Language::Chinese, text), terms.map(|term| (term, term)));
        assert_eq!(found_in(Language::Chinese, "NDRanges2 与 SIMDs"), [("SIMDs", "SIMD")]);
    }

    #[test]
    fn a_term_that_wraps_covers_an_area_in_each_of_its_lines() {
        egui::__run_test_ui(|ui| {
            let text = "local memory";
            let lay_out = |width: f32| ui.painter().layout(text.to_owned(), egui::FontId::proportional(14.0), egui::Color32::BLACK, width);
            let [whole, wrapped] = [1000.0, 70.0].map(|width| areas(&lay_out(width), 0..text.len()));
            assert_eq!((whole.len(), wrapped.len()), (1, 2), "{whole:?} {wrapped:?}");
            assert!(wrapped[1].top() > wrapped[0].top() && wrapped[1].left() == 0.0 && wrapped[1].width() > 30.0, "{wrapped:?}");
        });
    }

    #[test]
    fn every_term_is_read_once() {
        assert!(terms().len() >= 50, "{}", terms().len());
        for pair in terms().windows(2) {
            assert!(pair[0].name.to_lowercase() < pair[1].name.to_lowercase(), "{}", pair[1].name);
        }
    }
}
