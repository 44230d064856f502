//! Gaussian: what its definition in `kernels/gaussian/` cannot say.

mod footprint;
#[cfg(test)]
mod tests;

use super::attached::Attached;
use super::{Grid, words};
use crate::launch::Shape;
use kernel_ladder_cpu::filters::gaussian as cpu;
use kernel_ladder_cpu::reference::gaussian::{self as reference, MASK, RADIUS_PX};
use model::{Parameters, StageId};

/// Bytes of one number between the passes.
const SUM_BYTES: usize = size_of::<u16>();

/// Lanes of the vectors that a block is loaded in.
const LANES: usize = 16;

pub(super) const ATTACHED: Attached = Attached {
    reference: Some(|picture, border, _, rows| reference::rows(picture.pixels(), border, rows)),
    cpu: Some(|job, _| cpu::run(job)),
    footprint: Some(&footprint::footprint),
    drawing,
    ..Attached::NONE
};

/// Pixels of a row that a work-item of the last pass writes at once.
fn written_pixels(shape: &Shape) -> usize {
    if shape.is_on(StageId::ImageBetween) { 1 } else { shape.pixels_per_item() }
}

/// Rows that the first pass filters: those of the halo as well, where the source has one.
fn filtered_rows(shape: &Shape) -> usize {
    shape.height_px + if shape.is_on(StageId::Padded) { 2 * RADIUS_PX } else { 0 }
}

/// The mask in two dimensions, and the row and column that it is the product of.
fn drawing(_parameters: &Parameters) -> Vec<Grid> {
    let weight = |along: isize| MASK.get((along + RADIUS_PX.cast_signed()).cast_unsigned()).map(|&weight| f64::from(weight));
    let row: Vec<_> = MASK.iter().map(|&weight| Some(f64::from(weight))).collect();
    vec![
        Grid::around("product", RADIUS_PX, |[x, y]| Some(weight(x)? * weight(y)?)),
        Grid { caption: "row", columns: MASK.len(), cells: row, center: Some([RADIUS_PX, 0]), has_numbers: true },
    ]
}
