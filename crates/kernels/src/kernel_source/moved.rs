//! What experiments move in the resolved text of a kernel. Its own text stays as it is but for that.
//!
//! What is added takes a parameter that is 0, which the compiler cannot know: see [`super::added`].

use super::added::{Insertion, closing, inserted, parameter_name, without_comments};
use super::is_of_word;
use crate::footprint::{LoadAt, LoadsFrom, LoadsWork, Rewrite, TileWork};
use model::{TilePart, WorkClass};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The parameter that is 0.
const ZERO: &str = "moved_zero";

/// `source` with all of that moved.
///
/// # Errors
/// A kernel or a parameter is not found.
pub fn with_moved(source: &str, rewrites: &[Rewrite]) -> Result<String, String> {
    rewrites.iter().try_fold(source.to_owned(), |text, rewrite| match rewrite {
        Rewrite::Loads(work) => with_loads(&text, work),
        Rewrite::Exchanged => Ok(exchanged(&text)),
        Rewrite::Unused { kernel } => {
            inserted(&text, &Insertion { kernel, parameter: ",\n    __local uchar *moved_unused" }, |_| String::new())
        }
        Rewrite::Class { kernel, class, count, is_done } => {
            let parameter = format!(",\n    int {ZERO}");
            inserted(&text, &Insertion { kernel, parameter: &parameter }, |target| class_block(*class, *count, *is_done, target))
        }
        Rewrite::Tile(work) => with_tile(&text, work),
        Rewrite::Narrow { loads, stores, is_done } => narrow(&text, [*loads, *stores], *is_done),
        Rewrite::Uncontracted => {
            Ok(format!("// Moved: no multiplication and addition are joined.\n#pragma OPENCL FP_CONTRACT OFF\n{text}"))
        }
        Rewrite::Apart { kernel, is_done } => {
            let parameter = format!(",\n    int {ZERO}");
            inserted(&text, &Insertion { kernel, parameter: &parameter }, |target| apart_block(*is_done, target))
        }
        Rewrite::Buffer { size, texel_bytes } => Ok(as_buffer(&text, *size, *texel_bytes)),
    })
}

fn with_loads(source: &str, work: &LoadsWork) -> Result<String, String> {
    let from = parameter_name(source, work.kernel, work.source)?;
    let scratch = if work.stores.is_some() { ", __global uchar *moved_scratch" } else { "" };
    let parameter = format!(",\n    int {ZERO}{scratch}");
    inserted(source, &Insertion { kernel: work.kernel, parameter: &parameter }, |target| loads_block(work, &from, target))
}

fn loads_block(work: &LoadsWork, source: &str, target: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |words: std::fmt::Arguments| {
        let _ = writeln!(text, "    {words}");
    };
    let LoadsWork { along, step_along, step_down, loads, is_done, .. } = work;
    let [along, down] = [*along, 1 - *along];
    line(format_args!("// Moved: {} loads{}. {ZERO} is 0.", loads.len(), if *is_done { "" } else { ", which are left out" }));
    line(format_args!("int moved_result = 0;"));
    match work.from {
        LoadsFrom::Bytes { origin, first_row, rows, is_words } => {
            line(format_args!("__global const uchar *moved_from = (__global const uchar *){source};"));
            // Rows begin anew, and columns are left alone, so that neighbors along a row stay neighbors for a compiler that packs them.
            line(format_args!("const int moved_row = (int)get_global_id({down}) % {rows} + {first_row};"));
            line(format_args!("int moved_at = moved_row * {step_down} + (int)get_global_id({along}) * {step_along} + {origin};"));
            let forms = loads.iter().filter_map(|load| match load {
                LoadAt::Bytes { bytes, .. } => Some(*bytes),
                LoadAt::Texel { .. } => None,
            });
            let widths: BTreeSet<usize> = forms.collect();
            for &bytes in &widths {
                let kind = vector(bytes, is_words);
                line(format_args!("{kind} moved_sum_{bytes} = ({kind})(moved_at);"));
            }
            for load in loads.iter().filter(|_| *is_done) {
                let LoadAt::Bytes { at, bytes } = *load else { continue };
                line(format_args!("moved_at += {ZERO};"));
                line(format_args!("moved_sum_{bytes} ^= {};", loaded(at, bytes, is_words)));
            }
            for &bytes in &widths {
                let lanes = lanes(bytes, is_words);
                let names: Vec<String> = (0..lanes).map(|lane| if lanes == 1 { String::new() } else { format!(".s{lane:x}") }).collect();
                let sum = names.iter().map(|lane| format!("moved_sum_{bytes}{lane}")).collect::<Vec<_>>().join(" ^ ");
                line(format_args!("moved_result ^= {sum};"));
            }
        }
        LoadsFrom::Texels { origin: [x, y] } => {
            line(format_args!(
                "const sampler_t moved_nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;"
            ));
            line(format_args!("int moved_x = (int)get_global_id({along}) * {step_along} + {x};"));
            line(format_args!("const int moved_y = (int)get_global_id({down}) * {step_down} + {y};"));
            line(format_args!("uint4 moved_sum = (uint4)(moved_x, moved_y, moved_x, moved_y);"));
            for load in loads.iter().filter(|_| *is_done) {
                let LoadAt::Texel { x, y } = *load else { continue };
                line(format_args!("moved_x += {ZERO};"));
                line(format_args!("moved_sum ^= read_imageui({source}, moved_nearest, (int2)(moved_x + {x}, moved_y + {y}));"));
            }
            line(format_args!("moved_result ^= moved_sum.s0 ^ moved_sum.s1 ^ moved_sum.s2 ^ moved_sum.s3;"));
        }
    }
    if let Some(work) = &work.stores {
        line(format_args!(
            "const int moved_to = (int)get_global_id({down}) * {} + (int)get_global_id({along}) * {};",
            work.step_down, work.step_along
        ));
        for &(at, bytes) in &work.stores {
            match bytes {
                2 | 3 | 4 | 8 | 16 => {
                    line(format_args!("vstore{bytes}((uchar{bytes})((uchar)moved_result), 0, moved_scratch + moved_to + {at});"));
                }
                _ => (0..bytes).for_each(|byte| line(format_args!("moved_scratch[moved_to + {}] = moved_result;", at + byte))),
            }
        }
    }
    line(format_args!("{target} += moved_result & {ZERO};\n"));
    text
}

/// A store to memory of the work-item, which no compiler may leave out or do for several work-items at once where it is volatile.
fn apart_block(is_done: bool, target: &str) -> String {
    let volatile = if is_done { "volatile " } else { "" };
    format!(
        "    // Moved: each work-item by itself. {ZERO} is 0.\n    {volatile}int moved_apart = {ZERO};\n    {target} += moved_apart & {ZERO};\n\n"
    )
}

const fn lanes(bytes: usize, is_words: bool) -> usize {
    if is_words && bytes.is_multiple_of(4) { bytes / 4 } else { bytes }
}

/// The type of so many bytes that are loaded at once.
fn vector(bytes: usize, is_words: bool) -> String {
    let number = if is_words && bytes.is_multiple_of(4) { "uint" } else { "uchar" };
    match lanes(bytes, is_words) {
        1 => number.to_owned(),
        lanes => format!("{number}{lanes}"),
    }
}

fn loaded(at: isize, bytes: usize, is_words: bool) -> String {
    let place = format!("moved_from + moved_at + {at}");
    match (lanes(bytes, is_words), is_words && bytes.is_multiple_of(4)) {
        (1, false) => format!("moved_from[moved_at + {at}]"),
        (lanes @ (2 | 3 | 4 | 8 | 16), false) => format!("vload{lanes}(0, {place})"),
        // Three words are not aligned as one.
        (3, true) => format!("vload3(0, (__global const uint *)(moved_from + ((moved_at + {at}) & -4)))"),
        (_, true) => format!("*(__global const {} *)(moved_from + ((moved_at + {at}) & -{bytes}))", vector(bytes, is_words)),
        (_, false) => format!("({})moved_from[moved_at + {at}]", vector(bytes, is_words)),
    }
}

/// Instructions of a class in a row, each of which waits for the one before.
fn class_block(class: WorkClass, count: u32, is_done: bool, target: &str) -> String {
    let (start, step, result) = match class {
        WorkClass::Shuffles => (
            "uchar16 moved_value = (uchar16)((uchar)get_global_id(0)) + (uchar16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);",
            if is_done { "moved_value.s1032547698badcfe" } else { "moved_value" },
            "moved_value.s0 ^ moved_value.s5 ^ moved_value.sa ^ moved_value.sf",
        ),
        WorkClass::Divisions => {
            ("int moved_value = get_global_id(0);", if is_done { "(moved_value / moved_one)" } else { "moved_value" }, "moved_value")
        }
        WorkClass::Conversions => (
            "int moved_value = get_global_id(0);",
            if is_done { "convert_int(convert_float(moved_value))" } else { "as_int(as_float(moved_value))" },
            "moved_value",
        ),
        WorkClass::Sums32 => (
            "int16 moved_value = (int16)(get_global_id(0)) + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);",
            "moved_value",
            "moved_value.s0 ^ moved_value.s5 ^ moved_value.sa ^ moved_value.sf",
        ),
        WorkClass::Sums16 => (
            "short16 moved_value = (short16)((short)get_global_id(0)) + (short16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);",
            "moved_value",
            "moved_value.s0 ^ moved_value.s5 ^ moved_value.sa ^ moved_value.sf",
        ),
    };
    // Of the others, what is not done is in the step.
    let is_sum = matches!(class, WorkClass::Sums32 | WorkClass::Sums16);
    let steps = if is_sum && !is_done { 0 } else { count };
    let mut text =
        format!("    // Moved: {count} instructions of a class. {ZERO} is 0.\n    {start}\n    const int moved_one = 3 + {ZERO};\n");
    for _ in 0..steps {
        // Neither of the two can be put together with that of the next step.
        let other = match class {
            WorkClass::Shuffles => "(uchar)moved_one",
            WorkClass::Sums16 => "(short)moved_one",
            WorkClass::Divisions | WorkClass::Conversions | WorkClass::Sums32 => "moved_one",
        };
        let _ = writeln!(text, "    moved_value = ({step} ^ {other}) + {other};");
    }
    text + &format!("    {target} += ({result}) & {ZERO};\n\n")
}

fn with_tile(source: &str, work: &TileWork) -> Result<String, String> {
    let from = parameter_name(source, work.kernel, work.source)?;
    let parameter = format!(",\n    __local uchar *moved_tile, int {ZERO}");
    inserted(source, &Insertion { kernel: work.kernel, parameter: &parameter }, |target| tile_block(work, &from, target))
}

/// The group fills a tile with what its work-items own and what lies around it, as far as the source reaches.
fn tile_block(work: &TileWork, source: &str, target: &str) -> String {
    let TileWork { along, tile, origin, pitch, total, .. } = work;
    let [along, down] = [*along, 1 - *along];
    let mut lines = vec![format!("// Moved: a tile that nothing is taken from. {ZERO} is 0.")];
    if work.part == TilePart::Filled {
        let (across, rows) = (tile.item_bytes, tile.item_rows);
        lines.extend([
            format!("const int moved_wide = get_local_size({along}) * {across} + {};", tile.extra_bytes),
            format!("const int moved_tall = get_local_size({down}) * {rows} + {};", tile.extra_rows),
            format!("const int moved_column = get_group_id({along}) * get_local_size({along}) * {across};"),
            format!("const int moved_row = get_group_id({down}) * get_local_size({down}) * {rows};"),
            format!("const int moved_first = moved_row * {pitch} + moved_column + {origin};"),
            format!("for (int row = get_local_id({down}); row < moved_tall; row += get_local_size({down}))"),
            format!("    for (int byte = get_local_id({along}); byte < moved_wide; byte += get_local_size({along}))"),
            format!(
                "        moved_tile[row * moved_wide + byte] = ((__global const uchar *){source})[clamp(moved_first + row * {pitch} + byte, 0, {})];",
                total.saturating_sub(1)
            ),
        ]);
    }
    if work.part != TilePart::Nothing {
        lines.push("barrier(CLK_LOCAL_MEM_FENCE);".to_owned());
    }
    if work.part == TilePart::Filled {
        lines.push(format!("{target} += moved_tile[0] & {ZERO};"));
    }
    format!("    {}\n\n", lines.join("\n    "))
}

/// Numbers that vectors are made of, and where what is loaded and stored may lie.
const NUMBERS: [&str; 4] = ["uchar", "ushort", "uint", "float"];
const LOADED_FROM: [&str; 3] = ["const __global", "const __local", "const __constant"];
const STORED_TO: [&str; 3] = ["__global", "__local", "__private"];

/// What is written for several types, and wherever it is called.
const INLINE: &str = "__attribute__((overloadable, always_inline))";

/// Vectors that OpenCL loads and stores.
const WIDTHS: [usize; 5] = [2, 3, 4, 8, 16];

/// The same with functions in the place of `vload2` to `vload16` and `vstore2` to `vstore16`, and of accesses to whole pieces of a row, which load and store in
/// pieces of these many numbers. The number of dimensions is 2, which the compiler cannot know.
fn narrow(source: &str, [loads, stores]: [usize; 2], is_done: bool) -> Result<String, String> {
    let has = |name: &str| WIDTHS.into_iter().filter(|lanes| source.contains(&format!("{name}{lanes}"))).collect::<Vec<_>>();
    let (loaded, stored) = (has("vload"), has("vstore"));
    let by_pieces = with_pieces(source, [loads, stores], is_done)?;
    if loaded.is_empty() && stored.is_empty() && by_pieces.is_none() {
        return Err("it loads and stores no vectors".to_owned());
    }
    let mut text = String::from("// Moved: vectors are loaded and stored by these functions.\n");
    let mut define = |head: String, body: String| {
        let _ = writeln!(text, "{head} {{ {body} }}");
    };
    for number in NUMBERS {
        for &lanes in &loaded {
            let body = if is_done && loads < lanes {
                format!(
                    "const int step = get_work_dim() - 1; from += at * {lanes}; return ({number}{lanes})({});",
                    load_parts(lanes, loads)
                )
            } else {
                format!("return vload{lanes}(at, from + (get_work_dim() - 2));")
            };
            for space in LOADED_FROM {
                define(format!("{number}{lanes} {INLINE} moved_load{lanes}(size_t at, {space} {number} *from)"), body.clone());
            }
        }
        for &lanes in &stored {
            let body = if is_done && stores < lanes {
                format!("const int step = get_work_dim() - 1; to += at * {lanes}; {}", store_parts(lanes, stores))
            } else {
                format!("vstore{lanes}(value, at, to + (get_work_dim() - 2));")
            };
            for space in STORED_TO {
                define(format!("void {INLINE} moved_store{lanes}({number}{lanes} value, size_t at, {space} {number} *to)"), body.clone());
            }
        }
    }
    for lanes in loaded {
        let _ = writeln!(text, "#define vload{lanes} moved_load{lanes}");
    }
    for lanes in stored {
        let _ = writeln!(text, "#define vstore{lanes} moved_store{lanes}");
    }
    Ok(text + by_pieces.as_deref().unwrap_or(source))
}

/// As many whole pieces of a vector as there are, and the rest number by number: where each begins, and how many numbers it has.
fn parts(lanes: usize, piece: usize) -> impl Iterator<Item = (usize, usize)> {
    let whole = if piece <= 1 { 0 } else { lanes / piece };
    let pieces = (0..whole).map(move |index| (index * piece, piece));
    pieces.chain((whole * piece..lanes).map(|lane| (lane, 1)))
}

fn load_parts(lanes: usize, piece: usize) -> String {
    let load = |(first, count): (usize, usize)| {
        if count == 1 { format!("from[{first} * step]") } else { format!("vload{count}(0, from + {first} * step)") }
    };
    parts(lanes, piece).map(load).collect::<Vec<_>>().join(", ")
}

fn store_parts(lanes: usize, piece: usize) -> String {
    let store = |(first, count): (usize, usize)| {
        let names = (first..first + count).filter_map(|lane| char::from_digit(lane as u32, 16)).collect::<String>();
        if count == 1 {
            format!("to[{first} * step] = value.s{names};")
        } else {
            format!("vstore{count}(value.s{names}, 0, to + {first} * step);")
        }
    };
    parts(lanes, piece).map(store).collect::<Vec<_>>().join(" ")
}

/// The types of `common/pieces.clh` that are vectors, and their bytes.
const PIECES: [(&str, usize); 4] = [("uchar4", 4), ("uchar8", 8), ("uchar16", 16), ("int4", 16)];

/// The same with functions in the place of accesses by pointers to whole pieces of a row; `None` where it has no such pieces.
///
/// # Errors
/// An access does not end.
fn with_pieces(source: &str, [loads, stores]: [usize; 2], is_done: bool) -> Result<Option<String>, String> {
    let code = without_comments(source);
    let Some((kind, bytes)) = PIECES.into_iter().find(|(kind, _)| code.contains(&format!("typedef {kind} piece;"))) else {
        return Ok(None);
    };
    let mut edits: Vec<(std::ops::Range<usize>, &str)> = Vec::new();
    let not_ended = || "an access does not end".to_owned();
    for at in indexed(&code, "source[") {
        let open = at + "source[".len();
        let close = closing(&code, open).ok_or_else(not_ended)?;
        edits.extend([(at..open, "moved_load(source + ("), (close..close + 1, "))")]);
    }
    for at in indexed(&code, "destination[") {
        let open = at + "destination[".len();
        let close = closing(&code, open).ok_or_else(not_ended)?;
        let equals = close + code.get(close..).and_then(|rest| rest.find('=')).ok_or_else(not_ended)?;
        let end = equals + code.get(equals..).and_then(|rest| rest.find(';')).ok_or_else(not_ended)?;
        edits.extend([(at..open, "moved_store(destination + ("), (close..equals + 1, "),"), (end..end, ")")]);
    }
    if edits.is_empty() {
        return Ok(None);
    }
    // From the back, so that places stay what they are.
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = source.to_owned();
    for (range, with) in edits {
        text.replace_range(range, with);
    }
    let bytes_kind = format!("uchar{bytes}");
    let load = if is_done && loads < bytes {
        format!(
            "const __global uchar *from = (const __global uchar *)whole; const int step = get_work_dim() - 1; return as_{kind}(({bytes_kind})({}));",
            load_parts(bytes, loads)
        )
    } else {
        "return whole[get_work_dim() - 2];".to_owned()
    };
    let store = if is_done && stores < bytes {
        format!(
            "__global uchar *to = (__global uchar *)whole; const int step = get_work_dim() - 1; const {bytes_kind} value = as_{bytes_kind}(all); {}",
            store_parts(bytes, stores)
        )
    } else {
        "whole[get_work_dim() - 2] = all;".to_owned()
    };
    let functions = format!(
        "piece __attribute__((always_inline)) moved_load(const __global piece *whole) {{ {load} }}\n\
         void __attribute__((always_inline)) moved_store(__global piece *whole, piece all) {{ {store} }}\n\n"
    );
    let kernel = without_comments(&text).find("__kernel void").ok_or("it has no kernel")?;
    text.insert_str(kernel, &functions);
    Ok(Some(text))
}

/// Where an indexed name begins, and is not the end of a longer one.
fn indexed<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = usize> {
    let starts = move |at: &usize| !code.get(..*at).is_some_and(|before| before.ends_with(is_of_word));
    code.match_indices(name).map(|(at, _)| at).filter(starts)
}

/// The same with an image object of this size as a buffer.
fn as_buffer(source: &str, [width, height]: [usize; 2], texel_bytes: usize) -> String {
    let (last_x, last_y) = (width.saturating_sub(1), height.saturating_sub(1));
    let texel = if texel_bytes == 1 { "(uint4)(image[index], 0, 0, 1)" } else { "convert_uint4(vload4(index, image))" };
    format!(
        "// Moved: the texels of the image object lie in a buffer.\n\
         uint4 __attribute__((always_inline)) moved_texel(const __global uchar *image, int2 place)\n\
         {{\n    const int index = clamp(place.y, 0, {last_y}) * {width} + clamp(place.x, 0, {last_x});\n    return {texel};\n}}\n\
         typedef const __global uchar *moved_image;\n\
         #define __read_only\n\
         #define image2d_t moved_image\n\
         #define read_imageui(image, sampler, place) moved_texel(image, place)\n\
         #define get_image_width(image) {width}\n\
         #define get_image_height(image) {height}\n{source}"
    )
}

/// Functions that tell a work-item's place in a dimension.
const PLACES: [&str; 6] = ["get_global_id", "get_local_id", "get_group_id", "get_local_size", "get_global_size", "get_num_groups"];

/// The same with dimensions 0 and 1 exchanged. A macro is not replaced within itself.
fn exchanged(source: &str) -> String {
    let lines = PLACES.iter().map(|name| format!("#define {name}(dimension) {name}(1 - (dimension))\n"));
    lines.chain([source.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::with_moved;
    use crate::filters;
    use crate::filters::VariantExt as _;
    use crate::footprint::{LoadAt, LoadsFrom, Rewrite, more_loads, moved};
    use crate::kernel_source::compose;
    use crate::launch::{Argument, Between, Shape};
    use model::{Channels, LocalSize, Moved, Parameters, Setting, Variant, Whose};

    fn with_shape<T>(filter: &str, channels: Channels, variant: &str, ask: impl Fn(&Shape) -> T) -> T {
        let filter = filters::by_name(filter).expect("a filter");
        let variant = Variant::parse(variant).expect("a variant");
        let setting = Setting::new(channels, filter.default_border);
        variant.check(filter, setting).expect("allowed");
        ask(&Shape { variant: &variant, setting, parameters: &filter.defaults(), width_px: 640, height_px: 480 })
    }

    #[test]
    fn saved_loads_are_those_of_the_other_variant_for_the_same_pixels() {
        // 9 loads of 16 bytes for 5 pixels, 27 of a byte each for one: 135 - 9.
        let laplace = filters::by_name("laplace").expect("a filter");
        with_shape("laplace", Channels::Rgb, "coalesced+padded+vectorize=5", |shape| {
            let naive = Variant::parse("coalesced+padded").expect("known");
            let count = more_loads(laplace.footprint, laplace.launch, shape, &naive).expect("more");
            assert_eq!(count, 135 - 9);
            let asked = Moved::Loads { of: naive, count, places: Whose::Own, stores: 0, is_done: true };
            let (launch, rewrites) =
                moved(laplace.footprint, laplace.launch, shape, (laplace.launch)(shape), LocalSize::Driver, asked).expect("moved");
            assert_eq!(launch.passes[0].arguments.len(), (laplace.launch)(shape).passes[0].arguments.len() + 1);
            let [Rewrite::Loads(work)] = rewrites.as_slice() else { panic!("loads") };
            let pitch = launch.source.layout().pitch_bytes.cast_signed();
            assert!(work.loads.iter().all(|load| matches!(load, LoadAt::Bytes { at, bytes: 1 } if (-pitch - 3..pitch + 18).contains(at))));
            assert!(matches!(work.from, LoadsFrom::Bytes { is_words: false, .. }) && work.step_along == 15 && work.along == 0);
            let text = compose(laplace, shape.variant, shape.setting, &Parameters::default()).expect("allowed");
            let text = with_moved(&text, &rewrites).expect("a kernel");
            assert_eq!(text.matches("moved_sum_1 ^= moved_from[").count(), 126, "{text}");
            // The other way round there is nothing to be done again.
            let few = Variant::parse("coalesced+padded+vectorize=5+merged").expect("known");
            assert!(more_loads(laplace.footprint, laplace.launch, shape, &few).is_err());
        });
    }

    #[test]
    fn the_other_ones_stores_go_to_a_buffer_that_nothing_reads() {
        // One byte is loaded and one is stored by each, along a row and down the rows.
        let add = filters::by_name("add").expect("a filter");
        with_shape("add", Channels::Gray, "coalesced+float", |shape| {
            let of = |variant: &str, places| {
                let of = Variant::parse(variant).expect("known");
                let asked = Moved::Loads { of, count: 1, places, stores: 1, is_done: true };
                let (launch, rewrites) =
                    moved(add.footprint, add.launch, shape, (add.launch)(shape), LocalSize::Driver, asked).expect("moved");
                let [Rewrite::Loads(work)] = rewrites.as_slice() else { panic!("loads") };
                let stores = work.stores.clone().expect("stores");
                assert_eq!(launch.between, [Between::Buffer { bytes: stores.total }]);
                assert_eq!(launch.passes[0].arguments.last(), Some(&Argument::Between(0)));
                let text = compose(add, shape.variant, shape.setting, &add.defaults()).expect("allowed");
                let text = with_moved(&text, &rewrites).expect("a kernel");
                (work.along, stores, text)
            };
            let (near, far) = (of("coalesced+float", Whose::Own), of("float", Whose::Theirs));
            assert_eq!((near.0, far.0), (0, 1), "which dimension is along a row");
            assert_eq!((near.1.step_along, near.1.step_down, near.1.stores.as_slice()), (1, 640, [(0, 1)].as_slice()));
            assert!(far.2.contains("const int moved_to = (int)get_global_id(0) * 640 + (int)get_global_id(1) * 1;"), "{}", far.2);
            assert!(
                far.2.contains("moved_scratch[moved_to + 0] = moved_result;") && far.2.contains("__global uchar *moved_scratch)"),
                "{}",
                far.2
            );
        });
    }

    #[test]
    fn loads_and_stores_are_taken_apart_each_for_itself() {
        let text = |filter: &str, channels, variant: &str, [loads, stores]: [usize; 2]| {
            let filter = filters::by_name(filter).expect("a filter");
            with_shape(filter.name(), channels, variant, |shape| {
                let text = compose(filter, shape.variant, shape.setting, &filter.defaults()).expect("allowed");
                with_moved(&text, &[Rewrite::Narrow { loads, stores, is_done: true }])
            })
        };
        let vectors = text("laplace", Channels::Rgb, "padded+vectorize=5", [1, 4]).expect("vectors");
        assert!(vectors.contains("#define vload16 moved_load16\n") && vectors.contains("#define vstore8 moved_store8\n"), "{vectors}");
        assert!(vectors.contains("vstore4(value.s0123, 0, to + 0 * step); vstore4(value.s4567, 0, to + 4 * step);"), "{vectors}");
        assert!(vectors.contains("(from[0 * step], from[1 * step], "), "{vectors}");
        // Pieces are loaded and stored by pointers.
        let pieces = text("add", Channels::Gray, "coalesced+padded+float+access=uchar4", [1, 2]).expect("pieces");
        assert!(pieces.contains("    moved_store(destination + (to), add_to_each_byte(moved_load(source + (from)), amount));"), "{pieces}");
        assert!(pieces.contains("vstore2(value.s01, 0, to + 0 * step); vstore2(value.s23, 0, to + 2 * step);"), "{pieces}");
        let rows = text("add", Channels::Gray, "coalesced+padded+rows=4+access=int4", [255, 1]).expect("pieces");
        assert!(rows.contains("return whole[get_work_dim() - 2];") && rows.contains("as_uchar16(all); to[0 * step] = value.s0;"), "{rows}");
        assert_eq!([rows.matches("moved_load(source + (").count(), rows.matches("moved_store(destination + (").count()], [1, 1], "{rows}");
        assert!(text("add", Channels::Gray, "coalesced", [1, 1]).is_err(), "it has neither");
    }

    #[test]
    fn dimensions_are_exchanged_in_code_and_launch() {
        let laplace = filters::by_name("laplace").expect("a filter");
        with_shape("laplace", Channels::Rgb, "naive", |shape| {
            let own = (laplace.launch)(shape);
            let (launch, rewrites) =
                moved(laplace.footprint, laplace.launch, shape, own.clone(), LocalSize::Driver, Moved::Mapping).expect("moved");
            assert_eq!(launch.passes[0].global, [640, 480]);
            assert_eq!(own.passes[0].global, [480, 640]);
            let naive = compose(laplace, shape.variant, shape.setting, &Parameters::default()).expect("allowed");
            let text = with_moved(&naive, &rewrites).expect("moved");
            assert!(text.contains("#define get_global_id(dimension) get_global_id(1 - (dimension))") && text.ends_with(&*naive), "{text}");
        });
    }
}
