//! What the panel shows, taken out of the window's state.

use super::prepare::Source;
use super::settings::{Against, PicturesSettings};
use crate::app::state::State;
use crate::engine::{Target, Task};
use crate::image::Picture;
use std::sync::Arc;

/// Pictures and what is said of them. Everything may be missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs<'a> {
    /// The picture's name.
    pub name: &'a str,
    /// As loaded.
    pub original: Option<&'a Arc<Picture>>,
    /// The newest output; may belong to a picture before this one.
    pub filtered: Option<&'a Arc<Picture>>,
    /// What the output should be.
    pub reference: Option<&'a Arc<Picture>>,
    /// What computed the output.
    pub made_by: Option<&'a Target>,
    /// The output is not what is chosen now: a newer one is on its way.
    pub is_old: bool,
}

impl<'a> Inputs<'a> {
    /// Out of the state; `reference` from [`LastReference`].
    #[must_use]
    pub fn new(state: &'a State, reference: Option<&'a Arc<Picture>>) -> Self {
        Self {
            name: state.picture.as_ref().map_or("", |opened| &opened.name),
            original: state.picture.as_ref().map(|opened| &opened.picture.picture),
            filtered: state.shown.as_ref().map(|shown| &shown.executed.output),
            reference,
            made_by: state.shown.as_ref().map(|shown| &shown.task.target),
            is_old: state.is_old(),
        }
    }

    /// The difference that is chosen, where both pictures are there and of one size.
    #[must_use]
    pub fn difference(&self, settings: &PicturesSettings) -> Option<Source> {
        let against = match settings.against {
            Against::Original => self.original,
            Against::Reference => self.reference,
        }?;
        let filtered = self.filtered?;
        let is_same_size = (filtered.width_px(), filtered.height_px()) == (against.width_px(), against.height_px());
        is_same_size.then(|| Source::Difference { filtered: Arc::clone(filtered), against: Arc::clone(against), gain: settings.gain })
    }

    /// The variant's name, or the CPU competitor's.
    #[must_use]
    pub fn made_by_text(&self) -> String {
        match self.made_by {
            None => String::new(),
            Some(Target::Device { variant, .. }) => variant.to_string(),
            Some(Target::Cpu(engine)) => engine.label().to_owned(),
        }
    }
}

/// "600 × 400 RGB".
#[must_use]
pub fn size_text(picture: &Picture) -> String {
    let channels = match picture.channels() {
        crate::image::Channels::Gray => "gray",
        crate::image::Channels::Rgb => "RGB",
    };
    let alpha = if picture.alpha().is_some() { " with alpha" } else { "" };
    format!("{} × {} {channels}{alpha}", picture.width_px(), picture.height_px())
}

/// The reference of the filter as it is set. All variants share it, so it outlasts a switch of stages, while the next output is
/// there and not yet checked.
#[derive(Default)]
pub struct LastReference(Option<(Task, Arc<Picture>)>);

impl LastReference {
    /// Takes a newer one from the state, and forgets one that does not fit what is shown.
    pub fn follow(&mut self, state: &State) {
        let Some(shown) = &state.shown else {
            self.0 = None;
            return;
        };
        if let Some(verified) = &shown.verified {
            self.0 = Some((shown.task.clone(), Arc::clone(&verified.reference)));
        } else if self.0.as_ref().is_some_and(|(task, _)| (&task.spec, &task.picture) != (&shown.task.spec, &shown.task.picture)) {
            self.0 = None;
        }
    }

    /// The reference, where it is known.
    #[must_use]
    pub fn get(&self) -> Option<&Arc<Picture>> {
        self.0.as_ref().map(|(_, reference)| reference)
    }
}
