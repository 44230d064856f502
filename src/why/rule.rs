//! Reads `assets/why.toml`: the rules, and the reasons that are wrong. The file's head says what its fields mean.

use super::condition::Condition;
use super::fact::{Facts, names_in};
use crate::error::Result;
use crate::hash::short_sha256;
use crate::measure::Verdict;
use crate::texts::{self, fault};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

static TEXT: &str = include_str!("../../assets/why.toml");

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

/// How sure a rule is, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing else needs to be said.
    Final,
    /// The mechanism is there: by a count, a query, or the compiled code.
    Proven,
    /// It fits what was measured.
    Consistent,
    /// It may be.
    Possible,
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
        };
        texts::find(key).unwrap_or_default()
    }

    /// The same of what was seen on another device.
    #[must_use]
    pub fn label_there(self) -> &'static str {
        match self {
            Self::Proven => texts::find("why.level.proven-there").unwrap_or_default(),
            Self::Final | Self::Consistent | Self::Possible => self.label(),
        }
    }
}

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
    /// How sure it is.
    pub level: Level,
    /// What part of an explanation it is.
    #[serde(default)]
    pub part: Part,
    /// What must have been seen; anything where empty.
    #[serde(default)]
    pub outcomes: Vec<Seen>,
    /// All of these hold.
    pub when: Vec<Condition>,
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
        facts.only(texts.flat_map(names_in).map(str::to_owned).chain(evidence))
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
    use super::{TEXT, read, rules};
    use crate::texts;
    use crate::why::fact::{FACTS, is_known, names_in};

    #[test]
    fn every_rule_is_read_has_its_words_and_known_facts() {
        let read = read(TEXT).unwrap_or_else(|error| panic!("{error}"));
        assert!(read.rules.len() >= 39, "the core of the rules: {}", read.rules.len());
        for (index, rule) in read.rules.iter().enumerate() {
            assert!(texts::find(&format!("why.rule.{}.say", rule.id)).is_some(), "{}", rule.id);
            assert!(!read.rules[..index].iter().any(|other| other.id == rule.id), "{} stands there twice", rule.id);
            assert!(!rule.when.is_empty(), "{} always holds", rule.id);
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
    fn every_text_belongs_to_a_rule_and_names_known_facts() {
        for key in texts::keys("why") {
            let parts: Vec<_> = key.split('.').collect();
            let is_used = match parts.as_slice() {
                ["why", "rule", id, "say" | "next"] => rules().rules.iter().any(|rule| rule.id == *id),
                ["why", "wrong", id, "say" | "refuted"] => rules().wrongs.iter().any(|wrong| wrong.id == *id),
                ["why", "fact" | "level", _] => true,
                _ => false,
            };
            assert!(is_used, "{key} is used nowhere");
            let text = texts::find(key).unwrap_or_default();
            for name in names_in(text) {
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
