//! When a stage applies: rules as data, why they are there, and what is said where one is broken.

use super::Filter;
use crate::filters::SettingExt;
use base::texts;
use model::{Setting, StageId, Variant};
use std::fmt;
use std::ops::RangeInclusive;

/// What a stage asks for when it is on, and why.
pub struct Rule {
    /// What must hold.
    pub condition: Condition,
    /// What kind of reason it has.
    pub kind: Kind,
    /// What the reason goes by under `rules.reason` of the texts. What precedes it is generated, see [`Rule::heading`].
    pub(super) reason: &'static str,
}

/// A test of a variant in its setting.
pub type Test = &'static (dyn Fn(&Variant, Setting) -> bool + Sync);

/// What must hold where a stage is on.
#[derive(Clone, Copy)]
pub enum Condition {
    /// Another stage is on; turning this one on turns that one on.
    Needs(StageId),
    /// One of these stages has the value beside it; turning this one on gives the first of them that the filter knows its value.
    NeedsOneOf(&'static [(StageId, u8)]),
    /// Where the stage has this value, another stage is on; choosing it turns that one on.
    ValueNeeds(u8, StageId),
    /// Another stage is off; turning this one on turns that one off.
    Excludes(StageId),
    /// The device can do it, with these channels.
    NeedsAbility(fn(Setting) -> bool),
    /// Where the stage has this value, the device can do it, with these channels.
    ValueNeedsAbility(u8, fn(Setting) -> bool),
    /// The filter's partial sums, the smallest and the largest, lie where the test says.
    NeedsSums(fn(RangeInclusive<i32>) -> bool),
    /// Where the stage has this value, none of the filter's sums is above this.
    ValueNeedsSums(u8, i32),
    /// The test does not hold for the variant with this stage left out.
    NotWhere(Test),
}

/// Why a stage cannot be on: a learner is not to take a limit of this program for one of OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It makes no sense otherwise, in any program.
    Limit,
    /// It would change nothing.
    NothingToDo,
    /// OpenCL could; the kernels of this program do not.
    NotBuilt,
    /// Another stage of its group is on.
    Alternative,
    /// The device cannot.
    Device,
    /// The filter has no such stage, or the stage no such value for these channels.
    NotOffered,
}

impl Kind {
    /// For programs that read our output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::NothingToDo => "nothing to do",
            Self::NotBuilt => "not built here",
            Self::Alternative => "alternative",
            Self::Device => "device",
            Self::NotOffered => "not offered",
        }
    }
}

/// Why a stage cannot be on as things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// What kind of reason it is.
    pub kind: Kind,
    /// One sentence without a full stop; it says by itself where something is not built here.
    pub sentence: String,
}

impl fmt::Display for Objection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

impl Rule {
    const fn limit(condition: Condition, reason: &'static str) -> Self {
        Self { condition, kind: Kind::Limit, reason }
    }

    /// Needs another stage to be on.
    #[must_use]
    pub const fn needs(other: StageId, reason: &'static str) -> Self {
        Self::limit(Condition::Needs(other), reason)
    }

    /// Needs one of these stages to have the value beside it.
    #[must_use]
    pub const fn needs_one_of(others: &'static [(StageId, u8)], reason: &'static str) -> Self {
        Self::limit(Condition::NeedsOneOf(others), reason)
    }

    /// Cannot be on together with another stage. For alternatives, see [`model::Group`].
    #[must_use]
    pub const fn excludes(other: StageId, reason: &'static str) -> Self {
        Self::limit(Condition::Excludes(other), reason)
    }

    /// Needs the device to be able to do it.
    #[must_use]
    pub const fn needs_ability(has: fn(Setting) -> bool, reason: &'static str) -> Self {
        Self { condition: Condition::NeedsAbility(has), kind: Kind::Device, reason }
    }

    /// This value of the stage needs the device to be able to do it.
    #[must_use]
    pub const fn value_needs_ability(value: u8, has: fn(Setting) -> bool, reason: &'static str) -> Self {
        Self { condition: Condition::ValueNeedsAbility(value, has), kind: Kind::Device, reason }
    }

    /// Needs the filter's sums to fit.
    #[must_use]
    pub const fn needs_sums(fit: fn(RangeInclusive<i32>) -> bool, reason: &'static str) -> Self {
        Self::limit(Condition::NeedsSums(fit), reason)
    }

    /// What is said where the rule is broken in `filter`: it names no stage that the filter does not have.
    #[must_use]
    pub fn sentence(&self, filter: &Filter) -> String {
        let heading = self.heading(filter);
        let mut letters = heading.chars();
        match letters.next() {
            None => self.reason().to_owned(),
            Some(first) => {
                let heading = format!("{}{}", first.to_uppercase(), letters.as_str());
                texts::filled("rules.sentence", &[("heading", &heading), ("reason", &self.reason())])
            }
        }
    }

    /// One sentence without a full stop.
    fn reason(&self) -> &'static str {
        // A test holds every rule to have one.
        texts::find(&format!("rules.reason.{}", self.reason)).unwrap_or(self.reason)
    }

    /// What precedes the reason: "needs Vectorize", "not implemented without Vectorize"; empty where the reason says it all.
    #[must_use]
    pub fn heading(&self, filter: &Filter) -> String {
        let stages = match self.condition {
            Condition::Excludes(other) if self.kind == Kind::NotBuilt => return Self::not_built_beside(other),
            Condition::Needs(other) | Condition::ValueNeeds(_, other) | Condition::Excludes(other) => other.stage().label().to_owned(),
            Condition::NeedsOneOf(others) => one_of(others, filter),
            Condition::NeedsAbility(_)
            | Condition::ValueNeedsAbility(..)
            | Condition::NeedsSums(_)
            | Condition::ValueNeedsSums(..)
            | Condition::NotWhere(_) => String::new(),
        };
        match self.kind {
            Kind::NotBuilt if stages.is_empty() => texts::text("rules.heading.not-built").to_owned(),
            Kind::NotBuilt => texts::filled("rules.heading.not-built-without", &[("stages", &stages)]),
            _ if stages.is_empty() => String::new(),
            Kind::NothingToDo => texts::filled("rules.heading.nothing-to-do-beside", &[("stages", &stages)]),
            _ if matches!(self.condition, Condition::Excludes(_)) => texts::filled("rules.heading.excludes", &[("stages", &stages)]),
            _ => texts::filled("rules.heading.needs", &[("stages", &stages)]),
        }
    }

    /// That the kernels here lack a combination.
    #[must_use]
    pub fn not_built_beside(other: StageId) -> String {
        texts::filled("rules.heading.not-built-with", &[("stage", &other.stage().label())])
    }

    /// The rule's objection.
    #[must_use]
    pub fn objection(&self, filter: &Filter) -> Objection {
        Objection { kind: self.kind, sentence: self.sentence(filter) }
    }

    /// Whether stage `id` of `variant` breaks the rule, when all stages up to `last` are decided: what stages after it may still fix is not
    /// broken yet. With the last stage of all, it is broken or kept for good.
    #[must_use]
    pub fn is_broken(&self, id: StageId, variant: &Variant, filter: &Filter, setting: Setting, last: StageId) -> bool {
        let is_off = |other: StageId| other <= last && !variant.is_on(other);
        match self.condition {
            Condition::Needs(other) => is_off(other),
            Condition::NeedsOneOf(others) => others.iter().all(|&(other, value)| other <= last && variant.value(other) != value),
            Condition::ValueNeeds(value, other) => variant.value(id) == value && is_off(other),
            Condition::Excludes(other) => variant.is_on(other),
            Condition::NeedsAbility(has) => !has(setting),
            Condition::ValueNeedsAbility(value, has) => variant.value(id) == value && !has(setting),
            Condition::NeedsSums(fit) => !fit(setting.sums(filter)),
            Condition::ValueNeedsSums(value, most) => variant.value(id) == value && *setting.sums(filter).end() > most,
            // The test may look at any stage.
            Condition::NotWhere(test) => last == StageId::LAST && test(&variant.without(id), setting),
        }
    }
}

/// "Padded source or Image object (4 pixels)": those that the filter has, with values where not all of them would do.
fn one_of(others: &[(StageId, u8)], filter: &Filter) -> String {
    let words = filter.stages.iter().filter_map(|offer| {
        let (would_do, would_not): (Vec<_>, Vec<_>) = offer.values().partition(|value| others.contains(&(offer.id, value.value)));
        let labels: Vec<_> = would_do.iter().map(|value| value.label()).collect();
        let stage = offer.id.stage().label();
        match (would_do.is_empty(), would_not.is_empty()) {
            (true, _) => None,
            (false, true) => Some(stage.to_owned()),
            (false, false) => Some(texts::filled("rules.with-values", &[("stage", &stage), ("values", &labels.join(", "))])),
        }
    });
    words.reduce(|first, second| texts::filled("rules.or", &[("first", &first), ("second", &second)])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Condition, Kind, Rule};
    use crate::filters;
    use crate::filters::SettingExt;
    use model::{BorderMode, Channels, Parameters, Setting, StageId, Variant};
    use std::collections::BTreeMap;

    #[test]
    fn rules_on_sums_know_the_parameters() {
        let filter = filters::by_name("box").expect("box");
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        let with_radius = |radius: f64| {
            let parameters = Parameters(BTreeMap::from([("radius".to_owned(), radius)]));
            setting.with_parameters(filter, &parameters)
        };
        // 8 × 8 pixels of 255 by default, 32 × 32 at most.
        assert_eq!((setting.sums(filter), with_radius(16.0).sums(filter)), (0..=16_320, 0..=261_120));
        let rule = Rule::needs_sums(|sums| *sums.end() <= i32::from(u16::MAX), "The sums of this filter exceed 16 bits");
        let is_broken = |setting| rule.is_broken(StageId::Short16, &Variant::naive(), filter, setting, StageId::LAST);
        // 16 × 16 · 255 = 65280 fits 16 bits, 18 × 18 · 255 = 82620 does not.
        assert_eq!([setting, with_radius(8.0), with_radius(9.0), with_radius(16.0)].map(is_broken), [false, false, true, true]);
        assert_eq!(with_radius(1e12).sums(filter), setting.sums(filter), "out of range: as by default");
    }

    #[test]
    fn a_rule_is_broken_only_when_no_later_stage_can_fix_it() {
        let filter = filters::by_name("laplace").expect("laplace");
        let setting = Setting::new(Channels::Gray, BorderMode::Copy);
        let variant = Variant::naive().with(StageId::Merged, 1);
        let is_broken = |rule: &Rule, last| rule.is_broken(StageId::Merged, &variant, filter, setting, last);
        // Image comes after Merged, Vectorize before it.
        let (later, earlier) = (Rule::needs(StageId::Image, "reason"), Rule::needs(StageId::Vectorize, "reason"));
        assert_eq!([StageId::Merged, StageId::Image].map(|last| is_broken(&later, last)), [false, true]);
        assert!(is_broken(&earlier, StageId::Merged));
        let either = Rule::needs_one_of(&[(StageId::Vectorize, 4), (StageId::Image, 1)], "reason");
        assert_eq!([StageId::Merged, StageId::LAST].map(|last| is_broken(&either, last)), [false, true]);
        // The test may look at any stage, so at nothing before all are decided.
        let nowhere = Rule { condition: Condition::NotWhere(&|_, _| true), kind: Kind::NothingToDo, reason: "reason" };
        assert_eq!([StageId::Merged, StageId::LAST].map(|last| is_broken(&nowhere, last)), [false, true]);
    }

    #[test]
    fn sentences_name_the_stages_and_the_kind() {
        let [sobel, laplace] = ["sobel", "laplace"].map(|name| filters::by_name(name).expect("a filter"));
        let sentence = |rule: Rule| (rule.kind, rule.sentence(sobel));
        let choice: &[(StageId, u8)] = &[(StageId::Padded, 1), (StageId::Image, 2)];
        let one_of = Rule::needs_one_of(choice, "why");
        assert_eq!(one_of.sentence(sobel), "Needs Padded source or Image object (4 pixels): why");
        assert_eq!(one_of.sentence(laplace), "Needs Padded source: why", "its image objects have one pixel per texel");
        let of_kind = |kind, condition| sentence(Rule { condition, kind, reason: "why" });
        let without = of_kind(Kind::NotBuilt, Condition::Needs(StageId::Coalesced));
        assert_eq!(without, (Kind::NotBuilt, "Not implemented without Coalesced mapping: why".to_owned()));
        assert_eq!(of_kind(Kind::NotBuilt, Condition::NotWhere(&|_, _| true)).1, "Not implemented in this program: why");
        assert_eq!(of_kind(Kind::NothingToDo, Condition::Excludes(StageId::Walk)).1, "No effect together with Row walking: why");
        assert_eq!(sentence(Rule::excludes(StageId::Merged, "why")), (Kind::Limit, "Excludes Merged loads: why".to_owned()));
    }
}
