//! What surrounds a variant.

use super::{Abilities, BorderMode, Channels};
use serde::{Deserialize, Serialize};

/// What surrounds a variant and decides with it what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Setting {
    /// Gray or RGB.
    pub channels: Channels,
    /// What lies beyond the edge.
    pub border: BorderMode,
    /// What the device can do.
    pub abilities: Abilities,
    /// The smallest and largest partial sum under the parameters at hand; `None`: under the filter's defaults.
    pub sums: Option<(i32, i32)>,
}

impl Setting {
    /// With the filter's default parameters, on a device that can do everything: what is allowed at all.
    #[must_use]
    pub const fn new(channels: Channels, border: BorderMode) -> Self {
        Self { channels, border, abilities: Abilities::ALL, sums: None }
    }

    /// The same on a device with these abilities.
    #[must_use]
    pub const fn on(self, abilities: Abilities) -> Self {
        Self { abilities, ..self }
    }
}
