//! How much work the bottleneck test adds to each pass.

use super::Describe;
use super::access::WorkItem;
use super::trace::Trace;
use crate::launch::{Argument, Launch, Shape, Table};
use model::{Added, AddedKind};

/// Work that is added to one kernel of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AddedWork {
    /// Name of the `__kernel` function.
    pub kernel: &'static str,
    /// What.
    pub kind: AddedKind,
    /// Lanes of an instruction, as many as fit what a work-item owns: 1, 4, 8 or 16. Of bytes, how many are loaded at once: as many as fit what it owns or
    /// what is added, so that more bytes are as few instructions as can be. Otherwise a processor, which issues loads and arithmetic from one stream, would
    /// be slowed by the instructions long before it is by the bytes.
    pub lanes: usize,
    /// Instructions of a work-item.
    pub instructions: usize,
    /// Accumulators of arithmetic, which do not wait for each other.
    pub accumulators: usize,
    /// Operations, or bytes loaded, per pixel that the work-item owns: what was asked for, rounded up to whole instructions.
    pub per_pixel: f64,
    /// Bytes of the buffer that bytes are loaded from, a power of two.
    pub buffer_bytes: usize,
}

/// What bytes are loaded from: more than caches hold.
const BUFFER_BYTES: usize = 128 << 20;

/// Work-items that own more pixels than this are few and long: each has to keep the device's units busy by itself.
const LONG_PX: f64 = 32.0;

/// Accumulators of a long work-item.
const ACCUMULATORS_IF_LONG: usize = 8;

/// Of others, whose neighbors' instructions fill the gaps: as few as will do, since they cost time before anything is added.
const ACCUMULATORS: usize = 2;

/// Of single numbers: fewer than fill the narrowest vector, which a compiler would make of them.
const ACCUMULATORS_ONE_BY_ONE: usize = 3;

/// Widths of instructions.
const LANES: [usize; 4] = [16, 8, 4, 1];

/// The work for each pass that is there for pixels; one that only repairs edges has none.
#[must_use]
pub fn added_work(describe: Describe, shape: &Shape, launch: &Launch, added: Added) -> Vec<AddedWork> {
    let of = |(index, kernel): (usize, &'static str)| {
        let owned_px = owned_px(describe, shape, launch, index)?;
        let most_lanes = match added.kind {
            AddedKind::Bytes => owned_px * f64::from(added.per_pixel).max(shape.channels().count() as f64),
            AddedKind::Integer | AddedKind::Float => owned_px,
        };
        let lanes = LANES.into_iter().find(|&lanes| lanes as f64 <= most_lanes).filter(|_| !added.one_by_one).unwrap_or(1);
        // A multiplication and an addition.
        let operations = if added.kind == AddedKind::Float { 2 } else { 1 };
        let in_one = (lanes * operations) as f64;
        let instructions = (f64::from(added.per_pixel) * owned_px / in_one).ceil() as usize;
        let per_pixel = instructions as f64 * in_one / owned_px;
        let accumulators = if added.one_by_one {
            ACCUMULATORS_ONE_BY_ONE
        } else if owned_px > LONG_PX {
            ACCUMULATORS_IF_LONG
        } else {
            ACCUMULATORS
        };
        Some(AddedWork { kernel, kind: added.kind, lanes, instructions, accumulators, per_pixel, buffer_bytes: BUFFER_BYTES })
    };
    launch.passes.iter().map(|pass| pass.kernel).enumerate().filter_map(of).collect()
}

/// Pixels that a work-item in the middle of a pass is there for; `None` where that is none.
fn owned_px(describe: Describe, shape: &Shape, launch: &Launch, index: usize) -> Option<f64> {
    let global = launch.passes.get(index)?.global;
    let item = WorkItem { group: global.map(|items| items / 2), local: [0, 0], local_size: [1, 1] };
    let trace = Trace::described(describe, shape, launch, index, item)?;
    Some(trace.owned_px()).filter(|owned| *owned > 0.0)
}

/// What bytes are loaded from.
fn buffer(_shape: &Shape) -> Vec<u8> {
    vec![0x5A; BUFFER_BYTES]
}

impl Launch {
    /// The same with what kernels with this work take beside their own arguments: the buffer of bytes, and the number that is 0.
    #[must_use]
    pub fn with_added(mut self, work: &[AddedWork]) -> Self {
        let table = self.tables.len();
        if work.iter().any(|work| work.kind == AddedKind::Bytes) {
            self.tables.push(Table { name: "added", of: &buffer });
        }
        for pass in &mut self.passes {
            let Some(work) = work.iter().find(|work| work.kernel == pass.kernel) else { continue };
            if work.kind == AddedKind::Bytes {
                pass.arguments.push(Argument::Table(table));
            }
            pass.arguments.push(Argument::Int(0));
        }
        self
    }
}
