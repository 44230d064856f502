//! What the bus between host and device moves at most: one transfer from or to pinned memory.

use super::memory::{Field, word};
use super::probe::{WORD_BYTES, wrong};
use super::trial::Trials;
use crate::device::{Pinned, Poison, Session};
use base::error::Result;
use base::texts::failed;
use model::measure::{Again, Watched, doubt};
use model::{Budget, ProbeSetup, Roof};
use std::time::Instant;

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

/// Bytes per time of a transfer, which is compared before it is timed and after.
///
/// # Errors
/// Cancelled, wrong bytes, timestamps that are invalid or not believed, or the driver's refusal.
pub fn bus(session: &Session, field: &Field, trials: &mut Trials, direction: Direction) -> Result<Roof> {
    let bytes = BYTES.min(field.bytes);
    let mut pinned = session.pinned(bytes)?;
    let transfer = |pinned: &mut Pinned, len: usize| match direction {
        Direction::Upload => session.write_pinned(field.destination.buffer(), pinned, len),
        Direction::ReadBack => session.read_pinned(&field.source, pinned, len),
    };
    let right = |pinned: &mut Pinned| -> Result<()> {
        let poison = Poison::random();
        if direction == Direction::Upload {
            session.poison(field.destination.buffer(), &poison)?;
            let words = pinned.bytes_mut(session, bytes)?.as_chunks_mut::<WORD_BYTES>().0;
            words.iter_mut().enumerate().for_each(|(index, to)| *to = word(index).to_ne_bytes());
            transfer(pinned, bytes)?;
            let all = pinned.bytes_mut(session, bytes)?;
            poison.fill(all);
            session.read(field.destination.buffer(), all)?;
        } else {
            poison.fill(pinned.bytes_mut(session, bytes)?);
            transfer(pinned, bytes)?;
        }
        let found = pinned.bytes_mut(session, bytes)?.as_chunks::<WORD_BYTES>().0;
        found.iter().enumerate().try_for_each(|(index, &found)| wrong(index, u32::from_ne_bytes(found), word(index)).map_or(Ok(()), Err))
    };
    right(&mut pinned)?;
    let mut watched = Vec::new();
    let (time, busy) = trials.time(&Budget::default(), || {
        let begun = Instant::now();
        let times = transfer(&mut pinned, bytes)?;
        let device_ns = times.kernel_ns().ok_or_else(|| failed("errors.roofs.timestamps", &[]))?;
        watched.push(Watched { device_ns, host_ns: elapsed_ns(begun) });
        Ok(device_ns)
    })?;
    let mut several = |count: usize, len: usize| -> Result<u64> {
        let begun = Instant::now();
        (0..count).try_for_each(|_| transfer(&mut pinned, len).map(drop))?;
        Ok(elapsed_ns(begun))
    };
    trials.believe(doubt(&watched, |what, count| several(count, if what == Again::Runs { bytes } else { WORD_BYTES }))?)?;
    right(&mut pinned)?;
    Ok(Roof { work: bytes as f64, time, setup: ProbeSetup { bytes, ..ProbeSetup::default() }, busy })
}

fn elapsed_ns(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
