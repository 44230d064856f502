//! A bundle: one file with everything that a benchmark brought, on one device or on many, for whoever was not there.
//!
//! | file | holds |
//! |---|---|
//! | `file` | the file: what it says that it is, its sum, and what is wrong with one |
//! | `check` | what a bundle that is read is held to |
//! | `privacy` | what must not be in it |
//! | `origin` | the picture, by how it can be had again |
//! | `alias` | what machines are called in it |
//! | `foreign` | what another version wrote, and this one does not know |
//! | `session` | what a session in the window measured |
//! | `recipe` | the command that measures it again |
//! | `merge` | one bundle of many |
//!
//! It holds records as they are, with all samples and what the compiler made; the kernels' texts, each once; and the comparisons that guides' claims were
//! held to, with their pairs, their reasons and what experiments said of these; and what studies answered. It holds no pixel, no name of a person or computer, and no path: a generated picture or one of the samples is
//! made again where it is wanted, and of a person's own there are the size and the hash.

mod alias;
mod check;
mod file;
mod foreign;
mod merge;
mod origin;
mod privacy;
mod recipe;
mod session;
#[cfg(test)]
mod tests;

pub use alias::Aliases;
pub use file::{FORMAT, is_whole, sealed, text_of};
pub use file::{MOST_BYTES, of_bytes, read, write};
pub use foreign::ForeignRun;
pub use origin::PictureOrigin;
pub use recipe::{OWN_PICTURE, Recipe};
pub use session::{Experimented, Session};

use crate::Answer;
use crate::claims::elsewhere::StepThere;
use base::hash::sha256;
use base::texts::Words;
use engine::Compared;
use engine::device::DeviceInfo;
use kernels::filters::FilterIdExt;
use kernels::filters::SettingExt;
use kernels::filters::{self, Ladder};
use kernels::kernel_source;
use model::measure::{Pair, Places};
use model::{Abilities, Contender, Outcome, Record, Setting};
use privacy::Private;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

/// Who and where this process is.
static PRIVATE: LazyLock<Private> = LazyLock::new(Private::of_this_machine);

/// What one or many benchmarks brought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// The benchmarks, in the order taken or merged.
    pub runs: Vec<BenchRun>,
    /// The texts that were built, by their SHA-256 in hexadecimal.
    pub kernels: BTreeMap<String, String>,
    /// What studies answered, in the order made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// What this version does not know, as it was.
    #[serde(skip)]
    pub foreign: Vec<ForeignRun>,
    /// Answers of studies that this version does not know, as they were.
    #[serde(skip)]
    pub foreign_answers: Vec<String>,
}

/// What one benchmark brought: one filter over pictures of one kind, on the devices of one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchRun {
    /// How it was measured.
    pub recipe: Recipe,
    /// The CPU competitors.
    pub cpu: Vec<Record>,
    /// The devices.
    pub devices: Vec<DeviceRun>,
}

/// What a benchmark brought on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceRun {
    /// Which machine has it, as [`Machine::alias`](model::Machine::alias) of its records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The device with its limits.
    pub device: DeviceInfo,
    /// Variants, in the order measured.
    pub readings: Vec<Reading>,
    /// Steps of the ladder that were compared.
    pub tested: Vec<Tested>,
}

/// A record of a variant, with its place in the ladder and the text that was built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The record.
    pub record: Record,
    /// The key of the ladder's step that it is.
    pub step: Option<String>,
    /// Which of the bundle's kernels was built; `None` where there is none.
    pub kernel: Option<String>,
    /// How it compares with the reading above that has figures, where that was asked and is not among the steps that were compared.
    pub above: Option<Compared>,
}

/// A step of a ladder that was compared with another one, with the runs that say how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tested {
    /// Which step, against which, how it compared, and why.
    pub step: StepThere,
    /// The pairs of runs, in the order taken.
    pub pairs: Vec<Pair>,
    /// Whether both ran over the same memory.
    pub places: Places,
}

impl Bundle {
    /// Adds a benchmark: machines get the names that `aliases` gives them, other names are dropped, paths and names in reasons struck out, and the texts that were built added. One of the same recipe on the same
    /// devices is that before, with more picture sizes.
    pub fn add(&mut self, mut run: BenchRun, aliases: &Aliases) {
        for record in &mut run.cpu {
            cleared(record, &PRIVATE, aliases);
        }
        for DeviceRun { machine, device, readings, tested } in &mut run.devices {
            *machine = Some(aliases.of(device.host.as_deref()));
            device.host.clone_from(machine);
            let arms = tested.iter_mut().flat_map(|tested| &mut tested.step.why).filter_map(|cited| cited.tested.as_mut());
            for failed in arms.flat_map(|tested| &mut tested.arms).filter_map(|arm| arm.failed.as_mut()) {
                *failed = struck(failed, &PRIVATE);
            }
            for reading in readings {
                cleared(&mut reading.record, &PRIVATE, aliases);
                if let Some(code) = reading.above.as_mut().and_then(|above| above.code.as_mut()) {
                    code.origins = code.origins.each_ref().map(|origin| struck(origin, &PRIVATE));
                    code.sameness = code.sameness.as_ref().copied().map_err(|why| struck(why, &PRIVATE));
                }
                let text = kernel_text(&reading.record, device.abilities());
                reading.kernel = text.map(|text| {
                    let hash = sha256(text.as_bytes());
                    self.kernels.entry(hash.clone()).or_insert(text);
                    hash
                });
            }
        }
        match self.runs.last_mut() {
            Some(last) if last.is_continued_by(&run) => {
                last.cpu.append(&mut run.cpu);
                for (own, more) in last.devices.iter_mut().zip(&mut run.devices) {
                    own.readings.append(&mut more.readings);
                    own.tested.append(&mut more.tested);
                }
            }
            _ => self.runs.push(run),
        }
    }

    /// Adds what a study answered, with its machine under the name that `aliases` gives it, and paths and names struck out.
    pub fn add_answer(&mut self, answer: &Answer, aliases: &Aliases) {
        let mut answer = Answer { story: answer.story.with_words(&|words| struck(words, &PRIVATE)), ..answer.clone() };
        answer.machine.alias = Some(aliases.of(answer.machine.alias.as_deref()));
        if !self.answers.contains(&answer) {
            self.answers.push(answer);
        }
    }

    /// All records.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.runs.iter().flat_map(|run| {
            let on_devices = run.devices.iter().flat_map(|device| &device.readings).map(|reading| &reading.record);
            run.cpu.iter().chain(on_devices)
        })
    }

    /// Which of these machines, by what they are called in it, it has no records of.
    #[must_use]
    pub fn without<'a>(&self, machines: &'a [String]) -> Vec<&'a str> {
        let own: HashSet<&str> = self.records().filter_map(|record| record.machine.alias.as_deref()).collect();
        // Of records that this version does not know, the machine is known all the same.
        let is_foreign = |name: &str| {
            let alias = format!("\"alias\":{}", serde_json::Value::from(name));
            self.foreign.iter().any(|run| run.json.contains(&alias))
        };
        machines.iter().map(String::as_str).filter(|name| !own.contains(name) && !is_foreign(name)).collect()
    }

    /// Every device with its driver, once, in the order measured.
    #[must_use]
    pub fn distinct_devices(&self) -> Vec<&DeviceInfo> {
        let mut seen = HashSet::new();
        self.devices().map(|(_, run)| &run.device).filter(|device| seen.insert(identity(device))).collect()
    }

    /// Whether all of it was measured on one machine.
    #[must_use]
    pub fn is_of_one_machine(&self) -> bool {
        let mut machines = self.records().map(|record| &record.machine.alias);
        machines.next().is_none_or(|first| machines.all(|other| other == first))
    }

    /// What was measured on devices, with the benchmark that it belongs to.
    pub fn devices(&self) -> impl Iterator<Item = (&BenchRun, &DeviceRun)> {
        self.runs.iter().flat_map(|run| run.devices.iter().map(move |device| (run, device)))
    }
}

impl BenchRun {
    fn is_continued_by(&self, other: &Self) -> bool {
        self.recipe == other.recipe && self.devices.iter().map(|run| &run.device).eq(other.devices.iter().map(|run| &run.device))
    }

    /// The ladder that was climbed, where this version of the program has it.
    #[must_use]
    pub fn ladder(&self) -> Option<&'static Ladder> {
        let name = self.recipe.ladder.as_deref()?;
        filters::all().iter().find_map(|filter| filter.ladder(name))
    }
}

/// Whether it is the same device of the same machine with the same driver: readings of both are repetitions of each other.
#[must_use]
pub fn is_same_device(one: &DeviceInfo, other: &DeviceInfo) -> bool {
    identity(one) == identity(other)
}

/// What tells devices apart.
fn identity(device: &DeviceInfo) -> (Option<&str>, &str, &str, &str, u32) {
    (device.host.as_deref(), &device.name, &device.platform, &device.driver_version, device.compute_units)
}

/// Drops the name that a person gave, and strikes out of the reason what says who or where they are.
fn cleared(record: &mut Record, private: &Private, aliases: &Aliases) {
    record.name = None;
    record.machine.alias = Some(aliases.of(record.machine.alias.as_deref()));
    if let Outcome::Unsupported(why) | Outcome::Failed(why) = &mut record.outcome {
        *why = struck(why, private);
    }
}

/// A piece that fills a place stands within quotation marks in many texts: a path at its beginning may have blanks.
fn struck(words: &Words, private: &Private) -> Words {
    words.with_changed(&|piece| {
        let quoted = private.struck(&format!("'{piece}'"));
        quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(&quoted).to_owned()
    })
}

/// The text of a variant as a device builds it; `None` for a CPU competitor, and where the variant is not allowed there.
fn kernel_text(record: &Record, abilities: Abilities) -> Option<String> {
    let Contender::Device { variant, .. } = &record.contender else { return None };
    let text =
        kernel_source::compose(record.spec.filter.filter(), variant, Setting::of(&record.spec).on(abilities), &record.spec.parameters);
    text.ok().map(|text| text.to_string())
}
