//! Luma: what its definition in `kernels/luma/` cannot say.

use super::Grid;
use super::attached::Attached;
use crate::footprint::Trace;
use kernel_ladder_cpu::filters::luma as cpu;
use kernel_ladder_cpu::reference::luma::{self as reference, WEIGHTS};
use model::{Operation, Parameters, StageId};

/// Red, green and blue.
const CHANNELS: usize = 3;

/// Bytes of a vector load. One takes four pixels, as there is no vector of 12 bytes; three take 16.
const LOAD_BYTES: usize = 16;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, _, rows| reference::rows(picture.pixels(), rows)),
    cpu: Some(|job, _| cpu::run(job)),
    footprint: Some(&footprint),
    drawing,
    ..Attached::NONE
};

fn footprint(trace: &mut Trace) {
    let shape = trace.shape;
    let (pixels, rows) = (shape.pixels_per_item(), shape.rows_per_item());
    let Some([x, y]) = trace.own_block(pixels, rows) else { return };
    let (source, destination) = (trace.source(), trace.destination());
    let parts: &[usize] = match pixels {
        1 => &[1, 1, 1],
        4 => &[LOAD_BYTES],
        _ => &[LOAD_BYTES; 3],
    };
    // Three products and two sums, or a product and two fma; the integers also add a half and shift, and the dot product has a fourth channel of 0.
    let operations: &[(Operation, usize)] = match (shape.value(StageId::Float), pixels) {
        (0, _) => &[(Operation::MultiplyAdd, 6), (Operation::Logic, 1)],
        (1, 1) => &[(Operation::MultiplyAdd, 6), (Operation::Multiply, 1)],
        _ => &[(Operation::MultiplyAdd, 4), (Operation::Multiply, 1)],
    };
    let numbers = trace.computes_in();
    for y in (y..shape.height_px.cast_signed()).take(rows) {
        trace.load(&source, [x, y], parts);
        (0..CHANNELS).for_each(|_| trace.convert(numbers, pixels));
        trace.compute(pixels, operations);
        trace.saturate(numbers, pixels);
        trace.store(&destination, [x, y], &[pixels]);
    }
}

/// In whole thousandths, so exact; half a thousandth-sum rounds up.
/// What red, green and blue of a pixel count.
fn drawing(_parameters: &Parameters) -> Vec<Grid> {
    let cells = WEIGHTS.iter().map(|&weight| Some(f64::from(weight) / 1000.0)).collect();
    vec![Grid { caption: "colors", columns: WEIGHTS.len(), cells, center: None, has_numbers: true }]
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
    use pictures::Picture;

    fn filter() -> &'static Filter {
        FilterId::Luma.filter()
    }

    #[test]
    fn five_pixels_by_hand() {
        let bytes = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 20, 30];
        let picture = Picture::new(5, 1, Channels::Rgb, bytes.to_vec()).expect("a picture").with_alpha(Some(vec![1, 2, 3, 4, 5]));
        let luma = filter().reference(&picture, BorderMode::Copy, &Parameters::default()).expect("a plain reference");
        // 76.245, 149.685, 29.07, 255, and 2.99 + 11.74 + 3.42 = 18.15.
        assert_eq!((luma.channels(), luma.bytes()), (Channels::Gray, [76, 150, 29, 255, 18].as_slice()));
        assert_eq!(luma.alpha(), picture.alpha());
    }

    #[test]
    fn the_programs_own_gray_is_within_the_tolerance_for_every_color() {
        let (step, tolerance) = (3, (filter().tolerance)(&Variant::naive()));
        let colors = Picture::from_fn(86 * 86, 86, Channels::Rgb, |x, y, channel| (step * [x % 86, x / 86, y][channel]) as u8);
        let (ours, exact) = (
            colors.to_channels(Channels::Gray),
            filter().reference(&colors, BorderMode::Copy, &Parameters::default()).expect("a plain reference"),
        );
        let farthest = ours.bytes().iter().zip(exact.bytes()).map(|(a, b)| a.abs_diff(*b)).max();
        assert_eq!(farthest, Some(tolerance));
    }

    #[test]
    fn the_output_is_gray_and_the_last_load_of_a_row_stays_in_its_pitch() {
        let setting = Setting::new(Channels::Rgb, BorderMode::Copy);
        // The bytes of the loads that take so many pixels.
        for (pixels, loaded) in [(4, 16), (16, 48)] {
            let variant = Variant::parse(&format!("padded+vectorize={pixels}")).expect("known");
            for width_px in 1..200 {
                let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px, height_px: 2 };
                let launch = (filter().launch)(&shape);
                let last_px = (width_px - 1) / pixels * pixels;
                assert_eq!(launch.destination.channels, Channels::Gray);
                assert!(3 * last_px + loaded <= launch.source.layout().pitch_bytes && last_px + pixels <= launch.destination.pitch_bytes);
            }
        }
    }
}
