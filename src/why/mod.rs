//! Why one variant is faster or slower than another here, or as fast: rules over facts.
//!
//! A fact is a number with a name: a count of the source, an answer of the device, a count of the compiled code, a share of a measured roof. A rule
//! (`assets/why.toml`) names the facts that must hold and how sure it then is; its words are texts. Nothing here measures: [`Facts`] are gathered from what is known, and a rule that asks for what is not known does not hold.
//!
//! What a rule says of a time is never more than its level: proven means that the mechanism is there, not that it alone decides. Only two programs
//! with the same code are the same for certain.

mod code_facts;
mod condition;
mod fact;
mod gather;
mod known;
mod question;
mod rule;

pub use condition::Condition;
pub use fact::{FACTS, Facts, Of, is_known};
pub use gather::{Pair, Side};
pub use known::prepare;
pub use question::{Answer, Question, question};
pub use rule::{Level, Part, Seen, rules_version};

use crate::texts::{self, filled, joined};
use rule::{Rule, rules};
use serde::Serialize;

/// One sentence of an explanation, with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// The rule's id.
    pub rule: String,
    /// How sure it is.
    pub level: Level,
    /// What part of the explanation.
    pub part: Part,
    /// The sentence.
    pub say: String,
    /// Facts in words, those of both variants beside each other.
    pub evidence: Vec<String>,
    /// What to try next; empty where there is nothing.
    pub next: String,
    /// The facts that all of these name; exports have them in words.
    #[serde(skip)]
    pub facts: Facts,
}

impl Reason {
    /// The same in the language that is spoken now.
    #[must_use]
    pub fn retold(&self) -> Self {
        recall(&self.rule, &self.facts).unwrap_or_else(|| self.clone())
    }

    /// The sentence with how sure it is: "Most likely: …".
    #[must_use]
    pub fn line(&self) -> String {
        self.labelled(self.level.label())
    }

    /// The same of another device: "It happens there: …".
    #[must_use]
    pub fn line_there(&self) -> String {
        self.labelled(self.level.label_there())
    }

    /// The sentence, and what it rests on.
    #[must_use]
    pub fn line_with_evidence(&self) -> String {
        if self.evidence.is_empty() {
            return self.line();
        }
        let evidence = joined("words.list.clauses", self.evidence.iter().cloned());
        filled("tables.ladder.evidence", &[("reason", &self.line()), ("evidence", &evidence)])
    }

    fn labelled(&self, label: &str) -> String {
        if label.is_empty() { self.say.clone() } else { texts::pair(&label, &self.say) }
    }
}

/// Why it is so: a cause at most, and what limits what can be seen. Empty where no rule holds: then the bottleneck test is what is left.
#[must_use]
pub fn explain(seen: Seen, facts: &Facts) -> Vec<Reason> {
    let mut holding: Vec<&Rule> = rules().rules.iter().filter(|rule| rule.holds(seen, facts)).collect();
    holding.sort_by_key(|rule| rule.level);
    if holding.first().is_some_and(|rule| rule.level == Level::Final) {
        holding.retain(|rule| rule.level == Level::Final);
    }
    [Part::Cause, Part::Limit]
        .into_iter()
        .filter_map(|part| holding.iter().filter(|rule| rule.part == part).find_map(|rule| reason(rule, facts)))
        .collect()
}

/// What a rule says; `None` where a fact in its sentence is not known.
fn reason(rule: &Rule, facts: &Facts) -> Option<Reason> {
    Some(Reason {
        rule: rule.id.clone(),
        level: rule.level,
        part: rule.part,
        say: rule.text("say", facts)?,
        evidence: rule.evidence.iter().filter_map(|name| facts.evidence(name)).collect(),
        next: rule.text("next", facts).unwrap_or_default(),
        facts: rule.cited(facts),
    })
}

/// What the rule of that id says of facts that were kept: [`Reason::facts`], read back. `None` where there is no such rule any more, or it names a fact
/// that was not kept.
#[must_use]
pub fn recall(rule: &str, facts: &Facts) -> Option<Reason> {
    rules().rules.iter().find(|known| known.id == rule).and_then(|rule| reason(rule, facts))
}

#[cfg(test)]
mod tests {
    use super::{Facts, Level, Part, Seen, explain, recall};

    fn facts(known: &[(&str, f64)]) -> Facts {
        let mut facts = Facts::default();
        for (name, value) in known {
            facts.set(name, *value);
        }
        facts
    }

    fn rule_ids(seen: Seen, known: &[(&str, f64)]) -> Vec<String> {
        explain(seen, &facts(known)).into_iter().map(|reason| reason.rule).collect()
    }

    #[test]
    fn the_same_code_is_the_last_word() {
        let known = [("same_code", 1.0), ("gpu", 1.0), ("before.loads", 27.0), ("after.loads", 18.0), ("interval_width", 0.03)];
        assert_eq!(rule_ids(Seen::Same, &known), ["same-code"]);
        assert_eq!(rule_ids(Seen::Slower, &known), ["same-code", "same-code-other-time"]);
        assert_eq!(rule_ids(Seen::Unclear, &known), ["same-code"]);
        // Texts that differ in comments alone compile to the same, of course; the text is the plainer reason.
        let both = [("same_text", 1.0), ("same_code", 1.0), ("interval_width", 0.03)];
        assert_eq!(rule_ids(Seen::Same, &both), ["same-text"]);
    }

    #[test]
    fn a_rule_needs_every_fact_it_asks_for() {
        // Sobel's tile on PoCL: local memory is ordinary memory there.
        let known = [
            ("cpu", 1.0),
            ("dedicated_local_memory", 0.0),
            ("before.local_bytes", 0.0),
            ("after.local_bytes", 1188.0),
            ("compute_units", 2.0),
        ];
        assert_eq!(rule_ids(Seen::Slower, &known), ["local-is-ordinary"]);
        assert_eq!(rule_ids(Seen::Slower, &known[..3]), Vec::<String>::new());
        // It does not explain a gain.
        assert_eq!(rule_ids(Seen::Faster, &known), Vec::<String>::new());
    }

    #[test]
    fn the_surest_cause_is_said_with_its_evidence() {
        // Merged loads on PoCL: 3 loads fewer, 23 shuffles more.
        let known = [
            ("cpu", 1.0),
            ("same_code", 0.0),
            ("before.loads", 1.8),
            ("after.loads", 1.2),
            ("before.shuffles", 28.0),
            ("after.shuffles", 51.0),
            ("before.instructions", 103.0),
            ("after.instructions", 133.0),
        ];
        let reasons = explain(Seen::Slower, &facts(&known));
        let cause = &reasons[0];
        assert_eq!((cause.rule.as_str(), cause.level, cause.part), ("shuffles-cost", Level::Proven, Part::Cause));
        assert_eq!(cause.say, "The loads that are saved are paid for with shuffles: 28 became 51");
        assert_eq!(cause.evidence, ["Loads per pixel in the source: 1.8 → 1.2", "Shuffles: 28 → 51", "Instructions: 103 → 133"]);
        assert!(!cause.next.is_empty());
    }

    #[test]
    fn a_reason_is_recalled_from_its_id_and_the_facts_that_it_names() {
        let known =
            [("same_code", 1.0), ("gpu", 1.0), ("before.instructions", 402.0), ("after.instructions", 402.0), ("before.branches", 3.0)];
        let told = explain(Seen::Same, &facts(&known)).remove(0);
        assert_eq!(told.facts.names().collect::<Vec<_>>(), ["after.instructions", "before.instructions"]);
        assert_eq!(recall(&told.rule, &told.facts), Some(told));
        assert_eq!(recall("no-such-rule", &Facts::default()), None);
    }

    #[test]
    fn an_unclear_comparison_gets_no_cause() {
        let known = [("interval_width", 0.4), ("pairs", 30.0), ("gpu", 1.0), ("before.loads", 27.0), ("after.loads", 1.0)];
        assert_eq!(rule_ids(Seen::Unclear, &known), ["clock-cannot-tell"]);
        assert_eq!(
            explain(Seen::Unclear, &facts(&known))[0].say,
            "The clock cannot tell these two apart on this machine now: the interval is 40 % wide"
        );
    }

    #[test]
    fn nothing_known_is_nothing_said() {
        assert_eq!(explain(Seen::Faster, &Facts::default()), []);
    }
}
