//! Dilation: what its definition in `kernels/dilate/` cannot say.

mod footprint;

use super::Grid;
use super::attached::Attached;
use kernel_ladder_cpu::filters::dilate as cpu;
use kernel_ladder_cpu::reference::dilate as reference;

/// How far a neighbor is.
const RADIUS_PX: usize = 1;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, _, rows| reference::rows(picture.pixels(), border, rows)),
    cpu: Some(|job, _| cpu::run(job)),
    footprint: Some(&footprint::footprint),
    drawing: |_| vec![Grid::members("neighbors", RADIUS_PX), Grid::sorted("largest", 9, 8)],
    ..Attached::NONE
};

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, ByClass, Channels, Counts, FilterId, OperationClass, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Dilate.filter()
    }

    fn filtered(width: usize, height: usize, channels: Channels, bytes: &[u8], border: BorderMode) -> Vec<u8> {
        let picture = Picture::new(width, height, channels, bytes.to_vec()).expect("a picture");
        filter().reference(&picture, border, &Parameters::default()).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn three_by_four_by_hand() {
        let bytes = [
            90, 10, 20, //
            30, 40, 50, //
            10, 60, 20, //
            10, 20, 70,
        ];
        let gray = |border| filtered(3, 4, Channels::Gray, &bytes, border);
        // Only the two in the middle have all their neighbors: 90 is the highest of the first three rows, 70 of the last three.
        assert_eq!(gray(BorderMode::Copy), [90, 10, 20, 30, 90, 50, 10, 70, 20, 10, 20, 70]);
        // The edge pixels repeat, so nothing is there that is not in the window anyhow.
        assert_eq!(gray(BorderMode::Replicate), [90, 90, 50, 90, 90, 60, 60, 70, 70, 60, 70, 70]);
        // Mirrored at a pixel: the same again, as a window at the edge has both rows or columns already.
        assert_eq!(gray(BorderMode::Reflect101), gray(BorderMode::Replicate));
    }

    #[test]
    fn a_bright_pixel_becomes_a_square_in_its_own_channel() {
        let spot = |x: usize, y: usize| x.abs_diff(2) <= 1 && y.abs_diff(2) <= 1;
        let picture = Picture::from_fn(5, 5, Channels::Rgb, |x, y, channel| if (x, y, channel) == (2, 2, 1) { 200 } else { 7 });
        let grown = Picture::from_fn(5, 5, Channels::Rgb, |x, y, channel| if spot(x, y) && channel == 1 { 200 } else { 7 });
        for border in BorderMode::ALL {
            assert_eq!(filter().reference(&picture, border, &Parameters::default()).expect("a plain reference"), grown, "{border:?}");
        }
    }

    #[test]
    fn one_pixel_is_its_own_maximum() {
        for border in BorderMode::ALL {
            assert_eq!(filtered(1, 1, Channels::Rgb, &[7, 8, 9], border), [7, 8, 9], "{border:?}");
        }
    }

    #[test]
    fn counts_by_hand() {
        let counts_in = |name: &str, channels| {
            let (variant, setting) = (Variant::parse(name).expect("known"), Setting::new(channels, BorderMode::Replicate));
            let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 64, height_px: 64 };
            filter().counts(&shape, [1, 1]).expect("described")
        };
        let counts = |name: &str| counts_in(name, Channels::Rgb);
        let compares = |operations| ByClass::one(OperationClass::IntegerMinMax, operations);
        let of = |operations, must_move_bytes| Counts { operations, by_class: compares(operations), must_move_bytes, ..Counts::default() };
        // For each of three bytes, nine loads; two comparisons for each of three rows, and two between them.
        assert_eq!(counts("naive"), Counts { loads: 27.0, loaded_bytes: 27.0, stores: 3.0, stored_bytes: 3.0, ..of(24.0, 6.0) });
        // Six rows for four pixels.
        let rows =
            Counts { loads: 13.5, loaded_bytes: 13.5, stores: 3.0, stored_bytes: 3.0, ..of(3.0 * (6.0 * 2.0 + 4.0 * 2.0) / 4.0, 6.0) };
        assert_eq!(counts("padded+rows=4"), rows);
        // Nine loads of 16 bytes for four or five pixels, which are stored in two or four pieces; 16 lanes with eight comparisons each.
        let four = Counts { loads: 2.25, loaded_bytes: 36.0, stores: 0.5, stored_bytes: 3.0, ..of(16.0 * 8.0 / 4.0, 6.0) };
        assert_eq!(counts("padded+vectorize=4"), four);
        let five = Counts { loads: 1.8, loaded_bytes: 28.8, stores: 0.8, stored_bytes: 3.0, ..of(16.0 * 8.0 / 5.0, 6.0) };
        assert_eq!(counts("padded+vectorize=5"), five);
        // Six rows of three loads for four rows of 16 pixels.
        let gray = Counts { loads: 18.0 / 64.0, loaded_bytes: 4.5, stores: 1.0 / 16.0, stored_bytes: 1.0, ..of(16.0 * 20.0 / 64.0, 2.0) };
        assert_eq!(counts_in("padded+vectorize=16+rows=4", Channels::Gray), gray);
        // Nine texels of four bytes.
        assert_eq!(counts("image"), Counts { loads: 9.0, loaded_bytes: 36.0, stores: 1.0, stored_bytes: 3.0, ..of(24.0, 7.0) });
    }
}
