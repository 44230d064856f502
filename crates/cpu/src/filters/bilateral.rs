//! Bilateral filter on the CPU, in single precision.
//!
//! The scalar competitor computes exp for each neighbor, as the plain loop does. The SIMD competitors compute it too, 16 pixels at a time by a
//! polynomial: a lookup table, which is how OpenCV does it, would need one load per lane. The weight of two pixels is the same for either, so it
//! is computed once and kept in a strip that runs down the picture.

use crate::Channels;
use crate::band::{Band, Source};
use crate::reference::bilateral::Window;
use crate::{Bands, Job};
use std::ops::Range;

/// Pixels of one block: their sums stay in registers while the window is walked. Measured: 32 gain nothing, 8 take twice the time with AVX-512.
const LANES: usize = 16;

/// Weights and values that a strip keeps, as `f32`: 256 KiB, half a second-level cache at the least.
const STRIP_VALUES: usize = 65_536;

/// Averages by `window`.
pub fn run(job: Job, window: Window) {
    job.bands(&Bilateral(window));
}

/// The arithmetic.
struct Bilateral(Window);

impl Bands for Bilateral {
    /// The square around the window.
    fn scalar(&self, band: Band) {
        match band.source.picture.channels {
            Channels::Gray => scalar::<1>(&self.0, band),
            Channels::Rgb => scalar::<3>(&self.0, band),
        }
    }

    #[inline(always)]
    fn simd(&self, band: Band) {
        match (band.source.picture.channels, band.set.fuses_mul_add()) {
            (Channels::Gray, false) => simd::<1, false>(&self.0, band),
            (Channels::Gray, true) => simd::<1, true>(&self.0, band),
            (Channels::Rgb, false) => simd::<3, false>(&self.0, band),
            (Channels::Rgb, true) => simd::<3, true>(&self.0, band),
        }
    }

    /// A band weighs a radius of rows more than it has.
    fn worthwhile_rows(&self) -> usize {
        8 * self.0.radius_px
    }
}

/// Pixel by pixel and neighbor by neighbor.
fn scalar<const CHANNELS: usize>(window: &Window, Band { source, mut rows, .. }: Band) {
    let (picture, border) = (source.picture, source.border);
    let (width, height) = (picture.width_px, picture.height_px);
    let places: Vec<_> = window.places().collect();
    let spread_space = (2.0 * window.sigma_space * window.sigma_space) as f32;
    let spread_color = (2.0 * window.sigma_color * window.sigma_color) as f32;
    let (pixels, _) = picture.bytes.as_chunks::<CHANNELS>();
    let at = |x: isize, y: isize| {
        let place = border.source_index(y, height) * width + border.source_index(x, width);
        pixels.get(place).copied().unwrap_or([0; CHANNELS])
    };
    for (row, out) in rows.iter_mut() {
        for (column, out) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
            let (x, y) = (column.cast_signed(), row.cast_signed());
            let center = at(x, y);
            let (mut sums, mut weights) = ([0.0; CHANNELS], 0.0);
            for &(dx, dy) in &places {
                let neighbor = at(x + dx, y + dy);
                let difference: f32 = neighbor.iter().zip(center).map(|(&a, b)| f32::from(a.abs_diff(b))).sum();
                let weight = (-((dx * dx + dy * dy) as f32) / spread_space - difference * difference / spread_color).exp();
                sums.iter_mut().zip(neighbor).for_each(|(sum, value)| *sum += weight * f32::from(value));
                weights += weight;
            }
            *out = sums.map(|sum| (sum / weights + 0.5) as u8);
        }
    }
}

#[inline(always)]
fn simd<const CHANNELS: usize, const FUSED: bool>(window: &Window, Band { source, mut rows, finish, .. }: Band) {
    let mut strip = Strip::<CHANNELS>::new(window, source.picture.width_px);
    let (first, radius) = (rows.first_row.cast_signed(), window.radius_px);
    for start in (0..source.picture.width_px).step_by(strip.columns) {
        let columns = strip.columns.min(source.picture.width_px - start);
        let bytes = start * CHANNELS..(start + columns) * CHANNELS;
        for (step, y) in (first - radius.cast_signed()..first).enumerate() {
            strip.fill(source, step, y, start, columns);
        }
        // The rows above are only weighed: those below need their weights.
        for step in 0..radius {
            strip.fill(source, step + radius, first + step.cast_signed(), start, columns);
            strip.weigh::<FUSED>(step, columns);
        }
        for (step, (y, out)) in (radius..).zip(rows.iter_mut()) {
            strip.fill(source, step + radius, first + step.cast_signed(), start, columns);
            strip.weigh::<FUSED>(step, columns);
            let Some(out) = out.get_mut(bytes.clone()) else { return };
            let (centers, taps) = (strip.values_from(step, 0), strip.taps(step));
            for (block, out) in out.chunks_mut(LANES * CHANNELS).enumerate() {
                let values = average::<CHANNELS, FUSED>(&centers, &taps, block);
                for (lane, out) in out.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate() {
                    *out = std::array::from_fn(|channel| values.get(channel).and_then(|values| values.get(lane)).map_or(0, |&value| value));
                }
            }
            finish.keep_border(y, bytes.start, out);
        }
    }
}

/// A neighbor below or to the right. The one opposite has the same weight for the pixel there, so each weight is computed once for both.
struct Pair {
    dx: isize,
    dy: usize,
    /// log2 of its weight in space.
    log_near: f32,
    /// Where its weights begin: `dy + 1` rows of them, row r at r % (dy + 1), as the pixel opposite is `dy` rows below.
    start: usize,
}

/// Some columns of the picture on the way down it. Rows are counted from a radius above the first output row.
struct Strip<const CHANNELS: usize> {
    radius: usize,
    /// Output pixels per row.
    columns: usize,
    pairs: Vec<Pair>,
    /// log2 of the weight of a difference is this times its square.
    color_factor: f32,
    /// Each channel's last 2 · radius + 1 rows, one `f32` per pixel, with a halo of two radii on either side.
    values: [Vec<f32>; CHANNELS],
    values_pitch: usize,
    /// The weights of every pair, with a halo of one radius on either side.
    weights: Vec<f32>,
    weights_pitch: usize,
}

impl<const CHANNELS: usize> Strip<CHANNELS> {
    #[inline(always)]
    fn new(window: &Window, width: usize) -> Self {
        let radius = window.radius_px;
        let log2_e = std::f64::consts::LOG2_E;
        let half = || window.places().filter(|&(dx, dy)| dy > 0 || dy == 0 && dx > 0).map(|(dx, dy)| (dx, dy.cast_unsigned()));
        let weight_rows: usize = half().map(|(_, dy)| dy + 1).sum();
        let value_rows = 2 * radius + 1;
        // As many strips as fit the cache, all of one width but for the last.
        let at_most = (STRIP_VALUES / (weight_rows + CHANNELS * value_rows)).max(4 * LANES);
        let columns = width.div_ceil(width.div_ceil(at_most).max(1)).next_multiple_of(LANES);
        let weights_pitch = (columns + 2 * radius).next_multiple_of(LANES);
        let values_pitch = weights_pitch + 2 * radius;
        let mut start = 0;
        let pairs = half().map(|(dx, dy)| {
            let squared = (dx * dx + (dy * dy).cast_signed()) as f64;
            let log_near = (-squared / (2.0 * window.sigma_space * window.sigma_space) * log2_e) as f32;
            let pair = Pair { dx, dy, log_near, start };
            start += (dy + 1) * weights_pitch;
            pair
        });
        Self {
            radius,
            columns,
            pairs: pairs.collect(),
            color_factor: (-log2_e / (2.0 * window.sigma_color * window.sigma_color)) as f32,
            values: std::array::from_fn(|_| vec![0.0; values_pitch * value_rows]),
            values_pitch,
            weights: vec![0.0; weights_pitch * weight_rows],
            weights_pitch,
        }
    }

    /// Where the values of row `step` begin.
    #[inline(always)]
    fn values_of(&self, step: usize) -> usize {
        step % (2 * self.radius + 1) * self.values_pitch
    }

    /// Where the weights of row `step` begin.
    #[inline(always)]
    fn weights_of(&self, pair: &Pair, step: usize) -> usize {
        pair.start + step % (pair.dy + 1) * self.weights_pitch
    }

    /// Takes row `y` of the picture as row `step`: from two radii left of column `start` on, as many as outputs `columns` need.
    #[inline(always)]
    fn fill(&mut self, source: Source, step: usize, y: isize, start: usize, columns: usize) {
        let row = self.values_of(step);
        let row = row..row + (columns + 2 * self.radius).next_multiple_of(LANES) + 2 * self.radius;
        let width = source.picture.width_px;
        let (pixels, _) = source.row(y).as_chunks::<CHANNELS>();
        let halo = 2 * self.radius;
        // Pixels of the halo that lie left of the picture, and where in the picture the others begin.
        let (beyond, from) = (halo.saturating_sub(start), start.saturating_sub(halo));
        let pixels_from = pixels.get(from..).unwrap_or_default();
        for (channel, plane) in self.values.iter_mut().enumerate() {
            let value = |pixel: &[u8; CHANNELS]| pixel.get(channel).map_or(0.0, |&byte| f32::from(byte));
            let outside = |x: isize| pixels.get(source.border.source_index(x, width)).map_or(0.0, value);
            let Some((left, rest)) = plane.get_mut(row.clone()).and_then(|row| row.split_at_mut_checked(beyond)) else { return };
            let inside = rest.len().min(width - from);
            let (inner, right) = rest.split_at_mut(inside);
            inner.iter_mut().zip(pixels_from).for_each(|(place, pixel)| *place = value(pixel));
            (-beyond.cast_signed()..).zip(left).for_each(|(x, place)| *place = outside(x));
            (width.cast_signed()..).zip(right).for_each(|(x, place)| *place = outside(x));
        }
    }

    /// Computes the weights that pixels of row `step` share with their neighbors below and to the right.
    #[inline(always)]
    fn weigh<const FUSED: bool>(&mut self, step: usize, columns: usize) {
        let length = columns + 2 * self.radius;
        let centers = self.values_of(step) + self.radius;
        let centers = centers..centers + length;
        for pair in &self.pairs {
            let start = self.weights_of(pair, step);
            let neighbors = (self.values_of(step + pair.dy) + self.radius).wrapping_add_signed(pair.dx);
            let neighbors = neighbors..neighbors + length;
            let weights = self.weights.get_mut(start..start + length).unwrap_or_default();
            let (factor, near) = (self.color_factor, pair.log_near);
            let weight = |difference: f32| exp2::<FUSED>(mul_add::<FUSED>(difference * difference, factor, near));
            match self.values.as_slice() {
                [gray] => {
                    for (out, (center, value)) in weights.iter_mut().zip(side_by_side(gray, &centers, &neighbors)) {
                        *out = weight((value - center).abs());
                    }
                }
                [red, green, blue] => {
                    let planes = side_by_side(red, &centers, &neighbors)
                        .zip(side_by_side(green, &centers, &neighbors))
                        .zip(side_by_side(blue, &centers, &neighbors));
                    for (out, ((red, green), blue)) in weights.iter_mut().zip(planes) {
                        *out = weight((red.1 - red.0).abs() + (green.1 - green.0).abs() + (blue.1 - blue.0).abs());
                    }
                }
                _ => (),
            }
        }
    }

    /// Both neighbors of every pair: the weights and values of row `step` from its first output pixel on.
    #[inline(always)]
    fn taps(&self, step: usize) -> Vec<Tap<'_, CHANNELS>> {
        let tap = |pair: &Pair, weighed: usize, neighbor: usize, weights_dx: isize, values_dx: isize| Tap {
            weights: blocks(&self.weights, (self.weights_of(pair, weighed) + self.radius).wrapping_add_signed(weights_dx)),
            values: self.values_from(neighbor, values_dx),
        };
        let mut taps = Vec::with_capacity(2 * self.pairs.len());
        for pair in &self.pairs {
            taps.push(tap(pair, step, step + pair.dy, 0, pair.dx));
            taps.push(tap(pair, step - pair.dy, step - pair.dy, -pair.dx, -pair.dx));
        }
        taps
    }

    /// The values of row `step`, `dx` pixels from the first output pixel on.
    #[inline(always)]
    fn values_from(&self, step: usize, dx: isize) -> [&[[f32; LANES]]; CHANNELS] {
        let start = (self.values_of(step) + 2 * self.radius).wrapping_add_signed(dx);
        std::array::from_fn(|channel| self.values.get(channel).map_or::<&[_], _>(&[], |plane| blocks(plane, start)))
    }
}

/// Values of a plane in two ranges, side by side.
#[inline(always)]
fn side_by_side<'a>(plane: &'a [f32], first: &Range<usize>, second: &Range<usize>) -> impl Iterator<Item = (&'a f32, &'a f32)> {
    let row = |range: &Range<usize>| plane.get(range.clone()).unwrap_or_default();
    row(first).iter().zip(row(second))
}

/// One neighbor of every pixel of a row.
struct Tap<'a, const CHANNELS: usize> {
    weights: &'a [[f32; LANES]],
    values: [&'a [[f32; LANES]]; CHANNELS],
}

/// Values from `start` on.
#[inline(always)]
fn blocks(values: &[f32], start: usize) -> &[[f32; LANES]] {
    values.get(start..).unwrap_or_default().as_chunks().0
}

/// Weighted means of the pixels of a block of `LANES`.
#[inline(always)]
fn average<const CHANNELS: usize, const FUSED: bool>(
    centers: &[&[[f32; LANES]]; CHANNELS],
    taps: &[Tap<CHANNELS>],
    block: usize,
) -> [[u8; LANES]; CHANNELS] {
    /// 2²³: added, it leaves the nearest whole number in the lowest bits.
    const TO_WHOLE: f32 = 8_388_608.0;
    const NONE: [f32; LANES] = [0.0; LANES];
    // The center's own weight is 1.
    let mut weights = [1.0; LANES];
    let mut sums = [NONE; CHANNELS];
    for (sums, centers) in sums.iter_mut().zip(centers) {
        *sums = *centers.get(block).unwrap_or(&NONE);
    }
    for tap in taps {
        let tap_weights = tap.weights.get(block).unwrap_or(&NONE);
        for (sums, values) in sums.iter_mut().zip(&tap.values) {
            let values = values.get(block).unwrap_or(&NONE);
            for ((sum, value), weight) in sums.iter_mut().zip(values).zip(tap_weights) {
                *sum = mul_add::<FUSED>(*weight, *value, *sum);
            }
        }
        for (sum, weight) in weights.iter_mut().zip(tap_weights) {
            *sum += weight;
        }
    }
    let mut bytes = [[0; LANES]; CHANNELS];
    for (bytes, sums) in bytes.iter_mut().zip(&sums) {
        for ((byte, sum), weight) in bytes.iter_mut().zip(sums).zip(&weights) {
            // A conversion that saturates would not be vectorized.
            *byte = (sum / weight + TO_WHOLE).to_bits() as u8;
        }
    }
    bytes
}

/// 2 to the power of `exponent`, which is 0 at most, within 3 millionths; what is below 2^−125 becomes about that.
#[inline(always)]
fn exp2<const FUSED: bool>(exponent: f32) -> f32 {
    /// 1.5 · 2²³: added, it leaves the nearest whole number in the lowest bits.
    const TO_WHOLE: f32 = 12_582_912.0;
    let exponent = if exponent < -125.0 { -125.0 } else { exponent };
    let shifted = exponent + TO_WHOLE;
    let rest = exponent - (shifted - TO_WHOLE);
    // 2^rest for −1/2 ≤ rest ≤ 1/2: the polynomial of degree 4 with the smallest relative error, fitted at 2000 Chebyshev nodes.
    let mut power = 0.009_570_099;
    for coefficient in [0.055_917_86, 0.240_247_44, 0.693_121_8, 0.999_999_3] {
        power = mul_add::<FUSED>(power, rest, coefficient);
    }
    // The whole number is added to the power's own exponent, 23 bits up.
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// `factor` * `value` + `summand`, with one rounding where that is one instruction.
#[inline(always)]
fn mul_add<const FUSED: bool>(factor: f32, value: f32, summand: f32) -> f32 {
    if FUSED { factor.mul_add(value, summand) } else { factor * value + summand }
}

#[cfg(test)]
mod tests {
    use super::{Window, exp2, run};
    use crate::{BorderMode, Channels, CpuEngine, Job, Pixels, Reach, reference};

    fn assert_is_close<const FUSED: bool>() {
        for step in 0..=125_000_u32 {
            let exponent = -(step as f32) / 1000.0;
            let exact = f64::from(exponent).exp2();
            assert!((f64::from(exp2::<FUSED>(exponent)) / exact - 1.0).abs() < 3.5e-6, "{exponent}");
        }
        for exponent in [-126.0, -1e3, -3e5, f32::MIN] {
            assert!((0.0..1e-37).contains(&exp2::<FUSED>(exponent)), "{exponent}");
        }
    }

    #[test]
    fn powers_of_two_are_close_and_never_grow_below_the_smallest() {
        assert_is_close::<false>();
        assert_is_close::<true>();
    }

    #[test]
    fn strips_and_bands_meet_without_a_seam() {
        const WIDTH: usize = 999;
        const HEIGHT: usize = 61;
        let window = || Window { radius_px: 7, sigma_space: 4.0, sigma_color: 60.0 };
        for channels in [Channels::Gray, Channels::Rgb] {
            let bytes: Vec<_> = (0..WIDTH * HEIGHT * channels.count()).map(|place| (place * place / 7 % 251) as u8).collect();
            let picture = Pixels { bytes: &bytes, width_px: WIDTH, height_px: HEIGHT, channels };
            let expected = reference::bilateral::rows(picture, BorderMode::Reflect101, &window(), 0..HEIGHT);
            for engine in [CpuEngine::Simd, CpuEngine::Threads] {
                let mut output = vec![0; bytes.len()];
                run(Job::new(engine, picture, BorderMode::Reflect101, Reach { before: 7, after: 7 }, &mut output), window());
                let wrong: Vec<_> = (0..output.len()).filter(|&place| output.get(place) != expected.get(place)).collect();
                assert!(wrong.len() * 2000 < output.len(), "{channels:?}, {engine:?}: {} bytes, from {:?} on", wrong.len(), wrong.first());
            }
        }
    }
}
