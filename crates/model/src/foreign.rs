//! Records that another version of this program wrote, with more in them than this one knows: kept as they are, and shown as far as they can be.

use super::{FilterId, Record, Variant};
use base::texts::{Words, filled, speaking_keys};
use serde_json::Value;
use std::fmt::Display;

/// What can be shown of such a record.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignRecord {
    /// The filter's name there.
    pub filter: String,
    /// The variant's name there, or the CPU competitor's.
    pub contender: String,
    /// Device or processor, with its machine where that is said.
    pub device: String,
    /// Median kernel time.
    pub median_ns: Option<f64>,
    /// When, in RFC 3339, UTC.
    pub date: String,
    /// What this version does not know of it.
    pub why: Words,
}

impl ForeignRecord {
    /// Of the JSON of a record; `None` where this version knows its layout, filter and stages: whatever is wrong with it is something else.
    #[must_use]
    pub fn of(record: &Value) -> Option<Self> {
        let why = unknown(record)?;
        let text = |place: &str| record.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned();
        let competitor = text("/contender/cpu/engine");
        Some(Self {
            filter: text("/spec/filter"),
            contender: if competitor.is_empty() { text("/contender/device/variant") } else { competitor },
            device: super::on_machine(&text("/machine/device"), record.pointer("/machine/alias").and_then(Value::as_str)),
            median_ns: record.pointer("/outcome/measured/kernel/median_ns").and_then(Value::as_f64),
            date: text("/date"),
            why,
        })
    }

    /// The same of a line of the history, which is kept whatever this version does not understand of it.
    #[must_use]
    pub fn of_line(line: &str) -> Self {
        let value = serde_json::from_str::<Value>(line).unwrap_or_default();
        Self::of(&value).unwrap_or_else(|| Self {
            filter: value.pointer("/spec/filter").and_then(Value::as_str).unwrap_or_default().to_owned(),
            contender: String::new(),
            device: String::new(),
            median_ns: None,
            date: value.get("date").and_then(Value::as_str).unwrap_or_default().to_owned(),
            why: Words::text("words.foreign.other"),
        })
    }
}

/// What this version does not know of a record, the first of it.
fn unknown(record: &Value) -> Option<Words> {
    let said = |key, name: &str, what: &dyn Display| Some(Words::from(speaking_keys(|| filled(key, &[(name, what)]))));
    let text = |place: &str| record.pointer(place).and_then(Value::as_str);
    let schema = record.get("schema").and_then(Value::as_u64)?;
    if schema > u64::from(Record::SCHEMA) {
        return said("words.foreign.schema", "schema", &schema);
    }
    if let Some(filter) = text("/spec/filter").filter(|filter| filter.parse::<FilterId>().is_err()) {
        return said("words.foreign.filter", "filter", &filter);
    }
    let variant = text("/contender/device/variant").filter(|variant| Variant::parse(variant).is_err())?;
    said("words.foreign.variant", "variant", &variant)
}

#[cfg(test)]
mod tests {
    use super::ForeignRecord;
    use crate::testing::records::on_device;
    use serde_json::{Value, json};

    fn record(place: &str, value: Value) -> Value {
        let mut record = serde_json::to_value(on_device("padded", 2e6)).expect("plain data");
        *record.pointer_mut(place).expect("there") = value;
        record
    }

    #[test]
    fn what_is_not_known_is_named_and_the_rest_is_shown() {
        assert_eq!(ForeignRecord::of(&record("/name", json!("mine"))), None);
        let blurred = ForeignRecord::of(&record("/spec/filter", json!("blur"))).expect("unknown");
        assert_eq!([&blurred.filter, &blurred.contender, &blurred.device], ["blur", "padded", "Test device"]);
        assert_eq!(
            (blurred.median_ns, blurred.why.to_string().as_str()),
            (Some(2e6), "needs a newer version or the folder of the filter 'blur'")
        );
        let why = |place, value| ForeignRecord::of(&record(place, value)).expect("unknown").why.to_string();
        assert_eq!(why("/contender/device/variant", json!("padded+tensor")), "needs a newer version: variant 'padded+tensor'");
        assert_eq!(why("/schema", json!(9)), "needs a newer version: records with layout 9");
        assert_eq!(ForeignRecord::of_line("{\"schema\":1,\"spec\":3}").why.to_string(), "not supported by this version");
    }
}
