//! What filters of 3 × 3 pixels have in common where rows are cut into blocks of words: `kernels/common/words.clh` and what goes with it.

use crate::image::Layout;
use crate::model::{BorderMode, Channels, Ownership, StageId, values};
use crate::schedule::{Shape, Trace};

/// How far a neighbor is.
const RADIUS_PX: usize = 1;

/// Bytes of a word.
pub(super) const WORD_BYTES: usize = 4;

/// Arithmetic operations on a word's part, which has one byte or two lanes, by the value of the stage.
pub(super) struct Operations {
    /// One byte in 32 bits.
    pub bytes: usize,
    /// Two integers.
    pub int: usize,
    /// Two halves.
    pub half: usize,
}

/// Whether the kernel takes rows as words.
pub(super) fn are_words(shape: &Shape) -> bool {
    shape.is_on(StageId::Access)
}

/// Rows of words for a filter that reaches so many pixels to each side. A block's last load is the last word that holds one of these neighbors, and a
/// row's last block begins at or before its last pixel.
pub(super) fn padded(shape: &Shape, radius_px: usize) -> Layout {
    let slack = shape.owned().bytes + (radius_px * shape.channels().count()).next_multiple_of(WORD_BYTES);
    Layout::padded(shape.width_px, shape.height_px, shape.channels(), radius_px, slack, 0)
}

/// Source and destination. A block's last load is the word behind it, a row's last block begins at or before its last pixel, and a work-item may begin in the
/// last row and loads all of its rows.
pub(super) fn layouts(shape: &Shape, output: Channels) -> (Layout, Layout) {
    let owned = shape.owned();
    let slack = owned.bytes + WORD_BYTES;
    let source = Layout::padded(shape.width_px, shape.height_px, shape.channels(), RADIUS_PX, slack, owned.surplus_rows());
    (source, shape.whole_blocks(owned, output))
}

/// The loads of `load_rows` and what `filter_block` makes of them, line by line.
pub(super) fn accesses(trace: &mut Trace, operations: &Operations) {
    let shape = trace.shape;
    let Ownership { bytes, rows } = shape.owned();
    let ([column, line], row_bytes) = (trace.column_and_row(), shape.width_px * shape.channels().count());
    let (byte, y) = (column * bytes, (line * rows).cast_signed());
    trace.owns_bytes(bytes * rows);
    if byte >= row_bytes || line * rows >= shape.height_px {
        return;
    }
    let [source, destination] = [trace.source(), trace.destination()].map(|plane| plane.shifted(byte.cast_signed()));
    let word = WORD_BYTES.cast_signed();
    for y in y - 1..=y + rows.cast_signed() {
        trace.load(&source, [0, y], &[bytes]);
        trace.load(&source.shifted(-word), [0, y], &[WORD_BYTES]);
        trace.load(&source.shifted(bytes.cast_signed()), [0, y], &[WORD_BYTES]);
    }
    let (words, own_rows) = (bytes / WORD_BYTES, (y..shape.height_px.cast_signed()).take(rows));
    for y in own_rows.clone() {
        match shape.variant.value(StageId::Lanes) {
            values::LANES_INT => trace.compute_integer(2 * words * operations.int),
            values::LANES_HALF => trace.compute_float(2 * words * operations.half),
            _ => trace.compute_integer(4 * words * operations.bytes),
        }
        trace.store(&destination, [0, y], &[bytes]);
    }
    let (channels, last_y) = (shape.channels().count(), shape.height_px.cast_signed() - 1);
    let last_pixel = row_bytes - channels;
    let has_edge = byte == 0 || byte + bytes > last_pixel || line == 0 || (line + 1) * rows >= shape.height_px;
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
