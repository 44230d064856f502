//! What a compiler made of a kernel, counted: what records keep of it.

use base::error::{Error, Result};
use base::texts::{misused, text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where an instruction loads from or stores to, in OpenCL's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Space {
    /// Buffers. On x86 every address that is neither the stack's nor a constant's: local memory lies among it.
    Global,
    /// Memory of a work-group.
    Local,
    /// Memory of a work-item: arrays, and registers that were spilled. On x86 the stack.
    Private,
    /// Constants.
    Constant,
    /// The kernel's arguments, where they are loaded by instructions of their own.
    Parameter,
    /// An image object.
    Image,
}

impl Space {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Global, Self::Local, Self::Private, Self::Constant, Self::Parameter, Self::Image];

    /// In records: `global`, `local`, …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Local => "local",
            Self::Private => "private",
            Self::Constant => "constant",
            Self::Parameter => "parameter",
            Self::Image => "image",
        }
    }

    /// Whether its bytes are the kernel's data, and not what the compiler needs for itself.
    #[must_use]
    pub const fn is_data(self) -> bool {
        matches!(self, Self::Global | Self::Local | Self::Image)
    }
}

/// Where to and how wide: `global_128` is an access of 128 bits to buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Width {
    /// Memory space.
    pub space: Space,
    /// Bits that one instruction moves, of all its lanes together.
    pub bits: u32,
}

impl From<Width> for String {
    fn from(width: Width) -> Self {
        format!("{}_{}", width.space.name(), width.bits)
    }
}

impl TryFrom<String> for Width {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let parts = text.split_once('_').and_then(|(name, bits)| {
            let space = Space::ALL.into_iter().find(|space| space.name() == name)?;
            Some(Self { space, bits: bits.parse().ok()? })
        });
        parts.ok_or_else(|| misused("errors.model.width", &[("text", &text)]))
    }
}

/// Instructions by what they do: those of the text, each counted once, however often it runs.
///
/// An instruction that loads or stores beside its arithmetic, as x86 has them, is counted as both; all other counts together are `instructions`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mix {
    /// All of them.
    pub instructions: u32,
    /// Instructions that load, by space and width.
    pub loads: BTreeMap<Width, u32>,
    /// Instructions that store, by space and width.
    pub stores: BTreeMap<Width, u32>,
    /// Arithmetic on vector registers, by the register's bits.
    pub vector_arithmetic: BTreeMap<u32, u32>,
    /// Arithmetic on single values, for addresses and loops, too.
    pub scalar_arithmetic: u32,
    /// What moves lanes within or between vector registers.
    pub shuffles: u32,
    /// From one type of number to another.
    pub conversions: u32,
    /// Divisions, roots, exponentials and other functions that take several times as long as an addition.
    pub special_functions: u32,
    /// Reads of image objects by texture hardware.
    pub texture_reads: u32,
    /// Calls of functions that were not inlined.
    pub calls: u32,
    /// Jumps, conditional or not.
    pub branches: u32,
    /// Waits for the other work-items of a group.
    pub barriers: u32,
    /// Of the arithmetic, multiplications with an addition in one instruction and with one rounding.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fused: u32,
    /// Copies between registers, and plain loads and stores.
    pub moves: u32,
    /// Whatever else there is.
    pub other: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Mix {
    /// Loads from this space, of every width.
    #[must_use]
    pub fn loads_from(&self, space: Space) -> u32 {
        self.loads.iter().filter(|(width, _)| width.space == space).map(|(_, count)| count).sum()
    }

    /// As tables show it: what is counted, and how many; `27x8` is 27 instructions of 8 bits each. Always the same lines in the same order.
    #[must_use]
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let told = |counts: &[(u32, u32)]| match counts {
            [(0, count)] => count.to_string(),
            widths => joined(widths.iter().copied()),
        };
        self.groups().into_iter().map(|(label, counts)| (label, told(&counts))).collect()
    }

    /// What is counted, with the count for each width in bits; the width is 0 where there is none. Always the same groups in the same order.
    #[must_use]
    pub fn groups(&self) -> Vec<(&'static str, Vec<(u32, u32)>)> {
        let widths = |map: &BTreeMap<Width, u32>, space: Space| -> Vec<(u32, u32)> {
            map.iter().filter(|(width, _)| width.space == space).map(|(width, count)| (width.bits, *count)).collect()
        };
        let one = |count: u32| vec![(0, count)];
        vec![
            (text("code.count.instructions"), one(self.instructions)),
            (text("code.count.loads"), widths(&self.loads, Space::Global)),
            (text("code.count.stores"), widths(&self.stores, Space::Global)),
            (text("code.count.loads-local"), widths(&self.loads, Space::Local)),
            (text("code.count.stores-local"), widths(&self.stores, Space::Local)),
            (text("code.count.loads-stack"), widths(&self.loads, Space::Private)),
            (text("code.count.stores-stack"), widths(&self.stores, Space::Private)),
            (text("code.count.loads-constants"), widths(&self.loads, Space::Constant)),
            (text("code.count.loads-arguments"), widths(&self.loads, Space::Parameter)),
            (text("code.count.stores-images"), widths(&self.stores, Space::Image)),
            (text("code.count.texture-reads"), one(self.texture_reads)),
            (text("code.count.vector-arithmetic"), self.vector_arithmetic.iter().map(|(bits, count)| (*bits, *count)).collect()),
            (text("code.count.scalar-arithmetic"), one(self.scalar_arithmetic)),
            (text("code.count.shuffles"), one(self.shuffles)),
            (text("code.count.conversions"), one(self.conversions)),
            (text("code.count.special-functions"), one(self.special_functions)),
            (text("code.count.calls"), one(self.calls)),
            (text("code.count.branches"), one(self.branches)),
            (text("code.count.barriers"), one(self.barriers)),
            (text("code.count.moves"), one(self.moves)),
            (text("code.count.others"), one(self.other)),
        ]
    }

    /// Stores to this space, of every width.
    #[must_use]
    pub fn stores_to(&self, space: Space) -> u32 {
        self.stores.iter().filter(|(width, _)| width.space == space).map(|(_, count)| count).sum()
    }
}

/// "27x8 3x16"; "0" where there is nothing.
fn joined(widths: impl Iterator<Item = (u32, u32)>) -> String {
    let parts: Vec<String> = widths.map(|(bits, count)| format!("{count}x{bits}")).collect();
    if parts.is_empty() { "0".to_owned() } else { parts.join(" ") }
}

/// What the compiler reserved for a kernel, as far as its build log or the driver's binary tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Registers of a work-item.
    pub registers: Option<u32>,
    /// Bytes of registers that are stored to memory for want of room, per work-item.
    pub spill_store_bytes: Option<u32>,
    /// Bytes of such registers that are loaded again.
    pub spill_load_bytes: Option<u32>,
    /// Bytes of private memory, per work-item.
    pub stack_bytes: Option<u32>,
    /// Bytes of local memory, per work-group, without that of `__local` arguments.
    pub local_bytes: Option<u32>,
    /// Work-items that the compiler computes in the lanes of one vector; 1 where it tried and could not.
    pub work_items_per_vector: Option<u32>,
    /// Registers that a sub-group has once: AMD's scalar registers; of Intel's GPUs, whose work-items share them, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_group_registers: Option<u32>,
    /// Of these, how many were spilled: AMD's compiler moves them to registers of work-items first, and not to memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_group_spills: Option<u32>,
    /// Registers of a work-item for sums of matrix instructions, on AMD's GPUs that have them; on MI200 and later they are among `registers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accumulation_registers: Option<u32>,
    /// Work-items of a sub-group, for which the code was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_group: Option<u32>,
    /// Barriers that the hardware keeps for a work-group, where the binary tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barriers: Option<u32>,
    /// Instructions of the kernel's own function, told apart by their lengths: what each does is another matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u32>,
}

/// What a driver's binary holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CodeForm {
    /// Machine code of the host's processor.
    #[serde(rename = "x86-64")]
    X86,
    /// NVIDIA's intermediate language, from which the driver makes machine code.
    #[serde(rename = "PTX")]
    Ptx,
    /// Machine code of AMD's GPUs.
    #[serde(rename = "AMD")]
    Gcn,
    /// Machine code of Intel's GPUs.
    #[serde(rename = "Intel GPU")]
    IntelGpu,
}

impl CodeForm {
    /// As tables show it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::X86 => "x86-64",
            Self::Ptx => "PTX",
            Self::Gcn => "AMD",
            Self::IntelGpu => "Intel GPU",
        }
    }

    /// What runs for each work-item, or for each turn of the loop over them: PTX is one work-item's program, and a processor's kernel a loop over a
    /// work-group.
    #[must_use]
    pub const fn body(self) -> Counted {
        match self {
            Self::X86 => Counted::InnermostLoop,
            Self::Ptx | Self::Gcn | Self::IntelGpu => Counted::Whole,
        }
    }
}

/// A piece of a kernel whose instructions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Counted {
    /// The straight-line code that moves most data.
    HotBlock,
    /// The innermost loop that moves most data.
    InnermostLoop,
    /// All of it.
    Whole,
}

impl Counted {
    /// All, from small to large.
    pub const ALL: [Self; 3] = [Self::HotBlock, Self::InnermostLoop, Self::Whole];

    /// "hot block".
    #[must_use]
    pub fn label(self) -> &'static str {
        text(match self {
            Self::HotBlock => "code.piece.hot-block",
            Self::InnermostLoop => "code.piece.innermost-loop",
            Self::Whole => "code.piece.whole",
        })
    }

    /// Which instructions these are.
    #[must_use]
    pub fn about(self) -> &'static str {
        text(match self {
            Self::HotBlock => "code.piece.hot-block-about",
            Self::InnermostLoop => "code.piece.innermost-loop-about",
            Self::Whole => "code.piece.whole-about",
        })
    }
}

/// A kernel's compiled code in figures, as records keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledKernel {
    /// Name of the `__kernel` function.
    pub kernel: String,
    /// What was read.
    pub form: CodeForm,
    /// The work-group that the code is for ("16x4"); `None` where it serves every one.
    pub group: Option<String>,
    /// SHA-256 of the normalized code, or of the machine code where its instructions were not read, in hexadecimal: where two of one device, driver and
    /// build options are equal, their code is the same.
    pub code_hash: String,
    /// Bytes of machine code, helper functions included.
    pub code_bytes: Option<u64>,
    /// From the build log and the binary.
    pub resources: Resources,
    /// The straight-line code, within a loop where there is one, that moves most data.
    pub hot_block: Option<Mix>,
    /// The innermost loop that moves most data, with the functions that it calls: of vector code with a loop for the remainder, the vector code.
    pub innermost_loop: Option<Mix>,
    /// All of the kernel with the functions that it calls; `None` where its instructions were not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Mix>,
}

impl CompiledKernel {
    /// The counts of a piece; `None` where the kernel has no such piece.
    #[must_use]
    pub const fn mix(&self, counted: Counted) -> Option<&Mix> {
        match counted {
            Counted::HotBlock => self.hot_block.as_ref(),
            Counted::InnermostLoop => self.innermost_loop.as_ref(),
            Counted::Whole => self.whole.as_ref(),
        }
    }

    /// Instructions of the whole kernel: those that were read, or told apart by their lengths alone.
    #[must_use]
    pub fn instructions(&self) -> Option<u32> {
        self.whole.as_ref().map(|whole| whole.instructions).or(self.resources.instructions)
    }

    /// The counts of what runs for each work-item, or for each turn of the loop over them; `None` where its instructions were not read.
    #[must_use]
    pub fn body(&self) -> Option<&Mix> {
        self.mix(self.form.body()).or(self.whole.as_ref())
    }

    /// The counts of the straight-line code that moves most data, or of the body where there is none.
    #[must_use]
    pub fn core(&self) -> Option<&Mix> {
        self.hot_block.as_ref().or_else(|| self.body())
    }

    /// What else is known of the kernel, as tables show it; `None` where it is not known. Always the same lines in the same order.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, Option<String>)> {
        let known = self.resources;
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        vec![
            (text("code.fact.instructions"), number(known.instructions.filter(|_| self.whole.is_none()))),
            (text("code.fact.registers"), number(known.registers)),
            (text("code.fact.accumulation-registers"), number(known.accumulation_registers)),
            (text("code.fact.sub-group-registers"), number(known.sub_group_registers)),
            (text("code.fact.sub-group-spills"), number(known.sub_group_spills)),
            (text("code.fact.spill-stores"), number(known.spill_store_bytes)),
            (text("code.fact.spill-loads"), number(known.spill_load_bytes)),
            (text("code.fact.stack"), number(known.stack_bytes)),
            (text("code.fact.local-memory"), number(known.local_bytes)),
            (text("code.fact.barriers"), number(known.barriers)),
            (text("code.fact.vector"), number(known.work_items_per_vector)),
            (text("code.fact.sub-group"), number(known.sub_group)),
            (text("code.fact.code"), self.code_bytes.map(|bytes| bytes.to_string())),
            (text("code.fact.form"), Some(self.form.label().to_owned())),
            (text("code.fact.group"), Some(self.group.clone().unwrap_or_else(|| text("code.fact.any-group").to_owned()))),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::{Mix, Space, Width};

    #[test]
    fn widths_are_keys_that_read_back() {
        let mut mix = Mix { instructions: 3, ..Mix::default() };
        mix.loads.insert(Width { space: Space::Global, bits: 128 }, 2);
        mix.loads.insert(Width { space: Space::Private, bits: 64 }, 1);
        mix.vector_arithmetic.insert(512, 1);
        let text = serde_json::to_string(&mix).expect("plain data");
        assert!(text.contains(r#""loads":{"global_128":2,"private_64":1}"#), "{text}");
        assert_eq!(serde_json::from_str::<Mix>(&text).expect("reads back"), mix);
        assert_eq!((mix.loads_from(Space::Global), mix.loads_from(Space::Local)), (2, 0));
        for wrong in ["global", "global_", "globe_8", ""] {
            assert!(Width::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
