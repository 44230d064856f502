//! What work-items load and store: `kernels/bilateral.cl` and what it includes, line by line.

use super::{Window, window_of};
use crate::model::{Channels, StageId};
use crate::schedule::{Space, Trace};

/// Bytes of a weight in a table.
const WEIGHT_BYTES: usize = size_of::<f32>();

pub(super) fn accesses(trace: &mut Trace) {
    let shape = trace.shape;
    let window = window_of(shape.parameters);
    let (channels, radius) = (shape.channels().count(), window.radius_px);
    let source = if shape.is_on(StageId::Local) {
        let [columns, lines] = trace.group_size();
        let first = trace.group_origin().map(|place| place.cast_signed() - radius.cast_signed());
        let tile_columns = columns + 2 * radius;
        let (source, tile) = (trace.source(), trace.tile(first, tile_columns * channels, channels, 1));
        trace.fill_by_channels(&source, &tile, first, [tile_columns, lines + 2 * radius]);
        tile
    } else {
        trace.source()
    };
    let Some([x, y]) = trace.own_block(1, 1) else { return };
    let parts: &[usize] = if shape.channels() == Channels::Rgb { &[3] } else { &[1] };
    let destination = trace.destination();
    if trace.keeps_source([x, y], radius, radius) {
        return trace.branch(0, |trace| {
            trace.load(&source, [x, y], parts);
            trace.store(&destination, [x, y], parts);
        });
    }
    trace.load(&source, [x, y], parts);
    let near = trace.numbers(Space::Constant, WEIGHT_BYTES);
    for (dx, dy) in window.places() {
        trace.load_beside([x, y], &source, [x + dx, y + dy], parts);
        if shape.is_on(StageId::Table) {
            trace.load(&near, [tap(&window, shape.is_on(StageId::Shift), dx, dy), 0], &[1]);
            trace.load_somewhere(Space::Table(1), WEIGHT_BYTES);
        }
    }
    // The difference of all channels; its weight; each channel's product and sum, and the sum of weights.
    let weight = if shape.is_on(StageId::Table) { 1 } else { WEIGHT_OPERATIONS };
    // Only the differences are integers.
    trace.compute_float(window.places().count() * (weight + 2 * channels + 1));
    trace.compute_integer(window.places().count() * (2 * channels - 1));
    // The mean: a division for each channel, or one and a product.
    trace.compute_float(channels + usize::from(shape.is_on(StageId::Native)));
    trace.store(&destination, [x, y], parts);
}

/// Of a weight, what depends on pixels: their difference divided, squared and halved, a subtraction and the exponential.
const WEIGHT_OPERATIONS: usize = 5;

/// The place's number in the square around the window, whose rows may be lengthened to a power of two.
fn tap(window: &Window, is_lengthened: bool, dx: isize, dy: isize) -> isize {
    let (radius, side) = (window.radius_px.cast_signed(), 2 * window.radius_px + 1);
    let row = if is_lengthened { side.next_power_of_two() } else { side };
    (dy + radius) * row.cast_signed() + dx + radius
}
