//! Kernel text that is not this program's own may take nothing of other files: a compiler would read any file that the person may read, and quote it in its log.
//!
//! What a compiler takes for a directive is told here without reading the text as it would: comments are not followed, so that nothing hides behind a literal or a comment
//! that is told apart in another way. A directive begins its line, but for blanks and the end of a comment; that of a block comment which begins a line is refused, too.

use base::error::Result;
use base::texts::failed;

/// Directives that take what is in other files.
const DIRECTIVES: [&str; 5] = ["include", "include_next", "__include_macros", "import", "embed"];

/// Names that tell whether a file is there.
const QUESTIONS: [&str; 3] = ["__has_include", "__has_include_next", "__has_embed"];

/// That `text` takes nothing of other files.
///
/// # Errors
/// Failed, with the line and what stands there.
pub fn refuse_includes(text: &str) -> Result<()> {
    // Compilers differ in whether they replace trigraphs and in whether a blank may stand behind the backslash at a line's end: none may find more than was looked at.
    let readings = [(false, false), (false, true), (true, false), (true, true)];
    let found = readings.into_iter().find_map(|(has_trigraphs, has_blanks)| first(&joined(text, has_trigraphs, has_blanks)));
    found.map_or(Ok(()), |(line, word)| Err(failed("errors.source.includes", &[("line", &line), ("word", &word)])))
}

/// A character with the number of its line.
type Letter = (usize, char);

/// The text as a compiler reads it: trigraphs replaced, one kind of line end, continued lines joined.
fn joined(text: &str, has_trigraphs: bool, has_blanks: bool) -> Vec<Letter> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = if has_trigraphs { text.replace("??=", "#").replace("??/", "\\") } else { text };
    let mut letters = Vec::with_capacity(text.len());
    for (line, words) in (1..).zip(text.split('\n')) {
        let end = if has_blanks { words.trim_end_matches(is_blank) } else { words };
        match end.strip_suffix('\\') {
            Some(words) => letters.extend(words.chars().map(|letter| (line, letter))),
            None => letters.extend(words.chars().chain(['\n']).map(|letter| (line, letter))),
        }
    }
    letters
}

/// What compilers take for a blank within a line, which is more than the standard says.
fn is_blank(letter: char) -> bool {
    (letter.is_whitespace() && letter != '\n') || matches!(letter, '\0' | '\u{180e}' | '\u{feff}')
}

/// The first directive or question and its line.
fn first(letters: &[Letter]) -> Option<(usize, String)> {
    let mut begins_line = true;
    let mut before = ' ';
    for (place, (line, letter)) in letters.iter().enumerate() {
        let rest = letters.get(place..).unwrap_or_default();
        let behind = match rest {
            [(_, '#'), behind @ ..] | [(_, '%'), (_, ':'), behind @ ..] if begins_line => Some(behind),
            _ => None,
        };
        if let Some(behind) = behind {
            let word = word(behind_blanks(behind));
            if DIRECTIVES.contains(&word.as_str()) {
                return Some((*line, format!("#{word}")));
            }
        }
        if *letter == '_' && !is_of_word(before) {
            let word = word(rest);
            if QUESTIONS.contains(&word.as_str()) {
                return Some((*line, word));
            }
        }
        begins_line = match letter {
            '\n' => true,
            // The end of a comment: what came before it may have been one.
            '/' if before == '*' => true,
            letter => begins_line && is_blank(*letter),
        };
        before = *letter;
    }
    None
}

/// Without the blanks and comments at its beginning.
fn behind_blanks(mut letters: &[Letter]) -> &[Letter] {
    loop {
        letters = match letters {
            [(_, letter), rest @ ..] if is_blank(*letter) => rest,
            [(_, '/'), (_, '*'), rest @ ..] => {
                let end = rest.windows(2).position(|pair| matches!(pair, [(_, '*'), (_, '/')]));
                end.and_then(|end| rest.get(end + 2..)).unwrap_or_default()
            }
            letters => return letters,
        };
    }
}

/// Whether a letter belongs to a name in OpenCL C.
#[must_use]
pub fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The name that it begins with.
fn word(letters: &[Letter]) -> String {
    letters.iter().map(|(_, letter)| *letter).take_while(|letter| is_of_word(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::refuse_includes;
    use crate::filters::VariantExt as _;

    #[test]
    fn nothing_of_another_file_is_taken_however_it_is_written() {
        for text in [
            "#include \"/etc/passwd\"",
            "  # include </etc/passwd>",
            "#define M \"/etc/passwd\"\n#include M",
            "#define M(x) #x\n#include M(/etc/passwd)",
            "#include __FILE__",
            "#\\\ninclude \"a\"",
            "#inc\\\nlude \"a\"",
            "#inc\\ \t\r\nlude \"a\"",
            "\\\n#include \"a\"",
            "#/* a\ncomment */ /**/include \"a\"",
            "/* a */ /* b */ #include \"a\"",
            "/* a\n */ #include \"a\"",
            "%:include \"a\"",
            "%\\\n:include \"a\"",
            "??=include \"a\"",
            "%: include_next <a>",
            "#inc??/\nlude \"a\"",
            "int a; // ??/\n#include \"a\"",
            "int a; // \\ \n#include \"a\"",
            "int a;\r#include \"a\"",
            "\u{feff}#include \"a\"",
            "\u{a0}\u{b}\u{c}\0#\u{3000}include \"a\"",
            "char a = '\"';\n#include \"a\"\nchar b = '\"';",
            "// a /*\n#include \"a\"\n// */",
            "\" /*\n#include \"a\"\n\" */",
            "R\"(\" /* )\"\n#include \"a\"\n/* \"",
            "#import \"a\"",
            "const char a[] = {\n#embed \"/etc/passwd\"\n};",
            "#if __has_include(\"/etc/passwd\")\n#endif",
            "#if __has_\\\nembed(\"/etc/passwd\")\n#endif",
        ] {
            let error = refuse_includes(&format!("__kernel void k() {{}}\n{text}\n")).expect_err(text);
            assert!(error.why.starts_with("line "), "{error}");
        }
        assert!(refuse_includes("a\nb\n#inc\\\nlude \"a\"").expect_err("line 3").why.contains("line 3: #include"));
    }

    #[test]
    fn what_only_looks_like_it_is_no_harm() {
        for text in [
            "// #include \"a\"\n/* #include \"a\" */",
            "char a[] = \"#include\"; int b = a#include;",
            "#define include 1\n#define NAME(a) # a\n#pragma unroll\n#includes\n# 7\n#",
            "int import, embed, __has_includes, a__has_include;",
            "a % b; a ?: b;",
            "??",
            "#/* no end",
            "\\",
        ] {
            refuse_includes(text).expect(text);
        }
    }

    #[test]
    fn all_kernels_of_this_program_may_be_edited() {
        use crate::filters;
        use model::{Parameters, Setting, Variant};
        for filter in filters::all() {
            let setting = Setting::new(filter.channels[0], filter.default_border);
            for variant in Variant::all(filter, setting) {
                let text = crate::kernel_source::compose(filter, &variant, setting, &Parameters::default()).expect("an allowed variant");
                refuse_includes(&text).expect("nothing of another file");
            }
        }
    }
}
