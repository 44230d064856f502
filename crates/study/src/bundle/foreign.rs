//! What of a bundle this version does not know: records of a filter, a stage or a layout of another version. They stay in it as they were.

use super::BenchRun;
use model::ForeignRecord;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// A benchmark with those of its records that this version does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignRun {
    /// The benchmark, as it was but for its other records.
    pub json: String,
    /// What can be shown of its records.
    pub records: Vec<ForeignRecord>,
}

/// A benchmark whose parts are as they were written.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRun {
    recipe: Box<RawValue>,
    cpu: Vec<Box<RawValue>>,
    devices: Vec<RawDevice>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDevice {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<String>,
    device: Box<RawValue>,
    readings: Vec<Box<RawValue>>,
    tested: Vec<Box<RawValue>>,
}

/// A benchmark: what this version knows of it, and the rest; either may be missing.
///
/// # Errors
/// It is none.
pub fn split(run: &RawValue) -> serde_json::Result<(Option<BenchRun>, Option<ForeignRun>)> {
    let raw: RawRun = serde_json::from_str(run.get())?;
    let mut records = Vec::new();
    // Of what is in both: the recipe and the devices.
    let (mut known, mut foreign) = (raw.clone(), raw);
    known.cpu.clear();
    let cpu = std::mem::take(&mut foreign.cpu);
    for record in cpu {
        let is_foreign = noted(ForeignRecord::of(&serde_json::from_str(record.get())?), &mut records);
        if is_foreign { foreign.cpu.push(record) } else { known.cpu.push(record) }
    }
    for (known, foreign) in known.devices.iter_mut().zip(&mut foreign.devices) {
        known.readings.clear();
        known.tested.clear();
        for reading in std::mem::take(&mut foreign.readings) {
            let value: Value = serde_json::from_str(reading.get())?;
            let is_foreign = noted(value.get("record").and_then(ForeignRecord::of), &mut records);
            if is_foreign { foreign.readings.push(reading) } else { known.readings.push(reading) }
        }
        // Without one known reading, the steps are of a filter that is not known: they stay beside their readings.
        let is_all_foreign = known.readings.is_empty() && !foreign.readings.is_empty();
        for tested in std::mem::take(&mut foreign.tested) {
            let value: Value = serde_json::from_str(tested.get())?;
            let variant = value.pointer("/step/variant").and_then(Value::as_str);
            let is_foreign = is_all_foreign || variant.is_some_and(|variant| model::Variant::parse(variant).is_err());
            if is_foreign { foreign.tested.push(tested) } else { known.tested.push(tested) }
        }
    }
    let has_foreign = !records.is_empty() || foreign.devices.iter().any(|device| !device.tested.is_empty());
    let has_known = !has_foreign
        || !known.cpu.is_empty()
        || known.devices.iter().any(|device| !device.readings.is_empty() || !device.tested.is_empty());
    let typed = has_known.then(|| serde_json::from_str::<BenchRun>(&serde_json::to_string(&known)?)).transpose()?;
    let foreign = has_foreign.then(|| serde_json::to_string(&foreign).map(|json| ForeignRun { json, records })).transpose()?;
    Ok((typed.map(current), foreign))
}

fn noted(foreign: Option<ForeignRecord>, records: &mut Vec<ForeignRecord>) -> bool {
    let is_foreign = foreign.is_some();
    records.extend(foreign);
    is_foreign
}

/// With records as this version has them, and devices of the machines that they are of. A layout that is none stays, and is told.
fn current(mut run: BenchRun) -> BenchRun {
    let own = run.cpu.iter_mut().chain(run.devices.iter_mut().flat_map(|device| &mut device.readings).map(|reading| &mut reading.record));
    for record in own {
        if let Some(current) = record.clone().current() {
            *record = current;
        }
    }
    for device in &mut run.devices {
        device.device.host.clone_from(&device.machine);
    }
    run
}
