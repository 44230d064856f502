//! What filters have in common where rows are cut into blocks of words: `kernels/common/words.clh` and `words_block.clh`, and what goes with them.

use crate::footprint::{Plane, Trace};
use crate::launch::Shape;
use model::{BorderMode, Numbers, Operation, Ownership, StageId, values};

/// Bytes of a word.
pub(super) const WORD_BYTES: usize = 4;

/// Arithmetic operations on a word's part, which has one byte or two lanes, by the value of the stage.
pub(super) struct Operations<'a> {
    /// One byte in 32 bits.
    pub bytes: &'a [(Operation, usize)],
    /// Two integers.
    pub int: &'a [(Operation, usize)],
    /// Two halves.
    pub half: &'a [(Operation, usize)],
    /// Minima and maxima that saturate a byte, and a half, and are not counted among these: a conversion has them.
    pub limits: [usize; 2],
    /// Rows of lanes of which the neighbors to both sides are taken.
    pub neighbors: usize,
}

/// Operations that take a word apart, and that put it together again: masks and shifts, or permutes.
fn words_apart(shape: &Shape) -> [usize; 2] {
    match (shape.is_on(StageId::Lanes), shape.setting.abilities.has_ptx) {
        (false, _) => [6, 6],
        (true, false) => [3, 2],
        (true, true) => [2, 1],
    }
}

/// Whether the kernel takes rows as words.
pub(super) fn are_words(shape: &Shape) -> bool {
    shape.is_on(StageId::Access)
}

/// A work-item's block of bytes, in as many rows as it owns.
pub(super) struct Block {
    /// The first byte of its row, and its first row.
    pub place: [usize; 2],
    /// Source and destination from its first byte on.
    pub planes: [Plane; 2],
}

/// The block of this work-item; `None` where it has none.
pub(super) fn own_block(trace: &mut Trace) -> Option<Block> {
    let (shape, Ownership { bytes, rows }) = (trace.shape, trace.shape.owned());
    let [column, line] = trace.column_and_row();
    let place = [column * bytes, line * rows];
    trace.owns_bytes(bytes * rows);
    let planes = [trace.source(), trace.destination()].map(|plane| plane.shifted(place[0].cast_signed()));
    (place[0] < shape.width_px * shape.channels().count() && place[1] < shape.height_px).then_some(Block { place, planes })
}

/// As [`footprint`], for a part that takes so many minima and maxima. Of integer lanes each takes three operations for its selection, and five more for which
/// lane is chosen.
pub(super) fn footprint_of_order(trace: &mut Trace, picks: usize, neighbors: usize) {
    let picked = [(Operation::MinMax, picks)];
    let by_hand = [(Operation::Add, 2 * picks), (Operation::Logic, 5 * picks), (Operation::Multiply, picks)];
    footprint(trace, &Operations { bytes: &picked, int: &by_hand, half: &picked, limits: [0, 0], neighbors });
}

/// The loads of `load_rows` and what `filter_block` makes of them, line by line.
pub(super) fn footprint(trace: &mut Trace, operations: &Operations<'_>) {
    let (shape, Ownership { bytes, rows }) = (trace.shape, trace.shape.owned());
    let Some(Block { place: [byte, line], planes: [source, destination] }) = own_block(trace) else { return };
    let (row_bytes, y) = (shape.width_px * shape.channels().count(), line.cast_signed());
    let word = WORD_BYTES.cast_signed();
    let [apart, together] = words_apart(shape);
    let words = bytes / WORD_BYTES;
    for y in y - 1..=y + rows.cast_signed() {
        trace.beside(Numbers::Integer, words + 2, &[(Operation::Logic, apart)]);
        trace.load(&source, [0, y], &[bytes]);
        trace.load(&source.shifted(-word), [0, y], &[WORD_BYTES]);
        trace.load(&source.shifted(bytes.cast_signed()), [0, y], &[WORD_BYTES]);
    }
    let own_rows = (y..shape.height_px.cast_signed()).take(rows);
    let [byte_limits, half_limits] = operations.limits.map(|limits| [(Operation::MinMax, limits)]);
    // The high lane of one word beside the low lane of the next: to the left of one part, to the right of the other.
    let permutes = [(Operation::Logic, 2 * operations.neighbors)];
    for y in own_rows.clone() {
        match shape.variant.value(StageId::Lanes) {
            values::LANES_INT => {
                trace.compute_in(Numbers::Integer, 2 * words, operations.int);
                trace.beside(Numbers::Integer, words, &permutes);
            }
            values::LANES_HALF => {
                trace.compute_in(Numbers::Half, 2 * words, operations.half);
                trace.beside(Numbers::Half, 2 * words, &half_limits);
                trace.beside(Numbers::Integer, words, &permutes);
            }
            _ => {
                trace.compute_in(Numbers::Integer, 4 * words, operations.bytes);
                trace.beside(Numbers::Integer, 4 * words, &byte_limits);
            }
        }
        trace.beside(Numbers::Integer, words, &[(Operation::Logic, together)]);
        trace.store(&destination, [0, y], &[bytes]);
    }
    let (channels, last_y) = (shape.channels().count(), shape.height_px.cast_signed() - 1);
    let last_pixel = row_bytes - channels;
    let has_edge = byte == 0 || byte + bytes > last_pixel || line == 0 || line + rows >= shape.height_px;
    if shape.setting.border == BorderMode::Copy && has_edge {
        trace.branch(0, |trace| {
            trace.turns(own_rows, |trace, y| {
                if y == 0 || y == last_y {
                    trace.load(&source, [0, y], &[bytes]);
                    trace.store(&destination, [0, y], &[bytes]);
                }
                let ends = (byte..channels).chain(last_pixel.max(byte)..row_bytes.min(byte + bytes));
                trace.turns(ends, |trace, end| {
                    let end = (end - byte).cast_signed();
                    trace.load(&source.shifted(end), [0, y], &[1]);
                    trace.store(&destination.shifted(end), [0, y], &[1]);
                });
            });
        });
    }
}
