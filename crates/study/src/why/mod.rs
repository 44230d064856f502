//! Why one variant is faster or slower than another here, or as fast: rules over facts.
//!
//! A fact is a number with a name: a count of the source, an answer of the device, a count of the compiled code, a share of a measured roof. A rule
//! (`assets/why.toml`) names the facts that must hold and how sure it then is; its words are texts. Nothing here measures: [`Facts`] are gathered from what is known, and a rule that asks for what is not known does not hold.
//!
//! What a rule says of a time is never more than its level. Only two programs with the same code are the same for certain. Counts that fit make a reason
//! consistent where its cause is large enough for the effect, and possible where it is not. Proven or refuted it is by an experiment on the device alone:
//! [`Reason::with_proof`].

mod code_facts;
mod fact;
#[cfg(test)]
mod false_cases_tests;
mod formula;
mod gather;
mod known;
mod others;
mod question;
mod rule;

pub use fact::{FACTS, Facts, Of, fact_names, is_known};
pub use formula::{Condition, Formula};
pub use gather::{Pair, Side};
pub use known::prepare;
pub use others::{Other, others, others_lines};
pub use question::{Answer, Question, question};
pub use rule::{Level, Part, Seen, rules_version};

use base::texts::{self, filled, joined};
use rule::{Rule, rules};
use serde::Serialize;
use view::plot::units;

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
        let retold = recall(&self.rule, &self.facts).unwrap_or_else(|| self.clone());
        if self.level.is_of_experiment() { retold.with_proof(self.level) } else { retold }
    }

    /// The same after an experiment on this device: [`Level::Proven`] or [`Level::Refuted`]. An identity needs no proof, and any other level is no proof.
    #[must_use]
    pub fn with_proof(self, level: Level) -> Self {
        if self.level == Level::Final || !level.is_of_experiment() { self } else { Self { level, ..self } }
    }

    /// The sentence with how sure it is: "Most likely: …".
    #[must_use]
    pub fn line(&self) -> String {
        self.labelled(if self.is_counted() { "" } else { self.level.label() })
    }

    /// The same of another device: "It happens there: …".
    #[must_use]
    pub fn line_there(&self) -> String {
        self.labelled(if self.is_counted() { "" } else { self.level.label_there() })
    }

    /// Whether it compares two measurements, so that there is nothing to be sure of.
    fn is_counted(&self) -> bool {
        self.part == Part::Limit && self.level == Level::Consistent
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
    explain_without(seen, facts, &[])
}

/// The same without the rules of these ids, which experiments on this device refuted.
#[must_use]
pub fn explain_without(seen: Seen, facts: &Facts, refuted: &[&str]) -> Vec<Reason> {
    let candidates: Vec<Reason> = candidates(seen, facts).into_iter().filter(|reason| !refuted.contains(&reason.rule.as_str())).collect();
    [Part::Cause, Part::Limit].into_iter().filter_map(|part| candidates.iter().find(|reason| reason.part == part).cloned()).collect()
}

/// Every reason that holds, the surest first: the causes, then what limits what can be seen. [`explain`] says the first of each.
#[must_use]
pub fn candidates(seen: Seen, facts: &Facts) -> Vec<Reason> {
    let mut holding: Vec<&Rule> = rules().rules.iter().filter(|rule| rule.holds(seen, facts)).collect();
    holding.sort_by_key(|rule| (rule.part, rule.level_by(facts)));
    if holding.iter().any(|rule| rule.level_by(facts) == Level::Final) {
        holding.retain(|rule| rule.level_by(facts) == Level::Final);
    }
    holding.into_iter().filter_map(|rule| reason(rule, facts)).collect()
}

/// The ids of all rules.
pub fn rule_ids() -> impl Iterator<Item = &'static str> {
    rules().rules.iter().map(|rule| rule.id.as_str())
}

/// The sentence of the rule of that id as it is written, with facts in braces; empty where there is no such rule.
#[must_use]
pub fn sentence_of(rule: &str) -> &'static str {
    rules().rules.iter().find(|known| known.id == rule).map_or("", Rule::raw)
}

/// The same up to its figures.
#[must_use]
pub fn claim_of(rule: &str) -> &'static str {
    rule::before_figures(sentence_of(rule))
}

/// What a rule says; `None` where a fact in its sentence is not known.
fn reason(rule: &Rule, facts: &Facts) -> Option<Reason> {
    let level = rule.level_by(facts);
    let falls_short =
        rule.most_and_effect(facts).filter(|_| level == Level::Possible).filter(|(most, effect)| most < effect && *most > 1.0);
    let falls_short = falls_short.map(|(most, effect)| {
        let [most, effect] = [most, effect].map(units::number);
        filled("why.size.falls-short", &[("most", &most), ("effect", &effect)])
    });
    Some(Reason {
        rule: rule.id.clone(),
        level,
        part: rule.part,
        say: rule.text("say", facts)?,
        evidence: rule.evidence.iter().filter_map(|name| facts.evidence(name)).chain(falls_short).collect(),
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
    use super::{Facts, Level, Part, Seen, explain, explain_without, recall};

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
        assert_eq!((cause.rule.as_str(), cause.level, cause.part), ("shuffles-cost", Level::Possible, Part::Cause));
        assert_eq!(cause.say, "The saved loads cost additional shuffles: 28 → 51");
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
    fn an_experiment_proves_a_reason_or_refutes_it() {
        let known = facts(&[
            ("before.loads", 27.0),
            ("after.loads", 9.0),
            ("before.operations", 10.0),
            ("after.operations", 5.0),
            ("speed_up", 1.9),
            ("least_speed_up", 1.8),
            ("interval_width", 0.1),
        ]);
        let told = explain(Seen::Faster, &known).remove(0);
        assert_eq!((told.rule.as_str(), told.line().as_str()), ("fewer-loads", "Most likely: There are fewer loads: 27 → 9 per pixel"));
        let proven = told.clone().with_proof(Level::Proven);
        assert_eq!(proven.line(), "Confirmed here by an experiment: There are fewer loads: 27 → 9 per pixel");
        assert_eq!(proven.retold().level, Level::Proven, "in every language");
        assert_eq!(told.clone().with_proof(Level::Consistent), told, "that is no proof");
        let refuted = told.with_proof(Level::Refuted);
        assert_eq!(refuted.line(), "Refuted here: There are fewer loads: 27 → 9 per pixel");
        assert!([Level::Final, Level::Proven, Level::Consistent, Level::Possible].iter().all(|level| *level < refuted.level));
        // The next one is offered.
        let next: Vec<_> = explain_without(Seen::Faster, &known, &["fewer-loads"]).into_iter().map(|reason| reason.rule).collect();
        assert_eq!(next, ["fewer-operations"]);
        assert_eq!(explain_without(Seen::Faster, &known, &["fewer-loads", "fewer-operations"]), []);
        let same = explain(Seen::Same, &facts(&[("same_code", 1.0), ("before.instructions", 1.0), ("after.instructions", 1.0)])).remove(0);
        assert_eq!(same.clone().with_proof(Level::Refuted), same, "an identity is no guess");
    }

    #[test]
    fn an_unclear_comparison_gets_no_cause() {
        let known = [("interval_width", 0.4), ("pairs", 30.0), ("gpu", 1.0), ("before.loads", 27.0), ("after.loads", 1.0)];
        assert_eq!(rule_ids(Seen::Unclear, &known), ["clock-cannot-tell"]);
        assert_eq!(
            explain(Seen::Unclear, &facts(&known))[0].say,
            "The clock cannot separate these two on this machine now: the interval is 40 % wide"
        );
    }

    #[test]
    fn nothing_known_is_nothing_said() {
        assert_eq!(explain(Seen::Faster, &Facts::default()), []);
    }
}
