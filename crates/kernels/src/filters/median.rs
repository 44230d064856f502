//! Median: what its definition in `kernels/median/` cannot say.

use super::Grid;
use super::attached::Attached;
use super::words::{self, Order, Picks};
use crate::footprint::Trace;
use crate::launch::Shape;
use kernel_ladder_cpu::filters::median as cpu;
use kernel_ladder_cpu::reference::median as reference;
use model::{Operation, StageId};

/// How far a neighbor is.
const RADIUS_PX: usize = 1;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, _, rows| reference::rows(picture.pixels(), border, rows)),
    cpu: Some(|job, _| cpu::run(job)),
    footprint: Some(&footprint),
    drawing: |_| vec![Grid::members("neighbors", RADIUS_PX), Grid::sorted("fifth", 9, 4)],
    ..Attached::NONE
};

/// Bytes of the vector that holds a block's row.
fn vector_bytes(shape: &Shape) -> usize {
    match shape.pixels_per_item() {
        1 => 1,
        pixels if pixels * shape.channels().count() <= 4 => 4,
        _ => 16,
    }
}

/// Three overlapping loads for each row of the window; rows that follow each other share two of their three.
fn footprint(trace: &mut Trace) {
    let shape = trace.shape;
    if words::are_words(shape) {
        return words::footprint_of_order(trace, &WORDS_ORDER, 3);
    }
    let (channels, pixels, rows) = (shape.channels().count(), shape.pixels_per_item(), shape.rows_per_item());
    let Some([x, y]) = trace.own_block(pixels, rows) else { return };
    let steps = rows.min(shape.height_px - y.cast_unsigned());
    let (source, destination) = (trace.source(), trace.destination());
    if trace.copies_edge(&source, &destination, [x, y], RADIUS_PX) {
        return;
    }
    // A scalar work-item takes one channel after the other; a texel has them all, and so has a vector.
    let (takes, lanes, parts): (_, _, &[usize]) = match (shape.is_on(StageId::Image), pixels * channels) {
        (true, _) => (1, channels, if channels == 3 { &[3] } else { &[1] }),
        (false, 1 | 3) => (channels, 1, &[1]),
        // There is no vector of twelve.
        (false, 12) => (1, vector_bytes(shape), &[8, 4]),
        (false, 4) => (1, 4, &[4]),
        (false, _) => (1, 16, &[16]),
    };
    trace.turns(0..takes.cast_signed(), |trace, channel| {
        let (from, to) = (source.shifted(channel), destination.shifted(channel));
        let load_row = |trace: &mut Trace, y| trace.load_along(&from, x - 1..=x + 1, y, &[lanes]);
        trace.walk_rows(y, steps, load_row, |trace, y| {
            trace.compute(lanes, &[(Operation::MinMax, MEDIAN_OPERATIONS)]);
            trace.store(&to, [x, y], parts);
        });
    });
}

/// Minima and maxima for one median of nine: each of three columns takes six to sort, the lows and the highs two each, and the median of three middles and
/// that of the three that are left four each; the middle of the last is one of them.
const MEDIAN_OPERATIONS: usize = 3 * 6 + 2 + 4 + 2 + 4;

/// The same where a column is sorted once for all three bytes that it serves: one pair, which two windows share, and two more; of the rest, two pairs.
const WORDS_ORDER: Order = Order { own: Picks { single: 2 + 2 + 2 + 2, pairs: 2 + 1 + 1 }, shared: Picks { single: 0, pairs: 1 } };

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, ByClass, Channels, Counts, FilterId, OperationClass, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Median.filter()
    }

    fn filtered(width: usize, height: usize, channels: Channels, bytes: &[u8], border: BorderMode) -> Vec<u8> {
        let picture = Picture::new(width, height, channels, bytes.to_vec()).expect("a picture");
        filter().reference(&picture, border, &Parameters::default()).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn three_by_three_by_hand() {
        let bytes = [10, 200, 30, 40, 250, 60, 70, 80, 90];
        // In order: 10 30 40 60 70 80 90 200 250.
        assert_eq!(filtered(3, 3, Channels::Gray, &bytes, BorderMode::Copy), [10, 200, 30, 40, 70, 60, 70, 80, 90]);
        // Top left, replicate: 10 10 200 / 10 10 200 / 40 40 250. Bottom right: 250 60 60 / 80 90 90 / 80 90 90.
        let replicate = filtered(3, 3, Channels::Gray, &bytes, BorderMode::Replicate);
        assert_eq!((replicate[0], replicate[8]), (40, 90));
        // Top left, reflect101: 250 40 250 / 200 10 200 / 250 40 250. Left middle: 200 10 200 / 250 40 250 / 80 70 80.
        let reflect = filtered(3, 3, Channels::Gray, &bytes, BorderMode::Reflect101);
        assert_eq!((reflect[0], reflect[3]), (200, 80));
    }

    #[test]
    fn a_speck_goes_and_an_edge_stays_in_each_channel() {
        let mut pixels = [[5, 100, 0]; 25];
        // A speck in red, an edge in blue down the middle of the fourth column.
        pixels[12][0] = 255;
        for pixel in pixels.iter_mut().enumerate().filter(|(index, _)| index % 5 >= 3).map(|(_, pixel)| pixel) {
            pixel[2] = 90;
        }
        let output = filtered(5, 5, Channels::Rgb, pixels.as_flattened(), BorderMode::Replicate);
        pixels[12][0] = 5;
        assert_eq!(output, pixels.as_flattened());
    }

    #[test]
    fn one_pixel_is_its_own_median() {
        for border in BorderMode::ALL {
            assert_eq!(filtered(1, 1, Channels::Rgb, &[7, 8, 9], border), [7, 8, 9], "{border:?}");
        }
    }

    #[test]
    fn counts_by_hand() {
        let counts = |name: &str, channels| {
            let variant = Variant::parse(name).expect("a known variant");
            let setting = Setting::new(channels, BorderMode::Replicate);
            let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 64, height_px: 64 };
            filter().counts(&shape, [1, 1]).expect("described")
        };
        let compares = |operations| ByClass::one(OperationClass::IntegerMinMax, operations);
        let of = |operations, must_move_bytes| Counts { operations, by_class: compares(operations), must_move_bytes, ..Counts::default() };
        assert_eq!(
            counts("naive", Channels::Rgb),
            Counts { loads: 27.0, loaded_bytes: 27.0, stores: 3.0, stored_bytes: 3.0, ..of(90.0, 6.0) }
        );
        // Six rows of three loads for four rows of 16 pixels.
        let gray = Counts { loads: 18.0 / 64.0, loaded_bytes: 4.5, stores: 1.0 / 16.0, stored_bytes: 1.0, ..of(30.0, 2.0) };
        assert_eq!(counts("padded+vectorize=16+rows=4", Channels::Gray), gray);
        // Nine loads of 16 bytes for four pixels, stored as 8 + 4 bytes.
        let color = Counts { loads: 2.25, loaded_bytes: 36.0, stores: 0.5, stored_bytes: 3.0, ..of(16.0 / 4.0 * 30.0, 6.0) };
        assert_eq!(counts("padded+vectorize=4", Channels::Rgb), color);
        // Nine texels of four bytes.
        assert_eq!(
            counts("image", Channels::Rgb),
            Counts { loads: 9.0, loaded_bytes: 36.0, stores: 1.0, stored_bytes: 3.0, ..of(90.0, 7.0) }
        );
    }
}
