//! Experiments: an explanation is put to the test by adding or taking away its cause alone, and seeing whether the effect comes or goes.
//!
//! | file | holds |
//! |---|---|
//! | `definition` | `assets/experiments.toml`: the experiments, and which tests which rule |
//! | `plan` | what is compared with what: the arms of an experiment, for two tasks |
//! | `judge` | what its arms say together: confirmed, refuted or unclear |
//! | `testing` | the reasons of a difference, tested one after the other until one holds |
//! | `telling` | all of it in words |

mod definition;
mod judge;
#[cfg(test)]
mod made_up_tests;
mod plan;
pub mod telling;
mod testing;

pub use definition::{Definition, Moves, of_rule};
pub use judge::{Conclusion, Doubt, Share, Tested, TestedArm};
pub use plan::{Arm, Kept, Pair, Role};
pub use testing::{Proof, PutToTest, test_reasons};

use super::{Finding, Probe, Study};
use crate::engine::Compared;
use crate::texts::Words;
use crate::why::Facts;
use plan::Calibration;

/// One explanation's experiment for two tasks.
#[derive(Clone, Debug)]
pub struct Experiment {
    definition: &'static Definition,
    effect: Compared,
    arms: Vec<Arm>,
    calibration: Option<Calibration>,
}

impl Experiment {
    /// For a rule that explains by these facts how the two of `pair` compare.
    ///
    /// # Errors
    /// Why there is none: the rule has no experiment, or none can be made of these two.
    pub fn new(rule: &str, facts: &Facts, pair: &Pair) -> Result<Self, Words> {
        let none = Err(Words::text("experiments.none.rule"));
        of_rule(rule).fold(none, |found, definition| found.or_else(|_| Self::of(definition, facts, pair)))
    }

    fn of(definition: &'static Definition, facts: &Facts, pair: &Pair) -> Result<Self, Words> {
        let arms = plan::arms(definition, pair)?;
        let calibration = Calibration::new(definition, facts, pair)?;
        Ok(Self { definition, effect: pair.compared.clone(), arms, calibration })
    }

    /// What is compared with what, as far as that is known.
    #[must_use]
    pub fn arms(&self, findings: &[Finding]) -> Vec<Arm> {
        self.calibration.as_ref().map_or_else(|| self.arms.clone(), |calibration| calibration.arms(findings))
    }

    /// What the findings of all arms say.
    #[must_use]
    pub fn judged(&self, findings: &[Finding]) -> Tested {
        judge::judged(self.definition, &self.effect, &self.arms(findings), findings)
    }
}

impl Study for Experiment {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        if let Some(task) = self.calibration.as_ref().and_then(|calibration| calibration.next_code(findings)) {
            return Some(Probe::Code(Box::new(task)));
        }
        let arms = self.arms(findings);
        let code = arms.iter().find_map(|arm| arm.next_code(findings)).cloned().map(|task| Probe::Code(Box::new(task)));
        code.or_else(|| arms.iter().find(|arm| arm.found(findings).is_none()).map(Arm::probe))
    }

    fn total(&self) -> usize {
        // Two looks at code and the four probes of an addition.
        let of_class = if self.calibration.is_some() { 6 } else { 0 };
        self.arms.iter().map(|arm| if arm.kept.is_some() { 3 } else { 1 }).sum::<usize>() + of_class
    }

    fn tested(&self, findings: &[Finding]) -> Option<Tested> {
        Some(self.judged(findings))
    }
}
