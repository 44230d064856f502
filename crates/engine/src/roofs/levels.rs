//! Reads of what was just read: one block for each compute unit, from few bytes to many. Each cache shows as a step of the curve, after Drepper, *What Every Programmer
//! Should Know About Memory*, 2007, section 3.3.2.

use super::memory::{Field, word};
use super::probe::{Choice, Number, Probe, Recipe, WORD_BYTES};
use super::trial::{Subject, Trials};
use crate::device::{DeviceKind, Session};
use base::error::Result;
use base::texts::failed;
use model::{LocalSize, ProbeSetup, Roof};

/// The smallest block: less than any first cache has.
const SMALLEST_BLOCK: usize = 8 << 10;

/// A launch reads at least so many bytes for each compute unit, so that its start is none of its time.
const LEAST_READ_BYTES: usize = 8 << 20;

/// So many work-items read on each compute unit of a GPU; on a core of a CPU, one group does.
const ITEMS_OF_A_GPU: usize = 1024;

/// Work-items of a group of a GPU's where the trial leaves that open: drivers allow as many of any kernel.
const GROUP_OF_A_GPU: usize = 256;

/// Reading blocks. Sizes are bytes of the block of one compute unit.
pub struct Blocks<'a> {
    pub session: &'a Session,
    pub field: &'a Field,
}

impl Blocks<'_> {
    fn units(&self) -> usize {
        self.session.info().compute_units.max(1) as usize
    }

    /// Blocks from few bytes to as many as there is room for.
    pub fn sizes(&self) -> impl Iterator<Item = usize> + use<> {
        let most = self.field.bytes / self.units();
        std::iter::successors(Some(SMALLEST_BLOCK), |size| Some(2 * size)).take_while(move |size| *size <= most)
    }

    /// A curve over all sizes. What is best for a small, a middle and the largest block is tried at each; sizes for which none of them runs are left out.
    ///
    /// # Errors
    /// Cancelled, or the driver's refusal.
    pub fn curve(&self, trials: &mut Trials) -> Result<Vec<Roof>> {
        let sizes: Vec<usize> = self.sizes().collect();
        let mut choices = Vec::new();
        for size in [sizes.first(), sizes.get(sizes.len() / 2), sizes.last()].into_iter().flatten() {
            let choice = trials.search(self, *size, *size)?;
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        let mut curve = Vec::with_capacity(sizes.len());
        let mut refused = None;
        for size in sizes {
            let mut best: Option<Roof> = None;
            for choice in &choices {
                match trials.brief(self, *choice, size) {
                    Err(error) if error.is_cancelled() => return Err(error),
                    // Groups that fit a small block may be too large for the kernel's registers where the block is not.
                    Err(error) => refused = Some(error),
                    Ok(roof) => best = best.filter(|best| best.rate() >= roof.rate()).or(Some(roof)),
                }
            }
            curve.extend(best);
        }
        match refused {
            Some(error) if curve.is_empty() => Err(error),
            _ => Ok(curve),
        }
    }
}

/// A power of two: the sum over all rounds is then known without going through them.
fn rounds(block: usize) -> usize {
    (LEAST_READ_BYTES / block).max(1).next_power_of_two()
}

impl<'a> Subject<'a> for Blocks<'a> {
    fn locals(&self) -> &'static [usize] {
        &[64, 256, 512]
    }

    fn probe(&self, choice: Choice, block: usize) -> Result<Probe<'a>> {
        let is_cpu = self.session.info().kind == DeviceKind::Cpu;
        let side = match choice.local {
            LocalSize::Explicit([side, _]) => side,
            LocalSize::Driver if is_cpu => 1,
            LocalSize::Driver => GROUP_OF_A_GPU,
        };
        // Several groups fill a GPU's compute unit; each has its part of the unit's block.
        let groups = if is_cpu { 1 } else { (ITEMS_OF_A_GPU / side.max(1)).max(1) };
        let pieces = block / groups / (choice.lanes * WORD_BYTES);
        let side = side.min(pieces);
        if side == 0 || block * self.units() > self.field.bytes {
            return Err(failed("errors.roofs.missing", &[("why", &block)]));
        }
        let rounds = rounds(block);
        Probe::new(
            self.session,
            Recipe {
                file: "roofs/levels.cl",
                defines: vec![("LANES", choice.lanes)],
                buffers: vec![&self.field.source, self.field.destination.buffer()],
                numbers: vec![Number::size(pieces), Number::size(rounds)],
                setup: ProbeSetup {
                    lanes: choice.lanes,
                    local: LocalSize::Explicit([side, 1]),
                    items: side * groups * self.units(),
                    bytes: block,
                    is_consecutive: false,
                },
                work: (block * self.units() * rounds) as f64,
            },
        )
    }

    fn verify(&self, probe: &Probe<'a>) -> Result<()> {
        let ProbeSetup { lanes, items, bytes, local, .. } = probe.setup;
        let side = if let LocalSize::Explicit([side, _]) = local { side } else { 1 };
        let (pieces, rounds) = (bytes * self.units() * side / items / (lanes * WORD_BYTES), rounds(bytes));
        probe.verify(&self.field.destination, items * lanes, |index| {
            let (item, lane) = (index / lanes, index % lanes);
            let (group, local) = (item / side, item % side);
            let numbers = (local..pieces).step_by(side).map(|piece| word((group * pieces + piece) * lanes + lane));
            numbers.fold(0, |sum, number| sum.wrapping_add(over_rounds(number, rounds)))
        })
    }
}

/// Σ (number ^ r) over r from 0 to `rounds` − 1, a power of two 2ᵏ, in 32 bits: the lowest k bits take each value once, so it is
/// 2ᵏ · (number without them) + 2ᵏ (2ᵏ − 1) / 2.
fn over_rounds(number: u32, rounds: usize) -> u32 {
    let rounds = rounds as u64;
    let high = u64::from(number) & !(rounds - 1);
    (high.wrapping_mul(rounds).wrapping_add(rounds * (rounds - 1) / 2)) as u32
}

#[cfg(test)]
mod tests {
    use super::over_rounds;

    #[test]
    fn the_sum_over_rounds_is_that_of_each_round() {
        for rounds in [1, 2, 64, 1024] {
            for number in [0, 1, 0x1234_5678, u32::MAX] {
                let sum = (0..rounds as u32).fold(0_u32, |sum, round| sum.wrapping_add(number ^ round));
                assert_eq!(over_rounds(number, rounds), sum, "{number} {rounds}");
            }
        }
    }
}
