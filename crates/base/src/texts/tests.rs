//! Every text of every language, held to the others and to how its language is written.

use super::{ERROR_TEXTS, Language, chinese_fault, failed, files, fill, find, keys, read, sources, texts};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn every_file_is_read() {
    for (path, text) in Language::ALL.into_iter().flat_map(files) {
        let texts = read(path, text).unwrap_or_else(|unread| panic!("{}", unread()));
        assert!(!texts.is_empty(), "{path}");
    }
    assert_eq!(find("ladders.mali-t600.device"), Some("Mali-T604"));
    assert_eq!((find("ladders"), find("ladders.mali-t600"), find("nothing.of.this")), (None, None, None));
    assert!(keys("ladders").count() > 100 && keys("ladder").count() == 0);
}

#[test]
fn every_key_is_there_in_every_language() {
    let english: BTreeSet<_> = texts(Language::English).keys().collect();
    for language in Language::ALL {
        let there: BTreeSet<_> = texts(language).keys().collect();
        let (missing, unknown): (Vec<_>, Vec<_>) = (english.difference(&there).collect(), there.difference(&english).collect());
        assert!(missing.is_empty() && unknown.is_empty(), "{language:?} lacks {missing:?}; English lacks {unknown:?}");
    }
}

/// The names between braces.
fn places(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|part| part.split('}').next()).collect()
}

/// Numbers in digits.
fn numbers(text: &str) -> BTreeSet<&str> {
    text.split(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .map(|part| part.trim_matches('.'))
        .filter(|part| !part.is_empty())
        .collect()
}

/// The texts of one key in English and in another language.
fn translations() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let others = Language::ALL.into_iter().filter(|language| *language != Language::English);
    others.flat_map(|language| {
        let english = texts(Language::English);
        texts(language).iter().filter_map(move |(key, text)| Some((key.as_str(), english.get(key)?.as_str(), text.as_str())))
    })
}

#[test]
fn translations_have_the_same_places_and_numbers() {
    for (key, english, text) in translations() {
        assert_eq!(places(english), places(text), "{key}");
        // Chinese counts in ten thousands: 5 million are 500 万.
        if !english.contains("million") {
            assert!(numbers(english).is_subset(&numbers(text)), "{key}: not all of {:?} are in '{text}'", numbers(english));
        }
    }
    assert_eq!(places("{a} of {b.c}"), BTreeSet::from(["a", "b.c"]));
    assert_eq!(numbers("×3.7 at 8 + 4 (7.1.4). Page 12."), BTreeSet::from(["3.7", "8", "4", "7.1.4", "12"]));
}

/// What is shown on demand is prose, however short.
fn is_prose(key: &str) -> bool {
    key.rsplit('.').next() == Some("more")
}

/// The window sets one sentence without a full stop, several with one; an author forgets.
#[test]
fn one_sentence_has_no_full_stop_and_several_have_one() {
    for (language, stop) in [(Language::English, ". "), (Language::Chinese, "。")] {
        for (key, text) in texts(language) {
            assert_eq!(text.trim(), text, "{key}");
            assert!(!text.is_empty() && !text.contains("  ") && !text.contains('\n'), "{key}: '{text}'");
            // The command line sets its sentences as prose, between lines that are none.
            if !key.starts_with("tables.") {
                assert_eq!(text.ends_with(stop.trim_end()), text.contains(stop) || is_prose(key), "{key}: '{text}'");
            }
        }
    }
}

#[test]
fn chinese_is_set_as_chinese() {
    for (key, text) in texts(Language::Chinese) {
        assert_eq!(chinese_fault(text), None, "{key}: '{text}'");
    }
    for wrong in ["加载16 字节", "加载 16字节", "加载,存储", "加载(16)", "加载， 存储", "加载 存储"] {
        assert!(chinese_fault(wrong).is_some(), "{wrong}");
    }
    assert_eq!(chinese_fault("每行两次加载（8 + 4），而不是 3 次"), None);
}

#[test]
fn values_take_the_places_of_their_names() {
    assert_eq!(fill("{a} of {b}: {a}", &[("a", &1), ("b", &"{a}")]), "1 of {a}: 1");
    assert_eq!(fill("{c} and { and }{a", &[("a", &1)]), "{c} and { and }{a");
    assert_eq!(fill("", &[]), "");
}

#[test]
fn an_error_quotes_no_more_than_anybody_reads() {
    let long = "é".repeat(5000);
    let error = failed("errors.window.settings", &[("why", &long)]);
    assert!(error.why.contains(&"é".repeat(1000)) && error.why.contains('…') && error.to_string().chars().count() < 1300, "{error}");
    let short = "é".repeat(1000);
    assert!(failed("errors.window.settings", &[("why", &short)]).why.contains(&short));
}

#[test]
fn faults_name_file_and_line() {
    for (text, words) in [
        ("[a]\nb = 'c'\n[d\n", "assets/texts/en/file.toml:3: "),
        ("a = 'b'\na = 'c'\n", "assets/texts/en/file.toml:2: duplicate key"),
        ("[a]\nb = 3", "file.a.b is neither a string nor a table"),
    ] {
        let error = read("en/file.toml", text).expect_err(text)().to_string();
        assert!(error.contains(words), "'{words}' is not in: {error}");
    }
}

/// Every key of the window, of shared words and of rules that stands in the code, by its file's name.
fn keys_in_code(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of the sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            keys_in_code(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).expect("a source");
            let literals = source.split('"').filter(|literal| !literal.contains(' '));
            found.extend(literals.filter(|literal| is_of_code(literal)).map(in_code));
        }
    }
}

/// Keys that the code names in full; the reasons of rules are named by the rules.
fn is_of_code(key: &str) -> bool {
    let is_key = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || ".-".contains(letter);
    let files = [
        "window.",
        "words.",
        "rules.",
        "access.",
        "chart.",
        "class.",
        "code.",
        "concepts.",
        "errors.",
        "lessons.",
        "prediction.",
        "progress.",
        "report.",
        "roofs.",
        "tables.",
    ];
    let begins = files.iter().any(|file| key.starts_with(file));
    begins && !key.starts_with("rules.reason.") && !key.ends_with('.') && key.chars().all(is_key)
}

/// What the code calls a text: an error by its table.
fn in_code(key: &str) -> String {
    let table = key.rsplit_once('.').filter(|(_, name)| key.starts_with("errors.") && ERROR_TEXTS.contains(name));
    table.map_or(key, |(table, _)| table).to_owned()
}

#[test]
fn every_key_that_the_code_names_is_there_and_every_one_is_named() {
    let mut named = BTreeSet::new();
    for folder in sources::folders() {
        keys_in_code(&folder, &mut named);
    }
    let there: BTreeSet<String> = texts(Language::English).keys().filter(|key| is_of_code(key)).map(|key| in_code(key)).collect();
    let (missing, unused): (Vec<_>, Vec<_>) = (named.difference(&there).collect(), there.difference(&named).collect());
    assert!(missing.is_empty() && unused.is_empty(), "there is no text of {missing:?}; nothing names {unused:?}");
}
