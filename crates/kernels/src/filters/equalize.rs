//! Equalize: what its definition in `kernels/equalize/` cannot say.

use super::attached::Attached;
use crate::footprint::{Space, Trace};
use kernel_ladder_cpu::reference::equalize as reference;

/// The table of what each value becomes, among what passes hand to each other.
const TABLE: Space = Space::Between(1);

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, _, rows| reference::rows(picture.pixels(), rows)),
    footprint: Some(&footprint),
    ..Attached::NONE
};

/// Of the pass that maps. Of those that count, atomics are neither loads nor stores, and of which counter depends on the pixels.
fn footprint(trace: &mut Trace) {
    if trace.pass.kernel != "map_values" {
        return trace.leave_untold();
    }
    let (pixels, channels) = (trace.shape.pixels_per_item(), trace.shape.channels().count());
    let Some(place) = trace.own_block(pixels, 1) else { return };
    let (source, destination) = (trace.source(), trace.destination());
    if pixels == 1 {
        for channel in 0..channels.cast_signed() {
            trace.load(&source.shifted(channel), place, &[1]);
            trace.load_somewhere(TABLE, 1);
            trace.store(&destination.shifted(channel), place, &[1]);
        }
        return;
    }
    // Whole words, as one vector of words. The last block of a row is loaded, mapped and stored whole.
    let bytes = pixels * channels;
    trace.load(&source, place, &[bytes]);
    (0..bytes).for_each(|_| trace.load_somewhere(TABLE, 1));
    trace.store(&destination, place, &[bytes]);
}

#[cfg(test)]
mod tests {
    use crate::filters::{Filter, FilterIdExt as _};
    use crate::footprint::{Access, Kind, Place, Space, WorkItem, accesses};
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Equalize.filter()
    }

    fn equalized(width: usize, height: usize, channels: Channels, bytes: &[u8]) -> Vec<u8> {
        let picture = Picture::new(width, height, channels, bytes.to_vec()).expect("a picture");
        filter().reference(&picture, BorderMode::Copy, &Parameters::default()).expect("a plain reference").bytes().to_vec()
    }

    fn with_shape<T>(name: &str, channels: Channels, ask: impl Fn(&Shape) -> T) -> T {
        let variant = Variant::parse(name).expect("known");
        let setting = Setting::new(channels, BorderMode::Copy);
        ask(&Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 64, height_px: 64 })
    }

    #[test]
    fn eight_pixels_by_hand() {
        // 10 occurs twice, 20 three times, 30 once, 200 twice: 2, 5, 6 and 8 pixels have at most that value. Less the 2 lowest, in 255 * 6ths: 0,
        // 127.5, which rounds up, 170 and 255.
        assert_eq!(equalized(4, 2, Channels::Gray, &[10, 20, 20, 30, 200, 10, 20, 200]), [0, 128, 128, 170, 255, 0, 128, 255]);
    }

    #[test]
    fn channels_have_their_own_histograms_and_a_flat_one_stays() {
        // Red has 7 and 9; green is 50 throughout; blue has 1, 2 and 3: 0, 127.5 and 255.
        let pixels = [7, 50, 1, 9, 50, 3, 7, 50, 2];
        assert_eq!(equalized(3, 1, Channels::Rgb, &pixels), [0, 50, 0, 255, 50, 255, 0, 50, 128]);
    }

    #[test]
    fn one_pixel_stays() {
        assert_eq!(equalized(1, 1, Channels::Rgb, &[7, 0, 255]), [7, 0, 255]);
    }

    #[test]
    fn all_values_once_stay() {
        let ramp: Vec<u8> = (0..=255).collect();
        assert_eq!(equalized(16, 16, Channels::Gray, &ramp), ramp);
    }

    #[test]
    fn a_part_of_the_rows_knows_the_whole_picture() {
        let picture = Picture::new(1, 3, Channels::Gray, vec![5, 90, 6]).expect("a picture");
        let crate::filters::Reference::Rows(rows) = filter().reference else { panic!("a plain reference") };
        assert_eq!(rows(&picture, BorderMode::Copy, &Parameters::default(), 1..3), [255, 128]);
    }

    #[test]
    fn passes_with_atomics_are_left_untold() {
        for name in ["naive", "coalesced+counters=local", "coalesced+padded+vectorize=4+rows=8+counters=copies"] {
            assert!(with_shape(name, Channels::Gray, |shape| filter().counts(shape, [1, 1])).is_none(), "{name}");
        }
    }

    /// What work-item (2, 1) of the pass that maps does.
    fn mapped(name: &str, channels: Channels) -> Vec<(Space, Kind, Place)> {
        let found = with_shape(name, channels, |shape| {
            let launch = (filter().launch)(shape);
            let pass = launch.passes.iter().position(|pass| pass.kernel == "map_values").expect("a pass");
            let item = WorkItem { group: [2, 1], local: [0, 0], local_size: [1, 1] };
            accesses(filter().footprint, shape, &launch, pass, item).expect("described")
        });
        found.iter().map(|access: &Access| (access.space, access.kind, access.place)).collect()
    }

    #[test]
    fn the_accesses_of_one_work_item_by_hand() {
        let lookup = (Space::Between(1), Kind::Load, Place::Somewhere { bytes: 1 });
        let access = |space, kind, first, count| (space, kind, Place::Bytes { first, count });
        // Dimension 0 counts rows: pixel (1, 2) of 64 × 64.
        let pixel = [access(Space::Source, Kind::Load, 129, 1), lookup, access(Space::Destination, Kind::Store, 129, 1)];
        assert_eq!(mapped("naive", Channels::Gray), pixel);
        // Pixels 8 to 11 of row 1: rows are 64 · 3 bytes, and 9 more for the last load, so 256 bytes apart. Those of the output need 192 bytes, so 256.
        let (load, store) = (access(Space::Source, Kind::Load, 256 + 24, 12), access(Space::Destination, Kind::Store, 256 + 24, 12));
        let block: Vec<_> = std::iter::once(load).chain([lookup; 12]).chain([store]).collect();
        // Rows of a work-item are those that it counts.
        assert_eq!(mapped("coalesced+padded+vectorize=4+rows=8+counters=copies", Channels::Rgb), block);
    }
}
