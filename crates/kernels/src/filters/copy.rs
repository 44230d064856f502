//! Copy: what its definition in `kernels/copy/` cannot say.

use super::Grid;
use super::attached::Attached;
use crate::footprint::Trace;
use kernel_ladder_cpu::filters::copy as cpu;
use kernel_ladder_cpu::reference::copy as reference;
use model::{Channels, StageId, values};

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, _, rows| reference::rows(picture.pixels(), rows)),
    cpu: Some(|job, _| cpu::run(job)),
    footprint: Some(&footprint),
    drawing: |_| vec![Grid::itself()],
    ..Attached::NONE
};

fn footprint(trace: &mut Trace) {
    if trace.shape.is_on(StageId::Image) {
        return image_accesses(trace);
    }
    if trace.shape.is_on(StageId::Tail) {
        return accesses_with_tail(trace);
    }
    if trace.shape.has_value(StageId::Unaligned, values::UNALIGNED_STORES) {
        return accesses_after_head(trace);
    }
    accesses_by_pieces(trace, |_, _| {});
}

/// Rows are taken as bytes, piece by piece, and something is computed with the bytes of each.
pub(super) fn accesses_by_pieces(trace: &mut Trace, compute: fn(&mut Trace, usize)) {
    let shape = trace.shape;
    // Bytes are taken as gray pixels are, whatever the channels. Four ints are four lanes, of four bytes each; a load of them is one of 16 bytes all the
    // same.
    let (piece, rows) = (shape.variant.owned(Channels::Gray).bytes, shape.rows_per_item());
    let ([column, line], row_bytes) = (trace.column_and_row(), shape.width_px * shape.channels().count());
    let (first, end) = (line * rows, shape.height_px.min((line + 1) * rows));
    if column * piece >= row_bytes {
        return;
    }
    trace.owns_bytes(piece * rows);
    let [source, destination] = [trace.source(), trace.destination()].map(|plane| plane.shifted((column * piece).cast_signed()));
    for y in first..end {
        trace.load(&source, [0, y.cast_signed()], &[piece]);
        compute(trace, piece);
        trace.store(&destination, [0, y.cast_signed()], &[piece]);
    }
}

/// What moves so many bytes of a row at once, from that byte on.
fn mover(trace: &Trace, line: usize) -> impl Fn(&mut Trace, usize, usize) + use<> {
    let (planes, place) = ([trace.source(), trace.destination()], [0, line.cast_signed()]);
    move |trace, byte, bytes| {
        let [from, to] = planes.map(|plane| plane.shifted(byte.cast_signed()));
        trace.load(&from, place, &[bytes]);
        trace.store(&to, place, &[bytes]);
    }
}

/// Whole pieces; the work-item of a row's last one has the bytes that are left, too.
fn accesses_with_tail(trace: &mut Trace) {
    let shape = trace.shape;
    let (piece, row_bytes) = (shape.variant.owned(Channels::Gray).bytes, shape.width_px * shape.channels().count());
    let ([column, line], pieces) = (trace.column_and_row(), row_bytes / piece);
    if column >= pieces.max(1) || line >= shape.height_px {
        return;
    }
    trace.owns_bytes(piece);
    let move_bytes = mover(trace, line);
    if pieces > 0 {
        move_bytes(trace, column * piece, piece);
    }
    if column + 1 < pieces {
        return;
    }
    let left = pieces * piece..row_bytes;
    trace.branch(0, |trace| {
        if pieces > 0 && shape.has_value(StageId::Tail, values::TAIL_OVERLAP) {
            if !left.is_empty() {
                move_bytes(trace, row_bytes - piece, piece);
            }
        } else {
            trace.turns(left, |trace, byte| move_bytes(trace, byte, 1));
        }
    });
}

/// Pieces begin where loads are aligned; a row's first work-item has the bytes before them, too.
fn accesses_after_head(trace: &mut Trace) {
    let shape = trace.shape;
    let (piece, row_bytes) = (shape.variant.owned(Channels::Gray).bytes, shape.width_px * shape.channels().count());
    let [column, line] = trace.column_and_row();
    let byte = piece - 1 + column * piece;
    if line >= shape.height_px || column > 0 && byte >= row_bytes {
        return;
    }
    trace.owns_bytes(piece);
    let move_bytes = mover(trace, line);
    if column == 0 {
        trace.branch(0, |trace| trace.turns(0..byte.min(row_bytes), |trace, byte| move_bytes(trace, byte, 1)));
    }
    if byte < row_bytes {
        move_bytes(trace, byte, piece);
    }
}

fn image_accesses(trace: &mut Trace) {
    let shape = trace.shape;
    let (pixels, parts): (_, &[usize]) = match (shape.variant.value(StageId::Image), shape.channels()) {
        (values::IMAGE_FOUR_PIXELS, _) => (4, &[4]),
        (_, Channels::Rgb) => (1, &[3]),
        _ => (1, &[1]),
    };
    let Some([x, y]) = trace.own_block(pixels, shape.rows_per_item()) else { return };
    let (source, destination) = (trace.source(), trace.destination());
    for y in (y..shape.height_px.cast_signed()).take(shape.rows_per_item()) {
        trace.load(&source, [x / pixels.cast_signed(), y], &[1]);
        trace.store(&destination, [x, y], parts);
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::FilterIdExt as _;
    use crate::filters::{Filter, Reference};
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Copy.filter()
    }

    fn with_shape<T>(name: &str, channels: Channels, ask: impl Fn(&Shape) -> T) -> T {
        let variant = Variant::parse(name).expect("known");
        let setting = Setting::new(channels, BorderMode::Copy);
        ask(&Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 43, height_px: 10 })
    }

    #[test]
    fn the_output_is_the_source() {
        let picture = Picture::from_fn(3, 2, Channels::Rgb, |x, y, channel| (x + 10 * y + 100 * channel) as u8);
        assert_eq!(filter().reference(&picture, BorderMode::Copy, &Parameters::default()).expect("a plain reference"), picture);
        let Reference::Rows(reference) = filter().reference else { panic!("a plain reference") };
        let last = reference(&picture, BorderMode::Copy, &Parameters::default(), 1..2);
        assert_eq!(last, [10, 110, 210, 11, 111, 211, 12, 112, 212]);
    }

    #[test]
    fn a_work_item_owns_a_piece_of_a_row_whatever_the_pixels_are() {
        let global = |name: &str, channels| with_shape(name, channels, |shape| (filter().launch)(shape).passes[0].global);
        // 43 pixels are 129 bytes: 8 pieces of 16 and one byte.
        assert_eq!(global("coalesced+padded+access=int4", Channels::Rgb), [9, 10]);
        assert_eq!(global("padded+rows=4+access=uchar8", Channels::Rgb), [3, 17]);
        assert_eq!(global("naive", Channels::Gray), [10, 43]);
        assert_eq!(global("coalesced+image=rgba", Channels::Gray), [11, 10]);
    }

    #[test]
    fn the_last_piece_of_a_row_ends_in_its_pitch() {
        with_shape("padded+access=uchar16", Channels::Rgb, |shape| {
            let launch = (filter().launch)(shape);
            let layout = launch.source.layout();
            assert_eq!((layout.origin_bytes, layout.pitch_bytes, launch.destination.pitch_bytes), (0, 256, 256));
        });
    }

    #[test]
    fn counts_are_those_of_the_notes() {
        let counted = |name: &str, channels| {
            with_shape(name, channels, |shape| {
                filter().counts(shape, [1, 1]).map(|counts| (counts.loads, counts.stores)).expect("described")
            })
        };
        assert_eq!(counted("naive", Channels::Rgb), (3.0, 3.0));
        assert_eq!(counted("padded+access=int4", Channels::Gray), (0.0625, 0.0625));
        assert_eq!(counted("image", Channels::Rgb), (1.0, 1.0));
        assert_eq!(counted("image=rgba", Channels::Gray), (0.25, 0.25));
    }
}
