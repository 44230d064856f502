//! What work-items load and store: the kernels in `kernels/dilate/`, line by line.

use super::RADIUS_PX;
use crate::filters::words::{self, Order, Picks};
use crate::footprint::Trace;
use model::{Operation, StageId};

/// Comparisons for the highest of three.
const HIGHEST_OF_THREE: [(Operation, usize); 1] = [(Operation::MinMax, 2)];

/// Of words: one for the higher of two rows, which two windows share, one for the third row, and two for the highest of three columns.
const WORDS_ORDER: Order = Order { own: Picks { single: 1 + 2, pairs: 0 }, shared: Picks { single: 1, pairs: 0 } };

/// Three overlapping loads for each row of the window; rows that follow each other share two of their three.
pub(super) fn footprint(trace: &mut Trace) {
    let shape = trace.shape;
    if words::are_words(shape) {
        return words::footprint_of_order(trace, &WORDS_ORDER, 1);
    }
    let (channels, pixels, rows) = (shape.channels().count(), shape.pixels_per_item(), shape.rows_per_item());
    let Some([x, y]) = trace.own_block(pixels, rows) else { return };
    let steps = rows.min(shape.height_px - y.cast_unsigned());
    let (source, destination) = (trace.source(), trace.destination());
    if trace.copies_edge(&source, &destination, [x, y], RADIUS_PX) {
        return;
    }
    // From a buffer one channel after the other; a texel has them all, and so has a vector.
    let (takes, lanes, parts): (_, _, &[usize]) = match (shape.is_on(StageId::Image), pixels * channels) {
        (true, _) => (1, channels, if channels == 3 { &[3] } else { &[1] }),
        (false, 1 | 3) => (channels, 1, &[1]),
        (false, 4) => (1, 4, &[4]),
        // There is no vector of twelve or fifteen.
        (false, 12) => (1, 16, &[8, 4]),
        (false, 15) => (1, 16, &[8, 4, 2, 1]),
        (false, _) => (1, 16, &[16]),
    };
    trace.turns(0..takes.cast_signed(), |trace, channel| {
        let (from, to) = (source.shifted(channel), destination.shifted(channel));
        let load_row = |trace: &mut Trace, y| {
            trace.load_along(&from, x - 1..=x + 1, y, &[if shape.is_on(StageId::Image) { 1 } else { lanes }]);
            trace.compute(lanes, &HIGHEST_OF_THREE);
        };
        trace.walk_rows(y, steps, load_row, |trace, y| {
            trace.compute(lanes, &HIGHEST_OF_THREE);
            trace.store(&to, [x, y], parts);
        });
    });
}
