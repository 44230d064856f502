//! The switches that can stand at Start.

use base::error::Result;
use base::texts::text;
use kernels::filters::FilterIdExt;
use model::{BorderMode, Channels, FilterId, Spec, Variant};

/// Two variants of a filter that differ in one idea, which a few characters of the source show.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// What its texts go by, in `start.switch`.
    pub key: &'static str,
    /// The filter.
    pub filter: FilterId,
    channels: Channels,
    border: BorderMode,
    before: &'static str,
    after: &'static str,
    /// The texts' keys: what is claimed of it in large type, off, on.
    texts: [&'static str; 3],
    /// Whether it swaps the dimensions that run along a row and down the rows: then the figure shows who computes what.
    pub is_order: bool,
}

impl Switch {
    /// What both compute.
    #[must_use]
    pub fn spec(&self) -> Spec {
        self.filter.filter().spec(self.channels, self.border)
    }

    /// Without it, and with it.
    ///
    /// # Errors
    /// Never: a test reads each.
    pub fn variants(&self) -> Result<[Variant; 2]> {
        Ok([Variant::parse(self.before)?, Variant::parse(self.after)?])
    }

    /// What it is, in large type.
    #[must_use]
    pub fn title(&self) -> &'static str {
        let [title, ..] = self.texts;
        text(title)
    }

    /// Off or on.
    #[must_use]
    pub fn label(&self, is_on: bool) -> &'static str {
        let [_, off, on] = self.texts;
        text(if is_on { on } else { off })
    }
}

const ALONG: [&str; 3] = ["start.switch.along.title", "start.switch.along.off", "start.switch.along.on"];
const WIDE: [&str; 3] = ["start.switch.wide.title", "start.switch.wide.off", "start.switch.wide.on"];
const SHARED: [&str; 3] = ["start.switch.shared.title", "start.switch.shared.off", "start.switch.shared.on"];

/// Dimension 0 runs along the rows instead of down them.
const fn along(key: &'static str, channels: Channels) -> Switch {
    Switch {
        key,
        filter: FilterId::Laplace,
        channels,
        border: BorderMode::Copy,
        before: "naive",
        after: "coalesced",
        texts: ALONG,
        is_order: true,
    }
}

/// In the order in which they are tried: the fewer characters change, the earlier.
pub static SWITCHES: [Switch; 4] = [
    along("along-gray", Channels::Gray),
    along("along-rgb", Channels::Rgb),
    Switch {
        key: "wide",
        filter: FilterId::Add,
        channels: Channels::Rgb,
        border: BorderMode::Copy,
        before: "coalesced+padded",
        after: "coalesced+padded+access=int4",
        texts: WIDE,
        is_order: false,
    },
    Switch {
        key: "shared",
        filter: FilterId::Box,
        channels: Channels::Rgb,
        border: BorderMode::Replicate,
        before: "coalesced",
        after: "coalesced+separable",
        texts: SHARED,
        is_order: false,
    },
];
