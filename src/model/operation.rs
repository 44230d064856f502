//! Classes of operations: devices have different units for them, and a rate for each.

use super::RoofKind;
use serde::{Deserialize, Serialize};

/// What a kernel's text computes, by what a device has a rate of its own for. (What compilers make of it is [`super::Mix`].)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OperationClass {
    /// Additions and subtractions of integers.
    IntegerAdd,
    /// Shifts and bitwise logic, and lanes that are widened, narrowed or moved.
    IntegerLogic,
    /// Minima, maxima, absolute values, comparisons and selections of integers.
    IntegerMinMax,
    /// Multiplications of integers that nothing is added to.
    IntegerMultiply,
    /// Multiplications of integers with an addition, which devices may do in one instruction: each counts.
    IntegerMultiplyAdd,
    /// Multiplications of floats with an addition: each counts.
    FloatMultiplyAdd,
    /// Whatever else is done with floats: additions, multiplications, minima, comparisons, selections.
    FloatAdd,
    /// Multiplications of halves with an addition: each counts.
    HalfMultiplyAdd,
    /// Whatever else is done with halves.
    HalfAdd,
    /// Native exponentials and divisions.
    NativeFunction,
    /// Exponentials and divisions in full precision, those of integers included.
    Function,
    /// From integer to float or half, or back.
    Conversion,
    /// Bytes loaded from and stored to local memory. An access of a work-item has four at least: banks are that wide.
    LocalMemory,
}

impl OperationClass {
    /// All, in the order of tables.
    pub const ALL: [Self; 13] = [
        Self::IntegerAdd,
        Self::IntegerLogic,
        Self::IntegerMinMax,
        Self::IntegerMultiply,
        Self::IntegerMultiplyAdd,
        Self::FloatMultiplyAdd,
        Self::FloatAdd,
        Self::HalfMultiplyAdd,
        Self::HalfAdd,
        Self::NativeFunction,
        Self::Function,
        Self::Conversion,
        Self::LocalMemory,
    ];

    /// The roof of its rate.
    #[must_use]
    pub const fn roof(self) -> RoofKind {
        match self {
            Self::IntegerAdd => RoofKind::IntegerAdd,
            Self::IntegerLogic => RoofKind::IntegerLogic,
            Self::IntegerMinMax => RoofKind::IntegerMinMax,
            Self::IntegerMultiply => RoofKind::IntegerMultiply,
            Self::IntegerMultiplyAdd => RoofKind::IntegerMultiplyAdd,
            Self::FloatMultiplyAdd => RoofKind::FloatMultiplyAdd,
            Self::FloatAdd => RoofKind::FloatAdd,
            Self::HalfMultiplyAdd => RoofKind::HalfMultiplyAdd,
            Self::HalfAdd => RoofKind::HalfAdd,
            Self::NativeFunction => RoofKind::NativeFunction,
            Self::Function => RoofKind::Function,
            Self::Conversion => RoofKind::Conversion,
            Self::LocalMemory => RoofKind::LocalMemory,
        }
    }

    /// Whether it is done in half precision, which not every device has.
    #[must_use]
    pub const fn is_half(self) -> bool {
        matches!(self, Self::HalfMultiplyAdd | Self::HalfAdd)
    }
}
