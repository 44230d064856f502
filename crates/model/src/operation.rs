//! Classes of operations: devices have different units for them, and a rate for each.

use super::RoofKind;
use base::texts::text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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

    /// As files have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::IntegerAdd => "integer-add",
            Self::IntegerLogic => "integer-logic",
            Self::IntegerMinMax => "integer-min-max",
            Self::IntegerMultiply => "integer-multiply",
            Self::IntegerMultiplyAdd => "integer-multiply-add",
            Self::FloatMultiplyAdd => "float-multiply-add",
            Self::FloatAdd => "float-add",
            Self::HalfMultiplyAdd => "half-multiply-add",
            Self::HalfAdd => "half-add",
            Self::NativeFunction => "native-function",
            Self::Function => "function",
            Self::Conversion => "conversion",
            Self::LocalMemory => "local-memory",
        }
    }

    /// As tables and the window show it.
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::IntegerAdd => "studies.roof.integer-add",
            Self::IntegerLogic => "studies.roof.integer-logic",
            Self::IntegerMinMax => "studies.roof.integer-min-max",
            Self::IntegerMultiply => "studies.roof.integer-multiply",
            Self::IntegerMultiplyAdd => "studies.roof.integer-multiply-add",
            Self::FloatMultiplyAdd => "studies.roof.float-multiply-add",
            Self::FloatAdd => "studies.roof.float-add",
            Self::HalfMultiplyAdd => "studies.roof.half-multiply-add",
            Self::HalfAdd => "studies.roof.half-add",
            Self::NativeFunction => "studies.roof.native-function",
            Self::Function => "studies.roof.function",
            Self::Conversion => "studies.roof.conversion",
            Self::LocalMemory => "studies.roof.local-memory",
        })
    }

    /// The roof of its rate.
    #[must_use]
    pub const fn roof(self) -> RoofKind {
        RoofKind::Operations(self)
    }

    /// What a device does it with.
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            Self::IntegerAdd | Self::IntegerLogic | Self::IntegerMinMax | Self::IntegerMultiply | Self::IntegerMultiplyAdd => Unit::Integer,
            Self::FloatMultiplyAdd | Self::FloatAdd | Self::HalfMultiplyAdd | Self::HalfAdd => Unit::Float,
            Self::NativeFunction | Self::Function => Unit::Functions,
            Self::Conversion => Unit::Conversions,
            Self::LocalMemory => Unit::LocalMemory,
        }
    }

    /// Whether it is done in half precision, which not every device has.
    #[must_use]
    pub const fn is_half(self) -> bool {
        matches!(self, Self::HalfMultiplyAdd | Self::HalfAdd)
    }
}

/// What a device may have units of its own for. Classes of one of them share it, one operation after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Integers.
    Integer,
    /// Floats and halves.
    Float,
    /// Exponentials and divisions.
    Functions,
    /// From integer to float, and back.
    Conversions,
    /// Loads and stores of local memory: no arithmetic.
    LocalMemory,
}

impl Unit {
    /// Those of arithmetic, which also share what issues their instructions.
    pub const ARITHMETIC: [Self; 4] = [Self::Integer, Self::Float, Self::Functions, Self::Conversions];
}

/// What is done with numbers, of whatever type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Additions and subtractions.
    Add,
    /// Shifts and bitwise logic.
    Logic,
    /// Minima, maxima, absolute values, comparisons and selections.
    MinMax,
    /// Multiplications that nothing is added to.
    Multiply,
    /// Multiplications with an addition: each counts.
    MultiplyAdd,
    /// Native exponentials and divisions.
    Native,
    /// Exponentials and divisions in full precision.
    Function,
}

/// The type of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Integers, of whatever width.
    Integer,
    /// `float`.
    Float,
    /// `half`.
    Half,
}

impl Numbers {
    /// The class of an operation with them.
    #[must_use]
    pub const fn class(self, operation: Operation) -> OperationClass {
        match (self, operation) {
            (_, Operation::Native) => OperationClass::NativeFunction,
            (_, Operation::Function) => OperationClass::Function,
            (Self::Integer, Operation::Add) => OperationClass::IntegerAdd,
            (Self::Integer, Operation::Logic) => OperationClass::IntegerLogic,
            (Self::Integer, Operation::MinMax) => OperationClass::IntegerMinMax,
            (Self::Integer, Operation::Multiply) => OperationClass::IntegerMultiply,
            (Self::Integer, Operation::MultiplyAdd) => OperationClass::IntegerMultiplyAdd,
            (Self::Float, Operation::MultiplyAdd) => OperationClass::FloatMultiplyAdd,
            (Self::Float, _) => OperationClass::FloatAdd,
            (Self::Half, Operation::MultiplyAdd) => OperationClass::HalfMultiplyAdd,
            (Self::Half, _) => OperationClass::HalfAdd,
        }
    }
}

/// How much is done of each class: operations, and bytes of local memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<OperationClass, f64>", into = "BTreeMap<OperationClass, f64>")]
pub struct ByClass([f64; OperationClass::ALL.len()]);

impl ByClass {
    /// Nothing of any class.
    pub const NONE: Self = Self([0.0; OperationClass::ALL.len()]);

    /// So much of one class alone.
    #[must_use]
    pub fn one(class: OperationClass, count: f64) -> Self {
        [(class, count)].into_iter().collect()
    }

    /// How much of a class.
    #[must_use]
    pub fn get(&self, class: OperationClass) -> f64 {
        self.0.get(class as usize).copied().unwrap_or(0.0)
    }

    /// So much more of a class.
    pub fn add(&mut self, class: OperationClass, count: f64) {
        if let Some(sum) = self.0.get_mut(class as usize) {
            *sum += count;
        }
    }

    /// Every class of which there is anything, with how much there is.
    pub fn iter(&self) -> impl Iterator<Item = (OperationClass, f64)> {
        OperationClass::ALL.into_iter().zip(self.0).filter(|(_, count)| *count != 0.0)
    }

    /// Whether there is nothing of any class, or nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl FromIterator<(OperationClass, f64)> for ByClass {
    fn from_iter<T: IntoIterator<Item = (OperationClass, f64)>>(counts: T) -> Self {
        let mut by_class = Self::default();
        counts.into_iter().for_each(|(class, count)| by_class.add(class, count));
        by_class
    }
}

impl From<BTreeMap<OperationClass, f64>> for ByClass {
    fn from(counts: BTreeMap<OperationClass, f64>) -> Self {
        counts.into_iter().collect()
    }
}

impl From<ByClass> for BTreeMap<OperationClass, f64> {
    fn from(counts: ByClass) -> Self {
        counts.iter().collect()
    }
}

impl std::ops::Add for ByClass {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|index| self.0.get(index).unwrap_or(&0.0) + other.0.get(index).unwrap_or(&0.0)))
    }
}

impl std::ops::Div<f64> for ByClass {
    type Output = Self;

    fn div(self, pixels: f64) -> Self {
        Self(self.0.map(|count| count / pixels))
    }
}

#[cfg(test)]
mod tests {
    use super::{ByClass, OperationClass};

    #[test]
    fn classes_are_in_the_order_of_their_list() {
        for (index, class) in OperationClass::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, index, "{class:?}");
            assert_eq!(serde_json::to_value(class).expect("a word"), class.name());
        }
    }

    #[test]
    fn counts_of_classes_are_read_as_they_are_written() {
        let counts = ByClass::one(OperationClass::IntegerMinMax, 4.5) + ByClass::one(OperationClass::Function, 1.0) / 2.0;
        let text = serde_json::to_string(&counts).expect("plain data");
        assert_eq!(text, r#"{"integer-min-max":4.5,"function":0.5}"#);
        assert_eq!(serde_json::from_str::<ByClass>(&text).ok(), Some(counts));
        assert!(serde_json::from_str::<ByClass>(r#"{"moon":1}"#).is_err());
    }
}
