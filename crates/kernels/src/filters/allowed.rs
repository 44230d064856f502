//! What is allowed: a variant held to the rules, made allowed, enumerated.

use super::{Condition, Filter, Kind, Objection, Rule, stage_rules};
use crate::filters::FilterIdExt;
use base::error::Result;
use base::texts;
use model::{Group, Parameters, Setting, Spec, StageId, Variant, spelled, stages};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// What a setting is for a filter.
pub trait SettingExt: Sized {
    /// For what is computed, on a device that can do everything.
    #[must_use]
    fn of(spec: &Spec) -> Self;

    /// The same with these parameters of `filter`, which rules on sums depend on; a name that is missing has its default.
    #[must_use]
    fn with_parameters(self, filter: &Filter, parameters: &Parameters) -> Self;

    /// The smallest and largest value of any partial sum of `filter`.
    #[must_use]
    fn sums(&self, filter: &Filter) -> RangeInclusive<i32>;
}

impl SettingExt for Setting {
    fn of(spec: &Spec) -> Self {
        Self::new(spec.channels, spec.border).with_parameters(spec.filter.filter(), &spec.parameters)
    }

    fn with_parameters(self, filter: &Filter, parameters: &Parameters) -> Self {
        // Out of range, they would be refused elsewhere.
        let sums = (filter.sum_range)(&filter.complete(parameters).unwrap_or_default());
        Self { sums: Some((*sums.start(), *sums.end())), ..self }
    }

    fn sums(&self, filter: &Filter) -> RangeInclusive<i32> {
        self.sums.map_or_else(|| (filter.sum_range)(&Parameters::default()), |(least, most)| least..=most)
    }
}

/// Variants held to the rules of a filter.
pub trait VariantExt: Sized {
    /// Whether this variant may run for `filter` in `setting`.
    ///
    /// # Errors
    /// A usage error with the sentence of the first rule that is broken.
    fn check(&self, filter: &Filter, setting: Setting) -> Result<()>;

    /// Why `id`, which is on in this variant, may not be; `None` where all is well.
    #[must_use]
    fn objection(&self, id: StageId, filter: &Filter, setting: Setting) -> Option<Objection>;

    /// What a person gets who sets `id` to `value`: stages that it needs are turned on, stages that cannot stay are turned off, and
    /// each such change is told. The result is allowed.
    ///
    /// # Errors
    /// The objection that the disabled control shows, where no allowed variant has this value.
    fn switched(&self, id: StageId, value: u8, filter: &Filter, setting: Setting) -> std::result::Result<Switched, Objection>;

    /// This variant made allowed in `setting` (another picture or border mode, say), with what had to change.
    #[must_use]
    fn fitted(&self, filter: &Filter, setting: Setting) -> Switched;

    /// Every allowed variant of `filter` in `setting`, `naive` first, each once.
    #[must_use]
    fn all(filter: &Filter, setting: Setting) -> Vec<Self>;
}

impl VariantExt for Variant {
    fn check(&self, filter: &Filter, setting: Setting) -> Result<()> {
        match stages().filter(|stage| self.is_on(stage.id)).find_map(|stage| self.objection(stage.id, filter, setting)) {
            None => Ok(()),
            Some(objection) => {
                let values: [(&str, &dyn Display); 6] = [
                    ("variant", self),
                    ("channels", &setting.channels.name()),
                    ("filter", &filter.name()),
                    ("border", &setting.border.name()),
                    ("why", &objection.sentence),
                    ("options", &filter.options()),
                ];
                Err(texts::misused("errors.filter.not-allowed", &values))
            }
        }
    }

    fn objection(&self, id: StageId, filter: &Filter, setting: Setting) -> Option<Objection> {
        let stage = id.stage();
        let not_offered = |sentence: String| Some(Objection { kind: Kind::NotOffered, sentence });
        if filter.offer(id).is_none() {
            return not_offered(texts::filled("rules.no-such-stage", &[("filter", &filter.label()), ("stage", &stage.label())]));
        }
        if !filter.values_for(id, setting).any(|value| value.value == self.value(id)) {
            let known: Vec<_> = filter.values_for(id, setting).map(|value| spelled(stage.name, value)).collect();
            let channels = setting.channels.name();
            return not_offered(match known.as_slice() {
                [] => {
                    let values: [(&str, &dyn Display); 3] =
                        [("filter", &filter.label()), ("channels", &channels), ("stage", &stage.label())];
                    texts::filled("rules.no-such-stage-for", &values)
                }
                known => texts::filled("rules.other-values", &[("channels", &channels), ("values", &known.join(", "))]),
            });
        }
        self.breach(id, filter, setting, StageId::LAST).map(|breach| breach.objection(filter))
    }

    fn switched(&self, id: StageId, value: u8, filter: &Filter, setting: Setting) -> std::result::Result<Switched, Objection> {
        let mut variant = self.with(id, value);
        if variant.is_on(id) {
            variant = variant.with_needs(id, filter, setting);
            if let Some(objection) = variant.objection(id, filter, setting) {
                return Err(objection);
            }
        }
        Ok(variant.settled(filter, setting).told(self, Some(id), filter, setting))
    }

    fn fitted(&self, filter: &Filter, setting: Setting) -> Switched {
        let mut variant = *self;
        // A value that the new channels do not have becomes the nearest that they do.
        for stage in stages() {
            let wanted = variant.value(stage.id);
            if variant.is_on(stage.id) && !filter.values_for(stage.id, setting).any(|value| value.value == wanted) {
                let nearest = filter.values_for(stage.id, setting).min_by_key(|value| value.value.abs_diff(wanted));
                variant = variant.with(stage.id, nearest.map_or(stage.off, |value| value.value));
            }
        }
        variant.settled(filter, setting).told(self, None, filter, setting)
    }

    fn all(filter: &Filter, setting: Setting) -> Vec<Self> {
        let mut variants = vec![Self::naive()];
        for stage in stages().filter(|stage| filter.offer(stage.id).is_some()) {
            let on: Vec<_> = filter.values_for(stage.id, setting).map(|value| value.value).collect();
            variants = variants
                .iter()
                .flat_map(|variant| std::iter::once(*variant).chain(on.iter().map(|&value| variant.with(stage.id, value))))
                .filter(|variant| !variant.is_hopeless(stage.id, filter, setting))
                .collect();
        }
        variants.retain(|variant| variant.check(filter, setting).is_ok());
        variants
    }
}

/// Steps of [`VariantExt`].
trait Steps: Sized {
    /// What stage `id`, which is on, breaks when all stages up to `last` are decided and those after it may still fix things.
    fn breach(&self, id: StageId, filter: &Filter, setting: Setting, last: StageId) -> Option<Breach>;

    /// Whether one of these stages has the value beside it.
    fn has_one_of(&self, others: &[(StageId, u8)]) -> bool;

    /// Turns on what `id` needs, and off what it excludes or is an alternative to; what is needed may need more. Of several that would do, one that the filter knows.
    fn with_needs(self, id: StageId, filter: &Filter, setting: Setting) -> Self;

    /// Turns off whatever has an objection until nothing has.
    fn settled(self, filter: &Filter, setting: Setting) -> Self;

    /// With a note on each stage that changed, but for the one that was asked for.
    fn told(self, before: &Self, asked: Option<StageId>, filter: &Filter, setting: Setting) -> Switched;

    /// Where stage `id` cannot be on only because the kernels here lack the combination: words that say so.
    fn lack(&self, id: StageId, filter: &Filter, setting: Setting) -> Option<String>;

    /// Whether the stages up to `last` break something that no later stage can fix. Dropping these at once keeps the number of combinations
    /// that are looked at near the number of allowed ones.
    fn is_hopeless(&self, last: StageId, filter: &Filter, setting: Setting) -> bool;
}

impl Steps for Variant {
    fn breach(&self, id: StageId, filter: &Filter, setting: Setting, last: StageId) -> Option<Breach> {
        // Of two alternatives, the later in the table has the objection, so that one of them stays.
        let rival = stages().map(|stage| stage.id).find(|&other| other < id && self.is_on(other) && are_alternatives(id, other, filter));
        rival.zip(id.stage().group).map(|(other, group)| Breach::Alternative(other, group)).or_else(|| {
            let broken = rules(id, filter).find(|rule| rule.is_broken(id, self, filter, setting, last));
            broken.map(Breach::Rule)
        })
    }

    fn has_one_of(&self, others: &[(StageId, u8)]) -> bool {
        others.iter().any(|&(id, value)| self.value(id) == value)
    }

    fn with_needs(self, id: StageId, filter: &Filter, setting: Setting) -> Self {
        let with_first = |variant: Self, other: StageId| {
            let value = filter.values_for(other, setting).next().map_or(other.stage().off, |value| value.value);
            variant.with(other, value).with_needs(other, filter, setting)
        };
        let rivals = stages().map(|stage| stage.id).filter(|&other| are_alternatives(id, other, filter));
        let alone = rivals.fold(self, Self::without);
        rules(id, filter).fold(alone, |variant, rule| match rule.condition {
            Condition::Needs(other) if !variant.is_on(other) => with_first(variant, other),
            Condition::ValueNeeds(value, other) if variant.value(id) == value && !variant.is_on(other) => with_first(variant, other),
            Condition::NeedsOneOf(others) if !variant.has_one_of(others) => {
                let known = |&&(other, value): &&(StageId, u8)| filter.values_for(other, setting).any(|known| known.value == value);
                let chosen = others.iter().find(known);
                chosen.map_or(variant, |&(other, value)| variant.with(other, value).with_needs(other, filter, setting))
            }
            Condition::Excludes(other) => variant.without(other),
            _ => variant,
        })
    }

    fn settled(self, filter: &Filter, setting: Setting) -> Self {
        let mut variant = self;
        while let Some(stage) = stages().find(|stage| variant.is_on(stage.id) && variant.objection(stage.id, filter, setting).is_some()) {
            variant = variant.without(stage.id);
        }
        variant
    }

    fn told(self, before: &Self, asked: Option<StageId>, filter: &Filter, setting: Setting) -> Switched {
        let changed = stages().filter(|stage| Some(stage.id) != asked && self.value(stage.id) != before.value(stage.id));
        let notes = changed.map(|stage| {
            let label = stage.label();
            let note = match stage.value(self.value(stage.id)) {
                None => texts::filled("rules.now-off", &[("stage", &label)]),
                Some(value) if stage.values.len() == 1 || value.name.is_empty() => texts::filled("rules.now-on", &[("stage", &label)]),
                Some(value) => texts::filled("rules.now-value", &[("stage", &label), ("value", &value.label())]),
            };
            match self.with(stage.id, before.value(stage.id)).lack(stage.id, filter, setting) {
                None => note,
                Some(why) => texts::filled("rules.because", &[("note", &note), ("why", &why)]),
            }
        });
        Switched { variant: self, notes: notes.collect() }
    }

    fn lack(&self, id: StageId, filter: &Filter, setting: Setting) -> Option<String> {
        if !self.is_on(id) || !filter.values_for(id, setting).any(|value| value.value == self.value(id)) {
            return None;
        }
        match self.breach(id, filter, setting, StageId::LAST) {
            Some(Breach::Rule(rule)) => (rule.kind == Kind::NotBuilt).then(|| rule.heading(filter)),
            Some(Breach::Alternative(..)) => None,
            // Or a rule of another stage, which stays on.
            None => {
                let excludes_it = |other: &StageId| {
                    let is_lack =
                        |rule: &Rule| rule.kind == Kind::NotBuilt && matches!(rule.condition, Condition::Excludes(it) if it == id);
                    self.is_on(*other) && rules(*other, filter).any(is_lack)
                };
                stages().map(|stage| stage.id).find(excludes_it).map(Rule::not_built_beside)
            }
        }
    }

    fn is_hopeless(&self, last: StageId, filter: &Filter, setting: Setting) -> bool {
        let decided = stages().map(|stage| stage.id).filter(|&id| id <= last && self.is_on(id));
        decided.into_iter().any(|id| self.breach(id, filter, setting, last).is_some())
    }
}

/// The rules for a stage of a filter: the table's, as far as the filter has the stages that they exclude or choose among, then the filter's own. A filter with
/// vectors whose source is never padded takes care of the ends of rows itself.
pub fn rules(id: StageId, filter: &Filter) -> impl Iterator<Item = &'static Rule> {
    let concerns = |rule: &&Rule| match rule.condition {
        Condition::Excludes(other) => filter.offer(other).is_some(),
        Condition::NeedsOneOf(others) => others.iter().any(|&(other, _)| filter.offer(other).is_some()),
        _ => true,
    };
    stage_rules::of_stage(id).iter().filter(concerns).chain(filter.rules.iter().filter(move |(of, _)| *of == id).map(|(_, rule)| rule))
}

/// The stages of the filter that cannot be on together with `id`, as they are alternatives to it.
#[must_use]
pub fn alternatives(id: StageId, filter: &Filter) -> Vec<StageId> {
    filter.stages.iter().map(|offer| offer.id).filter(|&other| are_alternatives(id, other, filter)).collect()
}

/// Whether at most one of both stages can be on: they are of one group, and neither needs the other.
fn are_alternatives(id: StageId, other: StageId, filter: &Filter) -> bool {
    let needs =
        |id: StageId, other: StageId| rules(id, filter).any(|rule| matches!(rule.condition, Condition::Needs(needed) if needed == other));
    id != other && id.stage().group.is_some() && id.stage().group == other.stage().group && !needs(id, other) && !needs(other, id)
}

/// What stands in the way of a stage.
enum Breach {
    /// Another stage of the same group is on.
    Alternative(StageId, Group),
    /// A rule.
    Rule(&'static Rule),
}

impl Breach {
    fn objection(&self, filter: &Filter) -> Objection {
        match self {
            Self::Alternative(other, group) => {
                let sentence = texts::filled("rules.alternative", &[("stage", &other.stage().label()), ("what", &group.decides())]);
                Objection { kind: Kind::Alternative, sentence }
            }
            Self::Rule(rule) => rule.objection(filter),
        }
    }
}

/// A variant after a switch, with what else had to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switched {
    /// Allowed.
    pub variant: Variant,
    /// "Padded source is now on", one for each other stage that changed; where one was turned off only as the kernels here lack the combination,
    /// it says so.
    pub notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::VariantExt as _;
    use super::{Condition, Kind, Rule, Variant};
    use crate::filters::{self, Filter};
    use model::{Abilities, BorderMode, Channels, Setting, StageId};

    const RGB_COPY: Setting = Setting::new(Channels::Rgb, BorderMode::Copy);
    const GRAY_REPLICATE: Setting = Setting::new(Channels::Gray, BorderMode::Replicate);

    #[test]
    fn the_name_of_every_allowed_variant_survives_parsing_and_printing() {
        for filter in filters::all() {
            for variant in Variant::all(filter, RGB_COPY) {
                assert_eq!(Variant::parse(&variant.to_string()).expect("own name"), variant);
            }
        }
    }

    #[test]
    fn turning_a_stage_on_turns_on_what_it_needs_and_says_so() {
        let filter = filters::by_name("laplace").expect("laplace");
        let switched = Variant::naive().switched(StageId::Merged, 1, filter, RGB_COPY).expect("allowed");
        assert_eq!(switched.variant.to_string(), "padded+vectorize=4+merged");
        assert_eq!(switched.notes, ["Padded source is now on", "Vectorize is now 4"]);
    }

    #[test]
    fn turning_a_needed_stage_off_turns_off_what_hangs_on_it() {
        let filter = filters::by_name("laplace").expect("laplace");
        let variant = Variant::parse("padded+vectorize=8+merged+short16").expect("known");
        let switched = variant.switched(StageId::Padded, 0, filter, RGB_COPY).expect("allowed");
        assert_eq!(switched.variant, Variant::naive());
        assert_eq!(switched.notes.len(), 3);
    }

    #[test]
    fn a_stage_with_nothing_to_do_says_why() {
        let filter = filters::by_name("laplace").expect("laplace");
        let variant = Variant::parse("padded+vectorize=16").expect("known");
        let objection = variant.switched(StageId::Select, 1, filter, GRAY_REPLICATE).expect_err("nothing to do");
        assert!(objection.kind == Kind::NothingToDo && objection.sentence.starts_with("No branch is left"), "{objection}");
    }

    #[test]
    fn another_picture_takes_the_nearest_values_that_it_has() {
        let filter = filters::by_name("laplace").expect("laplace");
        let fitted = Variant::parse("padded+vectorize=5+select").expect("known").fitted(filter, GRAY_REPLICATE);
        assert_eq!(fitted.variant.to_string(), "padded+vectorize=4");
        assert_eq!(fitted.notes, ["Vectorize is now 4", "Branchless select is now off"]);
    }

    /// Everything that the filter can be asked for on a device that can do everything.
    fn settings(filter: &'static Filter) -> impl Iterator<Item = Setting> {
        filter.channels.iter().flat_map(|&channels| filter.borders.iter().map(move |&border| Setting::new(channels, border)))
    }

    fn all_allowed(filter: &'static Filter) -> Vec<(Setting, Variant)> {
        settings(filter).flat_map(|setting| Variant::all(filter, setting).into_iter().map(move |variant| (setting, variant))).collect()
    }

    #[test]
    fn every_offered_value_is_reached_from_naive_and_every_rule_refuses_some_variant() {
        for filter in filters::all() {
            let allowed = all_allowed(filter);
            for offer in filter.stages {
                for value in offer.values().filter(|value| value.channels.iter().any(|channels| filter.channels.contains(channels))) {
                    let is_reached = settings(filter).any(|setting| {
                        let switched = Variant::naive().switched(offer.id, value.value, filter, setting);
                        switched.is_ok_and(|switched| switched.variant.value(offer.id) == value.value)
                    });
                    assert!(is_reached, "{}: {:?} = {} is out of reach", filter.name(), offer.id, value.name);
                }
                let of_variants = |rule: &&Rule| {
                    !matches!(
                        rule.condition,
                        Condition::NeedsAbility(_)
                            | Condition::ValueNeedsAbility(..)
                            | Condition::NeedsSums(_)
                            | Condition::ValueNeedsSums(..)
                    )
                };
                for rule in super::rules(offer.id, filter).filter(of_variants) {
                    let is_broken = |(setting, variant): &(Setting, Variant), value| {
                        rule.is_broken(offer.id, &variant.with(offer.id, value), filter, *setting, StageId::LAST)
                    };
                    let refuses = allowed.iter().any(|case| offer.values().any(|value| is_broken(case, value.value)));
                    assert!(refuses, "{}: {:?}: nothing ever breaks '{}'", filter.name(), offer.id, rule.sentence(filter));
                }
            }
        }
    }

    #[test]
    fn what_is_listed_as_allowed_is_just_what_the_rules_allow() {
        // Without pruning: every combination of the values that the filter offers.
        for filter in filters::all() {
            for setting in settings(filter) {
                let mut combinations = vec![Variant::naive()];
                for offer in filter.stages {
                    let with_values = |variant: &Variant| {
                        let values = filter.values_for(offer.id, setting).map(|value| variant.with(offer.id, value.value));
                        std::iter::once(*variant).chain(values).collect::<Vec<_>>()
                    };
                    combinations = combinations.iter().flat_map(with_values).collect();
                }
                combinations.retain(|variant| {
                    filter.stages.iter().all(|offer| !variant.is_on(offer.id) || variant.objection(offer.id, filter, setting).is_none())
                });
                assert_eq!(Variant::all(filter, setting), combinations, "{} {setting:?}", filter.name());
            }
        }
    }

    #[test]
    fn a_stage_switched_on_and_off_again_leaves_an_allowed_variant_without_it() {
        for filter in filters::all() {
            for (setting, variant) in all_allowed(filter).into_iter().filter(|(setting, _)| setting.border == filter.default_border) {
                for (id, value) in filter.stages.iter().flat_map(|offer| offer.values().map(|value| (offer.id, value.value))) {
                    let Ok(on) = variant.switched(id, value, filter, setting) else { continue };
                    assert_eq!(on.variant.value(id), value, "{} {variant} {id:?}", filter.name());
                    on.variant.check(filter, setting).expect("allowed");
                    let off = on.variant.switched(id, id.stage().off, filter, setting).expect("every stage can be turned off");
                    off.variant.check(filter, setting).expect("allowed");
                    assert!(!off.variant.is_on(id), "{} {variant} {id:?}", filter.name());
                }
            }
        }
    }

    #[test]
    fn alternatives_exclude_each_other_unless_one_needs_the_other() {
        let filter = |name| filters::by_name(name).expect("a filter");
        let gray = Setting::new(Channels::Gray, BorderMode::Replicate);
        let refusal = |name: &str, of| {
            let variant = Variant::parse(name).expect("known");
            variant.check(filter(of), gray).map_err(|error| error.why)
        };
        let both = refusal("padded+vectorize=16+block=16", "sobel").expect_err("one of both");
        assert_eq!(both, "Alternative to Vectorize: both decide how a work-item computes its pixels");
        let switched = Variant::parse("padded+vectorize=16").expect("known").switched(StageId::Block, 16, filter("sobel"), gray);
        assert_eq!(switched.expect("Vectorize goes").variant.to_string(), "padded+block=16");
        // Half is an alternative to float's fma in the bilateral filter, and a narrower float in the epsilon filter.
        assert_eq!(super::alternatives(StageId::Half, filter("bilateral")), [StageId::Float]);
        assert_eq!(super::alternatives(StageId::Half, filter("epsilon")), []);
        refusal("coalesced+image+float+half", "epsilon").expect("allowed");
    }

    #[test]
    fn a_limit_of_this_program_is_told_as_one() {
        let filter = filters::by_name("bilateral").expect("bilateral");
        let objection = |name: &str, id| Variant::parse(name).expect("known").objection(id, filter, RGB_COPY).expect("refused");
        let shift = objection("coalesced+half+shift", StageId::Shift);
        assert_eq!(shift.kind, Kind::NotBuilt);
        assert_eq!(shift.sentence, "Not implemented together with Half precision: index arithmetic does not change with half");
        let notes =
            |name: &str, id, value| Variant::parse(name).expect("known").switched(id, value, filter, RGB_COPY).expect("allowed").notes;
        let beside = |other| format!(": not implemented together with {other}");
        assert_eq!(notes("coalesced+padded", StageId::Local, 1), ["Padded source is now off".to_owned() + &beside("Local memory")]);
        assert_eq!(notes("coalesced+half+shift", StageId::Local, 1).len(), 2);
        assert_eq!(notes("coalesced+shift", StageId::Half, 1), ["Shift and mask is now off".to_owned() + &beside("Half precision")]);
        assert_eq!(notes("coalesced+padded", StageId::Image, 1), ["Padded source is now off"], "alternatives");
        let unroll = objection("coalesced+unroll", StageId::Unroll);
        assert_eq!(unroll.kind, Kind::Limit);
        assert!(unroll.sentence.starts_with("Needs Radius compiled in: "), "{}", unroll.sentence);
    }

    #[test]
    fn texts_of_stages_and_rules_are_single_sentences_without_a_full_stop() {
        for filter in filters::all() {
            assert!(
                filter.stages.is_sorted_by_key(|offer| offer.id),
                "{}: stages are shown in the order of variants' names",
                filter.name()
            );
            for offer in filter.stages {
                let sentences = super::rules(offer.id, filter).map(|rule| rule.sentence(filter)).chain([offer.reason().to_owned()]);
                for sentence in sentences {
                    assert!(!sentence.is_empty() && !sentence.ends_with('.'), "{}: {sentence}", filter.name());
                }
                assert!(offer.more().ends_with('.'), "{}: {}", filter.name(), offer.more());
            }
        }
    }

    #[test]
    fn what_a_device_cannot_do_is_refused_with_its_sentence() {
        for filter in filters::all().iter().filter(|filter| filter.offer(StageId::Half).is_some()) {
            let setting = Setting::new(filter.channels[0], filter.default_border).on(Abilities::NONE);
            let objection = Variant::naive().switched(StageId::Half, 1, filter, setting).expect_err("no half");
            assert!(objection.kind == Kind::Device && objection.sentence.contains("half precision"), "{objection}");
        }
    }

    #[test]
    fn images_of_one_channel_are_refused_for_gray_pictures_alone_where_a_device_has_none() {
        let lacks = Abilities { has_gray_images: false, ..Abilities::ALL };
        let gaussian = filters::by_name("gaussian").expect("a filter");
        let in_channels = |channels| Setting::new(channels, gaussian.default_border).on(lacks);
        for variant in ["coalesced+image", "coalesced+between+separable"] {
            let variant = Variant::parse(variant).expect("known");
            let error = variant.check(gaussian, in_channels(Channels::Gray)).expect_err("texels of one channel");
            assert!(error.to_string().contains("CL_R"), "{error}");
            variant.check(gaussian, in_channels(Channels::Rgb)).expect("texels of four channels");
            variant.check(gaussian, Setting::new(Channels::Gray, gaussian.default_border)).expect("other devices have them");
        }
        // Four pixels in one texel take four channels.
        let packed = Variant::parse("vectorize=4+image=rgba").expect("known");
        packed
            .check(filters::by_name("sobel").expect("a filter"), Setting::new(Channels::Gray, BorderMode::Replicate).on(lacks))
            .expect("four channels");
    }

    #[test]
    fn fma_is_refused_where_a_compiler_does_not_build_it() {
        let luma = filters::by_name("luma").expect("a filter");
        let setting = Setting::new(luma.channels[0], luma.default_border).on(Abilities { has_fma: false, ..Abilities::ALL });
        let parse = |name| Variant::parse(name).expect("known");
        assert!(parse("float=fma").check(luma, setting).is_err_and(|error| error.to_string().contains("fma")));
        parse("float").check(luma, setting).expect("other arithmetic in float");
    }
}
