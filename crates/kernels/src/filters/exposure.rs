//! Exposure: what its definition in `kernels/exposure/` cannot say.

use super::FilterIdExt as _;
use super::attached::Attached;
use crate::footprint::{Space, Trace};
use kernel_ladder_cpu::reference::exposure as reference;
use model::{Channels, FilterId, Operation, Parameters, StageId};

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), target(parameters), rows)),
    footprint: Some(&footprint),
    ..Attached::NONE
};

/// What the mean is to be.
fn target(parameters: &Parameters) -> u8 {
    FilterId::Exposure.filter().parameter(parameters, "target").round() as u8
}

/// Of the pass that applies the gain. Those that sum have atomics, which are neither loads nor stores, or read as many sums as there are groups.
fn footprint(trace: &mut Trace) {
    if trace.pass.kernel != "apply_gain" {
        return trace.leave_untold();
    }
    let shape = trace.shape;
    // Rows are taken as bytes, as gray pixels are, whatever the channels.
    let piece = shape.variant.owned(Channels::Gray).bytes;
    let [column, y] = trace.column_and_row();
    if column * piece >= shape.width_px * shape.channels().count() || y >= shape.height_px {
        return;
    }
    trace.owns_bytes(piece);
    // Behind the sums, of which there are two with two steps.
    let gain = trace.numbers(Space::Between(if shape.is_on(StageId::TwoSteps) { 2 } else { 1 }), size_of::<u32>());
    let [source, destination] = [trace.source(), trace.destination()].map(|plane| plane.shifted((column * piece).cast_signed()));
    let numbers = trace.computes_in();
    trace.load(&source, [0, y.cast_signed()], &[piece]);
    trace.load(&gain, [0, 0], &[1]);
    trace.convert(numbers, piece);
    trace.compute(piece, &[(Operation::MultiplyAdd, 2), (Operation::Logic, 1), (Operation::MinMax, 1)]);
    trace.convert(numbers, piece);
    trace.store(&destination, [0, y.cast_signed()], &[piece]);
}

#[cfg(test)]
mod tests {
    use crate::filters::{Filter, FilterIdExt as _};
    use crate::footprint::{Access, Kind, Place, Space, Trace, WorkItem, accesses};
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Exposure.filter()
    }

    fn exposed(channels: Channels, bytes: &[u8], target: Option<f64>) -> Vec<u8> {
        let picture = Picture::new(bytes.len() / channels.count(), 1, channels, bytes.to_vec()).expect("a picture");
        let parameters = Parameters(target.map(|target| ("target".to_owned(), target)).into_iter().collect());
        filter().reference(&picture, BorderMode::Copy, &parameters).expect("a plain reference").bytes().to_vec()
    }

    fn with_shape<T>(name: &str, channels: Channels, ask: impl Fn(&Shape) -> T) -> T {
        let variant = Variant::parse(name).expect("known");
        let setting = Setting::new(channels, BorderMode::Copy);
        ask(&Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 64, height_px: 64 })
    }

    #[test]
    fn four_pixels_by_hand() {
        // The mean is 59, so the gain is 2: 118 / 59.
        assert_eq!(exposed(Channels::Gray, &[9, 100, 127, 0], None), [18, 200, 254, 0]);
        // The mean is 80: 118 / 80 · 4096 = 6041.6, so the gain is 6042 / 4096: 14.75, 88.5, 236.02 and 132.76.
        assert_eq!(exposed(Channels::Gray, &[10, 60, 160, 90], None), [15, 89, 236, 133]);
    }

    #[test]
    fn all_channels_have_one_gain() {
        // The mean of all six bytes is 50; a mean of 100 doubles them. 200 saturates.
        assert_eq!(exposed(Channels::Rgb, &[0, 10, 20, 30, 40, 200], Some(100.0)), [0, 20, 40, 60, 80, 255]);
    }

    #[test]
    fn the_gain_has_a_limit_and_black_stays_black() {
        assert_eq!(exposed(Channels::Gray, &[1, 1, 1, 1], None), [16; 4]);
        assert_eq!(exposed(Channels::Gray, &[0, 0, 0], None), [0; 3]);
        // 4096 / 255 = 16.06, so 16: 255 · 16 / 4096 = 0.996.
        assert_eq!(exposed(Channels::Gray, &[255, 255], Some(1.0)), [1, 1]);
    }

    #[test]
    fn a_part_of_the_rows_knows_the_whole_picture() {
        let picture = Picture::new(1, 2, Channels::Gray, vec![59 + 50, 59 - 50]).expect("a picture");
        let crate::filters::Reference::Rows(rows) = filter().reference else { panic!("a plain reference") };
        assert_eq!(rows(&picture, BorderMode::Copy, &Parameters::default(), 1..2), [18]);
    }

    #[test]
    fn passes_that_sum_are_left_untold() {
        for name in ["naive", "coalesced+reduce=tree", "coalesced+padded+rows=4+twostep+access=int4+reduce=tree"] {
            assert!(with_shape(name, Channels::Gray, |shape| filter().counts(shape, [1, 1])).is_none(), "{name}");
        }
    }

    /// What work-item (2, 1) of the pass that applies the gain does, and its arithmetic operations.
    fn applied(name: &str, channels: Channels) -> (Vec<(Space, Kind, Place)>, usize) {
        with_shape(name, channels, |shape| {
            let launch = (filter().launch)(shape);
            let pass = launch.passes.iter().position(|pass| pass.kernel == "apply_gain").expect("a pass");
            let item = WorkItem { group: [2, 1], local: [0, 0], local_size: [1, 1] };
            let found = accesses(filter().footprint, shape, &launch, pass, item).expect("described");
            let trace = Trace::described(filter().footprint, shape, &launch, pass, item).expect("described");
            (found.iter().map(|access: &Access| (access.space, access.kind, access.place)).collect(), trace.operations())
        })
    }

    #[test]
    fn the_accesses_of_one_work_item_by_hand() {
        let access = |space, kind, first, count| (space, kind, Place::Bytes { first, count });
        let expected = |between, first, count| {
            vec![
                access(Space::Source, Kind::Load, first, count),
                access(Space::Between(between), Kind::Load, 0, 4),
                access(Space::Destination, Kind::Store, first, count),
            ]
        };
        // Dimension 0 counts rows: byte 1 of row 2. A product, a sum, a shift and a minimum.
        assert_eq!(applied("naive", Channels::Rgb), (expected(1, 2 * 192 + 1, 1), 4));
        // Bytes 32 to 47 of row 1; rows of 192 bytes are 256 apart. Rows of a work-item are those that it sums.
        let wide = "coalesced+padded+rows=4+access=int4+reduce=tree";
        assert_eq!(applied(wide, Channels::Rgb), (expected(1, 256 + 32, 16), 4 * 16));
        assert_eq!(applied("coalesced+padded+rows=4+twostep+access=int4+reduce=tree", Channels::Rgb), (expected(2, 256 + 32, 16), 4 * 16));
    }
}
