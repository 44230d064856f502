//! The values of a filter's sliders.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// The values of a filter's parameters by name. They are equal where every value is the same number; there is no NaN among them, as
/// `Filter::complete` lets only values inside a range pass.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Parameters(pub BTreeMap<String, f64>);

impl Parameters {
    /// Names and the bits of the values, -0 as 0: what two sets are compared by.
    fn bits(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), (value + 0.0).to_bits()))
    }

    /// "radius 16, sigma 3"; empty where there are none.
    #[must_use]
    pub fn text(&self) -> String {
        let each: Vec<_> = self.0.iter().map(|(name, value)| format!("{name} {value}")).collect();
        each.join(", ")
    }
}

impl<const COUNT: usize> From<[(&str, f64); COUNT]> for Parameters {
    fn from(values: [(&str, f64); COUNT]) -> Self {
        Self(values.map(|(name, value)| (name.to_owned(), value)).into())
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.bits().eq(other.bits())
    }
}

impl Eq for Parameters {}

impl Hash for Parameters {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().for_each(|part| part.hash(state));
    }
}

#[cfg(test)]
mod tests {
    use super::Parameters;

    #[test]
    fn values_decide() {
        let of = |radius: f64| Parameters::from([("radius", radius)]);
        assert_eq!(of(0.0), of(-0.0));
        assert_ne!(of(4.0), of(16.0));
        assert_ne!(of(4.0), Parameters::default());
        assert_eq!(of(2.5).text(), "radius 2.5");
    }
}
