//! Changes of what is computed: filter, border, channels, stages, local work size, host memory, place, ladder.

use super::action::Action;
use super::settings::{Choice, LadderPlace, Place};
use super::state::{Change, Effect, State};
use crate::filters::Switched;
use crate::model::STAGES;
use crate::model::Variant;
use crate::model::{Contender, Record};

impl State {
    /// Acts on an action that changes what is computed, and asks for the new picture: at once, or once a slider rests.
    pub(super) fn choose(&mut self, action: &Action) -> Vec<Effect> {
        let before = self.choice().clone();
        let place_before = self.place;
        let is_slider = matches!(action, Action::SetParameter(..) | Action::SetLocal(_));
        let notes = self.change_choice(action, &before);
        if *self.choice() == before && self.place == place_before {
            return Vec::new();
        }
        let changed = |variant: crate::model::Variant| {
            STAGES.iter().map(|stage| stage.id).filter(move |&id| variant.value(id) != before.variant.value(id))
        };
        let stages = changed(self.choice().variant).collect();
        self.change = Change { stages, notes, before: Some(before.clone()) };
        if is_slider {
            self.is_unasked = true;
            return vec![Effect::RenderSoon];
        }
        self.render()
    }

    fn change_choice(&mut self, action: &Action, before: &Choice) -> Vec<String> {
        let setting = self.setting();
        let choice = &mut self.settings.choice;
        match *action {
            Action::SetFilter(filter) => {
                let channels = Some(choice.spec.channels).filter(|channels| filter.channels.contains(channels));
                let channels = channels.or(filter.channels.first().copied()).unwrap_or(choice.spec.channels);
                choice.spec = filter.spec(channels, filter.default_border);
                // Every filter is met at its start: the stages of another one are no place to begin.
                choice.variant = Variant::naive();
                self.settings.ladder = None;
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
            Action::SetPlace(place) => self.set_place(place),
            Action::SetStep(name, step) => self.set_step(name, step),
            Action::BringBack(row) => {
                if let Some(row) = self.history.row(row) {
                    let reading = row.record.clone();
                    self.bring_back(&reading);
                }
            }
            _ => {}
        }
        let setting = self.setting();
        let choice = &mut self.settings.choice;
        let fitted = choice.variant.fitted(choice.filter(), setting);
        choice.variant = fitted.variant;
        fitted.notes
    }

    fn set_place(&mut self, place: Place) {
        self.place = place;
        match place {
            Place::Device(_) => {
                self.settings.cpu = None;
                self.settings.device = self.device().map(|device| device.name.clone());
            }
            Place::Cpu(engine) => self.settings.cpu = Some(engine),
        }
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

    fn bring_back(&mut self, reading: &Record) {
        self.settings.choice.spec = reading.spec.clone();
        match &reading.contender {
            Contender::Cpu { engine, .. } => self.set_place(Place::Cpu(*engine)),
            Contender::Device { variant, local, host_memory, .. } => {
                let choice = &mut self.settings.choice;
                (choice.variant, choice.local, choice.host_memory) = (*variant, *local, *host_memory);
                let index = self.device_list().iter().find(|device| device.name == reading.machine.device).map(|device| device.index);
                if let Some(index) = index {
                    self.set_place(Place::Device(index));
                }
            }
        }
    }
}
