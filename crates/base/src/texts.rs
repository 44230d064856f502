//! Texts in natural languages: `assets/texts/LANGUAGE/*.toml`; `build.rs` lists the files.
//!
//! A text is found by a key that is the same in every language: its file, its tables and its own name, joined by dots, such as
//! `ladders.mali-t600.step.original.why`. Whoever shows a text looks it up then and keeps no copy, so that the language can change at any
//! time. What only the code knows stands in a text as `{name}`.

mod avoided;
mod brought;
mod language;
mod meant;
#[cfg(test)]
mod sources;
#[cfg(test)]
mod tests;
mod words;

pub use avoided::{avoided, chinese_fault};

pub use brought::bring;
pub use language::{Language, in_english, language, set_language, speak_keys, speaking_keys};
pub use meant::{did_you_mean, meant};
pub use words::{Words, spoken};

pub use language::in_language;

use crate::error::Error;
use language::{Voice, is_apart, voice};
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::sync::LazyLock;
use toml::{Table, Value};

/// The files of all languages, by their path in `assets/texts`: `en/ladders.toml`.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/text_files.rs"));

/// Texts by their keys.
type Texts = BTreeMap<String, String>;

static ENGLISH: LazyLock<Texts> = LazyLock::new(|| of_files(Language::English));
static CHINESE: LazyLock<Texts> = LazyLock::new(|| of_files(Language::Chinese));

/// In the place of each text its key, with its places: see [`words`].
static KEYS: LazyLock<Texts> = LazyLock::new(|| ENGLISH.iter().map(|(key, text)| (key.clone(), words::marked(key, text))).collect());

fn of_files(language: Language) -> Texts {
    // A file that cannot be read has no texts: a test holds every one to be right.
    files(language).filter_map(|(path, text)| read(path, text).ok()).flatten().collect()
}

/// The files of a language.
fn files(language: Language) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    FILES.iter().filter(move |(path, _)| path.split('/').next() == Some(language.code()))
}

fn texts(language: Language) -> &'static Texts {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

/// The text of that key in the language that is spoken now, or in English where that one lacks it; `None` where there is none.
#[must_use]
pub fn find(key: &str) -> Option<&'static str> {
    match voice() {
        Voice::Words(language) => find_in(language, key),
        // What a person brought has no key that others know.
        Voice::Keys => KEYS.get(key).map(String::as_str).or_else(|| brought::find(Language::English, key)),
    }
}

/// The text of that key in a language, or in English where that one lacks it; `None` where there is none.
#[must_use]
pub fn find_in(language: Language, key: &str) -> Option<&'static str> {
    texts(language).get(key).or_else(|| ENGLISH.get(key)).map(String::as_str).or_else(|| brought::find(language, key))
}

/// The text of that key, of which a test knows that it is there; the key itself otherwise.
#[must_use]
pub fn text(key: &'static str) -> &'static str {
    find(key).unwrap_or(key)
}

/// The text of that key with a value in the place of each `{name}`.
#[must_use]
pub fn filled(key: &'static str, values: &[(&str, &dyn Display)]) -> String {
    fill(text(key), values)
}

/// Texts in a row, put together one by one as the text of that key has it, between its places `before` and `next`.
#[must_use]
pub fn joined(key: &'static str, parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().reduce(|before, next| filled(key, &[("before", &before), ("next", &next)])).unwrap_or_default()
}

/// A label and what it is of, "Kernel: 1.5 ms", with the language's colon.
#[must_use]
pub fn pair(label: &dyn Display, value: &dyn Display) -> String {
    filled("words.list.pair", &[("label", label), ("value", value)])
}

/// The error of that table of `errors.toml`, in which the program or its surroundings failed: its `what`, `why` and `remedy`, with a value in the place
/// of each `{name}`.
#[must_use]
pub fn failed(key: &'static str, values: &[(&str, &dyn Display)]) -> Error {
    let [what, why, remedy] = error_texts(key, values);
    Error::failed(what, why, remedy).with_keys(error_keys(key, values))
}

/// The error of that table of `errors.toml`, in which the request was wrong.
#[must_use]
pub fn misused(key: &'static str, values: &[(&str, &dyn Display)]) -> Error {
    let [what, why, remedy] = error_texts(key, values);
    Error::usage(what, why, remedy).with_keys(error_keys(key, values))
}

/// The same by their keys, for what is kept; `None` where keys are spoken already.
fn error_keys(key: &str, values: &[(&str, &dyn Display)]) -> Option<[String; 3]> {
    (voice() != Voice::Keys).then(|| speaking_keys(|| error_texts(key, values)))
}

/// Whether what is said now is for somebody else than the person who listens: a file.
#[must_use]
pub fn is_for_files() -> bool {
    is_apart()
}

fn error_texts(key: &str, values: &[(&str, &dyn Display)]) -> [String; 3] {
    ERROR_TEXTS.map(|name| find(&format!("{key}.{name}")).map_or_else(String::new, |text| fill_cut(text, values)))
}

/// A clause of an error: as [`filled`], with values that are cut where they are long.
#[must_use]
pub fn clause(key: &'static str, values: &[(&str, &dyn Display)]) -> String {
    fill_cut(text(key), values)
}

/// So many characters of a value stand in an error at most: a damaged file may have all of itself where a name should be.
const MOST_QUOTED: usize = 1000;

/// The text, or its beginning where it is longer than anybody reads in an error.
#[must_use]
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_QUOTED) {
        Some((end, _)) => format!("{}…", text.split_at(end).0),
        None => text.to_owned(),
    }
}

fn fill_cut(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let cut = |value: String| if words::is_marked(&value) { value } else { cut(&value) };
    let cut: Vec<(&str, String)> = values.iter().map(|(name, value)| (*name, cut(value.to_string()))).collect();
    let values: Vec<(&str, &dyn Display)> = cut.iter().map(|(name, value)| (*name, value as &dyn Display)).collect();
    fill(text, &values)
}

/// What a table of `errors.toml` has.
const ERROR_TEXTS: [&str; 3] = ["what", "why", "remedy"];

/// A text with a value in the place of each `{name}`; a name that has no value stays as it is.
fn fill(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from_name)) = rest.split_once('{') {
        filled.push_str(before);
        let value = from_name.split_once('}').and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((value, after))
        });
        if let Some((value, after)) = value {
            // Writing to a string does not fail.
            let _ = write!(filled, "{value}");
            rest = after;
        } else {
            filled.push('{');
            rest = from_name;
        }
    }
    filled.push_str(rest);
    filled
}

/// One of the Chinese characters that our texts are made of.
#[must_use]
pub fn is_han(letter: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&letter)
}

/// Every key of a file of texts, `ladders` for `ladders.toml`; the same ones in every language.
pub fn keys(file: &str) -> impl Iterator<Item = &'static str> {
    ENGLISH.keys().map(String::as_str).filter(move |key| key.split('.').next() == Some(file))
}

/// Every text of a language with its key.
pub fn all(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    texts(language).iter().map(|(key, text)| (key.as_str(), text.as_str()))
}

/// Tells why a file has no texts. It is told in texts, which are not there while they are read: so it is told later.
type Unread = Box<dyn FnOnce() -> Error>;

/// All texts of a file by their keys.
///
/// # Errors
/// Failed, with file and line, for anything but tables of strings.
fn read(path: &'static str, text: &'static str) -> Result<Vec<(String, String)>, Unread> {
    let table: Table =
        toml::from_str(text).map_err(|error| -> Unread { Box::new(move || fault(&format!("assets/texts/{path}"), text, &error)) })?;
    let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".toml");
    let mut texts = Vec::new();
    collect(name, Value::Table(table), &mut texts)?;
    Ok(texts)
}

fn collect(key: &str, value: Value, texts: &mut Vec<(String, String)>) -> Result<(), Unread> {
    match value {
        Value::String(text) => texts.push((key.to_owned(), text)),
        Value::Table(table) => {
            for (name, value) in table {
                collect(&format!("{key}.{name}"), value, texts)?;
            }
        }
        _ => {
            let key = key.to_owned();
            return Err(Box::new(move || failed("errors.text.not-a-text", &[("key", &key)])));
        }
    }
    Ok(())
}

/// What is wrong with a TOML file of ours, with its line.
#[must_use]
pub fn fault(path: &str, text: &str, error: &toml::de::Error) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    located(path, text, start, error.message())
}

/// What is wrong at a byte of one of our files.
#[must_use]
pub fn located(path: &str, text: &str, start: usize, why: &str) -> Error {
    let line = text.bytes().take(start).filter(|&byte| byte == b'\n').count() + 1;
    failed("errors.text.fault", &[("path", &path), ("line", &line), ("why", &why)])
}
