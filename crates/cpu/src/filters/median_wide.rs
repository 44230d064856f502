//! Median of 5 × 5 or 7 × 7 on the CPU, without a branch. Each column is put in order once for all squares that it is part of, then each rank along the
//! row, which leaves columns in order: no value above or to the left of another is higher. A value that has more than half of all others on one side by this
//! alone is not the median: 13 of 25 values are left, and 29 of 49. Their median takes few more comparisons, as much of their order is known.

use crate::Job;
use crate::window::Window;

/// Bytes of a row that are computed at a time: the columns in order stay in the first-level cache.
const BLOCK: usize = 512;

/// Bytes that a comparison takes at a time. Of 32, the compiler makes no vectors: measured, they take eleven times as long.
const LANES: usize = 64;

/// Bytes of a row of columns that a block reads: up to six pixels more.
const REACH: usize = BLOCK + LANES;

/// Computes the median of 5 × 5 for a radius of 2, of 7 × 7 for one of 3.
pub fn run(job: Job, radius_px: usize) {
    if radius_px == 2 { job.window(&MedianWide(Five)) } else { job.window(&MedianWide(Seven)) }
}

/// The arithmetic.
struct MedianWide<Square>(Square);

/// Neighboring bytes of a row.
type Lanes = [u8; LANES];

/// Comparisons for a square of `SIDE` × `SIDE`, as many at a time as there are lanes.
trait Network<const SIDE: usize>: Sync {
    /// The same values, the lowest first.
    fn in_order(values: [Lanes; SIDE]) -> [Lanes; SIDE];

    /// [`row_in_order`] of each rank, written out: the compiler would not unroll a loop, and then could not leave out the comparisons of which nothing is used.
    fn rows_in_order(ranks: &[[u8; REACH]; SIDE], start: usize, channels: usize) -> [[Lanes; SIDE]; SIDE];

    /// The median of a square whose rows and columns are in order, row by row.
    fn median(values: [[Lanes; SIDE]; SIDE]) -> Lanes;
}

impl<Square: Network<SIDE>, const SIDE: usize> Window<SIDE> for MedianWide<Square> {
    #[inline(always)]
    fn byte(&self, square: &[[u8; SIDE]; SIDE]) -> u8 {
        let mut square = *square;
        *square.as_flattened_mut().select_nth_unstable(SIDE * SIDE / 2).1
    }

    #[inline(always)]
    fn strip(&self, rows: [&[u8]; SIDE], channels: usize, out: &mut [u8]) {
        let mut ranks = [[0; REACH]; SIDE];
        for (index, out) in out.chunks_mut(BLOCK).enumerate() {
            let length = out.len() + (SIDE - 1) * channels;
            for start in (0..length).step_by(LANES) {
                let mut column = [[0; LANES]; SIDE];
                for (value, row) in column.iter_mut().zip(&rows) {
                    *value = lanes_or_zeros(row, index * BLOCK + start);
                }
                for (rank, value) in ranks.iter_mut().zip(&Square::in_order(column)) {
                    if let Some(place) = rank.get_mut(start..start + LANES) {
                        place.copy_from_slice(value);
                    }
                }
            }
            for (block, out) in out.chunks_mut(LANES).enumerate() {
                let median = Square::median(Square::rows_in_order(&ranks, block * LANES, channels));
                if let Some(out) = out.first_chunk_mut() {
                    *out = median;
                } else if let Some(median) = median.get(..out.len()) {
                    out.copy_from_slice(median);
                }
            }
        }
    }
}

/// The values of a rank in a square that begins at `start`, the lowest first.
#[inline(always)]
fn row_in_order<Square: Network<SIDE>, const SIDE: usize>(rank: &[u8; REACH], start: usize, channels: usize) -> [Lanes; SIDE] {
    let mut row = [[0; LANES]; SIDE];
    for (column, value) in row.iter_mut().enumerate() {
        *value = lanes(rank, start + column * channels);
    }
    Square::in_order(row)
}

/// Those from `start` on.
#[inline(always)]
fn lanes(row: &[u8], start: usize) -> Lanes {
    row.get(start..start + LANES).and_then(|lanes| lanes.first_chunk()).copied().unwrap_or([0; LANES])
}

/// The same; zeros for what is beyond the end, of which nothing is kept.
#[inline(always)]
fn lanes_or_zeros(row: &[u8], start: usize) -> Lanes {
    if start + LANES <= row.len() {
        return lanes(row, start);
    }
    let mut lanes = [0; LANES];
    for (place, &byte) in lanes.iter_mut().zip(row.get(start..).unwrap_or_default()) {
        *place = byte;
    }
    lanes
}

/// The lower ones.
#[inline(always)]
fn least(first: &Lanes, second: &Lanes) -> Lanes {
    let mut least = *first;
    for (least, &second) in least.iter_mut().zip(second) {
        *least = (*least).min(second);
    }
    least
}

/// The higher ones.
#[inline(always)]
fn most(first: &Lanes, second: &Lanes) -> Lanes {
    let mut most = *first;
    for (most, &second) in most.iter_mut().zip(second) {
        *most = (*most).max(second);
    }
    most
}

/// Puts the lower value of each pair of places first.
macro_rules! order {
    ($values:ident: $($first:literal $second:literal),+) => {
        $(
            let (low, high) = (least(&$values[$first], &$values[$second]), most(&$values[$first], &$values[$second]));
            ($values[$first], $values[$second]) = (low, high);
        )+
    };
}

/// The same for places of a square: row and column of the first, and of the second.
macro_rules! order_places {
    ($values:ident: $($row:literal $column:literal $other_row:literal $other_column:literal),+) => {
        $(
            let (first, second) = ($values[$row][$column], $values[$other_row][$other_column]);
            ($values[$row][$column], $values[$other_row][$other_column]) = (least(&first, &second), most(&first, &second));
        )+
    };
}

/// 5 × 5.
struct Five;

impl Network<5> for Five {
    #[inline(always)]
    fn in_order(mut values: [Lanes; 5]) -> [Lanes; 5] {
        order!(values: 0 1, 3 4, 2 4, 2 3, 1 4, 0 3, 0 2, 1 3, 1 2);
        values
    }

    #[inline(always)]
    fn rows_in_order([r0, r1, r2, r3, r4]: &[[u8; REACH]; 5], start: usize, channels: usize) -> [[Lanes; 5]; 5] {
        [
            row_in_order::<Self, 5>(r0, start, channels),
            row_in_order::<Self, 5>(r1, start, channels),
            row_in_order::<Self, 5>(r2, start, channels),
            row_in_order::<Self, 5>(r3, start, channels),
            row_in_order::<Self, 5>(r4, start, channels),
        ]
    }

    #[inline(always)]
    fn median(mut values: [[Lanes; 5]; 5]) -> Lanes {
        order_places!(values:
            1 4 3 2, 2 2 1 3, 1 4 0 3, 1 4 2 1, 2 3 3 2, 0 3 3 1, 1 2 0 3, 1 2 2 1, 3 1 2 3, 0 4 3 1, 0 3 1 3, 2 1 2 2, 0 4 0 3,
            0 4 2 1, 1 3 3 1, 4 0 1 3, 0 3 2 2, 4 0 0 3, 4 0 2 1, 2 2 1 3, 4 1 2 2, 0 3 2 1, 4 1 0 3, 3 0 0 3, 0 3 2 1);
        values[0][3]
    }
}

/// 7 × 7.
struct Seven;

impl Network<7> for Seven {
    #[inline(always)]
    fn in_order(mut values: [Lanes; 7]) -> [Lanes; 7] {
        order!(values: 1 2, 3 4, 5 6, 0 2, 3 5, 4 6, 0 1, 4 5, 2 6, 0 4, 1 5, 0 3, 2 5, 1 3, 2 4, 2 3);
        values
    }

    #[inline(always)]
    fn rows_in_order([r0, r1, r2, r3, r4, r5, r6]: &[[u8; REACH]; 7], start: usize, channels: usize) -> [[Lanes; 7]; 7] {
        [
            row_in_order::<Self, 7>(r0, start, channels),
            row_in_order::<Self, 7>(r1, start, channels),
            row_in_order::<Self, 7>(r2, start, channels),
            row_in_order::<Self, 7>(r3, start, channels),
            row_in_order::<Self, 7>(r4, start, channels),
            row_in_order::<Self, 7>(r5, start, channels),
            row_in_order::<Self, 7>(r6, start, channels),
        ]
    }

    #[inline(always)]
    fn median(mut values: [[Lanes; 7]; 7]) -> Lanes {
        order_places!(values:
            2 3 5 1, 2 4 5 0, 4 4 5 3, 5 2 3 4, 4 2 3 3, 4 3 3 5, 2 3 2 4, 2 3 4 0, 3 5 5 1, 6 2 5 1, 2 4 4 1, 4 4 3 4, 5 2 3 3,
            6 1 3 5, 2 2 2 4, 2 2 4 0, 4 3 5 0, 3 5 5 0, 6 2 5 0, 1 3 4 1, 4 4 3 3, 4 2 3 5, 6 1 4 3, 1 3 2 4, 1 3 4 0, 4 3 4 1,
            3 5 4 1, 6 2 4 1, 3 3 4 1, 4 4 6 2, 5 2 3 5, 4 2 4 3, 3 2 2 4, 3 2 4 0, 4 4 3 5, 5 2 4 3, 4 2 6 1, 3 1 4 0, 6 0 3 3,
            4 4 4 3, 5 2 6 1, 6 0 2 4, 6 0 4 0, 6 0 4 2, 6 2 3 3, 1 4 6 2, 2 4 3 5, 4 4 6 1, 5 2 4 2, 1 4 2 4, 1 4 4 0, 1 4 5 2,
            3 5 6 2, 1 6 3 5, 2 4 4 3, 4 0 6 1, 4 4 4 2, 1 6 2 4, 1 6 4 0, 1 6 4 4, 1 6 5 2, 0 4 4 3, 2 4 6 1, 4 0 4 2, 4 4 5 2,
            0 4 2 4, 0 4 4 0, 0 4 4 4, 6 1 4 3, 0 6 6 1, 2 4 4 2, 4 0 5 2, 0 6 2 4, 0 6 4 0, 0 6 4 4, 2 6 4 2, 2 4 5 2, 4 0 4 4,
            2 6 2 4, 2 6 4 0, 1 5 5 2, 2 4 4 4, 1 5 2 4, 1 5 4 0, 4 4 5 2, 2 5 4 4, 2 4 4 0, 2 5 2 4, 0 5 2 4, 2 4 4 0, 0 5 2 4);
        values[2][4]
    }
}

#[cfg(test)]
mod tests {
    use super::{Five, LANES, Network, Seven};
    use std::array::from_fn;

    /// A network that is right for all choices of zeros and ones is right for all values (Knuth, 5.3.4).
    fn puts_all_in_order<Square: Network<SIDE>, const SIDE: usize>() {
        for bits in 0..1_u32 << SIDE {
            let ones = bits.count_ones() as usize;
            assert_eq!(
                Square::in_order(from_fn(|place| [(bits >> place & 1) as u8; LANES])),
                from_fn(|place| [u8::from(place + ones >= SIDE); LANES]),
                "{bits:b}"
            );
        }
    }

    /// Of columns in order, only the number of ones matters.
    fn finds_all_medians<Square: Network<SIDE>, const SIDE: usize>() {
        let states = (SIDE + 1).pow(SIDE as u32);
        for state in 0..states {
            let ones: [usize; SIDE] = from_fn(|column| state / (SIDE + 1).pow(column as u32) % (SIDE + 1));
            let ranks = from_fn(|rank| Square::in_order(ones.map(|ones| [u8::from(rank + ones >= SIDE); LANES])));
            assert_eq!(Square::median(ranks), [u8::from(ones.iter().sum::<usize>() > SIDE * SIDE / 2); LANES], "{ones:?}");
        }
    }

    #[test]
    fn all_choices_of_zeros_and_ones() {
        puts_all_in_order::<Five, 5>();
        puts_all_in_order::<Seven, 7>();
        finds_all_medians::<Five, 5>();
        finds_all_medians::<Seven, 7>();
    }
}
