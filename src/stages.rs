//! The table of optimization stages: the only place that knows what a stage is called, why it exists and when it applies.
//!
//! Adding a stage is one [`StageId`], one row here, and its conditionals in the kernel files that it concerns. Menus, command line,
//! tests and plots read this table.

use crate::image::{BorderMode, Channels};
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
    /// Cannot be on together with another stage; turning this one on turns that one off.
    Excludes(StageId, &'static str),
    /// Needs the filter's sums to fit 16 bits.
    NeedsSumIn16Bits(&'static str),
    /// Does not apply where the test holds for the variant with this stage left out.
    NothingToDo(fn(&Variant, Setting) -> bool, &'static str),
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
    /// When it applies.
    pub rules: &'static [Rule],
}

const BOTH: &[Channels] = &Channels::ALL;

/// All stages, in the order of a variant's name.
pub static STAGES: [Stage; 8] = [
    Stage {
        id: StageId::Coalesced,
        name: "coalesced",
        label: "Coalesced mapping",
        define: "COALESCED",
        off: 0,
        values: &[StageValue { value: 1, name: "", label: "on", channels: BOTH }],
        reason: "Neighboring work-items read neighboring bytes, so one memory transaction serves many of them",
        more: "Off, dimension 0 counts rows, as in the Mali-T600 study: neighboring work-items are a whole row apart. On, dimension 0 walks along a row. \
               GPUs that run work-items in lockstep join the accesses of neighbors into few wide transactions; on a CPU driver it decides how caches and \
               prefetchers see the picture.",
        rules: &[],
    },
    Stage {
        id: StageId::Padded,
        name: "padded",
        label: "Padded source",
        define: "PADDED",
        off: 0,
        values: &[StageValue { value: 1, name: "", label: "on", channels: BOTH }],
        reason: "A halo in the buffer replaces border tests in the kernel and makes wide loads safe",
        more: "Off, every work-item finds its neighbors by testing for the border. On, the host lays the picture into a buffer whose rows are a multiple of \
               128 bytes apart, with a halo filled by the border mode and slack on the right, so that the last wide load stays inside. The Bifrost and \
               Adreno guides (8.6) both list padding as a way to take border handling out of the kernel; the copy on the host is counted in the round trip.",
        rules: &[],
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
        rules: &[Rule::Needs(StageId::Padded, "Needs Padded source: a wide load would run past the row's end")],
    },
    Stage {
        id: StageId::Merged,
        name: "merged",
        label: "Merged loads",
        define: "MERGED_LOADS",
        off: 0,
        values: &[StageValue { value: 1, name: "", label: "on", channels: BOTH }],
        reason: "Two overlapping loads a row instead of three; the middle vector is put together from both",
        more: "Left, middle and right neighbors are three loads that overlap in all but two pixels. The middle one can be put together from the other two by \
               a swizzle. The Mali-T600 study measured ×4.2 at 2560 × 1600 where vectorizing alone gave ×1.3; both guides recommend it.",
        rules: &[Rule::Needs(StageId::Vectorize, "Needs Vectorize: a scalar work-item has no vectors to put together")],
    },
    Stage {
        id: StageId::Short16,
        name: "short16",
        label: "short16",
        define: "SHORT16",
        off: 0,
        values: &[StageValue { value: 1, name: "", label: "on", channels: BOTH }],
        reason: "16-bit accumulators take half the registers of 32-bit ones and twice the lanes an instruction",
        more: "The sums of this filter fit 16 bits, so int vectors waste half of every register. The Mali-T600 study reports a larger allowed work-group and \
               up to ×8.1 over its original. Fewer registers do not help where registers are not the limit.",
        rules: &[
            Rule::Needs(StageId::Vectorize, "Needs Vectorize: a scalar short is promoted to int"),
            Rule::NeedsSumIn16Bits("The sums of this filter do not fit 16 bits"),
        ],
    },
    Stage {
        id: StageId::Select,
        name: "select",
        label: "Branchless select",
        define: "BRANCHLESS",
        off: 0,
        values: &[StageValue { value: 1, name: "", label: "on", channels: BOTH }],
        reason: "Select, clamp and masks instead of branches keep work-items in lockstep",
        more: "Off, border and saturation are if and else. On, both sides are computed and one is selected, so work-items never part ways. The Adreno guide \
               (8.5) recommends it; its Epsilon study gained ×5.4 over ×3.4. Compilers often do the same on their own.",
        rules: &[Rule::NothingToDo(
            |variant, setting| variant.is_on(StageId::Padded) && variant.is_on(StageId::Vectorize) && setting.border != BorderMode::Copy,
            "No branch is left: the halo answers the border and vectors saturate in their conversion",
        )],
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
