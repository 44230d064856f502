//! Words that files keep: texts by their keys, with what fills their places. A file is the same whatever language was spoken when it was written, and
//! whoever opens it reads it in their own.
//!
//! The process that runs drivers speaks in keys: every text that it puts together is then marked with its key and its places, and the other side makes words
//! of that. Of a record, the marked text becomes [`Words`].

use super::{fill, find, in_english, speaking_keys};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Before a key. These four are of the code points that Unicode keeps for use within programs: no text has them.
pub(super) const BEGIN: char = '\u{FDD0}';
/// Before the name of a place.
pub(super) const PLACE: char = '\u{FDD1}';
/// Between the name of a place and what fills it.
pub(super) const FILLED: char = '\u{FDD2}';
/// After the last place.
pub(super) const END: char = '\u{FDD3}';

const MARKS: [char; 4] = [BEGIN, PLACE, FILLED, END];

/// Texts within texts, at most: no message has so many, and a damaged file may.
const DEEPEST: usize = 12;

/// A text that is kept, without a language. In JSON: a string where it is nothing but itself (a driver's words, an older file's sentence); else its English
/// words, its key, and what fills its places.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Words {
    /// The same in every language.
    Plain(String),
    /// A text of `assets/texts`.
    Keyed {
        /// In English, for whoever reads the file, and for versions that do not have the key.
        text: String,
        /// Its key.
        key: String,
        /// What fills its places.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        places: BTreeMap<String, Words>,
    },
    /// One after the other.
    Parts(Vec<Words>),
}

impl Words {
    /// What it says, whatever language is spoken now.
    #[must_use]
    pub fn of(said: &dyn fmt::Display) -> Self {
        Self::from(speaking_keys(|| said.to_string()))
    }

    /// The text of that key, which has no places.
    #[must_use]
    pub fn text(key: &'static str) -> Self {
        Self::keyed(key, BTreeMap::new())
    }

    /// In English, as files for programs have it.
    #[must_use]
    pub fn english(&self) -> String {
        match self {
            Self::Keyed { text, .. } => text.clone(),
            _ => in_english(|| self.to_string()),
        }
    }

    /// The same with each piece that is in no text changed: what drivers and the system said, names, numbers.
    #[must_use]
    pub fn with_changed(&self, change: &dyn Fn(&str) -> String) -> Self {
        match self {
            Self::Keyed { key, places, .. } if find(key).is_some() => {
                Self::keyed(key, places.iter().map(|(name, words)| (name.clone(), words.with_changed(change))).collect())
            }
            // Only its English is known.
            Self::Plain(text) | Self::Keyed { text, .. } => Self::Plain(change(text)),
            Self::Parts(parts) => Self::Parts(parts.iter().map(|part| part.with_changed(change)).collect()),
        }
    }

    fn keyed(key: &str, places: BTreeMap<String, Self>) -> Self {
        let text = in_english(|| told(key, &places, 0)).unwrap_or_else(|| key.to_owned());
        Self::Keyed { text, key: key.to_owned(), places }
    }

    fn told(&self, depth: usize) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Keyed { text, key, places } => told(key, places, depth).unwrap_or_else(|| text.clone()),
            Self::Parts(parts) => parts.iter().map(|part| part.told(depth + 1)).collect(),
        }
    }
}

/// The text of that key in the language that is spoken now; `None` where this version has none.
fn told(key: &str, places: &BTreeMap<String, Words>, depth: usize) -> Option<String> {
    if depth > DEEPEST {
        return None;
    }
    let template = find(key)?;
    let places: Vec<(&str, String)> = places.iter().map(|(name, words)| (name.as_str(), words.told(depth + 1))).collect();
    let places: Vec<(&str, &dyn fmt::Display)> = places.iter().map(|(name, words)| (*name, words as &dyn fmt::Display)).collect();
    Some(fill(template, &places))
}

impl fmt::Display for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.told(0))
    }
}

impl From<String> for Words {
    fn from(marked: String) -> Self {
        if is_marked(&marked) { parsed(&marked, 0) } else { Self::Plain(marked) }
    }
}

impl From<&str> for Words {
    fn from(marked: &str) -> Self {
        Self::from(marked.to_owned())
    }
}

/// What a process that speaks in keys said, in the language that is spoken now.
#[must_use]
pub fn spoken(marked: &str) -> String {
    if is_marked(marked) { parsed(marked, 0).to_string() } else { marked.to_owned() }
}

/// A text by its key, with a place for each of its places.
pub(super) fn marked(key: &str, text: &str) -> String {
    let mut marked = format!("{BEGIN}{key}");
    let mut rest = text;
    while let Some((_, from)) = rest.split_once('{') {
        let Some((name, after)) = from.split_once('}') else { break };
        // A place may stand in a text twice.
        let place = format!("{PLACE}{name}{FILLED}{{{name}}}");
        if !marked.contains(&place) {
            marked.push_str(&place);
        }
        rest = after;
    }
    marked.push(END);
    marked
}

/// Whether there are texts by their keys in it.
pub(super) fn is_marked(text: &str) -> bool {
    text.contains(MARKS)
}

/// Marks that do not fit are nobody's words.
fn unmarked(text: &str) -> String {
    text.replace(MARKS, "")
}

fn parsed(marked: &str, depth: usize) -> Words {
    let mut parts = Vec::new();
    let mut rest = marked;
    while let Some((before, from)) = rest.split_once(BEGIN) {
        let Some((words, after)) = (depth < DEEPEST).then(|| keyed(from, depth)).flatten() else { break };
        if !before.is_empty() {
            parts.push(Words::Plain(unmarked(before)));
        }
        parts.push(words);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Words::Plain(unmarked(rest)));
    }
    if parts.len() > 1 { Words::Parts(parts) } else { parts.pop().unwrap_or_else(|| Words::Plain(String::new())) }
}

/// The text whose key stands here, and what comes behind it; `None` where it does not end.
fn keyed(from: &str, depth: usize) -> Option<(Words, &str)> {
    let (mut open, mut begin, mut pieces) = (1_usize, 0, Vec::new());
    for (at, letter) in from.char_indices() {
        match letter {
            BEGIN => open += 1,
            PLACE if open == 1 => {
                pieces.push(from.get(begin..at)?);
                begin = at + letter.len_utf8();
            }
            END => {
                open -= 1;
                if open == 0 {
                    pieces.push(from.get(begin..at)?);
                    let (key, places) = pieces.split_first()?;
                    let place = |piece: &&str| piece.split_once(FILLED).map(|(name, words)| (name.to_owned(), parsed(words, depth + 1)));
                    return Some((Words::keyed(key, places.iter().filter_map(place).collect()), from.get(at + letter.len_utf8()..)?));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, Words, spoken};
    use crate::texts::{Language, failed, filled, in_language, speaking_keys, text};

    /// A message within a message, as a process that speaks in keys makes it.
    fn said() -> String {
        let nearest = filled("errors.local.nearest-one", &[("size", &"32 × 8")]);
        filled("tables.bench.failed", &[("why", &format!("{nearest}; {}", text("errors.local.nothing-fits")))])
    }

    #[test]
    fn what_is_said_in_keys_is_read_in_every_language() {
        let marked = speaking_keys(said);
        for language in Language::ALL {
            in_language(language, || assert_eq!((spoken(&marked), Words::from(marked.clone()).to_string()), (said(), said())));
        }
        assert_ne!(in_language(Language::Chinese, said), said());
        assert_eq!(Words::from(marked).english(), said());
        assert_eq!(spoken("as it is"), "as it is");
    }

    #[test]
    fn files_have_the_key_beside_the_english_words_and_older_ones_a_sentence() {
        let words = Words::from(speaking_keys(|| filled("words.instructions.threads", &[("set", &"AVX2"), ("count", &8)])));
        let json = serde_json::to_value(&words).expect("plain data");
        let kept = serde_json::json!({ "text": "AVX2, 8 threads", "key": "words.instructions.threads", "places": { "count": "8", "set": "AVX2" } });
        assert_eq!(json, kept);
        assert_eq!(serde_json::from_value::<Words>(json).expect("its own"), words);
        let mut cbor = Vec::new();
        ciborium::into_writer(&words, &mut cbor).expect("plain data");
        assert_eq!(ciborium::from_reader::<Words, _>(cbor.as_slice()).expect("its own"), words);
        let older: Words = serde_json::from_str("\"AVX2, 8 threads\"").expect("a sentence");
        assert_eq!(
            (older.to_string().as_str(), serde_json::to_string(&older).expect("plain data").as_str()),
            ("AVX2, 8 threads", "\"AVX2, 8 threads\"")
        );
    }

    #[test]
    fn a_text_that_this_version_does_not_have_is_shown_in_english_and_kept() {
        let newer = r#"{"text":"The flux is too low","key":"newer.flux","places":{"flux":"3"}}"#;
        let words: Words = serde_json::from_str(newer).expect("read");
        in_language(Language::Chinese, || assert_eq!(words.to_string(), "The flux is too low"));
        assert_eq!(serde_json::to_string(&words).expect("plain data"), newer);
    }

    #[test]
    fn errors_are_kept_without_a_language_with_what_they_hold() {
        let of = |language| {
            in_language(language, || Words::of(&failed("errors.hosts.panicked", &[("host", &failed("errors.engine.no-roofs", &[]))])))
        };
        let [english, chinese] = Language::ALL.map(of);
        assert_eq!(english, chinese);
        in_language(Language::Chinese, || {
            let error = failed("errors.hosts.panicked", &[("host", &failed("errors.engine.no-roofs", &[]))]);
            assert_eq!(english.to_string(), error.to_string());
        });
    }

    #[test]
    fn marks_that_do_not_fit_cost_nothing() {
        let marked = speaking_keys(said);
        for at in marked.char_indices().map(|(at, _)| at) {
            let (one, other) = marked.split_at(at);
            for cut in [one, other] {
                assert!(!spoken(cut).contains(['\u{FDD0}', '\u{FDD1}', '\u{FDD2}', '\u{FDD3}']), "{at}");
            }
        }
        // As deep as nobody writes it.
        let deep = (0..10 * DEEPEST).fold("x".to_owned(), |within, _| speaking_keys(|| filled("tables.bench.failed", &[("why", &within)])));
        assert!(spoken(&deep).len() < 10_000);
    }

    #[test]
    fn what_is_in_no_text_can_be_struck_out() {
        let words = Words::from(speaking_keys(|| filled("tables.bench.failed", &[("why", &"at /home/jane")])));
        let struck = words.with_changed(&|piece| piece.replace("/home/jane", "…"));
        assert_eq!((struck.english(), struck.to_string().contains("at …")), (filled("tables.bench.failed", &[("why", &"at …")]), true));
    }
}
