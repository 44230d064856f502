//! AMD's machine code, as clang writes it as text: split into functions, classified, normalized, with what its notes say of registers and memory.
//!
//! A vector instruction (`v_…`) computes for each work-item of a wavefront, a scalar one (`s_…`) once for all of them. Counts are per work-item: a vector
//! instruction works on one value, or on two where it packs them.

use super::code::{Access, AccessKind, Callee, Class, Code, Flow, Function, Instruction, Numbers, with_words};
use base::hash::sha256;
use base::texts::filled;
use model::{CodeForm, Resources, Space};
use std::collections::HashMap;

/// Bytes of a register of a work-item.
const REGISTER_BYTES: u32 = 4;

/// Reads the kernel of that name, with all functions of the text.
///
/// # Errors
/// A clause: the text has no such kernel.
pub fn read(text: &str, kernel: &str) -> Result<Code, String> {
    let bodies = bodies(text);
    let names: HashMap<&str, usize> = bodies.iter().enumerate().rev().map(|(index, body)| (body.name, index)).collect();
    let Some(root) = names.get(kernel).copied() else {
        return Err(filled("code.reason.no-amd-kernel", &[("name", &kernel)]));
    };
    let functions = bodies.iter().map(|body| read_function(body, &names)).collect::<Result<_, _>>()?;
    let function_bytes = bodies.iter().filter_map(|body| body.bytes).collect::<Vec<_>>();
    let function_bytes = if function_bytes.len() == bodies.len() { function_bytes } else { Vec::new() };
    Ok(Code { form: CodeForm::Gcn, group: None, functions, root, constants: sha256(constants(text)), function_bytes })
}

/// What the notes at the end of the text say of a kernel: `.vgpr_count: 141` and so on, one entry for each kernel.
pub fn resources(text: &str, kernel: &str) -> Resources {
    let notes = text.split_once(".amdgpu_metadata").map_or("", |(_, notes)| notes);
    let (mut is_own, mut entry) = (false, Resources::default());
    // A kernel's entry begins with a dash at this depth, those of its arguments deeper.
    for line in notes.lines() {
        if line.starts_with("  - ") {
            if is_own {
                return entry;
            }
            entry = Resources::default();
        }
        let Some((key, value)) = line.trim_start_matches([' ', '-']).split_once(':') else { continue };
        let number = || value.trim().parse::<u32>().ok();
        let is_of_kernel = line.starts_with("    .") || line.starts_with("  - .");
        match key {
            ".name" if is_of_kernel => is_own = value.trim() == kernel,
            _ => note(&mut entry, key, number()),
        }
    }
    if is_own { entry } else { Resources::default() }
}

/// What one entry of the notes says, as text or as `MessagePack`. Their keys: LLVM's "User Guide for AMDGPU Backend", "Code Object V3 Metadata".
pub(super) fn note(entry: &mut Resources, key: &str, number: Option<u32>) {
    match key {
        ".vgpr_count" => entry.registers = number,
        ".agpr_count" => entry.accumulation_registers = number,
        ".sgpr_count" => entry.sub_group_registers = number,
        ".sgpr_spill_count" => entry.sub_group_spills = number,
        ".vgpr_spill_count" => {
            entry.spill_store_bytes = number.map(|count| REGISTER_BYTES.saturating_mul(count));
            entry.spill_load_bytes = entry.spill_store_bytes;
        }
        ".private_segment_fixed_size" => entry.stack_bytes = number,
        ".group_segment_fixed_size" => entry.local_bytes = number,
        ".wavefront_size" => entry.sub_group = number,
        _ => {}
    }
}

/// How many wavefronts a SIMD unit can hold of a kernel: `; Occupancy: 7` behind its function.
pub fn wavefronts(text: &str, kernel: &str) -> Option<u32> {
    let (_, own) = text.split_once(&format!("\n{kernel}:"))?;
    let own = own.split("-- Begin").next()?;
    let (_, behind) = own.split_once("; Occupancy: ")?;
    behind.split_whitespace().next()?.parse().ok()
}

/// A function's text.
struct Body<'a> {
    name: &'a str,
    lines: Vec<&'a str>,
    bytes: Option<u64>,
}

fn bodies(text: &str) -> Vec<Body<'_>> {
    let mut found: Vec<Body<'_>> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if line.starts_with(".Lfunc_end") {
            is_open = false;
        } else if let Some(bytes) = line.strip_prefix("; codeLenInByte = ") {
            if let Some(last) = found.last_mut() {
                last.bytes = bytes.trim().parse().ok();
            }
        } else if let Some((name, comment)) = line.split_once(':')
            && comment.trim_start().starts_with("; @")
            && !name.starts_with(['.', ' ', '\t'])
        {
            found.push(Body { name, lines: Vec::new(), bytes: None });
            is_open = true;
        } else if is_open && let Some(last) = found.last_mut() {
            last.lines.push(line);
        }
    }
    found
}

/// Lines of data, which code reads by address.
fn constants(text: &str) -> String {
    let is_data = |line: &&str| {
        let line = line.trim_start();
        [".long", ".short", ".byte", ".quad", ".ascii"].iter().any(|kind| line.starts_with(kind))
    };
    text.lines().filter(is_data).map(str::trim).collect::<Vec<_>>().join(";")
}

fn read_function(body: &Body<'_>, names: &HashMap<&str, usize>) -> Result<Function, String> {
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut statements: Vec<&str> = Vec::new();
    for line in &body.lines {
        let code = line.split(';').next().unwrap_or_default();
        if let Some(label) = code.trim_end().strip_suffix(':') {
            labels.insert(label, statements.len());
        } else if code.starts_with('\t') && code.trim_start().starts_with(|letter: char| letter.is_ascii_lowercase()) {
            statements.push(code.trim());
        }
    }
    let mut renamed = Renamed::default();
    // The address of a function is made of two halves before it is called.
    let mut named = None;
    let instructions = statements
        .into_iter()
        .map(|text| {
            let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            if let Some((symbol, _)) = operands.split_once("@rel32@lo").or_else(|| operands.split_once("@gotpcrel32@lo")) {
                named = symbol.rsplit([' ', ',']).next();
            }
            let callee = (opcode == "s_swappc_b64").then(|| match named.take() {
                None => Callee::Unknown,
                Some(symbol) => names.get(symbol).map_or_else(|| Callee::Outside(symbol.to_owned()), |index| Callee::Inside(*index)),
            });
            instruction(opcode, operands.trim(), &labels, callee, &mut renamed)
        })
        .collect();
    Function::new(body.name.to_owned(), String::new(), instructions)
}

fn instruction(opcode: &str, operands: &str, labels: &HashMap<&str, usize>, callee: Option<Callee>, renamed: &mut Renamed) -> Instruction {
    let is_jump = opcode.starts_with("s_branch") || opcode.starts_with("s_cbranch");
    let target = labels.get(operands).copied();
    let flow = match opcode {
        "s_branch" => Flow::Jump(target),
        "s_setpc_b64" | "s_endpgm" => Flow::End,
        _ if is_jump => Flow::Branch(target),
        _ => Flow::Next,
    };
    let text = if is_jump || operands.is_empty() { opcode.to_owned() } else { format!("{opcode} {operands}") };
    let lanes = if opcode.starts_with("v_pk_") { 2 } else { 1 };
    Instruction {
        normal: renamed.text(&text),
        class: class_of(opcode),
        accesses: access(opcode, operands).into_iter().collect(),
        vector_bits: if lanes == 2 { 32 } else { 0 },
        lanes,
        flow,
        callee,
        text,
        line: None,
    }
}

fn class_of(opcode: &str) -> Class {
    const SPECIAL: [&str; 8] = ["v_rcp", "v_rsq", "v_sqrt", "v_exp", "v_log", "v_sin", "v_cos", "v_div"];
    const SHUFFLES: [&str; 8] =
        ["v_perm", "v_readlane", "v_readfirstlane", "v_writelane", "v_alignb", "ds_swizzle", "ds_permute", "ds_bpermute"];
    const MEMORY: [&str; 7] = ["global_", "flat_", "scratch_", "buffer_", "ds_", "s_load", "s_buffer_load"];
    const MOVES: [&str; 6] = ["v_mov", "v_cndmask", "s_mov", "s_cmov", "s_cselect", "v_swap"];
    let is = |names: &[&str]| names.iter().any(|name| opcode.starts_with(name));
    match opcode {
        "s_swappc_b64" => Class::Call,
        "s_barrier" => Class::Barrier,
        _ if opcode.starts_with("s_branch") || opcode.starts_with("s_cbranch") || opcode.starts_with("s_setpc") => Class::Branch,
        _ if is(&["s_waitcnt", "s_endpgm", "s_nop", "s_inst_prefetch", "s_clause", "s_code_end", "s_delay", "s_sendmsg", "s_sleep"]) => {
            Class::Other
        }
        _ if opcode.starts_with("image_") => {
            if opcode.starts_with("image_store") {
                Class::Move
            } else {
                Class::TextureRead
            }
        }
        _ if is(&SHUFFLES) => Class::Shuffle,
        _ if is(&MEMORY) || is(&MOVES) => Class::Move,
        _ if is(&SPECIAL) => Class::Special,
        _ if opcode.starts_with("v_cvt") => Class::Conversion,
        _ if opcode.starts_with("v_pk_") => Class::VectorArithmetic,
        _ if opcode.starts_with("v_") || opcode.starts_with("s_") => Class::ScalarArithmetic,
        _ => Class::Other,
    }
}

/// What it loads or stores.
fn access(opcode: &str, operands: &str) -> Option<Access> {
    let space = match opcode.split('_').next()? {
        "scratch" => Space::Private,
        // Spilled registers and private arrays go through a descriptor in the first scalar registers, without an index.
        "buffer" if operands.contains("s[0:3]") => Space::Private,
        "global" | "flat" | "buffer" => Space::Global,
        "ds" => Space::Local,
        "image" => Space::Image,
        // The first ones are the kernel's arguments; which ones are not is not told.
        "s" if opcode.starts_with("s_load") || opcode.starts_with("s_buffer_load") => Space::Parameter,
        _ => return None,
    };
    let kind = if opcode.contains("load") || opcode.contains("_read") || opcode.contains("sample") || opcode.contains("gather") {
        AccessKind::Load
    } else if opcode.contains("store") || opcode.contains("_write") {
        AccessKind::Store
    } else {
        return None;
    };
    Some(Access { space, kind, bits: bits(opcode) })
}

/// `ubyte`, `u8`: 8; `short`, `b16`: 16; `dword`, `b32`: 32; `dwordx3`, `b96`: 96; two of `ds_read2_b32`: 64.
fn bits(opcode: &str) -> u32 {
    let pair = if opcode.contains("read2") || opcode.contains("write2") || opcode.contains("2addr") { 2 } else { 1 };
    let of_word = |word: &str| match word {
        "ubyte" | "sbyte" | "byte" | "u8" | "i8" | "b8" => Some(8),
        "ushort" | "sshort" | "short" | "u16" | "i16" | "b16" => Some(16),
        "dword" | "b32" => Some(32),
        _ => match (word.strip_prefix("dwordx"), word.strip_prefix('b')) {
            (Some(count), _) => count.parse::<u32>().ok().map(|count| 32 * count),
            (None, Some(bits)) => bits.parse::<u32>().ok(),
            (None, None) => None,
        },
    };
    pair * opcode.split('_').find_map(of_word).unwrap_or(32)
}

/// Registers by the order of first use: `v12` and `s[4:5]`, each kind by itself. Ranges count as registers of their own.
#[derive(Default)]
struct Renamed(Numbers);

impl Renamed {
    fn text(&mut self, text: &str) -> String {
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '[' | ']' | ':' | '@' | '.');
        with_words(text, is_word, |word| self.word(word))
    }

    fn word(&mut self, word: &str) -> String {
        let numbers = word.strip_prefix(['v', 's']).unwrap_or_default();
        let is_register = !numbers.is_empty() && numbers.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '[' | ']' | ':'));
        let Some(kind) = word.get(..1).filter(|_| is_register) else { return word.to_owned() };
        let width = numbers.trim_matches(['[', ']']).split_once(':').map_or(1, |(first, last)| {
            let number = |text: &str| text.parse::<usize>().unwrap_or_default();
            number(last).saturating_sub(number(first)) + 1
        });
        self.0.name(word, kind, &if width == 1 { String::new() } else { format!("x{width}") })
    }
}

#[cfg(test)]
mod tests {
    use super::{bits, read, resources, wavefronts};
    use crate::compiled::code::{Access, AccessKind, Callee, Class, Flow};
    use model::{Resources, Space};

    const TEXT: &str = "\t.text
\t.p2align\t2
helper:                            ; @helper
; %bb.0:
\tv_add_nc_u32_e32 v0, v0, v1
\ts_setpc_b64 s[30:31]
.Lfunc_end0:
; codeLenInByte = 12
; Occupancy: 16
                                        ; -- End function
\t.globl\tcopy                     ; -- Begin function copy
copy:                                ; @copy
; %bb.0:
\ts_load_dwordx2 s[4:5], s[6:7], 0x8
\ts_getpc_b64 s[8:9]
\ts_add_u32 s8, s8, helper@rel32@lo+4
\ts_swappc_b64 s[30:31], s[8:9]
.LBB1_1:                                ; =>This Inner Loop Header: Depth=1
\tglobal_load_dwordx3 v[2:4], v[0:1], off offset:16
\tbuffer_store_dword v9, off, s[0:3], 0 offset:4
\tds_read2_b32 v[5:6], v7 offset1:1
\tv_pk_mul_lo_u16 v8, v2, v3
\ts_waitcnt vmcnt(0)
\ts_cbranch_scc1 .LBB1_1
; %bb.2:
\tglobal_store_byte v[0:1], v8, off
\ts_endpgm
\t.section\t.rodata,\"a\",@progbits
\t.amdhsa_kernel copy
.Lfunc_end1:
; codeLenInByte = 80
; Occupancy: 7
\t.section\t.AMDGPU.csdata
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .name:           source
        .size:           8
    .group_segment_fixed_size: 64
    .name:           other
    .private_segment_fixed_size: 0
    .vgpr_count:     4
    .vgpr_spill_count: 0
  - .args:
      - .name:           copy
        .size:           8
    .group_segment_fixed_size: 1024
    .name:           copy
    .private_segment_fixed_size: 8
    .sgpr_count:     18
    .vgpr_count:     141
    .vgpr_spill_count: 3
...
";

    #[test]
    fn functions_loops_accesses_and_calls_are_told_apart() {
        let code = read(TEXT, "copy").expect("reads");
        let copy = &code.functions[code.root];
        let texts: Vec<&str> = copy.instructions.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts.len(), 12, "{texts:#?}");
        assert_eq!(copy.instructions[3].callee, Some(Callee::Inside(0)));
        let accesses: Vec<Access> = copy.instructions.iter().flat_map(|one| one.accesses.iter().copied()).collect();
        let access = |space, kind, bits| Access { space, kind, bits };
        assert_eq!(
            accesses,
            [
                access(Space::Parameter, AccessKind::Load, 64),
                access(Space::Global, AccessKind::Load, 96),
                access(Space::Private, AccessKind::Store, 32),
                access(Space::Local, AccessKind::Load, 64),
                access(Space::Global, AccessKind::Store, 8),
            ]
        );
        assert_eq!((copy.instructions[7].class, copy.instructions[7].lanes), (Class::VectorArithmetic, 2));
        assert_eq!(copy.instructions[9].flow, Flow::Branch(Some(4)));
        assert_eq!((copy.loops.len(), code.closure(), code.code_bytes()), (1, vec![1, 0], Some(92)));
        assert!(read(TEXT, "laplace").is_err());
    }

    #[test]
    fn notes_are_those_of_the_kernel_and_not_of_its_neighbor_or_argument() {
        let own = resources(TEXT, "copy");
        let expected = Resources {
            registers: Some(141),
            spill_store_bytes: Some(12),
            spill_load_bytes: Some(12),
            stack_bytes: Some(8),
            local_bytes: Some(1024),
            sub_group_registers: Some(18),
            ..Resources::default()
        };
        assert_eq!(own, expected);
        assert_eq!(resources(TEXT, "other").registers, Some(4));
        assert_eq!(resources(TEXT, "source"), Resources::default());
        assert_eq!((wavefronts(TEXT, "copy"), wavefronts(TEXT, "helper"), wavefronts(TEXT, "x")), (Some(7), Some(16), None));
    }

    #[test]
    fn registers_are_numbered_by_first_use() {
        let normal = |text: &str| {
            read(text, "copy").expect("reads").functions[1].instructions.iter().map(|one| one.normal.clone()).collect::<Vec<_>>()
        };
        let renamed = TEXT.replace("v8", "v77").replace("v[0:1]", "v[20:21]");
        assert_eq!(normal(TEXT), normal(&renamed));
        assert_ne!(normal(TEXT), normal(&TEXT.replace("v_pk_mul", "v_pk_add")));
    }

    #[test]
    fn widths_are_in_their_names() {
        for (opcode, wanted) in [
            ("global_load_ubyte", 8),
            ("global_load_u8", 8),
            ("ds_write_b128", 128),
            ("global_load_b96", 96),
            ("buffer_load_short_d16", 16),
            ("flat_store_dword", 32),
        ] {
            assert_eq!(bits(opcode), wanted, "{opcode}");
        }
    }

    #[test]
    fn text_that_is_cut_anywhere_is_no_harm() {
        for end in 0..TEXT.len() {
            let _ = (read(&TEXT[..end], "copy"), resources(&TEXT[..end], "copy"), wavefronts(&TEXT[..end], "copy"));
        }
    }
}
