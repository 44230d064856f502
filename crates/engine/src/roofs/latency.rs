//! What does not depend on how much is done: the start of a kernel, and the wait for a load.

use super::memory::Field;
use super::probe::{Number, Probe, Recipe, WORD_BYTES};
use super::trial::Trials;
use crate::device::Session;
use base::error::Result;
use model::{Budget, LocalSize, ProbeSetup, Roof};

/// One small group.
const LAUNCHED_ITEMS: usize = 64;

/// What they write.
const WRITTEN: i32 = 0x0102_0304;

/// Kernel time of a kernel that has next to nothing to do.
///
/// # Errors
/// Cancelled, its output is wrong, or the driver's refusal.
pub fn launch(session: &Session, field: &Field, trials: &mut Trials) -> Result<Roof> {
    let recipe = Recipe {
        file: "roofs/launch.cl",
        defines: Vec::new(),
        buffers: vec![field.destination.buffer()],
        numbers: vec![Number::Int(WRITTEN)],
        setup: ProbeSetup { lanes: 1, local: LocalSize::Driver, items: LAUNCHED_ITEMS, bytes: 0, is_consecutive: false },
        work: 1.0,
    };
    let probe = Probe::new(session, recipe)?;
    let verify = || probe.verify(&field.destination, LAUNCHED_ITEMS, |_| WRITTEN.cast_unsigned());
    verify()?;
    let roof = trials.roof(&probe, &Budget::default())?;
    verify()?;
    Ok(roof)
}

/// Numbers between two places of the chain: no two of them share a cache line.
const APART_WORDS: usize = 32;

/// Loads of a run.
const STEPS: usize = 4096;

/// Time of a load from memory that waits for the one before. Overwrites the source.
///
/// # Errors
/// As [`launch`].
pub fn load(session: &Session, field: &Field, trials: &mut Trials) -> Result<Roof> {
    let order = shuffled(field.bytes / WORD_BYTES / APART_WORDS);
    let place = |index: usize| order.get(index % order.len()).map_or(0, |&place| place * APART_WORDS);
    let mut next = vec![0_u32; order.len()];
    for (index, &own) in order.iter().enumerate() {
        if let Some(next) = next.get_mut(own) {
            *next = place(index + 1) as u32;
        }
    }
    field.fill(session, |index| if index % APART_WORDS == 0 { next.get(index / APART_WORDS).copied().unwrap_or(0) } else { 0 })?;
    let recipe = Recipe {
        file: "roofs/latency.cl",
        defines: Vec::new(),
        buffers: vec![&field.source, field.destination.buffer()],
        numbers: vec![Number::size(place(0)), Number::size(STEPS)],
        setup: ProbeSetup { lanes: 1, local: LocalSize::Driver, items: 1, bytes: field.bytes, is_consecutive: false },
        work: STEPS as f64,
    };
    let probe = Probe::new(session, recipe)?;
    let verify = || probe.verify(&field.destination, 1, |_| place(STEPS) as u32);
    verify()?;
    // Each run goes on where the last one ended: a chain that was followed before is in a cache.
    let mut first = STEPS;
    let (time, busy) = trials.time(&Budget { max_samples: 100, ..Budget::default() }, || {
        first += STEPS;
        probe.run_with(&[Number::size(place(first)), Number::size(STEPS)])
    })?;
    verify()?;
    trials.believe(probe.doubt()?)?;
    Ok(Roof { work: probe.work, time, setup: probe.setup, busy })
}

/// The numbers below `count` in an order without a pattern (Fisher and Yates), the same every time.
fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = 1_u64;
    for last in (1..count).rev() {
        // Knuth's linear congruential generator; its high bits are the good ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(last, (state >> 33) as usize % (last + 1));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::shuffled;

    #[test]
    fn an_order_has_every_number_once() {
        let mut order = shuffled(1000);
        assert_ne!(order, (0..1000).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>());
    }
}
