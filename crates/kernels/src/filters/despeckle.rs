//! Despeckle: what its definition in `kernels/despeckle/` cannot say.
//!
//! `StageId::Compact` is the stage that the definition calls `compact`.

use super::FilterIdExt as _;
use super::attached::Attached;
use super::{Conditional, Grid, Tested};
use crate::launch::Shape;
use kernel_ladder_cpu::filters::despeckle as cpu;
use kernel_ladder_cpu::reference::despeckle::{self as reference, REACH_PX};
use model::{FilterId, Parameters, StageId};
use pictures::Picture;

/// Pixels of the median's window.
const WINDOW: usize = (2 * REACH_PX + 1) * (2 * REACH_PX + 1);

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, parameters, rows| reference::rows(picture.pixels(), border, threshold(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, threshold(parameters))),
    drawing: |_| vec![Grid::members("neighbors", 1), Grid::sorted("thirteenth", WINDOW, WINDOW / 2)],
    conditional: Some(Conditional { tests, branches: |shape| !shape.is_on(StageId::Select) && !shape.is_on(StageId::Compact) }),
    ..Attached::NONE
};

/// How much a pixel may differ.
fn threshold(parameters: &Parameters) -> u8 {
    FilterId::Despeckle.filter().parameter(parameters, "threshold").round().clamp(0.0, 255.0) as u8
}

/// Whether the pixel is an outlier: one test.
fn tests(shape: &Shape, picture: &Picture, pixel: [usize; 2]) -> Vec<Tested> {
    let (value, is_true) = reference::tested(picture.pixels(), shape.setting.border, threshold(shape.parameters), pixel);
    vec![Tested { neighbor: [0, 0], value, is_true }]
}

#[cfg(test)]
mod tests {
    use super::ATTACHED;
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;
    use std::collections::BTreeMap;

    fn filter() -> &'static Filter {
        FilterId::Despeckle.filter()
    }

    fn parameters(threshold: u8) -> Parameters {
        Parameters(BTreeMap::from([("threshold".to_owned(), f64::from(threshold))]))
    }

    fn filtered(width: usize, height: usize, bytes: &[u8], border: BorderMode, threshold: u8) -> Vec<u8> {
        let picture = Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture");
        filter().reference(&picture, border, &parameters(threshold)).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn a_speck_goes_where_it_differs_by_more_than_the_threshold() {
        let mut bytes = [10; 25];
        bytes[12] = 200;
        // It differs by 190 from the mean of its neighbors. They differ by 24 from theirs: (7 · 10 + 200) / 8 = 33.75. All medians are 10.
        for threshold in [0, 23, 24, 189] {
            assert_eq!(filtered(5, 5, &bytes, BorderMode::Replicate, threshold), [10; 25], "{threshold}");
        }
        assert_eq!(filtered(5, 5, &bytes, BorderMode::Replicate, 190), bytes);
    }

    #[test]
    fn the_mean_is_rounded_half_up() {
        // 4 / 8 rounds to 1, from which 41 differs by 40; 3 / 8 to 0, from which it differs by 41.
        let stays = [4, 0, 0, 0, 41, 0, 0, 0, 0];
        assert_eq!(filtered(3, 3, &stays, BorderMode::Replicate, 40), stays);
        // The window has 3 four times, 41 once, and 0 twenty times.
        assert_eq!(filtered(3, 3, &[3, 0, 0, 0, 41, 0, 0, 0, 0], BorderMode::Replicate, 40), [3, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn three_pixels_at_both_borders_by_hand() {
        // Replicate, left: columns 0 0 100, and (3 · 100) / 8 = 37.5: 38 off. Middle: 0 100 100, (5 · 100) / 8 = 62.5: 37 off.
        assert_eq!(filtered(3, 1, &[0, 100, 100], BorderMode::Replicate, 40), [0, 100, 100]);
        assert_eq!(filtered(3, 1, &[0, 100, 100], BorderMode::Replicate, 37), [0, 100, 100], "three of five columns are 0");
        // Reflect101, left: columns 100 0 100, 600 / 8 = 75 off; of the five columns 100 100 0 100 100 four are 100.
        assert_eq!(filtered(3, 1, &[0, 100, 100], BorderMode::Reflect101, 40), [100, 100, 100]);
    }

    #[test]
    fn the_tests_are_those_of_the_reference() {
        let picture = Picture::new(3, 3, Channels::Gray, vec![3, 0, 0, 0, 41, 0, 0, 0, 0]).expect("a picture");
        let variant = Variant::naive();
        let parameters = parameters(40);
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        let shape = Shape { variant: &variant, setting, parameters: &parameters, width_px: 3, height_px: 3 };
        let conditional = ATTACHED.conditional.as_ref().expect("it branches");
        let outliers = (0..9).filter(|index| (conditional.tests)(&shape, &picture, [index % 3, index / 3])[0].is_true);
        assert_eq!(outliers.collect::<Vec<_>>(), [4]);
    }
}
