//! Holds the sources to texts: what a person reads stands in `assets/texts/`, in every language, and not in the code.

use std::fs;
use std::path::{Path, PathBuf};

/// Files and folders of the program and of its crates, without `src`, whose sentences are no texts, with the reason. None of them is read in the window.
const WHOLE_FILES: &[(&str, &str)] = &[
    ("engine/device/quirks.rs", "a page of the repository, which is English"),
    ("kernels/kernel_source/", "lines of OpenCL C, and faults of the program's own kernel files, which tests rule out"),
    ("study/why/fact.rs", "faults of the program's own rules, which tests rule out"),
    ("study/claims/elsewhere.rs", "faults of the program's own claims, which tests rule out"),
    ("engine/compiled/build_log.rs", "words of drivers, which are looked for"),
    ("cpu/processor.rs", "words of the system, which are looked for"),
    ("cli/mod.rs", "the help is English"),
    ("cli/study.rs", "the help is English"),
    ("kernels/project/skeleton.rs", "lines of TOML; what a person reads of them are texts"),
    ("cli/bench/page.rs", "a page of the repository, which is English"),
    ("kernels/filters/ladder.rs", "names for programs that read our output"),
    ("kernels/filters/rules.rs", "names for programs that read our output"),
    ("app/layout.rs", "ids of panels"),
    ("base/texts/avoided.rs", "words that texts avoid, for a test"),
    ("model/roofline.rs", "a fault of a file of readings, which another version has written"),
];

/// Literals that are no texts: ids and names of threads, words of OpenCL C, commands, names for programs, messages of assertions.
const LITERALS: [&str; 27] = [
    "access picture",
    "filter card",
    "compiled listing",
    "compiled difference",
    "file dialog",
    "lesson table",
    "steps of the lesson",
    "launch of the local size panel",
    "powers of two",
    "source text",
    "more on",
    "it is not one of the possible values",
    "speed-up over the first step; for the first step, over the study's CPU",
    "speed-up over the first step",
    "unsigned char",
    "unsigned short",
    "unsigned int",
    "unsigned long",
    "Example platform",
    "Example device",
    "exec sh -c '{command}'",
    "sudo apt install",
    "sudo dnf install",
    "sudo pacman -S",
    "a reference covers the rows it was asked for",
    "not seen",
    "Bench {}, {} probes",
];

/// Two words in a row, or one with a capital and a colon: the parts that a sentence has and a key has not.
fn is_prose(literal: &str) -> bool {
    let mut plain = String::new();
    let mut depth = 0;
    for letter in literal.chars() {
        match letter {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                plain.push('0');
            }
            _ if depth > 0 => {}
            _ => plain.push(letter),
        }
    }
    let words: Vec<&str> = plain.split(' ').collect();
    let is_word = |word: &str| word.len() > 1 && word.chars().all(|letter| letter.is_ascii_alphabetic());
    let is_first = |word: &str| is_word(word.trim_end_matches([',', ';', ':']).trim_start_matches(['(', '\n']));
    let is_second = |word: &str| {
        is_word(word.trim_end_matches([',', ';', ':', '.', ')'])) && word.starts_with(|letter: char| letter.is_ascii_lowercase())
    };
    let is_label =
        plain.starts_with(|letter: char| letter.is_ascii_uppercase()) && plain.ends_with(':') && is_word(plain.trim_end_matches(':'));
    is_label || words.windows(2).any(|pair| matches!(pair, [first, second] if is_first(first) && is_second(second)))
}

/// The string literals of a source up to its tests, without comments and attributes.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("\nmod tests {").next().unwrap_or_default();
    let letters: Vec<char> = source.chars().collect();
    let at = |index: usize| letters.get(index).copied().unwrap_or('\0');
    // The place behind a literal that begins with a quote at `start`.
    let behind = |start: usize| {
        let mut index = start + 1;
        while index < letters.len() && at(index) != '"' {
            index += if at(index) == '\\' { 2 } else { 1 };
        }
        index + 1
    };
    let (mut found, mut index) = (Vec::new(), 0);
    while index < letters.len() {
        match (at(index), at(index + 1)) {
            ('/', '/') => {
                while index < letters.len() && at(index) != '\n' {
                    index += 1;
                }
            }
            ('#', '[' | '!') => {
                let mut depth = 0;
                loop {
                    match at(index) {
                        '"' => index = behind(index) - 1,
                        '[' => depth += 1,
                        ']' => depth -= 1,
                        _ => {}
                    }
                    index += 1;
                    if index >= letters.len() || depth == 0 && at(index - 1) == ']' {
                        break;
                    }
                }
            }
            ('\'', '\\') => index += 4,
            ('\'', _) if at(index + 2) == '\'' => index += 3,
            ('"', _) => {
                let end = behind(index);
                found.push(letters[index + 1..end - 1].iter().collect());
                index = end;
            }
            _ => index += 1,
        }
    }
    found
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" && name != "testing" {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The sources of the program and of all its crates.
pub fn folders() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).expect("the crates").map(|entry| entry.expect("a crate").path().join("src"));
    let folders: Vec<PathBuf> = crates.chain([root().join("src")]).collect();
    assert!(folders.len() > 5, "{folders:?}");
    folders
}

/// `app/start/mod.rs` of the program, `model/record.rs` of a crate.
fn name(path: &Path) -> String {
    let place = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    match place.strip_prefix("crates/") {
        Some(of_crate) => of_crate.replacen("/src/", "/", 1),
        None => place.replacen("src/", "", 1),
    }
}

#[test]
fn no_sentence_stands_in_the_code() {
    let mut files = Vec::new();
    for folder in folders() {
        sources(&folder, &mut files);
    }
    let mut wrong = Vec::new();
    for path in files {
        let name = name(&path);
        if name == "base/texts/sources.rs" || WHOLE_FILES.iter().any(|(file, _)| name.starts_with(file)) {
            continue;
        }
        let source = fs::read_to_string(&path).expect("a source");
        let prose = literals(&source).into_iter().filter(|literal| is_prose(literal) && !LITERALS.contains(&literal.as_str()));
        wrong.extend(prose.map(|literal| format!("{name}: {literal}")));
    }
    assert!(wrong.is_empty(), "move these to assets/texts:\n{}", wrong.join("\n"));
}

#[test]
fn prose_is_told_from_keys_and_formats() {
    for prose in
        ["No kernel has run yet", "{count} more {unit} cost time", "; {} together, again and", "Guide:", "no driver", "Note: it is"]
    {
        assert!(is_prose(prose), "{prose}");
    }
    for other in
        ["window.label.filter", "{name}: {value}", "GB/s", "top-bar", "Kernel", "x {x} y {y}", "clEnqueueWriteBuffer", "", "AVX-512BW"]
    {
        assert!(!is_prose(other), "{other}");
    }
    let source = "// a comment here\n#[expect(x, reason = \"an attribute here\")]\nfn f() { let a = ('\"', '\\'', \"one \\\"two\"); }\n#[cfg(test)]\nmod tests { \"not seen\" }";
    assert_eq!(literals(source), ["one \\\"two"]);
}
