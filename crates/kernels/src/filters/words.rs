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
    /// What two rows share, the first and the second, the third and the fourth, and so on; once for both.
    pub shared: [&'a [(Operation, usize)]; 3],
}

/// Minima and maxima.
#[derive(Clone, Copy)]
pub(super) struct Picks {
    /// Of which only the one or the other is taken.
    pub single: usize,
    /// Pairs of which both are taken.
    pub pairs: usize,
}

impl Picks {
    const fn all(self) -> usize {
        self.single + 2 * self.pairs
    }
}

/// What is compared on a word's part.
pub(super) struct Order {
    /// Of each row.
    pub own: Picks,
    /// What two rows share.
    pub shared: Picks,
}

/// Operations that take a word apart, and that put it together again: masks and shifts, or permutes.
pub(super) fn words_apart(shape: &Shape) -> [usize; 2] {
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

/// As [`footprint`], for a part that is ordered. Of integer lanes each minimum takes three operations for its selection, and five more for which lane is chosen.
/// Of halves, a pair takes a fused multiply-add and two additions where the kernel is written for them.
pub(super) fn footprint_of_order(trace: &mut Trace, order: &Order, neighbors: usize) {
    let both = [order.own, order.shared];
    let has_ptx = trace.shape.setting.abilities.has_ptx;
    let picked = both.map(|picks| [(Operation::MinMax, picks.all())]);
    let by_hand =
        both.map(|picks| [(Operation::Add, 2 * picks.all()), (Operation::Logic, 5 * picks.all()), (Operation::Multiply, picks.all())]);
    let halves = both.map(|picks| {
        let (single, pairs) = if has_ptx { (picks.single, picks.pairs) } else { (picks.all(), 0) };
        [(Operation::MinMax, single), (Operation::MultiplyAdd, 2 * pairs), (Operation::Add, 2 * pairs)]
    });
    let operations = Operations {
        bytes: &picked[0],
        int: &by_hand[0],
        half: &halves[0],
        limits: [0, 0],
        neighbors,
        shared: [&picked[1], &by_hand[1], &halves[1]],
    };
    footprint(trace, &operations);
}

/// The loads of a row of words: the block, and a word on each side.
fn load_row(trace: &mut Trace, source: &Plane, y: isize, bytes: usize) {
    let [apart, _] = words_apart(trace.shape);
    let word = WORD_BYTES.cast_signed();
    trace.beside(Numbers::Integer, bytes / WORD_BYTES + 2, &[(Operation::Logic, apart)]);
    trace.load(source, [0, y], &[bytes]);
    trace.load(&source.shifted(-word), [0, y], &[WORD_BYTES]);
    trace.load(&source.shifted(bytes.cast_signed()), [0, y], &[WORD_BYTES]);
}

/// What `filter_row` computes of a block's row, `is_first` of the two that share something, or alone.
fn filter_row(trace: &mut Trace, operations: &Operations<'_>, words: usize, is_first: bool) {
    let [_, together] = words_apart(trace.shape);
    let [byte_limits, half_limits] = operations.limits.map(|limits| [(Operation::MinMax, limits)]);
    // The high lane of one word beside the low lane of the next: to the left of one part, to the right of the other.
    let permutes = [(Operation::Logic, 2 * operations.neighbors)];
    let (numbers, parts, own, shared) = match trace.shape.variant.value(StageId::Lanes) {
        values::LANES_INT => (Numbers::Integer, 2 * words, operations.int, operations.shared[1]),
        values::LANES_HALF => (Numbers::Half, 2 * words, operations.half, operations.shared[2]),
        _ => (Numbers::Integer, 4 * words, operations.bytes, operations.shared[0]),
    };
    trace.compute_in(numbers, parts, own);
    if is_first {
        trace.compute_in(numbers, parts, shared);
    }
    match trace.shape.variant.value(StageId::Lanes) {
        values::LANES_INT => trace.beside(Numbers::Integer, words, &permutes),
        values::LANES_HALF => {
            trace.beside(Numbers::Half, parts, &half_limits);
            trace.beside(Numbers::Integer, words, &permutes);
        }
        _ => trace.beside(Numbers::Integer, parts, &byte_limits),
    }
    trace.beside(Numbers::Integer, words, &[(Operation::Logic, together)]);
}

/// The loads of `load_rows` and what `filter_block` and `restore_edges` make of them, line by line.
pub(super) fn footprint(trace: &mut Trace, operations: &Operations<'_>) {
    let (shape, Ownership { bytes, rows }) = (trace.shape, trace.shape.owned());
    let Some(Block { place: [byte, line], planes: [source, destination] }) = own_block(trace) else { return };
    let (row_bytes, y, words) = (shape.width_px * shape.channels().count(), line.cast_signed(), bytes / WORD_BYTES);
    for y in y - 1..=y + rows.cast_signed() {
        load_row(trace, &source, y, bytes);
    }
    let own_rows = (y..shape.height_px.cast_signed()).take(rows);
    for (row, y) in own_rows.clone().enumerate() {
        filter_row(trace, operations, words, row % 2 == 0);
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
