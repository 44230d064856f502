//! Reads `assets/ladders/NAME.toml`, one ladder each; `build.rs` lists the files, `texts` has their words.
//!
//! A file has the ladder's `filter`, `channels` and `border`; `sizes` (width and height), as the document states them, and `figures` where figures were published; `first = true` for
//! the one of its filter's ladders that `bench` measures where none is named; `own = true` for one that no guide has, and `continues` for the guide's that it
//! goes on from. Each `[[step]]` has a `key`, by which texts and claims name it, its `variant`, a
//! `local` work size where one belongs to it, the `published` figures (one for each size, or one alone where the document states no size), and at most one
//! claim: the key of the step that the guide calls it `faster_than`, `slower_than`, `as_fast_as` or `no_faster_than`. `at` are the sizes that the claim was
//! published for, where these are not all of the ladder's. `ours = true` marks a claim that the guide does not make, but this program; all claims of an
//! `own` ladder are.

use super::ladder::SHARED;
use super::{Claim, Figures, Ladder, Says, Step};
use crate::error::{Error, Result};
use crate::model::{BorderMode, Channels, FilterId, Variant};
use crate::texts::{self, fault, located};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use toml::Spanned;

/// Every file of `assets/ladders/`, by name.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/ladder_files.rs"));

static LADDERS: LazyLock<BTreeMap<FilterId, Vec<Ladder>>> = LazyLock::new(|| {
    let mut ladders: BTreeMap<FilterId, Vec<Ladder>> = BTreeMap::new();
    // A file that cannot be read is left out: a test holds every one to be right.
    for ladder in FILES.iter().filter_map(|(file, text)| read(file, text, &has_text).ok()) {
        ladders.entry(ladder.filter).or_default().push(ladder);
    }
    for ladders in ladders.values_mut() {
        ladders.sort_by_key(|ladder| (!ladder.is_first, ladder.is_own));
    }
    ladders
});

/// A filter's ladders: the first one, then the guides' others by name, then our own.
pub(super) fn of(filter: FilterId) -> &'static [Ladder] {
    LADDERS.get(&filter).map_or(&[], Vec::as_slice)
}

/// A file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LadderFile {
    filter: FilterId,
    #[serde(default)]
    first: bool,
    #[serde(default)]
    own: bool,
    continues: Option<String>,
    channels: Channels,
    border: BorderMode,
    #[serde(default)]
    figures: Figures,
    #[serde(default)]
    sizes: Vec<(usize, usize)>,
    #[serde(rename = "step")]
    steps: Vec<StepRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepRow {
    key: Spanned<String>,
    variant: Variant,
    local: Option<[usize; 2]>,
    #[serde(default)]
    published: Vec<f64>,
    faster_than: Option<Spanned<String>>,
    slower_than: Option<Spanned<String>>,
    as_fast_as: Option<Spanned<String>>,
    no_faster_than: Option<Spanned<String>>,
    at: Option<Spanned<Vec<(usize, usize)>>>,
    #[serde(default)]
    ours: bool,
    place: Option<Spanned<String>>,
}

/// Whether there is a text of that key.
type HasText<'a> = &'a dyn Fn(&str) -> bool;

fn has_text(key: &str) -> bool {
    texts::find(key).is_some()
}

/// The ladder of a file.
///
/// # Errors
/// Failed, with file and line, for anything that a reader of the ladder could stumble over.
fn read(file: &'static str, text: &str, has_text: HasText) -> Result<Ladder> {
    let path = format!("assets/ladders/{file}");
    let wrong = |start: usize, why: String| located(&path, text, start, &why);
    let hold_to_texts = |start: usize, of: &[String], parts: &[&str]| {
        let has = |part: &&&str| of.iter().any(|of| has_text(&format!("{of}.{part}")));
        let missing = parts.iter().find(|part| !has(part)).zip(of.first()).map(|(part, of)| format!("{of}.{part}"));
        missing.map_or(Ok(()), |key| Err(wrong(start, format!("there is no text '{key}'"))))
    };
    let read: LadderFile = toml::from_str(text).map_err(|error| fault(&path, text, &error))?;
    let name = file.trim_end_matches(".toml");
    let mut steps: Vec<Step> = Vec::new();
    for row in &read.steps {
        let (start, key) = (row.key.span().start, row.key.get_ref());
        if steps.iter().any(|step| step.key == *key) {
            return Err(wrong(start, format!("there are two steps '{key}'")));
        }
        let is_of_no_size = read.sizes.is_empty() && row.published.len() == 1;
        if !row.published.is_empty() && row.published.len() != read.sizes.len() && !is_of_no_size {
            return Err(wrong(start, format!("'{key}' has {} figures for {} sizes", row.published.len(), read.sizes.len())));
        }
        hold_to_texts(start, &[name, SHARED].map(|ladder| format!("ladders.{ladder}.step.{key}")), &["label", "why"])?;
        let claim = claim(row, &read, &wrong)?;
        steps.push(Step {
            key: key.clone(),
            ladder: name,
            variant: row.variant,
            local: row.local,
            published: row.published.clone(),
            claim,
            place: place(row, claim, &wrong)?,
            claim_sizes: row.at.as_ref().map_or_else(|| read.sizes.clone(), |at| at.get_ref().clone()),
        });
    }
    hold_to_texts(0, &[format!("ladders.{name}")], &["label", "device", "source"])?;
    Ok(Ladder {
        name,
        filter: read.filter,
        is_first: read.first,
        is_own: read.own,
        continues: read.continues,
        channels: read.channels,
        border: read.border,
        sizes: read.sizes,
        figures: read.figures,
        steps,
    })
}

/// Where a guide makes its claim: whoever reads of one can look it up.
fn place(row: &StepRow, claim: Option<Claim>, wrong: &dyn Fn(usize, String) -> Error) -> Result<Option<String>> {
    let key = row.key.get_ref();
    match (&row.place, claim.is_some_and(|claim| !claim.is_ours)) {
        (Some(place), true) => Ok(Some(place.get_ref().clone())),
        (None, true) => Err(wrong(row.key.span().start, format!("'{key}' has a claim of its guide, and no place where that is made"))),
        (Some(place), false) => Err(wrong(place.span().start, format!("'{key}' has a place, and no claim of its guide"))),
        (None, false) => Ok(None),
    }
}

fn claim(row: &StepRow, of: &LadderFile, wrong: &dyn Fn(usize, String) -> Error) -> Result<Option<Claim>> {
    let given = [
        (&row.faster_than, Says::Faster),
        (&row.slower_than, Says::Slower),
        (&row.as_fast_as, Says::Same),
        (&row.no_faster_than, Says::NotFaster),
    ];
    let mut given = given.into_iter().filter_map(|(other, says)| Some((other.as_ref()?, says)));
    let Some((other, says)) = given.next() else {
        let key = row.key.get_ref();
        return match &row.at {
            Some(at) => Err(wrong(at.span().start, format!("'{key}' has sizes of a claim, and no claim"))),
            None if row.ours => Err(wrong(row.key.span().start, format!("'{key}' has no claim that could be ours"))),
            None => Ok(None),
        };
    };
    let is_published = |size: &(usize, usize)| of.sizes.is_empty() || of.sizes.contains(size);
    if let Some(at) = row.at.as_ref().filter(|at| at.get_ref().is_empty() || !at.get_ref().iter().all(is_published)) {
        return Err(wrong(at.span().start, "a claim's sizes are some of the ladder's".to_owned()));
    }
    if row.ours && of.own {
        return Err(wrong(row.key.span().start, "all claims of an own ladder are ours".to_owned()));
    }
    if let Some((second, _)) = given.next() {
        return Err(wrong(second.span().start, "a step has one claim".to_owned()));
    }
    let against = of.steps.iter().position(|step| step.key.get_ref() == other.get_ref());
    match against.filter(|_| other.get_ref() != row.key.get_ref()) {
        Some(against) => Ok(Some(Claim { against, says, is_ours: of.own || row.ours })),
        None => Err(wrong(other.span().start, format!("there is no other step '{}'", other.get_ref()))),
    }
}

#[cfg(test)]
mod tests {
    use super::{FILES, has_text, of, read};
    use crate::filters::{self, Says};
    use crate::filters::{FilterIdExt as _, VariantExt as _};
    use crate::model::Setting;
    use crate::texts;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_is_read_and_its_steps_are_allowed() {
        for (file, text) in FILES {
            let ladder = read(file, text, &has_text).unwrap_or_else(|error| panic!("{error}"));
            let setting = Setting::new(ladder.channels, ladder.border);
            for step in &ladder.steps {
                // Its number stands before it.
                assert!(!step.label().starts_with(|first: char| first.is_ascii_digit()), "{file}, {}: {}", step.key, step.label());
                step.variant().check(ladder.filter.filter(), setting).unwrap_or_else(|error| panic!("{file}, {}: {error}", step.key));
                assert!(
                    text.contains(&format!("variant = \"{}\"\n", step.variant())),
                    "{file}, {}: stages in the order of names",
                    step.key
                );
            }
            assert!(filters::all().iter().any(|filter| filter.ladder(ladder.name).is_some()), "{file}");
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
        let goes_on = |name| filters::laplace::FILTER.ladder(name).and_then(filters::Ladder::continuation).map(|ladder| ladder.name);
        assert_eq!((goes_on("mali-t600"), goes_on("desktop-laplace")), (Some("desktop-laplace"), None));
        let names: Vec<_> = of(filters::laplace::FILTER.id).iter().map(|ladder| ladder.name).collect();
        assert_eq!(names, ["mali-t600", "bifrost", "maleoon-short", "desktop-laplace-gray", "desktop-laplace"]);
    }

    const HEAD: &str = "filter = 'laplace'\nchannels = 'rgb'\nborder = 'copy'\n";

    #[test]
    fn a_file_says_all_of_a_ladder() {
        let text = format!(
            "{HEAD}[[step]]\nkey = 'a'\nvariant = 'naive'\n[[step]]\nkey = 'b'\nvariant = 'padded'\nslower_than = 'a'\nplace = '§ 1'\n"
        );
        let ladder = read("short.toml", &text, &|_| true).expect("a ladder");
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
            let ladder = read("short.toml", &format!("{HEAD}{head}{step}{rest}"), &|_| true).expect("a ladder");
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
            ("filter = 'laplce'\n".to_owned(), ":1: Unknown filter 'laplce'"),
            (format!("{HEAD}color = 3\n{step}"), ":4: unknown field `color`"),
            (format!("{HEAD}[[step]]\nkey = 'a'\nvariant = 'fast'\n"), ":6: Unknown variant 'fast'"),
            (format!("{HEAD}{step}{step}"), ":8: there are two steps 'a'"),
            (format!("{HEAD}{step}published = [1.0, 2.0]\n"), ":5: 'a' has 2 figures for 0 sizes"),
            (format!("{HEAD}{step}faster_than = 'b'\n"), ":7: there is no other step 'b'"),
            (format!("{HEAD}{step}as_fast_as = 'a'\n"), ":7: there is no other step 'a'"),
            (format!("{HEAD}{step}faster_than = 'b'\nslower_than = 'c'\n"), ":8: a step has one claim"),
            (format!("{HEAD}{step}at = [[768, 432]]\n"), ":7: 'a' has sizes of a claim, and no claim"),
            (format!("{HEAD}{step}ours = true\n"), ":5: 'a' has no claim that could be ours"),
            (format!("{HEAD}sizes = [[5, 5]]\n{step}faster_than = 'a'\nat = [[6, 5]]\n"), ":9: a claim's sizes are some of the ladder's"),
            (format!("{HEAD}own = true\n{step}faster_than = 'a'\nours = true\n"), ":6: all claims of an own ladder are ours"),
            (format!("{HEAD}{step}{second}faster_than = 'a'\n"), ":8: 'b' has a claim of its guide, and no place where that is made"),
            (format!("{HEAD}{step}place = '§ 1'\n"), ":7: 'a' has a place, and no claim of its guide"),
            (
                format!("{HEAD}{step}{second}faster_than = 'a'\nours = true\nplace = '§ 1'\n"),
                ":12: 'b' has a place, and no claim of its guide",
            ),
        ] {
            let error = read("short.toml", &text, &|_| true).expect_err(words).to_string();
            assert!(error.contains(&format!("assets/ladders/short.toml{words}")), "'{words}' is not in: {error}");
        }
        let error = read("short.toml", &format!("{HEAD}{step}"), &|key| !key.ends_with("why"));
        let error = error.expect_err("a text is missing").to_string();
        assert!(error.contains("short.toml:5: there is no text 'ladders.short.step.a.why'"), "{error}");
    }
}
