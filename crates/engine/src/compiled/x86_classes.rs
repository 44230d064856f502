//! What an x86 instruction mainly does, by its mnemonic.

use super::code::Class;
use iced_x86::{FlowControl, Instruction};

/// Classes by how the mnemonic begins, without the `v` of its AVX form. The first that fits decides.
const BEGINNINGS: &[(Class, &[&str])] = &[
    (Class::Barrier, &["mfence", "lfence", "sfence"]),
    (Class::Conversion, &["pmovzx", "pmovsx", "pack", "cvt", "cbw", "cwde", "cdqe", "cwd", "cdq", "cqo"]),
    (Class::Other, &["pmovmskb", "movmsk", "zeroupper", "zeroall", "stmxcsr", "ldmxcsr", "leave", "ud2", "int3", "kortest", "ktest"]),
    (Class::Special, &["sqrt", "rsqrt", "rcp", "div", "idiv", "exp2", "getexp"]),
    (
        Class::Shuffle,
        &[
            "pshuf",
            "perm",
            "punpck",
            "unpck",
            "shuf",
            "palignr",
            "align",
            "insert",
            "extract",
            "pinsr",
            "pextr",
            "broadcast",
            "pbroadcast",
            "movddup",
            "movshdup",
            "movsldup",
            "movhlps",
            "movlhps",
            "pslldq",
            "psrldq",
            "pcompress",
            "compress",
            "pexpand",
            "expand",
        ],
    ),
    (
        Class::Move,
        &["mov", "lddqu", "push", "pop", "xchg", "kmov", "pgather", "gather", "pscatter", "scatter", "maskmov", "pmaskmov", "stos"],
    ),
];

/// AVX-512's narrowing moves: `vpmovwb`, `vpmovusdw`, …, and those between masks and vectors, which are no conversions.
fn narrows(mnemonic: &str) -> Option<Class> {
    let types = mnemonic.strip_prefix("vpmov")?;
    if types.contains('m') {
        return Some(Class::Other);
    }
    let types = types.strip_prefix("us").or_else(|| types.strip_prefix('s').filter(|rest| rest.len() == 2)).unwrap_or(types);
    let is_type = |letter: char| matches!(letter, 'b' | 'w' | 'd' | 'q');
    (types.len() == 2 && types.chars().all(is_type)).then_some(Class::Conversion)
}

/// The class of an instruction.
pub(super) fn class_of(instruction: &Instruction, mnemonic: &str, vector_bits: u32, is_access: bool) -> Class {
    match instruction.flow_control() {
        FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch | FlowControl::IndirectBranch => return Class::Branch,
        FlowControl::Call | FlowControl::IndirectCall => return Class::Call,
        FlowControl::Next => {}
        _ => return Class::Other,
    }
    // Extending a byte on its way from memory costs nothing of its own.
    if ["movzx", "movsx", "movsxd"].contains(&mnemonic) {
        return if is_access { Class::Move } else { Class::Conversion };
    }
    if let Some(class) = narrows(mnemonic) {
        return class;
    }
    let base = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
    let found = BEGINNINGS.iter().find(|(_, beginnings)| beginnings.iter().any(|beginning| base.starts_with(beginning)));
    match found {
        Some((class, _)) => *class,
        None if vector_bits > 0 && !is_scalar(base) => Class::VectorArithmetic,
        None => Class::ScalarArithmetic,
    }
}

/// `addss`, `mulsd`: one value of a vector register. Packed integers begin with p.
fn is_scalar(base: &str) -> bool {
    !base.starts_with('p') && (base.ends_with("ss") || base.ends_with("sd"))
}

/// Values that the instruction works on, by its last letters; 1 without a vector register, 0 where they do not tell.
pub(super) fn lanes(mnemonic: &str, vector_bits: u32) -> u32 {
    let base = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
    if vector_bits == 0 || is_scalar(base) {
        return 1;
    }
    let bits = if base.ends_with("ps") {
        32
    } else if base.ends_with("pd") {
        64
    } else {
        match base.chars().last() {
            // The d of pand is no type.
            _ if !base.starts_with('p') || base == "pand" => 0,
            Some('b') => 8,
            Some('w') => 16,
            Some('d') => 32,
            Some('q') => 64,
            _ => 0,
        }
    };
    vector_bits.checked_div(bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Class, class_of, lanes};
    use iced_x86::{Decoder, DecoderOptions};

    #[test]
    fn instructions_are_what_the_manual_says() {
        for (bytes, mnemonic, vector_bits, class) in [
            (&[0xC5_u8, 0xED, 0xFD, 0xD9] as &[u8], "vpaddw", 256, Class::VectorArithmetic), // vpaddw ymm3, ymm2, ymm1
            (&[0x01, 0xC8], "add", 0, Class::ScalarArithmetic),                              // add eax, ecx
            (&[0xF3, 0x0F, 0x58, 0xC1], "addss", 128, Class::ScalarArithmetic),              // addss xmm0, xmm1
            (&[0x0F, 0xB6, 0xC1], "movzx", 0, Class::Conversion),                            // movzx eax, cl
            (&[0x89, 0xC8], "mov", 0, Class::Move),                                          // mov eax, ecx
            (&[0xF7, 0xF1], "div", 0, Class::Special),                                       // div ecx
            (&[0xC4, 0xE2, 0x7D, 0x30, 0xC1], "vpmovzxbw", 256, Class::Conversion),          // vpmovzxbw ymm0, xmm1
            (&[0x62, 0xF2, 0x7E, 0x48, 0x30, 0xC1], "vpmovwb", 512, Class::Conversion),      // vpmovwb ymm1, zmm0
            (&[0x66, 0x0F, 0xD7, 0xC1], "pmovmskb", 128, Class::Other),                      // pmovmskb eax, xmm1
            (&[0xC5, 0xFD, 0x70, 0xC1, 0x1B], "vpshufd", 256, Class::Shuffle),               // vpshufd ymm0, ymm1, 27
            (&[0x75, 0x00], "jne", 0, Class::Branch),
            (&[0xFF, 0xD0], "call", 0, Class::Call),
            (&[0xC3], "ret", 0, Class::Other),
        ] {
            let instruction = Decoder::new(64, bytes, DecoderOptions::NONE).decode();
            assert_eq!(format!("{:?}", instruction.mnemonic()).to_lowercase(), mnemonic);
            assert_eq!(class_of(&instruction, mnemonic, vector_bits, false), class, "{mnemonic}");
        }
    }

    #[test]
    fn lanes_follow_from_the_type_in_the_name() {
        for (mnemonic, bits, count) in [
            ("vpaddw", 512, 32),
            ("paddb", 128, 16),
            ("vmulps", 256, 8),
            ("vpand", 256, 0),
            ("addss", 128, 1),
            ("add", 0, 1),
            ("vpabsd", 128, 4),
        ] {
            assert_eq!(lanes(mnemonic, bits), count, "{mnemonic}");
        }
    }
}
