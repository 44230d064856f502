//! The table of optimization stages: one row each, in the order of their ids.

use super::{Group, Owns, Stage, StageId, StageValue};
use crate::Channels;

/// Values of stages that filters ask for by number, as kernel files see them.
pub mod values {
    /// Local memory whose rows lie one byte further apart.
    pub const LOCAL_SKEW: u8 = 2;
    /// An image object with one pixel per texel.
    pub const IMAGE_ONE_PIXEL: u8 = 1;
    /// An image object with four gray pixels per texel.
    pub const IMAGE_FOUR_PIXELS: u8 = 2;
    /// An image object with one pixel per texel, whose sampler interpolates.
    pub const IMAGE_LINEAR: u8 = 3;
    /// The mask in constant memory, an array of the program.
    pub const MASK_CONSTANT: u8 = 1;
    /// The mask in a buffer in constant memory, an argument of the kernel.
    pub const MASK_ARGUMENT: u8 = 2;
    /// Float arithmetic with multiplications and additions apart.
    pub const FLOAT_PLAIN: u8 = 1;
    /// Float arithmetic with fused multiply-add.
    pub const FLOAT_FMA: u8 = 2;
    /// Float arithmetic with `mad`, whose rounding OpenCL leaves open.
    pub const FLOAT_MAD: u8 = 3;
    /// Accesses of 4, 8 and 16 bytes as vectors of `uchar`, and of 16 bytes as four `int`.
    pub const ACCESS_UCHAR4: u8 = 1;
    /// See [`ACCESS_UCHAR4`].
    pub const ACCESS_UCHAR8: u8 = 2;
    /// See [`ACCESS_UCHAR4`].
    pub const ACCESS_UCHAR16: u8 = 3;
    /// See [`ACCESS_UCHAR4`].
    pub const ACCESS_INT4: u8 = 4;
    /// 12 bytes, four RGB pixels, as three `int`.
    pub const ACCESS_INT3: u8 = 5;
    /// Sums of sub-groups by a function of theirs.
    pub const REDUCE_SUB_GROUPS: u8 = 3;
    /// Two 16-bit integers in a word.
    pub const LANES_INT: u8 = 1;
    /// The same bits as two halves.
    pub const LANES_HALF: u8 = 2;
    /// Sorting ends at the median.
    pub const RANK_PARTIAL: u8 = 1;
    /// A network of comparisons.
    pub const RANK_NETWORK: u8 = 2;
    /// One bit of the median after the other.
    pub const RANK_BITS: u8 = 3;
    /// The last piece of a row ends with the row and overlaps the one before.
    pub const TAIL_OVERLAP: u8 = 1;
    /// The bytes after the last whole piece, one by one.
    pub const TAIL_BYTES: u8 = 2;
    /// Loads begin at odd addresses.
    pub const UNALIGNED_LOADS: u8 = 1;
    /// Stores begin at odd addresses.
    pub const UNALIGNED_STORES: u8 = 2;
}

const BOTH: &[Channels] = &Channels::ALL;

/// The one value of a stage that is on or off.
const ON: &[StageValue] = &[StageValue { value: 1, name: "", word: "on", channels: BOTH }];

/// A value for gray and RGB, spelled as it is shown.
const fn both(value: u8, name: &'static str) -> StageValue {
    StageValue { value, name, word: name, channels: BOTH }
}

/// What most rows have in common: a stage that is on or off, and nobody's alternative.
const SWITCH: Stage =
    Stage { id: StageId::Coalesced, name: "", define: "", off: 0, values: ON, group: None, owns: Owns::Same, build_option: "" };

/// All stages, in the order of a variant's name.
pub static STAGES: [Stage; 46] = [
    Stage { id: StageId::Coalesced, name: "coalesced", define: "COALESCED", ..SWITCH },
    Stage { id: StageId::Padded, name: "padded", define: "PADDED", group: Some(Group::Source), ..SWITCH },
    Stage {
        id: StageId::Vectorize,
        name: "vectorize",
        define: "PIXELS_PER_ITEM",
        off: 1,
        values: &[
            StageValue { value: 4, name: "4", word: "4", channels: BOTH },
            StageValue { value: 5, name: "5", word: "5", channels: &[Channels::Rgb] },
            StageValue { value: 8, name: "8", word: "8", channels: BOTH },
            StageValue { value: 16, name: "16", word: "16", channels: BOTH },
        ],
        group: Some(Group::Ownership),
        owns: Owns::Pixels,
        ..SWITCH
    },
    Stage { id: StageId::Merged, name: "merged", define: "MERGED_LOADS", ..SWITCH },
    Stage { id: StageId::Short16, name: "short16", define: "SHORT16", group: Some(Group::Arithmetic), ..SWITCH },
    Stage { id: StageId::Select, name: "select", define: "BRANCHLESS", ..SWITCH },
    Stage {
        id: StageId::Local,
        name: "local",
        define: "LOCAL_MEMORY",
        values: &[
            StageValue { value: 1, name: "", word: "plain", channels: BOTH },
            StageValue { value: values::LOCAL_SKEW, name: "skew", word: "skew", channels: BOTH },
        ],
        ..SWITCH
    },
    Stage {
        id: StageId::Rows,
        name: "rows",
        define: "ROWS_PER_ITEM",
        off: 1,
        values: &[both(2, "2"), both(3, "3"), both(4, "4"), both(8, "8"), both(14, "14"), both(26, "26")],
        owns: Owns::Rows,
        ..SWITCH
    },
    Stage {
        id: StageId::Block,
        name: "block",
        define: "BLOCK_PIXELS",
        off: 1,
        values: &[both(4, "4"), both(8, "8"), both(16, "16")],
        group: Some(Group::Ownership),
        owns: Owns::Pixels,
        ..SWITCH
    },
    Stage {
        id: StageId::Image,
        name: "image",
        define: "IMAGE",
        values: &[
            StageValue { value: values::IMAGE_ONE_PIXEL, name: "", word: "one-pixel", channels: BOTH },
            StageValue { value: values::IMAGE_FOUR_PIXELS, name: "rgba", word: "four-pixels", channels: &[Channels::Gray] },
            both(values::IMAGE_LINEAR, "linear"),
        ],
        group: Some(Group::Source),
        ..SWITCH
    },
    Stage { id: StageId::ImageBetween, name: "between", define: "IMAGE_BETWEEN", ..SWITCH },
    Stage { id: StageId::Separable, name: "separable", define: "SEPARABLE", group: Some(Group::Split), ..SWITCH },
    Stage { id: StageId::Walk, name: "walk", define: "ROW_WALK", ..SWITCH },
    Stage { id: StageId::Running, name: "running", define: "RUNNING_SUM", group: Some(Group::Ownership), ..SWITCH },
    Stage { id: StageId::TwoSteps, name: "twostep", define: "TWO_STEPS", group: Some(Group::Split), ..SWITCH },
    Stage { id: StageId::Specialized, name: "specialized", define: "SPECIALIZED", ..SWITCH },
    Stage {
        id: StageId::Mask,
        name: "mask",
        define: "MASK_FROM",
        values: &[both(values::MASK_CONSTANT, "constant"), both(values::MASK_ARGUMENT, "argument")],
        ..SWITCH
    },
    Stage {
        id: StageId::Float,
        name: "float",
        define: "FLOAT",
        values: &[
            StageValue { value: values::FLOAT_PLAIN, name: "", word: "float", channels: BOTH },
            both(values::FLOAT_FMA, "fma"),
            both(values::FLOAT_MAD, "mad"),
        ],
        group: Some(Group::Arithmetic),
        ..SWITCH
    },
    Stage { id: StageId::Half, name: "half", define: "HALF", group: Some(Group::Arithmetic), ..SWITCH },
    Stage {
        id: StageId::Unroll,
        name: "unroll",
        define: "UNROLL",
        values: &[StageValue { value: 1, name: "", word: "whole", channels: BOTH }, both(2, "2"), both(4, "4")],
        ..SWITCH
    },
    Stage { id: StageId::Native, name: "native", define: "NATIVE", group: Some(Group::Weights), ..SWITCH },
    Stage {
        id: StageId::Relaxed,
        name: "relaxed",
        define: "RELAXED",
        group: Some(Group::Weights),
        build_option: "-cl-fast-relaxed-math",
        ..SWITCH
    },
    Stage { id: StageId::Table, name: "table", define: "LOOKUP_TABLE", group: Some(Group::Weights), ..SWITCH },
    Stage { id: StageId::Shift, name: "shift", define: "SHIFT_INDEX", ..SWITCH },
    Stage { id: StageId::Mul24, name: "mul24", define: "MUL24", ..SWITCH },
    Stage {
        id: StageId::Access,
        name: "access",
        define: "ACCESS",
        values: &[
            both(values::ACCESS_UCHAR4, "uchar4"),
            both(values::ACCESS_UCHAR8, "uchar8"),
            both(values::ACCESS_UCHAR16, "uchar16"),
            both(values::ACCESS_INT4, "int4"),
            StageValue { value: values::ACCESS_INT3, name: "int3", word: "int3", channels: &[Channels::Rgb] },
        ],
        group: Some(Group::Ownership),
        owns: Owns::Bytes(access_bytes),
        ..SWITCH
    },
    Stage {
        id: StageId::Lanes,
        name: "lanes",
        define: "LANES",
        values: &[both(values::LANES_INT, "int"), both(values::LANES_HALF, "half")],
        group: Some(Group::Arithmetic),
        ..SWITCH
    },
    Stage { id: StageId::Dot, name: "dot", define: "DOT_PRODUCT", group: Some(Group::Arithmetic), ..SWITCH },
    Stage { id: StageId::Counters, name: "counters", define: "COUNTERS", values: &[both(1, "local"), both(2, "copies")], ..SWITCH },
    Stage {
        id: StageId::Reduce,
        name: "reduce",
        define: "REDUCE",
        values: &[both(1, "local"), both(2, "tree"), both(values::REDUCE_SUB_GROUPS, "subgroups")],
        ..SWITCH
    },
    Stage { id: StageId::Scan, name: "scan", define: "SCAN", values: &[both(1, "steps"), both(2, "tree"), both(3, "pieces")], ..SWITCH },
    Stage { id: StageId::Lut, name: "lut", define: "LUT", values: &[both(1, "global"), both(2, "constant"), both(3, "local")], ..SWITCH },
    Stage {
        id: StageId::Compact,
        name: "compact",
        define: "COMPACT",
        values: &[both(1, "list"), both(2, "queue"), both(3, "group-list")],
        ..SWITCH
    },
    Stage {
        id: StageId::Fused,
        name: "fused",
        define: "FUSED",
        values: &[both(1, "pointwise"), both(2, "tile"), both(3, "recompute"), both(4, "table"), both(5, "lookback"), both(6, "gain")],
        ..SWITCH
    },
    Stage { id: StageId::Store, name: "store", define: "STORE", values: &[both(1, "short"), both(2, "float"), both(3, "half")], ..SWITCH },
    Stage { id: StageId::Quads, name: "quads", define: "QUADS", ..SWITCH },
    Stage { id: StageId::Bands, name: "bands", define: "BAND_ROWS", values: &[both(16, "16"), both(64, "64")], ..SWITCH },
    Stage { id: StageId::Reciprocal, name: "reciprocal", define: "RECIPROCAL", ..SWITCH },
    Stage { id: StageId::Fill, name: "fill", define: "FILL", values: &[both(1, "one"), both(2, "vectors"), both(3, "async")], ..SWITCH },
    Stage { id: StageId::Index, name: "index", define: "INDEX", values: &[both(1, "size_t")], ..SWITCH },
    Stage { id: StageId::WorkGroup, name: "group", define: "GROUP_SIZE", values: &[both(1, "hint"), both(2, "required")], ..SWITCH },
    Stage { id: StageId::Transpose, name: "transpose", define: "TRANSPOSE_FIRST", ..SWITCH },
    Stage {
        id: StageId::Rank,
        name: "rank",
        define: "RANK",
        values: &[both(values::RANK_PARTIAL, "partial"), both(values::RANK_NETWORK, "network"), both(values::RANK_BITS, "bits")],
        ..SWITCH
    },
    Stage { id: StageId::Edge, name: "edge", define: "EDGE_PASS", ..SWITCH },
    Stage {
        id: StageId::Tail,
        name: "tail",
        define: "TAIL",
        values: &[both(values::TAIL_OVERLAP, "overlap"), both(values::TAIL_BYTES, "bytes")],
        ..SWITCH
    },
    Stage {
        id: StageId::Unaligned,
        name: "unaligned",
        define: "UNALIGNED",
        values: &[both(values::UNALIGNED_LOADS, "loads"), both(values::UNALIGNED_STORES, "stores")],
        ..SWITCH
    },
];

/// Bytes of one access of this type.
fn access_bytes(value: u8) -> usize {
    match value {
        values::ACCESS_UCHAR4 => 4,
        values::ACCESS_UCHAR8 => 8,
        values::ACCESS_INT3 => 12,
        _ => 16,
    }
}

#[cfg(test)]
mod tests {
    use super::{STAGES, StageId};

    #[test]
    fn the_table_is_in_the_order_of_its_ids() {
        for (index, stage) in STAGES.iter().enumerate() {
            assert_eq!(stage.id.index(), index, "{}", stage.name);
        }
        assert_eq!(StageId::Unaligned.index(), STAGES.len() - 1);
    }

    #[test]
    fn names_are_unique() {
        for stage in &STAGES {
            assert_eq!(STAGES.iter().filter(|other| other.name == stage.name || other.label() == stage.label()).count(), 1);
            assert_eq!(STAGES.iter().filter(|other| other.define == stage.define).count(), 1);
        }
    }
}
