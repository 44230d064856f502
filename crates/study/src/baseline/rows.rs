//! The rows of a bundle as tasks for the devices there are now.

use super::{Baseline, Fingerprint, Row};
use crate::bundle::{Bundle, DeviceRun, PictureOrigin, Reading};
use base::error::Result;
use base::hash::sha256;
use base::texts::{Words, failed, filled};
use engine::device::DeviceInfo;
use engine::{KernelText, PictureRef, Target, Task};
use kernels::filters::{self, FilterIdExt as _, SettingExt as _};
use kernels::kernel_source;
use kernels::launch::Shape;
use model::{Budget, Channels, Contender, PictureFacts, Record, Setting, Variant};
use pictures::Picture;
use std::sync::Arc;
use view::story::said;

/// All readings of variants, with their benchmark's picture and budget and their device.
pub(super) fn readings(bundle: &Bundle) -> impl Iterator<Item = (&PictureOrigin, Budget, &DeviceRun, &Reading)> {
    bundle
        .devices()
        .flat_map(|(run, device)| device.readings.iter().map(move |reading| (&run.recipe.picture, run.recipe.budget, device, reading)))
}

/// What must be the same for times to be held to each other, and is not, as clauses.
#[must_use]
pub fn differences(baseline: &Baseline, now: &Fingerprint, devices: &[DeviceInfo]) -> Vec<String> {
    let then = &baseline.fingerprint;
    let mut found = Vec::new();
    let unknown = || "–".to_owned();
    if then.cpu != now.cpu {
        let [then, now] = [&then.cpu, &now.cpu].map(|cpu| cpu.clone().unwrap_or_else(unknown));
        found.push(filled("studies.gate.other-cpu", &[("then", &then), ("now", &now)]));
    }
    if then.cores != now.cores {
        let [then, now] = [then.cores, now.cores].map(|cores| cores.map_or_else(unknown, |cores| cores.to_string()));
        found.push(filled("studies.gate.other-cores", &[("then", &then), ("now", &now)]));
    }
    let named = |device: &DeviceInfo| format!("{} ({})", device.name, device.driver());
    for (_, run) in baseline.bundle.devices() {
        if !devices.iter().any(|device| is_same(&run.device, device)) {
            let there = devices.iter().map(named).collect::<Vec<_>>().join(", ");
            let clause = filled("studies.gate.other-device", &[("then", &named(&run.device)), ("now", &there)]);
            if !found.contains(&clause) {
                found.push(clause);
            }
        }
    }
    found
}

/// The same device with the same driver. What a machine is called is no matter.
pub(super) fn is_same(one: &DeviceInfo, other: &DeviceInfo) -> bool {
    let identity = |device: &DeviceInfo| {
        let DeviceInfo { name, platform, platform_version, driver_version, compute_units, .. } = device;
        (name.clone(), platform.clone(), platform_version.clone(), driver_version.clone(), *compute_units)
    };
    identity(one) == identity(other)
}

/// A row of a baseline, to be measured again.
#[derive(Debug)]
pub struct Again<'a> {
    /// What it is called: the device where there are several, the filter, the size, the variant.
    pub name: Words,
    /// What is computed, for classes of tests.
    pub class: String,
    /// What it took.
    pub row: &'a Row,
    /// How it is asked for now; or why it cannot be.
    pub task: std::result::Result<Task, Words>,
    /// Why it has no figures, where it has none.
    pub had_none: Option<Words>,
    /// The text that was built then, where it is not that of now.
    pub other_text: Option<Arc<str>>,
    /// A hash of how it is built and started now.
    pub work: Option<String>,
    /// How long it is sampled.
    pub budget: Budget,
}

impl Again<'_> {
    /// Whether the device is given the very same to do as then: nothing of the kernel can have become slower.
    #[must_use]
    pub fn is_same_work(&self) -> bool {
        self.other_text.is_none() && self.work.is_some() && self.work == self.row.work
    }
}

/// A hash of how a kernel is built and started, apart from its text.
fn work_of(record: &Record, setting: Setting, variant: &Variant) -> Option<String> {
    let filter = record.spec.filter.filter();
    let parameters = filter.complete(&record.spec.parameters).ok()?;
    let (width_px, height_px) = record.picture.size();
    let launch = (filter.launch)(&Shape { variant, setting, parameters: &parameters, width_px, height_px });
    let mut hash = sha256(format!("{}\n{launch:?}", kernel_source::build_options(variant, setting.abilities, None)));
    hash.truncate(16);
    Some(hash)
}

/// The rows of a baseline, for the devices of now.
#[derive(Debug)]
pub struct Rows<'a>(pub Vec<Again<'a>>);

impl<'a> Rows<'a> {
    /// Each row on the device of then, or on one in its place. `own` is the person's picture, where the baseline is of one.
    ///
    /// # Errors
    /// The picture is needed and not given, or is another one.
    pub fn of(baseline: &'a Baseline, devices: &[DeviceInfo], own: Option<&Picture>) -> Result<Self> {
        Self::of_parts(&baseline.bundle, &baseline.rows, devices, own)
    }

    pub(super) fn of_parts(bundle: &'a Bundle, rows: &'a [Row], devices: &[DeviceInfo], own: Option<&Picture>) -> Result<Self> {
        let has_several = bundle.distinct_devices().len() > 1;
        let mut pictures = Pictures { own, made: Vec::new() };
        let again = readings(bundle).zip(rows).map(|((origin, budget, run, reading), row)| {
            let record = &reading.record;
            let device = devices.iter().find(|device| is_same(&run.device, device)).or_else(|| devices.first());
            let had_none =
                row.processes.is_empty().then(|| record.reason().cloned().unwrap_or_else(|| Words::text("studies.gate.no-figures")));
            let spec = &record.spec;
            let (width, height) = record.picture.size();
            let on = if has_several { format!("{}, ", run.device.name) } else { String::new() };
            let setting = device.map(|device| Setting::of(spec).on(device.abilities()));
            let work = setting.and_then(|setting| {
                let Contender::Device { variant, .. } = &record.contender else { return None };
                work_of(record, setting, variant)
            });
            let text = setting.map(|setting| {
                let Contender::Device { variant, .. } = &record.contender else { return Err(Words::text("studies.gate.no-figures")) };
                kernel_source::compose(spec.filter.filter(), variant, setting, &spec.parameters).map_err(|error| Words::of(&error))
            });
            let stored = reading.kernel.as_ref().and_then(|hash| bundle.kernels.get(hash));
            let other_text = match (&text, stored) {
                (Some(Ok(text)), Some(stored)) if **text != **stored => Some(Arc::from(stored.as_str())),
                _ => None,
            };
            let task = match (device, &record.contender, text) {
                (Some(device), Contender::Device { variant, local, host_memory, .. }, Some(Ok(_))) if had_none.is_none() => Ok(Task {
                    spec: spec.clone(),
                    picture: pictures.of(origin, &record.picture, spec.channels)?,
                    target: Target::Device { index: device.index, variant: *variant, local: *local, host_memory: *host_memory },
                    text: KernelText::Composed,
                }),
                (_, _, Some(Err(why))) => Err(why),
                _ => Err(had_none.clone().unwrap_or_else(|| Words::text("studies.gate.no-figures"))),
            };
            Ok(Again {
                name: said(|| format!("{on}{}, {width} x {height}: {}", filters::spec_text(spec), record.label())),
                class: format!("{}.{}", run.device.name, spec.filter.filter().name()),
                row,
                task,
                had_none,
                other_text,
                work,
                budget,
            })
        });
        again.collect::<Result<Vec<_>>>().map(Self)
    }
}

/// Pictures, each made once: what is derived from one is kept by its identity.
struct Pictures<'a> {
    own: Option<&'a Picture>,
    made: Vec<(PictureFacts, PictureRef)>,
}

impl Pictures<'_> {
    fn of(&mut self, origin: &PictureOrigin, facts: &PictureFacts, channels: Channels) -> Result<PictureRef> {
        if let Some((_, known)) = self.made.iter().find(|(known, _)| known == facts) {
            return Ok(known.clone());
        }
        let (width, height) = facts.size();
        let picture = match (origin, self.own) {
            (PictureOrigin::Own, None) => return Err(failed("errors.baseline.no-picture", &[("width", &width), ("height", &height)])),
            (PictureOrigin::Own, Some(own)) => {
                Some(pictures::filled(Some(&own.to_channels(channels).with_alpha(None)), width, height, channels))
            }
            (origin, _) => origin.picture((width, height), channels),
        };
        let other = || failed("errors.baseline.other-picture", &[("width", &width), ("height", &height)]);
        let made = PictureRef::new(Arc::new(picture.ok_or_else(other)?));
        if made.facts() != *facts {
            return Err(other());
        }
        self.made.push((facts.clone(), made.clone()));
        Ok(made)
    }
}
