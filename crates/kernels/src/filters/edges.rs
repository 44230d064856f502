//! Edges: what its definition in `kernels/edges/` cannot say.

use super::Grid;
use super::attached::Attached;
use kernel_ladder_cpu::filters::edges as cpu;
use kernel_ladder_cpu::reference::edges::{self as reference, BLUR, LUMA, SOBEL};
use model::Parameters;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, _, rows| reference::rows(picture.pixels(), border, rows)),
    cpu: Some(|job, _| cpu::run(job)),
    drawing,
    ..Attached::NONE
};

/// The weights of colors, the blur as it is and the mask for the gradient across; turned, that for the one down.
fn drawing(_parameters: &Parameters) -> Vec<Grid> {
    let place = |along: isize| (along + 1).cast_unsigned();
    let blur = |[column, row]: [isize; 2]| Some(f64::from(BLUR.get(place(column))? * BLUR.get(place(row))?));
    let across = |[column, row]: [isize; 2]| SOBEL.get(place(row))?.get(place(column)).map(|&weight| f64::from(weight));
    let cells = LUMA.iter().map(|&weight| Some(f64::from(weight) / 256.0)).collect();
    vec![
        Grid { caption: "colors", columns: LUMA.len(), cells, center: None, has_numbers: true },
        Grid::around("product", 1, blur).numbered(),
        Grid::around("across", 1, across).numbered(),
        Grid::around("down", 1, |[column, row]| across([row, column])).numbered(),
    ]
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use model::{BorderMode, Channels, FilterId, Parameters};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Edges.filter()
    }

    fn filtered(width: usize, height: usize, rgb: &[u8], border: BorderMode) -> Vec<u8> {
        let picture = Picture::new(width, height, Channels::Rgb, rgb.to_vec()).expect("a picture");
        filter().reference(&picture, border, &Parameters::default()).expect("a plain reference").bytes().to_vec()
    }

    /// A gray pixel has three equal bytes, and is its own luma: 77 + 150 + 29 = 256.
    fn filtered_gray(width: usize, height: usize, gray: &[u8], border: BorderMode) -> Vec<u8> {
        let rgb: Vec<u8> = gray.iter().flat_map(|&byte| [byte; 3]).collect();
        filtered(width, height, &rgb, border)
    }

    #[test]
    fn a_spot_by_hand() {
        let spot = [0, 0, 0, 0, 160, 0, 0, 0, 0];
        // Blurred, (4 · 160 + 8) >> 4 = 40 in the middle, 20 beside it and 10 in the corners. Top left, replicate: 10 10 20 / 10 10 20 / 20 20 40:
        // across = (20 + 2·20 + 40) − (10 + 2·10 + 20) = 50, and so is down. Top middle: across is 0, down (20 + 2·40 + 20) − (10 + 2·20 + 10) = 60.
        assert_eq!(filtered_gray(3, 3, &spot, BorderMode::Replicate), [100, 60, 100, 60, 0, 60, 100, 60, 100]);
        // Mirrored, every pixel has the spot four times with weight 1, twice with 2 or once with 4: blurred is 40 everywhere.
        assert_eq!(filtered_gray(3, 3, &spot, BorderMode::Reflect101), [0; 9]);
    }

    #[test]
    fn the_border_continues_what_is_blurred_and_not_the_source_twice_as_far() {
        // Blurred: (4 · (2·16 + 16) + 8) >> 4 = 12, (4 · 16 + 8) >> 4 = 4 and 0; on the left of it 12 again, and not the 16 that the blur of the source would
        // give there. All three rows are alike: across is four times the difference, down is 0.
        assert_eq!(filtered_gray(3, 1, &[16, 0, 0], BorderMode::Replicate), [4 * 8, 4 * 12, 4 * 4]);
    }

    #[test]
    fn one_pixel_has_no_edge() {
        for border in [BorderMode::Replicate, BorderMode::Reflect101] {
            assert_eq!(filtered(1, 1, &[7, 80, 200], border), [0], "{border:?}");
        }
    }
}
