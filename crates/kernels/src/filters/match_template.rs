//! Template matching: what its definition in `kernels/match/` cannot say.
//!
//! The folder's name is a keyword of Rust: this module is `match_template`, and the filter's id `FilterId::Match`.

use super::FilterIdExt as _;
use super::Grid;
use super::attached::Attached;
use crate::footprint::{Plane, Space, Trace};
use kernel_ladder_cpu::reference::match_template::{self as reference, template};
use model::{FilterId, Numbers, Operation, Parameters, StageId};

/// Bytes of a number of the template.
const NUMBER_BYTES: usize = size_of::<u16>();

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), radius_of(parameters), rows)),
    footprint: Some(&footprint),
    drawing: |parameters| {
        let radius = radius_of(parameters);
        vec![Grid::around("template", radius, |place| Some(f64::from(template(radius, place))))]
    },
    ..Attached::NONE
};

/// How far the template reaches.
fn radius_of(parameters: &Parameters) -> usize {
    FilterId::Match.filter().parameter(parameters, "radius").round() as usize
}

/// The group's pixels and those around them.
fn fill_tile(trace: &mut Trace, radius: usize) -> Plane {
    let (pixels, rows) = (trace.shape.pixels_per_item(), trace.shape.rows_per_item());
    let ([columns, lines], [column, line]) = (trace.group_size(), trace.group_origin());
    let first = [column * pixels, line * rows].map(|place| place.cast_signed() - radius.cast_signed());
    let tile_columns = columns * pixels + 2 * radius;
    let (source, tile) = (trace.source(), trace.tile(first, tile_columns, 1, 1));
    trace.fill_by_channels(&source, &tile, first, [tile_columns, lines * rows + 2 * radius]);
    tile
}

/// Source row by source row, and in each column by column of the template: a pixel or a vector of pixels is loaded, and a number of the template for each own
/// row whose template lies there.
fn footprint(trace: &mut Trace) {
    let (shape, destination) = (trace.shape, trace.destination());
    let (pixels, rows, radius) = (shape.pixels_per_item(), shape.rows_per_item(), radius_of(shape.parameters));
    let source = if shape.is_on(StageId::Local) { fill_tile(trace, radius) } else { trace.source() };
    let Some([x, y]) = trace.own_block(pixels, rows) else { return };
    let (is_window, is_vector) = (shape.is_on(StageId::Block), shape.is_on(StageId::Vectorize));
    // Without the stage, the template is the only table, in global memory.
    let numbers = trace.numbers(if shape.is_on(StageId::Mask) { Space::Constant } else { Space::Table(0) }, NUMBER_BYTES);
    let side = 2 * radius + 1;
    let (left, above) = (x - radius.cast_signed(), y - radius.cast_signed());
    for line in 0..side + rows - 1 {
        let source_y = above + line.cast_signed();
        // All pixels of the window but the last one. Where it moves on, nothing is counted: compilers rename registers.
        let (begun, parts) = (if is_window { pixels - 1 } else { 0 }, if is_vector { pixels } else { 1 });
        trace.load_along(&source, left..left + begun.cast_signed(), source_y, &[1]);
        for column in 0..side {
            trace.load(&source, [left + (column + begun).cast_signed(), source_y], &[parts]);
            if is_vector {
                trace.convert(Numbers::Integer, pixels);
            }
            for row in (0..rows).filter(|&row| (row..row + side).contains(&line)) {
                trace.load(&numbers, [((line - row) * side + column).cast_signed(), 0], &[1]);
                // The difference without its sign, and its addition.
                trace.compute(pixels, &[(Operation::MinMax, 1), (Operation::Add, 1)]);
            }
        }
    }
    for row in (y..shape.height_px.cast_signed()).take(rows) {
        // A half is added; a division by a constant is a multiplication and a shift.
        trace.compute(pixels, &[(Operation::Add, 1), (Operation::Multiply, 1), (Operation::Logic, 1)]);
        trace.convert(Numbers::Integer, pixels);
        if shape.is_on(StageId::Local) {
            (x..shape.width_px.cast_signed()).take(pixels).for_each(|x| trace.store(&destination, [x, row], &[1]));
        } else {
            trace.store(&destination, [x, row], &[pixels]);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, ByClass, Channels, Counts, FilterId, OperationClass, Parameters, Setting, Variant};
    use pictures::Picture;
    use std::collections::BTreeMap;

    fn filter() -> &'static Filter {
        FilterId::Match.filter()
    }

    fn filtered(picture: &Picture, radius: u8) -> Vec<u8> {
        let parameters = Parameters(BTreeMap::from([("radius".to_owned(), f64::from(radius))]));
        filter().reference(picture, BorderMode::Replicate, &parameters).expect("a plain reference").bytes().to_vec()
    }

    /// The template of radius 2. In the center and where the distance squared is 4, |2 d² − 4| = 4: 0. Beside the center 2: 255 − 127. At the diagonals 0.
    const RING: [u8; 25] = [
        0, 0, 0, 0, 0, //
        0, 255, 128, 255, 0, //
        0, 128, 0, 128, 0, //
        0, 255, 128, 255, 0, //
        0, 0, 0, 0, 0,
    ];

    #[test]
    fn radius_two_by_hand() {
        let plain = |value| filtered(&Picture::new(1, 1, Channels::Gray, vec![value]).expect("a picture"), 2);
        // The numbers of the template sum to 4 · 255 + 4 · 128 = 1532, and 1532 / 25 = 61.28.
        assert_eq!(plain(0), [61]);
        // 25 · 255 − 1532 = 4843, and 4843 / 25 = 193.72.
        assert_eq!(plain(255), [194]);
        let ring = Picture::new(5, 5, Channels::Gray, RING.to_vec()).expect("a picture");
        let found = filtered(&ring, 2);
        assert_eq!(found[12], 0, "the template itself");
        // A pixel to the right of the center, the ring lies one to the left. In its three rows 255 128 255 0 0 and 128 0 128 0 0 meet 0 255 128 255 0 and
        // 0 128 0 128 0: 255 + 127 + 127 + 255 = 764, 128 + 128 + 128 + 128 = 512, 764. 2040 / 25 = 81.6.
        assert_eq!(found[13], 82);
        assert!(found.iter().enumerate().all(|(index, &value)| index == 12 || value > 0));
    }

    #[test]
    fn means_are_rounded_to_the_nearest() {
        // In the center only the corner differs, by its own value: 12 / 25 = 0.48, 13 / 25 = 0.52, 37 / 25 = 1.48, 38 / 25 = 1.52.
        let with_corner = |value: u8| {
            let mut pixels = RING;
            pixels[0] = value;
            filtered(&Picture::new(5, 5, Channels::Gray, pixels.to_vec()).expect("a picture"), 2)[12]
        };
        assert_eq!([12, 13, 37, 38].map(with_corner), [0, 1, 1, 2]);
    }

    #[test]
    fn counts_by_hand() {
        let counts = |name: &str, local| {
            let (variant, setting) = (Variant::parse(name).expect("known"), Setting::new(Channels::Gray, BorderMode::Replicate));
            let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 256, height_px: 256 };
            filter().counts(&shape, local).expect("described")
        };
        // 625 differences and additions; a half, a product and a shift; and what else is told by class only.
        let of = |logic, local_bytes| {
            let classes = [
                (OperationClass::IntegerAdd, 626.0),
                (OperationClass::IntegerMinMax, 625.0),
                (OperationClass::IntegerMultiply, 1.0),
                (OperationClass::IntegerLogic, logic),
                (OperationClass::LocalMemory, local_bytes),
            ];
            let by_class = classes
                .into_iter()
                .filter(|class| class.1 > 0.0)
                .fold(ByClass::default(), |sum, (class, count)| sum + ByClass::one(class, count));
            Counts { operations: 1253.0, by_class, must_move_bytes: 2.0, stores: 1.0, stored_bytes: 1.0, ..Counts::default() }
        };
        // A pixel and a number of two bytes for each tap; then pixels only.
        assert_eq!(counts("naive", [1, 1]), Counts { loads: 1250.0, loaded_bytes: 1875.0, ..of(1.0, 0.0) });
        assert_eq!(counts("coalesced+padded+mask=argument", [1, 1]), Counts { loads: 625.0, loaded_bytes: 625.0, ..of(1.0, 0.0) });
        // 25 rows of 28 pixels for four; 28 rows of 28 for 16; 28 rows of 32 for 32. The bytes of a block are narrowed as vectors.
        let block = |pixels: f64, loads: f64| Counts { loads, loaded_bytes: loads, stores: 1.0 / pixels, ..of(2.0, 0.0) };
        assert_eq!(counts("coalesced+padded+block=4+mask=argument", [1, 1]), block(4.0, 175.0));
        assert_eq!(counts("coalesced+padded+rows=4+block=4+mask=argument", [1, 1]), block(4.0, 49.0));
        assert_eq!(counts("coalesced+padded+rows=4+block=8+mask=argument", [1, 1]), block(8.0, 28.0));
        // 28 rows of 25 vectors for four rows of 16 pixels, each widened.
        let vectors = Counts { loads: 700.0 / 64.0, loaded_bytes: 175.0, stores: 1.0 / 16.0, ..of(2.0 + 175.0, 0.0) };
        assert_eq!(counts("coalesced+padded+vectorize=16+rows=4+mask=argument", [1, 1]), vectors);
        // 40 × 40 pixels are loaded and stored for 256, and 625 loaded by each; each takes a bank of four bytes.
        let tile = Counts { loads: 6.25, loaded_bytes: 6.25, ..of(1.0, 4.0 * (6.25 + 625.0)) };
        assert_eq!(counts("coalesced+local+mask=argument", [16, 16]), tile);
    }
}
