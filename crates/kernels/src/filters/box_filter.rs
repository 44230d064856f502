//! Box filter: what its definition in `kernels/box/` cannot say.

mod footprint;

use super::FilterIdExt as _;
use super::attached::Attached;
use super::{Grid, words};
use kernel_ladder_cpu::filters::box_filter as cpu;
use kernel_ladder_cpu::reference::box_filter as reference;
use model::{FilterId, Parameters};

/// Lanes of the vectors that a vectorized work-item loads.
const LANES: usize = 16;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, parameters, rows| reference::rows(picture.pixels(), border, radius_of(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, radius_of(parameters))),
    footprint: Some(&footprint::footprint),
    drawing: |parameters| vec![Grid::between("block", [radius_of(parameters) - 1, radius_of(parameters)], |_| Some(1.0))],
    ..Attached::NONE
};

/// The parameter, or its default where `parameters` are not complete.
fn radius_of(parameters: &Parameters) -> usize {
    FilterId::Box.filter().whole_parameter(parameters, "radius")
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Box.filter()
    }

    fn radius(value: usize) -> Parameters {
        Parameters::from([("radius", value as f64)])
    }

    fn gray(width: usize, height: usize, bytes: &[u8]) -> Picture {
        Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture")
    }

    fn filtered(picture: &Picture, border: BorderMode, parameters: &Parameters) -> Vec<u8> {
        filter().reference(picture, border, parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn two_by_two_by_hand() {
        let picture = gray(3, 3, &[10, 20, 30, 40, 50, 60, 70, 80, 91]);
        // A block is the pixel, the one to the right, and both below: (10 + 20 + 40 + 50 + 2) / 4 = 30, (50 + 60 + 80 + 91 + 2) / 4 = 70.
        // Right column, replicate: (30 + 30 + 60 + 60 + 2) / 4 = 45, (60 + 60 + 91 + 91 + 2) / 4 = 76; bottom right 91.
        let replicate = filtered(&picture, BorderMode::Replicate, &radius(1));
        assert_eq!(replicate, [30, 40, 45, 60, 70, 76, 75, 86, 91]);
        // Reflect101 takes column 1 for column 3: right column (30 + 20 + 60 + 50 + 2) / 4 = 40.
        assert_eq!(filtered(&picture, BorderMode::Reflect101, &radius(1))[2], 40);
        // Copy: the block fits where there is a pixel to the right and below.
        assert_eq!(filtered(&picture, BorderMode::Copy, &radius(1)), [30, 40, 30, 60, 70, 60, 70, 80, 91]);
    }

    #[test]
    fn a_point_spreads_over_the_blocks_that_reach_it() {
        let point = Picture::from_fn(20, 20, Channels::Gray, |x, y, _| if (x, y) == (10, 10) { 255 } else { 0 });
        let bytes = filtered(&point, BorderMode::Replicate, &Parameters::default());
        // (255 + 32) >> 6 = 4, for pixels 10 - 4 = 6 to 10 + 3 = 13.
        for (index, byte) in bytes.into_iter().enumerate() {
            let is_reached = (6..=13).contains(&(index % 20)) && (6..=13).contains(&(index / 20));
            assert_eq!(byte, if is_reached { 4 } else { 0 }, "pixel {index}");
        }
    }

    #[test]
    fn the_reference_is_the_definition() {
        let picture = Picture::from_fn(9, 7, Channels::Rgb, |x, y, channel| (x * 37 + y * 91 + channel * 53 + x * y * 7) as u8);
        for border in [BorderMode::Replicate, BorderMode::Reflect101] {
            for reach in [1, 2, 3, 5, 16] {
                let bytes = filtered(&picture, border, &radius(reach));
                let at = |x: isize, y: isize, channel: usize| {
                    let pixel = picture.pixel(border.source_index(x, 9), border.source_index(y, 7)).expect("inside");
                    usize::from(pixel[channel])
                };
                for (index, byte) in bytes.into_iter().enumerate() {
                    let (x, y, channel) = ((index / 3 % 9).cast_signed(), (index / 27).cast_signed(), index % 3);
                    let offsets = || 1 - reach.cast_signed()..=reach.cast_signed();
                    let sum: usize = offsets().flat_map(|dy| offsets().map(move |dx| at(x + dx, y + dy, channel))).sum();
                    assert_eq!(usize::from(byte), (sum + 2 * reach * reach) / (4 * reach * reach), "{border:?} {reach} {index}");
                }
            }
        }
    }

    #[test]
    fn flat_pictures_and_single_pixels_stay_as_they_are() {
        for border in BorderMode::ALL {
            for reach in 1..=16 {
                assert_eq!(filtered(&gray(1, 1, &[77]), border, &radius(reach)), [77]);
                assert_eq!(filtered(&gray(5, 2, &[255; 10]), border, &radius(reach)), [255; 10]);
            }
        }
    }

    fn loads(name: &str) -> (f64, f64) {
        let variant = Variant::parse(name).expect("known");
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        let shape = Shape { variant: &variant, setting, parameters: &radius(4), width_px: 640, height_px: 480 };
        let counts = filter().counts(&shape, [16, 16]).expect("described");
        (counts.loads, counts.stores)
    }

    #[test]
    fn counts_are_those_of_the_guide() {
        assert_eq!(loads("naive"), (64.0, 1.0));
        assert_eq!(loads("image+between+twostep"), (20.0, 2.0));
        assert_eq!(loads("separable"), (16.0, 2.0));
        // A row of 640 and a column of 480 begin with 7 reads, which are nothing beside the others.
        let begin = 7.0 / 640.0 + 7.0 / 480.0;
        assert!((loads("separable+running").0 - 4.0 - begin).abs() < 1e-9);
        assert!((loads("separable+running").1 - 2.0).abs() < 1e-9);
        // A group of 16 × 16 reads 23 × 23 pixels.
        assert_eq!(loads("coalesced+local"), (529.0 / 256.0, 1.0));
        assert_eq!(loads("padded+vectorize=16+specialized"), (4.0, 1.0 / 16.0));
        assert_eq!(loads("padded+vectorize=16+separable+specialized"), (1.0, 2.0 / 16.0));
    }

    #[test]
    fn a_kernel_of_its_own_keeps_the_edges_of_two_passes() {
        let variant = Variant::parse("coalesced+separable").expect("known");
        for (border, kernels) in [(BorderMode::Replicate, 2), (BorderMode::Copy, 3)] {
            let setting = Setting::new(Channels::Rgb, border);
            let launch = (filter().launch)(&Shape { variant: &variant, setting, parameters: &radius(3), width_px: 67, height_px: 35 });
            assert_eq!(launch.passes.len(), kernels);
            // Five rows of sums more than the picture has: two above it and three below.
            assert_eq!((launch.passes[0].global, launch.passes[1].global), ([67, 40], [67, 35]));
        }
    }
}
