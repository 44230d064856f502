//! Box by integral image: what its definition in `kernels/integral/` cannot say.

use super::attached::Attached;
use super::{FilterIdExt as _, Grid};
use crate::footprint::{Plane, Space, Trace};
use kernel_ladder_cpu::reference::integral as reference;
use model::{FilterId, Numbers, Operation, Parameters};

/// Bytes of a sum between passes.
const SUM_BYTES: usize = size_of::<u32>();

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), radius(parameters), rows)),
    footprint: Some(&footprint),
    drawing: |parameters| vec![Grid::members("neighbors", radius(parameters))],
    ..Attached::NONE
};

/// The parameter, or its default where `parameters` are not complete.
fn radius(parameters: &Parameters) -> usize {
    FilterId::Integral.filter().parameter(parameters, "radius").round().max(1.0) as usize
}

/// Walks only: a scan by a work-group, bands of rows and the reciprocal are not described.
fn footprint(trace: &mut Trace) {
    if is_of_own_stages(trace) {
        return trace.leave_untold();
    }
    match trace.pass.kernel {
        "scan_rows" => scan_row(trace),
        "scan_columns" => scan_column(trace),
        _ => average_window(trace),
    }
}

fn is_of_own_stages(trace: &Trace) -> bool {
    !trace.shape.variant.is_textbook() && trace.shape.variant.to_string() != "coalesced"
}

fn sums(trace: &Trace) -> Plane {
    trace.numbers(Space::Between(0), SUM_BYTES)
}

/// A pixel's channels, or the sums of them, as the kernel accesses them: the naive one by one, the other one as a vector. A vector of three bytes is three
/// loads all the same.
fn parts(trace: &Trace) -> &'static [usize] {
    if trace.shape.channels().count() == 1 { &[1] } else { &[1, 1, 1] }
}

fn scan_row(trace: &mut Trace) {
    let (shape, channels, [y, other]) = (trace.shape, trace.shape.channels().count(), trace.item.global());
    trace.owns(shape.width_px);
    if y >= shape.height_px || other > 0 {
        return;
    }
    let (source, sums, parts) = (trace.source(), sums(trace), parts(trace));
    trace.turns(0..shape.width_px, |trace, x| {
        trace.load(&source, [x.cast_signed(), y.cast_signed()], parts);
        trace.compute_in(Numbers::Integer, channels, &[(Operation::Add, 1)]);
        trace.store(&sums, [((y * shape.width_px + x) * channels).cast_signed(), 0], parts);
    });
}

fn scan_column(trace: &mut Trace) {
    let (shape, [column, other]) = (trace.shape, trace.item.global());
    let row_sums = shape.width_px * shape.channels().count();
    // One channel of the pixels below each other.
    trace.owns_bytes(shape.height_px);
    if column >= row_sums || other > 0 {
        return;
    }
    let sums = sums(trace);
    trace.turns(0..shape.height_px, |trace, y| {
        let place = [(y * row_sums + column).cast_signed(), 0];
        trace.load(&sums, place, &[1]);
        trace.compute_in(Numbers::Integer, 1, &[(Operation::Add, 1)]);
        trace.store(&sums, place, &[1]);
    });
}

fn average_window(trace: &mut Trace) {
    let (shape, channels) = (trace.shape, trace.shape.channels().count());
    let Some([x, y]) = trace.own_block(1, 1) else { return };
    let (sums, destination, parts) = (sums(trace), trace.destination(), parts(trace));
    let reach = radius(shape.parameters).cast_signed();
    let last = |place: isize, length: usize| (place + reach).min(length.cast_signed() - 1);
    let [right, bottom] = [last(x, shape.width_px), last(y, shape.height_px)];
    let [left, top] = [x - reach - 1, y - reach - 1];
    for (which, [x, y]) in (0..).zip([[right, bottom], [left, bottom], [right, top], [left, top]]) {
        if x >= 0 && y >= 0 {
            let first = (y * shape.width_px.cast_signed() + x) * channels.cast_signed();
            trace.branch(which, |trace| trace.load(&sums, [first, 0], parts));
        }
    }
    // Three to put four sums together, the half, and the division by a number that no compiler knows.
    trace.compute_in(Numbers::Integer, channels, &[(Operation::Add, 4), (Operation::Function, 1)]);
    trace.store(&destination, [x, y], parts);
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
        Parameters([("radius".to_owned(), radius as f64)].into())
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
