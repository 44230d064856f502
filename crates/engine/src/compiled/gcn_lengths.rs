//! How many instructions a piece of AMD's machine code has, by their lengths alone: what each does is another matter, which a disassembler knows.
//!
//! The highest bits of an instruction's first word say its format, and the format its length: one word, two, or three, and one more where an operand is a
//! literal constant, or says that a word about lanes follows. Source: the chapters "Microcode formats" of AMD's instruction set references of Vega, MI200,
//! RDNA 2, RDNA 3 and RDNA 4. Whoever asks is told nothing where a format is unknown or the last instruction does not end with the code; tests hold the counts
//! to LLVM's disassembler.

/// Instructions are made of words of so many bytes.
const WORD_BYTES: usize = 4;

/// In the field of a source operand: a literal constant follows.
const LITERAL: u32 = 255;

/// The families whose formats differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    /// Vega and CDNA.
    Nine,
    /// RDNA 1 and 2.
    Ten,
    /// RDNA 3.
    Eleven,
    /// RDNA 4.
    Twelve,
}

impl Family {
    /// By LLVM's name: `gfx90a` is of the ninth, `gfx1030` of the tenth.
    fn of(processor: &str) -> Option<Self> {
        let number = processor.strip_prefix("gfx")?;
        // The last two letters are minor version and stepping.
        match number.get(..number.len().checked_sub(2)?)? {
            // It has instructions of four words.
            "9" if number == "950" => None,
            "9" => Some(Self::Nine),
            "10" => Some(Self::Ten),
            "11" => Some(Self::Eleven),
            // The later ones have other literals.
            "12" if number.starts_with("120") => Some(Self::Twelve),
            _ => None,
        }
    }
}

/// Instructions of code for this processor; `None` where that cannot be said.
pub fn count(code: &[u8], processor: &str) -> Option<u32> {
    let family = Family::of(processor)?;
    let (words, rest) = code.as_chunks::<WORD_BYTES>();
    rest.is_empty().then_some(())?;
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let (mut at, mut count) = (0, 0_u32);
    while at < words.len() {
        let second = words.get(at + 1).copied().unwrap_or_default();
        at += length(*words.get(at)?, second, family)?;
        count = count.checked_add(1)?;
    }
    (at == words.len()).then_some(count)
}

/// So many bits of a word from this one on.
const fn bits(word: u32, from: u32, count: u32) -> u32 {
    word >> from & ((1 << count) - 1)
}

/// Words of an instruction.
fn length(first: u32, second: u32, family: Family) -> Option<usize> {
    match bits(first, 30, 2) {
        0 | 1 => Some(1 + vector(first, family)),
        2 => Some(1 + scalar(first, family)),
        _ => long(first, second, family),
    }
}

/// Words behind the first one of an instruction with one or two vector operands, or of a comparison.
fn vector(first: u32, family: Family) -> usize {
    let (opcode, source) = (bits(first, 25, 6), bits(first, 0, 9));
    // Multiply and add with a constant: it always follows.
    let has_constant = match family {
        Family::Nine => matches!(opcode, 23 | 24 | 36 | 37),
        Family::Ten => matches!(opcode, 32 | 33 | 44 | 45 | 55 | 56),
        Family::Eleven | Family::Twelve => matches!(opcode, 44 | 45 | 55 | 56),
    };
    usize::from(has_constant || source == LITERAL || is_about_lanes(source, family) || (family <= Family::Ten && source == 249))
}

/// Whether the operand says that a word about lanes follows: by four, by eight.
fn is_about_lanes(source: u32, family: Family) -> bool {
    source == 250 || (family > Family::Nine && matches!(source, 233 | 234))
}

/// Words behind the first one of a scalar instruction.
fn scalar(first: u32, family: Family) -> usize {
    let [low, high] = [bits(first, 0, 8), bits(first, 8, 8)].map(|source| source == LITERAL);
    let has_literal = match bits(first, 23, 9) {
        // One operand.
        0x17d => low,
        // Comparisons.
        0x17e => low || high,
        // None: waits and jumps.
        0x17f => false,
        // A constant in the word itself, and in one case another behind it.
        _ if bits(first, 28, 4) == 0xb => {
            let set_register = match family {
                Family::Nine => 20,
                Family::Ten => 21,
                Family::Eleven | Family::Twelve => 19,
            };
            bits(first, 23, 5) == set_register
        }
        _ => low || high || (family >= Family::Eleven && matches!(bits(first, 23, 7), 69 | 70)),
    };
    usize::from(has_literal)
}

/// Words of an instruction of two or more, by the six highest bits.
fn long(first: u32, second: u32, family: Family) -> Option<usize> {
    let sources = [0, 9, 18].map(|from| bits(second, from, 9));
    // Three operands, of which one may be a literal since RDNA, and the first say that a word about lanes follows since RDNA 3.
    let three = || {
        let is_about_lanes = family >= Family::Eleven && is_about_lanes(sources[0], family);
        2 + usize::from(family > Family::Nine && (sources.contains(&LITERAL) || is_about_lanes))
    };
    match (family, bits(first, 26, 6)) {
        (Family::Nine, 0x35) | (Family::Ten, 0x32) => Some(1),
        (Family::Ten, 0x33) | (Family::Ten | Family::Eleven | Family::Twelve, 0x35) => Some(three()),
        // Reads of images may name more addresses.
        (Family::Ten, 0x3c) => Some(2 + bits(first, 1, 2) as usize),
        (Family::Eleven, 0x3c) => Some(2 + bits(first, 0, 1) as usize),
        (Family::Nine, 0x30 | 0x31 | 0x34 | 0x36 | 0x37 | 0x38 | 0x3a | 0x3c)
        | (Family::Ten | Family::Eleven, 0x36 | 0x37 | 0x38 | 0x3a | 0x3d | 0x3e)
        | (Family::Twelve, 0x36 | 0x3d | 0x3e) => Some(2),
        // Two instructions in one.
        (Family::Eleven | Family::Twelve, 0x32) => {
            let has_constant = [bits(first, 22, 4), bits(first, 17, 5)].iter().any(|opcode| matches!(opcode, 1 | 2));
            let has_literal = [bits(first, 0, 9), sources[0]].contains(&LITERAL);
            Some(2 + usize::from(has_constant || has_literal))
        }
        (Family::Eleven | Family::Twelve, 0x33) => match bits(first, 24, 2) {
            0 => Some(three()),
            1 => Some(2),
            2 => Some(1),
            _ => None,
        },
        (Family::Twelve, 0x31 | 0x34 | 0x39 | 0x3b) => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    fn of(words: &[u32], processor: &str) -> Option<u32> {
        count(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>(), processor)
    }

    #[test]
    fn lengths_by_hand() {
        // v_lshlrev_b16 v9, 8, v9; v_or_b32_sdwa; s_setpc_b64: of LLVM's listing for gfx1030.
        assert_eq!(of(&[0xd714_0009, 0x0002_1288, 0x3810_12f9, 0x0600_0608, 0xbe80_201e], "gfx1030"), Some(3));
        // s_mov_b32 s0, 0x12345: a literal.
        assert_eq!(of(&[0xbe80_00ff, 0x0001_2345, 0xbf81_0000], "gfx90a"), Some(2));
        // Cut within an instruction; a processor whose formats are not known.
        assert_eq!(of(&[0xbe80_00ff], "gfx90a"), None);
        assert_eq!(
            [of(&[0xbf81_0000], "gfx803"), of(&[0xbf81_0000], "gfx950"), of(&[0xbf81_0000], "gfx1250"), of(&[0xbf81_0000], "")],
            [None; 4]
        );
        assert_eq!(count(&[0, 0, 0x81], "gfx1030"), None);
        assert_eq!(count(&[], "gfx1030"), Some(0));
    }
}
