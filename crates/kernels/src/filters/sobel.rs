//! Sobel: what its definition in `kernels/sobel/` cannot say.

mod footprint;

use super::Grid;
use super::attached::Attached;
use kernel_ladder_cpu::filters::sobel as cpu;
use kernel_ladder_cpu::reference::sobel::{self as reference, MASK};
use model::Parameters;

/// How far a neighbor is.
const RADIUS_PX: usize = 1;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, _, rows| reference::rows(picture.pixels(), border, rows)),
    cpu: Some(|job, _| cpu::run(job)),
    footprint: Some(&footprint::footprint),
    drawing,
    ..Attached::NONE
};

/// The mask for the gradient across, and turned for the one down.
fn drawing(_parameters: &Parameters) -> Vec<Grid> {
    let weight = |[column, row]: [isize; 2]| {
        let [column, row] = [column, row].map(|along| (along + 1).cast_unsigned());
        MASK.get(row).and_then(|weights| weights.get(column)).map(|&weight| f64::from(weight))
    };
    let (across, down) = (Grid::around("across", 1, weight), Grid::around("down", 1, |[column, row]| weight([row, column])));
    vec![across.numbered(), down.numbered()]
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, Counts, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Sobel.filter()
    }

    fn filtered(width: usize, height: usize, bytes: &[u8], border: BorderMode) -> Vec<u8> {
        let picture = Picture::new(width, height, Channels::Gray, bytes.to_vec()).expect("a picture");
        filter().reference(&picture, border, &Parameters::default()).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn three_by_three_by_hand() {
        let bytes = [10, 20, 31, 40, 50, 60, 70, 80, 91];
        // Center: across = (31 + 2·60 + 91) − (10 + 2·40 + 70) = 242 − 160 = 82,
        // down = (70 + 2·80 + 91) − (10 + 2·20 + 31) = 321 − 81 = 240; 322 saturates.
        assert_eq!(filtered(3, 3, &bytes, BorderMode::Copy), [10, 20, 31, 40, 255, 60, 70, 80, 91]);
        // Top left, replicate: 10 10 20 / 10 10 20 / 40 40 50: across = (20 + 40 + 50) − (10 + 20 + 40) = 40, down = 170 − 50 = 120.
        // Bottom left, replicate: 40 40 50 / 70 70 80 / 70 70 80: across = 290 − 250 = 40, down = 290 − 170 = 120.
        let replicate = filtered(3, 3, &bytes, BorderMode::Replicate);
        assert_eq!((replicate[0], replicate[6]), (160, 160));
        // Reflect101 is even around an edge, so the gradient across it is 0. Corner: both are. Top middle: across is
        // (60 + 2·31 + 60) − (40 + 2·10 + 40) = 82.
        let reflect = filtered(3, 3, &bytes, BorderMode::Reflect101);
        assert_eq!((reflect[0], reflect[1], reflect[2]), (0, 82, 0));
    }

    #[test]
    fn a_step_answers_on_both_sides_in_either_direction() {
        // A rise of 20 along the rows: 4 · 20 at the two columns beside it.
        for row in [[0, 0, 20, 20], [20, 20, 0, 0]] {
            assert_eq!(filtered(4, 3, &row.repeat(3), BorderMode::Replicate), [0, 80, 80, 0].repeat(3));
        }
        let down: Vec<u8> = [[0; 3], [0; 3], [20; 3], [20; 3]].concat();
        assert_eq!(filtered(3, 4, &down, BorderMode::Replicate), [[0; 3], [80; 3], [80; 3], [0; 3]].concat());
    }

    #[test]
    fn one_pixel_has_no_edge() {
        assert_eq!(filtered(1, 1, &[77], BorderMode::Copy), [77]);
        for border in [BorderMode::Replicate, BorderMode::Reflect101] {
            assert_eq!(filtered(1, 1, &[77], border), [0], "{border:?}");
        }
    }

    fn counts(name: &str) -> Counts {
        let variant = Variant::parse(name).expect("a known variant");
        let setting = Setting::new(Channels::Gray, BorderMode::Replicate);
        let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 64, height_px: 64 };
        filter().counts(&shape, [16, 4]).expect("described")
    }

    #[test]
    fn counts_are_those_of_the_guides_tables() {
        // Table 9-4, bytes loaded for each output.
        for (name, bytes) in [("naive", 9.0), ("block=16", 3.375), ("rows=2+block=16", 2.25)] {
            let counts = counts(name);
            assert_eq!((counts.loads, counts.loaded_bytes, counts.stores), (bytes, bytes, 1.0), "{name}");
        }
        // Table 9-5, loads and stores for each output; the guide stores two values and has 2 / 16 there.
        for (name, loads) in [("padded+vectorize=16", 6.0 / 16.0), ("padded+vectorize=16+rows=2", 8.0 / 32.0)] {
            let counts = counts(name);
            assert_eq!((counts.loads, counts.stores, counts.stored_bytes), (loads, 1.0 / 16.0, 1.0), "{name}");
        }
        // Six texels for each of three rows.
        let texels = counts("vectorize=16+image=rgba");
        assert_eq!((texels.loads, texels.loaded_bytes), (18.0 / 16.0, 4.5));
        // A group of 16 × 4 work-items loads 18 × 6 bytes for its 64 pixels.
        let tile = counts("coalesced+local");
        assert_eq!((tile.loads, tile.loaded_bytes, tile.stores), (108.0 / 64.0, 108.0 / 64.0, 1.0));
    }
}
