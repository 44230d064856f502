//! Sobel edges of gray pictures: saturate(|across| + |down|), the two gradients by the 3 × 3 Sobel masks.

mod accesses;

use super::reasons::{NO_BRANCH_IMAGE, NO_BRANCH_PADDED, TEXTURE_CACHE, WORDS_FROM_MEMORY, WORDS_RESTORE_EDGES};
use super::{Filter, Grid, Offer, Parameters, Reference, exact, no_defines, words};
use crate::filters::Rule;
use crate::image::Layout;
use crate::model::{BorderMode, Channels, Reach, StageId, values};
use crate::schedule::{Argument, Launch, Pass, Shape, Surface, Texels, Tile};
use kernel_ladder_cpu::filters::sobel as cpu;
use kernel_ladder_cpu::reference::sobel::{self as reference, MASK};

/// How far a neighbor is.
const RADIUS_PX: usize = 1;

/// The filter's row.
pub static FILTER: Filter = Filter {
    id: crate::model::FilterId::Sobel,
    kernel_file: "sobel/sobel.cl",
    files: &[],
    ladders: &[],
    stages: &[
        Offer::all(StageId::Coalesced),
        Offer::all(StageId::Padded),
        Offer::only(StageId::Vectorize, &[4, 16]),
        Offer::all(StageId::Short16),
        Offer::all(StageId::Select),
        Offer::only(StageId::Local, &[1]),
        Offer::only(StageId::Rows, &[2]),
        Offer::only(StageId::Block, &[16]),
        Offer::all(StageId::Image),
        Offer::all(StageId::Separable).because("sobel"),
        Offer::only(StageId::Access, &[values::ACCESS_INT4]).because("words"),
        Offer::all(StageId::Lanes),
    ],
    rules: RULES,
    channels: &[Channels::Gray],
    output_channels: None,
    borders: &BorderMode::ALL,
    parameters: &[],
    default_border: BorderMode::Replicate,
    reach: &|_| Reach::around(RADIUS_PX),
    // Each gradient lies between −4 · 255 and 4 · 255, the sum of their absolute values between 0 and 8 · 255.
    sum_range: &|_| -4 * 255..=8 * 255,
    tolerance: &exact,
    defines: &no_defines,
    inlines: |_| true,
    launch: &launch,
    accesses: &accesses::accesses,
    reference: Reference::Rows(|picture, border, _, rows| reference::rows(picture.pixels(), border, rows)),
    drawing,
    conditional: None,
    cpu: Some(|job, _| cpu::run(job)),
};

const RULES: &[(StageId, Rule)] = &[
    (
        StageId::Select,
        Rule::nothing_to_do(
            |variant, setting| variant.is_on(StageId::Padded) && variant.is_on(StageId::Vectorize) && setting.border != BorderMode::Copy,
            NO_BRANCH_PADDED,
        ),
    ),
    (StageId::Select, Rule::nothing_to_do(|variant, _| variant.is_on(StageId::Image), NO_BRANCH_IMAGE)),
    (StageId::Select, Rule::not_built_with(StageId::Local, "tile-branches-fill-it")),
    (StageId::Local, Rule::not_built_without(StageId::Coalesced, "tile-is-filled-side-by-side")),
    (StageId::Local, Rule::not_built_with(StageId::Block, "block-conflicts-in-banks")),
    (StageId::Local, Rule::not_built_with(StageId::Image, TEXTURE_CACHE)),
    (StageId::Local, Rule::not_built_with(StageId::Short16, "tile-measured-with-int")),
    (StageId::Local, Rule::not_built_with(StageId::Separable, "tile-measured-with-direct-masks")),
    (StageId::Access, Rule::not_built_with(StageId::Local, WORDS_FROM_MEMORY)),
    (StageId::Access, Rule::not_built_with(StageId::Select, WORDS_RESTORE_EDGES)),
    (StageId::Image, Rule::value_needs(values::IMAGE_FOUR_PIXELS, StageId::Vectorize, "four-pixel-texel-needs-four")),
    (
        StageId::Separable,
        Rule::needs_one_of(&[(StageId::Block, 16), (StageId::Vectorize, 4), (StageId::Vectorize, 16)], "column-sums-need-neighbors"),
    ),
];

/// One kernel. The kernel file's head comment tells why the padded layouts have the slack they have.
fn launch(shape: &Shape) -> Launch {
    if words::are_words(shape) {
        let (source, destination) = words::layouts(shape, Channels::Gray);
        let pass = Pass { kernel: "sobel", global: shape.global(shape.owned()), arguments: shape.buffer_arguments(&source, &destination) };
        return Launch::single(source, destination, pass);
    }
    let (pixels, rows) = (shape.pixels_per_item(), shape.rows_per_item());
    let source = source(shape);
    let destination = if shape.is_on(StageId::Padded) || shape.is_on(StageId::Vectorize) {
        shape.whole_blocks(shape.owned(), Channels::Gray)
    } else {
        shape.tight()
    };
    let mut arguments = match source {
        Surface::Buffer(source) => shape.buffer_arguments(&source, &destination),
        Surface::Image(texels) if shape.is_on(StageId::Vectorize) => shape.packed_image_arguments(&texels, &destination),
        Surface::Image(_) => shape.image_arguments(&destination),
    };
    if shape.is_on(StageId::Local) {
        // The group's pixels with a halo. Wide loads end at the last right neighbor.
        arguments.push(Argument::Tile(Tile {
            item_bytes: pixels,
            extra_bytes: 2 * RADIUS_PX,
            item_rows: rows,
            extra_rows: 2 * RADIUS_PX,
            coalesced: shape.is_on(StageId::Coalesced),
            is_skewed: false,
        }));
    }
    let pass = Pass { kernel: "sobel", global: shape.global(shape.owned()), arguments };
    Launch { source, destination, between: Vec::new(), tables: Vec::new(), passes: vec![pass] }
}

/// How the source lies on the device.
fn source(shape: &Shape) -> Surface {
    let packs_four = shape.has_value(StageId::Image, values::IMAGE_FOUR_PIXELS);
    if packs_four {
        // What is read for pixels behind a row's end or below the picture is not used, and the sampler clamps it: no slack.
        Surface::Image(Texels::four_pixels(shape, RADIUS_PX, 0, 0))
    } else if shape.is_on(StageId::Image) {
        Surface::Image(Texels::one_pixel(shape))
    } else if shape.is_on(StageId::Padded) {
        // A row's last block begins at or before its last pixel, and with its right neighbor ends so many pixels behind it. A block of several
        // rows may begin in the last row, and loads its rows whether they are there or not.
        let (slack_bytes, surplus_rows) = (shape.owned().bytes, shape.owned().surplus_rows());
        Surface::Buffer(Layout::padded(shape.width_px, shape.height_px, Channels::Gray, RADIUS_PX, slack_bytes, surplus_rows))
    } else {
        Surface::Buffer(shape.tight())
    }
}

/// The mask for the gradient across, and turned for the one down.
fn drawing(_parameters: &Parameters) -> Vec<Grid> {
    let weight = |[column, row]: [isize; 2]| {
        let [column, row] = [column, row].map(|along| (along + 1).cast_unsigned());
        MASK.get(row).and_then(|weights| weights.get(column)).map(|&weight| f64::from(weight))
    };
    let (across, down) = (Grid::around("across", 1, weight), Grid::around("down", 1, |[column, row]| weight([row, column])));
    vec![across.numbered(), down.numbered()]
}

#[cfg(test)]
mod tests {
    use super::{FILTER, Parameters};
    use crate::image::Picture;
    use crate::model::{BorderMode, Channels, Counts, Setting, Variant};
    use crate::schedule::Shape;

    fn filtered(width: usize, height: usize, bytes: &[u8], border: BorderMode) -> Vec<u8> {
        let picture = Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture");
        FILTER.reference(&picture, border, &Parameters::default()).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn three_by_three_by_hand() {
        let bytes = [10, 20, 31, 40, 50, 60, 70, 80, 91];
        // Center: across = (31 + 2·60 + 91) − (10 + 2·40 + 70) = 242 − 160 = 82,
        // down = (70 + 2·80 + 91) − (10 + 2·20 + 31) = 321 − 81 = 240; 322 saturates.
        assert_eq!(filtered(3, 3, &bytes, BorderMode::Copy), [10, 20, 31, 40, 255, 60, 70, 80, 91]);
        // Top left, replicate: 10 10 20 / 10 10 20 / 40 40 50: across = (20 + 40 + 50) − (10 + 20 + 40) = 40, down = 170 − 50 = 120.
        // Bottom left, replicate: 40 40 50 / 70 70 80 / 70 70 80: across = 290 − 250 = 40, down = 290 − 170 = 120.
        let replicate = filtered(3, 3, &bytes, BorderMode::Replicate);
        assert_eq!((replicate[0], replicate[6]), (160, 160));
        // Reflect101 is even around an edge, so the gradient across it is 0. Corner: both are. Top middle: across is
        // (60 + 2·31 + 60) − (40 + 2·10 + 40) = 82.
        let reflect = filtered(3, 3, &bytes, BorderMode::Reflect101);
        assert_eq!((reflect[0], reflect[1], reflect[2]), (0, 82, 0));
    }

    #[test]
    fn a_step_answers_on_both_sides_in_either_direction() {
        // A rise of 20 along the rows: 4 · 20 at the two columns beside it.
        for row in [[0, 0, 20, 20], [20, 20, 0, 0]] {
            assert_eq!(filtered(4, 3, &row.repeat(3), BorderMode::Replicate), [0, 80, 80, 0].repeat(3));
        }
        let down: Vec<u8> = [[0; 3], [0; 3], [20; 3], [20; 3]].concat();
        assert_eq!(filtered(3, 4, &down, BorderMode::Replicate), [[0; 3], [80; 3], [80; 3], [0; 3]].concat());
    }

    #[test]
    fn one_pixel_has_no_edge() {
        assert_eq!(filtered(1, 1, &[77], BorderMode::Copy), [77]);
        for border in [BorderMode::Replicate, BorderMode::Reflect101] {
            assert_eq!(filtered(1, 1, &[77], border), [0], "{border:?}");
        }
    }

    fn counts(name: &str) -> Counts {
        let variant = Variant::parse(name).expect("a known variant");
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 64, height_px: 64 };
        FILTER.counts(&shape, [16, 4]).expect("described")
    }

    #[test]
    fn counts_are_those_of_the_guides_tables() {
        // Table 9-4, bytes loaded for each output.
        for (name, bytes) in [("naive", 9.0), ("block=16", 3.375), ("rows=2+block=16", 2.25)] {
            let counts = counts(name);
            assert_eq!((counts.loads, counts.loaded_bytes, counts.stores), (bytes, bytes, 1.0), "{name}");
        }
        // Table 9-5, loads and stores for each output; the guide stores two values and has 2 / 16 there.
        for (name, loads) in [("padded+vectorize=16", 6.0 / 16.0), ("padded+vectorize=16+rows=2", 8.0 / 32.0)] {
            let counts = counts(name);
            assert_eq!((counts.loads, counts.stores, counts.stored_bytes), (loads, 1.0 / 16.0, 1.0), "{name}");
        }
        // Six texels for each of three rows.
        let texels = counts("vectorize=16+image=rgba");
        assert_eq!((texels.loads, texels.loaded_bytes), (18.0 / 16.0, 4.5));
        // A group of 16 × 4 work-items loads 18 × 6 bytes for its 64 pixels.
        let tile = counts("coalesced+local");
        assert_eq!((tile.loads, tile.loaded_bytes, tile.stores), (108.0 / 64.0, 108.0 / 64.0, 1.0));
    }
}
