//! Resize: what its definition in `kernels/resize/` cannot say.

use super::FilterIdExt as _;
use super::attached::Attached;
use kernel_ladder_cpu::filters::resize as cpu;
use kernel_ladder_cpu::reference::resize as reference;
use model::{FilterId, Parameters};

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), percent(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, percent(parameters))),
    ..Attached::NONE
};

/// The parameter, or its default where `parameters` are not complete.
fn percent(parameters: &Parameters) -> usize {
    FilterId::Resize.filter().whole_parameter(parameters, "percent")
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use model::{BorderMode, Channels, FilterId, Parameters};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Resize.filter()
    }

    fn with_percent(percent: usize) -> Parameters {
        Parameters::from([("percent", percent as f64)])
    }

    fn resized(percent: usize, width: usize, height: usize, bytes: &[u8]) -> (usize, usize, Vec<u8>) {
        let picture = Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture");
        let output = filter().reference(&picture, BorderMode::Replicate, &with_percent(percent)).expect("a plain reference");
        (output.width_px(), output.height_px(), output.bytes().to_vec())
    }

    #[test]
    fn four_by_two_by_hand() {
        let bytes = [10, 20, 30, 40, 50, 60, 71, 80];
        // Half the size: places 0.5 and 2.5, so means of four: 140 over 4, and 221 over 4 = 55.25.
        assert_eq!(resized(50, 4, 2, &bytes), (2, 1, vec![35, 55]));
        // Twice the size: places −0.25, 0.25, 0.75, … The first one repeats the edge; then 12.5, 17.5, …, and halves go up. Below: a quarter of the way
        // down, 10 and 50 make 20.
        let (width, height, doubled) = resized(200, 4, 2, &bytes);
        assert_eq!((width, height), (8, 4));
        assert_eq!(doubled[..8], [10, 13, 18, 23, 28, 33, 38, 40]);
        assert_eq!(doubled[8..16], [20, 23, 28, 33, 38, 43, 48, 50]);
        assert_eq!(doubled[16..24], [40, 43, 48, 53, 58, 63, 68, 70]);
        assert_eq!(doubled[24..], [50, 53, 58, 63, 68, 73, 78, 80]);
    }

    #[test]
    fn as_large_as_before_it_is_the_source() {
        assert_eq!(resized(100, 3, 1, &[7, 8, 9]), (3, 1, vec![7, 8, 9]));
    }

    #[test]
    fn a_pixel_is_left_at_least() {
        assert_eq!(resized(10, 1, 3, &[7, 8, 10]), (1, 1, vec![8]));
    }
}
