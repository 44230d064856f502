//! Curve: what its definition in `kernels/curve/` cannot say.

use super::FilterIdExt as _;
use super::Grid;
use super::attached::Attached;
use super::copy::accesses_by_pieces;
use crate::footprint::{Space, Trace};
use crate::launch::Shape;
use kernel_ladder_cpu::reference::curve as reference;
use model::{FilterId, Numbers, Operation, Parameters, StageId};

/// Entries of the table: one for each value of a byte.
const ENTRIES: usize = 256;

/// Bytes of an entry in global or constant memory.
const ENTRY_BYTES: usize = size_of::<u16>();

/// Where the table is: values of the stage `lut`, which is 0 where there is none.
const GLOBAL: usize = 1;
const CONSTANT: usize = 2;
const LOCAL: usize = 3;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, _, parameters, rows| reference::rows(picture.pixels(), strength(parameters), rows)),
    footprint: Some(&footprint),
    drawing: |_| vec![Grid::itself()],
    ..Attached::NONE
};

/// How far bytes are moved toward the root curve, in percent.
fn strength(parameters: &Parameters) -> u32 {
    FilterId::Curve.filter().parameter(parameters, "strength").round() as u32
}

fn table_in(shape: &Shape) -> usize {
    shape.value(StageId::Lut)
}

fn footprint(trace: &mut Trace) {
    if table_in(trace.shape) == LOCAL {
        copy_table(trace);
    }
    accesses_by_pieces(trace, |trace, bytes| match table_in(trace.shape) {
        GLOBAL => (0..bytes).for_each(|_| trace.load_somewhere(Space::Table(0), ENTRY_BYTES)),
        CONSTANT => (0..bytes).for_each(|_| trace.load_somewhere(Space::Constant, ENTRY_BYTES)),
        LOCAL => (0..bytes).for_each(|_| trace.load_somewhere(Space::Tile, 1)),
        _ => compute(trace, bytes),
    });
}

/// The work-items of a group share the entries, dimension 0 first.
fn copy_table(trace: &mut Trace) {
    let ([first, second], [size, others]) = (trace.item.local, trace.item.local_size);
    let (global, local) = (trace.numbers(Space::Table(0), ENTRY_BYTES), trace.numbers(Space::Tile, 1));
    trace.turns((second * size + first..ENTRIES).step_by((size * others).max(1)), |trace, index| {
        trace.load(&global, [index.cast_signed(), 0], &[1]);
        trace.store(&local, [index.cast_signed(), 0], &[1]);
    });
}

fn compute(trace: &mut Trace, bytes: usize) {
    trace.convert(Numbers::Integer, bytes);
    if trace.shape.is_on(StageId::Float) {
        trace.convert(Numbers::Float, bytes);
        trace.compute_in(Numbers::Float, bytes, &[(Operation::Multiply, 1), (Operation::Function, 1)]);
        trace.convert(Numbers::Float, bytes);
    } else {
        // What the squares are compared with. For each bit: the larger root, its double less 1, the square, a comparison and a selection.
        trace.compute_in(Numbers::Integer, bytes, &[(Operation::Multiply, 1)]);
        let of_bit = [(Operation::Add, 1), (Operation::MultiplyAdd, 2), (Operation::Multiply, 1), (Operation::MinMax, 2)];
        trace.compute_in(Numbers::Integer, 8 * bytes, &of_bit);
    }
    // Two products and their sum, a half, and the division by 100: a multiplication and a shift.
    let mix = [(Operation::Multiply, 1), (Operation::MultiplyAdd, 2), (Operation::Add, 1), (Operation::Multiply, 1), (Operation::Logic, 1)];
    trace.compute_in(Numbers::Integer, bytes, &mix);
    trace.convert(Numbers::Integer, bytes);
}

#[cfg(test)]
mod tests {
    use crate::filters::Filter;
    use crate::filters::FilterIdExt as _;
    use crate::launch::Shape;
    use model::{BorderMode, Channels, FilterId, Parameters, Setting, Variant};
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

    #[test]
    fn counts_by_hand() {
        let memory = |name: &str| {
            let variant = Variant::parse(name).expect("a known variant");
            let setting = Setting::new(Channels::Rgb, BorderMode::Copy);
            let shape = Shape { variant: &variant, setting, parameters: &Parameters::default(), width_px: 256, height_px: 64 };
            let counts = filter().counts(&shape, [16, 4]).expect("described");
            [counts.loads, counts.loaded_bytes, counts.stores, counts.stored_bytes, counts.operations]
        };
        let check = |name: &str, wanted: [f64; 5]| {
            let found = memory(name);
            assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-9), "{name}: {found:?}");
        };
        // Each of three bytes: 1 + 8 · 6 for the root, and 6 to mix and divide.
        check("naive", [3.0, 3.0, 3.0, 3.0, 3.0 * 55.0]);
        check("coalesced+float", [3.0, 3.0, 3.0, 3.0, 3.0 * 8.0]);
        // A byte and an entry of two; constant memory is not counted.
        check("coalesced+lut=global", [6.0, 9.0, 3.0, 3.0, 0.0]);
        check("coalesced+lut=constant", [3.0, 3.0, 3.0, 3.0, 0.0]);
        // A group of 64 work-items owns 64 bytes and loads 256 entries: four more loads of two bytes for each byte.
        check("coalesced+lut=local", [15.0, 27.0, 3.0, 3.0, 0.0]);
        // One load and one store for 16 bytes, and 16 entries.
        check("coalesced+padded+access=uchar16+lut=global", [3.0 / 16.0 + 3.0, 9.0, 3.0 / 16.0, 3.0, 0.0]);
    }
}
