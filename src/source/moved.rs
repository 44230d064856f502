//! What experiments move in the resolved text of a kernel. Its own text stays as it is but for that.
//!
//! What is added takes a parameter that is 0, which the compiler cannot know: see [`super::added`].

use super::added::{Insertion, inserted, parameter_name};
use crate::model::{TilePart, WorkClass};
use crate::schedule::{LoadAt, LoadsFrom, LoadsWork, Rewrite, TileWork};
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
        Rewrite::Narrow { lanes, is_done } => narrow(&text, *lanes, *is_done),
        Rewrite::Buffer { size, texel_bytes } => Ok(as_buffer(&text, *size, *texel_bytes)),
    })
}

fn with_loads(source: &str, work: &LoadsWork) -> Result<String, String> {
    let from = parameter_name(source, work.kernel, work.source)?;
    let parameter = format!(",\n    int {ZERO}");
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
    line(format_args!("// Moved: {} loads{}. {ZERO} is 0.", loads.len(), if *is_done { "" } else { ", all but the loads" }));
    line(format_args!("int moved_result = 0;"));
    match work.from {
        LoadsFrom::Bytes { origin, low, high, is_words } => {
            line(format_args!("__global const uchar *moved_from = (__global const uchar *){source};"));
            line(format_args!("int moved_at = (int)get_global_id({down}) * {step_down} + (int)get_global_id({along}) * {step_along};"));
            line(format_args!("moved_at = clamp(moved_at + {origin}, {low}, {high});"));
            let forms = loads.iter().filter_map(|load| match load {
                LoadAt::Bytes { bytes, .. } => Some(*bytes),
                LoadAt::Texel { .. } => None,
            });
            let widths: BTreeSet<usize> = forms.collect();
            for &bytes in &widths {
                line(format_args!("{} moved_sum_{bytes} = 0;", vector(bytes, is_words)));
            }
            for load in loads {
                let LoadAt::Bytes { at, bytes } = *load else { continue };
                let kind = vector(bytes, is_words);
                line(format_args!("moved_at += {ZERO};"));
                let loaded = if *is_done { loaded(at, bytes, is_words) } else { format!("({kind})(moved_at + {at})") };
                line(format_args!("moved_sum_{bytes} ^= {loaded};"));
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
            line(format_args!("uint4 moved_sum = 0;"));
            for load in loads {
                let LoadAt::Texel { x, y } = *load else { continue };
                line(format_args!("moved_x += {ZERO};"));
                if *is_done {
                    line(format_args!("moved_sum ^= read_imageui({source}, moved_nearest, (int2)(moved_x + {x}, moved_y + {y}));"));
                } else {
                    line(format_args!("moved_sum ^= (uint4)(moved_x + {x}, moved_y + {y}, moved_x, moved_y);"));
                }
            }
            line(format_args!("moved_result ^= moved_sum.s0 ^ moved_sum.s1 ^ moved_sum.s2 ^ moved_sum.s3;"));
        }
    }
    line(format_args!("{target} += moved_result & {ZERO};\n"));
    text
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
    };
    let mut text =
        format!("    // Moved: {count} instructions of a class. {ZERO} is 0.\n    {start}\n    const int moved_one = 3 + {ZERO};\n");
    for _ in 0..count {
        // Neither of the two can be put together with that of the next step.
        let other = if class == WorkClass::Shuffles { "(uchar)moved_one" } else { "moved_one" };
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

/// Numbers that vectors are made of, and where they may lie.
const NUMBERS: [&str; 4] = ["uchar", "ushort", "uint", "float"];
const SPACES: [&str; 3] = ["__global", "__local", "__constant"];

/// The same with functions in the place of `vload2` to `vload16`, which load pieces. The number of dimensions is 2, which the compiler cannot know.
fn narrow(source: &str, piece: usize, is_done: bool) -> Result<String, String> {
    let widths: Vec<usize> = [2, 3, 4, 8, 16].into_iter().filter(|lanes| source.contains(&format!("vload{lanes}"))).collect();
    if widths.is_empty() {
        return Err("it loads no vectors".to_owned());
    }
    let mut text = String::from("// Moved: vectors are loaded by these functions.\n");
    for &lanes in &widths {
        for number in NUMBERS {
            for space in SPACES {
                let body = if is_done && piece < lanes {
                    // As many whole pieces as there are, and the rest number by number.
                    let whole = if piece == 1 { 0 } else { lanes / piece };
                    let pieces = (0..whole).map(|index| format!("vload{piece}(0, from + {} * step)", index * piece));
                    let rest = (whole * piece..lanes).map(|lane| format!("from[{lane} * step]"));
                    let loads: Vec<String> = pieces.chain(rest).collect();
                    format!("const int step = get_work_dim() - 1; from += at * {lanes}; return ({number}{lanes})({});", loads.join(", "))
                } else {
                    format!("return vload{lanes}(at, from + (get_work_dim() - 2));")
                };
                let _ = writeln!(
                    text,
                    "{number}{lanes} __attribute__((overloadable, always_inline)) moved_load{lanes}(size_t at, const {space} {number} *from) {{ {body} }}"
                );
            }
        }
    }
    for lanes in widths {
        let _ = writeln!(text, "#define vload{lanes} moved_load{lanes}");
    }
    Ok(text + source)
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
    use crate::model::{Channels, Moved, Parameters, Setting, Variant, Whose};
    use crate::schedule::{LoadAt, LoadsFrom, Rewrite, Shape, more_loads, moved};
    use crate::source::compose;

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
            let count = more_loads(laplace.accesses, laplace.launch, shape, &naive).expect("more");
            assert_eq!(count, 135 - 9);
            let asked = Moved::Loads { of: naive, count, places: Whose::Own, is_done: true };
            let (launch, rewrites) = moved(laplace.accesses, laplace.launch, shape, (laplace.launch)(shape), asked).expect("moved");
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
            assert!(more_loads(laplace.accesses, laplace.launch, shape, &few).is_err());
        });
    }

    #[test]
    fn dimensions_are_exchanged_in_code_and_launch() {
        let laplace = filters::by_name("laplace").expect("a filter");
        with_shape("laplace", Channels::Rgb, "naive", |shape| {
            let own = (laplace.launch)(shape);
            let (launch, rewrites) = moved(laplace.accesses, laplace.launch, shape, own.clone(), Moved::Mapping).expect("moved");
            assert_eq!(launch.passes[0].global, [640, 480]);
            assert_eq!(own.passes[0].global, [480, 640]);
            let naive = compose(laplace, shape.variant, shape.setting, &Parameters::default()).expect("allowed");
            let text = with_moved(&naive, &rewrites).expect("moved");
            assert!(text.contains("#define get_global_id(dimension) get_global_id(1 - (dimension))") && text.ends_with(&*naive), "{text}");
        });
    }
}
