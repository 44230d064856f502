//! Checks README and docs: README's length, links to files and headings, and every command that a document shows against the program's own parser.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a helper of a test fails by panicking, as the test itself does")]

use kernels::catalog::{Folder, bring};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const MOST_README_LINES: usize = 120;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// README and all files of docs.
fn documents() -> Vec<PathBuf> {
    let mut documents: Vec<PathBuf> =
        fs::read_dir(root().join("docs")).expect("docs").map(|entry| entry.expect("an entry").path()).collect();
    documents.push(root().join("README.md"));
    documents.sort();
    assert!(documents.len() > 1, "docs is empty");
    documents
}

fn is_code(line: &str) -> bool {
    line.starts_with("    ")
}

/// The anchors that GitHub gives to a document's headings.
fn anchors(document: &str) -> Vec<String> {
    let headings = document.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            heading
                .chars()
                .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
                .map(|letter| if letter == ' ' { '-' } else { letter })
                .collect()
        })
        .collect()
}

/// The commands of a document: lines of code blocks, and what stands in backquotes. Each is the text from `kernel-ladder` on, or what `cargo run` passes on.
fn commands(document: &str) -> Vec<String> {
    let code = document.lines().filter(|line| is_code(line)).map(str::to_owned);
    let prose: Vec<&str> = document.lines().filter(|line| !is_code(line)).collect();
    let joined = prose.join("\n");
    let spans = joined.split('`').skip(1).step_by(2).map(|span| span.replace('\n', " "));
    code.chain(spans).filter_map(|text| command_of(&text)).collect()
}

/// The command that a line shows, without settings before it and without a comment, redirection or further command behind it.
fn command_of(text: &str) -> Option<String> {
    let end = [" #", " >", " |", " &&"].iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    let is_setting =
        |word: &&str| word.split_once('=').is_some_and(|(name, _)| name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_'));
    let words: Vec<&str> = text[..end].split_whitespace().skip_while(is_setting).collect();
    let arguments = match words.as_slice() {
        ["kernel-ladder", arguments @ ..] => arguments,
        ["cargo", "run", rest @ ..] => &rest[rest.iter().position(|word| *word == "--")? + 1..],
        _ => return None,
    };
    // `cargo run --release --` alone stands for the name of the program.
    Some(arguments.join(" "))
}

/// The ratio of a page of peers: "1.69× (1.67–1.70)" as middle, low and high; an interval that is not shown is as narrow as its middle.
fn ratio(cell: &str) -> Option<[f64; 3]> {
    let (middle, rest) = cell.split_once('×')?;
    let middle: f64 = middle.trim().parse().ok()?;
    let interval = rest.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')?.split_once('–'));
    let [low, high] = interval.and_then(|(low, high)| Some([low.parse().ok()?, high.parse().ok()?])).unwrap_or([middle; 2]);
    Some([middle, low, high])
}

#[test]
fn what_the_readme_says_of_peers_is_what_their_page_says() {
    let page = read(&root().join("assets/peers/nvidia-h200.md"));
    // Of each filter in its channels, the peer that is hardest to beat.
    let mut least: BTreeMap<&str, [f64; 3]> = BTreeMap::new();
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let Some(ratio) = cells.get(6).and_then(|cell| ratio(cell)) else { continue };
        let known = least.entry(cells[0]).or_insert(ratio);
        if ratio[0] < known[0] {
            *known = ratio;
        }
    }
    let [faster, slower] =
        [least.values().filter(|[_, low, _]| *low > 1.0).count(), least.values().filter(|[.., high]| *high < 1.0).count()];
    let most = least.values().map(|[middle, ..]| *middle).fold(0.0, f64::max);
    let claim = format!("in {faster} of {} rows, by up to {most:.1}×, and longer in {slower}: ", least.len());
    assert!(read(&root().join("README.md")).contains(&claim), "README does not say: {claim}");
}

#[test]
fn readme_is_short() {
    let lines = read(&root().join("README.md")).lines().count();
    assert!(lines <= MOST_README_LINES, "README has {lines} lines; move something to docs");
}

#[test]
fn links_lead_to_files_and_headings() {
    for path in documents() {
        let document = read(&path);
        let prose: Vec<&str> = document.lines().filter(|line| !is_code(line)).collect();
        for link in prose.join("\n").split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
            assert!(target.is_file(), "{} links to {link}, which does not exist", path.display());
            assert!(
                anchor.is_empty() || anchors(&read(&target)).iter().any(|known| known == anchor),
                "{} links to {link}: no such heading",
                path.display()
            );
        }
    }
}

#[test]
fn the_map_names_files_that_are_there() {
    fn below(folder: &Path, files: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() && name != "target" && name != ".git" {
                below(&path, files);
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    below(root(), &mut files);
    let map = read(&root().join("docs/architecture.md"));
    let spans = map.split('`').skip(1).step_by(2);
    let names: Vec<&str> = spans.filter(|span| [".rs", ".toml", ".cl", ".clh"].iter().any(|end| span.ends_with(end))).collect();
    assert!(names.len() > 40, "{names:?}");
    for name in names {
        assert!(files.iter().any(|file| file.ends_with(name)), "docs/architecture.md names {name}, which is nowhere");
    }
}

#[test]
fn shown_commands_are_commands() {
    // The page about filters of one's own is about this one.
    let example = Folder::read(Path::new("tests/filters/emboss")).expect("a folder");
    bring(&example).expect("a filter");
    let definition = kernel_ladder::cli::definition();
    let mut count = 0;
    for path in documents() {
        for command in commands(&read(&path)) {
            count += 1;
            // A command's name alone is a mention, without the arguments that it needs.
            if definition.find_subcommand(&command).is_some() {
                continue;
            }
            // The program would take any other word for a picture to open.
            let first = command.split_whitespace().next().unwrap_or_default();
            let is_known = first.is_empty() || first.starts_with('-') || first.contains('.') || definition.find_subcommand(first).is_some();
            assert!(is_known, "{} shows `kernel-ladder {command}`: there is no command {first}", path.display());
            // A name to be filled in: a filter is as good as any.
            let words = std::iter::once("kernel-ladder")
                .chain(command.split_whitespace())
                .map(|word| if word == "NAME" { "laplace" } else { word });
            if let Err(error) = definition.clone().try_get_matches_from(words) {
                panic!("{} shows `kernel-ladder {command}`: {error}", path.display());
            }
        }
    }
    assert!(count > 20, "only {count} commands were found");
}

/// The layers, from below: the crates in the order of the root's `Cargo.toml`, then the program.
const CRATES: [&str; 9] = ["base", "model", "pictures", "kernels", "engine", "view", "study", "report", "src"];

fn source(layer: &str) -> PathBuf {
    if layer == "src" { root().join("src") } else { root().join("crates").join(layer).join("src") }
}

/// Each module of a crate with its row in the table of `src/lib.rs`: rows are layers, from the window down.
fn layers(of: &str) -> BTreeMap<String, usize> {
    let map = read(&root().join("src/lib.rs"));
    let rows = map.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    let mut layers = BTreeMap::new();
    for (layer, row) in rows.enumerate() {
        let (modules, rest) = row.split_once(" | ").expect("two columns");
        // The lowest row has small modules that its second column names.
        let names = if modules.starts_with("texts") {
            format!("{modules}, {rest}, foreign, hash, shared_memory, system")
        } else {
            modules.to_owned()
        };
        for name in names.split(", ").flat_map(|part| part.split("; ")) {
            let name: String = name.chars().filter(|letter| letter.is_ascii_lowercase() || *letter == '_').collect();
            if name == of || source(of).join(format!("{name}.rs")).exists() || source(of).join(&name).is_dir() {
                layers.entry(name).or_insert(layer);
            }
        }
    }
    layers
}

/// The modules of its own crate and the other crates that a file names, without its comments and its tests.
fn imports(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: String = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let word = |text: &str| text.chars().take_while(|letter| letter.is_ascii_lowercase() || *letter == '_').collect::<String>();
    let (mut found, mut crates) = (BTreeSet::new(), BTreeSet::new());
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            // The first names of a list, whatever lists are in it.
            Some(list) => {
                let mut depth = 0;
                let own = list.chars().map_while(|letter| {
                    depth += i32::from(letter == '{') - i32::from(letter == '}');
                    (depth >= 0).then_some(if depth > 0 { ' ' } else { letter })
                });
                found.extend(own.collect::<String>().split(',').map(|part| word(part.trim())));
            }
            None => drop(found.insert(word(rest))),
        }
    }
    let uses = code.lines().filter_map(|line| line.trim_start().trim_start_matches("pub ").strip_prefix("use "));
    crates.extend(uses.filter_map(|path| path.split_once("::")).map(|(name, _)| word(name)));
    (found, crates)
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn imports_run_downward_as_the_map_says() {
    let (mut upward, mut arrows, mut modules) = (Vec::new(), 0, 0);
    for (at, of) in CRATES.into_iter().enumerate() {
        let layers = layers(of);
        modules += layers.len();
        let mut files = Vec::new();
        rust_files(&source(of), &mut files);
        for path in files {
            let place = path.strip_prefix(source(of)).expect("within src");
            let first = place.components().next().expect("a name").as_os_str().to_string_lossy().replace(".rs", "");
            if place.to_string_lossy().ends_with("tests.rs") || first == "testing" {
                continue;
            }
            let (own, others) = imports(&read(&path));
            // Cargo refuses circles; this refuses crates that are higher in the list, too. A module may have the name of a crate.
            arrows += own.len() + others.len();
            let above = CRATES.iter().skip(at + 1).filter(|other| others.contains(**other) && !layers.contains_key(**other));
            upward.extend(above.map(|other| format!("{}: {other}", path.display())));
            // A file beside the root of a crate belongs to it.
            let module = if layers.contains_key(&first) { first } else { of.to_owned() };
            if let Some(row) = layers.get(&module) {
                upward.extend(
                    own.iter()
                        .filter(|name| layers.get(*name).is_some_and(|other| other < row))
                        .map(|name| format!("{}: {name}", path.display())),
                );
            } else {
                assert!(
                    ["lib", "main", "window", "build"].iter().any(|root| place.ends_with(format!("{root}.rs"))),
                    "{}: no row in the map of src/lib.rs",
                    path.display()
                );
            }
        }
    }
    assert!(modules > 25 && arrows > 500, "{modules} {arrows}");
    assert!(upward.is_empty(), "these import what is above them in the table of src/lib.rs: {upward:#?}");
}
