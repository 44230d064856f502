//! Template matching on the CPU. With p a pixel and t what the template has there, |p − t| = p + t − 2 · min(p, t). What all p of a window sum to, prefix sums tell; what
//! all t sum to is known. Left is a sum of minima: half the operations of a difference, and none where the template has 0, which is a quarter of it.
//!
//! The template is symmetric. Minima along a row of the picture are therefore computed once for two rows of the output, that so many rows above it and that as many below;
//! and they come in pairs, left and right, with one number of the template.

use crate::band::{Band, Source};
use crate::mean::{MeanOf, Reciprocal};
use crate::pointwise::read_alone;
use crate::prefix::PrefixSums;
use crate::reference::match_template::template;
use crate::{Bands, Job};
use std::iter::zip;
use std::ops::Range;

/// The largest radius: what its template sums to fits 16 bits, and so does any sum of minima.
pub const MAX_RADIUS: usize = 12;

/// Columns of the output that are computed from the first row to the last before the next ones are: their sums stay in the first-level cache.
const BLOCK_PX: usize = 512;

/// Columns whose sums along a row stay in registers.
const LANES: usize = 64;

/// A row of a block with what the template reaches on both sides.
const PADDED_PX: usize = BLOCK_PX + 2 * MAX_RADIUS;

/// Computes the mean difference from the template of `radius`, at most [`MAX_RADIUS`].
pub fn run(job: Job, radius: usize) {
    job.bands(&Match::new(radius.min(MAX_RADIUS)));
}

/// The arithmetic.
struct Match {
    radius: usize,
    /// The template, row by row.
    rows: Vec<Vec<u8>>,
    /// Of the row in the middle and of those below it, the numbers that are not 0.
    halves: Vec<HalfRow>,
    /// What the template sums to.
    total: u32,
    means: MeanOf,
    by: Reciprocal,
}

/// A row of the template, which is the same to the left and to the right.
struct HalfRow {
    /// In the middle.
    middle: u8,
    /// How far to both sides, and what is there.
    pairs: Vec<(usize, u8)>,
}

impl Match {
    fn new(radius: usize) -> Self {
        let reach = radius.cast_signed();
        let row = |dy: isize| (-reach..=reach).map(move |dx| template(radius, [dx, dy])).collect();
        let rows: Vec<Vec<u8>> = (-reach..=reach).map(row).collect();
        let half = |dy| {
            let at = |dx: usize| template(radius, [dx.cast_signed(), dy]);
            HalfRow { middle: at(0), pairs: (1..=radius).map(|dx| (dx, at(dx))).filter(|&(_, value)| value > 0).collect() }
        };
        let total = rows.iter().flatten().map(|&value| u32::from(value)).sum();
        let count = rows.len() * rows.len();
        let means = MeanOf::largest(count);
        Self { radius, rows, halves: (0..=reach).map(half).collect(), total, means, by: means.reciprocal(count) }
    }
}

impl Bands for Match {
    /// Differences, as the filter is defined.
    fn scalar(&self, Band { source, mut rows, .. }: Band) {
        let (side, width) = (self.rows.len(), source.picture.width_px);
        let mut ring = vec![vec![0; width + 2 * self.radius]; side];
        let mut next = rows.first_row;
        for (y, out) in rows.iter_mut() {
            // Row r of the picture is number r + radius here.
            for number in next..y + side {
                let row = source.row(number.cast_signed() - self.radius.cast_signed());
                if let Some(padded) = ring.get_mut(number % side) {
                    pad(row, 0, self.radius, padded);
                }
            }
            next = y + side;
            let around = || (y..y + side).filter_map(|number| ring.get(number % side));
            for (x, out) in out.iter_mut().enumerate() {
                let differences = zip(around(), &self.rows).flat_map(|(row, template)| {
                    zip(row.get(x..).unwrap_or_default(), template).map(|(pixel, &value)| u32::from(read_alone(pixel).abs_diff(value)))
                });
                *out = self.means.mean(differences.sum(), self.by);
            }
        }
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        let Band { source, mut rows, finish, .. } = band;
        let (width, row_bytes) = (source.picture.width_px, rows.row_bytes);
        let lines = rows.first_row..rows.first_row + rows.bytes.len() / row_bytes;
        let mut block = Block::new(self, source, lines.clone());
        let mut finished = [0; BLOCK_PX];
        for x in (0..width).step_by(BLOCK_PX) {
            let columns = x..(x + BLOCK_PX).min(width);
            block.begin(columns.clone());
            for (y, out) in rows.iter_mut() {
                let (Some(finished), Some(out)) = (finished.get_mut(..columns.len()), out.get_mut(columns.clone())) else { return };
                block.write(y, finished);
                finish.write(y, columns.start, finished, out);
            }
        }
    }

    /// A band begins with the rows that the template reaches.
    fn worthwhile_rows(&self) -> usize {
        self.rows.len()
    }
}

/// The bytes of a row from column `x - radius` on, as many as `padded` has places. Edge pixels repeat.
#[inline(always)]
fn pad(row: &[u8], x: usize, radius: usize, padded: &mut [u8]) {
    let (Some(first), Some(last)) = (row.first(), row.last()) else { return };
    let before = radius.saturating_sub(x).min(padded.len());
    let (left, rest) = padded.split_at_mut(before);
    left.fill(*first);
    let inside = row.get((x + before).saturating_sub(radius)..).unwrap_or_default();
    let (middle, right) = rest.split_at_mut(inside.len().min(rest.len()));
    middle.copy_from_slice(inside.get(..middle.len()).unwrap_or_default());
    right.fill(*last);
}

/// Columns of a band, from its first row down.
struct Block<'a> {
    of: &'a Match,
    source: Source<'a>,
    /// The band's rows.
    lines: Range<usize>,
    columns: Range<usize>,
    /// For the rows of the output that rows of the picture up to `next` reach, sums of minima; row r at place r % side.
    minima: Vec<[[u16; LANES]; BLOCK_PX / LANES]>,
    /// The next row of the picture that is to be added, which may lie outside.
    next: isize,
    /// What the columns of a window sum to, with those that it reaches on both sides.
    sums: [u16; PADDED_PX],
    windows: PrefixSums,
    /// The row that was taken last, around the columns.
    padded: [u8; PADDED_PX + LANES],
}

impl<'a> Block<'a> {
    fn new(of: &'a Match, source: Source<'a>, lines: Range<usize>) -> Self {
        Self {
            of,
            source,
            lines,
            columns: 0..0,
            minima: vec![[[0; LANES]; _]; of.rows.len()],
            next: 0,
            sums: [0; PADDED_PX],
            windows: PrefixSums::new(PADDED_PX, 0, 1),
            padded: [0; _],
        }
    }

    /// From here on these columns.
    fn begin(&mut self, columns: Range<usize>) {
        self.columns = columns;
        self.next = self.lines.start.cast_signed() - self.of.radius.cast_signed();
        self.minima.fill([[0; LANES]; _]);
        self.sums.fill(0);
    }

    /// The output of row `y`, which is the next one.
    #[inline(always)]
    fn write(&mut self, y: usize, out: &mut [u8]) {
        let (side, reach) = (self.of.rows.len(), self.of.radius.cast_signed());
        while self.next <= y.cast_signed() + reach {
            self.add_row();
        }
        self.windows.begin_row();
        self.windows.extend(&self.sums);
        let Some(minima) = self.minima.get_mut(y % side) else { return };
        let Match { total, means, by, .. } = *self.of;
        for ((out, window), &minima) in out.iter_mut().zip(self.windows.windows(0, side)).zip(minima.as_flattened()) {
            *out = means.mean(window + total - 2 * u32::from(minima), by);
        }
        // For the row that takes this place.
        minima.fill([0; LANES]);
        self.take(y.cast_signed() - reach, u16::wrapping_sub);
    }

    /// Takes a row of the picture, and changes the sums of columns by it.
    #[inline(always)]
    fn take(&mut self, y: isize, change: impl Fn(u16, u16) -> u16) {
        pad(self.source.row(y), self.columns.start, self.of.radius, &mut self.padded);
        for (sum, &byte) in self.sums.iter_mut().zip(&self.padded) {
            *sum = change(*sum, u16::from(byte));
        }
    }

    /// Adds the next row of the picture to all rows of the output that it reaches.
    #[inline(always)]
    fn add_row(&mut self) {
        let (radius, side) = (self.of.radius, self.of.rows.len());
        self.take(self.next, u16::wrapping_add);
        for (distance, half) in (0_isize..).zip(&self.of.halves) {
            let reached = [self.next - distance, self.next + distance].map(|y| usize::try_from(y).ok().filter(|y| self.lines.contains(y)));
            if reached == [None, None] {
                continue;
            }
            let [above, below] = reached;
            // Both are one row where the distance is 0.
            let below = below.filter(|_| distance > 0);
            for place in 0..self.columns.len().div_ceil(LANES) {
                let Some(minima) = half.minima(radius, self.padded.get(place * LANES..).unwrap_or_default()) else { return };
                for y in [above, below].into_iter().flatten() {
                    if let Some(sums) = self.minima.get_mut(y % side).and_then(|sums| sums.get_mut(place)) {
                        sums.iter_mut().zip(&minima).for_each(|(sum, minimum)| *sum += minimum);
                    }
                }
            }
        }
        self.next += 1;
    }
}

impl HalfRow {
    /// Sums of minima along a row, of which `bytes` begin `radius` pixels before the first.
    #[inline(always)]
    fn minima(&self, radius: usize, bytes: &[u8]) -> Option<[u16; LANES]> {
        let mut sums = [0; LANES];
        let middle: &[u8; LANES] = bytes.get(radius..)?.first_chunk()?;
        for (sum, &byte) in sums.iter_mut().zip(middle) {
            *sum = u16::from(byte.min(self.middle));
        }
        for &(distance, value) in &self.pairs {
            let left: &[u8; LANES] = bytes.get(radius - distance..)?.first_chunk()?;
            let right: &[u8; LANES] = bytes.get(radius + distance..)?.first_chunk()?;
            for ((sum, &left), &right) in sums.iter_mut().zip(left).zip(right) {
                *sum += u16::from(left.min(value)) + u16::from(right.min(value));
            }
        }
        Some(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_RADIUS, Match, pad};

    #[test]
    fn what_a_template_sums_to_fits_16_bits() {
        for radius in 0..=MAX_RADIUS {
            let total = Match::new(radius).total;
            assert!(u16::try_from(total).is_ok(), "{total} with radius {radius}");
        }
    }

    #[test]
    fn edge_pixels_repeat() {
        let padded = |x, places| {
            let mut padded = vec![0; places];
            pad(&[1, 2, 3, 4], x, 2, &mut padded);
            padded
        };
        assert_eq!(padded(0, 9), [1, 1, 1, 2, 3, 4, 4, 4, 4]);
        assert_eq!(padded(1, 4), [1, 1, 2, 3]);
        assert_eq!(padded(3, 4), [2, 3, 4, 4]);
        assert_eq!(padded(0, 1), [1]);
    }
}
