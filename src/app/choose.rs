//! Changes of what is computed: filter, border, channels, stages, local work size, host memory, place, ladder.

use super::action::{Action, Command};
use super::settings::{Choice, LadderPlace, Place};
use super::state::{Change, Effect, Job, State};
use base::texts::filled;
use engine::{Target, Task};
use kernels::filters::Switched;
use kernels::filters::VariantExt;
use model::{Contender, Labelled, Record, Spec, Variant, stages};

impl State {
    /// Acts on an action that changes what is computed, and asks for the new picture: at once, or once a slider rests.
    pub(super) fn choose(&mut self, action: &Action) -> Vec<Effect> {
        self.leave_question(action);
        let before = self.choice().clone();
        let place_before = self.place;
        let task_before = self.task();
        let is_slider = matches!(action, Action::SetParameter(..) | Action::SetLocal(_));
        let notes = self.change_choice(action, &before);
        if *self.choice() == before && self.place == place_before {
            // Chosen once more, after a cancel: what was not measured is measured now.
            return if self.is_neither_measured_nor_asked() { self.render() } else { Vec::new() };
        }
        let changed =
            |variant: model::Variant| stages().map(|stage| stage.id).filter(move |&id| variant.value(id) != before.variant.value(id));
        let stages = changed(self.choice().variant).collect();
        self.change = Change { stages, notes, before: Some(before.clone()), task: task_before };
        if is_slider {
            self.is_unasked = true;
            return vec![Effect::RenderSoon];
        }
        self.render()
    }

    fn is_neither_measured_nor_asked(&self) -> bool {
        let is_asked = |task: &Task| self.pending.iter().any(|pending| matches!(&pending.job, Job::Show(asked) if **asked == *task));
        self.task().is_some_and(|task| !self.is_unasked && !is_asked(&task) && self.history.newest_of(&task).is_none())
    }

    /// Whether no checked picture of this choice is there, or on its way.
    pub(super) fn is_unchecked(&self) -> bool {
        let is_checked = !self.is_old() && self.shown.as_ref().is_some_and(|shown| shown.verified.is_some());
        !is_checked && !self.is_show_pending()
    }

    fn change_choice(&mut self, action: &Action, before: &Choice) -> Vec<String> {
        let setting = self.setting();
        let choice = &mut self.settings.choice;
        match *action {
            Action::SetFilter(filter) => {
                let channels = Some(choice.spec.channels).filter(|channels| filter.channels.contains(channels));
                let channels = channels.or(filter.channels.first().copied()).unwrap_or(choice.spec.channels);
                if choice.spec.filter.name() == filter.name() {
                    // Another definition of the same: as much as it knows of what was chosen stays.
                    let parameters = filter.complete_or_defaults(&choice.spec.parameters);
                    choice.spec = Spec { parameters, ..filter.spec(channels, filter.border_or_default(choice.spec.border)) };
                    choice.variant = choice.variant.fitted(filter, choice.setting()).variant;
                } else {
                    choice.spec = filter.spec(channels, filter.default_border);
                    // Every filter is met at its start: the stages of another one are no place to begin.
                    choice.variant = Variant::naive();
                    self.settings.ladder = None;
                }
            }
            Action::SetParameter(name, value) => {
                choice.spec.parameters.0.insert(name.to_owned(), value);
            }
            Action::SetBorder(border) => choice.spec.border = border,
            Action::SetChannels(channels) => choice.spec.channels = channels,
            Action::SetStage(id, value) => {
                return match before.variant.switched(id, value, before.filter(), setting) {
                    Ok(Switched { variant, notes }) => {
                        choice.variant = variant;
                        notes
                    }
                    // The control is disabled and says why; a shortcut that comes here all the same changes nothing.
                    Err(_) => Vec::new(),
                };
            }
            Action::SetVariant(variant) => choice.variant = variant,
            Action::SetLocal(local) => choice.local = local,
            Action::SetHostMemory(host_memory) => choice.host_memory = host_memory,
            Action::SetPlace(place) => {
                self.place = place;
                self.remember_place();
            }
            Action::SetStep(name, step) => self.set_step(name, step),
            Action::Run(Command::Undo) => self.take_chosen(true),
            Action::Run(Command::Redo) => self.take_chosen(false),
            Action::ShowTask(ref task) => self.show_task(task),
            Action::BringBack(row) => {
                if let Some(record) = self.history.record(row).cloned() {
                    self.bring_back(&record);
                }
            }
            _ => {}
        }
        let setting = self.setting();
        let choice = &mut self.settings.choice;
        let fitted = choice.variant.fitted(choice.filter(), setting);
        choice.variant = fitted.variant;
        let mut notes = fitted.notes;
        let is_by_another =
            !matches!(action, Action::SetChannels(_) | Action::SetBorder(_) | Action::BringBack(_) | Action::ShowTask(_) | Action::Run(_));
        if is_by_another && choice.spec.channels != before.spec.channels {
            notes.push(filled("window.change.channels", &[("channels", &choice.spec.channels.label())]));
        }
        if matches!(action, Action::SetStep(..)) && choice.spec.border != before.spec.border {
            notes.push(filled("window.change.border", &[("border", &choice.spec.border.name())]));
        }
        notes
    }

    /// The next start begins where the person last chose to compute; a bar that is brought back is no such choice.
    fn remember_place(&mut self) {
        match self.place {
            Place::Device(_) => {
                self.settings.cpu = None;
                self.settings.device = self.device().map(|device| device.name.clone());
            }
            Place::Cpu(engine) => self.settings.cpu = Some(engine),
        }
    }

    /// From a CPU competitor to the device that was chosen last, or the best one.
    pub(super) fn back_to_device(&mut self) -> Vec<Effect> {
        let wanted = self.device_list().iter().find(|device| Some(&device.name) == self.settings.device.as_ref());
        let index = wanted.or(self.device_list().first()).map(|device| device.index);
        index.map_or_else(Vec::new, |index| self.choose(&Action::SetPlace(Place::Device(index))))
    }

    fn set_step(&mut self, name: &str, step: usize) {
        let free_local = self.free_local();
        let choice = &mut self.settings.choice;
        let Some(ladder) = choice.filter().ladder(name) else { return };
        let Some(chosen) = ladder.steps.get(step) else { return };
        choice.spec.channels = ladder.channels;
        choice.spec.border = ladder.border;
        choice.variant = chosen.variant();
        choice.local = chosen.local_or(free_local);
        self.settings.ladder = Some(LadderPlace { name: name.to_owned(), step });
    }

    /// The step `by` further; the first ladder's first step where none is being climbed.
    pub(super) fn step_by(&mut self, by: isize) -> Vec<Effect> {
        let next = match self.ladder() {
            Some((ladder, step)) => step.checked_add_signed(by).filter(|&step| step < ladder.steps.len()).map(|step| (ladder.name, step)),
            None => self.choice().filter().ladders().first().map(|ladder| (ladder.name, 0)),
        };
        let Some((name, step)) = next else { return Vec::new() };
        let effects = self.choose(&Action::SetStep(name, step));
        // Two steps can be the same variant in effect: the place on the ladder still moves.
        self.settings.ladder = Some(LadderPlace { name: name.to_owned(), step });
        effects
    }

    /// Everything as the task has it. It is no step of a ladder.
    fn show_task(&mut self, task: &Task) {
        let choice = &mut self.settings.choice;
        choice.spec = task.spec.clone();
        match task.target {
            Target::Cpu(engine) => self.place = Place::Cpu(engine),
            Target::Device { index, variant, local, host_memory } => {
                (choice.variant, choice.local, choice.host_memory) = (variant, local, host_memory);
                self.place = Place::Device(index);
            }
        }
        self.settings.ladder = None;
    }

    fn bring_back(&mut self, reading: &Record) {
        self.settings.choice.spec = reading.spec.clone();
        match &reading.contender {
            Contender::Cpu { engine, .. } => self.place = Place::Cpu(*engine),
            Contender::Device { variant, local, host_memory, .. } => {
                let choice = &mut self.settings.choice;
                (choice.variant, choice.local, choice.host_memory) = (*variant, *local, *host_memory);
                let index = self
                    .device_list()
                    .iter()
                    .find(|device| device.name == reading.machine.device && device.host == reading.machine.alias)
                    .map(|device| device.index);
                if let Some(index) = index {
                    self.place = Place::Device(index);
                }
            }
        }
    }
}
