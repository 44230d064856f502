//! Equalize: what its definition in `kernels/equalize/` cannot say.

use super::attached::Attached;
use kernel_ladder_cpu::filters::equalize as cpu;
use kernel_ladder_cpu::reference::equalize as reference;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, _, rows| reference::rows(picture.pixels(), rows)),
    cpu: Some(|job, _| cpu::run(job)),
    ..Attached::NONE
};

#[cfg(test)]
mod tests {
    use crate::filters::{Filter, FilterIdExt as _};
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
}
