//! Ablation: what each stage of a variant is worth, alone, last of all, and one after the other.
//!
//! A stage's worth depends on what is on already. Alone (naive against naive with the stage) and last (the whole against the whole without it) are the
//! two ends; where they differ, stages interact. The waterfall adds stages in an order in which every step is allowed.

use crate::filters::Filter;
use crate::model::{STAGES, Setting, StageId, Variant, spelled};

/// How a stage is put to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Naive, and naive with this stage alone.
    Alone,
    /// The variant without this stage, and the variant.
    Last,
    /// Everything that the waterfall has before this stage, and that with it.
    Added,
}

/// Two variants to compare, the one without the stage first; or why there are none.
pub type Pair = Result<(Variant, Variant), String>;

/// One stage in one of the three ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The stage, with its value in the variant.
    pub stage: StageId,
    /// How.
    pub kind: Kind,
    /// The two variants to compare, the one without the stage first; or why there are none.
    pub pair: Pair,
}

/// The stages that are on, as the variant's name has them: "vectorize=5".
#[must_use]
pub fn name(variant: &Variant, stage: StageId) -> String {
    let row = stage.stage();
    let value = row.values.iter().find(|value| value.value == variant.value(stage));
    value.map_or_else(|| row.name.to_owned(), |value| spelled(row.name, value))
}

/// Everything there is to compare of a variant, stage by stage in the waterfall's order, each alone, last and added.
#[must_use]
pub fn parts(variant: &Variant, filter: &Filter, setting: Setting) -> Vec<Part> {
    let allowed = |candidate: Variant| candidate.check(filter, setting).map(|()| candidate).map_err(|error| error.why);
    let waterfall = waterfall(variant, filter, setting);
    let of_stage = |(stage, added): &(StageId, Pair)| {
        let stage = *stage;
        let alone = allowed(Variant::naive().with(stage, variant.value(stage))).map(|with| (Variant::naive(), with));
        let last = allowed(variant.without(stage)).map(|without| (without, *variant));
        [(Kind::Alone, alone), (Kind::Last, last), (Kind::Added, added.clone())].map(|(kind, pair)| Part { stage, kind, pair })
    };
    waterfall.iter().flat_map(of_stage).collect()
}

/// The stages that are on in an order in which each can be added, with what is before and after it. Of those that can be added, the first of the table
/// comes first, which is the order of the variant's name.
fn waterfall(variant: &Variant, filter: &Filter, setting: Setting) -> Vec<(StageId, Pair)> {
    let mut left: Vec<StageId> = STAGES.iter().map(|stage| stage.id).filter(|&id| variant.is_on(id)).collect();
    let (mut steps, mut now) = (Vec::new(), Variant::naive());
    while !left.is_empty() {
        let with = |&id: &StageId| now.with(id, variant.value(id));
        let next = left.iter().position(|id| with(id).check(filter, setting).is_ok());
        let Some(index) = next else {
            // Some stages need each other: they can only come together.
            steps.extend(left.iter().map(|&id| (id, Err("cannot be added on its own here".to_owned()))));
            break;
        };
        let id = left.remove(index);
        let after = with(&id);
        steps.push((id, Ok((now, after))));
        now = after;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::{Kind, name, parts};
    use crate::filters;
    use crate::model::{BorderMode, Channels, Setting, StageId, Variant};

    #[test]
    fn a_variant_is_taken_apart() {
        let laplace = filters::by_name("laplace").expect("laplace");
        let setting = Setting::new(Channels::Rgb, BorderMode::Copy);
        let variant = Variant::parse("padded+vectorize=5+merged+short16").expect("a variant");
        let parts = parts(&variant, laplace, setting);
        assert_eq!(parts.len(), 4 * 3);
        let of = |stage: StageId, kind: Kind| &parts.iter().find(|part| part.stage == stage && part.kind == kind).expect("there").pair;
        let named =
            |stage, kind| of(stage, kind).as_ref().map(|(before, after)| (before.to_string(), after.to_string())).map_err(Clone::clone);
        assert_eq!(named(StageId::Padded, Kind::Alone), Ok(("naive".into(), "padded".into())));
        assert_eq!(named(StageId::Merged, Kind::Last), Ok(("padded+vectorize=5+short16".into(), variant.to_string())));
        assert_eq!(named(StageId::Short16, Kind::Added), Ok(("padded+vectorize=5+merged".into(), variant.to_string())));
        // Merged loads need vectors: alone they cannot be.
        assert!(named(StageId::Merged, Kind::Alone).is_err() && named(StageId::Vectorize, Kind::Last).is_err());
        // The waterfall ends at the variant, and every step of it begins where the one before ended.
        let added: Vec<_> = parts.iter().filter(|part| part.kind == Kind::Added).map(|part| part.pair.clone().expect("allowed")).collect();
        assert_eq!((added.first().map(|pair| pair.0), added.last().map(|pair| pair.1)), (Some(Variant::naive()), Some(variant)));
        assert!(added.windows(2).all(|pair| pair[0].1 == pair[1].0));
        assert_eq!(name(&variant, StageId::Vectorize), "vectorize=5");
    }

    #[test]
    fn every_step_of_a_ladder_can_be_taken_apart() {
        for filter in filters::all() {
            for ladder in filter.ladders() {
                let setting = Setting::new(ladder.channels, ladder.border);
                for step in &ladder.steps {
                    for part in parts(&step.variant(), filter, setting) {
                        if let Ok((before, after)) = part.pair {
                            assert!(before.check(filter, setting).is_ok() && after.check(filter, setting).is_ok(), "{before} {after}");
                            assert_ne!(before, after);
                        }
                    }
                }
            }
        }
    }
}
