//! A variant: one choice for all stages of one filter. Allowed, or why not; enumerate all; one name everywhere.

use crate::error::{Error, Result};
use crate::filters::Filter;
use crate::stages::{Rule, STAGES, Setting, StageId, StageValue};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One value per stage. The default is `naive`: every stage off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Variant {
    values: [u8; StageId::COUNT],
}

impl Variant {
    /// Every stage off.
    pub const NAIVE_NAME: &'static str = "naive";

    /// Every stage off.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "both arrays have one entry per stage id")]
    pub fn naive() -> Self {
        Self { values: std::array::from_fn(|index| STAGES[index].off) }
    }

    /// The stage's value, as kernel files see it.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "both arrays have one entry per stage id")]
    pub fn value(&self, id: StageId) -> u8 {
        self.values[id as usize]
    }

    /// Whether the stage differs from its off value.
    #[must_use]
    pub fn is_on(&self, id: StageId) -> bool {
        self.value(id) != id.stage().off
    }

    /// Pixels that one work-item computes along a row.
    #[must_use]
    pub fn pixels_per_item(&self) -> usize {
        usize::from(self.value(StageId::Vectorize).max(self.value(StageId::Block)))
    }

    /// Rows that one work-item computes.
    #[must_use]
    pub fn rows_per_item(&self) -> usize {
        usize::from(self.value(StageId::Rows))
    }

    /// The same variant with one stage set to `value` and nothing else touched; it may not be allowed.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "both arrays have one entry per stage id")]
    pub fn with(mut self, id: StageId, value: u8) -> Self {
        self.values[id as usize] = value;
        self
    }

    /// The same variant with one stage off and nothing else touched; it may not be allowed.
    #[must_use]
    pub fn without(self, id: StageId) -> Self {
        self.with(id, id.stage().off)
    }

    /// Parses `coalesced+padded+vectorize=4`; stages in any order, each once; `naive` for none.
    ///
    /// # Errors
    /// A usage error that names the stage or value that is not known, and those that are.
    pub fn parse(text: &str) -> Result<Self> {
        let mut variant = Self::naive();
        if text == Self::NAIVE_NAME {
            return Ok(variant);
        }
        let wrong = |why: String, remedy: String| Error::usage(format!("Variant '{text}' is not known"), why, remedy);
        for part in text.split('+') {
            let (name, value_name) = part.split_once('=').unwrap_or((part, ""));
            let Some(stage) = STAGES.iter().find(|stage| stage.name == name) else {
                let known: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
                return Err(wrong(format!("there is no stage '{name}'"), format!("stages are {}; 'naive' means none", known.join(", "))));
            };
            if variant.is_on(stage.id) {
                return Err(wrong(format!("stage '{name}' is given twice"), "give each stage once".into()));
            }
            let Some(value) = stage.values.iter().find(|value| value.name == value_name) else {
                let known: Vec<_> = stage.values.iter().map(|value| spelled(name, value)).collect();
                return Err(wrong(format!("stage '{name}' has no value '{value_name}'"), format!("use {}", known.join(", "))));
            };
            variant = variant.with(stage.id, value.value);
        }
        Ok(variant)
    }

    /// Whether this variant may run for `filter` in `setting`.
    ///
    /// # Errors
    /// A usage error with the sentence of the first rule that is broken.
    pub fn check(&self, filter: &Filter, setting: Setting) -> Result<()> {
        match STAGES.iter().filter(|stage| self.is_on(stage.id)).find_map(|stage| self.objection(stage.id, filter, setting)) {
            None => Ok(()),
            Some(sentence) => Err(Error::usage(
                format!(
                    "Variant '{self}' is not allowed for {} {} with border {}",
                    setting.channels.name(),
                    filter.name(),
                    setting.border.name()
                ),
                sentence,
                format!("run `kernel-ladder list --filter {}` for the stages and their rules", filter.name()),
            )),
        }
    }

    /// Why `id`, which is on in this variant, may not be; `None` where all is well.
    #[must_use]
    pub fn objection(&self, id: StageId, filter: &Filter, setting: Setting) -> Option<String> {
        let stage = id.stage();
        if filter.offer(id).is_none() {
            return Some(format!("{} has no such stage: {}", filter.label, stage.label));
        }
        if !filter.values_for(id, setting).any(|value| value.value == self.value(id)) {
            let known: Vec<_> = filter.values_for(id, setting).map(|value| spelled(stage.name, value)).collect();
            return Some(match known.as_slice() {
                [] => format!("{} of {} pictures has no such stage: {}", filter.label, setting.channels.name(), stage.label),
                known => format!("{} pictures have {}", setting.channels.name(), known.join(", ")),
            });
        }
        rules(id, filter).find_map(|rule| self.broken(id, rule, filter, setting)).map(str::to_owned)
    }

    fn broken(&self, id: StageId, rule: &Rule, filter: &Filter, setting: Setting) -> Option<&'static str> {
        match *rule {
            Rule::Needs(other, sentence) => (!self.is_on(other)).then_some(sentence),
            Rule::NeedsOneOf(others, sentence) => (!self.has_one_of(others)).then_some(sentence),
            Rule::ValueNeeds(value, other, sentence) => (self.value(id) == value && !self.is_on(other)).then_some(sentence),
            Rule::NeedsAbility(has, sentence) => (!has(setting.abilities)).then_some(sentence),
            Rule::Excludes(other, sentence) => self.is_on(other).then_some(sentence),
            Rule::NeedsSumIn16Bits(sentence) => (!filter.sum_fits_16_bits()).then_some(sentence),
            Rule::NothingToDo(test, sentence) => test(&self.without(id), setting).then_some(sentence),
        }
    }

    /// Whether one of these stages has the value beside it.
    fn has_one_of(&self, others: &[(StageId, u8)]) -> bool {
        others.iter().any(|&(id, value)| self.value(id) == value)
    }

    /// What a person gets who sets `id` to `value`: stages that it needs are turned on, stages that cannot stay are turned off, and
    /// each such change is told. The result is allowed.
    ///
    /// # Errors
    /// The sentence that the disabled control shows, where no allowed variant has this value.
    pub fn switched(&self, id: StageId, value: u8, filter: &Filter, setting: Setting) -> std::result::Result<Switched, String> {
        let mut variant = self.with(id, value);
        if variant.is_on(id) {
            variant = variant.with_needs(id, filter, setting);
            if let Some(sentence) = variant.objection(id, filter, setting) {
                return Err(sentence);
            }
        }
        Ok(variant.settled(filter, setting).told(self, id))
    }

    /// This variant made allowed in `setting` (another picture or border mode, say), with what had to change.
    #[must_use]
    pub fn fitted(&self, filter: &Filter, setting: Setting) -> Switched {
        let mut variant = *self;
        // A value that the new channels do not have becomes the nearest that they do.
        for stage in &STAGES {
            let wanted = variant.value(stage.id);
            if variant.is_on(stage.id) && !filter.values_for(stage.id, setting).any(|value| value.value == wanted) {
                let nearest = filter.values_for(stage.id, setting).min_by_key(|value| value.value.abs_diff(wanted));
                variant = variant.with(stage.id, nearest.map_or(stage.off, |value| value.value));
            }
        }
        let settled = variant.settled(filter, setting);
        let mut switched = Switched { variant: settled, notes: Vec::new() };
        for stage in &STAGES {
            switched.note(self, stage.id);
        }
        switched
    }

    /// Turns on what `id` needs, and off what it excludes; what is needed may need more. Of several that would do, one that the filter knows.
    fn with_needs(self, id: StageId, filter: &Filter, setting: Setting) -> Self {
        let with_first = |variant: Self, other: StageId| {
            let value = filter.values_for(other, setting).next().map_or(other.stage().off, |value| value.value);
            variant.with(other, value).with_needs(other, filter, setting)
        };
        rules(id, filter).fold(self, |variant, rule| match *rule {
            Rule::Needs(other, _) if !variant.is_on(other) => with_first(variant, other),
            Rule::ValueNeeds(value, other, _) if variant.value(id) == value && !variant.is_on(other) => with_first(variant, other),
            Rule::NeedsOneOf(others, _) if !variant.has_one_of(others) => {
                let known = |&&(other, value): &&(StageId, u8)| filter.values_for(other, setting).any(|known| known.value == value);
                let chosen = others.iter().find(known);
                chosen.map_or(variant, |&(other, value)| variant.with(other, value).with_needs(other, filter, setting))
            }
            Rule::Excludes(other, _) => variant.without(other),
            _ => variant,
        })
    }

    /// Turns off whatever has an objection until nothing has.
    fn settled(self, filter: &Filter, setting: Setting) -> Self {
        let mut variant = self;
        while let Some(stage) =
            STAGES.iter().find(|stage| variant.is_on(stage.id) && variant.objection(stage.id, filter, setting).is_some())
        {
            variant = variant.without(stage.id);
        }
        variant
    }

    fn told(self, before: &Self, cause: StageId) -> Switched {
        let mut switched = Switched { variant: self, notes: Vec::new() };
        for stage in STAGES.iter().filter(|stage| stage.id != cause) {
            switched.note(before, stage.id);
        }
        switched
    }

    /// Whether the stages up to `last` break a rule that no later stage can mend. Dropping these at once keeps the number of combinations
    /// that are looked at near the number of allowed ones.
    fn is_hopeless(&self, last: StageId, filter: &Filter) -> bool {
        let decided = STAGES.iter().map(|stage| stage.id).filter(|&id| id <= last && self.is_on(id));
        decided.flat_map(|id| rules(id, filter).map(move |rule| (id, rule))).any(|(id, rule)| match *rule {
            Rule::Excludes(other, _) => self.is_on(other),
            Rule::Needs(other, _) => other <= last && !self.is_on(other),
            Rule::ValueNeeds(value, other, _) => other <= last && self.value(id) == value && !self.is_on(other),
            Rule::NeedsOneOf(others, _) => others.iter().all(|&(other, _)| other <= last) && !self.has_one_of(others),
            _ => false,
        })
    }

    /// Every allowed variant of `filter` in `setting`, `naive` first, each once.
    #[must_use]
    pub fn all(filter: &Filter, setting: Setting) -> Vec<Self> {
        let mut variants = vec![Self::naive()];
        for stage in STAGES.iter().filter(|stage| filter.offer(stage.id).is_some()) {
            let on: Vec<_> = filter.values_for(stage.id, setting).map(|value| value.value).collect();
            variants = variants
                .iter()
                .flat_map(|variant| std::iter::once(*variant).chain(on.iter().map(|&value| variant.with(stage.id, value))))
                .filter(|variant| !variant.is_hopeless(stage.id, filter))
                .collect();
        }
        variants.retain(|variant| variant.check(filter, setting).is_ok());
        variants
    }
}

/// The rules for a stage of a filter: the table's, then the filter's own.
pub fn rules(id: StageId, filter: &Filter) -> impl Iterator<Item = &'static Rule> {
    id.stage().rules.iter().chain(filter.rules.iter().filter(move |(of, _)| *of == id).map(|(_, rule)| rule))
}

fn spelled(stage_name: &str, value: &StageValue) -> String {
    if value.name.is_empty() { stage_name.to_owned() } else { format!("{stage_name}={}", value.name) }
}

/// A variant after a switch, with what else had to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switched {
    /// Allowed.
    pub variant: Variant,
    /// "Padded source is now on", one for each other stage that changed.
    pub notes: Vec<String>,
}

impl Switched {
    fn note(&mut self, before: &Variant, id: StageId) {
        let (stage, now) = (id.stage(), self.variant.value(id));
        if now != before.value(id) {
            let state = match stage.values.iter().find(|value| value.value == now) {
                None => "off",
                Some(value) if stage.values.len() == 1 || value.name.is_empty() => "on",
                Some(value) => value.label,
            };
            self.notes.push(format!("{} is now {state}", stage.label));
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = STAGES
            .iter()
            .filter_map(|stage| {
                stage.values.iter().find(|value| value.value == self.value(stage.id)).map(|value| spelled(stage.name, value))
            })
            .collect();
        formatter.write_str(&if parts.is_empty() { Self::NAIVE_NAME.to_owned() } else { parts.join("+") })
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Variant({self})")
    }
}

impl Default for Variant {
    fn default() -> Self {
        Self::naive()
    }
}

impl TryFrom<String> for Variant {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Variant> for String {
    fn from(variant: Variant) -> Self {
        variant.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Rule, Variant};
    use crate::filters;
    use crate::image::{BorderMode, Channels};
    use crate::stages::{Abilities, Setting, StageId};

    const RGB_COPY: Setting = Setting::new(Channels::Rgb, BorderMode::Copy);
    const GRAY_REPLICATE: Setting = Setting::new(Channels::Gray, BorderMode::Replicate);

    #[test]
    fn a_name_survives_parsing_and_printing() {
        for filter in filters::all() {
            for variant in Variant::all(filter, RGB_COPY) {
                assert_eq!(Variant::parse(&variant.to_string()).expect("own name"), variant);
            }
        }
        let name = "coalesced+padded+vectorize=4+merged+short16";
        assert_eq!(Variant::parse(name).expect("known").to_string(), name);
    }

    #[test]
    fn unknown_stages_values_and_repeats_are_refused() {
        for text in ["", "fast", "vectorize", "vectorize=3", "rows=1", "padded=1", "padded+padded", "naive+padded"] {
            assert!(Variant::parse(text).is_err(), "{text}");
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
        let sentence = variant.switched(StageId::Select, 1, filter, GRAY_REPLICATE).expect_err("nothing to do");
        assert!(sentence.starts_with("No branch is left"), "{sentence}");
    }

    #[test]
    fn another_picture_takes_the_nearest_values_that_it_has() {
        let filter = filters::by_name("laplace").expect("laplace");
        let fitted = Variant::parse("padded+vectorize=5+select").expect("known").fitted(filter, GRAY_REPLICATE);
        assert_eq!(fitted.variant.to_string(), "padded+vectorize=4");
        assert_eq!(fitted.notes, ["Vectorize is now 4", "Branchless select is now off"]);
    }

    #[test]
    fn every_offered_value_is_allowed_in_some_variant_and_every_rule_refuses_some() {
        for filter in filters::all() {
            let settings =
                filter.channels.iter().flat_map(|&channels| filter.borders.iter().map(move |&border| Setting::new(channels, border)));
            let allowed: Vec<_> =
                settings.flat_map(|setting| Variant::all(filter, setting).into_iter().map(move |variant| (setting, variant))).collect();
            for offer in filter.stages {
                for value in offer.values().filter(|value| value.channels.iter().any(|channels| filter.channels.contains(channels))) {
                    let is_there = allowed.iter().any(|(_, variant)| variant.value(offer.id) == value.value);
                    assert!(is_there, "{}: {:?} = {} is never allowed", filter.name(), offer.id, value.name);
                }
                if super::rules(offer.id, filter).any(|rule| !matches!(rule, Rule::NeedsAbility(..) | Rule::NeedsSumIn16Bits(_))) {
                    let on = offer.values().next().expect("a value").value;
                    let refused = allowed.iter().any(|(setting, variant)| variant.with(offer.id, on).check(filter, *setting).is_err());
                    assert!(refused, "{}: no rule of {:?} ever refuses", filter.name(), offer.id);
                }
            }
        }
    }

    #[test]
    fn what_a_device_cannot_do_is_refused_with_its_sentence() {
        let cannot = Abilities { has_half: false, has_images: false };
        for filter in filters::all().iter().filter(|filter| filter.offer(StageId::Half).is_some()) {
            let setting = Setting::new(filter.channels[0], filter.default_border).on(cannot);
            let sentence = Variant::naive().switched(StageId::Half, 1, filter, setting).expect_err("no half");
            assert!(sentence.contains("half precision"), "{sentence}");
        }
    }
}
