//! What the bus between host and device moves at most: one transfer from or to pinned memory.

use super::memory::{Field, word};
use super::probe::{POISON, WORD_BYTES, wrong};
use super::trial::Trials;
use crate::device::{EventTimes, Pinned, Session};
use crate::error::Result;
use crate::model::{Budget, ProbeSetup, Roof};
use crate::texts::failed;

/// Bytes of a transfer: so many that its start costs next to nothing.
const BYTES: usize = 64 << 20;

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the device.
    Upload,
    /// From the device.
    ReadBack,
}

/// Bytes per time of a transfer, which is compared before it is timed.
///
/// # Errors
/// Cancelled, wrong bytes, invalid timestamps, or the driver's refusal.
pub fn bus(session: &Session, field: &Field, trials: &mut Trials, direction: Direction) -> Result<Roof> {
    let bytes = BYTES.min(field.bytes);
    let mut pinned = session.pinned(bytes)?;
    let transfer = |pinned: &mut Pinned| match direction {
        Direction::Upload => session.write_pinned(field.destination.buffer(), pinned, bytes),
        Direction::ReadBack => session.read_pinned(&field.source, pinned, bytes),
    };
    if direction == Direction::Upload {
        session.fill(field.destination.buffer(), POISON)?;
        let words = pinned.bytes_mut(session, bytes)?.as_chunks_mut::<WORD_BYTES>().0;
        words.iter_mut().enumerate().for_each(|(index, to)| *to = word(index).to_ne_bytes());
        transfer(&mut pinned)?;
        pinned.bytes_mut(session, bytes)?.fill(0);
        session.read(field.destination.buffer(), pinned.bytes_mut(session, bytes)?)?;
    } else {
        transfer(&mut pinned)?;
    }
    let found = pinned.bytes_mut(session, bytes)?.as_chunks::<WORD_BYTES>().0;
    found.iter().enumerate().try_for_each(|(index, &found)| wrong(index, u32::from_ne_bytes(found), word(index)).map_or(Ok(()), Err))?;
    let untrue = || failed("errors.roofs.timestamps", &[]);
    let (time, busy) =
        trials.time(&Budget::default(), || transfer(&mut pinned).and_then(|times: EventTimes| times.kernel_ns().ok_or_else(untrue)))?;
    Ok(Roof { work: bytes as f64, time, setup: ProbeSetup { bytes, ..ProbeSetup::default() }, busy })
}
