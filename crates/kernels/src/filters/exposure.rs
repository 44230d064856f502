//! Exposure: what its definition in `kernels/exposure/` cannot say.

use super::FilterIdExt as _;
use super::attached::Attached;
use kernel_ladder_cpu::filters::exposure as cpu;
use kernel_ladder_cpu::reference::exposure as reference;
use model::{FilterId, Parameters};

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), target(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, target(parameters))),
    ..Attached::NONE
};

/// What the mean is to be.
fn target(parameters: &Parameters) -> u8 {
    FilterId::Exposure.filter().parameter(parameters, "target").round() as u8
}

#[cfg(test)]
mod tests {
    use crate::filters::{Filter, FilterIdExt as _};
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
}
