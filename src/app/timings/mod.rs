//! PLACEHOLDER until the panel lands.

use super::action::Action;
use super::state::State;
use serde::{Deserialize, Serialize};

/// What of this panel is saved. A change is queued as [`Action::SetTimings`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimingsSettings {}

/// What this panel keeps between frames that is neither saved nor anyone else's business: textures, caches.
#[derive(Default)]
pub struct TimingsPanel {}

/// Draws the panel into all of `ui`.
pub fn timings_ui(ui: &mut egui::Ui, _panel: &mut TimingsPanel, _state: &State, _actions: &mut Vec<Action>) {
    ui.weak("Timings");
}
