//! Stages that filters of a person's own brought, beside those that filters share. A stage has one name, and what stands under it is the newest that was brought.

use super::{Owns, STAGES, Stage, StageId, StageValue};
use crate::Channels;
use std::sync::{PoisonError, RwLock};

/// Their rows, by their ids past the shared ones. A row is never freed: variants and controls point at it for as long as the program runs, and there is one for
/// each time that a person changes a definition.
static ROWS: RwLock<Vec<&'static Stage>> = RwLock::new(Vec::new());

/// A stage as a filter's file defines it. It is off at 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnStage {
    /// As in a variant's name.
    pub name: String,
    /// The name that kernel files test.
    pub define: String,
    /// The values when on, from 1; none: on or off.
    pub values: Vec<u8>,
    /// What the compiler is told when it is on; empty for most.
    pub build_option: String,
}

/// The id of the stage's name, which has this row where it had none. `None` where there is no room for another one, or the name is that of a shared stage.
#[must_use]
pub fn reserve(stage: &OwnStage) -> Option<StageId> {
    let known = rows().find(|row| row.name == stage.name).map(|row| row.id);
    known.or_else(|| bring(stage))
}

/// The stage's id: that of its name, with this row from now on. `None` as for [`reserve`].
pub fn bring(stage: &OwnStage) -> Option<StageId> {
    if STAGES.iter().any(|shared| shared.name == stage.name) {
        return None;
    }
    let mut rows = ROWS.write().unwrap_or_else(PoisonError::into_inner);
    let place = rows.iter().position(|row| row.name == stage.name).unwrap_or(rows.len());
    let index = STAGES.len() + place;
    if index >= StageId::CAPACITY {
        return None;
    }
    let id = StageId(u8::try_from(index).ok()?);
    if rows.get(place).is_some_and(|row| is_same(row, stage)) {
        return Some(id);
    }
    let row = &*Box::leak(Box::new(row_of(id, stage)));
    match rows.get_mut(place) {
        Some(known) => *known = row,
        None => rows.push(row),
    }
    Some(id)
}

fn row_of(id: StageId, stage: &OwnStage) -> Stage {
    let leaked = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
    let switch = vec![StageValue { value: 1, name: "", word: "on", channels: &Channels::ALL }];
    let named = |value: u8| {
        let name = leaked(&value.to_string());
        StageValue { value, name, word: name, channels: &Channels::ALL }
    };
    let values = if stage.values.is_empty() { switch } else { stage.values.iter().copied().map(named).collect() };
    Stage {
        id,
        name: leaked(&stage.name),
        define: leaked(&stage.define),
        off: 0,
        values: Vec::leak(values),
        group: None,
        owns: Owns::Same,
        build_option: leaked(&stage.build_option),
    }
}

fn is_same(row: &Stage, stage: &OwnStage) -> bool {
    let values = row.values.iter().filter(|value| !value.name.is_empty()).map(|value| value.value);
    row.define == stage.define && row.build_option == stage.build_option && values.eq(stage.values.iter().copied())
}

pub(super) fn row(place: usize) -> Option<&'static Stage> {
    ROWS.read().unwrap_or_else(PoisonError::into_inner).get(place).copied()
}

pub(super) fn rows() -> impl Iterator<Item = &'static Stage> + Clone {
    ROWS.read().unwrap_or_else(PoisonError::into_inner).clone().into_iter()
}

#[cfg(test)]
mod tests {
    use super::{OwnStage, bring};
    use crate::Variant;

    #[test]
    fn a_stage_of_ones_own_is_a_part_of_variants_names() {
        let own = OwnStage { name: "own-fast".to_owned(), define: "OWN_FAST".to_owned(), values: vec![2, 4], build_option: String::new() };
        let id = bring(&own).expect("room");
        assert_eq!(bring(&own), Some(id), "the same again");
        let variant = Variant::parse("coalesced+own-fast=4").expect("known");
        assert_eq!((variant.value(id), variant.to_string().as_str()), (4, "coalesced+own-fast=4"));
        assert!(Variant::parse("own-fast=3").is_err() && Variant::parse("own-fast").is_err());
        assert!(!Variant::naive().is_on(id));
        // The name has other values now.
        assert_eq!(bring(&OwnStage { values: Vec::new(), ..own.clone() }), Some(id));
        assert!(Variant::parse("own-fast").expect("known").is_on(id));
        assert_eq!(bring(&OwnStage { name: "padded".to_owned(), ..own }), None);
    }
}
