//! What work-items load and store: `kernels/epsilon.cl` and what it includes, line by line.

use super::{REACH_PX, SIDE_PX};
use crate::model::{BorderMode, StageId, values};
use crate::schedule::Shape;
use crate::schedule::{Plane, Trace};

const REACH: isize = REACH_PX.cast_signed();

pub(super) fn accesses(trace: &mut Trace) {
    let shape = trace.shape;
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

fn is_packed(shape: &Shape) -> bool {
    shape.has_value(StageId::Image, values::IMAGE_FOUR_PIXELS)
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

/// For one neighbor: their difference and its absolute value are compared, then both sum and count are added to; by a product where there is no branch.
/// Vectors have an operation for the difference without its sign where they are integers, and choose or mask what they add.
fn neighbor_operations(shape: &Shape, is_vector: bool) -> usize {
    match (is_vector, shape.is_on(StageId::Float), shape.is_on(StageId::Select)) {
        (false, _, false) | (true, false, true) => 5,
        (false, _, true) | (true, false, false) => 6,
        (true, true, _) => 7,
    }
}

/// One pixel from bytes or from texels of one pixel.
fn pixel(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (shape, destination) = (trace.shape, trace.destination());
    trace.load(source, [x, y], &[1]);
    if !returns_early(trace, [x, y]) {
        for row in y - REACH..=y + REACH {
            for column in x - REACH..=x + REACH {
                trace.load_beside([x, y], source, [column, row], &[1]);
                trace.compute(neighbor_operations(shape, false));
            }
            trace.compute(1);
        }
        // Select takes the center as it is from a buffer.
        if shape.setting.border == BorderMode::Copy && shape.is_on(StageId::Select) && !shape.is_on(StageId::Image) {
            trace.load_again(source, [x, y], &[1]);
        }
        trace.compute(4);
    }
    trace.store(&destination, [x, y], &[1]);
}

/// One pixel from the texel that it lies in and the two beside that.
fn pixel_of_texels(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (shape, destination, texel) = (trace.shape, trace.destination(), x / 4);
    trace.load(source, [texel, y], &[1]);
    trace.compute(4 + 3); // its lane is masked, and all four are added
    if !returns_early(trace, [x, y]) {
        for row in y - REACH..=y + REACH {
            for column in texel - 1..=texel + 1 {
                trace.load_beside([texel, y], source, [column, row], &[1]);
                trace.compute(4 * neighbor_operations(shape, true));
            }
        }
        // Sums and counts: the outer texels are masked, three are added, and then their lanes.
        trace.compute(2 * (4 * 4 + 3) + if shape.is_on(StageId::Float) { 6 } else { 4 });
    }
    trace.store(&destination, [x, y], &[1]);
}

/// What the rows of the mask and the mean cost a block.
fn compute_block(trace: &mut Trace) {
    let (shape, lanes) = (trace.shape, trace.shape.pixels_per_item());
    let mean = if shape.is_on(StageId::Float) { 4 } else { 3 };
    trace.compute(lanes * (SIDE_PX * (SIDE_PX * neighbor_operations(shape, true) + 1) + mean));
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
