//! Rotate: what its definition in `kernels/rotate/` cannot say.

use super::attached::Attached;
use crate::footprint::{Plane, Trace};
use kernel_ladder_cpu::filters::rotate as cpu;
use kernel_ladder_cpu::reference::rotate as reference;
use model::StageId;

/// Rows and columns of a block.
const SIDE_PX: usize = 4;
const SIDE: isize = SIDE_PX.cast_signed();

/// What is stored at once of a transposed tile.
const PIECE_BYTES: usize = 16;
const WORD_BYTES: usize = 4;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, _, rows| reference::rows(picture.pixels(), rows)),
    cpu: Some(|job, _| cpu::run(job)),
    footprint: Some(&footprint),
    ..Attached::NONE
};

fn footprint(trace: &mut Trace) {
    let shape = trace.shape;
    let (pixels, rows) = (shape.pixels_per_item(), shape.rows_per_item());
    match (shape.is_on(StageId::Local), rows) {
        (true, 1) => return tile_of_pixels(trace),
        (true, _) if shape.is_on(StageId::Transpose) => return tile_of_transposed_blocks(trace),
        (true, _) => return tile_of_blocks(trace),
        (false, _) => {}
    }
    let Some(place) = trace.own_block(pixels, rows) else { return };
    let (source, destination, channels) = (trace.source(), trace.destination(), shape.channels().count());
    if rows > 1 {
        load_block(trace, &source, place, pixels);
        store_block(trace, &destination, place, pixels);
    } else if shape.is_on(StageId::Image) {
        trace.load(&source, place, &[1]);
        trace.store(&destination, turned(trace, place), &[channels]);
    } else {
        trace.copy_by_channels(&source, place, &destination, turned(trace, place));
    }
}

/// Where a pixel of the source is in the output.
fn turned(trace: &Trace, [x, y]: [isize; 2]) -> [isize; 2] {
    [trace.shape.height_px.cast_signed() - 1 - y, x]
}

/// Four rows from the one that is the `y`-th from below up; the first row once more where there are none above it. Four pixels in whole words, or one.
fn load_block(trace: &mut Trace, source: &Plane, [x, y]: [isize; 2], pixels: usize) {
    let (lowest, channels) = (trace.shape.height_px.cast_signed() - 1 - y, trace.shape.channels().count());
    for row in 0..SIDE {
        trace.load(source, [x, (lowest - row).max(0)], &[pixels * channels]);
    }
}

/// Rows of the output from `x` on, those of them that there are, by four pixels from column `y` on.
fn store_block(trace: &mut Trace, destination: &Plane, [x, y]: [isize; 2], pixels: usize) {
    let (width, channels) = (trace.shape.width_px.cast_signed(), trace.shape.channels().count());
    for row in (x..width).take(pixels) {
        trace.store(destination, [y, row], &[SIDE_PX * channels]);
    }
}

/// Column and row in the group of the work-item's place once it is renumbered down the columns of the tile.
fn renumbered(trace: &Trace) -> [isize; 2] {
    let ([columns, lines], [column, line]) = (trace.group_size(), trace.column_and_row());
    let [first_column, first_line] = trace.group_origin();
    let number = (line - first_line) * columns + (column - first_column);
    [number / lines, number % lines].map(usize::cast_signed)
}

fn tile_of_pixels(trace: &mut Trace) {
    let shape = trace.shape;
    let channels = shape.channels().count();
    let ([columns, lines], first) = (trace.group_size(), trace.group_origin().map(usize::cast_signed));
    // What is beyond the picture is taken from its edge.
    let source = if shape.is_on(StageId::Padded) { trace.source().at_most_beyond(0) } else { trace.source() };
    let (tile, destination) = (trace.tile(first, shape.tile_pitch(columns * channels), channels, 1), trace.destination());
    trace.owns(1);
    trace.fill_by_channels(&source, &tile, first, [columns, lines]);
    let [column, line] = renumbered(trace);
    let place @ [x, y] = [first[0] + column, first[1] + line];
    if x < shape.width_px.cast_signed() && y < shape.height_px.cast_signed() {
        trace.copy_by_channels(&tile, place, &destination, turned(trace, place));
    }
}

/// Lines of blocks are counted from the lowest one up, and so are the tile's rows.
fn tile_of_blocks(trace: &mut Trace) {
    let shape = trace.shape;
    let channels = shape.channels().count();
    let four = [SIDE_PX * channels];
    let ([columns, _], first) = (trace.group_size(), trace.group_origin().map(|place| (place * SIDE_PX).cast_signed()));
    let (source, destination) = (trace.source(), trace.destination());
    let tile = trace.tile(first, shape.tile_pitch(columns * SIDE_PX * channels), channels, 1);
    if let Some(place @ [x, y]) = trace.own_block(SIDE_PX, SIDE_PX) {
        trace.branch(0, |trace| {
            load_block(trace, &source, place, SIDE_PX);
            (0..SIDE).for_each(|row| trace.store(&tile, [x, y + row], &four));
        });
    }
    let [column, line] = renumbered(trace);
    let place @ [x, y] = [first[0] + SIDE * column, first[1] + SIDE * line];
    if x < shape.width_px.cast_signed() && y < shape.height_px.cast_signed() {
        (0..SIDE).for_each(|row| trace.load(&tile, [x, y + row], &four));
        store_block(trace, &destination, place, SIDE_PX);
    }
}

/// The tile has a row of words for each column of blocks: its four rows of the result one behind the other, and 16 bytes of padding.
fn tile_of_transposed_blocks(trace: &mut Trace) {
    let shape = trace.shape;
    let (four_bytes, [columns, lines]) = (SIDE_PX * shape.channels().count(), trace.group_size());
    let [first_column, first_line] = trace.group_origin();
    let pitch = lines * four_bytes;
    let (source, destination) = (trace.source(), trace.destination());
    let tile = trace.tile([0, 0], SIDE_PX * pitch + PIECE_BYTES, 1, 1);
    let at = |row: usize, byte: usize| [row % SIDE_PX * pitch + byte, row / SIDE_PX].map(usize::cast_signed);
    let [column, line] = trace.column_and_row();
    let [own_column, own_line] = [column - first_column, line - first_line];
    if let Some(place) = trace.own_block(SIDE_PX, SIDE_PX) {
        trace.branch(0, |trace| {
            load_block(trace, &source, place, SIDE_PX);
            for row in 0..SIDE_PX {
                trace.store(&tile, at(SIDE_PX * own_column + row, own_line * four_bytes), &[four_bytes]);
            }
        });
    }
    let rows = (SIDE_PX * columns).min(shape.width_px.saturating_sub(SIDE_PX * first_column));
    let row_bytes = lines.min(shape.height_px.div_ceil(SIDE_PX).saturating_sub(first_line)) * four_bytes;
    // Words, where rows of the tile are no multiple of a piece.
    let piece = if pitch.is_multiple_of(PIECE_BYTES) { PIECE_BYTES } else { WORD_BYTES };
    let pieces = pitch / piece;
    let own = (own_line * columns + own_column..rows * pieces).step_by(columns * lines);
    trace.turns(own, |trace, index| {
        let (row, byte) = (index / pieces, index % pieces * piece);
        let to = |byte: usize| destination.shifted(byte.cast_signed());
        let place = [SIDE_PX * first_line, SIDE_PX * first_column + row].map(usize::cast_signed);
        if byte + piece <= row_bytes {
            trace.load(&tile, at(row, byte), &[piece]);
            trace.store(&to(byte), place, &[piece]);
            return;
        }
        trace.turns((byte..row_bytes).step_by(WORD_BYTES), |trace, byte| {
            trace.load(&tile, at(row, byte), &[WORD_BYTES]);
            trace.store(&to(byte), place, &[WORD_BYTES]);
        });
    });
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, ByClass, Channels, Counts, FilterId, OperationClass, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Rotate.filter()
    }

    fn turned(width: usize, height: usize, channels: Channels, bytes: &[u8]) -> Picture {
        let picture = Picture::new(width, height, channels, bytes.to_vec()).expect("a picture");
        filter().reference(&picture, BorderMode::Copy, &Parameters::default()).expect("a plain reference")
    }

    #[test]
    fn three_by_two_by_hand() {
        let turned = turned(3, 2, Channels::Gray, &[1, 2, 3, 4, 5, 6]);
        // The first row becomes the last column.
        assert_eq!((turned.width_px(), turned.height_px()), (2, 3));
        assert_eq!(turned.bytes(), [4, 1, 5, 2, 6, 3]);
    }

    #[test]
    fn colors_stay_together() {
        let turned = turned(1, 3, Channels::Rgb, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!((turned.width_px(), turned.height_px(), turned.bytes()), (3, 1, [7, 8, 9, 4, 5, 6, 1, 2, 3].as_slice()));
    }

    #[test]
    fn one_pixel_stays() {
        assert_eq!(turned(1, 1, Channels::Rgb, &[7, 8, 9]).bytes(), [7, 8, 9]);
    }

    #[test]
    fn counts_by_hand() {
        let counts = |name: &str, channels: Channels, local| {
            let (variant, setting) = (Variant::parse(name).expect("known"), Setting::new(channels, BorderMode::Copy));
            let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 64, height_px: 64 };
            filter().counts(&shape, local).expect("described")
        };
        let of = |accesses: f64, channels: f64, local_bytes: f64| Counts {
            loads: accesses,
            loaded_bytes: channels,
            stores: accesses,
            stored_bytes: channels,
            by_class: ByClass::one(OperationClass::LocalMemory, local_bytes),
            must_move_bytes: 2.0 * channels,
            ..Counts::default()
        };
        let (gray, rgb) = (Channels::Gray, Channels::Rgb);
        assert_eq!(counts("naive", gray, [1, 1]), of(1.0, 1.0, 0.0));
        assert_eq!(counts("coalesced+padded", rgb, [1, 1]), of(3.0, 3.0, 0.0));
        // Four loads and four stores for 16 pixels, whatever their size.
        assert_eq!(counts("padded+vectorize=4+rows=4", gray, [1, 1]), of(0.25, 1.0, 0.0));
        assert_eq!(counts("coalesced+padded+vectorize=4+rows=4", rgb, [1, 1]), of(0.25, 3.0, 0.0));
        // Four loads of a pixel, one store of four.
        assert_eq!(counts("coalesced+rows=4", rgb, [1, 1]), Counts { stores: 0.25, ..of(1.0, 3.0, 0.0) });
        // In the tile, each byte is stored and loaded, and takes as long as a word; a word of four pixels takes no longer.
        assert_eq!(counts("coalesced+local", gray, [16, 4]), of(1.0, 1.0, 8.0));
        assert_eq!(counts("coalesced+local=skew", rgb, [4, 8]), of(3.0, 3.0, 24.0));
        assert_eq!(counts("coalesced+padded+vectorize=4+local=skew+rows=4", gray, [8, 4]), of(0.25, 1.0, 2.0));
        assert_eq!(counts("coalesced+padded+vectorize=4+local+rows=4", rgb, [8, 4]), of(0.25, 3.0, 6.0));
        // A transposed tile is stored by 16 bytes: 16 pixels in gray.
        let transposed = "coalesced+padded+vectorize=4+local+rows=4+transpose";
        assert_eq!(counts(transposed, gray, [8, 4]), Counts { stores: 1.0 / 16.0, ..of(0.25, 1.0, 2.0) });
        assert_eq!(counts(transposed, rgb, [8, 4]), Counts { stores: 3.0 / 16.0, ..of(0.25, 3.0, 6.0) });
    }
}
