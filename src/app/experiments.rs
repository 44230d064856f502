//! *Test this explanation*: what the person expects, the experiment, and what came of it.

use super::state::{Effect, Job, State};
use crate::runner::Bench;
use base::texts::{Words, text};
use engine::Task;
use model::measure::Verdict;
use model::{Budget, Contender};
use study::bundle::Experimented;
use study::experiment::{self, Planned, PutToTest, Tested};
use study::why::{self, Facts, Reason};
use study::{Expected, Probe};

/// Experiments of this session, the newest last.
#[derive(Clone, Debug, Default)]
pub struct Experiments(Vec<Asked>);

/// An experiment on a rule, for two variants.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The bench; 0 where there is none.
    id: u64,
    pair: (Task, Task),
    rule: String,
    /// What the person expects it to show; `None` where it was run without an answer.
    pub expected: Option<Expected>,
    /// How far it is.
    pub stand: Stand,
}

/// How far an experiment is.
#[derive(Clone, Debug)]
pub enum Stand {
    /// The person is asked what it will show.
    Asked,
    /// The two variants are compared first.
    Comparing,
    /// It runs.
    Running,
    /// It was stopped, or failed.
    Ended,
    /// What it says; or why it cannot be made.
    Told(Result<Tested, Words>),
}

/// What a person wants of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Testing {
    /// To be asked what it will show.
    Ask,
    /// To have it run, with an answer or without.
    Run(Option<Expected>),
}

/// No session looks back on more.
const MOST: usize = 100;

impl Experiments {
    /// The newest experiment on a rule for these two.
    #[must_use]
    pub fn of(&self, pair: &(Task, Task), rule: &str) -> Option<&Asked> {
        self.0.iter().rev().find(|asked| asked.pair == *pair && asked.rule == rule)
    }

    /// Whether a bench is one: what is compared before it is none.
    #[must_use]
    pub fn is_of(&self, id: u64) -> bool {
        self.0.iter().any(|asked| asked.id == id && !matches!(asked.stand, Stand::Comparing))
    }

    /// What all that have come to their end say, in the order asked.
    #[must_use]
    pub fn told(&self) -> Vec<Experimented> {
        let told = |asked: &Asked| match &asked.stand {
            Stand::Told(tested) => Some((asked.pair.clone(), asked.rule.clone(), tested.clone())),
            Stand::Asked | Stand::Comparing | Stand::Running | Stand::Ended => None,
        };
        self.0.iter().filter_map(told).collect()
    }

    /// Takes what one says.
    pub(super) fn take(&mut self, id: u64, tested: Result<Tested, Words>) {
        if let Some(asked) = self.0.iter_mut().find(|asked| asked.id == id) {
            asked.stand = Stand::Told(tested);
        }
    }

    /// One has come to its end, or all have where none is named.
    pub(super) fn end(&mut self, id: Option<u64>) {
        for asked in self.0.iter_mut().filter(|asked| id.is_none_or(|id| asked.id == id)) {
            if matches!(asked.stand, Stand::Comparing | Stand::Running) {
                asked.stand = Stand::Ended;
            }
        }
    }

    fn push(&mut self, asked: Asked) {
        self.0.push(asked);
        if self.0.len() > MOST {
            self.0.remove(0);
        }
    }

    /// Takes out the one whose variants this bench has compared.
    fn take_compared(&mut self, id: u64) -> Option<Asked> {
        let place = self.0.iter().position(|asked| asked.id == id && matches!(asked.stand, Stand::Comparing))?;
        Some(self.0.remove(place))
    }
}

impl State {
    /// Puts a rule's explanation of how two compare to the test, or asks what the test will show.
    pub(super) fn test_reason(&mut self, pair: &(Task, Task), rule: &str, testing: Testing) -> Vec<Effect> {
        let asked = |id, expected, stand| Asked { id, pair: pair.clone(), rule: rule.to_owned(), expected, stand };
        let Testing::Run(expected) = testing else {
            self.experiments.push(asked(0, None, Stand::Asked));
            return Vec::new();
        };
        let verdict = self.compared(&pair.0, &pair.1).map(|compared| compared.comparison.verdict);
        let effects = match verdict {
            None => {
                let (first, second) = pair.clone();
                let probes = vec![Probe::Measure(first.clone()), Probe::Measure(second.clone()), Probe::Compare(first, second)];
                self.bench(text("experiments.window.comparing"), probes)
            }
            Some(Verdict::Unclear) => self.compare_again(pair.clone()),
            Some(_) => return self.run_experiment(asked(0, expected, Stand::Running)),
        };
        self.experiments.push(asked(self.next_id, expected, Stand::Comparing));
        effects
    }

    /// Runs an experiment whose two variants were compared by this bench.
    pub(super) fn go_on_testing(&mut self, id: u64) -> Vec<Effect> {
        self.experiments.take_compared(id).map_or_else(Vec::new, |asked| self.run_experiment(asked))
    }

    fn run_experiment(&mut self, asked: Asked) -> Vec<Effect> {
        match self.experiment(&asked.pair, &asked.rule) {
            Err(why) => {
                self.experiments.push(Asked { id: 0, stand: Stand::Told(Err(why)), ..asked });
                Vec::new()
            }
            Ok(experiment) => {
                let id = self.post(Job::Bench(text("experiments.window.job").to_owned()));
                self.experiments.push(Asked { id, stand: Stand::Running, ..asked });
                vec![Effect::Bench(Bench { id, study: Box::new(experiment), budget: Budget::default() })]
            }
        }
    }

    fn experiment(&self, pair: &(Task, Task), rule: &str) -> Result<Planned, Words> {
        let missing = || Words::text("experiments.none.unclear");
        let compared = self.compared(&pair.0, &pair.1).ok_or_else(missing)?;
        let device = self.device_of(&pair.1).ok_or_else(missing)?;
        let local = |task: &Task| match self.history.newest_of(task)?.record.contender {
            Contender::Device { local_used, .. } => local_used,
            Contender::Cpu { .. } => None,
        };
        let locals = [local(&pair.0), local(&pair.1)];
        Planned::new(
            rule,
            self.lesson.facts_of(pair).unwrap_or(&Facts::default()),
            &experiment::Pair { device, tasks: [&pair.0, &pair.1], locals, compared },
        )
    }

    /// The reasons to say: after one whose experiment did not confirm it, the next that holds is offered.
    #[must_use]
    pub fn reasons_left(&self, pair: &(Task, Task), first: &[Reason]) -> Vec<Reason> {
        let stand = |reason: &Reason| self.experiments.of(pair, &reason.rule).map(|asked| &asked.stand);
        let is_left_open = |reason: &Reason| match stand(reason) {
            Some(Stand::Told(tested)) => !PutToTest { reason: reason.clone(), tested: tested.clone() }.settles(reason.part),
            Some(Stand::Asked | Stand::Comparing | Stand::Running | Stand::Ended) | None => false,
        };
        if !first.iter().any(is_left_open) {
            return first.to_vec();
        }
        let Some((compared, facts)) = self.compared(&pair.0, &pair.1).zip(self.lesson.facts_of(pair)) else { return first.to_vec() };
        let mut left: Vec<Reason> = Vec::new();
        for reason in why::candidates(compared.comparison.verdict.into(), facts) {
            if !left.iter().any(|known| known.part == reason.part && !is_left_open(known)) {
                left.push(reason);
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::{Experiments, Stand, Testing};
    use crate::app::action::Action;
    use crate::app::settings::Settings;
    use crate::app::state::{Effect, State};
    use crate::runner::Update;
    use crate::testing::compared_as;
    use crate::testing::sessions::news;
    use base::error::Error;
    use engine::device::DeviceInfo;
    use engine::{PictureRef, Target, Task};
    use model::measure::{Comparison, Verdict};
    use model::{Channels, HostMemory, LocalSize, Variant};
    use pictures::Picture;
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use study::experiment::{Conclusion, Tested};
    use study::{Expected, Finding};

    fn pair() -> (Task, Task) {
        let picture = PictureRef::new(Arc::new(Picture::from_fn(64, 64, Channels::Rgb, |_, _, _| 0)));
        let of = |variant: &str| {
            let variant = Variant::parse(variant).expect("known");
            let target = Target::Device { index: 0, variant, local: LocalSize::Explicit([16, 4]), host_memory: HostMemory::Copy };
            Task::new(picture.clone(), target)
        };
        (of("coalesced+padded"), of("coalesced+padded+vectorize=5"))
    }

    fn test(state: &mut State, pair: &(Task, Task), rule: &str, testing: Testing) -> Vec<Effect> {
        state.apply(Action::TestReason(Box::new(pair.clone()), rule.to_owned(), testing))
    }

    fn stand<'a>(state: &'a State, pair: &(Task, Task), rule: &str) -> Option<&'a Stand> {
        state.experiments.of(pair, rule).map(|asked| &asked.stand)
    }

    fn on_device() -> State {
        let mut state = State::new(Settings::default());
        let _ = news(&mut state, Update::Devices(Ok(vec![DeviceInfo::example()])));
        state
    }

    #[test]
    fn a_test_of_a_reason_runs_and_is_told() {
        let mut state = on_device();
        let pair = pair();
        let comparison = Comparison { ratio: 2.0, low: 1.9, high: 2.1, verdict: Verdict::Faster, starts: 1 };
        let _ = news(&mut state, Update::Found(77, Finding::Compared(Box::new(pair.clone()), Ok(compared_as(comparison)))));
        assert!(test(&mut state, &pair, "fewer-loads", Testing::Ask).is_empty());
        assert!(matches!(stand(&state, &pair, "fewer-loads"), Some(Stand::Asked)), "nothing runs before the answer");
        let effects = test(&mut state, &pair, "fewer-loads", Testing::Run(Some(Expected::IfTrue)));
        let [Effect::Bench(bench)] = effects.as_slice() else { panic!("{effects:?}") };
        assert!(matches!(stand(&state, &pair, "fewer-loads"), Some(Stand::Running)));
        let id = bench.id;
        // What it compares on the way is no comparison of the person's.
        let before = state.compared.len();
        let _ = news(&mut state, Update::Found(id, Finding::Compared(Box::new(pair.clone()), Ok(compared_as(comparison)))));
        assert_eq!(state.compared.len(), before);
        let tested = Tested {
            experiment: "saved-loads".to_owned(),
            effect: comparison,
            arms: Vec::new(),
            conclusion: Conclusion::Refuted,
            other: BTreeMap::new(),
        };
        let _ = news(&mut state, Update::Tested { id, tested: Box::new(Ok(tested)) });
        let _ = news(&mut state, Update::Finished { id, result: Ok(()) });
        assert!(matches!(stand(&state, &pair, "fewer-loads"), Some(Stand::Told(Ok(tested))) if tested.conclusion == Conclusion::Refuted));
        assert_eq!(state.experiments.of(&pair, "fewer-loads").and_then(|asked| asked.expected), Some(Expected::IfTrue));
        let told = state.experiments.told();
        assert_eq!(
            told.iter().map(|(of, rule, tested)| (of == &pair, rule.as_str(), tested.is_ok())).collect::<Vec<_>>(),
            [(true, "fewer-loads", true)]
        );
        // One that cannot be made says why at once.
        assert!(test(&mut state, &pair, "same-code", Testing::Run(None)).is_empty());
        assert!(matches!(stand(&state, &pair, "same-code"), Some(Stand::Told(Err(_)))));
        assert!(!Experiments::default().is_of(id));
    }

    #[test]
    fn two_that_were_not_compared_are_compared_before_the_experiment() {
        let (mut state, pair) = (on_device(), pair());
        let effects = test(&mut state, &pair, "fewer-loads", Testing::Run(None));
        let [Effect::Bench(bench)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!(bench.study.total(), 3, "both, and the two interleaved");
        assert!(matches!(stand(&state, &pair, "fewer-loads"), Some(Stand::Comparing)));
        let id = bench.id;
        let comparison = Comparison { ratio: 2.0, low: 1.9, high: 2.1, verdict: Verdict::Faster, starts: 1 };
        let _ = news(&mut state, Update::Found(id, Finding::Compared(Box::new(pair.clone()), Ok(compared_as(comparison)))));
        assert_eq!(state.compared.len(), 1, "this one is the person's");
        let effects = news(&mut state, Update::Finished { id, result: Ok(()) });
        assert!(effects.iter().any(|effect| matches!(effect, Effect::Bench(bench) if bench.id != id)), "{effects:?}");
        assert!(matches!(stand(&state, &pair, "fewer-loads"), Some(Stand::Running)));
    }

    #[test]
    fn what_is_inconclusive_is_compared_once_more_and_then_said() {
        let (mut state, pair) = (on_device(), pair());
        let unclear = compared_as(Comparison { ratio: 1.2, low: 0.8, high: 1.9, verdict: Verdict::Unclear, starts: 1 });
        let _ = news(&mut state, Update::Found(77, Finding::Compared(Box::new(pair.clone()), Ok(unclear.clone()))));
        for result in [Err(Error::cancelled()), Ok(())] {
            let effects = test(&mut state, &pair, "fewer-loads", Testing::Run(None));
            let [Effect::Bench(bench)] = effects.as_slice() else { panic!("{effects:?}") };
            assert_eq!(bench.study.total(), 1);
            let id = bench.id;
            let _ = news(&mut state, Update::Found(id, Finding::Compared(Box::new(pair.clone()), Ok(unclear.clone()))));
            let is_cancelled = result.is_err();
            let effects = news(&mut state, Update::Finished { id, result });
            assert_eq!(effects.iter().any(|effect| matches!(effect, Effect::Bench(_))), !is_cancelled, "{effects:?}");
            assert!(matches!(stand(&state, &pair, "fewer-loads"), Some(Stand::Ended)) == is_cancelled);
        }
    }
}
