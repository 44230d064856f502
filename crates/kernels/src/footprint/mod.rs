//! What a variant's work-items do, as plain data: which bytes each loads and stores, in the order of its instructions.
//!
//! A filter describes it once, beside its [`crate::filters::Filter::launch`], in the words of [`Trace`]: planes that hold pixels, loads and stores
//! of so many lanes, tiles that a work-group fills. All else is a sum over such lists: [`Counts`](model::Counts) is that of one work-item
//! or work-group inside the picture, and `crates/engine/tests/accesses.rs` compares that of all of them with what a simulator counted.

mod access;
mod added;
mod counts;
mod moved;
mod trace;

pub use access::{Access, Kind, Moment, Place, Space, WorkItem};
pub use added::{AddedWork, added_work};
pub use counts::counts;
pub use moved::{
    From as LoadsFrom, LoadAt, LoadsWork, Rewrite, StoresWork, TileWork, more_loads, moved, own_loads, own_stores, widest_accesses,
};
pub use trace::{Describe, Plane, Trace, inside_by, inside_by_one};

use crate::launch::{Launch, Shape};

/// What `item` loads and stores, as the filter's `describe` has it, in pass number `pass` of `launch`, in the order of its instructions; `None` where there is no such
/// pass.
#[must_use]
pub fn accesses(describe: Describe, shape: &Shape, launch: &Launch, pass: usize, item: WorkItem) -> Option<Vec<Access>> {
    let trace = Trace::described(describe, shape, launch, pass, item)?;
    Some(trace.into_accesses())
}

#[cfg(test)]
mod tests {
    use super::{Access, Kind, Place, Space, WorkItem, accesses};
    use crate::filters;
    use crate::filters::VariantExt;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, OperationClass, Parameters, Setting, Unit, Variant};

    fn with_shape<T>(filter: &str, variant: &str, channels: Channels, size_px: [usize; 2], ask: impl Fn(&Shape) -> T) -> T {
        let filter = filters::by_name(filter).expect("a filter");
        let variant = Variant::parse(variant).expect("a variant");
        let setting = Setting::new(channels, BorderMode::Replicate);
        variant.check(filter, setting).expect("allowed");
        let parameters = filter.complete(&Parameters::default()).expect("defaults");
        ask(&Shape { variant: &variant, setting, parameters: &parameters, width_px: size_px[0], height_px: size_px[1] })
    }

    /// The first byte of each access.
    fn first_bytes(filter: &str, variant: &str, size_px: [usize; 2], global: [usize; 2]) -> Vec<(Space, Kind, usize, usize)> {
        let row = filters::by_name(filter).expect("a filter");
        let found = with_shape(filter, variant, Channels::Gray, size_px, |shape| {
            let item = WorkItem { group: global, local: [0, 0], local_size: [1, 1] };
            accesses(row.footprint, shape, &(row.launch)(shape), 0, item).expect("a pass")
        });
        let first = |access: &Access| match access.place {
            Place::Bytes { first, count } => (access.space, access.kind, first, count),
            other => panic!("{other:?} is not in a buffer"),
        };
        found.iter().map(first).collect()
    }

    #[test]
    fn the_accesses_of_one_work_item_by_hand() {
        use Kind::{Load, Store};
        use Space::{Destination, Source};
        // Pixel (1, 0) of 4 x 3, dimension 0 counting rows: the row above is row 0 once more.
        let loads = [0, 1, 2, 0, 1, 2, 4, 5, 6].map(|byte| (Source, Load, byte, 1));
        let naive = first_bytes("sobel", "naive", [4, 3], [0, 1]);
        assert_eq!(naive, loads.into_iter().chain([(Destination, Store, 1, 1)]).collect::<Vec<_>>());
        // Block 1 of row 0 of 6 x 1: pixels 3 .. 6 and the four to their right. Row -1 is the first of the halo, rows are 256 bytes apart.
        let loads = [131, 135].map(|byte| [0, 256, 512].map(|row| row + byte));
        let vectors = first_bytes("sobel", "coalesced+padded+vectorize=4", [6, 1], [1, 0]);
        let expected = (0..3).flat_map(|row| [(Source, Load, loads[0][row], 4), (Source, Load, loads[1][row], 2)]);
        assert_eq!(vectors, expected.chain([(Destination, Store, 4, 4)]).collect::<Vec<_>>());
        // Beyond the picture, nothing.
        assert_eq!(first_bytes("sobel", "naive", [4, 3], [3, 1]), []);
    }

    #[test]
    fn a_group_and_an_ndrange_have_all_their_work_items() {
        let globals: Vec<_> = WorkItem::all([3, 3], [2, 2]).map(|item| item.global()).collect();
        assert_eq!(globals.len(), 16);
        assert_eq!(globals.get(..5), Some(&[[0, 0], [1, 0], [0, 1], [1, 1], [2, 0]][..]));
    }

    #[test]
    fn operations_by_hand() {
        for (filter, variant, channels, operations) in [
            ("copy", "naive", Channels::Rgb, 0.0),
            ("add", "naive", Channels::Rgb, 3.0),
            // Products with 77, 150 and 29, three sums, a shift.
            ("luma", "naive", Channels::Rgb, 7.0),
            // Eight sums of nine, ten times the center, a difference and two comparisons, for each of three bytes.
            ("laplace", "naive", Channels::Rgb, 36.0),
            // Sixteen lanes for five pixels, saturated by their conversion.
            ("laplace", "padded+vectorize=5", Channels::Rgb, 10.0 * 16.0 / 5.0),
            // Two gradients of seven, two absolute values, their sum and its minimum with 255.
            ("sobel", "naive", Channels::Gray, 18.0),
            // 121 products and sums, a half and a shift.
            ("gaussian", "naive", Channels::Gray, 244.0),
            ("gaussian", "separable", Channels::Gray, 46.0),
            // 64 sums; a half and a division. With stages, of four lanes.
            ("box", "naive", Channels::Rgb, 3.0 * 66.0),
            ("box", "padded", Channels::Rgb, 4.0 * 66.0),
            // 81 neighbors of five, two products, a sum and a division. With stages, nine sums of rows.
            ("epsilon", "naive", Channels::Gray, 81.0 * 5.0 + 4.0),
            ("epsilon", "padded", Channels::Gray, 81.0 * 5.0 + 9.0 + 4.0),
            // 29 neighbors: their difference, five for the weight, a product and two sums; a division.
            ("bilateral", "naive", Channels::Gray, 29.0 * 9.0 + 1.0),
        ] {
            let row = filters::by_name(filter).expect("a filter");
            let counted = with_shape(filter, variant, channels, [64, 48], |shape| row.counts(shape, [1, 1]).expect("counted"));
            assert!((counted.operations - operations).abs() < 1e-9, "{filter} {variant}: {}", counted.operations);
        }
    }

    #[test]
    fn operations_of_classes_by_hand() {
        use OperationClass::{
            Conversion, FloatAdd, FloatMultiplyAdd, Function, IntegerAdd, IntegerLogic, IntegerMinMax, IntegerMultiplyAdd, LocalMemory,
        };
        let rgb_naive: &[(OperationClass, f64)] = &[(IntegerAdd, 3.0 * 8.0), (IntegerMinMax, 3.0 * 2.0), (IntegerMultiplyAdd, 3.0 * 2.0)];
        // Sixteen lanes for five pixels; three rows of three vectors are widened, one is narrowed.
        let lanes = 16.0 / 5.0;
        let vectors: &[(OperationClass, f64)] =
            &[(IntegerAdd, 8.0 * lanes), (IntegerLogic, 10.0 * lanes), (IntegerMinMax, 2.0 * lanes), (IntegerMultiplyAdd, 2.0 * lanes)];
        // 29 neighbors: a division of the difference, one of the distance and an exponential; a division at the end.
        let weights: &[(OperationClass, f64)] = &[
            (IntegerMinMax, 29.0),
            (FloatMultiplyAdd, 29.0 * 4.0),
            (FloatAdd, 29.0 * 2.0),
            (Function, 29.0 * 3.0 + 1.0),
            (Conversion, 29.0 * 2.0 + 1.0),
        ];
        // A tile of 14 x 14 bytes for 64 pixels, each of which loads 29; an access takes as long as four bytes.
        let tile = [weights, &[(LocalMemory, 4.0 * (29.0 + 14.0 * 14.0 / 64.0))]].concat();
        for (filter, variant, channels, classes) in [
            ("copy", "naive", Channels::Rgb, &[][..]),
            ("dilate", "naive", Channels::Rgb, &[(IntegerMinMax, 24.0)]),
            ("laplace", "naive", Channels::Rgb, rgb_naive),
            ("laplace", "padded+vectorize=5", Channels::Rgb, vectors),
            ("bilateral", "naive", Channels::Gray, weights),
            ("bilateral", "coalesced+local", Channels::Gray, &tile),
        ] {
            let row = filters::by_name(filter).expect("a filter");
            let counted = with_shape(filter, variant, channels, [640, 640], |shape| row.counts(shape, [8, 8]).expect("counted"));
            let found: Vec<_> = counted.by_class.iter().collect();
            let is_near =
                |(one, other): (&(OperationClass, f64), &(OperationClass, f64))| one.0 == other.0 && (one.1 - other.1).abs() < 1e-9;
            assert!(found.len() == classes.len() && found.iter().zip(classes).all(is_near), "{filter} {variant}: {found:?}");
        }
    }

    /// Filters whose accesses nobody has held to a simulator: of all others, every variant is described.
    const NOT_DESCRIBED: [&str; 9] = ["edges", "curve", "integral", "resize", "despeckle", "match", "demosaic", "equalize", "exposure"];

    #[test]
    fn every_variant_is_described_but_of_filters_that_are_named() {
        for filter in filters::all() {
            let parameters = filter.defaults();
            for &channels in filter.channels {
                let setting = Setting::new(channels, filter.default_border);
                for variant in Variant::all(filter, setting) {
                    let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px: 64, height_px: 64 };
                    let is_described = filter.counts(&shape, [8, 8]).is_some();
                    assert_eq!(is_described, !NOT_DESCRIBED.contains(&filter.name()), "{} {variant}", filter.name());
                }
            }
        }
    }

    #[test]
    fn every_operation_is_in_a_class() {
        for filter in filters::all() {
            for ladder in filter.ladders() {
                for variant in ladder.steps.iter().map(crate::filters::Step::variant) {
                    for &channels in filter.channels {
                        let setting = Setting::new(channels, filter.default_border);
                        let parameters = filter.complete(&Parameters::default()).expect("defaults");
                        let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px: 256, height_px: 256 };
                        let Some(counted) = filter.counts(&shape, [8, 8]) else { continue };
                        let of = |is_wanted: fn(Unit) -> bool| -> f64 {
                            counted.by_class.iter().filter(|(class, _)| is_wanted(class.unit())).map(|(_, count)| count).sum()
                        };
                        let name = format!("{} {variant} {channels:?}", filter.name());
                        let computed = of(|unit| !matches!(unit, Unit::Conversions | Unit::LocalMemory));
                        assert!(computed >= counted.operations - 1e-9, "{name}: {computed} of {}", counted.operations);
                        let float = of(|unit| matches!(unit, Unit::Float | Unit::Functions));
                        assert!(float >= counted.float_operations - 1e-9, "{name}: {float} of {}", counted.float_operations);
                        let is_tile = |argument: &crate::launch::Argument| matches!(argument, crate::launch::Argument::Tile(_));
                        let has_tile = (filter.launch)(&shape).passes.iter().any(|pass| pass.arguments.iter().any(is_tile));
                        assert_eq!(of(|unit| unit == Unit::LocalMemory) > 0.0, has_tile, "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn float_operations_and_bytes_of_passes_by_hand() {
        for (filter, variant, channels, float_operations, must_move_bytes) in [
            ("copy", "naive", Channels::Rgb, 0.0, 6.0),
            ("add", "coalesced+padded+float", Channels::Rgb, 3.0, 6.0),
            // Color in, gray out; the image object has a fourth channel.
            ("luma", "naive", Channels::Rgb, 0.0, 4.0),
            ("luma", "coalesced+image", Channels::Rgb, 0.0, 5.0),
            // All but the differences of 29 neighbors.
            ("bilateral", "naive", Channels::Gray, 29.0 * 8.0 + 1.0, 2.0),
            // The sums of the first pass have two bytes each, which are written and then read.
            ("gaussian", "separable", Channels::Gray, 0.0, 1.0 + 2.0 + 2.0 + 1.0),
        ] {
            let row = filters::by_name(filter).expect("a filter");
            let counted = with_shape(filter, variant, channels, [640, 640], |shape| row.counts(shape, [1, 1]).expect("counted"));
            assert!((counted.float_operations - float_operations).abs() < 1e-9, "{filter} {variant}: {}", counted.float_operations);
            assert!((counted.must_move_bytes - must_move_bytes).abs() < 0.1, "{filter} {variant}: {}", counted.must_move_bytes);
        }
    }
}
