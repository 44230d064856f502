//! Sessions of the window, without a window.

use crate::app::action::Action;
use crate::app::settings::Settings;
use crate::app::state::{Effect, State};
use crate::device::DeviceInfo;
use crate::image::Picture;
use crate::model::Channels;
use crate::worker::Update;
use std::sync::Arc;

/// Takes in what the worker says.
pub fn news(state: &mut State, update: Update) -> Vec<Effect> {
    state.apply(Action::Worker(Box::new(update)))
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
