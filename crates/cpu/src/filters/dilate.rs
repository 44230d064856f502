//! Dilation by 3 × 3 on the CPU: the highest of each column, then of three columns.

use crate::Job;
use crate::columns::Columns;

/// Computes the highest of 3 × 3.
pub fn run(job: Job) {
    job.columns(&Dilate);
}

/// The arithmetic. The value of a column is its highest byte.
struct Dilate;

impl Columns<1> for Dilate {
    type Value = u8;

    /// Nine loads and eight comparisons per byte.
    #[inline(always)]
    fn byte(&self, square: &[[u8; 3]; 3]) -> u8 {
        square.as_flattened().iter().fold(0, |highest, &byte| highest.max(byte))
    }

    #[inline(always)]
    fn down(&self, rows: [&[u8]; 3], [highest]: [&mut [u8]; 1]) {
        highest_of_three(rows, highest);
    }

    #[inline(always)]
    fn across(&self, _center: &[u8], [columns]: [[&[u8]; 3]; 1], out: &mut [u8]) {
        highest_of_three(columns, out);
    }
}

#[inline(always)]
fn highest_of_three([first, second, third]: [&[u8]; 3], highest: &mut [u8]) {
    for (((highest, &first), &second), &third) in highest.iter_mut().zip(first).zip(second).zip(third) {
        *highest = first.max(second).max(third);
    }
}
