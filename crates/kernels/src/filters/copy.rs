//! Copy: the picture as it is. A measure of memory, and of how kernels load and store.

use super::{Filter, Grid, Offer, Reference, exact, no_defines};
use crate::image::Layout;
use crate::model::{BorderMode, Channels, Ownership, Reach, StageId, values};
use crate::schedule::Trace;
use crate::schedule::{Launch, Pass, Shape, Texels};
use kernel_ladder_cpu::filters::copy as cpu;
use kernel_ladder_cpu::reference::copy as reference;

/// The accesses of filters that take a row as bytes, one after the other: `kernels/common/pieces.clh`.
pub(super) const PIECES: &[u8] = &[values::ACCESS_UCHAR4, values::ACCESS_UCHAR8, values::ACCESS_UCHAR16, values::ACCESS_INT4];

/// The filter's row.
pub static FILTER: Filter = Filter {
    id: crate::model::FilterId::Copy,
    kernel_file: "copy/copy.cl",
    files: &[],
    ladders: &[],
    stages: &[
        Offer::all(StageId::Coalesced),
        Offer::all(StageId::Padded).because("pointwise"),
        Offer::only(StageId::Rows, &[2, 4, 8]).because("pointwise"),
        Offer::all(StageId::Image).because("pointwise"),
        Offer::all(StageId::Mul24),
        Offer::only(StageId::Access, PIECES),
    ],
    rules: &[],
    channels: &Channels::ALL,
    output_channels: None,
    borders: &[BorderMode::Copy],
    parameters: &[],
    default_border: BorderMode::Copy,
    reach: &|_| Reach::default(),
    sum_range: &|_| 0..=255,
    tolerance: &exact,
    defines: &no_defines,
    inlines: |_| false,
    launch: &launch,
    accesses: &accesses,
    reference: Reference::Rows(|picture, _, _, rows| reference::rows(picture.pixels(), rows)),
    drawing: |_| vec![Grid::itself()],
    conditional: None,
    cpu: Some(|job, _| cpu::run(job)),
};

/// What a work-item owns where rows are taken as bytes, each like a gray pixel.
fn piece(shape: &Shape) -> Ownership {
    shape.variant.owned(Channels::Gray)
}

/// Bytes that one load takes, and so does one store.
pub(super) fn piece_bytes(shape: &Shape) -> usize {
    piece(shape).bytes
}

/// Source and destination of a filter that takes rows as bytes, and the NDRange over their pieces.
pub(super) fn pieces(shape: &Shape) -> (Layout, [usize; 2]) {
    // The last piece of a row may run past its pixels. It ends in the row's pitch all the same, as all pieces divide its alignment.
    let padded = || Layout::padded(shape.width_px, shape.height_px, shape.channels(), 0, 0, 0);
    let layout = if shape.is_on(StageId::Padded) { padded() } else { shape.tight() };
    (layout, shape.global(piece(shape)))
}

fn launch(shape: &Shape) -> Launch {
    if shape.is_on(StageId::Image) {
        return launch_image(shape);
    }
    let (layout, global) = pieces(shape);
    Launch::single(layout, layout, Pass { kernel: "copy", global, arguments: shape.buffer_arguments(&layout, &layout) })
}

fn launch_image(shape: &Shape) -> Launch {
    let packs_four = shape.has_value(StageId::Image, values::IMAGE_FOUR_PIXELS);
    let pixels = if packs_four { 4 } else { 1 };
    let owned = Ownership { rows: shape.rows_per_item(), ..Ownership::pixels(pixels, shape.channels()) };
    let (texels, destination) = if packs_four {
        (Texels::four_pixels(shape, 0, 0, 0), shape.whole_blocks(owned, shape.channels()))
    } else {
        (Texels::one_pixel(shape), shape.tight())
    };
    let arguments = shape.image_arguments(&destination);
    Launch::from_image(texels, destination, Pass { kernel: "copy", global: shape.global(owned), arguments })
}

fn accesses(trace: &mut Trace) {
    if trace.shape.is_on(StageId::Image) {
        return image_accesses(trace);
    }
    accesses_by_pieces(trace, |_, _| {});
}

/// Rows are taken as bytes, piece by piece, and something is computed with the bytes of each.
pub(super) fn accesses_by_pieces(trace: &mut Trace, compute: fn(&mut Trace, usize)) {
    let shape = trace.shape;
    let (piece, rows) = (piece_bytes(shape), shape.rows_per_item());
    // Four ints are four lanes, of four bytes each; a load of them is one of 16 bytes all the same.
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
    use super::{FILTER, Reference};
    use crate::image::Picture;
    use crate::model::{BorderMode, Channels, Parameters, Setting, Variant};
    use crate::schedule::Shape;

    fn with_shape<T>(name: &str, channels: Channels, ask: impl Fn(&Shape) -> T) -> T {
        let variant = Variant::parse(name).expect("known");
        let setting = Setting::new(channels, BorderMode::Copy);
        ask(&Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 43, height_px: 10 })
    }

    #[test]
    fn the_output_is_the_source() {
        let picture = Picture::from_fn(3, 2, Channels::Rgb, |x, y, channel| (x + 10 * y + 100 * channel) as u8);
        assert_eq!(FILTER.reference(&picture, BorderMode::Copy, &Parameters::default()).expect("a plain reference"), picture);
        let Reference::Rows(reference) = FILTER.reference else { panic!("a plain reference") };
        let last = reference(&picture, BorderMode::Copy, &Parameters::default(), 1..2);
        assert_eq!(last, [10, 110, 210, 11, 111, 211, 12, 112, 212]);
    }

    #[test]
    fn a_work_item_owns_a_piece_of_a_row_whatever_the_pixels_are() {
        let global = |name: &str, channels| with_shape(name, channels, |shape| (FILTER.launch)(shape).passes[0].global);
        // 43 pixels are 129 bytes: 8 pieces of 16 and one byte.
        assert_eq!(global("coalesced+padded+access=int4", Channels::Rgb), [9, 10]);
        assert_eq!(global("padded+rows=4+access=uchar8", Channels::Rgb), [3, 17]);
        assert_eq!(global("naive", Channels::Gray), [10, 43]);
        assert_eq!(global("coalesced+image=rgba", Channels::Gray), [11, 10]);
    }

    #[test]
    fn the_last_piece_of_a_row_ends_in_its_pitch() {
        with_shape("padded+access=uchar16", Channels::Rgb, |shape| {
            let launch = (FILTER.launch)(shape);
            let layout = launch.source.layout();
            assert_eq!((layout.origin_bytes, layout.pitch_bytes, launch.destination.pitch_bytes), (0, 256, 256));
        });
    }

    #[test]
    fn counts_are_those_of_the_notes() {
        let counted = |name: &str, channels| {
            with_shape(name, channels, |shape| FILTER.counts(shape, [1, 1]).map(|counts| (counts.loads, counts.stores)).expect("described"))
        };
        assert_eq!(counted("naive", Channels::Rgb), (3.0, 3.0));
        assert_eq!(counted("padded+access=int4", Channels::Gray), (0.0625, 0.0625));
        assert_eq!(counted("image", Channels::Rgb), (1.0, 1.0));
        assert_eq!(counted("image=rgba", Channels::Gray), (0.25, 0.25));
    }
}
