//! Why it is not something else: of each rule that is not told, the condition that does not hold.

use super::fact::Facts;
use super::rule::{Level, Rule, Seen, before_figures, rules};
use super::{Condition, explain, reason};
use base::texts::{filled, joined, pair, text};
use serde::Serialize;

/// A rule that is not what is told, and why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Other {
    /// The rule's id.
    pub rule: String,
    /// What it would claim, without figures.
    pub say: String,
    /// A condition that does not hold, in words with the facts' values; what is not known, where none is known not to hold; or that it holds, but is less sure.
    pub why_not: String,
}

impl Other {
    /// "It computes less: …".
    #[must_use]
    pub fn line(&self) -> String {
        pair(&self.say, &self.why_not)
    }
}

/// Of each rule that [`explain`] does not tell, why: those that hold, too, first; then those that would explain what was seen; then all others.
#[must_use]
pub fn others(seen: Seen, facts: &Facts) -> Vec<Other> {
    let told = explain(seen, facts);
    let mut others: Vec<(u8, Other)> =
        rules().rules.iter().filter(|rule| !told.iter().any(|told| told.rule == rule.id)).map(|rule| other(rule, seen, facts)).collect();
    others.sort_by_key(|(rank, _)| *rank);
    others.into_iter().map(|(_, other)| other).collect()
}

/// The same as lines, for a list under the reasons.
#[must_use]
pub fn others_lines(seen: Seen, facts: &Facts) -> Vec<String> {
    others(seen, facts).iter().map(Other::line).collect()
}

fn other(rule: &Rule, seen: Seen, facts: &Facts) -> (u8, Other) {
    let explains_it = rule.outcomes.is_empty() || rule.outcomes.contains(&seen);
    // What is known not to hold says more than what is not known.
    let is_unknown = |condition: &&Condition| condition.holds(facts).is_none();
    let not_met = rule.not_met(facts).min_by_key(is_unknown).map(|condition| condition.why_not(facts));
    let (rank, why_not) = if !explains_it {
        let outcomes = joined("words.list.items", rule.outcomes.iter().map(|outcome| outcome.label().to_owned()));
        (2, filled("why.other.outcome", &[("outcomes", &outcomes), ("seen", &seen.label())]))
    } else if let Some(not_met) = not_met {
        (1, not_met)
    } else if let Some(reason) = reason(rule, facts) {
        let key = if reason.level == Level::Final { "why.other.also" } else { "why.other.weaker" };
        (0, filled(key, &[("level", &reason.level.label())]))
    } else {
        (1, text("why.other.no-words").to_owned())
    };
    (rank, Other { rule: rule.id.clone(), say: before_figures(rule.raw()).to_owned(), why_not })
}

#[cfg(test)]
mod tests {
    use super::others;
    use crate::why::{Facts, Seen, explain, rule_ids};

    #[test]
    fn each_rule_that_is_not_told_says_which_condition_does_not_hold() {
        let mut facts = Facts::default();
        for (name, value) in [
            ("gpu", 1.0),
            ("cpu", 0.0),
            ("before.loads", 27.0),
            ("after.loads", 9.0),
            ("before.operations", 10.0),
            ("after.operations", 9.0),
            ("least_speed_up", 2.0),
            ("interval_width", 0.01),
        ] {
            facts.set(name, value);
        }
        assert_eq!(explain(Seen::Faster, &facts)[0].rule, "fewer-loads");
        let others = others(Seen::Faster, &facts);
        assert_eq!(others.len() + 1, rule_ids().count(), "each rule is told or not");
        let of = |id: &str| others.iter().find(|other| other.rule == id).unwrap_or_else(|| panic!("no {id}"));
        assert_eq!(of("fewer-operations").say, "There is less arithmetic");
        assert_eq!(of("fewer-operations").why_not, "Arithmetic operations per pixel in the source, after: 9, needs ≤ 8");
        assert_eq!(of("hot-block-is-shorter").say, "For the same loads, the block that moves the most data is shorter");
        assert!(of("division-gone").why_not.starts_with("unknown: "), "{}", of("division-gone").why_not);
        assert_eq!(of("packing-lost").why_not, "it explains slower, but the result is faster");
        assert_eq!(
            of("packed-into-vectors").line(),
            "The vectors of the source fill wider registers than the compiler used without them: The device is a CPU: no"
        );
        // Those that would explain it come before those that would not.
        let place = |id: &str| others.iter().position(|other| other.rule == id);
        assert!(place("fewer-operations") < place("packing-lost"));
    }
}
