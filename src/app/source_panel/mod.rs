//! PLACEHOLDER until the panel lands.

use super::action::Action;
use super::state::State;
use serde::{Deserialize, Serialize};

/// What of this panel is saved. A change is queued as [`Action::SetSource`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceSettings {}

/// What this panel keeps between frames that is neither saved nor anyone else's business: textures, caches.
#[derive(Default)]
pub struct SourcePanel {}

/// Draws the panel into all of `ui`.
pub fn source_ui(ui: &mut egui::Ui, _panel: &mut SourcePanel, _state: &State, _actions: &mut Vec<Action>) {
    ui.weak("Source");
}
