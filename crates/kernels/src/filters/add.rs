//! Add: what its definition in `kernels/add/` cannot say.

use super::FilterIdExt as _;
use super::Grid;
use super::attached::Attached;
use super::copy::accesses_by_pieces;
use crate::footprint::Trace;
use kernel_ladder_cpu::filters::add as cpu;
use kernel_ladder_cpu::reference::add as reference;
use model::{FilterId, Operation, Parameters};

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), amount(parameters), rows)),
    cpu: Some(|job, parameters| cpu::run(job, amount(parameters))),
    footprint: Some(&footprint),
    drawing: |_| vec![Grid::itself()],
    ..Attached::NONE
};

/// What is added.
fn amount(parameters: &Parameters) -> i32 {
    FilterId::Add.filter().parameter(parameters, "amount").round() as i32
}

fn footprint(trace: &mut Trace) {
    accesses_by_pieces(trace, |trace, bytes| {
        let numbers = trace.computes_in();
        trace.convert(numbers, bytes);
        trace.compute(bytes, &[(Operation::Add, 1)]);
        trace.saturate(numbers, bytes);
    });
}

#[cfg(test)]
mod tests {
    use crate::filters::FilterIdExt as _;
    use model::{BorderMode, Channels, FilterId, Parameters};
    use pictures::Picture;

    fn added(bytes: &[u8], amount: Option<f64>) -> Vec<u8> {
        let picture = Picture::new(bytes.len(), 1, Channels::Gray, bytes.to_vec()).expect("a picture");
        let parameters = Parameters(amount.map(|amount| ("amount".to_owned(), amount)).into_iter().collect());
        FilterId::Add.filter().reference(&picture, BorderMode::Copy, &parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn sums_saturate_on_both_sides() {
        assert_eq!(added(&[0, 1, 205, 206, 255], None), [50, 51, 255, 255, 255]);
        assert_eq!(added(&[0, 69, 70, 71, 255], Some(-70.0)), [0, 0, 0, 1, 185]);
        assert_eq!(added(&[0, 255], Some(-255.0)), [0, 0]);
        assert_eq!(added(&[0, 9], Some(0.0)), [0, 9]);
    }
}
