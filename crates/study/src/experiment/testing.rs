//! The reasons of a difference, put to the test one after the other until one is confirmed.

use super::{Conclusion, Experiment, Pair, Tested};
use crate::why::{Level, Part, Reason};
use crate::{Prober, Study as _};
use base::error::Result;
use base::texts::Words;
use engine::Backend;
use model::measure::{Progress, Verdict};
use serde::Serialize;

/// A reason with what its experiment says.
#[derive(Clone, Debug, Serialize)]
pub struct PutToTest {
    /// The reason.
    pub reason: Reason,
    /// What its experiment says; or why there is none.
    pub tested: std::result::Result<Tested, Words>,
}

impl PutToTest {
    /// Whether its experiment says the contrary.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.concludes(Conclusion::Refuted)
    }

    /// Whether its experiment says so, too.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        self.concludes(Conclusion::Confirmed)
    }

    /// Whether no other reason of that part needs to be tested: a cause is confirmed, or final; what limits what can be seen is not refuted.
    #[must_use]
    pub fn settles(&self, part: Part) -> bool {
        let is_enough = match part {
            Part::Cause => self.is_confirmed() || self.reason.level == Level::Final,
            Part::Limit => !self.is_refuted(),
        };
        self.reason.part == part && is_enough
    }

    /// The same in the language that is spoken now.
    #[must_use]
    pub fn retold(&self) -> Self {
        Self { reason: self.reason.retold(), tested: self.tested.clone() }
    }

    fn concludes(&self, conclusion: Conclusion) -> bool {
        self.tested.as_ref().is_ok_and(|tested| tested.conclusion == conclusion)
    }
}

/// How far an explanation is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// The two are the same program: nothing else needs to be said.
    Identity,
    /// By an experiment on this device.
    Experiment,
    /// It fits what is known, and is large enough.
    Consistent,
    /// It may be.
    Possible,
    /// No rule holds, or every one that does was refuted.
    Unexplained,
}

impl Proof {
    /// All, the surest first.
    pub const ALL: [Self; 5] = [Self::Identity, Self::Experiment, Self::Consistent, Self::Possible, Self::Unexplained];

    /// Of reasons that were put to the test, as [`test_reasons`] has them.
    #[must_use]
    pub fn of(tested: &[PutToTest]) -> Self {
        match left(tested) {
            None => Self::Unexplained,
            Some(one) if one.reason.level == Level::Final => Self::Identity,
            Some(one) if one.is_confirmed() => Self::Experiment,
            Some(one) if one.reason.level == Level::Possible => Self::Possible,
            Some(_) => Self::Consistent,
        }
    }
}

/// The cause that is left to say: one that an experiment confirmed, else the first that none refuted. `None` where every one was refuted.
#[must_use]
pub fn left(tested: &[PutToTest]) -> Option<&PutToTest> {
    let causes = || tested.iter().filter(|one| one.reason.part == Part::Cause);
    causes().find(|one| one.is_confirmed()).or_else(|| causes().find(|one| !one.is_refuted()))
}

/// Tests the causes in their order until one is confirmed, and what limits what can be seen until one is not refuted. An experiment that decides nothing says
/// nothing for a cause: another that is confirmed is the better explanation.
///
/// # Errors
/// Only cancellation: what could not be compared leaves an experiment unclear.
pub fn test_reasons(
    reasons: Vec<Reason>,
    pair: &Pair,
    prober: &mut Prober,
    backend: &mut dyn Backend,
    progress: &dyn Progress,
) -> Result<Vec<PutToTest>> {
    let mut all: Vec<PutToTest> = Vec::new();
    for reason in reasons {
        if all.iter().any(|one| one.settles(reason.part)) {
            continue;
        }
        let tested = if reason.level == Level::Final {
            // What is final says that the two are one, or why nothing can be said.
            let is_unclear = pair.compared.comparison.verdict == Verdict::Unclear;
            Err(Words::text(if is_unclear { "experiments.none.unclear" } else { "experiments.none.identity" }))
        } else {
            tested(&reason, pair, prober, backend, progress)?
        };
        all.push(PutToTest { reason, tested });
    }
    Ok(all)
}

fn tested(
    reason: &Reason,
    pair: &Pair,
    prober: &mut Prober,
    backend: &mut dyn Backend,
    progress: &dyn Progress,
) -> Result<std::result::Result<Tested, Words>> {
    let mut experiment = match Experiment::new(&reason.rule, &reason.facts, pair) {
        Ok(experiment) => experiment,
        Err(why) => return Ok(Err(why)),
    };
    let mut findings = Vec::new();
    while let Some(probe) = experiment.next(&findings) {
        findings.push(prober.take(probe, backend, progress)?);
    }
    Ok(Ok(experiment.judged(&findings)))
}
