//! What is computed, whatever computes it.

use super::{BorderMode, Channels, FilterId, Parameters};
use serde::{Deserialize, Serialize};

/// A filter with its parameters, the channels that it computes and the border mode. Two readings are of the same thing where their specs are equal (and
/// their pictures are).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spec {
    /// The filter.
    pub filter: FilterId,
    /// Its parameters, none missing.
    pub parameters: Parameters,
    /// Gray or RGB.
    pub channels: Channels,
    /// What lies beyond the edge.
    pub border: BorderMode,
}
