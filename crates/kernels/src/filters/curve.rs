//! Curve: what its definition in `kernels/curve/` cannot say.

use super::FilterIdExt as _;
use super::Grid;
use super::attached::Attached;
use kernel_ladder_cpu::filters::curve as cpu;
use kernel_ladder_cpu::reference::curve as reference;
use model::{FilterId, Parameters};

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), strength(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, strength(parameters))),
    drawing: |_| vec![Grid::itself()],
    ..Attached::NONE
};

/// How far bytes are moved toward the root curve, in percent.
fn strength(parameters: &Parameters) -> u32 {
    FilterId::Curve.filter().parameter(parameters, "strength").round() as u32
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;

    use model::{BorderMode, Channels, FilterId, Parameters};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Curve.filter()
    }

    fn curved(bytes: &[u8], strength: Option<f64>) -> Vec<u8> {
        let picture = Picture::new(bytes.len(), 1, Channels::Gray, bytes.to_vec()).expect("a picture");
        let parameters = Parameters(strength.map(|strength| ("strength".to_owned(), strength)).into_iter().collect());
        filter().reference(&picture, BorderMode::Copy, &parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn six_bytes_by_hand() {
        let bytes = [0, 1, 4, 64, 128, 255];
        // The roots of 0, 255, 1020, 16320, 32640 and 65025: 0, 15.97, 31.94, 127.75, 180.67 and 255.
        assert_eq!(curved(&bytes, Some(100.0)), [0, 16, 32, 128, 181, 255]);
        // Half the way, .5 rounded up: 8.5, 18, 96, 154.5.
        assert_eq!(curved(&bytes, None), [0, 9, 18, 96, 155, 255]);
        assert_eq!(curved(&bytes, Some(0.0)), bytes);
    }

    #[test]
    fn the_curve_rises_and_brightens() {
        let bytes: Vec<u8> = (0..=255).collect();
        for strength in 0..=100 {
            let curve = curved(&bytes, Some(f64::from(strength)));
            assert!(curve.is_sorted() && curve.iter().zip(&bytes).all(|(output, byte)| output >= byte), "{strength}");
        }
    }
}
