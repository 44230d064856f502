//! Operations per pixel.

use super::ByClass;
use serde::{Deserialize, Serialize};

/// What a variant does per output pixel, counted from its kernel's text and not measured: the sum of what a work-item or work-group away from the
/// picture's edges does in all passes (see `kernels::schedule`).
///
/// A **load** is one load instruction of the text that goes to global memory or to an image object: a vector of 16 bytes is one, a texel is one, three
/// bytes that are read one by one are three. It is not a memory transaction: the device may join those of neighboring work-items, or serve them from
/// a cache. What a work-item has already and the text loads once more (the center of a window) counts once: a compiler keeps it in a register, though not
/// across the steps of a loop that it does not unroll. Loads from constant memory and from a tile in local memory do not count; what the group loads
/// to fill its tile, halo included, does. So do the first pixels of a walk along a row or column.
///
/// An **operation** is an addition, subtraction, multiplication, division, shift, comparison, minimum, maximum, absolute value, selection or
/// exponential of values that come from pixels. One of a vector counts as often as the vector has lanes, fma as two. Conversions, also saturating
/// ones, and what is computed for indices, borders and loops do not count.
/// By class they are counted together with what the device has to do for them beside: conversions, lanes that are widened or narrowed, saturation, and bytes of
/// local memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Loads from global memory or an image object.
    pub loads: f64,
    /// Bytes that these loads ask for, before any cache.
    pub loaded_bytes: f64,
    /// Stores to global memory or an image object.
    pub stores: f64,
    /// Bytes that these stores write.
    pub stored_bytes: f64,
    /// Arithmetic operations.
    #[serde(default)]
    pub operations: f64,
    /// Those of them that are done in float or half.
    #[serde(default)]
    pub float_operations: f64,
    /// Operations by class, with what belongs to them. Nothing in records of versions that did not tell classes apart.
    #[serde(default, skip_serializing_if = "ByClass::is_empty")]
    pub by_class: ByClass,
    /// Bytes that all passes have to move at least, halo and caches aside: what each reads once and writes once, the intermediate included. 0 in
    /// records of versions that did not count it.
    #[serde(default)]
    pub must_move_bytes: f64,
}

impl std::ops::Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            loads: self.loads + other.loads,
            loaded_bytes: self.loaded_bytes + other.loaded_bytes,
            stores: self.stores + other.stores,
            stored_bytes: self.stored_bytes + other.stored_bytes,
            operations: self.operations + other.operations,
            float_operations: self.float_operations + other.float_operations,
            by_class: self.by_class + other.by_class,
            must_move_bytes: self.must_move_bytes + other.must_move_bytes,
        }
    }
}

impl std::ops::Div<f64> for Counts {
    type Output = Self;

    fn div(self, pixels: f64) -> Self {
        Self {
            loads: self.loads / pixels,
            loaded_bytes: self.loaded_bytes / pixels,
            stores: self.stores / pixels,
            stored_bytes: self.stored_bytes / pixels,
            operations: self.operations / pixels,
            float_operations: self.float_operations / pixels,
            by_class: self.by_class / pixels,
            must_move_bytes: self.must_move_bytes / pixels,
        }
    }
}
