//! What work-items load and store: the kernels in `kernels/gaussian/`, line by line.

use super::words::{self, Block, WORD_BYTES};
use super::{LANES, MASK, RADIUS_PX, SUM_BYTES, filtered_rows, written_pixels};
use crate::footprint::{Plane, Space, Trace, inside_by};
use crate::launch::Shape;
use model::{Channels, Numbers, Operation, Ownership, StageId};

const RADIUS: isize = RADIUS_PX.cast_signed();

/// Bytes of a weight, where they lie in constant memory: float weights are literals.
const WEIGHT_BYTES: usize = size_of::<u16>();

pub(super) fn footprint(trace: &mut Trace) {
    let (is_local, is_walk) = (trace.shape.is_on(StageId::Local), trace.shape.is_on(StageId::Walk));
    match trace.pass.kernel {
        "gaussian_horizontal" if is_local => horizontal_from_tile(trace),
        "gaussian_horizontal" if is_walk => walk_along_row(trace),
        "gaussian_horizontal" => horizontal(trace),
        "gaussian_vertical" if is_local => vertical_from_tile(trace),
        "gaussian_vertical" if is_walk => walk_down_column(trace),
        "gaussian_vertical" => vertical(trace),
        "gaussian_edge" => edge(trace),
        _ if words::are_words(trace.shape) => words_both_ways(trace),
        _ => direct(trace),
    }
}

/// What a pixel or a block is loaded by, and what it is stored by.
fn parts(shape: &Shape, pixels: usize) -> (&'static [usize], &'static [usize]) {
    match (pixels, shape.channels().count()) {
        (1, 1) => (&[1], &[1]),
        (1, _) => (&[3], &[3]),
        (_, 1) => (&[LANES], &[LANES]),
        // There is no vector of 15.
        _ => (&[LANES], &[8, 4, 2, 1]),
    }
}

/// Lanes of what is summed.
fn lanes(shape: &Shape, pixels: usize) -> usize {
    if pixels == 1 { shape.channels().count() } else { LANES }
}

/// Looks up so many weights, where they are not literals.
fn load_weights(trace: &mut Trace, taps: &[usize]) {
    if trace.shape.is_on(StageId::Mask) {
        let mask = trace.numbers(Space::Constant, WEIGHT_BYTES);
        trace.load_along(&mask, taps.iter().map(|tap| tap.cast_signed()), 0, &[1]);
    }
}

/// Loads a tap of so many pixels, or sums of them, and converts it to the type of the sums.
fn load_tap(trace: &mut Trace, from: &Plane, place: [isize; 2], pixels: usize) {
    trace.load(from, place, parts(trace.shape, pixels).0);
    convert(trace, pixels);
}

/// Converts so many pixels to the type of the sums, or back.
fn convert(trace: &mut Trace, pixels: usize) {
    trace.convert(trace.computes_in(), lanes(trace.shape, pixels));
}

/// A product and a sum of each tap.
fn compute_taps(trace: &mut Trace, taps: usize, pixels: usize) {
    trace.compute(lanes(trace.shape, pixels), &[(Operation::MultiplyAdd, 2 * taps)]);
}

/// Divides the sum, by an addition and a shift or product, and stores it.
fn store_pixels(trace: &mut Trace, to: &Plane, place: [isize; 2], pixels: usize) {
    trace.compute(lanes(trace.shape, pixels), &[(Operation::Add, 1), (Operation::Logic, 1)]);
    convert(trace, pixels);
    trace.store(to, place, parts(trace.shape, pixels).1);
}

/// Sums of a row: into a buffer by vectors, into an image object pixel by pixel, those beyond the row's end left out.
fn store_sums(trace: &mut Trace, [x, y]: [isize; 2]) {
    let (shape, between, pixels) = (trace.shape, trace.between(0, SUM_BYTES), trace.shape.pixels_per_item());
    convert(trace, pixels);
    if !shape.is_on(StageId::ImageBetween) {
        return trace.store(&between, [x, y], parts(shape, pixels).1);
    }
    for x in (x..shape.width_px.cast_signed()).take(pixels) {
        trace.store(&between, [x, y], &[1]);
    }
}

/// All 121 taps.
fn direct(trace: &mut Trace) {
    let shape = trace.shape;
    let source = if shape.is_on(StageId::Local) { fill_tile(trace, RADIUS) } else { trace.source() };
    let Some([x, y]) = trace.own_block(1, 1) else { return };
    let destination = trace.destination();
    if trace.keeps_source([x, y], RADIUS_PX, RADIUS_PX) {
        return trace.branch(0, |trace| {
            trace.load(&source, [x, y], parts(shape, 1).0);
            trace.store(&destination, [x, y], parts(shape, 1).1);
        });
    }
    for (row, y) in (y - RADIUS..=y + RADIUS).enumerate() {
        for (column, x) in (x - RADIUS..=x + RADIUS).enumerate() {
            load_tap(trace, &source, [x, y], 1);
            load_weights(trace, &[row, column]);
        }
    }
    compute_taps(trace, MASK.len() * MASK.len(), 1);
    store_pixels(trace, &destination, [x, y], 1);
}

/// A block of words in each of the work-item's rows: `kernels/gaussian/words.clh`, line by line.
fn words_both_ways(trace: &mut Trace) {
    let (shape, Ownership { bytes, rows }) = (trace.shape, trace.shape.owned());
    let Some(Block { place: [_, line], planes: [source, destination] }) = words::own_block(trace) else { return };
    let is_gray = shape.channels() == Channels::Gray;
    let word = WORD_BYTES.cast_signed();
    // Operations for a byte: products and sums of all taps; with dot products, 14 for every four bytes of a row, and 6 down a column.
    let is_dot = shape.is_on(StageId::Dot);
    let both_ways = |products, taps| if is_dot { [(Operation::Multiply, products)] } else { [(Operation::MultiplyAdd, taps)] };
    let along = both_ways(bytes / 4 * 14, bytes * 2 * MASK.len());
    let down = both_ways(bytes * 6, bytes * 2 * MASK.len());
    // Masks and shifts that take words and pairs apart, where no dot product does it.
    let (row_words, apart) = (if is_gray { 8 } else { 11 }, usize::from(!is_dot));
    let first = line.cast_signed();
    let last = shape.height_px.cast_signed();
    for y in first - RADIUS..first + rows.cast_signed() + RADIUS {
        if is_gray {
            trace.load(&source.shifted(-2 * word), [0, y], &[8]);
            trace.load(&source, [0, y], &[16]);
            trace.load(&source.shifted(4 * word), [0, y], &[8]);
        } else {
            for number in -4..=6 {
                trace.load(&source.shifted(number * word), [0, y], &[WORD_BYTES]);
            }
        }
        // The sums along the row; of two rows, a shift and a combination put them together.
        trace.beside(Numbers::Integer, row_words, &[(Operation::Logic, 6 * apart)]);
        trace.compute_in(Numbers::Integer, 1, &along);
        trace.compute_in(Numbers::Integer, bytes, &[(Operation::Logic, 1)]);
    }
    for y in (first..last).take(rows) {
        trace.beside(Numbers::Integer, bytes, &[(Operation::Logic, MASK.len() * apart + 1)]);
        trace.compute_in(Numbers::Integer, 1, &down);
        trace.store(&destination, [0, y], &[bytes]);
    }
}

/// The group's pixels, with those around that the mask reaches along rows, and so many rows above and below.
fn fill_tile(trace: &mut Trace, rows_around: isize) -> Plane {
    let channels = trace.shape.channels().count();
    let ([columns, lines], [column, line]) = (trace.group_size(), trace.group_origin());
    let first = [column.cast_signed() - RADIUS, line.cast_signed() - rows_around];
    let tile_columns = columns + 2 * RADIUS_PX;
    let (source, tile) = (trace.source(), trace.tile(first, tile_columns * channels, channels, 1));
    trace.fill_by_channels(&source, &tile, first, [tile_columns, lines + 2 * rows_around.cast_unsigned()]);
    tile
}

fn horizontal(trace: &mut Trace) {
    let (shape, pixels) = (trace.shape, trace.shape.pixels_per_item());
    let Some([x, y]) = trace.own_block_of([shape.width_px, filtered_rows(shape)], pixels, 1) else { return };
    let source = trace.source();
    for (tap, x) in (x - RADIUS..=x + RADIUS).enumerate() {
        load_weights(trace, &[tap]);
        load_tap(trace, &source, [x, y], pixels);
    }
    compute_taps(trace, MASK.len(), pixels);
    store_sums(trace, [x, y]);
}

fn horizontal_from_tile(trace: &mut Trace) {
    let tile = fill_tile(trace, 0);
    let Some([x, y]) = trace.own_block(1, 1) else { return };
    (x - RADIUS..=x + RADIUS).for_each(|x| load_tap(trace, &tile, [x, y], 1));
    compute_taps(trace, MASK.len(), 1);
    store_sums(trace, [x, y]);
}

/// A whole row: pixel by pixel ten are in registers and one is loaded; by blocks two are, and one is loaded.
fn walk_along_row(trace: &mut Trace) {
    let (shape, pixels) = (trace.shape, trace.shape.pixels_per_item());
    let (y, source, width) = (trace.item.global()[0].cast_signed(), trace.source(), shape.width_px.cast_signed());
    trace.owns(shape.width_px);
    if y >= filtered_rows(shape).cast_signed() {
        return;
    }
    let block = pixels.cast_signed();
    let (before, reach) = if pixels == 1 { (-RADIUS..=RADIUS - 1, RADIUS) } else { (-block..=0, block) };
    trace.load_along(&source, before.step_by(pixels), y, parts(shape, pixels).0);
    for x in (0..width).step_by(pixels) {
        load_tap(trace, &source, [x + reach, y], pixels);
        load_weights(trace, &ALL_TAPS);
        compute_taps(trace, MASK.len(), pixels);
        store_sums(trace, [x, y]);
    }
}

const ALL_TAPS: [usize; MASK.len()] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/// Row y of what lies between the passes: the halo's rows are there as well, or what is beyond an edge is that of another row.
fn row_between(shape: &Shape, y: isize) -> isize {
    if shape.is_on(StageId::Padded) { y + RADIUS } else { inside_by(shape.setting.border)(y, shape.height_px).cast_signed() }
}

fn vertical(trace: &mut Trace) {
    let (shape, pixels) = (trace.shape, written_pixels(trace.shape));
    let Some([x, y]) = trace.own_block(pixels, 1) else { return };
    let (between, destination) = (trace.between(0, SUM_BYTES), trace.destination());
    for (tap, y) in (y - RADIUS..=y + RADIUS).enumerate() {
        load_tap(trace, &between, [x, row_between(shape, y)], pixels);
        load_weights(trace, &[tap]);
    }
    compute_taps(trace, MASK.len(), pixels);
    store_pixels(trace, &destination, [x, y], pixels);
}

/// The tile has the group's columns, number by number, and the rows above and below.
fn vertical_from_tile(trace: &mut Trace) {
    let shape = trace.shape;
    let (channels, [columns, lines], [column, line]) = (shape.channels().count(), trace.group_size(), trace.group_origin());
    let (row_bytes, last) = (columns * channels * SUM_BYTES, (shape.width_px * channels).cast_signed() - 1);
    let first @ [first_x, first_y] = [column.cast_signed(), line.cast_signed() - RADIUS];
    let (between, destination) = (trace.between(0, SUM_BYTES), trace.destination());
    let tile = trace.tile(first, row_bytes, channels * SUM_BYTES, SUM_BYTES);
    let number = |index: isize| index * SUM_BYTES.cast_signed();
    trace.share([columns * channels, lines + 2 * RADIUS_PX], |trace, [index, row]| {
        let (index, y) = (index.cast_signed(), first_y + row.cast_signed());
        let from = (first_x * channels.cast_signed() + index).min(last);
        trace.load(&between.shifted(number(from)), [0, row_between(shape, y)], &[1]);
        trace.store(&tile.shifted(number(index)), [first_x, y], &[1]);
    });
    let Some([x, y]) = trace.own_block(1, 1) else { return };
    for y in y - RADIUS..=y + RADIUS {
        load_tap(trace, &tile, [x, y], 1);
    }
    compute_taps(trace, MASK.len(), 1);
    store_pixels(trace, &destination, [x, y], 1);
}

/// A whole column, or a strip of them: ten rows are in registers and one is loaded.
fn walk_down_column(trace: &mut Trace) {
    let (shape, pixels) = (trace.shape, written_pixels(trace.shape));
    let x = (trace.item.global()[0] * pixels).cast_signed();
    trace.owns(pixels * shape.height_px);
    if x >= shape.width_px.cast_signed() {
        return;
    }
    let (between, destination) = (trace.between(0, SUM_BYTES), trace.destination());
    for y in -RADIUS..RADIUS {
        trace.load(&between, [x, row_between(shape, y)], parts(shape, pixels).0);
    }
    for y in 0..shape.height_px.cast_signed() {
        load_tap(trace, &between, [x, row_between(shape, y + RADIUS)], pixels);
        load_weights(trace, &ALL_TAPS);
        compute_taps(trace, MASK.len(), pixels);
        store_pixels(trace, &destination, [x, y], pixels);
    }
}

/// Border mode `copy`: 5 rows at the top, 5 at the bottom, then 5 columns at the left and 5 at the right, without what the rows have of them.
fn edge(trace: &mut Trace) {
    let Some(place) = trace.edge_place(trace.column_and_row(), [RADIUS_PX; 2]) else { return };
    let (source, destination) = (trace.source(), trace.destination());
    if trace.shape.is_on(StageId::Image) {
        trace.load(&source, place, &[1]);
        trace.store(&destination, place, parts(trace.shape, 1).1);
    } else {
        trace.copy_by_channels(&source, place, &destination, place);
    }
}
