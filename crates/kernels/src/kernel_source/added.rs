//! Work that is added to the resolved text of a kernel: the bottleneck test.
//!
//! The kernel's own text stays as it is. A parameter is put at the end of its list and a block at the beginning of its body: the block computes or loads, and adds what
//! comes of it, and-ed with the parameter, to the pointer that the kernel writes through. The parameter is 0, which the compiler cannot know: it has to do the
//! work, and the pointer stays where it was. Only the stores wait for it, so that it runs beside the kernel's own loads and arithmetic wherever the device can.

use crate::footprint::AddedWork;
use model::AddedKind;
use std::fmt::Write as _;

/// The parameter that is 0.
const ZERO: &str = "added_zero";

/// The parameter that leads to the bytes.
const BYTES: &str = "added_bytes";

/// More instructions than this are put into a loop.
const MOST_IN_A_ROW: usize = 64;

/// `source` with this work added to one of its kernels.
///
/// # Errors
/// The kernel is not found, or nothing in its parameters can take the result.
pub fn with_added(source: &str, work: &AddedWork) -> Result<String, String> {
    let parameter = match work.kind {
        AddedKind::Bytes => format!(",\n    __global const {} *{BYTES}, int {ZERO}", byte_type(work.lanes)),
        AddedKind::Integer | AddedKind::Float => format!(",\n    int {ZERO}"),
    };
    inserted(source, &Insertion { kernel: work.kernel, parameter: &parameter }, |target| block(work, target))
}

/// What is put into a kernel.
pub(super) struct Insertion<'a> {
    /// Which kernel.
    pub kernel: &'a str,
    /// At the end of its parameters.
    pub parameter: &'a str,
}

/// `source` with a parameter at the end of a kernel's list and a block at the beginning of its body, which is told the parameter that can take a result.
///
/// # Errors
/// The kernel is not found, or nothing in its parameters can take the result.
pub(super) fn inserted(source: &str, insertion: &Insertion, block: impl FnOnce(&str) -> String) -> Result<String, String> {
    let code = without_comments(source);
    let (open, close) = parameters(&code, insertion.kernel)?;
    let body = code.get(close..).and_then(|rest| rest.find('{')).ok_or("it has no body")? + close + 1;
    let target = target(code.get(open..close).unwrap_or_default()).ok_or("it has neither a buffer to write nor a width")?;
    let (before, rest) = source.split_at(close);
    let (between, after) = rest.split_at(body - close);
    Ok(format!("{before}{}{between}\n{}{after}", insertion.parameter, block(target)))
}

/// Where a kernel's parameters begin and end.
fn parameters(code: &str, kernel: &str) -> Result<(usize, usize), String> {
    let head = format!("__kernel void {kernel}(");
    let open = code.find(&head).ok_or_else(|| format!("there is no kernel {kernel}"))? + head.len();
    let close = closing(code, open).ok_or("its parameters do not end")?;
    Ok((open, close))
}

/// The name of a kernel's parameter of that index.
///
/// # Errors
/// The kernel is not found, or has fewer.
pub(super) fn parameter_name(source: &str, kernel: &str, index: usize) -> Result<String, String> {
    let code = without_comments(source);
    let (open, close) = parameters(&code, kernel)?;
    let parameter = code.get(open..close).unwrap_or_default().split(',').nth(index).ok_or("it has fewer parameters")?;
    Ok(last_name(parameter).ok_or("its parameter has no name")?.to_owned())
}

/// The same text with every comment blanked, byte for byte.
pub(super) fn without_comments(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (own, comment) = rest.split_at(start);
        let end = if comment.starts_with("//") { comment.find('\n') } else { comment.find("*/").map(|end| end + 2) };
        let (comment, after) = comment.split_at(end.unwrap_or(comment.len()));
        code.push_str(own);
        code.extend(comment.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = after;
    }
    code + rest
}

/// Where the parenthesis or bracket closes that was open at `open`.
pub(super) fn closing(code: &str, open: usize) -> Option<usize> {
    let mut depth = 1;
    for (index, letter) in code.get(open..)?.char_indices() {
        depth += match letter {
            '(' | '[' => 1,
            ')' | ']' => -1,
            _ => 0,
        };
        if depth == 0 {
            return Some(open + index);
        }
    }
    None
}

/// The parameter that takes the result: the buffer that is written, or the width where that is an image object.
fn target(parameters: &str) -> Option<&str> {
    let words = |parameter: &str| parameter.contains("__global") && !parameter.contains("const ");
    let written = parameters.split(',').find(|parameter| words(parameter));
    let width = || parameters.split(',').find(|parameter| parameter.split_whitespace().eq(["int", "width"]));
    last_name(written.or_else(width)?)
}

/// The name that a parameter ends with.
fn last_name(parameter: &str) -> Option<&str> {
    parameter.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').find(|name| !name.is_empty())
}

/// A type of so many lanes.
fn typed(name: &str, lanes: usize) -> String {
    if lanes == 1 { name.to_owned() } else { format!("{name}{lanes}") }
}

/// What is loaded at once: as few numbers as so many bytes are, which are aligned.
const fn byte_type(lanes: usize) -> &'static str {
    match lanes {
        1 => "uchar",
        4 => "uint",
        8 => "uint2",
        _ => "uint4",
    }
}

fn block(work: &AddedWork, target: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |words: std::fmt::Arguments| {
        let _ = writeln!(text, "    {words}");
    };
    line(format_args!("// Added: {} times {} of {} lanes. {ZERO} is 0.", work.instructions, work.kind.name(), work.lanes));
    line(format_args!("const int added_item = get_global_id(1) * get_global_size(0) + get_global_id(0);"));
    match work.kind {
        AddedKind::Bytes => bytes_block(work, &mut line),
        AddedKind::Integer | AddedKind::Float => arithmetic_block(work, &mut line),
    }
    line(format_args!("{target} += added_result & {ZERO};\n"));
    text
}

fn bytes_block(work: &AddedWork, line: &mut dyn FnMut(std::fmt::Arguments)) {
    let kind = byte_type(work.lanes);
    let last = work.buffer_bytes / work.lanes - 1;
    line(format_args!("const int added_items = get_global_size(0) * get_global_size(1);"));
    line(format_args!("{kind} added_sum = 0;"));
    if work.instructions > MOST_IN_A_ROW {
        line(format_args!("for (int added_load = 0; added_load < {}; ++added_load)", work.instructions));
        line(format_args!("    added_sum ^= {BYTES}[(added_item + added_load * added_items) & {last}];"));
    } else {
        for load in 0..work.instructions {
            line(format_args!("added_sum ^= {BYTES}[(added_item + {load} * added_items) & {last}];"));
        }
    }
    match work.lanes {
        1 | 4 => line(format_args!("const int added_result = added_sum;")),
        8 => line(format_args!("const int added_result = added_sum.s0 ^ added_sum.s1;")),
        _ => line(format_args!("const int added_result = added_sum.s0 ^ added_sum.s1 ^ added_sum.s2 ^ added_sum.s3;")),
    }
}

fn arithmetic_block(work: &AddedWork, line: &mut dyn FnMut(std::fmt::Arguments)) {
    let is_float = work.kind == AddedKind::Float;
    let kind = typed(if is_float { "float" } else { "int" }, work.lanes);
    if is_float {
        line(format_args!("const float added_factor = 0.5f + {ZERO};"));
        line(format_args!("const float added_term = 1.0f + {ZERO};"));
    } else {
        line(format_args!("const int added_term = 0x2545f491 + {ZERO};"));
    }
    let ids = typed("int", work.lanes);
    let lanes: Vec<String> = (0..work.lanes).map(|lane| lane.to_string()).collect();
    line(format_args!("const {ids} added_id = ({ids})({}) + added_item;", lanes.join(", ")));
    for index in 0..work.accumulators {
        // By exclusive or, so that no compiler adds up what they have in common.
        let start = format!("added_id ^ {}", 0x5f35 + index * 0x1d1d);
        if is_float {
            line(format_args!("{kind} added_{index} = convert_{kind}({start});"));
        } else {
            line(format_args!("{kind} added_{index} = {start};"));
        }
    }
    let rounds = if work.instructions > MOST_IN_A_ROW { work.instructions / MOST_IN_A_ROW } else { 0 };
    if rounds > 0 {
        line(format_args!("for (int added_round = 0; added_round < {rounds}; ++added_round) {{"));
        (0..MOST_IN_A_ROW).for_each(|step| instruction(work, step, line));
        line(format_args!("}}"));
    }
    (0..work.instructions - rounds * MOST_IN_A_ROW).for_each(|step| instruction(work, step, line));
    let sum: Vec<String> = (0..work.accumulators).map(|index| format!("added_{index}")).collect();
    line(format_args!("const {kind} added_sum = {};", sum.join(" + ")));
    let mut name = "added_sum".to_owned();
    let mut lanes = work.lanes;
    while lanes > 1 {
        lanes /= 2;
        let half = typed(if is_float { "float" } else { "int" }, lanes);
        line(format_args!("const {half} added_half_{lanes} = {name}.lo + {name}.hi;"));
        name = format!("added_half_{lanes}");
    }
    if is_float {
        line(format_args!("const int added_result = convert_int_sat({name});"));
    } else {
        line(format_args!("const int added_result = {name};"));
    }
}

/// One instruction: a multiplication with an addition, or in turn an addition and an exclusive or, of which no compiler makes fewer.
fn instruction(work: &AddedWork, step: usize, line: &mut dyn FnMut(std::fmt::Arguments)) {
    let index = step % work.accumulators;
    if work.kind == AddedKind::Float {
        line(format_args!("added_{index} = added_{index} * added_factor + added_term;"));
    } else if (step / work.accumulators).is_multiple_of(2) {
        line(format_args!("added_{index} += added_term;"));
    } else {
        line(format_args!("added_{index} ^= added_term;"));
    }
}

#[cfg(test)]
mod tests {
    use super::with_added;
    use crate::filters::VariantExt as _;
    use crate::filters::{self, Filter};
    use crate::footprint::{AddedWork, added_work};
    use crate::kernel_source::compose;
    use crate::launch::Shape;
    use model::{Added, AddedKind, Setting, Variant};
    use rayon::prelude::*;

    const WORK: AddedWork = AddedWork {
        kernel: "filter",
        kind: AddedKind::Integer,
        lanes: 1,
        instructions: 2,
        accumulators: 2,
        per_pixel: 2.0,
        buffer_bytes: 1024,
    };

    #[test]
    fn the_kernels_own_text_stays_as_it_is() {
        let source = "// __kernel void filter( in a comment\nint f(int a) { return a; }\n\n__kernel void filter(__global const uchar *restrict in, \
                      // (the\n    __global uchar *restrict out, int width)\n{\n    out[0] = in[0];\n}\n";
        let added = with_added(source, &WORK).expect("a kernel");
        let (head, rest) = added.split_once(",\n    int added_zero").expect("a parameter");
        let (brace, rest) = rest.split_once("\n    // Added: 2 times integer").expect("a block");
        let (block, body) = rest.split_once("    out += added_result & added_zero;\n").expect("its end");
        assert_eq!(format!("{head}{brace}{}", body.replacen('\n', "", 1)), source, "{added}");
        assert_eq!(block.matches("+= added_term").count(), 2, "{block}");
    }

    #[test]
    fn every_variant_of_every_filter_can_have_work_added() {
        // Borders change neither parameters nor what work-items own.
        let settings =
            |filter: &'static Filter| filter.channels.iter().map(move |&channels| (filter, Setting::new(channels, filter.default_border)));
        let all: Vec<_> = filters::all().iter().flat_map(|filter| settings(filter)).collect();
        let variants: Vec<_> = all
            .iter()
            .flat_map(|&(filter, setting)| Variant::all(filter, setting).into_iter().map(move |variant| (filter, setting, variant)))
            .collect();
        variants.par_iter().for_each(|(filter, setting, variant)| {
            let parameters = filter.defaults();
            let shape = Shape { variant, setting: *setting, parameters: &parameters, width_px: 640, height_px: 480 };
            // Of a kernel that nobody has described, it is not known how much a work-item owns.
            if filter.counts(&shape, [8, 8]).is_none() {
                return;
            }
            let added = Added { kind: AddedKind::Integer, per_pixel: 2, one_by_one: false };
            let work = added_work(filter.footprint, &shape, &(filter.launch)(&shape), added);
            assert!(!work.is_empty(), "{} {variant}", filter.name());
            let text = compose(filter, variant, *setting, &parameters).expect("allowed");
            for work in work {
                assert!((2.0..6.0).contains(&work.per_pixel), "{} {variant}: {work:?}", filter.name());
                let added = with_added(&text, &work).unwrap_or_else(|why| panic!("{} {variant}: {why}", filter.name()));
                assert_eq!(added.matches("added_result & added_zero;").count(), 1);
            }
        });
    }

    #[test]
    fn many_instructions_are_a_loop_and_an_image_object_is_reached_by_the_width() {
        let source = "__kernel void filter(__read_only image2d_t in, __write_only image2d_t out, int width, int height)\n{\n}\n";
        let added = with_added(source, &AddedWork { instructions: 130, lanes: 4, kind: AddedKind::Float, ..WORK }).expect("a kernel");
        assert!(added.contains("added_round < 2;") && added.contains("width += added_result"), "{added}");
        // 64 in the loop and two behind it.
        assert_eq!(added.matches("* added_factor").count(), 66, "{added}");
        assert!(with_added(source, &AddedWork { kernel: "other", ..WORK }).is_err());
    }

    #[test]
    fn bytes_come_from_a_buffer_of_their_own() {
        let source = "__kernel void filter(__global uchar *out)\n{\n}\n";
        let added = with_added(source, &AddedWork { kind: AddedKind::Bytes, lanes: 16, ..WORK }).expect("a kernel");
        assert!(added.contains("__global uchar *out,\n    __global const uint4 *added_bytes, int added_zero)"), "{added}");
        // 1024 bytes are 64 times 16.
        assert_eq!(added.matches("added_items) & 63]").count(), 2, "{added}");
    }
}
