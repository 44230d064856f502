//! What the process that runs drivers is kept from.

use base::texts::text;
use serde::{Deserialize, Serialize};

/// What a kernel, which is native code on a CPU device, could do at most beyond computing. Reading files is never kept from it: drivers lie anywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confinement {
    /// It writes no file outside its caches and has no network.
    Full,
    /// It has no network; the system cannot keep it from writing files.
    NoNetwork,
    /// It writes no file outside its caches; the system cannot keep it from the network.
    NoFiles,
    /// The system can do neither.
    #[default]
    Impossible,
    /// The person switched it off.
    Off,
}

impl Confinement {
    /// By what the system did.
    #[must_use]
    pub const fn of(keeps_files: bool, keeps_network: bool) -> Self {
        match (keeps_files, keeps_network) {
            (true, true) => Self::Full,
            (false, true) => Self::NoNetwork,
            (true, false) => Self::NoFiles,
            (false, false) => Self::Impossible,
        }
    }

    /// In a sentence.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::Full => "words.confinement.full",
            Self::NoNetwork => "words.confinement.no-network",
            Self::NoFiles => "words.confinement.no-files",
            Self::Impossible => "words.confinement.impossible",
            Self::Off => "words.confinement.off",
        })
    }
}
