//! The words of OpenCL C. Resolved kernels use no more than these; a missing one only lacks its color.

use super::lexer::Class;

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
