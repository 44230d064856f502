//! Texts in a natural language that describe data: `assets/texts/en/*.toml` has the English ones, `build.rs` lists the files.
//!
//! A text is found by a key that is the same in every language: its file, its tables and its own name, joined by dots, such as
//! `ladders.mali-t600.step.original.why`. Another language is another folder with the same files and keys.

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use toml::{Table, Value};

/// The files of the language that the program speaks.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/english_files.rs"));

static TEXTS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    // A file that cannot be read has no texts: a test holds every one to be right.
    FILES.iter().filter_map(|(file, text)| read(file, text).ok()).flatten().collect()
});

/// The text of that key; `None` where there is none.
#[must_use]
pub fn find(key: &str) -> Option<&'static str> {
    TEXTS.get(key).map(String::as_str)
}

/// Every key of a file of texts, `ladders` for `ladders.toml`.
pub fn keys(file: &str) -> impl Iterator<Item = &'static str> {
    TEXTS.keys().map(String::as_str).filter(move |key| key.split('.').next() == Some(file))
}

/// All texts of a file by their keys.
///
/// # Errors
/// Failed, with file and line, for anything but tables of strings.
fn read(file: &str, text: &str) -> Result<Vec<(String, String)>> {
    let table: Table = toml::from_str(text).map_err(|error| fault(&format!("assets/texts/en/{file}"), text, &error))?;
    let mut texts = Vec::new();
    collect(file.trim_end_matches(".toml"), Value::Table(table), &mut texts)?;
    Ok(texts)
}

fn collect(key: &str, value: Value, texts: &mut Vec<(String, String)>) -> Result<()> {
    match value {
        Value::String(text) => texts.push((key.to_owned(), text)),
        Value::Table(table) => {
            for (name, value) in table {
                collect(&format!("{key}.{name}"), value, texts)?;
            }
        }
        _ => return Err(Error::failed("A text cannot be read", format!("{key} is neither a string nor a table"), "write it as a string")),
    }
    Ok(())
}

/// What is wrong with a TOML file of ours, with its line.
pub(crate) fn fault(path: &str, text: &str, error: &toml::de::Error) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    located(path, text, start, error.message())
}

/// What is wrong at a byte of one of our files.
pub(crate) fn located(path: &str, text: &str, start: usize, why: &str) -> Error {
    let line = text.bytes().take(start).filter(|&byte| byte == b'\n').count() + 1;
    Error::failed("A file of the program cannot be read", format!("{path}:{line}: {why}"), "fix the file at that line")
}

#[cfg(test)]
mod tests {
    use super::{FILES, TEXTS, find, keys, read};

    #[test]
    fn every_file_is_read() {
        for (file, text) in FILES {
            let texts = read(file, text).unwrap_or_else(|error| panic!("{error}"));
            assert!(!texts.is_empty(), "{file}");
        }
        assert_eq!(find("ladders.mali-t600.device"), Some("Mali-T604"));
        assert_eq!((find("ladders"), find("ladders.mali-t600"), find("nothing.of.this")), (None, None, None));
        assert!(keys("ladders").count() > 100 && keys("ladder").count() == 0);
    }

    /// The window sets one sentence without a full stop, several with one; an author forgets.
    #[test]
    fn one_sentence_has_no_full_stop_and_several_have_one() {
        for (key, text) in TEXTS.iter() {
            assert_eq!(text.trim(), text, "{key}");
            assert!(!text.is_empty() && !text.contains("  ") && !text.contains('\n'), "{key}: '{text}'");
            // What is shown on demand is prose.
            let is_prose = text.contains(". ") || key.rsplit('.').next() == Some("more");
            assert_eq!(text.ends_with('.'), is_prose, "{key}: '{text}'");
        }
    }

    #[test]
    fn faults_name_file_and_line() {
        for (text, words) in [
            ("[a]\nb = 'c'\n[d\n", "assets/texts/en/file.toml:3: "),
            ("a = 'b'\na = 'c'\n", "assets/texts/en/file.toml:2: duplicate key"),
            ("[a]\nb = 3", "file.a.b is neither a string nor a table"),
        ] {
            let error = read("file.toml", text).expect_err(text).to_string();
            assert!(error.contains(words), "'{words}' is not in: {error}");
        }
    }
}
