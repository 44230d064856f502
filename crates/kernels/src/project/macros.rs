//! Names in capitals that kernels use and that are left to whoever builds them: most likely what is to be tuned.

use super::job::Element;
use super::signature::{is_of_word, plain};

/// Beginnings of OpenCL C's own names in capitals.
const OWN: [&str; 17] = [
    "CL", "M_", "FLT_", "DBL_", "HALF_", "CHAR_", "SCHAR_", "UCHAR_", "SHRT_", "USHRT_", "INT_", "UINT_", "LONG_", "ULONG_", "FP_",
    "HUGE_VAL", "MAXFLOAT",
];
const OWN_WORDS: [&str; 3] = ["NAN", "INFINITY", "NULL"];

/// A name that a build may define, with the value that the text gives it where it is not defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// The name.
    pub name: String,
    /// A whole number behind `#ifndef NAME` and `#define NAME`.
    pub default: Option<u32>,
}

/// Those of a text, in the order of first use.
#[must_use]
pub fn tunables(source: &str) -> Vec<Tunable> {
    let mut found: Vec<Tunable> = Vec::new();
    let mut defined: Vec<&str> = Vec::new();
    let mut asked = None;
    for line in source.lines().map(str::trim) {
        let directive = line.strip_prefix('#').map(str::trim_start);
        if let Some(name) = directive.and_then(|directive| directive.strip_prefix("ifndef ")) {
            asked = name.split_whitespace().next();
        } else if let Some(rest) = directive.and_then(|directive| directive.strip_prefix("define ")) {
            let mut words = rest.split_whitespace();
            let name = words.next().and_then(|name| name.split('(').next()).unwrap_or_default();
            defined.push(name);
            if asked == Some(name)
                && let Some(Ok(default)) = words.next().map(str::parse)
            {
                found.push(Tunable { name: name.to_owned(), default: Some(default) });
            }
        }
    }
    let text = plain(source);
    let mut before = "";
    for word in text.split(|letter: char| !is_of_word(letter)).filter(|word| !word.is_empty()) {
        // What a type stands before is a variable.
        if is_type(before) {
            defined.push(word);
        }
        let is_known = defined.contains(&word) || found.iter().any(|known| known.name == word);
        if is_left_open(word) && !is_known {
            found.push(Tunable { name: word.to_owned(), default: None });
        }
        before = word;
    }
    found
}

fn is_type(word: &str) -> bool {
    let scalar = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    Element::of_name(scalar).is_some() || ["const", "restrict", "size_t", "bool", "unsigned", "void"].contains(&word)
}

fn is_left_open(word: &str) -> bool {
    let is_capital = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    word.len() >= 2
        && word.starts_with(|letter: char| letter.is_ascii_uppercase())
        && word.chars().all(is_capital)
        && !OWN.iter().any(|own| word.starts_with(own))
        && !OWN_WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::tunables;

    #[test]
    fn names_left_to_the_build_are_found_with_their_defaults() {
        let source = "// NOT_THIS\n#ifndef WG\n#define WG 64\n#endif\n#define TILE 16\n#ifdef USE_IMAGE\n#endif\n\
            __kernel void total(__global const float *in, const int N, int HEIGHT) {\n\
            __local float part[WG]; const int ROWS = PER_ITEM * TILE; float4 V4 = 0; if (N > INT_MAX || ROWS) barrier(CLK_LOCAL_MEM_FENCE);\n\
            part[0] = M_PI_F * V4.x * HEIGHT + PER_ITEM + NAN; }";
        let found: Vec<_> = tunables(source).into_iter().map(|tunable| (tunable.name, tunable.default)).collect();
        assert_eq!(found, [("WG".to_owned(), Some(64)), ("PER_ITEM".to_owned(), None)]);
    }
}
