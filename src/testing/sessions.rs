//! Sessions of the window, without a window.

use crate::app::action::{Action, Command};
use crate::app::settings::Settings;
use crate::app::state::{Effect, State};
use crate::runner::Update;
use crate::testing::compared_as;
use engine::device::DeviceInfo;
use model::measure::Comparison;
use model::{Channels, LocalSize, Variant};
use pictures::Picture;
use std::sync::Arc;
use study::{AUTOTUNE, Candidate, Finding};

/// Takes in what the worker says.
pub fn news(state: &mut State, update: Update) -> Vec<Effect> {
    state.apply(Action::Runner(Box::new(update)))
}

/// Opens a colored picture of that many pixels.
pub fn open(state: &mut State, name: &str, [width_px, height_px]: [usize; 2]) -> Vec<Effect> {
    let picture = Arc::new(Picture::from_fn(width_px, height_px, Channels::Rgb, |x, _, _| x as u8));
    state.apply(Action::PictureLoaded { name: name.to_owned(), path: None, picture, notes: Vec::new() })
}

/// A session on one device, over a small picture.
pub fn on_device(settings: Settings, device: DeviceInfo) -> State {
    let mut state = State::new(settings);
    let _ = news(&mut state, Update::Devices(Ok(vec![device])));
    let _ = open(&mut state, "small", [64, 64]);
    state
}

/// A search for the fastest variant that found `coalesced` at 64 × 1, so many times as fast as naive.
pub fn searched(state: &mut State, comparison: Comparison) -> Vec<Effect> {
    let _ = state.apply(Action::Run(Command::Study(AUTOTUNE)));
    let studied = state.studied(AUTOTUNE).expect("it runs");
    let (id, like) = (studied.id, studied.task.clone());
    let best = Candidate { variant: Variant::parse("coalesced").expect("known"), local: LocalSize::Explicit([64, 1]) };
    let [naive, best] = [Candidate::naive(), best].map(|candidate| candidate.task(&like));
    for (task, time) in [(&naive, 9e6), (&best, 3e6)] {
        let _ = news(state, Update::Found(id, Finding::Glanced(Box::new(task.clone()), Ok(time))));
    }
    let _ = news(state, Update::Found(id, Finding::Compared(Box::new((naive, best)), Ok(compared_as(comparison)))));
    news(state, Update::Finished { id, result: Ok(()) })
}
