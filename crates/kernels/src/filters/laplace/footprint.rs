//! What work-items load and store: the kernels in `kernels/laplace/`, line by line.

use super::super::words;
use super::{RADIUS_PX, vector_bytes};
use crate::footprint::{Plane, Trace, inside_by_one};
use model::{BorderMode, Numbers, Operation, StageId};

pub(super) fn footprint(trace: &mut Trace) {
    let shape = trace.shape;
    if words::are_words(shape) {
        // Two additions down the column, three along the row, nine times the center less the neighbors; a saturation by hand takes ten more.
        let saturated = [(Operation::Add, 5), (Operation::MultiplyAdd, 2)];
        let by_hand = [(Operation::Add, 5 + 1 + 1), (Operation::MultiplyAdd, 2), (Operation::Logic, 7), (Operation::Multiply, 2)];
        let operations =
            words::Operations { bytes: &saturated, int: &by_hand, half: &saturated, limits: [2, 2], neighbors: 1, shared: [&[]; 3] };
        return words::footprint(trace, &operations);
    }
    if shape.is_on(StageId::Edge) {
        return if trace.pass.kernel == "laplace_edge" { edges(trace) } else { interior(trace) };
    }
    let (pixels, rows) = (shape.pixels_per_item(), shape.rows_per_item());
    let source = if shape.is_on(StageId::Local) { fill_tile(trace) } else { trace.source() };
    let Some(first) = trace.own_block(pixels, rows) else { return };
    if shape.is_on(StageId::Image) {
        texels(trace, &source, first);
    } else if pixels == 1 {
        scalars(trace, &source, first);
    } else {
        vectors(trace, &source, first);
    }
}

/// A pixel that has all its neighbors: the first work-item owns (1, 1).
fn interior(trace: &mut Trace) {
    let (shape, [column, line]) = (trace.shape, trace.column_and_row());
    trace.owns(1);
    if column + 2 < shape.width_px && line + 2 < shape.height_px {
        let source = trace.source();
        scalars(trace, &source, [column + 1, line + 1].map(usize::cast_signed));
    }
}

/// A pixel that lacks a neighbor.
fn edges(trace: &mut Trace) {
    let Some(place) = trace.edge_place(trace.column_and_row(), [RADIUS_PX; 2]) else { return };
    let source = trace.source();
    if trace.shape.setting.border == BorderMode::Copy {
        let destination = trace.destination();
        trace.copy_by_channels(&source, place, &destination, place);
    } else {
        scalars(trace, &source, place);
    }
}

/// A padded source byte by byte, any other pixel by pixel.
fn fill_tile(trace: &mut Trace) -> Plane {
    let shape = trace.shape;
    let (channels, pixels, rows) = (shape.channels().count(), shape.pixels_per_item(), shape.rows_per_item());
    let ([columns, lines], [column, line]) = (trace.group_size(), trace.group_origin());
    let (tile_columns, tile_rows) = (columns * pixels + 2 * RADIUS_PX, lines * rows + 2 * RADIUS_PX);
    let row_bytes = tile_columns * channels + vector_bytes(pixels * channels) - pixels * channels;
    let pitch = shape.tile_pitch(row_bytes);
    let first @ [first_x, first_y] = [column * pixels, line * rows].map(|place| place.cast_signed() - RADIUS_PX.cast_signed());
    // In a padded source, nothing further than the halo; in any other, what is inside is found by the border mode.
    let (source, tile) = (trace.source().with_inside(inside_by_one(shape.setting.border)), trace.tile(first, pitch, channels, 1));
    if shape.is_on(StageId::Padded) {
        let (own_channels, last_byte) = (channels.cast_signed(), ((shape.width_px + 1) * channels).cast_signed() - 1);
        let source = source.at_most_beyond(RADIUS_PX);
        trace.share([row_bytes, tile_rows], |trace, [byte, row]| {
            let (byte, y) = (byte.cast_signed(), first_y + row.cast_signed());
            trace.load(&source.shifted((first_x * own_channels + byte).min(last_byte)), [0, y], &[1]);
            trace.store(&tile.shifted(byte), [first_x, y], &[1]);
        });
    } else {
        trace.fill_by_channels(&source, &tile, first, [tile_columns, tile_rows]);
    }
    tile
}

/// The rows of the block that are in the picture.
fn own_rows(trace: &Trace, y: isize) -> usize {
    trace.shape.rows_per_item().min(trace.shape.height_px - y.cast_unsigned())
}

/// A row sum takes two additions; with three of them, and their difference from ten times the center, a pixel takes four.
const ROW_OPERATIONS: [(Operation, usize); 1] = [(Operation::Add, 2)];
const PIXEL_OPERATIONS: [(Operation, usize); 2] = [(Operation::Add, 2), (Operation::MultiplyAdd, 2)];

fn texels(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (channels, destination) = (trace.shape.channels().count(), trace.destination());
    let load_row = |trace: &mut Trace, y| {
        trace.load_along(source, [x, x - 1, x + 1], y, &[1]);
        trace.compute(channels, &ROW_OPERATIONS);
    };
    trace.walk_rows(y, own_rows(trace, y), load_row, |trace, y| {
        trace.compute(channels, &PIXEL_OPERATIONS);
        trace.saturate(Numbers::Integer, channels);
        trace.store(&destination, [x, y], &[channels]);
    });
}

/// One channel after the other.
fn scalars(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let (shape, destination) = (trace.shape, trace.destination());
    let is_copy = shape.setting.border == BorderMode::Copy;
    let (is_select, is_single) = (shape.is_on(StageId::Select), shape.rows_per_item() == 1);
    trace.turns(0..shape.channels().count().cast_signed(), |trace, channel| {
        let (byte, out) = (source.shifted(channel), destination.shifted(channel));
        if is_single && !is_select && trace.keeps_source([x, y], RADIUS_PX, RADIUS_PX) {
            return trace.branch(0, |trace| {
                trace.load(&byte, [x, y], &[1]);
                trace.store(&out, [x, y], &[1]);
            });
        }
        let load_row = |trace: &mut Trace, y| {
            trace.load_along(&byte, x - 1..=x + 1, y, &[1]);
            trace.compute(1, &ROW_OPERATIONS);
        };
        trace.walk_rows(y, own_rows(trace, y), load_row, |trace, y| {
            trace.load_again(&byte, [x, y], &[1]);
            // The center once more, for a pixel that may keep it: select takes both, `?:` one.
            if is_copy && is_select || !is_single && trace.keeps_source([x, y], RADIUS_PX, RADIUS_PX) {
                trace.branch(0, |trace| trace.load_again(&byte, [x, y], &[1]));
            }
            trace.compute(1, &PIXEL_OPERATIONS);
            trace.compute(1, &[(Operation::MinMax, 2)]); // to saturate
            trace.store(&out, [x, y], &[1]);
        });
    });
}

/// A block by vectors. Rows below the picture are loaded as well.
fn vectors(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2]) {
    let shape = trace.shape;
    let (channels, pixels) = (shape.channels().count(), shape.pixels_per_item());
    let (block, is_merged, destination) = (pixels * channels, shape.is_on(StageId::Merged), trace.destination());
    let (lanes, loads, stores): (_, &[usize], &[usize]) = match block {
        4 => (4, &[4], &[4]),
        8 => (8, &[8], &[8]),
        // There are no vectors of 12, 15 and 24.
        12 => (16, &[16], &[8, 4]),
        15 => (16, &[16], &[8, 4, 2, 1]),
        16 => (16, &[16], &[16]),
        _ => (24, &[16, 8], &[16, 8]),
    };
    let load_row = |trace: &mut Trace, y| {
        match (block, is_merged) {
            // Bytes -3 .. 12 and 11 .. 26 are the block with its neighbors.
            (24, true) => [-3, 11].into_iter().for_each(|byte| trace.load(&source.shifted(byte), [x, y], &[16])),
            (_, true) => trace.load_along(source, [x - 1, x + 1], y, loads),
            (_, false) => trace.load_along(source, [x - 1, x + 1, x], y, loads),
        }
        // The block and its neighbors to both sides.
        (0..3).for_each(|_| trace.convert(Numbers::Integer, lanes));
        trace.compute(lanes, &ROW_OPERATIONS);
    };
    trace.walk_rows(y, shape.rows_per_item(), load_row, |trace, y| {
        trace.compute(lanes, &PIXEL_OPERATIONS);
        trace.saturate(Numbers::Integer, lanes);
        trace.store(&destination, [x, y], stores);
        if shape.setting.border == BorderMode::Copy && !shape.is_on(StageId::Select) {
            trace.restore_edge(source, &destination, [x, y], pixels, stores);
        }
    });
}
