//! A line of x86 assembler or PTX, sorted into what gets a color of its own. Not a parser: good enough for reading, and never loses a byte.

use crate::app::source_panel::Class;
use std::ops::Range;

/// The line as consecutive pieces; together they cover it. An instruction that names memory has another color than one that does not.
pub fn classify(line: &str) -> Vec<(Range<usize>, Class)> {
    let code_end = [line.find("; "), line.find("//")].into_iter().flatten().min().unwrap_or(line.len());
    let (code, _) = line.split_at(code_end);
    let has_memory = code.contains('[');
    let mut pieces: Vec<(Range<usize>, Class)> = Vec::new();
    let mut push = |range: Range<usize>, class: Class| match pieces.last_mut() {
        Some((last, known)) if *known == class => last.end = range.end,
        _ => pieces.push((range, class)),
    };
    let mut at = 0;
    let mut is_mnemonic = !code.ends_with(':');
    while at < code.len() {
        let rest = code.get(at..).unwrap_or("");
        let length = rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len());
        if length == 0 {
            let letter = rest.chars().next().map_or(1, char::len_utf8);
            push(at..at + letter, Class::Plain);
            at += letter;
            continue;
        }
        let word = rest.get(..length).unwrap_or(rest);
        // A predicate stands before the mnemonic: "@%p1 bra".
        let is_predicate = word.starts_with('@');
        let class = if code.ends_with(':') {
            Class::Preprocessor
        } else if is_mnemonic && !is_predicate {
            is_mnemonic = false;
            if has_memory { Class::BuiltIn } else { Class::Keyword }
        } else {
            operand(word)
        };
        push(at..at + length, class);
        at += length;
    }
    if code_end < line.len() {
        push(code_end..line.len(), Class::Comment);
    }
    pieces
}

fn operand(word: &str) -> Class {
    let digits = word.strip_prefix('-').unwrap_or(word);
    if word.starts_with(['%', '@']) || is_register(word) {
        Class::Type
    } else if word.starts_with(".L") || word.starts_with('$') {
        Class::Preprocessor
    } else if digits.starts_with(|letter: char| letter.is_ascii_digit()) {
        Class::Number
    } else {
        Class::Plain
    }
}

/// Registers of x86-64: the sixteen general ones by all their widths, vector and mask registers.
fn is_register(word: &str) -> bool {
    let base = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let has_number = base.len() < word.len();
    match base {
        "xmm" | "ymm" | "zmm" | "mm" | "k" | "r" => has_number,
        "al" | "bl" | "cl" | "dl" | "ah" | "bh" | "ch" | "dh" | "sil" | "dil" | "bpl" | "spl" | "rip" => !has_number,
        _ => {
            let short = word.strip_prefix(['r', 'e']).unwrap_or(word);
            matches!(short, "ax" | "bx" | "cx" | "dx" | "si" | "di" | "bp" | "sp")
                || word.strip_prefix('r').is_some_and(|rest| rest.trim_end_matches(['d', 'w', 'b', 'l']).parse::<u8>().is_ok())
        }
    }
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '%' | '@' | '$')
}

#[cfg(test)]
mod tests {
    use super::{Class, classify};

    fn words(line: &str) -> Vec<(&str, Class)> {
        let pieces = classify(line).into_iter().map(|(range, class)| (&line[range], class));
        pieces.filter(|(text, _)| !text.trim().is_empty()).filter(|(_, class)| *class != Class::Plain).collect()
    }

    #[test]
    fn registers_numbers_and_memory_are_told_apart() {
        assert_eq!(
            words("    vmovd xmm4, dword ptr [rsi+0x9]"),
            [("vmovd", Class::BuiltIn), ("xmm4", Class::Type), ("rsi", Class::Type), ("0x9", Class::Number)]
        );
        assert_eq!(words("    add r10d, 3"), [("add", Class::Keyword), ("r10d", Class::Type), ("3", Class::Number)]);
        assert_eq!(words("    jne .L12"), [("jne", Class::Keyword), (".L12", Class::Preprocessor)]);
        assert_eq!(words(".L12:"), [(".L12", Class::Preprocessor)]);
        assert_eq!(
            words("    @%p1 ld.global.u8 %rs1, [%rd4+3]  ; note"),
            [
                ("@%p1", Class::Type),
                ("ld.global.u8", Class::BuiltIn),
                ("%rs1", Class::Type),
                ("%rd4", Class::Type),
                ("3", Class::Number),
                ("; note", Class::Comment)
            ]
        );
    }

    #[test]
    fn every_byte_is_covered_once_whatever_the_line() {
        for line in ["", "   ", "é; ä", "[", ":", "//", "mov eax, -1", "@", "call memcpy  ; through a pointer"] {
            let mut end = 0;
            for (range, _) in classify(line) {
                assert_eq!(range.start, end, "{line:?}");
                end = range.end;
            }
            assert_eq!(end, line.len(), "{line:?}");
        }
    }
}
