//! Epsilon filter: what its definition in `kernels/epsilon/` cannot say.

mod footprint;

use super::FilterIdExt as _;
use super::attached::Attached;
use super::{Conditional, Grid, Tested};
use crate::launch::Shape;
use kernel_ladder_cpu::filters::epsilon as cpu;
use kernel_ladder_cpu::reference::epsilon::{self as reference, REACH_PX, SIDE_PX};
use model::{BorderMode, FilterId, Parameters, StageId, values};
use pictures::Picture;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, parameters, rows| reference::rows(picture.pixels(), border, threshold(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, threshold(parameters))),
    footprint: Some(&footprint::footprint),
    drawing: |_| vec![Grid::members("near", REACH_PX)],
    conditional: Some(Conditional {
        tests,
        branches: |shape| shape.pixels_per_item() == 1 && !shape.is_on(StageId::Select) && !is_packed(shape),
    }),
};

/// How much a neighbor may differ.
fn threshold(parameters: &Parameters) -> u8 {
    FilterId::Epsilon.filter().parameter(parameters, "threshold").round().clamp(0.0, 255.0) as u8
}

/// Four pixels in a texel are compared as a vector, which has no branch.
fn is_packed(shape: &Shape) -> bool {
    shape.has_value(StageId::Image, values::IMAGE_FOUR_PIXELS)
}

/// Whether each neighbor is near, row by row.
fn tests(shape: &Shape, picture: &Picture, pixel: [usize; 2]) -> Vec<Tested> {
    // Without the branch, what the border keeps is computed, too, and not chosen.
    let border = if shape.is_on(StageId::Select) { BorderMode::Replicate } else { shape.setting.border };
    let near = reference::near(picture.pixels(), border, threshold(shape.parameters), pixel);
    let place = |index: usize| [index % SIDE_PX, index / SIDE_PX].map(|at| at.cast_signed() - REACH_PX.cast_signed());
    near.into_iter().enumerate().map(|(index, (value, is_true))| Tested { neighbor: place(index), value, is_true }).collect()
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, Counts, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;
    use std::collections::BTreeMap;

    fn filter() -> &'static Filter {
        FilterId::Epsilon.filter()
    }

    fn filtered(picture: &Picture, border: BorderMode, threshold: u8) -> Vec<u8> {
        let parameters = Parameters(BTreeMap::from([("threshold".to_owned(), f64::from(threshold))]));
        filter().reference(picture, border, &parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn two_pixels_by_hand() {
        let picture = Picture::new(2, 1, Channels::Gray, vec![10, 21]).expect("a picture");
        assert_eq!(filtered(&picture, BorderMode::Replicate, 10), [10, 21], "neither is near to the other");
        // Replicate, all nine rows alike. Left: five of 10 and four of 21, (50 + 84) / 9 = 14.89. Right: four of 10 and five of 21,
        // (40 + 105) / 9 = 16.11.
        assert_eq!(filtered(&picture, BorderMode::Replicate, 11), [15, 16]);
        // Reflect101, columns −4 .. 4 are 10 21 10 21 10 21 10 21 10, columns −3 .. 5 begin and end with 21: the same counts.
        assert_eq!(filtered(&picture, BorderMode::Reflect101, 11), [15, 16]);
        assert_eq!(filtered(&picture, BorderMode::Copy, 255), [10, 21], "the mask fits nowhere");
    }

    #[test]
    fn the_middle_of_nine_by_nine_by_hand() {
        // Only the center (100), its four neighbors on the sides (120, 80, 121, 79) and two corners of the mask (90, 101) are above 0.
        let picture = Picture::from_fn(9, 9, Channels::Gray, |x, y, _| match (x, y) {
            (4, 4) => 100,
            (4, 3) => 120,
            (4, 5) => 80,
            (3, 4) => 121,
            (5, 4) => 79,
            (0, 0) => 90,
            (8, 8) => 101,
            _ => 0,
        });
        // 20 off is near, 21 is not: (100 + 120 + 80 + 90 + 101) / 5 = 491 / 5 = 98.2.
        let copied = filtered(&picture, BorderMode::Copy, 20);
        assert_eq!(copied[4 * 9 + 4], 98);
        // It is the only pixel that the mask fits around.
        assert!((0..81).filter(|&index| index != 4 * 9 + 4).all(|index| copied[index] == picture.bytes()[index]));
        // All near: (100 + 120 + 80 + 121 + 79 + 90 + 101) / 81 = 691 / 81 = 8.53 rounds to 9.
        assert_eq!(filtered(&picture, BorderMode::Copy, 255)[4 * 9 + 4], 9);
    }

    #[test]
    fn half_rounds_up() {
        let picture = Picture::from_fn(1, 2, Channels::Gray, |_, y, _| if y == 0 { 7 } else { 8 });
        // Reflect101, rows −4 .. 4 are 7 8 7 8 7 8 7 8 7 around the upper: (5 · 7 + 4 · 8) / 9 = 7.44; lower: (4 · 7 + 5 · 8) / 9 = 7.56.
        assert_eq!(filtered(&picture, BorderMode::Reflect101, 1), [7, 8]);
        // One near neighbor: (9 + 10) / 2 = 9.5 rounds to 10. The 200s are not near.
        let pair = Picture::from_fn(9, 9, Channels::Gray, |x, y, _| match (x, y) {
            (4, 4) => 9,
            (7, 2) => 10,
            _ => 200,
        });
        assert_eq!(filtered(&pair, BorderMode::Copy, 20)[4 * 9 + 4], 10);
    }

    fn with_shape<T>(variant: &str, use_shape: impl FnOnce(&Shape) -> T) -> T {
        let variant = Variant::parse(variant).expect("known");
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        use_shape(&Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 3264, height_px: 2448 })
    }

    /// For the guide's first work-group.
    fn counts(shape: &Shape) -> Counts {
        filter().counts(shape, [8, 16]).expect("described")
    }

    fn steps() -> &'static [crate::filters::Step] {
        &filter().ladder("adreno-epsilon").expect("its ladder").steps
    }

    #[test]
    fn loads_of_an_output_are_the_guides() {
        let loads = steps().iter().map(|step| with_shape(&step.variant().to_string(), |shape| counts(shape).loads));
        let tile = 240.0 / 512.0;
        assert_eq!(loads.collect::<Vec<_>>(), [81.0, 81.0, 27.0, 6.75, 4.5, 3.375, tile, tile, tile, 6.75]);
        let vectors = with_shape("coalesced+padded+vectorize=16", counts);
        assert_eq!((vectors.loads * 16.0).round() as u32, 1 + 9 * 2, "the block, and two vectors a row");
        let words = with_shape("coalesced+padded+access=uchar8", counts);
        assert_eq!((words.loads * 8.0).round() as u32, 9 * 4, "nine rows of the block's two words, with one more on each side");
    }

    #[test]
    fn tiles_hold_a_byte_a_pixel() {
        let bytes = |local| with_shape(&steps()[6].variant().to_string(), |shape| (filter().launch)(shape).local_bytes(local));
        // 10 × 24 and 10 × 32 texels of four bytes.
        assert_eq!((bytes([8, 16]), bytes([8, 24])), (960, 1280));
        assert_eq!(with_shape("local", |shape| (filter().launch)(shape).local_bytes([16, 4])), (4 + 8) * (16 + 8));
    }
}
