//! A variant: one choice for all stages of one filter, with one name everywhere.

use super::{Channels, Ownership, STAGES, StageId, StageValue, stages};
use base::error::{Error, Result};
use base::texts::{meant, misused};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One value per stage. The default is `naive`: every stage off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Variant {
    values: [u8; StageId::CAPACITY],
}

impl Variant {
    /// Every stage off.
    pub const NAIVE_NAME: &'static str = "naive";

    /// Every stage off.
    #[must_use]
    pub fn naive() -> Self {
        // A stage that is not shared is off at 0.
        Self { values: std::array::from_fn(|index| STAGES.get(index).map_or(0, |stage| stage.off)) }
    }

    /// The stage's value, as kernel files see it.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "there is an entry for every id")]
    pub fn value(&self, id: StageId) -> u8 {
        self.values[id.index()]
    }

    /// Whether the stage differs from its off value.
    #[must_use]
    pub fn is_on(&self, id: StageId) -> bool {
        self.value(id) != id.stage().off
    }

    /// Whether no stage is on but the one that exchanges the dimensions: its kernel is written as a textbook would write it.
    #[must_use]
    pub fn is_textbook(&self) -> bool {
        self.without(StageId::Coalesced) == Self::naive()
    }

    /// What one work-item computes: a pixel, or what the stages that are on make of it.
    #[must_use]
    pub fn owned(&self, channels: Channels) -> Ownership {
        let on = stages().filter(|stage| self.is_on(stage.id));
        on.fold(Ownership::pixels(1, channels), |owned, stage| stage.owns.changed(owned, self.value(stage.id), channels))
    }

    /// The same variant with one stage set to `value` and nothing else touched; it may not be allowed.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "there is an entry for every id")]
    pub fn with(mut self, id: StageId, value: u8) -> Self {
        self.values[id.index()] = value;
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
        for part in text.split('+') {
            let (name, value_name) = part.split_once('=').unwrap_or((part, ""));
            let Some(stage) = stages().find(|stage| stage.name == name) else {
                let known: Vec<_> = stages().map(|stage| stage.name).collect();
                let known = meant(name, known.iter().copied());
                return Err(misused("errors.model.no-stage", &[("variant", &text), ("name", &name), ("known", &known)]));
            };
            if variant.is_on(stage.id) {
                return Err(misused("errors.model.stage-twice", &[("variant", &text), ("name", &name)]));
            }
            let Some(value) = stage.values.iter().find(|value| value.name == value_name) else {
                let known: Vec<_> = stage.values.iter().map(|value| spelled(name, value)).collect();
                let known = meant(part, known.iter().map(String::as_str));
                let values: [(&str, &dyn fmt::Display); 4] =
                    [("variant", &text), ("name", &name), ("value", &value_name), ("known", &known)];
                return Err(misused("errors.model.no-value", &values));
            };
            variant = variant.with(stage.id, value.value);
        }
        Ok(variant)
    }
}

/// "vectorize=4", or the stage's name alone.
#[must_use]
pub fn spelled(stage_name: &str, value: &StageValue) -> String {
    if value.name.is_empty() { stage_name.to_owned() } else { format!("{stage_name}={}", value.name) }
}

impl fmt::Display for Variant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = stages()
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
    use super::Variant;

    #[test]
    fn a_name_survives_parsing_and_printing() {
        let name = "coalesced+padded+vectorize=4+merged+short16";
        assert_eq!(Variant::parse(name).expect("known").to_string(), name);
    }

    #[test]
    fn unknown_stages_values_and_repeats_are_refused() {
        for text in ["", "fast", "vectorize", "vectorize=3", "rows=1", "padded=1", "padded+padded", "naive+padded"] {
            assert!(Variant::parse(text).is_err(), "{text}");
        }
    }
}
