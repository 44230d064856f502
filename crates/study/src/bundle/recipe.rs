//! How to measure it again: what records do not say of the benchmark that they are of, and the command.

use super::{BenchRun, DeviceRun, PictureOrigin};
use kernels::filters::FilterIdExt as _;
use model::{Budget, Contender, HostMemory, LocalSize, Record, Variant};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// What records do not say of their benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The ladder that was climbed.
    pub ladder: Option<String>,
    /// The picture that sizes were filled with.
    pub picture: PictureOrigin,
    /// How long each row was sampled.
    pub budget: Budget,
    /// Whether each row was compared with the row above.
    pub compares_rows: bool,
}

/// Stands for the file of a person's own picture.
pub const OWN_PICTURE: &str = "PICTURE";

impl PictureOrigin {
    /// What stands for it in a command; `None` where it need not be said. A bundle may be of anyone's making, and the command is meant for a shell: of
    /// samples it has the names of those that there are, and no others.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Self::Generated => None,
            Self::Sample(name) => {
                Some(pictures::samples().iter().find(|sample| sample.name == *name).map_or(OWN_PICTURE, |sample| sample.name))
            }
            Self::Own => Some(OWN_PICTURE),
        }
    }
}

impl BenchRun {
    /// The command that measures a device's rows again; `None` where there are none. A person's own picture is [`OWN_PICTURE`] in it.
    #[must_use]
    pub fn command(&self, device: &DeviceRun) -> Option<String> {
        let records = || device.readings.iter().map(|reading| &reading.record);
        let spec = &records().next()?.spec;
        let Recipe { picture, budget, compares_rows, .. } = &self.recipe;
        let mut words = vec!["kernel-ladder bench".to_owned()];
        words.push(format!("{} --channels {} --border {}", spec.filter.filter().options(), spec.channels.name(), spec.border.name()));
        words.extend(spec.parameters.0.iter().map(|(name, value)| format!("--set {name}={value}")));
        match self.ladder() {
            Some(ladder) => words.push(format!("--ladder {}", ladder.name)),
            None => words.extend(option("--variant", records().filter_map(|record| asked(record).map(|(variant, ..)| variant)))),
        }
        // A step's own local size is the ladder's.
        let has_own =
            |step: &str| self.ladder().is_some_and(|ladder| ladder.steps.iter().any(|known| known.key == step && known.local.is_some()));
        let chosen = device.readings.iter().filter(|reading| !reading.step.as_deref().is_some_and(has_own));
        let locals: Vec<LocalSize> = chosen.filter_map(|reading| asked(&reading.record).map(|(_, local, _)| local)).collect();
        if locals.iter().any(|local| *local != LocalSize::Driver) {
            words.extend(option("--local", locals));
        }
        let memories: Vec<HostMemory> = records().filter_map(|record| asked(record).map(|(.., memory)| memory)).collect();
        if memories.iter().any(|memory| *memory != HostMemory::Copy) {
            words.extend(option("--memory", memories));
        }
        words.extend(option("--size", records().map(|record| format!("{}x{}", record.picture.width_px, record.picture.height_px))));
        words.extend(picture.word().map(|word| format!("--picture {word}")));
        words.push(format!("--budget-ms {} --starts {}", budget.sample_ns / 1_000_000, budget.starts));
        let has_experiments = device.tested.iter().any(|tested| tested.step.is_put_to_test);
        words.extend(
            [(budget.warm_cache, "--warm-cache"), (*compares_rows, "--compare"), (has_experiments, "--why=test")]
                .into_iter()
                .filter(|(is_so, _)| *is_so)
                .map(|(_, word)| word.to_owned()),
        );
        words.push(format!("--device {}", device.device.index));
        Some(words.join(" "))
    }
}

/// What a row was asked for.
fn asked(record: &Record) -> Option<(Variant, LocalSize, HostMemory)> {
    match record.contender {
        Contender::Device { variant, local, host_memory, .. } => Some((variant, local, host_memory)),
        Contender::Cpu { .. } => None,
    }
}

/// An option with all values, each once; nothing where there are none.
fn option(name: &str, values: impl IntoIterator<Item = impl Display>) -> Option<String> {
    let mut distinct: Vec<String> = Vec::new();
    for value in values {
        let value = value.to_string();
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    (!distinct.is_empty()).then(|| format!("{name} {}", distinct.join(" ")))
}
