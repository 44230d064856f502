//! Median of 3 × 3 on the CPU, by the same few comparisons as the kernels: columns of three in order, then the median of three of their bytes.

use crate::Job;
use crate::columns::Columns;

/// Computes the median of 3 × 3.
pub fn run(job: Job) {
    job.columns(&Median);
}

/// The arithmetic. The values of a column are its bytes in order.
struct Median;

impl Columns<3> for Median {
    type Value = u8;

    #[inline(always)]
    fn byte(&self, square: &[[u8; 3]; 3]) -> u8 {
        // In 32 bits: bytes would be packed into vectors.
        median_of_nine(&square.map(|row| row.map(u32::from))) as u8
    }

    #[inline(always)]
    fn down(&self, rows: [&[u8]; 3], [low, middle, high]: [&mut [u8]; 3]) {
        sort_columns(rows, low, middle, high);
    }

    #[inline(always)]
    fn across(&self, _center: &[u8], columns: [[&[u8]; 3]; 3], out: &mut [u8]) {
        join(columns, out);
    }
}

#[inline(always)]
fn sort_columns([above, here, below]: [&[u8]; 3], low: &mut [u8], middle: &mut [u8], high: &mut [u8]) {
    let rows = above.iter().zip(here).zip(below);
    for (((low, middle), high), ((&above, &here), &below)) in low.iter_mut().zip(middle).zip(high).zip(rows) {
        [*low, *middle, *high] = sort_column([above, here, below]);
    }
}

/// From the low, middle and high bytes of the columns to the left, in the middle and to the right.
#[inline(always)]
fn join(columns: [[&[u8]; 3]; 3], out: &mut [u8]) {
    let [low, middle, high] = columns.map(|[left, here, right]| left.iter().zip(here).zip(right));
    for (((out, low), middle), high) in out.iter_mut().zip(low).zip(middle).zip(high) {
        let three = |((&left, &here), &right): ((&u8, &u8), &u8)| [left, here, right];
        *out = median_of_columns([three(low), three(middle), three(high)]);
    }
}

/// The fifth in order.
#[inline(always)]
fn median_of_nine<T: Ord + Copy + Default>(rows: &[[T; 3]; 3]) -> T {
    let column = |at: usize| sort_column(rows.map(|row| row.get(at).copied().unwrap_or_default()));
    let [left, middle, right] = [column(0), column(1), column(2)];
    median_of_columns([[left[0], middle[0], right[0]], [left[1], middle[1], right[1]], [left[2], middle[2], right[2]]])
}

/// The fifth in order, of the low, middle and high bytes of three columns. `kernels/median/median.cl` tells why this is it.
#[inline(always)]
fn median_of_columns<T: Ord + Copy>([[low_1, low_2, low_3], [middle_1, middle_2, middle_3], [high_1, high_2, high_3]]: [[T; 3]; 3]) -> T {
    median_of_three(low_1.max(low_2).max(low_3), median_of_three(middle_1, middle_2, middle_3), high_1.min(high_2).min(high_3))
}

#[inline(always)]
fn sort_column<T: Ord + Copy>([above, here, below]: [T; 3]) -> [T; 3] {
    let (low, high) = (above.min(here), above.max(here));
    [low.min(below), low.max(high.min(below)), high.max(below)]
}

#[inline(always)]
fn median_of_three<T: Ord + Copy>(first: T, second: T, third: T) -> T {
    first.min(second).max(first.max(second).min(third))
}

#[cfg(test)]
mod tests {
    use super::median_of_nine;

    /// A network of comparisons that sorts every choice of zeros and ones right sorts everything right (Knuth, 5.3.4): so for a median.
    #[test]
    fn all_choices_of_zeros_and_ones() {
        for bits in 0_u32..512 {
            let nine = [0, 3, 6].map(|row| [0, 1, 2].map(|column| (bits >> (row + column) & 1) as u8));
            assert_eq!(median_of_nine(&nine), u8::from(bits.count_ones() >= 5), "{nine:?}");
        }
    }
}
