//! What the arms of an experiment say together.
//!
//! A difference is taken as the time of the slower over that of the faster, less 1: what the slower takes more. Parts of it are shares of that. An arm confirms where
//! its share is at least what is expected if the explanation is true, and the whole interval lies above what is expected if it is false; and the other way round.

use super::definition::{Definition, OfSame, by_id};
use super::plan::{Arm, Left, Role};
use crate::Finding;
use base::texts::Words;
use engine::Compared;
use engine::compiled::CodeComparison;
use model::measure::{Comparison, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use view::plot::units;

/// What part of the difference came or went, with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Most likely.
    pub share: f64,
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

/// Why an experiment decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// The intervals are too wide, or the share lies between what is expected if true and if false.
    Between,
    /// One arm says that it is true, another that it is false.
    Disagree,
    /// The compiler made the same of both: what was added is not in the code.
    Dropped,
    /// What adding takes changes the time by itself.
    Frame,
    /// More came back than there was: more than the cause was moved.
    TooMuch,
    /// What was to take time takes none here, so that nothing shows.
    Hidden,
    /// One of the arms could not be compared.
    Failed,
}

/// What an experiment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// The effect came or went with the cause.
    Confirmed,
    /// It did not.
    Refuted,
    /// It does not decide.
    Unclear(Doubt),
}

/// One arm, with what came of it: keys and numbers, so that files have it without a language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestedArm {
    /// What is special about it: a text of `experiments.arm`.
    pub name: String,
    /// How its two compare; absent where they could not be compared.
    pub comparison: Option<Comparison>,
    /// Other work was busy.
    pub busy: bool,
    /// What part of the difference it shows; absent where there was none.
    pub share: Option<Share>,
    /// Why it could not be compared.
    pub failed: Option<Words>,
    /// Whether the share is one of the time, and not of the difference.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_time: bool,
    /// What it says by itself; nothing of a control that is as it should be.
    pub says: Option<Conclusion>,
    /// What another version wrote beside it, which is kept.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// An experiment with what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The experiment's id.
    pub experiment: String,
    /// The difference that was explained.
    pub effect: Comparison,
    /// Its arms.
    pub arms: Vec<TestedArm>,
    /// What they say together.
    pub conclusion: Conclusion,
    /// What another version wrote beside it, which is kept.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

impl Tested {
    /// The same with as many digits as files have.
    #[must_use]
    pub fn rounded(&self) -> Self {
        let of = |comparison: Comparison| {
            let [ratio, low, high] = [comparison.ratio, comparison.low, comparison.high].map(units::rounded);
            Comparison { ratio, low, high, ..comparison }
        };
        let arm = |arm: &TestedArm| TestedArm {
            comparison: arm.comparison.map(of),
            share: arm.share.map(|Share { share, low, high }| {
                let [share, low, high] = [share, low, high].map(units::rounded);
                Share { share, low, high }
            }),
            ..arm.clone()
        };
        Self { effect: of(self.effect), arms: self.arms.iter().map(arm).collect(), ..self.clone() }
    }

    /// Whether the conclusion follows from what its arms say. Of an experiment that this version does not know, that cannot be said.
    #[must_use]
    pub fn follows(&self) -> bool {
        by_id(&self.experiment).is_none_or(|definition| self.conclusion == concluded(definition, &self.effect, &self.arms))
    }
}

/// What the findings of all arms say.
pub fn judged(definition: &Definition, effect: &Compared, arms: &[Arm], findings: &[Finding]) -> Tested {
    let effect = effect.comparison;
    let arms: Vec<TestedArm> = (0..arms.len()).filter_map(|index| judged_arm(definition, &effect, arms.get(..=index)?, findings)).collect();
    let conclusion = concluded(definition, &effect, &arms);
    Tested { experiment: definition.id.clone(), effect, arms, conclusion, other: BTreeMap::new() }
}

fn concluded(definition: &Definition, effect: &Comparison, arms: &[TestedArm]) -> Conclusion {
    let of_same = definition.of_same().filter(|_| effect.verdict == Verdict::Same);
    together(arms.iter().filter_map(|arm| arm.says), of_same)
}

/// The last of these, of which the others come before it.
fn judged_arm(definition: &Definition, effect: &Comparison, arms: &[Arm], findings: &[Finding]) -> Option<TestedArm> {
    let (arm, before) = arms.split_last()?;
    let found = arm.found(findings);
    let (name, other) = (arm.name.to_owned(), BTreeMap::new());
    let Some(Ok(compared)) = found else {
        let failed = found.and_then(|found| found.as_ref().err()).map(|error| Words::of(error));
        let says = Some(Conclusion::Unclear(Doubt::Failed));
        return Some(TestedArm { name, comparison: None, busy: false, share: None, failed, is_of_time: false, says, other });
    };
    let share = share(effect, &compared.comparison, arm.role).map(|share| share.times(longer(arm, before, findings)));
    let has_failed_control =
        share.is_some() && control_of(arm, before).is_some_and(|(_, control)| !matches!(control.found(findings), Some(Ok(_))));
    let verdict = compared.comparison.verdict;
    let is_added = matches!(arm.role, Role::Added | Role::AddedSome | Role::AddedTime | Role::Spare | Role::Weight);
    // The same code may be started for more work-items.
    let is_same_work = is_added && compared.code.as_ref().is_some_and(CodeComparison::is_same_work);
    let left = arm.left(findings);
    let is_dropped = is_same_work || left == Some(Left::None);
    let says = match (share, definition.of_same()) {
        _ if is_dropped => Some(Conclusion::Unclear(Doubt::Dropped)),
        _ if has_failed_control => Some(Conclusion::Unclear(Doubt::Failed)),
        (Some(share), _) if arm.role == Role::Base => (share.share.abs() > MOST_OF_BASE).then_some(Conclusion::Unclear(Doubt::Frame)),
        (Some(share), _) if arm.role == Role::Control => (share.share.abs() > MOST_OF_CONTROL).then_some(Conclusion::Unclear(Doubt::Frame)),
        (None, Some(_)) if matches!(arm.role, Role::Control | Role::Base) => {
            (!matches!(verdict, Verdict::Same | Verdict::Unclear)).then_some(Conclusion::Unclear(Doubt::Frame))
        }
        (Some(share), _) if arm.role == Role::ControlTime => {
            (share.share.abs() > MOST_OF_TIME).then_some(Conclusion::Unclear(Doubt::Frame))
        }
        (Some(share), _) if arm.role == Role::Weight => (share.low < LEAST_WEIGHT).then_some(Conclusion::Unclear(Doubt::Hidden)),
        (Some(share), _) if arm.role == Role::Spare => Some(by_share(share.rest(), definition)),
        (Some(share), _) if is_added && (share.share > MOST_ADDED || share.share < -MOST_OF_CONTROL) => {
            Some(Conclusion::Unclear(Doubt::TooMuch))
        }
        (Some(share), _) => Some(match by_share(share, definition) {
            Conclusion::Refuted if left == Some(Left::Some) => Conclusion::Unclear(Doubt::Dropped),
            Conclusion::Refuted if arm.role == Role::AddedSome => Conclusion::Unclear(Doubt::Between),
            says => says,
        }),
        (None, Some(of_same)) => Some(match of_none(verdict, of_same) {
            // That what is hardly there costs nothing shows nothing.
            Conclusion::Confirmed if of_same == OfSame::Stays && left == Some(Left::Some) => Conclusion::Unclear(Doubt::Dropped),
            Conclusion::Confirmed if of_same == OfSame::Stays && arm.role == Role::AddedSome => Conclusion::Unclear(Doubt::Between),
            says => says,
        }),
        (None, None) => Some(Conclusion::Unclear(Doubt::Between)),
    };
    let is_of_time = share.is_some() && arm.role.is_of_time();
    Some(TestedArm { name, comparison: Some(compared.comparison), busy: compared.busy, share, failed: None, is_of_time, says, other })
}

/// The arm that the first of this one comes from, with its place.
fn control_of<'a>(arm: &Arm, before: &'a [Arm]) -> Option<(usize, &'a Arm)> {
    before.iter().enumerate().rev().find(|(_, control)| control.tasks.1 == arm.tasks.0)
}

/// How many times as long the arm's first takes as what the experiment began with, most likely, at least and at most: an arm that adds to what a control has
/// is compared with that control, and its share is one of the difference between the two that were explained.
fn longer(arm: &Arm, before: &[Arm], findings: &[Finding]) -> [f64; 3] {
    let Some((index, control)) = control_of(arm, before) else { return [1.0; 3] };
    let comparison = control.found(findings).and_then(|found| found.as_ref().ok()).map(|compared| compared.comparison);
    let own = comparison
        .filter(|comparison| comparison.low > 0.0)
        .map_or([1.0; 3], |Comparison { ratio, low, high, .. }| [1.0 / ratio, 1.0 / high, 1.0 / low]);
    let begun = before.get(..index).map_or([1.0; 3], |before| longer(control, before, findings));
    std::array::from_fn(|end| own.get(end).zip(begun.get(end)).map_or(1.0, |(own, begun)| own * begun))
}

/// What is added may cost so many times the difference at most: the cause alone cannot cost more than what it explains by much. Nor can it save much: what
/// makes a kernel faster moved something else.
const MOST_ADDED: f64 = 2.0;

/// A control may cost this share of the difference at most.
const MOST_OF_CONTROL: f64 = 0.5;

/// What a base costs is told apart from what is moved; where it is many times the difference, the kernel is another one.
const MOST_OF_BASE: f64 = 4.0;

/// And this share of the time where nothing else is asked about.
const MOST_OF_TIME: f64 = 0.1;

/// What is to take time has to take this share of it at least.
const LEAST_WEIGHT: f64 = 0.25;

fn by_share(share: Share, definition: &Definition) -> Conclusion {
    if share.share >= definition.if_true && share.low > definition.if_false {
        Conclusion::Confirmed
    } else if share.share <= definition.if_false && share.high < definition.if_true {
        Conclusion::Refuted
    } else {
        Conclusion::Unclear(Doubt::Between)
    }
}

/// Where there was no difference.
const fn of_none(seen: Verdict, expected: OfSame) -> Conclusion {
    match (seen, expected) {
        (Verdict::Unclear, _) => Conclusion::Unclear(Doubt::Between),
        (Verdict::Same, OfSame::Stays) | (Verdict::Faster | Verdict::Slower, OfSame::Appears) => Conclusion::Confirmed,
        (Verdict::Same, OfSame::Appears) | (Verdict::Faster | Verdict::Slower, OfSame::Stays) => Conclusion::Refuted,
    }
}

/// All that decide have to agree, and one has to decide; where there was no difference, one that appears anywhere decides. What was dropped, changes the kernel by itself, or takes no time, makes everything else worthless.
fn together(says: impl Iterator<Item = Conclusion>, of_same: Option<OfSame>) -> Conclusion {
    let says: Vec<Conclusion> = says.collect();
    let is_worthless = |says: &&Conclusion| matches!(says, Conclusion::Unclear(Doubt::Dropped | Doubt::Frame | Doubt::Hidden));
    if let Some(worthless) = says.iter().find(is_worthless) {
        return *worthless;
    }
    match [Conclusion::Confirmed, Conclusion::Refuted].map(|decided| says.contains(&decided)) {
        [true, true] => match of_same {
            Some(OfSame::Appears) => Conclusion::Confirmed,
            Some(OfSame::Stays) => Conclusion::Refuted,
            None => Conclusion::Unclear(Doubt::Disagree),
        },
        [true, false] => Conclusion::Confirmed,
        [false, true] => Conclusion::Refuted,
        [false, false] => says.first().copied().unwrap_or(Conclusion::Unclear(Doubt::Failed)),
    }
}

impl Share {
    /// What is left of all.
    fn rest(self) -> Self {
        Self { share: 1.0 - self.share, low: 1.0 - self.high, high: 1.0 - self.low }
    }

    /// So many times as much, most likely, at least and at most.
    fn times(self, [times, least, most]: [f64; 3]) -> Self {
        let ends = [self.low * least, self.low * most, self.high * least, self.high * most];
        Self {
            share: self.share * times,
            low: ends.into_iter().fold(f64::INFINITY, f64::min),
            high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// What part of the effect, or of the time, an arm shows; `None` where there was no effect.
fn share(effect: &Comparison, arm: &Comparison, role: Role) -> Option<Share> {
    let whole = if role.is_of_time() { [1.0; 3] } else { more(effect, effect.verdict)? };
    let part = match role {
        Role::Alike | Role::Grown => more(arm, effect.verdict),
        Role::Added | Role::AddedSome | Role::Control | Role::Base | Role::AddedTime | Role::ControlTime | Role::Spare | Role::Weight => {
            more(arm, Verdict::Slower)
        }
    }?;
    let of = |[part, whole]: [f64; 2]| if role == Role::Alike { 1.0 - part / whole } else { part / whole };
    let [part_middle, part_low, part_high] = part;
    let [whole_middle, whole_low, whole_high] = whole;
    let ends = [[part_low, whole_low], [part_low, whole_high], [part_high, whole_low], [part_high, whole_high]].map(of);
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let share = Share { share: of([part_middle, whole_middle]), low, high };
    // Files have no other numbers.
    [share.share, low, high].iter().all(|end| end.is_finite()).then_some(share)
}

/// What the one that is slower in the effect takes more: the middle, the low and the high end. `None` without a difference, or without a ratio.
fn more(comparison: &Comparison, seen: Verdict) -> Option<[f64; 3]> {
    let Comparison { ratio, low, high, .. } = *comparison;
    if low <= 0.0 {
        return None;
    }
    match seen {
        Verdict::Faster => Some([ratio, low, high].map(|ratio| ratio - 1.0)),
        Verdict::Slower => Some([ratio, high, low].map(|ratio| 1.0 / ratio - 1.0)),
        Verdict::Same | Verdict::Unclear => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Conclusion, Doubt, Share, judged, share, together};
    use crate::Finding;
    use crate::experiment::definition::{OfSame, by_id};
    use crate::experiment::plan::{Arm, Role};
    use crate::experiment::telling;
    use crate::testing::{compared_as, same_code};
    use base::error::Error;
    use engine::compiled::CodeComparison;
    use engine::{Compared, PictureRef, Target, Task};
    use model::measure::{Comparison, Verdict};
    use model::{Channels, CpuEngine};
    use pictures::Picture;
    use std::sync::Arc;

    fn of(ratio: f64, low: f64, high: f64) -> Comparison {
        Comparison { ratio, low, high, verdict: Verdict::of_interval(low, high), starts: 1 }
    }

    fn compared(ratio: f64) -> Compared {
        compared_as(of(ratio, ratio / 1.01, ratio * 1.01))
    }

    fn arm(name: &'static str, role: Role) -> Arm {
        let picture = PictureRef::new(Arc::new(Picture::from_fn(2, 2, Channels::Gray, |_, _, _| 0)));
        let task = Task::new(picture, Target::Cpu(CpuEngine::Scalar));
        Arm { name, tasks: Box::new((task.clone(), task)), role, is_warm: false, kept: None }
    }

    fn says(id: &str, role: Role, effect: f64, ratio: f64) -> Conclusion {
        let arm = arm("test", role);
        let found = Finding::Compared(arm.tasks.clone(), Ok(compared(ratio)));
        judged(by_id(id).expect("an experiment"), &compared(effect), &[arm], &[found]).conclusion
    }

    #[test]
    fn a_difference_that_goes_with_its_cause_confirms_it_and_one_that_stays_refutes_it() {
        // Twice as fast; alike in the cause, as fast as each other.
        assert_eq!(says("local-size", Role::Alike, 2.0, 1.0), Conclusion::Confirmed);
        assert_eq!(says("local-size", Role::Alike, 2.0, 2.0), Conclusion::Refuted);
        assert_eq!(says("local-size", Role::Alike, 2.0, 1.6), Conclusion::Unclear(Doubt::Between));
        // Half as fast, and one that turns round.
        assert_eq!(says("local-size", Role::Alike, 0.5, 1.02), Conclusion::Confirmed);
        assert_eq!(says("local-size", Role::Alike, 0.5, 0.5), Conclusion::Refuted);
        assert_eq!(says("local-size", Role::Alike, 0.5, 1.5), Conclusion::Confirmed);
    }

    #[test]
    fn what_is_added_costs_the_difference_or_it_does_not() {
        // The faster takes half the time; with what it saves it takes twice, or 1.1 times as long.
        assert_eq!(says("saved-loads", Role::Added, 2.0, 0.5), Conclusion::Confirmed);
        assert_eq!(says("saved-loads", Role::Added, 2.0, 1.0 / 1.1), Conclusion::Refuted);
        assert_eq!(says("saved-loads", Role::Added, 0.5, 0.5), Conclusion::Confirmed);
        // Three times as much as the difference is more than its cause.
        assert_eq!(says("saved-loads", Role::Added, 2.0, 0.25), Conclusion::Unclear(Doubt::TooMuch));
        // Two that are as fast as each other: what is saved costs nothing, or it does.
        assert_eq!(says("saved-loads", Role::Added, 1.0, 1.0), Conclusion::Confirmed);
        assert_eq!(says("saved-loads", Role::Added, 1.0, 0.5), Conclusion::Refuted);
        // A control that costs as much as the difference says that nothing can be said.
        let all = |control: f64| {
            let arms = [arm("control", Role::Control), arm("added", Role::Added)];
            let definition = by_id("saved-loads").expect("known");
            let effect = compared(2.0);
            // Both are of the same tasks here, so each is judged by itself.
            let of = |arm: &Arm, ratio: f64| {
                judged(definition, &effect, std::slice::from_ref(arm), &[Finding::Compared(arm.tasks.clone(), Ok(compared(ratio)))])
            };
            (of(&arms[0], control).arms[0].says, of(&arms[1], 0.5).conclusion)
        };
        assert_eq!(all(0.95), (None, Conclusion::Confirmed));
        assert_eq!(all(0.5).0, Some(Conclusion::Unclear(Doubt::Frame)));
    }

    #[test]
    fn what_is_added_to_a_base_is_a_share_of_the_difference_and_not_of_the_base() {
        let all = |base: f64, far: f64| {
            let of = |side| {
                let picture = PictureRef::new(Arc::new(Picture::from_fn(side, side, Channels::Gray, |_, _, _| 0)));
                Task::new(picture, Target::Cpu(CpuEngine::Scalar))
            };
            let [fast, near, far_away] = [1, 2, 3].map(of);
            let arms = [(Role::Base, &fast, &near, base), (Role::Added, &near, &far_away, far)].map(|(role, first, second, ratio)| {
                let arm = Arm { tasks: Box::new((first.clone(), second.clone())), ..arm("near", role) };
                (Finding::Compared(arm.tasks.clone(), Ok(compared(ratio))), arm)
            });
            let (findings, arms): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
            let tested = judged(by_id("addresses").expect("known"), &compared(2.0), &arms, &findings);
            (tested.arms[0].says, tested.arms[1].share.map(|share| (100.0 * share.share).round()), tested.conclusion)
        };
        // The base takes twice as long, and the far addresses half as much again: as much as the difference.
        assert_eq!(all(0.5, 1.0 / 1.5), (None, Some(100.0), Conclusion::Confirmed));
        assert_eq!(all(0.5, 1.0 / 1.05), (None, Some(10.0), Conclusion::Refuted));
        assert_eq!(all(0.1, 1.0 / 1.05).0, Some(Conclusion::Unclear(Doubt::Frame)));
    }

    #[test]
    fn what_was_only_counted_in_code_can_confirm_and_not_refute() {
        assert_eq!(says("added-shuffles", Role::AddedSome, 0.5, 0.5), Conclusion::Confirmed);
        assert_eq!(says("added-shuffles", Role::AddedSome, 0.5, 1.0), Conclusion::Unclear(Doubt::Between));
    }

    #[test]
    fn what_the_compiler_dropped_is_not_judged() {
        let arm = arm("added", Role::Added);
        let code = same_code();
        let found = Finding::Compared(arm.tasks.clone(), Ok(Compared { code: Some(code), ..compared(1.0) }));
        let tested = judged(by_id("saved-loads").expect("known"), &compared(2.0), &[arm], &[found]);
        assert_eq!(tested.conclusion, Conclusion::Unclear(Doubt::Dropped));
    }

    #[test]
    fn the_same_code_for_more_work_items_is_judged() {
        let arm = arm("more-items", Role::Added);
        let code = CodeComparison { is_same_launch: false, ..same_code() };
        let found = Finding::Compared(arm.tasks.clone(), Ok(Compared { code: Some(code), ..compared(0.5) }));
        let tested = judged(by_id("empty-starts").expect("known"), &compared(2.0), &[arm], &[found]);
        assert_eq!(tested.conclusion, Conclusion::Confirmed);
    }

    #[test]
    fn shares_of_the_time_are_told_as_such_and_equal_ends_once() {
        let of = |role, ratio: f64| {
            let arm = arm("operations-twice", role);
            let found = Finding::Compared(arm.tasks.clone(), Ok(compared(ratio)));
            telling::arm(&judged(by_id("operations-twice").expect("known"), &compared(2.0), &[arm], &[found]).arms[0])
        };
        assert_eq!(of(Role::AddedTime, 0.5), "With as many operations again: 0.500× (0.495–0.505); 100 % of the time (98 to 102)");
        assert_eq!(of(Role::Added, 1.0001), "With as many operations again: 1.00× (0.99–1.01); 0 % of the difference (-1 to 1)");
        let exact = |role| {
            let arm = arm("operations-twice", role);
            let exact = of_ratio(0.8);
            let found = Finding::Compared(arm.tasks.clone(), Ok(compared_as(exact)));
            let effect = compared_as(of_ratio(2.0));
            telling::arm(&judged(by_id("operations-twice").expect("known"), &effect, &[arm], &[found]).arms[0])
        };
        assert_eq!(exact(Role::AddedTime), "With as many operations again: 0.800×; 25 % of the time");
        assert_eq!(exact(Role::Added), "With as many operations again: 0.800×; 25 % of the difference");
    }

    fn of_ratio(ratio: f64) -> Comparison {
        of(ratio, ratio, ratio)
    }

    #[test]
    fn what_a_launch_hides_comes_out_over_more_pixels() {
        assert_eq!(says("launch-cost", Role::Grown, 1.2, 1.8), Conclusion::Confirmed);
        assert_eq!(says("launch-cost", Role::Grown, 1.5, 1.5), Conclusion::Refuted);
        assert_eq!(says("launch-cost", Role::Grown, 1.0, 1.5), Conclusion::Confirmed);
        assert_eq!(says("launch-cost", Role::Grown, 1.0, 1.0), Conclusion::Refuted);
    }

    #[test]
    fn a_share_has_an_interval_of_both() {
        let Share { share, low, high } = share(&of(2.0, 1.8, 2.2), &of(1.5, 1.4, 1.6), Role::Alike).expect("an effect");
        assert!((share - 0.5).abs() < 1e-9 && (low - (1.0 - 0.6 / 0.8)).abs() < 1e-9 && (high - (1.0 - 0.4 / 1.2)).abs() < 1e-9);
        // The first of the effect is the faster one: 1 / 0.5 - 1.
        let of_slower = super::share(&of(0.5, 0.4, 0.6), &of(0.5, 0.4, 0.6), Role::Grown).expect("an effect");
        assert!((of_slower.share - 1.0).abs() < 1e-9 && of_slower.low < 1.0 && of_slower.high > 1.0);
        assert_eq!(super::share(&of(1.0, 0.99, 1.01), &of(1.5, 1.4, 1.6), Role::Alike), None);
    }

    #[test]
    fn arms_that_contradict_each_other_decide_nothing_and_one_that_does_not_decide_is_passed_over() {
        use Conclusion::{Confirmed, Refuted, Unclear};
        let of = |says: &[Conclusion]| together(says.iter().copied(), None);
        assert_eq!(of(&[Confirmed, Confirmed]), Confirmed);
        assert_eq!(of(&[Unclear(Doubt::Between), Refuted]), Refuted);
        assert_eq!(of(&[Confirmed, Refuted, Confirmed]), Unclear(Doubt::Disagree));
        assert_eq!(together([Confirmed, Refuted].into_iter(), Some(OfSame::Stays)), Refuted);
        assert_eq!(together([Confirmed, Refuted].into_iter(), Some(OfSame::Appears)), Confirmed);
        assert_eq!(of(&[Confirmed, Unclear(Doubt::Dropped)]), Unclear(Doubt::Dropped));
        assert_eq!(of(&[Unclear(Doubt::Failed)]), Unclear(Doubt::Failed));
    }

    #[test]
    fn an_arm_that_failed_says_why() {
        let arm = arm("test", Role::Alike);
        let found = Finding::Compared(arm.tasks.clone(), Err(Error::failed("It broke", "of itself", "")));
        let tested = judged(by_id("local-size").expect("known"), &compared(2.0), &[arm], &[found]);
        assert_eq!(tested.conclusion, Conclusion::Unclear(Doubt::Failed));
        assert!(tested.arms[0].failed.as_ref().expect("a reason").english().contains("It broke"));
    }
}
