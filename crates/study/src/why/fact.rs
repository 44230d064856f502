//! Facts: what is known of a device and of two variants, by name.

use base::texts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use view::plot::units;

/// How a fact is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A number with three significant digits.
    Number,
    /// A share from 0 to 1, as percent.
    Share,
    /// 1 for yes, 0 for no.
    YesNo,
    /// Nanoseconds, as a time.
    Time,
}

/// What a fact is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The device, or both variants together: `name`.
    Both,
    /// Each of the two variants: `before.name` and `after.name`.
    Each,
}

/// Every fact there is: its name, what it is of, and how it is written. What it means in words is the text `why.fact.NAME`.
pub static FACTS: &[(&str, Of, Shown)] = &[
    // The device.
    ("cpu", Of::Both, Shown::YesNo),
    ("gpu", Of::Both, Shown::YesNo),
    ("pocl", Of::Both, Shown::YesNo),
    ("intel_cpu", Of::Both, Shown::YesNo),
    ("dedicated_local_memory", Of::Both, Shown::YesNo),
    ("unified_memory", Of::Both, Shown::YesNo),
    ("compute_units", Of::Both, Shown::Number),
    ("sub_group", Of::Both, Shown::Number),
    ("segment_size", Of::Both, Shown::Number),
    ("unit_sub_groups", Of::Both, Shown::Number),
    ("copy_gb_per_s", Of::Both, Shown::Number),
    ("launch_ns", Of::Both, Shown::Time),
    // The pair.
    ("same_text", Of::Both, Shown::YesNo),
    ("same_code", Of::Both, Shown::YesNo),
    ("different_instructions", Of::Both, Shown::Number),
    ("adds_vectors", Of::Both, Shown::YesNo),
    ("adds_select", Of::Both, Shown::YesNo),
    ("adds_short16", Of::Both, Shown::YesNo),
    ("adds_fma", Of::Both, Shown::YesNo),
    ("interval_width", Of::Both, Shown::Share),
    ("pairs", Of::Both, Shown::Number),
    ("speed_up", Of::Both, Shown::Number),
    ("least_speed_up", Of::Both, Shown::Number),
    ("busy", Of::Both, Shown::YesNo),
    // A kernel that the person edits, against its variant's own.
    ("edited_right", Of::Both, Shown::YesNo),
    ("edited_speed_up", Of::Both, Shown::Number),
    ("edited_least_speed_up", Of::Both, Shown::Number),
    ("edited_share", Of::Both, Shown::Share),
    // What the source says, per output pixel.
    ("loads", Of::Each, Shown::Number),
    ("loaded_bytes", Of::Each, Shown::Number),
    ("stores", Of::Each, Shown::Number),
    ("operations", Of::Each, Shown::Number),
    ("bytes_per_load", Of::Each, Shown::Number),
    ("source_over_output", Of::Each, Shown::Number),
    // The launch.
    ("passes", Of::Each, Shown::Number),
    ("barriers", Of::Each, Shown::Number),
    ("local_bytes", Of::Each, Shown::Number),
    ("image_objects", Of::Each, Shown::YesNo),
    ("pixels_per_texel", Of::Each, Shown::Number),
    ("byte_vectors", Of::Each, Shown::YesNo),
    ("pixels_per_item", Of::Each, Shown::Number),
    ("work_items", Of::Each, Shown::Number),
    ("idle_share", Of::Each, Shown::Share),
    ("used_share", Of::Each, Shown::Share),
    ("groups", Of::Each, Shown::Number),
    ("group_items", Of::Each, Shown::Number),
    ("lane_share", Of::Each, Shown::Share),
    ("driver_chose", Of::Each, Shown::YesNo),
    ("best_divisor", Of::Each, Shown::Number),
    // What a sub-group fetches with one load instruction.
    ("segments", Of::Each, Shown::Number),
    ("least_segments", Of::Each, Shown::Number),
    ("segment_excess", Of::Each, Shown::Number),
    ("segment_bytes", Of::Each, Shown::Number),
    ("bank_degree", Of::Each, Shown::Number),
    // What the compiler made.
    ("instructions", Of::Each, Shown::Number),
    ("instructions_per_pixel", Of::Each, Shown::Number),
    ("code_loads", Of::Each, Shown::Number),
    ("code_loads_per_pixel", Of::Each, Shown::Number),
    ("code_byte_loads", Of::Each, Shown::Number),
    ("widest_access_bits", Of::Each, Shown::Number),
    ("vector_bits", Of::Each, Shown::Number),
    ("shuffles", Of::Each, Shown::Number),
    ("branches", Of::Each, Shown::Number),
    ("calls", Of::Each, Shown::Number),
    ("divisions", Of::Each, Shown::Number),
    ("conversions", Of::Each, Shown::Number),
    ("fused", Of::Each, Shown::Number),
    // In the straight-line code that moves most data.
    ("hot_instructions", Of::Each, Shown::Number),
    ("hot_loads", Of::Each, Shown::Number),
    ("hot_divisions", Of::Each, Shown::Number),
    ("local_accesses", Of::Each, Shown::Number),
    ("registers", Of::Each, Shown::Number),
    ("resident_sub_groups", Of::Each, Shown::Number),
    ("spilled_bytes", Of::Each, Shown::Number),
    ("loaded_and_spilled", Of::Each, Shown::Number),
    ("code_bytes", Of::Each, Shown::Number),
    // What was measured.
    ("kernel_ns", Of::Each, Shown::Time),
    ("gb_per_s", Of::Each, Shown::Number),
    ("memory_share", Of::Each, Shown::Share),
    ("arithmetic_share", Of::Each, Shown::Share),
    ("all_operations_share", Of::Each, Shown::Share),
    ("local_memory_share", Of::Each, Shown::Share),
    ("transfer_ns", Of::Each, Shown::Time),
    ("round_trip_ns", Of::Each, Shown::Time),
    ("layout_ns", Of::Each, Shown::Time),
    ("build_ns", Of::Each, Shown::Time),
    // Of the CPU competitor on all cores, over the same picture.
    ("cpu_ns", Of::Both, Shown::Time),
];

/// The names of all facts: `before.name` and `after.name` of those that are of each variant.
pub fn fact_names() -> impl Iterator<Item = &'static str> + Clone {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let names = |(name, of, _): &(&str, Of, Shown)| match of {
            Of::Both => vec![(*name).to_owned()],
            Of::Each => vec![format!("before.{name}"), format!("after.{name}")],
        };
        FACTS.iter().flat_map(names).collect()
    });
    NAMES.iter().map(String::as_str)
}

/// What is known, by the names of [`FACTS`]. What is not known is absent, and no rule that asks for it holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts(BTreeMap<String, f64>);

impl Facts {
    /// Notes a fact; nothing where the value is unknown.
    pub fn set(&mut self, name: &str, value: impl Into<Option<f64>>) {
        debug_assert!(is_known(name), "{name} is not in the list of facts");
        if let Some(value) = value.into().filter(|value| value.is_finite()) {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// The same, with the middle of an interval in the place of its lower end: what is most likely, where what is sure is not enough.
    #[must_use]
    pub fn most_likely(&self) -> Self {
        let mut likely = self.clone();
        for (least, middle) in [("least_speed_up", "speed_up"), ("edited_least_speed_up", "edited_speed_up")] {
            likely.set(least, self.get(middle));
        }
        likely
    }

    /// By which factor the times differ at least, by their interval: 1 where they need not differ.
    #[must_use]
    pub fn least_effect(&self) -> Option<f64> {
        let low = self.get("least_speed_up").filter(|low| *low > 0.0)?;
        let high = low * (1.0 + self.get("interval_width").unwrap_or(0.0));
        Some(low.max(1.0 / high).max(1.0))
    }

    /// Takes over the facts of one variant as those of a side.
    pub(super) fn take_side(&mut self, of: &Self, from: &str, to: &str) {
        let of_side = of.0.iter().filter_map(|(name, value)| Some((name.strip_prefix(from)?, value)));
        self.0.extend(of_side.map(|(name, value)| (format!("{to}{name}"), *value)));
    }

    /// Notes whether something is so.
    pub fn set_flag(&mut self, name: &str, is_so: bool) {
        self.set(name, f64::from(u8::from(is_so)));
    }

    /// What is known.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// The facts of these names that are known, rounded to more digits than are ever shown.
    #[must_use]
    pub fn only(&self, names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().filter_map(|name| self.get(&name).map(|value| (name, units::rounded(value)))).collect())
    }

    /// The names of those that are known.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// A fact in words, with both variants' values where it is of each: "Loads per pixel in the source: 27 → 1.8". `None` where it is not known.
    #[must_use]
    pub fn evidence(&self, name: &str) -> Option<String> {
        let (_, of, shown) = FACTS.iter().find(|(known, ..)| *known == name)?;
        let label = texts::find(&format!("why.fact.{name}"))?;
        let value = |name: &str| self.get(name).map(|value| written(value, *shown));
        match of {
            Of::Both => Some(texts::pair(&label, &value(name)?)),
            Of::Each => {
                let change = format!("{} → {}", value(&format!("before.{name}"))?, value(&format!("after.{name}"))?);
                Some(texts::pair(&label, &change))
            }
        }
    }

    /// A fact's label with which variant it is of, its value, and another value of the same kind, as a condition compares them. `None` where it is not known.
    #[must_use]
    pub fn told(&self, name: &str, bound: f64) -> Option<[String; 3]> {
        let shown = shown(name)?;
        Some([side_label(name), written(self.get(name)?, shown), written(bound, shown)])
    }

    /// `text` with each `{name}` replaced by that fact; `None` where one of them is not known.
    #[must_use]
    pub fn fill(&self, text: &str) -> Option<String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            filled.push_str(before);
            filled.push_str(&written(self.get(name)?, shown(name)?));
            rest = after;
        }
        Some(filled + rest)
    }
}

/// The facts that a text names between braces.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split('}').next())
}

/// Whether there is such a fact.
#[must_use]
pub fn is_known(name: &str) -> bool {
    shown(name).is_some()
}

/// What a fact is called, with the variant that it is of.
pub fn side_label(name: &str) -> String {
    let label = |bare: &str| texts::find(&format!("why.fact.{bare}")).unwrap_or_default();
    if let Some(bare) = name.strip_prefix("before.") {
        return texts::filled("why.other.before", &[("fact", &label(bare))]);
    }
    name.strip_prefix("after.").map_or_else(|| label(name).to_owned(), |bare| texts::filled("why.other.after", &[("fact", &label(bare))]))
}

/// Whether it is 1 for yes and 0 for no.
pub fn is_flag(name: &str) -> bool {
    shown(name) == Some(Shown::YesNo)
}

fn shown(name: &str) -> Option<Shown> {
    let bare = name.strip_prefix("before.").or_else(|| name.strip_prefix("after."));
    let of = if bare.is_some() { Of::Each } else { Of::Both };
    FACTS.iter().find(|(known, kind, _)| *known == bare.unwrap_or(name) && *kind == of).map(|(.., shown)| *shown)
}

fn written(value: f64, shown: Shown) -> String {
    match shown {
        Shown::Number => units::number(value),
        Shown::Share => format!("{:.0} %", value * 100.0),
        Shown::YesNo => texts::text(if value == 0.0 { "words.no" } else { "words.yes" }).to_owned(),
        Shown::Time => units::time(value),
    }
}

#[cfg(test)]
mod tests {
    use super::{FACTS, Facts, Of, is_known};
    use base::texts;

    #[test]
    fn every_fact_has_a_label_and_one_name() {
        let names: Vec<_> = FACTS.iter().map(|(name, ..)| *name).collect();
        for (index, name) in names.iter().enumerate() {
            assert!(texts::find(&format!("why.fact.{name}")).is_some(), "{name}");
            assert!(!names[..index].contains(name), "{name} stands there twice");
        }
        let labels = texts::keys("why").filter(|key| key.starts_with("why.fact.")).count();
        assert_eq!(labels, names.len(), "labels without a fact");
        assert!(is_known("before.loads") && is_known("gpu") && !is_known("loads") && !is_known("after.gpu"));
        assert!(FACTS.iter().any(|(_, of, _)| *of == Of::Each));
    }

    #[test]
    fn facts_are_written_with_their_units() {
        let mut facts = Facts::default();
        facts.set("before.loads", 27.0);
        facts.set("after.loads", 1.8);
        facts.set("before.idle_share", None);
        facts.set_flag("gpu", true);
        facts.set("launch_ns", 12_400.0);
        assert_eq!(facts.evidence("loads").as_deref(), Some("Loads per pixel in the source: 27 → 1.8"));
        assert_eq!(facts.fill("{after.loads} of {before.loads}, gpu: {gpu}, {launch_ns}").as_deref(), Some("1.8 of 27, gpu: yes, 12.4 µs"));
        // What is not known is not said.
        assert_eq!(facts.fill("{after.stores}"), None);
        assert_eq!(facts.evidence("idle_share"), None);
    }
}
