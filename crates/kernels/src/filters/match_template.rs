//! Template matching: what its definition in `kernels/match/` cannot say.
//!
//! The folder's name is a keyword of Rust: this module is `match_template`, and the filter's id `FilterId::Match`.

use super::FilterIdExt as _;
use super::Grid;
use super::attached::Attached;
use kernel_ladder_cpu::filters::match_template as cpu;
use kernel_ladder_cpu::reference::match_template::{self as reference, template};
use model::{FilterId, Parameters};

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), radius_of(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, radius_of(parameters))),
    drawing: |parameters| {
        let radius = radius_of(parameters);
        vec![Grid::around("template", radius, |place| Some(f64::from(template(radius, place))))]
    },
    ..Attached::NONE
};

/// How far the template reaches.
fn radius_of(parameters: &Parameters) -> usize {
    FilterId::Match.filter().whole_parameter(parameters, "radius")
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;

    use model::{BorderMode, Channels, FilterId, Parameters};
    use pictures::Picture;
    use std::collections::BTreeMap;

    fn filter() -> &'static Filter {
        FilterId::Match.filter()
    }

    fn filtered(picture: &Picture, radius: u8) -> Vec<u8> {
        let parameters = Parameters(BTreeMap::from([("radius".to_owned(), f64::from(radius))]));
        filter().reference(picture, BorderMode::Replicate, &parameters).expect("a plain reference").bytes().to_vec()
    }

    /// The template of radius 2. In the center and where the distance squared is 4, |2 d² − 4| = 4: 0. Beside the center 2: 255 − 127. At the diagonals 0.
    const RING: [u8; 25] = [
        0, 0, 0, 0, 0, //
        0, 255, 128, 255, 0, //
        0, 128, 0, 128, 0, //
        0, 255, 128, 255, 0, //
        0, 0, 0, 0, 0,
    ];

    #[test]
    fn radius_two_by_hand() {
        let plain = |value| filtered(&Picture::new(1, 1, Channels::Gray, vec![value]).expect("a picture"), 2);
        // The numbers of the template sum to 4 · 255 + 4 · 128 = 1532, and 1532 / 25 = 61.28.
        assert_eq!(plain(0), [61]);
        // 25 · 255 − 1532 = 4843, and 4843 / 25 = 193.72.
        assert_eq!(plain(255), [194]);
        let ring = Picture::new(5, 5, Channels::Gray, RING.to_vec()).expect("a picture");
        let found = filtered(&ring, 2);
        assert_eq!(found[12], 0, "the template itself");
        // A pixel to the right of the center, the ring lies one to the left. In its three rows 255 128 255 0 0 and 128 0 128 0 0 meet 0 255 128 255 0 and
        // 0 128 0 128 0: 255 + 127 + 127 + 255 = 764, 128 + 128 + 128 + 128 = 512, 764. 2040 / 25 = 81.6.
        assert_eq!(found[13], 82);
        assert!(found.iter().enumerate().all(|(index, &value)| index == 12 || value > 0));
    }

    #[test]
    fn means_are_rounded_to_the_nearest() {
        // In the center only the corner differs, by its own value: 12 / 25 = 0.48, 13 / 25 = 0.52, 37 / 25 = 1.48, 38 / 25 = 1.52.
        let with_corner = |value: u8| {
            let mut pixels = RING;
            pixels[0] = value;
            filtered(&Picture::new(5, 5, Channels::Gray, pixels.to_vec()).expect("a picture"), 2)[12]
        };
        assert_eq!([12, 13, 37, 38].map(with_corner), [0, 1, 1, 2]);
    }
}
