use super::resolve;
use std::collections::BTreeMap;

const DEFAULTS: &str = "#ifndef FAST\n#define FAST 0 // 1: quickly\n#endif\n#ifndef LANES\n#define LANES 4 // Bytes at once\n#endif\n";

fn resolved(body: &str, defines: &[(&'static str, i64)]) -> Result<String, String> {
    let text = format!("{DEFAULTS}{body}");
    resolve(("test.cl", &text), &[("other.clh", "int other;\n"), ("bad.clh", "int a;\n#pragma once\n")], &defines.iter().copied().collect())
}

#[test]
fn the_branch_that_is_chosen_remains_alone() {
    let body = "a;\n#if FAST == 1\n// Quick.\nb;\n#elif LANES > 4\nc;\n#else\nd;\n#endif\ne;\n";
    assert_eq!(resolved(body, &[]).as_deref(), Ok("a;\nd;\ne;\n"));
    assert_eq!(resolved(body, &[("LANES", 8)]).as_deref(), Ok("a;\nc;\ne;\n"));
    assert_eq!(resolved(body, &[("FAST", 1), ("LANES", 8)]).as_deref(), Ok("a;\n// Quick.\nb;\ne;\n"));
}

#[test]
fn nested_branches_need_both_conditions() {
    let body = "#if FAST == 1\n#if LANES == 4\na;\n#else\nb;\n#endif\n#endif\nc;\n";
    assert_eq!(resolved(body, &[]).as_deref(), Ok("c;\n"));
    assert_eq!(resolved(body, &[("FAST", 1)]).as_deref(), Ok("a;\nc;\n"));
    assert_eq!(resolved(body, &[("FAST", 1), ("LANES", 8)]).as_deref(), Ok("b;\nc;\n"));
}

#[test]
fn a_default_remains_where_its_name_is_used_as_a_value() {
    assert_eq!(resolved("int a = LANES;\n", &[("LANES", 8)]).as_deref(), Ok("#define LANES 8 // Bytes at once\nint a = LANES;\n"));
    // In a comment, in a literal, or in a condition alone it is not a value.
    assert_eq!(resolved("// LANES\nf(\"LANES\");\n#if LANES\n#endif\n", &[]).as_deref(), Ok("// LANES\nf(\"LANES\");\n"));
}

#[test]
fn a_default_that_vanishes_takes_its_comment_along() {
    let text = "// Kept.\n\n// About X,\n// at length.\n#ifndef X\n#define X 1\n#endif\na;\n";
    assert_eq!(resolve(("test.cl", text), &[], &BTreeMap::new()).as_deref(), Ok("// Kept.\n\na;\n"));
}

#[test]
fn a_define_that_nothing_uses_vanishes_and_so_does_what_only_it_used() {
    let body = "// About A.\n#define A LANES\n#define B A\n// About C.\n#define C 1\nint c = C;\n";
    assert_eq!(resolved(body, &[]).as_deref(), Ok("// About C.\n#define C 1\nint c = C;\n"));
}

#[test]
fn the_first_default_of_a_name_counts() {
    let body = "#ifndef LANES\n#define LANES 16 // Other\n#endif\nint a = LANES;\n#if LANES == 4\nfour;\n#endif\n";
    assert_eq!(resolved(body, &[]).as_deref(), Ok("#define LANES 4 // Bytes at once\nint a = LANES;\nfour;\n"));
}

#[test]
fn a_file_of_statements_can_be_included_in_a_body() {
    let files = [("common/half.clh", "#if FAST == 1\n    a;\n#else\n    b;\n#endif\n")];
    let text = format!("{DEFAULTS}void f()\n{{\n#include \"common/half.clh\" // what it does\n    c;\n}}\n");
    let expected = "void f()\n{\n    b;\n    c;\n}\n";
    assert_eq!(resolve(("test.cl", &text), &files, &BTreeMap::new()).as_deref(), Ok(expected));
}

#[test]
fn a_file_beside_the_one_that_includes_it_comes_before_one_of_another_folder() {
    let files = [("part.clh", "far;\n"), ("own/part.clh", "near;\n#include \"common/shared.clh\"\n"), ("common/shared.clh", "shared;\n")];
    let text = "#include \"part.clh\"\n";
    assert_eq!(resolve(("own/own.cl", text), &files, &BTreeMap::new()).as_deref(), Ok("near;\nshared;\n"));
    assert_eq!(resolve(("other/other.cl", text), &files, &BTreeMap::new()).as_deref(), Ok("far;\n"));
}

#[test]
fn plain_defines_and_includes_are_kept() {
    let body = "#define widen convert_int4 // why\n#include \"other.clh\" // what for\nwiden(LANES);\n";
    let expected = "#define LANES 4 // Bytes at once\n#define widen convert_int4 // why\nint other;\nwiden(LANES);\n";
    assert_eq!(resolved(body, &[]).as_deref(), Ok(expected));
}

#[test]
fn blank_lines_do_not_pile_up() {
    let body = "\n\na {\n\n#if FAST == 1\nb;\n#endif\n\n    c;\n\n\n    d;\n\n#if FAST == 1\ne;\n#endif\n}\n\n";
    assert_eq!(resolved(body, &[]).as_deref(), Ok("a {\n    c;\n\n    d;\n}\n"));
}

#[test]
fn directives_in_block_comments_are_text() {
    let body = "/* as in\n#if NOTHING\n{ */\na;\n";
    assert_eq!(resolved(body, &[]).as_deref(), Ok(body));
}

#[test]
fn every_error_names_file_and_line() {
    for (body, line, part) in [
        ("#pragma once\n", 7, "directive '#pragma' is not allowed"),
        ("#ifdef FAST\n#endif\n", 7, "directive '#ifdef' is not allowed"),
        ("#undef FAST\n", 7, "directive '#undef' is not allowed"),
        ("a;\n#if SLOW == 1\n#endif\n", 8, "there is no name 'SLOW' here; valid names: FAST, LANES"),
        ("#if FAST == 1\n#if SLOW == 1\n#endif\n#endif\n", 8, "there is no name 'SLOW'"),
        ("#if FAST == 1\n#elif SLOW\n#endif\n", 8, "there is no name 'SLOW'"),
        ("#if defined(FAST)\n#endif\n", 7, "'defined' is not allowed in a condition"),
        ("#if FAST &\n#endif\n", 7, "'&' is not allowed"),
        ("#if FAST == 1\na;\n", 7, "no '#endif'"),
        ("a;\n#endif\n", 8, "'#endif' without '#if'"),
        ("#else\n", 7, "'#else' without '#if'"),
        ("#if FAST\n#else\n#else\n#endif\n", 9, "after '#else'"),
        ("#if FAST\n#else\n#elif LANES\n#endif\n", 9, "after '#else'"),
        ("#if FAST\n#endif FAST\n", 8, "'FAST' does not belong after '#endif'"),
        ("#if 1\n#if 1\n#if 1\n#if 1\n#endif\n#endif\n#endif\n#endif\n", 10, "more than 3 deep"),
        ("#if FAST\nif (a) {\n#endif\n", 9, "the branch of line 7 ends with an open '{'"),
        ("#if FAST\n{\n#else\n#endif\n", 9, "the branch of line 7 ends with an open '{'"),
        ("{\n#if FAST\n}\n#endif\n", 9, "'}' closes what this branch did not open"),
        ("void f(int a,\n#if FAST\nint b,\n#endif\nint c);\n", 8, "must not cut a parameter list"),
        ("{\n", 7, "the file ends with an open '{'"),
        ("#define F(x) x\n", 7, "without parameters"),
        ("#define\n", 7, "without parameters"),
        ("#define LANES 8\n", 7, "'LANES' has a default"),
        ("#define A \\\n1\n", 7, "must not continue"),
        ("#ifndef X\n#define Y 1\n#endif\n", 7, "expected '#ifndef X'"),
        ("#ifndef X\n#define X 1 + 1\n#endif\n", 7, "expected '#ifndef X'"),
        ("#ifndef X\n#define X 1\n#define Y 2\n#endif\n", 7, "expected '#ifndef X'"),
        ("#if 1\n#ifndef X\n#define X 1\n#endif\n#endif\n", 8, "stands inside a branch"),
        ("#include <other.clh>\n", 7, "expected '#include"),
        ("#include \"missing.clh\"\n", 7, "there is no file 'missing.clh'"),
    ] {
        let sentence = resolved(body, &[]).expect_err(body);
        assert!(sentence.starts_with(&format!("test.cl:{line}: ")), "{body:?}: {sentence}");
        assert!(sentence.contains(part), "{body:?}: {sentence}");
    }
}

#[test]
fn an_error_in_an_included_file_names_that_file() {
    let sentence = resolved("#include \"bad.clh\"\n", &[]).expect_err("a directive that is not allowed");
    assert_eq!(sentence, "bad.clh:2: directive '#pragma' is not allowed");
}

#[test]
fn a_default_of_an_included_file_does_not_depend_on_a_branch() {
    let files = [("defaults.clh", "#ifndef X\n#define X 1\n#endif\n")];
    let text = "#if 1\n#include \"defaults.clh\"\n#endif\n";
    let sentence = resolve(("test.cl", text), &files, &BTreeMap::new()).expect_err("only sometimes a default");
    assert_eq!(sentence, "defaults.clh:1: the default of 'X' stands inside a branch");
}

#[test]
fn a_file_cannot_include_itself() {
    let files = [("a.clh", "#include \"a.clh\"\n")];
    let sentence = resolve(("test.cl", "#include \"a.clh\"\n"), &files, &BTreeMap::new()).expect_err("endless");
    assert_eq!(sentence, "a.clh:1: 'a.clh' includes itself");
}
