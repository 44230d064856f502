//! Reads `assets/why.toml`: the rules, and the reasons that are wrong. The file's head says what its fields mean.

use super::fact::{Facts, names_in};
use super::formula::{Condition, Formula};
use base::error::Result;
use base::hash::short_sha256;
use base::texts::{self, fault};
use model::measure::Verdict;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

static TEXT: &str = include_str!("../../../../assets/why.toml");

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    // A test holds the file to be right.
    read(TEXT).unwrap_or_default()
});

/// What was seen, as rules know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seen {
    /// The second takes less time.
    Faster,
    /// The second takes more time.
    Slower,
    /// There is no difference.
    Same,
    /// The readings do not decide it.
    Unclear,
}

impl Seen {
    /// For sentences.
    #[must_use]
    pub fn label(self) -> &'static str {
        texts::text(match self {
            Self::Faster => "why.other.faster",
            Self::Slower => "why.other.slower",
            Self::Same => "why.other.same",
            Self::Unclear => "why.other.undecided",
        })
    }
}

impl From<Verdict> for Seen {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Faster => Self::Faster,
            Verdict::Slower => Self::Slower,
            Verdict::Same => Self::Same,
            Verdict::Unclear => Self::Unclear,
        }
    }
}

/// So much smaller than the effect a cause may come out: two that differ by less are as fast as each other.
const SAME: f64 = 1.02;

/// How sure a reason is, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An identity: nothing else needs to be said.
    Final,
    /// An experiment on this device has shown it: the cause alone was added or taken away, and the effect came or went. No rule is so sure by itself.
    Proven,
    /// The counts fit, and the size of the cause can make the size of the effect.
    Consistent,
    /// It may be.
    Possible,
    /// An experiment on this device says that it is not so.
    Refuted,
}

impl Level {
    /// Before what is said: "Most likely". Empty where nothing else needs to be said.
    #[must_use]
    pub fn label(self) -> &'static str {
        let key = match self {
            Self::Final => return "",
            Self::Proven => "why.level.proven",
            Self::Consistent => "why.level.consistent",
            Self::Possible => "why.level.possible",
            Self::Refuted => "why.level.refuted",
        };
        texts::find(key).unwrap_or_default()
    }

    /// Whether an experiment says so, and no rule by itself.
    #[must_use]
    pub const fn is_of_experiment(self) -> bool {
        matches!(self, Self::Proven | Self::Refuted)
    }

    /// The same of what was seen on another device.
    #[must_use]
    pub fn label_there(self) -> &'static str {
        match self {
            Self::Proven => texts::find("why.level.proven-there").unwrap_or_default(),
            Self::Refuted => texts::find("why.level.refuted-there").unwrap_or_default(),
            Self::Final | Self::Consistent | Self::Possible => self.label(),
        }
    }
}

/// The facts by which an effect is known.
const EFFECT: [&str; 2] = ["least_speed_up", "interval_width"];

/// What part of an explanation a rule is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Why it is so.
    #[default]
    Cause,
    /// What limits what can be seen.
    Limit,
}

/// One rule.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name, by which texts know it.
    pub id: String,
    /// How sure it is, at most: see [`Rule::level_by`].
    level: Level,
    /// What part of an explanation it is.
    #[serde(default)]
    pub part: Part,
    /// What must have been seen; anything where empty.
    #[serde(default)]
    pub outcomes: Vec<Seen>,
    /// All of these hold.
    pub when: Vec<Condition>,
    /// By which factor its cause can change the time at most.
    size: Option<Formula>,
    /// Names of the facts that are shown beside it.
    pub evidence: Vec<String>,
    /// The id of what many would say instead.
    pub wrong: Option<String>,
}

impl Rule {
    /// Whether it holds.
    #[must_use]
    pub fn holds(&self, seen: Seen, facts: &Facts) -> bool {
        (self.outcomes.is_empty() || self.outcomes.contains(&seen)) && Condition::all(&self.when, facts)
    }

    /// How sure it is by facts. One that explains a difference is consistent only where the size of its cause can make the size of the effect.
    #[must_use]
    pub fn level_by(&self, facts: &Facts) -> Level {
        let is_of_difference = self.part == Part::Cause && self.explains_differences();
        let falls_short = || self.most_and_effect(facts).is_none_or(|(most, effect)| most * SAME < effect);
        if self.level == Level::Consistent && is_of_difference && falls_short() { Level::Possible } else { self.level }
    }

    /// Whether it explains that one is faster or slower, and not only that they are alike or that nothing is decided.
    fn explains_differences(&self) -> bool {
        self.outcomes.is_empty() || self.outcomes.iter().any(|outcome| matches!(outcome, Seen::Faster | Seen::Slower))
    }

    /// The factor by which its cause can change the time at most, and that by which it changed at least. `None` where one of them is not known.
    pub fn most_and_effect(&self, facts: &Facts) -> Option<(f64, f64)> {
        let effect = facts.least_effect()?;
        match &self.size {
            Some(size) => Some((size.value(facts)?, effect)),
            // Where there is no difference, there is nothing to be large enough for.
            None => (effect <= 1.0).then_some((1.0, effect)),
        }
    }

    /// The conditions that do not hold, or that ask for what is not known.
    pub fn not_met<'a>(&'a self, facts: &'a Facts) -> impl Iterator<Item = &'a Condition> {
        self.when.iter().filter(|condition| condition.holds(facts) != Some(true))
    }

    /// A text of the rule, filled in; `None` where it has none, or a fact in it is not known.
    #[must_use]
    pub fn text(&self, name: &str, facts: &Facts) -> Option<String> {
        facts.fill(texts::find(&self.key(name))?)
    }

    /// The facts that its texts and its evidence name, of those that are known.
    #[must_use]
    pub fn cited(&self, facts: &Facts) -> Facts {
        let texts = ["say", "next"].into_iter().filter_map(|name| texts::find(&self.key(name)));
        let evidence = self.evidence.iter().flat_map(|name| [name.clone(), format!("before.{name}"), format!("after.{name}")]);
        let size = self.size.iter().flat_map(|size| size.facts().chain(EFFECT)).map(str::to_owned);
        facts.only(texts.flat_map(names_in).map(str::to_owned).chain(evidence).chain(size))
    }

    /// What it claims, without the figures that follow a colon, and without a second sentence: in the form of a wrong reason, so that the form tells nothing.
    #[must_use]
    pub fn claim(&self, facts: &Facts) -> Option<String> {
        Some(before_figures(&self.text("say", facts)?).to_owned())
    }

    /// Its sentence as it is written, for facts that are not all known.
    #[must_use]
    pub fn raw(&self) -> &'static str {
        texts::find(&self.key("say")).unwrap_or_default()
    }

    fn key(&self, name: &str) -> String {
        format!("why.rule.{}.{name}", self.id)
    }
}

/// A reason that many would give.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrong {
    /// Its name, by which rules and texts know it.
    pub id: String,
    /// What it would explain.
    pub outcomes: Vec<Seen>,
    /// Where all of these hold, it is refuted.
    pub false_when: Vec<Condition>,
}

impl Wrong {
    /// Whether facts refute it as a reason for what was seen.
    #[must_use]
    pub fn is_refuted(&self, seen: Seen, facts: &Facts) -> bool {
        self.outcomes.contains(&seen) && Condition::all(&self.false_when, facts)
    }

    /// A text of it, filled in.
    #[must_use]
    pub fn text(&self, name: &str, facts: &Facts) -> Option<String> {
        facts.fill(texts::find(&format!("why.wrong.{}.{name}", self.id))?)
    }
}

/// All rules, and all wrong reasons.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// In the order of the file, which breaks ties.
    #[serde(rename = "rule")]
    pub rules: Vec<Rule>,
    /// In the order of the file.
    #[serde(rename = "wrong")]
    pub wrongs: Vec<Wrong>,
}

/// A sentence up to the colon or the full stop within it.
pub fn before_figures(said: &str) -> &str {
    let ends = [said.find(": "), said.find('：'), said.find(". "), said.find('。')];
    ends.into_iter().flatten().min().and_then(|end| said.get(..end)).unwrap_or(said)
}

/// The rules of this program.
#[must_use]
pub fn rules() -> &'static Rules {
    &RULES
}

/// Tells versions of the rules apart: the first 8 digits of the SHA-256 of their file.
#[must_use]
pub fn rules_version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| short_sha256(TEXT, 8));
    &VERSION
}

/// The rules of a file.
///
/// # Errors
/// Failed, with the line, for what cannot be read.
fn read(text: &str) -> Result<Rules> {
    toml::from_str(text).map_err(|error| fault("assets/why.toml", text, &error))
}

#[cfg(test)]
mod tests {
    use super::{Level, Part, TEXT, read, rules};
    use crate::why::fact::{FACTS, is_known, names_in};
    use base::texts;

    #[test]
    fn every_rule_is_read_has_its_words_and_known_facts() {
        let read = read(TEXT).unwrap_or_else(|error| panic!("{error}"));
        assert!(read.rules.len() >= 39, "the core of the rules: {}", read.rules.len());
        for (index, rule) in read.rules.iter().enumerate() {
            assert!(texts::find(&format!("why.rule.{}.say", rule.id)).is_some(), "{}", rule.id);
            assert!(!read.rules[..index].iter().any(|other| other.id == rule.id), "{} stands there twice", rule.id);
            assert!(!rule.when.is_empty(), "{} always holds", rule.id);
            // Proven is what an experiment or an identity shows: no count does.
            assert!(!rule.level.is_of_experiment(), "{}", rule.id);
            let needs_size = rule.level == Level::Consistent && rule.part == Part::Cause && rule.explains_differences();
            assert!(rule.size.is_some() || !needs_size, "{} says of no difference how large its cause is", rule.id);
            assert!(rule.size.is_none() || needs_size, "the size of {} decides nothing", rule.id);
            for name in &rule.evidence {
                assert!(FACTS.iter().any(|(known, ..)| known == name), "{}: {name}", rule.id);
            }
            if let Some(wrong) = &rule.wrong {
                assert!(read.wrongs.iter().any(|known| known.id == *wrong), "{}: {wrong}", rule.id);
            }
        }
        for wrong in &read.wrongs {
            for name in ["say", "refuted"] {
                assert!(texts::find(&format!("why.wrong.{}.{name}", wrong.id)).is_some(), "{}.{name}", wrong.id);
            }
            assert!(!wrong.false_when.is_empty() && !wrong.outcomes.is_empty(), "{}", wrong.id);
        }
    }

    #[test]
    fn wrong_reasons_have_the_form_and_length_of_true_ones() {
        // What is asked for is a claim alone: no figure, no full stop, and not so short or long that its length gives it away.
        let claims: Vec<(String, String)> = rules()
            .rules
            .iter()
            .map(|rule| (rule.id.clone(), super::before_figures(rule.raw()).to_owned()))
            .chain(rules().wrongs.iter().map(|wrong| {
                let said = texts::find(&format!("why.wrong.{}.say", wrong.id)).unwrap_or_default();
                assert_eq!(super::before_figures(said), said, "{} has a tail", wrong.id);
                (wrong.id.clone(), said.to_owned())
            }))
            .collect();
        for (id, claim) in claims {
            assert!(!claim.contains('{') && !claim.ends_with('.'), "{id}: {claim}");
            assert!((20..=130).contains(&claim.chars().count()), "{id}: {} characters: {claim}", claim.chars().count());
        }
    }

    #[test]
    fn every_text_belongs_to_a_rule_and_names_known_facts() {
        for key in texts::keys("why") {
            let parts: Vec<_> = key.split('.').collect();
            let is_used = match parts.as_slice() {
                ["why", "rule", id, "say" | "next"] => rules().rules.iter().any(|rule| rule.id == *id),
                ["why", "wrong", id, "say" | "refuted"] => rules().wrongs.iter().any(|wrong| wrong.id == *id),
                ["why", "fact" | "level" | "size" | "other", _] => true,
                _ => false,
            };
            assert!(is_used, "{key} is used nowhere");
            let text = texts::find(key).unwrap_or_default();
            // Those of the program's own sentences are filled in by code.
            let names_facts = matches!(parts.get(1), Some(&("rule" | "wrong")));
            for name in names_in(text).filter(|_| names_facts) {
                assert!(is_known(name), "{key}: {name}");
            }
        }
    }

    #[test]
    fn a_fault_is_told_with_its_line() {
        let error =
            read("[[rule]]\nid = 'a'\nlevel = 'final'\nevidence = []\nwhen = ['lods = 3']\n").expect_err("no such fact").to_string();
        assert!(error.contains("assets/why.toml:5") && error.contains("'lods'"), "{error}");
    }
}
