//! What is asked of the pixel that was clicked: the person's choices, and what is known of the device and of the code.

use crate::app::compiled_panel::against;
use crate::app::state::State;
use base::texts::{Language, filled, language, text};
use engine::compiled::{Compiled, Kernel};
use engine::device::{DeviceInfo, DeviceKind, Grain, MOST_SUB_GROUP, SECTOR_BYTES, USUAL_SUB_GROUP};
use engine::{PictureRef, Target, Task};
use model::{Contender, LocalSize, Spec, Variant};
use view::access::memory::SEGMENT_SIZES_BYTES;
use view::access::words;

/// What a person chose for the access picture; `None`: as the device has it. It lasts as long as the window. A change is queued as
/// [`crate::app::action::Action::SetAccess`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessSettings {
    /// Which step: 0 is who makes the pixel, the one past the last is all at once; `None` is that too.
    pub step: Option<usize>,
    /// Bytes of a segment.
    pub segment_bytes: Option<usize>,
    /// Work-items of a sub-group.
    pub sub_group: Option<usize>,
    /// The pass, from 0; `None`: the last that stores the pixel.
    pub pass: Option<usize>,
    /// The variant that the source is compared with is drawn, too.
    pub is_compared: bool,
    /// Lanes that wait are drawn, where the filter has tests that depend on the pixels.
    pub shows_lanes: bool,
}

/// A variant with its work-group.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Filter, parameters, channels, border mode.
    pub spec: Spec,
    /// Stages.
    pub variant: Variant,
    /// Work-items of a work-group.
    pub local: [usize; 2],
}

/// Everything that a picture is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// What is chosen.
    pub shown: Shown,
    /// What is drawn above it.
    pub before: Option<Shown>,
    /// The photo.
    pub picture: PictureRef,
    /// Column and row.
    pub pixel: [usize; 2],
    /// See [`AccessSettings::pass`].
    pub pass: Option<usize>,
    /// Work-items of a sub-group; on processors those that run at once.
    pub sub_group: usize,
    /// On processors.
    pub is_loop: bool,
    /// Bytes of a segment.
    pub segment_bytes: usize,
    /// See [`AccessSettings::step`].
    pub step: Option<usize>,
    /// Which lanes wait is drawn, not what is loaded and stored.
    pub is_lanes: bool,
    /// The texts are in it.
    pub language: Language,
}

/// Where the driver chooses the work-group and does not tell, it is shown for this.
pub(super) const LOCAL: [usize; 2] = [32, 1];

/// What is asked, and what has to be said about it. `None` without a picture.
#[must_use]
pub fn asked(state: &State) -> Option<(Asked, Vec<String>)> {
    let settings = &state.access;
    let opened = state.picture.as_ref()?;
    let photo = &opened.picture.picture;
    let size = [photo.width_px(), photo.height_px()];
    let task = task(state)?;
    let mut notes = Vec::new();
    let mut own = local(state, &task, settings.pass);
    let is_loop = is_processor(state);
    let (sub_group, width_note) = sub_group(state, &task);
    let is_lanes = settings.shows_lanes && task.filter().conditional.is_some();
    let before = settings.is_compared.then(|| before(state, &task));
    let before = before.and_then(|before| match before {
        Ok((mut shown, mut other)) => {
            // Work-groups of two sizes would differ in more than the variants do.
            match (own.is_known, other.is_known) {
                (true, false) => other.size = own.size,
                (false, true) => own.size = other.size,
                _ => {}
            }
            shown.local = other.size;
            notes.extend(other.note().filter(|_| !other.is_known && own.is_known).map(|note| format!("{}: {note}", shown.variant)));
            Some(shown)
        }
        Err(why) => {
            notes.push(filled("access.panel.no-comparison", &[("why", &why)]));
            None
        }
    });
    notes.extend(own.note());
    notes.extend(width_note);
    let asked = Asked {
        shown: Shown { spec: task.spec, variant: state.choice().variant, local: own.size },
        before,
        picture: opened.picture.clone(),
        pixel: pixel(state, size),
        pass: settings.pass,
        sub_group,
        is_loop,
        segment_bytes: segment_bytes(state),
        step: settings.step,
        is_lanes,
        language: language(),
    };
    Some((asked, notes))
}

/// What is chosen, on a device even where a CPU competitor computes.
pub fn task(state: &State) -> Option<Task> {
    let choice = state.choice();
    let index = state.device().or(state.device_list().first()).map_or(0, |device| device.index);
    state.task_on(Target::Device { index, variant: choice.variant, local: choice.local, host_memory: choice.host_memory })
}

/// The pixel that was clicked; the middle of the picture before that, and the nearest one where the picture is smaller than that it was clicked in.
fn pixel(state: &State, size: [usize; 2]) -> [usize; 2] {
    let middle = size.map(|side| side / 2);
    let [[x, y], [width, height]] = [state.pixel.unwrap_or(middle), size];
    [x.min(width.saturating_sub(1)), y.min(height.saturating_sub(1))]
}

/// Whether work-items run in a loop.
pub fn is_processor(state: &State) -> bool {
    state.device().or(state.device_list().first()).is_some_and(|device| device.kind == DeviceKind::Cpu)
}

/// How the device asks its memory.
fn grain(state: &State) -> Option<Grain> {
    state.device().or(state.device_list().first()).map(DeviceInfo::grain)
}

/// Bytes of a segment.
pub fn segment_bytes(state: &State) -> usize {
    let usual = grain(state).map_or(SECTOR_BYTES, |grain| grain.segment_bytes);
    state.access.segment_bytes.filter(|size| SEGMENT_SIZES_BYTES.contains(size)).unwrap_or(usual)
}

/// What the source is compared with, over the same picture; with its work-group.
fn before(state: &State, task: &Task) -> Result<(Shown, Local), String> {
    let other = against(state, task, &state.settings.source.against)?;
    let Target::Device { variant, .. } = other.target else { return Err(text("access.panel.not-a-kernel").to_owned()) };
    let local = local(state, &other, None);
    Ok((Shown { variant, local: local.size, spec: other.spec }, local))
}

/// A work-group's size.
#[derive(Clone, Copy)]
struct Local {
    size: [usize; 2],
    /// Where it comes from: the key of the sentence; none where a person chose it.
    from: Option<&'static str>,
    /// Whether it is the one that runs.
    is_known: bool,
}

impl Local {
    /// What is drawn where the driver chooses and does not tell.
    const UNKNOWN: Self = Self { size: LOCAL, from: Some("access.panel.driver-unknown"), is_known: false };

    fn note(self) -> Option<String> {
        let [across, down] = self.size;
        self.from.map(|key| filled(key, &[("across", &across), ("down", &down)]))
    }
}

/// The kernel of that pass as it is compiled, where that is known.
fn kernel(compiled: &Compiled, pass: Option<usize>) -> Option<&Kernel> {
    pass.and_then(|pass| compiled.kernels.get(pass)).or(compiled.kernels.last())
}

/// The work-group, and where it comes from if nobody chose it.
fn local(state: &State, task: &Task, pass: Option<usize>) -> Local {
    let known = |size, from| Local { size, from, is_known: true };
    match task.target {
        Target::Device { local: LocalSize::Explicit(size), .. } => return known(size, None),
        Target::Device { local: LocalSize::Driver, .. } => {}
        Target::Cpu(_) => return Local::UNKNOWN,
    }
    if let Some(size) = used(state, task) {
        return known(size, Some("access.panel.driver-used"));
    }
    let compiled = state.looks.compiled_of(task).and_then(|compiled| kernel(compiled, pass));
    match compiled.and_then(|kernel| kernel.code.as_ref().ok()?.code.group) {
        Some([across, down, 1]) => known([across, down], Some("access.panel.driver-found")),
        _ if is_awaited(state, task) => Local { from: Some("access.panel.driver-awaited"), ..Local::UNKNOWN },
        _ => Local::UNKNOWN,
    }
}

/// Whether the code of a task may still tell something: on processors it is looked at.
fn is_awaited(state: &State, task: &Task) -> bool {
    is_processor(state) && state.looks.compiled_of(task).is_none() && state.looks.newest_of(task).is_none()
}

/// The local size that was passed to the driver because a tile needs one: of what is on the screen, or of a reading.
fn used(state: &State, task: &Task) -> Option<[usize; 2]> {
    let shown = state.shown.as_ref().filter(|shown| shown.task == *task).and_then(|shown| shown.executed.local_used);
    let of_reading = || match state.history.newest_of(task)?.record.contender {
        Contender::Device { local_used, .. } => local_used,
        Contender::Cpu { .. } => None,
    };
    shown.or_else(of_reading)
}

/// How wide sub-groups are, or how many work-items a processor runs at once; and how that is known.
fn sub_group(state: &State, task: &Task) -> (usize, Option<String>) {
    let chosen = state.access.sub_group;
    if !is_processor(state) {
        let limits = state.shown.as_ref().filter(|shown| shown.task == *task).and_then(|shown| shown.executed.limits);
        let preferred = limits.map(|limits| limits.preferred_multiple).filter(|multiple| (2..=MOST_SUB_GROUP).contains(multiple));
        let compiled = state.looks.compiled_of(task).and_then(|compiled| kernel(compiled, state.access.pass));
        let compiled = compiled.and_then(|kernel| kernel.resources.sub_group).map(|width| width as usize);
        let compiled = compiled.filter(|width| (1..=MOST_SUB_GROUP).contains(width));
        let of_device = || grain(state).and_then(|grain| grain.sub_group);
        return (chosen.or(compiled).or(preferred).or_else(of_device).unwrap_or(USUAL_SUB_GROUP), None);
    }
    let packed = state
        .looks
        .compiled_of(task)
        .and_then(|compiled| kernel(compiled, state.access.pass))
        .and_then(|kernel| kernel.resources.work_items_per_vector)
        .map(|width| width as usize);
    let note = match packed {
        Some(0 | 1) => text("access.panel.width-one").to_owned(),
        Some(width) => filled("access.panel.width-found", &[("items", &words::items(width))]),
        None if is_awaited(state, task) => text("access.panel.width-awaited").to_owned(),
        None => text("access.panel.width-unknown").to_owned(),
    };
    (chosen.or(packed).unwrap_or(1).max(1), Some(note).filter(|_| chosen.is_none()))
}
