//! Add: the same amount to every byte. One addition a byte: what can be gained is in the loads and stores.

use super::copy::{PIECES, accesses_by_pieces, pieces};
use super::{Filter, Grid, Offer, Parameter, Parameters, Reference, exact, no_defines};
use crate::model::{BorderMode, Channels, Operation, Reach, StageId, values};
use crate::schedule::Trace;
use crate::schedule::{Argument, Launch, Pass, Shape};
use kernel_ladder_cpu::filters::add as cpu;
use kernel_ladder_cpu::reference::add as reference;

const AMOUNT: Parameter = Parameter { name: "amount", min: -255.0, max: 255.0, default: 50.0, step: 1.0, is_whole: true };

/// The filter's row.
pub static FILTER: Filter = Filter {
    id: crate::model::FilterId::Add,
    kernel_file: "add/add.cl",
    files: &[],
    ladders: &[],
    stages: &[
        Offer::all(StageId::Coalesced),
        Offer::all(StageId::Padded).because("pointwise"),
        Offer::only(StageId::Rows, &[4]).because("pointwise"),
        Offer::only(StageId::Float, &[values::FLOAT_PLAIN]),
        Offer::all(StageId::Mul24),
        Offer::only(StageId::Access, PIECES),
    ],
    rules: &[],
    channels: &Channels::ALL,
    output_channels: None,
    borders: &[BorderMode::Copy],
    parameters: &[AMOUNT],
    default_border: BorderMode::Copy,
    reach: &|_| Reach::default(),
    sum_range: &|parameters| {
        let amount = amount(parameters);
        amount.min(0)..=255 + amount.max(0)
    },
    // Exact in float as well: a float holds every sum.
    tolerance: &exact,
    defines: &no_defines,
    inlines: |_| false,
    launch: &launch,
    accesses: &accesses,
    reference: Reference::Rows(|picture, _, parameters, rows| reference::rows(picture.pixels(), amount(parameters), rows)),
    drawing: |_| vec![Grid::itself()],
    conditional: None,
    cpu: Some(|job, parameters| cpu::run(job, amount(parameters))),
};

/// What is added.
#[must_use]
pub fn amount(parameters: &Parameters) -> i32 {
    parameters.0.get(AMOUNT.name).copied().unwrap_or(AMOUNT.default).round() as i32
}

fn launch(shape: &Shape) -> Launch {
    let (layout, global) = pieces(shape);
    let mut arguments = shape.buffer_arguments(&layout, &layout);
    arguments.push(Argument::Int(amount(shape.parameters)));
    Launch::single(layout, layout, Pass { kernel: "add", global, arguments })
}

fn accesses(trace: &mut Trace) {
    accesses_by_pieces(trace, |trace, bytes| {
        let numbers = trace.computes_in();
        trace.convert(numbers, bytes);
        trace.compute(bytes, &[(Operation::Add, 1)]);
        trace.saturate(numbers, bytes);
    });
}

#[cfg(test)]
mod tests {
    use super::FILTER;
    use crate::image::Picture;
    use crate::model::{BorderMode, Channels, Parameters};

    fn added(bytes: &[u8], amount: Option<f64>) -> Vec<u8> {
        let picture = Picture::new(bytes.len(), 1, Channels::Gray, bytes.to_vec()).expect("a picture");
        let parameters = Parameters(amount.map(|amount| ("amount".to_owned(), amount)).into_iter().collect());
        FILTER.reference(&picture, BorderMode::Copy, &parameters).expect("a plain reference").bytes().to_vec()
    }

    #[test]
    fn sums_saturate_on_both_sides() {
        assert_eq!(added(&[0, 1, 205, 206, 255], None), [50, 51, 255, 255, 255]);
        assert_eq!(added(&[0, 69, 70, 71, 255], Some(-70.0)), [0, 0, 0, 1, 185]);
        assert_eq!(added(&[0, 255], Some(-255.0)), [0, 0]);
        assert_eq!(added(&[0, 9], Some(0.0)), [0, 9]);
    }
}
