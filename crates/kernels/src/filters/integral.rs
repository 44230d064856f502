//! Box by integral image: what its definition in `kernels/integral/` cannot say.

use super::attached::Attached;
use super::{FilterIdExt as _, Grid};
use kernel_ladder_cpu::filters::integral as cpu;
use kernel_ladder_cpu::reference::integral as reference;
use model::{FilterId, Parameters};

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), radius(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, radius(parameters))),
    drawing: |parameters| vec![Grid::members("neighbors", radius(parameters))],
    ..Attached::NONE
};

/// The parameter, or its default where `parameters` are not complete.
fn radius(parameters: &Parameters) -> usize {
    FilterId::Integral.filter().whole_parameter(parameters, "radius")
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use model::{BorderMode, Channels, FilterId, Parameters};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Integral.filter()
    }

    fn with_radius(radius: usize) -> Parameters {
        Parameters::from([("radius", radius as f64)])
    }

    fn filtered(width: usize, height: usize, channels: Channels, bytes: &[u8], parameters: &Parameters) -> Vec<u8> {
        let picture = Picture::new(width, height, channels, bytes.to_vec()).expect("a picture");
        filter().reference(&picture, BorderMode::Copy, parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn four_by_three_by_hand() {
        let bytes = [
            10, 20, 30, 40, //
            50, 60, 71, 80, //
            90, 100, 110, 120,
        ];
        let blurred = filtered(4, 3, Channels::Gray, &bytes, &with_radius(1));
        // The first: 10 + 20 + 50 + 60 = 140 over 4. The second: 241 over 6 is 40.17. In the middle: 541 over 9 is 60.1, and 631 over 9 is 70.1; right of
        // it 451 over 6 is 75.2.
        assert_eq!(blurred, [35, 40, 50, 55, 55, 60, 70, 75, 75, 80, 90, 95]);
        // The window has all 12 pixels: 781 over 12 is 65.08.
        assert_eq!(filtered(4, 3, Channels::Gray, &bytes, &with_radius(100)), [65; 12]);
    }

    #[test]
    fn a_half_is_rounded_up_in_each_channel() {
        // 3 over 2, 5 over 2 and 510 over 2.
        assert_eq!(filtered(2, 1, Channels::Rgb, &[1, 2, 255, 2, 3, 255], &with_radius(1)), [2, 3, 255, 2, 3, 255]);
    }

    #[test]
    fn one_pixel_is_its_own_average() {
        assert_eq!(filtered(1, 1, Channels::Rgb, &[7, 8, 9], &with_radius(16)), [7, 8, 9]);
    }
}
