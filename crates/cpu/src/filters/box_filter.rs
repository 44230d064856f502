//! Box filter on the CPU: column sums that run down the picture, then windows of these along the row.

use crate::band::{Band, Source};
use crate::column_sums::{Beyond, ColumnSums};
use crate::strips::{Aligned, MAX_STRIP_BYTES, prefetch, strips};
use crate::{Bands, Job};
use std::ops::{Add, Range};

/// The largest radius.
pub const MAX_RADIUS: usize = 16;

/// The largest radius whose sums fit 16 bits, with what rounds them: 256 · 255 + 128 < 65536.
const MAX_RADIUS_IN_16_BITS: usize = 8;

/// Sums of a strip and those that its windows reach on the right: a pixel fewer than a window has, of three channels.
const MAX_LANES: usize = MAX_STRIP_BYTES + (2 * MAX_RADIUS - 1) * 3;

/// Averages blocks that reach `radius` right and down, and one less left and up; 1 to [`MAX_RADIUS`].
pub fn run(job: Job, radius: usize) {
    job.bands(&BoxFilter { radius });
}

/// The arithmetic.
struct BoxFilter {
    /// The block reaches so far right and down, and one less left and up; 1 to [`MAX_RADIUS`].
    radius: usize,
}

impl Bands for BoxFilter {
    /// A running sum down each column, and a running sum of these along the row. Four additions and one division per byte, whatever the radius;
    /// each sum waits for the one before it, so nothing vectorizes.
    fn scalar(&self, band: Band) {
        let Band { source, mut rows, .. } = band;
        let (radius, channels) = (self.radius, source.channels());
        let area = 4 * radius * radius;
        let mut columns = BlockSums::new(source, radius, rows.first_row);
        for (y, out) in rows.iter_mut() {
            columns.columns.begin_row(y);
            let sums = columns.move_up_to(usize::MAX);
            for channel in 0..channels {
                let values = || sums.iter().skip(channel).step_by(channels).map(|&sum| usize::from(sum));
                let (entering, leaving) = (values().skip(2 * radius - 1), values());
                let mut sum: usize = values().take(2 * radius - 1).sum();
                for ((byte, entering), leaving) in out.iter_mut().skip(channel).step_by(channels).zip(entering).zip(leaving) {
                    sum += entering;
                    *byte = ((sum + area / 2) / area) as u8;
                    sum -= leaving;
                }
            }
        }
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        if self.radius <= MAX_RADIUS_IN_16_BITS {
            simd::<u16>(self.radius, band);
        } else {
            simd::<u32>(self.radius, band);
        }
    }
}

#[inline(always)]
fn simd<L: Lane>(radius: usize, Band { source, mut rows, finish, .. }: Band) {
    let (channels, side) = (source.channels(), 2 * radius);
    let division = L::division(radius);
    let mut columns = BlockSums::new(source, radius, rows.first_row);
    let mut windows = Windows::<L>::new(division.factor);
    let mut finished = Aligned([0; MAX_STRIP_BYTES]);
    for (y, out) in rows.iter_mut() {
        columns.columns.begin_row(y);
        for (bytes, out) in strips(out) {
            prefetch(source.picture, y + radius, &bytes);
            let Some(finished) = finished.0.get_mut(..out.len()) else { return };
            let reach = bytes.start..bytes.end + (side - 1) * channels;
            let sums = columns.move_up_to(reach.end);
            windows.average(sums.get(reach).unwrap_or_default(), side, channels, division, finished);
            finish.write(y, bytes.start, finished, out);
        }
    }
}

/// For each byte of a row the sum of the column of its block, at most 2 · 16 · 255 = 8160, with those that blocks reach beyond both edges: the column of the
/// row's first byte stands at `radius - 1` pixels.
struct BlockSums<'a> {
    source: Source<'a>,
    radius: usize,
    columns: ColumnSums<'a>,
}

impl<'a> BlockSums<'a> {
    fn new(source: Source<'a>, radius: usize, row: usize) -> Self {
        let halo = [radius - 1, radius].map(|pixels| pixels * source.channels());
        Self { source, radius, columns: ColumnSums::new(source, [radius - 1, radius], Beyond::Border, row, halo) }
    }

    /// Makes the first `end` values those for the row that was begun.
    #[inline(always)]
    fn move_up_to(&mut self, end: usize) -> &[u16] {
        let (radius, channels, row_bytes) = (self.radius.cast_signed(), self.source.channels(), self.source.picture.row_bytes());
        let (moved, _) = self.columns.move_up_to(end.saturating_sub((self.radius - 1) * channels));
        if !moved.is_empty() {
            let width = self.source.picture.width_px.cast_signed();
            if moved.start == 0 {
                self.fill_halo(1 - radius..0);
            }
            if moved.end == row_bytes {
                self.fill_halo(width..width + radius);
            }
        }
        self.columns.values()
    }

    /// The columns beyond an edge are those that the border mode names.
    #[inline(always)]
    fn fill_halo(&mut self, beyond: Range<isize>) {
        let (radius, width, channels) = (self.radius.cast_signed(), self.source.picture.width_px, self.source.channels());
        let place = |x: isize| (x + radius - 1).unsigned_abs() * channels;
        for x in beyond {
            let from = place(self.source.border.source_index(x, width).cast_signed());
            self.columns.values_mut().copy_within(from..from + channels, place(x));
        }
    }
}

/// Room for the windows of one strip.
struct Windows<L> {
    /// Sums of 2, 4, … values that follow each other, and of twice as many.
    powers: [Aligned<[L; MAX_LANES]>; 2],
    /// What a side that is no power of two is put together from, but for its largest power.
    rest: Aligned<[L; MAX_STRIP_BYTES]>,
    /// What to multiply by, once for each byte. From a register, the compiler does not see that it has 16 bits only, and multiplies in 32.
    factors: Aligned<[L; MAX_STRIP_BYTES]>,
}

impl<L: Lane> Windows<L> {
    fn new(factor: L) -> Self {
        let powers = [const { Aligned([L::ZERO; MAX_LANES]) }; 2];
        Self { powers, rest: Aligned([L::ZERO; _]), factors: Aligned([factor; _]) }
    }

    /// Averages of windows of `side` values each that stand `channels` apart, in log2(side) additions instead of `side`: two neighboring sums of
    /// n values make one of 2n, and `side` is a sum of powers of two. The last doubling is not kept, but goes into the average.
    #[inline(always)]
    fn average(&mut self, values: &[u16], side: usize, channels: usize, division: Reciprocal<L>, out: &mut [u8]) {
        let (levels, factors) = (side.ilog2(), &self.factors.0);
        if levels == 1 {
            write_averages(pairs(values, channels).map(|(left, right)| L::from(left) + L::from(right)), factors, division, out);
            return;
        }
        let [from, to] = &mut self.powers;
        let (mut from, mut to) = (&mut from.0, &mut to.0);
        for (doubled, (left, right)) in from.iter_mut().zip(pairs(values, channels)) {
            *doubled = L::from(left) + L::from(right);
        }
        let mut valid = values.len().saturating_sub(channels);
        if !side.is_power_of_two() {
            self.rest.0.fill(L::ZERO);
        }
        // How many values at the start of each window `rest` has already, in lanes. Sides are even, so there are no single ones.
        let mut done = 0;
        for level in 1..levels {
            let distance = channels << level;
            if side >> level & 1 == 1 {
                for (rest, &sum) in self.rest.0.iter_mut().zip(from.get(done..valid).unwrap_or_default()) {
                    *rest = *rest + sum;
                }
                done += distance;
            }
            if level + 1 < levels {
                for (doubled, (left, right)) in to.iter_mut().zip(pairs(from.get(..valid).unwrap_or_default(), distance)) {
                    *doubled = left + right;
                }
                std::mem::swap(&mut from, &mut to);
                valid = valid.saturating_sub(distance);
            }
        }
        let sums = pairs(from.get(done..valid).unwrap_or_default(), channels << (levels - 1)).map(|(left, right)| left + right);
        if done == 0 {
            write_averages(sums, factors, division, out);
        } else {
            write_averages(sums.zip(&self.rest.0).map(|(sum, &rest)| sum + rest), factors, division, out);
        }
    }
}

/// Each value with the one `distance` further right.
#[inline(always)]
fn pairs<V: Copy>(values: &[V], distance: usize) -> impl Iterator<Item = (V, V)> {
    values.iter().copied().zip(values.get(distance..).unwrap_or_default().iter().copied())
}

#[inline(always)]
fn write_averages<L: Lane>(sums: impl Iterator<Item = L>, factors: &[L], division: Reciprocal<L>, out: &mut [u8]) {
    for ((byte, sum), &factor) in out.iter_mut().zip(sums).zip(factors) {
        *byte = L::average(sum, factor, division);
    }
}

/// What sums are kept in.
trait Lane: Copy + Add<Output = Self> + From<u16> {
    const ZERO: Self;
    /// What divides by an area.
    fn division(radius: usize) -> Reciprocal<Self>;
    /// The sum of a block divided by its area, rounded half up. `factor` is that of `division`, see [`Windows::factors`].
    fn average(sum: Self, factor: Self, division: Reciprocal<Self>) -> u8;
}

/// Division by an area of 4 · radius² as a multiplication, (sum + half) · factor >> shift.
#[derive(Clone, Copy)]
struct Reciprocal<T> {
    half: T,
    factor: T,
    shift: u32,
}

impl Lane for u16 {
    const ZERO: Self = 0;

    /// With n = (sum + half) >> 1 and d = area / 2, n < 256 d. Where d is no power of two, the factor exceeds 2^(16 + k) / d by less than 1,
    /// k being the binary logarithm of d rounded down; the product then exceeds n · 2^(16 + k) / d by less than 256 d. This is below
    /// 2^(16 + k) / d, so that no quotient changes, where 256 d² < 2^15 d: for d < 128. Up to a radius of 8, d is below 128 or a power of two.
    fn division(radius: usize) -> Reciprocal<Self> {
        let half_area = 2 * radius * radius;
        let log2 = half_area.ilog2();
        let (factor, shift) =
            if half_area.is_power_of_two() { (1 << 15, log2 - 1) } else { ((1_usize << (16 + log2)).div_ceil(half_area), log2) };
        Reciprocal { half: half_area as Self, factor: factor as Self, shift }
    }

    #[inline(always)]
    fn average(sum: Self, factor: Self, division: Reciprocal<Self>) -> u8 {
        let product = u32::from((sum + division.half) >> 1) * u32::from(factor);
        ((product >> 16) as Self >> division.shift) as u8
    }
}

impl Lane for u32 {
    const ZERO: Self = 0;

    /// As for 16 bits, with n = (sum + half) >> 2 below 2^16, d = radius² of at most 256 and a shift of 24: n · d ≤ 2^24, and the product stays
    /// below 256 · 2^24.
    fn division(radius: usize) -> Reciprocal<Self> {
        let quarter_area = radius * radius;
        Reciprocal { half: 2 * quarter_area as Self, factor: (1_usize << 24).div_ceil(quarter_area) as Self, shift: 24 }
    }

    #[inline(always)]
    fn average(sum: Self, factor: Self, division: Reciprocal<Self>) -> u8 {
        (((sum + division.half) >> 2).wrapping_mul(factor) >> division.shift) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::{Lane, MAX_RADIUS, MAX_RADIUS_IN_16_BITS};

    #[test]
    fn no_sum_is_divided_wrongly() {
        for radius in 1..=MAX_RADIUS {
            let area = (4 * radius * radius) as u32;
            let (wide, narrow) = (u32::division(radius), u16::division(radius.min(MAX_RADIUS_IN_16_BITS)));
            for sum in 0..=255 * area {
                let expected = ((sum + area / 2) / area) as u8;
                assert_eq!(u32::average(sum, wide.factor, wide), expected, "{sum} / {area}");
                if radius <= MAX_RADIUS_IN_16_BITS {
                    assert_eq!(u16::average(sum as u16, narrow.factor, narrow), expected, "{sum} / {area}");
                }
            }
        }
    }
}
