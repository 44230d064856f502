//! The question after a result is seen: why? One true reason, and others that this device's facts refute.

use super::fact::Facts;
use super::rule::{Part, Seen, Wrong, rules};
use super::{Reason, explain};
use serde::Serialize;

/// One of the reasons to choose from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The rule's or wrong reason's id.
    pub id: String,
    /// The sentence.
    pub say: String,
    /// What refutes it; `None` for the true one.
    pub refuted: Option<String>,
}

/// Why it is so, to be answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// What is true, with its evidence.
    pub truth: Reason,
    /// The true reason and one or two that are refuted, in an order that the seed decides.
    pub answers: Vec<Answer>,
}

/// The question about what was seen. `None` where no rule gives a cause, or no fact refutes another reason: a false reason is only offered where it
/// is provably false here. `seed` decides the order of the answers, so that it is the same whenever the question is shown again.
#[must_use]
pub fn question(seen: Seen, facts: &Facts, seed: u64) -> Option<Question> {
    let truth = explain(seen, facts).into_iter().find(|reason| reason.part == Part::Cause)?;
    let rule = rules().rules.iter().find(|rule| rule.id == truth.rule)?;
    let own = rule.wrong.as_deref();
    let mut refuted: Vec<(&Wrong, Answer)> = rules().wrongs.iter().filter_map(|wrong| Some((wrong, refute(wrong, seen, facts)?))).collect();
    // A rule's own wrong reason first. One that says what the rule says would be a second true answer.
    refuted.retain(|(wrong, _)| wrong.id != truth.rule);
    // The others in an order that differs from question to question: nobody is to learn that one of them is never true.
    let turn = |id: &str| id.bytes().fold(seed ^ 0x9e37_79b9, |sum, byte| sum.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte));
    refuted.sort_by_key(|(wrong, _)| (Some(wrong.id.as_str()) != own, turn(&wrong.id)));
    let mut answers: Vec<Answer> = Vec::new();
    for (_, answer) in refuted {
        if answers.len() < 2 && !answers.iter().any(|known| known.say == answer.say) {
            answers.push(answer);
        }
    }
    if answers.is_empty() {
        return None;
    }
    let place = usize::try_from(seed % (answers.len() as u64 + 1)).unwrap_or(0);
    answers.insert(place, Answer { id: truth.rule.clone(), say: rule.claim(facts)?, refuted: None });
    Some(Question { truth, answers })
}

fn refute(wrong: &Wrong, seen: Seen, facts: &Facts) -> Option<Answer> {
    let is_refuted = wrong.is_refuted(seen, facts);
    is_refuted
        .then(|| Some(Answer { id: wrong.id.clone(), say: wrong.text("say", facts)?, refuted: Some(wrong.text("refuted", facts)?) }))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::question;
    use crate::why::{Facts, Seen};

    #[test]
    fn every_false_answer_is_refuted_by_a_fact() {
        let mut facts = Facts::default();
        for (name, value) in [
            ("cpu", 1.0),
            ("dedicated_local_memory", 0.0),
            ("before.local_bytes", 0.0),
            ("after.local_bytes", 1188.0),
            ("after.memory_share", 0.31),
            ("before.work_items", 1000.0),
            ("after.work_items", 1000.0),
        ] {
            facts.set(name, value);
        }
        for seed in 0..3 {
            let asked = question(Seen::Slower, &facts, seed).expect("a question");
            assert_eq!(asked.truth.rule, "local-is-ordinary");
            let ids: Vec<_> = asked.answers.iter().map(|answer| (answer.id.as_str(), answer.refuted.is_some())).collect();
            assert_eq!(ids.len(), 3);
            assert_eq!(ids[seed as usize], ("local-is-ordinary", false));
            assert!(ids.contains(&("bank-conflicts", true)), "the rule's own: {ids:?}");
        }
        // The other one varies, and the true one has no figures that tell it apart.
        let all: Vec<_> = (0..16).flat_map(|seed| question(Seen::Slower, &facts, seed).expect("a question").answers).collect();
        assert!(all.iter().any(|answer| answer.id == "too-few-work-items"), "{all:?}");
        assert!(all.iter().all(|answer| !answer.say.contains(|character: char| character.is_ascii_digit())), "{all:?}");
        let bus = all.into_iter().find(|answer| answer.id == "bus-full");
        assert_eq!(
            bus.and_then(|answer| answer.refuted).as_deref(),
            Some("The bytes that each pass must move reach 31 % of the copy rate")
        );
    }

    #[test]
    fn what_nothing_refutes_is_not_asked() {
        let mut facts = Facts::default();
        facts.set("before.loads", 2.0);
        facts.set("after.loads", 1.0);
        assert_eq!(question(Seen::Faster, &facts, 0), None);
        assert_eq!(question(Seen::Slower, &facts, 0), None);
    }
}
