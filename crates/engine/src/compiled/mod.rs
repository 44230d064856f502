//! What a compiler made of a kernel, read from the binary that its driver hands out: instructions counted, and two kernels compared.
//!
//! | file | holds |
//! |---|---|
//! | `container` | the driver's binary: where the code lies in it |
//! | `elf`, `x86`, `x86_classes`, `x86_registers` | x86-64 machine code of PoCL and of Intel's CPU runtime |
//! | `ptx`, `ptx_text` | NVIDIA's PTX |
//! | `gcn` | AMD's machine code as text |
//! | `amd`, `gcn_lengths`, `msgpack` | AMD's code objects: their notes, and instructions by a disassembler or by length |
//! | `zebin` | code of Intel's GPUs: what the compiler reserved, and instructions by length |
//! | `offline` | code for GPUs that are not here, by clang and ptxas |
//! | `tools` | programs of others that are installed |
//! | `code` | the one model that all are read into: functions, instructions, blocks, loops |
//! | `mix` | instructions counted, in the piece that matters |
//! | `same` | whether two kernels are the same instructions |
//! | `build_log` | registers, spills and vectors, from build logs |
//! | `listing` | the code as text |
//!
//! Mali's and Adreno's drivers hand out binaries in forms of their own that are not published: of these nothing is known but what the driver answers to queries.
//!
//! Counts are facts of a listing, each instruction once; no time follows from them.

mod amd;
mod build_log;
mod code;
mod container;
mod elf;
mod gcn;
mod gcn_lengths;
mod listing;
mod mix;
mod msgpack;
pub mod offline;
mod ptx;
mod ptx_text;
mod same;
#[cfg(test)]
mod tests;
mod tools;
mod x86;
mod x86_classes;
mod x86_registers;
mod zebin;

pub use code::{Access, AccessKind, Callee, Class, Code, Flow, Function, Instruction, Loop};
pub use listing::{LineCount, LineKind, ListingLine, numbered, renumbering};
pub use mix::Piece;
pub use same::Sameness;

use base::hash::hexadecimal;
use base::texts::{Words, filled, joined, spoken, text};
use container::Contents;
use model::{CodeForm, CompiledKernel, Mix, Resources};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// A variant's kernels as compiled for one device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Compiled {
    /// By whom and for what.
    pub origin: Origin,
    /// The source without comments and blanks.
    pub bare_source: Arc<str>,
    /// The source that was built, where instructions have lines of it.
    #[serde(default)]
    pub source: Option<Arc<str>>,
    /// The kernels' NDRanges and arguments and how pictures lie, as one text: equal where the launches are.
    pub launch: String,
    /// In the order they run.
    pub kernels: Vec<Kernel>,
    /// What the driver handed out, for other tools; empty where it hands out nothing.
    #[serde(with = "as_bytes")]
    pub binary: Arc<[u8]>,
    /// The build log, in the driver's words; often empty.
    pub log: String,
}

/// Bytes as such in a message, where serde's own way is a list of numbers.
mod as_bytes {
    use serde::{Deserialize as _, Deserializer, Serializer};
    use serde_bytes::ByteBuf;
    use std::sync::Arc;

    pub fn serialize<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        ByteBuf::deserialize(deserializer).map(|bytes| bytes.into_vec().into())
    }
}

/// Which compiler made code, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Device.
    pub device: String,
    /// Platform and driver version.
    pub driver: String,
    /// Build options, separated by blanks; often empty.
    pub options: String,
    /// Local work size passed to the driver, one to three sides; `None`: the driver chose.
    pub local: Option<Vec<usize>>,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let options = if self.options.is_empty() { text("code.no-options") } else { self.options.as_str() };
        let parts = [self.device.clone(), self.driver.clone(), options.to_owned(), self.local_text()];
        formatter.write_str(&joined("words.list.items", parts))
    }
}

impl Origin {
    /// "local size 16x4".
    #[must_use]
    pub fn local_text(&self) -> String {
        let Some(local) = &self.local else { return text("code.drivers-local").to_owned() };
        filled("code.local", &[("size", &local.iter().map(usize::to_string).collect::<Vec<_>>().join("x"))])
    }
}

/// A kernel as compiled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// Name of the `__kernel` function.
    pub name: String,
    /// Its code, or a clause that says why it could not be had.
    pub code: Result<KernelCode, String>,
    /// The same code with the line of the source of each instruction, where that was asked for and can be had; of a copy in which they are known where they are not in
    /// the one that runs.
    #[serde(default)]
    pub lined: Option<KernelCode>,
    /// What is known of the code all the same, where it could not be had.
    #[serde(default)]
    pub unread: Option<Unread>,
    /// From the build log and the binary.
    pub resources: Resources,
    /// What the driver answers to queries about the kernel.
    pub queried: Queried,
}

impl Kernel {
    /// In figures; `None` where its code could not be had, and nothing is known of it.
    #[must_use]
    pub fn summary(&self) -> Option<CompiledKernel> {
        let Ok(own) = &self.code else {
            let unread = self.unread.as_ref()?;
            return Some(CompiledKernel {
                kernel: self.name.clone(),
                form: unread.form,
                group: None,
                code_hash: unread.code_hash.clone(),
                code_bytes: Some(unread.code_bytes),
                resources: self.resources,
                hot_block: None,
                innermost_loop: None,
                whole: None,
            });
        };
        let (hot_block, innermost_loop, whole) = own.mixes();
        Some(CompiledKernel {
            kernel: self.name.clone(),
            form: own.code.form,
            group: own.code.group.map(group_text),
            code_hash: same::hash(&own.normal),
            code_bytes: own.code.code_bytes(),
            resources: self.resources,
            hot_block,
            innermost_loop,
            whole: Some(whole),
        })
    }
}

/// What is known of machine code whose instructions are not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// Of which kind it is.
    pub form: CodeForm,
    /// Bytes of the kernel's own code.
    pub code_bytes: u64,
    /// SHA-256 of these, and of the file's constants, in hexadecimal.
    pub code_hash: String,
}

impl Unread {
    fn of(form: CodeForm, code: &[u8], object: &elf::Object<'_>) -> Self {
        let mut hash = Sha256::new();
        hash.update(code);
        hash.update(object.constants());
        Self { form, code_bytes: code.len() as u64, code_hash: hexadecimal(&hash.finalize()) }
    }
}

/// What `clGetKernelWorkGroupInfo` says of a kernel. Not every driver says the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queried {
    /// Private memory of a work-item.
    pub private_bytes: u64,
    /// Local memory of a work-group.
    pub local_bytes: u64,
    /// Most work-items in a group.
    pub max_work_group_size: usize,
    /// The local size should be a multiple of this.
    pub preferred_multiple: usize,
}

/// Code with what is derived from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KernelCode {
    /// The instructions.
    pub code: Code,
    /// Normalized instructions, see [`Sameness`].
    pub normal: Vec<String>,
    /// The straight-line block that moves most data, within a loop or called function where there is one.
    pub hot_block: Option<Piece>,
    /// The innermost loop that moves most data, without a loop for the remainder.
    pub innermost_loop: Option<Piece>,
}

impl KernelCode {
    fn new(code: Code) -> Self {
        let (normal, hot_block, innermost_loop) = (same::lines(&code), mix::hot_block(&code), mix::innermost_loop(&code));
        Self { code, normal, hot_block, innermost_loop }
    }

    /// Whether any instruction that the kernel reaches has a line of the source.
    #[must_use]
    pub fn has_lines(&self) -> bool {
        let reached = self.code.closure().into_iter().filter_map(|index| self.code.functions.get(index));
        reached.flat_map(|function| &function.instructions).any(|instruction| instruction.line.is_some())
    }

    /// The normalized instructions, a line each.
    #[must_use]
    pub fn normal_text(&self) -> String {
        self.normal.join("\n") + "\n"
    }

    /// Counts of the hot block, of the innermost loop with the functions it calls, and of everything.
    #[must_use]
    pub fn mixes(&self) -> (Option<Mix>, Option<Mix>, Mix) {
        let of = |piece: &Option<Piece>, with_callees| piece.as_ref().map(|piece| mix::of_piece(&self.code, piece, with_callees));
        (of(&self.hot_block, false), of(&self.innermost_loop, true), mix::whole(&self.code))
    }
}

impl Compiled {
    /// In figures, for records; of the kernels whose code could be had.
    #[must_use]
    pub fn summary(&self) -> Vec<CompiledKernel> {
        self.kernels.iter().filter_map(Kernel::summary).collect()
    }

    /// Compares with another variant's.
    #[must_use]
    pub fn compared_with(&self, other: &Self) -> CodeComparison {
        let same_driver = (&self.origin.device, &self.origin.driver) == (&other.origin.device, &other.origin.driver);
        let is_same_text = same_driver && self.origin.options == other.origin.options && self.bare_source == other.bare_source;
        let sameness = if same_driver { self.sameness(other) } else { Err(Words::text("code.reason.other-drivers")) };
        CodeComparison {
            is_same_text,
            is_same_local: self.origin.local == other.origin.local,
            is_same_launch: self.launch == other.launch && self.origin.local == other.origin.local,
            sameness,
            origins: [Words::of(&self.origin), Words::of(&other.origin)],
        }
    }

    fn sameness(&self, other: &Self) -> Result<Sameness, Words> {
        let mut pairs = self.kernels.iter().zip(&other.kernels).map(|(first, second)| {
            let hashes = [first, second].map(|kernel| kernel.unread.as_ref().map(|unread| unread.code_hash.as_str()));
            // The same bytes are the same code. Others may be the same with other registers.
            if let [Some(one), Some(another)] = hashes
                && one == another
            {
                return Ok(Sameness::Same);
            }
            let (first, second) = (
                first.code.as_ref().map_err(|why| Words::from(why.as_str()))?,
                second.code.as_ref().map_err(|why| Words::from(why.as_str()))?,
            );
            if first.code.form == CodeForm::Ptx && !has_like_options(self, other) {
                return Err(Words::text("code.reason.other-options"));
            }
            if first.code.group != second.code.group {
                return Err(Words::text("code.reason.other-groups"));
            }
            Ok(Sameness::of(&first.normal, &second.normal))
        });
        let start = if self.kernels.len() == other.kernels.len() { Sameness::Same } else { Sameness::Different };
        pairs.try_fold(start, |all, next: Result<Sameness, Words>| Ok(all.and(next?)))
    }
}

/// Whether both were built alike: what the preprocessor is told shows in the code itself.
fn has_like_options(one: &Compiled, other: &Compiled) -> bool {
    let others = |compiled: &Compiled| {
        let mut words = compiled.origin.options.split_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter();
        let mut kept = Vec::new();
        while let Some(word) = words.next() {
            match word.strip_prefix("-D") {
                // The name stands apart.
                Some("") => drop(words.next()),
                Some(_) => {}
                None => kept.push(word),
            }
        }
        kept
    };
    others(one) == others(other)
}

impl Compiled {
    /// What a process that speaks in keys says of it, in the language that is spoken here.
    #[must_use]
    pub fn heard(self) -> Self {
        let heard = |kernel: Kernel| Kernel { code: kernel.code.map_err(|why| spoken(&why)), ..kernel };
        Self { kernels: self.kernels.into_iter().map(heard).collect(), ..self }
    }
}

/// What comparing the code of two variants says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeComparison {
    /// Their sources differ in comments and blanks alone, and are built alike: there is nothing to compare.
    pub is_same_text: bool,
    /// The same local work size was passed to the driver.
    pub is_same_local: bool,
    /// The kernels run over the same NDRanges with the same arguments, and their pictures lie alike in memory.
    pub is_same_launch: bool,
    /// The verdict, or a clause that says why there is none.
    pub sameness: Result<Sameness, Words>,
    /// Compiler, options and local size of each.
    pub origins: [Words; 2],
}

impl CodeComparison {
    /// Whether the device is given the same program for both.
    #[must_use]
    pub fn is_same_code(&self) -> bool {
        self.is_same_text || self.sameness == Ok(Sameness::Same)
    }

    /// Whether the device does the same for both: whatever a stopwatch says then is its noise.
    #[must_use]
    pub fn is_same_work(&self) -> bool {
        self.is_same_code() && self.is_same_launch
    }

    /// A verdict, and where the code is the same whether it is launched differently.
    #[must_use]
    pub fn with_launch(&self, verdict: String) -> String {
        let launched = (self.is_same_code() && !self.is_same_launch).then(|| text("code.launched-differently").to_owned());
        joined("words.list.items", std::iter::once(verdict).chain(launched))
    }

    /// "no effect here: same source", "same code", "different code"; "no code comparison" where there is no verdict.
    #[must_use]
    pub fn label(&self) -> String {
        let verdict = match &self.sameness {
            // Another local size is something to do.
            _ if self.is_same_text && self.is_same_local => text("code.compared.nothing-to-do").to_owned(),
            _ if self.is_same_text => text("code.compared.same-source").to_owned(),
            Ok(sameness) => sameness.label(),
            Err(_) => return text("code.compared.unknown").to_owned(),
        };
        self.with_launch(verdict)
    }
}

/// What a driver's binary holds of a kernel.
///
/// `local` is the local size that was passed to the driver, `global` the work-items launched: PoCL's binary has a file for each work-group.
///
/// # Errors
/// A clause that says why there is no code.
pub fn read(binary: &[u8], kernel: &str, local: Option<&[usize]>, global: &[usize]) -> Result<KernelCode, String> {
    read_function(binary, kernel, &|kernel| format!("_pocl_kernel_{kernel}_workgroup"), local, global)
}

/// The same code with the line of the source of each instruction, where the compiler noted them; `None` where it did not.
///
/// PoCL's compiler notes them in the function of the kernel alone, and not in the copy of it that unpacks the arguments first, which is the one that runs.
#[must_use]
pub fn read_lined(binary: &[u8], kernel: &str, local: Option<&[usize]>, global: &[usize]) -> Option<KernelCode> {
    let own = |kernel: &str| format!("_pocl_kernel_{kernel}");
    let code = || [read(binary, kernel, local, global), read_function(binary, kernel, &own, local, global)];
    code().into_iter().flatten().find(KernelCode::has_lines)
}

/// `pocl` names the function in PoCL's files.
fn read_function(
    binary: &[u8],
    kernel: &str,
    pocl: &dyn Fn(&str) -> String,
    local: Option<&[usize]>,
    global: &[usize],
) -> Result<KernelCode, String> {
    let code = match container::open(binary) {
        Contents::Nothing(why) => Err(why.to_owned()),
        Contents::Ptx(text) => ptx::read(text, kernel),
        Contents::Object(elf) => x86::read(elf, kernel, None),
        Contents::Amd(elf) => amd::read(elf, kernel),
        Contents::IntelGpu(elf) => Err(zebin::why_not(elf, kernel)),
        Contents::SharedObjects(files) => {
            let own: Vec<_> = files.into_iter().filter(|file| file.kernel == kernel).collect();
            let groups: Vec<_> = own.iter().map(|file| file.group).collect();
            let file = chosen(&groups, local, global).and_then(|chosen| own.iter().find(|file| file.group == chosen));
            let file = file.ok_or_else(|| text("code.reason.not-for-local"))?;
            let group = Some(file.group).filter(|group| *group != [0; 3]);
            x86::read(file.bytes, &pocl(kernel), group)
        }
    };
    code.map(KernelCode::new)
}

/// The work-group among those compiled that runs: the one asked for, else the one for all sizes. Where the driver chose, it is not told which; it takes
/// a large one that divides the NDRange.
fn chosen(groups: &[[usize; 3]], local: Option<&[usize]>, global: &[usize]) -> Option<[usize; 3]> {
    let any = groups.iter().find(|group| **group == [0; 3]);
    let all = |sides: &[usize]| [0, 1, 2].map(|dimension| sides.get(dimension).copied().unwrap_or(1));
    let fits = |group: &&[usize; 3]| match local {
        Some(local) => **group == all(local),
        None => all(global).iter().zip(*group).all(|(global, side)| *side > 0 && global.is_multiple_of(*side)),
    };
    groups.iter().filter(fits).max_by_key(|group| group.iter().product::<usize>()).or(any).copied()
}

/// From the binary where it says something, or else from the build log.
#[must_use]
pub fn resources(binary: &[u8], log: &str, kernel: &str) -> Resources {
    let of_binary = match container::open(binary) {
        Contents::Amd(elf) => amd::resources(elf, kernel),
        Contents::IntelGpu(elf) => zebin::resources(elf, kernel),
        _ => None,
    };
    of_binary.unwrap_or_else(|| build_log::resources(log, kernel))
}

/// What is known of a kernel whose code could not be had; `None` where that is nothing.
#[must_use]
pub fn unread(binary: &[u8], kernel: &str) -> Option<Unread> {
    match container::open(binary) {
        Contents::Amd(elf) => amd::unread(elf, kernel),
        Contents::IntelGpu(elf) => zebin::unread(elf, kernel),
        _ => None,
    }
}

/// "16x4".
#[must_use]
pub fn group_text([x, y, _]: [usize; 3]) -> String {
    format!("{x}x{y}")
}
