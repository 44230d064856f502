//! What a search for the fastest found, as it is kept over restarts and offered again on the same device. It has no picture, no path and no date.

use super::ablation::Worth;
use super::{Autotuned, Candidate, Tuned};
use base::files::{Line, LineStep};
use engine::Task;
use engine::device::DeviceInfo;
use kernels::filters::VariantExt;
use model::measure::{Comparison, Verdict};
use model::{LocalSize, Machine, Spec};
use serde::{Deserialize, Serialize};

/// What was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sought {
    /// The fastest variant of a filter, with its local work size; compared with naive.
    Variant,
    /// The best local work size of a variant; compared with the driver's choice.
    LocalSize,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Form of the record, see [`Self::SCHEMA`].
    pub schema: u32,
    /// What was looked for.
    pub sought: Sought,
    /// Where, and by which version of this program: another one has other kernels.
    #[serde(flatten)]
    pub machine: Machine,
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
    /// Whether other programs ran meanwhile: what is found on a quiet machine takes its place, and not the other way round.
    #[serde(default)]
    pub busy: bool,
}

impl Tuning {
    /// The form that is written now.
    pub const SCHEMA: u32 = 1;

    /// Of the task that was found on `device`; `None` where it runs on no device.
    fn new(sought: Sought, found: &Task, device: &DeviceInfo, comparison: Comparison, busy: bool) -> Option<Self> {
        let (width_px, height_px) = found.picture.size();
        Some(Self {
            schema: Self::SCHEMA,
            sought,
            machine: device.machine(),
            spec: found.spec.clone(),
            width_px,
            height_px,
            found: Candidate::of(found)?,
            comparison,
            busy,
        })
    }

    /// What a search for the fastest variant found, where the best one is faster than naive.
    #[must_use]
    pub fn of_variant(tuned: &Autotuned, whole: &Worth, like: &Task, device: &DeviceInfo) -> Option<Self> {
        let compared = whole.as_ref()?.as_ref().ok()?;
        let is_sound = compared.comparison.verdict == Verdict::Faster;
        let is_busy = tuned.is_busy || compared.busy;
        is_sound.then(|| Self::new(Sought::Variant, &tuned.best?.task(like), device, compared.comparison, is_busy))?
    }

    /// What a search for the best local work size found, where that one is faster than the driver's choice.
    #[must_use]
    pub fn of_local_size(tuned: &Tuned, like: &Task, device: &DeviceInfo) -> Option<Self> {
        let gain = tuned.gain.filter(|gain| gain.verdict == Verdict::Faster)?;
        Self::new(Sought::LocalSize, &like.with_local(LocalSize::Explicit(tuned.best()?.local)), device, gain, tuned.is_busy())
    }

    /// The newest that answers this question about `task` on `device`, and is still allowed there. The newest counts, whatever was faster once; but one
    /// that was found on a quiet machine goes before one that was not.
    #[must_use]
    pub fn known<'a>(all: &'a [Self], sought: Sought, task: &Task, device: &DeviceInfo) -> Option<&'a Self> {
        let machine = device.machine();
        let answering = || all.iter().rev().filter(|tuning| tuning.answers(sought, task, &machine) && tuning.is_allowed(task, device));
        answering().find(|tuning| !tuning.busy).or_else(|| answering().next())
    }

    /// Whether it answers this question about `task` on `machine`: the same device, driver, version of this program and filter with its
    /// parameters, a picture of about that size, and of a local work size the same variant.
    #[must_use]
    pub fn answers(&self, sought: Sought, task: &Task, machine: &Machine) -> bool {
        let (width_px, height_px) = task.picture.size();
        let is_about_as_large = is_same_class(self.width_px * self.height_px, width_px * height_px);
        let is_of_variant = sought == Sought::Variant || Candidate::of(task).is_some_and(|asked| asked.variant == self.found.variant);
        (self.sought, &self.machine, &self.spec) == (sought, machine, &task.spec) && is_about_as_large && is_of_variant
    }

    /// Whether both answer the same question over pictures of the same size.
    #[must_use]
    pub fn is_same_question(&self, other: &Self) -> bool {
        let question = |tuning: &Self| {
            let variant = (tuning.sought == Sought::LocalSize).then_some(tuning.found.variant);
            (tuning.sought, tuning.width_px, tuning.height_px, variant)
        };
        question(self) == question(other) && (&self.machine, &self.spec) == (&other.machine, &other.spec)
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
    const FILE: &'static str = "tunings.jsonl";
    const MOST: usize = 500;
    const UNREAD: [&'static str; 2] = ["errors.window.unread-tuning", "errors.window.unread-tunings"];

    fn current(self) -> Option<Self> {
        (self.schema == Self::SCHEMA).then_some(self)
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

#[cfg(test)]
mod tests {
    use super::{Sought, Tuning, is_same_class};
    use base::files::{LinesJob, read_lines};
    use engine::device::DeviceInfo;
    use engine::{PictureRef, Target, Task};
    use model::measure::{Comparison, Verdict};
    use model::{Channels, HostMemory, LocalSize, Variant};
    use pictures::Picture;
    use std::sync::Arc;

    fn task(variant: &str, local: LocalSize, [width, height]: [usize; 2]) -> Task {
        let target = Target::Device { index: 0, variant: Variant::parse(variant).expect("known"), local, host_memory: HostMemory::Copy };
        Task::new(PictureRef::new(Arc::new(Picture::from_fn(width, height, Channels::Rgb, |_, _, _| 0))), target)
    }

    fn tuning(sought: Sought) -> Tuning {
        let comparison = Comparison { ratio: 1.5, low: 1.4, high: 1.6, verdict: Verdict::Faster, starts: 1 };
        let found = task("coalesced+padded", LocalSize::Explicit([64, 2]), [40, 30]);
        Tuning::new(sought, &found, &DeviceInfo::example(), comparison, false).expect("on a device")
    }

    #[test]
    fn it_answers_for_the_same_device_filter_and_size_class() {
        let device = DeviceInfo::example();
        let machine = device.machine();
        let (asked, kept) = (task("naive", LocalSize::Driver, [40, 30]), tuning(Sought::Variant));
        assert!(kept.answers(Sought::Variant, &asked, &machine) && kept.is_allowed(&asked, &device));
        assert!(kept.answers(Sought::Variant, &task("naive", LocalSize::Driver, [40, 60]), &machine));
        assert!(!kept.answers(Sought::Variant, &task("naive", LocalSize::Driver, [40, 61]), &machine));
        assert!(!kept.answers(Sought::LocalSize, &asked, &machine));
        let newer = DeviceInfo { driver_version: "2.0".to_owned(), ..DeviceInfo::example() };
        assert!(!kept.answers(Sought::Variant, &asked, &newer.machine()));
        assert!(is_same_class(0, 0) && !is_same_class(1, 0));
    }

    #[test]
    fn a_local_size_is_one_of_its_variant() {
        let (machine, kept) = (DeviceInfo::example().machine(), tuning(Sought::LocalSize));
        assert!(kept.answers(Sought::LocalSize, &task("coalesced+padded", LocalSize::Driver, [40, 30]), &machine));
        assert!(!kept.answers(Sought::LocalSize, &task("coalesced", LocalSize::Driver, [40, 30]), &machine));
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
