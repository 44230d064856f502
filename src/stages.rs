//! The table of optimization stages: the only place that knows what a stage is called, why it exists and when it applies.
//!
//! Adding a stage is one [`StageId`], one row here, and its conditionals in the kernel files that it concerns. Menus, command line,
//! tests and plots read this table.

use crate::image::{BorderMode, Channels};
pub use crate::model::Abilities;
use crate::variant::Variant;
use serde::{Deserialize, Serialize};

/// One switch. The order is the order of a variant's name and of the window's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StageId {
    /// Dimension 0 walks along a row instead of down the rows.
    Coalesced,
    /// The source lies in a buffer with a halo instead of being tested at its border.
    Padded,
    /// Several pixels a work-item, by vector loads and stores.
    Vectorize,
    /// Two loads a row instead of three; the middle one is put together from both.
    Merged,
    /// 16-bit accumulators instead of 32-bit ones.
    Short16,
    /// `select` and `clamp` instead of branches.
    Select,
    /// A work-group tile in local memory.
    Local,
    /// Several output rows a work-item.
    Rows,
    /// Several pixels a work-item by scalar loads.
    Block,
    /// The source is an image object.
    Image,
    /// What two passes hand over is an image object.
    ImageBetween,
    /// A horizontal and a vertical pass instead of the whole mask.
    Separable,
    /// A work-item walks a whole row or column.
    Walk,
    /// Sums are updated instead of computed anew.
    Running,
    /// Sums of 2 × 2, then sums of these.
    TwoSteps,
    /// The radius is compiled in.
    Specialized,
    /// Where the mask's coefficients come from.
    Mask,
    /// Floating-point arithmetic.
    Float,
    /// Half precision.
    Half,
    /// Loops are unrolled.
    Unroll,
    /// Native functions.
    Native,
    /// Relaxed floating-point rules.
    Relaxed,
    /// A lookup table.
    Table,
    /// Shifts and masks in index arithmetic.
    Shift,
    /// The type of loads and stores.
    Access,
}

impl StageId {
    /// How many stages there are.
    pub const COUNT: usize = STAGES.len();

    /// The stage's row in the table.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "the table has one row per id")]
    pub fn stage(self) -> &'static Stage {
        // `STAGES` has one row per id, in order: `the_table_is_in_the_order_of_its_ids` holds it to that.
        &STAGES[self as usize]
    }
}

/// What surrounds a variant and decides with it what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Setting {
    /// Gray or RGB.
    pub channels: Channels,
    /// What lies beyond the edge.
    pub border: BorderMode,
    /// What the device can do.
    pub abilities: Abilities,
}

impl Setting {
    /// On a device that can do everything: what is allowed at all.
    #[must_use]
    pub const fn new(channels: Channels, border: BorderMode) -> Self {
        Self { channels, border, abilities: Abilities::ALL }
    }

    /// The same on a device with these abilities.
    #[must_use]
    pub const fn on(self, abilities: Abilities) -> Self {
        Self { abilities, ..self }
    }
}

/// One value that a stage can take when it is on.
#[derive(Debug)]
pub struct StageValue {
    /// The number that kernel files see.
    pub value: u8,
    /// As in `vectorize=4` or `local=skew`; empty where the stage's own name says it all.
    pub name: &'static str,
    /// As the window shows it.
    pub label: &'static str,
    /// The channels it exists for.
    pub channels: &'static [Channels],
}

/// Why a stage cannot be on together with something else. The sentence is shown where the control is disabled.
pub enum Rule {
    /// Needs another stage to be on; turning this one on turns that one on.
    Needs(StageId, &'static str),
    /// Needs one of these stages to have the value beside it; turning this one on gives the first of them its value.
    NeedsOneOf(&'static [(StageId, u8)], &'static str),
    /// This value of the stage needs another stage to be on; choosing it turns that one on.
    ValueNeeds(u8, StageId, &'static str),
    /// Cannot be on together with another stage; turning this one on turns that one off.
    Excludes(StageId, &'static str),
    /// Needs the device to be able to do it.
    NeedsAbility(fn(Abilities) -> bool, &'static str),
    /// Needs the filter's sums to fit 16 bits.
    NeedsSumIn16Bits(&'static str),
    /// Does not apply where the test holds for the variant with this stage left out.
    NothingToDo(fn(&Variant, Setting) -> bool, &'static str),
}

impl Rule {
    /// What is told where the rule is broken.
    #[must_use]
    pub const fn sentence(&self) -> &'static str {
        match self {
            Self::Needs(_, sentence)
            | Self::NeedsOneOf(_, sentence)
            | Self::ValueNeeds(_, _, sentence)
            | Self::Excludes(_, sentence)
            | Self::NeedsAbility(_, sentence)
            | Self::NeedsSumIn16Bits(sentence)
            | Self::NothingToDo(_, sentence) => sentence,
        }
    }
}

/// One row of the table.
pub struct Stage {
    /// The switch.
    pub id: StageId,
    /// As in a variant's name.
    pub name: &'static str,
    /// As in the window: the accessible name of its control.
    pub label: &'static str,
    /// The name that kernel files test.
    pub define: &'static str,
    /// The value of `define` when the stage is off.
    pub off: u8,
    /// The values when on; the first that exists for the channels is what the switch turns on.
    pub values: &'static [StageValue],
    /// Why one would switch it on, in one sentence without a full stop.
    pub reason: &'static str,
    /// More on demand: what it does, and which guide claims what for which device.
    pub more: &'static str,
    /// When it applies, whatever the filter; a filter's own rules come on top.
    pub rules: &'static [Rule],
    /// What the compiler is told when it is on; empty for most.
    pub build_option: &'static str,
}

const BOTH: &[Channels] = &Channels::ALL;

/// The one value of a stage that is on or off.
const ON: &[StageValue] = &[StageValue { value: 1, name: "", label: "on", channels: BOTH }];

/// A value for gray and RGB, spelled as it is shown.
const fn both(value: u8, name: &'static str) -> StageValue {
    StageValue { value, name, label: name, channels: BOTH }
}

/// All stages, in the order of a variant's name.
pub static STAGES: [Stage; 25] = [
    Stage {
        id: StageId::Coalesced,
        name: "coalesced",
        label: "Coalesced mapping",
        define: "COALESCED",
        off: 0,
        values: ON,
        reason: "Neighboring work-items read neighboring bytes, so one memory transaction serves many of them",
        more: "Off, dimension 0 counts rows, as in the Mali-T600 study: neighboring work-items are a whole row apart. On, dimension 0 walks along a row. \
               GPUs that run work-items in lockstep join the accesses of neighbors into few wide transactions; on a CPU driver it decides how caches and \
               prefetchers see the picture.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Padded,
        name: "padded",
        label: "Padded source",
        define: "PADDED",
        off: 0,
        values: ON,
        reason: "A halo in the buffer replaces border tests in the kernel and makes wide loads safe",
        more: "Off, every work-item finds its neighbors by testing for the border. On, the host lays the picture into a buffer whose rows are a multiple of \
               128 bytes apart, with a halo filled by the border mode and slack on the right, so that the last wide load stays inside. The Bifrost and \
               Adreno guides (8.6) both list padding as a way to take border handling out of the kernel; the copy on the host is counted in the round trip.",
        rules: &[],
        build_option: "",
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
        reason: "One work-item computes several pixels with vector loads, arithmetic and stores",
        more: "The Mali-T600 study loads 16 bytes at a time: five RGB pixels use 15 of them, four store as 8 + 4 bytes, eight need 24 and turn out to be \
               a step too far there (×1.5 to ×3.7 over its original for five pixels). The Bifrost guide takes 16 gray pixels. Fewer, wider memory \
               operations; more registers a work-item.",
        rules: &[Rule::NeedsOneOf(
            &[(StageId::Padded, 1), (StageId::Image, 2)],
            "Needs Padded source, or Image object with four pixels a texel: a wide load would run past the row's end",
        )],
        build_option: "",
    },
    Stage {
        id: StageId::Merged,
        name: "merged",
        label: "Merged loads",
        define: "MERGED_LOADS",
        off: 0,
        values: ON,
        reason: "Two overlapping loads a row instead of three; the middle vector is put together from both",
        more: "Left, middle and right neighbors are three loads that overlap in all but two pixels. The middle one can be put together from the other two by \
               a swizzle. The Mali-T600 study measured ×4.2 at 2560 × 1600 where vectorizing alone gave ×1.3; both guides recommend it.",
        rules: &[Rule::Needs(StageId::Vectorize, "Needs Vectorize: a scalar work-item has no vectors to put together")],
        build_option: "",
    },
    Stage {
        id: StageId::Short16,
        name: "short16",
        label: "short16",
        define: "SHORT16",
        off: 0,
        values: ON,
        reason: "16-bit accumulators take half the registers of 32-bit ones and twice the lanes an instruction",
        more: "The sums of this filter fit 16 bits, so int vectors waste half of every register. The Mali-T600 study reports a larger allowed work-group and \
               up to ×8.1 over its original. Fewer registers do not help where registers are not the limit.",
        rules: &[
            Rule::Needs(StageId::Vectorize, "Needs Vectorize: a scalar short is promoted to int"),
            Rule::NeedsSumIn16Bits("The sums of this filter do not fit 16 bits"),
        ],
        build_option: "",
    },
    Stage {
        id: StageId::Select,
        name: "select",
        label: "Branchless select",
        define: "BRANCHLESS",
        off: 0,
        values: ON,
        reason: "Select, clamp and masks instead of branches keep work-items in lockstep",
        more: "Off, border and saturation are if and else. On, both sides are computed and one is selected, so work-items never part ways. The Adreno guide \
               (8.5) recommends it; its Epsilon study gained ×5.4 over ×3.4. Compilers often do the same on their own.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Local,
        name: "local",
        label: "Local memory",
        define: "LOCAL_MEMORY",
        off: 0,
        values: &[
            StageValue { value: 1, name: "", label: "plain", channels: BOTH },
            StageValue { value: 2, name: "skew", label: "skew +1", channels: BOTH },
        ],
        reason: "The work-group loads its tile with a halo once, then reads neighbors from local memory",
        more: "Work-items of a group share most of their neighbors. With a tile in local memory each byte comes from global memory about once; a barrier \
               separates loading from use. Skew adds one to the tile's pitch, so that a column does not fall into one memory bank. The Mali and Adreno \
               guides advise against it for small masks; devices that report local memory as ordinary memory can only lose.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Rows,
        name: "rows",
        label: "Rows per work-item",
        define: "ROWS_PER_ITEM",
        off: 1,
        values: &[
            StageValue { value: 2, name: "2", label: "2", channels: BOTH },
            StageValue { value: 4, name: "4", label: "4", channels: BOTH },
            StageValue { value: 8, name: "8", label: "8", channels: BOTH },
        ],
        reason: "A work-item walks down several rows and keeps the rows it has read in registers",
        more: "Neighboring output rows share two of their three input rows. One row a work-item loads every row three times; R rows load (R + 2) / R times. \
               Fewer work-items, more registers each.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Block,
        name: "block",
        label: "Block of pixels",
        define: "BLOCK_PIXELS",
        off: 1,
        values: &[both(4, "4"), both(8, "8"), both(16, "16")],
        reason: "One work-item computes several neighboring pixels with scalar loads and keeps what they share",
        more: "Neighboring pixels share most of what they read, so a block of 16 reads far fewer bytes a pixel than 16 single ones. The loads stay \
               scalar: what Vectorize adds is wide memory operations. The Adreno guide (9.3) takes this step first for Sobel: 9 loads a pixel become 3.375.",
        rules: &[Rule::Excludes(StageId::Vectorize, "Excludes Vectorize: a block is loaded by scalars or by vectors")],
        build_option: "",
    },
    Stage {
        id: StageId::Image,
        name: "image",
        label: "Image object",
        define: "IMAGE",
        off: 0,
        values: &[
            StageValue { value: 1, name: "", label: "1 pixel", channels: BOTH },
            StageValue { value: 2, name: "rgba", label: "4 pixels", channels: &[Channels::Gray] },
        ],
        reason: "The source is read through a sampler and the texture cache instead of from a buffer",
        more: "A sampler clamps coordinates in hardware, and the texture cache is laid out for neighbors in two dimensions, so columns cost no more than rows. \
               One pixel a texel reads as little as a byte at a time; with four gray pixels packed into a texel of RGBA each read brings four. The Adreno guide \
               (7.1.4) and the Gaussian study prefer images on their devices. Formats are unsigned integers, so results stay exact.",
        rules: &[
            Rule::NeedsAbility(|abilities| abilities.has_images, "This device has no image objects"),
            Rule::Excludes(StageId::Padded, "Excludes Padded source: an image object has its own layout and border"),
            Rule::Excludes(StageId::Merged, "Excludes Merged loads: texels do not overlap"),
        ],
        build_option: "",
    },
    Stage {
        id: StageId::ImageBetween,
        name: "between",
        label: "Image between passes",
        define: "IMAGE_BETWEEN",
        off: 0,
        values: ON,
        reason: "The first pass writes, and the second reads, an image object instead of a buffer",
        more: "A vertical pass reads down columns: rows of a buffer are far apart, texels of an image object are not. The Gaussian study measured 17 ms for its \
               vertical pass from a buffer and 6.4 ms from an image.",
        rules: &[
            Rule::NeedsAbility(|abilities| abilities.has_images, "This device has no image objects"),
            Rule::NeedsOneOf(
                &[(StageId::Separable, 1), (StageId::TwoSteps, 1)],
                "Needs Separable passes or Two steps: a single pass hands nothing over",
            ),
        ],
        build_option: "",
    },
    Stage {
        id: StageId::Separable,
        name: "separable",
        label: "Separable passes",
        define: "SEPARABLE",
        off: 0,
        values: ON,
        reason: "A horizontal and a vertical pass read 2n values a pixel where the whole mask reads n × n",
        more: "A mask that is a column times a row can be applied one direction after the other. That saves arithmetic and loads, and costs an intermediate \
               that is written and read again. Sobel has two masks of 3 × 3 and does it within one kernel: the sums of a column stay in registers and serve \
               the pixels on both sides, which saves arithmetic alone, as in the Adreno guide (9.3.1), where every work-item still loads all it needs.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Walk,
        name: "walk",
        label: "Row walking",
        define: "ROW_WALK",
        off: 0,
        values: ON,
        reason: "One work-item walks a whole row or column and keeps the last inputs in registers",
        more: "Nothing is read twice, but there are only as many work-items as rows or columns: few for a GPU that wants thousands.",
        rules: &[Rule::Needs(StageId::Separable, "Needs Separable passes: only one direction can be walked at a time")],
        build_option: "",
    },
    Stage {
        id: StageId::Running,
        name: "running",
        label: "Running sum",
        define: "RUNNING_SUM",
        off: 0,
        values: ON,
        reason: "The next sum is the last one plus what comes in minus what goes out, whatever the radius",
        more: "Four operations a pixel for any radius. A work-item has to walk a whole row or column for it, so there are few of them.",
        rules: &[Rule::Needs(StageId::Separable, "Needs Separable passes: only one direction can be walked at a time")],
        build_option: "",
    },
    Stage {
        id: StageId::TwoSteps,
        name: "twostep",
        label: "Two steps",
        define: "TWO_STEPS",
        off: 0,
        values: ON,
        reason: "Sums of 2 × 2 first, then sums of these: 4 + 16 reads instead of 64",
        more: "The Adreno guide (9.1.1) shows it for the 8 × 8 box.",
        rules: &[Rule::Excludes(StageId::Separable, "Excludes Separable passes: both split the sum, each in its own way")],
        build_option: "",
    },
    Stage {
        id: StageId::Specialized,
        name: "specialized",
        label: "Radius compiled in",
        define: "SPECIALIZED",
        off: 0,
        values: ON,
        reason: "A kernel for this radius alone: loops have known ends, and divisions become multiplications or shifts",
        more: "The Maleoon notes optimize their box filter for each radius on its own. The price is a build whenever the radius changes.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Mask,
        name: "mask",
        label: "Mask from",
        define: "MASK_FROM",
        off: 0,
        values: &[both(1, "constant"), both(2, "argument")],
        reason: "Coefficients come from constant memory or an argument instead of being literals in the code",
        more: "Guides recommend constant memory for masks (Adreno 7.1.2). Literals are better still where the mask never changes: the compiler sees their values.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Float,
        name: "float",
        label: "Float arithmetic",
        define: "FLOAT",
        off: 0,
        values: &[StageValue { value: 1, name: "", label: "float", channels: BOTH }, both(2, "fma")],
        reason: "Sums in float, as most guides write them; GPUs have their fastest units for it",
        more: "With fma, multiplication and addition are one instruction with one rounding.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Half,
        name: "half",
        label: "Half precision",
        define: "HALF",
        off: 0,
        values: ON,
        reason: "16-bit floating point: half the registers, twice the rate where the device has it",
        more: "Eleven bits of precision: whole numbers are exact up to 2048. The Epsilon study gained nothing from it (×1.0); the Gaussian study lost accuracy and no time.",
        rules: &[Rule::NeedsAbility(|abilities| abilities.has_half, "This device has no half precision (cl_khr_fp16)")],
        build_option: "",
    },
    Stage {
        id: StageId::Unroll,
        name: "unroll",
        label: "Unrolled loops",
        define: "UNROLL",
        off: 0,
        values: ON,
        reason: "The compiler writes loops out: no counters, no jumps, more registers",
        more: "The Adreno guide (8.4) recommends it; many compilers do it on their own.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Native,
        name: "native",
        label: "Native functions",
        define: "NATIVE",
        off: 0,
        values: ON,
        reason: "native_ functions are what the hardware has; standard ones need more instructions for the precision that OpenCL demands",
        more: "native_exp, native_divide and native_recip instead of exp and division. The Adreno guide (8.3) rates standard functions slow and precise, native \
               ones fast and as precise as the vendor likes; the Maleoon notes recommend them wherever the precision will do. Drivers for CPUs often run the same \
               code for both.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Relaxed,
        name: "relaxed",
        label: "Relaxed math",
        define: "RELAXED",
        off: 0,
        values: ON,
        reason: "The compiler may reorder floating-point arithmetic and assume that nothing is infinite or not a number",
        more: "The build option -cl-fast-relaxed-math; the source stays the same. The Adreno guide (8.2, 8.3) rates it between standard and native functions, in \
               speed and in precision. Multiplications and additions may be joined, divisions become multiplications by a reciprocal.",
        rules: &[],
        build_option: "-cl-fast-relaxed-math",
    },
    Stage {
        id: StageId::Table,
        name: "table",
        label: "Lookup table",
        define: "LOOKUP_TABLE",
        off: 0,
        values: ON,
        reason: "Weights are read from a table that the host computed instead of being computed for each neighbor",
        more: "8-bit pictures have few differences, so a small table holds every weight. Memory against arithmetic: which wins depends on the device.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Shift,
        name: "shift",
        label: "Shift and mask",
        define: "SHIFT_INDEX",
        off: 0,
        values: ON,
        reason: "Shifts and masks in index arithmetic instead of integer division and remainder",
        more: "Few GPUs divide integers in hardware: a division by a number that the compiler does not know takes dozens of instructions. The Maleoon notes and \
               the Adreno guide (8.10) avoid it; where the divisor is a power of two, a shift and a mask do the same. What is walked may have to grow to a power of \
               two first.",
        rules: &[],
        build_option: "",
    },
    Stage {
        id: StageId::Access,
        name: "access",
        label: "Access type",
        define: "ACCESS",
        off: 0,
        values: &[both(1, "uchar4"), both(2, "uchar8"), both(3, "uchar16"), both(4, "int4")],
        reason: "Wider loads and stores: fewer memory instructions for the same bytes",
        more: "A scalar byte uses 8 of the bus's 32 bits. The Maleoon notes report that 16 bytes as a vector of chars reach less than the same 16 bytes as four ints.",
        rules: &[Rule::Needs(StageId::Padded, "Needs Padded source: a wide access would run past the row's end")],
        build_option: "",
    },
];

#[cfg(test)]
mod tests {
    use super::STAGES;

    #[test]
    fn the_table_is_in_the_order_of_its_ids() {
        for (index, stage) in STAGES.iter().enumerate() {
            assert_eq!(stage.id as usize, index, "{}", stage.name);
        }
    }

    #[test]
    fn sentences_have_no_full_stop_and_names_are_unique() {
        for stage in &STAGES {
            assert!(!stage.reason.ends_with('.'), "{}", stage.name);
            assert_eq!(STAGES.iter().filter(|other| other.name == stage.name || other.label == stage.label).count(), 1);
        }
    }
}
