//! What work-items load and store: the kernels in `kernels/edges/`, line by line.

use crate::footprint::{Plane, Space, Trace, inside_by};
use crate::launch::{Argument, Shape};
use model::{Operation, StageId};

/// Bytes of a pixel, one load each.
const PIXEL: [usize; 3] = [1, 1, 1];

/// Three products and two sums; a half and a shift.
const LUMA: [(Operation, usize); 2] = [(Operation::MultiplyAdd, 6), (Operation::Logic, 1)];

/// One row of the blur: a multiplication by 2, which is a shift, and two additions.
const ROW_SUM: [(Operation, usize); 2] = [(Operation::Logic, 1), (Operation::Add, 2)];

/// Three row sums to a pixel: a multiplication by 2, three additions with the half, and the shift that divides.
const BLUR: [(Operation, usize); 2] = [(Operation::Logic, 2), (Operation::Add, 3)];

/// Two gradients of two multiplications by 2 and five additions and subtractions each; two absolute values, their sum, and its limit.
const STRENGTH: [(Operation, usize); 3] = [(Operation::Logic, 2 * 2), (Operation::Add, 2 * 5 + 1), (Operation::MinMax, 2 + 1)];

pub(super) fn footprint(trace: &mut Trace) {
    match (trace.pass.kernel, trace.shape.value(StageId::Fused)) {
        ("luma", _) => luma(trace),
        ("blur", _) => blur(trace),
        ("sobel", _) => sobel(trace),
        (_, 2) => tile(trace),
        _ => registers(trace),
    }
}

/// An intermediate, one number per pixel and without gaps, and the bytes of a number: the first of those that the pass is given, or the last.
fn intermediates(trace: &Trace) -> Option<[Plane; 2]> {
    let number_bytes = [1, 2, 4].get(trace.shape.value(StageId::Store)).copied()?;
    let mut given = trace.pass.arguments.iter().filter_map(|argument| match argument {
        Argument::Between(index) => Some(trace.numbers(Space::Between(*index), number_bytes)),
        _ => None,
    });
    let first = given.next()?;
    Some([first, given.next_back().unwrap_or(first)])
}

/// Where the number of a pixel is in an intermediate; of a pixel beyond an edge, that of the one that stands for it.
fn number_at(shape: &Shape, [x, y]: [isize; 2]) -> [isize; 2] {
    let inside = inside_by(shape.setting.border);
    [(inside(y, shape.height_px) * shape.width_px + inside(x, shape.width_px)).cast_signed(), 0]
}

/// The first pixel that the work-item owns, and how many of its rows lie inside.
fn own_rows(trace: &mut Trace) -> Option<([isize; 2], usize)> {
    let rows = trace.shape.rows_per_item();
    let [x, y] = trace.own_block(1, rows)?;
    Some(([x, y], rows.min(trace.shape.height_px - y.cast_unsigned())))
}

fn luma(trace: &mut Trace) {
    let Some(([x, y], rows)) = own_rows(trace) else { return };
    let Some([gray, _]) = intermediates(trace) else { return trace.leave_untold() };
    let (shape, source) = (trace.shape, trace.source());
    trace.turns((y..).take(rows), |trace, y| {
        trace.load(&source, [x, y], &PIXEL);
        trace.compute(1, &LUMA);
        trace.store(&gray, number_at(shape, [x, y]), &[1]);
    });
}

fn blur(trace: &mut Trace) {
    let Some(([x, y], rows)) = own_rows(trace) else { return };
    let Some([gray, blurred]) = intermediates(trace) else { return trace.leave_untold() };
    let (shape, source) = (trace.shape, trace.source());
    let is_pointwise = shape.value(StageId::Fused) == 1;
    let load_row = |trace: &mut Trace, y| {
        for x in x - 1..=x + 1 {
            if is_pointwise {
                trace.load(&source, [x, y], &PIXEL);
                trace.compute(1, &LUMA);
            } else {
                trace.load(&gray, number_at(shape, [x, y]), &[1]);
            }
        }
        trace.compute(1, &ROW_SUM);
    };
    trace.walk_rows(y, rows, load_row, |trace, y| {
        trace.compute(1, &BLUR);
        trace.store(&blurred, number_at(shape, [x, y]), &[1]);
    });
}

fn sobel(trace: &mut Trace) {
    let Some((own @ [x, first_y], rows)) = own_rows(trace) else { return };
    let Some([blurred, _]) = intermediates(trace) else { return trace.leave_untold() };
    let (shape, destination) = (trace.shape, trace.destination());
    // The naive kernel leaves out the center, which has no weight. The other one loads whole rows, as each row is the middle one of some pixel.
    let is_naive = shape.variant.is_textbook();
    let load_row = |trace: &mut Trace, y| {
        for x in (x - 1..=x + 1).filter(|&x| !(is_naive && [x, y] == own)) {
            trace.load(&blurred, number_at(shape, [x, y]), &[1]);
        }
    };
    trace.walk_rows(first_y, rows, load_row, |trace, y| {
        trace.compute(1, &STRENGTH);
        trace.store(&destination, [x, y], &[1]);
    });
}

/// All within a work-group: gray with two pixels more on each side, blurred with one.
fn tile(trace: &mut Trace) {
    let shape = trace.shape;
    let (inside, rows) = (inside_by(shape.setting.border), shape.rows_per_item());
    let ([columns, lines], [column, line]) = (trace.group_size(), trace.group_origin());
    let [left, top] = [column, line * rows];
    let width = columns.min(shape.width_px.saturating_sub(left));
    let height = (lines * rows).min(shape.height_px.saturating_sub(top));
    let around = |by: usize| [left, top].map(|place| place.cast_signed() - by.cast_signed());
    let gray_pitch = columns + 4;
    let source = trace.source();
    let gray = trace.tile(around(2), gray_pitch, 1, 1);
    // Each tile is an argument of its own; the second one is taken to follow the first.
    let blurred = trace.tile(around(1), columns + 2, 1, 1).shifted((gray_pitch * (lines * rows + 4)).cast_signed());
    let place = |by: usize, [column, row]: [usize; 2]| {
        let [left, top] = around(by);
        [left + column.cast_signed(), top + row.cast_signed()]
    };
    trace.share([width + 4, height + 4], |trace, shared| {
        trace.load(&source, place(2, shared), &PIXEL);
        trace.compute(1, &LUMA);
        trace.store(&gray, place(2, shared), &[1]);
    });
    trace.share([width + 2, height + 2], |trace, shared| {
        let [x, y] = place(1, shared);
        let (center_x, center_y) = (inside(x, shape.width_px).cast_signed(), inside(y, shape.height_px).cast_signed());
        for y in center_y - 1..=center_y + 1 {
            trace.load_along(&gray, center_x - 1..=center_x + 1, y, &[1]);
            trace.compute(1, &ROW_SUM);
        }
        trace.compute(1, &BLUR);
        trace.store(&blurred, [x, y], &[1]);
    });
    let Some(([x, y], rows)) = own_rows(trace) else { return };
    let destination = trace.destination();
    let load_row = |trace: &mut Trace, y| trace.load_along(&blurred, x - 1..=x + 1, y, &[1]);
    trace.walk_rows(y, rows, load_row, |trace, y| {
        trace.compute(1, &STRENGTH);
        trace.store(&destination, [x, y], &[1]);
    });
}

/// All within a work-item: five rows of gray, or four more than it owns.
fn registers(trace: &mut Trace) {
    let Some(([x, y], rows)) = own_rows(trace) else { return };
    let (source, destination) = (trace.source(), trace.destination());
    let load_row = |trace: &mut Trace, y| {
        trace.load_along(&source, x - 2..=x + 2, y, &PIXEL);
        trace.compute(5, &LUMA);
        trace.compute(3, &ROW_SUM);
    };
    for y in y - 2..=y + 1 {
        load_row(trace, y);
    }
    // Three pixels of the row above and of its own.
    trace.compute(2 * 3, &BLUR);
    trace.turns((y..).take(rows), |trace, y| {
        load_row(trace, y + 2);
        trace.compute(3, &BLUR);
        trace.compute(1, &STRENGTH);
        trace.store(&destination, [x, y], &[1]);
    });
}
