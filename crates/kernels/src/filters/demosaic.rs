//! Demosaic: what its definition in `kernels/demosaic/` cannot say.

use super::attached::Attached;
use kernel_ladder_cpu::filters::demosaic as cpu;
use kernel_ladder_cpu::reference::demosaic as reference;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, _, rows| reference::rows(picture.pixels(), rows)),
    cpu: Some(|job, _| cpu::run(job)),
    ..Attached::NONE
};

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;

    use model::{BorderMode, Channels, FilterId, Parameters};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Demosaic.filter()
    }

    fn colors(width: usize, height: usize, bytes: &[u8]) -> Vec<u8> {
        let picture = Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture");
        let colors = filter().reference(&picture, BorderMode::Reflect101, &Parameters::default()).expect("a plain reference");
        assert_eq!((colors.channels(), colors.width_px(), colors.height_px()), (Channels::Rgb, width, height));
        colors.bytes().to_vec()
    }

    #[test]
    fn three_by_three_by_hand() {
        // R G R
        // G B G
        // R G R
        let bytes = [
            10, 20, 30, //
            40, 50, 60, //
            70, 80, 91,
        ];
        let expected = [
            // Mirrored: green is (40 + 20 + 20 + 40 + 2) / 4, blue four times 50. Then (10 + 30 + 1) / 2. Then (60 + 20 + 20 + 60 + 2) / 4.
            [10, 30, 50, 20, 20, 50, 30, 40, 50],
            // (10 + 70 + 1) / 2. Then (10 + 30 + 70 + 91 + 2) / 4 = 50.75 and (20 + 40 + 60 + 80 + 2) / 4 = 50.5. Then (30 + 91 + 1) / 2.
            [40, 40, 50, 50, 50, 50, 61, 60, 50],
            // (40 + 80 + 80 + 40 + 2) / 4. Then (70 + 91 + 1) / 2. Then (60 + 80 + 80 + 60 + 2) / 4.
            [70, 60, 50, 81, 80, 50, 91, 70, 50],
        ];
        assert_eq!(colors(3, 3, &bytes), expected.concat());
    }

    #[test]
    fn plain_red_stays_plain_red() {
        let pattern = Picture::from_fn(6, 5, Channels::Gray, |x, y, _| if x % 2 == 0 && y % 2 == 0 { 200 } else { 0 });
        assert_eq!(colors(6, 5, pattern.bytes()), [200, 0, 0].repeat(30));
    }

    #[test]
    fn one_pixel_is_all_there_is() {
        assert_eq!(colors(1, 1, &[7]), [7, 7, 7]);
    }
}
