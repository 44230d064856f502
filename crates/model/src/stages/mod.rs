//! The stages: what each is called, and what it changes in what a work-item computes. When it applies is a matter of rules, see
//! `kernels::filters::Rule`.
//!
//! The crate's page says how to add one. Menus, command line, tests and plots read the table.

mod own;
mod ownership;
mod table;

pub use own::{OwnStage, bring, reserve};
pub use ownership::{Ownership, Owns};
pub use table::{STAGES, values};

use super::Channels;
use base::texts;

/// Declares the ids of the stages that filters share, in the order of their table.
macro_rules! shared_stages {
    ($($(#[$about:meta])* $id:ident,)*) => {
        #[expect(non_upper_case_globals, reason = "they are read as the names of one type's values")]
        impl StageId {
            $($(#[$about])* pub const $id: Self = Self(Shared::$id as u8);)*
        }

        #[derive(Clone, Copy)]
        enum Shared {
            $($id,)*
        }
    };
}

/// One switch. The order is the order of a variant's name and of the window's list: those that filters share, then those that filters of a person's own brought.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StageId(u8);

shared_stages! {
    /// Dimension 0 runs along a row instead of down the rows.
    Coalesced,
    /// The source lies in a buffer with a halo instead of being tested at its border.
    Padded,
    /// Several pixels per work-item, by vector loads and stores.
    Vectorize,
    /// Two loads per row instead of three; the middle vector is put together from both.
    Merged,
    /// 16-bit accumulators instead of 32-bit ones.
    Short16,
    /// `select` and `clamp` instead of branches.
    Select,
    /// A work-group tile in local memory.
    Local,
    /// Several output rows per work-item.
    Rows,
    /// Several pixels per work-item by scalar loads.
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
    /// 24-bit multiplication in index arithmetic.
    Mul24,
    /// The type of loads and stores.
    Access,
    /// Sums in 16-bit lanes of 32-bit words.
    Lanes,
    /// Four products of bytes added by one instruction.
    Dot,
    /// Where occurrences are counted.
    Counters,
    /// How a work-group adds what its work-items have.
    Reduce,
    /// How running sums of a row are computed.
    Scan,
    /// Where the table of a tone curve lies.
    Lut,
    /// Costly pixels are collected in a list before they are computed.
    Compact,
    /// Steps of a pipeline in one kernel.
    Fused,
    /// The type of what steps hand to each other.
    Store,
    /// A work-item computes 2 × 2 pixels.
    Quads,
    /// Columns are cut into bands of rows.
    Bands,
    /// A multiplication by a reciprocal instead of a division.
    Reciprocal,
    /// Who fills a tile, and how.
    Fill,
    /// The type of index arithmetic.
    Index,
    /// The compiler is told the work-group's size.
    WorkGroup,
    /// A block is transposed before it goes to local memory.
    Transpose,
    /// How the value in the middle is found.
    Rank,
    /// Pixels that lack a neighbor have a pass of their own.
    Edge,
    /// What becomes of the bytes after a row's last whole piece.
    Tail,
    /// Which accesses begin at odd addresses.
    Unaligned,
}

impl StageId {
    /// How many stages there can be at once.
    pub const CAPACITY: usize = 60;

    /// The last one that there can be.
    pub const LAST: Self = Self(Self::CAPACITY as u8 - 1);

    /// Its place among all stages.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The stage's row.
    #[must_use]
    pub fn stage(self) -> &'static Stage {
        // `STAGES` has one row per id, in order: `the_table_is_in_the_order_of_its_ids` holds it to that. Ids of others come from where their rows are kept.
        STAGES.get(self.index()).or_else(|| own::row(self.index() - STAGES.len())).unwrap_or(&STAGES[0])
    }
}

impl std::fmt::Debug for StageId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.stage().name)
    }
}

/// Every stage: those that filters share, then those that filters of a person's own brought.
pub fn stages() -> impl Iterator<Item = &'static Stage> + Clone {
    STAGES.iter().chain(own::rows())
}

/// One value that a stage can take when it is on.
#[derive(Debug)]
pub struct StageValue {
    /// The number that kernel files see.
    pub value: u8,
    /// As in `vectorize=4` or `local=skew`; empty where the stage's own name says it all.
    pub name: &'static str,
    /// As the window shows it, or what the text that it shows goes by under `stages.value`.
    pub(super) word: &'static str,
    /// The channels it exists for.
    pub channels: &'static [Channels],
}

impl StageValue {
    /// As the window shows it.
    #[must_use]
    pub fn label(&self) -> &'static str {
        texts::find(&self.key()).unwrap_or(self.word)
    }

    /// Where the text of the value is, if it has one.
    #[must_use]
    pub fn key(&self) -> String {
        format!("stages.value.{}", self.word)
    }
}

/// Stages that are alternatives for one thing: at most one of a group can be on, except where one needs the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What the source lies in.
    Source,
    /// Which pixels a work-item computes, and how it goes about them.
    Ownership,
    /// The number type of the arithmetic.
    Arithmetic,
    /// How a mask is split.
    Split,
    /// How weights are computed.
    Weights,
}

impl Group {
    /// What the stages of the group decide between them, after "both decide".
    #[must_use]
    pub fn decides(self) -> &'static str {
        texts::text(match self {
            Self::Source => "rules.decides.source",
            Self::Ownership => "rules.decides.ownership",
            Self::Arithmetic => "rules.decides.arithmetic",
            Self::Split => "rules.decides.split",
            Self::Weights => "rules.decides.weights",
        })
    }
}

/// One row of the table. Its texts are in `assets/texts/LANGUAGE/stages.toml`, see also `kernels::filters::Offer`.
pub struct Stage {
    /// The switch.
    pub id: StageId,
    /// As in a variant's name.
    pub name: &'static str,
    /// The name that kernel files test.
    pub define: &'static str,
    /// The value of `define` when the stage is off.
    pub off: u8,
    /// The values when on; the first that exists for the channels is what the switch turns on.
    pub values: &'static [StageValue],
    /// What it is an alternative to.
    pub group: Option<Group>,
    /// What it changes in what a work-item owns.
    pub owns: Owns,
    /// What the compiler is told when it is on; empty for most.
    pub build_option: &'static str,
}

impl Stage {
    /// As in the window: the accessible name of its control.
    #[must_use]
    pub fn label(&self) -> &'static str {
        // A test holds every stage to have one.
        texts::find(&format!("stages.{}.label", self.name)).unwrap_or_default()
    }

    /// The row of one of its values; `None` where it is off.
    #[must_use]
    pub fn value(&self, value: u8) -> Option<&'static StageValue> {
        self.values.iter().find(|known| known.value == value)
    }
}
