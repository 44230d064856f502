//! Wide median: what its definition in `kernels/median-wide/` cannot say.

use super::FilterIdExt as _;
use super::Grid;
use super::attached::Attached;
use crate::footprint::Trace;
use crate::launch::Shape;
use kernel_ladder_cpu::filters::median_wide as cpu;
use kernel_ladder_cpu::reference::median_wide as reference;
use model::{BorderMode, FilterId, Operation, Parameters, StageId, values};

/// Lanes of the vectors that a vectorized work-item computes with.
const LANES: usize = 16;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, parameters, rows| reference::rows(picture.pixels(), border, radius_of(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, radius_of(parameters))),
    footprint: Some(&footprint),
    drawing: |parameters| {
        let radius = radius_of(parameters);
        let area = (2 * radius + 1).pow(2);
        vec![Grid::members("square", radius), Grid::sorted("middle", area, area / 2)]
    },
    ..Attached::NONE
};

/// The parameter, or its default where `parameters` are not complete.
fn radius_of(parameters: &Parameters) -> usize {
    FilterId::MedianWide.filter().whole_parameter(parameters, "radius").clamp(2, 3)
}

/// What a work-item loads: every value of its square, once. What it keeps of them in private memory is not described.
fn footprint(trace: &mut Trace) {
    let shape = trace.shape;
    let (radius, pixels, channels) = (radius_of(shape.parameters), shape.pixels_per_item(), shape.channels().count());
    let reach = radius.cast_signed();
    let source = if shape.is_on(StageId::Local) {
        let [columns, lines] = trace.group_size().map(|side| side + 2 * radius);
        let first = trace.group_origin().map(|place| place.cast_signed() - reach);
        let (source, tile) = (trace.source(), trace.tile(first, columns * channels, channels, 1));
        trace.fill_by_channels(&source, &tile, first, [columns, lines]);
        tile
    } else {
        trace.source()
    };
    let Some([x, y]) = trace.own_block(pixels, 1) else { return };
    let destination = trace.destination();
    if pixels == 1 && trace.keeps_source([x, y], radius, radius) {
        return trace.branch(0, |trace| trace.copy_by_channels(&source, [x, y], &destination, [x, y]));
    }
    let (takes, lanes) = if pixels == 1 { (channels, 1) } else { (1, LANES) };
    let stored: &[usize] = match pixels * channels {
        // There is no vector of 15.
        15 => &[8, 4, 2, 1],
        LANES => &[LANES],
        _ => &[1],
    };
    trace.turns(0..takes.cast_signed(), |trace, channel| {
        let (from, to) = (source.shifted(channel), destination.shifted(channel));
        for y in y - reach..=y + reach {
            trace.load_along(&from, x - reach..=x + reach, y, &[lanes]);
        }
        trace.compute(lanes, &operations(shape));
        // What is kept where the square does not fit. A compiler knows that it has been loaded only where no array is left in memory.
        if pixels > 1 && shape.setting.border == BorderMode::Copy {
            if is_unrolled(shape) {
                trace.load_again(&from, [x, y], &[lanes]);
            } else {
                trace.load(&from, [x, y], &[lanes]);
            }
        }
        trace.store(&to, [x, y], stored);
    });
}

/// Whether every index of the private array is a constant.
fn is_unrolled(shape: &Shape) -> bool {
    shape.is_on(StageId::Unroll) || matches!(shape.variant.value(StageId::Rank), values::RANK_NETWORK | values::RANK_BITS)
}

/// What one median takes.
fn operations(shape: &Shape) -> [(Operation, usize); 3] {
    let area = (2 * radius_of(shape.parameters) + 1).pow(2);
    let half = area / 2;
    // Each place of a sort is compared with all behind it.
    let sort = |sorted: usize| (0..sorted).map(|place| area - 1 - place).sum::<usize>();
    // Of so many values, pairs, then the lowest of the lower ones and the highest of the higher ones. The last three take four minima and maxima, that is two pairs.
    let network = || (4..=half + 2).map(|count| count + count.div_ceil(2) - 2).sum::<usize>() + 2;
    let pairs = match shape.variant.value(StageId::Rank) {
        values::RANK_PARTIAL => sort(half + 1),
        values::RANK_NETWORK => network(),
        // For each of eight bits: a comparison and an addition for each value; the trial number; a comparison and a selection.
        values::RANK_BITS => return [(Operation::MinMax, 8 * (area + 2)), (Operation::Add, 8 * area), (Operation::Logic, 8)],
        _ => sort(area - 1),
    };
    [(Operation::MinMax, 2 * pairs), (Operation::Add, 0), (Operation::Logic, 0)]
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::MedianWide.filter()
    }

    fn radius(value: usize) -> Parameters {
        Parameters::from([("radius", value as f64)])
    }

    fn filtered(side: usize, bytes: &[u8], border: BorderMode, parameters: &Parameters) -> Vec<u8> {
        let picture = Picture::new(side, side, Channels::Gray, bytes.to_vec()).expect("a picture");
        filter().reference(&picture, border, parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn squares_by_hand() {
        // 0 .. 24, row by row.
        let bytes: Vec<u8> = (0..25).collect();
        assert_eq!(filtered(5, &bytes, BorderMode::Copy, &radius(2)), bytes, "only the middle has its square, and is its median");
        // The first pixel, replicate: columns 0 0 0 1 2 of rows 0 0 0 1 2. In order: 0 nine times, 1 three times, 2 three times.
        assert_eq!(filtered(5, &bytes, BorderMode::Replicate, &radius(2))[0], 2);
        // Reflect101: columns 2 1 0 1 2 of rows 2 1 0 1 2. In order: five values of row 0, then 5 5 6 6 6 6 7 7 7 7.
        assert_eq!(filtered(5, &bytes, BorderMode::Reflect101, &radius(2))[0], 7);
        // Radius 3 fits nowhere.
        assert_eq!(filtered(5, &bytes, BorderMode::Copy, &radius(3)), bytes);
    }

    #[test]
    fn specks_go_that_are_less_than_half_of_the_square() {
        for (radius_px, side, most) in [(2, 5, 12), (3, 7, 24)] {
            let with = |specks: usize| -> Vec<u8> { (0..side * side).map(|place| if place < specks { 255 } else { 10 }).collect() };
            let middle = |specks| filtered(side, &with(specks), BorderMode::Replicate, &radius(radius_px))[side * side / 2];
            assert_eq!([middle(most), middle(most + 1)], [10, 255], "{radius_px}");
        }
    }

    #[test]
    fn counts_by_hand() {
        let counts = |name: &str, channels, radius_px| {
            let variant = Variant::parse(name).expect("a known variant");
            let setting = Setting::new(channels, BorderMode::Replicate);
            let parameters = radius(radius_px);
            let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px: 64, height_px: 64 };
            let counts = filter().counts(&shape, [8, 8]).expect("described");
            (counts.loads, counts.loaded_bytes, counts.operations)
        };
        // 24 + 23 + … + 1 pairs of two; with partial without the last eleven places, 11 + 10 + … + 1 pairs.
        assert_eq!(counts("naive", Channels::Gray, 2), (25.0, 25.0, 600.0));
        assert_eq!(counts("padded", Channels::Rgb, 3), (147.0, 147.0, 3.0 * 48.0 * 49.0));
        assert_eq!(counts("rank=partial", Channels::Gray, 2), (25.0, 25.0, 2.0 * (300.0 - 66.0)));
        // 14 values: 7 pairs, 6 for the lowest, 6 for the highest; 13: 6, 6 and 6; … 4: 2, 1 and 1. The last three take four.
        let pairs = 19.0 + 18.0 + 16.0 + 15.0 + 13.0 + 12.0 + 10.0 + 9.0 + 7.0 + 6.0 + 4.0;
        assert_eq!(counts("rank=network", Channels::Gray, 2), (25.0, 25.0, 2.0 * pairs + 4.0));
        assert_eq!(counts("rank=bits", Channels::Gray, 2), (25.0, 25.0, 8.0 * (25.0 + 25.0 + 3.0)));
        // Sixteen lanes for five pixels.
        assert_eq!(counts("padded+vectorize=5", Channels::Rgb, 2), (5.0, 80.0, 16.0 / 5.0 * 600.0));
        // A group of 8 × 8 fills a tile of 12 × 12; only loads from global memory count.
        assert_eq!(counts("local", Channels::Gray, 2), (144.0 / 64.0, 144.0 / 64.0, 600.0));
    }
}
