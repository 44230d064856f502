//! Experiments: an explanation is put to the test by adding or taking away its cause alone, and seeing whether the effect comes or goes.
//!
//! | file | holds |
//! |---|---|
//! | `definition` | `assets/experiments.toml`: the experiments, and which tests which rule |
//! | `plan` | what is compared with what: the arms of an experiment, for two tasks |
//! | `judge` | what its arms say together: confirmed, refuted or unclear |
//! | `testing` | the reasons of a difference, tested one after the other until one is confirmed |
//! | `counted` | how the steps of a ladder stand then |
//! | `telling` | all of it in words |

pub mod counted;
mod definition;
mod judge;
#[cfg(test)]
mod made_up_tests;
mod plan;
pub mod telling;
mod testing;

pub use counted::Counted;
pub use definition::{Definition, Moves, likely, of_rule, tested_rules};
pub use judge::{Conclusion, Doubt, Share, Tested, TestedArm};
pub use plan::{Arm, Kept, Left, Pair, Role};
pub use testing::{Proof, PutToTest, test_reasons};

use super::{Finding, Probe, Study};
use crate::why::Facts;
use base::texts::Words;
use engine::device::DeviceInfo;
use engine::{Compared, Task};
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
        // Where none can be made, it is the first whose reason is told: it tests the cause most directly.
        let mut why = None;
        for definition in of_rule(rule) {
            match Self::of(definition, facts, pair) {
                Ok(experiment) => return Ok(experiment),
                Err(this) => why = why.or(Some(this)),
            }
        }
        Err(why.unwrap_or_else(|| Words::text("experiments.none.rule")))
    }

    fn of(definition: &'static Definition, facts: &Facts, pair: &Pair) -> Result<Self, Words> {
        let arms = plan::arms(definition, facts, pair)?;
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

    fn tested(&self, findings: &[Finding]) -> Option<Result<Tested, Words>> {
        Some(Ok(self.judged(findings)))
    }
}

/// An experiment that is planned where it runs: its pictures may have many times the pixels of those that were compared.
#[derive(Clone, Debug)]
pub struct Planned {
    rule: String,
    facts: Facts,
    device: DeviceInfo,
    tasks: [Task; 2],
    locals: [Option<[usize; 2]>; 2],
    compared: Compared,
    /// Once it was asked for its first probe.
    experiment: Option<Result<Experiment, Words>>,
}

impl Planned {
    /// What [`Experiment::new`] takes.
    ///
    /// # Errors
    /// The rule has no experiment. Why none can be made of these two is found where it runs.
    pub fn new(rule: &str, facts: &Facts, pair: &Pair) -> Result<Self, Words> {
        if of_rule(rule).next().is_none() {
            return Err(Words::text("experiments.none.rule"));
        }
        Ok(Self {
            rule: rule.to_owned(),
            facts: facts.clone(),
            device: pair.device.clone(),
            tasks: pair.tasks.map(Task::clone),
            locals: pair.locals,
            compared: pair.compared.clone(),
            experiment: None,
        })
    }

    fn plan(&self) -> Result<Experiment, Words> {
        let [first, second] = &self.tasks;
        Experiment::new(
            &self.rule,
            &self.facts,
            &Pair { device: &self.device, tasks: [first, second], locals: self.locals, compared: &self.compared },
        )
    }
}

impl Study for Planned {
    fn next(&mut self, findings: &[Finding]) -> Option<Probe> {
        if self.experiment.is_none() {
            self.experiment = Some(self.plan());
        }
        self.experiment.as_mut()?.as_mut().ok()?.next(findings)
    }

    fn total(&self) -> usize {
        self.experiment.as_ref().and_then(|experiment| experiment.as_ref().ok()).map_or(0, Study::total)
    }

    fn tested(&self, findings: &[Finding]) -> Option<Result<Tested, Words>> {
        Some(self.experiment.as_ref()?.as_ref().map(|experiment| experiment.judged(findings)).map_err(Clone::clone))
    }
}

#[cfg(test)]
mod tests {
    use super::{Pair, Planned, Probe, Study as _};
    use crate::testing::compared_as;
    use crate::why::Facts;
    use engine::device::DeviceInfo;
    use engine::{PictureRef, Target, Task};
    use model::measure::{Comparison, Verdict};
    use model::{Channels, HostMemory, LocalSize, Variant};
    use pictures::Picture;
    use std::sync::Arc;

    /// An experiment with larger pictures, on two that compare so.
    fn planned(verdict: Verdict) -> Planned {
        let picture = PictureRef::new(Arc::new(Picture::from_fn(64, 64, Channels::Rgb, |_, _, _| 0)));
        let of = |variant: &str| {
            let variant = Variant::parse(variant).expect("known");
            let target = Target::Device { index: 0, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy };
            Task::new(picture.clone(), target)
        };
        let compared = compared_as(Comparison { ratio: 2.0, low: 1.9, high: 2.1, verdict, starts: 1 });
        let [first, second] = ["coalesced", "coalesced+padded"].map(of);
        let pair = Pair { device: &DeviceInfo::example(), tasks: [&first, &second], locals: [None; 2], compared: &compared };
        Planned::new("launch-costs-more", &Facts::default(), &pair).expect("it has an experiment")
    }

    #[test]
    fn an_experiment_makes_its_pictures_where_it_runs() {
        let mut planned = planned(Verdict::Faster);
        assert!(planned.experiment.is_none() && planned.total() == 0 && planned.tested(&[]).is_none());
        let Some(Probe::Compare(first, _)) = planned.next(&[]) else { panic!("{planned:?}") };
        assert_eq!((first.picture.size(), planned.total()), ((128, 128), 2));
    }

    #[test]
    fn one_that_cannot_be_made_says_why_where_it_runs() {
        let mut planned = planned(Verdict::Unclear);
        assert!(planned.next(&[]).is_none());
        let why = planned.tested(&[]).expect("it is planned").expect_err("the two do not differ");
        assert_eq!(why.to_string(), base::texts::text("experiments.none.unclear"));
    }
}
