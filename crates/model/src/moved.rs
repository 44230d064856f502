//! What an experiment moves in a kernel: the cause of an explanation alone.

use super::Variant;
use serde::{Deserialize, Serialize};

/// One thing about a variant's kernel that is moved; its output stays what it is, and is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moved {
    /// Loads of another variant are done beside its own, and their results change nothing.
    Loads {
        /// Whose loads.
        of: Variant,
        /// How many each work-item does.
        count: u32,
        /// For which pixels.
        places: Whose,
        /// How many stores each work-item does beside them, to the same pixels of a buffer that nothing reads.
        stores: u32,
        /// Otherwise nothing but the parameter that they take is there: what the others are compared with. A load comes with what keeps it: an addition to its
        /// address, and an exclusive or.
        is_done: bool,
    },
    /// What was along a row is down the rows: dimensions 0 and 1 of the NDRange are exchanged.
    Mapping,
    /// So many bytes of local memory that nothing uses.
    LocalBytes(u32),
    /// The source lies as it does for another variant: with its halo and its pitch.
    Surface(Variant),
    /// A tile of the group's pixels.
    Tile {
        /// Whose tile.
        of: Variant,
        /// What is done with it.
        part: TilePart,
    },
    /// Vectors are loaded and stored in pieces.
    Narrow {
        /// Numbers of a piece that is loaded; [`WHOLE`] where vectors stay whole.
        loads: u8,
        /// The same of one that is stored.
        stores: u8,
        /// Otherwise whole, from and to places that are computed alike.
        is_done: bool,
    },
    /// Instructions of a class are done beside its own.
    Class {
        /// Which.
        class: WorkClass,
        /// How many times each work-item does one.
        count: u32,
        /// Otherwise everything but these.
        is_done: bool,
    },
    /// What an image object holds is read from a buffer.
    Buffer,
    /// No multiplication and addition are joined.
    Uncontracted,
    /// So many times as many work-items are started, of which those beyond the picture return at once.
    Items(u32),
    /// Each work-item stores to memory that is volatile, so that no compiler computes several of them in one vector.
    Apart {
        /// Otherwise the same store to memory that is not.
        is_done: bool,
    },
}

/// More numbers than any vector has: nothing is taken apart.
pub const WHOLE: u8 = u8::MAX;

/// A class of instructions that compilers make and no source counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkClass {
    /// Bytes of a vector in another order.
    Shuffles,
    /// Divisions by what is not known when the kernel is compiled.
    Divisions,
    /// Between integers and floats.
    Conversions,
    /// Sums of sixteen 32-bit integers.
    Sums32,
    /// Sums of sixteen 16-bit integers.
    Sums16,
}

/// Which pixels the loads are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Whose {
    /// Those that the work-item owns.
    Own,
    /// Those that the other variant's work-item of the same ids owns.
    Theirs,
}

/// What is done with a tile that nothing is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TilePart {
    /// It is there.
    Nothing,
    /// The work-group meets at a barrier.
    Barrier,
    /// The work-group fills it, and meets at a barrier.
    Filled,
}
