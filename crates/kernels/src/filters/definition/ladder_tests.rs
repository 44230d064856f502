//! Ladders of built-in filters, and faults in the file of one.

use super::read::Reader;
use super::rows::TextsRow;
use super::{DEFINITION, DEFINITIONS, Files, attached};
use crate::filters::{self, Ladder, Says};
use crate::filters::{FilterIdExt as _, VariantExt as _};
use base::texts::{self, Language};
use model::{BorderMode, Channels, FilterId, Setting};
use std::collections::BTreeSet;

/// The ladder of a file `short.toml` in the folder of Laplace, or what is wrong there.
fn read(text: &str) -> Result<Ladder, Vec<String>> {
    let files = Files { name: "laplace", files: vec![(DEFINITION, ""), ("ladders/short.toml", text)] };
    let mut reader = Reader::of(&files, Some((FilterId::Laplace, attached::of("laplace"))));
    let spoken = Language::ALL.map(|language| (language, TextsRow::default()));
    let mut ladders = reader.ladders(&Channels::ALL, &BorderMode::ALL, &spoken);
    let misfits: Vec<String> = reader.misfits.iter().map(ToString::to_string).collect();
    if misfits.is_empty() { Ok(ladders.remove(0)) } else { Err(misfits) }
}

#[test]
fn every_file_is_read_and_its_steps_are_allowed() {
    let files: Vec<_> = DEFINITIONS.iter().filter(|(file, _)| file.contains("/ladders/")).collect();
    assert_eq!(files.len(), FilterId::BUILT_IN.iter().map(|id| id.filter().ladders().len()).sum::<usize>());
    for (file, text) in files {
        let name = file.rsplit('/').next().unwrap_or_default().trim_end_matches(".toml");
        let ladder = filters::ladder(name).unwrap_or_else(|| panic!("{file} is not read"));
        let setting = Setting::new(ladder.channels, ladder.border);
        for step in &ladder.steps {
            // Its number stands before it.
            assert!(!step.label().starts_with(|first: char| first.is_ascii_digit()), "{file}, {}: {}", step.key, step.label());
            step.variant().check(ladder.filter.filter(), setting).unwrap_or_else(|error| panic!("{file}, {}: {error}", step.key));
            let written = format!("variant = \"{}\"\n", step.variant());
            assert!(text.contains(&written), "{file}, {}: stages in the order of names", step.key);
        }
        if let Some(guide) = &ladder.continues {
            let guide = ladder.filter.filter().ladder(guide).unwrap_or_else(|| panic!("{file}: no ladder '{guide}'"));
            // The border may be another one: words have copy alone, and what a guide says of a halo needs one that is tested for.
            assert!(ladder.is_own && !guide.is_own && guide.channels == ladder.channels, "{file}");
        }
    }
}

#[test]
fn every_text_is_some_ladders() {
    let parts = |ladder: &'static filters::Ladder| {
        let own = ["label", "device", "source"].map(|part| format!("ladders.{}.{part}", ladder.name));
        let step = |step: &'static filters::Step| ["label", "why"].map(|part| step.text_key(part));
        own.into_iter().chain(ladder.steps.iter().flat_map(step))
    };
    let used: BTreeSet<String> = filters::ladders().flat_map(parts).collect();
    let there: BTreeSet<String> = texts::keys("ladders").map(str::to_owned).collect();
    assert_eq!(used, there);
}

#[test]
fn each_filter_begins_with_its_first_ladder() {
    for filter in filters::all() {
        assert!(filter.ladders().iter().skip(1).all(|ladder| !ladder.is_first), "{}: two are the first", filter.name());
    }
    let goes_on = |name| FilterId::Laplace.filter().ladder(name).and_then(filters::Ladder::continuation).map(|ladder| ladder.name);
    assert_eq!((goes_on("mali-t600"), goes_on("desktop-laplace")), (Some("desktop-laplace"), None));
    let names: Vec<_> = FilterId::Laplace.filter().ladders().iter().map(|ladder| ladder.name).collect();
    assert_eq!(names, ["mali-t600", "bifrost", "maleoon-short", "borders", "desktop-laplace-gray", "desktop-laplace"]);
}

const HEAD: &str = "channels = 'rgb'\nborder = 'copy'\n";

#[test]
fn a_file_says_all_of_a_ladder() {
    let text = format!(
        "{HEAD}[[step]]\nkey = 'a'\nvariant = 'naive'\n[[step]]\nkey = 'b'\nvariant = 'padded'\nslower_than = 'a'\nplace = '§ 1'\n"
    );
    let ladder = read(&text).expect("a ladder");
    assert_eq!((ladder.name, ladder.steps[1].key.as_str(), ladder.steps[1].variant().to_string().as_str()), ("short", "b", "padded"));
    assert_eq!(ladder.steps[1].claim, Some(filters::Claim { against: 0, says: Says::Slower, is_ours: false }));
    assert!(ladder.steps[1].claim_sizes.is_empty());
    assert_eq!(ladder.claim_text(1).as_deref(), Some("slower than step 1 ()"), "no file has texts of it");
}

#[test]
fn a_claim_has_sizes_and_an_author() {
    let sized = "sizes = [[768, 432], [2048, 2048]]\n";
    let step = "[[step]]\nkey = 'a'\nvariant = 'naive'\n[[step]]\nkey = 'b'\nvariant = 'padded'\nno_faster_than = 'a'\n";
    let of = |head: &str, rest: &str| {
        let ladder = read(&format!("{HEAD}{head}{step}{rest}")).expect("a ladder");
        (ladder.steps[1].claim.expect("a claim").is_ours, ladder.steps[1].claim_sizes.clone())
    };
    assert_eq!(of(sized, "place = '§ 2'\n"), (false, vec![(768, 432), (2048, 2048)]));
    assert_eq!(of(sized, "at = [[2048, 2048]]\nours = true\n"), (true, vec![(2048, 2048)]));
    assert_eq!(of("own = true\n", "at = [[100, 100]]\n"), (true, vec![(100, 100)]));
}

#[test]
fn faults_name_file_and_line() {
    let step = "[[step]]\nkey = 'a'\nvariant = 'naive'\n";
    let second = "[[step]]\nkey = 'b'\nvariant = 'padded'\n";
    for (text, words) in [
        (format!("{HEAD}color = 3\n{step}"), "3:1: unknown field `color`"),
        (format!("{HEAD}[[step]]\nkey = 'a'\nvariant = 'fast'\n"), "5:11: "),
        (format!("{HEAD}{step}{step}"), "7:7: there are two steps 'a'"),
        (format!("{HEAD}{step}published = [1.0, 2.0]\n"), "4:7: step 'a' has 2 figures for 0 sizes"),
        (format!("{HEAD}{step}faster_than = 'b'\n"), "6:15: there is no other step 'b'"),
        (format!("{HEAD}{step}as_fast_as = 'a'\n"), "6:14: there is no other step 'a'"),
        (format!("{HEAD}{step}faster_than = 'b'\nslower_than = 'c'\n"), "7:15: step 'a' has two claims"),
        (format!("{HEAD}{step}at = [[768, 432]]\n"), "6:6: step 'a' has no claim, but"),
        (format!("{HEAD}{step}ours = true\n"), "4:7: step 'a' has no claim"),
        (format!("{HEAD}sizes = [[5, 5]]\n{step}faster_than = 'a'\nat = [[6, 5]]\n"), "8:6: the sizes of the claim of step 'a'"),
        (format!("{HEAD}own = true\n{step}faster_than = 'a'\nours = true\n"), "5:7: all claims of a ladder of one's own are ours"),
        (format!("{HEAD}{step}{second}faster_than = 'a'\n"), "7:7: step 'b' has a claim of its guide, and no place"),
        (format!("{HEAD}{step}place = '§ 1'\n"), "6:9: step 'a' has a place, and no claim of its guide"),
        (
            format!("{HEAD}{step}{second}faster_than = 'a'\nours = true\nplace = '§ 1'\n"),
            "11:9: step 'b' has a place, and no claim of its guide",
        ),
    ] {
        let told = read(&text).expect_err(words);
        assert!(told.iter().any(|line| line.starts_with(&format!("ladders/short.toml:{words}"))), "'{words}' is not in {told:#?}");
    }
}
