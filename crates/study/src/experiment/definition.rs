//! Reads `assets/experiments.toml`, whose head says what its fields mean.

use crate::why::Facts;
use base::error::Result;
use base::texts::{self, fault};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static TEXT: &str = include_str!("../../../../assets/experiments.toml");

static EXPERIMENTS: LazyLock<Experiments> = LazyLock::new(|| {
    // A test holds the file to be right.
    read(TEXT).unwrap_or_default()
});

/// What an experiment moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moves {
    /// Both variants over 4 and 16 times the pixels: a launch costs as much as before, and weighs less.
    LaunchCost,
    /// Each variant at the other's local work size.
    LocalSize,
    /// The loads that the one with fewer saves are done again in it.
    Loads,
    /// The operations that the one with fewer saves are added to it.
    Operations,
    /// The instructions that the compiled code of the faster one has fewer of are added to it, where they are counted per pixel.
    Instructions,
    /// One variant's arithmetic with the other's addresses, both ways.
    AccessPattern,
    /// Both variants over 4 and 16 times the pixels: enough work-items for both.
    WorkItems,
    /// The vectors of the one with wider loads and stores are loaded and stored in pieces as narrow as the other one's.
    LoadWidth,
    /// The one that tests for borders runs over the other's source, with its halo, and still tests; without them it is the one with the halo.
    BorderTests,
    /// Over a picture for which all lanes agree, and over one for which none do.
    Divergence,
    /// Both with so much unused local memory that equally many groups are resident.
    ResidentGroups,
    /// Over a working set within the cache.
    Cache,
    /// What one reads through an image object is read from a buffer.
    TexturePath,
    /// The one without a tile fills one, and does not use it.
    Tile,
    /// The one without a tile meets at a barrier.
    Barrier,
    /// The instructions of a class that the compiled code of the faster one has fewer of are added to it.
    Shuffles,
    /// The same of divisions.
    Divisions,
    /// The same of conversions.
    Conversions,
    /// As many operations as it has are added to the first one: what that costs of its time.
    Arithmetic,
    /// As many operations as it has, and as many bytes as its source has, are added to the first one: what of its time stays.
    Spare,
    /// The first one's multiplications and additions are not joined.
    Contraction,
    /// As many operations as it has are added to the faster one: as vectors, and number by number.
    Lanes,
    /// Each work-item of the faster one by itself, so that the compiler packs none together.
    Vectorizer,
    /// Sums of 16 bits against sums of 32 bits, so many that they take time.
    Sums,
    /// The second one's tile with another pitch.
    Banks,
    /// As many work-items as the one with more has are started in the other one; those beyond the picture return at once.
    Starts,
}

/// What is expected of two that are as fast as each other, if the explanation is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OfSame {
    /// A difference appears.
    Appears,
    /// None appears.
    Stays,
}

/// One experiment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Its name, by which rules and texts know it.
    pub id: String,
    /// What is moved.
    pub moves: Moves,
    /// What part of the difference has to come or go, at least, where the explanation is true.
    pub if_true: f64,
    /// What part comes or goes, at most, where it is false.
    pub if_false: f64,
    /// What is expected where there is no difference; `None`: it is not made then.
    pub same: Option<OfSame>,
}

impl Definition {
    /// What is done: "Both variants at the same local work size".
    #[must_use]
    pub fn does(&self) -> &'static str {
        self.text("does")
    }

    /// What it should show if the explanation is true.
    #[must_use]
    pub fn if_true_text(&self) -> &'static str {
        self.text("if-true")
    }

    /// What it should show if it is false.
    #[must_use]
    pub fn if_false_text(&self) -> &'static str {
        self.text("if-false")
    }

    fn text(&self, part: &str) -> &'static str {
        // A test holds every experiment to have all three.
        texts::find(&format!("experiments.of.{}.{part}", self.id)).unwrap_or_default()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Experiments {
    #[serde(rename = "experiment")]
    experiments: Vec<Definition>,
    rules: BTreeMap<String, Vec<String>>,
}

/// The experiment of that name.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Definition> {
    EXPERIMENTS.experiments.iter().find(|known| known.id == id)
}

/// The rules that an experiment tests.
pub fn tested_rules() -> impl Iterator<Item = &'static str> + Clone {
    EXPERIMENTS.rules.keys().map(String::as_str)
}

/// The experiments that test a rule: the first that can be made of two variants is made.
pub fn of_rule(rule: &str) -> impl Iterator<Item = &'static Definition> + use<> {
    EXPERIMENTS.rules.get(rule).into_iter().flatten().filter_map(|id| by_id(id))
}

/// The first of them, as far as that can be told from facts: what compiled code has fewer of has to be counted, and to differ. Whether the rest can be made
/// of two variants is found where it is planned.
#[must_use]
pub fn likely(rule: &str, facts: &Facts) -> Option<&'static Definition> {
    let differs = |fact: &str, least: f64| {
        let [before, after] = ["before", "after"].map(|side| facts.get(&format!("{side}.{fact}")));
        before.zip(after).is_some_and(|(before, after)| (before - after).abs() >= least)
    };
    let last = of_rule(rule).last();
    let can_be = |definition: &&Definition| match definition.moves {
        Moves::Instructions => differs("instructions_per_pixel", 0.5),
        Moves::Shuffles => differs("shuffles", 1.0),
        Moves::Divisions => differs("divisions", 1.0),
        Moves::Conversions => differs("conversions", 1.0),
        _ => true,
    };
    of_rule(rule).find(can_be).or(last)
}

fn read(text: &str) -> Result<Experiments> {
    toml::from_str(text).map_err(|error| fault("assets/experiments.toml", text, &error))
}

#[cfg(test)]
mod tests {
    use super::{TEXT, by_id, likely, read};
    use crate::why;

    #[test]
    fn instructions_are_added_where_they_are_counted() {
        let mut facts = why::Facts::default();
        let id = |facts: &why::Facts| likely("shorter-code", facts).map(|definition| definition.id.as_str());
        assert_eq!(id(&facts), Some("saved-operations"));
        facts.set("before.instructions_per_pixel", 60.0);
        assert_eq!(id(&facts), Some("saved-operations"));
        facts.set("after.instructions_per_pixel", 20.0);
        assert_eq!(id(&facts), Some("saved-instructions"));
    }

    #[test]
    fn every_rule_that_is_named_exists_and_so_does_its_experiment_with_its_texts() {
        let all = read(TEXT).expect("a right file");
        assert!(all.experiments.len() >= 2);
        for (rule, ids) in &all.rules {
            assert!(why::rule_ids().any(|known| known == rule), "there is no rule {rule}");
            assert!(ids.iter().all(|id| by_id(id).is_some()), "there is no experiment {ids:?}");
        }
        for definition in &all.experiments {
            assert!(definition.if_false < definition.if_true, "{definition:?}");
            assert!(all.rules.values().flatten().any(|id| *id == definition.id), "{} tests nothing", definition.id);
            for text in [definition.does(), definition.if_true_text(), definition.if_false_text()] {
                assert!(!text.is_empty(), "{}", definition.id);
            }
        }
    }
}
