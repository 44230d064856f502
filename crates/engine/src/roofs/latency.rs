//! What does not depend on how much is done: the start of a kernel, and the wait for a load, from few bytes to many and in several orders (Drepper, *What Every
//! Programmer Should Know About Memory*, 2007, section 3.3.2).
//!
//! Four chains lie in one buffer, side by side: three that go on by so many bytes, and one without a pattern. A mask keeps each of them within the first bytes.
//! The one without a pattern goes from line l to line a·l + c, a linear congruential generator: of a power of two it visits every line (Hull and Dobell, 1962: c odd, a − 1
//! a multiple of 4), also where the mask makes that a smaller one.

use super::memory::Field;
use super::probe::{Number, Probe, Recipe, WORD_BYTES};
use super::trial::{BRIEF, Trials};
use crate::device::Session;
use base::error::Result;
use model::{Budget, LocalSize, ProbeSetup, Roof, Wait};

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

/// Numbers of a line: no cache has longer ones.
const LINE_WORDS: usize = 32;

/// The generator of *Numerical Recipes*.
const FACTOR: usize = 1_664_525;
const TERM: usize = 1_013_904_223;

/// In which order the chains go on: by so many bytes, or without a pattern.
const ORDERS: [Option<usize>; 4] = [None, Some(16), Some(64), Some(256)];

/// Loads of a short run.
const STEPS: usize = 4096;

/// A run lasts at least so long, and has at most so many loads.
const LEAST_NS: u64 = 1_000_000;
const MOST_STEPS: usize = 1 << 20;

/// Bytes of the shortest chains.
const SMALLEST_BYTES: usize = 4 << 10;

/// Chains over more than this are not followed to their end before they are measured: no cache holds them.
const MOST_WARMED_BYTES: usize = 128 << 20;

/// What number `index` leads to, within a power of two of numbers. The chain of order o has number o and every so many further ones.
fn next(index: usize, words: usize) -> usize {
    let is_of = |order: usize, stride: usize| index % stride == order;
    let next = if is_of(0, LINE_WORDS) {
        (index / LINE_WORDS).wrapping_mul(FACTOR).wrapping_add(TERM).wrapping_mul(LINE_WORDS)
    } else {
        let strides = ORDERS.into_iter().enumerate().filter_map(|(order, bytes)| Some((order, bytes? / WORD_BYTES)));
        strides.into_iter().find(|(order, stride)| is_of(*order, *stride)).map_or(0, |(_, stride)| index + stride)
    };
    next & (words - 1)
}

/// Where a chain comes to from `place` after so many steps.
fn followed(place: usize, steps: usize, words: usize) -> usize {
    (0..steps).fold(place, |place, _| next(place, words))
}

/// Chains of loads that wait for each other.
pub struct Waiting<'a> {
    field: &'a Field,
    probe: std::cell::RefCell<Probe<'a>>,
}

impl<'a> Waiting<'a> {
    /// With the chains in the source, which are written over it.
    ///
    /// # Errors
    /// As [`launch`].
    pub fn new(session: &'a Session, field: &'a Field) -> Result<Self> {
        let words = field.bytes / WORD_BYTES;
        field.fill(session, |index| next(index, words) as u32)?;
        let recipe = Recipe {
            file: "roofs/latency.cl",
            defines: Vec::new(),
            buffers: vec![&field.source, field.destination.buffer()],
            numbers: Vec::new(),
            setup: ProbeSetup { lanes: 1, local: LocalSize::Driver, items: 1, bytes: 0, is_consecutive: false },
            work: 0.0,
        };
        Ok(Self { field, probe: Probe::new(session, recipe)?.into() })
    }

    /// Time of a load from memory that waits for the one before.
    ///
    /// # Errors
    /// As [`launch`].
    pub fn load(&self, trials: &mut Trials) -> Result<Roof> {
        self.wait(0, self.field.bytes, &Budget { max_samples: 100, ..Budget::default() }, trials)
    }

    /// The same from few bytes to many, in every order, each measured briefly.
    ///
    /// # Errors
    /// As [`launch`].
    pub fn curves(&self, trials: &mut Trials) -> Result<Vec<Wait>> {
        let sizes = std::iter::successors(Some(SMALLEST_BYTES), |size| Some(2 * size)).take_while(|size| *size <= self.field.bytes);
        let mut waits = Vec::new();
        for bytes in sizes {
            if bytes <= MOST_WARMED_BYTES {
                let words = bytes / WORD_BYTES;
                self.probe.borrow().run_with(&numbers(0, words / LINE_WORDS, words))?;
            }
            for (order, stride_bytes) in ORDERS.into_iter().enumerate() {
                waits.push(Wait { stride_bytes, roof: self.wait(order, bytes, &BRIEF, trials)? });
            }
        }
        waits.sort_by_key(|wait| wait.stride_bytes);
        Ok(waits)
    }

    fn wait(&self, order: usize, bytes: usize, budget: &Budget, trials: &mut Trials) -> Result<Roof> {
        let words = bytes / WORD_BYTES;
        let mut steps = STEPS;
        let set = |steps: usize| {
            let mut probe = self.probe.borrow_mut();
            probe.setup.bytes = bytes;
            probe.resize(1, numbers(order, steps, words), steps as f64);
        };
        set(steps);
        // The second run: the first may compile.
        self.probe.borrow().run()?;
        while self.probe.borrow().run()? < LEAST_NS && steps < MOST_STEPS {
            steps *= 4;
            set(steps);
        }
        let probe = self.probe.borrow();
        let verify = || probe.verify(&self.field.destination, 1, |_| followed(order, steps, words) as u32);
        verify()?;
        // Each run goes on where the last one ended: of a chain that no cache holds, the beginning would be in one.
        let mut first = followed(order, steps, words);
        let (time, busy) = trials.time(budget, || {
            let time = probe.run_with(&numbers(first, steps, words));
            first = followed(first, steps, words);
            time
        })?;
        verify()?;
        trials.believe(probe.doubt()?)?;
        Ok(Roof { work: probe.work, time, setup: probe.setup, busy })
    }
}

/// Arguments: where a chain begins, how many loads, and the mask of so many numbers.
fn numbers(first: usize, steps: usize, words: usize) -> Vec<Number> {
    [first, steps, words - 1].map(Number::size).to_vec()
}

#[cfg(test)]
mod tests {
    use super::{LINE_WORDS, ORDERS, followed, next};
    use crate::roofs::probe::WORD_BYTES;
    use std::collections::BTreeSet;

    #[test]
    fn each_chain_visits_all_of_its_places_and_no_others() {
        for words in [1 << 10, 1 << 14] {
            for (order, stride_bytes) in ORDERS.into_iter().enumerate() {
                let stride = stride_bytes.map_or(LINE_WORDS, |bytes| bytes / WORD_BYTES);
                let places: BTreeSet<usize> = (0..words / stride).map(|steps| followed(order, steps, words)).collect();
                assert_eq!(places, (order..words).step_by(stride).collect(), "{stride_bytes:?}");
                assert_eq!(followed(order, words / stride, words), order, "and comes back");
                // The mask makes a smaller chain of a larger one.
                assert!(places.iter().all(|&place| next(place, 1 << 20) & (words - 1) == next(place, words)));
            }
        }
    }

    #[test]
    fn the_one_without_a_pattern_has_none() {
        let places: Vec<usize> = (0..64).map(|steps| followed(0, steps, 1 << 16)).collect();
        let steps: BTreeSet<usize> = places.windows(2).map(|pair| pair[1].abs_diff(pair[0])).collect();
        assert!(steps.len() > 50, "{steps:?}");
    }
}
