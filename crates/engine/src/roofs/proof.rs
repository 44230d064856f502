//! What a device must be seen to do before kernels rely on it.

use super::probe::{Number, Probe, Recipe, WORD_BYTES};
use crate::device::{Quirk, Session};
use base::error::Result;
use model::{LocalSize, ProbeSetup};

/// Proves that the compiler builds `fma`, and that it rounds once.
///
/// # Errors
/// The kernel does not build or run, or the first result that was rounded twice.
pub fn fma(session: &Session) -> Result<()> {
    const ITEMS: usize = 64;
    let output = session.guarded_buffer(ITEMS * WORD_BYTES)?;
    let recipe = Recipe {
        file: "roofs/fma.cl",
        defines: Vec::new(),
        buffers: vec![output.buffer()],
        numbers: Vec::new(),
        setup: ProbeSetup { lanes: 1, local: LocalSize::Driver, items: ITEMS, bytes: ITEMS * WORD_BYTES, is_consecutive: false },
        work: 0.0,
    };
    Probe::new(session, recipe)?.verify(&output, ITEMS, |_| 0)
}

/// Integers from here on are no longer bit for bit a half.
const NUMBERS: usize = 2048;

/// Proves that integers in 16-bit lanes are added and multiplied exactly as halves: every pair that can occur, with the functions that filters use.
///
/// # Errors
/// The kernel does not build or run, or the first result that is not exact.
pub fn half_lanes(session: &Session) -> Result<()> {
    let output = session.guarded_buffer(NUMBERS * WORD_BYTES)?;
    let probe = Probe::new(
        session,
        Recipe {
            file: "roofs/half_lanes.cl",
            defines: vec![("LANES", 2), ("INLINE_PTX", usize::from(Quirk::TakesPtx.is_of(session.info())))],
            buffers: vec![output.buffer()],
            numbers: vec![Number::size(NUMBERS)],
            setup: ProbeSetup { lanes: 1, local: LocalSize::Driver, items: NUMBERS, bytes: NUMBERS * WORD_BYTES, is_consecutive: false },
            work: 0.0,
        },
    )?;
    probe.verify(&output, NUMBERS, |_| 0)
}
