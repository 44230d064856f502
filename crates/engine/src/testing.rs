//! What tests share: made-up comparisons.

pub use kernels::testing::*;

use crate::Compared;
use crate::compiled::{CodeComparison, Sameness};
use model::measure::{Comparison, Places};

/// A comparison as one of two tasks on an idle machine, without its pairs and without compiled code.
#[must_use]
pub fn compared_as(comparison: Comparison) -> Compared {
    Compared { comparison, pairs: Vec::new(), places: Places::Shared, busy: false, code: None }
}

/// The code of two tasks that compile to the same and are launched alike, without its hashes.
#[must_use]
pub fn same_code() -> CodeComparison {
    CodeComparison {
        is_same_text: false,
        is_same_local: true,
        is_same_launch: true,
        sameness: Ok(Sameness::Same),
        origins: ["".into(), "".into()],
    }
}
