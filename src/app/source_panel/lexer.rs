//! OpenCL C, sorted into what gets a color of its own. Not a parser: good enough for reading, and never loses a byte.

use super::words::word_class;
use std::ops::Range;

/// What a piece of source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Names, operators, white space.
    Plain,
    /// `if`, `for`, `return`, …
    Keyword,
    /// `int`, `uchar16`, `image2d_t`, …
    Type,
    /// `__kernel`, `const`, `__global`, `restrict`, …
    Qualifier,
    /// `get_global_id`, `vload16`, `convert_short8`, …
    BuiltIn,
    /// A line that begins with `#`, its continuations included.
    Preprocessor,
    /// `// …` and `/* … */`.
    Comment,
    /// `0x1f`, `3.0f`, …
    Number,
    /// `"…"` and `'…'`.
    Text,
}

impl Class {
    /// All.
    #[cfg(test)]
    pub const ALL: [Self; 9] = [
        Self::Plain,
        Self::Keyword,
        Self::Type,
        Self::Qualifier,
        Self::BuiltIn,
        Self::Preprocessor,
        Self::Comment,
        Self::Number,
        Self::Text,
    ];
}

/// The whole text as consecutive pieces; together they cover it.
#[must_use]
pub fn classify(source: &str) -> Vec<(Range<usize>, Class)> {
    let mut pieces: Vec<(Range<usize>, Class)> = Vec::new();
    let mut at = 0;
    let mut is_line_start = true;
    while at < source.len() {
        let rest = source.get(at..).unwrap_or("");
        let (class, length) = first_piece(rest, is_line_start);
        // At least one whole character, whatever it is.
        let length = length.max(rest.chars().next().map_or(1, char::len_utf8));
        let text = rest.get(..length).unwrap_or(rest);
        is_line_start = text.ends_with('\n') || (is_line_start && text.trim().is_empty());
        match pieces.last_mut() {
            Some((range, last)) if *last == class && class == Class::Plain => range.end = at + length,
            _ => pieces.push((at..at + length, class)),
        }
        at += length;
    }
    pieces
}

fn first_piece(rest: &str, is_line_start: bool) -> (Class, usize) {
    if rest.starts_with("//") {
        return (Class::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if let Some(inside) = rest.strip_prefix("/*") {
        return (Class::Comment, inside.find("*/").map_or(rest.len(), |end| end + 4));
    }
    match rest.chars().next() {
        Some('#') if is_line_start => (Class::Preprocessor, directive_length(rest)),
        Some(quote @ ('"' | '\'')) => (Class::Text, text_length(rest, quote)),
        Some(first) if first.is_ascii_digit() => (Class::Number, number_length(rest)),
        Some(first) if first.is_ascii_alphabetic() || first == '_' => {
            let length = rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len());
            (word_class(rest.get(..length).unwrap_or("")), length)
        }
        _ => (Class::Plain, 0),
    }
}

/// To the line's end, over `\` at the ends of lines, or to a comment.
fn directive_length(rest: &str) -> usize {
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        let comment = [line.find("//"), line.find("/*")].into_iter().flatten().min();
        if let Some(comment) = comment {
            return length + comment;
        }
        length += line.len();
        if !line.trim_end_matches(['\r', '\n']).ends_with('\\') {
            return length - (line.len() - line.trim_end_matches(['\r', '\n']).len());
        }
    }
    length
}

/// To the closing quote, or to the line's end where it is missing.
fn text_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// Digits, letters and dots, with a sign after an exponent.
fn number_length(rest: &str) -> usize {
    let is_hex = rest.starts_with("0x") || rest.starts_with("0X");
    let mut before = '0';
    for (at, letter) in rest.char_indices() {
        let is_exponent_sign = !is_hex && matches!(letter, '+' | '-') && matches!(before, 'e' | 'E');
        if !(is_word(letter) || letter == '.' || is_exponent_sign) {
            return at;
        }
        before = letter;
    }
    rest.len()
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::{Class, classify};

    fn words(source: &str) -> Vec<(&str, Class)> {
        let pieces = classify(source).into_iter().map(|(range, class)| (&source[range], class));
        pieces.filter(|(_, class)| *class != Class::Plain).collect()
    }

    #[test]
    fn a_kernel_s_head_is_told_apart() {
        assert_eq!(
            words("__kernel void laplace(__global const uchar *restrict source)"),
            [
                ("__kernel", Class::Qualifier),
                ("void", Class::Type),
                ("__global", Class::Qualifier),
                ("const", Class::Qualifier),
                ("uchar", Class::Type),
                ("restrict", Class::Qualifier),
            ]
        );
    }

    #[test]
    fn vectors_and_built_ins_are_known_by_family() {
        assert_eq!(
            words("uchar16 a = vload16(0, p); short8 b = convert_short8(a.s01234567); int5 c;"),
            [
                ("uchar16", Class::Type),
                ("vload16", Class::BuiltIn),
                ("0", Class::Number),
                ("short8", Class::Type),
                ("convert_short8", Class::BuiltIn),
            ]
        );
        assert_eq!(
            words("if (x) return 1.5e-3f + 0x1F;").iter().map(|(text, _)| *text).collect::<Vec<_>>(),
            ["if", "return", "1.5e-3f", "0x1F"]
        );
    }

    #[test]
    fn comments_directives_and_texts_end_where_they_end() {
        assert_eq!(words("a // int\nb"), [("// int", Class::Comment)]);
        assert_eq!(words("/* int\n x */ y /* open"), [("/* int\n x */", Class::Comment), ("/* open", Class::Comment)]);
        assert_eq!(words("  #define A \\\n 3 // three\nx"), [("#define A \\\n 3 ", Class::Preprocessor), ("// three", Class::Comment)]);
        assert_eq!(words("x # y"), []);
        assert_eq!(words("f(\"a\\\"b\", 'c')"), [("\"a\\\"b\"", Class::Text), ("'c'", Class::Text)]);
        assert_eq!(words("\"open\nint"), [("\"open", Class::Text), ("int", Class::Type)]);
    }

    #[test]
    fn every_byte_is_covered_once_whatever_the_text() {
        for source in ["", "ä/*", "#", "\\", "é\"µ\n#ifdef x\\", "0x", "🙂 int", "'", "#define ä \\\r\n ö\r\nint"] {
            let mut end = 0;
            for (range, _) in classify(source) {
                assert_eq!(range.start, end, "{source:?}");
                assert!(source.get(range.clone()).is_some_and(|text| !text.is_empty()), "{source:?}");
                end = range.end;
            }
            assert_eq!(end, source.len(), "{source:?}");
        }
    }

    #[test]
    fn the_kernels_of_this_program_have_every_kind_but_text() {
        // Not each file: a small part of a kernel may do without.
        let seen: Vec<Class> =
            kernels::kernel_source::KERNEL_FILES.iter().flat_map(|(_, text)| classify(text)).map(|(_, class)| class).collect();
        for class in [Class::Keyword, Class::Type, Class::Qualifier, Class::BuiltIn, Class::Comment, Class::Number] {
            assert!(seen.contains(&class), "{class:?}");
        }
    }
}
