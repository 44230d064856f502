//! Registers by the order of first use, and where their real names matter.
//!
//! Two functions that differ in the choice of registers alone do the same, as long as the registers through which they are entered, called and left
//! are the real ones. So a register keeps its name where its content comes from outside: from the caller (it is live on entry), or from a called
//! function (live behind a call). At a call, and at the end of a helper function, [`Names::held`] tells what lies in which register.

use super::code::Flow;
use super::x86::Decoded;
use iced_x86::{FlowControl, InstructionInfoFactory, OpAccess, Register};

/// General registers, vector registers and masks.
const SLOTS: usize = 16 + 32 + 8;

/// A set of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(u64);

impl Set {
    /// All of them.
    pub const ALL: Self = Self((1 << SLOTS) - 1);
    /// Those that functions return values in: rax, rcx, rdx, and the first eight vector registers, by the calling conventions in use.
    pub const RESULTS: Self = Self(0b111 | 0xFF << 16);
    /// The stack pointer.
    const STACK: Self = Self(1 << 4);

    fn of(slot: usize) -> Self {
        Self(1 << slot)
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    fn has(self, slot: usize) -> bool {
        self.0 >> slot & 1 == 1
    }
}

/// The register's position in a [`Set`]; `None` for those that are named as they are (segments, say).
fn slot(register: Register) -> Option<usize> {
    let full = register.full_register();
    if full.is_gpr() {
        Some(full.number())
    } else if full.is_vector_register() {
        Some(16 + full.number())
    } else if full.is_k() {
        Some(48 + full.number())
    } else {
        None
    }
    .filter(|&slot| slot < SLOTS)
}

/// Which registers hold something from outside of a function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Live {
    /// Read before they are written.
    pub at_entry: Set,
    /// Read behind a call before they are written.
    behind_calls: Set,
}

impl Live {
    /// Registers that keep their names.
    pub fn fixed(&self) -> Set {
        self.at_entry.with(self.behind_calls).with(Set::STACK)
    }
}

/// What an instruction reads, and what it overwrites completely.
fn effect(info: &mut InstructionInfoFactory, instruction: &iced_x86::Instruction) -> (Set, Set) {
    let (mut read, mut written) = (Set::default(), Set::default());
    for used in info.info(instruction).used_registers() {
        let Some(slot) = slot(used.register()) else { continue };
        let (reads, writes) = match used.access() {
            // What need not be written may still be what it was before.
            OpAccess::Read | OpAccess::CondRead | OpAccess::CondWrite | OpAccess::ReadCondWrite => (true, false),
            OpAccess::Write => (false, true),
            OpAccess::ReadWrite => (true, true),
            OpAccess::None | OpAccess::NoMemAccess => (false, false),
        };
        // Writing a part keeps the rest; 32 bits of a general register clear its other half.
        let is_whole = !used.register().is_gpr() || used.register().size() >= 4;
        if reads || (writes && !is_whole) {
            read = read.with(Set::of(slot));
        }
        if writes && is_whole {
            written = written.with(Set::of(slot));
        }
    }
    (read, written)
}

/// Liveness over the function's instructions, backwards until nothing changes.
pub(super) fn live(function: &[Decoded]) -> Live {
    let mut info = InstructionInfoFactory::new();
    let effects: Vec<(Set, Set)> = function.iter().map(|one| effect(&mut info, &one.instruction)).collect();
    let is_call = |one: &Decoded| matches!(one.instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
    let mut before = vec![Set::default(); function.len()];
    let mut behind_calls = Set::default();
    loop {
        let mut has_changed = false;
        for (index, (one, (read, written))) in function.iter().zip(&effects).enumerate().rev() {
            let at = |target: usize| before.get(target).copied().unwrap_or_default();
            let after = match one.flow {
                Flow::Next => at(index + 1),
                Flow::Branch(Some(target)) => at(index + 1).with(at(target)),
                Flow::Jump(Some(target)) => at(target),
                // Anything may be read there.
                Flow::Branch(None) | Flow::Jump(None) => Set::ALL,
                Flow::End => Set::default(),
            };
            // A call may change everything: what is read behind it comes from there.
            let now = if is_call(one) {
                behind_calls = behind_calls.with(after);
                *read
            } else {
                after.without(*written).with(*read)
            };
            if let Some(known) = before.get_mut(index).filter(|known| **known != now) {
                *known = now;
                has_changed = true;
            }
        }
        if !has_changed {
            return Live { at_entry: before.first().copied().unwrap_or_default(), behind_calls };
        }
    }
}

/// The names that a function's registers have got so far.
pub(super) struct Names {
    fixed: Set,
    numbers: [Option<u32>; SLOTS],
    next: u32,
}

impl Names {
    /// None yet; `fixed` keep their own.
    pub fn new(fixed: Set) -> Self {
        Self { fixed, numbers: [None; SLOTS], next: 1 }
    }

    /// `%d3`: 32 bits of the third register.
    pub fn name(&mut self, register: Register) -> String {
        let known = slot(register).filter(|&slot| !self.fixed.has(slot)).and_then(|slot| self.numbers.get_mut(slot));
        let Some(number) = known else { return format!("{register:?}").to_lowercase() };
        let number = *number.get_or_insert_with(|| {
            self.next += 1;
            self.next - 1
        });
        format!("%{}{number}", kind(register))
    }

    /// What lies in these registers, by their real names.
    pub fn held(&self, set: Set) -> String {
        let numbers = self.numbers.iter().enumerate().filter(|(slot, _)| set.has(*slot));
        let held: Vec<String> = numbers.filter_map(|(slot, number)| Some(format!("{}=%{}", real_name(slot), (*number)?))).collect();
        held.join(" ")
    }
}

/// The name of the register at that position of a [`Set`].
fn real_name(slot: usize) -> String {
    const GENERAL: [&str; 16] =
        ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
    match (GENERAL.get(slot), slot) {
        (Some(name), _) => (*name).to_owned(),
        (None, ..48) => format!("zmm{}", slot - 16),
        (None, _) => format!("k{}", slot - 48),
    }
}

/// Which part of a register it is.
fn kind(register: Register) -> &'static str {
    match register {
        Register::AH | Register::BH | Register::CH | Register::DH => "h",
        _ if register.is_k() => "k",
        _ => match register.size() {
            1 => "b",
            2 => "w",
            4 => "d",
            8 => "q",
            16 => "x",
            32 => "y",
            _ => "z",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::Flow;
    use super::super::x86::Decoded;
    use super::{Names, live};
    use iced_x86::{Decoder, DecoderOptions, FlowControl};

    /// Names of all registers that the instructions name, in order.
    fn names(bytes: &[u8]) -> Vec<String> {
        let decoded: Vec<Decoded> = Decoder::new(64, bytes, DecoderOptions::NONE)
            .into_iter()
            .map(|instruction| {
                let flow = if instruction.flow_control() == FlowControl::Return { Flow::End } else { Flow::Next };
                Decoded { instruction, flow, callee: None, target: None, line: None }
            })
            .collect();
        let mut names = Names::new(live(&decoded).fixed());
        let registers = decoded.iter().flat_map(|one| (0..one.instruction.op_count()).map(|index| one.instruction.op_register(index)));
        registers.map(|register| names.name(register)).collect()
    }

    #[test]
    fn another_choice_of_registers_is_the_same_and_another_argument_is_not() {
        let of_ecx = names(&[0xB9, 5, 0, 0, 0, 0x01, 0xC9, 0xC3]); // mov ecx, 5; add ecx, ecx; ret
        let of_edx = names(&[0xBA, 5, 0, 0, 0, 0x01, 0xD2, 0xC3]); // mov edx, 5; add edx, edx; ret
        assert_eq!(of_ecx, of_edx);
        assert_eq!(of_ecx, ["%d1", "none", "%d1", "%d1"]);
        let of_edi = names(&[0x01, 0xFF, 0xC3]); // add edi, edi; ret
        let of_esi = names(&[0x01, 0xF6, 0xC3]); // add esi, esi; ret
        assert_ne!(of_edi, of_esi);
        // What a call leaves behind is that register's.
        let behind = |add: u8| names(&[0xE8, 0, 0, 0, 0, 0x01, add, 0xC3]); // call; add eax, eax or add ecx, ecx; ret
        assert_ne!(behind(0xC0), behind(0xC9));
        // Writing a byte of a register keeps what the caller put into the others.
        let of_dil = names(&[0x40, 0xB7, 5, 0x01, 0xFF, 0xC3]); // mov dil, 5; add edi, edi; ret
        assert!(of_dil.contains(&"edi".to_owned()), "{of_dil:?}");
    }
}
