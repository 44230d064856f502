//! The table of optimization stages: one row each, in the order of their ids.

use super::{Group, Owns, Rule, Stage, StageId, StageValue};
use crate::image::Channels;

/// Values of stages that filters ask for by number, as kernel files see them.
pub mod values {
    /// Local memory whose rows lie one byte further apart.
    pub const LOCAL_SKEW: u8 = 2;
    /// An image object with one pixel per texel.
    pub const IMAGE_ONE_PIXEL: u8 = 1;
    /// An image object with four gray pixels per texel.
    pub const IMAGE_FOUR_PIXELS: u8 = 2;
    /// The mask in constant memory, an array of the program.
    pub const MASK_CONSTANT: u8 = 1;
    /// The mask in a buffer in constant memory, an argument of the kernel.
    pub const MASK_ARGUMENT: u8 = 2;
    /// Float arithmetic with multiplications and additions apart.
    pub const FLOAT_PLAIN: u8 = 1;
    /// Float arithmetic with fused multiply-add.
    pub const FLOAT_FMA: u8 = 2;
    /// Accesses of 4, 8 and 16 bytes as vectors of `uchar`, and of 16 bytes as four `int`.
    pub const ACCESS_UCHAR4: u8 = 1;
    /// See [`ACCESS_UCHAR4`].
    pub const ACCESS_UCHAR8: u8 = 2;
    /// See [`ACCESS_UCHAR4`].
    pub const ACCESS_UCHAR16: u8 = 3;
    /// See [`ACCESS_UCHAR4`].
    pub const ACCESS_INT4: u8 = 4;
}

const BOTH: &[Channels] = &Channels::ALL;

/// The one value of a stage that is on or off.
const ON: &[StageValue] = &[StageValue { value: 1, name: "", label: "on", channels: BOTH }];

/// A value for gray and RGB, spelled as it is shown.
const fn both(value: u8, name: &'static str) -> StageValue {
    StageValue { value, name, label: name, channels: BOTH }
}

/// What most rows have in common: a stage that is on or off, and nobody's alternative.
const SWITCH: Stage = Stage {
    id: StageId::Coalesced,
    name: "",
    label: "",
    define: "",
    off: 0,
    values: ON,
    group: None,
    owns: Owns::Same,
    reason: "",
    more: "",
    rules: &[],
    build_option: "",
};

/// All stages, in the order of a variant's name.
pub static STAGES: [Stage; 25] = [
    Stage {
        id: StageId::Coalesced,
        name: "coalesced",
        label: "Coalesced mapping",
        define: "COALESCED",
        reason: "Neighboring work-items read neighboring bytes, so one memory transaction serves many of them",
        more: "Off, dimension 0 counts rows, as in the Mali-T600 study: neighboring work-items are a whole row apart. On, \
               dimension 0 runs along a row. GPUs that run work-items in lockstep coalesce the accesses of neighbors into few wide \
               transactions; on a CPU driver it decides how caches and prefetchers see the picture.",
        ..SWITCH
    },
    Stage {
        id: StageId::Padded,
        name: "padded",
        label: "Padded source",
        define: "PADDED",
        group: Some(Group::Source),
        reason: "A halo in the buffer replaces border tests in the kernel and makes wide loads safe",
        more: "Off, every work-item finds its neighbors by testing for the border. On, the host lays the picture into a buffer \
               whose rows are a multiple of 128 bytes apart, with a halo filled by the border mode and slack on the right, so that \
               the last wide load stays in bounds. The Bifrost and Adreno guides (8.6) both list padding as a way to take border \
               handling out of the kernel; the copy on the host is counted in the round trip.",
        ..SWITCH
    },
    Stage {
        id: StageId::Vectorize,
        name: "vectorize",
        label: "Vectorize",
        define: "PIXELS_PER_ITEM",
        off: 1,
        values: &[
            StageValue { value: 4, name: "4", label: "4", channels: BOTH },
            StageValue { value: 5, name: "5", label: "5", channels: &[Channels::Rgb] },
            StageValue { value: 8, name: "8", label: "8", channels: BOTH },
            StageValue { value: 16, name: "16", label: "16", channels: &[Channels::Gray] },
        ],
        group: Some(Group::Ownership),
        owns: Owns::Pixels,
        reason: "One work-item computes several pixels with vector loads, arithmetic and stores",
        more: "The Mali-T600 study loads 16 bytes at a time: five RGB pixels use 15 of them, four store as 8 + 4 bytes, eight need \
               24 and turn out to be a step too far on its device (×1.5 to ×3.7 over its original for five pixels). The Bifrost \
               guide takes 16 gray pixels. Fewer, wider memory operations, at the price of register pressure: more registers per \
               work-item, so lower occupancy.",
        rules: &[Rule::needs_one_of(
            &[(StageId::Padded, 1), (StageId::Image, values::IMAGE_FOUR_PIXELS)],
            "a wide load would run past the row's end",
        )],
        ..SWITCH
    },
    Stage {
        id: StageId::Merged,
        name: "merged",
        label: "Merged loads",
        define: "MERGED_LOADS",
        reason: "Two overlapping loads per row instead of three; the middle vector is put together from both",
        more: "Left, middle and right neighbors are three loads that overlap in all but two pixels. The middle one can be put \
               together from the other two by a swizzle, which reorders the lanes of vectors in registers. The Mali-T600 study \
               measured ×4.2 at 2560 × 1600 where vectorizing alone gave ×1.3; both guides recommend it.",
        rules: &[Rule::needs(StageId::Vectorize, "a scalar work-item has no vectors to put together")],
        ..SWITCH
    },
    Stage {
        id: StageId::Short16,
        name: "short16",
        label: "short16",
        define: "SHORT16",
        group: Some(Group::Arithmetic),
        reason: "16-bit accumulators take half the registers of 32-bit ones and twice the SIMD lanes per instruction",
        more: "The sums of this filter fit 16 bits, so int vectors waste half of every register. The Mali-T600 study reports a \
               larger allowed work-group and up to ×8.1 over its original. Lower register pressure does not help where registers \
               do not limit occupancy.",
        rules: &[
            Rule::needs(StageId::Vectorize, "a scalar short is promoted to int"),
            Rule::needs_sums(
                |sums| i16::try_from(*sums.start()).is_ok() && i16::try_from(*sums.end()).is_ok(),
                "The sums of this filter do not fit 16 bits",
            ),
        ],
        ..SWITCH
    },
    Stage {
        id: StageId::Select,
        name: "select",
        label: "Branchless select",
        define: "BRANCHLESS",
        reason: "Select, clamp and masks instead of branches keep work-items in lockstep",
        more: "Off, border and saturation are if and else: where work-items of one SIMD group diverge, it executes both sides. On, \
               both sides are computed and one is selected, so there is no divergence. The Adreno guide (8.5) recommends it; its \
               Epsilon study gained ×5.4 over ×3.4. Compilers often do the same on their own.",
        ..SWITCH
    },
    Stage {
        id: StageId::Local,
        name: "local",
        label: "Local memory",
        define: "LOCAL_MEMORY",
        values: &[
            StageValue { value: 1, name: "", label: "plain", channels: BOTH },
            StageValue { value: values::LOCAL_SKEW, name: "skew", label: "skew +1", channels: BOTH },
        ],
        reason: "The work-group loads its tile with a halo once, then reads neighbors from local memory",
        more: "Work-items of a group share most of their neighbors. With a tile in local memory each byte comes from global memory \
               about once; a barrier, where all work-items of the group wait for each other, separates loading from use. Skew \
               makes the pitch of the tile one byte longer against bank conflicts: a column then spreads over the memory banks \
               instead of falling into one, where accesses are served one after the other. The Mali and Adreno guides advise \
               against local memory for small masks; devices that report local memory as ordinary memory can only lose.",
        ..SWITCH
    },
    Stage {
        id: StageId::Rows,
        name: "rows",
        label: "Rows per work-item",
        define: "ROWS_PER_ITEM",
        off: 1,
        values: &[both(2, "2"), both(4, "4"), both(8, "8")],
        owns: Owns::Rows,
        reason: "A work-item computes several rows from the top down and keeps the rows it has read in registers",
        more: "Neighboring output rows share two of their three input rows. With one row per work-item every input row is loaded \
               three times; with R rows, (R + 2) / R times. Fewer work-items, and higher register pressure in each.",
        ..SWITCH
    },
    Stage {
        id: StageId::Block,
        name: "block",
        label: "Block of pixels",
        define: "BLOCK_PIXELS",
        off: 1,
        values: &[both(4, "4"), both(8, "8"), both(16, "16")],
        group: Some(Group::Ownership),
        owns: Owns::Pixels,
        reason: "One work-item computes several neighboring pixels with scalar loads and keeps what they share",
        more: "Neighboring pixels share most of what they read, so a block of 16 reads far fewer bytes per pixel than 16 single \
               ones. The loads stay scalar: what Vectorize adds is wide memory operations. The Adreno guide (9.3) takes this step \
               first for Sobel: 9 loads per pixel become 3.375.",
        ..SWITCH
    },
    Stage {
        id: StageId::Image,
        name: "image",
        label: "Image object",
        define: "IMAGE",
        values: &[
            StageValue { value: values::IMAGE_ONE_PIXEL, name: "", label: "1 pixel", channels: BOTH },
            StageValue { value: values::IMAGE_FOUR_PIXELS, name: "rgba", label: "4 pixels", channels: &[Channels::Gray] },
        ],
        group: Some(Group::Source),
        reason: "The source is read through a sampler and the texture cache instead of from a buffer",
        more: "A sampler clamps coordinates in hardware, and the texture cache is laid out for neighbors in two dimensions, so \
               columns cost no more than rows. With one pixel per texel, each read of a gray picture fetches as little as one \
               byte; with four gray pixels packed into an RGBA texel it fetches four. The Adreno guide (7.1.4) and the Gaussian \
               study prefer images on their devices. Formats are unsigned integers, so results stay exact.",
        rules: &[
            Rule::needs_ability(|abilities| abilities.has_images, "This device has no image objects"),
            Rule::excludes(StageId::Merged, "texels do not overlap"),
        ],
        ..SWITCH
    },
    Stage {
        id: StageId::ImageBetween,
        name: "between",
        label: "Image between passes",
        define: "IMAGE_BETWEEN",
        reason: "The first pass writes, and the second reads, an image object instead of a buffer",
        more: "A vertical pass reads down columns: rows of a buffer are far apart, texels of an image object are not. The Gaussian \
               study measured 17 ms for its vertical pass from a buffer and 6.4 ms from an image.",
        rules: &[
            Rule::needs_ability(|abilities| abilities.has_images, "This device has no image objects"),
            Rule::needs_one_of(&[(StageId::Separable, 1), (StageId::TwoSteps, 1)], "a single pass hands nothing over"),
        ],
        ..SWITCH
    },
    Stage {
        id: StageId::Separable,
        name: "separable",
        label: "Separable passes",
        define: "SEPARABLE",
        group: Some(Group::Split),
        reason: "A horizontal and a vertical pass read 2n values per pixel instead of n²",
        more: "A mask that is a column times a row can be applied one direction after the other. That saves arithmetic and loads, \
               and costs an intermediate that is written and read again.",
        ..SWITCH
    },
    Stage {
        id: StageId::Walk,
        name: "walk",
        label: "Row walking",
        define: "ROW_WALK",
        reason: "One work-item slides its window along a whole row or column and keeps the last inputs in registers",
        more: "Nothing is read twice, but there are only as many work-items as rows or columns: few for a GPU that needs thousands \
               to hide latency.",
        rules: &[Rule::needs(StageId::Separable, "a window can slide in only one direction at a time")],
        ..SWITCH
    },
    Stage {
        id: StageId::Running,
        name: "running",
        label: "Running sum",
        define: "RUNNING_SUM",
        group: Some(Group::Ownership),
        reason: "The next sum is the last one plus what enters the window minus what leaves it, whatever the radius",
        more: "Four operations per pixel for any radius. A work-item has to walk a whole row or column for it, so there are few of \
               them.",
        rules: &[Rule::needs(StageId::Separable, "a sum can run in only one direction at a time")],
        ..SWITCH
    },
    Stage {
        id: StageId::TwoSteps,
        name: "twostep",
        label: "Two steps",
        define: "TWO_STEPS",
        group: Some(Group::Split),
        reason: "Sums of 2 × 2 first, then sums of these: with radius 4, 4 + 16 reads per pixel instead of 64",
        more: "The Adreno guide (9.1.1) shows it for the 8 × 8 box. With radius r it is 4 + r² reads instead of 4r².",
        ..SWITCH
    },
    Stage {
        id: StageId::Specialized,
        name: "specialized",
        label: "Radius compiled in",
        define: "SPECIALIZED",
        reason: "A kernel for this radius alone: loops have a compile-time trip count, and divisions become multiplications or shifts",
        more: "The Maleoon notes optimize their box filter for each radius on its own. The price is a build whenever the radius \
               changes.",
        ..SWITCH
    },
    Stage {
        id: StageId::Mask,
        name: "mask",
        label: "Mask from",
        define: "MASK_FROM",
        values: &[both(values::MASK_CONSTANT, "constant"), both(values::MASK_ARGUMENT, "argument")],
        reason: "Coefficients are read from constant memory, as an array of the program or as an argument; off, they are literals in the code",
        more: "Guides recommend constant memory for masks (Adreno 7.1.2). Literals are better still where the mask never changes: \
               the compiler sees their values, as it does of an array in the program. A buffer that is an argument can change \
               without a build.",
        ..SWITCH
    },
    Stage {
        id: StageId::Float,
        name: "float",
        label: "Float arithmetic",
        define: "FLOAT",
        values: &[StageValue { value: values::FLOAT_PLAIN, name: "", label: "float", channels: BOTH }, both(values::FLOAT_FMA, "fma")],
        group: Some(Group::Arithmetic),
        reason: "Sums in float, as most guides write them; float is where GPUs have their highest throughput",
        more: "With fma, multiplication and addition are one instruction with one rounding.",
        ..SWITCH
    },
    Stage {
        id: StageId::Half,
        name: "half",
        label: "Half precision",
        define: "HALF",
        group: Some(Group::Arithmetic),
        reason: "16-bit floating point: half the registers, and twice the throughput where the device has it",
        more: "Eleven bits of precision: whole numbers are exact up to 2048. The Epsilon study gained nothing from it (×1.0); the \
               Gaussian study lost accuracy and saved no time.",
        rules: &[Rule::needs_ability(|abilities| abilities.has_half, "This device has no half precision (cl_khr_fp16)")],
        ..SWITCH
    },
    Stage {
        id: StageId::Unroll,
        name: "unroll",
        label: "Unrolled loops",
        define: "UNROLL",
        reason: "The compiler writes loops out: no counters, no jumps, higher register pressure",
        more: "The Adreno guide (8.4) recommends it; many compilers do it on their own.",
        ..SWITCH
    },
    Stage {
        id: StageId::Native,
        name: "native",
        label: "Native functions",
        define: "NATIVE",
        group: Some(Group::Weights),
        reason: "native_ functions map to what the hardware has; standard ones need more instructions for the precision that OpenCL demands",
        more: "native_exp, native_divide and native_recip instead of exp and division. The Adreno guide (8.3) rates standard \
               functions slow and precise, native ones fast, with a precision that the vendor chooses; the Maleoon notes recommend \
               them wherever the precision suffices. Drivers for CPUs often run the same code for both.",
        ..SWITCH
    },
    Stage {
        id: StageId::Relaxed,
        name: "relaxed",
        label: "Relaxed math",
        define: "RELAXED",
        group: Some(Group::Weights),
        reason: "The compiler may reorder floating-point arithmetic and assume that nothing is infinite or not a number",
        more: "The build option -cl-fast-relaxed-math; the source stays the same. The Adreno guide (8.2, 8.3) rates it between \
               standard and native functions, in speed and in precision. Multiplications and additions may be fused, and divisions \
               become multiplications by a reciprocal.",
        build_option: "-cl-fast-relaxed-math",
        ..SWITCH
    },
    Stage {
        id: StageId::Table,
        name: "table",
        label: "Lookup table",
        define: "LOOKUP_TABLE",
        group: Some(Group::Weights),
        reason: "Weights are read from a table that the host computed instead of being computed for each neighbor",
        more: "8-bit pictures have few differences, so a small table holds every weight. Memory against arithmetic: which wins \
               depends on the device.",
        ..SWITCH
    },
    Stage {
        id: StageId::Shift,
        name: "shift",
        label: "Shift and mask",
        define: "SHIFT_INDEX",
        reason: "Shifts and masks in index arithmetic instead of integer division and remainder",
        more: "Few GPUs divide integers in hardware: a division by a number that the compiler does not know takes dozens of \
               instructions. The Maleoon notes and the Adreno guide (8.10) avoid it; where the divisor is a power of two, a shift \
               and a mask do the same. The range of the index may have to grow to a power of two first.",
        ..SWITCH
    },
    Stage {
        id: StageId::Access,
        name: "access",
        label: "Access type",
        define: "ACCESS",
        values: &[
            both(values::ACCESS_UCHAR4, "uchar4"),
            both(values::ACCESS_UCHAR8, "uchar8"),
            both(values::ACCESS_UCHAR16, "uchar16"),
            both(values::ACCESS_INT4, "int4"),
        ],
        group: Some(Group::Ownership),
        owns: Owns::Bytes(access_bytes),
        reason: "Wider loads and stores: fewer memory instructions for the same bytes",
        more: "A scalar byte uses 8 of the 32 bits of the bus. The Maleoon notes report that 16 bytes as a vector of chars reach \
               less bandwidth than the same 16 bytes as four ints.",
        rules: &[Rule::needs(StageId::Padded, "a wide access would run past the row's end")],
        ..SWITCH
    },
];

/// Bytes of one access of this type.
fn access_bytes(value: u8) -> usize {
    match value {
        values::ACCESS_UCHAR4 => 4,
        values::ACCESS_UCHAR8 => 8,
        _ => 16,
    }
}

#[cfg(test)]
mod tests {
    use super::{STAGES, StageId};

    #[test]
    fn the_table_is_in_the_order_of_its_ids() {
        for (index, stage) in STAGES.iter().enumerate() {
            assert_eq!(stage.id as usize, index, "{}", stage.name);
        }
        assert_eq!(StageId::LAST as usize, STAGES.len() - 1);
    }

    #[test]
    fn sentences_have_no_full_stop_and_names_are_unique() {
        for stage in &STAGES {
            assert!(!stage.reason.is_empty() && !stage.more.is_empty() && !stage.reason.ends_with('.'), "{}", stage.name);
            assert_eq!(STAGES.iter().filter(|other| other.name == stage.name || other.label == stage.label).count(), 1);
            assert_eq!(STAGES.iter().filter(|other| other.define == stage.define).count(), 1);
        }
    }
}
