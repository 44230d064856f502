//! Lessons that somebody wrote.

use super::spoil::{Given, Way};
use super::{Kind, spoil};
use base::texts::Language;
use std::sync::Arc;
use study::lessons::{EXAMPLE, Item, Shelf, read_file};
use study::why::Facts;

/// Facts that there are not, one long or each another, in braces behind a quotation mark.
fn facts(given: &mut Given<'_>) -> Vec<u8> {
    let (times, is_one) = (given.many(), given.rng.bool());
    let facts: String = (0..times).map(|number| if is_one { format!("fact{number}") } else { format!("{{fact{number}}}") }).collect();
    let facts = if is_one { format!("{{{facts}}}") } else { facts };
    let quotes: Vec<usize> = (0..given.whole.len()).filter(|at| given.whole[*at] == b'"').collect();
    let at = given.rng.choice(&quotes).map_or(0, |at| at + 1);
    given.with(at..at, facts.as_bytes())
}

pub fn lessons() -> Kind {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lesson.toml");
    let read = move |bytes: &[u8]| {
        let _ = &folder;
        std::fs::write(&path, bytes).expect("written");
        let edition = read_file(&path, "").map_err(|error| error.to_string())?;
        if let Some(fault) = edition.faults.first() {
            assert!(edition.faults.iter().all(|fault| fault.line > 0 && fault.column > 0 && !fault.why.is_empty()));
            let longest = edition.faults.iter().map(ToString::to_string).max_by_key(String::len);
            return Err(longest.unwrap_or_else(|| fault.to_string()));
        }
        let lesson = edition.lesson.expect("a lesson or a fault");
        let _ = lesson.about();
        for item in lesson.screens.iter().filter_map(|screen| screen.item.as_ref()) {
            if let Item::Number(number) = item {
                let _ = (number.is.value(&Facts::default()), number.is_right(1.0, 1.0));
            }
        }
        Ok(())
    };
    let shelf = Shelf::default();
    let own = shelf.names().into_iter().flat_map(|name| Language::ALL.map(|language| Shelf::text(name, language)));
    Kind {
        valid: own.flatten().chain([EXAMPLE]).map(|text| text.as_bytes().to_vec()).collect(),
        ways: [spoil::TEXT, &[facts as Way; 2]].concat(),
        words: &[
            "[start]\n",
            "[[screen]]\n",
            "[end]\n",
            "\"\"\"",
            "{after.loads}",
            "{before.",
            "= ",
            "[[",
            "]]",
            "'",
            "\"",
            "inf",
            "nan",
            "{",
            "}",
            "\n",
            "show = { variant = \"naive\" }\n",
            "a.b.c",
            "# ",
        ],
        read: Arc::new(read),
        most_bytes: (64 << 20, 80),
        count: 800,
    }
}
