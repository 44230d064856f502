//! Counts: the sum of what a work-item or work-group does inside the picture.

use super::Describe;
use super::access::{Access, Space, WorkItem};
use super::trace::Trace;
use crate::launch::LaunchOf;
use crate::launch::{Argument, Launch, Pass, Shape};
use model::{ByClass, Counts, OperationClass, StageId};

/// A picture has so many work-groups in each direction at least, so that the middle one meets no edge.
const GROUPS: usize = 5;

/// No filter's mask reaches further.
const REACH_PX: usize = 64;

/// Bytes of a bank of local memory: an access takes at least as long.
const BANK_BYTES: f64 = 4.0;

/// The memory and arithmetic operations of a variant per output pixel, away from the picture's edges, for work-groups of `local` work-items. A picture
/// that is too small to have such pixels counts as a larger one. `None` where that is nothing that can be said.
#[must_use]
pub fn counts(launch: LaunchOf, describe: Describe, shape: &Shape, local: [usize; 2]) -> Option<Counts> {
    let items = if shape.is_on(StageId::Local) { local[0].max(local[1]) } else { 1 };
    let group_px = items * shape.pixels_per_item().max(shape.rows_per_item());
    let side_px = |length: usize| length.max(GROUPS * group_px + 2 * REACH_PX);
    let shape = &Shape { width_px: side_px(shape.width_px), height_px: side_px(shape.height_px), ..*shape };
    let launch = launch(shape);
    let mut counts = Counts::default();
    for index in 0..launch.passes.len() {
        counts = counts + per_pixel(describe, shape, &launch, index, local)?;
    }
    Some(counts)
}

/// Of one pass: its middle work-group where it has a tile, and else its middle work-item, of which all inside are alike.
fn per_pixel(describe: Describe, shape: &Shape, launch: &Launch, index: usize, local: [usize; 2]) -> Option<Counts> {
    let pass = launch.passes.get(index)?;
    let has_tile = pass.arguments.iter().any(|argument| matches!(argument, Argument::Tile(_)));
    let local_size = if has_tile { local } else { [1, 1] };
    let group = [pass.global[0] / local_size[0].max(1) / 2, pass.global[1] / local_size[1].max(1) / 2];
    let (mut sum, mut owned_px) = (Counts::default(), 0.0);
    for item in WorkItem::all_of_group(group, local_size) {
        let trace = Trace::described(describe, shape, launch, index, item)?;
        owned_px += trace.owned_px();
        sum = trace.accesses().iter().fold(sum, |sum, access| sum + of(access));
        sum.operations += trace.operations() as f64;
        sum.float_operations += trace.float_operations() as f64;
        sum.by_class = sum.by_class + *trace.by_class();
    }
    // A pass that only repairs edges does nothing for a pixel inside.
    Some(if owned_px == 0.0 {
        Counts::default()
    } else {
        Counts { must_move_bytes: must_move_bytes(shape, launch, pass), ..sum / owned_px }
    })
}

/// Bytes per pixel that a pass has to read and write at least: each of its pictures once, whatever its work-items share.
fn must_move_bytes(shape: &Shape, launch: &Launch, pass: &Pass) -> f64 {
    let pixels = (shape.width_px * shape.height_px) as f64;
    let of = |argument: &Argument| match *argument {
        Argument::Source => launch.source.layout().pixel_bytes as f64,
        Argument::Between(index) => launch.between.get(index).map_or(0.0, |between| between.total_bytes() as f64 / pixels),
        Argument::Destination => launch.destination.channels.count() as f64,
        _ => 0.0,
    };
    pass.arguments.iter().map(of).sum()
}

/// One access; nothing where it is not counted.
fn of(access: &Access) -> Counts {
    let bytes = access.bytes() as f64;
    if access.space == Space::Tile && !access.is_repeat {
        let by_class = ByClass::one(OperationClass::LocalMemory, bytes.max(BANK_BYTES));
        return Counts { by_class, ..Counts::default() };
    }
    match (access.space.is_global() && !access.is_repeat, access.kind.is_load()) {
        (false, _) => Counts::default(),
        (true, true) => Counts { loads: 1.0, loaded_bytes: bytes, ..Counts::default() },
        (true, false) => Counts { stores: 1.0, stored_bytes: bytes, ..Counts::default() },
    }
}
