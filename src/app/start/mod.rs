//! Start: one switch. The slower kernel runs on the person's device over a real picture; a press swaps a few characters of its source, and the same picture
//! comes many times as fast. Which switch stands there is decided by measuring: of `switches` the first that does much here, else the one that does most.

mod fill;
mod lanes;
mod screen;
mod switches;
#[cfg(test)]
mod tests;

pub use screen::{StartPanel, start_ui};
pub use switches::{SWITCHES, Switch};

use super::action::Action;
use super::nav::Section;
use super::state::{Effect, FileJob, Job, State};
use crate::runner::Bench;
use base::texts::text;
use engine::{Compared, KernelText, Target, Task};
use kernels::filters::FilterIdExt;
use kernels::filters::SettingExt;
use kernels::filters::VariantExt;
use model::{Budget, HostMemory, LocalSize, Setting};
use pictures::samples;
use std::time::Instant;
use study::{Probe, Sequence};

/// A switch that does at least this much, at the lower end of its interval, is taken without trying the others.
const ENOUGH: f64 = 3.0;

/// Fewer pixels are filtered in less time than a kernel takes to start.
pub const LEAST_PX: usize = 2_000_000;

/// Enough for a median with its quartiles, short enough that nobody waits for it.
const QUICK: Budget = Budget {
    warmup_runs: 1,
    warmup_ns: 10_000_000,
    sample_ns: 500_000_000,
    min_samples: 7,
    max_samples: 200,
    warm_cache: false,
    starts: 1,
};

/// What Start knows.
#[derive(Debug, Default)]
pub struct Start {
    /// What was measured, in the order in which it was.
    pub tried: Vec<Tried>,
    /// The switch that is being measured, by its place in [`SWITCHES`], with the request that measures it.
    trying: Option<(usize, u64, (Task, Task))>,
    /// The place in `tried` of the one that stands there, once that is decided.
    pub chosen: Option<usize>,
    /// The switch is on.
    pub is_on: bool,
    /// When the switch was decided on: the picture begins to fill.
    pub begun: Option<Instant>,
    /// When it was last put into its place.
    pub pressed: Option<Instant>,
    /// It was stopped before it was measured.
    pub is_stopped: bool,
}

/// A switch that was measured.
#[derive(Debug)]
pub struct Tried {
    /// Which.
    pub switch: &'static Switch,
    /// Without it, and with it.
    pub pair: (Task, Task),
    /// How the two compared.
    pub compared: Compared,
}

/// What a person does at Start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartAction {
    /// Puts the switch on or off.
    Put(bool),
    /// Measures once more what was stopped.
    Again,
    /// To the first lesson.
    Why,
}

impl Start {
    /// The switch that stands there, once it is decided.
    #[must_use]
    pub fn shown(&self) -> Option<&Tried> {
        self.tried.get(self.chosen?)
    }

    /// The switch that stands there, or the one that is being tried.
    #[must_use]
    pub fn switch(&self) -> &'static Switch {
        let trying = self.trying.as_ref().and_then(|(index, ..)| SWITCHES.get(*index));
        self.shown().map(|tried| tried.switch).or(trying).unwrap_or(&SWITCHES[0])
    }

    /// The switch that is being tried, with its two sides.
    #[must_use]
    pub fn trying(&self) -> Option<&(Task, Task)> {
        self.trying.as_ref().map(|(_, _, pair)| pair)
    }

    /// The place of the switch that this request measures.
    fn tried_by(&self, id: u64) -> Option<usize> {
        self.trying.as_ref().filter(|(_, own, _)| *own == id).map(|(index, ..)| *index)
    }
}

impl State {
    /// Goes to another place of the program.
    pub(super) fn go_to(&mut self, section: Section) -> Vec<Effect> {
        let before = std::mem::replace(&mut self.section, section);
        if before == section {
            return Vec::new();
        }
        match section {
            Section::Start => self.begin_start(),
            Section::Course => self.enter_screen(),
            Section::Lab | Section::Kernels => self.leave_start(),
        }
    }

    /// What the place that owns the window does with a picture or devices that are new: `None` where nothing of its own.
    pub(super) fn begin_section(&mut self) -> Option<Vec<Effect>> {
        match self.section {
            Section::Start => (!self.device_list().is_empty()).then(|| self.begin_start()),
            Section::Course => self.here().is_some_and(|here| !here.is_over).then(|| self.enter_screen()),
            Section::Lab | Section::Kernels => None,
        }
    }

    /// The Lab works on the sample as it is: enlarged, it would keep a slow device busy for every switch.
    fn leave_start(&mut self) -> Vec<Effect> {
        self.start.trying = None;
        let sample = samples().first().filter(|_| self.is_enlarged());
        sample.map_or_else(Vec::new, |sample| vec![Effect::Files(FileJob::Sample(sample.name.to_owned()))])
    }

    /// Whether the picture is the sample that Start enlarged.
    pub(super) fn is_enlarged(&self) -> bool {
        let is_it =
            |name: &str| samples().first().is_some_and(|sample| sample.name.split('.').next().is_some_and(|stem| name == enlarged(stem)));
        self.picture.as_ref().is_some_and(|opened| !opened.is_own() && is_it(&opened.name))
    }

    /// Begins to measure, where Start owns the window and nothing of it is known over this picture on this device. Asks for a picture that is large enough
    /// where only a sample is open.
    pub(super) fn begin_start(&mut self) -> Vec<Effect> {
        if self.section != Section::Start || self.device_list().is_empty() {
            return Vec::new();
        }
        let Some(opened) = &self.picture else { return Vec::new() };
        let (width, height) = opened.picture.size();
        if !opened.is_own() && width * height < LEAST_PX {
            let sample = samples().first().map_or_else(String::new, |sample| sample.name.to_owned());
            return vec![Effect::Files(FileJob::Enlarged(sample))];
        }
        let is_of = |tried: &Tried| tried.pair.0.picture == opened.picture && self.is_start_device(&tried.pair.0);
        if self.start.tried.first().is_some_and(is_of) && self.start.chosen.is_some() {
            return self.show_start();
        }
        self.start = Start::default();
        self.try_switch(0)
    }

    fn is_start_device(&self, task: &Task) -> bool {
        self.device_of(task).map(|device| device.index) == self.device_or_first().map(|device| device.index)
    }

    /// Both sides of a switch; `None` where this device cannot run one of them.
    fn switch_pair(&self, switch: &'static Switch) -> Option<(Task, Task)> {
        let device = self.device_or_first()?;
        let (filter, spec) = (switch.filter.filter(), switch.spec());
        let setting = Setting::of(&spec).on(device.abilities());
        let picture = self.picture.as_ref()?.picture.clone();
        let side = |variant| {
            let target = Target::Device { index: device.index, variant, local: LocalSize::Driver, host_memory: HostMemory::Copy };
            Task { spec: spec.clone(), picture: picture.clone(), target, text: KernelText::Composed }
        };
        let [before, after] = switch.variants().ok()?;
        let runs = [before, after].iter().all(|variant| variant.check(filter, setting).is_ok());
        runs.then(|| (side(before), side(after)))
    }

    /// Measures the first switch from `index` on that this device can run.
    fn try_switch(&mut self, index: usize) -> Vec<Effect> {
        let next = SWITCHES.iter().enumerate().skip(index).find_map(|(index, switch)| Some((index, self.switch_pair(switch)?)));
        let Some((index, (before, after))) = next else { return self.choose_switch() };
        let mut effects = Vec::new();
        if self.shown.as_ref().is_none_or(|shown| shown.task != before) {
            effects = self.choose(&Action::ShowTask(Box::new(before.clone())));
        }
        let id = self.post(Job::Bench(text("start.measuring").to_owned()));
        self.start.trying = Some((index, id, (before.clone(), after.clone())));
        self.start.begun = None;
        let probes = vec![Probe::Measure(before.clone()), Probe::Measure(after.clone()), Probe::Compare(before, after)];
        effects.push(Effect::Bench(Bench { id, study: Box::new(Sequence::new(probes)), budget: QUICK }));
        effects
    }

    /// Takes how two tasks compared, where they are a switch's.
    pub(super) fn take_switch(&mut self, id: u64, pair: &(Task, Task), compared: &Compared) {
        let Some(switch) = self.start.tried_by(id).and_then(|index| SWITCHES.get(index)) else { return };
        self.start.tried.push(Tried { switch, pair: pair.clone(), compared: compared.clone() });
    }

    /// The slower side was measured: its half of the picture begins to fill, while the other one is still being measured.
    pub(super) fn note_first_time(&mut self, task: &Task) {
        let is_first = self.start.trying().is_some_and(|(before, _)| before == task) && self.start.begun.is_none();
        if is_first {
            self.start.begun = Some(Instant::now());
        }
    }

    /// A request is over: on to the next switch, unless this one does enough.
    pub(super) fn go_on_at_start(&mut self, id: u64) -> Vec<Effect> {
        let Some(index) = self.start.tried_by(id) else { return Vec::new() };
        self.start.trying = None;
        let own = SWITCHES.get(index);
        let found = self.start.tried.last().filter(|tried| own.is_some_and(|own| own.key == tried.switch.key));
        if found.is_some_and(|tried| tried.compared.comparison.low >= ENOUGH) {
            return self.choose_switch();
        }
        if self.section == Section::Start { self.try_switch(index + 1) } else { Vec::new() }
    }

    /// What was stopped is not measured again by itself.
    pub(super) fn stop_start(&mut self, id: u64) {
        if self.start.tried_by(id).is_some() {
            self.start.trying = None;
            self.start.is_stopped = true;
        }
    }

    /// The one that does most, at the lower end of its interval.
    fn choose_switch(&mut self) -> Vec<Effect> {
        let low = |tried: &Tried| tried.compared.comparison.low;
        // Of several that do as much, the one that is tried first.
        let best = self.start.tried.iter().enumerate().rev().max_by(|(_, one), (_, other)| low(one).total_cmp(&low(other)));
        self.start.chosen = best.map(|(index, _)| index);
        self.start.begun = self.start.begun.or(Some(Instant::now()));
        // Whoever has gone on to a lesson is not called back: what that asks would be closed.
        if self.section == Section::Start { self.show_start() } else { Vec::new() }
    }

    /// Shows the side that the switch is on.
    fn show_start(&mut self) -> Vec<Effect> {
        let Some(tried) = self.start.shown() else { return Vec::new() };
        let side = if self.start.is_on { tried.pair.1.clone() } else { tried.pair.0.clone() };
        let is_shown = self.task().as_ref() == Some(&side) && self.shown.as_ref().is_some_and(|shown| shown.task == side);
        if is_shown { Vec::new() } else { self.choose(&Action::ShowTask(Box::new(side))) }
    }

    /// Acts on what a person does at Start.
    pub(super) fn act_at_start(&mut self, action: StartAction) -> Vec<Effect> {
        match action {
            StartAction::Put(is_on) => {
                if std::mem::replace(&mut self.start.is_on, is_on) != is_on {
                    self.start.pressed = Some(Instant::now());
                }
                self.show_start()
            }
            StartAction::Again => {
                self.start = Start { is_on: self.start.is_on, ..Start::default() };
                self.begin_start()
            }
            StartAction::Why => {
                let first = self.course.shelf.names().first().map(|name| (*name).to_owned());
                first.map_or_else(Vec::new, |name| self.act_in_course(super::lessons_panel::CourseAction::Open(name)))
            }
        }
    }
}

/// What the sample is called once it was enlarged: it is not the sample that lessons ask for.
#[must_use]
pub fn enlarged(stem: &str) -> String {
    format!("{stem}-enlarged")
}
