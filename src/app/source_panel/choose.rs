//! Which source is shown, and which it is compared with.

use crate::app::settings::Choice;
use crate::app::state::State;
use base::texts::{filled, pair, text};
use kernels::filters::{Filter, Ladder};
use kernels::kernel_source::compose;
use model::{FilterId, Parameters, Setting, Variant};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a difference is against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Against {
    /// What was shown before the last switch.
    #[default]
    Previous,
    /// Every stage off.
    Naive,
    /// A step of a ladder: its name, the step from 0.
    Step(String, usize),
}

/// A source with the name that both panels and files use for its variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The variant's name; with channels and border where these differ from what is shown.
    pub name: String,
    /// The resolved kernel.
    pub text: Arc<str>,
}

/// Identity of a composed source.
type Key = (FilterId, Variant, Setting, Parameters);

/// Composes sources once and remembers what was shown before.
#[derive(Default)]
pub struct Sources {
    composed: Vec<(Key, Result<Arc<str>, String>)>,
    /// What the shown source was before the last switch, and what it became then.
    previous: Option<(Named, Arc<str>)>,
}

/// Far more than a person compares in one go; then all are forgotten.
const MAX_COMPOSED: usize = 64;

impl Sources {
    fn compose(&mut self, choice: &Choice, variant: Variant) -> Result<Arc<str>, String> {
        self.compose_on(choice, choice.setting(), variant)
    }

    /// The chosen variant's own kernel, as the device gets it.
    pub fn own(&mut self, state: &State) -> Result<Arc<str>, String> {
        self.compose_on(state.choice(), state.setting(), state.choice().variant)
    }

    fn compose_on(&mut self, choice: &Choice, setting: Setting, variant: Variant) -> Result<Arc<str>, String> {
        let filter = choice.filter();
        let key = (filter.id, variant, setting, choice.spec.parameters.clone());
        if let Some((_, known)) = self.composed.iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        let composed = compose(filter, &variant, setting, &choice.spec.parameters).map_err(|error| error.why);
        if self.composed.len() >= MAX_COMPOSED {
            self.composed.clear();
        }
        self.composed.push((key, composed.clone()));
        composed
    }

    /// The source that ran last; that of the chosen variant where no kernel has run, or this one did not: messages of its build are about it.
    pub fn shown(&mut self, state: &State) -> Result<Named, String> {
        let ran = state.shown.as_ref().and_then(|shown| Some((shown.task.target, shown.executed.source.clone()?)));
        if let Some((engine::Target::Device { variant, .. }, text)) = ran.filter(|_| state.without_picture.is_none()) {
            return Ok(Named { name: variant.to_string(), text });
        }
        let choice = state.choice();
        let text = self.compose(choice, choice.variant)?;
        Ok(Named { name: choice.variant.to_string(), text })
    }

    /// What was shown before the last switch that changed the source.
    pub fn previous(&mut self, state: &State, shown: &Named) -> Option<Named> {
        // Two filters have nothing in common that a difference would show.
        if let Some(before) = state.change.before.as_ref().filter(|before| before.spec.filter == state.choice().spec.filter) {
            let setting = before.setting();
            let text = self.compose(before, before.variant).ok().filter(|text| *text != shown.text);
            if let Some(text) = text {
                let mut name = before.variant.to_string();
                if setting != state.choice().setting() {
                    name = format!("{name} ({}, {})", setting.channels.name(), setting.border.name());
                }
                self.previous = Some((Named { name, text }, Arc::clone(&shown.text)));
            }
        }
        // Another local work size is a change, too, but not of the source: the last one that was is still the one to mark.
        self.previous.as_ref().filter(|(_, became)| *became == shown.text).map(|(previous, _)| previous.clone())
    }

    /// The source that a difference is against, or why there is none.
    pub fn against(&mut self, state: &State, shown: &Named, against: &Against) -> Result<Named, String> {
        let choice = state.choice();
        let variant = match against {
            Against::Previous => {
                let is_other = state.change.before.as_ref().is_some_and(|before| before.spec.filter != choice.spec.filter);
                let why = if is_other { "window.source.filter-changed" } else { "window.source.nothing-switched" };
                return self.previous(state, shown).ok_or_else(|| text(why).to_owned());
            }
            Against::Naive => Variant::naive(),
            Against::Step(ladder, step) => {
                let step = choice.filter().ladder(ladder).and_then(|ladder| ladder.steps.get(*step));
                step.ok_or_else(|| filled("window.source.no-such-step", &[("filter", &choice.filter().label())]))?.variant()
            }
        };
        let text = self.compose(choice, variant)?;
        Ok(Named { name: variant.to_string(), text })
    }
}

/// What there is to compare with, and how menus call it.
pub fn all(filter: &'static Filter) -> Vec<(Against, String)> {
    let mut all =
        vec![(Against::Previous, text("window.source.previous").to_owned()), (Against::Naive, text("window.source.naive").to_owned())];
    all.extend(filter.ladders().iter().flat_map(steps));
    all
}

fn steps(ladder: &'static Ladder) -> impl Iterator<Item = (Against, String)> {
    let entry = |(index, step): (usize, &kernels::filters::Step)| {
        (Against::Step(ladder.name.to_owned(), index), pair(&ladder.label(), &format!("{} {}", index + 1, step.label())))
    };
    ladder.steps.iter().enumerate().map(entry)
}
