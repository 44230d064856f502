//! AMD's code objects, the ELF files that its OpenCL drivers hand out: registers, spills and memory from their notes, and instructions.
//!
//! The notes are `MessagePack`, and the same words as in the text that clang writes (`gcn`). The instructions themselves are read from what LLVM's disassembler
//! prints, where it is installed; without it, there is their number (`gcn_lengths`). Source: LLVM's "User Guide for AMDGPU Backend", "Code Object".

use super::code::Code;
use super::elf::{Object, Symbol};
use super::msgpack::Value;
use super::{Unread, gcn, gcn_lengths, tools};
use base::texts::{filled, text};
use model::{CodeForm, Resources};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The kind of the note that has all, `MessagePack` since the third version of code objects.
const NT_AMDGPU_METADATA: u32 = 32;

/// A function's address is shifted by this much in labels, so that they have one form.
const LABEL: &str = ".Lat_";

/// A code object that was read.
struct CodeObject<'a> {
    object: Object<'a>,
    notes: Option<Value<'a>>,
}

impl<'a> CodeObject<'a> {
    fn parse(elf: &'a [u8]) -> Result<Self, String> {
        let object = Object::parse(elf)?;
        let notes = object.named(".note").and_then(metadata).and_then(Value::read);
        Ok(Self { object, notes })
    }

    /// The notes of a kernel.
    fn kernel(&self, name: &str) -> Option<&Value<'a>> {
        let kernels = self.notes.as_ref()?.get("amdhsa.kernels")?.items();
        kernels.iter().find(|kernel| kernel.get(".name").and_then(Value::text) == Some(name))
    }

    /// The kernel's own function: what its descriptor is called, without the ending.
    fn function(&self, name: &str) -> Option<&Symbol> {
        let descriptor = self.kernel(name).and_then(|kernel| kernel.get(".symbol")).and_then(Value::text);
        let name = descriptor.and_then(|descriptor| descriptor.strip_suffix(".kd")).unwrap_or(name);
        self.object.functions.iter().find(|function| function.name == name)
    }

    /// LLVM's name of the processor that it is for: "amdgcn-amd-amdhsa--gfx90a:xnack-" is gfx90a.
    fn processor(&self) -> Option<&'a str> {
        let target = self.notes.as_ref()?.get("amdhsa.target")?.text()?;
        let name = target.rsplit('-').find(|part| part.starts_with("gfx"))?.split(':').next()?;
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-').then_some(name)
    }
}

/// The content of the note that has all: notes are lengths of name and content and a kind, then both, each filled up to four bytes.
fn metadata(mut notes: &[u8]) -> Option<&[u8]> {
    let filled_up = |length: u32| usize::try_from(length).ok()?.checked_next_multiple_of(4);
    loop {
        let (head, rest) = notes.split_first_chunk::<12>()?;
        let (words, _) = head.as_chunks::<4>();
        let [name, content, kind] = <[[u8; 4]; 3]>::try_from(words).ok()?.map(u32::from_le_bytes);
        let (own_name, rest) = rest.split_at_checked(filled_up(name)?)?;
        let own = rest.get(..usize::try_from(content).ok()?)?;
        if kind == NT_AMDGPU_METADATA && own_name.starts_with(b"AMDGPU\0") {
            return Some(own);
        }
        notes = rest.get(filled_up(content)?..)?;
    }
}

/// What the notes say of a kernel, and how many instructions it has.
pub fn resources(elf: &[u8], kernel: &str) -> Option<Resources> {
    let code = CodeObject::parse(elf).ok()?;
    let Value::Map(pairs) = code.kernel(kernel)? else { return None };
    let mut found = Resources::default();
    for (key, value) in pairs {
        if let Some(key) = key.text() {
            gcn::note(&mut found, key, value.number());
        }
    }
    let own = code.function(kernel).and_then(|function| code.object.code(function));
    found.instructions = own.zip(code.processor()).and_then(|(own, processor)| gcn_lengths::count(own, processor));
    Some(found)
}

/// What is known of a kernel whose instructions cannot be read.
pub fn unread(elf: &[u8], kernel: &str) -> Option<Unread> {
    let code = CodeObject::parse(elf).ok()?;
    let own = code.object.code(code.function(kernel)?)?;
    Some(Unread::of(CodeForm::Gcn, own, &code.object))
}

/// Reads the kernel of that name as LLVM's disassembler prints it.
///
/// # Errors
/// A clause: the file is damaged or has no such kernel, or there is no disassembler.
pub fn read(elf: &[u8], kernel: &str) -> Result<Code, String> {
    let code = CodeObject::parse(elf)?;
    let Some(own) = code.function(kernel) else {
        return Err(filled("code.reason.no-amd-kernel", &[("name", &kernel)]));
    };
    let printed = tools::disassembled(elf, code.processor())?;
    gcn::read(&as_clang_writes(&printed, &code.object)?, &own.name)
}

/// An instruction of a disassembler's listing.
struct Line<'a> {
    text: &'a str,
    /// Where a jump leads.
    target: Option<u64>,
}

/// The listing in the form of clang's text: functions as long as their symbols say, without what fills the room between them, and labels where jumps lead.
fn as_clang_writes(printed: &str, object: &Object<'_>) -> Result<String, String> {
    let mut lines: BTreeMap<u64, Line<'_>> = BTreeMap::new();
    let mut symbols: BTreeMap<&str, u64> = BTreeMap::new();
    for line in printed.lines() {
        // 0000000000001a00 <name>:
        if let Some((address, name)) = line.split_once(" <").and_then(|(at, rest)| Some((at, rest.strip_suffix(">:")?)))
            && let Ok(address) = u64::from_str_radix(address, 16)
        {
            symbols.insert(name, address);
        // (tab) opcode operands // 000000001A04: BF8C0000 <name+0x1c>
        } else if let Some((text, comment)) = line.strip_prefix('\t').and_then(|rest| rest.rsplit_once("//"))
            && let Some((address, behind)) = comment.split_once(':')
            && let Ok(address) = u64::from_str_radix(address.trim(), 16)
        {
            let target = behind.split_once('<').and_then(|(_, target)| target.split('>').next()).and_then(|target| {
                let (name, offset) = target.split_once("+0x").unwrap_or((target, "0"));
                symbols.get(name)?.checked_add(u64::from_str_radix(offset, 16).ok()?)
            });
            lines.insert(address, Line { text: text.trim(), target });
        }
    }
    if lines.is_empty() {
        return Err(text("code.reason.no-amd-listing").to_owned());
    }
    let mut written = String::new();
    for function in &object.functions {
        let Some(section) = object.section(function.at.section) else { continue };
        let begin = section.address.saturating_add(function.at.offset);
        let own = begin..begin.saturating_add(function.bytes);
        let targets: Vec<u64> =
            lines.range(own.clone()).filter_map(|(_, line)| line.target).filter(|target| own.contains(target)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(written, "{}: ; @{}", function.name, function.name);
        for (address, line) in lines.range(own.clone()) {
            if targets.contains(address) {
                let _ = writeln!(written, "{LABEL}{address:x}:");
            }
            let jump = line.target.filter(|target| own.contains(target)).zip(line.text.split_whitespace().next());
            let _ = match jump {
                Some((target, opcode)) => writeln!(written, "\t{opcode} {LABEL}{target:x}"),
                None => writeln!(written, "\t{}", line.text),
            };
        }
        let _ = writeln!(written, ".Lfunc_end\n; codeLenInByte = {}", function.bytes);
    }
    let _ = writeln!(written, "\t.ascii {}", object.constants());
    Ok(written)
}
