//! What a search for the fastest found, as it is kept over restarts and offered again on the same device. It has no picture, no path and no date.

use super::Candidate;
use crate::device::DeviceInfo;
use crate::engine::Task;
use crate::files::{Line, LineStep};
use crate::measure::Comparison;
use crate::model::Spec;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sought {
    /// The fastest variant of a filter, with its local work size; compared with naive.
    Variant,
    /// The best local work size of a variant; compared with the driver's choice.
    LocalSize,
}

/// The end of a search that nothing disturbed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Form of the record, see [`Self::SCHEMA`].
    pub schema: u32,
    /// What was looked for.
    pub sought: Sought,
    /// The device's name.
    pub device: String,
    /// Platform and driver version.
    pub driver: String,
    /// Our own version: another one has other kernels.
    pub program_version: String,
    /// What was computed.
    pub spec: Spec,
    /// Width of the picture.
    pub width_px: usize,
    /// Height of the picture.
    pub height_px: usize,
    /// What was found.
    #[serde(flatten)]
    pub found: Candidate,
    /// How many times as fast it is, from interleaved pairs.
    #[serde(flatten)]
    pub comparison: Comparison,
}

impl Tuning {
    /// The form that is written now.
    pub const SCHEMA: u32 = 1;

    /// Of the task that was found on `device`; `None` where it runs on no device.
    #[must_use]
    pub fn new(sought: Sought, found: &Task, device: &DeviceInfo, comparison: Comparison) -> Option<Self> {
        let (width_px, height_px) = found.picture.size();
        Some(Self {
            schema: Self::SCHEMA,
            sought,
            device: device.name.clone(),
            driver: device.driver(),
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            spec: found.spec.clone(),
            width_px,
            height_px,
            found: Candidate::of(found)?,
            comparison,
        })
    }

    /// Whether it answers this question about `task` on `device`: the same device, driver, version of this program and filter with its
    /// parameters, a picture of about that size, and of a local work size the same variant.
    #[must_use]
    pub fn answers(&self, sought: Sought, task: &Task, device: &DeviceInfo) -> bool {
        let (width_px, height_px) = task.picture.size();
        let is_about_as_large = is_same_class(self.width_px * self.height_px, width_px * height_px);
        let is_of_variant = sought == Sought::Variant || Candidate::of(task).is_some_and(|asked| asked.variant == self.found.variant);
        let is_of_device = (&self.device, &self.driver) == (&device.name, &device.driver());
        let is_of_version = self.program_version == env!("CARGO_PKG_VERSION");
        self.sought == sought && is_of_device && is_of_version && self.spec == task.spec && is_about_as_large && is_of_variant
    }

    /// Whether both answer the same question over pictures of the same size.
    #[must_use]
    pub fn is_same_question(&self, other: &Self) -> bool {
        let question = |tuning: &Self| {
            let variant = (tuning.sought == Sought::LocalSize).then_some(tuning.found.variant);
            (tuning.sought, tuning.width_px, tuning.height_px, variant)
        };
        let place = |tuning: &Self| (tuning.device.clone(), tuning.driver.clone(), tuning.program_version.clone(), tuning.spec.clone());
        question(self) == question(other) && place(self) == place(other)
    }

    /// Whether this program still has what was found, for this task and device.
    #[must_use]
    pub fn is_allowed(&self, task: &Task, device: &DeviceInfo) -> bool {
        self.found.variant.check(task.filter(), task.setting().on(device.abilities())).is_ok()
    }
}

/// Sizes in which the same candidate should be the fastest: neither has more than twice the pixels of the other.
fn is_same_class(pixels: usize, others: usize) -> bool {
    pixels <= others.saturating_mul(2) && others <= pixels.saturating_mul(2)
}

impl Line for Tuning {
    const MOST: usize = 500;

    fn is_current(&self) -> bool {
        self.schema == Self::SCHEMA
    }

    fn refused(step: LineStep) -> &'static str {
        match step {
            LineStep::Read => "errors.tunings.not-read",
            LineStep::Copy => "errors.tunings.not-copied",
            LineStep::Append => "errors.tunings.not-appended",
            LineStep::Replace => "errors.tunings.not-kept",
        }
    }
}

/// The file in the user's data folder; `None` where there is no such folder.
#[must_use]
pub fn tunings_file() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "kernel-ladder").map(|dirs| dirs.data_local_dir().join("tunings.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::{Sought, Tuning, is_same_class};
    use crate::device::DeviceInfo;
    use crate::engine::{PictureRef, Target, Task};
    use crate::files::{LinesJob, read_lines};
    use crate::image::Picture;
    use crate::measure::{Comparison, Verdict};
    use crate::model::{Channels, HostMemory, LocalSize, Variant};
    use std::sync::Arc;

    fn task(variant: &str, local: LocalSize, [width, height]: [usize; 2]) -> Task {
        let target = Target::Device { index: 0, variant: Variant::parse(variant).expect("known"), local, host_memory: HostMemory::Copy };
        Task::new(PictureRef::new(Arc::new(Picture::from_fn(width, height, Channels::Rgb, |_, _, _| 0))), target)
    }

    fn tuning(sought: Sought) -> Tuning {
        let comparison = Comparison { ratio: 1.5, low: 1.4, high: 1.6, verdict: Verdict::Faster };
        let found = task("coalesced+padded", LocalSize::Explicit([64, 2]), [40, 30]);
        Tuning::new(sought, &found, &DeviceInfo::example(), comparison).expect("on a device")
    }

    #[test]
    fn it_answers_for_the_same_device_filter_and_size_class() {
        let device = DeviceInfo::example();
        let (asked, kept) = (task("naive", LocalSize::Driver, [40, 30]), tuning(Sought::Variant));
        assert!(kept.answers(Sought::Variant, &asked, &device) && kept.is_allowed(&asked, &device));
        assert!(kept.answers(Sought::Variant, &task("naive", LocalSize::Driver, [40, 60]), &device));
        assert!(!kept.answers(Sought::Variant, &task("naive", LocalSize::Driver, [40, 61]), &device));
        assert!(!kept.answers(Sought::LocalSize, &asked, &device));
        let newer = DeviceInfo { driver_version: "2.0".to_owned(), ..DeviceInfo::example() };
        assert!(!kept.answers(Sought::Variant, &asked, &newer));
        assert!(is_same_class(0, 0) && !is_same_class(1, 0));
    }

    #[test]
    fn a_local_size_is_one_of_its_variant() {
        let (device, kept) = (DeviceInfo::example(), tuning(Sought::LocalSize));
        assert!(kept.answers(Sought::LocalSize, &task("coalesced+padded", LocalSize::Driver, [40, 30]), &device));
        assert!(!kept.answers(Sought::LocalSize, &task("coalesced", LocalSize::Driver, [40, 30]), &device));
    }

    #[test]
    fn it_comes_back_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tunings.jsonl");
        let kept = [tuning(Sought::Variant), tuning(Sought::LocalSize)];
        for tuning in &kept {
            LinesJob::Append(Box::new(tuning.clone())).run(&path).expect("written");
        }
        assert_eq!(read_lines::<Tuning>(&path).expect("read").lines, kept);
    }
}
