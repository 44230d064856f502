//! What chains of operations come to, computed on the host.

use super::memory::word;
use model::OperationClass;
use std::cell::Cell;

/// Chains of a work-item that do not wait for each other: `CHAINS` of the kernels.
pub const CHAINS: usize = 8;

/// The same of minima and maxima, and of loads from local memory: more of the widest would not stay in a processor's registers.
pub const FEW_CHAINS: usize = 4;

/// Rounds of a step: `ROUNDS` of the kernels.
pub const ROUNDS: usize = 8;

/// Starts that are told apart.
pub const STARTS: usize = 32;

/// Numbers of 32 bits that the widest work-items begin with, in all starts.
pub const START_WORDS: usize = STARTS * CHAINS * 16;

/// Floats begin with whole numbers up to this one.
const LARGEST_START: usize = 60;

/// Places at which a round of loads from local memory may begin: `SPAN` of the kernel.
pub const SPAN: usize = 64;

/// Pieces between the places of two rounds: odd, so that all places come in turn.
pub const STRIDE: usize = 5;

/// Number `index` of what chains of floats begin with.
pub fn start(index: usize) -> u32 {
    (index * 7 % (LARGEST_START + 1)) as u32
}

/// What distinguishes the outputs of work-items.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Number of its start; in probes of local memory its number in the group.
    pub start: usize,
    /// Which number of its pieces.
    pub lane: usize,
    /// Numbers of a piece.
    pub lanes: usize,
}

/// The output of a work-item after so many rounds.
pub fn outcome(class: OperationClass, item: Item, rounds: usize) -> u32 {
    match class {
        OperationClass::IntegerAdd => of_pairs(
            item,
            rounds,
            0,
            each(|lower, higher| {
                *lower = lower.wrapping_add(*higher);
                *higher = higher.wrapping_add(*lower);
            }),
        ),
        OperationClass::IntegerLogic => of_pairs(
            item,
            rounds,
            0,
            each(|lower, higher| {
                *lower ^= *higher << 5;
                *higher ^= *lower >> 3;
            }),
        ),
        OperationClass::IntegerMultiply => of_pairs(
            item,
            rounds,
            1,
            each(|lower, higher| {
                *lower = lower.wrapping_mul(*higher);
                *higher = higher.wrapping_mul(*lower);
            }),
        ),
        OperationClass::IntegerMinMax => of_pairs(item, rounds, 0, |pairs: &mut Pairs<FEW_CHAINS>| {
            [&mut pairs.lower, &mut pairs.higher].into_iter().for_each(exchange_around);
        }),
        OperationClass::IntegerMultiplyAdd => of_pairs(item, rounds, 0, multiply_and_add),
        OperationClass::LocalMemory => of_tile(item, rounds),
        // Each round adds 1 to every number.
        _ => (0..CHAINS).map(|chain| start((item.start * CHAINS + chain) * item.lanes + item.lane) + rounds as u32).sum(),
    }
}

/// The pairs of a work-item.
struct Pairs<const COUNT: usize> {
    lower: [u32; COUNT],
    higher: [u32; COUNT],
}

/// All numbers in one, in which the place of each counts, as the kernels do it.
fn combined(numbers: impl Iterator<Item = u32>) -> u32 {
    numbers.fold(0, |all, number| all.wrapping_mul(31).wrapping_add(number))
}

/// What pairs come to after so many rounds, where `bits` are set in what they begin with.
fn of_pairs<const COUNT: usize>(item: Item, rounds: usize, bits: u32, round: impl Fn(&mut Pairs<COUNT>)) -> u32 {
    let at = |piece: usize| word((item.start * 2 * COUNT + piece) * item.lanes + item.lane) | bits;
    let mut pairs = Pairs { lower: std::array::from_fn(|chain| at(2 * chain)), higher: std::array::from_fn(|chain| at(2 * chain + 1)) };
    for _ in 0..rounds {
        round(&mut pairs);
    }
    combined(pairs.lower.into_iter().zip(pairs.higher).flat_map(|(lower, higher)| [lower, higher]))
}

/// A round in which each pair is by itself.
fn each(operation: impl Fn(&mut u32, &mut u32)) -> impl Fn(&mut Pairs<CHAINS>) {
    move |pairs| pairs.lower.iter_mut().zip(&mut pairs.higher).for_each(|(lower, higher)| operation(lower, higher))
}

/// The numbers of a ring, each with the one behind it; behind the last comes the first.
fn around(ring: &[Cell<u32>]) -> impl Iterator<Item = [&Cell<u32>; 2]> {
    ring.iter().zip(ring.iter().cycle().skip(1)).map(|(own, next)| [own, next])
}

fn cells(ring: &mut [u32]) -> &[Cell<u32>] {
    Cell::from_mut(ring).as_slice_of_cells()
}

/// The smaller of two neighbors stays, the larger goes on.
fn exchange_around<const COUNT: usize>(ring: &mut [u32; COUNT]) {
    for [own, next] in around(cells(ring)) {
        let (first, second) = (own.get(), next.get());
        own.set(first.min(second));
        next.set(first.max(second));
    }
}

fn multiply_and_add(pairs: &mut Pairs<CHAINS>) {
    for ([lower, next_lower], [higher, next_higher]) in around(cells(&mut pairs.lower)).zip(around(cells(&mut pairs.higher))) {
        lower.set(lower.get().wrapping_mul(higher.get()).wrapping_add(next_lower.get()));
        higher.set(higher.get().wrapping_mul(lower.get()).wrapping_add(next_higher.get()));
    }
}

/// Sums of what lies in the tile from the item's place on.
fn of_tile(Item { start, lane, lanes }: Item, rounds: usize) -> u32 {
    let mut visits = [0_u32; SPAN];
    for round in 1..=rounds {
        if let Some(visits) = visits.get_mut(round * STRIDE % SPAN) {
            *visits += 1;
        }
    }
    combined((0..FEW_CHAINS).map(|chain| {
        let at = |place: usize| word((start + place + chain * (SPAN / FEW_CHAINS)) * lanes + lane);
        visits.iter().enumerate().fold(0_u32, |sum, (place, &visits)| sum.wrapping_add(at(place).wrapping_mul(visits)))
    }))
}

#[cfg(test)]
mod tests {
    use super::{CHAINS, Pairs, exchange_around, multiply_and_add};

    #[test]
    fn the_largest_of_a_ring_goes_around_and_the_others_move_back() {
        let mut ring = [3, 8, 1, 7, 2, 6, 5, 4];
        exchange_around(&mut ring);
        // 8 went to the end, where it met the first one.
        assert_eq!(ring, [8, 1, 7, 2, 6, 5, 4, 3]);
        exchange_around(&mut ring);
        assert_eq!(ring, [8, 7, 2, 6, 5, 4, 3, 1]);
    }

    #[test]
    fn products_take_in_the_next_chain_as_it_is_by_then() {
        let mut pairs = Pairs { lower: [2; CHAINS], higher: [3; CHAINS] };
        multiply_and_add(&mut pairs);
        // 2 · 3 + 2 = 8 and 3 · 8 + 3 = 27; the last chain meets the first one's new numbers.
        assert_eq!((pairs.lower, pairs.higher), ([8, 8, 8, 8, 8, 8, 8, 14], [27, 27, 27, 27, 27, 27, 27, 3 * 14 + 27]));
    }
}
