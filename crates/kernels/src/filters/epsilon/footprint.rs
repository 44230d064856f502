//! What work-items load and store: the kernels in `kernels/epsilon/`, line by line.

use super::{REACH_PX, SIDE_PX, is_packed};
use crate::filters::words::{self, Block, WORD_BYTES};
use crate::footprint::{Plane, Trace};
use model::{BorderMode, Numbers, Operation, Ownership, StageId};

const REACH: isize = REACH_PX.cast_signed();

pub(super) fn footprint(trace: &mut Trace) {
    let shape = trace.shape;
    if words::are_words(shape) {
        return block_of_words(trace);
    }
    let source = if shape.is_on(StageId::Local) { fill_tile(trace) } else { trace.source() };
    let Some(first) = trace.own_block(shape.pixels_per_item(), 1) else { return };
    let is_packed = is_packed(shape) && !shape.is_on(StageId::Local);
    match (shape.pixels_per_item(), is_packed) {
        (1, false) => pixel(trace, &source, first),
        (1, true) => pixel_of_texels(trace, &source, first),
        (_, false) => block(trace, &source, first),
        (_, true) => block_of_texels(trace, &source, first),
    }
}

fn fill_tile(trace: &mut Trace) -> Plane {
    let shape = trace.shape;
    let pixels = shape.pixels_per_item();
    let ([columns, lines], [column, line]) = (trace.group_size(), trace.group_origin());
    let first @ [first_x, first_y] = [column * pixels, line].map(|place| place.cast_signed() - REACH);
    let (tile_columns, tile_rows) = (columns * pixels + 2 * REACH_PX, lines + 2 * REACH_PX);
    // In a padded source, nothing further than the halo; in any other, what is inside is found by the border mode.
    let source = if shape.is_on(StageId::Padded) { trace.source().at_most_beyond(REACH_PX) } else { trace.source() };
    let tile = trace.tile(first, tile_columns, 1, 1);
    if is_packed(shape) {
        trace.share([tile_columns / 4, tile_rows], |trace, [texel, row]| {
            let [texel, y] = [texel.cast_signed(), first_y + row.cast_signed()];
            trace.load(&source, [first_x / 4 + texel, y], &[1]);
            trace.store(&tile, [first_x + 4 * texel, y], &[4]);
        });
    } else {
        trace.fill_by_channels(&source, &tile, first, [tile_columns, tile_rows]);
    }
    tile
}

/// Whether the source is stored where the mask does not fit, before anything else is loaded.
fn returns_early(trace: &Trace, place: [isize; 2]) -> bool {
    !trace.shape.is_on(StageId::Select) && trace.keeps_source(place, REACH_PX, REACH_PX)
}

/// So many lanes with one neighbor each: their difference and its absolute value are compared, then both sum and count are added to; by a product where there
/// is no branch. Vectors have an operation for the difference without its sign where they are integers, and choose or mask what they add.
fn compute_neighbors(trace: &mut Trace, is_vector: bool, lanes: usize) {
    let shape = trace.shape;
    let (is_float, is_select) = (shape.is_on(StageId::Float), shape.is_on(StageId::Select));
    let operations: &[(Operation, usize)] = match (is_vector, is_float, is_select) {
        (false, _, false) => &[(Operation::Add, 3), (Operation::MinMax, 2)],
        (false, _, true) => &[(Operation::Add, 2), (Operation::MinMax, 2), (Operation::MultiplyAdd, 2)],
        (true, false, true) => &[(Operation::MinMax, 2), (Operation::Logic, 1), (Operation::Add, 2)],
        (true, false, false) => &[(Operation::MinMax, 4), (Operation::Add, 2)],
        (true, true, false) => &[(Operation::Add, 3), (Operation::MinMax, 4)],
        (true, true, true) => &[(Operation::Add, 3), (Operation::MinMax, 2), (Operation::MultiplyAdd, 2)],
    };
    trace.compute(lanes, operations);
    // The neighbor by itself, or what is added of integer vectors, or whether it is near, as a number.
    let numbers = trace.computes_in();
    if !is_vector || !is_float || is_select {
        trace.convert(numbers, lanes);
    }
}

/// The sums of all rows are floats, also where those of one are halves.
fn sum_numbers(trace: &Trace) -> Numbers {
    if trace.shape.is_on(StageId::Float) { Numbers::Float } else { Numbers::Integer }
}

/// One pixel from bytes or from texels of one pixel.
fn pixel(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (shape, destination, numbers) = (trace.shape, trace.destination(), sum_numbers(trace));
    trace.load(source, [x, y], &[1]);
    if !returns_early(trace, [x, y]) {
        for row in y - REACH..=y + REACH {
            for column in x - REACH..=x + REACH {
                trace.load_beside([x, y], source, [column, row], &[1]);
                compute_neighbors(trace, false, 1);
            }
            // The sum of the row, which the naive kernel does not have.
            trace.compute_in(numbers, usize::from(!shape.variant.is_textbook()), &[(Operation::Add, 1)]);
        }
        // Select takes the center as it is from a buffer.
        if shape.setting.border == BorderMode::Copy && shape.is_on(StageId::Select) && !shape.is_on(StageId::Image) {
            trace.load_again(source, [x, y], &[1]);
        }
        if numbers == Numbers::Integer {
            trace.compute_in(numbers, 1, &[(Operation::Logic, 2), (Operation::Add, 1), (Operation::Function, 1)]);
        } else {
            trace.compute_in(numbers, 1, &[(Operation::Add, 3), (Operation::Function, 1)]);
            trace.convert(numbers, 1);
        }
    }
    trace.store(&destination, [x, y], &[1]);
}

/// One pixel from the texel that it lies in and the two beside that.
fn pixel_of_texels(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (destination, texel) = (trace.destination(), x / 4);
    let (numbers, is_float) = (trace.computes_in(), trace.shape.is_on(StageId::Float));
    trace.load(source, [texel, y], &[1]);
    // Its lane is masked, and all four are added.
    trace.compute_in(Numbers::Integer, 1, &[(Operation::Logic, 4), (Operation::Add, 3)]);
    if !returns_early(trace, [x, y]) {
        for row in y - REACH..=y + REACH {
            for column in texel - 1..=texel + 1 {
                trace.load_beside([texel, y], source, [column, row], &[1]);
                compute_neighbors(trace, true, 4);
                if is_float {
                    trace.convert(numbers, 4);
                }
            }
        }
        // Sums and counts: the outer texels are masked, three are added, and then their lanes.
        trace.convert(numbers, 2 * 3 * 4);
        trace.compute_in(Numbers::Integer, 2, &[(Operation::Logic, 2 * 4), (Operation::Add, 2 * 4 + 3)]);
        // The mean of what was added, or of the differences and the center.
        trace.compute_in(Numbers::Integer, 1, &[(Operation::Logic, 2), (Operation::Add, 1), (Operation::Function, 1)]);
        trace.compute_in(Numbers::Integer, usize::from(is_float), &[(Operation::MultiplyAdd, 2)]);
    }
    trace.store(&destination, [x, y], &[1]);
}

/// What the rows of the mask and the mean cost a block.
fn compute_block(trace: &mut Trace) {
    let (numbers, lanes, is_float) = (sum_numbers(trace), trace.shape.pixels_per_item(), trace.shape.is_on(StageId::Float));
    compute_neighbors(trace, true, lanes * SIDE_PX * SIDE_PX);
    if is_float {
        // The pixels of a row, once for all of its lanes.
        trace.convert(trace.computes_in(), SIDE_PX * (lanes + 2 * REACH_PX));
    }
    trace.compute_in(numbers, lanes * SIDE_PX, &[(Operation::Add, 1)]);
    // The mean is divided in float, and from the center on where differences were added.
    trace.compute_in(Numbers::Float, lanes, &[(Operation::Add, if is_float { 3 } else { 2 }), (Operation::Function, 1)]);
    trace.convert(Numbers::Float, 3 * lanes);
}

/// A block of bytes, by vectors.
fn block(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (pixels, destination) = (trace.shape.pixels_per_item(), trace.destination());
    let row_parts: &[usize] = match pixels {
        4 => &[8, 4],
        8 => &[16],
        _ => &[16, 8],
    };
    trace.load(source, [x, y], &[pixels]);
    for row in y - REACH..=y + REACH {
        trace.load(source, [x - REACH, row], row_parts);
    }
    compute_block(trace);
    trace.store(&destination, [x, y], &[pixels]);
}

/// A block of words: `kernels/epsilon/words.clh`, line by line. The mask reaches one word to each side.
fn block_of_words(trace: &mut Trace) {
    let Ownership { bytes, .. } = trace.shape.owned();
    let Some(Block { place: [_, line], planes: [source, destination] }) = words::own_block(trace) else { return };
    let (y, word, is_float) = (line.cast_signed(), WORD_BYTES.cast_signed(), trace.shape.is_on(StageId::Float));
    let own = 0..bytes.cast_signed() / word;
    for index in own.clone() {
        trace.load(&source.shifted(index * word), [0, y], &[WORD_BYTES]);
    }
    for row in y - REACH..=y + REACH {
        for index in own.start - 1..=own.end {
            if row == y && own.contains(&index) {
                trace.load_again(&source.shifted(index * word), [0, row], &[WORD_BYTES]);
            } else {
                trace.load(&source.shifted(index * word), [0, row], &[WORD_BYTES]);
            }
        }
    }
    // Each pixel is cut out and gets its share of the count: once as a center, and once in each row.
    let pixels = bytes + SIDE_PX * (bytes + 2 * REACH_PX);
    trace.compute_in(Numbers::Integer, pixels, &[(Operation::Logic, 1)]);
    trace.compute(pixels, &[(Operation::Add, 1)]);
    // A subtraction, a comparison and an addition; of integers, one more addition makes both signs one comparison.
    let additions = if is_float { 2 } else { 3 };
    trace.compute(bytes * SIDE_PX * SIDE_PX, &[(Operation::Add, additions), (Operation::MinMax, 1)]);
    // The sum is parted from the count, and divided by it.
    trace.compute_in(Numbers::Integer, bytes, &[(Operation::Logic, 2)]);
    trace.compute_in(Numbers::Float, bytes, &[(Operation::Add, 2), (Operation::Function, 1)]);
    trace.convert(Numbers::Float, 3 * bytes);
    trace.beside(Numbers::Integer, bytes, &[(Operation::Logic, 2)]);
    for index in own {
        trace.store(&destination.shifted(index * word), [0, y], &[WORD_BYTES]);
    }
}

/// A block of texels of four pixels each.
fn block_of_texels(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (pixels, destination) = (trace.shape.pixels_per_item(), trace.destination());
    let own = x / 4..x / 4 + pixels.cast_signed() / 4;
    trace.load_along(source, own.clone(), y, &[1]);
    for row in y - REACH..=y + REACH {
        for texel in own.start - 1..=own.end {
            if row == y && own.contains(&texel) {
                trace.load_again(source, [texel, row], &[1]);
            } else {
                trace.load(source, [texel, row], &[1]);
            }
        }
    }
    compute_block(trace);
    trace.store(&destination, [x, y], &[pixels]);
}
