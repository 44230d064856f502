//! Demosaic: what its definition in `kernels/demosaic/` cannot say.

use super::attached::Attached;
use crate::footprint::{Plane, Trace, inside_by_one};
use kernel_ladder_cpu::reference::demosaic as reference;
use model::{BorderMode, Numbers, Operation, StageId};

/// Red, green and blue.
const CHANNELS: usize = 3;

/// Pixels along a row of a work-item with two quads.
const TWO_QUADS_PX: usize = 4;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, _, rows| reference::rows(picture.pixels(), rows)),
    footprint: Some(&footprint),
    ..Attached::NONE
};

/// Two additions, one of them of the half that rounds, and a shift; four and a shift.
const MEAN_OF_TWO: [(Operation, usize); 2] = [(Operation::Add, 2), (Operation::Logic, 1)];
const MEAN_OF_FOUR: [(Operation, usize); 2] = [(Operation::Add, 4), (Operation::Logic, 1)];

fn footprint(trace: &mut Trace) {
    let side = if is_quad(trace) { 2 } else { 1 };
    if trace.shape.is_on(StageId::Vectorize) {
        return two_quads(trace);
    }
    // The tile is filled by all work-items of the group.
    let source = if trace.shape.is_on(StageId::Local) {
        fill_tile(trace, side)
    } else {
        trace.source().with_inside(inside_by_one(BorderMode::Reflect101))
    };
    let Some(place) = trace.own_block(side, side) else { return };
    if side == 2 {
        quad(trace, &source, place);
    } else if trace.shape.is_on(StageId::Select) {
        pixel_by_masks(trace, &source, place);
    } else {
        pixel(trace, &source, place);
    }
}

/// The filter's own stage `quad`.
fn is_quad(trace: &Trace) -> bool {
    trace.shape.is_on(StageId::Quad)
}

fn fill_tile(trace: &mut Trace, side: usize) -> Plane {
    let shape = trace.shape;
    let ([columns, lines], [column, line]) = (trace.group_size(), trace.group_origin());
    let first = [column * side, line * side].map(|place| place.cast_signed() - 1);
    let (tile_columns, tile_rows) = (columns * side + 2, lines * side + 2);
    // In a padded source, nothing further than the halo.
    let source = trace.source().with_inside(inside_by_one(BorderMode::Reflect101));
    let source = if shape.is_on(StageId::Padded) { source.at_most_beyond(1) } else { source };
    let tile = trace.tile(first, tile_columns, 1, 1);
    trace.fill_by_channels(&source, &tile, first, [tile_columns, tile_rows]);
    tile
}

/// The neighbors, in the order in which the kernels take them.
fn cross([x, y]: [isize; 2]) -> [[isize; 2]; 4] {
    [[x, y - 1], [x - 1, y], [x + 1, y], [x, y + 1]]
}

fn corners([x, y]: [isize; 2]) -> [[isize; 2]; 4] {
    [[x - 1, y - 1], [x + 1, y - 1], [x - 1, y + 1], [x + 1, y + 1]]
}

fn across([x, y]: [isize; 2]) -> [[isize; 2]; 2] {
    [[x - 1, y], [x + 1, y]]
}

fn upright([x, y]: [isize; 2]) -> [[isize; 2]; 2] {
    [[x, y - 1], [x, y + 1]]
}

/// The mean of two or four pixels.
fn mean(trace: &mut Trace, source: &Plane, places: &[[isize; 2]]) {
    for &place in places {
        trace.load(source, place, &[1]);
    }
    trace.compute(1, if places.len() == 2 { &MEAN_OF_TWO } else { &MEAN_OF_FOUR });
}

/// Red, green and blue, byte by byte.
fn store_pixel(trace: &mut Trace, place: [isize; 2]) {
    let destination = trace.destination();
    trace.store(&destination, place, &[1; CHANNELS]);
}

/// One of the four cases: work-items that are of different ones do not go through it together.
fn pixel(trace: &mut Trace, source: &Plane, place @ [x, y]: [isize; 2]) {
    let (which, is_green) = match (x % 2, y % 2) {
        (0, 0) => (0, false),
        (_, 0) => (1, true),
        (0, _) => (2, true),
        (_, _) => (3, false),
    };
    trace.branch(which, |trace| {
        match (which, is_green) {
            (0, _) => {
                trace.load(source, place, &[1]);
                mean(trace, source, &cross(place));
                mean(trace, source, &corners(place));
            }
            (1, _) => {
                mean(trace, source, &across(place));
                trace.load(source, place, &[1]);
                mean(trace, source, &upright(place));
            }
            (2, _) => {
                mean(trace, source, &upright(place));
                trace.load(source, place, &[1]);
                mean(trace, source, &across(place));
            }
            _ => {
                mean(trace, source, &corners(place));
                mean(trace, source, &cross(place));
                trace.load(source, place, &[1]);
            }
        }
        if trace.shape.variant.is_textbook() {
            return;
        }
        store_pixel(trace, place);
    });
    // The textbook's kernel stores behind its branches.
    if trace.shape.variant.is_textbook() {
        store_pixel(trace, place);
    }
}

/// Everything that any of the cases needs; seven selections, three for red, one for green and three for blue.
fn pixel_by_masks(trace: &mut Trace, source: &Plane, place: [isize; 2]) {
    trace.load(source, place, &[1]);
    mean(trace, source, &across(place));
    mean(trace, source, &upright(place));
    for place in cross(place) {
        trace.load_again(source, place, &[1]);
    }
    trace.compute(1, &MEAN_OF_FOUR);
    mean(trace, source, &corners(place));
    trace.compute(1, &[(Operation::MinMax, 7)]);
    store_pixel(trace, place);
}

/// 4 × 4 pixels; of each quad, four means of two and four of four.
fn quad(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    for row in y - 1..=y + 2 {
        trace.load_along(source, x - 1..=x + 2, row, &[1]);
    }
    compute_quads(trace, 1);
    for row in (y..trace.shape.height_px.cast_signed()).take(2) {
        store_pixel(trace, [x, row]);
        store_pixel(trace, [x + 1, row]);
    }
}

fn compute_quads(trace: &mut Trace, quads: usize) {
    trace.compute(4 * quads, &MEAN_OF_TWO);
    trace.compute(4 * quads, &MEAN_OF_FOUR);
}

/// A word and a byte on each side of it from each of four rows, spread over 16 bits a pixel. Of the means of four lanes, two are of use: the others belong to
/// pixels of the other color, and compilers that keep lanes apart drop them.
fn two_quads(trace: &mut Trace) {
    let Some([x, y]) = trace.own_block(TWO_QUADS_PX, 2) else { return };
    let (source, destination) = (trace.source(), trace.destination());
    let beyond = x + TWO_QUADS_PX.cast_signed();
    for row in y - 1..=y + 2 {
        trace.load(&source, [x, row], &[TWO_QUADS_PX]);
        trace.load_along(&source, [x - 1, beyond], row, &[1]);
        (0..3).for_each(|_| trace.convert(Numbers::Integer, TWO_QUADS_PX));
    }
    compute_quads(trace, 2);
    for row in (y..trace.shape.height_px.cast_signed()).take(2) {
        trace.convert(Numbers::Integer, CHANNELS * TWO_QUADS_PX);
        trace.store(&destination, [x, row], &[CHANNELS * TWO_QUADS_PX]);
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, ByClass, Channels, Counts, FilterId, OperationClass, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Demosaic.filter()
    }

    fn colors(width: usize, height: usize, bytes: &[u8]) -> Vec<u8> {
        let picture = Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture");
        let colors = filter().reference(&picture, BorderMode::Reflect101, &Parameters::default()).expect("a plain reference");
        assert_eq!((colors.channels(), colors.width_px(), colors.height_px()), (Channels::Rgb, width, height));
        colors.bytes().to_vec()
    }

    #[test]
    fn three_by_three_by_hand() {
        // R G R
        // G B G
        // R G R
        let bytes = [
            10, 20, 30, //
            40, 50, 60, //
            70, 80, 91,
        ];
        let expected = [
            // Mirrored: green is (40 + 20 + 20 + 40 + 2) / 4, blue four times 50. Then (10 + 30 + 1) / 2. Then (60 + 20 + 20 + 60 + 2) / 4.
            [10, 30, 50, 20, 20, 50, 30, 40, 50],
            // (10 + 70 + 1) / 2. Then (10 + 30 + 70 + 91 + 2) / 4 = 50.75 and (20 + 40 + 60 + 80 + 2) / 4 = 50.5. Then (30 + 91 + 1) / 2.
            [40, 40, 50, 50, 50, 50, 61, 60, 50],
            // (40 + 80 + 80 + 40 + 2) / 4. Then (70 + 91 + 1) / 2. Then (60 + 80 + 80 + 60 + 2) / 4.
            [70, 60, 50, 81, 80, 50, 91, 70, 50],
        ];
        assert_eq!(colors(3, 3, &bytes), expected.concat());
    }

    #[test]
    fn plain_red_stays_plain_red() {
        let pattern = Picture::from_fn(6, 5, Channels::Gray, |x, y, _| if x % 2 == 0 && y % 2 == 0 { 200 } else { 0 });
        assert_eq!(colors(6, 5, pattern.bytes()), [200, 0, 0].repeat(30));
    }

    #[test]
    fn one_pixel_is_all_there_is() {
        assert_eq!(colors(1, 1, &[7]), [7, 7, 7]);
    }

    #[test]
    fn counts_by_hand() {
        let counts = |name: &str, local| {
            let (variant, setting) = (Variant::parse(name).expect("known"), Setting::new(Channels::Gray, BorderMode::Reflect101));
            let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 64, height_px: 64 };
            filter().counts(&shape, local).expect("described")
        };
        let class = ByClass::one;
        // Of a quad, four means of two and four of four: 8 + 16 additions and 8 shifts.
        let means = class(OperationClass::IntegerAdd, 6.0) + class(OperationClass::IntegerLogic, 2.0);
        let quad = Counts {
            operations: 8.0,
            by_class: means,
            must_move_bytes: 4.0,
            loads: 4.0,
            loaded_bytes: 4.0,
            stores: 3.0,
            stored_bytes: 3.0,
            ..Counts::default()
        };
        assert_eq!(counts("quad", [1, 1]), quad);
        assert_eq!(counts("coalesced+padded+quad", [1, 1]), quad);
        // Four rows of six bytes by three loads, for eight pixels; 4 · 12 pixels spread and 2 · 12 put together.
        let spread = class(OperationClass::IntegerLogic, 9.0);
        let words = Counts { by_class: means + spread, loads: 1.5, loaded_bytes: 3.0, stores: 0.25, ..quad };
        assert_eq!(counts("padded+vectorize=4+quad", [1, 1]), words);
        // Nine loads, and all four means: 2 · 3 + 2 · 5 operations, and seven selections.
        let all = [(OperationClass::IntegerAdd, 12.0), (OperationClass::IntegerLogic, 4.0), (OperationClass::IntegerMinMax, 7.0)];
        let by_class = all.into_iter().collect();
        let masks = Counts { operations: 23.0, by_class, loads: 9.0, loaded_bytes: 9.0, ..quad };
        assert_eq!(counts("coalesced+padded+select", [1, 1]), masks);
        // A tile of 6 × 4 bytes for 4 × 2 pixels, each stored to it; of each four pixels, 9 + 5 + 5 + 9 bytes come from it, and a byte takes as long as a word.
        let local = class(OperationClass::LocalMemory, 4.0 * (3.0 + 7.0));
        assert_eq!(counts("coalesced+padded+local", [4, 2]), Counts { by_class: means + local, loads: 3.0, loaded_bytes: 3.0, ..quad });
        // A tile of 10 × 6 bytes for 8 × 4 pixels, 16 loads for each four of them.
        let local = class(OperationClass::LocalMemory, 4.0 * (60.0 / 32.0 + 4.0));
        assert_eq!(
            counts("local+coalesced+quad", [4, 2]),
            Counts { by_class: means + local, loads: 60.0 / 32.0, loaded_bytes: 60.0 / 32.0, ..quad }
        );
    }
}
