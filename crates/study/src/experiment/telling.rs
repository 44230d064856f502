//! Experiments in words.

use super::definition::by_id;
use super::{Conclusion, Doubt, Proof, PutToTest, Share, Tested, TestedArm, testing};
use crate::why::Level;
use base::texts::{self, filled, find, text};
use std::fmt::Display;
use view::plot::units;

/// The reason with what its experiment says of it, the experiment in a sentence, and each comparison in a line.
#[must_use]
pub fn lines(tested: &PutToTest) -> Vec<String> {
    let mut lines = vec![reason(tested)];
    match &tested.tested {
        Ok(tested) => {
            lines.push(sentence(tested));
            lines.extend(expectations(&tested.experiment).unwrap_or_default());
            lines.extend(tested.arms.iter().map(arm));
        }
        // The same program needs no experiment.
        Err(_) if tested.reason.level == Level::Final => {}
        Err(why) => lines.push(filled("experiments.not-tested", &[("why", why)])),
    }
    lines
}

/// The same of all that were tested, without what each should have shown; what is left to say comes first.
#[must_use]
pub fn brief(tested: &[PutToTest]) -> Vec<String> {
    let left = testing::left(tested).map(|left| &left.reason.rule);
    let (first, others): (Vec<_>, Vec<_>) = tested.iter().partition(|one| Some(&one.reason.rule) == left);
    let of = |one: &PutToTest| {
        let expected = one.tested.as_ref().ok().and_then(|tested| expectations(&tested.experiment)).unwrap_or_default();
        let mut lines = lines(one);
        lines.retain(|line| !expected.contains(line));
        lines
    };
    first.into_iter().chain(others).flat_map(of).collect()
}

/// "Refuted here: …", or the reason as rules have it.
#[must_use]
pub fn reason(tested: &PutToTest) -> String {
    let level = match tested.tested.as_ref().map(|tested| tested.conclusion) {
        Ok(Conclusion::Confirmed) => Level::Proven,
        Ok(Conclusion::Refuted) => Level::Refuted,
        Ok(Conclusion::Unclear(_)) | Err(_) => return tested.reason.line(),
    };
    tested.reason.clone().with_proof(level).line()
}

/// What was done, and what that says.
#[must_use]
pub fn sentence(tested: &Tested) -> String {
    // One of another version has its name alone.
    let does = by_id(&tested.experiment).map_or(tested.experiment.as_str(), |definition| definition.does());
    filled("experiments.sentence", &[("does", &does), ("says", &conclusion(tested.conclusion))])
}

/// What an experiment should show: if the explanation is true, and if it is false. Nothing where there is no such experiment.
#[must_use]
pub fn expectations(experiment: &str) -> Option<[String; 2]> {
    let definition = by_id(experiment)?;
    let of = |key: &'static str, then: &str| filled(key, &[("then", &then)]);
    Some([of("experiments.if-true", definition.if_true_text()), of("experiments.if-false", definition.if_false_text())])
}

/// A conclusion in a clause.
#[must_use]
pub fn conclusion(conclusion: Conclusion) -> &'static str {
    text(match conclusion {
        Conclusion::Confirmed => "experiments.conclusion.confirmed",
        Conclusion::Refuted => "experiments.conclusion.refuted",
        Conclusion::Unclear(Doubt::Between) => "experiments.conclusion.between",
        Conclusion::Unclear(Doubt::Disagree) => "experiments.conclusion.disagree",
        Conclusion::Unclear(Doubt::Dropped) => "experiments.conclusion.dropped",
        Conclusion::Unclear(Doubt::TooMuch) => "experiments.conclusion.too-much",
        Conclusion::Unclear(Doubt::Frame) => "experiments.conclusion.frame",
        Conclusion::Unclear(Doubt::Hidden) => "experiments.conclusion.hidden",
        Conclusion::Unclear(Doubt::Failed) => "experiments.conclusion.failed",
    })
}

/// One comparison: what is special about it, the ratio with its interval, and its share of the difference.
#[must_use]
pub fn arm(arm: &TestedArm) -> String {
    let name = find(&format!("experiments.arm.{}", arm.name)).unwrap_or(&arm.name);
    let value = match (&arm.comparison, &arm.failed) {
        (Some(comparison), _) => {
            let ratio = units::outcome(comparison, arm.busy);
            let told = |part| filled("experiments.with-share", &[("ratio", &ratio), ("share", &share(part, arm.is_of_time))]);
            arm.share.map_or_else(|| ratio.clone(), told)
        }
        (None, Some(why)) => why.to_string(),
        (None, None) => text("experiments.conclusion.failed").to_owned(),
    };
    texts::pair(&name, &value)
}

/// "25 % of the difference (20 to 30)"; ends that are equal are not told.
fn share(share: Share, is_of_time: bool) -> String {
    // Never "-0".
    let percent = |value: f64| format!("{:.0}", (100.0 * value).round() + 0.0);
    let [middle, low, high] = [share.share, share.low, share.high].map(percent);
    let key = match (is_of_time, low == high) {
        (false, false) => "experiments.share",
        (false, true) => "experiments.share-alone",
        (true, false) => "experiments.share-of-time",
        (true, true) => "experiments.share-of-time-alone",
    };
    let values: [(&str, &dyn Display); 3] = [("share", &middle), ("low", &low), ("high", &high)];
    filled(key, &values)
}

/// What is left to say after experiments, as sure as it is then.
#[must_use]
pub fn left(tested: &[PutToTest]) -> String {
    testing::left(tested).map_or_else(|| text("experiments.proof.unexplained").to_owned(), reason)
}

impl Proof {
    /// The key of the head of its column.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Identity => "experiments.proof.identity",
            Self::Experiment => "experiments.proof.experiment",
            Self::Consistent => "experiments.proof.consistent",
            Self::Possible => "experiments.proof.possible",
            Self::Unexplained => "experiments.proof.unexplained",
        }
    }
}
