//! Gaussian: a blur of 11 taps along the row and 11 down the column, each channel on its own.

mod accesses;
#[cfg(test)]
mod tests;

use super::reasons::{TEXTURE_CACHE, TILE_HANDLES_BORDER, WORDS_FROM_MEMORY};
use super::{Filter, Grid, Offer, Parameters, Reference, exact, no_defines, words};
use crate::filters::Rule;
use crate::image::{Layout, PITCH_ALIGNMENT_BYTES};
use crate::model::{BorderMode, Channels, Ownership, Reach, Setting, StageId, TexelFormat, Variant, values};
use crate::schedule::{Argument, Between, Launch, Pass, Shape, Surface, Table, Texels, Tile};
use kernel_ladder_cpu::filters::gaussian as cpu;
use kernel_ladder_cpu::reference::gaussian::{self as reference, MASK, RADIUS_PX};

/// Bytes of one number between the passes.
const SUM_BYTES: usize = size_of::<u16>();

/// Lanes of the vectors that a block is loaded in.
const LANES: usize = 16;

/// The filter's row.
pub static FILTER: Filter = Filter {
    id: crate::model::FilterId::Gaussian,
    kernel_file: "gaussian/gaussian.cl",
    files: &[],
    ladders: &[],
    stages: &[
        Offer::all(StageId::Coalesced),
        Offer::all(StageId::Padded),
        Offer::only(StageId::Vectorize, &[5, 16]),
        Offer::only(StageId::Local, &[1]),
        Offer::only(StageId::Rows, &[2, 14, 26]).because("taps"),
        Offer::only(StageId::Image, &[1]),
        Offer::all(StageId::ImageBetween),
        Offer::all(StageId::Separable),
        Offer::all(StageId::Walk),
        Offer::all(StageId::Mask),
        Offer::all(StageId::Float),
        Offer::all(StageId::Unroll),
        Offer::by_channels(StageId::Access, &[values::ACCESS_INT4], &[values::ACCESS_INT3]).because("taps"),
        Offer::all(StageId::Dot),
    ],
    rules: RULES,
    channels: &Channels::ALL,
    output_channels: None,
    borders: &BorderMode::ALL,
    parameters: &[],
    default_border: BorderMode::Reflect101,
    reach: &|_| Reach::around(RADIUS_PX),
    // The weights of all taps sum to 256 · 256.
    sum_range: &|_| 0..=256 * 256 * 255,
    // Float variants as well: all their sums are integers below 2^24, which float holds exactly.
    tolerance: &exact,
    defines: &no_defines,
    inlines: |_| false,
    launch: &launch,
    accesses: &accesses::accesses,
    reference: Reference::Rows(|picture, border, _, rows| reference::rows(picture.pixels(), border, rows)),
    drawing,
    conditional: None,
    cpu: Some(|job, _| cpu::run(job)),
};

const SAME_ARITHMETIC: &str = "same-arithmetic";
const HIDDEN_BY_MEMORY: &str = "hidden-by-memory";
const EITHER_MAPPING: &[(StageId, u8)] = &[(StageId::Coalesced, 1), (StageId::Walk, 1)];

/// What only makes a difference in arithmetic is offered once for each way of looping, and not for each way of loading.
const RULES: &[(StageId, Rule)] = &[
    (StageId::Vectorize, Rule::not_built_without(StageId::Separable, "single-pass-is-the-yardstick")),
    (StageId::Local, Rule::not_built_with(StageId::Padded, TILE_HANDLES_BORDER)),
    (StageId::Local, Rule::not_built_with(StageId::Image, TEXTURE_CACHE)),
    (StageId::Local, Rule::not_built_with(StageId::ImageBetween, TEXTURE_CACHE)),
    (StageId::Local, Rule::nothing_to_do_with(StageId::Walk, "walk-replaces-tile")),
    (StageId::Walk, Rule::excludes(StageId::Coalesced, "walk-has-no-mapping")),
    (StageId::Mask, Rule::not_built_without_one_of(EITHER_MAPPING, HIDDEN_BY_MEMORY)),
    (StageId::Mask, Rule::not_built_where(loads_otherwise, SAME_ARITHMETIC)),
    (StageId::Mask, Rule::not_built_with(StageId::Local, SAME_ARITHMETIC)),
    (StageId::Mask, Rule::not_built_with(StageId::Float, "float-weights-are-literals")),
    (StageId::Float, Rule::not_built_without_one_of(EITHER_MAPPING, HIDDEN_BY_MEMORY)),
    (StageId::Float, Rule::not_built_where(loads_otherwise, SAME_ARITHMETIC)),
    (StageId::Float, Rule::not_built_with(StageId::Local, SAME_ARITHMETIC)),
    (StageId::Unroll, Rule::nothing_to_do_with(StageId::Walk, "walk-is-always-unrolled")),
    (StageId::Unroll, Rule::not_built_without(StageId::Coalesced, HIDDEN_BY_MEMORY)),
    (StageId::Unroll, Rule::not_built_where(loads_otherwise, SAME_ARITHMETIC)),
    (StageId::Unroll, Rule::not_built_with(StageId::Float, "compared-with-integer-loop")),
    (StageId::Rows, Rule::not_built_without(StageId::Access, "rows-share-sums-along-them")),
    (StageId::Access, Rule::not_built_without(StageId::Rows, "words-share-sums-of-rows")),
    (StageId::Access, Rule::not_built_with(StageId::Local, WORDS_FROM_MEMORY)),
    (StageId::Access, Rule::not_built_with(StageId::Separable, "words-sum-both-ways")),
    (StageId::Access, Rule::not_built_with(StageId::Mask, "words-have-literal-weights")),
    (StageId::Access, Rule::not_built_with(StageId::Float, "words-have-literal-weights")),
    (StageId::Access, Rule::not_built_with(StageId::Unroll, "words-are-always-unrolled")),
];

/// Whether pixels come from an image object, or one by one from a padded buffer.
fn loads_otherwise(variant: &Variant, _setting: Setting) -> bool {
    let is_on = |id| variant.is_on(id);
    is_on(StageId::Local) || is_on(StageId::Image) || is_on(StageId::ImageBetween) || (is_on(StageId::Padded) && !is_on(StageId::Vectorize))
}

/// One kernel, or two with a third for the edge. The kernel file's head comment tells why the layouts have the slack they have.
fn launch(shape: &Shape) -> Launch {
    let channels = shape.channels();
    let (width, height, pixels) = (shape.width_px, shape.height_px, shape.pixels_per_item());
    let source = if shape.is_on(StageId::Image) {
        Surface::Image(Texels::one_pixel(shape))
    } else if words::are_words(shape) {
        Surface::Buffer(words::padded(shape, RADIUS_PX, shape.owned().surplus_rows()))
    } else if shape.is_on(StageId::Padded) {
        // A walk's last load begins a block behind the row's last block, which begins at or before the row's last pixel.
        let slack_bytes = if pixels == 1 { 0 } else { shape.owned().surplus_bytes(channels) + LANES };
        Surface::Buffer(Layout::padded(width, height, channels, RADIUS_PX, slack_bytes, 0))
    } else {
        Surface::Buffer(shape.tight())
    };
    let destination = match written_pixels(shape) {
        1 => shape.tight(),
        pixels => shape.whole_blocks(Ownership::pixels(pixels, channels), channels),
    };
    let tables = if shape.has_value(StageId::Mask, values::MASK_ARGUMENT) { vec![mask_table as Table] } else { Vec::new() };
    let (between, passes) = if shape.is_on(StageId::Separable) {
        let (between, arguments) = between(shape);
        (vec![between], passes(shape, &source, &destination, &arguments))
    } else {
        let mut arguments = source_arguments(&source, 0);
        arguments.extend(shape.destination_arguments(&destination));
        arguments.extend(own_arguments(shape, channels.count(), 2 * RADIUS_PX, 2 * RADIUS_PX));
        let direct = Pass { kernel: "gaussian", global: shape.global(shape.owned()), arguments };
        let mut passes = vec![direct];
        if words::are_words(shape) {
            passes.extend(edge(shape, &source, &destination));
        }
        (Vec::new(), passes)
    };
    Launch { source, destination, between, tables, passes }
}

/// The weights as kernels read them.
fn mask_table(_shape: &Shape) -> Vec<u8> {
    MASK.iter().flat_map(|weight| weight.to_ne_bytes()).collect()
}

/// Pixels of a row that a work-item of the last pass writes at once.
fn written_pixels(shape: &Shape) -> usize {
    if shape.is_on(StageId::ImageBetween) { 1 } else { shape.pixels_per_item() }
}

/// Rows that the first pass filters: those of the halo as well, where the source has one.
fn filtered_rows(shape: &Shape) -> usize {
    shape.height_px + if shape.is_on(StageId::Padded) { 2 * RADIUS_PX } else { 0 }
}

/// What the first pass writes, and how both passes are told.
fn between(shape: &Shape) -> (Between, Vec<Argument>) {
    let (channels, rows) = (shape.channels(), filtered_rows(shape));
    if shape.is_on(StageId::ImageBetween) {
        let format = match channels {
            Channels::Gray => TexelFormat::R16,
            Channels::Rgb => TexelFormat::Rgba16,
        };
        return (Between::Image { width: shape.width_px, height: rows, format }, vec![Argument::Between(0)]);
    }
    let pitch_bytes = match shape.pixels_per_item() {
        1 => shape.width_px * channels.count() * SUM_BYTES,
        // Blocks are written whole and read by vectors, whose last lane may be one number more.
        pixels => ((shape.width_px.next_multiple_of(pixels) * channels.count() + 1) * SUM_BYTES).next_multiple_of(PITCH_ALIGNMENT_BYTES),
    };
    (Between::Buffer { bytes: pitch_bytes * rows }, vec![Argument::Between(0), Argument::size(pitch_bytes)])
}

/// The horizontal and the vertical pass, and that of the edges.
fn passes(shape: &Shape, source: &Surface, destination: &Layout, between: &[Argument]) -> Vec<Pass> {
    let (rows, channels) = (filtered_rows(shape), shape.channels().count());
    let taller = Shape { height_px: rows, ..*shape };
    let is_walk = shape.is_on(StageId::Walk);

    let mut arguments = source_arguments(source, (rows - shape.height_px) / 2);
    arguments.extend(between);
    arguments.extend([Argument::size(shape.width_px), Argument::size(rows)]);
    arguments.extend(own_arguments(shape, channels, 2 * RADIUS_PX, 0));
    let global = if is_walk { [rows, 1] } else { taller.global(shape.owned()) };
    let mut passes = vec![Pass { kernel: "gaussian_horizontal", global, arguments }];

    let mut arguments = between.to_vec();
    arguments.extend(shape.destination_arguments(destination));
    arguments.extend(own_arguments(shape, channels * SUM_BYTES, 0, 2 * RADIUS_PX));
    let pixels = written_pixels(shape);
    let global = if is_walk { [shape.width_px.div_ceil(pixels), 1] } else { shape.global(Ownership::pixels(pixels, shape.channels())) };
    passes.push(Pass { kernel: "gaussian_vertical", global, arguments });

    passes.extend(edge(shape, source, destination));
    passes
}

/// The pass that puts the source back where the mask does not fit, with border mode `copy`.
fn edge(shape: &Shape, source: &Surface, destination: &Layout) -> Option<Pass> {
    (shape.setting.border == BorderMode::Copy).then(|| {
        let mut arguments = source_arguments(source, 0);
        arguments.extend(shape.destination_arguments(destination));
        // A place along an edge, and five lines at each of the four.
        let edge = Shape { width_px: shape.width_px.max(shape.height_px), height_px: 4 * RADIUS_PX, ..*shape };
        Pass { kernel: "gaussian_edge", global: edge.global(Ownership::pixels(1, shape.channels())), arguments }
    })
}

/// The source, and for a buffer the row that is `rows_above` above its first one.
fn source_arguments(source: &Surface, rows_above: usize) -> Vec<Argument> {
    match source {
        Surface::Image(_) => vec![Argument::Source],
        Surface::Buffer(layout) => vec![
            Argument::Source,
            Argument::size(layout.origin_bytes - rows_above * layout.pitch_bytes),
            Argument::size(layout.pitch_bytes),
        ],
    }
}

/// The mask or the tile, where the variant passes one. The tile has `item_bytes` for each work-item along a row, and so many pixels and rows more.
fn own_arguments(shape: &Shape, item_bytes: usize, extra_px: usize, extra_rows: usize) -> Option<Argument> {
    if shape.is_on(StageId::Local) {
        let coalesced = shape.is_on(StageId::Coalesced);
        return Some(Argument::Tile(Tile {
            item_bytes,
            extra_bytes: extra_px * item_bytes,
            item_rows: 1,
            extra_rows,
            coalesced,
            is_skewed: false,
        }));
    }
    shape.has_value(StageId::Mask, values::MASK_ARGUMENT).then_some(Argument::Table(0))
}

/// The mask in two dimensions, and the row and column that it is the product of.
fn drawing(_parameters: &Parameters) -> Vec<Grid> {
    let weight = |along: isize| MASK.get((along + RADIUS_PX.cast_signed()).cast_unsigned()).map(|&weight| f64::from(weight));
    let row: Vec<_> = MASK.iter().map(|&weight| Some(f64::from(weight))).collect();
    vec![
        Grid::around("product", RADIUS_PX, |[x, y]| Some(weight(x)? * weight(y)?)),
        Grid { caption: "row", columns: MASK.len(), cells: row, center: Some([RADIUS_PX, 0]), has_numbers: true },
    ]
}
