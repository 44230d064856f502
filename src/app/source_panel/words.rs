//! The words of OpenCL C. Resolved kernels use no more than these; a missing one only lacks its color.

use super::lexer::Class;
use std::sync::LazyLock;

const KEYWORDS: [&str; 16] = [
    "break", "case", "continue", "default", "do", "else", "enum", "for", "goto", "if", "return", "sizeof", "struct", "switch", "typedef",
    "while",
];

const QUALIFIERS: [&str; 22] = [
    "__attribute__",
    "__constant",
    "__global",
    "__kernel",
    "__local",
    "__private",
    "__read_only",
    "__read_write",
    "__write_only",
    "const",
    "constant",
    "extern",
    "global",
    "inline",
    "kernel",
    "local",
    "private",
    "read_only",
    "restrict",
    "static",
    "volatile",
    "write_only",
];

/// Types that have vectors of 2, 3, 4, 8 and 16.
const VECTOR_TYPES: [&str; 11] = ["char", "double", "float", "half", "int", "long", "short", "uchar", "uint", "ulong", "ushort"];

const OTHER_TYPES: [&str; 12] = [
    "bool",
    "event_t",
    "image1d_t",
    "image2d_array_t",
    "image2d_t",
    "image3d_t",
    "ptrdiff_t",
    "sampler_t",
    "signed",
    "size_t",
    "unsigned",
    "void",
];

const BUILT_INS: [&str; 44] = [
    "abs",
    "abs_diff",
    "add_sat",
    "all",
    "any",
    "barrier",
    "bitselect",
    "clamp",
    "dot",
    "fabs",
    "fma",
    "fmax",
    "fmin",
    "get_global_id",
    "get_global_offset",
    "get_global_size",
    "get_group_id",
    "get_image_height",
    "get_image_width",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
    "get_work_dim",
    "hadd",
    "length",
    "mad",
    "mad24",
    "mad_hi",
    "mad_sat",
    "max",
    "mem_fence",
    "min",
    "mix",
    "mul24",
    "mul_hi",
    "popcount",
    "prefetch",
    "rhadd",
    "rotate",
    "rsqrt",
    "select",
    "shuffle",
    "sqrt",
    "sub_sat",
];

/// Families of built-in functions whose names end in a type or a width.
const BUILT_IN_PREFIXES: [&str; 14] = [
    "as_",
    "async_work_group_",
    "atomic_",
    "convert_",
    "half_",
    "native_",
    "read_image",
    "sub_group_",
    "vload",
    "vstore",
    "work_group_",
    "write_image",
    "CLK_",
    "__builtin_",
];

/// Integer types, to which others are converted with saturation.
const INTEGER_TYPES: [&str; 8] = ["char", "int", "long", "short", "uchar", "uint", "ulong", "ushort"];

/// Widths of vectors.
const WIDTHS: [&str; 5] = ["2", "3", "4", "8", "16"];

/// Functions and constants of families that are named one by one.
const OF_FAMILIES: [&str; 26] = [
    "CLK_ADDRESS_CLAMP_TO_EDGE",
    "CLK_FILTER_NEAREST",
    "CLK_GLOBAL_MEM_FENCE",
    "CLK_LOCAL_MEM_FENCE",
    "CLK_NORMALIZED_COORDS_FALSE",
    "async_work_group_copy",
    "atomic_add",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "native_divide",
    "native_exp",
    "native_exp2",
    "native_log2",
    "native_powr",
    "native_recip",
    "native_rsqrt",
    "native_sqrt",
    "read_imagef",
    "read_imagei",
    "read_imageui",
    "sub_group_broadcast",
    "work_group_barrier",
    "write_imagef",
    "write_imagei",
    "write_imageui",
];

/// Every word that can be offered while somebody types.
pub fn known_words() -> &'static [String] {
    static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let single = KEYWORDS.iter().chain(&QUALIFIERS).chain(&OTHER_TYPES).chain(&BUILT_INS).chain(&OF_FAMILIES);
        let vectors = |kind: &str| std::iter::once("").chain(WIDTHS).map(|width| format!("{kind}{width}")).collect::<Vec<_>>();
        let types = VECTOR_TYPES.iter().flat_map(|kind| vectors(kind));
        let conversions = types.clone().flat_map(|kind| [format!("convert_{kind}"), format!("as_{kind}")]);
        let saturating = INTEGER_TYPES.iter().flat_map(|kind| vectors(kind)).map(|kind| format!("convert_{kind}_sat"));
        let memory = WIDTHS.iter().flat_map(|width| [format!("vload{width}"), format!("vstore{width}")]);
        single.map(|word| (*word).to_owned()).chain(types.clone()).chain(conversions).chain(saturating).chain(memory).collect()
    });
    &WORDS
}

/// What a word is.
pub fn word_class(word: &str) -> Class {
    let base = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let width = word.get(base.len()..).unwrap_or("");
    if KEYWORDS.contains(&word) {
        Class::Keyword
    } else if QUALIFIERS.contains(&word) {
        Class::Qualifier
    } else if OTHER_TYPES.contains(&word) || (VECTOR_TYPES.contains(&base) && ["", "2", "3", "4", "8", "16"].contains(&width)) {
        Class::Type
    } else if BUILT_INS.contains(&word) || BUILT_IN_PREFIXES.iter().any(|prefix| word.starts_with(prefix)) {
        Class::BuiltIn
    } else {
        Class::Plain
    }
}
