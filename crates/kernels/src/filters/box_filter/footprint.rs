//! What work-items load and store: the kernels in `kernels/box/`, line by line.

use super::words::{self, Block, WORD_BYTES};
use super::{LANES, radius_of};
use crate::footprint::{Plane, Trace};
use crate::launch::Shape;
use model::{Numbers, Operation, Ownership, StageId, values};

/// Bytes of a sum between passes.
const SUM_BYTES: usize = size_of::<u16>();

pub(super) fn footprint(trace: &mut Trace) {
    let is_running = trace.shape.is_on(StageId::Running);
    match trace.pass.kernel {
        "first_pass" if is_running => sums_of_a_row(trace),
        "first_pass" => first_pass(trace),
        "second_pass" if is_running => pixels_of_a_column(trace),
        "second_pass" => second_pass(trace),
        "keep_edges" => keep_edges(trace),
        _ if words::are_words(trace.shape) => column_sums(trace),
        _ => direct(trace),
    }
}

fn radius(shape: &Shape) -> isize {
    radius_of(shape.parameters).cast_signed()
}

/// What a pixel or a block of pixels is loaded by, and what it is stored by.
fn parts(shape: &Shape) -> (&'static [usize], &'static [usize]) {
    match (shape.pixels_per_item(), shape.channels().count()) {
        (1, 3) => (&[1, 1, 1], &[1, 1, 1]),
        (1, _) => (&[1], &[1]),
        // There is no vector of 15.
        (5, _) => (&[LANES], &[8, 4, 2, 1]),
        _ => (&[LANES], &[LANES]),
    }
}

/// Lanes that are summed: RGB has one to spare but in the naive kernel, and so have five pixels of it.
fn lanes(shape: &Shape) -> usize {
    match (shape.pixels_per_item(), shape.channels().count()) {
        (1, 1) => 1,
        (1, channels) if shape.variant.is_textbook() => channels,
        (1, _) => 4,
        _ => LANES,
    }
}

/// Loads a pixel or a block and adds it to the sum.
fn add(trace: &mut Trace, from: &Plane, place: [isize; 2]) {
    trace.load(from, place, parts(trace.shape).0);
    widen(trace);
    trace.compute(lanes(trace.shape), &[(Operation::Add, 1)]);
}

/// Of a block, the lanes are widened or narrowed; those of one pixel are loaded and stored one by one.
fn widen(trace: &mut Trace) {
    if trace.shape.pixels_per_item() > 1 {
        trace.convert(Numbers::Integer, lanes(trace.shape));
    }
}

/// A division by the area: a shift or a multiplication where the compiler knows it.
fn division(shape: &Shape, is_known: bool) -> Operation {
    let area = 4 * radius_of(shape.parameters).pow(2);
    match (is_known, area.is_power_of_two()) {
        (false, _) => Operation::Function,
        (true, true) => Operation::Logic,
        (true, false) => Operation::Multiply,
    }
}

/// Divides the sum, rounded, and stores it: an addition and a division.
fn store_average(trace: &mut Trace, to: &Plane, place: [isize; 2]) {
    let division = division(trace.shape, trace.shape.is_on(StageId::Specialized));
    trace.compute(lanes(trace.shape), &[(Operation::Add, 1), (division, 1)]);
    widen(trace);
    trace.store(to, place, parts(trace.shape).1);
}

fn direct(trace: &mut Trace) {
    let (shape, radius) = (trace.shape, radius(trace.shape));
    let source = if shape.is_on(StageId::Local) { fill_tile(trace) } else { trace.source() };
    let Some([x, y]) = trace.own_block(shape.pixels_per_item(), 1) else { return };
    let destination = trace.destination();
    if shape.pixels_per_item() == 1 && trace.keeps_source([x, y], radius.cast_unsigned() - 1, radius.cast_unsigned()) {
        return trace.branch(0, |trace| {
            trace.load(&source, [x, y], parts(shape).0);
            trace.store(&destination, [x, y], parts(shape).1);
        });
    }
    for y in y + 1 - radius..=y + radius {
        for x in x + 1 - radius..=x + radius {
            add(trace, &source, [x, y]);
        }
    }
    store_average(trace, &destination, [x, y]);
}

fn fill_tile(trace: &mut Trace) -> Plane {
    let (shape, radius) = (trace.shape, radius(trace.shape));
    let around = 2 * radius.cast_unsigned() - 1;
    let ([columns, lines], channels) = (trace.group_size(), shape.channels().count());
    let first = trace.group_origin().map(|place| place.cast_signed() + 1 - radius);
    let pitch = shape.tile_pitch((columns + around) * channels);
    let (source, tile) = (trace.source(), trace.tile(first, pitch, channels, 1));
    trace.fill_by_channels(&source, &tile, first, [columns + around, lines + around]);
    tile
}

/// Sums of columns of words: `kernels/box/words.clh`, line by line.
fn column_sums(trace: &mut Trace) {
    let (shape, radius, channels) = (trace.shape, radius(trace.shape), trace.shape.channels().count());
    let Some(Block { place: [_, line], planes: [source, destination] }) = words::own_block(trace) else { return };
    let Ownership { bytes, rows } = shape.owned();
    let reach = radius.cast_unsigned();
    let [left, right] = [(reach - 1) * channels, reach * channels].map(|bytes| bytes.div_ceil(WORD_BYTES));
    let words = left + bytes / WORD_BYTES + right;
    // Additions, or a subtraction, for each word's parts.
    let parts = if shape.is_on(StageId::Lanes) { 2 } else { 4 };
    let numbers = if shape.has_value(StageId::Lanes, values::LANES_HALF) { Numbers::Half } else { Numbers::Integer };
    let [apart, together] = words::words_apart(shape);
    let add_row = |trace: &mut Trace, y: isize| {
        for word in 1..=left {
            trace.load(&source.shifted(-(word * WORD_BYTES).cast_signed()), [0, y], &[WORD_BYTES]);
        }
        trace.load(&source, [0, y], &[bytes]);
        for word in 0..right {
            trace.load(&source.shifted((bytes + word * WORD_BYTES).cast_signed()), [0, y], &[WORD_BYTES]);
        }
        trace.beside(Numbers::Integer, words, &[(Operation::Logic, apart)]);
        trace.compute_in(numbers, parts * words, &[(Operation::Add, 1)]);
    };
    let first = line.cast_signed();
    for y in first + 1 - radius..=first + radius {
        add_row(trace, y);
    }
    for y in (first..shape.height_px.cast_signed()).take(rows) {
        if y > first {
            add_row(trace, y + radius);
            add_row(trace, y - radius);
        }
        // The columns of a box, half of the area more, and the division.
        let (own_words, own_parts) = (bytes / WORD_BYTES, parts * bytes / WORD_BYTES);
        let is_power_of_two = (4 * reach * reach).is_power_of_two();
        // In lanes, a multiplication leaves it in the upper byte.
        let divides = if parts == 2 && is_power_of_two { Operation::Multiply } else { division(shape, true) };
        trace.compute_in(Numbers::Integer, own_parts, &[(Operation::Add, 2 * reach + 1), (divides, 1)]);
        // What puts the bytes together: a shift, two masks and an or, or a permute; else a shift and an or for each part.
        let joins = if parts == 2 && is_power_of_two { if together == 1 { 1 } else { 4 } } else { 2 * parts };
        trace.beside(Numbers::Integer, own_words, &[(Operation::Logic, joins)]);
        trace.store(&destination, [0, y], &[bytes]);
    }
}

/// Sums of a row's pixels, or of squares of 2 × 2. The first lies beyond the picture.
fn first_pass(trace: &mut Trace) {
    let (shape, radius) = (trace.shape, radius(trace.shape));
    let around = 2 * radius.cast_unsigned() - 1;
    let is_square = shape.is_on(StageId::TwoSteps);
    let across = shape.width_px + if is_square { around - 1 } else { 0 };
    let down = shape.height_px + if is_square { around - 1 } else { around };
    let Some([column, row]) = trace.own_block_of([across, down], shape.pixels_per_item(), 1) else { return };
    let (source, between) = (trace.source(), trace.between(0, SUM_BYTES));
    let (x, y) = (column + 1 - radius, row + 1 - radius);
    if is_square {
        for place in [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]] {
            trace.load(&source, place, parts(shape).0);
            widen(trace);
        }
        trace.compute(lanes(shape), &[(Operation::Add, 3)]);
    } else {
        for x in x..=column + radius {
            add(trace, &source, [x, y]);
        }
    }
    widen(trace);
    trace.store(&between, [column, row], parts(shape).1);
}

fn second_pass(trace: &mut Trace) {
    let (shape, side) = (trace.shape, 2 * radius(trace.shape));
    let Some([x, y]) = trace.own_block(shape.pixels_per_item(), 1) else { return };
    let (between, destination) = (trace.between(0, SUM_BYTES), trace.destination());
    let is_square = shape.is_on(StageId::TwoSteps);
    for y in (y..y + side).step_by(if is_square { 2 } else { 1 }) {
        for x in (x..if is_square { x + side } else { x + 1 }).step_by(2) {
            add(trace, &between, [x, y]);
        }
    }
    store_average(trace, &destination, [x, y]);
}

/// A running sum: what comes in is added, what goes out is subtracted.
fn sums_of_a_row(trace: &mut Trace) {
    let (shape, radius) = (trace.shape, radius(trace.shape));
    let [row, other] = trace.item.global().map(usize::cast_signed);
    let width = shape.width_px.cast_signed();
    trace.owns(shape.width_px);
    if row >= shape.height_px.cast_signed() + 2 * radius - 1 || other > 0 {
        return;
    }
    let (source, between, y) = (trace.source(), trace.between(0, SUM_BYTES), row + 1 - radius);
    for x in 1 - radius..radius {
        add(trace, &source, [x, y]);
    }
    for x in 0..width {
        add(trace, &source, [x + radius, y]);
        widen(trace);
        trace.store(&between, [x, row], parts(shape).1);
        add(trace, &source, [x + 1 - radius, y]);
    }
}

fn pixels_of_a_column(trace: &mut Trace) {
    let (shape, side) = (trace.shape, 2 * radius(trace.shape));
    let [x, other] = trace.item.global().map(usize::cast_signed);
    trace.owns(shape.height_px);
    if x >= shape.width_px.cast_signed() || other > 0 {
        return;
    }
    let (between, destination) = (trace.between(0, SUM_BYTES), trace.destination());
    for row in 0..side - 1 {
        add(trace, &between, [x, row]);
    }
    for y in 0..shape.height_px.cast_signed() {
        add(trace, &between, [x, y + side - 1]);
        store_average(trace, &destination, [x, y]);
        add(trace, &between, [x, y]);
    }
}

/// The block reaches one pixel less to the left and upwards.
fn keep_edges(trace: &mut Trace) {
    let radius = radius(trace.shape).cast_unsigned();
    let Some(place) = trace.edge_place(trace.item.global(), [radius - 1, radius]) else { return };
    let (source, destination) = (trace.source(), trace.destination());
    if trace.shape.is_on(StageId::Image) {
        trace.load(&source, place, &[1]);
        trace.store(&destination, place, parts(trace.shape).1);
    } else {
        trace.copy_by_channels(&source, place, &destination, place);
    }
}
