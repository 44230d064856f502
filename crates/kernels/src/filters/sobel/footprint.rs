//! What work-items load and store: the kernels in `kernels/sobel/`, line by line.

use super::super::words;
use super::RADIUS_PX;
use crate::footprint::{Plane, Trace, inside_by_one};
use model::{BorderMode, Numbers, Operation, StageId, values};

pub(super) fn footprint(trace: &mut Trace) {
    let shape = trace.shape;
    if words::are_words(shape) {
        // Down the column three operations for what is smooth and one or two for what rises; along the row three, two differences and their sum. By hand, a
        // distance of lanes takes eight and a saturation six.
        let operations = words::Operations {
            bytes: &[(Operation::Add, 2 + 2 + 2 + 1), (Operation::Logic, 1 + 1), (Operation::MinMax, 2)],
            int: &[(Operation::Add, 2 + 2 + 2 + 2 * 4 + 1 + 1), (Operation::Logic, 1 + 1 + 2 * 4 + 4), (Operation::Multiply, 1)],
            half: &[(Operation::Add, 1 + 1 + 1 + 1 + 1), (Operation::MultiplyAdd, 2 + 2), (Operation::MinMax, 1)],
            limits: [1, 0],
            neighbors: 2,
            shared: [&[]; 3],
        };
        return words::footprint(trace, &operations);
    }
    let (pixels, rows) = (shape.pixels_per_item(), shape.rows_per_item());
    let source = if shape.is_on(StageId::Local) { fill_tile(trace) } else { source(trace) };
    let Some(first) = trace.own_block(pixels, rows) else { return };
    if shape.is_on(StageId::Vectorize) {
        vectors(trace, &source, first);
    } else if shape.is_on(StageId::Block) {
        columns(trace, &source, first);
    } else {
        scalars(trace, &source, first);
    }
}

fn source(trace: &Trace) -> Plane {
    trace.source().with_inside(inside_by_one(trace.shape.setting.border))
}

fn fill_tile(trace: &mut Trace) -> Plane {
    let shape = trace.shape;
    let (pixels, rows) = (shape.pixels_per_item(), shape.rows_per_item());
    let ([columns, lines], [column, line]) = (trace.group_size(), trace.group_origin());
    let (tile_columns, tile_rows) = (columns * pixels + 2 * RADIUS_PX, lines * rows + 2 * RADIUS_PX);
    let first = [column * pixels, line * rows].map(|place| place.cast_signed() - RADIUS_PX.cast_signed());
    // In a padded source, nothing further than the halo; in any other, what is inside is found by the border mode.
    let source = if shape.is_on(StageId::Padded) { source(trace).at_most_beyond(RADIUS_PX) } else { source(trace) };
    let tile = trace.tile(first, tile_columns, 1, 1);
    trace.fill_by_channels(&source, &tile, first, [tile_columns, tile_rows]);
    tile
}

/// Two gradients of two multiplications by 2, which are shifts, and five additions and subtractions each.
const DIRECT_OPERATIONS: [(Operation, usize); 2] = [(Operation::Logic, 2 * 2), (Operation::Add, 2 * 5)];

/// What is smooth in a column takes a multiplication by 2 and two additions; what rises, one.
const COLUMN_OPERATIONS: [(Operation, usize); 2] = [(Operation::Logic, 1), (Operation::Add, 3)];

/// Of columns: one operation makes `across`; another multiplication by 2 and two additions make `down`.
const ROW_OPERATIONS: [(Operation, usize); 2] = [(Operation::Logic, 1), (Operation::Add, 3)];

/// Two absolute values and their sum.
const STRENGTH_OPERATIONS: [(Operation, usize); 2] = [(Operation::MinMax, 2), (Operation::Add, 1)];

/// What saturates it, by scalars.
const LIMIT_OPERATIONS: [(Operation, usize); 1] = [(Operation::MinMax, 1)];

fn scalars(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (destination, steps) = (trace.destination(), trace.shape.rows_per_item().min(trace.shape.height_px - y.cast_unsigned()));
    if trace.copies_edge(source, &destination, [x, y], RADIUS_PX) {
        return;
    }
    let load_row = |trace: &mut Trace, y| trace.load_along(source, x - 1..=x + 1, y, &[1]);
    trace.walk_rows(y, steps, load_row, |trace, y| {
        trace.compute(1, &DIRECT_OPERATIONS);
        trace.compute(1, &STRENGTH_OPERATIONS);
        trace.compute(1, &LIMIT_OPERATIONS);
        trace.store(&destination, [x, y], &[1]);
    });
}

/// A block one pixel after the other, column by column.
fn columns(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (shape, destination) = (trace.shape, trace.destination());
    let (pixels, rows, is_separable) = (shape.pixels_per_item(), shape.rows_per_item(), shape.is_on(StageId::Separable));
    let (column_rows, pixel_operations) = if is_separable { (rows, &ROW_OPERATIONS) } else { (0, &DIRECT_OPERATIONS) };
    let load_column = |trace: &mut Trace, x| {
        for y in (y - 1..).take(rows + 2) {
            trace.load(source, [x, y], &[1]);
        }
        trace.compute(column_rows, &COLUMN_OPERATIONS);
    };
    load_column(trace, x - 1);
    load_column(trace, x);
    trace.turns((x..).take(pixels), |trace, x| {
        load_column(trace, x + 1);
        let is_in_row = shape.is_on(StageId::Padded) || x < shape.width_px.cast_signed();
        for y in (y..shape.height_px.cast_signed()).take(if is_in_row { rows } else { 0 }) {
            trace.compute(1, pixel_operations);
            trace.compute(1, &STRENGTH_OPERATIONS);
            trace.compute(1, &LIMIT_OPERATIONS);
            trace.store(&destination, [x, y], &[1]);
        }
    });
}

/// A block by vectors or by texels of four pixels. Rows below the picture are loaded as well.
fn vectors(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (shape, destination) = (trace.shape, trace.destination());
    let (lanes, is_packed) = (shape.pixels_per_item(), shape.has_value(StageId::Image, values::IMAGE_FOUR_PIXELS));
    // A block, or that with its neighbors to both sides, which by columns are two more lanes.
    let is_separable = shape.is_on(StageId::Separable);
    let load_row = |trace: &mut Trace, y| {
        let widened = if is_separable { lanes + 2 } else { 3 * lanes };
        trace.convert(Numbers::Integer, widened);
        if is_packed {
            let (first, texels) = (x / 4, (lanes / 4).cast_signed());
            trace.load_along(source, [first - 1, first + texels], y, &[1]);
            trace.load_along(source, first..first + texels, y, &[1]);
        } else {
            trace.load(source, [x - 1, y], &[lanes, 2]);
        }
    };
    trace.walk_rows(y, shape.rows_per_item(), load_row, |trace, y| {
        if is_separable {
            trace.compute(lanes + 2, &COLUMN_OPERATIONS);
            trace.compute(lanes, &ROW_OPERATIONS);
        } else {
            trace.compute(lanes, &DIRECT_OPERATIONS);
        }
        trace.compute(lanes, &STRENGTH_OPERATIONS);
        trace.saturate(Numbers::Integer, lanes);
        trace.store(&destination, [x, y], &[lanes]);
        if shape.setting.border == BorderMode::Copy && !shape.is_on(StageId::Select) && !is_packed {
            trace.restore_edge(source, &destination, [x, y], lanes, &[lanes]);
        }
    });
}
