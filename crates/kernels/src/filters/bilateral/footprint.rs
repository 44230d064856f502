//! What work-items load and store: the kernels in `kernels/bilateral/`, line by line.

use super::{Window, window_of};
use crate::filters::words::{self, Block, WORD_BYTES};
use crate::footprint::{Space, Trace};
use model::{Channels, Numbers, Operation, Ownership, StageId};

/// Bytes of a weight in a table.
const WEIGHT_BYTES: usize = size_of::<f32>();

pub(super) fn footprint(trace: &mut Trace) {
    let shape = trace.shape;
    let window = window_of(shape.parameters);
    if words::are_words(shape) {
        return block_of_words(trace, &window);
    }
    if shape.pixels_per_item() > 1 {
        return block_of_vectors(trace, &window);
    }
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
    let (places, is_native) = (window.places().count(), shape.is_on(StageId::Native));
    let function = if is_native { Operation::Native } else { Operation::Function };
    // The difference of all channels: only these are integers.
    if channels > 1 {
        trace.convert(Numbers::Integer, places * channels);
    }
    trace.compute_in(Numbers::Integer, places, &[(Operation::MinMax, channels), (Operation::Add, channels - 1)]);
    // Its weight, in half where a stage asks for that.
    let numbers = if shape.is_on(StageId::Half) { Numbers::Half } else { Numbers::Float };
    if shape.is_on(StageId::Table) {
        trace.compute_in(numbers, places, &[(Operation::Multiply, 1)]);
    } else {
        trace.convert(numbers, places);
        // What depends on pixels: their difference divided, squared and halved, a subtraction and the exponential.
        let of_difference = [(function, 1), (Operation::Multiply, 1), (Operation::MultiplyAdd, 2), (function, 1)];
        trace.compute_in(numbers, places, &of_difference);
        // What depends on the place.
        trace.beside(numbers, places, &[(function, 1)]);
    }
    // Each channel's product and sum, and the sum of weights.
    trace.convert(Numbers::Float, places * channels);
    trace.compute_in(Numbers::Float, places, &[(Operation::MultiplyAdd, 2 * channels), (Operation::Add, 1)]);
    // The mean: a division for each channel, or one and a product.
    let mean = if is_native { [(function, 1), (Operation::Multiply, channels)] } else { [(function, channels), (Operation::Multiply, 0)] };
    trace.compute_in(Numbers::Float, 1, &mean);
    trace.saturate(Numbers::Float, channels);
    trace.store(&destination, [x, y], parts);
}

/// A block of words: `kernels/bilateral/words.clh`, line by line.
fn block_of_words(trace: &mut Trace, window: &Window) {
    let (channels, Ownership { bytes, .. }) = (trace.shape.channels().count(), trace.shape.owned());
    let Some(Block { place: [_, line], planes: [source, destination] }) = words::own_block(trace) else { return };
    let (y, word, radius) = (line.cast_signed(), WORD_BYTES.cast_signed(), window.radius_px.cast_signed());
    let own = 0..bytes.cast_signed() / word;
    let beside = (window.radius_px * channels).div_ceil(WORD_BYTES).cast_signed();
    for index in own.clone() {
        trace.load(&source.shifted(index * word), [0, y], &[WORD_BYTES]);
    }
    for row in y - radius..=y + radius {
        for index in -beside..own.end + beside {
            if row == y && own.contains(&index) {
                trace.load_again(&source.shifted(index * word), [0, row], &[WORD_BYTES]);
            } else {
                trace.load(&source.shifted(index * word), [0, row], &[WORD_BYTES]);
            }
        }
    }
    let (pixels, neighbors) = (bytes / channels, window.places().count() - 1);
    // Each byte is put into a float: once as a center, and once in each row.
    let rows = 2 * window.radius_px + 1;
    trace.beside(Numbers::Integer, bytes + rows * (bytes + 2 * window.radius_px * channels), &[(Operation::Logic, 1)]);
    // For each neighbor the difference of each channel without its sign, their sum squared, the exponent and the power; then the sums.
    let of_neighbor =
        [(Operation::Add, 2 * channels), (Operation::Multiply, 1), (Operation::MultiplyAdd, 1 + channels), (Operation::Native, 1)];
    trace.compute_in(Numbers::Float, pixels * neighbors, &of_neighbor);
    // What depends on the place.
    trace.beside(Numbers::Float, neighbors, &[(Operation::Multiply, 1)]);
    trace.compute_in(Numbers::Float, bytes, &[(Operation::Add, 2), (Operation::Native, 1)]);
    trace.saturate(Numbers::Float, bytes);
    trace.beside(Numbers::Integer, bytes, &[(Operation::Logic, 2)]);
    for index in own {
        trace.store(&destination.shifted(index * word), [0, y], &[WORD_BYTES]);
    }
}

/// A block of pixels, one in each component of a vector: `kernels/bilateral/vectors.clh`, line by line.
fn block_of_vectors(trace: &mut Trace, window: &Window) {
    let (channels, pixels) = (trace.shape.channels().count(), trace.shape.pixels_per_item());
    let Some([x, y]) = trace.own_block(pixels, 1) else { return };
    let (source, destination) = (trace.source(), trace.destination());
    // One vector of gray; each pixel of RGB with the byte behind it.
    let load = |trace: &mut Trace, place: [isize; 2]| match channels {
        1 => trace.load(&source, place, &[pixels]),
        _ => (0..pixels * channels).step_by(channels).for_each(|byte| trace.load(&source.shifted(byte.cast_signed()), place, &[4])),
    };
    load(trace, [x, y]);
    let places = || window.places().filter(|&place| place != (0, 0));
    for (dx, dy) in places() {
        load(trace, [x + dx, y + dy]);
    }
    let (neighbors, is_native) = (places().count(), trace.shape.is_on(StageId::Native));
    trace.convert(Numbers::Float, (neighbors + 1) * channels * pixels);
    if channels > 1 {
        // Two shifts and three masks take a pixel apart.
        trace.beside(Numbers::Integer, (neighbors + 1) * pixels, &[(Operation::Logic, 5)]);
    }
    // For each neighbor the difference of each channel without its sign, their sum squared, and the exponent; then the sums.
    let of_neighbor = [(Operation::Add, 2 * channels), (Operation::Multiply, 1), (Operation::MultiplyAdd, 1 + channels)];
    trace.compute_in(Numbers::Float, pixels * neighbors, &of_neighbor);
    // Its power of two.
    if is_native {
        trace.compute_in(Numbers::Float, pixels * neighbors, &[(Operation::Native, 1)]);
    } else {
        trace.compute_in(Numbers::Float, pixels * neighbors, &[(Operation::MinMax, 1), (Operation::Add, 2), (Operation::MultiplyAdd, 5)]);
        trace.compute_in(Numbers::Integer, pixels * neighbors, &[(Operation::Logic, 1), (Operation::Add, 1)]);
        // The whole part, to an integer and back.
        trace.convert(Numbers::Float, 2 * pixels * neighbors);
    }
    // What depends on the place.
    trace.beside(Numbers::Float, neighbors, &[(Operation::Multiply, 1)]);
    let division = if is_native { Operation::Native } else { Operation::Function };
    trace.compute_in(Numbers::Float, pixels * channels, &[(Operation::Add, 1), (division, 1)]);
    trace.saturate(Numbers::Float, pixels * channels);
    if channels > 1 {
        // Two shifts and two ORs put a pixel together.
        trace.beside(Numbers::Integer, pixels, &[(Operation::Logic, 4)]);
    }
    trace.store(&destination, [x, y], if channels == 1 { if pixels == 8 { &[8] } else { &[16] } } else { &[8, 4, 8, 4] });
}

/// The place's number in the square around the window, whose rows may be lengthened to a power of two.
fn tap(window: &Window, is_lengthened: bool, dx: isize, dy: isize) -> isize {
    let (radius, side) = (window.radius_px.cast_signed(), 2 * window.radius_px + 1);
    let row = if is_lengthened { side.next_power_of_two() } else { side };
    (dy + radius) * row.cast_signed() + dx + radius
}
