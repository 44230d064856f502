//! One bundle of many.

use super::{BenchRun, Bundle, DeviceRun};
use engine::device::DeviceInfo;
use serde::Serialize;
use std::collections::HashSet;

impl Bundle {
    /// All of these as one. What is there twice (the same record or comparison, of the same device with the same driver) is there once. With it, how many
    /// records were left out.
    #[must_use]
    pub fn merged(bundles: impl IntoIterator<Item = Self>) -> (Self, usize) {
        let mut merged = Self::default();
        let (mut seen, mut left_out) = (HashSet::new(), 0);
        for bundle in bundles {
            merged.kernels.extend(bundle.kernels);
            for foreign in bundle.foreign {
                if seen.insert(foreign.json.clone()) {
                    merged.foreign.push(foreign);
                } else {
                    left_out += foreign.records.len();
                }
            }
            merged.answers.extend(bundle.answers.into_iter().filter(|answer| is_new("answer", answer, &mut seen)));
            merged.foreign_answers.extend(bundle.foreign_answers.into_iter().filter(|answer| seen.insert(answer.clone())));
            for run in bundle.runs {
                let before = records(&run);
                let run = without_known(run, &mut seen);
                left_out += before - records(&run);
                if !run.cpu.is_empty() || !run.devices.is_empty() {
                    merged.runs.push(run);
                }
            }
        }
        (merged, left_out)
    }
}

fn records(run: &BenchRun) -> usize {
    run.cpu.len() + run.devices.iter().map(|device| device.readings.len()).sum::<usize>()
}

fn without_known(mut run: BenchRun, seen: &mut HashSet<String>) -> BenchRun {
    run.cpu.retain(|record| is_new("", record, seen));
    for DeviceRun { device, readings, tested, .. } in &mut run.devices {
        let key = key(device);
        readings.retain(|reading| is_new(&key, reading, seen));
        tested.retain(|tested| is_new(&key, tested, seen));
    }
    run.devices.retain(|device| !device.readings.is_empty() || !device.tested.is_empty());
    run
}

/// Which device, with which driver.
fn key(device: &DeviceInfo) -> String {
    [device.name.as_str(), &device.driver(), &device.compute_units.to_string(), device.host.as_deref().unwrap_or_default()].join("\n")
}

/// Whether it is seen for the first time; what cannot be written down is taken for new.
fn is_new(of: &str, what: &impl Serialize, seen: &mut HashSet<String>) -> bool {
    serde_json::to_string(what).map_or(true, |text| seen.insert(format!("{of}\n{text}")))
}
