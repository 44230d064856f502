//! Probes of arithmetic: long chains of which the host knows the result.

use super::memory::{Field, word};
use super::missing;
use super::probe::{Choice, Number, Probe, Recipe, WORD_BYTES};
use super::trial::{Subject, Trials, doubted};
use crate::device::{Access, Buffer, DeviceKind, Session};
use crate::error::Result;
use crate::model::{Budget, ProbeSetup, Roof, RoofKind};
use crate::texts::filled;

/// What is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers of 32 bits.
    Integer,
    /// `float`.
    Float,
    /// `half`.
    Half,
}

impl Kind {
    /// The roof that it gives.
    pub fn roof(self) -> RoofKind {
        match self {
            Self::Integer => RoofKind::IntegerAdd,
            Self::Float => RoofKind::FloatMultiplyAdd,
            Self::Half => RoofKind::HalfMultiplyAdd,
        }
    }
}

/// Chains of a work-item that do not wait for each other: `CHAINS` of the kernels.
const CHAINS: usize = 8;

/// Rounds of a step: `ROUNDS` of the kernels.
const ROUNDS: usize = 8;

/// Steps of a run. Twice as many are 1024 rounds, and half precision holds 1024 + [`LARGEST_START`].
const STEPS: usize = 64;

/// Starts that are told apart.
const STARTS: usize = 32;

/// Floats begin with whole numbers up to this one.
const LARGEST_START: usize = 60;

/// A run lasts at least so long, far more than its launch.
const LEAST_NS: u64 = 2_000_000;

/// Work-items that the first trial has.
const FIRST_ITEMS: usize = 1 << 12;

/// Twice the steps have to take at least so many times as long.
const LEAST_GROWTH: f64 = 1.5;

/// Chains of additions, or of multiplications and additions.
pub struct Arithmetic<'a> {
    session: &'a Session,
    field: &'a Field,
    kind: Kind,
    /// What chains of floats begin with.
    starts: Buffer,
}

impl<'a> Arithmetic<'a> {
    /// With its starts uploaded.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn new(session: &'a Session, field: &'a Field, kind: Kind) -> Result<Self> {
        let words = STARTS * CHAINS * 16;
        let bytes: Vec<u8> = (0..words).flat_map(|index| start(index).to_ne_bytes()).collect();
        let starts = session.buffer(bytes.len(), Access::Read)?;
        session.write(&starts, &bytes)?;
        Ok(Self { session, field, kind, starts })
    }

    /// A probe of so many steps.
    pub fn of_steps(&self, choice: Choice, items: usize, steps: usize) -> Result<Probe<'_>> {
        let Choice { lanes, local, is_consecutive } = choice;
        // A work-item writes a piece.
        let items = items.min(self.field.bytes / WORD_BYTES / lanes);
        let (file, half, starts, per_round) = match self.kind {
            Kind::Integer => ("roofs/add.cl", None, &self.field.source, 2),
            Kind::Float => ("roofs/multiply_add.cl", Some(0), &self.starts, 4),
            Kind::Half => ("roofs/multiply_add.cl", Some(1), &self.starts, 4),
        };
        let mut defines = vec![("LANES", lanes), ("CHAINS", CHAINS), ("ROUNDS", ROUNDS)];
        defines.extend(half.map(|half| ("HALF", half)));
        let mut numbers = vec![Number::size(steps)];
        if half.is_some() {
            numbers.extend([-1.0, 3.0, 4.0].map(Number::Float));
        }
        Probe::new(
            self.session,
            Recipe {
                file,
                defines,
                buffers: vec![starts, self.field.destination.buffer()],
                numbers,
                setup: ProbeSetup { lanes, local, items, bytes: 0, is_consecutive },
                work: (per_round * CHAINS * ROUNDS * steps * lanes) as f64 * items as f64,
            },
        )
    }

    /// Compares with what the chains come to after so many steps.
    fn verify_steps(&self, probe: &Probe, steps: usize) -> Result<()> {
        let (lanes, rounds) = (probe.setup.lanes, steps * ROUNDS);
        let of_start = |start: usize, lane: usize| match self.kind {
            Kind::Integer => sum_of_pairs(start, lane, lanes, rounds),
            Kind::Float | Kind::Half => (0..CHAINS).map(|chain| self::start((start * CHAINS + chain) * lanes + lane) + rounds as u32).sum(),
        };
        let results: Vec<u32> = (0..STARTS * lanes).map(|index| of_start(index / lanes, index % lanes)).collect();
        probe.verify(&self.field.destination, probe.setup.items * lanes, |index| {
            results.get(index % results.len()).copied().unwrap_or_default()
        })
    }
}

/// Number `index` of what chains of floats begin with.
fn start(index: usize) -> u32 {
    (index * 7 % (LARGEST_START + 1)) as u32
}

/// What the pairs of a work-item come to after so many rounds, all of them together by exclusive or. A round is (a, b) → (a + b, a + 2 b): after n of them a is
/// a sum of both starts, each so many times as the same rounds make of (1, 0) and of (0, 1).
fn sum_of_pairs(start: usize, lane: usize, lanes: usize, rounds: usize) -> u32 {
    let after = |mut pair: (u32, u32)| {
        for _ in 0..rounds {
            pair.0 = pair.0.wrapping_add(pair.1);
            pair.1 = pair.1.wrapping_add(pair.0);
        }
        pair
    };
    let (of_lower, of_higher) = (after((1, 0)), after((0, 1)));
    let times = |a: u32, b: u32, lower: u32, higher: u32| a.wrapping_mul(lower).wrapping_add(b.wrapping_mul(higher));
    (0..CHAINS).fold(0, |all, chain| {
        let first = (start * 2 * CHAINS + 2 * chain) * lanes + lane;
        let (lower, higher) = (word(first), word(first + lanes));
        all ^ times(of_lower.0, of_higher.0, lower, higher) ^ times(of_lower.1, of_higher.1, lower, higher)
    })
}

/// So that the trait's lifetime is that of the borrow.
impl<'a> Subject<'a> for &'a Arithmetic<'_> {
    fn lanes(&self) -> &'static [usize] {
        // Wide vectors fill the registers of a processor's SIMD units, and overflow those of a GPU.
        if self.session.info().kind == DeviceKind::Cpu { &[8, 1, 4, 16] } else { &[1, 2, 4] }
    }

    fn probe(&self, choice: Choice, items: usize) -> Result<Probe<'a>> {
        self.of_steps(choice, items, STEPS)
    }

    fn verify(&self, probe: &Probe<'a>) -> Result<()> {
        self.verify_steps(probe, STEPS)
    }
}

impl Trials<'_> {
    /// The best choice, measured over enough work-items.
    ///
    /// # Errors
    /// Cancelled; no choice runs, the output is wrong, or the compiler found a way around the work.
    pub fn best_of(&mut self, arithmetic: &Arithmetic) -> Result<Roof> {
        let subject = &arithmetic;
        let enough = |choice: Choice| -> Result<usize> {
            let mut items = FIRST_ITEMS;
            loop {
                let probe = arithmetic.of_steps(choice, items, STEPS)?;
                // The second run: the first may compile.
                probe.run()?;
                if probe.run()? >= LEAST_NS || probe.setup.items < items {
                    return Ok(probe.setup.items);
                }
                // With times that are far too short this would go on for long.
                probe.doubt()?.map_or(Ok(()), |doubt| Err(doubted(&doubt)))?;
                items *= 2;
            }
        };
        let widest = subject.lanes().first().copied().unwrap_or(1);
        let items = enough(Choice { lanes: widest, local: crate::model::LocalSize::Driver, is_consecutive: false })?;
        let choice = self.search(subject, items, FIRST_ITEMS)?;
        let items = enough(choice)?;
        let probe = arithmetic.of_steps(choice, items, STEPS)?;
        arithmetic.verify_steps(&probe, STEPS)?;
        let roof = self.roof(&probe, &Budget::default())?;
        arithmetic.verify_steps(&probe, STEPS)?;
        let twice = arithmetic.of_steps(choice, items, 2 * STEPS)?;
        arithmetic.verify_steps(&twice, 2 * STEPS)?;
        let (time, _) = self.time(&Budget { sample_ns: 50_000_000, ..Budget::default() }, || twice.run())?;
        let growth = time.min_ns / roof.time.min_ns;
        if growth < LEAST_GROWTH {
            return Err(missing(&filled("roofs.measuring.grew", &[("growth", &format!("{growth:.2}"))])));
        }
        Ok(roof)
    }
}

#[cfg(test)]
mod tests {
    use super::{CHAINS, sum_of_pairs, word};

    #[test]
    fn the_sum_of_pairs_is_what_the_rounds_come_to() {
        let (start, lane, lanes, rounds) = (3, 1, 2, 5);
        let mut all = 0;
        for chain in 0..CHAINS {
            // Pairs of pieces of two numbers.
            let at = |piece: usize| word((start * 2 * CHAINS + 2 * chain + piece) * lanes + lane);
            let (mut lower, mut higher) = (at(0), at(1));
            for _ in 0..rounds {
                lower = lower.wrapping_add(higher);
                higher = higher.wrapping_add(lower);
            }
            all ^= lower ^ higher;
        }
        assert_eq!(sum_of_pairs(start, lane, lanes, rounds), all);
    }
}
