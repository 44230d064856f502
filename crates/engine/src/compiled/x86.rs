//! x86-64 machine code: decoded, classified, normalized.

use super::code::{Access, AccessKind, Callee, Code, Flow, Function, Instruction};
use super::elf::{Object, Place, Symbol, Target};
use super::x86_classes::class_of;
use super::x86_registers::{Live, Names, Set, live};
use base::hash::{hexadecimal, sha256};
use base::texts::{filled, text};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Formatter as _, InstructionInfoFactory, IntelFormatter, Mnemonic, OpAccess, OpKind, Register,
};
use model::{CodeForm, Space};

/// More instructions than any kernel of this program has by far.
const MOST_INSTRUCTIONS: usize = 1 << 20;

/// A decoded instruction with what it refers to.
pub(super) struct Decoded {
    pub instruction: iced_x86::Instruction,
    pub flow: Flow,
    pub callee: Option<Callee>,
    /// What a relocated operand, or one relative to the instruction, refers to.
    pub target: Option<Target>,
    /// The line of the source that it was made of.
    pub line: Option<u32>,
}

/// Reads the kernel whose function in the file is named `root`.
///
/// # Errors
/// A clause: the file is damaged, or has no such function.
pub fn read(elf: &[u8], root: &str, group: Option<[usize; 3]>) -> Result<Code, String> {
    let mut object = Object::parse(elf)?;
    // PoCL's second entry, with the same body: it would only stand in the way.
    object.functions.retain(|function| function.name == root || !function.name.ends_with("_workgroup_fast"));
    let Some(root) = object.functions.iter().position(|function| function.name == root) else {
        return Err(filled("code.reason.no-function", &[("name", &root)]));
    };
    let decoded: Vec<Vec<Decoded>> = object.functions.iter().map(|function| decode(&object, function)).collect();
    if decoded.iter().map(Vec::len).sum::<usize>() > MOST_INSTRUCTIONS {
        return Err(text("code.reason.too-long").to_owned());
    }
    let lives: Vec<Live> = decoded.iter().map(|function| live(function)).collect();
    let entries: Vec<Set> = lives.iter().map(|live| live.at_entry).collect();
    let file_hash = sha256(elf);
    let functions = object.functions.iter().zip(&decoded).zip(&lives).enumerate();
    let functions = functions.map(|(index, ((symbol, decoded), live))| {
        let frame = decoded.iter().any(|one| sets_frame_pointer(&one.instruction));
        let mut reader = Reader {
            object: &object,
            names: Names::new(live.fixed()),
            entries: &entries,
            frame,
            is_root: index == root,
            file_hash: &file_hash,
            formatter: formatter(),
            info: InstructionInfoFactory::new(),
        };
        Function::new(symbol.name.clone(), String::new(), decoded.iter().map(|one| reader.read(one)).collect())
    });
    let functions = functions.collect::<Result<_, _>>()?;
    let function_bytes = object.functions.iter().map(|function| function.bytes).collect();
    Ok(Code { form: CodeForm::X86, group, functions, root, constants: object.constants(), function_bytes })
}

fn formatter() -> IntelFormatter {
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_space_after_operand_separator(true);
    options.set_rip_relative_addresses(true);
    formatter
}

/// `mov rbp, rsp`: rbp then names the stack as rsp does.
fn sets_frame_pointer(instruction: &iced_x86::Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Mov && instruction.op0_register() == Register::RBP && instruction.op1_register() == Register::RSP
}

/// All instructions of a function but those that do nothing.
fn decode(object: &Object<'_>, function: &Symbol) -> Vec<Decoded> {
    let Some((code, section)) = object.code(function).zip(object.section(function.at.section)) else { return Vec::new() };
    let begin = section.address.wrapping_add(function.at.offset);
    let instructions: Vec<_> = Decoder::with_ip(64, code, begin, DecoderOptions::NONE)
        .into_iter()
        .filter(|instruction| !matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Endbr64))
        .collect();
    // A jump to a nop leads to what follows it.
    let index_at = |address: u64| {
        let is_inside = address.wrapping_sub(begin) < function.bytes;
        is_inside
            .then(|| instructions.partition_point(|instruction| instruction.ip() < address))
            .filter(|&index| index < instructions.len())
    };
    let decoded = |instruction: &iced_x86::Instruction| {
        let at = Place { section: function.at.section, offset: instruction.ip().wrapping_sub(section.address) };
        let target = target(object, instruction, at);
        let inside = target.as_ref().map_or(Some(instruction.near_branch_target()), |_| None).and_then(index_at);
        let (flow, callee) = match instruction.flow_control() {
            FlowControl::ConditionalBranch => (Flow::Branch(inside), None),
            FlowControl::UnconditionalBranch if inside.is_some() => (Flow::Jump(inside), None),
            // Out of the function: its last act is a call.
            FlowControl::UnconditionalBranch => (Flow::End, Some(callee(object, instruction, at, target.as_ref()))),
            FlowControl::IndirectBranch => (Flow::Jump(None), None),
            FlowControl::Return | FlowControl::Exception => (Flow::End, None),
            FlowControl::Call => (Flow::Next, Some(callee(object, instruction, at, target.as_ref()))),
            FlowControl::IndirectCall => (Flow::Next, Some(pointer(object, target.as_ref()))),
            _ => (Flow::Next, target.as_ref().and_then(|target| function_at(object, target)).map(Callee::Inside)),
        };
        Decoded { instruction: *instruction, flow, callee, target, line: object.line_at(instruction.ip()) }
    };
    instructions.iter().map(decoded).collect()
}

/// What an instruction's operand refers to, by its relocation or its own address. Of calls and jumps by their relocation alone.
fn target(object: &Object<'_>, instruction: &iced_x86::Instruction, at: Place) -> Option<Target> {
    let length = instruction.len() as u64;
    if let Some((_, target)) = object.referred(at, length) {
        return Some(target);
    }
    let address = instruction.is_ip_rel_memory_operand().then(|| instruction.ip_rel_memory_address())?;
    object.at_address(at.section, address).map(Target::Here)
}

fn function_at(object: &Object<'_>, target: &Target) -> Option<usize> {
    match target {
        Target::Here(place) => object.function_at(*place),
        Target::Named(_) => None,
    }
}

/// Whom a direct call or jump out of the function reaches.
fn callee(object: &Object<'_>, instruction: &iced_x86::Instruction, at: Place, target: Option<&Target>) -> Callee {
    let place = match target {
        Some(Target::Named(name)) => return Callee::Outside(name.clone()),
        Some(Target::Here(place)) => Some(*place),
        None => object.at_address(at.section, instruction.near_branch_target()),
    };
    let inside = place.and_then(|place| object.function_at(place)).map(Callee::Inside);
    inside.or_else(|| linked(object, place?).map(Callee::Outside)).unwrap_or(Callee::Unknown)
}

/// Whom a call through memory reaches, where that memory is filled by the loader.
fn pointer(object: &Object<'_>, target: Option<&Target>) -> Callee {
    let name = match target {
        Some(Target::Here(place)) => object.import_at(*place).map(str::to_owned),
        Some(Target::Named(name)) => Some(name.clone()),
        None => None,
    };
    name.map_or(Callee::Unknown, Callee::Outside)
}

/// The name behind an entry of the procedure linkage table: a jump through memory that the loader fills.
fn linked(object: &Object<'_>, place: Place) -> Option<String> {
    const LONGEST_ENTRY: u64 = 16;
    let address = object.section(place.section)?.address.wrapping_add(place.offset);
    let entry = Decoder::with_ip(64, object.bytes(place, LONGEST_ENTRY)?, address, DecoderOptions::NONE).into_iter();
    let jump = entry.take(3).find(|instruction| instruction.flow_control() == FlowControl::IndirectBranch)?;
    let memory = jump.is_ip_rel_memory_operand().then(|| object.at_address(place.section, jump.ip_rel_memory_address()))??;
    object.import_at(memory).map(str::to_owned)
}

/// Turns decoded instructions into those of the model, in the order of the function.
struct Reader<'a> {
    object: &'a Object<'a>,
    names: Names,
    /// Registers that each function reads on entry.
    entries: &'a [Set],
    /// Whether rbp is a frame pointer.
    frame: bool,
    is_root: bool,
    file_hash: &'a str,
    formatter: IntelFormatter,
    info: InstructionInfoFactory,
}

impl Reader<'_> {
    fn read(&mut self, decoded: &Decoded) -> Instruction {
        let instruction = &decoded.instruction;
        let mnemonic = format!("{:?}", instruction.mnemonic()).to_lowercase();
        let vector_bits = vector_bits(instruction);
        let accesses = self.accesses(decoded);
        let class = class_of(instruction, &mnemonic, vector_bits, !accesses.is_empty());
        Instruction {
            text: self.text(decoded, &mnemonic),
            normal: self.normal(decoded, &mnemonic),
            class,
            accesses,
            vector_bits,
            lanes: super::x86_classes::lanes(&mnemonic, vector_bits),
            flow: decoded.flow,
            callee: decoded.callee.clone(),
            line: decoded.line,
        }
    }

    fn text(&mut self, decoded: &Decoded, mnemonic: &str) -> String {
        let callee = match &decoded.callee {
            Some(Callee::Inside(index)) => self.object.functions.get(*index).map(|function| function.name.as_str()),
            Some(Callee::Outside(name)) => Some(name.as_str()),
            _ => None,
        };
        match (decoded.flow, decoded.instruction.flow_control(), callee) {
            (Flow::Branch(_) | Flow::Jump(Some(_)), ..) => mnemonic.to_owned(),
            (_, FlowControl::Call | FlowControl::UnconditionalBranch, Some(name)) => format!("{mnemonic} {name}"),
            _ => {
                let mut text = String::new();
                self.formatter.format(&decoded.instruction, &mut text);
                text
            }
        }
    }

    fn accesses(&mut self, decoded: &Decoded) -> Vec<Access> {
        let instruction = &decoded.instruction;
        let is_constant = matches!(&decoded.target, Some(Target::Here(_))) || instruction.is_ip_rel_memory_operand();
        let mut accesses = Vec::new();
        for memory in self.info.info(instruction).used_memory() {
            let base = memory.base().full_register();
            let space = if base == Register::RSP || (self.frame && base == Register::RBP) {
                Space::Private
            } else if is_constant {
                Space::Constant
            } else {
                Space::Global
            };
            let bits = memory.memory_size().size() as u32 * 8;
            let (loads, stores) = match memory.access() {
                OpAccess::Read | OpAccess::CondRead => (true, false),
                OpAccess::Write | OpAccess::CondWrite => (false, true),
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
                OpAccess::None | OpAccess::NoMemAccess => (false, false),
            };
            let kinds = [(loads, AccessKind::Load), (stores, AccessKind::Store)];
            accesses.extend(kinds.into_iter().filter(|(is_done, _)| *is_done).map(|(_, kind)| Access { space, kind, bits }));
        }
        accesses
    }

    /// Everything that decides what the instruction does, with registers by their names of first use.
    fn normal(&mut self, decoded: &Decoded, mnemonic: &str) -> String {
        let instruction = &decoded.instruction;
        let mut operands = Vec::new();
        for index in 0..instruction.op_count() {
            operands.extend(Some(self.operand(decoded, index)).filter(|operand| !operand.is_empty()));
        }
        let mut text = String::from(mnemonic);
        let prefixes = [
            (instruction.has_lock_prefix(), "lock"),
            (instruction.has_rep_prefix(), "rep"),
            (instruction.has_repne_prefix(), "repne"),
            (instruction.zeroing_masking(), "{z}"),
            (instruction.is_broadcast(), "{broadcast}"),
            (instruction.suppress_all_exceptions(), "{sae}"),
        ];
        for (_, prefix) in prefixes.into_iter().filter(|(is_there, _)| *is_there) {
            text += " ";
            text += prefix;
        }
        if instruction.op_mask() != Register::None {
            text.extend([" {", self.names.name(instruction.op_mask()).as_str(), "}"]);
        }
        if instruction.rounding_control() != iced_x86::RoundingControl::None {
            text.extend([" ", format!("{:?}", instruction.rounding_control()).as_str()]);
        }
        if !operands.is_empty() {
            text += " ";
            text += &operands.join(", ");
        }
        text += &self.implied(instruction);
        text += &self.passed(decoded);
        text
    }

    /// Registers that it reads or writes without naming them.
    fn implied(&mut self, instruction: &iced_x86::Instruction) -> String {
        let used: Vec<Register> = self.info.info(instruction).used_registers().iter().map(iced_x86::UsedRegister::register).collect();
        let named = |register: Register| {
            let explicit = (0..instruction.op_count()).map(|index| instruction.op_register(index));
            let memory = [instruction.memory_base(), instruction.memory_index(), instruction.op_mask()];
            explicit.chain(memory).any(|other| other != Register::None && other.full_register() == register.full_register())
        };
        let is_implied = |register: &Register| register.full_register() != Register::RSP && !named(*register);
        let implied: Vec<String> = used.into_iter().filter(is_implied).map(|register| self.names.name(register)).collect();
        if implied.is_empty() { String::new() } else { format!(" ({})", implied.join(" ")) }
    }

    /// At calls and returns it matters which registers hold what.
    fn passed(&self, decoded: &Decoded) -> String {
        let flow = decoded.instruction.flow_control();
        let set = match &decoded.callee {
            Some(Callee::Inside(index)) => self.entries.get(*index).copied().unwrap_or(Set::ALL),
            Some(_) => Set::ALL,
            None if flow == FlowControl::Return && !self.is_root => Set::RESULTS,
            None => return String::new(),
        };
        let held = self.names.held(set);
        if held.is_empty() { String::new() } else { format!(" <{held}>") }
    }

    fn operand(&mut self, decoded: &Decoded, index: u32) -> String {
        let instruction = &decoded.instruction;
        match instruction.op_kind(index) {
            OpKind::Register => self.names.name(instruction.op_register(index)),
            OpKind::Memory => self.memory(decoded),
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => match (&decoded.flow, &decoded.callee) {
                (Flow::Branch(Some(_)) | Flow::Jump(Some(_)), _) | (_, Some(Callee::Inside(_))) => String::new(),
                (_, Some(Callee::Outside(name))) => name.clone(),
                // To nowhere that is known: the same only in the same file.
                _ => format!("?{}", self.file_hash),
            },
            kind => match (instruction.try_immediate(index), &decoded.target) {
                (Ok(_), Some(target)) => self.referred(target, decoded.callee.as_ref()),
                (Ok(value), None) => format!("{value:#x}"),
                (Err(_), _) => format!("{kind:?} {:?}", instruction.code()),
            },
        }
    }

    fn referred(&self, target: &Target, callee: Option<&Callee>) -> String {
        match (target, callee) {
            (_, Some(Callee::Inside(_))) => "function".to_owned(),
            (Target::Here(place), _) => {
                self.object.import_at(*place).map_or_else(|| self.object.name_of(*place), |name| format!("import {name}"))
            }
            (Target::Named(name), _) => name.clone(),
        }
    }

    /// A memory operand: its size, a constant's bytes or `base+index*scale+displacement`. Which of two unscaled registers is the base makes no difference.
    fn memory(&mut self, decoded: &Decoded) -> String {
        let instruction = &decoded.instruction;
        let bytes = instruction.memory_size().size() as u64;
        // Of lea, which does not access it, an address has no size.
        let size = if bytes == 0 { "address".to_owned() } else { format!("m{}", bytes * 8) };
        if let Some(target) = &decoded.target {
            let constant = match target {
                Target::Here(place) if bytes > 0 => self.object.constant(*place, bytes),
                _ => None,
            };
            if let Some(constant) = constant.filter(|_| instruction.is_ip_rel_memory_operand()) {
                return format!("{size}={}", hexadecimal(constant));
            }
        }
        let mut parts = Vec::new();
        let (base, scale) = (instruction.memory_base(), instruction.memory_index_scale());
        if base != Register::None && !instruction.is_ip_rel_memory_operand() {
            parts.push(self.names.name(base));
        }
        let index = instruction.memory_index();
        if index != Register::None {
            let name = self.names.name(index);
            parts.push(if scale == 1 { name } else { format!("{name}*{scale}") });
        }
        if scale == 1 && !index.is_vector_register() {
            parts.sort();
        }
        if let Some(target) = &decoded.target {
            parts.push(self.referred(target, decoded.callee.as_ref()));
        } else if instruction.is_ip_rel_memory_operand() {
            // An address outside of all sections: the same only in the same file.
            parts.push(format!("?{}", self.file_hash));
        }
        let displacement = instruction.memory_displacement64().cast_signed();
        let sign = if displacement < 0 { "-" } else { "+" };
        let behind = match displacement {
            _ if instruction.is_ip_rel_memory_operand() => String::new(),
            0 if !parts.is_empty() => String::new(),
            _ => format!("{sign}{:#x}", displacement.unsigned_abs()),
        };
        let segment = match instruction.segment_prefix() {
            Register::None => String::new(),
            segment => format!("{segment:?}:").to_lowercase(),
        };
        format!("{size} {segment}[{}{behind}]", parts.join("+"))
    }
}

/// Bits of the widest vector register among the operands.
fn vector_bits(instruction: &iced_x86::Instruction) -> u32 {
    let registers = (0..instruction.op_count()).map(|index| instruction.op_register(index));
    registers.filter(|register| register.is_vector_register()).map(|register| register.size() as u32 * 8).max().unwrap_or(0)
}
